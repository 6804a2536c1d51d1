"""Sub-commands for corrections: correct (a row, with its record), errata and changes (what they add up to)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Lang = Annotated[str, typer.Option(help="Language code, such as nl.")]
Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(correct)
    app.command()(errata)
    app.command()(changes)


def correct(
    lang: Lang,
    table: Annotated[str, typer.Option(help="Table, such as forms.")],
    edition: Annotated[str, typer.Option(help="Edition that the correction comes in with.")],
    kind: Annotated[str, typer.Option(help="spelling, spacing, casing, structure, wording, agreement, coverage ...")],
    reason: Annotated[str, typer.Option(help="Why, for the errata.")],
    row: Annotated[
        str | None,
        typer.Option(help="The cells that tell the row, joined by commas, such as wq013,main_plural."),
    ] = None,
    column: Annotated[str | None, typer.Option(help="Column to put right.")] = None,
    value: Annotated[str | None, typer.Option(help="What it says from this edition on.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="The row ends instead.")] = False,
    add: Annotated[
        list[str] | None, typer.Option(help="Add a row instead: COLUMN=VALUE, once for every filled cell.")
    ] = None,
    root: Root = Path(),
) -> None:
    """Put a table row right from an edition on, and keep what earlier editions said."""
    from winoqueer_nl import correct as corrections
    from winoqueer_nl.problems import InputError, Problem, quoted

    wanted = [bool(add), remove, value is not None]
    if sum(wanted) != 1 or (add and row) or (not add and not row) or ((value is None) != (column is None)):
        raise InputError(
            [
                Problem(
                    "winoqueer-nl correct",
                    "options that do not say one thing to do",
                    "--row ROW --column COLUMN --value NEW, or --row ROW --remove, or --add COLUMN=VALUE ...",
                )
            ]
        )
    if add:
        bad = [cell for cell in add if "=" not in cell]
        if bad:
            raise InputError([Problem("--add", quoted(bad[0]), "COLUMN=VALUE")])
        cells = dict(cell.split("=", 1) for cell in add)
        done = corrections.add(root, lang, table, cells, kind, reason, edition)
    elif remove:
        done = corrections.remove(root, lang, table, str(row), kind, reason, edition)
    else:
        done = corrections.correct(root, lang, table, str(row), str(column), str(value), kind, reason, edition)
    for word, content in (("was", done.was), ("is", done.now)):
        shown = ",".join(v for v in content.values() if v) if content is not None else "(no row)"
        typer.echo(f"{word}: {shown}")
    typer.echo(f"Written: {done.table} and its retired rows. Next: winoqueer-nl errata, then make.")


def errata(
    out: Annotated[Path, typer.Option(help="Write the page here (Markdown).")] = Path("docs/errata.md"),
    root: Root = Path(),
) -> None:
    """Write the errata of every language and edition, as the tables record them."""
    from winoqueer_nl import errata as stage
    from winoqueer_nl.files import write_text

    write_text(root / out, stage.page(root))
    typer.echo(f"{out} written.")


def changes(
    lang: Lang,
    old: Annotated[str, typer.Option("--from", help="The earlier edition.")],
    new: Annotated[str, typer.Option("--to", help="The later edition.")],
    before: Annotated[Path, typer.Option(help="pairs.parquet of the earlier edition.")],
    after: Annotated[Path, typer.Option(help="pairs.parquet of the later edition.")],
    out: Annotated[Path, typer.Option(help="Write the page here (Markdown).")],
    root: Root = Path(),
) -> None:
    """Explain every difference between the pairs of two editions."""
    from winoqueer_nl import changes as stage
    from winoqueer_nl.config import check_known
    from winoqueer_nl.files import write_text
    from winoqueer_nl.pairs import read

    for edition in (old, new):
        check_known(root, lang, edition)
    columns = ["pair_id", "sent_x", "sent_y"]
    tables = [read(path, columns) for path in (before, after)]
    text = stage.page(root, lang, old, new, *tables)
    write_text(out, text)
    typer.echo(f"{lang} {old} -> {new}: {out} written.")
