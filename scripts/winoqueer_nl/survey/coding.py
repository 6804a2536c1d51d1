"""Free text to stereotypes, the second half: two coders' sheets, their agreement, and what follows from it."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from winoqueer_nl.files import write_json
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted, suggestion
from winoqueer_nl.schema import Stereotype
from winoqueer_nl.survey.containers import rows_of
from winoqueer_nl.survey.formats import Format, normalised
from winoqueer_nl.survey.freetext import CODED, CODES, COLUMNS, SHEET, harmless

#: What each code needs, and what it must not have.
NEEDS = {
    "existing": ("stereotype_id",),
    "new": ("wording", "identities", "gloss", "gloss_singular"),
    "not_expressible": ("wording", "reason"),
    "not_a_stereotype": (),
}
_RESAMPLES = 1000


@dataclass(frozen=True)
class Coded:
    """One text as one coder has coded it."""

    row: int
    group: str
    text: str
    code: str
    values: Mapping[str, str]

    def decision(self) -> tuple[str, ...]:
        """What two coders must have in common to agree: the code, and what it stands for."""
        if self.code == "existing":
            return (self.code, self.values["stereotype_id"])
        if self.code == "new":
            return (self.code, self.values["wording"].casefold(), *self.identities())
        return (self.code,)

    def identities(self) -> list[str]:
        """Of whom it is said, sorted."""
        return sorted(part.strip() for part in self.values["identities"].split(";") if part.strip())


def read_sheet(path: Path, stereotypes: Sequence[Stereotype], problems: Problems) -> dict[str, Coded]:
    """A coder's sheet by text id; notes every cell that is not as the code needs it."""
    rows = _rows(path, problems)
    if rows is None:
        return {}
    known = {row.stereotype_id for row in stereotypes}
    identities = {identity for row in stereotypes for identity in row.identities}
    found: dict[str, Coded] = {}
    for number, cells in rows:
        # Texts are never shown in a message: they are what somebody wrote.
        values = {name: normalised(cell) for name, cell in zip(COLUMNS, cells, strict=True)}
        identifier = values["text_id"]
        if not identifier or identifier in found:
            problems.add(path, quoted(identifier), "each text once", row=number, field="text_id")
            continue
        code = values["code"]
        if code not in CODES:
            what = quoted(code) if code else "an empty cell"
            problems.add(path, what, f"one of {listed(CODES)}", suggestion(code, CODES), row=number, field="code")
            continue
        for name in CODED[1:]:
            needed = name in NEEDS[code]
            if needed and not values[name]:
                problems.add(path, "an empty cell", f"{name}, which {code} needs", row=number, field=name)
        if code == "existing" and values["stereotype_id"] and values["stereotype_id"] not in known:
            wrong, near = values["stereotype_id"], suggestion(values["stereotype_id"], known)
            problems.add(
                path,
                quoted(wrong),
                "an existing stereotype",
                near,
                row=number,
                field="stereotype_id",
            )
        # Some spreadsheet programs keep the sign that keeps a text from being a formula, others take it away.
        coded = Coded(number, values["group"], values["text"].removeprefix("'"), code, values)
        for identity in coded.identities() if code == "new" else []:
            if identity not in identities:
                near = suggestion(identity, identities)
                problems.add(path, quoted(identity), "an identity of the tables", near, row=number, field="identities")
        found[identifier] = coded
    return found


def _rows(path: Path, problems: Problems) -> list[tuple[int, list[str]]] | None:
    """The rows of a sheet. A CSV may have been saved with ; by a spreadsheet program: its header row shows it."""
    attempts = []
    if path.suffix == ".xlsx":
        attempts.append({"reader": "generic_xlsx", "sheet": SHEET, "personal": []})
    else:
        attempts += [{"reader": "generic_csv", "delimiter": sign, "personal": []} for sign in (",", ";")]
    worth_telling: Problems | None = None
    for given in attempts:
        noted = Problems()
        rows = list(rows_of(path, Format.model_validate(given), noted))
        if noted.found:
            worth_telling = worth_telling or noted
            continue
        header = [normalised(cell) for cell in rows[0][1]] if rows else []
        if header != COLUMNS:
            noted.add(path, "other columns", f"the columns {listed(COLUMNS, 20)}", "Keep them as they were.", row=1)
            worth_telling = noted
            continue
        filled = [(number, cells) for number, cells in rows[1:] if any(cell.strip() for cell in cells)]
        for number, cells in filled:
            if len(cells) != len(COLUMNS):
                noted.add(path, f"{len(cells)} cells", f"{len(COLUMNS)}", row=number)
        if not noted.found:
            return filled
        worth_telling = noted
    assert worth_telling is not None
    problems.extend(worth_telling)
    return None


@dataclass(frozen=True)
class Outcome:
    """What two coders (and whoever settled where they differ) make of the texts."""

    agreement: dict[str, Any]
    to_settle: list[list[str]]
    decided: dict[str, Coded]


def compare(
    first_file: Path, second_file: Path, settled_file: Path | None, stereotypes: Sequence[Stereotype], seed: int
) -> Outcome:
    """Hold two coders' sheets against each other.

    Raises
    ------
    InputError
        with every problem of every sheet; also where the two are not about the same texts.
    """
    problems = Problems()
    first = read_sheet(first_file, stereotypes, problems)
    second = read_sheet(second_file, stereotypes, problems)
    settled = read_sheet(settled_file, stereotypes, problems) if settled_file is not None else {}
    problems.stop()
    for identifier in [*first, *(i for i in second if i not in first)]:
        here, there = first.get(identifier), second.get(identifier)
        if here is None or there is None:
            path = first_file if here is None else second_file
            problems.add(path, f"no row {identifier}", "the same texts in both sheets", field="text_id")
        elif (here.group, here.text) != (there.group, there.text):
            problems.add(
                second_file, "another text or group than in the other sheet", "the same", row=there.row, field="text"
            )
    for identifier, row in settled.items():
        if identifier not in first and settled_file is not None:
            problems.add(settled_file, quoted(identifier), "a text of the two sheets", row=row.row, field="text_id")
    problems.stop()
    decided = {}
    to_settle = []
    for identifier, here in first.items():
        there = second[identifier]
        if identifier in settled:
            decided[identifier] = settled[identifier]
        elif here.decision() == there.decision():
            decided[identifier] = here
        else:
            to_settle.append(_row_to_settle(here, there))
    return Outcome(_agreement(first, second, len(to_settle), seed), to_settle, decided)


def _row_to_settle(here: Coded, there: Coded) -> list[str]:
    """A row of the sheet with what the coders agree on filled in, and both where they do not."""
    cells = [here.values[name] for name in COLUMNS]
    for i, name in enumerate(COLUMNS):
        one, other = here.values[name], there.values[name]
        if name in CODED and one != other:
            cells[i] = f"{one} | {other}"
    return cells


def _agreement(first: Mapping[str, Coded], second: Mapping[str, Coded], n_to_settle: int, seed: int) -> dict[str, Any]:
    ids = list(first)
    codes = [[first[i].code for i in ids], [second[i].code for i in ids]]
    decisions = [[first[i].decision() for i in ids], [second[i].decision() for i in ids]]
    by_group: dict[str, list[int]] = {}
    for place, identifier in enumerate(ids):
        by_group.setdefault(first[identifier].group, []).append(place)
    crossed = Counter(zip(*codes, strict=True))
    return {
        "texts": len(ids),
        "groups_of_alike_texts": len(by_group),
        "code": _measures(codes, list(by_group.values()), seed),
        "decision": _measures(decisions, list(by_group.values()), seed),
        "codes": {code: {"first": codes[0].count(code), "second": codes[1].count(code)} for code in CODES},
        "first_by_second": {one: {other: crossed[one, other] for other in CODES} for one in CODES},
        "to_settle": n_to_settle,
    }


def _measures(values: Sequence[Sequence[Any]], groups: Sequence[Sequence[int]], seed: int) -> dict[str, Any]:
    """Share of equal values, Krippendorff's alpha (nominal) with its 95 % interval, Cohen's kappa.

    The interval is a percentile bootstrap over groups of alike texts, for those are not independent of each other.
    """
    number = {value: i for i, value in enumerate(dict.fromkeys([*values[0], *values[1]]))}
    data = np.array([[number[value] for value in row] for row in values], np.int64)
    generator = np.random.default_rng(seed)
    drawn = []
    for _ in range(_RESAMPLES):
        chosen = generator.integers(0, len(groups), len(groups))
        alpha = _alpha(data[:, [place for g in chosen for place in groups[g]]])
        if alpha is not None:
            drawn.append(alpha)
    interval = [round(float(q), 4) for q in np.percentile(drawn, [2.5, 97.5])] if drawn else None
    alpha = _alpha(data)
    return {
        "equal_percent": round(100 * float((data[0] == data[1]).mean()), 2),
        "krippendorff_alpha": None if alpha is None else round(alpha, 4),
        "krippendorff_alpha_95": interval,
        "cohen_kappa": _kappa(data),
    }


def _alpha(data: Any) -> float | None:
    """Krippendorff's alpha; None where only one value was ever used, which leaves nothing to agree about."""
    import krippendorff

    if len(np.unique(data)) < 2:
        return None
    found = float(krippendorff.alpha(reliability_data=data.astype(np.float64), level_of_measurement="nominal"))
    return None if math.isnan(found) else found


def _kappa(data: Any) -> float | None:
    """Cohen's kappa; None where chance alone would make the coders agree always."""
    n = data.shape[1]
    values = range(int(data.max()) + 1)
    observed = float((data[0] == data[1]).mean())
    expected = sum(float((data[0] == v).sum()) * float((data[1] == v).sum()) for v in values) / n**2
    return None if expected == 1 else round((observed - expected) / (1 - expected), 4)


@dataclass(frozen=True)
class HandOver:
    """What leaves the survey: rows for the tables, and what the templates cannot express."""

    stereotypes: list[dict[str, str]]
    forms: list[dict[str, str]]
    not_expressible: list[dict[str, str]]
    mentions: dict[str, int]

    def commands(self, lang: str) -> list[str]:
        """A command for each new stereotype, ready to be run."""
        texts = {row["stereotype_id"]: row for row in self.forms}
        found = []
        for row in self.stereotypes:
            form = texts[row["stereotype_id"]]
            options = {
                "--id": row["stereotype_id"],
                "--type": row["type"],
                "--origin": row["origin"],
                "--gloss": row["gloss"],
                "--gloss-singular": row["gloss_singular"],
                "--identities": row["identities"],
                "--lang": lang,
                "--form": f"{form['form']}={form['text']}",
            }
            words = ["winoqueer-nl", "add", "stereotype", *(part for pair in options.items() for part in pair)]
            found.append(shlex.join(words))
        return found


def hand_over(
    outcome: Outcome, stereotypes: Sequence[Stereotype], origin: str, prefix: str | None, form: str
) -> HandOver:
    """The new stereotypes that were agreed on, one row for texts with the same wording; ids follow the origin's own.

    Raises
    ------
    InputError
        where texts of one wording differ in their gloss, and where the origin has no ids to go on from.
    """
    problems = Problems()
    new: dict[str, list[Coded]] = {}
    apart: dict[str, list[Coded]] = {}
    for coded in outcome.decided.values():
        if coded.code in ("new", "not_expressible"):
            places = new if coded.code == "new" else apart
            places.setdefault(coded.values["wording"].casefold(), []).append(coded)
    numbered = _next_ids(stereotypes, origin, prefix, len(new))
    rows, forms, mentions = [], [], {}
    for identifier, (_, texts) in zip(numbered, sorted(new.items()), strict=True):
        values = texts[0].values
        for name in ("gloss", "gloss_singular"):
            wordings = list(dict.fromkeys(coded.values[name] for coded in texts))
            if len(wordings) > 1:
                problems.add(
                    "coding sheets",
                    f"{listed(map(quoted, wordings))} for {quoted(values['wording'])}",
                    "one wording of it in English",
                    "Make them the same in a sheet with --settled.",
                    field=name,
                )
        identities = list(dict.fromkeys(identity for coded in texts for identity in coded.identities()))
        base = {"since": "", "until": "", "kind": "", "reason": ""}
        rows.append(
            {
                "stereotype_id": identifier,
                "type": "predicate",
                "origin": origin,
                "gloss": values["gloss"],
                "gloss_singular": values["gloss_singular"],
                "identities": ";".join(identities),
                **base,
            }
        )
        forms.append(
            {"stereotype_id": identifier, "form": form, "text": values["wording"], "identity": "", "copy_number": ""}
            | base
        )
        mentions[identifier] = len(texts)
    problems.stop()
    kept = [
        {
            "wording": texts[0].values["wording"],
            "reason": "; ".join(dict.fromkeys(coded.values["reason"] for coded in texts)),
        }
        for _, texts in sorted(apart.items())
    ]
    return HandOver(rows, forms, kept, mentions)


def _next_ids(stereotypes: Sequence[Stereotype], origin: str, prefix: str | None, n: int) -> list[str]:
    """Ids for ``n`` new stereotypes of an origin: letters and a number, going on from those that there are."""
    matches = [re.fullmatch(r"([a-z-]*[a-z])(\d+)", row.stereotype_id) for row in stereotypes if row.origin == origin]
    prefixes = {match[1] for match in matches if match}
    if prefix is None and len(prefixes) != 1:
        raise InputError(
            [
                Problem(
                    "--id-prefix",
                    "nothing",
                    f"letters that ids of {quoted(origin)} begin with",
                    "No stereotype of this origin shows them; write --id-prefix sv, say.",
                )
            ]
        )
    letters = prefix if prefix is not None else prefixes.pop()
    taken = [re.fullmatch(re.escape(letters) + r"(\d+)", row.stereotype_id) for row in stereotypes]
    numbers = [match[1] for match in taken if match]
    first = max(map(int, numbers), default=0) + 1
    width = max(map(len, numbers), default=3)
    return [f"{letters}{first + i:0{width}d}" for i in range(n)]


def settle_rows(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows to settle, safe to open in a spreadsheet program."""
    return [[harmless(cell) for cell in row] for row in rows]


def write_agreement(path: Path, agreement: Mapping[str, Any]) -> None:
    """Write the agreement: counts of texts and measures only, nothing that anybody wrote."""
    write_json(path, dict(agreement))


def message(outcome: Outcome, handed: HandOver, out: Path) -> str:
    """A few lines for the person who ran the command: counts and measures only."""
    found = outcome.agreement
    lines = [f"{found['texts']} texts in {found['groups_of_alike_texts']} groups, two coders."]
    for name in ("code", "decision"):
        one = found[name]
        interval = one["krippendorff_alpha_95"]
        alpha = "not defined" if one["krippendorff_alpha"] is None else f"{one['krippendorff_alpha']:.2f}"
        if interval is not None:
            alpha += f" (95 %: {interval[0]:.2f} to {interval[1]:.2f})"
        lines.append(f"Same {name}: {one['equal_percent']:.1f} %; Krippendorff's alpha {alpha}.")
    lines.append(f"{found['to_settle']} texts are coded differently and not settled: {out / 'to_settle.csv'}.")
    lines.append(f"{len(handed.not_expressible)} wordings that the templates cannot express, with reasons: kept.")
    lines.append(f"{len(handed.stereotypes)} new stereotypes: {out / 'new_stereotypes.csv'}, new_forms.csv.")
    if handed.stereotypes:
        lines.append("Give them to native speakers, then add them:")
    return "\n".join(lines)
