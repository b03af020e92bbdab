"""Members of a server, by what people type: a name, `@name`, a mention or an id."""

from __future__ import annotations

import re

import discord

from rules.subjects import name_key

MOST = 10
"""How many members whose names begin so Discord is asked for."""

MENTION = re.compile(r"<@!?(?P<id>[0-9]{1,20})>")


async def members_called(guild: discord.Guild, typed: str) -> list[discord.Member]:
    """Return the members of a server who are called so, in any case, or mentioned.

    Raises:
        discord.HTTPException, TimeoutError: Discord doesn't say.

    """
    if mention := MENTION.fullmatch(typed.strip()):
        return [await guild.fetch_member(int(mention["id"]))]
    name = typed.strip().removeprefix("@")
    found = await guild.query_members(query=name, limit=MOST) if name else []
    return [member for member in found if name_key(name) in {name_key(member.display_name), name_key(member.name)}]
