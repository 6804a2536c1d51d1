"""How long many responses take: `python bench/survey.py 1000000` makes so many, reads them, and prints the figures.

The responses are made up (four statements, two of them shown to each person). Figures: seconds and peak memory of
`winoqueer-nl survey aggregate`, in a process of its own.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INSTRUMENT = """
stereotypes: stereotypes.csv
languages: {xx: {yes_labels: [Ja], no_labels: [Nee], unsure_labels: [Weet niet]}}
harmfulness: {minimum: -1, maximum: 4}
formats: {tool: {reader: qualtrics_csv}}
rounds:
  one:
    language: xx
    format: tool
    identities: [{id: who, column: WHO, separator: ",", answers: {Apple: apple, Pear: pear}}]
    items:
      - {stereotypes: [s1], asked: one, relevance: R1, harmfulness: H1}
      - {stereotypes: [s2], asked: two, relevance: R2, harmfulness: H2}
      - {stereotypes: [s3], asked: three, relevance: R3, harmfulness: H3}
      - {stereotypes: [s4], asked: four, relevance: R4, harmfulness: H4}
"""
HEADER = (
    "StartDate,EndDate,Status,IPAddress,Finished,ResponseId,WHO,R1,H1,R2,H2,R3,H3,R4,H4\n"
    "a,b,c,d,e,f,g,one,one,two,two,three,three,four,four\n"
)


def write_export(path: Path, n: int) -> None:
    chance = random.Random(1)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEADER)
        file.write(",".join(f'"{{""ImportId"":""QID{i}""}}"' for i in range(15)) + "\n")
        for i in range(n):
            shown = chance.sample(range(4), 2)
            answers = ["", "", "", "", "", "", "", ""]
            for item in shown:
                answers[2 * item] = chance.choice(("Ja", "Nee", "Weet niet"))
                answers[2 * item + 1] = str(chance.randrange(-1, 5))
            who = chance.choice(("Apple", "Pear", '"Apple,Pear"'))
            file.write(
                f"2026-01-01 10:00:00,2026-01-01 10:05:00,IP Address,192.0.2.1,True,R_{i},{who},{','.join(answers)}\n"
            )


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "instrument.yaml").write_text(INSTRUMENT)
        table = "stereotype_id,type,origin,gloss,gloss_singular,identities,since,until,kind,reason\n"
        table += "".join(f"s{i},predicate,test,g{i},g{i},all,,,,\n" for i in range(1, 5))
        (folder / "stereotypes.csv").write_text(table)
        export = folder / "export.csv"
        write_export(export, n)
        export.chmod(0o600)
        begin = time.perf_counter()
        subprocess.run(
            [
                *(sys.executable, "-m", "winoqueer_nl.cli", "survey", "aggregate", str(export)),
                *("--instrument", str(folder / "instrument.yaml"), "--out", str(folder / "out" / "stereotypes.csv")),
            ],
            check=True,
        )
        seconds = time.perf_counter() - begin
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        size = export.stat().st_size / 2**20
    print(f"{n:,} responses ({size:.0f} MiB): {seconds:.1f} s, at most {memory:,.0f} MiB of memory.")


if __name__ == "__main__":
    main()
