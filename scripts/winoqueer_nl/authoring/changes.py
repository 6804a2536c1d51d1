"""Changes of source tables, gathered first and written together once they have been tried."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from packaging.version import Version

from winoqueer_nl.authoring import overlay
from winoqueer_nl.authoring.proposals import PENDING_KIND, pending_row
from winoqueer_nl.authoring.rows import TableText, write_together
from winoqueer_nl.config import read_editions
from winoqueer_nl.schema import SLOT_PREFIX, Row
from winoqueer_nl.sources import TABLES, Sources
from winoqueer_nl.tables import own_columns

BOOKKEEPING = ("since", "until", "kind", "reason")


def columns_of(model: type[Row], slots: Iterable[str] = ()) -> list[str]:
    """The header of a table: its own columns, the slots of the names, then the bookkeeping."""
    own = [name for name in own_columns(model) if name not in BOOKKEEPING]
    return own + [SLOT_PREFIX + slot for slot in slots] + list(BOOKKEEPING)


class Changes:
    """Tables open for changes; :meth:`write` tries them on a copy of the project before it writes any."""

    def __init__(self, root: Path, since: str | None) -> None:
        """``since`` is the edition that the changes are for; None for a language that no edition lists yet."""
        self.root = root
        self.since = since
        self._tables: dict[str, TableText] = {}
        self._texts: dict[str, str] = {}

    def table(self, name: str, lang: str) -> TableText:
        """A source table, as changed so far."""
        path = TABLES[name].path.format(lang=lang)
        if path not in self._tables:
            self._tables[path] = TableText.read(self.root / path)
        return self._tables[path]

    def retired(self, name: str, lang: str) -> TableText:
        """The table that holds what earlier editions said; a new one where there is none."""
        path = str(Path(TABLES[name].path.format(lang=lang)).with_suffix(".retired.csv"))
        if path not in self._tables:
            there = (self.root / path).exists()
            header = self.table(name, lang).header
            self._tables[path] = TableText.read(self.root / path) if there else TableText.empty(header)
        return self._tables[path]

    def set_text(self, path: str, text: str) -> None:
        """A file written anew as a whole."""
        self._texts[path] = text

    def texts(self) -> dict[str, str]:
        """Path below the project folder -> new text."""
        return {path: table.text() for path, table in self._tables.items()} | self._texts

    def try_out(self, extra: dict[str, str] | None = None) -> overlay.Looked:
        """The tables as they will be; raises InputError for every problem that the changes bring."""
        return overlay.tried(self.root, self.texts(), self.since, extra)

    def write(self) -> list[str]:
        """Write every changed file, each whole; return their paths."""
        changed = {
            path: text
            for path, text in self.texts().items()
            if not (self.root / path).exists() or _text(self.root / path) != text
        }
        write_together({self.root / path: text for path, text in changed.items()})
        return list(changed)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def insert_form(
    changes: Changes, sources: Sources, stereotype_id: str, form: str, text: str, reason: str | None
) -> None:
    """Add a form where the order of the stereotypes puts it."""
    ranks = {row.stereotype_id: rank for rank, row in enumerate(sources.rows["stereotypes"])}
    own = ranks.get(stereotype_id, len(ranks))
    changes.table("forms", sources.lang).insert(
        {"stereotype_id": stereotype_id, "form": form, "text": text, "since": changes.since, "reason": reason},
        after=lambda cells: ranks.get(cells["stereotype_id"], -1) <= own,
    )


def insert_pending(changes: Changes, lang: str, stereotype_id: str) -> None:
    """Say in absent.csv that a stereotype waits for reviewed forms."""
    changes.table("absent", lang).insert(pending_row(stereotype_id, changes.since))


def close_pending(changes: Changes, sources: Sources, stereotype_id: str) -> None:
    """The stereotype waits no longer: take its row out, or retire it where an earlier edition was made with it."""
    rows = [r for r in sources.rows["absent"] if r.stereotype_id == stereotype_id and r.kind == PENDING_KIND]
    table = changes.table("absent", sources.lang)
    waiting = {
        number: cells
        for number, cells in table.rows()
        if cells["stereotype_id"] == stereotype_id and cells["kind"] == PENDING_KIND
    }
    for cells in waiting.values():
        if any(held_before(changes, sources.lang, row) for row in rows if row.until is None):
            changes.retired("absent", sources.lang).insert(cells | {"until": changes.since})
    table.remove(list(waiting))


def held_before(changes: Changes, lang: str, row: Row) -> bool:
    """Whether an edition of the language before the one of these changes holds the row."""
    if changes.since is None:
        return False
    return any(
        Version(one.edition) < Version(changes.since) and row.valid_at(one.edition)
        for one in read_editions(changes.root)
        if lang in one.languages
    )
