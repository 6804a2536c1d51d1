"""Say what was built.

Inputs:  every pairs.parquet and stereotypes.csv that the configuration asks for
Outputs: results/summary.txt
"""


rule summary:
    input:
        [f"results/{lang}/{edition}/pairs.parquet" for lang, edition in editions()],
        [f"results/{lang}/{edition}/stereotypes.csv" for lang, edition in editions()],
    output:
        "results/summary.txt",
    log:
        "results/logs/summary.log",
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        "winoqueer-nl summary --results results --out {output:q} > {log:q} 2>&1"
