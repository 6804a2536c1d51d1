"""`winoqueer-nl score`: how much more probable a language model finds the stereotypical sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from winoqueer_nl.scoring.shards import Part


def _default_pairs() -> Path:
    """The one built pairs table, or a message that says which there are."""
    from winoqueer_nl.problems import InputError, Problem, listed

    found = sorted(Path("results").glob("*/*/pairs.parquet"))
    if len(found) == 1:
        return found[0]
    if found:
        problem = Problem(
            "--pairs", "nothing, and several pairs tables", "one of them",
            f"Add --pairs and one of: {listed(map(str, found))}.",
        )  # fmt: skip
    else:
        problem = Problem(
            "--pairs", "nothing, and no pairs table under results/", "a table of sentence pairs",
            "Build the pairs first, or name a Parquet or CSV file.",
        )  # fmt: skip
    raise InputError([problem])


def _default_out(model: str, pairs: Path) -> Path:
    from winoqueer_nl.scoring.pairs import edition_of

    language, edition = edition_of(pairs)
    place = Path(language) / edition if language and edition else Path(pairs.stem)
    slug = Path(model).resolve().name if Path(model).is_dir() else model.replace("/", "--")
    return Path("results/scores") / place / slug


def _part(text: str) -> Part:
    from winoqueer_nl.problems import InputError, Problem, quoted
    from winoqueer_nl.scoring.shards import Part

    try:
        return Part.parse(text)
    except ValueError:
        problem = Problem("--part", quoted(text), "K/N with K from 0 to N, such as 3/8", "")
        raise InputError([problem]) from None


def register(app: typer.Typer) -> None:
    """Add `score`."""

    @app.command()
    def score(
        model: Annotated[
            str,
            typer.Argument(help="A key of models.yaml, a Hub id, a local folder, demo-masked or demo-causal."),
        ],
        pairs: Annotated[
            Path | None, typer.Option(help="Sentence pairs, Parquet or CSV. Default: the only built table.")
        ] = None,
        out: Annotated[Path | None, typer.Option(help="Folder for scores.parquet and summary.json.")] = None,
        kind: Annotated[str | None, typer.Option(help="masked or causal; read from the model if left out.")] = None,
        revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a Hub model.")] = None,
        device: Annotated[
            str, typer.Option(help="auto, cpu, cuda, cuda:1, mps, or spread: all GPUs, then memory, then disk.")
        ] = "auto",
        precision: Annotated[
            str, typer.Option(help="float32, bfloat16 or auto (every decision as in float32).")
        ] = "auto",
        sample: Annotated[int | None, typer.Option(help="Score a stratified sample of so many pairs.")] = None,
        seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
        batch_tokens: Annotated[
            int | None, typer.Option(help="Token positions in a batch. Default: what suits the device.")
        ] = None,
        threads: Annotated[int | None, typer.Option(help="CPU threads, at most. Default: all cores.")] = None,
        published_csv: Annotated[
            bool, typer.Option("--published-csv", help="Also write the published scripts' CSV.")
        ] = False,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace another run's scores in the folder.")
        ] = False,
        part: Annotated[
            str | None,
            typer.Option(help="K/N: compute the K-th of N shares of the next stage only (0/N: what all parts need)."),
        ] = None,
        quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
        models: Annotated[Path, typer.Option(help="Table of model keys.")] = Path("models.yaml"),
    ) -> None:
        """Score a language model on sentence pairs. Stopped runs are taken up where they stopped."""
        from pydantic import ValidationError

        from winoqueer_nl.problems import InputError, Problem
        from winoqueer_nl.scoring.models import read_models
        from winoqueer_nl.scoring.run import score as run
        from winoqueer_nl.scoring.run import score_part
        from winoqueer_nl.scoring.settings import Settings
        from winoqueer_nl.scoring.text import as_text, warn

        try:
            settings = Settings.model_validate({
                "kind": kind, "revision": revision, "device": device, "precision": precision, "sample": sample,
                "seed": seed, "batch_tokens": batch_tokens, "threads": threads, "published_csv": published_csv,
                "overwrite": overwrite, "quiet": quiet,
            })  # fmt: skip
        except ValidationError as error:
            raise InputError(
                Problem(f"--{str(e['loc'][0]).replace('_', '-')}", repr(e["input"]), e["msg"]) for e in error.errors()
            ) from error
        table = read_models(models) if models.exists() or str(models) != "models.yaml" else {}
        source = pairs or _default_pairs()
        target = out or _default_out(model, source)
        if part is not None:
            typer.echo(score_part(model, source, target, settings, _part(part), table))
            return
        report = run(model, source, target, settings, table)
        typer.echo(as_text(report))
        typer.echo(f"Written to {target}/scores.parquet and {target}/summary.json")
        warn(report)
