from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.cogs.captives import queries as captives
from bot.cogs.captives import rolls
from bot.core.errors import BadInput
from bot.core.profiles import Profile
from bot.rolls.card import service as cards
from bot.rolls.card.store import CardKey
from bot.rolls.resolver import RollResult
from tests.cogs.battles.battlefield import FORD, ask, ford, join
from tests.cogs.captives import cells
from tests.cogs.captives.cells import capture, open_ordered, order, read_value, release, save, show, undo
from tests.cogs.roster.saving import add, edit
from tests.cogs.roster.test_import import import_file, send_file
from tests.rolls.test_cast import unit
from tests.support import subjects
from tests.support.backend import GM, House, patrol, scouting
from tests.support.reading import refused, said
from tests.support.soundness import require_whole
from tests.support.subjects import named
from tests.support.world import World, entry, nothing_written, rows


async def test_a_player_who_types_numbers_meets_nobody(world: World) -> None:
    """`Contact #1` is a plain name to players."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    for _ in range(2):
        await unit(world, "Contact", kind="base", secret=True)
    audiences = []
    for base in ("Contact #1", "Contact #2", "Contact #9", "Fort"):
        world.dice.script(20)
        await world.player.slash(world.orders, "scout", scouter="Jonas", base=base, roll="now")
        body = entry(world)
        audiences.append(body["parts"][0]["audience"])
        assert not {"1", "2"} & body["names"].keys()
    assert len(set(audiences)) == 1
    assert (
        rows(world, "select subject from state where subject in ('subject:1', 'subject:2') and name <> 'profile'") == []
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"patrol": "Kilo", "target": "Ghost, Ghost #2"}, "Ghost is named twice"),
        pytest.param({"patrol": "Kilo", "target": "Zaku, Kilo #1"}, "Kilo is named twice", marks=pytest.mark.slow),
        pytest.param(
            {"patrol": "Kilo", "target": "Ghost #9"},
            "I don't know Ghost #9.\nDid you mean Ghost #2?",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_a_number_is_no_second_name(world: World, options: dict[str, str], told: str) -> None:
    """Unknown numbers are slips."""
    for name in ("Kilo", "Ghost"):
        await unit(world, name)
    with nothing_written(world):
        assert told in refused(await world.gm.slash(world.orders, "patrol", roll="now", **options))


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ("Stahl, Stahl #2", "Stahl is named twice"),
        pytest.param("Stahl, Kai #1", "'Kai' is on both sides", marks=pytest.mark.slow),
    ],
)
async def test_interrogators_are_not_named_twice_either(world: World, others: str, told: str) -> None:
    """Nor as the captive."""
    for name in ("Kai", "Stahl"):
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name)
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort")
    with nothing_written(world):
        assert told in refused(
            await world.gm.slash(world.orders, "interrogate", captive="Kai", interrogators=others, roll="now")
        )


@pytest.mark.parametrize("captor", ["Red Wolves", pytest.param("Zeon", marks=pytest.mark.slow)])
async def test_players_interrogate_whom_their_side_holds(world: World, captor: str) -> None:
    """Only their own side's captives."""
    await world.gm.slash(world.orders, "gm settings", players_may="interrogation")
    squad = {"name": "Red Wolves", "kind": "squad", "side": "Zeon", "owner": world.player}
    await world.gm.slash(world.orders, "roster add", **squad)
    for name, by, secret in (("Kai", captor, False), ("Sayla", captor, True), ("Hayato", "Delaz", False)):
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name, secret=secret)
        await world.gm.slash(world.orders, "capture", captive=name, by=by, at="Fort")
    offered = await world.player.autocomplete(world.orders, "interrogate", "captive", "")
    assert [choice["value"] for choice in offered] == ["Kai"]
    world.dice.script(10)
    await world.player.slash(world.orders, "interrogate", captive="kai", interrogators="Stahl", roll="now")
    assert entry(world)["parts"][0]["subjects"]["captive"] == "Kai"
    for other in ("Sayla", "Hayato", "Nobody", "Sayla #3"):
        told = refused(await world.player.slash(world.orders, "interrogate", captive=other, interrogators="Stahl"))
        assert f"{other} isn't a captive" in told


async def test_a_newtype_level_is_rolled_for_the_one_with_the_number(world: World) -> None:
    """Of two with one name."""
    for _ in range(2):
        await world.gm.slash(world.orders, "roster add", kind="pc", name="Lalah", secret=True)
    world.dice.script(19)
    await world.gm.slash(world.orders, "newtype", character="Lalah #2", roll="now")
    (change,) = [item for item in entry(world)["changes"] if item["name"] == "profile"]
    assert change["subject"] == "subject:2"


@pytest.mark.slow
async def test_captives_of_one_name_escape_each_for_themselves(house: House) -> None:
    """One card, two parts."""
    for _ in range(2):
        await add(house, "Haas", "npc", secret=True)
    for number in (1, 2):
        await capture(house, f"Haas #{number}", "Red", "Fort")
        await order(house, f"Haas #{number}")
    (view,) = await open_ordered(house)
    house.dice.script(1, 1)
    rolled = await house.database.write(
        cards.roll, house.resolver, GM, CardKey(house.campaign.id, view.card.id, view.card.revision)
    )
    assert isinstance(rolled, RollResult)
    changed = {
        item["subject"] for item in rolled.entry.content()["changes"] if item["name"].startswith("rolled.escape")
    }
    assert changed == {"subject:1", "subject:2"}
    await require_whole(house)


async def test_two_who_come_to_share_a_name_on_an_open_card_stay_two(house: House) -> None:
    """A rename mixes up no part."""
    for name in ("Alpha", "Beta"):
        await add(house, name, "squad", secret=True)
    request = patrol("Alpha", "Beta")
    parts = tuple(replace(part, ids={"target": (place,)}) for place, part in enumerate(request.parts, 1))
    await edit(house, "Beta", name="Alpha")
    rolled = await house.roll(replace(request, parts=parts), 1, 1)
    body = rolled.entry.content()
    assert [part["subjects"]["target"] for part in body["parts"]] == ["Alpha", "Alpha"]
    met = {item["subject"] for item in body["changes"] if item["name"].startswith("rolled.patrol")}
    assert met == {"subject:1", "subject:2"}
    await require_whole(house)


async def test_a_captive_may_be_held_at_a_base_of_the_same_name(house: House) -> None:
    """Each keeps its role."""
    await add(house, "Ghost", "npc", secret=True)
    await add(house, "Ghost", "base", secret=True, region="India")
    await capture(house, "Ghost #1", "Red", "Ghost #2")
    parts, _ = await house.database.read(rolls.escape, GM, house.campaign, "Ghost")
    request = replace(cells.escape("Ghost"), parts=parts)
    assert parts[0].ids == {"captive": (1,), "base": (2,)}
    await house.roll(request, 20)
    assert (await show(house, "Ghost")).captivity is None
    await require_whole(house)


async def test_places_of_one_name_hold_each_its_own(house: House) -> None:
    """A saved base is another one."""
    await save(house.database, Profile("Kai", "pc"), Profile("Bright", "pc"))
    await capture(house, "Kai", "Red", "Fort")
    await add(house, "Fort Anvil", "base")
    await edit(house, "Fort Anvil", name="Fort")
    await capture(house, "Bright", "Red", "Fort")
    for name in ("Kai", "Bright"):
        await order(house, name)
    (view,) = await open_ordered(house)
    house.dice.script(1, 1)
    await house.database.write(
        cards.roll, house.resolver, GM, CardKey(house.campaign.id, view.card.id, view.card.revision)
    )
    await require_whole(house)


async def test_a_captive_is_found_among_those_of_the_name(house: House) -> None:
    """Saved or not."""
    await capture(house, "Kai", "Red", "Fort")
    await add(house, "Kai Shiden", "pc")
    await edit(house, "Kai Shiden", name="Kai")
    assert await house.database.read(captives.list_captive_names, GM, house.campaign) == ["Kai"]
    assert (await show(house, "Kai")).id == 1
    await release(house, "Kai")
    await undo(house, "Kai", "A slip")
    assert (await show(house, "Kai")).captivity is not None
    await capture(house, "Kai #4", "Red", "Fort")
    assert await house.database.read(captives.list_captive_names, GM, house.campaign) == ["Kai #1", "Kai #4"]
    with pytest.raises(BadInput, match="Kai #1 or Kai #4"):
        await release(house, "Kai")
    await require_whole(house)


async def test_a_name_that_was_typed_like_a_number_takes_nobodys_place(world: World) -> None:
    """A typed `Contact #2` is a name."""
    await world.gm.slash(world.orders, "gm effect", who="Contact #3", effect="hidden")
    for _ in range(2):
        await unit(world, "Contact", secret=True)
    await world.gm.slash(world.orders, "gm effect", who="Contact #3", effect="scouted")
    body = entry(world)
    assert [(change["subject"], change["name"]) for change in body["changes"]] == [("subject:3", "effect.scouted")]
    assert body["names"] == {"3": "Contact"}


@pytest.mark.slow
async def test_what_is_saved_is_spelled_as_it_was_saved(house: House) -> None:
    """Not as it was kept before."""
    await house.roll(scouting("fort anvil", "Jonas"), 20)
    await add(house, "Fort Anvil", "base")
    number = subjects.number_of(await house.state(), "fort anvil")
    assert (await house.state())[f"subject:{number}", "name"] == "Fort Anvil"


async def test_a_squad_is_changed_for_another_of_its_name(house: House) -> None:
    """The entry has both numbers."""
    for _ in range(2):
        await add(house, "Wing", "squad", secret=True)
    await add(house, "Kai", "pc", squad="Wing #1")
    await edit(house, "Kai", squad="Wing #2")
    body = (await house.entries())[-1].content()
    assert (body["before"], body["after"]) == ({"squad": "Wing #1"}, {"squad": "Wing #2"})
    assert named(await house.state())["kai", "profile"]["squad"] == 2
    with pytest.raises(BadInput, match="Wing #1 or Wing #2"):
        await add(house, "Ryu", "pc", squad="Wing")
    await require_whole(house)


@pytest.mark.slow
async def test_a_file_leaves_a_squad_of_a_shared_name_alone(world: World) -> None:
    """Ambiguous members are faults."""
    for _ in range(2):
        await unit(world, "Wing", secret=True)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", squad="Wing #1")
    head = "name,kind,squad,callsign\n"
    told = refused(await send_file(world, head + "Ryu,pc,Wing,\n"))
    assert "2 units are called 'Wing'. Leave the squad out here" in told
    assert "Imported" in await import_file(world, head + "Kai,pc,Wing,Owl\n", replace=True)
    assert subjects.kept(world, "Kai")["profile"]["squad"] == 1


async def test_removed_captives_keep_their_names_in_the_record(house: House) -> None:
    """Entries name all subjects."""
    await save(house.database, Profile("Amuro", "pc"))
    await capture(house, "Amuro", "Red", "Fort")
    ((_, by),) = (await undo(house, "Amuro", "A slip")).pairs
    assert set(by.names().values()) == {"Amuro", "Red", "Fort"}
    assert "captive" not in await read_value(house, "Amuro")


async def test_a_player_is_not_told_how_a_secret_unit_is_spelled(world: World) -> None:
    """A secret unit is left alone."""
    await unit(world, "GHOST Fleet", secret=True)
    await ford(world)
    await world.gm.slash(world.orders, "gm settings", players_may="random-events")
    told = said(await world.player.slash(world.orders, "gm-events unit add", units="ghost fleet", side="Reds"))
    assert "ghost fleet" in told
    assert "GHOST" not in told + await ask(world, "units", world.player)
    assert entry(world)["names"] == {"2": "ghost fleet"}


@pytest.mark.slow
async def test_twins_fight_in_two_battles_but_not_in_one(world: World) -> None:
    """A battle needs unique names."""
    for _ in range(2):
        await unit(world, "Contact", secret=True)
    await ford(world, reds="Contact #1")
    assert "Contact is already in Black Ford" in refused(await join(world, "Reds", "Contact #2", battle=FORD))
    await world.gm.slash(world.orders, "gm-events battle", action="start", name="Hill", sides="Reds, Blues")
    assert "is already in Black Ford" in refused(await join(world, "Reds", "Contact #1", battle="Hill"))
    assert "Contact" in said(await join(world, "Reds", "Contact #2", battle="Hill"))
    assert "Two units are called Contact" in refused(await join(world, "Reds", "Contact #1, Contact #2", battle="Hill"))


@pytest.mark.slow
async def test_lists_tell_twins_apart(world: World) -> None:
    """By number."""
    for _ in range(2):
        await world.gm.slash(world.orders, "roster add", kind="pc", name="Haas", secret=True)
    for number in (1, 2):
        await world.gm.slash(world.orders, "gm effect", who=f"Haas #{number}", effect="hidden")
        await world.gm.slash(world.orders, "capture", captive=f"Haas #{number}", by="Red", at="Fort")
    for command in ("gm effect", "captives"):
        told = said(await world.gm.slash(world.orders, command))
        assert "Haas #1" in told
        assert "Haas #2" in told
