"""Groups for tests: made, told something, and asked who reads of it."""

from __future__ import annotations

import re
from typing import Any

import discord
import simcord

from tests.support.acting import confirmed
from tests.support.prepared import prepared
from tests.support.reading import said
from tests.support.world import World, entry, rows

NIGHT = "Nightwatch"


@prepared
async def grouped(world: World, **options: Any) -> simcord.ChannelHandle:  # noqa: ANN401 - what the command takes
    """A group that nobody else knows of, with a character of the player's and a channel of its own."""
    den = hidden(world, "den")
    await world.gm.slash(world.orders, "character add", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "character add", name="Sayla")
    await group(world, "add", name=NIGHT, **{"members": "Kai", "channel": den, **options})
    return den


def hidden(world: World, name: str, *others: simcord.MemberActor) -> simcord.ChannelHandle:
    """A channel that players do not see, but for the one and these others."""
    seen = discord.PermissionOverwrite(view_channel=True)
    overwrites: dict[Any, discord.PermissionOverwrite] = dict.fromkeys((world.player, *others), seen)
    overwrites[world.roles["player"]] = discord.PermissionOverwrite(view_channel=False)
    return world.guild.create_text_channel(name, overwrites=overwrites)


async def group(world: World, deed: str, **options: Any) -> None:  # noqa: ANN401 - what the command takes
    """Add, edit or remove a group."""
    command = f"campaign group {deed}"
    if deed == "remove":
        told = said(await confirmed(world, command, **options))
    else:
        told = said(await world.gm.slash(world.orders, command, **options))
    assert re.search("is saved|is removed", told), told


async def patrolled(world: World, *faces: int, **options: str) -> int:
    """A patrol whose result goes to the group alone, and the number of its entry."""
    world.dice.script(*faces or (19,))
    asked = {"patrol": "Alpha", "target": "Zaku", "to": NIGHT, "note": "why", **options}
    answer = said(await world.gm.slash(world.orders, "patrol", roll="now", **asked))
    assert "Rolled" in answer, answer
    return newest_entry(world)


async def voided(world: World, number: int) -> None:
    """Take an entry back."""
    answer = await world.gm.slash(world.orders, "void", entry=number, reason="A slip")
    if answer.modal is not None:
        await world.gm.submit_modal(answer, {"reason": "A slip"})
    assert "reason" in entry(world)["texts"]


def newest_entry(world: World) -> int:
    """The number of the newest entry."""
    return int(rows(world, "select max(number) from entry")[0][0])


async def reads(world: World, actor: simcord.MemberActor, number: int) -> bool:
    """Whether somebody reads an entry, in the list and as a whole; where not, it is as if there were none."""
    listed = said(await actor.slash(world.orders, "ledger list"))
    shown = said(await actor.slash(world.orders, "ledger show", number=number))
    missing = said(await actor.slash(world.orders, "ledger show", number=999)).replace("999", str(number))
    assert (f"#{number}**" in listed) == (shown != missing)
    return shown != missing


def rival(world: World, *roles: simcord.RoleHandle) -> simcord.MemberActor:
    """Another player."""
    return world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"], *roles])
