"""Files are private, and errors repeat no values."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.cogs.campaign import service
from bot.cogs.campaign.settings import CampaignSettings
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.errors import BadInput
from bot.core.schema import binding, campaign
from tests.support.backend import GM, GM_ROLE, PLAYER_ROLE, House


@pytest.fixture
def _generous() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes_in(folder: Path) -> dict[str, int]:
    """Permissions by file."""
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


@pytest.mark.usefixtures("_generous")
@pytest.mark.parametrize("existing", [False, True])
async def test_only_its_owner_can_read_a_database_file(tmp_path: Path, *, existing: bool) -> None:
    """New and old files."""
    file = tmp_path / "adjutant.db"
    if existing:
        file.touch(0o666)
    database = Database(f"sqlite:///{file}")
    await database.write(lambda tx: tx.exec_driver_sql("CREATE TABLE seen (number INTEGER)"))
    modes = await asyncio.to_thread(modes_in, tmp_path)
    await database.close()
    assert modes == {f"adjutant.db{suffix}": 0o600 for suffix in ("", "-wal", "-shm", "-turn")}


async def test_an_error_of_the_database_does_not_repeat_what_was_written(house: House) -> None:
    """Logs have the statement only."""

    def write_twice(tx: Connection) -> None:
        tx.execute(binding.insert(), {"campaign_id": house.campaign.id, "channel_id": 471147114711})
        tx.execute(binding.insert(), {"campaign_id": house.campaign.id, "channel_id": 471147114711})

    def rename(tx: Connection) -> None:
        tx.execute(campaign.update().values(name="Secret Fleet", name_key=None))

    for function, written in ((write_twice, "471147114711"), (rename, "Secret Fleet")):
        with pytest.raises(sa.exc.IntegrityError) as raised:
            await house.database.write(function)
        told = f"{raised.value} {raised.value.__cause__!r} {raised.value.__context__!r}"
        assert "INSERT INTO binding" in told or "UPDATE campaign" in told
        assert written not in told


@pytest.mark.slow
async def test_of_two_who_create_the_same_campaign_at_once_one_is_told_so(house: House) -> None:
    """One campaign, one friendly answer."""
    settings = CampaignSettings("Red Sea", "campaign", "Europe/Berlin", 1, 2, GM_ROLE, PLAYER_ROLE)
    reached, released = threading.Event(), threading.Event()

    def create_slowly(tx: Connection) -> Campaign:
        made = service.create(tx, house.resolver, GM, settings)[0]
        reached.set()
        assert released.wait(60)
        return made

    first = asyncio.create_task(house.database.write(create_slowly))
    assert await asyncio.to_thread(reached.wait, 60)
    second = asyncio.create_task(house.create(settings))
    await asyncio.sleep(0.3)  # on PostgreSQL the second has found the name free by now
    released.set()
    made, answer = await asyncio.gather(first, second, return_exceptions=True)
    assert isinstance(made, Campaign)
    assert isinstance(answer, BadInput), answer
    assert "Red Sea" in str(answer)
