"""The paper's counts beside the counts of what was built, each computed from the tables, the survey and the pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pydantic
from tabulate import tabulate

from winoqueer_nl import pairs
from winoqueer_nl.edition import Edition
from winoqueer_nl.files import write_text
from winoqueer_nl.metadata import read_survey
from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.summary import subset_sizes
from winoqueer_nl.tables import read_table

PAPER_COUNTS = "release/paper_counts.csv"
TRANSLATED = "winoqueer"


class PaperCount(pydantic.BaseModel):
    """A row of :data:`PAPER_COUNTS`: a figure of the paper, and by which key it is computed here."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    row: int = pydantic.Field(default=0, exclude=True)
    key: str
    figure: str
    paper: int | None = pydantic.Field(default=None, ge=0)
    says: str | None = None


def own_votes(edition: Edition, survey: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Ids of the translated stereotypes that the survey asked about (not those that share votes by declaration)."""
    return [
        row.stereotype_id
        for row in edition.stereotypes
        if row.origin == TRANSLATED
        and survey.get(row.stereotype_id, {}).get("n_votes", "") not in ("", "0")
        and not survey[row.stereotype_id]["votes_of"]
    ]


def shared_forms(edition: Edition) -> list[list[str]]:
    """Groups of stereotypes whose forms are the same, letter for letter but for blanks at the ends."""
    forms: dict[tuple[tuple[str, str], ...], list[str]] = {}
    texts: dict[str, list[tuple[str, str]]] = {}
    for row in edition.forms:
        if row.identity is None and row.copy_number is None:
            texts.setdefault(row.stereotype_id, []).append((row.form, row.text.rstrip("␠")))
    for stereotype_id, written in texts.items():
        forms.setdefault(tuple(sorted(written)), []).append(stereotype_id)
    return [ids for ids in forms.values() if len(ids) > 1]


def counts(edition: Edition, survey: Mapping[str, Mapping[str, str]], pairs_file: Path) -> dict[str, int]:
    """Every count of :data:`PAPER_COUNTS`, by key."""
    translated = [row for row in edition.stereotypes if row.origin == TRANSLATED and row.type != "identity"]
    new = [row for row in edition.stereotypes if row.origin != TRANSLATED]
    without_form = [row for row in edition.absent if row.stereotype_id in {t.stereotype_id for t in translated}]
    voted = own_votes(edition, survey)
    excluded = [i for i in voted if survey[i]["tier"] == "-1"]
    table = pairs.read(pairs_file, ["tier", "origin", "template", "identity"])
    subsets = subset_sizes(table)
    kept_by_the_paper = len(translated) - len(excluded)
    return {
        "predicates_english": sum(row.type == "predicate" for row in translated),
        "stereotypes_translated": len(translated),
        "without_form": len(without_form),
        "with_votes": len(voted),
        "not_relevant": len(excluded),
        "kept": len(voted) - len(excluded),
        "kept_by_the_paper": kept_by_the_paper,
        "new": len(new),
        "predicates": kept_by_the_paper + len(new),
        "stereotypes": len(translated) + len(new),
        "templates": len(table["template"].unique()),
        "names": len({row.name_id for row in edition.names if row.type == "name"}),
        "identities": len(table["identity"].unique()),
        "pairs": subsets["all"],
        "pairs_tier_1_2": subsets["tier_1_2"],
        "pairs_tier_1": subsets["tier_1"],
        "pairs_new": subsets["new"],
    }


def page(
    edition: Edition,
    survey: Mapping[str, Mapping[str, str]],
    computed: Mapping[str, int],
    paper: Iterable[PaperCount],
) -> str:
    """The page in Markdown: the table of counts, then what stands behind those that need a word."""
    gloss = {row.stereotype_id: row.gloss for row in edition.stereotypes}

    def named(stereotype_id: str) -> str:
        return f"{stereotype_id} ({gloss[stereotype_id]})"

    table: list[list[Any]] = []
    for row in paper:
        value = computed[row.key]
        verdict = "" if row.paper is None else "equal" if row.paper == value else "**differs**"
        table.append([row.figure, "" if row.paper is None else row.paper, value, verdict])
    absent = [row.stereotype_id for row in edition.absent]
    lines = [
        f"# The paper's counts, reconciled ({edition.language.name}, edition {edition.edition})",
        "",
        "Made by `winoqueer-nl reconcile` from the tables, the survey aggregates and the pairs. Content warning: the",
        "list below names hurtful stereotypes in English.",
        "",
        tabulate(table, headers=["figure", "paper", "computed", ""], tablefmt="github", disable_numparse=True),
        "",
        "## Why 145 and 138 are both right",
        "",
        f"The survey asked about {computed['with_votes']} stereotypes; {computed['not_relevant']} of them were found "
        f"not relevant and {computed['kept']} were kept. The paper takes the {computed['not_relevant']} from "
        f"{computed['stereotypes_translated']}, which counts in the {computed['without_form']} without a form and "
        'the clause "such people do not exist".',
        "",
        f"Without a form: {'; '.join(named(i) for i in absent)}.",
        "",
        "## Declared exceptions",
        "",
        "These stereotypes were not asked about; the published metadata gives them the votes of another one, and the",
        "instrument declares it:",
        "",
        *(
            f"- {named(i)} has the votes of {named(row['votes_of'])}: {row['n_yes']} yes, {row['n_no']} no, "
            f"{row['n_unsure']} not sure; harmfulness {row['harmfulness_count']} x {row['harmfulness_mean']}; "
            f"tier {row['tier']}."
            for i, row in survey.items()
            if row["votes_of"]
        ),
        "",
        "## Stereotypes that share their forms and votes",
        "",
        *(
            f"- {' and '.join(named(i) for i in ids)}: {survey[ids[0]]['n_yes']} yes, {survey[ids[0]]['n_no']} no, "
            f"{survey[ids[0]]['n_unsure']} not sure."
            for ids in shared_forms(edition)
            if all(i in survey for i in ids)
        ),
        "",
    ]
    return "\n".join(lines)


def write(root: Path, edition: Edition, survey_file: Path, pairs_file: Path, out: Path) -> tuple[int, int]:
    """Write the page; return how many of the paper's counts came out, and how many there are."""
    problems = Problems()
    paper = read_table(root / PAPER_COUNTS, PaperCount, problems)
    survey = read_survey(survey_file)
    computed = counts(edition, survey, pairs_file)
    for row in paper:
        if row.key not in computed:
            problems.add(
                root / PAPER_COUNTS,
                quoted(row.key),
                f"one of {listed(computed, 30)}",
                suggestion(row.key, computed),
                row=row.row,
                field="key",
            )
    problems.stop()
    write_text(out, page(edition, survey, computed, paper))
    stated = [row for row in paper if row.paper is not None]
    return sum(row.paper == computed[row.key] for row in stated), len(stated)
