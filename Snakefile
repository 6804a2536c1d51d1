"""WinoQueer-NL: tables -> survey aggregates -> pairs -> metadata -> scores -> statistics -> report.

`snakemake` builds everything that config.yaml asks for and never publishes.
Each stage is one file in rules/, one module in scripts/winoqueer_nl/ and one documented output.
"""

import re
import sys

from snakemake.utils import min_version

min_version("9.0")


include: "rules/common.smk"


wildcard_constraints:
    lang="|".join(map(re.escape, CONFIG.languages)),
    edition=r"\d+\.\d+\.\d+",


include: "rules/tables.smk"
include: "rules/survey.smk"
include: "rules/pairs.smk"
include: "rules/metadata.smk"
include: "rules/check.smk"
include: "rules/score.smk"
include: "rules/statistics.smk"
include: "rules/report.smk"
include: "rules/summary.smk"
include: "rules/release.smk"
include: "rules/translate.smk"


rule all:
    default_target: True
    input:
        final_outputs(),


onerror:
    print(
        "\nStopped. Look above for the lines that name a file, a row and a column: they say what to put right."
        "\nEach stage's messages are also kept in results/logs/.",
        file=sys.stderr,
    )
