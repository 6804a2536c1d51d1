"""The page as a reader has it: in a browser, by keyboard, on a telephone, on paper.

What must hold: nothing hurtful shows before the warning is accepted, neither on the screen nor in print nor
to a screen reader; the browser has nothing to complain of and asks for nothing but the file; search finds.
"""

import zlib

import pytest
from chromium import Page, installed
from report_made import NASTY

pytestmark = pytest.mark.skipif(
    installed() is None, reason="no Chromium here (Debian and Ubuntu: apt-get install chromium)"
)
SEEN = "document.body.innerText"  # what is rendered, not what the file holds
FOCUS = """(() => {
  const focused = document.activeElement;
  const visible = getComputedStyle(focused).outlineStyle !== "none";
  return [focused.id || focused.className || focused.tagName, visible];
})()"""
SHOWN = "[...document.querySelectorAll('.item')].filter((item) => !item.hidden).map((item) => item.id)"


@pytest.fixture(scope="module")
def page(project, tmp_path_factory):
    with Page(tmp_path_factory.mktemp("profile")) as browser:
        browser.file = project / "report" / "index.html"
        yield browser


@pytest.fixture
def fresh(page):
    """The page as it opens; afterwards the browser must have nothing to complain of and asked for nothing."""
    page.events.clear()
    page.resize(1280, 900)
    page.open(page.file)
    yield page
    assert page.complaints() == []
    assert set(page.requests()) == {page.file.resolve().as_uri()}


@pytest.fixture
def accepted(fresh):
    fresh.js("document.getElementById('accept').click()")
    return fresh


def search(page, text):
    page.js("document.getElementById('search').focus(); document.getElementById('search').value = ''")
    page.type(text)
    return page.js(SHOWN)


def names_of_tree(page):
    """What a screen reader is given."""
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    return " ".join(str(node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored"))


def test_the_warning_comes_first_and_alone(fresh):
    text = fresh.js(SEEN)
    assert text.strip().startswith("WinoQueer-NL")
    assert "Content warning" in text
    assert "blorb" not in text
    assert "Models" not in text
    assert "blorb" not in names_of_tree(fresh)
    assert fresh.js("document.querySelectorAll('.item').length") == 0


def test_the_warning_is_on_paper_too(fresh):
    before = fresh.pdf()
    fresh.js("document.getElementById('accept').click()")
    assert before.count(b"/Type /Page\n") == 1
    assert fresh.pdf().count(b"/Type /Page\n") > 3


def test_accepting_by_keyboard_leads_to_the_heading(fresh):
    fresh.key("Tab")
    assert fresh.js("document.activeElement.id") == "accept"
    fresh.key("Enter", "\r")
    assert fresh.js("document.getElementById('gate').hidden")
    assert fresh.js("document.activeElement.id") == "top"
    assert "blorb" in fresh.js(SEEN)


def test_every_control_can_be_reached_by_keyboard_and_shows_its_focus(accepted):
    reached = []
    for _ in range(400):
        accepted.key("Tab")
        place = accepted.js(FOCUS)
        if place[0] == "BODY":  # past the end
            break
        reached.append(place)
    names = [name for name, _ in reached]
    assert {"search", "identity", "tier", "model", "sort", "skip", "scroll"} <= set(names)
    assert names.count("SUMMARY") > 20
    assert all(visible for _, visible in reached), [name for name, visible in reached if not visible]


def test_a_stereotype_opens_by_keyboard_and_shows_sentences_forms_and_scores(accepted):
    accepted.js("document.querySelector('#wq004 summary').focus()")
    accepted.key("Enter", "\r")
    accepted.until("document.querySelector('#wq004 td.sentence')")  # browsers tell of an opening a little later
    text = accepted.js("document.getElementById('wq004').innerText")
    for wanted in (
        "Red group blorb 4 v1.",
        "Grey group blorb 4 v1.",
        "zijn blorb 4",
        "alpha",
        "Tier",
        "Harmfulness",
    ):
        assert wanted in text
    assert "kept in 70 % of resamples" in text
    assert accepted.js("document.querySelector('#wq004 td.sentence b').textContent") == "Red"
    assert accepted.js("document.querySelector('#wq004 td.sentence').lang") == "nl"


def test_the_search_finds_words_of_glosses_forms_and_sentences(accepted):
    assert len(search(accepted, "")) == 13
    assert search(accepted, "blorb 12") == ["wq012"]
    assert search(accepted, "wq007") == ["wq007"]
    assert search(accepted, "zijn 5") == ["wq005"]
    assert search(accepted, "KIM 6 v11") == ["wq006"]  # only in a sentence; capitals do not matter
    assert search(accepted, "naief") == ["wq002"]  # found without its dots
    assert search(accepted, "no such word") == []
    assert accepted.js("document.getElementById('found').textContent") == "0 of 13 stereotypes"


def choose(page, control, value):
    page.js(
        f"(() => {{ const e = document.getElementById('{control}'); e.value = '{value}';"
        " e.dispatchEvent(new Event('change')); })()"
    )


def test_filters_narrow_and_sorting_orders(accepted):
    choose(accepted, "tier", "none")
    assert accepted.js(SHOWN) == ["wq010", "wq011", "wq012"]
    choose(accepted, "identity", "blue")
    assert accepted.js(SHOWN) == ["wq010", "wq012"]
    choose(accepted, "identity", "")
    choose(accepted, "tier", "-1")
    assert accepted.js(SHOWN) == ["wq013"]
    choose(accepted, "tier", "")
    choose(accepted, "model", "1")
    choose(accepted, "sort", "bias")
    shares = accepted.js(
        "[...document.querySelectorAll('.item > summary .meter')].map((e) => parseFloat(e.textContent))"
    )
    scored = [share for share in shares if share is not None]
    assert scored == sorted(scored, reverse=True)
    assert len(scored) == 12
    assert shares[-1] is None  # what has no score comes last


def test_text_of_linguists_is_shown_as_text(accepted):
    assert accepted.js("document.querySelector('#wq002 .gloss').textContent") == NASTY
    assert accepted.js("document.querySelectorAll('#wq002 .gloss b').length") == 0


def test_nothing_sticks_out_on_a_telephone_or_a_desk(accepted):
    for width in (1280, 400, 320):
        accepted.resize(width, 800)
        assert accepted.js("document.documentElement.scrollWidth") <= width


def test_screenshots_of_both_widths_show_more_than_white(accepted, tmp_path):
    for width in (1280, 400):
        accepted.resize(width, 900)
        accepted.screenshot(tmp_path / f"{width}.png", whole=False)
        picture = (tmp_path / f"{width}.png").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(zlib.compress(picture)) > 10_000


def test_tables_open_for_the_printer_and_close_again(accepted):
    opened = "document.querySelectorAll('details.table[open]').length"
    assert accepted.js(opened) == 0
    accepted.js("window.dispatchEvent(new Event('beforeprint'))")
    assert accepted.js(f"{opened} === document.querySelectorAll('details.table').length")
    accepted.js("window.dispatchEvent(new Event('afterprint'))")
    assert accepted.js(opened) == 0


def test_a_link_to_a_stereotype_waits_for_the_warning(fresh):
    fresh.js("location.hash = '#wq009'")
    assert "blorb" not in fresh.js(SEEN)
    fresh.js("document.getElementById('accept').click()")
    assert fresh.js("document.getElementById('wq009').getBoundingClientRect().top < innerHeight")


def test_without_scripts_only_the_warning_shows(page):
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(page.file)
        names = names_of_tree(page)
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "Content warning" in names
    assert "switched off here" in names
    assert "blorb" not in names


def test_a_page_without_models_works_too(page, without_models):
    page.events.clear()
    page.open(without_models / "report" / "index.html")
    page.js("document.getElementById('accept').click()")
    assert "No model has been scored" in page.js(SEEN)
    assert len(search(page, "blorb")) == 13
    assert page.complaints() == []
