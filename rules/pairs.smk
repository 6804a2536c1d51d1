"""Make the sentence pairs of an edition.

Inputs:  results/<lang>/<edition>/tables.json, results/<lang>/survey/stereotypes.csv (languages with a survey)
Outputs: results/<lang>/<edition>/pairs.parquet (tidy), sentence_pairs.csv (published columns)
"""


rule pairs:
    input:
        tables="results/{lang}/{edition}/tables.json",
        survey=survey_of,
    output:
        pairs=ensure("results/{lang}/{edition}/pairs.parquet", non_empty=True),
        published=ensure("results/{lang}/{edition}/sentence_pairs.csv", non_empty=True),
    log:
        "results/logs/pairs/{lang}-{edition}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        survey=survey_option,
        excluded=" ".join(
            f"--exclude-tier {tier}" for tier in CONFIG.pairs.excluded_tiers
        ),
    shell:
        "winoqueer-nl pairs --tables {input.tables} {params.survey} {params.excluded}"
        " --out {output.pairs} --published {output.published} 2>&1 | tee {log}"
