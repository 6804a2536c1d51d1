"""Survey aggregates: one row per stereotype, counts of identities with small cells hidden, and a summary of the run.

Nothing here tells one respondent from another; what does stays inside the functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from winoqueer_nl import disclosure
from winoqueer_nl.files import write_csv, write_json
from winoqueer_nl.pairs import Judgement
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted
from winoqueer_nl.survey.canonical import Responses
from winoqueer_nl.survey.cells import ANSWERED, NOT_SHOWN, SKIPPED
from winoqueer_nl.survey.config import SurveyConfig
from winoqueer_nl.survey.exports import read_exports
from winoqueer_nl.survey.instrument import Instrument, load
from winoqueer_nl.survey.tiers import ANSWERS, NO_VOTES, TIERS, rounded, tier_probabilities, tiers, votes, wilson
from winoqueer_nl.tables import records

#: The columns of stereotypes.csv, in order.
STEREOTYPE_COLUMNS = [
    "stereotype_id",
    "n_yes",
    "n_no",
    "n_unsure",
    "n_votes",
    "yes_percentage",
    "tier",
    "yes_percentage_low",
    "yes_percentage_high",
    "tier_1_probability",
    "tier_2_probability",
    "tier_3_probability",
    "not_relevant_probability",
    "harmfulness_count",
    "harmfulness_mean",
    "harmfulness_sd",
    "votes_of",
    "rounds",
]
RESPONDENT_COLUMNS = ["question", "answer", "n_respondents", "suppressed"]
RESPONDENTS_FILE, SUMMARY_FILE = "respondents.csv", "summary.json"


@dataclass(frozen=True)
class Aggregates:
    """What a survey says, ready to be written."""

    stereotypes: list[dict[str, str]]
    respondents: list[dict[str, str]]
    summary: dict[str, Any]


def aggregate(responses: Responses, instrument: Instrument, config: SurveyConfig) -> Aggregates:
    """Count the answers of a canonical table."""
    stereotypes = stereotype_rows(responses, instrument, config)
    return Aggregates(
        stereotypes,
        respondent_rows(responses, instrument, config.disclosure_threshold),
        _summary(responses, instrument, config, stereotypes),
    )


def write(exports: Sequence[Path], instrument_file: Path, out: Path, config: SurveyConfig) -> Aggregates:
    """Read exports and write ``out`` (stereotypes) with respondents.csv and summary.json beside it.

    Raises
    ------
    InputError
        with every problem of the instrument, else of every export; then nothing is written.
    """
    taken = (RESPONDENTS_FILE, SUMMARY_FILE)
    if out.name in taken:
        raise InputError([Problem(str(out), quoted(out.name), f"another name than {listed(taken)}", field="--out")])
    for path in exports:
        if path.resolve() in (out.resolve(), *(out.with_name(name).resolve() for name in taken)):
            raise InputError([Problem(str(out), "the name of an export", "another file", "Nothing was written.")])
    instrument = load(instrument_file)
    found = aggregate(read_exports(exports, instrument), instrument, config)
    # The table that other stages wait for comes last: where it stands, the others stand too.
    write_json(out.with_name(SUMMARY_FILE), found.summary)
    for path, columns, rows in (
        (out.with_name(RESPONDENTS_FILE), RESPONDENT_COLUMNS, found.respondents),
        (out, STEREOTYPE_COLUMNS, found.stereotypes),
    ):
        write_csv(path, columns, ([row[column] for column in columns] for row in rows))
    return found


def _matrix(responses: Responses, round_id: str, aspect: str, questions: Sequence[str]) -> npt.NDArray[np.object_]:
    """Answers of a round, respondents x questions, None where nothing was answered."""
    table = responses.table
    mine = table[(table["round"] == round_id) & (table["aspect"] == aspect) & (table["state"] == ANSWERED)]
    people = np.unique(table.loc[table["round"] == round_id, "respondent"].to_numpy())
    found = np.full((len(people), len(questions)), None, dtype=object)
    places = pd.Series(range(len(questions)), index=list(questions))
    rows = np.searchsorted(people, mine["respondent"].to_numpy())
    found[rows, places[mine["question"].astype(str)].to_numpy()] = mine["answer"].to_numpy(dtype=object)
    return found


def stereotype_rows(responses: Responses, instrument: Instrument, config: SurveyConfig) -> list[dict[str, str]]:
    """The rows of stereotypes.csv, sorted by id; cells as text, blank where there is nothing to say."""
    # A round without an export asked nobody: its stereotypes are left out rather than shown with zeros.
    present = responses.respondents.keys()
    rounds_of = {s: [r for r in found if r in present] for s, found in instrument.asked_in().items()}
    asked = {stereotype: found for stereotype, found in rounds_of.items() if found}
    ids = list(asked)
    place = {stereotype: i for i, stereotype in enumerate(ids)}
    with_votes = {
        stereotype
        for round_id in present
        for item in instrument.rounds[round_id].items
        if item.relevance is not None
        for stereotype in item.stereotypes
    }
    counts = np.zeros((len(ANSWERS), len(ids)), np.int64)
    ratings: list[list[int]] = [[] for _ in ids]
    rounds: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    for round_id in instrument.rounds:
        if round_id not in present:
            continue
        items = instrument.rounds[round_id].items
        keys = [item.key for item in items]
        answers = _matrix(responses, round_id, "relevance", keys)
        scores = _matrix(responses, round_id, "harmfulness", keys)
        said = np.zeros((len(ANSWERS), len(answers), len(ids)), np.int64)
        for column, item in enumerate(items):
            rated = [int(score) for score in scores[:, column] if score is not None]
            for stereotype in item.stereotypes:
                for i, answer in enumerate(ANSWERS):
                    said[i, :, place[stereotype]] = answers[:, column] == answer
                ratings[place[stereotype]] += rated
        counts += said.sum(axis=1)
        rounds.append(votes(said, config.unsure))
    n_yes, n_votes = votes(counts, config.unsure)
    found_tiers = tiers(n_yes, n_votes, config.thresholds)
    probabilities = tier_probabilities(rounds, config.thresholds, config.resamples, config.seed)
    rows: dict[str, dict[str, str]] = {}
    for i, stereotype in enumerate(ids):
        row = dict.fromkeys(STEREOTYPE_COLUMNS, "")
        row["stereotype_id"] = stereotype
        row["rounds"] = ";".join(asked[stereotype])
        if stereotype in with_votes:
            row |= {f"n_{answer}": str(number) for answer, number in zip(ANSWERS, counts[:, i], strict=True)}
            row["n_votes"] = str(n_votes[i])
            if found_tiers[i] != NO_VOTES:
                row |= _tier_cells(int(n_yes[i]), int(n_votes[i]), int(found_tiers[i]), probabilities[i])
        row |= _harmfulness_cells(ratings[i])
        rows[stereotype] = row
    for stereotype, shared in instrument.votes_of.items():
        if shared.of not in rows:
            continue
        rows[stereotype] = rows[shared.of] | {"stereotype_id": stereotype, "votes_of": shared.of}
    return [rows[stereotype] for stereotype in sorted(rows)]


def _tier_cells(n_yes: int, n_votes: int, tier: int, probabilities: npt.NDArray[np.float64]) -> dict[str, str]:
    low, high = wilson(n_yes, n_votes)
    names = ("tier_1_probability", "tier_2_probability", "tier_3_probability", "not_relevant_probability")
    return {
        "yes_percentage": f"{rounded(100 * n_yes, n_votes):.2f}",
        "tier": str(tier),
        "yes_percentage_low": f"{low:.2f}",
        "yes_percentage_high": f"{high:.2f}",
    } | {name: "" if math.isnan(value) else f"{value:.4f}" for name, value in zip(names, probabilities, strict=True)}


def _harmfulness_cells(ratings: Sequence[int]) -> dict[str, str]:
    """Number, mean and sample standard deviation (n - 1) of the ratings."""
    n, total = len(ratings), sum(ratings)
    cells = {"harmfulness_count": str(n)}
    if n > 0:
        cells["harmfulness_mean"] = f"{rounded(total, n):.2f}"
    if n > 1:
        # Whole numbers up to the last step: no cancellation, the same digits everywhere.
        squares = n * sum(rating * rating for rating in ratings) - total * total
        cells["harmfulness_sd"] = f"{math.sqrt(squares / (n * (n - 1))):.2f}"
    return cells


def respondent_rows(responses: Responses, instrument: Instrument, threshold: int) -> list[dict[str, str]]:
    """The rows of respondents.csv: people per answer of the identity questions, small cells hidden.

    A person with several identities counts under each, so the counts of a question need not add up.
    """
    table = responses.table
    mine = table[(table["aspect"] == "identity") & (table["state"] == ANSWERED)]
    counts = mine.groupby([mine["question"].astype(str), mine["answer"]])["respondent"].nunique().to_dict()
    answers: dict[str, list[str]] = {}
    for round_id, one in instrument.rounds.items():
        if round_id in responses.respondents:
            for question in one.identities:
                known = answers.setdefault(question.id, [])
                known += [answer for answer in dict.fromkeys(question.answers.values()) if answer not in known]
    rows = []
    for question_id, listed_answers in answers.items():
        numbers = [int(counts.get((question_id, answer), 0)) for answer in listed_answers]
        hidden = disclosure.suppressed(numbers, threshold)
        for answer, number, hide in zip(listed_answers, numbers, hidden, strict=True):
            rows.append(
                {
                    "question": question_id,
                    "answer": answer,
                    "n_respondents": "" if hide else str(number),
                    "suppressed": "true" if hide else "false",
                }
            )
    return rows


def _summary(
    responses: Responses,
    instrument: Instrument,
    config: SurveyConfig,
    stereotypes: Sequence[Mapping[str, str]],
) -> dict[str, Any]:
    table = responses.table
    rounds: dict[str, Any] = {}
    for round_id in instrument.rounds:
        if round_id not in responses.respondents:
            continue
        form = instrument.formats[instrument.rounds[round_id].format]
        reasons = {rule: drop.reason for column in form.rows.values() for rule, drop in column.drop.items()}
        mine = table[table["round"] == round_id]
        cells = mine.groupby(["aspect", "state"], observed=False).size()
        relevance = mine[(mine["aspect"] == "relevance") & (mine["state"] == ANSWERED)]["answer"].value_counts()
        rounds[round_id] = {
            "exports": responses.exports[round_id],
            "rows_read": responses.rows_read[round_id],
            "rows_dropped": {
                rule: {"rows": number, "reason": reasons[rule]} for rule, number in responses.dropped[round_id].items()
            },
            "respondents": responses.respondents[round_id],
            "relevance_answers": {
                **{answer: int(relevance.get(answer, 0)) for answer in ANSWERS},
                **{state: int(cells["relevance", state]) for state in (SKIPPED, NOT_SHOWN)},
            },
            "harmfulness_answers": {
                "rated": int(cells["harmfulness", ANSWERED]),
                **{state: int(cells["harmfulness", state]) for state in (SKIPPED, NOT_SHOWN)},
            },
            "free_text_answers": int(cells["free_text", ANSWERED]),
        }
    found = [row["tier"] for row in stereotypes]
    return {
        "rounds": rounds,
        "respondents": responses.n_respondents,
        "votes": sum(one["relevance_answers"][answer] for one in rounds.values() for answer in ANSWERS),
        "ratings": sum(one["harmfulness_answers"]["rated"] for one in rounds.values()),
        "stereotypes": {
            "asked": sum(not row["votes_of"] for row in stereotypes),
            "sharing_votes_by_declaration": sum(bool(row["votes_of"]) for row in stereotypes),
            **{"not_relevant" if tier < 0 else f"tier_{tier}": found.count(str(tier)) for tier in TIERS},
            "without_tier": found.count(""),
        },
        "settings": config.model_dump(),
    }


def read_judgements(path: Path) -> dict[str, Judgement]:
    """What the survey says of each stereotype, read back from stereotypes.csv for the stage "pairs".

    Raises
    ------
    InputError
        for a file that is no such table.
    """
    problems = Problems()
    found = records(path, problems, "Build it again: winoqueer-nl survey aggregate.")
    judgements: dict[str, Judgement] = {}
    header = found[0][1] if found else []
    wanted = ("stereotype_id", "tier", "harmfulness_mean")
    missing = [column for column in wanted if column not in header]
    if found and missing:
        problems.add(
            path,
            f"no column {listed(map(quoted, missing))}",
            "the survey aggregates",
            "Build the file again.",
            row=1,
        )
    problems.stop()
    for number, cells in (found or [])[1:]:
        row = dict(zip(header, cells, strict=False))
        identifier, tier, mean = (row.get(column, "") for column in wanted)
        if identifier in judgements or not identifier:
            problems.add(path, quoted(identifier), "each stereotype once", row=number, field="stereotype_id")
        if tier not in ("", *map(str, TIERS)):
            problems.add(path, quoted(tier), f"one of {listed(map(str, TIERS))}, or nothing", row=number, field="tier")
            continue
        try:
            harmfulness = float(mean) if mean else None
            if harmfulness is not None and not math.isfinite(harmfulness):
                raise ValueError
        except ValueError:
            problems.add(path, quoted(mean), "a number or nothing", row=number, field="harmfulness_mean")
            continue
        judgements[identifier] = Judgement(int(tier) if tier else None, harmfulness)
    problems.stop()
    return judgements


def message(found: Aggregates, out: Path) -> str:
    """A few lines for the person who ran the command: counts only."""
    lines = []
    for round_id, one in found.summary["rounds"].items():
        dropped = ", ".join(f"{rule} {entry['rows']}" for rule, entry in one["rows_dropped"].items())
        lines.append(
            f"Round {round_id}: {one['rows_read']} rows read, dropped: {dropped or 'none'}; "
            f"{one['respondents']} respondents."
        )
    counts = found.summary["stereotypes"]
    lines.append(
        f"{counts['asked']} stereotypes asked about and {counts['sharing_votes_by_declaration']} that share votes: "
        f"tier 1: {counts['tier_1']}, tier 2: {counts['tier_2']}, tier 3: {counts['tier_3']}, "
        f"not relevant: {counts['not_relevant']}, without tier: {counts['without_tier']}."
    )
    lines.append(f"Written: {out}, with {RESPONDENTS_FILE} and {SUMMARY_FILE} beside it.")
    return "\n".join(lines)
