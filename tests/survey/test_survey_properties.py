"""Whatever stands in an export, the answer is a right result or a message, never a traceback or a silent change."""

from __future__ import annotations

import csv
import io

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from winoqueer_nl.problems import InputError
from winoqueer_nl.survey.aggregate import Aggregates
from winoqueer_nl.survey.cells import choices

quickly = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

VALID = {
    "WHO": ["", "-99", "Apple", "Pear", "Apple,Pear", "Pear,Other, namely", "Other, namely"],
    "REL_1": ["", "-99", "Jep", "Nope", "Dunno", "1", "2", "3"],
    "HARM_1": ["", "-99", "-1", "0", "1", "2", "3", "4"],
    "REL_2": ["", "-99", "Jep", "Nope", "Dunno"],
    "HARM_2": ["", "-99", "-1", "4"],
    "WORDS": ["", "-99", "word", 'a,b\n"c"'],
}
MEANING = {"Jep": "yes", "1": "yes", "Nope": "no", "2": "no", "Dunno": "unsure", "3": "unsure"}


def attempt(survey) -> tuple[Aggregates | None, InputError | None]:
    """The aggregates, or the message to a person; anything else is a failure of the test."""
    try:
        return survey.aggregate(resamples=20), None
    except InputError as error:
        return None, error


people = st.lists(
    st.tuples(
        *(st.sampled_from(values) for values in VALID.values()),
        st.sampled_from(["IP Address", "Survey Preview"]),
        st.sampled_from(["True", "False"]),
    ),
    min_size=1,
    max_size=12,
)
anything = st.text(max_size=12) | st.sampled_from(
    ["Jep", "-99", "5", "-2", "", "None", "nan", '"', "{}", "1e1", "\x00"]
)


@quickly
@given(people)
def test_valid_answers_are_counted_as_a_plain_loop_counts_them(new_survey, rows) -> None:
    survey = new_survey()
    survey.rows = survey.rows[:3] + [
        ["", "", status, finished, f"R_{i}", "", *answers] for i, (*answers, status, finished) in enumerate(rows)
    ]
    counting = [answers for *answers, status, finished in rows if (status, finished) == ("IP Address", "True")]
    result, error = attempt(survey)
    if result is None:
        assert not counting
        assert "no response that counts" in error.message()
        return
    found = {row["stereotype_id"]: row for row in result.stereotypes}
    for stereotype, question, rating in (("s1", 1, 2), ("s3", 3, 4)):
        said = [MEANING.get(answers[question]) for answers in counting]
        numbers = [int(answers[rating]) for answers in counting if answers[rating] not in ("", "-99")]
        row = found[stereotype]
        assert [row["n_yes"], row["n_no"], row["n_unsure"]] == [str(said.count(a)) for a in ("yes", "no", "unsure")]
        assert row["harmfulness_count"] == str(len(numbers))
        if numbers:
            assert abs(float(row["harmfulness_mean"]) - sum(numbers) / len(numbers)) <= 0.005 + 1e-9


@quickly
@given(st.integers(0, 7), st.integers(0, 11), anything)
def test_any_cell_may_hold_anything(new_survey, row: int, column: int, value: str) -> None:
    survey = new_survey()
    before = survey.aggregate(resamples=20) if column in (0, 1, 5) else None
    survey.export.unlink(missing_ok=True)
    survey.out.unlink(missing_ok=True)
    survey.rows[row][column] = value
    after, error = attempt(survey)
    if after is None:
        assert all(problem.file.endswith("first.csv") for problem in error.problems)
        assert not survey.out.exists()
        return
    # What was understood is either meaningless here (a personal or unused cell, a row that is dropped, a header text)
    # or one of the answers that the instrument knows.
    meaningless = column in (0, 1, 4, 5, 11) or row < 3 or row in (5, 7)
    known = [label for labels in VALID.values() for label in labels] + ["IP Address", "True", "Survey Preview", "False"]
    assert meaningless or " ".join(value.split()) in known
    if before is not None:
        assert after == before


@quickly
@given(st.data())
def test_a_file_may_be_cut_or_scratched_anywhere(new_survey, data) -> None:
    survey = new_survey()
    survey.instrument["rounds"]["first"]["respondents"] = 3
    content = bytearray(survey.text(survey.rows).encode())
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 40)) | st.just(len(content)))
    content[start:end] = data.draw(st.binary(max_size=3))
    survey.export.write_bytes(bytes(content))
    found, error = attempt(survey)
    if found is None:
        assert error.problems
        return
    # Understood: then all three people are there, and as many cells.
    assert found.summary["respondents"] == 3
    assert [row["stereotype_id"] for row in found.stereotypes] == ["s1", "s2", "s3", "s4"]


@given(st.lists(st.sampled_from(["Apple", "Pear", "Other, namely", "Other"]), min_size=1, unique=True))
def test_what_was_joined_comes_apart(labels: list[str]) -> None:
    ways = choices(",".join(labels), ["Apple", "Pear", "Other, namely", "Other"], ",")
    assert ways == [labels]


@quickly
@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1, max_size=5), max_size=6
    )
)
def test_any_table_at_all_is_an_export_or_gets_a_message(new_survey, rows: list[list[str]]) -> None:
    survey = new_survey()
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    survey.export.write_text(out.getvalue(), "utf-8", newline="")
    found, error = attempt(survey)
    assert found is None, "no such table is an export of this survey"
    assert error.problems
