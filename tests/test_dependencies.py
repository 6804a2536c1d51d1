"""The packages used: every licence is known and judged, and a package that nobody looked up is not called safe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import PROJECT, Run
from winoqueer_nl import dependencies
from winoqueer_nl.dependencies import HOLES, NOT_LOOKED_UP, _judged, _licence_of, audit, licences, locked, table
from winoqueer_nl.problems import InputError

UNKNOWN = {"License-Expression": "UNKNOWN", "License-Classifier": "UNKNOWN", "License-Metadata": "UNKNOWN"}


def test_the_page_of_licences_is_that_of_the_locked_packages() -> None:
    page = (PROJECT / dependencies.TABLE).read_text(encoding="utf-8")
    found = licences(PROJECT)
    assert len(found) > 100
    written = {line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| ")}
    assert written - {"package"} == set(locked(PROJECT)), "run: winoqueer-nl licences --out docs/licences.md"
    missing = [line for line in table(found).splitlines() if line not in page]
    assert missing == [], "run: winoqueer-nl licences --out docs/licences.md"


@pytest.mark.parametrize(
    ("package", "licence", "remark"),
    [
        ("x", "MIT", ""),
        ("x", "BSD-3-Clause", ""),
        ("x", "MPL-2.0 AND MIT", "asks for its own changed files only"),
        ("x", "GNU Lesser General Public License v3 (LGPLv3)", "asks for its own changed files only"),
        ("x", "GPL-3.0-or-later", "?"),
        ("x", "GNU Affero General Public License v3", "?"),
        ("x", "", "?"),
    ],
)
def test_copyleft_and_unknown_licences_wait_for_a_person(package: str, licence: str, remark: str) -> None:
    assert _judged(package, licence).remark == remark


def test_a_licence_is_read_from_wherever_the_package_says_it() -> None:
    assert _licence_of(UNKNOWN | {"License-Expression": "MIT"}) == "MIT"
    assert _licence_of(UNKNOWN | {"License-Classifier": "Apache Software License"}) == "Apache Software License"
    assert _licence_of(UNKNOWN | {"LicenseText": "\nMIT License\n\nCopyright"}) == "MIT License"
    assert _licence_of(UNKNOWN | {"LicenseText": "UNKNOWN"}) == ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that locks three packages."""
    (tmp_path / dependencies.LOCK).write_text("a_b==1.0\n    # via x\nc==2.0\nd==3.0\n", encoding="utf-8")
    return tmp_path


def program(root: Path, answer: object, status: int = 0) -> Path:
    """A stand-in for pip-audit that writes this answer; None: it fails with a traceback, as without a network."""
    path = root / dependencies.AUDIT_ENVIRONMENT / "bin/pip-audit"
    path.parent.mkdir(parents=True, exist_ok=True)
    (root / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    copy = f"cp '{root}/answer.json' \"${{@: -1}}\"" if answer is not None else "echo Traceback >&2"
    path.write_text(f"#!/bin/bash\n{copy}\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def clean(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "version": "1.0", "vulns": []} for name in names]


def test_an_audit_tells_holes_from_packages_that_nobody_looked_up(project: Path, run: Run) -> None:
    program(project, {"dependencies": clean("a-b", "c", "d")})
    assert run("audit", "--root", project) == (0, "3 packages looked up, 0 with known holes.\n", "")

    hole = {"name": "c", "version": "2.0", "vulns": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]}
    program(project, {"dependencies": [*clean("a-b", "d"), hole]}, 1)
    ran = run("audit", "--root", project)
    assert (ran.status, ran.out.splitlines()[1]) == (HOLES, "c 2.0: PYSEC-1, PYSEC-2")

    # pip-audit itself calls this "no known vulnerabilities" and ends with 0.
    program(
        project, {"dependencies": [*clean("a-b"), {"name": "c", "skip_reason": "x"}, {"name": "d", "skip_reason": "x"}]}
    )
    ran = run("audit", "--root", project)
    assert ran.status == NOT_LOOKED_UP
    assert "NOT AUDITED: 2 packages." in ran.out


def test_a_database_that_cannot_be_reached_is_a_status_of_its_own_and_no_traceback(project: Path, run: Run) -> None:
    program(project, None, 1)
    ran = run("audit", "--root", project)
    assert ran.status == NOT_LOOKED_UP
    assert "0 packages looked up" in ran.out
    assert "The database of vulnerabilities could not be reached" in ran.out
    assert "Traceback" not in ran.out + ran.err
    assert audit(project).skipped == ["a-b", "c", "d"]


def test_without_the_program_or_the_lock_the_way_out_is_told(project: Path) -> None:
    with pytest.raises(InputError, match="Set it up and run it: make audit"):
        audit(project)
    with pytest.raises(InputError, match=r"requirements\.lock.*make lock"):
        locked(project / "nowhere")
