"""Escapes that were declared before these became orders: their entries are still read, and no declaration is lost."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from bot.app import KINDS
from bot.core import audit, campaigns, state
from bot.core.ledger import EntryDraft, next_number
from bot.core.records import Change
from bot.core.subjects import Subjects
from tests.cogs.captives.test_escape import flee, imprison, joint
from tests.cogs.ledger.test_void import taken_back
from tests.support.acting import close_update
from tests.support.reading import assert_says, control, refused, response, said, text
from tests.support.world import World, entry


async def declared(world: World, name: str) -> int:
    """Enter that the player declares an escape, as older versions did; gives the entry."""
    bot = world.bots[0]

    def work(tx: Connection) -> int:
        campaign = campaigns.get_campaign(tx, 1)
        assert campaign is not None
        key = Subjects(tx, 1).of(name).key
        change = Change(key, "declared", None, {"entry": next_number(tx, campaign), "update": 1})
        draft = EntryDraft(
            "escape", "maker", {"deed": "declare", "captive": name}, (change,), {"note": "Over the wall"}
        )
        return bot.ledger.enter(tx, campaign, world.player.id, draft).number

    return await bot.database.write(work)


async def test_a_declaration_of_an_older_version_is_rolled_with_the_orders(world: World) -> None:
    """It stands on the game master's desk, counts for others (line 341) and is in the card beside an order; once it is rolled it waits no more."""
    await imprison(world, "Amuro", "Kai")
    await declared(world, "Amuro")
    assert "escape ordered" in said(await world.gm.slash(world.orders, "update show"))
    await flee(world.player, world, captive="Kai")
    card = response(await flee(world.gm, world))
    assert [item["label"] for item in control(card, "part")["options"]] == ["1. Amuro", "2. Kai"]
    world.dice.script(10)
    await flee(world.gm, world, captive="Kai", roll="now")
    assert joint(entry(world)["parts"][0]) == "others try in this update"
    assert "Amuro** tries" in text(response(await flee(world.gm, world)))
    world.dice.script(10)
    await flee(world.gm, world, roll="now")
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


@pytest.mark.parametrize("over", ["closed", "released", "void"])
async def test_a_declaration_of_an_older_version_ends(world: World, over: str) -> None:
    """With its update, with the captivity, and when it is taken back."""
    await imprison(world, "Amuro")
    number = await declared(world, "Amuro")
    if over == "closed":
        await close_update(world)
    elif over == "released":
        await world.gm.slash(world.orders, "captive release", captive="Amuro")
    else:
        await taken_back(world, number)
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


async def test_its_entry_is_shown_as_ever(world: World) -> None:
    """To whoever has declared it and to game masters, in the list and by itself; the state is rebuilt from it."""
    await imprison(world, "Amuro")
    number = await declared(world, "Amuro")
    for actor in (world.player, world.gm):
        told = said(await actor.slash(world.orders, "ledger show", number=number))
        assert_says(told, "Escape ordered", "Over the wall")
        assert "Amuro tries to escape" in said(await actor.slash(world.orders, "ledger list"))
    database = world.bots[0].database
    before = await database.read(state.get_whole, 1)
    await audit.rebuild_states(database, KINDS)
    assert before == await database.read(state.get_whole, 1)
