from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sqlite3
import time
from contextlib import closing
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from aiohttp import web

from bot.core.migrate import newest_revision
from tests.bench.stub import APPLICATION, TOKEN, serving
from tests.support.commands import Done, adjutant
from tests.support.template import copy_to
from tests.wire.server import Place, Wire, place

GOOD = f"{base64.b64encode(b'100000000000000000').decode()}.Gabcde.a-secret_of-nobody"
INVITED = discord.Permissions(274878024704)
"""The permissions of the README's invitation."""


class _DescribedDiscord(Wire):
    """A Discord with given permissions, flags and clock."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.may, self.flags, self.ahead = INVITED, 0, 0.0
        self.gone = self.refuses = False

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Answer, with the time."""
        status, body = self._answer_path(request.path.removeprefix("/api/v10"))
        heads = {"Content-Type": "application/json", "Date": formatdate(time.time() + self.ahead, usegmt=True)}
        return web.Response(body=json.dumps(body).encode(), status=status, headers=heads)

    def _answer_path(self, path: str) -> tuple[int, Any]:
        if self.refuses:
            return 401, {"message": "401: Unauthorized", "code": 0}
        guild, me = self.place.guild, self.place.me
        roles = [{**role, "permissions": str(self.may.value)} for role in guild["roles"]]
        known: dict[str, Any] = {
            "/users/@me": me,
            "/oauth2/applications/@me": {**APPLICATION, "flags": self.flags},
            f"/guilds/{guild['id']}": {**guild, "roles": roles},
            f"/guilds/{guild['id']}/members/{me['id']}": {**self.place.gm, "user": me, "roles": []},
            f"/guilds/{guild['id']}/channels": guild["channels"],
        }
        if path not in known or (self.gone and path.startswith("/guilds/")):
            return 404, {"message": "Unknown", "code": 10003}
        return 200, known[path]


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:  # noqa: ANN401 - a function with options
    """Run the command with a well-formed token."""

    def run(*words: str, url: str = f"sqlite:///{tmp_path / 'wire.db'}", **settings: str) -> Done:
        told = {"DISCORD_TOKEN": GOOD, "BACKUPS": str(tmp_path / "backups"), **settings}
        for name, value in told.items():
            monkeypatch.setenv(name, value)
        return adjutant(url, "doctor", *words)

    return run


async def test_discord_is_asked_for_what_it_alone_knows(
    doctor: Any,  # noqa: ANN401 - as the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each fault has a remedy; the token is never shown."""
    async with serving(_DescribedDiscord(await place(tmp_path))) as wire:
        monkeypatch.setattr(discord.http.Route, "BASE", wire.api)
        told = await asyncio.to_thread(doctor)
        assert (told.code, told.err) == (0, "")
        assert [line.split(":")[0] for line in told.out.splitlines()] == [
            *(
                "fine  Token",
                "fine  Database",
                "fine  Migrations",
                "fine  Disk of the database",
                "fine  Disk of the backups",
            ),
            *("fine  Discord", "fine  Intents", "fine  Channels of Iron Sea", "fine  Clock", "Everything is fine."),
        ]
        wire.may, wire.flags, wire.ahead = discord.Permissions(INVITED.value & ~(1 << 14)), 1 << 19, 90.0
        told = await asyncio.to_thread(doctor)
        lines = told.out.replace(" 89 seconds", " 90 seconds").splitlines()  # in whole seconds
        assert told.code == 1
        assert {line for line in lines if line.startswith("FAULT")} == {
            "FAULT Channels of Iron Sea: in #results the bot needs Embed Links.",
            "FAULT Channels of Iron Sea: in #staff the bot needs Embed Links.",
            "FAULT Channels of Iron Sea: in #orders the bot needs Embed Links.",
            f"FAULT Clock: it is {wire.ahead:.0f} seconds behind Discord's.",
        }
        assert any("these are on: message content" in line for line in lines)
        assert lines[-1] == "4 of 11 need attention."
        with closing(sqlite3.connect(tmp_path / "wire.db")) as connection, connection:
            connection.execute("UPDATE campaign SET results_channel_id = 0, staff_channel_id = 0")
        told = await asyncio.to_thread(doctor)
        assert "FAULT Channels of Iron Sea: it was imported, and its channels aren't set yet." in told.out
        wire.gone, wire.ahead = True, 0.0
        assert "FAULT Channels of Iron Sea: the bot isn't on the server" in (await asyncio.to_thread(doctor)).out
        wire.refuses = True
        told = await asyncio.to_thread(doctor)
        assert "FAULT Discord: it rejects the token.\n      Copy the current token" in told.out
        assert GOOD not in told.out
    told = await asyncio.to_thread(doctor)
    assert (told.code, "FAULT Discord: it doesn't answer properly" in told.out) == (1, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "DISCORD_TOKEN isn't set"),
        (TOKEN, "doesn't look like a token"),
        (GOOD.replace(".G", " G"), "doesn't look like a token"),
    ],
)
def test_a_token_of_another_form_is_told_without_discord(doctor: Any, given: str, said: str) -> None:  # noqa: ANN401 - as the fixture
    """It isn't repeated."""
    told = doctor(DISCORD_TOKEN=given)
    assert (told.code, said in told.out, "FAULT Token" in told.out) == (1, True, True)
    assert not given or given not in told.out


def test_database_and_disk_are_looked_at_without_discord(
    doctor: Any,  # noqa: ANN401 - as the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Missing and older files are fine, others aren't."""
    file = tmp_path / "wire.db"
    assert "fine  Database:" in doctor("--offline").out
    assert not file.exists()
    copy_to(file)
    for revision, line in (
        ("0007", f"fine  Migrations: it is at revision 0007. The next start upgrades it to {newest_revision()}"),
        ("9999", "FAULT Database: The database is at revision 9999, newer"),
    ):
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        told = doctor("--offline")
        assert (line in told.out, told.code) == (True, int(line.startswith("FAULT")))
    assert "FAULT Database: DATABASE_URL isn't a database address" in doctor("--offline", url="nonsense").out
    nowhere = f"sqlite:///{tmp_path / 'nowhere' / 'wire.db'}"
    assert "FAULT Database: the folder for" in doctor("--offline", url=nowhere).out
    file.write_text("Zeon attacks at dawn.\n" * 100)
    assert "FAULT Database: The database can't be used: file is not a database." in doctor("--offline").out
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2**20))
    told = doctor("--offline")
    assert "FAULT Disk of the database: 0.0 GiB are free" in told.out
    assert "Free up space: it needs 0.5 GiB." in told.out
