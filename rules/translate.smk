"""Ask a translation engine for the forms that languages lack. Only `snakemake translate` runs this, never a build.

Inputs:  templates/<lang>/carriers.csv and the other source tables; a key from the environment; the network
Outputs: predicates/<lang>/translations.csv (proposals for review). It is no declared output: Snakemake would delete
         the kept answers before each run.
"""


localrules:
    translate,


rule translate:
    log:
        "results/logs/translate.log",
    conda:
        ENVIRONMENT
    shell:
        "winoqueer-nl translate 2>&1 | tee {log:q}"
