"""Completions of saved names, and who sees saved units."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.cogs.roster.test_import import import_file
from tests.cogs.roster.test_roster import save_unit
from tests.support.acting import roll_command
from tests.support.reading import assert_says, labels, press, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw, written

ROLL_OPTIONS = [
    ("patrol", "patrol", {"target": "Z"}),
    ("patrol", "target", {"patrol": "K"}),
    ("scout", "scouter", {"base": "F"}),
    ("scout", "base", {"scouter": "J"}),
    ("detect", "detector", {}),
    ("detect", "hidden", {"detector": "O"}),
]
LISTS = [item for item in ROLL_OPTIONS if item[1] in {"target", "scouter", "detector", "hidden"}]


async def list_offered(
    world: World,
    command: str,
    option: str,
    typed: str,
    actor: Any = None,  # noqa: ANN401 - of the simulation
    **filled: str,
) -> list[str]:
    """Offered values of an option."""
    found = await (actor or world.gm).autocomplete(world.orders, command, option, typed, **filled)
    assert len(found) <= 25
    for choice in found:
        assert 1 <= len(choice["name"]) <= 100
        assert 1 <= len(choice["value"]) <= 100
    return [choice["value"] for choice in found]


async def test_every_roll_command_offers_saved_names(world: World) -> None:
    """In every role of every roll."""
    await save_unit(world, name="White Base")
    await save_unit(world, "character", name="Bright")
    await save_unit(world, name="Argama")
    for command, option, filled in ROLL_OPTIONS:
        assert await list_offered(world, command, option, "wHITE b", **filled) == ["White Base"]
        assert set(await list_offered(world, command, option, "b", **filled)) == {"White Base", "Bright"}


@pytest.mark.parametrize(
    ("command", "option", "filled"), [LISTS[0], *(pytest.param(*item, marks=pytest.mark.slow) for item in LISTS[1:])]
)
async def test_of_several_names_the_last_is_completed(
    world: World, command: str, option: str, filled: dict[str, str]
) -> None:
    """Earlier names stay and aren't offered again."""
    for name in ("Alpha", "Bravo", "B" * 60):
        await save_unit(world, name=name)
    assert await list_offered(world, command, option, "Alpha,br", **filled) == ["Alpha, Bravo"]
    assert await list_offered(world, command, option, "bravo:neutral, nobody, bra", **filled) == []
    assert f"{'x' * 40}, Bravo" in await list_offered(world, command, option, f"{'x' * 40}, b", **filled)
    assert await list_offered(world, command, option, f"{'x' * 40}, bbb", **filled) == []


@pytest.mark.slow
async def test_used_last_comes_first(world: World) -> None:
    """For every command."""
    for name in ("Alpha", "Bravo", "Charlie"):
        await save_unit(world, name=name)
    assert await list_offered(world, "unit", "name", "") == ["Charlie", "Bravo", "Alpha"]
    await roll_command(world, "scout", 20, scouter="Jonas", base="ALPHA", roll="now")
    await world.gm.slash(world.orders, "patrol", patrol="Bravo", target="Zaku")
    assert await list_offered(world, "patrol", "patrol", "", target="Z") == ["Alpha", "Charlie", "Bravo"], (
        "a card is no roll"
    )
    await world.gm.slash(world.orders, "roster edit", name="Bravo", side="EF")
    assert await list_offered(world, "detect", "detector", "") == ["Bravo", "Alpha", "Charlie"]


async def test_the_commands_for_units_and_characters_offer_both(world: World) -> None:
    """Squads are units."""
    await save_unit(world, name="Team", kind="squad")
    await save_unit(world, "character", name="Tem")
    for command in ("roster edit", "unit"):
        assert await list_offered(world, command, "name", "te") == ["Tem", "Team"]
    assert await list_offered(world, "roster add", "squad", "te", name="X") == ["Team"]
    assert await list_offered(world, "roster add", "region", "coral", name="X", kind="ship") == ["Coral Sea"]


async def test_only_what_the_caller_may_know_is_offered(world: World) -> None:
    """Strangers get none."""
    await save_unit(world, name="Base One")
    await save_unit(world, name="Base Two", secret=True)
    await save_unit(world, name="Base Three", secret=True, owner=world.player)
    for command, option, filled in ROLL_OPTIONS:
        assert len(await list_offered(world, command, option, "base", **filled)) == 3
        mine = await list_offered(world, command, option, "base", world.player, **filled)
        assert set(mine) == {"Base One", "Base Three"}
        assert await list_offered(world, command, option, "base", world.stranger, **filled) == []
    assert await list_offered(world, "unit", "name", "two", world.player) == []


@pytest.mark.slow
async def test_signs_of_a_pattern_are_signs_of_a_name(world: World) -> None:
    r"""%, _ and \\ are literal."""
    for name in ("50% Team", "A_B", "C\\D", "Plain"):
        await save_unit(world, name=name)
    for typed, expected in (("%", "50% Team"), ("_", "A_B"), ("\\", "C\\D")):
        assert await list_offered(world, "unit", "name", typed) == [expected]


@pytest.mark.slow
async def test_never_more_than_discord_takes(world: World) -> None:
    """At most 25."""
    for number in range(30):
        await save_unit(world, name=f"Team {number:02}", kind="squad")
    assert len(await list_offered(world, "unit", "name", "team")) == 25
    assert await list_offered(world, "unit", "name", "team 03") == ["Team 03"]


async def test_nothing_is_offered_where_no_campaign_plays(world: World) -> None:
    """Without an error."""
    await save_unit(world, name="White Base")
    lobby = world.guild.create_text_channel("lobby")
    assert await world.gm.autocomplete(lobby, "unit", "name", "w") == []
    assert await world.gm.autocomplete(lobby, "scout", "base", "w", scouter="J") == []


async def test_who_may_not_change_it_is_not_offered_it(world: World) -> None:
    """Players get their own, if they may edit."""
    mine = await find_pseudonym(world.bots[0].database, world.player.id)
    await save(
        world.bots[0].database, Profile("Kai", "pc", owner=mine), Profile("Amuro", "pc"), Profile("Argama", "ship")
    )
    await world.gm.slash(world.orders, "gm settings", players_may="characters")
    assert await list_offered(world, "roster edit", "name", "", world.player) == ["Kai"]
    assert await list_offered(world, "unit", "name", "", world.player) == ["Kai", "Amuro", "Argama"]
    assert await list_offered(world, "roster edit", "name", "arg") == ["Argama"]


async def read_list(world: World, what: str = "unit", actor: Any = None) -> str:  # noqa: ANN401 - a member
    """A person's list."""
    return said(await (actor or world.player).slash(world.orders, "unit", kind=f"{what}s"))


@pytest.mark.slow
async def test_two_presses_change_it_once(world: World) -> None:
    """The press says so."""
    card = await save_unit(world, name="Grey Ghost")
    other = response(await world.gm2.slash(world.orders, "unit", name="Grey Ghost"))
    await world.gm.click(card, label="Hide from players")
    before = written(world)
    assert "has changed since you looked (entry #4)" in refused(await world.gm2.click(other, label="Hide from players"))
    assert written(world) == before


async def test_what_would_be_a_second_of_its_name_is_not_shown(world: World) -> None:
    """The secret one stays so."""
    await save_unit(world, name="Ghost", secret=True)
    secret = response(await world.gm.slash(world.orders, "unit", name="Ghost"))
    await world.gm.slash(world.orders, "roster edit", name="Ghost", new_name="Wraith")
    await save_unit(world, name="Ghost")
    assert "since you looked" in refused(await world.gm.click(secret, label="Show to players"))
    await world.gm.slash(world.orders, "roster edit", name="Wraith", new_name="Specter")
    shown = response(await world.gm.slash(world.orders, "unit", name="Specter"))
    await world.gm.click(shown, label="Show to players")
    assert "Specter" in await read_list(world)


async def test_whose_it_is_reads_who_sees_it_and_others_read_nothing_of_that(world: World) -> None:
    """Forged buttons are refused."""
    card = await save_unit(world, "character", name="Kai", owner=world.player, secret=True)
    mine = response(await world.player.slash(world.orders, "unit", name="Kai"))
    assert "**Hidden from players**, except its owner" in text(mine)
    assert not {"Show to players", "Hide from players"} & set(labels(mine))
    key = press(card, "seen")
    with nothing_written(world):
        for actor in (world.player, world.stranger, world.manager):
            assert "Only game masters" in refused(await send_raw(actor, world.orders, key))
    await world.gm.click(card, label="Show to players")
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    theirs = response(await other.slash(world.orders, "unit", name="Kai"))
    assert "Players see" not in text(theirs)
    assert labels(theirs) == []


async def test_what_is_newly_saved_is_the_staffs_where_the_campaign_says_so(world: World) -> None:
    """Older ones stay as they are."""
    await save_unit(world, name="Old")
    only = "hidden until you reveal them"
    await world.gm.slash(world.orders, "gm settings", newly_saved=only)
    assert "New ones are hidden" in said(await world.gm.slash(world.orders, "gm settings"))
    assert "**Hidden from players**" in text(await save_unit(world, name="New"))
    assert "**Players see this**" in text(await save_unit(world, name="Shown", secret=False))
    assert "**Hidden from players**" in text(await save_unit(world, "character", name="Kai"))
    answer = await read_list(world)
    assert [name for name in ("Old", "New", "Shown") if name in answer] == ["Old", "Shown"]
    assert "staff only" in said(await world.gm.slash(world.orders, "ledger", entry=4))
    await world.gm.slash(world.orders, "gm settings", newly_saved="visible to players")
    assert "**Players see this**" in text(await save_unit(world, name="Newest"))
    assert "Only game masters" in refused(await world.player.slash(world.orders, "gm settings", newly_saved=only))


async def test_lists_tell_players_neither_places_nor_levels_of_others(world: World) -> None:
    """Their own show both."""
    card = await save_unit(world, name="Ghost", region="Madagascar")
    assert "**Players see this**, except its place" in text(card)
    await save_unit(world, name="White Base", region="Madagascar", owner=world.player)
    await save_unit(world, "character", name="Kai", fields="newtype: 7")
    await save_unit(world, "character", name="Amuro", fields="newtype: 9", owner=world.player)
    assert "Madagascar" in await read_list(world, actor=world.gm)
    units, people = await read_list(world), await read_list(world, "character")
    assert units.count("Madagascar") == 1
    assert "newtype level 9" in people
    assert "newtype level 7" not in people
    assert "Madagascar" not in said(await world.player.slash(world.orders, "unit", name="Ghost"))
    assert "level" not in said(await world.player.slash(world.orders, "unit", name="Kai"))
    await world.gm.slash(world.orders, "gm settings", players_may="places, levels")
    assert (await read_list(world)).count("Madagascar") == 2
    assert "newtype level 7" in await read_list(world, "character")
    answer = said(await world.gm.slash(world.orders, "gm settings"))
    assert_says(answer, "players see places and levels", "may roll nothing")
    assert "**Players see this**\n" in f"{text(response(await world.gm.slash(world.orders, 'unit', name='Ghost')))}\n"


@pytest.mark.slow
@pytest.mark.parametrize(("to", "known"), [("auto", True), ("me", False)])
async def test_a_level_that_was_rolled_is_known_to_whom_it_was_told(world: World, to: str, *, known: bool) -> None:
    """A private one isn't shown."""
    await save_unit(world, "character", name="Kai")
    await roll_command(world, "newtype", 18, character="Kai", to="results" if to == "auto" else to, roll="now")
    assert ("Oldtype" in await read_list(world, "character")) is known


async def test_what_a_file_does_not_say_is_as_the_campaign_has_it(world: World) -> None:
    """Saved ones stay as they are."""
    await save_unit(world, name="Old")
    await world.gm.slash(world.orders, "gm settings", newly_saved="hidden until you reveal them")
    await import_file(world, "name,kind,secret\nNew,ship,\nShown,ship,no\nOld,ship,\n")
    answer = await read_list(world)
    assert [name for name in ("Old", "New", "Shown") if name in answer] == ["Old", "Shown"]
