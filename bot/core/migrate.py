"""Migrate the database in process; alembic is imported only when there is something to do."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

import migrations
from bot.core.database import Database
from bot.errors import StartError

FOLDER = Path(migrations.__file__).parent
ADVISORY_LOCK = 0x41646A75
"""PostgreSQL's advisory lock, held while migrating: migrations take turns."""


def head() -> str:
    """Return the newest revision, from the file names `0001_<slug>.py`."""
    return max(path.name.split("_")[0] for path in (FOLDER / "versions").glob("[0-9]*_*.py"))


def current(connection: sa.Connection) -> str | None:
    """Return the database's revision, None when it is empty."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return revision


async def upgrade(database: Database, revision: str | None = None) -> bool:
    """Migrate to `revision` (the newest unless named); return whether anything had to be done.

    Two processes that start at once take turns: for the second nothing is left to do.

    Raises:
        StartError: the database cannot be opened.

    """
    target = revision or head()
    try:
        revision_before = await database.read(current)
    except sa.exc.OperationalError as error:
        raise StartError(f"The database cannot be opened: {error.orig}. Is DATABASE_URL right?") from error
    if revision_before == target:
        return False
    await database.alter_schema(_in_turn, target)
    return True


def _in_turn(connection: sa.Connection, target: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
    run(connection, "upgrade", target)


def run(connection: sa.Connection, command: str, revision: str) -> None:
    """Run one alembic command (`upgrade` or `downgrade`) on a connection that is in a transaction."""
    from alembic import command as commands  # noqa: PLC0415 - costs a start-up 0.3 s when nothing is due
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    getattr(commands, command)(config, revision)
