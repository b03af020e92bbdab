"""Groups for tests."""

from __future__ import annotations

import re
from typing import Any

import discord
import simcord

from tests.support.acting import remove_group, save_group
from tests.support.prepared import prepared
from tests.support.reading import said
from tests.support.world import World, entry, rows

NIGHT = "Nightwatch"


@prepared
async def make_group(world: World, **options: Any) -> simcord.ChannelHandle:  # noqa: ANN401 - what the command takes
    """A hidden group with the player's character and its own channel."""
    den = make_hidden_channel(world, "den")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Sayla")
    await group(world, "add", name=NIGHT, **{"members": "Kai", "channel": den, **options})
    return den


def make_hidden_channel(world: World, name: str, *others: simcord.MemberActor) -> simcord.ChannelHandle:
    """A channel that only some players see."""
    seen = discord.PermissionOverwrite(view_channel=True)
    overwrites: dict[Any, discord.PermissionOverwrite] = dict.fromkeys((world.player, *others), seen)
    overwrites[world.roles["player"]] = discord.PermissionOverwrite(view_channel=False)
    return world.guild.create_text_channel(name, overwrites=overwrites)


async def group(world: World, deed: str, **options: Any) -> None:  # noqa: ANN401 - what the command takes
    """Add, edit or remove a group."""
    answer = said(
        await (remove_group if deed == "remove" else save_group)(
            world, *filter(None, [options.pop("group", None)]), **options
        )
    )
    assert re.search("is saved|is removed", answer), answer


async def roll_patrol(world: World, *faces: int, **options: str) -> int:
    """A patrol sent to the group, and its entry's number."""
    world.dice.script(*faces or (19,))
    asked = {"patrol": "Alpha", "target": "Zaku", "to": NIGHT, "note": "why", **options}
    answer = said(await world.gm.slash(world.orders, "patrol", roll="now", **asked))
    assert "Rolled" in answer, answer
    return newest_entry(world)


async def undo_entry(world: World, number: int) -> None:
    """Take an entry back."""
    answer = await world.gm.slash(world.orders, "gm undo", entry=number, reason="A slip")
    if answer.modal is not None:
        await world.gm.submit_modal(answer, {"reason": "A slip"})
    assert "reason" in entry(world)["texts"]


def newest_entry(world: World) -> int:
    """The number of the newest entry."""
    return int(rows(world, "select max(number) from entry")[0][0])


async def reads(world: World, actor: simcord.MemberActor, number: int) -> bool:
    """Whether a person reads an entry, in lists and in full."""
    listed = said(await actor.slash(world.orders, "ledger"))
    shown = said(await actor.slash(world.orders, "ledger", entry=number))
    missing = said(await actor.slash(world.orders, "ledger", entry=999)).replace("999", str(number))
    assert (f"#{number}**" in listed) == (shown != missing)
    return shown != missing


def rival(world: World, *roles: simcord.RoleHandle) -> simcord.MemberActor:
    """Another player."""
    return world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"], *roles])
