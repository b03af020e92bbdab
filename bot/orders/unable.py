"""Who plays somebody awaited and can give no order: players who left the server or lost the player role."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

import discord

from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.ui.reply import AnyInteraction
from bot.ui.text import listing, plain

AT_ONCE = 100
"""The members that Discord tells about in one question."""

Names = Mapping[int, Collection[str]]
"""Names of characters by the user id of who plays them."""


async def unable(interaction: AnyInteraction, campaign: Campaign, players: Names) -> dict[int, Collection[str]]:
    """Return those of these for whom no order can come; nobody where Discord does not say."""
    able = await _able(interaction.guild, campaign, [*players])
    return {user: names for user, names in players.items() if user not in able}


def unable_lines(found: Names) -> Iterator[str]:
    """Yield a line about those for whom no order can come."""
    names = sorted(plain(name) for some in found.values() for name in some)
    if names:
        yield f"Can't order, because their player left the server or lost the player role: {listing(names)}."


async def _able(guild: discord.Guild | None, campaign: Campaign, users: list[int]) -> set[int]:
    able: set[int] = set()
    for start in range(0, len(users), AT_ONCE) if guild else ():
        asked = users[start : start + AT_ONCE]
        members = None
        with suppress(discord.HTTPException, discord.ClientException, TimeoutError):
            members = await guild.query_members(user_ids=asked, limit=AT_ONCE) if guild else None
        able |= {*asked} if members is None else {item.id for item in members if _takes_part(item, campaign)}
    return able


def _takes_part(member: discord.Member, campaign: Campaign) -> bool:
    roles = frozenset(role.id for role in member.roles)
    return Person(member.id, member.guild.id, roles, manages_server=False).takes_part(campaign)
