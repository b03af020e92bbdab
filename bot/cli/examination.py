"""The checks of `adjutant doctor`: token, database, disk, clock, intents and channels."""

import asyncio
import base64
import binascii
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, config, database, engine, errors, migrate, permissions
from bot.outbox.sending import NEEDED


class Finding(Struct, frozen=True):
    """What a check found, and what to do about it."""

    about: str
    fine: bool
    said: str
    do: str = ""


class _NeededChannels(Struct, frozen=True):
    """Channels (ids) a campaign needs on its server."""

    campaign: str
    guild: int
    channels: Sequence[int]


ROOM = 512 * 2**20
"""Bytes to keep free for logs and SQLite's extra files."""
_PORTAL = "Copy it from the Bot page in Discord's developer portal into DISCORD_TOKEN."


def check_token(text: str) -> Finding:
    """Check a token's form: three parts, first the application's id."""
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


async def check_database(url: str) -> tuple[Sequence[Finding], Sequence[_NeededChannels]]:
    """Check the database, and list the channels its campaigns need; nothing is written."""
    file = _file(url)
    if file is not None and not await asyncio.to_thread(file.parent.is_dir):
        do = f"Make the folder {file.parent}, or name another in DATABASE_URL."
        return [Finding("Database", fine=False, said=f"the folder for {file} is missing.", do=do)], ()
    if file is not None and not await asyncio.to_thread(file.exists):
        return [Finding("Database", fine=True, said=f"{file} doesn't exist yet. The first start creates it.")], ()
    try:
        opened = database.Database(url)
    except errors.StartError as error:
        return [Finding("Database", fine=False, said=str(error))], ()
    try:
        revision = await migrate.require_usable(opened.write(migrate.find_revision))
        migrate.require_known(revision)
        newest = revision == migrate.newest_revision()
        places = await opened.read(_list_places) if newest else ()
    except errors.StartError as error:
        return [Finding("Database", fine=False, said=str(error))], ()
    finally:
        await opened.close()
    state = "it is empty" if revision is None else f"it is at revision {revision}"
    if not newest:
        state += f". The next start upgrades it to {migrate.newest_revision()}; check its channels after that"
    return [
        Finding("Database", fine=True, said="it can be read and written."),
        Finding("Migrations", fine=True, said=f"{state}."),
    ], places


def _list_places(tx: Connection) -> Sequence[_NeededChannels]:
    known = filter(None, (campaigns.get_campaign(tx, number) for number in campaigns.list_campaign_ids(tx)))
    return [
        _NeededChannels(
            item.name,
            item.guild_id,
            sorted(
                {item.results_channel_id, item.staff_channel_id, *campaigns.list_linked_channels(tx, item.id)}
                | {int(group.channel) for group in permissions.list_groups(tx, item.id) if group.channel}
            ),
        )
        for item in known
        if item.archived_at is None
    ]


def check_disk(settings: config.Settings) -> Iterator[Finding]:
    """Check room and access for the SQLite file and backups."""
    file, size = _file(settings.database_url), 0
    if file is not None:
        size = file.stat().st_size if file.exists() else 0
        yield _check_folder("Disk of the database", file.parent, ROOM)
    if settings.backups is not None:
        yield _check_folder("Disk of the backups", settings.backups.absolute(), ROOM + size)


def _file(url: str) -> Path | None:
    try:
        address = engine.add_driver(url)
    except errors.StartError:
        return None
    return Path(str(address.database)).absolute() if address.get_backend_name() == "sqlite" else None


def _check_folder(about: str, folder: Path, needed: int) -> Finding:
    standing = next(item for item in (folder, *folder.parents) if item.exists())
    free = shutil.disk_usage(standing).free
    said = f"{free / 2**30:.1f} GiB are free in {folder}"
    if not (standing.is_dir() and os.access(standing, os.W_OK | os.X_OK)):
        return Finding(about, fine=False, said=f"I can't write to {standing}.", do="Let the bot's user write there.")
    if free < needed:
        do = f"Free up space: it needs {needed / 2**30:.1f} GiB."
        return Finding(about, fine=False, said=f"{said}.", do=do)
    return Finding(about, fine=True, said=f"{said}.")


_MAX_CLOCK_DIFFERENCE = 30.0
"""Seconds; answers have whole seconds and take time."""
_NEEDED_TO_POST = (*NEEDED, "attach_files")

_PRIVILEGED = {
    "presence": ("gateway_presence", "gateway_presence_limited"),
    "server members": ("gateway_guild_members", "gateway_guild_members_limited"),
    "message content": ("gateway_message_content", "gateway_message_content_limited"),
}
"""Discord's privileged intents, by an application's flags for them."""
Channels = Mapping[int, Any]


async def check_discord(token: str, places: Sequence[_NeededChannels]) -> list[Finding]:
    """Ask Discord about token, intents, channels and clock."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    ahead: list[float] = []

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(partial(_note_clock, ahead))
    found: list[Finding] = []
    try:
        async with discord.Client(intents=discord.Intents(guilds=True), http_trace=trace) as client:
            await client.login(token)
            found += [
                Finding("Discord", fine=True, said=f"it knows the token, of {client.user}."),
                await _check_intents(client),
            ]
            found += [item async for item in _check_channels(client, places)]
    except discord.LoginFailure:
        do = "Copy the current token from the developer portal. A reset makes the old one useless."
        found.append(Finding("Discord", fine=False, said="it rejects the token.", do=do))
    except (discord.HTTPException, discord.GatewayNotFound, OSError, aiohttp.ClientError) as error:
        do = "Try again later; look at this machine's network and https://discordstatus.com."
        found.append(Finding("Discord", fine=False, said=f"it doesn't answer properly: {error}", do=do))
    return [*found, *(_check_clock(seconds) for seconds in ahead[-1:])]


async def _note_clock(
    ahead: list[float], _session: object, _context: object, ended: aiohttp.TraceRequestEndParams
) -> None:
    if date := ended.response.headers.get("Date"):
        ahead.append((datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds())


def _check_clock(ahead: float) -> Finding:
    if abs(ahead) <= _MAX_CLOCK_DIFFERENCE:
        return Finding("Clock", fine=True, said="it agrees with Discord's.")
    said = f"it is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} Discord's."
    do = "Sync it with the network, for example `timedatectl set-ntp true`: schedules need it."
    return Finding("Clock", fine=False, said=said, do=do)


async def _check_intents(client: discord.Client) -> Finding:
    flags = (await client.application_info()).flags
    needless = [name for name, ways in _PRIVILEGED.items() if any(getattr(flags, way) for way in ways)]
    if not needless:
        return Finding("Intents", fine=True, said="it needs no privileged intents, and none are on.")
    said = f"it needs no privileged intents, but these are on: {', '.join(needless)}."
    return Finding(
        "Intents", fine=True, said=said, do="Switch them off in the developer portal. The bot doesn't use them."
    )


async def _check_channels(client: discord.Client, places: Sequence[_NeededChannels]) -> AsyncIterator[Finding]:
    for place in places:
        about = f"Channels of {place.campaign}"
        try:
            guild = await client.fetch_guild(place.guild, with_counts=False)
            me = await guild.fetch_member(client.user.id if client.user else 0)
            there: Channels = {channel.id: channel for channel in await guild.fetch_channels()}
        except (discord.NotFound, discord.Forbidden):
            do = "Invite the bot again (see the README), or archive the campaign."
            yield Finding(about, fine=False, said=f"the bot isn't on the server {place.guild}.", do=do)
            continue
        missing = [item for number in place.channels async for item in _check_channel(guild, me, there, number)]
        for said, do in missing:
            yield Finding(about, fine=False, said=said, do=do)
        if not missing:
            yield Finding(about, fine=True, said=f"the bot has all permissions in {len(place.channels)}.")


async def _check_channel(
    guild: discord.Guild, me: discord.Member, there: Channels, number: int
) -> AsyncIterator[tuple[str, str]]:
    needed: Sequence[str] = _NEEDED_TO_POST
    if not number:
        yield ("it was imported, and its channels aren't set yet.", "Set them with /gm settings: results and staff.")
        return
    channel = there.get(number)
    if channel is None:
        try:
            thread: object = await guild.fetch_channel(number)
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            yield (
                f"channel {number} is gone or hidden.",
                "Let the bot see it, or pick another: /gm settings, /campaign link unlink:True.",
            )
            return
        channel, needed = there.get(getattr(thread, "parent_id", 0)), (*_NEEDED_TO_POST, "send_messages_in_threads")
    may = discord.Permissions.none() if channel is None else channel.permissions_for(me)
    lacking = ", ".join(name.replace("_", " ").title() for name in needed if not getattr(may, name))
    if lacking:
        yield (
            f"in #{channel or number} the bot needs {lacking}.",
            "Give its role these permissions in the channel's settings.",
        )
