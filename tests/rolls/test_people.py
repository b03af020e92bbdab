from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import simcord
from msgspec.structs import replace

from bot.core import entries
from bot.core.records import SaltedText, mark_role, read_body
from tests.cogs.house_rules.homebrew import ROWS, roll_table, send_and_switch_on, show_entry, table
from tests.support.acting import list_cards, reopened
from tests.support.reading import assert_says, newest, press, response, said, text
from tests.support.world import World, entry, entry_texts, rows, running


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """Open a bot with Infinity; the first roll is #4."""
    async with running(database_url) as made:
        await made.gm.slash(made.orders, "gm settings", books="campaign, infinity")
        yield made


async def test_free_dice_tell_who_rolled_and_keep_the_name_beside_the_body(world: World) -> None:
    """Once erased, the entry has no name."""
    world.dice.script(3, sides=6)
    await world.player.slash(world.orders, "roll", expression="d6")
    assert_says(text(newest(world.orders)), "player rolls d6", f"Rolled by <@{world.player.id}>")
    assert entry(world)["parts"][0]["subjects"] == {"roller": mark_role("roller"), "dice": "d6"}
    assert entry_texts(world, 4) == {"name.roller": "player"}
    assert "player rolls d6" in said(await world.gm.slash(world.orders, "ledger"))
    made = await world.bots[0].database.read(entries.get_entry, 1, 4)
    assert made is not None
    erased = replace(made, texts=dict.fromkeys(made.texts, SaltedText(None, None)))
    assert read_body(made)["parts"][0]["subjects"]["roller"] == "player"
    assert read_body(erased)["parts"][0]["subjects"]["roller"] == "someone"


async def test_a_card_shows_the_name_of_who_rolls_themselves(world: World) -> None:
    """Cards, lists and receipts show no mark."""
    card = response(await world.player.slash(world.orders, "infinity roll", attribute=12, roll="card"))
    listed = await list_cards(world.player, world.orders)
    again = await reopened(world, world.player)
    world.dice.script(9)
    receipt = response(await world.player.click(card, custom_id=press(card, "roll")))
    for seen in (text(again), text(receipt), str(listed.components)):
        assert "player" in seen
        assert mark_role("roller") not in seen


async def test_nobody_is_kept_under_their_own_name(world: World) -> None:
    """A saved unit of that name isn't involved."""
    await world.gm.slash(world.orders, "roster add", name="player", kind="ship", secret=True)
    world.dice.script(3, sides=6)
    await world.player.slash(world.orders, "roll", expression="d6")
    assert "player rolls d6" in text(newest(world.orders))
    assert len(rows(world, "select 1 from subject")) == 1


async def test_a_label_in_the_form_of_a_mark_is_a_name(world: World) -> None:
    """It's a normal unit."""
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
    """Its consequences have no subject."""
    rest = ROWS.replace('outcome = "', 'then = [{ do = "injure", to = "roller" }], outcome = "', 1)
    await send_and_switch_on(world, table(rest=rest))
    assert "**gm** rolls" in await roll_table(world, "loot", 1)
    assert f"Rolled by <@{world.gm.id}>" in await show_entry(world, 5)
    assert rows(world, "select 1 from subject") == []


@pytest.mark.slow
async def test_a_deed_that_changes_nothing_makes_nobody_known(world: World) -> None:
    """Scouting does, a battle doesn't."""
    then = 'then = [{{ do = "{}", to = "target" }}], outcome = "'
    await send_and_switch_on(world, table(rest=ROWS.replace('outcome = "', then.format("battle"), 1)))
    await roll_table(world, "loot", 1, about="Ghost")
    assert "A battle is fought" in await show_entry(world, 5)
    assert rows(world, "select 1 from subject") == []
    await send_and_switch_on(
        world, table("spy", rest=ROWS.replace('outcome = "', then.format("scouted"), 1)), name="spy"
    )
    await roll_table(world, "spy", 1, about="Ghost")
    assert rows(world, "select name from subject") == [("Ghost",)]
