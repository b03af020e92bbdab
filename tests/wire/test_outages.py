"""The bot as its own process while its database is held by another program, or is gone, and when it is back."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sa

from bot.core.database import Database
from bot.core.outages import BUSY, GONE, UNWRITTEN
from bot.core.schema import entry
from tests.bench.stub import serving
from tests.support import template
from tests.support.world import running
from tests.wire.server import Place, Use, Wire, adjutant, place
from tests.wire.test_delivery import bugs, entries, roll, until

pytestmark = pytest.mark.slow

HASTY = """
import bot.core.engine
bot.core.engine.BUSY_TIMEOUT_MS = 3000
bot.core.engine._PRAGMAS = ("PRAGMA busy_timeout = 3000", *bot.core.engine._PRAGMAS[1:])
"""
"""What makes a bot wait three seconds for a database that is held, instead of thirty."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the database as a program does that does not know of the bot, such as a copy under way."""
    with closing(sqlite3.connect(folder / "wire.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_a_database_that_is_held_is_waited_for_and_then_told(tmp_path: Path) -> None:
    """Held for a moment, a roll is acknowledged in time and answered after; held for longer it is told, nothing is rolled, and the next one is."""
    async with serving(Wire(await place(tmp_path))) as wire, adjutant(wire, tmp_path, before=HASTY):
        with held(tmp_path):
            first = await roll(wire, 0)
            await until(lambda: bool(first.answers))
            assert first.deferred
            assert len(first.answers) == 1
        await until(lambda: "Rolled: entry #" in json.dumps(first.answers))
        with held(tmp_path):
            second = await roll(wire, 1)
            await until(lambda: len(second.answers) == 2)
            assert second.deferred
        assert BUSY in json.dumps(second.answers)
        assert UNWRITTEN in json.dumps(second.answers)
        third = await roll(wire, 2)
        await until(lambda: "Rolled: entry #" in json.dumps(third.answers))
        await until(lambda: len(wire.posted()) == 2)
    assert entries(tmp_path) == 2
    assert sorted(wire.posted()) == [first.entry, third.entry]
    assert {line["event"] for line in bugs(tmp_path)} == {"interaction.outage"}


class Cable:
    """The way to a PostgreSQL server, which can be cut and mended: a socket of its own in a folder."""

    def __init__(self, url: str, server: Path, folder: Path) -> None:
        self.url = url
        self.own_url = sa.make_url(url).set(query={"host": str(folder)}).render_as_string(hide_password=False)
        self._server, self._own = server / SOCKET, folder / SOCKET
        self._listening: asyncio.Server | None = None
        self._lines: list[asyncio.StreamWriter] = []

    async def mend(self) -> None:
        """Lead to the server."""
        self._listening = await asyncio.start_unix_server(self._connect, self._own)

    async def cut(self) -> None:
        """Break all connections, and take none."""
        if self._listening is not None:
            self._listening.close()
        self._own.unlink()
        for line in self._lines:
            line.transport.abort()
        self._lines.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(self._server)
        self._lines += (writer, far_writer)
        await asyncio.gather(_carry(reader, far_writer), _carry(far_reader, writer))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


SOCKET = ".s.PGSQL.5432"
"""What PostgreSQL calls its socket in a folder."""


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    """A way to a database on a PostgreSQL server."""
    with template.migrated_url("postgresql", tmp_path) as url, TemporaryDirectory() as folder:
        server = sa.make_url(url).query.get("host")
        if not isinstance(server, str) or not Path(server, SOCKET).exists():
            pytest.skip("the server has no socket that could be cut off")
        yield Cable(url, Path(server), Path(folder))


@pytest.mark.postgres
async def test_a_database_that_is_gone_is_told_until_it_is_back(cable: Cable, tmp_path: Path) -> None:
    """With its way to the server cut, a roll is answered that nothing was rolled; mended, the bot goes on without a start, each roll entered and posted once."""
    await cable.mend()
    async with serving(Wire(await settle(cable.url))) as wire:
        async with adjutant(wire, tmp_path, claim=1, database_url=cable.own_url):
            first = await rolled(wire, 0)
            await cable.cut()
            second = await roll(wire, 1)
            await until(lambda: GONE in json.dumps(second.answers))
            await asyncio.sleep(2)  # its loops go on meanwhile
            await cable.mend()
            third = await rolled(wire, 2)
            await until(lambda: len(wire.posted()) == 2)
        await cable.cut()
    assert sorted(wire.posted()) == [first.entry, third.entry]
    assert await counted(cable.url) == 2
    assert {line["event"] for line in bugs(tmp_path)} == {"interaction.outage"}


async def settle(url: str) -> Place:
    """Make a campaign in a database."""
    async with running(url) as world:
        return Place.of(world)


async def rolled(wire: Wire, number: int) -> Use:
    """Roll, and wait until it is told."""
    use = await roll(wire, number)
    await until(lambda: "Rolled: entry #" in json.dumps(use.answers))
    return use


async def counted(url: str) -> int:
    """How many rolls are entered."""
    database = Database(url)
    query: Any = sa.select(sa.func.count()).where(entry.c.kind == "roll")
    found: int = await database.read(lambda tx: tx.scalar(query))
    await database.close()
    return found
