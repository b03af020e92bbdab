"""Wars in fog that differ out of sight answer the Federation the same, byte by byte."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from hashlib import sha256
from typing import Any

import pytest
import simcord

from bot.cogs.war.wars import LAYERS
from rules.orders import OrderKind
from tests.cogs.campaign.grouping import make_hidden_channel
from tests.cogs.war.front import E, Front, begun, changed, code, example, given, in_fog, listed, recruit
from tests.core.test_twin_worlds import STEPS, Falling, alike, press_all, read_shown, some
from tests.orders.test_arranging import arranged
from tests.orders.test_board import posted
from tests.support import template
from tests.support.acting import fill_in, save_group
from tests.support.reading import assert_lacks, assert_says, response, said, text
from tests.support.world import BOOKS, World, running, written

KINDS = [*BOOKS["total_war"].entries_of(OrderKind).values()]
HIDDEN = ("22nd Squadron", "Nightjars")
"""The hidden force's name in either world."""
FORCES = ("1st Fleet", "11th Squadron", "Solar System", "2nd Fleet", "21st Squadron", *HIDDEN, "9th Fleet")
DOERS = (*FORCES, E, "Zeon", "Ann", "Bo")
LONE = ("12th Squadron", "Cid", "2nd Fleet")
"""Doers for a lone rogue's attempts."""
TARGETS = ("SW", "0,0", "-3,3", "-2,2", "2nd Fleet", "1st Fleet", "Bo", "zgok", "gm", "")
LOOKED = (
    *("war show", "war map", "order list", "update show"),
    *("battle show", "battle next", "ledger"),
)
"""Commands without options."""
COMPLETED = (("war show", "what"), ("war map", "force"), ("war map", "faction"), ("war join", "faction"))
"""Commands and options with completions."""


def first() -> str:
    """Return the shipped scenario in fog."""
    return in_fog(example())


def second() -> str:
    """Return the same with other hidden units, names, gold and places."""
    text = in_fog(changed(**{"2nd_Fleet": "-3,2", "22nd_Squadron": "-2,3", "21st_Squadron": "-1,3"}))
    head, middle, tail = text.partition('id      = "Z"')
    text = head + middle + tail.replace("gold    = 100", "gold    = 950", 1)
    for old, new in (
        HIDDEN,
        ('garrison = ["zaku", "zaku"]', 'garrison = ["bigro", "zgok"]'),
        ('units   = ["zaku", "zaku", "zaku"]', 'units   = ["zgok", "bigro", "gattle"]'),
        (
            'at       = "-2,2"\nkind     = "resource"\nbonus    = 10\nfacility = "mining_station"',
            'at       = "-2,2"\nkind     = "resource"\nbonus    = 10',
        ),
        ('kind     = "fortress"\ngarrison = ["zaku"]', 'kind     = "fortress"\ngarrison = ["bigro"]'),
    ):
        assert old in text, old
        text = text.replace(old, new)
    return text


ORDERS = (
    (
        ("move", "2nd Fleet", {"to": "-3,2"}),
        ("buy", "Zeon", {"to": "-3,3", "with": "zaku"}),
        ("promote", "Dan", {"to": "Captain"}),
    ),
    (
        ("move", "2nd Fleet", {"to": "-2,2"}),
        ("buy", "Zeon", {"to": "-3,3", "with": "bigro"}),
        ("promote", "Dan", {"to": "Admiral"}),
    ),
)
"""Zeon's orders in either world."""
LEAVING: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("assign", "12th Squadron", {"to": "Cid"}),
    ("rogue", "Cid", {}),
)
"""How a Federation player becomes a lone rogue."""


RAIDER, RAID = "+ 23rd Squadron; squadron; Z; 0,-1; 2 zaku", ("move", "23rd Squadron", {"to": "1,-2"})
"""A visible squadron of Zeon and its attack."""


async def twins(tmp_path_factory: pytest.TempPathFactory, step: int) -> list[list[str]]:
    """Return what the Federation and the public read in either world."""
    answers = []
    for scenario, orders in zip((first(), second()), ORDERS, strict=True):
        with template.migrated_url("sqlite", tmp_path_factory.mktemp("twin")) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment] # any number of dice
                front = await begun(world, scenario)
                await recruit(front, "Dan", "Z")
                cid = await recruit(front, "Cid", "E")
                await world.gm.slash(world.orders, "gm-war set", what="force", to=RAIDER, reason="More")
                for kind, doer, options in (*orders, *LEAVING, RAID):
                    await given(front, world.gm, kind, doer, **options)
                blue = make_hidden_channel(world, "blue")
                await save_group(world, E, channel=blue)
                answers.append([alike(line) async for line in told(front, cid, step)])
                for channel in (blue, *blue.threads):
                    answers[-1] += [alike(f"{text(message)} {message.components}") for message in channel.history()]
    return answers


@pytest.mark.parametrize("step", STEPS)
async def test_what_is_out_of_sight_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, times: int, step: int
) -> None:
    """Before and after the turn; for rogues and onlookers too."""
    step = max(1, step // times)
    one, other = await twins(tmp_path_factory, step)
    assert [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]] == []
    assert sum("Order given" in line for line in one) > 5
    assert len(one) > 500 // step
    whole = "\n".join(one)
    assert "What your faction saw this turn" in whole
    assert (
        "Battle on 1,-2: Zeon (23rd Squadron) attacks Ann (11th Squadron)." in whole
    )  # a rogue by then, on their land
    assert "is placed by a game master: from A12 to E6." in whole
    assert "Zeon withdraws." in whole
    assert all(f"{name} joins Earth Federation" in whole for name in HIDDEN)
    assert "12th Squadron moves from 3,-1" in whole


async def told(front: Front, cid: simcord.MemberActor, step: int) -> AsyncIterator[str]:
    """Yield what leader, rogue, new player and stranger read."""
    world = front.world
    async for line in looked(front, front.ann, step):
        yield line
    async for line in tried(
        front, front.ann, ("1st Fleet", "2nd Fleet", "22nd Squadron", E, "Zeon", "Ann"), DOERS, step
    ):
        yield line
    for kind, doer, options in (
        ("move", "1st Fleet", {"to": "SW"}),
        ("buy", E, {"to": "3,-3", "with": "gm"}),
        ("rogue", "Ann", {}),
    ):
        yield read_shown(await front.order(front.ann, kind, doer, **options))
    await front.resolve()
    yield read_shown(await front.order(cid, "move", "12th Squadron", to="SW"))
    async for line in told_to_others(front, cid, step):
        yield line
    await raid_lost(front)
    async for line in looked(front, front.ann, step):
        yield line
    await front.close()
    async for line in looked(front, front.ann, step):
        yield line
    for message in (*world.results.history(), *world.orders.history()):
        yield text(message)
        for file in message.attachments:
            yield f"{file.filename} {file.description} {sha256(await file.read()).digest()!r}"


async def told_to_others(front: Front, cid: simcord.MemberActor, step: int) -> AsyncIterator[str]:
    """Yield what rogues, new players named like hidden forces, and strangers read."""
    world = front.world
    onlookers = [world.guild.add_member(world.env.create_user(name), roles=[world.roles["player"]]) for name in "xy"]
    for member in (front.ann, cid, onlookers[0], world.stranger):
        async for line in looked(front, member, step):
            yield line
    async for line in tried(front, cid, LONE, (*LONE, *HIDDEN), step):
        yield line
    for member, name in zip(onlookers, HIDDEN, strict=True):
        yield f"{name} joins: {read_shown(await member.slash(world.orders, 'war join', faction=E, callsign=name))}"


async def raid_lost(front: Front) -> None:
    """Let Zeon lose the visible battle, and end the turn."""
    here, bo = front.world.orders, front.bo
    forces = (await front.stands()).forces
    zaku, gm = (forces[name].units[0].id for name in ("23rd Squadron", "11th Squadron"))
    for unit, tile in ((zaku, "E8"), (gm, "E6")):
        await front.world.gm.slash(here, "gm-war place", unit=unit, tile=tile)
    await bo.slash(here, "battle act", unit=zaku, target=gm, roll="now")
    asked = response(await bo.slash(here, "battle withdraw"))
    await bo.click(asked, label="Withdraw")
    await front.world.gm.slash(here, "battle retreat", to="0,-1")
    await front.resolve()


async def looked(front: Front, who: simcord.MemberActor, step: int = 1) -> AsyncIterator[str]:
    """Yield every `step`-th view of the war."""
    here = front.world.orders
    for ((command, options),) in some(step, questions()):
        result = await who.slash(here, command, **options)
        asked = f"{command} {next(iter(options.values()), '')}"
        yield f"{asked}: {read_shown(result)}"
        for file in result.response.attachments if result.response else ():
            yield f"{asked}: {file.description} {sha256(await file.read()).digest()!r}"
        async for line in press_all(who, result):
            yield f"{asked} > {line}"
    for (command, option), typed in some(step, COMPLETED, ("", "z", "2", "f")):
        yield f"{command} {option} {typed}: {await who.autocomplete(here, command, option, typed)}"


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield looking commands, for things that exist or not."""
    yield from ((command, {}) for command in LOOKED)
    for battle in ("1,-2", "0,0", "-2,2"):
        yield "battle show", {"battle": battle}
        yield "battle retreat", {"battle": battle, "force": "2nd Fleet", "to": "0,0"}
    yield from (("ledger", {"entry": number}) for number in range(1, 40, 6))
    for what in (*DOERS, "Dan", "-3,3", "-2,2", "-3,0", "0,0", "2,-2", "-1,3", "E", "Z"):
        yield "war show", {"what": what}
    yield from (("war map", {"layer": str(layer)}) for layer in LAYERS)
    yield from (("war map", {"force": name}) for name in FORCES)
    yield from (("war map", {"faction": name}) for name in ("E", "Z"))


async def tried(
    front: Front, who: simcord.MemberActor, doers: Sequence[str], offered: Sequence[str], step: int
) -> AsyncIterator[str]:
    """Yield offers and answers for every `step`-th order."""
    here = front.world.orders
    for (kind,) in some(step, KINDS):
        yield f"{kind.id}: {await who.autocomplete(here, 'order give', 'who', '', kind=kind.label)}"
    for kind, doer, typed in some(step, KINDS, offered, ({}, {"to": "1st Fleet"}, {"to": "3,-3"})):
        option = "with" if typed else "to"
        filled = {"kind": kind.label, "who": doer, **typed}
        yield f"{filled} {option}: {await who.autocomplete(here, 'order give', option, '', **filled)}"
    for kind, doer, to in some(step, KINDS, doers, TARGETS):
        options = ({"to": to} if to else {}) | ({"with": "gm"} if kind.beside and to else {})
        yield f"{kind.id} {doer} {options}: {read_shown(await front.order(who, kind.id, doer, **options))}"
    yield str(await who.autocomplete(here, "order give", "who", ""))


async def test_the_federation_sees_nobody_out_of_its_sight(world: World) -> None:
    """In sheets, maps, lists and posts."""
    front = await begun(world, first())
    await given(front, front.bo, "buy", "Zeon", to="-3,3", **{"with": "zaku"})
    await front.resolve()
    found = [line async for line in looked(front, front.ann)]
    found += [text(message) for message in (*world.results.history(), *world.orders.history())]
    theirs = r"2nd Fleet|2[12](st|nd) Squadron|zaku|musai|bigro|Char"
    unasked = [line for line in found if not re.search(theirs, line[:40])]  # of what is not asked for by its name
    assert len(unasked) > 30
    assert [line for line in unasked if re.search(theirs, line)] == []
    assert "2nd Fleet" in await front.sheet("Zeon")
    assert "2nd Fleet" in await front.sheet("Zeon", front.bo)


@pytest.mark.shows("AMB-80")
async def test_an_order_into_the_unknown_is_taken_and_meets_what_is_there(world: World) -> None:
    """Its giver reads no more (AMB-80)."""
    front = await begun(world, first().replace('at      = "-1,2"', 'at      = "0,0"'))
    answer = await given(front, front.ann, "move", "1st Fleet", to="SW SW SW")
    assert "moves from 2,-2 to -1,1" in answer
    await front.resolve()
    assert "Battle on 0,0" in await front.sheet(who=front.ann)
    listed = said(await front.ann.slash(world.orders, "order list"))
    assert "1st Fleet moves from 2,-2 to 0,0" in listed


REASON = "Cancelled: something out of sight prevents it"
GUARD = (
    'at    = "0,0"\nkind  = "resource"\nbonus = 20',
    'at    = "0,0"\nkind  = "resource"\nbonus = 20\ngarrison = ["gm"]',
)


async def in_the_way(world: World) -> Front:
    """A war in fog with a hidden battle on 0,0."""
    text_ = in_fog(changed(**{"2nd_Fleet": "-1,1"}))
    assert GUARD[0] in text_
    front = await begun(world, text_.replace(*GUARD))
    await given(front, front.bo, "move", "2nd Fleet", to="0,0")
    return front


async def lapsed(front: Front) -> str:
    """Return Ann's orders once the hidden battle began."""
    await front.resolve()
    assert [str(at) for at in (await front.stands()).battles] == ["0,0"]
    return (await listed(front, front.ann)).replace("\\", "")


async def test_what_is_out_of_sight_refuses_by_one_code(world: World) -> None:
    """For a panel with a hidden battle (AMB-80)."""
    front = await in_the_way(world)
    await given(front, front.ann, "move", "11th Squadron", to="0,0")
    told = await lapsed(front)
    assert REASON in told
    assert "attle" not in told


async def test_an_order_that_a_game_master_has_changed_tells_its_giver_no_more(world: World) -> None:
    """It is checked against the player's view."""
    front = await in_the_way(world)
    await posted(world)
    await given(front, front.ann, "move", "11th Squadron", to="0,-1")
    shown, key = await arranged(world, written(world)[0], "change")
    assert "replaces" in said(await fill_in(world.gm, shown, {"to": "0,0"}, custom_id=key))
    told = await lapsed(front)
    assert_says(told, "Changed by a game master", REASON)
    assert "attle" not in told


async def test_a_player_called_as_a_hidden_force_leaves_its_orders_alone(world: World) -> None:
    """Both have a sheet (AMB-80)."""
    front = await begun(world, in_fog(changed()))
    await given(front, front.bo, "move", "2nd Fleet", to="N")
    eve = await recruit(front, "2ND Fleet", "E")
    assert "2ND Fleet" in (await front.stands()).players
    assert "isn't a force" in code(await front.order(eve, "move", "2nd Fleet", to="S"))
    await eve.slash(world.orders, "order give", kind="Pass", who="2ND Fleet")
    await given(front, front.bo, "move", "2nd Fleet", to="N")
    assert "**Passed:** 2ND Fleet" in await listed(front, eve)
    await given(front, eve, "rogue", "2nd fleet")
    seen = await front.sheet("2nd fleet", front.bo)
    assert_says(seen, "\nEarth Federation\n", "fleet on -2,2")
    assert "fleet on" not in await front.sheet("2nd fleet", eve)
    await front.resolve()
    war = await front.stands()
    assert (str(war.forces["2nd Fleet"].at), war.players["2ND Fleet"].faction) == ("-2,1", None)
    assert "2nd Fleet moves from -2,2 to -2,1" in await listed(front, front.bo)


async def test_joining_is_answered_alike_whatever_a_hidden_force_is_called(world: World) -> None:
    """A faction's name is refused (AMB-80)."""
    await begun(world, in_fog(changed()))
    eve = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    for name in ("Zeon", "E"):
        answer = await eve.slash(world.orders, "war join", faction="E", callsign=name)
        assert "is the name of a faction" in code(answer)
    joined = text(response(await eve.slash(world.orders, "war join", faction="E", callsign="22nd Squadron")))
    assert "22nd Squadron joins Earth Federation" in joined
    assert_lacks(joined, "Rolled", "went to the staff")
