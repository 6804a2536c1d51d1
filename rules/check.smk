"""Check the sentences of an edition, and explain what changed since the edition before it.

Inputs:  results/<lang>/<edition>/tables.json and pairs.parquet, results/<lang>/survey/stereotypes.csv;
         templates/<lang>/check.yaml and the lists beside it (words, phrases, agreement, exceptions)
Outputs: results/<lang>/<edition>/check.json (findings of the gates; an undeclared one stops the build),
         non_contrastive.csv (pairs whose counter sentence says nothing sensible), changes.md (pairs that came and
         went since the edition before, with the reason of each), known-defects.md (on demand: the known defects of a
         release beside what the gates find)
"""

DEFECTS = "release/known_defects.csv"


rule check:
    input:
        tables="results/{lang}/{edition}/tables.json",
        pairs="results/{lang}/{edition}/pairs.parquet",
        survey=survey_of,
        settings=settings_of,
    output:
        findings=ensure("results/{lang}/{edition}/check.json", non_empty=True),
        marked="results/{lang}/{edition}/non_contrastive.csv",
    log:
        "results/logs/check/{lang}-{edition}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents(settings_of(wildcards)),
        survey=survey_option,
        excluded=EXCLUDED_TIERS,
    shell:
        "winoqueer-nl check --lang {wildcards.lang:q} --edition {wildcards.edition:q} --pairs {input.pairs:q}"
        " {params.survey:q} {params.excluded:q} --out {output.findings:q} --marked {output.marked:q} > {log:q} 2>&1"
        " || (cat {log:q}; exit 1)"


rule changes:
    input:
        before=lambda wildcards: (
            f"results/{wildcards.lang}/{edition_before(wildcards.lang, wildcards.edition)}/pairs.parquet"
        ),
        after="results/{lang}/{edition}/pairs.parquet",
        tables=sources_of,
    output:
        "results/{lang}/{edition}/changes.md",
    log:
        "results/logs/changes/{lang}-{edition}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents(sources_of(wildcards)),
        earlier=lambda wildcards: edition_before(wildcards.lang, wildcards.edition),
    shell:
        "winoqueer-nl changes --lang {wildcards.lang:q} --from {params.earlier:q} --to {wildcards.edition:q}"
        " --before {input.before:q} --after {input.after:q} --out {output:q} > {log:q} 2>&1 || (cat {log:q}; exit 1)"


rule known_defects:
    input:
        tables="results/{lang}/{edition}/tables.json",
        pairs="results/{lang}/{edition}/pairs.parquet",
        survey=survey_of,
        settings=settings_of,
        defects=DEFECTS,
    output:
        "results/{lang}/{edition}/known-defects.md",
    log:
        "results/logs/known-defects/{lang}-{edition}.log",
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents([*settings_of(wildcards), DEFECTS]),
        survey=survey_option,
        excluded=EXCLUDED_TIERS,
    shell:
        "winoqueer-nl check --lang {wildcards.lang:q} --edition {wildcards.edition:q} --pairs {input.pairs:q}"
        " {params.survey:q} {params.excluded:q} --defects {output:q} > {log:q} 2>&1 || (cat {log:q}; exit 1)"
