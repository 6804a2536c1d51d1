"""Tokens and passwords come from the environment or a login, and go to the server that they are for: nowhere else."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest
import typer
from huggingface_hub import constants, get_token

from winoqueer_nl.cli import app
from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import hub

TOKEN = "hf_" + "CanaryOfTheSecurityTests0123456789"


def parameters(command: Any, before: str = "") -> list[str]:
    """The name of every option and argument of every command."""
    inside = getattr(command, "commands", {})
    own = [f"{before} {name}" for parameter in command.params for name in [*parameter.opts, *parameter.secondary_opts]]
    return own + [each for name, one in inside.items() for each in parameters(one, f"{before} {name}")]


def test_no_command_takes_a_secret_among_its_arguments_where_every_user_of_the_machine_could_read_it() -> None:
    found = parameters(typer.main.get_command(app))
    assert len(found) > 150
    assert [name for name in found if any(word in name.lower() for word in ("password", "secret", "api-key"))] == []
    assert [name for name in found if "token" in name.lower() and "tokens" not in name.lower()] == []


def test_a_hub_that_cannot_be_reached_is_told_of_without_the_token(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    assert get_token() == TOKEN
    with pytest.raises(InputError, match="found no connection to the Hub") as error:
        hub.find("owner/model", endpoint="http://127.0.0.1:9")
    assert TOKEN not in "".join(traceback.format_exception(error.value))
    assert [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()] == []
