"""`winoqueer-nl fetch-model`: download a model's files once, for all jobs that score it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add `fetch-model`."""

    @app.command("fetch-model")
    def fetch_model(
        model: Annotated[str, typer.Argument(help="A key of models.yaml, or a Hub id.")],
        out: Annotated[Path | None, typer.Option(help="Write down here which files of which commit they are.")] = None,
        revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a Hub model.")] = None,
        models: Annotated[Path, typer.Option(help="Table of model keys.")] = Path("models.yaml"),
    ) -> None:
        """Download a model into the Hub's cache (HF_HOME), data files only; what is there already is kept."""
        from winoqueer_nl.files import write_json
        from winoqueer_nl.scoring import hub
        from winoqueer_nl.scoring.models import read_models
        from winoqueer_nl.scoring.settings import resolve

        table = read_models(models) if models.exists() or str(models) != "models.yaml" else {}
        named = resolve(model, table)
        if named.source == "demonstration":
            typer.echo(f"{named.title} is made on the spot: nothing to fetch")
            return
        files = hub.find(named.target, revision or named.revision)
        held = {p.name: p.stat().st_size for p in sorted(files.folder.iterdir()) if p.is_file()}
        if out is not None:
            write_json(out, {"model": named.title, "revision": files.revision, "bytes": held})
        typer.echo(f"{named.title}: {len(held)} files, {sum(held.values()) / 1e6:,.0f} MB, commit {files.revision}")
