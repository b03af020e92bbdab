"""Scenarios, joining, and completions."""

from __future__ import annotations

import pytest
import simcord

from bot.cogs.war.wars import WAR_ENTRY
from bot.ui.text import plain
from rules.books.total_war.storage import SCENARIO
from tests.cogs.privacy.people import erase
from tests.cogs.war.front import E, Front, begun, code, example, given, recruit
from tests.support.acting import list_groups, take_back, use_desk
from tests.support.reading import newest, press, refused, response, said, text
from tests.support.world import World, entry, nothing_written, rows, send_raw


async def test_only_game_masters_discard_a_scenario(front: Front) -> None:
    """A forged press is refused."""
    world = front.world
    shown = response(await world.gm.slash(world.orders, "gm-war new"))
    forged = await send_raw(world.player, world.orders, press(shown, "discard"))
    assert "Only game masters" in refused(forged)
    told = text((await world.gm.click(shown, label="Discard")).followups[-1])
    assert "Discarded, nothing has started" in told


async def test_a_beginning_is_taken_back_with_all_that_came_of_it(front: Front) -> None:
    """A rebuild agrees."""
    world = front.world
    number = next(number for number, kind in rows(world, "select number, kind from entry") if kind == "war")
    await take_back(world, "gm undo", entry=number, reason="Another map")
    assert "No war is on" in refused(await world.gm.slash(world.orders, "war show"))


async def test_another_war_takes_the_place_of_one_that_is_on(front: Front) -> None:
    """The preview lists cancelled orders."""
    world = front.world
    other = example().replace('"First days"', '"Second days"').replace('"first-days"', '"second-days"')
    await front.order(front.ann, "Move a force", "1st Fleet", to="1,-1")
    shown = response(await world.gm.slash(world.orders, "gm-war new", scenario=("b.toml", other.encode())))
    assert "Starting this ends **First days** (no winner yet)." in text(shown)
    assert "Orders that are cancelled: **1st Fleet**: Move a force, 1,-1." in text(shown).replace("\\", "")
    assert "undecided" not in text(shown)
    await world.gm.click(shown, label="Start")
    assert "The war before, First days, is over, without a winner." in text(newest(world.results))
    assert "Second days has started" in text(response(await world.gm.slash(world.orders, "order list")))
    assert "Second days, turn 1" in await front.sheet()
    assert "no leader" in await front.sheet(E)


async def test_there_is_a_sheet_of_everything(front: Front) -> None:
    """A near name is guessed."""
    for what in ("1st Fleet", "Zeon", "Ann", "Amuro Ray", "3,-3"):
        assert what.split(",", maxsplit=1)[0] in await front.sheet(what)
    for what, near in (("1st Fleat", "Did you mean 1st Fleet?"), ("Jonas", "Players here: Ann, Bo.")):
        assert near in refused(await front.ann.slash(front.world.orders, "war show", what=what))
    force = (await front.stands()).forces["11th Squadron"]
    told = await front.sheet(force.units[0].id.upper())
    assert f"`{force.units[0].id}` {force.units[0].model}, Amuro Ray, 0 kills, a hero" in told
    assert f"In 11th Squadron, on {force.at}." in told


async def test_the_sheet_of_a_panel_tells_its_supply_and_its_pay(front: Front) -> None:
    """U1 and U2, owned or not."""
    joined = "In supply from 3,-3: pays 26 gold a turn."
    assert joined in await front.sheet("2,-2")
    assert "Pays 21 gold a turn to a faction that owns it" in await front.sheet("0,0")
    assert joined in await front.sheet("2,-2", front.bo)
    await front.world.gm.slash(front.world.orders, "gm-war set", what="owner", to="2,-2 Zeon", reason="Taken")
    cut = "Out of supply: no gold, no building, no new units."
    assert cut in await front.sheet("2,-2")


async def test_the_shipped_scenario_is_played_in_its_words(world: World) -> None:
    """The kept scenario names no person."""
    mine = example().replace('name     = "1st Fleet"', f'name = "1st Fleet"\ncommander = {world.player.id}', 1)
    front = await begun(world, mine)
    assert str(world.player.id) not in str(entry(world, 4))
    assert "commanded by Ann" in await front.sheet("1st Fleet")


async def test_a_scenario_out_of_a_capsule_may_be_as_large_as_one_that_is_sent(front: Front) -> None:
    """But not larger."""
    number = rows(front.world, "select number from entry where kind = 'war'")[0][0]
    body = entry(front.world, number)
    assert WAR_ENTRY.too_large is not None
    assert [*WAR_ENTRY.too_large(body)] == []
    kept = next(item["after"]["is"] for item in body["changes"] if item["name"] == SCENARIO)
    kept["owners"] = [[[0, 0], "E"]] * 2001
    assert [*WAR_ENTRY.too_large(body)] == ["the scenario is too large: owners: 2001 items, over the limit of 2000"]


async def test_who_joins_is_offered_once_for_orders(front: Front) -> None:
    """A character in the war is one name."""
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
    """Faction, name, force, or empty."""
    world = front.world
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    assert words in refused(await cid.slash(world.orders, "war join", **options))


async def test_a_name_tells_of_nobody_who_is_hidden(front: Front) -> None:
    """A secret character's name is taken like any other."""
    world = front.world
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Ghost", secret=True)
    cid = world.guild.add_member(world.env.create_user("cid"), roles=[world.roles["player"]])
    told = text(response(await cid.slash(world.orders, "war join", faction="zeo", callsign="Ghost")))
    assert "Ghost joins Principality of Zeon" in told or "Ghost joins Zeon" in told
    assert told.count("Ghost joins") == 1
    assert "Zeon, Ensign" in await front.sheet("Ghost", cid)
    assert "Order given" in text(response(await front.order(cid, "rogue", "Ghost")))


@pytest.mark.parametrize("name", ["@everyone", "**Bold** _Bill_", "[Bo](https://example.org)"])
async def test_a_callsign_pings_and_formats_nowhere(front: Front, name: str) -> None:
    """It is shown as typed."""
    world = front.world
    fay = world.guild.add_member(world.env.create_user("fay"), roles=[world.roles["player"]])
    await fay.slash(world.orders, "war join", faction="Zeon", callsign=name)
    await front.order(front.bo, "assign", "21st Squadron", to=name)
    await front.resolve()
    await use_desk(world.gm, world.orders, "Board")
    told = [text(message) for channel in (world.results, world.staff) for message in channel.history()]
    told += [await front.sheet(what) for what in (None, "Zeon", "21st Squadron")]
    shown = plain(name)
    assert sum(shown in each for each in told) >= 3, told
    assert not any(name in each.replace(shown, "") for each in told), told


async def test_a_stranger_leaves_no_trace(front: Front) -> None:
    """No pseudonym is made."""
    world = front.world
    before = rows(world, "select count(*) from actor")
    assert "don't play" in refused(await world.stranger.slash(world.orders, "war join", faction=E, callsign="X"))
    assert rows(world, "select count(*) from actor") == before


async def test_a_joining_is_taken_back_with_all_that_came_with_it(front: Front) -> None:
    """Group and leadership too."""
    world = front.world
    number = rows(world, "select max(number) from entry")[0][0] - 1
    await take_back(world, "gm undo", entry=number, reason="Wrong side")
    assert "no leader" in await front.sheet(E)
    assert "Ann" not in await list_groups(world)


async def test_an_erasure_makes_nobody_two_commanders(front: Front) -> None:
    """Unless a game master allows it."""
    await erase(front.world, front.ann)
    await front.close()
    told = refused(await front.ann.slash(front.world.orders, "war join", faction="Zeon", callsign="Spy"))
    assert "You were a commander in this war before your data was erased." in told
    joined = await front.world.gm.slash(
        front.world.orders, "war join", faction="Zeon", callsign="Spy", player=front.ann
    )
    assert "Spy" in said(joined)


REFUSED = [
    ("buy", "3,-3", "gm 999999", "999999 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm -1", "-1 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "\N{MINUS SIGN}1 gm", "\N{MINUS SIGN}1 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm 0", "0 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm " + "9" * 60, "9 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm 9999", "and the bank has 100, enough for 5."),
    ("garrison", "3,-3", "10000", "10000 of Capitol garrison upgrade won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gmn", "'gmn' isn't a model, did you mean gm?"),
    ("buy", "3,-3", "x", "'x' isn't a model (known: columbus, gm, guncannon, magellan, saberfish)."),
    ("buy", "3,-3", "zaku 2", "can't make zaku: it belongs to Zeon. It can make: columbus, gm, guncannon, magellan,"),
    ("buy", "3,-3", "guncannon", "guncannon isn't researched yet."),
]
"""Kind, place, item, and the refusal."""


async def test_what_cannot_be_bought_is_refused_with_what_can(front: Front) -> None:
    """Number, bank and model."""
    for kind, to, what, told in REFUSED:
        with nothing_written(front.world, what):
            answer = code(await front.order(front.ann, kind, E, to=to, **{"with": what}))
            assert told in answer, what
            assert len(answer) < 300, what


async def test_only_what_a_faction_can_make_is_offered(front: Front) -> None:
    """Each side its own."""
    assert await offered(front, "with", kind="Buy units", to="3,-3") == ["columbus", "gm", "magellan", "saberfish"]
    theirs = {"kind": "Buy units", "who": "Zeon", "to": "-3,3"}
    found = await front.bo.autocomplete(front.world.orders, "order give", "with", "", **theirs)
    assert [item["name"].partition(" (")[0] for item in found] == ["bigro", "columbus", "gattle", "musai", "zaku"]


async def offered(front: Front, option: str, **typed: str) -> list[str]:
    """Return the Federation leader's choices without prices."""
    found = await front.ann.autocomplete(front.world.orders, "order give", option, "", who=E, **typed)
    return [item["name"].partition(" (")[0] for item in found]


ROGUE, NAME, ASK = "Go rogue", "Name a rogue faction", "Ask to join a faction"


async def kinds_offered(front: Front, whom: simcord.MemberActor, **typed: str) -> set[str]:
    """Return the kinds offered to someone."""
    found = await whom.autocomplete(front.world.orders, "order give", "kind", "", **typed)
    return {item["name"] for item in found}


async def test_a_kind_is_offered_only_to_whom_it_may_apply(world: World) -> None:
    """Leader, player, rogue and game master."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    leads = await kinds_offered(front, front.ann)
    assert {ROGUE, "Move a force", "Buy units", "Promote a player"} <= leads
    assert not leads & {NAME, ASK, "Answer for a faction"}
    war = await kinds_offered(front, cid)
    assert ROGUE in war
    assert not war & {NAME, ASK, "Move a force", "Buy units", "Promote a player"}
    assert {ROGUE, "Move a force", "Buy units"} <= await kinds_offered(front, world.gm)
    await given(front, cid, "rogue", "Cid")
    await front.end_turn()
    lone = await kinds_offered(front, cid)
    assert ASK in lone
    assert not lone & {ROGUE, NAME}
    assert ASK in await kinds_offered(front, world.gm)


async def test_a_name_that_means_nobody_brings_no_kind_back(front: Front) -> None:
    """The kinds are those of one's own."""
    for doer in ("Nobody", "Zeon", "2nd Fleet"):
        assert await kinds_offered(front, front.ann, who=doer) == await kinds_offered(front, front.ann)
    assert await kinds_offered(front, front.ann, who="1st Fleet") == {"Move a force"}
    assert NAME not in await kinds_offered(front, front.ann, who=E)
