"""Wrong files as people make them: each function writes one into a good project and says what the message must name."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import toy
from winoqueer_nl.sources import LANGUAGE_FILE, TABLES
from winoqueer_nl.tables import MOST_CHARACTERS

EDITIONS = "release/editions.csv"
CONFIG = "config.yaml"
LANGUAGE = LANGUAGE_FILE.format(lang=toy.LANG)
SAVE_AS = 'Save it as "CSV UTF-8 (comma delimited)"'


@dataclass(frozen=True)
class Bad:
    """One wrong input: a change of the project folder, and what the message must hold besides the file."""

    name: str
    file: str
    change: Callable[[Path], None]
    says: tuple[str, ...]
    row: int | None = None
    field: str | None = None


def source_tables() -> dict[str, str]:
    """The path of every comma-separated table below a project folder, by name."""
    return {name: table.path.format(lang=toy.LANG) for name, table in TABLES.items()} | {"editions": EDITIONS}


#: A column of running text in every table.
TEXT_COLUMN = {
    "stereotypes": "gloss",
    "forms": "text",
    "absent": "reason",
    "coverage": "reason",
    "metadata_exceptions": "value",
    "templates": "sentence",
    "variants": "sentence",
    "identities": "label",
    "counter_identities": "label",
    "identity_forms": "text",
    "names": "slot_subject",
    "editions": "summary",
}


def read(path: Path) -> list[list[str]]:
    """The records of a good table."""
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))


def save(path: Path, records: list[list[str]]) -> None:
    """Write records back as comma-separated UTF-8."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(records)
    path.write_text(text.getvalue(), encoding="utf-8")


def generic() -> Iterator[Bad]:
    """What can happen to any table."""
    for name, file in source_tables().items():
        yield from _whole_file(name, file)
        yield from _header(name, file)
        yield from _last_row(name, file)


def _whole_file(name: str, file: str) -> Iterator[Bad]:
    def bytes_of(make: Callable[[bytes], bytes]) -> Callable[[Path], None]:
        return lambda root: (root / file).write_bytes(make((root / file).read_bytes())) and None

    def folder(root: Path) -> None:
        (root / file).unlink()
        (root / file).mkdir()

    def header_only(root: Path) -> None:
        save(root / file, read(root / file)[:1])

    def parted_by(sign: str) -> Callable[[Path], None]:
        def change(root: Path) -> None:
            (root / file).write_text("\n".join(sign.join(r) for r in read(root / file)) + "\n", encoding="utf-8")

        return change

    yield Bad(f"{name}: missing file", file, lambda root: (root / file).unlink(), ("no such file", "Restore it"))
    yield Bad(f"{name}: a folder in its place", file, folder, ("directory", "a file that can be read"))
    yield Bad(f"{name}: empty file", file, bytes_of(lambda _: b""), ("an empty file", "Restore it"))
    yield Bad(f"{name}: blank lines only", file, bytes_of(lambda _: b"\n \n\n"), ("an empty file", "Restore it"))
    yield Bad(f"{name}: byte order mark only", file, bytes_of(lambda _: b"\xef\xbb\xbf"), ("blank lines only",))
    yield Bad(f"{name}: commas only", file, bytes_of(lambda _: b",,,\n,,,\n"), ("blank lines only", "Restore it"))
    if name == "editions" or not TABLES[name].may_be_empty:
        yield Bad(f"{name}: header only", file, header_only, ("a header row only", "Restore the rows"))
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        yield Bad(
            f"{name}: {encoding}",
            file,
            bytes_of(lambda content, encoding=encoding: content.decode().encode(encoding)),  # type: ignore[misc]
            ("UTF-16 text", SAVE_AS),
        )
    yield Bad(f"{name}: semicolons", file, parted_by(";"), ("semicolons", SAVE_AS), row=1)
    yield Bad(f"{name}: tabs", file, parted_by("\t"), ("tabs", SAVE_AS), row=1)
    yield Bad(f"{name}: bars", file, parted_by("|"), ("bars", SAVE_AS), row=1)


def _header(name: str, file: str) -> Iterator[Bad]:
    column = TEXT_COLUMN[name] if name != "names" else "gender"

    def header(change: Callable[[list[str]], None]) -> Callable[[Path], None]:
        def whole(root: Path) -> None:
            records = read(root / file)
            change(records[0])
            save(root / file, records)

        return whole

    def drop(root: Path) -> None:
        records = read(root / file)
        at = records[0].index(column)
        save(root / file, [record[:at] + record[at + 1 :] for record in records])

    def add(title: str) -> Callable[[Path], None]:
        def whole(root: Path) -> None:
            first, *others = read(root / file)
            save(root / file, [[*first, title], *([*record, ""] for record in others)])

        return whole

    def rename(header: list[str]) -> None:
        header[header.index(column)] = column + "s"

    yield Bad(f"{name}: missing column", file, drop, (f'no column "{column}"', "Add it"), row=1)
    yield Bad(f"{name}: extra column", file, add("remarks"), ('the unknown column "remarks"', "The columns"), row=1)
    yield Bad(f"{name}: nameless column", file, add(""), ('the unknown column ""', "The columns"), row=1)
    yield Bad(
        f"{name}: renamed column",
        file,
        header(rename),
        (f'the unknown column "{column}s"', f'Did you mean "{column}"?', f'no column "{column}"'),
        row=1,
    )
    yield Bad(
        f"{name}: doubled column",
        file,
        add(column),
        (f'the column "{column}" 2 times', "Remove or rename one"),
        row=1,
    )


def _last_row(name: str, file: str) -> Iterator[Bad]:
    column = TEXT_COLUMN[name]
    number = len(toy.tables()[name]) + 1 if name != "editions" else 2

    def cell(change: Callable[[str], str]) -> Callable[[Path], None]:
        def whole(root: Path) -> None:
            records = read(root / file)
            at = records[0].index(column)
            records[-1][at] = change(records[-1][at] or "bron {identity}")
            save(root / file, records)

        return whole

    def raw(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
        def whole(root: Path) -> None:
            lines = (root / file).read_bytes().rstrip(b"\n").split(b"\n")
            lines[-1] = change(lines[-1])
            (root / file).write_bytes(b"\n".join(lines) + b"\n")

        return whole

    def twice(root: Path) -> None:
        records = read(root / file)
        save(root / file, [*records, records[-1]])

    blanks = "no blank at either end, no two blanks in a row, no tab, line feed or no-break space"
    for what, change, sign in (
        ("trailing blank", lambda t: t + " ", ' "'),
        ("leading blank", lambda t: " " + t, '" '),
        ("doubled blank", lambda t: t + "  nol", "  nol"),
        ("no-break space", lambda t: t + "\xa0nol", "\\xa0nol"),
        ("tab in a cell", lambda t: t + "\tnol", "\\tnol"),
        ("line feed in a cell", lambda t: t + "\nnol", "\\nnol"),
    ):
        yield Bad(f"{name}: {what}", file, cell(change), (sign, blanks, "Remove it"), number, column)
    for what, sign in (("control character", "\x07"), ("zero-width space", "\u200b"), ("lost character", "\ufffd")):
        yield Bad(
            f"{name}: {what}",
            file,
            cell(lambda text, sign=sign: text + sign + "nol"),  # type: ignore[misc]
            ("text without control or lost characters", "Write the text anew"),
            number,
            column,
        )
    long = MOST_CHARACTERS + 1
    yield Bad(f"{name}: endless cell", file, cell(lambda _: "n" * long), (f"{long:,} characters",), number, column)
    yield Bad(
        f"{name}: windows-1252",
        file,
        raw(lambda line: line + "é".encode("cp1252")),
        ("the byte 0xe9", "Windows-1252", SAVE_AS),
        number,
    )
    yield Bad(f"{name}: too many cells", file, raw(lambda line: line + b",ova"), ("cells", "header row"), number)
    yield Bad(f"{name}: too few cells", file, raw(lambda line: line.split(b",")[0]), ("1 cells",), number)
    yield Bad(
        f"{name}: unclosed quote",
        file,
        raw(lambda line: b'"' + line),
        ("cannot be taken apart", "quotation mark that is never closed"),
        number,
    )
    key = "edition" if name == "editions" else TABLES[name].key[0]
    yield Bad(f"{name}: same row twice", file, twice, (f"which row {number} has as well", "once"), number + 1, key)


def of_table(
    what: str, table: str, number: int, column: str, value: str, *says: str, row: int | None = None, field: str = ""
) -> Bad:
    """One cell of a table changed: spreadsheet row, column, new text."""
    file = source_tables()[table]

    def change(root: Path) -> None:
        records = read(root / file)
        records[number - 1][records[0].index(column)] = value
        save(root / file, records)

    return Bad(f"{table}: {what}", file, change, says, number if row is None else row, field or column)


def with_row(what: str, table: str, cells: dict[str, str], *says: str, field: str, row: int | None = None) -> Bad:
    """One row added at the end of a table."""
    file = source_tables()[table]

    def change(root: Path) -> None:
        records = read(root / file)
        save(root / file, [*records, [cells.get(column, "") for column in records[0]]])

    number = len(toy.tables()[table]) + 2
    return Bad(f"{table}: {what}", file, change, says, number if row is None else row or None, field)


def without_row(what: str, table: str, number: int, *says: str, field: str | None, row: int | None = None) -> Bad:
    """One row taken out of a table."""
    file = source_tables()[table]

    def change(root: Path) -> None:
        records = read(root / file)
        del records[number - 1]
        save(root / file, records)

    return Bad(f"{table}: {what}", file, change, says, row, field)


def particular() -> Iterator[Bad]:
    """What can be wrong in one table only."""
    t, w, r = of_table, with_row, without_row
    ids = "small letters, digits and hyphens only"
    # stereotypes
    yield t("unknown identity", "stereotypes", 3, "identities", "mirnl;solv", '"mirnl"', 'Did you mean "mirn"?')
    yield t("the slip Homol", "stereotypes", 3, "identities", "Homol", '"Homol"', ids)
    yield t("identity twice", "stereotypes", 3, "identities", "mirn;mirn", '"mirn;mirn"', "each entry once")
    yield t("empty identity", "stereotypes", 3, "identities", "mirn;", '"mirn;"')
    yield t("no identity", "stereotypes", 3, "identities", "", "an empty cell", "a value", "Fill it in")
    yield t("unknown type", "stereotypes", 3, "type", "predicat", '"predicat"', 'Did you mean "predicate"?')
    yield t("id with capitals", "stereotypes", 3, "stereotype_id", "ZZ001", '"ZZ001"', ids)
    yield t("no id", "stereotypes", 3, "stereotype_id", "", "an empty cell", "Fill it in")
    yield t("id of another", "stereotypes", 3, "stereotype_id", "zz000", '"zz000", which row 2 has as well')
    yield t("bad edition", "stereotypes", 3, "since", "1.0", '"1.0"', "an edition such as 1.0.0")
    yield t("edition in words", "stereotypes", 3, "until", "later", '"later"', "an edition such as 1.0.0")
    yield t("release candidate", "stereotypes", 3, "until", "2.0.0rc1", '"2.0.0rc1"', "an edition such as 1.0.0")
    yield t("unknown kind", "stereotypes", 3, "kind", "speling", '"speling"', 'Did you mean "spelling"?')
    # forms
    yield t("unknown stereotype", "forms", 3, "stereotype_id", "zz01", '"zz01"', 'Did you mean "zz001"?')
    yield t("unknown form", "forms", 3, "form", "plurall", '"plurall"', 'Did you mean "plural"?')
    yield t("unknown slot", "forms", 8, "text", "ha {ower} dronk", "{ower}", 'Did you mean "owner"?')
    yield t("slot without a subject", "forms", 3, "text", "ban {owner}", "{owner}", "no slot here")
    yield t("unpaired brace", "forms", 8, "text", "ha {owner dronk", "paired braces", "Close each {")
    yield t("closing brace alone", "forms", 8, "text", "ha owner} dronk", "paired braces", "Close each {")
    yield t("slot with a format", "forms", 8, "text", "ha {owner:>9}", "not a plain name")
    yield t("nameless slot", "forms", 8, "text", "ha {} dronk", "not a plain name")
    yield t("no text", "forms", 3, "text", "", "an empty cell", "Fill it in")
    yield t("narrowed to nobody", "forms", 11, "identity", "solw", '"solw"', 'Did you mean "solv"?')
    yield t("copy number zero", "forms", 11, "copy_number", "0", '"0"', "a number of 1 or more")
    yield t("copy number in words", "forms", 11, "copy_number", "two", '"two"', "a whole number")
    yield t("huge copy number", "forms", 11, "copy_number", "9" * 5000, "characters", "at most")
    yield t("copy number of many digits", "forms", 11, "copy_number", "9" * 1500, "a number of 9 or less", "999...")
    yield r("missing form", "forms", 4, "no inverted of zz001", "Add the rows", field="form")
    yield r("only a narrowed form left", "forms", 10, "no single of zz003", "Add the rows", field="form")
    yield w("form of an absent stereotype", "forms", {"stereotype_id": "zz999", "form": "plural", "text": "ban"},
            '"zz999"', "a known stereotype", field="stereotype_id")  # fmt: skip
    # absent
    yield t("unknown stereotype", "absent", 2, "stereotype_id", "zz006", '"zz006"', "a known stereotype")
    yield t("no reason", "absent", 2, "reason", "", "an empty cell", "Fill it in")
    yield t("a stereotype with forms", "absent", 2, "stereotype_id", "zz001", '"zz001", which has forms', "Remove one")
    # coverage
    yield t("unknown stereotype", "coverage", 2, "stereotype_id", "xx", '"xx"', "a known stereotype", "Known: zz000")
    yield t("unknown identity", "coverage", 2, "identity", "sol", '"sol"', 'Did you mean "solv"?')
    yield t("unknown template", "coverage", 2, "templates", "2;22", '"22"', 'Did you mean "2"?')
    yield t("negative copies", "coverage", 2, "copies", "-1", '"-1"', "a number of 0 or more")
    yield t("too many copies", "coverage", 2, "copies", "10", '"10"', "a number of 9 or less")
    yield t("copies in words", "coverage", 2, "copies", "none", '"none"', "a whole number")
    yield t("half a copy", "coverage", 2, "copies", "0.5", '"0.5"', "a whole number")
    yield t("left out where it never stood", "coverage", 3, "copies", "0",
            'with "solv"', "one of its identities", field="identity")  # fmt: skip
    yield w("two rows for one template", "coverage",
            {"stereotype_id": "zz001", "identity": "solv", "templates": "1;2", "copies": "1", "reason": "so"},
            "fits as well as row 5", "zz001", "Fill one more", field="templates", row=2)  # fmt: skip
    # templates
    yield t("no {identity}", "templates", 2, "sentence", "Na {predicate}.", "{identity} exactly once")
    yield t("{identity} twice", "templates", 2, "sentence", "{identity} {identity} {predicate}.", "exactly once")
    yield t("{predicate} twice", "templates", 2, "sentence", "{identity} {predicate} {predicate}.", "at most once")
    yield t("unknown placeholder", "templates", 2, "sentence", "{identity} {predikate}.", 'Did you mean "predicate"?')
    yield t("a name's slot for a group", "templates", 2, "sentence", "{subject} {identity} {predicate}.", "{subject}")
    yield t("unpaired brace", "templates", 2, "sentence", "{identity} {predicate.", "paired braces")
    yield t("unknown subject", "templates", 2, "subject", "persoon", '"persoon"', 'Did you mean "person"?')
    yield t("unknown type", "templates", 2, "types", "predicate;klause", 'Did you mean "clause"?')
    yield t("unknown identity form", "templates", 2, "identity_form", "peopl", '"peopl"', 'Did you mean "people"?')
    yield t("number zero", "templates", 2, "template", "0", '"0"', "a number of 1 or more")
    yield t("number too high", "templates", 2, "template", "100", '"100"', "a number of 99 or less")
    yield t("number in words", "templates", 2, "template", "one", '"one"', "a whole number")
    # variants
    yield t("unknown template", "variants", 2, "template_id", "12", '"12"', "a known template")
    yield t("unknown side", "variants", 3, "side", "z", '"z"', "one of x, y")
    yield t("unknown origin", "variants", 2, "origin", "earli", '"earli"', 'Did you mean "early"?')
    yield t("unknown subject", "variants", 5, "subject", "orl", '"orl"', 'Did you mean "orlo"?')
    yield t("unknown counter identity", "variants", 5, "counter_identity", "plane", 'Did you mean "plain"?')
    yield t("unknown identity", "variants", 3, "identity", "plain", '"plain"', "a known identity")
    yield t("unknown identity form", "variants", 4, "identity_form", "treat", 'Did you mean "trait"?')
    yield t("no {identity}", "variants", 2, "sentence", "All {predicate}.", "{identity} exactly once")
    yield t("unknown placeholder", "variants", 2, "sentence", "{identity} {predikat}.", 'Did you mean "predicate"?')
    yield t("says nothing", "variants", 2, "sentence", "", "neither a sentence nor an identity form", "remove the row")
    ov = "Ov {identity} {predicate}."
    yield w("ambiguous", "variants", {"template_id": "1", "identity": "mirn", "sentence": ov},
            "fits as well as row 6", "1, y, zz001, mirn, plain", "Fill one more",
            field="template_id", row=2)  # fmt: skip
    # identities, counter identities and their forms
    yield t("unknown gender", "identities", 2, "name_genders", "femal;male", 'Did you mean "female"?')
    yield t("gender twice", "identities", 2, "name_genders", "male;male", '"male;male"', "each entry once")
    yield t("unknown counter identity", "identities", 2, "counter_identities", "plain;comon", 'Did you mean "common"?')
    yield t("no counter identity", "identities", 2, "counter_identities", "", "an empty cell", "Fill it in")
    yield t("id with a blank", "counter_identities", 2, "counter_identity_id", "plain one", '"plain one"', ids)
    yield t("no label", "counter_identities", 2, "label", "", "an empty cell", "Fill it in")
    yield t("unknown identity", "identity_forms", 2, "identity", "mirm", '"mirm"', 'Did you mean "mirn"?')
    yield t("unknown opposite", "identity_forms", 11, "against", "solf", '"solf"', 'Did you mean "solv"?')
    yield t("unknown origin", "identity_forms", 5, "origin", "late", '"late"', 'Did you mean "later"?')
    yield t("slot in a term", "identity_forms", 2, "text", "mirn {subject}", "{subject}", "Remove the braces")
    yield t("brace in a term", "identity_forms", 2, "sentence_initial", "Mirn {", "Mirn {", "Remove the braces")
    yield r("missing identity form", "identity_forms", 3, 'no form "trait" of "mirn"', "Add a row", field="form")
    yield r("missing counter form", "identity_forms", 8, 'no form "trait" of "plain"', "Add a row", field="form")
    yield w("ambiguous", "identity_forms", {"identity": "common", "form": "people", "text": "u", "origin": "early"},
            "fits as well as row 12", "common, people, early, against solv", "Fill one more",
            field="form", row=10)  # fmt: skip
    # names
    yield t("unknown gender", "names", 2, "gender", "femail", '"femail"', 'Did you mean "female"?')
    yield t("unknown type", "names", 2, "type", "nom", '"nom"', "one of name, pronoun")
    yield t("unknown origin", "names", 5, "origin", "latter", '"latter"', 'Did you mean "later"?')
    yield t("a slot left empty", "names", 3, "slot_owner", "", 'no owner of "orlo"', "Fill it in")
    yield t("slot in a name", "names", 2, "slot_subject", "{object}", "{object}", "Remove the braces")
    yield t("the id group", "names", 2, "name_id", "group", '"group"', "Choose another id")
    # metadata exceptions
    yield t("unknown column", "metadata_exceptions", 2, "column", "texts", 'Did you mean "text"?')
    yield t("unknown form", "metadata_exceptions", 2, "form", "plurals", 'Did you mean "plural"?')
    yield t("no value", "metadata_exceptions", 2, "value", "", "an empty cell", "Fill it in")
    yield t("no such form of it", "metadata_exceptions", 2, "form", "bare",
            "zz001, bare", "a form that the stereotype has", field="stereotype_id")  # fmt: skip
    yield t("no such text", "metadata_exceptions", 3, "text", "ol na", '"ol na"', "a form that the stereotype has")
    yield t("rows in words", "metadata_exceptions", 2, "column", "rows", '"MIRN"', "a digit", field="value")
    yield from _across()
    yield from _editions()


def _across() -> Iterator[Bad]:
    """Editions, retired rows, and columns that only some tables can have."""
    names = source_tables()["names"]
    forms, retired = source_tables()["forms"], source_tables()["forms"].replace(".csv", ".retired.csv")

    def interval(since: str, until: str) -> Callable[[Path], None]:
        def change(root: Path) -> None:
            records = read(root / forms)
            for column, value in (("since", since), ("until", until)):
                records[1][records[0].index(column)] = value
            save(root / forms, records)

        return change

    for since, until in (("1.0.0", "1.0.0"), ("2.0.0", "1.9.0"), ("0.10.0", "0.9.0")):
        yield Bad(f"forms: never valid ({since}, {until})", forms, interval(since, until),
                  (f'"{until}"', f"after since, which is {since}"), 2, "until")  # fmt: skip

    def all_later(root: Path) -> None:
        records = read(root / names)
        for record in records[1:]:
            record[records[0].index("since")] = "2.0.0"
        save(root / names, records)

    yield Bad("names: none in this edition", names, all_later, ("no row that holds in edition 1.0.0", "since"))

    def identity_later(root: Path) -> None:
        records = read(root / source_tables()["identities"])
        records[2][records[0].index("since")] = "1.1.0"
        save(root / source_tables()["identities"], records)

    yield Bad("stereotypes: an identity of a later edition", source_tables()["stereotypes"], identity_later,
              ('"solv"', "a known identity in edition 1.0.0"), 3, "identities")  # fmt: skip

    def name_gone(root: Path) -> None:
        records = read(root / names)
        records[2][records[0].index("until")] = "1.0.0"
        save(root / names, records)

    yield Bad("variants: a name of an earlier edition", source_tables()["variants"], name_gone,
              ('"orlo"', "a known subject in edition 1.0.0"), 5, "subject")  # fmt: skip

    def reserved(root: Path) -> None:
        records = read(root / names)
        save(root / names, [[*records[0], "slot_identity"], *([*record, "x"] for record in records[1:])])

    yield Bad("names: a slot with the name of another", names, reserved, ('"slot_identity"', "Rename the column"), 1)

    def unfilled(root: Path) -> None:
        records = read(root / names)
        for record in records[1:]:
            record[records[0].index("slot_owner")] = ""
        save(root / names, records)

    yield Bad("forms: a slot that no name fills", forms, unfilled, ("{owner}", "one of"), 8, "text")

    def retire(cells: dict[str, str]) -> Callable[[Path], None]:
        def change(root: Path) -> None:
            header = read(root / forms)[0]
            save(root / retired, [header, [cells.get(column, "") for column in header]])

        return change

    old = {"stereotype_id": "zz001", "form": "plural", "text": "ban brell", "until": "0.9.0", "reason": "respelt"}
    yield Bad("retired: no until", retired, retire(old | {"until": ""}), ("an empty cell", "Fill it in"), 2, "until")
    yield Bad("retired: no reason", retired, retire(old | {"reason": ""}), ("an empty cell", "why"), 2, "reason")
    yield Bad("retired: still in the current table", retired, retire(old), ("which row 3 of ", "forms.csv has as well"),
              2, "stereotype_id")  # fmt: skip
    yield Bad("retired: unknown stereotype", retired, retire(old | {"stereotype_id": "zz901"}),
              ('"zz901"', "a known stereotype"), 2, "stereotype_id")  # fmt: skip
    yield Bad("retired: unknown slot", retired, retire(old | {"form": "single", "text": "{ownr}", "identity": "mirn"}),
              ("{ownr}", 'Did you mean "owner"?'), 2, "text")  # fmt: skip


def _editions() -> Iterator[Bad]:
    def lines(*rows: str) -> Callable[[Path], None]:
        text = "\n".join(["edition,languages,summary", *rows]) + "\n"
        return lambda root: (root / EDITIONS).write_text(text, encoding="utf-8") and None

    for name, rows, says, row, field in (
        ("bad number", ["1.0,toy,so"], ('"1.0"', "an edition such as 1.0.0"), 2, "edition"),
        ("unknown language", ["1.0.0,toi,so"], ('"toi"', 'Did you mean "toy"?'), 2, "languages"),
        ("no language", ["1.0.0,,so"], ("an empty cell", "Fill it in"), 2, "languages"),
        ("no summary", ["1.0.0,toy,"], ("an empty cell", "Fill it in"), 2, "summary"),
        ("other wording, same number", ["1.0.0,toy,so", "1.0.0,toy,or"], ("which row 2 has as well",), 3, "edition"),
    ):
        yield Bad(f"editions: {name}", EDITIONS, lines(*rows), says, row, field)


def language() -> Iterator[Bad]:
    """language.yaml gone wrong."""
    yield from _yaml(LANGUAGE, "name: Toy", "direction")
    for name, old, new, says, field in (
        ("unknown direction", "direction: ltr", "direction: up", ('"up"', "'ltr' or 'rtl'"), "direction"),
        ("unknown column of the pairs", "sent_x", "sentx", ('"sentx"', 'Did you mean "sent_x"?'),
         "published_columns.first"),
        ("unknown metadata value", "gloss: gloss", "gloss: glos", ('"glos"', 'Did you mean "gloss"?'),
         "metadata_columns.gloss"),
        ("unknown origin", "- early", "- earlier", ('"earlier"', 'Did you mean "early"?'), "metadata_gloss_origins"),
        ("a text where columns stand", "metadata_gloss_origins:\n- early", "metadata_gloss_origins: early",
         ('"early"', "a valid list"), "metadata_gloss_origins"),
        ("no columns", "metadata_columns:\n", "metadata_columns: {}\nother:\n", ("at least 1 item",),
         "metadata_columns"),
        ("a number as name", "name: Toy", "name: 7", ('"7"', "a valid string"), "name"),
    ):  # fmt: skip
        yield Bad(f"language.yaml: {name}", LANGUAGE, _replaced(LANGUAGE, old, new), says, None, field)


def config() -> Iterator[Bad]:
    """config.yaml gone wrong."""
    yield from _yaml(CONFIG, "languages:", "languages")
    editions = "languages.toy.editions"
    survey = "languages:\n  toy:\n    editions: ['1.0.0']\n    survey:\n      instrument: {}\n      exports: [{}]\n"
    for name, text, says, field in (
        ("unknown key of a section", "languages:\n  toy:\n    edition: ['1.0.0']\n",
         ("an unknown key", 'Did you mean "editions"?'), "languages.toy.edition"),
        ("unknown section", "languages:\n  toy:\n    editions: ['1.0.0']\npair:\n  excluded_tiers: []\n",
         ("an unknown key", 'Did you mean "pairs"?'), "pair"),
        ("unknown edition", "languages:\n  toy:\n    editions: ['1.0.1']\n",
         ('"1.0.1"', "an edition of this language in release/editions.csv: 1.0.0"), editions),
        ("unknown language", "languages:\n  toi:\n    editions: ['1.0.0']\n",
         ('"toi"', 'Did you mean "toy"?'), "languages.toi"),
        ("an edition as a number", "languages:\n  toy:\n    editions: [1.0]\n",
         ('"1.0"', "a valid string"), editions + ".0"),
        ("an edition that is none", "languages:\n  toy:\n    editions: ['one']\n",
         ('"one"', "an edition such as 1.0.0"), editions + ".0"),
        ("no edition", "languages:\n  toy:\n    editions: []\n", ("at least 1 item",), editions),
        ("an edition without a list", "languages:\n  toy:\n    editions: '1.0.0'\n",
         ('"1.0.0"', "a valid list"), editions),
        ("no languages", "languages: {}\n", ("at least 1 item",), "languages"),
        ("a language code read as no", "languages:\n  no:\n    editions: ['1.0.0']\n",
         ('"False"', "Put it between quotation marks"),
         "languages.0.[key]"),
        ("a language code with a path", "languages:\n  ../toy:\n    editions: ['1.0.0']\n",
         ('"../toy"', "a language code such as nl or pt-BR"),
         "languages.../toy.[key]"),
        ("tiers in words", "languages:\n  toy:\n    editions: ['1.0.0']\npairs:\n  excluded_tiers: [low]\n",
         ('"low"', "-1, 1, 2 or 3"), "pairs.excluded_tiers.0"),
        ("a path outside the project", survey.format("../instrument.yaml", "a.csv"),
         ('"../instrument.yaml"', "a path below the project folder"), "languages.toy.survey.instrument"),
        ("an absolute path", survey.format("a.yaml", "/tmp/a.csv"),
         ('"/tmp/a.csv"', "a path below the project folder"), "languages.toy.survey.exports.0"),
        ("a file that is not there", survey.format("survey/a.yaml", "b.csv"),
         ('"survey/a.yaml", which does not exist', "Put the file there"),
         "languages.toy.survey.instrument"),
        ("no exports", survey.format("a.yaml", ""), ("at least 1 item",), "languages.toy.survey.exports"),
    ):  # fmt: skip
        yield Bad(f"config.yaml: {name}", CONFIG, _written(CONFIG, text), says, None, field)


def _yaml(file: str, line: str, key: str) -> Iterator[Bad]:
    """What can happen to any YAML file: ``line`` stands in it, ``key`` is one of its keys."""
    name = Path(file).name

    def bytes_of(make: Callable[[bytes], bytes]) -> Callable[[Path], None]:
        return lambda root: (root / file).write_bytes(make((root / file).read_bytes())) and None

    def bad(what: str, make: Callable[[bytes], bytes], *says: str, row: int | None = None, field: str = "") -> Bad:
        return Bad(f"{name}: {what}", file, bytes_of(make), says, row, field or None)

    spelt = "YAML: key, colon, blank, value"
    yield Bad(f"{name}: missing file", file, lambda root: (root / file).unlink(), ("no such file", "Restore it"))
    yield bad("empty file", lambda _: b"", "an empty file")
    yield bad("comments only", lambda _: b"# nothing\n", "no keys at all", key)
    yield bad("a list", lambda _: b"- a\n- b\n", "no keys at all", key)
    yield bad("a word", lambda _: b"toy\n", "no keys at all", key)
    yield bad("utf-16", lambda content: content.decode().encode("utf-16"), "UTF-16 text")
    yield bad("windows-1252", lambda content: content + "# é\n".encode("cp1252"), "the byte 0xe9", "Windows-1252")
    yield bad("tab before a key", lambda content: content + b"\tbron: x\n", spelt)
    yield bad("unclosed quote", lambda content: content + b"bron: 'x\n", spelt)
    yield bad("unclosed bracket", lambda content: content + b"bron: [x\n", spelt)
    yield bad("no colon", lambda content: content + b"bron\n", spelt)
    yield bad("an impossible date", lambda content: content + b"bron: 2025-13-01\n", "month", spelt)
    yield bad("an object of Python", lambda content: content + b"bron: !!python/object:os.system {}\n", spelt)
    yield bad("a key of keys", lambda content: content + b"? {a: b}\n: c\n", spelt)
    again = line.split(":")[0]
    yield bad("a key twice", lambda content: content + f"{again}: x\n".encode(), f"the key '{again}' twice", spelt)
    yield bad("a key missing", lambda content: content.replace(again.encode(), b"bron", 1), "no such key", field=again)
    yield bad("an unknown key", lambda content: content + b"bron: x\n", "an unknown key", "Known here", field="bron")
    misspelt = key[:-1]
    yield bad("a key misspelt", lambda content: content + f"{misspelt}: x\n".encode(), "an unknown key",
              f'Did you mean "{key}"?', field=misspelt)  # fmt: skip


def _replaced(file: str, old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / file).read_text(encoding="utf-8")
        assert text.count(old) >= 1
        (root / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def _written(file: str, text: str) -> Callable[[Path], None]:
    return lambda root: (root / file).write_text(text, encoding="utf-8") and None
