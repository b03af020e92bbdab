from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bot.cli import main
from bot.core.config import Address, Shards, read
from bot.core.errors import StartError
from tests.architecture.source import ROOT
from tests.bench.stub import TOKEN

START = """
import sys, unicodedata
from rules.library import load_shipped_books
load_shipped_books()
unicodedata.lookup = None  # what asks for it fails
from bot.app import create_bot
from bot.cli import main
from bot.core.config import Shards, read
create_bot(read())
print({"PIL", "prometheus_client", "aiohttp.web", "bot.core.backups"} & {*sys.modules})
"""


TYPED = "typed"
Answered = Callable[..., str]


def _show_settings(monkeypatch: pytest.MonkeyPatch, **env: str) -> str:
    monkeypatch.setattr(os, "environ", env)
    try:
        found = read()
    except StartError as error:
        return f"{error}\n"
    some = (found.discord_token, found.database_url, found.log_level, found.log_format, found.log_file)
    return f"{' '.join(map(str, some))} {found.rules_overlays}\n{found}\n"


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    """Show the settings of an empty folder."""
    monkeypatch.chdir(tmp_path)
    return partial(_show_settings, monkeypatch)


def test_the_token_can_be_in_a_file(answered: Answered, tmp_path: Path) -> None:
    """As a Docker secret; unreadable files are named."""
    secret = tmp_path / "token"
    assert str(secret) in answered(DISCORD_TOKEN_FILE=str(secret))
    secret.write_text("from-the-file\n\n", "utf-8-sig")
    assert answered(DISCORD_TOKEN_FILE=str(secret)).startswith("from-the-file sqlite")
    assert answered(DISCORD_TOKEN_FILE=str(secret), DISCORD_TOKEN=TYPED).startswith(f"{TYPED} sqlite")


def test_without_anything_set_the_defaults_hold(answered: Answered) -> None:
    """Empty counts as not set."""
    first = answered(DATABASE_URL="", LOG_LEVEL="").splitlines()[0]
    assert first == " sqlite+aiosqlite:///adjutant.db INFO auto None ()"


def test_the_environment_counts_before_the_file(answered: Answered, tmp_path: Path) -> None:
    """In any case; comments and other names don't count."""
    lines = ('DISCORD_TOKEN="abc" # mine', "export LOG_LEVEL=DEBUG", "log_format=json", "OTHER=1", "LOG_FILE=")
    file = tmp_path / ".env"
    file.write_text("\n".join(lines), "utf-8")
    file.chmod(0o600)
    overlays = '["a.toml", "b.toml"]'
    first = answered(log_level="ERROR", LOG_FILE="lines", RULES_OVERLAYS=overlays).splitlines()[0]
    paths = [Path("a.toml"), Path("b.toml")]
    assert first == f"abc sqlite+aiosqlite:///adjutant.db ERROR json lines {paths}"


def test_secrets_are_not_shown(answered: Answered) -> None:
    """Neither token nor database address."""
    first, printed = answered(DISCORD_TOKEN=TOKEN).splitlines()
    assert first.startswith(TOKEN)
    assert TOKEN not in printed
    _, printed = answered(DATABASE_URL="postgresql://bot:hush@nowhere/games").splitlines()
    assert "hush" not in printed


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
@pytest.mark.parametrize("name", ["DISCORD_TOKEN", "secrets_key", "DATABASE_URL"])
def test_a_file_of_secrets_that_others_can_read_is_refused(
    answered: Answered, tmp_path: Path, name: str, mode: int
) -> None:
    """With setting and remedy, without the secret."""
    file = tmp_path / ".env"
    file.write_text(f"{name}=hush", "utf-8")
    file.chmod(mode)
    assert answered() == (
        f"Other users on this machine can read or change .env, with {name.upper()}. Make it private: chmod 600 .env\n"
    )


def test_a_file_without_secrets_may_be_read_by_all(answered: Answered, tmp_path: Path) -> None:
    """Such as a log level."""
    file = tmp_path / ".env"
    file.write_text("DISCORD_TOKEN=\nLOG_LEVEL=ERROR", "utf-8")
    file.chmod(0o644)
    assert answered().startswith(" sqlite+aiosqlite:///adjutant.db ERROR ")


@pytest.mark.parametrize("overlays", ["a.toml", '"a.toml"', "[1]", "{}"])
def test_what_cannot_be_used_is_said_in_one_sentence(answered: Answered, overlays: str) -> None:
    """All at once, with corrections."""
    told = answered(LOG_LEVEL="info", LOG_FORMAT="xml", RULES_OVERLAYS=overlays)
    assert told == (
        "A setting is wrong. LOG_LEVEL: Input should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'; "
        "LOG_FORMAT: Input should be 'auto', 'json' or 'text'; RULES_OVERLAYS: Input should be a JSON list of paths. "
        "See .env.example.\n"
    )


@pytest.mark.parametrize(("content", "fault"), [(None, "The font can't be read"), (b"PK\3\4", "TTF or OTF")])
def test_a_file_that_is_not_a_font_is_refused(
    answered: Answered, tmp_path: Path, content: bytes | None, fault: str
) -> None:
    """At the start already."""
    if content is not None:
        (tmp_path / "letters.ttf").write_bytes(content)
    assert fault in answered(FONT_FILE="letters.ttf")


@pytest.mark.slow
def test_a_start_loads_only_what_it_needs(tmp_path: Path) -> None:
    """Pydantic, Pillow and others load on first use."""
    env = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    for _ in range(2):  # the first start may have to build the books
        command = [sys.executable, "-c", START]
        done = subprocess.run(command, env=env, cwd=tmp_path, check=True, capture_output=True, text=True)  # noqa: S603
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("fault", ["short", "A" * 43 + "?", "QUFB", "A" * 88])
def test_a_secret_that_cannot_be_used_is_not_repeated(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be mostly right."""
    monkeypatch.setenv("SECRETS_KEY", fault)
    with pytest.raises(StartError, match="SECRETS_KEY: Input should be 32 random bytes as base64") as refused:
        read()
    assert fault not in str(refused.value)


@pytest.mark.parametrize("written", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_is_read_in_either_alphabet_and_not_shown(
    written: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As openssl and Python print base64."""
    key = bytes(range(224, 256))
    monkeypatch.setenv("SECRETS_KEY", written(key).decode())
    settings = read()
    assert settings.secrets_key == key
    assert "secrets_key" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "ids", "count"), [("0/1", [0], 1), ("0-3/16", [0, 1, 2, 3], 16), (" 15/16 ", [15], 16)]
)
def test_shards_are_named_with_how_many_there_are(text: str, ids: list[int], count: int) -> None:
    """One or a run, out of a total."""
    found = Shards.read(text)
    assert (found.ids(), found.count) == (ids, count)


@pytest.mark.parametrize(
    "text", ["", "3", "16/16", "0-16/16", "3-1/16", "0/0", "-1/4", "0-3", "a/4", "\u0661/4", "1e1/20"]
)
def test_shards_that_there_are_not_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything starts."""
    with pytest.raises(SystemExit):
        main(["run", f"--shards={text}"])
    told = capsys.readouterr().err
    assert "such as 0-3/16" in told or "the first is 0 and the last" in told


def test_limits_are_read_and_can_be_turned_off(answered: Answered) -> None:
    """For members and servers."""
    assert "member_limit=None, server_limit=Pace(burst=5, rate=0.5)" in answered(
        MEMBER_LIMIT="off", SERVER_LIMIT="5+0.5"
    )
    assert "MEMBER_LIMIT: Input should be how many at once" in answered(MEMBER_LIMIT="20")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("9464", "127.0.0.1", 9464), (" 10.0.0.7:80 ", "10.0.0.7", 80), ("[::1]:9464", "::1", 9464)],
)
def test_the_port_of_figures_is_this_machines_own_unless_told(text: str, host: str, port: int) -> None:
    """A plain number binds to loopback."""
    assert Address.read(text) == Address(host, port)


@pytest.mark.parametrize(
    ("name", "value"),
    [("HEALTH_PORT", "http"), ("HEALTH_PORT", "65536"), ("HEALTH_PORT", "host:"), ("BACKUPS_KEPT", "0")]
    + [("WEB_PORT", wrong) for wrong in ("0.0.0.0:8080", "0", "65536", "web")],
)
def test_a_number_that_cannot_be_used_is_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ports and backup counts."""
    monkeypatch.setenv(name, value)
    with pytest.raises(StartError, match=f"{name}: Input should be a (port|number)"):
        read()


def test_backups_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """They're on by default."""
    assert (read().backups, read().backups_kept) == (Path("backups"), 7)
    monkeypatch.setenv("BACKUPS", "off")
    assert read().backups is None
