"""The command ``winoqueer-nl``: finds the sub-commands and turns a person's mistakes into messages.

Every module in :mod:`winoqueer_nl.commands` has a function ``register(app)`` that adds its sub-commands.
Modules import what is heavy (pandas, torch) inside the command, so that ``--help`` answers at once.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

import typer

from winoqueer_nl import __version__, commands
from winoqueer_nl.problems import InputError

app = typer.Typer(
    name="winoqueer-nl",
    help="Build, check, score and publish WinoQueer-NL. The sentences are hurtful; read them prepared.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"winoqueer-nl {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_show_version, is_eager=True),
) -> None:
    """Build, check, score and publish WinoQueer-NL. The sentences are hurtful; read them prepared."""


for _module in sorted(module.name for module in pkgutil.iter_modules(commands.__path__)):
    importlib.import_module(f"winoqueer_nl.commands.{_module}").register(app)


def main() -> None:
    """Run the command line; exit status 1 with messages for a person's mistake or a full disk, 130 after Ctrl-C."""
    try:
        app()
    except InputError as error:
        print(error.message(), file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Stopped. Nothing half-written was left behind.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output (head, less) has gone: nothing to say, nobody to say it to
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        sys.exit(141)
    except Exception as error:
        from winoqueer_nl.files import no_room

        problem = no_room(error)
        if problem is None:
            raise
        print(problem, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
