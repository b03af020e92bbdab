"""Who rolled stands in the result, and no name of a person in a body: it lies beside it and can be erased."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import simcord
from msgspec.structs import replace

from bot.core import entries
from bot.core.records import SaltedText, mark_role, read_body
from tests.cogs.house_rules.homebrew import ROWS, rolled, shown, switched_on, table
from tests.support.acting import reopened
from tests.support.reading import assert_says, newest, press, response, said, text
from tests.support.world import World, entry, entry_texts, rows, running


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """A running bot whose campaign plays Infinity; what is rolled first is entry #4."""
    async with running(database_url) as made:
        await made.gm.slash(made.orders, "campaign edit", books="campaign, infinity")
        yield made


async def test_free_dice_tell_who_rolled_and_keep_the_name_beside_the_body(world: World) -> None:
    """The result reads as before, with the mention; the body has a mark in place of the name, which lies among the texts; once that is gone, the entry reads of somebody."""
    world.dice.script(3, sides=6)
    await world.player.slash(world.orders, "roll", expression="d6")
    assert_says(text(newest(world.orders)), "player rolls d6", f"Rolled by <@{world.player.id}>")
    assert entry(world)["parts"][0]["subjects"] == {"roller": mark_role("roller"), "dice": "d6"}
    assert entry_texts(world, 4) == {"name.roller": "player"}
    assert "player rolls d6" in said(await world.gm.slash(world.orders, "ledger list"))
    made = await world.bots[0].database.read(entries.get_entry, 1, 4)
    assert made is not None
    erased = replace(made, texts=dict.fromkeys(made.texts, SaltedText(None, None)))
    assert read_body(made)["parts"][0]["subjects"]["roller"] == "player"
    assert read_body(erased)["parts"][0]["subjects"]["roller"] == "someone"


async def test_a_card_shows_the_name_of_who_rolls_themselves(world: World) -> None:
    """On the card, in the list of cards and in the receipt stands the name, and nowhere a mark."""
    card = response(await world.player.slash(world.orders, "infinity roll", attribute=12, roll="card"))
    listed = response(await world.player.slash(world.orders, "cards"))
    again = await reopened(world, world.player)
    world.dice.script(9)
    receipt = response(await world.player.click(card, custom_id=press(card, "roll")))
    for seen in (text(again), text(receipt), str(listed.components)):
        assert "player" in seen
        assert mark_role("roller") not in seen


async def test_nobody_is_kept_under_their_own_name(world: World) -> None:
    """A saved unit that is called like a member has no part in what that member rolls, so nothing tells that it exists."""
    await world.gm.slash(world.orders, "unit add", name="player", kind="ship", secret=True)
    world.dice.script(3, sides=6)
    await world.player.slash(world.orders, "roll", expression="d6")
    assert "player rolls d6" in text(newest(world.orders))
    assert len(rows(world, "select 1 from subject")) == 1


async def test_a_label_in_the_form_of_a_mark_is_a_name(world: World) -> None:
    """Typed as a patrol, it is a unit like any other: what it rolled is known of it."""
    for note in (None, "Again"):
        world.dice.script(20)
        result: simcord.InteractionResult = await world.gm.slash(
            world.orders,
            "patrol",
            patrol=mark_role("patrol"),
            target="Dom",
            roll="now",
            **({"note": note} if note else {}),
        )
        assert "Rolled: entry" in said(result)


@pytest.mark.slow
async def test_a_table_of_ones_own_is_rolled_under_ones_name(world: World) -> None:
    """Whoever names nobody stands in the result with name and mention; a consequence of the row is kept of no subject."""
    rest = ROWS.replace('outcome = "', 'then = [{ do = "injure", to = "roller" }], outcome = "', 1)
    await switched_on(world, table(rest=rest))
    assert "**gm** rolls" in await rolled(world, "loot", 1)
    assert f"Rolled by <@{world.gm.id}>" in await shown(world, 5)
    assert rows(world, "select 1 from subject") == []


@pytest.mark.slow
async def test_a_deed_that_changes_nothing_makes_nobody_known(world: World) -> None:
    """A battle is called for and nobody begins to be known by that; whom a row has scouted is, though nobody knows who rolled."""
    then = 'then = [{{ do = "{}", to = "target" }}], outcome = "'
    await switched_on(world, table(rest=ROWS.replace('outcome = "', then.format("battle"), 1)))
    await rolled(world, "loot", 1, about="Ghost")
    assert "A battle is fought" in await shown(world, 5)
    assert rows(world, "select 1 from subject") == []
    await switched_on(world, table("spy", rest=ROWS.replace('outcome = "', then.format("scouted"), 1)), name="spy")
    await rolled(world, "spy", 1, about="Ghost")
    assert rows(world, "select name from subject") == [("Ghost",)]
