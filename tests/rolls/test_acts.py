from __future__ import annotations

from collections.abc import Mapping

import pytest
from discord import ui
from msgspec.structs import replace

from bot.core.permissions import Person
from bot.rolls.card.layout import draw
from bot.rolls.card.service import open_card
from bot.rolls.request import PartRequest
from rules.errors import RollError
from rules.geometry import Hex
from tests.cogs.roster.saving import edit
from tests.cogs.roster.test_import import prepare_import, press_import
from tests.rolls.test_toy_book import ask_ann, card, find_texts, roll_with
from tests.rules.toyreach import MOST, count_steps
from tests.support.backend import GM, PLAYER, House
from tests.support.reading import assert_says
from tests.support.soundness import require_whole
from tests.support.toyscene import Table


async def marks(table: Table, name: str) -> Mapping[str, int]:
    """Return someone's marks."""
    return next(item.marks for item in (await table.scene()).roster if item.name == name)


async def test_an_act_is_paid_from_the_marks_of_its_scene(table: Table) -> None:
    """The entry shows cost and rest."""
    await table.begin("Ann", "Bob", marks={"Ann": {"actions": 3, "bolts": 1}, "Bob": {"actions": 9}})
    (shown,) = find_texts((await table.house.roll_as_they_fall(ask_ann("bolt"))).entry)
    assert_says(shown, "Ann bolts the door", "The door is bolted", "Ann is rallied")
    state = await table.house.state()
    assert [value["update"] for (_, name), value in state.items() if name == "effect.rallied"] == [1]
    assert "2 actions, 1 left, 1 bolt, 0 left" in shown
    assert await marks(table, "Ann") == {"actions": 1, "bolts": 0}
    assert await marks(table, "Bob") == {"actions": 9}
    table.house.dice.script_dice((100, 57))
    (shown,) = find_texts((await table.house.roll_as_they_fall(ask_ann("scale"))).entry)
    assert "1d100: **57** + 0 = **57** against **50**" in shown
    assert await marks(table, "Ann") == {"actions": 0, "bolts": 0}
    await require_whole(table.house)


async def test_an_act_that_cannot_be_paid_rolls_and_writes_nothing(table: Table) -> None:
    """The refusal says what is there."""
    await table.begin("Ann", marks={"Ann": {"actions": 1}})
    before = len(await table.house.entries())
    with pytest.raises(RollError, match="Ann has 1 action left, and this takes 2"):
        await table.house.roll_as_they_fall(ask_ann("bolt"))
    assert len(await table.house.entries()) == before
    assert await marks(table, "Ann") == {"actions": 1}


@pytest.mark.slow
async def test_an_act_that_is_taken_back_gives_back_what_it_cost(table: Table) -> None:
    """The void restores the marks."""
    await table.begin("Ann", marks={"Ann": {"actions": 3, "bolts": 1}})
    made = await table.house.roll_as_they_fall(ask_ann("bolt"))
    await table.house.take_back(made.entry.number)
    assert await marks(table, "Ann") == {"actions": 3, "bolts": 1}
    await require_whole(table.house)


@pytest.mark.slow
async def test_the_card_says_what_an_act_costs(table: Table) -> None:
    """Before the roll."""
    await table.begin("Ann", marks={"Ann": {"actions": 3, "bolts": 1}})
    house = table.house
    view = await house.database.write(open_card, house.resolver, GM, house.campaign, ask_ann("bolt"))
    shown = "\n".join(item.content for item in draw(view, 0).walk_children() if isinstance(item, ui.TextDisplay))
    assert_says(shown, "Costs 2 actions; 1 will be left.", "Costs 1 bolt; 0 will be left.")


@pytest.mark.slow
async def test_an_act_against_many_is_paid_once(table: Table) -> None:
    """One die, one cost."""
    await table.begin("Ann", marks={"Ann": {"actions": 3}})
    table.house.dice.script_dice((100, 60), (100, 59), (100, 61))
    charge = ask_ann("charge", "Bob")
    other = PartRequest(subjects={"actor": "ann", "resister": "Cid"})
    made = await table.house.roll_as_they_fall(replace(charge, parts=(*charge.parts, other)))
    table.house.dice.finish()
    first, second = find_texts(made.entry)
    assert "2 actions, 1 left" in first
    assert "actions" not in second
    assert await marks(table, "Ann") == {"actions": 1}


@pytest.mark.slow
async def test_each_of_several_who_do_an_act_pays_of_their_own(table: Table) -> None:
    """One who has too little stops all."""
    await table.begin("Ann", "Bob", marks={"Ann": {"actions": 1}, "Bob": {"actions": 5}})
    together = ask_ann("scale").with_part(0, PartRequest(subjects={"actor": "Ann, Bob"}))
    table.house.dice.script_dice((100, 57))
    await table.house.roll_as_they_fall(together)
    assert await marks(table, "Ann") == {"actions": 0}
    assert await marks(table, "Bob") == {"actions": 4}
    with pytest.raises(RollError, match="no actions left, and this takes 1"):
        await table.house.roll_as_they_fall(together)
    await require_whole(table.house)


ROSTER = """\
name,kind,side,owner,squad,q,r,secret,traits
Ann,pc,EF,,,2,4,,
Bob,npc,Zeon,,,3,5,,
Cid,npc,Zeon,,,5,4,,
Dan,npc,Zeon,,,3,3,,
Eve,npc,Zeon,,,5,3,yes,
Fay,npc,Zeon,,,,,,
"""


async def place_roster(toys: House) -> None:
    """Save a roster on the map, with a wall."""
    toys.campaign = await toys.edit({"players_may": "lob"})
    await press_import(toys, await prepare_import(toys, ROSTER))


def test_a_wall_is_gone_round_and_rough_ground_costs_more() -> None:
    """Three hexes are too far behind the wall."""
    assert count_steps(Hex(2, 4), Hex(2, 4)) == 0
    assert count_steps(Hex(2, 4), Hex(3, 3)) == 2
    assert count_steps(Hex(2, 4), Hex(5, 4)) is None
    assert count_steps(Hex(3, 6), Hex(5, 6)) == 3 < MOST


async def test_who_stands_in_reach_is_hit_by_how_far(toys: House) -> None:
    """Rough ground counts twice."""
    await place_roster(toys)
    assert "-10 Distance" in "\n".join(await card(toys, ask_ann("lob", "Bob"))).replace("\N{MINUS SIGN}", "-")
    (shown,) = find_texts((await roll_with(toys, ask_ann("lob", "Bob"), 30)).entry)
    assert "On target" in shown
    assert "from 2,4 to 3,5" in shown
    (shown,) = find_texts((await roll_with(toys, ask_ann("lob", "Dan"), 31)).entry)
    assert "Wide" in shown
    await require_whole(toys)


@pytest.mark.parametrize("person", [GM, pytest.param(PLAYER, marks=pytest.mark.slow)])
async def test_who_stands_out_of_reach_is_not_thrown_at(toys: House, person: Person) -> None:
    """Round the wall, it works."""
    await place_roster(toys)
    before = await toys.entries()
    for ask in (lambda: card(toys, ask_ann("lob", "Cid"), person), lambda: toys.roll(ask_ann("lob", "Bob", "Cid"))):
        with pytest.raises(RollError, match="Cid is out of the reach of Ann"):
            await ask()
    assert await toys.entries() == before
    await edit(toys, "Ann", fields="q: 5; r: 6")
    (shown,) = find_texts((await roll_with(toys, ask_ann("lob", "Cid"), 30)).entry)
    assert "from 5,6 to 5,4" in shown
    await require_whole(toys)


async def test_a_hex_that_players_may_not_know_refuses_nothing(toys: House) -> None:
    """No distance is shown."""
    await place_roster(toys)
    lines = [await card(toys, ask_ann("lob", name), PLAYER) for name in ("Eve", "Fay")]
    assert [line.replace("Eve", "Fay") for line in lines[0]] == lines[1]
    made = await roll_with(toys, ask_ann("lob", "Eve"), 30)
    assert made.entry.content()["parts"][0]["outcome"]["id"] == "on-target"
    assert find_texts(made.entry) == [], "whoever is secret is not told of"
    await require_whole(toys)
