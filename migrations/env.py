"""How alembic reaches the database: over the connection it is handed, or over the one that the settings name."""

from __future__ import annotations

import asyncio

import sqlalchemy as sa
from alembic import context

from bot.core.config import Settings
from bot.core.database import Database
from bot.core.indexes import MODELS, is_modelled


def migrate(connection: sa.Connection) -> None:
    """Run the migrations in the transaction that the connection is in."""
    context.configure(
        connection=connection,
        target_metadata=MODELS,
        render_as_batch=True,
        compare_type=True,
        include_name=is_modelled,
    )
    with context.begin_transaction():
        context.run_migrations()


async def connect_and_migrate() -> None:
    """Open the configured database for alembic's own command line."""
    database = Database(Settings().database_url)
    await database.alter_schema(migrate)
    await database.close()


if (ready := context.config.attributes.get("connection")) is not None:
    migrate(ready)
else:
    asyncio.run(connect_and_migrate())
