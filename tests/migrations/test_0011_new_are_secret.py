"""The twelfth migration: in campaigns that there are, players see what is newly saved, as before."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import campaigns, migrate
from bot.core.database import Database
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url


@pytest.mark.slow
async def test_a_campaign_of_an_older_version_shows_what_is_saved(database_kind: str, tmp_path: Path) -> None:
    """Its other settings stay; and back again, what was chosen is forgotten without a fault."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, "0010")
        await put(database, CAMPAIGN)
        await migrate.upgrade(database)
        campaign = await database.read(campaigns.get, 1)
        assert campaign is not None
        assert (campaign.name, campaign.new_are_secret) == ("I", False)
        await database.write(lambda tx: migrate.run(tx, "downgrade", "0010"))
        assert await database.read(lambda tx: tx.scalar(sa.text("select name from campaign"))) == "I"
        await database.close()
