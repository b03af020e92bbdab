"""The eleventh migration: campaigns that there are ping nobody until they choose."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import campaigns, migrate
from bot.core.campaigns import PLAYERS, STAFF
from bot.core.database import Database
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url


@pytest.mark.slow
async def test_a_campaign_of_an_older_version_pings_nobody(database_kind: str, tmp_path: Path) -> None:
    """Its other settings stay; and back again, what was chosen is forgotten without a fault."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, "0009")
        await put(database, CAMPAIGN)
        await migrate.upgrade(database)
        campaign = await database.read(campaigns.get, 1)
        assert campaign is not None
        assert (campaign.name, campaign.pings) == ("I", "nobody")
        assert not campaign.may_ping(PLAYERS)
        assert not campaign.may_ping(STAFF)
        await database.write(lambda tx: migrate.run(tx, "downgrade", "0009"))
        assert await database.read(lambda tx: tx.scalar(sa.text("select name from campaign"))) == "I"
        await database.close()
