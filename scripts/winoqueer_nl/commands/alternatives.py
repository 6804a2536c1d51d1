"""Sub-commands for the surface-form check: alternatives (pairs to score) and sensitivity (what the scores say)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(alternatives)
    app.command()(sensitivity)


def alternatives(
    tables: Annotated[Path, typer.Option(help="tables.json of the edition.")],
    pairs: Annotated[Path, typer.Option(help="pairs.parquet of the edition.")],
    set: Annotated[str, typer.Option(help="Set of templates/<lang>/alternatives.csv.")],
    out: Annotated[Path, typer.Option(help="Write the pairs that change here (Parquet, as pairs.parquet).")],
    root: Root = Path(),
) -> None:
    """Put declared alternatives of the identity terms in place, for any scorer to score."""
    from winoqueer_nl import alternatives as stage
    from winoqueer_nl.edition import read

    count = stage.write(root, read(tables), pairs, set, out)
    typer.echo(f"{out}: {count:,} pairs with the alternatives of the set {set}; their ids are those of the originals.")


def sensitivity(
    pairs: Annotated[Path, typer.Option(help="Pairs that were scored twice: the alternatives, or a newer edition.")],
    before: Annotated[Path, typer.Option(help="Folder with scores.parquet of the original pairs.")],
    after: Annotated[Path, typer.Option(help="Folder with scores.parquet of the other wording.")],
    out: Annotated[Path | None, typer.Option(help="Write the table here (CSV).")] = None,
    policy: Annotated[str, typer.Option(help="Which tokens the scores count: published or slot.")] = "published",
) -> None:
    """Report per identity how scores change with the wording: two runs over pairs with the same ids."""
    from tabulate import tabulate

    from winoqueer_nl import alternatives as stage
    from winoqueer_nl.files import write_csv
    from winoqueer_nl.pairs import read as read_table
    from winoqueer_nl.problems import InputError, Problem, quoted

    if policy not in ("published", "slot"):
        raise InputError([Problem("--policy", quoted(policy), "published or slot")])
    columns = ["pair_id", f"score_x_{policy}", f"score_y_{policy}"]
    scored = read_table(pairs, ["pair_id", "identity"]).to_pandas()
    first, second = (
        read_table(folder / "scores.parquet", columns, "winoqueer-nl score").to_pandas() for folder in (before, after)
    )
    table = stage.sensitivity(scored, first, second, policy)
    if table["n_pairs"].iloc[-1] == 0:
        raise InputError(
            [Problem(str(after), "no pair that both runs scored", "two runs over pairs with the same ids")]
        )
    rows = [[row[0], int(row[1]), *(f"{number:.4f}" for number in row[2:])] for row in table.itertuples(index=False)]
    if out is not None:
        write_csv(out, list(table.columns), rows)
    typer.echo(tabulate(rows, headers=list(table.columns), disable_numparse=True, stralign="right"))
