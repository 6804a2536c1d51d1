"""Turn scores into tables: bias with intervals that allow for shared stereotypes, tests, comparisons.

Inputs:  every results/scores/<lang>/<edition>/<model>/ that the configuration asks for, and the pairs they scored
Outputs: results/tables/*.csv, *.md, *.tex (the names are winoqueer_nl.statistics.names.NAMES)

With no model configured the tables have their columns and no rows.
"""


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
        "winoqueer-nl statistics --results results --out results/tables {params.options:q} -- {params.runs:q}"
        " 2>&1 | tee {log:q}"
