"""Somebody with a name of their own who leaves traces everywhere, and where these are looked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import simcord

from bot.core.schema import metadata
from tests.support.reading import press, response, text
from tests.support.world import World, rows

NAME = "Quirinius"


def newcomer(world: World, name: str = NAME, role: str = "player") -> simcord.MemberActor:
    """One more member, who plays or leads."""
    return world.guild.add_member(world.env.create_user(name), roles=[world.roles[role]])


async def roll(world: World, actor: simcord.MemberActor, note: str | None = None) -> None:
    """Roll free dice, with a note."""
    world.dice.script(3, sides=6)
    await actor.slash(world.orders, "roll", expression="d6", **({"note": note} if note else {}))


async def erase(world: World, actor: simcord.MemberActor) -> simcord.InteractionResult:
    """Erase with both confirmations."""
    asked = response(await actor.slash(world.orders, "privacy erase"))
    again = response(await actor.click(asked, custom_id=press(asked, "erase")))
    return await actor.click(again, custom_id=press(again, "erase-for-good"))


async def edits_done(world: World, posts: int = 10) -> None:
    """Let so much time pass that the bot has edited so many messages."""
    for _ in range(posts):
        world.clock.advance(seconds=5)
        await world.env.advance_time(6)


def kept(world: World) -> str:
    """All that the database keeps, unpacked."""
    return "\n".join(str(row) for table in metadata.tables for row in rows(world, f'select * from "{table}"'))  # noqa: S608 - our own tables


def shown(world: World) -> str:
    """All that stands in the channels."""
    return "\n".join(_shown(world))


def _shown(world: World) -> Iterator[str]:
    for channel in (world.orders, world.results, world.staff):
        for message in channel.history():
            yield f"{message.content} {text(message)}"


def as_it_stands(channel: simcord.ChannelHandle, message: Any) -> Any:  # noqa: ANN401 - a message
    """A message of a channel as it stands now."""
    return next(item for item in channel.history() if item.id == message.id)
