"""The second migration: posts are kept, and those without an entry go when it is taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import migrate
from bot.core.database import Database
from tests.support.template import fresh_url

NOW = "2026-03-01 12:00:00+00:00"
CAMPAIGN = (
    "insert into campaign (id, uuid, guild_id, name, name_key, books, timezone, results_channel_id, staff_channel_id,"
    " game_master_role_id, players_may, created_at)"
    " values (1, 'u', 1, 'I', 'i', '[]', 'UTC', 1, 2, 3, '[]', '2026-03-01 12:00:00+00:00')"
)
POST = (
    "insert into post (campaign_id, entry_number, kind, page, channel_id, nonce, state, attempts, unconfirmed,"
    " queued_at, due_at) values (1, {number}, 'notice', 1, 2, '{nonce}', 'queued', 1, {false}, '{now}', '{now}')"
)


@pytest.fixture
async def database(database_kind: str, tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database."""
    with fresh_url(database_kind, tmp_path) as url:
        made = Database(url)
        yield made
        await made.close()


async def put(database: Database, *statements: str) -> None:
    """Run statements in one transaction."""
    await database.write(lambda tx: [tx.execute(sa.text(statement)) for statement in statements])


def post(number: int | None, nonce: str) -> str:
    """A post of an entry, or of none."""
    return POST.format(number="null" if number is None else number, nonce=nonce, false="false", now=NOW)


async def nonces(database: Database) -> list[str]:
    """The posts that there are."""
    query = sa.text("select nonce from post order by nonce")
    return await database.read(lambda tx: list(tx.scalars(query)))


async def test_posts_are_kept_and_may_tell_of_no_entry(database: Database) -> None:
    """What was queued before stays over both ways; several posts without an entry stand beside each other until then."""
    await migrate.upgrade(database, "0001")
    await put(database, CAMPAIGN, post(1, "a"))
    with pytest.raises(sa.exc.IntegrityError):
        await put(database, post(None, "b"))
    await migrate.upgrade(database, "0002")
    await put(database, post(None, "b"), post(None, "c"))
    with pytest.raises(sa.exc.IntegrityError):
        await put(database, post(1, "d"))
    assert await nonces(database) == ["a", "b", "c"]

    await database.write(lambda tx: migrate.run(tx, "downgrade", "0001"))
    assert await nonces(database) == ["a"]
