"""The migration that compresses the bodies of entries."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.core import entries, migrate
from bot.core.database import Database
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

migration = import_module("migrations.versions.0013_packed_bodies")
BEFORE = migration.down_revision
ENTRY = (
    "insert into entry (campaign_id, number, kind, at, actor, audience, previous, hash, header, body, salt)"
    " values (1, {number}, 'roll', '2026-03-01 12:00:00+00:00', 'a', 'staff', 'p', 'h', '{{}}', '{body}', '00')"
)
BODIES = ["{}", '{"name":"\u20ac \U0001f600 back\\nslash"}', '{"long":"' + "again and " * 1000 + '"}']


def filled() -> list[str]:
    """Entries of more than one batch, as the version before has written them."""
    bodies = (BODIES[number % len(BODIES)] for number in range(migration.BATCH + 2))
    return [ENTRY.format(number=number, body=body) for number, body in enumerate(bodies, start=1)]


async def kept(database: Database) -> list[str | bytes]:
    """All bodies as they stand in the table."""
    query: sa.Select[Any] = sa.select(sa.column("body")).select_from(sa.table("entry")).order_by(sa.column("number"))
    return await database.read(lambda tx: list(tx.scalars(query)))


@pytest.mark.slow
async def test_bodies_shrink_and_say_the_same(database_kind: str, tmp_path: Path) -> None:
    """Every body is read as before, in a fraction of the bytes where it repeats itself; and back again, each byte is there."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, BEFORE)
        await put(database, CAMPAIGN, *filled())
        before = await kept(database)

        await migrate.upgrade(database)

        read = await database.read(lambda tx: [item.body for item in entries.walk(tx, 1)])
        assert read == before
        packed = await kept(database)
        assert all(isinstance(body, bytes) for body in packed)
        assert len(packed[2]) * 100 < len(before[2])

        await database.alter_schema(migrate.run, "downgrade", BEFORE)
        assert await kept(database) == before
        await database.close()
