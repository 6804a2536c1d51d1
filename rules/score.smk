"""Score language models on the pairs of each edition.

Inputs:  results/<lang>/<edition>/pairs.parquet; the model's entry in models.yaml (or a built-in demonstration model)
Outputs: results/scores/<lang>/<edition>/<model>/scores.parquet, summary.json

A stopped job is taken up where it stopped: its shards lie beside the outputs until both are written.
The target `score` builds the scores of every model that config.yaml names.
"""


rule score:
    input:
        score_outputs(),


rule score_model:
    input:
        pairs="results/{lang}/{edition}/pairs.parquet",
    output:
        scores=ensure(
            "results/scores/{lang}/{edition}/{model}/scores.parquet", non_empty=True
        ),
        summary="results/scores/{lang}/{edition}/{model}/summary.json",
    log:
        "results/logs/score/{lang}-{edition}-{model}.log",
    wildcard_constraints:
        model="|".join(map(re.escape, CONFIG.scoring.models)) or "(?!)",
    conda:
        ENVIRONMENT
    threads: lambda wildcards: 1 if wildcards.model in DEMOS else CONFIG.scoring.threads
    resources:
        gpu=1 if CONFIG.scoring.device.startswith("cuda") else 0,
    params:
        options=score_options,
        # What the key stands for: another Hub id or revision is another model and is scored anew.
        entry=lambda wildcards: (
            "demonstration"
            if wildcards.model in DEMOS
            else MODELS[wildcards.model].model_dump_json(
                include={"hub_id", "revision", "kind"}
            )
        ),
        folder=lambda wildcards: f"results/scores/{wildcards.lang}/{wildcards.edition}/{wildcards.model}",
    shell:
        "winoqueer-nl score {wildcards.model} --pairs {input.pairs} --out {params.folder}"
        " --threads {threads} {params.options} > {log} 2>&1 || (cat {log} >&2; exit 1)"
