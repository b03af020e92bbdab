from __future__ import annotations

import asyncio
import os
import shutil
import stat
import sys
import time
from pathlib import Path
from unittest import mock

import pytest
from msgspec.structs import replace

from bot.app import KINDS
from bot.cli import _parser, run
from bot.core import audit, backups
from bot.core.database import Database
from bot.core.schema import entry
from bot.rolls.resolver import RollOrder
from tests.cli.test_cli_copy import address, content
from tests.core.test_audit import fill
from tests.support.backend import GM, House, patrol
from tests.support.commands import Done, adjutant
from tests.support.template import fresh_url

PRETENDED = """
import datetime, pathlib, sys
from bot.core.backups import name_backup
file = pathlib.Path(sys.argv[sys.argv.index("--to") + 1]) / name_backup(datetime.datetime.now(datetime.UTC), ".db")
file.write_text(" ".join(sys.argv[1:]))
print(file)
"""
"""A program that makes a backup of nothing but its words."""


async def _back_up(house: House, folder: Path, *words: str) -> Done:
    return await asyncio.to_thread(adjutant, address(house), "backup", "--to", str(folder), *words)


def _list_files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.fixture
def folder(house: House, tmp_path: Path) -> Path:
    """Make a backup folder; skip without PostgreSQL's programs."""
    if house.database.engine.dialect.name == "postgresql" and shutil.which("pg_dump") is None:
        pytest.skip("pg_dump is not in PATH")
    return tmp_path / "backups"


async def test_a_backup_is_made_while_the_bot_runs_and_is_checked(house: House, folder: Path) -> None:
    """One private file with every row."""
    await fill(house)
    told = await _back_up(house, folder)
    (file,) = _list_files(folder)

    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"{file}\nIron Sea: 6 entries, sound.\nChecked: the ledgers, in the ")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if file.suffix == backups.SQLITE:
        copy = Database(f"sqlite:///{file}")
        assert await copy.read(content) == await house.database.read(content)
        assert [item.faults for item in await audit.check_ledgers(copy, KINDS)] == [()]
        await copy.close()


async def test_the_newest_backups_are_kept_and_nothing_else_is_deleted(house: House, folder: Path) -> None:
    """Two of three, and unrelated files."""
    await _back_up(house, folder)
    note = folder / "adjutant-notes.db"
    note.touch()
    told = [await _back_up(house, folder, "--keep", "2") for _ in range(3)]
    made = [Path(item.out.splitlines()[0]) for item in told]

    assert backups.list_backups(folder) == [made[2], made[1]]
    assert f"Deleted: {made[0]}\n" in told[2].out
    assert note in _list_files(folder)


async def test_the_running_bot_backs_up_once_a_day(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Failures are logged and tried again."""
    caplog.set_level("INFO")
    failing, making = (sys.executable, "-c", "raise SystemExit('no room')"), (sys.executable, "-c", PRETENDED)
    done = [await run.back_up(tmp_path, 7, program) for program in (failing, making, making)]
    assert done == [False, True, False]
    (made,) = backups.list_backups(tmp_path)
    told = [(line.getMessage(), getattr(line, "fault", None) or line.file) for line in caplog.records]  # type: ignore[attr-defined]
    assert told[-2:] == [("backup.failed", "no room"), ("backup.made", str(made))]
    args = _parser().parse_args(made.read_text().split())
    assert (args.gently, args.to, args.keep) == (True, tmp_path, 7)


async def test_a_backup_of_the_day_that_hangs_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It's logged and tried again."""
    hanging = (sys.executable, "-c", "import time; time.sleep(60)")
    assert not await run.back_up(tmp_path, 7, hanging, limit=0.01)
    assert [(line.getMessage(), line.fault) for line in caplog.records] == [  # type: ignore[attr-defined]
        ("backup.failed", "It was not ready after 0 s.")
    ]
    caplog.clear()


def _leave_parts(folder: Path, *ages: int) -> None:
    folder.mkdir()
    for age in ages:
        rest = folder / f"adjutant-{age}.db.part"
        rest.touch()
        os.utime(rest, (time.time() - age,) * 2)


async def test_a_gentle_backup_gives_way_and_clears_what_was_left(
    house: House, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old leftovers go, running ones stay."""
    nice: list[int] = []
    monkeypatch.setattr(os, "nice", nice.append)
    _leave_parts(folder, 0, backups.DAY + 60)
    assert (await _back_up(house, folder, "--gently")).code == 0
    assert nice == [10]
    assert _list_files(folder) == [folder / "adjutant-0.db.part", *backups.list_backups(folder)]


async def test_faults_are_told_and_no_older_backup_is_deleted_for_a_faulty_one(house: House, folder: Path) -> None:
    """The command exits 1."""
    sound = await _back_up(house, folder, "--keep", "1")
    await house.tamper(entry.update().where(entry.c.number == 1).values(hash="0" * 64))
    faulty = await _back_up(house, folder, "--keep", "1")

    assert (sound.code, faulty.code) == (0, 1)
    assert "Older backups were kept" in faulty.out
    assert len(backups.list_backups(folder)) == 2


async def test_what_cannot_be_made_leaves_nothing_behind(house: House, tmp_path: Path) -> None:
    """Bad folders and missing programs are explained."""
    (tmp_path / "file").touch()
    told = await _back_up(house, tmp_path / "file")
    assert (told.code, told.err.startswith("No backup was made: ")) == (2, True)
    if house.database.engine.dialect.name == "postgresql":
        with mock.patch.dict(os.environ, {"PATH": ""}):
            told = await _back_up(house, tmp_path / "backups")
        assert (told.code, told.err.startswith("The program pg_dump is missing. Install")) == (2, True)
        assert _list_files(tmp_path / "backups") == []


@pytest.mark.slow
async def test_a_restored_backup_verifies_and_goes_on(house: House, folder: Path, tmp_path: Path) -> None:
    """The chain is whole, and a roll follows."""
    await fill(house)
    file = (await _back_up(house, folder)).out.splitlines()[0]
    await house.patrol("Dom", faces=(3,))
    (tmp_path / "elsewhere").mkdir()
    with fresh_url(house.database.engine.dialect.name, tmp_path / "elsewhere") as url:
        told = await asyncio.to_thread(adjutant, "", "restore", file, "--to", url)
        again = await asyncio.to_thread(adjutant, "", "restore", file, "--to", url)
        assert (told.code, told.err) == (0, "")
        assert told.out == "Iron Sea: 6 entries, sound.\nRestored. You can start the bot.\n"
        assert (again.code, again.out) == (2, "")
        assert again.err.startswith("The database to restore into isn't empty")
        restored = Database(url)
        house.dice.script(4)
        order = RollOrder(house.campaign.id, GM.user_id, replace(patrol("Gelgoog"), staff=True))
        await restored.write(house.resolver.roll, order)
        assert [(item.entries, item.faults) for item in await audit.check_ledgers(restored, KINDS)] == [(7, ())]
        await restored.close()


def test_what_is_no_backup_is_not_restored(tmp_path: Path) -> None:
    """Other, missing and mismatched files are refused."""
    url = f"sqlite:///{tmp_path / 'restored.db'}"
    (dump := tmp_path / "a.dump").touch()
    for file, said in (
        (tmp_path / "a.txt", "isn't a backup"),
        (tmp_path / "a.db", "isn't a backup"),
        (dump, "Restore a dump into PostgreSQL"),
    ):
        told = adjutant("", "restore", str(file), "--to", url)
        assert (told.code, said in told.err) == (2, True), told.err
