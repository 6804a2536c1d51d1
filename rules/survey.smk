"""Count the votes and ratings of the survey: tiers and harmfulness per stereotype.

Inputs:  survey/instrument.yaml, the exports that config.yaml names, predicates/stereotypes.csv (known ids)
Outputs: results/<lang>/survey/stereotypes.csv, respondents.csv (small cells hidden), summary.json (counts of the run)

Answers of single people stay in the exports: no output and no log holds one.
"""


rule survey:
    input:
        exports=lambda wildcards: survey_source(wildcards).exports,
        instrument=lambda wildcards: survey_source(wildcards).instrument,
        stereotypes="predicates/stereotypes.csv",
    output:
        stereotypes=ensure("results/{lang}/survey/stereotypes.csv", non_empty=True),
        respondents="results/{lang}/survey/respondents.csv",
        summary="results/{lang}/survey/summary.json",
    log:
        "results/logs/survey/{lang}.log",
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents(survey_sources(wildcards)),
        settings=survey_settings(),
    shell:
        "winoqueer-nl survey aggregate --instrument {input.instrument:q} --out {output.stereotypes:q} {params.settings:q}"
        " -- {input.exports:q} 2>&1 | tee {log:q}"
