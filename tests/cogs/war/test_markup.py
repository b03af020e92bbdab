"""Names of a scenario are text: no backtick, link or mark in one takes effect in Discord."""

from __future__ import annotations

import re
from typing import Any

from tests.cogs.war.front import begun, example
from tests.support.reading import response, text
from tests.support.world import World

MARKED = "`[x](https://e.x)*"
_NAMED = re.compile(r'^((?:name|title|force) +=) "([^"]*)"$', re.MULTILINE)
_UNIT = re.compile(r'"(gm|zaku)"')
EFFECT = re.compile(r"(?<!\\)\[x|(?<!\\)`\\?\[x|https://e")
"""The mark, where it isn't escaped."""
CODE = re.compile(r"`` .*? ``")
"""What is code between two backticks, in which one has no effect."""


def hostile() -> str:
    """The shipped scenario with marks at the end of each name."""
    named = _NAMED.sub(rf'\1 "\2 {MARKED}"', example())
    return _UNIT.sub(rf'"\1 {MARKED}"', named)


async def test_no_name_of_a_scenario_becomes_markup(world: World) -> None:
    """In sheets, maps, orders, answers and posts, as game master and as player."""
    front = await begun(world, hostile())
    force = f"1st Fleet {MARKED}"
    shown: list[Any] = []
    sheets = (None, "E", "Z", force, f"21st Squadron {MARKED}", f"Amuro Ray {MARKED}", "Ann", "3,-3", "u1")
    for who in (front.ann, world.gm):
        asked = [await who.slash(world.orders, "war show", **({"what": what} if what else {})) for what in sheets]
        shown += map(response, asked)
    carl = world.guild.add_member(world.env.create_user("carl"), roles=[world.roles["player"]])
    shown.append(response(await carl.slash(world.orders, "war join", faction="E", callsign="Carl")))
    shown.append(response(await front.ann.slash(world.orders, "war map", force=force)))
    shown.append(response(await front.order(front.ann, "move", f"11th Squadron {MARKED}", to="0,-1")))
    for command in ("order list", "update show", "war map", "ledger list"):
        shown += [response(await who.slash(world.orders, command)) for who in (front.ann, world.gm)]
    await front.resolve()
    shown += [message for room in (world.orders, world.results, world.staff) for message in room.history()]
    lines = [line for message in shown for line in text(message).splitlines()]
    assert len([line for line in lines if "e.x" in line]) > 20
    assert [line for line in lines if EFFECT.search(CODE.sub("", line))] == []
