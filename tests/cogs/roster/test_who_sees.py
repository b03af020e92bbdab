"""Who sees what is saved: the line and the button on a card, the campaign's default, and what lists tell players of others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roster.test_import import imported
from tests.cogs.roster.test_roster import saved
from tests.support.acting import roll_command
from tests.support.reading import assert_says, labels, press, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw, written


async def listed(world: World, what: str = "unit", actor: Any = None) -> str:  # noqa: ANN401 - a member
    """The list that somebody is shown, a player unless said otherwise."""
    return said(await (actor or world.player).slash(world.orders, f"{what} list"))


@pytest.mark.slow
async def test_two_presses_change_it_once(world: World) -> None:
    """Changed by somebody else since it was looked at, it stays as it is and the press says so."""
    card = await saved(world, name="Grey Ghost")
    other = response(await world.gm2.slash(world.orders, "unit show", name="Grey Ghost"))
    await world.gm.click(card, label="Hide from players")
    before = written(world)
    assert "has changed since you looked (entry #4)" in refused(await world.gm2.click(other, label="Hide from players"))
    assert written(world) == before


async def test_what_would_be_a_second_of_its_name_is_not_shown(world: World) -> None:
    """Two that players know cannot share a name; the secret one stays so."""
    await saved(world, name="Ghost", secret=True)
    secret = response(await world.gm.slash(world.orders, "unit show", name="Ghost"))
    await world.gm.slash(world.orders, "unit edit", name="Ghost", new_name="Wraith")
    await saved(world, name="Ghost")
    assert "since you looked" in refused(await world.gm.click(secret, label="Show to players"))
    await world.gm.slash(world.orders, "unit edit", name="Wraith", new_name="Specter")
    shown = response(await world.gm.slash(world.orders, "unit show", name="Specter"))
    await world.gm.click(shown, label="Show to players")
    assert "Specter" in await listed(world)


async def test_whose_it_is_reads_who_sees_it_and_others_read_nothing_of_that(world: World) -> None:
    """An owner has the line and no button; another player has neither; a forged button is refused."""
    card = await saved(world, "character", name="Kai", owner=world.player, secret=True)
    mine = response(await world.player.slash(world.orders, "character show", name="Kai"))
    assert "**Hidden from players**, except its owner" in text(mine)
    assert not {"Show to players", "Hide from players"} & set(labels(mine))
    key = press(card, "seen")
    with nothing_written(world):
        for actor in (world.player, world.stranger, world.manager):
            assert "Only game masters" in refused(await send_raw(actor, world.orders, key))
    await world.gm.click(card, label="Show to players")
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    theirs = response(await other.slash(world.orders, "character show", name="Kai"))
    assert "Players see" not in text(theirs)
    assert labels(theirs) == []


async def test_what_is_newly_saved_is_the_staffs_where_the_campaign_says_so(world: World) -> None:
    """Unless its command says otherwise; `/campaign show` tells it, and what there was stays as it was."""
    await saved(world, name="Old")
    only = "hidden until you reveal them"
    await world.gm.slash(world.orders, "campaign edit", newly_saved=only)
    assert "New ones are hidden" in said(await world.gm.slash(world.orders, "campaign show"))
    assert "**Hidden from players**" in text(await saved(world, name="New"))
    assert "**Players see this**" in text(await saved(world, name="Shown", secret=False))
    assert "**Hidden from players**" in text(await saved(world, "character", name="Kai"))
    told = await listed(world)
    assert [name for name in ("Old", "New", "Shown") if name in told] == ["Old", "Shown"]
    assert "staff only" in said(await world.gm.slash(world.orders, "ledger show", number=4))
    await world.gm.slash(world.orders, "campaign edit", newly_saved="visible to players")
    assert "**Players see this**" in text(await saved(world, name="Newest"))
    assert "Only game masters" in refused(await world.player.slash(world.orders, "campaign edit", newly_saved=only))


async def test_lists_tell_players_neither_places_nor_levels_of_others(world: World) -> None:
    """Of their own they read both; of others what the campaign opens; the game master's card says what is left out."""
    card = await saved(world, name="Ghost", region="Madagascar")
    assert "**Players see this**, except its place" in text(card)
    await saved(world, name="White Base", region="Madagascar", owner=world.player)
    await saved(world, "character", name="Kai", fields="newtype: 7")
    await saved(world, "character", name="Amuro", fields="newtype: 9", owner=world.player)
    assert "Madagascar" in await listed(world, actor=world.gm)
    units, people = await listed(world), await listed(world, "character")
    assert units.count("Madagascar") == 1
    assert "newtype level 9" in people
    assert "newtype level 7" not in people
    assert "Madagascar" not in said(await world.player.slash(world.orders, "unit show", name="Ghost"))
    assert "level" not in said(await world.player.slash(world.orders, "character show", name="Kai"))
    await world.gm.slash(world.orders, "campaign edit", players_may="places, levels")
    assert (await listed(world)).count("Madagascar") == 2
    assert "newtype level 7" in await listed(world, "character")
    told = said(await world.gm.slash(world.orders, "campaign show"))
    assert_says(told, "players see places and levels", "may roll nothing")
    assert (
        "**Players see this**\n" in f"{text(response(await world.gm.slash(world.orders, 'unit show', name='Ghost')))}\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("to", "known"), [("auto", True), ("me", False)])
async def test_a_level_that_was_rolled_is_known_to_whom_it_was_told(world: World, to: str, *, known: bool) -> None:
    """Everybody has read it in the results, so the list has it too; one that was rolled in private it has not."""
    await saved(world, "character", name="Kai")
    await roll_command(world, "newtype", 18, character="Kai", to="results" if to == "auto" else to, roll="now")
    assert ("Oldtype" in await listed(world, "character")) is known


async def test_what_a_file_does_not_say_is_as_the_campaign_has_it(world: World) -> None:
    """New ones are the staff's where the file leaves it open; `no` shows them, and those there are stay as they are."""
    await saved(world, name="Old")
    await world.gm.slash(world.orders, "campaign edit", newly_saved="hidden until you reveal them")
    await imported(world, "name,kind,secret\nNew,ship,\nShown,ship,no\nOld,ship,\n")
    told = await listed(world)
    assert [name for name in ("Old", "New", "Shown") if name in told] == ["Old", "Shown"]
