"""Entries of a war that are taken back: what hangs together goes together, and what stays fits."""

from __future__ import annotations

import simcord

from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.war.battle.field import AT, Field
from tests.cogs.war.front import E, Front, begun, example
from tests.support.acting import take_back
from tests.support.reading import assert_says, refused, response, text
from tests.support.world import World, entry, nothing_written, written

SLIP = "A slip"


async def put(front: Front, what: str, to: str) -> int:
    """Set something; return the number of its entry."""
    await front.world.gm.slash(front.world.orders, "war set", what=what, to=to, reason="As agreed")
    return newest_entry(front.world)


async def void(front: Front, number: int) -> simcord.InteractionResult:
    """Take an entry back."""
    return await take_back(front.world, "void", entry=number, reason=SLIP)


async def test_a_war_of_the_same_name_is_taken_back_with_what_has_come_of_it(front: Front) -> None:
    """What was set in the second one is not so in the first, which goes on with its players and gold."""
    shown = response(await front.world.gm.slash(front.world.orders, "war new"))
    await front.world.gm.click(shown, label="Start")
    second = newest_entry(front.world)
    await put(front, "gold", "E 777")
    await void(front, second)
    sheet = await front.sheet(E)
    assert_says(sheet, "100 gold", "led by Ann")


async def test_a_force_that_fights_by_now_stays(world: World) -> None:
    """Taking back a defender that somebody else has attacked since would leave a battle of nobody: refused, and the board is as it was."""
    front = await begun(world, example().replace('at      = "1,-2"', 'at      = "0,-1"', 1))
    mustered = await put(front, "force", f"+ 3rd Squadron; squadron; Z; {AT}; 2 zaku")
    await front.order(front.ann, "move", "11th Squadron", to=AT)
    await front.resolve()
    field = Field(front)
    before, shown = written(world), text(response(await field.do(field.ann, "show")))
    assert "3rd Squadron would fight on 0,1 without being there" in refused(await void(front, mustered))
    assert written(world) == before
    assert text(response(await field.do(field.ann, "show"))) == shown


async def test_two_of_a_faction_do_not_come_to_stand_on_one_panel(front: Front) -> None:
    """Where another one stands by now, a force is not put back."""
    first = await put(front, "force", "11th Squadron to 1,-1")
    await put(front, "force", "12th Squadron to 1,-2")
    with nothing_written(front.world):
        assert "11th Squadron and 12th Squadron would both be on 1,-2" in refused(await void(front, first))


async def test_whoever_commands_by_now_stays_in_the_war(front: Front) -> None:
    """A player's joining is not taken back while they have a force that came later; once that is taken back, it is."""
    cy = front.world.guild.add_member(front.world.env.create_user("cy"), roles=[front.world.roles["player"]])
    await cy.slash(front.world.orders, "war join", faction=E, callsign="Cy")
    joined = newest_entry(front.world)
    await put(front, "rank", "Cy Captain")
    await front.order(front.ann, "assign", "12th Squadron", to="Cy")
    await front.resolve()
    numbers = range(joined, newest_entry(front.world))
    (handed,) = [number for number in numbers if entry(front.world, number).get("family") == "assign"]
    assert "Cy, commander of 12th Squadron" in refused(await void(front, joined))
    await void(front, handed)
    await void(front, joined)
    assert "Cy" not in await front.sheet(E)


async def test_a_price_is_taken_back_alone(front: Front) -> None:
    """What was set since, units that have come and a turn that has ended stay."""
    price = await put(front, "price", "gm 25")
    await put(front, "switch", "cooldown 1")
    await put(front, "unit", "1st Fleet + gm")
    await front.resolve()
    await void(front, price)
    war = await front.stands()
    assert (dict(war.prices), dict(war.switches), war.turn) == ({}, {"cooldown": 1}, 2)
    assert len(war.forces["1st Fleet"].units) == 4
