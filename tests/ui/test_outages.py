from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
import sqlalchemy as sa

from bot.core.outages import BUSY, FULL, GONE, IN_DOUBT, UNWRITTEN, describe_outage
from tests.support.acting import opened
from tests.support.reading import press, refused, said
from tests.support.world import World, rows, written

RAISE_FULL = "DO $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$"


@contextmanager
def full(world: World) -> Iterator[None]:
    """Let the database take nothing more."""
    engine = world.bots[-1].database.engine

    def stay(connection: sa.Connection) -> None:
        connection.connection.cursor().execute("PRAGMA max_page_count = 1")  # SQLite takes the size that it has

    def grow(connection: sa.Connection) -> None:
        connection.connection.cursor().execute("PRAGMA max_page_count = 1073741823")

    def refuse(*event: object) -> tuple[object, object]:
        statement, parameters = event[2:4]
        return (RAISE_FULL, ()) if str(statement).startswith(("INSERT", "UPDATE")) else (statement, parameters)

    if engine.dialect.name == "postgresql":
        sa.event.listen(engine, "before_cursor_execute", refuse, retval=True)
        yield
        sa.event.remove(engine, "before_cursor_execute", refuse)
        return
    sa.event.listen(engine, "begin", stay)
    yield
    sa.event.remove(engine, "begin", stay)
    sa.event.listen(engine, "begin", grow)


NOW = {"patrol": "Kilo", "target": "Zaku", "note": "x" * 450, "roll": "now"}


async def test_a_full_disk_rolls_nothing(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """With room again the same press rolls."""
    card = await opened(world, target="Zaku")
    with full(world):
        for _ in range(50):  # what is free in the pages that there are is used up first
            before = written(world)
            world.dice.script(20)
            told = said(await world.gm.slash(world.orders, "patrol", **NOW))
            if FULL in told:
                break
        assert UNWRITTEN in told
        assert written(world) == before
        world.dice.script(20)
        told = refused(await world.gm.click(card, custom_id=press(card, "roll")))
        assert FULL in told
        assert written(world) == before
    outages = [record for record in caplog.records if record.getMessage() == "interaction.outage"]
    assert len(outages) == 2
    assert not [record for record in caplog.records if record.getMessage() == "interaction.bug"]
    world.dice.script(20)
    assert "Rolled: entry" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert rows(world, "select count(*) from card where state = 'open'") == [(0,)]
    world.env._errors.clear()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("53100", FULL),
        ("53300", GONE),
        ("57P01", GONE),
        ("08006", GONE),
        ("40P01", BUSY),
        ("25006", GONE),
        ("23505", None),
    ],
)
def test_codes_of_postgresql_are_told_in_words(code: str, told: str | None) -> None:
    """Duplicates are bugs."""
    error = psycopg.errors.lookup(code)("something of the server")
    found = describe_outage(sa.exc.DBAPIError.instance("INSERT", {}, error, psycopg.Error))
    assert (found[0] if found else None) == told


@pytest.mark.parametrize(("statement", "do"), [("INSERT", UNWRITTEN), (None, IN_DOUBT)])
def test_a_commit_that_was_cut_off_is_in_doubt(statement: str | None, do: str) -> None:
    """A cut statement isn't."""
    error = psycopg.OperationalError("the connection is lost")
    wrapped = sa.exc.OperationalError(statement, {}, error, connection_invalidated=True)
    assert describe_outage(wrapped) == (GONE, do)


@pytest.mark.parametrize(
    "bug", [ValueError("x"), sqlite3.OperationalError("no such table: entry"), psycopg.ProgrammingError("x")]
)
def test_bugs_are_no_outages(bug: Exception) -> None:
    """They get a reference."""
    assert describe_outage(bug) is None
    assert describe_outage(sa.exc.DBAPIError("SELECT", {}, bug)) is None
