"""Who is hit by a throw hangs on hexes: from a roster file over the reach on the terrain to refusal, card, result and ledger."""

from __future__ import annotations

import pytest

from bot.core.permissions import Person
from rules.errors import RollError
from rules.geometry import Hex
from tests.cogs.roster.saving import edit
from tests.cogs.roster.test_import import carried_out, prepared
from tests.rolls.test_toy_book import asked, card, rolled, told
from tests.rules.toyreach import MOST, steps
from tests.support.backend import GM, PLAYER, House
from tests.support.soundness import require_whole

ROSTER = """\
name,kind,side,owner,squad,q,r,secret,traits
Ann,pc,EF,,,2,4,,
Bob,npc,Zeon,,,3,5,,
Cid,npc,Zeon,,,5,4,,
Dan,npc,Zeon,,,3,3,,
Eve,npc,Zeon,,,5,3,yes,
Fay,npc,Zeon,,,,,,
"""


async def placed(toys: House) -> None:
    """Save all of the roster's file where it places them: a wall stands between Ann and Cid, and Dan on rough ground."""
    toys.campaign = await toys.edit({"players_may": "lob"})
    await carried_out(toys, await prepared(toys, ROSTER))


def test_a_wall_is_gone_round_and_rough_ground_costs_more() -> None:
    """Three hexes away as the crow flies is out of reach behind the wall, but for its end; next to one it may be two steps."""
    assert steps(Hex(2, 4), Hex(2, 4)) == 0
    assert steps(Hex(2, 4), Hex(3, 3)) == 2
    assert steps(Hex(2, 4), Hex(5, 4)) is None
    assert steps(Hex(3, 6), Hex(5, 6)) == 3 < MOST


async def test_who_stands_in_reach_is_hit_by_how_far(toys: House) -> None:
    """Each step counts, twice on rough ground, and the result tells from where to where; the ledger is whole."""
    await placed(toys)
    assert "-10 Distance" in "\n".join(await card(toys, asked("lob", "Bob"))).replace("\N{MINUS SIGN}", "-")
    (shown,) = told((await rolled(toys, asked("lob", "Bob"), 30)).entry)
    assert "On target" in shown
    assert "from 2,4 to 3,5" in shown
    (shown,) = told((await rolled(toys, asked("lob", "Dan"), 31)).entry)
    assert "Wide" in shown
    await require_whole(toys)


@pytest.mark.parametrize("person", [GM, pytest.param(PLAYER, marks=pytest.mark.slow)])
async def test_who_stands_out_of_reach_is_not_thrown_at(toys: House, person: Person) -> None:
    """The refusal names both, before any card, die or entry; once she has moved round the wall, it is rolled."""
    await placed(toys)
    before = await toys.entries()
    for ask in (lambda: card(toys, asked("lob", "Cid"), person), lambda: toys.roll(asked("lob", "Bob", "Cid"))):
        with pytest.raises(RollError, match="Cid is out of the reach of Ann"):
            await ask()
    assert await toys.entries() == before
    await edit(toys, "character", "Ann", fields="q: 5; r: 6")
    (shown,) = told((await rolled(toys, asked("lob", "Cid"), 30)).entry)
    assert "from 5,6 to 5,4" in shown
    await require_whole(toys)


async def test_a_hex_that_players_may_not_know_refuses_nothing(toys: House) -> None:
    """A throw at somebody secret, or of whom no hex is kept, goes on as if nothing were known, and its card tells no distance."""
    await placed(toys)
    lines = [await card(toys, asked("lob", name), PLAYER) for name in ("Eve", "Fay")]
    assert [line.replace("Eve", "Fay") for line in lines[0]] == lines[1]
    made = await rolled(toys, asked("lob", "Eve"), 30)
    assert made.entry.content()["parts"][0]["outcome"]["id"] == "on-target"
    assert told(made.entry) == [], "whoever is secret is not told of"
    await require_whole(toys)
