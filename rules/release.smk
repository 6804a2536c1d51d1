"""Put together the release folders. Not part of the default target, and nothing here publishes.

`snakemake release` builds a folder for every language and edition that config.yaml asks for.

Inputs:  results/<lang>/<edition>/*, results/<lang>/survey/* (languages with a survey), results/scores/... (models
         that config.yaml names), release/<lang>.yaml, release/* (card, licences, evaluation-harness task), the release
         that the new one is compared with
Outputs: results/release/<lang>-<version>/ (SHA256SUMS stands for the whole folder, which is written at once)
"""

from winoqueer_nl.release import workflow as release_files


rule release_folder:
    input:
        multiext(
            "results/{lang}/{edition}/",
            "pairs.parquet",
            "sentence_pairs.csv",
            "stereotypes.csv",
            "stereotype_metadata.csv",
        ),
        sources=lambda wildcards: release_files.sources(ROOT, wildcards.lang),
        survey=lambda wildcards: release_files.survey(CONFIG, wildcards.lang),
        scores=lambda wildcards: release_files.scores(
            CONFIG, wildcards.lang, wildcards.edition
        ),
        previous=lambda wildcards: release_files.previous(
            CONFIG, ROOT, wildcards.lang, wildcards.edition
        ),
    output:
        ensure("results/release/{lang}-{edition}/SHA256SUMS", non_empty=True),
    log:
        "results/logs/release/{lang}-{edition}.log",
    conda:
        ENVIRONMENT
    params:
        contents=lambda wildcards: contents(release_files.sources(ROOT, wildcards.lang)),
        edition=lambda wildcards: f"results/{wildcards.lang}/{wildcards.edition}",
        out=lambda wildcards: f"results/release/{wildcards.lang}-{wildcards.edition}",
        options=lambda wildcards, input: release_files.options(
            input.survey, input.scores, input.previous
        ),
    shell:
        "winoqueer-nl release --lang {wildcards.lang:q} --version {wildcards.edition:q} --edition {params.edition:q}"
        " {params.options:q} --out {params.out:q} 2>&1 | tee {log:q}"


rule release:
    input:
        [f"results/release/{lang}-{edition}/SHA256SUMS" for lang, edition in editions()],
