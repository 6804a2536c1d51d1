"""Check the source tables and choose the rows of an edition.

Inputs:  templates/<lang>/*, predicates/stereotypes.csv, predicates/<lang>/*;
         release/released/<lang>-*.json (what releases said: a row changed without its record stops the build)
Outputs: results/<lang>/<edition>/tables.json
"""


rule tables:
    input:
        sources=sources_of,
        released=records_of,
    output:
        "results/{lang}/{edition}/tables.json",
    log:
        "results/logs/tables/{lang}-{edition}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents(
            sources_of(wildcards) + records_of(wildcards)
        ),
    shell:
        "winoqueer-nl tables --lang {wildcards.lang:q} --edition {wildcards.edition:q} --out {output:q} 2>&1 | tee {log:q}"


rule configuration:
    output:
        "results/config.yaml",
    log:
        "results/logs/configuration.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        # A function, so that Snakemake does not look for wildcards in it.
        merged=lambda wildcards: json.dumps(CONFIG.model_dump(mode="json")),
    shell:
        "winoqueer-nl config --merged {params.merged:q} --out {output:q} 2>&1 | tee {log:q}"
