"""Sub-commands about releases: build one, check one, compare two, publish one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]
Exports = Annotated[
    list[Path] | None,
    typer.Option("--export", help="Raw survey export to search the release for; as configured, if none is named."),
]


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(release)
    app.command()(verify)
    app.command()(diff)
    app.command()(fetch)
    app.command()(publish)


def release(
    lang: Annotated[str, typer.Option(help="Language code, such as nl.")],
    version: Annotated[str, typer.Option(help="Version, an edition such as 1.0.0.")],
    edition: Annotated[Path, typer.Option(help="Folder of the built edition.")],
    out: Annotated[Path, typer.Option(help="Release folder to write, named LANGUAGE-VERSION.")],
    survey: Annotated[Path | None, typer.Option(help="Folder of the survey aggregates.")] = None,
    score: Annotated[list[str] | None, typer.Option(help="Scores to release, as NAME=FOLDER.")] = None,
    previous: Annotated[Path | None, typer.Option(help="Release folder of the version before.")] = None,
    root: Root = Path(),
) -> None:
    """Build the release folder of a version; refuse a version number that says less than what changed."""
    from winoqueer_nl.problems import InputError, Problem
    from winoqueer_nl.release.build import Inputs, build
    from winoqueer_nl.release.subsets import Scored

    scores = []
    for entry in score or []:
        name, sign, folder = entry.partition("=")
        if not (name and sign and folder):
            raise InputError([Problem("--score", entry, "NAME=FOLDER")])
        scores.append(Scored(name, Path(folder)))
    made = build(Inputs(root, lang, version, edition, survey, scores, previous), out)
    typer.echo(f"{made.name}: {', '.join(made.subsets)}. Next: winoqueer-nl verify {made.name}")


def verify(
    folder: Annotated[Path, typer.Argument(help="Release folder.")],
    export: Exports = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the checks that need the release tools.")] = False,
    root: Root = Path(),
) -> None:
    """Check everything that must hold before a release leaves the house."""
    from winoqueer_nl.release import verify as stage

    context = stage.context_for(folder, export or [], root)
    checks = stage.QUICK if quick else stage.CHECKS
    stage.verify(context, checks, tell)
    if quick:
        left_out = ", ".join(check.name for check in stage.CHECKS if check.tool)
        typer.echo(f"{folder}: in order as far as checked. Left out: {left_out}; publishing makes these checks too.")
    else:
        typer.echo(f"{folder}: in order.")


def tell(outcome: object) -> None:
    """Print one line about a check."""
    from winoqueer_nl.release.verify import Outcome

    assert isinstance(outcome, Outcome)
    verdict = f"{len(outcome.problems)} problems" if outcome.problems else "ok"
    note = f" ({outcome.note})" if outcome.note else ""
    typer.echo(f"  {outcome.check.name:14} {verdict:12} {outcome.check.proves}{note}  {outcome.seconds:.1f} s")


def diff(
    old: Annotated[str, typer.Argument(help="Release folder, or Hub revision ORG/NAME@v1.0.0.")],
    new: Annotated[str, typer.Argument(help="Release folder, or Hub revision ORG/NAME@v1.1.0.")],
    out: Annotated[Path | None, typer.Option(help="Write every single change here (JSON).")] = None,
) -> None:
    """Say what changed between two releases, why, and which version number is honest."""
    from winoqueer_nl.files import write_json
    from winoqueer_nl.publish.fetch import opened
    from winoqueer_nl.release import changelog
    from winoqueer_nl.release.bump import actual_bump, least_bump, next_version
    from winoqueer_nl.release.diff import Level, compare, grouped

    with opened(old) as before, opened(new) as after:
        changes = compare(before, after)
        least = least_bump(changes)
        typer.echo("Content warning: examples quote hurtful sentences.")
        for group in grouped(changes):
            typer.echo(changelog.line(group))
        if not changes:
            typer.echo("No difference in the data.")
        step = actual_bump(before.version, after.version)
        typer.echo(
            f"{before.version} -> {after.version}. Least honest version: {next_version(before.version, least)}"
            f" ({least.name})" + ("." if Level.NONE < step >= least else f"; {after.version} says less.")
        )
        if out is not None:
            write_json(out, [change.as_json() for change in changes])


def fetch(
    revision: Annotated[str, typer.Argument(help="Hub revision ORG/NAME@v1.0.0.")],
    out: Annotated[Path, typer.Argument(help="New folder for its files.")],
) -> None:
    """Fetch a published release, checked against its checksums, to compare the next one with."""
    from winoqueer_nl.publish.fetch import keep, opened

    with opened(revision) as release:
        keep(release, out)
    typer.echo(f"{out}: {release.language} {release.version}.")


def publish(
    folder: Annotated[Path, typer.Argument(help="Release folder.")],
    repo: Annotated[str, typer.Option(help="Dataset repository on the Hub, ORG/NAME.")],
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Do it; without this, only say what would be done.")
    ] = False,
    parent: Annotated[
        str | None, typer.Option(help="Commit to build on, where it is not the latest published version.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Create a new repository as a private one.")] = False,
    export: Exports = None,
    root: Root = Path(),
) -> None:
    """Publish a release: verify, one commit, one tag, load back and compare.

    Exit status 0 once the published version was loaded back and compared, 3 if nothing was confirmed, 1 with a reason.
    """
    import sys

    from winoqueer_nl.publish.hub import Hub
    from winoqueer_nl.publish.retry import Retry
    from winoqueer_nl.publish.run import Options
    from winoqueer_nl.publish.run import publish as run
    from winoqueer_nl.publish.token import token
    from winoqueer_nl.release.verify import context_for

    context = context_for(folder, export or [], root)
    hub = Hub(repo, token(), Retry(tell=lambda text: print(text, file=sys.stderr)))
    if not run(context, hub, Options(confirm, parent, private), typer.echo, tell_check=tell):
        raise typer.Exit(3)
