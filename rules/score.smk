"""Score language models on the pairs of each edition.

Inputs:  results/<lang>/<edition>/pairs.parquet; the model's entry in models.yaml (or a built-in demonstration model)
Outputs: results/scores/<lang>/<edition>/<model>/scores.parquet, summary.json

A run that would take long is cut into jobs (scoring.jobs in config.yaml), which work side by side: one prepares, the
parts compute the scores in a first turn and once more, more exactly, where a decision is near in a second; the last
joins them. They share the shards that lie beside the outputs until both are written, so a stopped job is taken up
where it stopped, and the outputs are the same bytes however a run is cut.
The target `score` builds the scores of every model that config.yaml names.
"""

MODEL = "|".join(map(re.escape, CONFIG.scoring.models)) or "(?!)"
# What every scoring job runs. It needs no network: fetch_model has been there.
SCORE = (
    "HF_HUB_OFFLINE=1 winoqueer-nl score {wildcards.model:q} --pairs {input.pairs:q} --out {params.folder:q}"
    " --threads {threads} {params.options:q} > {log:q} 2>&1 || (cat {log:q} >&2; exit 1)"
)


rule score:
    input:
        score_outputs(),


rule fetch_model:
    output:
        "results/models/{model}.json",
    log:
        "results/logs/score/{model}.log",
    wildcard_constraints:
        model=MODEL,
    localrule: True
    conda:
        ENVIRONMENT
    params:
        entry=model_entry,
    shell:
        "winoqueer-nl fetch-model {wildcards.model:q} --out {output:q} > {log:q} 2>&1 || (cat {log:q} >&2; exit 1)"


rule score_prepare:
    input:
        pairs="results/{lang}/{edition}/pairs.parquet",
        files=model_files,
    output:
        temp(touch("results/parts/{lang}/{edition}/{model}/prepared.txt")),
    log:
        "results/logs/score/{lang}-{edition}-{model}-prepared.log",
    wildcard_constraints:
        model=MODEL,
    conda:
        ENVIRONMENT
    threads: score_threads
    resources:
        gpu=CONFIG.scoring.gpus,
        mem_mb=score_memory,
        runtime=score_minutes,
    params:
        options=lambda wildcards: [*score_options(wildcards), "--part=0/1"],
        entry=model_entry,
        folder="results/scores/{lang}/{edition}/{model}",
    shell:
        SCORE


rule score_part:
    input:
        pairs="results/{lang}/{edition}/pairs.parquet",
        files=model_files,
        before=parts_before,
    output:
        temp(
            touch(
                "results/parts/{lang}/{edition}/{model}/{turn}/{part}-of-{parts}.txt"
            )
        ),
    log:
        "results/logs/score/{lang}-{edition}-{model}-{turn}-{part}-of-{parts}.log",
    wildcard_constraints:
        model=MODEL,
        turn="first|second",
        part=r"\d+",
        parts=r"\d+",
    conda:
        ENVIRONMENT
    threads: score_threads
    resources:
        gpu=CONFIG.scoring.gpus,
        mem_mb=score_memory,
        runtime=score_minutes,
    params:
        options=lambda wildcards: [
            *score_options(wildcards),
            f"--part={wildcards.part}/{wildcards.parts}",
        ],
        entry=model_entry,
        folder="results/scores/{lang}/{edition}/{model}",
    shell:
        SCORE


rule score_model:
    input:
        pairs="results/{lang}/{edition}/pairs.parquet",
        files=model_files,
        parts=parts_to_join,
    output:
        # Not removed before the job: what is finished and still holds (its fingerprint says so) is not computed anew,
        # whatever made Snakemake ask for it again.
        scores=update("results/scores/{lang}/{edition}/{model}/scores.parquet"),
        summary=update("results/scores/{lang}/{edition}/{model}/summary.json"),
    log:
        "results/logs/score/{lang}-{edition}-{model}.log",
    wildcard_constraints:
        model=MODEL,
    conda:
        ENVIRONMENT
    threads: score_threads
    resources:
        gpu=CONFIG.scoring.gpus,
        mem_mb=score_memory,
        runtime=score_minutes,
    params:
        options=lambda wildcards: [*score_options(wildcards), "--overwrite"],
        entry=model_entry,
        folder="results/scores/{lang}/{edition}/{model}",
    shell:
        SCORE
