"""A person who leaves traces everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import simcord

from bot.core.schema import metadata
from tests.support.reading import response, text
from tests.support.world import World, rows

NAME = "Quirinius"


def newcomer(world: World, name: str = NAME, role: str = "player") -> simcord.MemberActor:
    """Another player or game master."""
    return world.guild.add_member(world.env.create_user(name), roles=[world.roles[role]])


async def roll(world: World, actor: simcord.MemberActor, note: str | None = None) -> None:
    """Roll free dice, with a note."""
    world.dice.script(3, sides=6)
    await actor.slash(world.orders, "roll", expression="d6", **({"note": note} if note else {}))


async def show_data(world: World, actor: simcord.MemberActor) -> simcord.ResponseMessage:
    """Show someone what is kept about them, through `/help`."""
    page = response(await actor.slash(world.orders, "help"))
    return response(await actor.click(page, label="Your data"))


async def erase(world: World, actor: simcord.MemberActor) -> simcord.InteractionResult:
    """Erase with both confirmations."""
    again = response(await actor.click(await show_data(world, actor), label="Erase\N{HORIZONTAL ELLIPSIS}"))
    return await actor.click(again, label="Erase for good")


async def edits_done(world: World, posts: int = 10) -> None:
    """Let time pass for message edits."""
    for _ in range(posts):
        world.clock.advance(seconds=5)
        await world.env.advance_time(6)


def read_database(world: World) -> str:
    """All that the database keeps, unpacked."""
    return "\n".join(str(row) for table in metadata.tables for row in rows(world, f'select * from "{table}"'))  # noqa: S608 - our own tables


def read_messages(world: World) -> str:
    """All channels' messages."""
    return "\n".join(_read_message(world))


def _read_message(world: World) -> Iterator[str]:
    for channel in (world.orders, world.results, world.staff):
        for message in channel.history():
            yield f"{message.content} {text(message)}"


def as_it_stands(channel: simcord.ChannelHandle, message: Any) -> Any:  # noqa: ANN401 - a message
    """A message as it is now."""
    return next(item for item in channel.history() if item.id == message.id)
