"""What can be told without Discord: the form of the token, the database, the disk."""

from __future__ import annotations

import asyncio
import base64
import binascii
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection

from bot.cli.doctor.findings import Finding, Place
from bot.config import Settings
from bot.core import campaigns, groups, migrate
from bot.core.database import Database, driven
from bot.errors import StartError

ROOM = 512 * 2**20
"""How many bytes are to be free: room for logs and for what SQLite lays beside its file."""

_PORTAL = "Copy it from the Bot page in Discord's developer portal into DISCORD_TOKEN."


def token(text: str) -> Finding:
    """Tell whether a text has the form of a bot's token: three parts, of which the first is the application's id."""
    if not text:
        return Finding("Token", fine=False, said="DISCORD_TOKEN isn't set.", do=_PORTAL)
    first, *rest = text.split(".")
    try:
        number = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode()
    except (binascii.Error, ValueError):
        number = ""
    formed = len(rest) == 2 and all(re.fullmatch(r"[\w-]+", part, re.ASCII) for part in rest)  # noqa: PLR2004 - the form
    if formed and re.fullmatch(r"[0-9]{15,20}", number):
        return Finding("Token", fine=True, said=f"it looks like a token of application {number}.")
    said = "DISCORD_TOKEN doesn't look like a token: three parts with dots between them."
    return Finding("Token", fine=False, said=said, do=_PORTAL)


async def database(url: str) -> tuple[Sequence[Finding], Sequence[Place]]:
    """Tell whether the database can be used and at which revision it stands, and return the channels that its campaigns need.

    Nothing is written; a SQLite file that is not there is not made.
    """
    file = _file(url)
    if file is not None and not await asyncio.to_thread(file.parent.is_dir):
        do = f"Make the folder {file.parent}, or name another in DATABASE_URL."
        return [Finding("Database", fine=False, said=f"the folder for {file} is missing.", do=do)], ()
    if file is not None and not await asyncio.to_thread(file.exists):
        return [Finding("Database", fine=True, said=f"{file} doesn't exist yet. The first start creates it.")], ()
    try:
        opened = Database(url)
    except StartError as error:
        return [Finding("Database", fine=False, said=str(error))], ()
    try:
        revision = await migrate.usable(opened.write(migrate.current))
        migrate.require_known(revision)
        newest = revision == migrate.head()
        places = await opened.read(_places) if newest else ()
    except StartError as error:
        return [Finding("Database", fine=False, said=str(error))], ()
    finally:
        await opened.close()
    stands = "it is empty" if revision is None else f"it is at revision {revision}"
    waits = "" if newest else f". The next start upgrades it to {migrate.head()}; check its channels after that"
    return [
        Finding("Database", fine=True, said="it can be read and written."),
        Finding("Migrations", fine=True, said=f"{stands}{waits}."),
    ], places


def _places(tx: Connection) -> Sequence[Place]:
    """Return the channels that campaigns need which are not archived."""
    known = filter(None, (campaigns.get(tx, number) for number in campaigns.numbers(tx)))
    return [
        Place(
            item.name,
            item.guild_id,
            sorted(
                {item.results_channel_id, item.staff_channel_id, *campaigns.linked_channels(tx, item.id)}
                | {int(group.channel) for group in groups.current(tx, item.id) if group.channel}
            ),
        )
        for item in known
        if item.archived_at is None
    ]


def disk(settings: Settings) -> Iterator[Finding]:
    """Tell whether there is room, and the right to write, where the SQLite file lies and where backups go."""
    file, size = _file(settings.database_url), 0
    if file is not None:
        size = file.stat().st_size if file.exists() else 0
        yield _folder("Disk of the database", file.parent, ROOM)
    if settings.backups is not None:
        yield _folder("Disk of the backups", settings.backups.absolute(), ROOM + size)


def _file(url: str) -> Path | None:
    """Return the SQLite file that an address names; None where it is of a server, or none at all."""
    try:
        address = driven(url)
    except StartError:
        return None
    return Path(str(address.database)).absolute() if address.get_backend_name() == "sqlite" else None


def _folder(about: str, folder: Path, needed: int) -> Finding:
    standing = next(item for item in (folder, *folder.parents) if item.exists())
    free = shutil.disk_usage(standing).free
    said = f"{free / 2**30:.1f} GiB are free in {folder}"
    if not (standing.is_dir() and os.access(standing, os.W_OK | os.X_OK)):
        return Finding(about, fine=False, said=f"I can't write to {standing}.", do="Let the bot's user write there.")
    if free < needed:
        do = f"Free up space: it needs {needed / 2**30:.1f} GiB."
        return Finding(about, fine=False, said=f"{said}.", do=do)
    return Finding(about, fine=True, said=f"{said}.")
