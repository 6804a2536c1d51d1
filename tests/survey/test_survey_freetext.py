"""Free text to stereotypes: the sheet gives nobody away, two coders are compared, what they agree on is handed over."""

from __future__ import annotations

import csv
import shlex
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl.cli import main
from winoqueer_nl.problems import InputError
from winoqueer_nl.schema import Form, Stereotype
from winoqueer_nl.survey import coding, freetext
from winoqueer_nl.survey.freetext import COLUMNS, Settings

FORMS = [Form(stereotype_id=f"s{i}", form="main_plural", text=text) for i, text in ((1, "are blue"), (2, "are round"))]
STEREOTYPES = [
    Stereotype(
        stereotype_id=f"s{i:02d}",
        type="predicate",
        origin="old",
        gloss=f"g{i}",
        gloss_singular="g",
        identities=("all",),
    )
    for i in (1, 2)
]


def texts(survey, *answers: str, **settings) -> list[freetext.Text]:
    from winoqueer_nl.survey.instrument import load

    survey.instrument["rounds"]["first"]["missing_stereotypes"] = ["WORDS"]
    for row, answer in zip((4, 5, 7), answers, strict=False):
        survey.set(row, "WORDS", answer)
    return freetext.make(survey.read(), load(survey.folder / "instrument.yaml"), FORMS, Settings(**settings))


def test_each_line_is_a_text_and_near_duplicates_stand_together(survey) -> None:
    found = texts(survey, "are very blue\nlike cats", "Are very Blue!", "own boats")
    assert sorted(one.text for one in found) == ["Are very Blue!", "are very blue", "like cats", "own boats"]
    group = {one.text: one.group for one in found}
    assert group["are very blue"] == group["Are very Blue!"]
    assert len(set(group.values())) == 3
    places = [i for i, one in enumerate(found) if "lue" in one.text]
    assert places[1] == places[0] + 1
    assert [one.text_id for one in found] == ["T0001", "T0002", "T0003", "T0004"]


def test_existing_stereotypes_are_suggested_the_likest_first(survey) -> None:
    found = {one.text: one.suggestions for one in texts(survey, "they are blue", "xyzzy", "")}
    assert found["they are blue"][0].startswith("s1: are blue (")
    assert found["xyzzy"] == ()


def test_the_sheet_depends_on_what_was_written_and_not_on_who_or_when(survey, new_survey) -> None:
    one = texts(survey, "alpha", "beta", "gamma")
    other = texts(new_survey(), "gamma", "alpha", "beta")
    assert one == other
    assert texts(new_survey(), "alpha", "beta", "gamma", seed=7) != one


def test_addresses_accounts_and_numbers_are_masked() -> None:
    text = "mail jan@example.org or @jan, +31 6 1234 5678, see https://example.org/jan or www.jan.nl, 3 cats"
    assert freetext.masked(text) == "mail [e-mail] or [account], [number], see [link] or [link] 3 cats"


def test_only_questions_about_missing_stereotypes_are_coded(survey) -> None:
    with pytest.raises(InputError, match="missing_stereotypes"):
        freetext.make(survey.read(), load_of(survey), FORMS, Settings())


def load_of(survey):
    from winoqueer_nl.survey.instrument import load

    return load(survey.folder / "instrument.yaml")


def test_missing_stereotypes_must_be_free_text(survey) -> None:
    survey.instrument["rounds"]["first"]["missing_stereotypes"] = ["WHO"]
    with pytest.raises(InputError, match="one of free_text: WORDS"):
        survey.read()


@given(st.lists(st.text(max_size=12), max_size=12))
def test_groups_hold_every_text_once(written: list[str]) -> None:
    found = freetext.groups(written, 85)
    assert sorted(i for members in found for i in members) == list(range(len(written)))
    for members in found:
        for i in members:
            assert all(
                j in members for j in range(len(written)) if written[j].casefold() == written[i].casefold() != ""
            )


def coded(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> Path:
    """A coder's sheet; what a row does not say is empty."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(COLUMNS)
        for number, row in enumerate(rows, start=1):
            given_cells = {"text_id": f"T{number:04d}", "group": f"G{number:04d}", "text": f"text {number}"}
            writer.writerow([(given_cells | row).get(column, "") for column in COLUMNS])
    return path


NEW = {"code": "new", "wording": "have boats", "identities": "all", "gloss": "have boats", "gloss_singular": "a boater"}
OLD = {"code": "existing", "stereotype_id": "s01"}
APART = {"code": "not_expressible", "wording": "speaks of two groups", "reason": "needs two subjects"}
NONE = {"code": "not_a_stereotype"}


def test_agreement_is_that_of_the_published_formulas(tmp_path: Path) -> None:
    """Ten texts, two coders; worked out by hand: 8 of 10 equal.

    Cohen: 6 and 6 of 10 "existing", 4 and 4 of the other: expected 0.36 + 0.16 = 0.52, kappa (0.8 - 0.52) / 0.48.
    Krippendorff, 20 values, 12 and 8: expected disagreement 2 * 12 * 8 / (20 * 19), observed 2 * 2 / 20 (each pair
    counts twice): alpha = 1 - 0.2 / (192 / 380).
    """
    first = coded(tmp_path / "a.csv", [OLD] * 6 + [NONE] * 4)
    second = coded(tmp_path / "b.csv", [OLD] * 5 + [NONE] + [OLD] + [NONE] * 3)
    found = coding.compare(first, second, None, STEREOTYPES, seed=1).agreement
    assert found["code"]["equal_percent"] == 80.0
    assert found["code"]["cohen_kappa"] == round((0.8 - 0.52) / 0.48, 4)
    assert found["code"]["krippendorff_alpha"] == round(1 - 0.2 / (192 / 380), 4)
    low, high = found["code"]["krippendorff_alpha_95"]
    assert low < found["code"]["krippendorff_alpha"] < high
    assert found["first_by_second"]["existing"]["not_a_stereotype"] == 1
    assert found["to_settle"] == 2


def test_coders_who_use_one_code_only_leave_nothing_to_measure(tmp_path: Path) -> None:
    first, second = coded(tmp_path / "a.csv", [NONE] * 3), coded(tmp_path / "b.csv", [NONE] * 3)
    found = coding.compare(first, second, None, STEREOTYPES, seed=1).agreement
    assert found["code"] == {
        "equal_percent": 100.0,
        "krippendorff_alpha": None,
        "krippendorff_alpha_95": None,
        "cohen_kappa": None,
    }


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_alpha_equals_a_plain_count_of_pairs(pairs: list[tuple[int, int]]) -> None:
    data = np.array(pairs).T
    values = [value for pair in pairs for value in pair]
    n = len(values)
    expected = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j) / (n * (n - 1))
    observed = sum(a != b for a, b in pairs) / len(pairs)
    found = coding._alpha(data)
    if expected == 0:
        assert found is None
    else:
        assert found == pytest.approx(1 - observed / expected)


def test_agreed_new_ones_are_handed_over_and_what_cannot_be_expressed_is_kept(tmp_path: Path) -> None:
    first = coded(
        tmp_path / "a.csv", [NEW, NEW | {"wording": "Have Boats"}, APART, OLD, NEW | {"wording": "own ships"}]
    )
    second = coded(tmp_path / "b.csv", [NEW, NEW, APART, NONE, NEW | {"wording": "have ships"}], delimiter=";")
    outcome = coding.compare(first, second, None, STEREOTYPES, seed=1)
    assert [row[0] for row in outcome.to_settle] == ["T0004", "T0005"]
    assert outcome.to_settle[0][COLUMNS.index("code")] == "existing | not_a_stereotype"
    handed = coding.hand_over(outcome, STEREOTYPES, "new-survey", "n", "main_plural")
    assert [row["stereotype_id"] for row in handed.stereotypes] == ["n001"]
    assert handed.stereotypes[0]["gloss"] == "have boats"
    assert handed.forms[0]["text"] == "have boats"
    assert handed.mentions == {"n001": 2}
    assert handed.not_expressible == [{"wording": "speaks of two groups", "reason": "needs two subjects"}]
    words = shlex.split(handed.commands("xx")[0])
    assert words[:3] == ["winoqueer-nl", "add", "stereotype"]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options["--id"] == "n001"
    assert options["--form"] == "main_plural=have boats"
    assert options["--lang"] == "xx"


def test_what_was_settled_decides(tmp_path: Path) -> None:
    first, second = coded(tmp_path / "a.csv", [NEW, OLD]), coded(tmp_path / "b.csv", [NEW, NEW])
    settled = coded(tmp_path / "s.csv", [NEW | {"text_id": "T0002", "wording": "own ships"}])
    outcome = coding.compare(first, second, settled, STEREOTYPES, seed=1)
    assert outcome.to_settle == []
    handed = coding.hand_over(outcome, STEREOTYPES, "old", None, "main_plural")
    # Ids go on from those of the origin: s01 and s02 are taken.
    assert [(r["stereotype_id"], f["text"]) for r, f in zip(handed.stereotypes, handed.forms, strict=True)] == [
        ("s03", "have boats"),
        ("s04", "own ships"),
    ]
    # Agreement stays that of the two who coded alone.
    assert outcome.agreement["code"]["equal_percent"] == 50.0


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, "row 2, code: found an empty cell"),
        ({"code": "exists"}, 'Did you mean "existing"?'),
        ({"code": "existing"}, "stereotype_id, which existing needs"),
        ({"code": "existing", "stereotype_id": "s09"}, 'found "s09"; expected an existing stereotype'),
        (NEW | {"gloss": ""}, "gloss, which new needs"),
        (NEW | {"identities": "alll"}, 'Did you mean "all"?'),
        (APART | {"reason": " "}, "reason, which not_expressible needs"),
        (NONE | {"text_id": ""}, "each text once"),
        (NONE | {"text": "another text"}, "another text or group than in the other sheet"),
        (NONE | {"text_id": "T0009"}, "the same texts in both sheets"),
    ],
)
def test_a_sheet_that_is_not_filled_in_as_asked_gets_a_message(tmp_path: Path, row, expected: str) -> None:
    first, second = coded(tmp_path / "a.csv", [NONE]), coded(tmp_path / "b.csv", [row])
    with pytest.raises(InputError) as caught:
        coding.compare(first, second, None, STEREOTYPES, seed=1)
    assert expected in caught.value.message()
    assert "another text" not in caught.value.message().replace("another text or group", "")


def test_columns_that_were_changed_are_refused(tmp_path: Path) -> None:
    path = coded(tmp_path / "a.csv", [NONE])
    path.write_text(path.read_text("utf-8-sig").replace("wording", "words"), "utf-8")
    with pytest.raises(InputError, match="other columns"):
        coding.compare(path, path, None, STEREOTYPES, seed=1)


def test_texts_with_one_wording_must_have_one_gloss(tmp_path: Path) -> None:
    rows = [NEW, NEW | {"gloss": "own boats"}]
    first, second = coded(tmp_path / "a.csv", rows), coded(tmp_path / "b.csv", rows)
    outcome = coding.compare(first, second, None, STEREOTYPES, seed=1)
    with pytest.raises(InputError, match="one wording of it in English"):
        coding.hand_over(outcome, STEREOTYPES, "new-survey", "n", "main_plural")


def test_an_origin_without_ids_needs_a_prefix(tmp_path: Path) -> None:
    first, second = coded(tmp_path / "a.csv", [NEW]), coded(tmp_path / "b.csv", [NEW])
    outcome = coding.compare(first, second, None, STEREOTYPES, seed=1)
    with pytest.raises(InputError, match="--id-prefix"):
        coding.hand_over(outcome, STEREOTYPES, "new-survey", None, "main_plural")


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_the_whole_way_from_export_to_commands(
    survey, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """Sheet made, filled in by two, imported; files are the coders' and the maintainer's alone."""
    survey.instrument["rounds"]["first"]["missing_stereotypes"] = ["WORDS"]
    survey.set(4, "WORDS", "=have boats\nare blue")
    survey.set(5, "WORDS", "")
    survey.write()
    forms = survey.folder / "xx" / "forms.csv"
    forms.parent.mkdir()
    forms.write_text(
        "stereotype_id,form,text,identity,copy_number,since,until,kind,reason\ns1,main_plural,are blue,,,,,,\n", "utf-8"
    )
    sheet, folder = survey.folder / "coding" / f"sheet.{kind}", survey.folder / "coding"

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", "survey", "freetext", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        assert not ended.value.code, shown.err
        return shown.out

    common = ("--instrument", str(survey.folder / "instrument.yaml"), "--lang", "xx")
    shown = run("sheet", str(survey.export), *common, "--out", str(sheet))
    assert "Content warning" in shown
    assert "have boats" not in shown
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600
    copies = []
    for name in ("a", "b"):
        copy = folder / f"{name}.{kind}"
        _fill(sheet, copy)
        copies.append(str(copy))
    shown = run("import", *copies, *common, "--origin", "next", "--id-prefix", "n", "--out", str(folder))
    assert "Same code: 100.0 %" in shown
    assert "winoqueer-nl add stereotype --id n001" in shown
    for name in ("agreement.json", "to_settle.csv", "new_stereotypes.csv", "new_forms.csv", "not_expressible.csv"):
        assert stat.S_IMODE((folder / name).stat().st_mode) & 0o077 == 0 or name == "agreement.json"
    from winoqueer_nl.problems import Problems
    from winoqueer_nl.tables import read_table

    problems = Problems()
    rows = read_table(folder / "new_stereotypes.csv", Stereotype, problems)
    assert [row.gloss for row in rows] == ["have boats"]
    assert [row.text for row in read_table(folder / "new_forms.csv", Form, problems)] == ["hebben boten"]
    problems.stop()


def _fill(sheet: Path, copy: Path) -> None:
    """What a coder does: boats are new, blue exists."""
    new = NEW | {"wording": "hebben boten"}
    if sheet.suffix == ".csv":
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        for row in rows[1:]:
            assert not row[2].startswith("=")
            row[6:] = [(new if "boats" in row[2] else OLD | {"stereotype_id": "s1"}).get(c, "") for c in COLUMNS[6:]]
        with copy.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return
    from openpyxl import load_workbook

    book = load_workbook(sheet)
    page = book["coding"]
    for row in page.iter_rows(min_row=2):
        assert row[2].data_type == "s"
        answers = new if "boats" in row[2].value else OLD | {"stereotype_id": "s1"}
        for cell, column in zip(row[6:], COLUMNS[6:], strict=True):
            cell.value = answers.get(column)
    book.save(copy)
