"""Notices when amended entries are voided."""

from __future__ import annotations

import pytest

from tests.cogs.ledger.test_amend import amend_with
from tests.cogs.ledger.test_publish import publish
from tests.cogs.ledger.test_void import PATROL, undo_entry, window
from tests.support.acting import roll_command
from tests.support.reading import assert_lacks, assert_says, labels, newest, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry


async def test_what_is_taken_back_with_its_amendment_does_not_hold_again(world: World) -> None:
    """The notice says of none that it's valid again."""
    await roll_command(world, "patrol", 18, 18, **PATROL)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom", note="Again", roll="now")
    await amend_with(world, 4, "+2", "Sandstorm")
    assert entry(world, 5)["amends"] == 4
    answer = await undo_entry(world, 3)
    told = text(newest(world.results))
    assert "3 entries undone" in told
    for said in (answer, told):
        assert "valid again" not in said
    await require_whole(world)


@pytest.mark.slow
async def test_who_knew_of_what_was_amended_is_told_that_it_holds_again(world: World) -> None:
    """Everyone reads numbers, the staff all of it."""
    await roll_command(world, "patrol", 18, **PATROL)
    await amend_with(world, 3, "-9", "Radar was off")
    before = [text(message) for message in world.results.history()]
    await undo_entry(world, 4, why="No storm that day")
    published, amending, notice = world.results.history()
    assert published.embeds[0].author.name is None
    assert text(amending) == before[1]
    assert "Entry #3 is valid again" in text(notice)
    assert f"<@{world.gm.id}> undid #4, which had amended #3." in text(notice)
    assert_lacks(text(notice), "Patrol", "storm", "Why")
    told = text(newest(world.staff))
    assert_says(told, "Entry #4 undone", "Entry #3 is valid again (#4 had amended it).", "**Why:** No storm that day")
    await require_whole(world)


@pytest.mark.slow
async def test_the_staff_is_told_of_a_roll_of_theirs_that_holds_again(world: World) -> None:
    """Everyone reads the void of the public amendment, only the staff that its roll is valid again."""
    await roll_command(world, "patrol", 17, **PATROL)
    await amend_with(world, 3, "+1", "Sandstorm")
    await undo_entry(world, 4)
    assert "Entry #4 undone" in text(newest(world.results))
    assert "#3" not in text(newest(world.results))
    assert "undid #4, which had amended #3" in text(newest(world.staff))
    await require_whole(world)


@pytest.mark.slow
async def test_a_roll_of_the_staff_that_holds_again_can_be_published(world: World) -> None:
    """Its message has no button while it is amended, and has it back when the amendment is taken back."""
    await roll_command(world, "patrol", 17, **PATROL)
    (message,) = world.staff.history()
    shown = [labels(message)]
    await amend_with(world, 3, "1", "Rope")
    shown.append(labels(world.staff.history()[0]))
    await undo_entry(world, 4)
    shown.append(labels(message := world.staff.history()[0]))
    assert [labels[:-1] for labels in shown] == [["Publish"], [], ["Publish"]]
    await publish(world, message)
    assert "not caught by" in text(newest(world.results))


@pytest.mark.slow
async def test_the_window_that_amends_folds_a_long_list_too(world: World) -> None:
    """Of seven rolls that are taken back for an amendment five are named, the rest are counted, as where a roll is taken back."""
    await roll_command(world, "patrol", *[18] * 8, **PATROL)
    for _ in range(7):
        await world.gm.slash(world.orders, "patrol", **PATROL, note="Again")
    told = window(await world.gm.slash(world.orders, "gm amend", entry=3))
    assert [f"**#{number}** Patrol" in told for number in range(3, 11)] == [True] * 6 + [False] * 2
    assert "and 2 more, up to entry #10" in told
    assert "**#8** Patrol" in window(await world.gm.slash(world.orders, "gm undo", entry=3))
