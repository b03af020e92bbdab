from __future__ import annotations

import json
import platform
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli import main
from bot.core.migrate import newest_revision
from tests.support.commands import adjutant
from tests.support.template import copy_to

ROOT = Path(__file__).parents[2]
COMMANDS = ("run", "db upgrade", "ledger check", "ledger rebuild")
ADDRESSES = {
    "nonsense": "DATABASE_URL isn't a database address.",
    "postgresql://gm:secret@host:port/adjutant": "DATABASE_URL isn't a database address.",
    "mysql://gm:secret@host/adjutant": "Adjutant can't use the kind of database in DATABASE_URL.",
    "postgresql+psycopg2://gm:secret@host/adjutant": "Adjutant can't use the kind of database in DATABASE_URL.",
    "sqlite://secret/adjutant.db": "DATABASE_URL names no file.",
    "sqlite://": "DATABASE_URL names no file.",
}
ALL_COMMANDS = """
import contextlib, io, json, os, sys
from bot.cli import main

for url in sys.argv[1:]:
    os.environ["DATABASE_URL"] = url
    for command in {commands}:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(command.split())
        print(json.dumps([url, command, code, out.getvalue(), err.getvalue()]))
"""


HEAPS = """
import ctypes, sys, threading
from bot.cli.run import share_heap

if sys.argv[2:]:
    share_heap()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
there = threading.Barrier(8)
threads = [threading.Thread(target=lambda: (libc.malloc(500), there.wait())) for _ in range(8)]
[item.start() for item in threads]
[item.join() for item in threads]
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def _require_refusals(*urls: str) -> list[str]:
    program = ALL_COMMANDS.format(commands=COMMANDS)
    done = subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, "-c", program, *urls],
        cwd=ROOT,
        env={"DISCORD_TOKEN": "none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    told = [json.loads(line) for line in done.stdout.splitlines()]
    lines = [line for _, command, _, _, line in told if command == "run"]
    refused = zip(urls, lines, strict=True)
    assert told == [[url, command, 2, "", line] for url, line in refused for command in COMMANDS]
    assert all(line.count("\n") == 1 for line in lines)
    return lines


def test_the_version_and_the_page_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The project's version, and an existing page."""
    for words in (["--version"], ["verify", "--page"]):
        with pytest.raises(SystemExit, match="0"):
            main(words)
    number, page = capsys.readouterr().out.splitlines()
    assert number == f"adjutant {tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['version']}"
    assert Path(page).read_text("utf-8").startswith("<!doctype html>")


def test_postgresql_without_its_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert adjutant("postgresql://gm@host/adjutant", "ledger", "check").err == (
        "PostgreSQL needs psycopg: pip install 'adjutant[postgres]'\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with a wrong and a newer database."""
    folder = tmp_path_factory.mktemp("unusable")
    (folder / "notes.txt").write_text("Zeon attacks at dawn.\n" * 100)
    (folder / "notes.txt").chmod(0o644)
    copy_to(folder / "newer.db")
    with closing(sqlite3.connect(folder / "newer.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    return folder


@pytest.fixture(scope="module")
def lines(folder: Path) -> list[str]:
    """Collect what every command says of each address."""
    server = f"postgresql://gm:secret@/adjutant?host={folder}"
    return _require_refusals(*ADDRESSES, server, *(f"sqlite:///{folder / name}" for name in ("notes.txt", "newer.db")))


def test_a_server_that_is_none_or_does_not_answer_is_told(lines: list[str]) -> None:
    """Addresses aren't repeated: they may have passwords."""
    for line, what in zip(lines[:-3], ADDRESSES.values(), strict=True):
        assert line.startswith(what)
        assert "Write sqlite:///adjutant.db for a file, or postgresql://user:password@host/name for a server." in line
        assert "secret" not in line
    line = lines[-3]
    assert line.startswith("The database can't be used: connection is bad: ")
    assert line.endswith("Check DATABASE_URL.\n")
    assert "secret" not in line


def test_a_wrong_or_newer_database_is_told_and_left_alone(folder: Path, lines: list[str]) -> None:
    """Neither content nor rights change; the way out is named."""
    file = folder / "notes.txt"
    assert lines[-2] == "The database can't be used: file is not a database. Check DATABASE_URL.\n"
    assert file.read_text() == "Zeon attacks at dawn.\n" * 100
    assert file.stat().st_mode & 0o777 == 0o644
    known = f"The database is at revision 9999, newer than this Adjutant ({newest_revision()}). "
    assert lines[-1] == (f"{known}Install the newer version, or restore the backup from before the upgrade.\n")
    with closing(sqlite3.connect(folder / "newer.db")) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has several heaps")
def test_all_threads_of_a_running_bot_share_one_heap(tmp_path: Path) -> None:
    """Memory doesn't grow with each."""
    told = tmp_path / "heaps.xml"
    found = []
    for words in ([], ["shared"]):
        subprocess.run([sys.executable, "-c", HEAPS, str(told), *words], check=True, cwd=ROOT)  # noqa: S603 - this very Python
        found.append(told.read_text().count("<heap nr="))
    assert found[0] > found[1] == 1
