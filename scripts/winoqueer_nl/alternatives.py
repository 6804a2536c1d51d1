"""Does the surface form of an identity term matter? Pairs with declared alternatives of the terms in place.

templates/<lang>/alternatives.csv declares sets of alternatives: other ways to write the same identity in the same
form (a noun for an adjective and a noun, say). A pair takes part in a set where its terms change and both have the
same syntax afterwards, so that nothing but the wording of the identity differs from the original pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, Field

from winoqueer_nl.edition import Edition
from winoqueer_nl.pairs import SCHEMA, Judgement, generate
from winoqueer_nl.pairs import read as read_pairs
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted, suggestion
from winoqueer_nl.schema import Identifier, IdentityForm
from winoqueer_nl.tables import read_table, shown

ALTERNATIVES = "templates/{lang}/alternatives.csv"
_UNKNOWN_TIER = -99


class Alternative(BaseModel):
    """Another way to write an identity in one form."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    row: int = Field(default=0, exclude=True)
    file: str = Field(default="", exclude=True)
    set: Identifier
    identity: Identifier
    form: str
    text: str
    sentence_initial: str | None = None
    syntax: Identifier
    reason: str | None = None


def read(root: Path, edition: Edition, name: str) -> list[Alternative]:
    """The alternatives of one set.

    Raises
    ------
    InputError
        for an unknown set, and for rows whose identity and form the edition does not have.
    """
    problems = Problems()
    path = root / ALTERNATIVES.format(lang=edition.lang)
    rows = read_table(path, Alternative, problems)
    problems.stop()
    sets = list(dict.fromkeys(row.set for row in rows))
    if name not in sets:
        raise InputError([Problem("--set", quoted(name), f"a set of {path}: {listed(sets)}", suggestion(name, sets))])
    known = {(row.identity, row.form) for row in edition.identity_forms}
    chosen = [row for row in rows if row.set == name]
    for row in chosen:
        if (row.identity, row.form) not in known:
            problems.add(
                path,
                f"{quoted(row.form)} of {quoted(row.identity)}",
                f"an identity and a form that edition {edition.edition} has in identity_forms.csv",
                "Correct the row or remove it.",
                row=row.row,
                field="form",
            )
    problems.stop()
    return chosen


def swapped(edition: Edition, pairs: pa.Table, alternatives: list[Alternative]) -> pa.Table:
    """The pairs that change, with the alternatives in place; ids, labels and all other columns stay.

    Parameters
    ----------
    edition: its tables.
    pairs: pairs of this edition, all columns of pairs.parquet.
    alternatives: one set; see :func:`read`.

    Returns
    -------
    Table of the schema of pairs.parquet, rows in the order of ``pairs``; every row differs from its original.
    """
    other = {(row.identity, row.form): row for row in alternatives}
    forms = []
    for row in edition.identity_forms:
        alternative = other.get((row.identity, row.form))
        if alternative is not None:
            changed = alternative.model_dump(include={"text", "sentence_initial", "syntax"})
            row = row.model_copy(update=changed)
        forms.append(row)
    remade = edition.model_copy(update={"identity_forms": forms})
    syntax = _syntax(forms)
    # Stereotypes that the survey left out are not among the pairs: leave them out again.
    there = set(pairs["stereotype_id"].to_pylist())
    left_out = {row.stereotype_id: Judgement(_UNKNOWN_TIER) for row in edition.stereotypes} | {
        stereotype: Judgement() for stereotype in there
    }
    made: dict[str, dict[str, Any]] = {}
    for batch in generate(remade, left_out, [_UNKNOWN_TIER]):
        made.update((row["pair_id"], row) for row in batch.to_pylist())
    changed_rows = []
    for row in pairs.to_pylist():
        new = made.get(row["pair_id"])
        if new is None or (new["sent_x"], new["sent_y"]) == (row["sent_x"], row["sent_y"]):
            continue
        x, y = (
            syntax.get((new[who], _term(new, side))) for who, side in (("identity", "x"), ("counter_identity", "y"))
        )
        if x is not None and x == y:
            changed_rows.append(new | {"tier": row["tier"], "harmfulness_mean": row["harmfulness_mean"]})
    return pa.Table.from_pylist(changed_rows, schema=SCHEMA)


def _syntax(forms: list[IdentityForm]) -> dict[tuple[object, str], str | None]:
    return {
        (row.identity, shown(text)): row.syntax
        for row in forms
        for text in (row.text, row.sentence_initial)
        if text is not None
    }


def _term(row: Mapping[str, Any], side: str) -> str:
    return str(row[f"sent_{side}"][row[f"span_start_{side}"] : row[f"span_end_{side}"]])


def write(root: Path, edition: Edition, pairs_file: Path, name: str, out: Path) -> int:
    """Write the swapped pairs of a set; return how many there are. Raises InputError where none changes."""
    from winoqueer_nl.files import atomic

    pairs = read_pairs(pairs_file)
    table = swapped(edition, pairs, read(root, edition, name))
    if table.num_rows == 0:
        raise InputError(
            [
                Problem(
                    ALTERNATIVES.format(lang=edition.lang),
                    f"no pair that the set {quoted(name)} changes",
                    "terms that differ from the edition's, both of a pair with the same syntax",
                )
            ]
        )
    with atomic(out) as temporary:
        pq.write_table(table, temporary, compression="zstd")
    return table.num_rows


def sensitivity(pairs: pd.DataFrame, before: pd.DataFrame, after: pd.DataFrame, policy: str) -> pd.DataFrame:
    """How much the scores of the same pairs change with their wording, per identity and over all.

    Parameters
    ----------
    pairs: (n,) columns pair_id, identity; the pairs that were scored twice.
    before, after: scores (natural-log likelihoods), columns pair_id, score_x_<policy>, score_y_<policy>.
    policy: ``published`` or ``slot``.

    Returns
    -------
    One row per identity, the row ``all`` last: n_pairs; bias_before, bias_after (percent of pairs whose stereotypical
    sentence scores higher; a tie counts as not stereotypical); difference (points); flipped (percent of pairs that
    change sides); margin_change (mean absolute change of the score difference, natural log); margin_correlation
    (Pearson's r of the score differences; missing where it is not defined).
    """
    merged = pairs[["pair_id", "identity"]]
    for suffix, scores in (("before", before), ("after", after)):
        margin = scores[f"score_x_{policy}"].to_numpy() - scores[f"score_y_{policy}"].to_numpy()
        one = pd.DataFrame({"pair_id": scores["pair_id"], suffix: margin})
        merged = merged.merge(one, on="pair_id", how="inner", validate="one_to_one")
    rows = [_row(str(identity), own) for identity, own in merged.groupby("identity", sort=True)]
    rows.append(_row("all", merged))
    return pd.DataFrame(rows)


def _row(identity: str, own: pd.DataFrame) -> dict[str, object]:
    before, after = own["before"].to_numpy(dtype=float), own["after"].to_numpy(dtype=float)
    if len(own) == 0:
        numbers = dict.fromkeys(("bias_before", "bias_after", "difference", "flipped", "margin_change"), np.nan)
        return {"identity": identity, "n_pairs": 0, **numbers, "margin_correlation": np.nan}
    first, second = 100 * float(np.mean(before > 0)), 100 * float(np.mean(after > 0))
    defined = len(own) > 1 and before.std() > 0 and after.std() > 0
    return {
        "identity": identity,
        "n_pairs": len(own),
        "bias_before": first,
        "bias_after": second,
        "difference": second - first,
        "flipped": 100 * float(np.mean((before > 0) != (after > 0))),
        "margin_change": float(np.mean(np.abs(after - before))),
        "margin_correlation": float(np.corrcoef(before, after)[0, 1]) if defined else np.nan,
    }
