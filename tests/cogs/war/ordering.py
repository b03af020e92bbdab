"""Orders of a war for tests: given, planned, carried out, taken back, and refused with a code."""

from __future__ import annotations

import simcord

from tests.cogs.war.front import Front
from tests.support.acting import take_back
from tests.support.reading import refused, response, said
from tests.support.world import World, rows


async def listed(front: Front, who: simcord.MemberActor) -> str:
    """What the list of orders says to somebody."""
    return said(await who.slash(front.world.orders, "order list"))


async def plan(front: Front) -> simcord.ResponseMessage:
    """What resolving comes to, before it is pressed."""
    return response(await front.world.gm.slash(front.world.orders, "update resolve"))


def code(result: simcord.InteractionResult) -> str:
    """What a refusal says, without the marks by which underscores are shown."""
    return refused(result).replace("\\", "")


def rolled(world: World) -> list[int]:
    """The numbers of the entries of what was carried out, the newest last."""
    return [number for (number,) in rows(world, "select number from entry where kind = 'roll' order by number")]


async def voided(front: Front, number: int) -> None:
    """Take an entry back."""
    await take_back(front.world, "void", entry=number, reason="Played otherwise")


async def given(front: Front, who: simcord.MemberActor, kind: str, doer: str, **options: str) -> str:
    """Give an order that is taken, and return what is answered."""
    answer = said(await front.order(who, kind, doer, **options))
    assert "Order given" in answer, answer
    return answer
