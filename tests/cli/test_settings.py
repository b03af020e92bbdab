"""Settings as they are read: from the environment, from a `.env` file, or neither; and what a start loads for them."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.config import read
from bot.errors import StartError
from tests.architecture.source import ROOT
from tests.bench.stub import TOKEN

READ = """
from bot.config import read
from bot.errors import StartError
try:
    found = read()
except StartError as error:
    print(error)
else:
    print(found.discord_token, found.database_url, found.log_level, found.log_format, found.heartbeat_file, found.rules_overlays)
    print(found)
"""
START = """
import sys, unicodedata
from rules.shelf import shipped_books
shipped_books()
unicodedata.lookup = None  # what asks for it fails
from bot.app import create_bot
from bot.config import read
create_bot(read())
print({"pydantic", "PIL"} & {*sys.modules})
"""


def answered(program: str, folder: Path, **env: str) -> str:
    """What a program prints that runs in a folder, with nothing else set."""
    known = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    done = subprocess.run(  # noqa: S603 - our own programs
        [sys.executable, "-c", program],
        env={**known, "PYTHONPATH": str(ROOT), **env},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_without_anything_set_the_defaults_hold(tmp_path: Path) -> None:
    """What is empty counts as not set."""
    first = answered(READ, tmp_path, DATABASE_URL="", LOG_LEVEL="").splitlines()[0]
    assert first == " sqlite+aiosqlite:///adjutant.db INFO auto None ()"


def test_the_environment_counts_before_the_file(tmp_path: Path) -> None:
    """Names in any case; quotes and comments of the file are no part of a value; other names are nobody's business."""
    lines = ('DISCORD_TOKEN="abc" # mine', "export LOG_LEVEL=DEBUG", "log_format=json", "OTHER=1", "HEARTBEAT_FILE=")
    (tmp_path / ".env").write_text("\n".join(lines), "utf-8")
    overlays = '["a.toml", "b.toml"]'
    first = answered(READ, tmp_path, log_level="ERROR", HEARTBEAT_FILE="beat", RULES_OVERLAYS=overlays).splitlines()[0]
    paths = [Path("a.toml"), Path("b.toml")]
    assert first == f"abc sqlite+aiosqlite:///adjutant.db ERROR json beat {paths}"


def test_the_token_is_not_shown(tmp_path: Path) -> None:
    """Where settings are printed, they come without it."""
    first, printed = answered(READ, tmp_path, DISCORD_TOKEN=TOKEN).splitlines()
    assert first.startswith(TOKEN)
    assert TOKEN not in printed


@pytest.mark.parametrize("overlays", ["a.toml", '"a.toml"', "[1]", "{}"])
def test_what_cannot_be_used_is_said_in_one_sentence(tmp_path: Path, overlays: str) -> None:
    """All of it at once, each by its name, with what would be right."""
    told = answered(READ, tmp_path, LOG_LEVEL="info", LOG_FORMAT="xml", RULES_OVERLAYS=overlays)
    assert told == (
        "A setting cannot be used. LOG_LEVEL: Input should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'; "
        "LOG_FORMAT: Input should be 'auto', 'json' or 'text'; RULES_OVERLAYS: Input should be a JSON list of paths. "
        "See .env.example for the values that it takes.\n"
    )


def test_a_start_loads_only_what_it_needs(tmp_path: Path) -> None:
    """Pydantic comes with the first file to be checked, Pillow with the first picture; no pattern has Unicode's names read."""
    answered(START, tmp_path)  # the first start may have to build the books
    assert answered(START, tmp_path) == "set()\n"


@pytest.mark.parametrize("fault", ["short", "A" * 43 + "?", "QUFB", "A" * 88])
def test_a_secret_that_cannot_be_used_is_not_repeated(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what it takes, and not what was given: that may be most of a secret."""
    monkeypatch.setenv("SECRETS_KEY", fault)
    with pytest.raises(StartError, match="SECRETS_KEY: Input should be 32 random bytes as base64") as refused:
        read()
    assert fault not in str(refused.value)


@pytest.mark.parametrize("written", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_is_read_in_either_alphabet_and_not_shown(
    written: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`openssl rand -base64 32` prints one, and so do Python's tools; where settings are printed, they come without it."""
    key = bytes(range(224, 256))
    monkeypatch.setenv("SECRETS_KEY", written(key).decode())
    settings = read()
    assert settings.secrets_key == key
    assert "secrets_key" not in repr(settings)
