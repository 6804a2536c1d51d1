"""Sub-commands about the packages used: their licences, and known holes in them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(licences)
    app.command()(audit)


def licences(
    out: Annotated[Path | None, typer.Option(help="Markdown file to write; printed if none is named.")] = None,
    root: Root = Path(),
) -> None:
    """List the licences of the locked packages; refuse one that is unknown or copyleft and not judged."""
    from winoqueer_nl.dependencies import licences as found
    from winoqueer_nl.dependencies import table
    from winoqueer_nl.files import write_text

    text = table(found(root))
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)


def audit(root: Root = Path()) -> None:
    """Look the locked packages up among known holes. Status 1: some are known; 3: not everything could be looked up."""
    from winoqueer_nl.dependencies import audit as ask

    found = ask(root)
    typer.echo(found.message())
    if found.status:
        raise typer.Exit(found.status)
