"""Acts in a scene: paid out of its marks, refused in private, taken back whole."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from discord import ui

from bot.rolls.card.layout import draw
from bot.rolls.card.service import open_card
from bot.rolls.request import PartRequest
from rules.errors import RollError
from tests.rolls.test_toy_book import asked, told
from tests.support.backend import GM
from tests.support.reading import assert_says
from tests.support.soundness import require_whole
from tests.support.toyscene import Table


async def marks(table: Table, name: str) -> Mapping[str, int]:
    """What the scene marks of somebody."""
    return next(item.marks for item in (await table.scene()).roster if item.name == name)


async def test_an_act_is_paid_from_the_marks_of_its_scene(table: Table) -> None:
    """Its entry tells the cost with its line, what is left, and what came of it; the next act finds less."""
    await table.begin("Ann", "Bob", marks={"Ann": {"actions": 3, "bolts": 1}, "Bob": {"actions": 9}})
    (shown,) = told((await table.house.roll_as_they_fall(asked("bolt"))).entry)
    assert_says(shown, "Ann bolts the door", "The door is bolted", "Ann is rallied")
    state = await table.house.state()
    assert [value["update"] for (_, name), value in state.items() if name == "effect.rallied"] == [1]
    assert "2 actions, 1 left, 1 bolt, 0 left" in shown
    assert await marks(table, "Ann") == {"actions": 1, "bolts": 0}
    assert await marks(table, "Bob") == {"actions": 9}
    table.house.dice.script_dice((100, 57))
    (shown,) = told((await table.house.roll_as_they_fall(asked("scale"))).entry)
    assert "1d100: **57** + 0 = **57** against **50**" in shown
    assert await marks(table, "Ann") == {"actions": 0, "bolts": 0}
    await require_whole(table.house)


async def test_an_act_that_cannot_be_paid_rolls_and_writes_nothing(table: Table) -> None:
    """The refusal says what is there; no die is thrown, and marks and ledger stay as they were."""
    await table.begin("Ann", marks={"Ann": {"actions": 1}})
    before = len(await table.house.entries())
    with pytest.raises(RollError, match="Ann has 1 action left, and this takes 2"):
        await table.house.roll_as_they_fall(asked("bolt"))
    assert len(await table.house.entries()) == before
    assert await marks(table, "Ann") == {"actions": 1}


@pytest.mark.slow
async def test_an_act_that_is_taken_back_gives_back_what_it_cost(table: Table) -> None:
    """Its void turns the marks around with it."""
    await table.begin("Ann", marks={"Ann": {"actions": 3, "bolts": 1}})
    made = await table.house.roll_as_they_fall(asked("bolt"))
    await table.house.take_back(made.entry.number)
    assert await marks(table, "Ann") == {"actions": 3, "bolts": 1}
    await require_whole(table.house)


@pytest.mark.slow
async def test_the_card_says_what_an_act_costs(table: Table) -> None:
    """Before it is done, with what will be left."""
    await table.begin("Ann", marks={"Ann": {"actions": 3, "bolts": 1}})
    house = table.house
    view = await house.database.write(open_card, house.resolver, GM, house.campaign, asked("bolt"))
    shown = "\n".join(item.content for item in draw(view, 0).walk_children() if isinstance(item, ui.TextDisplay))
    assert_says(shown, "Costs 2 actions; 1 will be left.", "Costs 1 bolt; 0 will be left.")


@pytest.mark.slow
async def test_an_act_against_many_is_paid_once(table: Table) -> None:
    """A charge at two is one charge, however its one is written: its die is thrown once, and its cost is paid once."""
    await table.begin("Ann", marks={"Ann": {"actions": 3}})
    table.house.dice.script_dice((100, 60), (100, 59), (100, 61))
    charge = asked("charge", "Bob")
    other = PartRequest(subjects={"actor": "ann", "resister": "Cid"})
    made = await table.house.roll_as_they_fall(charge.model_copy(update={"parts": (*charge.parts, other)}))
    table.house.dice.finish()
    first, second = told(made.entry)
    assert "2 actions, 1 left" in first
    assert "actions" not in second
    assert await marks(table, "Ann") == {"actions": 1}


@pytest.mark.slow
async def test_each_of_several_who_do_an_act_pays_of_their_own(table: Table) -> None:
    """What one has left is not another's; whoever has too little stops them all."""
    await table.begin("Ann", "Bob", marks={"Ann": {"actions": 1}, "Bob": {"actions": 5}})
    together = asked("scale").with_part(0, PartRequest(subjects={"actor": "Ann, Bob"}))
    table.house.dice.script_dice((100, 57))
    await table.house.roll_as_they_fall(together)
    assert await marks(table, "Ann") == {"actions": 0}
    assert await marks(table, "Bob") == {"actions": 4}
    with pytest.raises(RollError, match="no actions left, and this takes 1"):
        await table.house.roll_as_they_fall(together)
    await require_whole(table.house)
