"""What changed between two releases: stereotypes, sentences, names, identities, tiers, scores; and what explains it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import pandas as pd

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.release import corrections as correction_table
from winoqueer_nl.release.corrections import Correction
from winoqueer_nl.release.layout import CORRECTIONS, PAIRS, SCORES, STEREOTYPES, SURVEY, Release
from winoqueer_nl.release.wording import carrier, kind_of_change, words

#: Scores closer than this (natural log) are equal: another machine rounds the last digits otherwise.
SCORE_TOLERANCE = 1e-4


class Level(IntEnum):
    """The part of the version number that a change asks for."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True)
class Change:
    """One difference between two releases.

    what: stereotype, sentence pair, name, identity, template, tier, harmfulness, survey count, score, column.
    action: added, removed or changed. ids: what it is about. level: the least honest bump.
    why: the rule behind the level, in words. corrections: what explains it.
    """

    what: str
    action: str
    id: str
    before: str
    after: str
    level: Level
    why: str
    corrections: tuple[Correction, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The change for a file that programs read."""
        return asdict(self) | {"level": self.level.name, "corrections": [c.label for c in self.corrections]}


@dataclass(frozen=True)
class Group:
    """Changes of one kind, for people: how many, the first of them, and what explains how many of them.

    explained: reasons of corrections with the number of changes that each explains, the most frequent first.
    unexplained: changes that no correction explains.
    """

    what: str
    action: str
    level: Level
    why: str
    n: int
    example: Change
    explained: tuple[tuple[str, int], ...]
    unexplained: int


def compare(old: Release, new: Release) -> list[Change]:
    """Every change from ``old`` to ``new``; raises InputError when they are releases of two languages."""
    if old.language != new.language:
        raise InputError(
            [
                Problem(
                    new.name,
                    f"a release of the language {new.language}",
                    f"one of {old.language}, as {old.name} is",
                    "Compare two versions of one language.",
                )
            ]
        )
    explained = _corrections_between(old, new)
    changes = list(_columns(old, new))
    a, b = old.table(PAIRS).to_pandas(), new.table(PAIRS).to_pandas()
    changes += _stereotypes(old.table(STEREOTYPES).to_pandas(), new.table(STEREOTYPES).to_pandas(), explained)
    changes += _members(a, b, explained)
    changes += _pairs(a, b, explained)
    changes += _survey(old, new)
    changed = {c.id for c in changes if c.what == "sentence pair" and c.action == "changed"}
    changes += _scores(old, new, changed)
    return changes


def _corrections_between(old: Release, new: Release) -> list[Correction]:
    known = {tuple(asdict(c).values()) for c in correction_table.read(old.folder / CORRECTIONS)}
    return [c for c in correction_table.read(new.folder / CORRECTIONS) if tuple(asdict(c).values()) not in known]


def _columns(old: Release, new: Release) -> Iterator[Change]:
    for subset in dict.fromkeys([*old.subsets, *new.subsets]):
        if subset not in new.subsets:
            yield Change("subset", "removed", subset, subset, "", Level.MAJOR, "a removed subset")
        elif subset not in old.subsets:
            yield Change("subset", "added", subset, "", subset, Level.MINOR, "an added subset")
        else:
            a, b = ({f.name: str(f.type) for f in r.table(subset).schema} for r in (old, new))
            for name in dict.fromkeys([*a, *b]):
                if name not in b:
                    yield Change("column", "removed", f"{subset}.{name}", a[name], "", Level.MAJOR, "a removed column")
                elif name not in a:
                    yield Change("column", "added", f"{subset}.{name}", "", b[name], Level.MINOR, "an added column")
                elif a[name] != b[name]:
                    yield Change(
                        "column",
                        "changed",
                        f"{subset}.{name}",
                        a[name],
                        b[name],
                        Level.MAJOR,
                        "another type of a column",
                    )


def _text(value: Any) -> str:
    return "" if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)


def _stereotypes(old: pd.DataFrame, new: pd.DataFrame, explained: list[Correction]) -> Iterator[Change]:
    a, b = (frame.set_index("stereotype_id") for frame in (old, new))
    for ids, action, level, why in (
        (a.index.difference(b.index, sort=False), "removed", Level.MAJOR, "a removed stereotype"),
        (b.index.difference(a.index, sort=False), "added", Level.MINOR, "an added stereotype"),
    ):
        for identifier in ids:
            gloss = _text((a if action == "removed" else b).loc[identifier, "gloss"])
            told = tuple(c for c in explained if c.table == "stereotypes" and identifier == c.stereotype_ids)
            before, after = (gloss, "") if action == "removed" else ("", gloss)
            yield Change("stereotype", action, identifier, before, after, level, why, told)
    rules = {
        "tier": ("tier", Level.MAJOR, "another tier"),
        "harmfulness_mean": ("harmfulness", Level.MINOR, "other survey figures"),
        "harmfulness_count": ("harmfulness", Level.MINOR, "other survey figures"),
        "type": ("stereotype", Level.MAJOR, "another type of stereotype"),
        "origin": ("stereotype", Level.MAJOR, "another origin, hence other subsets"),
        "gloss": ("stereotype", Level.PATCH, "corrected text"),
    }
    common = a.index.intersection(b.index, sort=False)
    for column, (what, level, why) in rules.items():
        for identifier in common:
            before, after = a.loc[identifier, column], b.loc[identifier, column]
            if (pd.isna(before) and pd.isna(after)) or before == after:
                continue
            told = tuple(c for c in explained if c.table == "stereotypes" and identifier == c.stereotype_ids)
            yield Change(what, "changed", identifier, _text(before), _text(after), level, why, told)


def _members(a: pd.DataFrame, b: pd.DataFrame, explained: list[Correction]) -> Iterator[Change]:
    """Names, identities, counter identities and templates that came or went."""
    for what, column, table, added in (
        ("name", "subject", "names", Level.MINOR),
        ("identity", "identity", "identities", Level.MINOR),
        ("counter identity", "counter_identity", "counter_identities", Level.MAJOR),
        ("template", "template_id", "templates", Level.MAJOR),
    ):
        old, new = (dict.fromkeys(frame[column]) for frame in (a, b))
        for identifier in [i for i in old if i not in new] + [i for i in new if i not in old]:
            gone = identifier in old
            told = tuple(c for c in explained if c.table == table and c.key.split(" / ")[0] == identifier)
            yield Change(
                what,
                "removed" if gone else "added",
                identifier,
                identifier if gone else "",
                "" if gone else identifier,
                Level.MAJOR if gone else added,
                f"{'a removed' if gone else 'an added'} {what}",
                told,
            )


def _pairs(a: pd.DataFrame, b: pd.DataFrame, explained: list[Correction]) -> Iterator[Change]:
    old, new = a.set_index("pair_id"), b.set_index("pair_id")
    touching: dict[tuple[str, ...], list[Correction]] = {}

    def can_touch(row: Any) -> list[Correction]:
        place = (row.stereotype_id, row.template_id, row.identity, row.counter_identity, row.subject)
        if place not in touching:
            touching[place] = [c for c in explained if c.touches(place[0], place[1], place[2:4], place[4])]
        return touching[place]

    for row in old[~old.index.isin(new.index)].itertuples():
        told = tuple(c for c in can_touch(row) if c.brings_or_takes())
        why = "a removed sentence pair"
        yield Change("sentence pair", "removed", str(row.Index), str(row.sent_x), "", Level.MAJOR, why, told)
    for row in new[~new.index.isin(old.index)].itertuples():
        told = tuple(c for c in can_touch(row) if c.brings_or_takes())
        why = "an added sentence pair"
        yield Change("sentence pair", "added", str(row.Index), "", str(row.sent_x), Level.MINOR, why, told)
    ids = old.index.intersection(new.index, sort=False)
    before, after = old.loc[ids], new.loc[ids]
    text = ["sent_x", "sent_y", "predicate", "identity_label", "counter_identity_label", "name_gender"]
    differs = np.zeros(len(ids), dtype=bool)
    for column in text:
        x, y = before[column].fillna(""), after[column].fillna("")
        differs |= x.to_numpy() != y.to_numpy()
    if not differs.any():
        return
    known = _Known(a)
    for row_a, row_b in zip(before[differs].itertuples(), after[differs].itertuples(), strict=True):
        level, why = _text_level(row_a, row_b, known)
        side = "sent_x" if row_a.sent_x != row_b.sent_x else "sent_y"
        shown = [str(getattr(row, side)) for row in (row_a, row_b)]
        if shown[0] == shown[1]:
            column = next(c for c in text if _text(getattr(row_a, c)) != _text(getattr(row_b, c)))
            shown = [f"{column}: {_text(getattr(row, column))}" for row in (row_a, row_b)]
        whole = ["\n".join(_text(getattr(row, c)) for c in text) for row in (row_a, row_b)]
        told = tuple(c for c in can_touch(row_b) if c.rewords(*whole))
        yield Change("sentence pair", "changed", str(row_a.Index), shown[0], shown[1], level, why, told)


class _Known:
    """The wordings of templates and identities in the older release."""

    def __init__(self, pairs: pd.DataFrame) -> None:
        self.carriers: dict[int, set[tuple[str, ...]]] = defaultdict(set)
        self.terms: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for row in pairs.itertuples():
            for side, identity in (("x", row.identity), ("y", row.counter_identity)):
                sentence, start, end = _parts(row, side)
                self.carriers[int(row.template)].add(words(carrier(sentence, start, end, str(row.predicate))))
                self.terms[str(identity)].add(words(sentence[start:end]))


def _parts(row: Any, side: str) -> tuple[str, int, int]:
    return (
        str(getattr(row, f"sent_{side}")),
        int(getattr(row, f"span_start_{side}")),
        int(getattr(row, f"span_end_{side}")),
    )


def _text_level(a: Any, b: Any, known: _Known) -> tuple[Level, str]:
    """The least honest bump for a pair whose text changed, and the rule behind it."""
    found = [(Level.PATCH, "corrected text")]
    if _text(a.name_gender) != _text(b.name_gender):
        found.append((Level.MAJOR, "another gender of a name, hence other identities for it"))
    for side, identity in (("x", a.identity), ("y", a.counter_identity)):
        (old, start_a, end_a), (new, start_b, end_b) = _parts(a, side), _parts(b, side)
        terms = kind_of_change(old[start_a:end_a], new[start_b:end_b], known.terms[str(identity)])
        if terms in ("wording", "spelling"):
            found.append((Level.MAJOR, "a changed identity term"))
        carriers = kind_of_change(
            carrier(old, start_a, end_a, str(a.predicate)),
            carrier(new, start_b, end_b, str(b.predicate)),
            known.carriers[int(a.template)],
        )
        if carriers == "wording":
            found.append((Level.MAJOR, "a changed template"))
    for column in ("identity_label", "counter_identity_label"):
        if words(getattr(a, column)) != words(getattr(b, column)):
            found.append((Level.MAJOR, "a changed identity term"))
    return max(found, key=lambda one: one[0])


def _survey(old: Release, new: Release) -> Iterator[Change]:
    if SURVEY not in old.subsets or SURVEY not in new.subsets:
        return
    key = ["question", "stereotype_id", "answer"]
    tables = []
    for release in (old, new):
        frame = release.table(SURVEY).to_pandas()
        frame[key] = frame[key].fillna("")
        tables.append({tuple(r[:3]): _count(r[3], r[4]) for r in frame[[*key, "count", "suppressed"]].to_numpy()})
    a, b = tables
    for place in dict.fromkeys([*a, *b]):
        before, after = a.get(place, ""), b.get(place, "")
        if before != after:
            action = "added" if not before else "removed" if not after else "changed"
            name = " / ".join(part for part in place if part)
            yield Change("survey count", action, name, before, after, Level.MINOR, "other survey figures")


def _count(count: Any, suppressed: Any) -> str:
    return "withheld" if suppressed else f"{int(count)}"


def _scores(old: Release, new: Release, changed_texts: set[str]) -> Iterator[Change]:
    if SCORES not in old.subsets or SCORES not in new.subsets:
        return
    a, b = (release.table(SCORES).to_pandas() for release in (old, new))
    models_a, models_b = (list(dict.fromkeys(frame["model"])) for frame in (a, b))
    for model in models_a:
        if model not in models_b:
            yield Change("score", "removed", model, model, "", Level.MAJOR, "removed scores of a model")
    for model in models_b:
        if model not in models_a:
            yield Change("score", "added", model, "", model, Level.MINOR, "added scores of a model")
    columns = [c for c in a.columns if c.startswith("score_") and c in b.columns]
    joined = a.merge(b, on=["model", "pair_id"], suffixes=("_old", "_new"))
    joined = joined[~joined["pair_id"].isin(changed_texts)]
    for model, mine in joined.groupby("model", sort=False):
        for column in columns:
            x, y = mine[f"{column}_old"].to_numpy(float), mine[f"{column}_new"].to_numpy(float)
            other = ~np.isclose(x, y, rtol=0, atol=SCORE_TOLERANCE, equal_nan=True)
            if other.any():
                first = int(np.flatnonzero(other)[0])
                yield Change(
                    "score",
                    "changed",
                    f"{model} {column} ({int(other.sum())} pairs whose text did not change)",
                    f"{x[first]:.4f}",
                    f"{y[first]:.4f}",
                    Level.MAJOR,
                    "other scores of unchanged pairs: another scoring rule or model",
                )


def grouped(changes: Iterable[Change]) -> list[Group]:
    """The changes by kind, the weightiest first, otherwise in the order found."""
    groups: dict[tuple[str, str, Level, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.what, change.action, change.level, change.why), []).append(change)
    found = []
    for key, members in groups.items():
        counts = Counter(reason for c in members for reason in dict.fromkeys(x.because for x in c.corrections))
        explained = tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
        unexplained = sum(not c.corrections for c in members)
        found.append(Group(*key, len(members), members[0], explained, unexplained))
    return sorted(found, key=lambda group: -group.level)
