"""Posts and offices of a war, undone too, and leaders' answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import simcord

from bot.orders.listing import _list_further_lines
from rules.geometry import Hex, neighbours
from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.war.battle.field import AT, Field
from tests.cogs.war.front import E, Front, begun, changed, code, example, given, listed, plan, recruit
from tests.orders.test_lapsed import desk
from tests.support.acting import confirmed, take_back
from tests.support.reading import assert_says, refused, response, text
from tests.support.world import World, entry, nothing_written, written


async def test_posts_and_players_are_ordered_about_by_who_may(world: World) -> None:
    """By the leader; answers wait for their phase (K2 to K5)."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    await given(front, front.ann, "promote", "Cid", to="Captain")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 2"})
    await front.end_turn()
    await given(front, front.ann, "assign", "12th Squadron", to="Cid")
    await given(front, front.ann, "allot", "11th Squadron", to="gm", **{"with": "1"})
    await front.resolve()
    war = await front.stands()
    assert (war.players["Cid"].rank, war.forces["12th Squadron"].commander) == ("Captain", "Cid")
    assert [unit.model for unit in war.forces["11th Squadron"].units].count("gm") == 4
    await front.close()
    await given(front, cid, "move", "12th Squadron", to="S")
    assert "Ann doesn't command that force: Cid does." in code(
        await front.order(front.ann, "move", "12th Squadron", to="N")
    )
    await front.resolve()
    assert (await front.stands()).forces["12th Squadron"].at == Hex(3, 0) or (await front.stands()).battles


async def test_a_delegate_allots_and_is_one_no_more(world: World) -> None:
    """Until the leader takes it back (K5)."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    await world.gm.slash(world.orders, "gm-war set", what="rank", to="Cid Captain", reason="Test")
    await given(front, front.ann, "assign", "1st Fleet", to="Cid")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 2"})
    await front.end_turn()
    await given(front, front.ann, "delegate", E, to="Cid")
    await front.end_turn()
    await given(front, cid, "allot", "12th Squadron", to="gm (2 wait)", **{"with": "1"})
    await front.resolve()
    assert len((await front.stands()).forces["12th Squadron"].units) == 4
    await front.close()
    await given(front, front.ann, "delegate", E, to="nobody")
    await given(front, cid, "allot", "11th Squadron", to="gm", **{"with": "1"})
    await front.resolve()
    war = await front.stands()
    assert (war.factions["E"].delegate, war.factions["E"].pool) == (None, {"gm": 1})
    assert "Cancelled: " in await listed(front, cid)
    assert "Only the supreme commander or the fleet commander they chose can assign new units (Ann)." in (
        await listed(front, cid)
    ).replace("\\", "")


async def test_a_rogue_spends_no_gold_and_moves_no_fleet_of_the_faction_that_is_left(front: Front) -> None:
    """The orders are cancelled (R1, B1, M7)."""
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm"})
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    await given(front, front.ann, "move", "11th Squadron", to="S")
    await given(front, front.ann, "rogue", "Ann")
    await front.resolve()
    assert any("has no leader now: a game" in text(post) for post in front.world.results.history())
    war = await front.stands()
    assert (war.factions["E"].gold, war.factions["E"].pool) == (100 + 8 + 10 + 15, {})
    assert (war.forces["1st Fleet"].at, war.forces["11th Squadron"].at) == (Hex(2, -2), Hex(1, -1))
    told = (await listed(front, front.ann)).replace("\\", "")
    assert (
        "Only the supreme commander can build, buy and research, and Earth Federation has none. A game master appoints one, or acts for it."
        in told
    )
    assert "Ann doesn't command that force: no player does." in told


async def test_a_rogue_faction_is_founded_by_a_colony_that_is_won_and_named(world: World) -> None:
    """Seven panels, a name and a colour (R4 to R7)."""
    front = await begun(world)
    await given(front, front.ann, "rogue", "Ann")
    await given(front, front.ann, "move", "11th Squadron", to="1,-3")
    assert "Earth Federation isn't a rogue faction. Only these choose a name." in code(
        await front.order(front.ann, "found", E, to="Free Colonies", **{"with": "#2e7d32"})
    )
    await front.resolve()
    war = await front.stands()
    assert len(war.battles[Hex(1, -3)].fight.units) == 4 + 4
    await confirmed(world, "battle withdraw", side=E)
    war = await front.stands()
    (mine,) = war.factions.keys() - {"E", "Z"}
    owned = {at for at, panel in war.panels.items() if panel.owner == mine}
    assert owned == {Hex(1, -3), *neighbours(Hex(1, -3))} & war.panels.keys()
    await front.end_turn()
    assert "A faction is already called Zeon." in code(
        await front.order(front.ann, "found", war.factions[mine].name, to="Zeon", **{"with": "#2e7d32"})
    )
    await given(front, front.ann, "found", war.factions[mine].name, to="Free Colonies", **{"with": "#2e7d32"})
    await front.resolve()
    war = await front.stands()
    assert (war.factions[mine].name, war.factions[mine].colour, war.factions[mine].leader) == (
        "Free Colonies",
        "#2e7d32",
        "Ann",
    )
    assert "Free Colonies" in await front.sheet()


async def test_what_lapses_says_which_order_it_was(front: Front) -> None:
    """Kind and target."""
    await given(front, front.ann, "research", E, to="guncannon")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 4"})
    made = response(await front.world.gm.click(await plan(front), label="Resolve all"))
    assert "Earth Federation: cancelled (Buy units: 3,-3 and gm 4): That costs 80 gold, and the bank has 50" in text(
        made
    )


async def test_what_is_built_is_offered_and_told_by_what_it_is_called(front: Front) -> None:
    """Ids can still be typed."""
    for kind, to, item in (
        ("Build on a panel", "2,-1", "MS facility upgrade (60 gold)"),
        ("Strengthen a garrison", "1,-3", "Colony garrison (25 gold)"),
    ):
        typed = {"kind": kind, "who": E, "to": to}
        found = await front.ann.autocomplete(front.world.orders, "order give", "with", "", **typed)
        assert item in [each["name"] for each in found]
        told = await given(front, front.ann, kind, E, to=to, **{"with": item})
        assert item.replace("(", "\\(").replace(")", "\\)") in told or item in told
        assert "_" not in told.replace("\\_", "_").partition("Sealed")[0]
    shown = text(await plan(front))
    assert "builds MS facility upgrade on 2,-1" in shown  # the price that was offered may be another one by then
    assert "strengthens the garrison of 1,-3: Colony garrison\n" in shown


async def test_a_foretold_battle_holds_the_turn_in_plan_and_receipt(world: World) -> None:
    """Without one the plan ends the turn."""
    front = await begun(world, changed(**{"2nd_Fleet": "2,0"}))
    assert "The turn of **First days** ends" in text(await plan(front))
    await given(front, front.ann, "move", "1st Fleet", to="2,0")
    waits = "Turn 1 of First days can't end yet: it waits for the battle on 2,0."
    shown = await plan(front)
    assert waits in text(shown)
    assert "The turn of" not in text(shown)
    assert waits in text(response(await world.gm.click(shown, label="Resolve all")))
    assert [str(at) for at in (await front.stands()).battles] == ["2,0"]


async def test_what_would_change_nothing_is_refused(front: Front) -> None:
    """Ranks, commands and posts (K4, K5)."""
    for kind, who, to in (("promote", "Ann", "Admiral"), ("assign", "1st Fleet", "Ann"), ("delegate", E, "nobody")):
        assert "That changes nothing." in code(await front.order(front.ann, kind, who, to=to))


async def test_each_of_several_orders_is_told_with_what_came_of_it_alone(front: Front) -> None:
    """Each garrison its panel."""
    await front.world.gm.slash(front.world.orders, "gm-war set", what="gold", to="E 200", reason="A gift")
    for at in ("1,-3", "3,-3"):
        await given(front, front.ann, "garrison", E, to=at)
    shown = await plan(front)
    assert "strengthens the garrison of 1,-3\n" in text(shown)
    await front.world.gm.click(shown, label="Resolve all")
    told = await listed(front, front.ann)
    assert [told.count(f"The garrison of {at} gets 1 gm.") for at in ("1,-3", "3,-3")] == [1, 1]


async def test_the_plan_names_whose_order_cannot_be_carried_out(front: Front) -> None:
    """A fleet whose way was struck."""
    await given(front, front.ann, "move", "1st Fleet", to="1,-1")
    await front.world.gm.slash(front.world.orders, "gm-war rule", text="remove: 1,-1")
    assert "**1st Fleet** (move): 1,-1 is off the map" in text(await plan(front))


def test_what_is_told_behind_the_first_line_is_not_of_a_part_kept_from_players() -> None:
    """Secret steps stay with staff."""
    parts = [
        {"secret": secret, "steps": [{"title": "", "source": None, "dice": [], "text": text}]}
        for secret, text in ((False, "Seen."), (True, "Hidden."))
    ]
    made: Any = SimpleNamespace(audience="results", content=lambda: {"texts": [], "parts": parts})
    results: Any = SimpleNamespace(made={7: made})
    order: Any = SimpleNamespace(entries=(7,))
    assert [*_list_further_lines(results, order)] == ["Seen."]


async def ruled(front: Front, words: str) -> str:
    """Rule as the game master; return the private answer."""
    return text(response(await front.world.gm.slash(front.world.orders, "gm-war rule", text=words))).replace("\\", "")


async def test_a_mark_without_effect_is_said_to_have_none(front: Front) -> None:
    """Alone or next to one that has."""
    idle = "Principality of Zeon keeps its source of supply."
    told = await ruled(front, "The beam strikes. remove: u12; source: Z none")
    assert "11th Squadron loses" in told
    assert idle.replace("Principality of ", "") in told.replace("Principality of ", "")
    alone = await ruled(front, "source: Z none")
    assert "keeps its source of supply." in alone


ASKED = "Earth Federation: whether Cy may join"


async def test_a_leader_reads_what_waits_for_an_answer_until_it_is_ordered(world: World) -> None:
    """Only that faction's leader."""
    front = await begun(world)
    cy = await recruit(front, "Cy", "E")
    await given(front, cy, "rogue", "Cy")
    await front.resolve()
    await given(front, cy, "petition", "Cy", to=E)
    assert ASKED not in await desk(world, front.ann)
    await front.resolve()
    assert ASKED in await desk(world, front.ann)
    for other in (cy, front.bo):
        assert ASKED not in await desk(world, other)
    await given(front, front.ann, "answer", E, to="Cy", **{"with": "yes"})
    assert ASKED not in await desk(world, front.ann)


SLIP = "A slip"


async def put(front: Front, what: str, to: str) -> int:
    """Set something; return its entry."""
    await front.world.gm.slash(front.world.orders, "gm-war set", what=what, to=to, reason="As agreed")
    return newest_entry(front.world)


async def void(front: Front, number: int) -> simcord.InteractionResult:
    """Undo an entry."""
    return await take_back(front.world, "gm undo", entry=number, reason=SLIP)


async def test_a_war_of_the_same_name_is_taken_back_with_what_has_come_of_it(front: Front) -> None:
    """The first goes on as it was."""
    shown = response(await front.world.gm.slash(front.world.orders, "gm-war new"))
    await front.world.gm.click(shown, label="Start")
    second = newest_entry(front.world)
    await put(front, "gold", "E 777")
    await void(front, second)
    sheet = await front.sheet(E)
    assert_says(sheet, "100 gold", "led by Ann")


async def test_a_force_that_fights_by_now_stays(world: World) -> None:
    """The undo is refused."""
    front = await begun(world, example().replace('at      = "1,-2"', 'at      = "0,-1"', 1))
    mustered = await put(front, "force", f"+ 3rd Squadron; squadron; Z; {AT}; 2 zaku")
    await front.order(front.ann, "move", "11th Squadron", to=AT)
    await front.resolve()
    field = Field(front)
    before, shown = written(world), text(response(await field.do(field.ann, "show")))
    assert "3rd Squadron would fight on 0,1 without being there" in refused(await void(front, mustered))
    assert written(world) == before
    assert text(response(await field.do(field.ann, "show"))) == shown


async def test_two_of_a_faction_do_not_come_to_stand_on_one_panel(front: Front) -> None:
    """The undo is refused."""
    first = await put(front, "force", "11th Squadron to 1,-1")
    await put(front, "force", "12th Squadron to 1,-2")
    with nothing_written(front.world):
        assert "11th Squadron and 12th Squadron would both be on 1,-2" in refused(await void(front, first))


async def test_whoever_commands_by_now_stays_in_the_war(front: Front) -> None:
    """Until their force is undone."""
    cy = front.world.guild.add_member(front.world.env.create_user("cy"), roles=[front.world.roles["player"]])
    await cy.slash(front.world.orders, "war join", faction=E, callsign="Cy")
    joined = newest_entry(front.world)
    await put(front, "rank", "Cy Captain")
    await front.order(front.ann, "assign", "12th Squadron", to="Cy")
    await front.resolve()
    numbers = range(joined, newest_entry(front.world))
    (handed,) = [number for number in numbers if entry(front.world, number).get("family") == "assign"]
    assert "Cy, commander of 12th Squadron" in refused(await void(front, joined))
    await void(front, handed)
    await void(front, joined)
    assert "Cy" not in await front.sheet(E)


async def test_a_price_is_taken_back_alone(front: Front) -> None:
    """Later settings, units and turns stay."""
    price = await put(front, "price", "gm 25")
    await put(front, "switch", "cooldown 1")
    await put(front, "unit", "1st Fleet + gm")
    await front.resolve()
    await void(front, price)
    war = await front.stands()
    assert (dict(war.prices), dict(war.switches), war.turn) == ({}, {"cooldown": 1}, 2)
    assert len(war.forces["1st Fleet"].units) == 4
