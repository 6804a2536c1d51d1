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
        excluded=EXCLUDED_TIERS,
    shell:
        "winoqueer-nl pairs --tables {input.tables:q} {params.survey:q} {params.excluded:q}"
        " --out {output.pairs:q} --published {output.published:q} 2>&1 | tee {log:q}"
