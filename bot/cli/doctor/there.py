"""What Discord says: of the token, the intents, the clock, and the bot's permissions in each channel that a campaign needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import aiohttp
import discord

from bot.cli.doctor.findings import Finding, Place
from bot.outbox.message import NEEDED

CLOCKS_MAY_DIFFER = 30.0
"""Seconds; an answer's time is told in whole seconds, and is some time under way."""

POSTS = (*NEEDED, "attach_files")
"""What the bot needs where it posts."""

PRIVILEGED = {
    "presence": ("gateway_presence", "gateway_presence_limited"),
    "server members": ("gateway_guild_members", "gateway_guild_members_limited"),
    "message content": ("gateway_message_content", "gateway_message_content_limited"),
}
"""Discord's privileged intents, by the flags that an application has where they are switched on."""

Channels = Mapping[int, Any]


async def discord_says(token: str, places: Sequence[Place]) -> list[Finding]:
    """Ask Discord, and tell what it says; without an answer that is told."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    ahead: list[float] = []

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(partial(_hear, ahead))
    found: list[Finding] = []
    try:
        async with discord.Client(intents=discord.Intents(guilds=True), http_trace=trace) as client:
            await client.login(token)
            found += [
                Finding("Discord", fine=True, said=f"it knows the token, of {client.user}."),
                await _intents(client),
            ]
            found += [item async for item in _channels(client, places)]
    except discord.LoginFailure:
        do = "Copy the current token from the developer portal. A reset makes the old one useless."
        found.append(Finding("Discord", fine=False, said="it rejects the token.", do=do))
    except (discord.HTTPException, discord.GatewayNotFound, OSError, aiohttp.ClientError) as error:
        do = "Try again later; look at this machine's network and https://discordstatus.com."
        found.append(Finding("Discord", fine=False, said=f"it doesn't answer properly: {error}", do=do))
    return [*found, *(clock(seconds) for seconds in ahead[-1:])]


async def _hear(ahead: list[float], _session: object, _context: object, ended: aiohttp.TraceRequestEndParams) -> None:
    """Note by how many seconds this machine's clock is ahead of an answer's."""
    if told := ended.response.headers.get("Date"):
        ahead.append((datetime.now(UTC) - parsedate_to_datetime(told)).total_seconds())


def clock(ahead: float) -> Finding:
    """Tell whether this machine's clock goes as Discord's, by the seconds that it is ahead."""
    if abs(ahead) <= CLOCKS_MAY_DIFFER:
        return Finding("Clock", fine=True, said="it agrees with Discord's.")
    said = f"it is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} Discord's."
    do = "Sync it with the network, for example `timedatectl set-ntp true`: schedules need it."
    return Finding("Clock", fine=False, said=said, do=do)


async def _intents(client: discord.Client) -> Finding:
    flags = (await client.application_info()).flags
    needless = [name for name, ways in PRIVILEGED.items() if any(getattr(flags, way) for way in ways)]
    if not needless:
        return Finding("Intents", fine=True, said="it needs no privileged intents, and none are on.")
    said = f"it needs no privileged intents, but these are on: {', '.join(needless)}."
    return Finding(
        "Intents", fine=True, said=said, do="Switch them off in the developer portal. The bot doesn't use them."
    )


async def _channels(client: discord.Client, places: Sequence[Place]) -> AsyncIterator[Finding]:
    """Tell of each channel in which something is missing, and of each campaign in which nothing is."""
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
        missing = [item for number in place.channels async for item in _missing(guild, me, there, number)]
        for said, do in missing:
            yield Finding(about, fine=False, said=said, do=do)
        if not missing:
            yield Finding(about, fine=True, said=f"the bot has all permissions in {len(place.channels)}.")


async def _missing(
    guild: discord.Guild, me: discord.Member, there: Channels, number: int
) -> AsyncIterator[tuple[str, str]]:
    """Yield what is wrong with a channel on a server, and what to do."""
    needed: Sequence[str] = POSTS
    if not number:
        yield (
            "it was imported, and its channels aren't set yet.",
            "Set them: /campaign edit results: staff:.",
        )
        return
    channel = there.get(number)
    if channel is None:
        try:
            thread: Any = await guild.fetch_channel(number)
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            yield (
                f"channel {number} is gone or hidden.",
                "Let the bot see it, or pick another: /campaign edit, /campaign unlink.",
            )
            return
        channel, needed = there.get(getattr(thread, "parent_id", 0)), (*POSTS, "send_messages_in_threads")
    may = discord.Permissions.none() if channel is None else channel.permissions_for(me)
    lacking = ", ".join(name.replace("_", " ").title() for name in needed if not getattr(may, name))
    if lacking:
        yield (
            f"in #{channel or number} the bot needs {lacking}.",
            "Give its role these permissions in the channel's settings.",
        )
