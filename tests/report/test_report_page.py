"""The page asks for nothing, hides what is hurtful, marks demos, leaks no small count, is reproducible."""

import json
import re
import shutil
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from report_made import IDENTITIES, NASTY, read
from typer.testing import CliRunner

from winoqueer_nl.cli import app
from winoqueer_nl.problems import InputError
from winoqueer_nl.report import browser, figures, page_tables, plots, svg
from winoqueer_nl.report.page import draw, render, write_report

CSS = "scripts/winoqueer_nl/report/assets/report.css"


class Elements(HTMLParser):
    """All start tags of a page with their attributes, and the text outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self._inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        if not self._inside:
            self.text.append(data)


@pytest.fixture(scope="module")
def page(project):
    return (project / "report" / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def elements(page):
    return Elements(page)


def content_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))


def test_the_page_names_no_address_to_ask(page, elements):
    assert "http:" not in page
    assert "https:" not in page
    assert "@import" not in page
    for tag, attributes in elements.tags:
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            assert attributes.get(name, "#")[:1] == "#" or attributes[name] == "data:,", (tag, attributes)
    policy = next(attributes["content"] for tag, attributes in elements.tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'")


def test_the_report_is_hidden_and_no_sentence_stands_in_the_text(elements):
    report = next(attributes for tag, attributes in elements.tags if attributes.get("id") == "report")
    assert "hidden" in report
    text = " ".join(elements.text)
    assert "Content warning" in text
    assert "blorb" not in text  # the sentences are data of the script, which shows them after the warning


def test_no_plot_holds_a_stereotype(project):
    for path in (project / "report" / "figures").glob("*.svg"):
        assert "blorb" not in path.read_text(encoding="utf-8"), path.name


def test_what_a_linguist_wrote_cannot_break_the_page(page):
    content = content_of(page)
    assert [s["gloss"] for s in content["stereotypes"]][1] == NASTY
    assert page.count("</script>") == 2


def test_every_id_stands_once_and_every_reference_leads_somewhere(page, elements):
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = re.findall(r"url\(#([^)]+)\)", page)
    wanted += [a["href"][1:] for _, a in elements.tags if a.get("href", "").startswith("#")]
    wanted += [name for _, a in elements.tags for name in a.get("aria-labelledby", "").split()]
    assert set(wanted) <= set(ids)


def test_every_plot_is_told_in_words_made_from_its_numbers(project, elements):
    data = read(project)
    drawn = figures.plan(data)
    assert {plan.key for plan in drawn} == set(figures.KEYS)
    for plan in drawn:
        assert len(plan.description) > 40, plan.key
    pictures = [a for tag, a in elements.tags if tag == "svg"]
    assert len(pictures) == len(drawn)
    assert all(a["role"] == "img" and a["aria-labelledby"] for a in pictures)
    rows = data.metrics[(data.metrics["dimension"] == "identity") & (data.metrics["policy"] == "published")]
    rows = rows[(rows["subset"] == "all") & (rows["model"] != "toy")]  # the demo is not told as a finding
    top = rows.loc[rows["value"].idxmax()]
    words = next(plan.description for plan in drawn if plan.key == "heatmap")
    assert words.startswith(f"Highest: {IDENTITIES[top['group']]} for {top['model']}, {top['value']:.1f}.")


def test_tables_have_headings_for_columns_and_rows(elements):
    scopes = [attributes.get("scope") for tag, attributes in elements.tags if tag == "th"]
    assert set(scopes) == {"col", "row"}


def test_demo_models_are_marked_wherever_they_stand(project, page, elements):
    text = " ".join(elements.text)
    assert "Numbers marked “(demo)” mean nothing" in text
    assert not re.search(r"\btoy\b(?! \(demo\)| has)", text)
    for path in (project / "report" / "figures").glob("*.svg"):
        assert not re.search(r">toy\b(?! \(demo\))", path.read_text(encoding="utf-8")), path.name
    assert [model["name"] for model in content_of(page)["models"] if model["key"] == "toy"] == ["toy (demo)"]


def test_the_numbers_of_the_page_are_those_of_the_tables(project):
    data = read(project)
    view = page_tables.results(data)["bias_all"]
    source = pd.read_csv(project / "tables" / "bias_all.csv")
    source = source[(source["language"] == "nl") & (source["edition"] == "1.0.0") & (source["policy"] == "published")]
    rows = {row[0]: row[1:] for row in view.rows}
    for name, model in (("alpha", "alpha"), ("toy (demo)", "toy")):
        own = source[source["model"] == model].iloc[0]
        assert rows[name] == [f"{own[c]:.1f}" for c in [*IDENTITIES, "usage_weighted", "identity_averaged"]]
    assert set(rows) >= {"Mean of masked", "Mean of all"}


def test_editions_of_every_language_stand_on_the_page_with_the_tables_numbers(project, elements):
    view = page_tables.results(read(project))["editions"]
    source = pd.read_csv(project / "tables" / "editions.csv")
    source = source[source["policy"] == "published"]
    assert len(view.rows) == len(source) == 4 * 6
    assert [row[1] for row in view.rows] == ["nl"] * 12 + ["en"] * 12  # the page's language first
    row = next(row for row in view.rows if row[:2] == ["beta", "en"] and row[3] == "Green")
    own = source[(source["model"] == "beta") & (source["group"] == "green")].iloc[0]
    shown = [f"{own['value_before']:.1f}", f"{own['value_after']:.1f}", f"{own['difference']:+.1f}"]
    assert row[2] == "1.0.0 to 2.0.0"
    assert row[5:8] == shown
    assert row[8] == f"{own['low']:+.1f} to {own['high']:+.1f}"
    text = " ".join(elements.text)
    assert "docs/surface-forms.md" in text
    assert "Demo models are made anew" in text


def test_editions_are_told_in_words_without_the_demo(project):
    words = next(plan.description for plan in figures.plan(read(project)) if plan.key == "editions")
    source = pd.read_csv(project / "tables" / "editions.csv").query("policy == 'published' and not demo")
    assert "toy" not in words
    for language, models in (("nl", 1), ("en", 2)):
        own = source[(source["language"] == language) & (source["dimension"] == "identity")]
        top = own.loc[own["difference"].abs().idxmax()]
        said = f"Largest change of an identity: {IDENTITIES[top['group']]} for {top['model']}, {top['difference']:+.1f}"
        assert said in words
        sure = (own["p_holm"] < 0.05).sum()
        assert f"{sure} of {3 * models} changes survive" in words
    assert words.startswith("From 1.0.0 to 2.0.0 in nl, identity-averaged bias: alpha ")


def test_a_page_without_scores_of_its_own_still_shows_the_editions_of_another_language(project, tmp_path):
    shutil.copytree(project, tmp_path / "copy")
    for path in (tmp_path / "copy" / "tables").glob("*.csv"):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        column = "language_a" if path.stem == "languages" else "language"
        table[table[column] == "en"].to_csv(path, index=False)
    data = read(tmp_path / "copy")
    text = render(data, {})
    assert data.models == []
    assert 'id="editions"' in text
    assert {plan.key for plan in figures.plan(data)} >= {"editions"}
    drawn = draw(data)
    assert ">beta<" in drawn["editions"].svg


def test_more_editions_than_two_get_a_panel_each(project, tmp_path):
    shutil.copytree(project, tmp_path / "copy")
    path = tmp_path / "copy" / "tables" / "editions.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    later = table.assign(edition_before="2.0.0", edition_after="10.0.0")
    pd.concat([table, later]).to_csv(path, index=False)
    drawn = draw(read(tmp_path / "copy"))["editions"]
    assert "1.0.0 to 2.0.0" in drawn.svg
    assert "2.0.0 to 10.0.0" in drawn.svg
    assert "later minus earlier edition" in drawn.svg
    assert "From 2.0.0 to 10.0.0 in nl" in drawn.plan.description


def test_languages_are_compared_in_the_pages_own_edition_or_the_last_that_is(project, tmp_path):
    assert set(read(project).languages["edition_b"]) == {"1.0.0"}  # 2.0.0 is in the table too
    shutil.copytree(project, tmp_path / "copy")
    path = tmp_path / "copy" / "tables" / "languages.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table["edition_b"] = table["edition_b"].replace({"1.0.0": "9.0.0", "2.0.0": "10.0.0"})
    table.to_csv(path, index=False)
    data = read(tmp_path / "copy")
    assert set(data.languages["edition_b"]) == {"10.0.0"}
    assert not data.languages.duplicated(["model", "policy", "group"]).any()


def test_the_browser_has_examples_scores_and_spans(project):
    data = read(project)
    found = {entry["id"]: entry for entry in browser.entries(data)["stereotypes"]}
    entry = found["wq004"]
    assert entry["forms"] == {"main_plural": "zijn blorb 4", "singular": "is blorb 4"}
    assert entry["identities"] == ["red", "green", "blue"]
    template, identity, x, _, span = entry["examples"][0]
    assert (template, identity, x[span[0] : span[1]]) == ("1", "red", "Red")
    assert len(entry["examples"]) == len({tuple(example[:2]) for example in entry["examples"]})
    assert found["wq013"]["examples"] == []
    assert found["wq013"]["bias"] == [None] * 4
    scores = data.scores[(data.scores["policy"] == "published") & (data.scores["stereotype_id"] == "wq004")]
    own = dict(zip(scores["model"], scores["bias"], strict=True))
    assert entry["bias"] == [round(own[model], 1) for model in data.models]
    assert entry["stability"] == 70


def test_a_set_without_models_shows_dataset_and_survey(without_models):
    text = (without_models / "report" / "index.html").read_text(encoding="utf-8")
    assert "No model has been scored" in text
    assert {path.stem for path in (without_models / "report" / "figures").glob("*.svg")} == {
        *("tiers", "tier_stability", "survey_harmfulness", "respondents")
    }


def test_a_set_without_a_survey_has_no_survey(project, tmp_path):
    shutil.copytree(project / "tables", tmp_path / "tables")
    shutil.copytree(project / "nl" / "1.0.0", tmp_path / "nl" / "1.0.0")
    data = read(tmp_path)
    text = render(data, {})
    assert not {"tiers", "respondents"} & {plan.key for plan in figures.plan(data)}
    assert 'id="survey"' not in text
    assert 'id="models"' in text


def test_the_same_inputs_give_the_same_bytes(project, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")  # matplotlib would write it down
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: path\n")
    with mpl.rc_context(fname=tmp_path / "matplotlibrc"):  # somebody's own settings
        write_report(read(project), tmp_path / "again")
    for path in sorted((project / "report").rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(project / "report")).read_bytes(), path.name


def test_plots_that_no_longer_are_go_and_foreign_files_stay(without_models, tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "heatmap.svg").write_text("of last month")
    (tmp_path / "figures" / "mine.svg").write_text("mine")
    write_report(read(without_models), tmp_path)
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert "mine.svg" in names
    assert "heatmap.svg" not in names


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sexual_identity,green,3,false", "below the threshold"),
        ("sexual_identity,green,9,true", "blank cell"),
        ("sexual_identity,green,,false", "suppressed = true"),
    ],
)
def test_a_small_count_of_people_stops_the_report(project, tmp_path, line, said):
    shutil.copytree(project, tmp_path / "copy")
    path = tmp_path / "copy" / "nl" / "survey" / "respondents.csv"
    path.write_text(f"question,answer,n_respondents,suppressed\n{line}\n")
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path / "copy")
    assert "row 2" in str(caught.value)
    assert "found 3" not in str(caught.value)  # not even the message says how many


def test_missing_inputs_are_named_with_the_way_out(project, tmp_path):
    with pytest.raises(InputError, match="winoqueer-nl statistics"):
        read(tmp_path)
    shutil.copytree(project / "tables", tmp_path / "tables")
    with pytest.raises(InputError, match=r"stereotypes.csv: found no such file"):
        read(tmp_path)
    (tmp_path / "tables" / "metrics.csv").write_text("model\n")
    with pytest.raises(InputError, match="no column kind"):
        read(tmp_path)


def test_the_command_writes_the_report(project, tmp_path):
    words = ["report", "--results", str(project), "--out", str(tmp_path / "here"), "--policy", "slot"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "MB" in result.stdout
    assert "span policy slot" in (tmp_path / "here" / "index.html").read_text(encoding="utf-8")


def test_numbers_in_cells_can_be_read_on_every_shade():
    colours = mpl.colormaps["PuOr_r"]
    for value in np.linspace(0, 1, 201):
        shade = colours(value)
        assert plots.contrast(plots.ink_on(shade), shade) >= 4.5


def test_the_pages_colours_reach_aa(request):
    css = (request.config.rootpath / CSS).read_text(encoding="utf-8")
    colour = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))
    pairs = [("ink", "paper"), ("ink", "wash"), ("soft", "paper"), ("soft", "wash"), ("accent", "paper")]
    pairs += [
        ("accent", "wash"),
        ("accent", "accent-wash"),
        ("warm", "paper"),
        ("ink", "warm-wash"),
        ("ink", "accent-wash"),
    ]
    for text, background in pairs:
        assert plots.contrast(colour[text], colour[background]) >= 4.5, (text, background)
    assert plots.contrast("#ffffff", colour["accent"]) >= 4.5  # the button
    for mark in (plots.STEREOTYPICAL, plots.COUNTER, plots.NEUTRAL, plots.SOFT):
        assert plots.contrast(mark, "#ffffff") >= 3  # graphical objects (WCAG 1.4.11)


def test_contrast_is_wcags():
    assert plots.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert plots.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_an_svg_without_a_size_cannot_be_put_into_a_page():
    with pytest.raises(ValueError, match="viewBox"):
        svg.inline("<svg></svg>", "k", "t", "d")
