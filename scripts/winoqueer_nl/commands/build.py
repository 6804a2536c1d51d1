"""Sub-commands that the workflow calls to build an edition: tables, pairs, metadata, config, summary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(tables)
    app.command()(pairs)
    app.command()(metadata)
    app.command()(config)
    app.command()(reconcile)
    app.command("config-docs", hidden=True)(config_docs)
    app.command()(summary)


def tables(
    lang: Annotated[str, typer.Option(help="Language code, such as nl.")],
    edition: Annotated[str, typer.Option(help="Edition, such as 1.0.0.")],
    out: Annotated[Path | None, typer.Option(help="Write the edition's rows here (JSON).")] = None,
    root: Root = Path(),
) -> None:
    """Check the source tables of a language and choose the rows of an edition."""
    from winoqueer_nl.config import check_known
    from winoqueer_nl.edition import choose
    from winoqueer_nl.files import write_text
    from winoqueer_nl.metadata import form_rows
    from winoqueer_nl.planning import plan
    from winoqueer_nl.sources import load

    check_known(root, lang, edition)
    chosen = choose(load(root, lang), edition)
    # The stages that follow would find these too, but without the rows' numbers, which a written edition does not keep.
    plan(chosen)
    form_rows(chosen)
    if out is not None:
        write_text(out, chosen.model_dump_json(indent=1, exclude_none=True) + "\n")
    typer.echo(
        f"{lang} {edition}: tables are in order ({len(chosen.stereotypes)} stereotypes, {len(chosen.forms)} forms, "
        f"{len(chosen.templates)} templates, {len(chosen.names)} name rows)."
    )


def pairs(
    tables: Annotated[Path, typer.Option(help="tables.json of the edition.")],
    out: Annotated[Path, typer.Option(help="Write the tidy table here (Parquet).")],
    published: Annotated[Path, typer.Option(help="Write the table with the published columns here (CSV).")],
    survey: Annotated[Path | None, typer.Option(help="Survey aggregates (stereotypes.csv).")] = None,
    exclude_tier: Annotated[list[int] | None, typer.Option(help="Leave out stereotypes of this tier.")] = None,
) -> None:
    """Make every sentence pair of an edition."""
    from winoqueer_nl import pairs as stage
    from winoqueer_nl.edition import read

    judgements = None
    if survey is not None:
        from winoqueer_nl.survey.aggregate import read_judgements

        judgements = read_judgements(survey)
    edition = read(tables)
    count = stage.write(edition, judgements, exclude_tier or [], out, published)
    typer.echo(f"{edition.lang} {edition.edition}: {count:,} pairs.")


def metadata(
    tables: Annotated[Path, typer.Option(help="tables.json of the edition.")],
    pairs: Annotated[Path, typer.Option(help="pairs.parquet of the edition.")],
    published: Annotated[Path, typer.Option(help="Write the table in the published layout here (CSV).")],
    tidy: Annotated[Path, typer.Option(help="Write the table with one row per stereotype here (CSV).")],
    survey: Annotated[Path | None, typer.Option(help="Survey aggregates (stereotypes.csv).")] = None,
) -> None:
    """Describe the stereotypes of an edition: forms, identities, survey results."""
    from winoqueer_nl import metadata as stage
    from winoqueer_nl.edition import read

    edition = read(tables)
    rows, stereotypes = stage.write(edition, survey, pairs, published, tidy)
    typer.echo(f"{edition.lang} {edition.edition}: {rows} metadata rows, {stereotypes} stereotypes.")


def config(
    merged: Annotated[str, typer.Option(help="The merged configuration (JSON).")],
    out: Annotated[Path, typer.Option(help="Write it here (YAML).")],
    root: Root = Path(),
) -> None:
    """Check a merged configuration and write it, defaults included."""
    import yaml

    from winoqueer_nl.config import from_mapping
    from winoqueer_nl.files import write_text

    try:
        content = json.loads(merged)
    except json.JSONDecodeError as error:
        raise typer.BadParameter(f"not JSON: {error}", param_hint="--merged") from None
    checked = from_mapping(content, root)
    header = "# The configuration that these results were built with, defaults included.\n"
    write_text(out, header + yaml.safe_dump(checked.model_dump(mode="json"), allow_unicode=True, sort_keys=False))


def config_docs(out: Annotated[Path, typer.Option(help="Write the page here (Markdown).")]) -> None:
    """Describe every key of config.yaml."""
    from winoqueer_nl.config_docs import page
    from winoqueer_nl.files import write_text

    write_text(out, page())


def reconcile(
    tables: Annotated[Path, typer.Option(help="tables.json of the edition.")],
    survey: Annotated[Path, typer.Option(help="Survey aggregates (stereotypes.csv).")],
    pairs: Annotated[Path, typer.Option(help="pairs.parquet of the edition.")],
    out: Annotated[Path, typer.Option(help="Write the table here (Markdown).")],
    root: Root = Path(),
) -> None:
    """Set the paper's counts beside the counts of what was built."""
    from winoqueer_nl import reconcile as stage
    from winoqueer_nl.edition import read

    agreeing, total = stage.write(root, read(tables), survey, pairs, out)
    typer.echo(f"{agreeing} of {total} of the paper's counts come out.")


def summary(
    results: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("results"),
    out: Annotated[Path | None, typer.Option(help="Write the text here as well.")] = None,
    root: Root = Path(),
) -> None:
    """Say what was built, where it is, and what to do next."""
    from winoqueer_nl import summary as stage
    from winoqueer_nl.config import load
    from winoqueer_nl.files import write_text

    text = stage.summarise(load(root), results)
    if out is not None:
        write_text(out, text)
    typer.echo(text, nl=False)
