"""What completions show and what it means: each text is typed in place of its value, over the whole command tree."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import discord
import simcord
from discord import app_commands

from tests.support.world import World, show_every_command


@dataclass
class Reading:
    """How many options offered something, how many texts differed from their values, and which text meant something else."""

    offered: set[str] = field(default_factory=set)
    decorated: set[str] = field(default_factory=set)
    misread: list[str] = field(default_factory=list)


async def read_every_choice(world: World, actor: simcord.MemberActor, filled: Mapping[str, Any]) -> Reading:
    """Return how each option that completes reads what it shows; `filled` are options that are typed already, by their names."""
    seen: list[discord.Interaction[Any]] = []

    async def on_interaction(interaction: discord.Interaction[Any]) -> None:
        seen.append(interaction)

    await show_every_command(world)
    bot, found = world.bots[-1], Reading()
    bot.event(on_interaction)
    async for command, option, typed, choice in _choices(world, actor, filled):
        called = f"/{command.qualified_name} {option.display_name}"
        found.offered.add(called)
        if choice["name"] != choice["value"]:
            found.decorated.add(called)
        shown, meant = [await option.transform(seen[-1], choice[key]) for key in ("name", "value")]
        if shown != meant:
            found.misread.append(f"{called} {typed!r}: {choice['name']!r} means {shown!r}, not {meant!r}")
    return found


async def _choices(
    world: World, actor: simcord.MemberActor, filled: Mapping[str, Any]
) -> AsyncIterator[tuple[app_commands.Command[Any, ..., Any], Any, str, dict[str, Any]]]:
    """Yield each choice with its command, its option, and what was typed for it."""
    for command in world.bots[-1].tree.walk_commands():
        if not isinstance(command, app_commands.Command):
            continue
        options = {item.display_name: item for item in command._params.values()}
        for name, option in options.items():
            before = {other: filled[other] for other in options if other in filled and other != name}
            for typed in ("", "a", "1") if option.autocomplete else ():
                who = world.manager if command.qualified_name.startswith("campaign ") else actor
                for choice in await who.autocomplete(world.orders, command.qualified_name, name, typed, **before):
                    yield command, option, typed, choice
