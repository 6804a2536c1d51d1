"""The project that is put under fault: a copy of this one that builds a toy language with a survey and one model."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import itertools
import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from copies import copy_project, environment
from release.toy_release import LANG, write_project

EDITION = "1.0.0"
RELEASE = f"results/release/{LANG}-{EDITION}"
#: What a person builds: everything, and the release folder.
TARGETS = ("all", "release")
CONFIG = {
    "languages": {
        LANG: {
            "editions": [EDITION],
            "survey": {"instrument": "survey/toy.yaml", "exports": ["survey/exports/toy.csv"]},
        }
    },
    "survey": {"resamples": 200},
    "scoring": {"models": {"demo-masked": {}}},
    "statistics": {"resamples": 200},
    "report": {"language": LANG},
}
INSTRUMENT = {
    "stereotypes": "../predicates/stereotypes.csv",
    "languages": {LANG: {"yes_labels": ["yep"], "no_labels": ["nope"], "unsure_labels": ["dunno"]}},
    "harmfulness": {"minimum": -1, "maximum": 4},
    "formats": {"table": {"reader": "generic_csv", "respondent": "nr"}},
    "rounds": {
        "main": {
            "language": LANG,
            "format": "table",
            "items": [
                {"stereotypes": [s], "asked": s, "relevance": f"{s}?", "harmfulness": f"{s}!"}
                for s in ("wq001", "wq002", "wq003")
            ],
        }
    },
}


#: Gates that the toy sentences do not pass.
CHECK = {"severity": dict.fromkeys(("slot_only", "term_form", "term_casing", "blanks", "carrier"), "note")}
#: A table, and a change of it that changes results.
TABLE, OLD, NEW = f"predicates/{LANG}/forms.csv", "brel", "fleem dronk"


class Ran(NamedTuple):
    """How a command ended and what it said."""

    status: int
    said: str


def make(folder: Path) -> Path:
    """Write the project into a folder that does not exist yet."""
    copy_project(folder)
    for place in ("templates", "predicates"):
        shutil.rmtree(folder / place)
    write_project(folder, survey_exports="reconstructed")
    (folder / f"templates/{LANG}/check.yaml").write_text(yaml.safe_dump(CHECK), encoding="utf-8")
    (folder / "survey/toy.yaml").write_text(yaml.safe_dump(INSTRUMENT, sort_keys=False), encoding="utf-8")
    questions = [f"{item['stereotypes'][0]}{sign}" for item in INSTRUMENT["rounds"]["main"]["items"] for sign in "?!"]
    chance = random.Random(0)
    with (folder / "survey/exports/toy.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["nr", *questions])
        for number in range(12):
            # the first two stereotypes are mostly affirmed, the third mostly not: it is left out of the pairs
            likely = {"wq001?": 0.9, "wq002?": 0.65, "wq003?": 0.1}
            answers = [
                ("yep" if chance.random() < likely[q] else "nope") if q in likely else chance.randint(-1, 4)
                for q in questions
            ]
            rows.writerow([number, *answers])
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG, sort_keys=False), encoding="utf-8")
    return folder


def command(*arguments: object, module: str = "winoqueer_nl.cli") -> list[str]:
    """The command line of `winoqueer-nl` (or of another module) with arguments."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def run(
    folder: Path, *arguments: object, prefix: Sequence[str] = (), module: str = "winoqueer_nl.cli", **more: str
) -> Ran:
    """Run `winoqueer-nl` in the project and wait for it."""
    ran = subprocess.run(
        [*prefix, *command(*arguments, module=module)],
        cwd=folder,
        env=environment(folder, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    return Ran(ran.returncode, ran.stdout)


def start(folder: Path, *arguments: object, out: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start `winoqueer-nl` in the project, in a process group of its own; out: where both its outputs go."""
    return subprocess.Popen(
        command(*arguments),
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
        stdout=out,
        stderr=subprocess.STDOUT,
        text=True,
    )


def build(folder: Path, *targets: str, **more: str) -> Ran:
    """What `make` runs, on one core: two faults are tried at a time."""
    return run(folder, "build", "--cores", "1", *(targets or TARGETS), **more)


def change_table(folder: Path) -> None:
    """Change a table as a person would."""
    path = folder / TABLE
    path.write_text(path.read_text(encoding="utf-8").replace(OLD, NEW), encoding="utf-8")


@dataclass
class Base:
    """The undisturbed project: sources alone and built, and the digests of what was built before and after a change.

    seconds: how long the undisturbed build took on one core.
    """

    scratch: Path
    sources: Path
    built: Path
    expected: dict[str, str]
    changed: dict[str, str]
    seconds: float
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    @classmethod
    def make(cls, scratch: Path) -> Base:
        """Build it, before and after the change."""
        sources, built, changed = make(scratch / "sources"), scratch / "built", scratch / "changed"
        began = time.monotonic()
        seconds = 0.0
        for folder in (built, changed):
            shutil.copytree(sources, folder)
            if folder == changed:
                change_table(folder)
            ran = build(folder)
            if ran.status:
                raise SystemExit(f"The undisturbed build failed.\n{ran.said}")
            seconds = seconds or time.monotonic() - began
        return cls(scratch, sources, built, outputs(built), outputs(changed), seconds)

    def copy(self, of: Path) -> Path:
        """A copy to be spoiled, with the times of its files."""
        return Path(shutil.copytree(of, self.scratch / f"copy-{next(self.numbers)}"))


def amiss(folder: Path, *allowed: dict[str, str], whole: bool = False) -> str:
    """Which built files are none of those allowed, or (if whole) are missing; nothing if all is well."""
    found = outputs(folder)
    bad = [name for name in found if not any(found[name] == one.get(name) for one in allowed)]
    missing = [name for name in allowed[0] if name not in found] if whole else []
    return "; ".join([f"other bytes in {name}" for name in bad] + [f"no {name}" for name in missing])


def outputs(folder: Path) -> dict[str, str]:
    """SHA-256 of every built file of a project but for logs, by its path in the project."""
    found = {f"results/{name}": digest for name, digest in files(folder / "results").items()}
    return {name: digest for name, digest in found.items() if not name.startswith("results/logs/")}


def files(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by its path there; what is hidden is scratch and left out."""
    paths = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    shown = {name: path for name, path in paths.items() if not any(part.startswith(".") for part in name.parts)}
    return {name.as_posix(): digest(path) for name, path in shown.items()}


def digest(path: Path) -> str:
    """SHA-256 of a built file; of a run's summary, which says how long it took, that of the rest."""
    content = path.read_bytes()
    if path.name == "summary.json" and b'"performance"' in content:
        with contextlib.suppress(ValueError):
            found = json.loads(content)
            found.pop("performance", None)
            content = json.dumps(found, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()
