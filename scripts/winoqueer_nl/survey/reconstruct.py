"""Makes the sample exports: respondents who do not exist, whose answers add up to the published counts.

No raw export of WinoQueer-NL is public. This builds files in the layout of one, so that the whole way from export to
release can be run, tested and shown. Who answered what together is drawn at random; only the sums are real.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from winoqueer_nl.files import write_text
from winoqueer_nl.survey.instrument import Instrument, Item, Round
from winoqueer_nl.survey.recipe import PublishedCounts, Recipe, RoundRecipe, load, rating_sum, shown_to
from winoqueer_nl.tables import shown


@dataclass
class Person:
    """One row of an export to be: answers by column name; a column that is not there was not shown."""

    status: str = "answer"
    finished: bool = True
    answers: dict[str, str] = field(default_factory=dict)


def write(recipe_file: Path) -> list[Path]:
    """Build every export that the recipe names, where it says; return their paths.

    Raises
    ------
    InputError
        for a bad recipe or table, and for counts that no answers can add up to; then nothing is written.
    """
    found = load(recipe_file)
    recipe = found.recipe
    new = {row.stereotype_id for row in found.counts.values() if row.n_yes is None}
    stated = [
        shown(row.text)
        for row in found.forms
        if row.stereotype_id in new and row.form == recipe.free_text_form and row.identity is None
    ]
    written = []
    for round_id, one in recipe.rounds.items():
        # A generator of its own for each round: a change to one leaves the other's file as it was.
        chance = random.Random(f"{recipe.seed} {round_id}")
        people = _people(found.instrument, round_id, one, found.counts, stated, chance)
        path = (found.folder / one.file).resolve()
        write_text(path, _export(found.instrument, recipe, round_id, one, people, chance))
        written.append(path)
    return written


def ratings(total: int, count: int, minimum: int, maximum: int, chance: random.Random) -> list[int]:
    """So many whole numbers within the bounds that add up to the total, spread out at random."""
    low, extra = divmod(total, count)
    found = [low + (i < extra) for i in range(count)]
    for _ in range(2 * count):
        up, down = chance.randrange(count), chance.randrange(count)
        if up != down and found[up] < maximum and found[down] > minimum:
            found[up] += 1
            found[down] -= 1
    chance.shuffle(found)
    return found


def _people(
    instrument: Instrument,
    round_id: str,
    recipe: RoundRecipe,
    counts: Mapping[str, PublishedCounts],
    stated: Sequence[str],
    chance: random.Random,
) -> list[Person]:
    one = instrument.rounds[round_id]
    assert one.respondents is not None  # load() has seen to it
    skipped = instrument.formats[one.format].skipped[0]
    people = [Person() for _ in range(one.respondents)]
    n_seen = [0] * len(people)
    left_out_by_one = set(chance.sample([item.key for item in one.items], recipe.skipped_items))
    items = list(one.items)
    chance.shuffle(items)
    for item in items:
        one_more = item.key in left_out_by_one and shown_to(counts[item.key]) < len(people)
        answered = _answers(instrument, one, item, counts[item.key], one_more, skipped, chance)
        # Those who have seen least so far, in random order: everyone sees about as many items.
        order = sorted(range(len(people)), key=lambda i: (n_seen[i], chance.random()))
        for i, answers in zip(order[: len(answered)], answered, strict=True):
            people[i].answers |= answers
            n_seen[i] += 1
    _identities(one, recipe, people, skipped, chance)
    if recipe.free_text_column is not None:
        writers = chance.sample(range(len(people)), recipe.free_text_writers)
        for person in people:
            person.answers[recipe.free_text_column] = skipped
        said: dict[int, list[str]] = {i: [] for i in writers}
        for text in [*stated, *stated]:
            said[min(writers, key=lambda i: (len(said[i]), chance.random()))].append(text)
        for i, texts in said.items():
            people[i].answers[recipe.free_text_column] = "\n".join(texts)
    return _with_rows_to_drop(recipe, people, chance)


def _answers(
    instrument: Instrument,
    one: Round,
    item: Item,
    counts: PublishedCounts,
    one_more: bool,
    skipped: str,
    chance: random.Random,
) -> list[dict[str, str]]:
    """What each person who saw the item answered; "-99" (or its like) where they left it out."""
    vocabulary = instrument.languages[one.language]
    said: list[str] = []
    if item.relevance is not None:
        for number, labels in (
            (counts.n_yes, vocabulary.yes_labels),
            (counts.n_no, vocabulary.no_labels),
            (counts.n_unsure, vocabulary.unsure_labels),
        ):
            said += [labels[0]] * (number or 0)
    scale = instrument.harmfulness
    total = rating_sum(counts.harmfulness_count, counts.harmfulness_mean, scale.minimum, scale.maximum)
    assert total is not None
    rated = [str(r) for r in ratings(total, counts.harmfulness_count, scale.minimum, scale.maximum, chance)]
    n_shown = shown_to(counts) + one_more
    # "Not sure" stands last: where there are fewer ratings than answers, those who are not sure gave none.
    rows = []
    for i in range(n_shown):
        answers = {}
        if item.relevance is not None:
            answers[item.relevance] = said[i] if i < len(said) else skipped
        if item.harmfulness is not None:
            answers[item.harmfulness] = rated[i] if i < len(rated) else skipped
        rows.append(answers)
    chance.shuffle(rows)
    return rows


def _identities(one: Round, recipe: RoundRecipe, people: Sequence[Person], skipped: str, chance: random.Random) -> None:
    for question in one.identities:
        labels = {answer: label for label, answer in reversed(list(question.answers.items()))}
        shares = recipe.identities[question.id]
        for person in people:
            chosen = [a for a in labels if chance.randrange(100) < shares.get(a, 0)]
            if not chosen:
                chosen = [max(shares, key=lambda a: shares[a] * chance.random())]
            if question.separator is None:
                chosen = chosen[:1]
            in_order = [a for a in dict.fromkeys(question.answers.values()) if a in chosen]
            person.answers[question.column] = (question.separator or "").join(labels[a] for a in in_order)
            for written in recipe.written_answers:
                if written.question == question.id and written.answer in chosen:
                    person.answers[written.column] = written.text


def _with_rows_to_drop(recipe: RoundRecipe, people: Sequence[Person], chance: random.Random) -> list[Person]:
    """The people and, among them, rows that must not count: they repeat answers of others, some only a part."""
    rows = list(people)
    for status, finished, number in (
        ("preview", True, recipe.preview_rows),
        ("spam", True, recipe.spam_rows),
        ("answer", False, recipe.unfinished_rows),
    ):
        for _ in range(number):
            model = people[chance.randrange(len(people))]
            answers = dict(model.answers)
            if not finished:
                seen = list(answers)
                answers = {column: answers[column] for column in seen[: chance.randrange(1, len(seen))]}
            rows.insert(chance.randrange(len(rows) + 1), Person(status, finished, answers))
    return rows


def _export(
    instrument: Instrument,
    recipe: Recipe,
    round_id: str,
    one: RoundRecipe,
    people: Sequence[Person],
    chance: random.Random,
) -> str:
    columns = [(recipe.notice_column, recipe.notice, "sampleNote")]
    columns += [(column.name, column.text, column.import_id) for column in recipe.columns]
    questions = _question_columns(instrument.rounds[round_id], one)
    columns += [(name, text, f"QID{i}") for i, (name, text) in enumerate(questions, start=1)]
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(name for name, _, _ in columns)
    lines.writerow(words for _, words, _ in columns)
    lines.writerow(json.dumps({"ImportId": import_id}, separators=(",", ":")) for _, _, import_id in columns)
    used: set[str] = set()
    for i, person in enumerate(people):
        filled = _filled(recipe, one, person, i, used, chance)
        cells = [recipe.notice]
        cells += [filled[column.fill] if column.fill else column.value for column in recipe.columns]
        cells += [person.answers.get(name, "") for name, _ in questions]
        lines.writerow(cells)
    return text.getvalue()


def _question_columns(one: Round, recipe: RoundRecipe) -> list[tuple[str, str]]:
    """Names and question texts, in the order of the questionnaire: identities, items, free text last."""
    found = [(name, text) for name, text in recipe.texts.items() if name != recipe.free_text_column]
    for item in one.items:
        for name, text in (
            (item.relevance, recipe.relevance_text),
            (item.harmfulness, recipe.harmfulness_text),
        ):
            if name is not None:
                found.append((name, text.replace("{asked}", item.asked)))
    if recipe.free_text_column is not None:
        found.append((recipe.free_text_column, recipe.texts[recipe.free_text_column]))
    return found


def _filled(
    recipe: Recipe, one: RoundRecipe, person: Person, i: int, used: set[str], chance: random.Random
) -> dict[str, str]:
    """Times, addresses and the like: made up, in ranges that belong to nobody (RFC 5737; open sea)."""
    midnight = datetime.datetime.combine(one.first_day, datetime.time())
    start = midnight + datetime.timedelta(hours=9 + 5 * i, seconds=chance.randrange(3600))
    duration = 400 + chance.randrange(1400)
    identifier = ""
    while not identifier or identifier in used:
        letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        identifier = "R_" + "".join(letters[chance.randrange(len(letters))] for _ in range(15))
    used.add(identifier)
    return {
        "start": f"{start:%Y-%m-%d %H:%M:%S}",
        "end": f"{start + datetime.timedelta(seconds=duration):%Y-%m-%d %H:%M:%S}",
        "status": recipe.status[
            "preview" if person.status == "preview" else "spam" if person.status == "spam" else "answer"
        ],
        "address": f"192.0.2.{1 + chance.randrange(254)}",
        "progress": "100" if person.finished else str(10 + chance.randrange(80)),
        "duration": str(duration),
        "finished": recipe.finished["complete" if person.finished else "incomplete"],
        "identifier": identifier,
        "latitude": f"{54 + chance.randrange(100) / 100:.2f}",
        "longitude": f"{3 + chance.randrange(100) / 100:.2f}",
    }
