"""Every component and window with forged ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle, islice

import discord
import pytest
import simcord

from bot.client import Adjutant
from bot.ui.reply import ModalForm
from tests.support.acting import confirmed, opened, save_group
from tests.support.reading import newest, press, refused, said, text
from tests.support.world import World, send_raw, written

HIDDEN = "Shadow"
VALUES = {"group": "target", "choice": "stance", "key": "crew/", "shown": "0", "draft": "1", "seen": "0" * 16}
VALUES |= {"task": "0" * 16, "search": "0" * 16}
VALUES |= {"fingerprint": "0" * 16, "name": "ours", "outcome": "good", "region": "madagascar", "job": "weather"}
VALUES |= {"answer": "now", "what": "open", "number": "5", "week": "1", "battle": "1", "turn": "1", "version": "1"}
"""What is put into the fields of ids; all others are zero."""

OWN = {"privacy:show", "privacy:export"}
"""Show what is on the server where they're pressed."""


def ids(bot: Adjutant, **more: str) -> Iterator[tuple[str, bool]]:
    """Yield all ids, and whether it's a window."""
    for item in bot.components:
        yield fill_id(item.template.pattern, VALUES | more), isinstance(item, ModalForm)


def fill_id(pattern: re.Pattern[str], values: dict[str, str]) -> str:
    """Fill a template with these values."""
    groups = sorted(pattern.groupindex, key=lambda name: pattern.groupindex[name])
    written_out = re.sub(r"\(\?P<(\w+)>(?:[^()\\]|\\.)*\)", lambda match: values.get(match[1], "0"), pattern.pattern)
    key = re.sub(r"\\(.)", r"\1", written_out)
    assert pattern.fullmatch(key), (pattern.pattern, groups, key)
    return key


async def elsewhere(world: World) -> tuple[simcord.MemberActor, simcord.ChannelHandle]:
    """A game master on another server."""
    guild = world.env.create_guild("Elsewhere")
    everything = guild.create_role("All", permissions=discord.Permissions(manage_guild=True))
    orders, results, staff = (guild.create_text_channel(name) for name in ("orders", "results", "staff"))
    boss = guild.add_member(world.env.create_user("boss"), roles=[everything])
    await boss.slash(orders, "campaign create", name="Far Sea", results=results, staff=staff, game_master=everything)
    await boss.slash(orders, "campaign link", channel=orders)
    return boss, orders


@pytest.mark.parametrize("states", [(False,), pytest.param((False, True), marks=pytest.mark.slow)])
async def test_ids_of_another_server_tell_nothing(world: World, states: tuple[bool, ...]) -> None:
    """Answers don't depend on the campaign's state."""
    card = press(await opened(world), "roll").split(":")[2]
    boss, orders = await elsewhere(world)
    before = written(world)
    for archived in states:
        if archived:
            await confirmed(world, "campaign archive", world.manager, campaign="Iron Sea")
            before = written(world)
        here = [
            refused(await send_raw(boss, orders, key, modal=modal))
            for key, modal in ids(world.bots[-1], campaign="1", card=card, revision="1")
            if key not in OWN
        ]
        nowhere = [
            refused(await send_raw(boss, orders, key, modal=modal))
            for key, modal in ids(world.bots[-1], campaign="999", card=card, revision="1")
            if key not in OWN
        ]
        assert len(here) > 30
        assert here == nowhere
        assert written(world) == before


@pytest.mark.parametrize("every", [29, pytest.param(1, marks=pytest.mark.slow)])
async def test_made_up_ids_tell_no_secret_to_anybody(world: World, every: int) -> None:
    """Outsiders and players change and learn nothing."""
    for options in ({"name": HIDDEN, "kind": "ship"}, {"name": "Lurker", "kind": "base"}):
        await world.gm.slash(world.orders, "roster add", **options, secret=True)
    card = press(await opened(world, target=HIDDEN), "roll").split(":")[2]
    world.dice.script(1, 1)
    await world.gm.slash(world.orders, "patrol", patrol=HIDDEN, target="Zaku", roll="now")
    await save_group(world, name="Undertow", members=HIDDEN)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", to="Undertow", roll="now")
    fight = await fought_by(world, "Prowler")
    rival = world.guild.create_role("Rival")
    other = world.guild.add_member(world.env.create_user("other"), roles=[rival])
    results, staff = (world.guild.create_text_channel(name) for name in ("results-2", "staff-2"))
    result = await world.manager.slash(
        world.orders, "campaign create", name="Red Sea", results=results, staff=staff, game_master=rival
    )
    assert "Red Sea" in said(result)
    before, first = written(world), cycle(range(every))
    for actor in (world.stranger, other, world.player):
        for subject, number in (
            ("1", "5"),
            ("2", "7"),
            ("999", "6"),
        ):  # the entries: a roll, what the group may read, the group's
            more = {"subject": subject, "number": number, "fight": fight, "mode": "dice"}
            made_up = ids(world.bots[-1], campaign="1", card=card, revision="1", **more)
            for key, modal in islice(made_up, next(first), None, every):
                answer = await send_raw(actor, world.orders, key, modal=modal)
                told = " ".join(text(item) for item in (answer.response, *answer.followups) if item is not None)
                assert HIDDEN not in told, (actor.name, key, told)
                assert "Lurker" not in told, (actor.name, key, told)
                assert "Undertow" not in told, (actor.name, key, told)
                assert "Prowler" not in told, (actor.name, key, told)
        assert written(world) == before


async def fought_by(world: World, secret: str) -> str:
    """Begin a secret unit's turn in a fight."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, roe")
    for name in ("Kai", secret):
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name, secret=name == secret)
    await world.gm.slash(world.orders, "fight start", who=f"{secret}, Kai")
    asked = newest(world.orders)
    await world.gm.click(asked, custom_id=press(asked, "choose"))
    return press(newest(world.orders), "turn").split(":")[3]
