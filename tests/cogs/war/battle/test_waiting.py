"""What waits for a battle."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from bot.cogs.war.maps import own_battles
from rules.books.total_war import aftermath, storage
from rules.books.total_war.fight import Withdraw
from rules.geometry import Hex
from tests.cogs.war.battle.field import AT, MOVED, Field, opened
from tests.cogs.war.front import code
from tests.rules.total_war.wars import RULES, after, meet_fleet
from tests.support.reading import components, newest, refused, response, text, threads
from tests.support.world import World, nothing_written, send_raw

MET = Hex(1, -2)


def keys(message: object) -> list[str]:
    """Return the ids of a message's battle buttons."""
    ids = [str(item.get("custom_id", "")) for item in components(message)]
    return [key for key in ids if key.startswith("battle:")]


def digests(field: Field) -> list[str]:
    """Return the public digests."""
    told = map(text, field.world.results.history())
    return [shown for shown in told if "esults: " in shown]


async def test_a_game_master_is_led_on_once_the_last_battle_is_over(field: Field) -> None:
    """To the plan."""
    gm = field.world.gm
    assert "/battle act" in text(response(await field.do(field.ann, "show")))
    assert "/battle act" not in text(response(await field.do(field.bo, "show")))
    over = response(await field.do(gm, "condition", side="E"))
    assert "the turn can end" not in text(over)
    last = response(await field.do(gm, "retreat", to="0,2"))
    assert "No battle is left, so the turn can end." in text(last)
    plan = response(await gm.click(last, label="Resolve"))
    assert "The turn of **First days** ends" in text(plan)
    await gm.click(plan, label="Resolve all")
    for force, at in (("11th Squadron", "0,-1"), ("21st Squadron", "0,1")):
        await gm.slash(field.world.orders, "gm-war set", what="force", to=f"{force} to {at}", reason="again")
    await field.front.order(field.ann, "move", "11th Squadron", to=AT)
    await field.front.resolve()
    await field.do(gm, "condition", side="E")
    last = response(await field.do(gm, "retreat", to="0,2"))
    assert "retreats to 0,2" in text(last)
    assert "the turn can end" not in text(last)  # one has ended in this update


async def test_a_player_reads_on_their_desk_which_battles_wait_for_them(field: Field) -> None:
    """Only those of their half or retreat."""
    for who, other, line in (
        (field.ann, field.bo, "Battle on 0,1: turn 1, your half"),
        (field.bo, field.ann, "Battle on 0,1: over, 21st Squadron has to retreat"),
    ):
        desk = response(await who.slash(field.world.orders, "update show"))
        assert line in text(desk)
        assert "Battle on 0,1" in text(response(await who.click(desk, label="Board of 0,1")))
        assert "Needs you" not in text(response(await other.slash(field.world.orders, "update show")))
        await field.do(field.world.gm, "condition", side="E")


@pytest.mark.parametrize(("callsign", "waits"), [(None, 0), ("Cid", 1)])
def test_no_force_without_a_commander_waits_for_an_onlooker(callsign: str | None, waits: int) -> None:
    """No callsign, no force."""
    war = after(meet_fleet(), aftermath.FightAction(at=MET, order=Withdraw("Z")))
    war = war.with_forces(replace(war.forces["2nd Fleet"], commander=callsign))
    campaign, values = SimpleNamespace(id=1), {storage.WAR: {"entry": 1}}
    seen: Any = SimpleNamespace(campaign=campaign, callsign=callsign, values=values, rules=RULES, war=war, seen=war)
    assert len([*own_battles(seen)]) == waits


async def test_the_closing_of_the_update_tells_where_each_act_is_read(field: Field) -> None:
    """One sentence each."""
    await field.lost()
    await field.front.end_turn()
    told = "\n".join(map(text, field.world.results.history()))
    assert "Zeon withdraws in turn 1, in <#" in told
    assert "., in <#" not in told


async def test_a_force_of_which_nothing_is_left_is_not_waited_for(world: World) -> None:
    """Only the one with units."""
    alone = {'at      = "-3,1"\nunits   = ["zaku", "zaku", "zaku"]': 'at      = "0,1"\nunits   = ["zaku"]'}
    field = await opened(world, changes={**MOVED, **alone, "[map]": "[switches]\nstacking = 0\n\n[map]"})
    (zaku,) = (await field.front.stands()).forces["22nd Squadron"].units
    await field.placed(u12="E6", **{zaku.id: "E8"})
    await field.now(field.ann, "u12", (6, 6), target=zaku.id)
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    asked = refused(await field.world.gm.slash(field.world.orders, "gm resolve"))
    assert "over, 21st Squadron has to retreat" in asked


async def test_refusals_call_sides_by_their_names(field: Field) -> None:
    """As factions are called."""
    gm = field.world.gm
    await field.placed(u12="E6", u22="E8")
    for units, words in (
        ({"unit": "u22", "to": "E9"}, "u22 belongs to Zeon, and it's Earth Federation's half of turn 1."),
        ({"unit": "u12", "target": "u13"}, "The mobile suit on E6 can't attack u13 on "),
    ):
        assert words in code(await field.do(gm, "act", roll="now", **units))
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    for late in (await field.do(gm, "act", unit="u12", to="E7"), await field.do(field.ann, "withdraw")):
        assert "The battle is over: Earth Federation has won." in code(late)


async def test_nothing_waits_for_a_battle_whose_book_is_switched_off(field: Field) -> None:
    """Until it is on again."""
    world = field.world
    for books, waits in (("campaign, -total_war", False), ("total_war", True)):
        await world.gm.slash(world.orders, "gm settings", books=books)
        told = refused(await world.gm.slash(world.orders, "gm resolve"))
        assert (f"Battle on {AT}" in told) == waits


async def test_a_withdrawal_leads_to_the_retreat_by_a_button(field: Field) -> None:
    """One button per free panel."""
    made = await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    assert "Done: entry #" in text(response(made))
    shown = response(await field.bo.click(response(made), label="Retreat ..."))
    free = "(-1,1), (-1,2), (0,0), (0,2), (1,0) or (1,1)"
    assert f"21st Squadron has to retreat, to {free} (" in text(shown)
    assert f"21st Squadron has to retreat to {free}." in text(newest(threads(field.world.results)[0]))
    await field.bo.click(shown, label="Retreat to 0,2")
    assert str((await field.front.stands()).forces["21st Squadron"].at) == "0,2"
    assert "This battle is over. Nothing" in refused(await field.bo.click(shown, label="Retreat to -1,1"))


async def test_a_button_is_about_its_own_battle_and_no_later_one(field: Field) -> None:
    """It says that its battle is over."""
    (post,) = (message for message in field.world.results.history() if "Act: " in text(message))
    acted = await field.now(field.ann, "u12", to="A2")
    boards = [response(await field.do(who, "show")) for who in (field.ann, field.bo)]
    asked = response(await field.do(field.bo, "withdraw"))
    old = {key for message in (post, acted, *boards, asked) for key in keys(message)}
    await field.bo.click(asked, label="Withdraw")
    await field.do(field.bo, "retreat", to="0,2")
    assert {key.split(":")[2] for key in old} == {
        *("show", "again", "words", "next", "withdraw", "leave", "unit", "after"),
    }
    await require_over(field, old, "This battle is over. Nothing has changed.")
    await field.front.resolve()
    await field.front.order(field.bo, "move", "21st Squadron", to=AT)
    await field.front.resolve()
    await require_over(field, old, "This battle is over. A new one is on at 0,1.")
    newer = {*keys(response(await field.do(field.bo, "show")))}
    assert not old & newer
    planned = response(await field.world.gm.slash(field.world.orders, "gm-war new"))
    assert "Battles left undecided: 0,1." in text(planned).replace("\\", "")
    await field.world.gm.click(planned, label="Start")
    await require_over(field, old | newer, "This battle is over. Nothing has changed.")


async def require_over(field: Field, old: set[str], why: str) -> None:
    """Check that an old button refuses and writes nothing."""
    with nothing_written(field.world):
        for key in sorted(old):
            for who in (field.bo, field.world.gm):
                assert why in refused(await send_raw(who, field.world.orders, key)), key


async def test_whoever_acts_for_a_side_is_asked_about_that_side(field: Field) -> None:
    """A game master has none of their own."""
    asked = text(response(await field.do(field.world.gm, "withdraw", side="Zeon")))
    assert "Withdraw Zeon from the battle" in asked
    assert "The units left retreat to a panel next to it" in asked
    assert "yours" not in asked
    assert "Earth Federation wins the battle and gets 100 gold and the panel 0,1." in asked
    assert "21st Squadron gets no basic units." in asked


async def test_nobody_sends_another_ones_force_by_a_button(field: Field) -> None:
    """Forged ids write nothing."""
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    shown = response(await field.do(field.ann, "show"))
    assert "Retreat" not in str(shown.components)
    theirs = response(await field.do(field.bo, "show"))
    key = next(key for key in re.findall(r"battle:[^'\" ]*", str(theirs.components)) if key.endswith(":0,2"))
    with nothing_written(field.world):
        head, begun, force, to = key.rsplit(":", 3)
        for forged in (key, f"{head}:{begun}:9:{to}", f"{head}:{int(begun) - 1}:{force}:{to}"):
            assert refused(await send_raw(field.ann, field.world.orders, forged))


async def test_a_force_of_which_all_fell_is_told_why_it_retreats(world: World) -> None:
    """It gets a basic unit; the winner doesn't read where."""
    field = await opened(world, changes={**MOVED, '["zaku", "zaku", "bigro"]': '["zaku", "zaku", "zaku"]'})
    await field.placed(u12="E6", u22="E8", u13="D6", u23="D8", u14="C7", u24="C9")
    for unit, target in (("u12", "u22"), ("u13", "u23"), ("u14", "u24")):
        await field.now(field.ann, unit, (6, 6), target=target)
    why = "It lost all its units and gets 1 zaku where it retreats to"
    for who, waits in ((field.bo, why), (field.ann, "21st Squadron still has to retreat (Bo decides).")):
        shown = text(response(await field.do(who, "show")))
        assert waits in shown
        assert (why in shown) == (who is field.bo)
    assert why in text(newest(threads(field.world.results)[0]))
