"""Describe the stereotypes of an edition.

Inputs:  results/<lang>/<edition>/tables.json and pairs.parquet, results/<lang>/survey/stereotypes.csv
Outputs: results/<lang>/<edition>/stereotype_metadata.csv (published columns), stereotypes.csv (tidy);
         results/<lang>/<edition>/paper-counts.md (the paper's counts beside the counts of what was built)
"""

COUNTS = "release/paper_counts.csv"


rule metadata:
    input:
        tables="results/{lang}/{edition}/tables.json",
        pairs="results/{lang}/{edition}/pairs.parquet",
        survey=survey_of,
    output:
        published=ensure(
            "results/{lang}/{edition}/stereotype_metadata.csv", non_empty=True
        ),
        tidy=ensure("results/{lang}/{edition}/stereotypes.csv", non_empty=True),
    log:
        "results/logs/metadata/{lang}-{edition}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        survey=survey_option,
    shell:
        "winoqueer-nl metadata --tables {input.tables:q} --pairs {input.pairs:q} {params.survey:q}"
        " --published {output.published:q} --tidy {output.tidy:q} 2>&1 | tee {log:q}"


rule reconcile:
    input:
        tables="results/{lang}/{edition}/tables.json",
        pairs="results/{lang}/{edition}/pairs.parquet",
        survey="results/{lang}/survey/stereotypes.csv",
        counts=COUNTS,
    output:
        "results/{lang}/{edition}/paper-counts.md",
    log:
        "results/logs/reconcile/{lang}-{edition}.log",
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents([COUNTS]),
    shell:
        "winoqueer-nl reconcile --tables {input.tables:q} --survey {input.survey:q} --pairs {input.pairs:q}"
        " --out {output:q} 2>&1 | tee {log:q}"
