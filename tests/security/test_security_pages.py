"""What names, labels and wordings bring into pages, plots and tables: text, and nothing that a program runs."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import re
import sys
from pathlib import Path

import pytest
import yaml
from hostile import NAMES

sys.path += [str(Path(__file__).parents[1] / name) for name in ("report", "statistics")]

import report_made
import statistics_made

from winoqueer_nl import markdown
from winoqueer_nl.report import figures, page, svg
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import read_runs
from winoqueer_nl.statistics.tables import make_tables, write_tables

#: What a page, a plot or a table could take for more than text, in one name.
MARKS = (
    "script",
    "image",
    "end of a comment",
    "entity",
    "Markdown",
    "LaTeX",
    "mathematics",
    "double quote",
    "template",
)
WORDING = " ".join(NAMES[name] for name in MARKS)
FOLDER = WORDING.replace("/", "").replace("\n", " ")[:200]
ELEMENTS = {"script", "img", "b", "iframe", "object", "embed", "link", "base", "form", "a", "input", "svg"}


class Elements(html.parser.HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def project(root: Path, label: str, gloss: str, model: str, name: str) -> Path:
    """A small project whose names are these; its tables, its page and the plots that hold most names are written."""
    patch = pytest.MonkeyPatch()
    patch.setitem(statistics_made.IDENTITIES, "red", label)
    patch.setattr(report_made, "NASTY", gloss)
    try:
        statistics_made.write_set(root)
        statistics_made.write_run(root, model, 1, model=name)
        report_made.write_dataset(root)
    finally:
        patch.undo()
    write_tables(
        make_tables(read_runs(sorted((root / "scores").glob("*/*/*")), root), Settings(100, 3)), root / "tables"
    )
    data, drawn = report_made.read(root), {}
    with svg.style():
        for plan in [plan for plan in figures.plan(data) if plan.key in ("overview", "heatmap", "identities")]:
            text = svg.to_svg(plan.draw())
            element = svg.inline(text, plan.key, plan.title, plan.description)
            drawn[plan.key] = page.Drawn(plan, element, text, b"")
    (root / "page.html").write_text(page.render(data, drawn), encoding="utf-8")
    for key, item in drawn.items():
        (root / f"{key}.svg").write_text(item.svg, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("hostile"), WORDING, WORDING, FOLDER, f"made/{WORDING}")


def test_no_name_becomes_an_element_of_the_page(made: Path) -> None:
    text = (made / "page.html").read_text(encoding="utf-8")
    found = Elements(text).found
    assert {tag for tag, _ in found} & ELEMENTS <= {"script", "link", "b", "a", "form", "input", "svg"}
    assert sum(tag == "script" for tag, _ in found) == 2
    assert [attributes for tag, attributes in found if any(name.startswith("on") for name in attributes)] == []
    assert all((attributes.get("href") or "#").startswith(("#", "data:,")) for _, attributes in found)
    assert "&lt;script&gt;" in text  # the name is there, as text


def test_the_browser_is_told_to_run_the_pages_own_script_and_nothing_else(made: Path) -> None:
    text = (made / "page.html").read_text(encoding="utf-8")
    policy = next(attributes["content"] for _, attributes in Elements(text).found if "http-equiv" in attributes)
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert (rules["default-src"], rules["base-uri"], rules["form-action"]) == ("'none'", "'none'", "'none'")


def test_no_plot_holds_an_element_of_a_name(made: Path) -> None:
    plots = sorted(made.glob("*.svg"))
    assert len(plots) == 3
    for path in plots:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<(script|img|foreignObject|b)\b", text), path.name
        assert " onerror=" not in re.sub(r">[^<]*<", "><", text), path.name


def test_a_name_is_one_cell_of_a_markdown_table_and_no_element(made: Path) -> None:
    lines = (made / "tables/models.md").read_text(encoding="utf-8").splitlines()
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert len(widths) == 1
    assert "<" not in "".join(lines)


def test_latex_runs_no_command_of_a_name(made: Path) -> None:
    text = (made / "tables/models.tex").read_text(encoding="utf-8")
    assert "\\textbackslash{}write18" in text
    assert not re.search(r"\\(write18|input|immediate)\b", text)


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_of_the_dataset_card_is_one_line_without_columns_or_elements(name: str) -> None:
    cell = markdown.cell(NAMES[name])
    assert not re.search(r"[\n\r<]|(?<!\\)\|", cell)


@pytest.mark.parametrize("name", NAMES)
def test_the_head_of_a_dataset_card_says_every_name_as_it_is(name: str) -> None:
    """As the card writes it: with a writer of plain values, so that no name becomes a key, a tag or an alias."""
    content = {"pretty_name": NAMES[name], "tags": [NAMES[name]]}
    text = yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=1000)
    assert yaml.safe_load(text) == content
