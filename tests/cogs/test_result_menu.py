"""A right-click on a result does what the buttons of its entry do."""

import discord
import pytest
import simcord

from tests.support.acting import roll_command, take_back
from tests.support.reading import assert_says, labels, newest, refused, response, said, text
from tests.support.world import World, nothing_written

PATROL = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}


def read_again(channel: simcord.ChannelHandle, posted: discord.Message) -> discord.Message:
    """A message as it is now."""
    return next(message for message in channel.history() if message.id == posted.id)


async def test_a_result_is_undone_by_a_right_click(world: World) -> None:
    """A window asks why, as the button does."""
    await roll_command(world, "patrol", 18, **PATROL)
    window = await world.gm.context_menu(world.results, "Undo", newest(world.results))
    answer = said(await world.gm.submit_modal(window, {"reason": "A modifier was missed"}))
    assert "Entry #3 undone (#4): Patrol" in answer


async def test_a_result_is_amended_by_a_right_click(world: World) -> None:
    """The card opens again after the reason."""
    await roll_command(world, "patrol", 18, **PATROL)
    window = await world.gm.context_menu(world.results, "Amend", newest(world.results))
    assert window.modal is not None
    assert window.modal["title"] == "Amend entry #3"


async def test_dice_are_verified_by_a_right_click(world: World) -> None:
    """A player may, privately."""
    await roll_command(world, "patrol", 18, **PATROL)
    answer = await world.player.context_menu(world.results, "Verify dice", newest(world.results))
    assert "#3" in said(answer)


async def test_a_staff_result_is_published_by_a_right_click(world: World) -> None:
    """The preview asks first."""
    await roll_command(world, "patrol", 18, **PATROL, to="staff")
    answer = await world.gm.context_menu(world.staff, "Publish", newest(world.staff))
    assert_says(said(answer), "Publish")


async def test_an_entry_is_shown_by_a_right_click(world: World) -> None:
    """With the buttons that the viewer may press: a player has no Undo."""
    await roll_command(world, "patrol", 18, **PATROL)
    for who, may in ((world.gm, True), (world.player, False)):
        answer = response(await who.context_menu(world.results, "Show in ledger", newest(world.results)))
        assert answer.ephemeral
        assert_says(text(answer), "Zaku caught by Kilo")
        assert ("Undo" in labels(answer)) is may


async def test_an_undone_result_is_still_a_result(world: World) -> None:
    """Its post has lost its button; the footer says which entry it is."""
    await roll_command(world, "patrol", 18, **PATROL)
    posted = newest(world.results)
    await take_back(world, "gm undo", entry=3, reason="A modifier was missed")
    assert "Details" not in labels(read_again(world.results, posted))
    answer = said(await world.player.context_menu(world.results, "Show in ledger", posted))
    assert_says(answer, "Undone by #4", "Zaku caught by Kilo")
    with nothing_written(world):
        assert "already" in refused(await world.gm.context_menu(world.results, "Undo", posted))


async def test_a_published_result_is_undone_from_its_staff_post(world: World) -> None:
    """It has lost its buttons, too."""
    await roll_command(world, "patrol", 18, **PATROL, to="staff")
    posted = newest(world.staff)
    asked = await world.gm.context_menu(world.staff, "Publish", posted)
    await world.gm.click(response(asked), label="Publish")
    assert labels(read_again(world.staff, posted)) == []
    window = await world.gm.context_menu(world.staff, "Undo", posted)
    assert "Entry #3 undone (#5): Patrol" in said(await world.gm.submit_modal(window, {"reason": "Wrong target"}))


async def test_a_later_page_is_the_same_result(world: World) -> None:
    """Only the first has Details."""
    owls = ", ".join(f"{'Owl':*<59}{number}" for number in range(10))
    await roll_command(world, "scout", *[17] * 10, scouter=owls, base="*" * 60, roll="now")
    _first, *later = [message for message in world.staff.history() if message.embeds]
    assert later, "one page is no test of the others"
    answer = said(await world.gm.context_menu(world.staff, "Show in ledger", later[0]))
    assert_says(answer, "Scouting a base")


async def test_a_number_below_another_message_is_no_result(world: World) -> None:
    """A footer alone proves nothing: the message has to be the entry's post."""
    await roll_command(world, "patrol", 18, **PATROL)
    embed = discord.Embed(title="Zaku caught").set_footer(text="#3")
    copied = await world.bots[-1].get_partial_messageable(world.results.id).send(embed=embed)
    with nothing_written(world):
        answer = refused(await world.gm.context_menu(world.results, "Undo", copied))
    assert "That message isn't a result" in answer


@pytest.mark.parametrize("name", ["Undo", "Amend", "Publish"])
async def test_a_players_right_click_changes_nothing(world: World, name: str) -> None:
    """It's refused as the command is."""
    await roll_command(world, "patrol", 18, **PATROL)
    with nothing_written(world):
        refused(await world.player.context_menu(world.results, name, newest(world.results)))


@pytest.mark.parametrize("words", ["Kilo patrols", "Kilo \x07 patrols"])
async def test_other_messages_are_no_results(world: World, words: str) -> None:
    """Also with characters that the person who right-clicks didn't type."""
    await world.player.send(world.orders, words)
    with nothing_written(world):
        answer = refused(await world.gm.context_menu(world.orders, "Undo", newest(world.orders)))
    assert "That message isn't a result" in answer
