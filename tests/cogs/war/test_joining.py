"""Who joins a war, as whom, and what comes with it."""

from __future__ import annotations

import pytest

from bot.ui.text import plain
from tests.cogs.privacy.people import erase
from tests.cogs.war.front import E, Front
from tests.support.acting import take_back
from tests.support.reading import refused, response, said, text
from tests.support.world import rows


async def test_who_joins_is_offered_once_for_orders(front: Front) -> None:
    """Ann is a saved character and in the war: one name, to which the same orders are given."""
    offered = await front.ann.autocomplete(front.world.orders, "order give", "who", "Ann")
    assert [item["value"] for item in offered] == ["Ann"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"faction": "Zeom", "callsign": "Cid"}, "Did you mean Zeon?"),
        ({"faction": "Zeon", "callsign": "Ann"}, "Ann is someone else's character"),
        ({"faction": "Zeon", "callsign": "1st Fleet"}, "is the name of a force"),
        ({"faction": "Zeon"}, "You have no saved character"),
    ],
)
async def test_a_joining_that_does_not_fit_says_why(front: Front, options: dict[str, str], words: str) -> None:
    """An unknown faction, another's name, a force's name and no name are each told."""
    world = front.world
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    assert words in refused(await cid.slash(world.orders, "war join", **options))


async def test_a_name_tells_of_nobody_who_is_hidden(front: Front) -> None:
    """Whoever joins under the name of a secret character is taken in as under any other, and commands under it; a part of the faction's name will do."""
    world = front.world
    await world.gm.slash(world.orders, "character add", name="Ghost", secret=True)
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    told = text(response(await cid.slash(world.orders, "war join", faction="zeo", callsign="Ghost")))
    assert "Ghost joins Principality of Zeon" in told or "Ghost joins Zeon" in told
    assert told.count("Ghost joins") == 1
    assert "Zeon, Ensign" in await front.sheet("Ghost", cid)
    assert "Order given" in text(response(await front.order(cid, "rogue", "Ghost")))


@pytest.mark.parametrize("name", ["@everyone", "**Bold** _Bill_", "[Bo](https://example.org)"])
async def test_a_callsign_pings_and_formats_nowhere(front: Front, name: str) -> None:
    """It stands as it was typed in the post, the sheets, the map's words and the orders' board."""
    world = front.world
    fay = world.guild.add_member(world.env.create_user("fay"), roles=[world.roles["player"]])
    await fay.slash(world.orders, "war join", faction="Zeon", callsign=name)
    await front.order(front.bo, "assign", "21st Squadron", to=name)
    await front.resolve()
    await world.gm.slash(world.orders, "update board")
    told = [text(message) for channel in (world.results, world.staff) for message in channel.history()]
    told += [await front.sheet(what) for what in (None, "Zeon", "21st Squadron")]
    shown = plain(name)
    assert sum(shown in each for each in told) >= 3, told
    assert not any(name in each.replace(shown, "") for each in told), told


async def test_a_stranger_leaves_no_trace(front: Front) -> None:
    """Who takes no part is refused, and not even a pseudonym is made."""
    world = front.world
    before = rows(world, "select count(*) from actor")
    assert "don't play" in refused(await world.stranger.slash(world.orders, "war join", faction=E, callsign="X"))
    assert rows(world, "select count(*) from actor") == before


async def test_a_joining_is_taken_back_with_all_that_came_with_it(front: Front) -> None:
    """Voided, the player is out of war and group, and the faction has no leader."""
    world = front.world
    number = rows(world, "select max(number) from entry")[0][0] - 1
    await take_back(world, "void", entry=number, reason="Wrong side")
    assert "no leader" in await front.sheet(E)
    assert "Ann" not in text(response(await world.gm.slash(world.orders, "campaign group list")))


async def test_an_erasure_makes_nobody_two_commanders(front: Front) -> None:
    """Who was erased can't join the same war for another faction, in a later update either; a game master may let them in."""
    await erase(front.world, front.ann)
    await front.close()
    told = refused(await front.ann.slash(front.world.orders, "war join", faction="Zeon", callsign="Spy"))
    assert "You were a commander in this war before your data was erased." in told
    joined = await front.world.gm.slash(
        front.world.orders, "war join", faction="Zeon", callsign="Spy", player=front.ann
    )
    assert "Spy" in said(joined)
