"""Reading the pairs to be scored: the tidy table (Parquet or CSV) or the published five-column CSV."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from winoqueer_nl.files import check_intact, sha256
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted, suggestion

SPANS = ["span_start_x", "span_end_x", "span_start_y", "span_end_y"]
#: What the stage uses of a pairs file. Only the two sentences must be there.
USED = [
    "pair_id", "template_id", "identity_label", "counter_identity_label",
    "sent_x", "sent_y", *SPANS, "predicate", "harmfulness_mean",
]  # fmt: skip
#: Columns of the published CSV files under the names of the tidy table.
PUBLISHED_NAMES = {
    "Gender_ID_x": "identity_label",
    "Gender_ID_y": "counter_identity_label",
    "nl_predicate_altered": "predicate",
    "harmfulness_score": "harmfulness_mean",
}


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs ready for scoring.

    Parameters
    ----------
    frame: one row per pair, columns :data:`USED` (missing ones are null), index 0..n-1.
    has_spans: whether the identity's characters are known, which the policy `slot` needs.
    file: the file as the person named it.
    file_sha256: hash of the file's bytes.
    content_sha256: hash of what scores depend on: ids, sentences, spans.
    language, edition: from a path `.../<language>/<edition>/pairs.parquet`, else None.
    """

    frame: pd.DataFrame
    has_spans: bool
    file: str
    file_sha256: str
    content_sha256: str
    language: str | None = None
    edition: str | None = None

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, rows: list[int]) -> Pairs:
        """The pairs of some rows, in the order given, with the hash of this selection."""
        frame = self.frame.iloc[rows].reset_index(drop=True)
        place = (self.file, self.file_sha256, _content_hash(frame), self.language, self.edition)
        return Pairs(frame, self.has_spans, *place)


def _content_hash(frame: pd.DataFrame) -> str:
    digest = hashlib.sha256()
    columns = ["pair_id", "sent_x", "sent_y", *(c for c in SPANS if frame[c].notna().all())]
    for row in zip(*(frame[column].astype(str).tolist() for column in columns), strict=True):
        digest.update("\t".join(row).encode() + b"\n")
    return digest.hexdigest()


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(
            [
                Problem(
                    str(path),
                    "no such file",
                    "a table of sentence pairs (.parquet or .csv)",
                    "Build the pairs first, or name another file with --pairs.",
                )
            ]
        )
    check_intact(path)
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        _check_separator(path)
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        problem = Problem(str(path), f"bytes that are not UTF-8 at {error.start}", "UTF-8 text", "Save it as UTF-8.")
        raise InputError([problem]) from error
    except InputError:
        raise
    except Exception as error:  # pandas and pyarrow raise many kinds; each means the same to the person
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        text = text.removeprefix("Error tokenizing data. C error: ")
        problem = Problem(str(path), f"a file that cannot be read ({text})", "a Parquet or comma-separated table")
        raise InputError([problem]) from error


def _check_separator(path: Path) -> None:
    """Raise :class:`InputError` if the header is separated by semicolons or tabs, as some spreadsheets write it."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        header = file.readline()
    for mark, word in ((";", "semicolons"), ("\t", "tabs")):
        if header.count(mark) > header.count(","):
            problem = Problem(
                str(path), f"columns separated by {word}", "columns separated by commas",
                "Save the table as comma-separated UTF-8 text.", row=1,
            )  # fmt: skip
            raise InputError([problem])


def edition_of(path: Path) -> tuple[str | None, str | None]:
    """Language and edition of a built table, from its path `<language>/<edition>/pairs.parquet`."""
    parent = path.resolve().parent
    if path.name in {"pairs.parquet", "sentence_pairs.csv"} and parent.name[:1].isdigit():
        return parent.parent.name, parent.name
    return None, None


def read_pairs(path: Path) -> Pairs:
    """Read and check a pairs file.

    A file without `pair_id` gets the row number from 0 as the id; a file without the four span columns has no
    spans. Raises :class:`InputError` with every problem: missing columns, empty sentences, repeated ids,
    spans that lie outside their sentence.
    """
    path = Path(path)
    raw = _read(path)
    raw = raw.rename(columns={old: new for old, new in PUBLISHED_NAMES.items() if new not in raw.columns})
    problems = Problems()
    for column in ("sent_x", "sent_y"):
        if column not in raw.columns:
            hint = suggestion(column, raw.columns) or "See docs/scoring.md for the two layouts."
            problems.add(path, f"the columns {listed(raw.columns)}", f"a column {column}", hint)
    problems.stop()
    if raw.empty:
        problems.add(path, "no rows", "at least one pair")
        problems.stop()
    frame = raw.reindex(columns=USED).reset_index(drop=True)
    if "pair_id" not in raw.columns:
        frame["pair_id"] = [str(row) for row in range(len(frame))]
    first = 2 if path.suffix != ".parquet" else 1
    _check_text(frame, problems, path, first)
    present = [column for column in SPANS if column in raw.columns]
    if present and len(present) < len(SPANS):
        missing = [column for column in SPANS if column not in present]
        problems.add(path, f"only the span columns {listed(present)}", f"also {listed(missing)}, or none of them")
    elif present:
        _check_spans(frame, problems, path, first)
    problems.stop()
    language, edition = edition_of(path)
    return Pairs(frame, bool(present), str(path), sha256(path), _content_hash(frame), language, edition)


def _check_text(frame: pd.DataFrame, problems: Problems, path: Path, first: int) -> None:
    for column in ("pair_id", "sent_x", "sent_y"):
        values = frame[column]
        for row in frame.index[values.isna() | (values.astype(str).str.strip() == "")]:
            problems.add(path, "nothing", "text", row=row + first, field=column)
        frame[column] = values.astype(str)
    repeated = frame["pair_id"].duplicated()
    for row in frame.index[repeated]:
        value = quoted(frame["pair_id"][row])
        problems.add(path, f"the id {value} a second time", "each id once", row=row + first, field="pair_id")


def _check_spans(frame: pd.DataFrame, problems: Problems, path: Path, first: int) -> None:
    before = len(problems.found)
    for column in SPANS:
        numbers = pd.to_numeric(frame[column], errors="coerce")
        for row in frame.index[numbers.isna() | (numbers % 1 != 0)]:
            problems.add(path, quoted(frame[column][row]), "a whole number", row=row + first, field=column)
        frame[column] = numbers
    if len(problems.found) > before:
        return
    for side in "xy":
        start, end = frame[f"span_start_{side}"], frame[f"span_end_{side}"]
        lengths = frame[f"sent_{side}"].str.len()
        for row in frame.index[(start < 0) | (end <= start) | (end > lengths)]:
            problems.add(
                path,
                f"the span {start[row]:.0f} to {end[row]:.0f}",
                f"a non-empty span inside the sentence's {lengths[row]} characters (end exclusive)",
                row=row + first,
                field=f"span_start_{side}, span_end_{side}",
            )
    for column in SPANS:
        frame[column] = frame[column].astype("int64")
