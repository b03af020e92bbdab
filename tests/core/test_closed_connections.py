"""Connections that PostgreSQL has closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.database import Database
from tests.core.test_database import coins, create, put
from tests.support.template import fresh_url

pytestmark = pytest.mark.postgres

CLOSE_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()
"""


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """An empty purse on PostgreSQL."""
    with fresh_url("postgresql", tmp_path) as url:
        made = Database(url)
        try:
            await made.write(create)
            yield made
        finally:
            await made.close()


def close_all(database: Database) -> None:
    """Let the server close a database's connections."""
    other = sa.create_engine(database.engine.url, isolation_level="AUTOCOMMIT")
    with other.connect() as connection:
        connection.execute(sa.text(CLOSE_ALL))
    other.dispose()


async def test_a_connection_that_the_server_has_closed_is_replaced(database: Database) -> None:
    """After a restart, transactions run once."""
    await asyncio.gather(*(database.write(put, 1) for _ in range(3)))
    close_all(database)
    assert await database.write(put, 1) == 4
    close_all(database)
    assert await asyncio.gather(*(database.read(coins) for _ in range(5))) == [4] * 5


async def test_a_transaction_that_is_cut_off_each_time_is_given_up(database: Database) -> None:
    """The second failure is raised."""
    with pytest.raises(sa.exc.OperationalError):
        await database.read(_end_this_connection)
    assert await database.read(coins) == 0


def _end_this_connection(tx: Connection) -> None:
    tx.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))
