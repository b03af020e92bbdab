"""`/gm undo` and Undo: an entry's effects are undone everywhere."""

from __future__ import annotations

import pytest
import simcord

from tests.support.acting import moved, released, roll_command
from tests.support.reading import assert_lacks, assert_says, newest, refused, said, text
from tests.support.subjects import kept
from tests.support.world import World, entry, entry_texts, nothing_written, rows, send_raw

PATROL = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}


async def undo_entry(
    world: World, number: int, why: str = "A modifier was missed", actor: simcord.MemberActor | None = None
) -> str:
    """Void an entry; return the answer."""
    shown = await (actor or world.gm).slash(world.orders, "gm undo", entry=number)
    assert shown.modal is not None, said(shown)
    return said(await (actor or world.gm).submit_modal(shown, {"reason": why}))


def window(result: simcord.InteractionResult) -> str:
    """Return what a window says first."""
    assert result.modal is not None
    return str(next(item["content"] for item in result.modal["components"] if "content" in item))


async def test_a_roll_is_taken_back_with_what_it_did(world: World) -> None:
    """Its post is struck through, and a notice says what, who and why."""
    await roll_command(world, "patrol", 18, **PATROL)
    assert "effect.stop-used" in kept(world, "Kilo")
    answer = await undo_entry(world, 3)
    assert "Entry #3 undone (#4): Patrol" in answer
    assert [
        name for name in (*kept(world, "Kilo"), *kept(world, "Zaku")) if name.startswith(("effect.", "rolled."))
    ] == []
    first, second = world.results.history()
    assert "~~Zaku caught by Kilo" in (first.embeds[0].title or "")
    assert first.embeds[0].author.name == "Void: undone by #4"
    assert_says(text(second), "Entry #3 undone", "**Why:** A modifier was missed", f"Undone by <@{world.gm.id}>.")
    assert entry_texts(world, 4) == {"reason": "A modifier was missed"}
    assert "void by #4" in said(await world.player.slash(world.orders, "ledger"))
    assert "~~" in said(await world.player.slash(world.orders, "ledger", entry=3))
    assert "Rolled: entry #5" in said(await roll_command(world, "patrol", 18, **PATROL))


@pytest.mark.slow
async def test_what_changed_the_same_since_goes_with_it(world: World) -> None:
    """The window names it; a change meanwhile is shown first."""
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort")
    await moved(world.gm, world.orders, captive="Kai", at="Luna")
    shown = await world.gm.slash(world.orders, "gm undo", entry=3)
    assert_says(window(shown), "Later entries changed what it did, so these are undone too", "**#4** Kai was moved")
    await released(world.gm2, world.orders, captive="Kai")
    with nothing_written(world):
        told = refused(await world.gm.submit_modal(shown, {"reason": "slip"}))
        assert "Entry #3 changed with entry #5 since you looked." in told
    answer = await undo_entry(world, 3)
    assert [f"Entry #{number} undone" in answer for number in (3, 4, 5)] == [True] * 3
    assert kept(world, "Kai") == {}
    assert [entry(world, number)["entry"] for number in (6, 7, 8)] == [5, 4, 3]


async def test_rolls_that_counted_it_are_listed_and_stay(world: World) -> None:
    """Window and answer name such a roll."""
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="Under siege")
    await roll_command(world, "scout", 20, scouter="Owl", base="Fort", roll="now")
    shown = await world.gm.slash(world.orders, "gm undo", entry=3)
    assert "These rolls counted it and stay as they are: #4." in window(shown)
    assert "counted it and stay as they are: #4." in said(await world.gm.submit_modal(shown, {"reason": "slip"}))
    assert rows(world, "select count(*) from state where subject = 'entry:4' and name = 'voided'")[0][0] == 0


async def test_what_cannot_be_taken_back_says_what_to_do(world: World) -> None:
    """Void entries, settings, schedules and voids; players void nothing."""
    await roll_command(world, "patrol", 18, **PATROL)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await undo_entry(world, 3)
    with nothing_written(world):
        for number, words in (
            (3, ["already undone by #5"]),
            (4, ["/gm settings"]),
            (5, ["Use the original command"]),
            (99, ["no entry #99"]),
        ):
            told = refused(await world.gm.slash(world.orders, "gm undo", entry=number))
            assert [word for word in words if word not in told] == []
        assert "Only game masters" in refused(await world.player.slash(world.orders, "gm undo", entry=3))


async def test_two_presses_take_back_once(world: World) -> None:
    """A second open window learns that it's done."""
    await roll_command(world, "patrol", 18, **PATROL)
    first = await world.gm.slash(world.orders, "gm undo", entry=3)
    second = await world.gm2.slash(world.orders, "gm undo", entry=3)
    await world.gm.submit_modal(first, {"reason": "slip"})
    with nothing_written(world):
        assert "already undone by #4" in refused(await world.gm2.submit_modal(second, {"reason": "slip"}))


async def test_a_private_roll_can_be_taken_back_by_others_who_do_not_learn_what_it_was(world: World) -> None:
    """The staff reads that it's void, players nothing."""
    await roll_command(world, "patrol", 18, **PATROL, to="me")
    assert "effect.stop-used" in kept(world, "Kilo")
    asked = window(await world.gm2.slash(world.orders, "gm undo", entry=3))
    assert_says(asked, "Someone else's private roll", "Game masters see your reason")
    answer = await undo_entry(world, 3, why="Kilo never flew", actor=world.gm2)
    told = text(newest(world.staff))
    assert_lacks(asked + answer + told, "Patrol", "caught")
    assert_says(told, "Entry #3 undone", "A private roll", f"Undone by <@{world.gm2.id}>")
    assert "effect.stop-used" not in kept(world, "Kilo")
    assert world.results.last_message is None
    assert "has no entry #4" in said(await world.player.slash(world.orders, "ledger", entry=4))


async def test_nobody_takes_back_a_roll_of_their_own_in_silence(world: World) -> None:
    """The staff reads it, and it still counts."""
    await roll_command(world, "patrol", 1, 18, **PATROL, to="me")
    await undo_entry(world, 3)
    told = text(newest(world.staff))
    assert_says(told, "Entry #3 undone", "A private roll")
    assert "not caught" not in told
    await world.gm.slash(world.orders, "patrol", **PATROL, to="me")
    await send_raw(world.gm, world.orders, "publish:1:5:now")
    assert "1 of 2 private rolls by this person" in text(newest(world.results))


async def list_offered(world: World, typed: str, actor: simcord.MemberActor | None = None) -> list[tuple[str, int]]:
    """Return the completions of `/gm undo`: text and number."""
    found = await (actor or world.gm).autocomplete(world.orders, "gm undo", "entry", typed)
    return [(item["name"], item["value"]) for item in found]


async def test_the_newest_entries_are_offered_with_their_sentences(world: World) -> None:
    """Newest first; words and numbers find entries."""
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort")
    await moved(world.gm, world.orders, captive="Kai", at="Luna 3")
    await roll_command(world, "patrol", 18, **PATROL)
    assert [number for _, number in await list_offered(world, "")] == [5, 4, 3]
    assert await list_offered(world, "CAPTURED by") == [("#3 Kai was captured by Red and is held at Fort", 3)]
    assert [number for _, number in await list_offered(world, "3")] == [3, 4]
    assert await list_offered(world, "Amuro") == []
    assert await list_offered(world, "", world.player) == []


async def test_what_cannot_be_taken_back_is_not_offered(world: World) -> None:
    """Neither settings, voids, nor others' private rolls."""
    await roll_command(world, "patrol", 18, **PATROL)
    await world.gm.slash(world.orders, "gm settings", pings="all")
    await undo_entry(world, 3)
    await roll_command(world, "patrol", 18, **PATROL, to="me")
    assert [number for _, number in await list_offered(world, "")] == [6]
    assert await list_offered(world, "", world.gm2) == []
