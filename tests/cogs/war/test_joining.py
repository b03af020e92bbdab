"""Who joins a war, as whom, and what comes with it."""

from __future__ import annotations

import pytest

from bot.ui.text import plain
from tests.cogs.war.front import E, Front, started
from tests.support.reading import refused, response, said, text
from tests.support.world import rows, written


async def test_who_joins_is_saved_and_comes_into_the_group_of_the_faction(front: Front) -> None:
    """The callsign is a character of the player's, and the faction's group has it."""
    world = front.world
    assert "Ann" in text(response(await front.ann.slash(world.orders, "character list")))
    told = text(response(await world.gm.slash(world.orders, "campaign group list")))
    assert "Earth Federation" in told
    assert "Ann" in told


async def test_who_joins_is_told_who_leads_and_what_comes_next(front: Front) -> None:
    """The first of a faction, which a part of its name tells, leads it and has its forces, whoever comes after them has none yet; both read what to do."""
    world = front.world
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    told = text(response(await cid.slash(world.orders, "war join", faction="zeo", callsign="Cid")))
    assert "Zeon is led by Bo." in told
    assert "Cid commands no force yet: the leader hands them out." in told
    assert "`/war show what:Zeon`, then `/order give`" in told
    await started(world)
    told = text(response(await front.ann.slash(world.orders, "war join", faction="E", callsign="Ann")))
    assert "Ann leads Earth Federation: builds, buys" in told
    assert "Ann commands 1st Fleet, 11th Squadron, 12th Squadron and Solar System." in told


async def test_who_joins_is_offered_once_for_orders(front: Front) -> None:
    """Ann is a saved character and in the war: one name, to which the same orders are given."""
    offered = await front.ann.autocomplete(front.world.orders, "order give", "who", "Ann")
    assert [item["value"] for item in offered] == ["Ann"]


async def test_nobody_is_two_commanders(front: Front) -> None:
    """A second callsign of one player is refused, and writes nothing."""
    before = written(front.world)
    told = refused(await front.ann.slash(front.world.orders, "war join", faction="Zeon", callsign="Spy"))
    assert "Ann is in this war already" in told
    assert "(E_NAME_IN_USE)" in told.replace("\\", "")
    assert written(front.world) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"faction": "Zeom", "callsign": "Cid"}, "Did you mean Zeon?"),
        ({"faction": "Zeon", "callsign": "Ann"}, "Ann is saved already and not yours"),
        ({"faction": "Zeon", "callsign": "1st Fleet"}, "is what a force is called"),
        ({"faction": "Zeon"}, "No character of yours is saved"),
    ],
)
async def test_a_joining_that_does_not_fit_says_why(front: Front, options: dict[str, str], words: str) -> None:
    """An unknown faction, another's name, a force's name and no name are each told."""
    world = front.world
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    assert words in refused(await cid.slash(world.orders, "war join", **options))


async def test_a_name_tells_of_nobody_who_is_hidden(front: Front) -> None:
    """Whoever joins under the name of a secret character is taken in as under any other, and commands under it."""
    world = front.world
    await world.gm.slash(world.orders, "character add", name="Ghost", secret=True)
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    told = text(response(await cid.slash(world.orders, "war join", faction="Zeon", callsign="Ghost")))
    assert "Ghost joins Principality of Zeon" in told or "Ghost joins Zeon" in told
    assert told.count("Ghost joins") == 1
    assert "Zeon, Ensign" in await front.sheet("Ghost", cid)
    assert "Order given" in text(response(await front.order(cid, "rogue", "Ghost")))


async def test_others_are_brought_by_game_masters_alone(front: Front) -> None:
    """A player brings nobody; a game master brings a player who joins at the lowest rank."""
    world = front.world
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    options = {"faction": E, "player": cid, "callsign": "Cid"}
    assert "You join for yourself" in refused(await front.ann.slash(world.orders, "war join", **options))
    await world.gm.slash(world.orders, "war join", **options)
    assert "Earth Federation, Ensign" in await front.sheet("Cid")


async def test_who_brings_somebody_without_the_player_role_is_told_what_they_lack(front: Front) -> None:
    """They join all the same; nothing is said of a player, or of a game master who plays."""
    world = front.world
    dee = world.guild.add_member(world.env.create_user("dee"))
    made = await world.gm.slash(world.orders, "war join", faction=E, player=dee, callsign="Dee")
    told = text(made.followups[-1])
    assert f"<@{dee.id}> is no player of Iron Sea" in told
    assert f"Give them the role <@&{world.roles['player'].id}>" in told
    assert "Earth Federation, Ensign" in await front.sheet("Dee")
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    for who, name in ((cid, "Cid"), (world.gm2, "Eve")):
        made = await world.gm.slash(world.orders, "war join", faction=E, player=who, callsign=name)
        assert "Done" in said(made)
        assert not made.followups


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
    assert "take no part" in refused(await world.stranger.slash(world.orders, "war join", faction=E, callsign="X"))
    assert rows(world, "select count(*) from actor") == before


async def test_a_joining_is_taken_back_with_all_that_came_with_it(front: Front) -> None:
    """Voided, the player is out of war and group, and the faction has no leader."""
    world = front.world
    number = rows(world, "select max(number) from entry")[0][0] - 1
    window = await world.gm.slash(world.orders, "void", entry=number)
    await world.gm.submit_modal(window, {"reason": "Wrong side"})
    assert "without a leader" in await front.sheet(E)
    assert "Ann" not in text(response(await world.gm.slash(world.orders, "campaign group list")))


async def test_a_ruling_in_words_is_told_with_its_text(front: Front) -> None:
    """What the page leaves open is said by a game master, and what it removes is gone."""
    world = front.world
    await world.gm.slash(world.orders, "war rule", text="The beam strikes. remove: u12")
    assert "u12" not in await front.sheet("11th Squadron")
    posted = text(world.results.history()[-1])
    assert "The beam strikes." in posted
    assert "Only game masters" in refused(await front.ann.slash(world.orders, "war rule", text="No"))


async def test_what_cannot_be_set_says_how_it_is_written(front: Front) -> None:
    """Gold that is no number changes nothing, and the answer shows an example."""
    world = front.world
    before = written(world)
    told = refused(await world.gm.slash(world.orders, "war set", what="gold", to="E lots", reason="A gift"))
    assert "Earth Federation 150" in told
    assert written(world) == before
    await world.gm.slash(world.orders, "war set", what="gold", to="E 150", reason="A gift")
    assert "150 gold" in await front.sheet(E)
