"""Reading all exports of a survey: which reader, which round, and one canonical table in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from winoqueer_nl.problems import InputError, Problem, Problems, listed
from winoqueer_nl.survey import qualtrics
from winoqueer_nl.survey.canonical import RawExport, Responses, combine, interpret
from winoqueer_nl.survey.instrument import Format, Instrument

#: A survey tool is one reader here and one section ``formats`` in an instrument.
READERS: dict[str, Callable[[Path, Format, Problems], RawExport | None]] = {"qualtrics_csv": qualtrics.read}


def read_exports(paths: Sequence[Path], instrument: Instrument) -> Responses:
    """Read every export into one canonical table.

    Raises
    ------
    InputError
        with every problem of every file; messages name rows and columns, never a respondent.
    """
    if not paths:
        raise InputError([Problem("survey", "no export", "at least one", "Name the exported files.")])
    problems = Problems()
    found: list[Responses] = []
    first: dict[tuple[str, str], tuple[Path, int]] = {}
    respondents = 0
    for path in dict.fromkeys(paths):
        if paths.count(path) > 1:
            problems.add(path, "the same file more than once", "each export once")
        read = _read(path, instrument, problems)
        if read is None:
            continue
        export, round_id = read
        _not_in_another_file(export, round_id, instrument, first, problems)
        responses = interpret(export, round_id, instrument, respondents, problems)
        if responses is not None:
            found.append(responses)
            respondents += responses.n_respondents
    problems.stop()
    return combine(found, list(instrument.rounds))


def _read(path: Path, instrument: Instrument, problems: Problems) -> tuple[RawExport, str] | None:
    """The export and its round: the one that claims the file's name, else the one whose columns it holds."""
    named = instrument.by_file_name(path)
    if len(named) > 1:
        problems.add(
            path,
            f"a file name that fits the rounds {listed(named)}",
            "one round",
            "Narrow the patterns under files in the instrument.",
        )
        return None
    candidates = named or list(instrument.rounds)
    readings: dict[str, RawExport] = {}
    first_failure: Problems | None = None
    for name in dict.fromkeys(instrument.rounds[round_id].format for round_id in candidates):
        form = instrument.formats[name]
        noted = Problems()
        export = READERS[form.reader](path, form, noted)
        if export is not None:
            readings[name] = export
        elif first_failure is None:
            first_failure = noted
    if not readings:
        assert first_failure is not None
        problems.extend(first_failure)
        return None
    shares = {
        round_id: _share(readings[name], instrument.rounds[round_id].question_columns())
        for round_id in candidates
        if (name := instrument.rounds[round_id].format) in readings
    }
    best = max(shares.values())
    rounds = [round_id for round_id, share in shares.items() if share == best]
    if best == 0 or len(rounds) > 1:
        problems.add(
            path,
            "columns of no round of the instrument" if best == 0 else f"columns that fit the rounds {listed(rounds)}",
            f"the columns of one round: {listed(instrument.rounds)}",
            "Correct the columns in the instrument, or name the file under files of its round.",
            row=1,
        )
        return None
    return readings[instrument.rounds[rounds[0]].format], rounds[0]


def _share(export: RawExport, columns: Sequence[str]) -> float:
    """How alike the two sets of columns are (Jaccard): 1 = the same question columns and no others of ours."""
    ours = set(columns)
    both = len(ours & set(export.columns))
    return both / len(ours | set(export.columns))


def _not_in_another_file(
    export: RawExport,
    round_id: str,
    instrument: Instrument,
    first: dict[tuple[str, str], tuple[Path, int]],
    problems: Problems,
) -> None:
    """Note responses that another export of the same round has as well (rounds may number theirs alike)."""
    column = instrument.formats[instrument.rounds[round_id].format].respondent
    if column not in export.columns:
        return
    place = export.columns.index(column)
    for number, cells in export.rows:
        identifier = cells[place].strip()
        other = first.setdefault((round_id, identifier), (export.path, number))
        if identifier and other[0] != export.path:
            problems.add(
                export.path,
                f"the same response as in {other[0]}, row {other[1]}",
                "each response in one file",
                "Leave out the older of the two exports.",
                row=number,
                field=column,
            )
