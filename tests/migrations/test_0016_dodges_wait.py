"""The migration that lets attacks wait for a dodge: in campaigns that there are, they are rolled at once, as before."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import campaigns, migrate
from bot.core.database import Database
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

migration = import_module("migrations.versions.0016_dodges_wait")


@pytest.mark.slow
async def test_a_campaign_of_an_older_version_rolls_at_once(database_kind: str, tmp_path: Path) -> None:
    """Its other settings stay; and back again, what was chosen is forgotten without a fault."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, migration.down_revision)
        await put(database, CAMPAIGN)
        await migrate.upgrade(database)
        campaign = await database.read(campaigns.get, 1)
        assert campaign is not None
        assert (campaign.name, campaign.dodges_wait) == ("I", False)
        await database.alter_schema(migrate.run, "downgrade", migration.down_revision)
        assert await database.read(lambda tx: tx.scalar(sa.text("select name from campaign"))) == "I"
        await database.close()
