"""Migrate the database in process; alembic loads only if needed."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from bot.core.database import Database
from bot.core.errors import StartError

FOLDER = Path(__file__).parents[2] / "migrations"
ADVISORY_LOCK = 0x41646A75
"""PostgreSQL's lock while migrating, so processes take turns."""

VERSION_TABLE = "alembic_version"

T = TypeVar("T")
log = logging.getLogger(__name__)


def list_revisions() -> set[str]:
    """Return all revisions, from file names `0001_<slug>.py`."""
    return {path.name.split("_")[0] for path in (FOLDER / "versions").glob("[0-9]*_*.py")}


def newest_revision() -> str:
    """Return the newest revision."""
    return max(list_revisions())


def find_revision(connection: sa.Connection) -> str | None:
    """Return the database's revision, None when empty."""
    tables = sa.inspect(connection)
    kept: Sequence[str] = ()
    if tables.has_table(VERSION_TABLE):
        kept = connection.scalars(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).all()  # noqa: S608 - a name of our own
    if len(kept) > 1 or (not kept and tables.has_table("campaign")):
        raise StartError(
            f"The database's table {VERSION_TABLE} is missing or damaged, so its revision is unknown. "
            "Restore a backup. Nothing was changed."
        )
    return kept[0] if kept else None


async def require_database(database: Database, named: str = "DATABASE_URL") -> str:
    """Return the revision of our database, or refuse any other; `named` is the setting that has its address."""
    if database.file is not None and not await asyncio.to_thread(database.file.is_file):
        raise StartError(f"I found no database at {database.file}. Check {named}. Nothing was created.")
    revision = await require_usable(database.read(find_revision))
    if revision is None:
        raise StartError(f"The database has no campaign tables. Check {named}. Nothing was created.")
    return revision


async def upgrade(database: Database, revision: str | None = None) -> bool:
    """Migrate to a revision (newest); return whether anything changed."""
    target = revision or newest_revision()
    before = await require_usable(database.read(find_revision))
    require_known(before)
    if before == target:
        return False
    await require_usable(database.alter_schema(_in_turn, target))
    log.info("database.migrated", extra={"revision": target})
    return True


def require_known(revision: str | None) -> None:
    """Refuse a database of a newer program version."""
    if revision is not None and revision not in list_revisions():
        raise StartError(
            f"The database is at revision {revision}, newer than this Adjutant ({newest_revision()}). "
            "Install the newer version, or restore the backup from before the upgrade."
        )


async def require_usable(transaction: Awaitable[T]) -> T:
    """Await a transaction, turning outages into refusals."""
    try:
        return await transaction
    except sa.exc.IntegrityError:
        raise  # a migration has lost rows
    except sa.exc.DatabaseError as error:
        said = " ".join(str(error.orig).split()).rstrip(".")
        raise StartError(f"The database can't be used: {said}. Check DATABASE_URL.") from error


def _in_turn(connection: sa.Connection, target: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
    run(connection, "upgrade", target)


def run(connection: sa.Connection, command: str, revision: str) -> None:
    """Run alembic's `upgrade` or `downgrade` in a running transaction."""
    from alembic import command as commands  # noqa: PLC0415 - costs a start-up 0.3 s when nothing is due
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    getattr(commands, command)(config, revision)
