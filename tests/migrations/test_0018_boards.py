"""The migration that keeps which post the board of a campaign is: the newest, which is looked at again."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import migrate
from bot.core.database import Database
from bot.orders import board_store
from bot.orders.board_store import KeptBoard
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

migration = import_module("migrations.versions.0018_boards")
POST = (
    "insert into post (id, campaign_id, kind, page, channel_id, nonce, state, attempts, unconfirmed, queued_at, due_at, topic) "
    "values ({}, 1, '{}', 1, 7, '{}', 'sent', 1, false, '2026-03-07 17:00:00', '2026-03-07 17:00:00', {})"
)


@pytest.mark.slow
async def test_the_newest_board_of_an_older_version_is_the_board(database_kind: str, tmp_path: Path) -> None:
    """It is behind all entries; posts of other kinds and older boards are none, and back again all posts stay."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, migration.down_revision)
        await put(database, CAMPAIGN)
        for number, what, topic in ((1, "board", "'board'"), (2, "board", "'board'"), (3, "news", "'awaited'")):
            await put(database, POST.format(number, what, number, topic))
        await migrate.upgrade(database)
        assert await database.read(board_store.of_campaign, 1) == KeptBoard(1, 2, 0, "")
        await database.alter_schema(migrate.run, "downgrade", migration.down_revision)
        assert await database.read(lambda tx: tx.scalar(sa.text("select count(*) from post"))) == 3
        await database.close()
