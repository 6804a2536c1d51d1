"""Turn scores into tables: bias with intervals that allow for shared stereotypes, tests, comparisons.

Inputs:  every results/scores/<lang>/<edition>/<model>/ that the configuration asks for, and the pairs they scored
Outputs: results/tables/*.csv, *.md, *.tex (the names are winoqueer_nl.statistics.tables.NAMES)

With no model configured the tables have their columns and no rows.
"""

from winoqueer_nl.statistics.tables import DATA_ONLY, NAMES

TABLES = [
    f"results/tables/{name}.{kind}"
    for name in NAMES
    for kind in (("csv",) if name in DATA_ONLY else ("csv", "md", "tex"))
]
SHOWN_IN_REPORT = ("models", "bias_all", "identity_tests", "comparison", "languages")


def scored(name):
    """That file of every run that the configuration asks for."""
    return [path for path in score_outputs() if path.endswith(f"/{name}")]


def statistics_options():
    """The configuration section statistics as command-line options."""
    one = CONFIG.statistics
    return (
        f"--resamples {one.resamples} --seed {one.seed} --confidence {one.confidence}"
        f" --languages {','.join(one.compare)}"
    )


rule statistics:
    input:
        scores=scored("scores.parquet"),
        summaries=scored("summary.json"),
        pairs=[
            f"results/{lang}/{edition}/pairs.parquet" for lang, edition in editions()
        ],
    output:
        [path for path in TABLES if Path(path).stem not in SHOWN_IN_REPORT],
        report(
            [
                path
                for path in TABLES
                if Path(path).stem in SHOWN_IN_REPORT and path.endswith(".csv")
            ],
            category="Results",
            subcategory="Tables",
            caption="captions/tables.rst",
        ),
        [
            path
            for path in TABLES
            if Path(path).stem in SHOWN_IN_REPORT and not path.endswith(".csv")
        ],
    log:
        "results/logs/statistics.log",
    conda:
        ENVIRONMENT
    params:
        runs=lambda wildcards, input: [str(Path(path).parent) for path in input.scores],
        options=statistics_options(),
    shell:
        "winoqueer-nl statistics {params.runs:q} --results results --out results/tables {params.options}"
        " 2>&1 | tee {log:q}"
