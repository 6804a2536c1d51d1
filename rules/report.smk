"""Write the report: one page that needs no network, and its plots as files.

Inputs:  results/tables/, the dataset and the survey aggregates of one language and edition
Outputs: results/report/index.html; results/report/figures/*.svg, *.png (those that the data allows)
"""


rule report:
    input:
        tables=[path for path in TABLES if path.endswith(".csv")],
        pairs=f"results/{report_language()}/{report_edition()}/pairs.parquet",
        stereotypes=f"results/{report_language()}/{report_edition()}/stereotypes.csv",
        survey=report_survey(),
    output:
        page=report(
            "results/report/index.html",
            category="Results",
            subcategory="Page",
            caption="captions/report.rst",
        ),
        figures=report(
            directory("results/report/figures"),
            patterns=["{name}.svg"],
            category="Results",
            subcategory="Plots",
            caption="captions/figures.rst",
        ),
    log:
        "results/logs/report.log",
    conda:
        ENVIRONMENT
    params:
        language=report_language(),
        edition=report_edition(),
        policy=CONFIG.report.policy,
        threshold=CONFIG.survey.disclosure_threshold,
    shell:
        "winoqueer-nl report --results results --language {params.language:q} --edition {params.edition:q}"
        " --policy {params.policy:q} --threshold {params.threshold:q} 2>&1 | tee {log:q}"
