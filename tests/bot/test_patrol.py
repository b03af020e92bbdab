"""`/patrol`, from the command to the entry and its embed."""

from __future__ import annotations

from tests.bot.reading import newest, press, response, said, text
from tests.bot.world import World


async def test_a_hostile_target_that_is_caught_is_told_in_the_results_channel(world: World) -> None:
    """A caught hostile target means a battle, and the embed in #results tells die, total and what counted."""
    world.dice.script(17)

    result = await world.gm.slash(
        world.orders, "patrol", patrol="Kilo", target="Zaku column", modifiers="patrol.newtype", roll="now"
    )

    message = newest(world.results)
    assert message.embeds[0].title == "Caught: a battle, as if ambushed"
    assert "1d20: **17** + 1 = **18**" in text(message)
    assert "+1 Patrol with a newtype" in text(message)
    assert "entry #" in said(result).casefold()
    assert result.ephemeral


async def test_a_card_rolls_once_however_often_it_is_pressed(world: World) -> None:
    """The second press of Roll is told privately that the card is spent, and no second entry is made."""
    world.dice.script(18)
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku column"))
    roll = press(card, "roll")

    await world.gm.click(card, custom_id=roll)
    assert "Rolled" in text(card)
    assert len(world.results.history()) == 1
