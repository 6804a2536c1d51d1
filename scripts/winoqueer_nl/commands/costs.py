"""`winoqueer-nl costs`: what scoring each known model would take, before anybody starts it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add `costs`."""

    @app.command()
    def costs(
        teraflops: Annotated[
            float,
            typer.Option(min=1e-6, help="Speed of one machine, 10^12 operations a second: two cores are 0.15."),
        ] = 0.15,
        machines: Annotated[int, typer.Option(min=1, help="How many such machines work side by side.")] = 1,
        pairs: Annotated[int, typer.Option(min=1, help="Sentence pairs of an edition.")] = 43000,
        job_minutes: Annotated[int, typer.Option(min=1, help="A run is cut into jobs of about this length.")] = 120,
        precision: Annotated[str, typer.Option(help="float32, bfloat16 or auto.")] = "auto",
        paper: Annotated[bool, typer.Option("--paper", help="The paper's models only.")] = False,
        models: Annotated[Path, typer.Option(help="Table of model keys.")] = Path("models.yaml"),
    ) -> None:
        """Estimate hours, jobs and memory of scoring the models of models.yaml on one edition (docs/scaling.md)."""
        from winoqueer_nl.problems import InputError, Problem, quoted
        from winoqueer_nl.scoring.footprint import BYTES
        from winoqueer_nl.scoring.jobs import cost, hours_side_by_side
        from winoqueer_nl.scoring.models import read_models

        if precision not in BYTES:
            raise InputError([Problem("--precision", quoted(precision), "float32, bfloat16 or auto")])
        all_costs = []
        typer.echo("| Model | Kind | Parameters (10^6) | Hours of one machine | Jobs | Memory of one job (GB) |")
        typer.echo("|---|---|--:|--:|--:|--:|")
        for key, model in read_models(models).items():
            if paper and not model.in_paper:
                continue
            one = cost(model.kind, model.parameters_millions * 1e6, pairs, precision, teraflops, job_minutes)
            all_costs.append(one)
            figures = f"{one.seconds / 3600:,.2f} | {one.parts} | {one.megabytes / 1000:.1f}"
            typer.echo(f"| {key} | {model.kind} | {model.parameters_millions:,.0f} | {figures} |")
        total, jobs = sum(one.seconds for one in all_costs) / 3600, sum(one.parts for one in all_costs)
        typer.echo(f"| all | | | {total:,.2f} | {jobs} | |")
        if machines > 1:
            typer.echo(
                f"\n{machines} machines side by side: about {hours_side_by_side(all_costs, machines):,.2f} hours."
            )
