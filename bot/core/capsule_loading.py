"""Load a capsule into a separate database and prove it there."""

import asyncio
import re
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import audit, campaigns, entries, migrate, search_index, state, tally
from bot.core.capsules import IN, NOTHING, UNFIT, Capsule, Manifest, put_rows
from bot.core.database import Database, describe_outage
from bot.core.errors import StartError
from bot.core.ledger import EntryKinds
from bot.core.records import Link
from bot.core.schema import epoch, metadata
from bot.core.search_index import SearchIndex
from bot.core.state import VOIDED
from bot.core.voiding import read_mark

_OPEN = sa.or_(*(epoch.c[name].is_(None) for name in ("first", "last", "closed_at")))
_HIGHEST = 10**9
_PREFIX = "adjutant-import-"
DAY = 86400
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@asynccontextmanager
async def load_capsule(capsule: Capsule, kinds: EntryKinds) -> AsyncIterator[Database]:
    """Yield a new database with a capsule's campaign, state rebuilt."""
    await asyncio.to_thread(_remove_abandoned)
    with TemporaryDirectory(prefix=_PREFIX) as folder:
        database = Database(f"sqlite:///{Path(folder) / 'capsule.db'}")
        try:
            try:
                await _fill(database, capsule)
                await _prove(database, kinds, capsule.manifest)
            except UNFIT as error:
                raise StartError(f"{_refusal(error, folder)} {NOTHING}") from error
            yield database
        finally:
            await database.close()


def _remove_abandoned() -> None:
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another import has removed it
            if time.time() - left.stat().st_mtime > DAY:
                shutil.rmtree(left)


def _refusal(error: Exception, folder: str) -> str:
    if (stopped := describe_outage(error)) is not None:
        return f"I can't unpack the capsule in {folder}: {stopped[0]} Make room, or set TMPDIR to another folder."
    return f"The capsule isn't valid: its entries can't be read: {error!r}."


async def _fill(database: Database, capsule: Capsule) -> None:
    revision = capsule.manifest.revision
    if revision == migrate.newest_revision():
        await database.alter_schema(metadata.create_all)
    else:
        await migrate.upgrade(database, revision)
    try:
        await database.write(_put, capsule)
        if revision != migrate.newest_revision():
            await migrate.upgrade(database)
    except (StartError, sa.exc.SQLAlchemyError) as error:
        if describe_outage(error):
            raise
        raise StartError(f"The capsule has no campaign: {error} {NOTHING}") from error


def _put(tx: Connection, capsule: Capsule) -> None:
    for name, lines in capsule.tables():
        put_rows(tx, name, lines)


async def _prove(database: Database, kinds: EntryKinds, manifest: Manifest) -> None:
    faults = [item.fault for item in await database.read(tally.find_damage)]
    audits = [] if faults else await audit.rebuild_states(database, kinds)
    faults += [fault for item in audits if not item.whole for fault in item.faults]
    if not faults:
        faults += await database.read(_faults, manifest) or await database.read(_too_large, kinds)
    if faults:
        raise StartError(f"The capsule isn't valid: {faults[0]} {NOTHING}")
    await database.write(_read_in, kinds, manifest.entries)


def _faults(tx: Connection, manifest: Manifest) -> list[str]:
    found = campaigns.get_campaign(tx, IN)
    if found is None or found.uuid != manifest.campaign:
        return ["Its campaign is another one than it says."]
    if entries.find_link(tx, IN, found.uuid) != Link(found.uuid, manifest.entries, manifest.head):
        return ["Its newest entry is another one than it says."]
    if tx.scalar(sa.select(sa.literal(1)).select_from(epoch).where(_OPEN)) is not None:
        return ["It has the secret of an open dice set, so its dice could be predicted."]
    last, highest = tx.execute(sa.select(sa.func.max(epoch.c.last), sa.func.max(epoch.c.number))).one()
    if last != manifest.entries or highest > _HIGHEST:
        return ["Its last dice set does not end with its newest entry."]
    return [*_odd_values(tx, manifest.entries)]


def _too_large(tx: Connection, kinds: EntryKinds) -> list[str]:
    found = ((kind, item) for kind in kinds.with_limits for item in entries.walk_back(tx, IN, kind.name))
    faults = (
        f"Entry {item.number}: {fault}."
        for kind, item in found
        if kind.too_large is not None and kind.matches(item.content())
        for fault in kind.too_large(item.content())
    )
    return [*islice(faults, 1)]


def _odd_values(tx: Connection, newest: int) -> Iterator[str]:
    for (key, name), value in state.each_value(tx, IN):
        kind, _, number = key.partition(":")
        if kind in {"entry", "subject"} and not _NUMBER.fullmatch(number):
            yield f"It has a value for {key!r}, which doesn't exist."
        elif name == VOIDED and (mark := read_mark(value)) is not None and not int(number) < mark.by <= newest:
            yield f"Entry {number} was undone by {mark.by!r}, which isn't a later entry."


def _read_in(tx: Connection, kinds: EntryKinds, newest: int) -> None:
    search_index.set_backlog(tx, IN, newest)
    while SearchIndex(kinds).fill(tx, IN):
        pass
