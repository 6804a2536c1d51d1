"""Fixtures as files: a case of tests/survey/fixtures becomes an instrument and an export in a folder."""

from __future__ import annotations

import copy
import datetime
from pathlib import Path
from typing import Any

import yaml

FIXTURES = Path(__file__).parent / "fixtures"
VOCABULARY = {
    "yes_labels": ["Ja", "Y", "1"],
    "no_labels": ["Nee", "N", "2"],
    "unsure_labels": ["Weet niet", "U", "3"],
}


def fixtures() -> dict[str, dict[str, Any]]:
    """Every fixture file by reader."""
    return {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in sorted(FIXTURES.glob("*.yaml"))}


def merged(base: Any, change: Any) -> Any:
    """A mapping with another one's keys on top, at every depth for sav; lists are replaced."""
    found = copy.deepcopy(base)
    for key, value in (change or {}).items():
        found[key] = copy.deepcopy(value)
    return found


def instrument_of(fixture: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    return {
        "stereotypes": "stereotypes.csv",
        "languages": {"xx": merged(VOCABULARY, case.get("languages"))},
        "harmfulness": {"minimum": -1, "maximum": 4} | case.get("harmfulness", {}),
        "formats": {"tool": merged(fixture["format"], case.get("format"))},
        "rounds": {"one": {"language": "xx", "format": "tool"} | merged(fixture["round"], case.get("round"))},
        "rules": case.get("rules", {}),
    }


def write_case(folder: Path, fixture: dict[str, Any], case: dict[str, Any]) -> tuple[Path, Path]:
    """Write instrument and export; return their paths."""
    table = folder / "stereotypes.csv"
    header = "stereotype_id,type,origin,gloss,gloss_singular,identities,since,until,kind,reason\n"
    table.write_text(header + "".join(f"s{i},predicate,test,g{i},g{i},all,,,,\n" for i in range(1, 7)), "utf-8")
    instrument = folder / "instrument.yaml"
    instrument.write_text(yaml.safe_dump(instrument_of(fixture, case), allow_unicode=True, sort_keys=False), "utf-8")
    if "rows_of_cells" in case:
        export = folder / "export.xlsx"
        write_workbook(export, case["rows_of_cells"], case.get("other_sheet"), case.get("formula", False))
    elif "columns" in case:
        export = folder / "export.sav"
        sav = merged(fixture.get("sav", {}), case.get("sav"))
        write_sav(export, case["columns"], sav["texts"], sav.get("labels", {}), sav.get("missing", {}))
    else:
        container = instrument_of(fixture, case)["formats"]["tool"]
        suffix = {"generic_xlsx": "xlsx", "microsoft_forms_xlsx": "xlsx", "spss_sav": "sav"}.get(
            container["reader"], "csv"
        )
        export = folder / f"export.{container.get('container', suffix)}"
        text = case["file"] if "file" in case else changed(case["change"])
        text = text.replace("\n", case.get("line_end", "\n"))
        export.write_bytes(text.encode(case.get("encoding", "utf-8")))
    export.chmod(0o600)
    return instrument, export


def changed(change: dict[str, str]) -> str:
    """A file of another case with one text in it replaced; ``@cut`` cuts it off there."""
    assert change["from"] in change["file"], change["from"]
    if change["to"] == "@cut":
        return change["file"][: change["file"].index(change["from"])]
    return change["file"].replace(change["from"], change["to"])


def write_workbook(path: Path, rows: list[list[Any]], other_sheet: str | None = None, formula: bool = False) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Sheet1"
    for number, row in enumerate(rows, start=1):
        for position, value in enumerate(row, start=1):
            cell = sheet.cell(number, position)
            cell.value = value
            if isinstance(value, str) and value.startswith("=") and not formula:
                cell.data_type = "s"
            if isinstance(value, datetime.datetime):
                cell.number_format = "yyyy-mm-dd hh:mm:ss"
    if other_sheet:
        book.create_sheet(other_sheet).append(["something else"])
    book.save(path)


def write_sav(
    path: Path,
    columns: dict[str, list[Any]],
    texts: dict[str, str] | None,
    labels: dict[str, dict[Any, str]],
    missing: dict[str, list[Any]],
) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame(
        {
            name: pd.Series(
                values, dtype="float64" if all(isinstance(v, int | float | None) for v in values) else "str"
            )
            for name, values in columns.items()
        }
    )
    known = {name: {float(code): label for code, label in of.items()} for name, of in labels.items() if name in frame}
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels=None if texts is None else [texts.get(name, name) for name in columns],
        variable_value_labels={n: of for n, of in known.items() if frame[n].dtype == "float64"},
        missing_ranges={n: [float(v) for v in of] for n, of in missing.items() if n in columns},
    )
