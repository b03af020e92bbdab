"""A right-click on a result does what the buttons of its entry do."""

import pytest

from tests.support.acting import roll_command
from tests.support.reading import assert_says, labels, newest, refused, response, said, text
from tests.support.world import World, nothing_written

PATROL = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}


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


@pytest.mark.parametrize("name", ["Undo", "Amend", "Publish"])
async def test_a_players_right_click_changes_nothing(world: World, name: str) -> None:
    """It's refused as the command is."""
    await roll_command(world, "patrol", 18, **PATROL)
    with nothing_written(world):
        refused(await world.player.context_menu(world.results, name, newest(world.results)))


async def test_other_messages_are_no_results(world: World) -> None:
    """Somebody's message, or one of mine without an entry."""
    await world.player.send(world.orders, "Kilo patrols")
    with nothing_written(world):
        answer = refused(await world.gm.context_menu(world.orders, "Undo", newest(world.orders)))
    assert "That message isn't a result" in answer
