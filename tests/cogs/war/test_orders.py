"""Orders of a war: refused, several, sealed, and at closing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import simcord

from rules.books.total_war import order_kinds as kinds
from tests.cogs.war.battle.field import AT, opened
from tests.cogs.war.front import E, Front, begun, code, example, given, in_fog, recruit
from tests.support.acting import confirmed, fill_in, use_desk
from tests.support.reading import assert_says, components, labels, newest, press, refused, response, said, text
from tests.support.world import World, nothing_written, show_every_command, written


async def test_nobody_orders_anothers_about(world: World) -> None:
    """Each kind of doer; nothing is written."""
    front = await begun(world)
    cid, dan = await recruit(front, "Cid", "E"), await recruit(front, "Dan", "Z")
    mine = {
        "Ann": {"1st Fleet", "11th Squadron", "12th Squadron", "Solar System", E, "Ann", "Cid"},
        "Bo": {"2nd Fleet", "21st Squadron", "22nd Squadron", "Zeon", "Bo", "Dan"},
        "Cid": {"Cid"},
        "Dan": {"Dan"},
    }
    people = {"Ann": front.ann, "Bo": front.bo, "Cid": cid, "Dan": dan, "": world.stranger}
    with nothing_written(world):
        for (name, who), doer in itertools.product(people.items(), sorted(set().union(*mine.values()))):
            if doer in mine.get(name, set()):
                continue
            kind, options = _SOME.get(doer, ("move", {"to": "N"}))
            answer = code(await front.order(who, kind, doer, **options))
            assert ("You can't give orders for" if name else "don't play") in answer, (name, doer, answer)


async def test_who_takes_no_part_sees_nothing_of_a_war(front: Front) -> None:
    """Sheets, map and battles are refused."""
    for command in ("war show", "war map", "battle show"):
        answer = refused(await front.world.stranger.slash(front.world.orders, command))
        assert "You don't play in Iron Sea" in answer, command


_SOME: dict[str, tuple[str, dict[str, str]]] = {
    E: ("buy", {"to": "3,-3", "with": "gm"}),
    "Zeon": ("research", {"to": "zgok"}),
    **{name: ("rogue", {}) for name in ("Ann", "Bo", "Cid", "Dan")},
}
"""One order for each kind of doer; a force is to move."""


async def test_names_that_nobody_has_are_refused_or_mean_whoever_they_name(front: Front) -> None:
    """A number behind a name adds nothing."""
    for doer in ("", " ", "9th Fleet", "@everyone", "x" * 200, "*", "Neutral", "N", "\u202e1st"):
        with nothing_written(front.world, doer):
            assert refused(await front.order(front.ann, "move", doer, to="SW")), doer
    for doer in ("1st Fleet #1", "1st  fleet #999"):
        assert "Order given" in said(await front.order(front.ann, "move", doer, to="SW")), doer


ANOTHERS: Sequence[tuple[str, str, dict[str, str], str]] = [
    ("move", "2nd fleet", {"to": "N"}, "You can't give orders for 2nd Fleet."),
    ("move", "9th Fleet", {"to": "N"}, "You don't know of a force called '9th Fleet'."),
    ("buy", "Zeon", {"to": "3,-3"}, "You can't give orders for Zeon."),
    ("rogue", "Bo", {}, "You can't give orders for Bo."),
    ("rogue", "Zed", {}, "You don't know of a player called 'Zed'."),
]
"""Kind, doer, options, and the refusal."""


async def test_a_name_is_anothers_or_nobodys(front: Front) -> None:
    """Each refusal lists one's own."""
    for kind, doer, options, told in ANOTHERS:
        before, answer = written(front.world), code(await front.order(front.ann, kind, doer, **options))
        mine = {"move": "1st Fleet", "buy": E, "rogue": "Ann"}[kind]
        assert told in answer
        assert f"You can order: {mine}" in answer or f"Did you mean {mine}?" in answer
        assert ("Fleet" in answer) == (kind == "move"), "only those are named who can carry it out"
        assert written(front.world) == before, (kind, doer)


async def test_in_fog_a_hidden_force_is_refused_as_one_of_nobody(world: World) -> None:
    """Same answers but for the typed name (AMB-80)."""
    front = await begun(world, in_fog(example()))
    hidden, nobody = [code(await front.order(front.ann, "move", name, to="N")) for name in ("2nd Fleet", "7th Fleet")]
    assert "You don't know of a force called '2nd Fleet'." in hidden
    assert hidden.replace("2nd Fleet", "7th Fleet") == nobody


async def test_a_panel_off_the_map_is_refused_with_its_bounds(front: Front) -> None:
    """And the nearest panel."""
    for kind, doer, beside in (
        ("move", "1st Fleet", {}),
        ("build", E, {"with": "mining_station"}),
        ("buy", E, {"with": "gm"}),
    ):
        answer = code(await front.order(front.ann, kind, doer, to="4,-2", **beside))
        assert "4,-2 is off the map. The map spans -3,-3 to 3,3; the nearest panel is 3,-2." in answer, kind


async def listed(front: Front) -> str:
    """Return Ann's orders."""
    return text(response(await front.ann.slash(front.world.orders, "order list")))


async def change(front: Front, number: int, to: str) -> simcord.InteractionResult:
    """Change one of Ann's orders."""
    shown = response(await front.ann.slash(front.world.orders, "order list"))
    (select,) = [item for item in components(shown) if item.get("custom_id", "").startswith("order:1:pick")]
    (value,) = [item["value"] for item in select["options"] if str(number) in item["value"]]
    picked = response(await front.ann.select(shown, [value], custom_id=select["custom_id"]))
    return await fill_in(front.ann, picked, {"to": to}, custom_id=press(picked, "change"))


async def test_an_order_is_not_changed_to_one_that_stands(front: Front) -> None:
    """Both orders stay."""
    await front.order(front.ann, "garrison", E, to="1,-3")
    first = written(front.world)[0]
    await front.order(front.ann, "garrison", E, to="3,-3")
    for number, to, stands in ((first, "3,-3", first + 1), (first + 1, "1,-3", first)):
        with nothing_written(front.world):
            assert f"That order was already given: entry #{stands}" in refused(await change(front, number, to))
    shown = await listed(front)
    assert_says(shown, "1,-3", "3,-3")


async def test_an_order_is_changed_to_other_words_and_back(front: Front) -> None:
    """One order all the time."""
    await front.order(front.ann, "garrison", "E", to="1,-3")
    first = written(front.world)[0]
    await change(front, first, "3,-3")
    assert "1,-3" not in await listed(front)
    await change(front, first + 1, "1,-3")
    shown = await listed(front)
    assert "1,-3" in shown
    assert "3,-3" not in shown


async def test_no_more_orders_of_a_kind_than_anybody_needs(front: Front) -> None:
    """The thirty-first is refused."""
    await front.world.gm.slash(front.world.orders, "gm-war set", what="gold", to="E 1000000", reason="A test")
    for number in range(1, 31):
        assert "Order given" in text(
            response(await front.order(front.ann, "buy", E, to="3,-3", **{"with": f"gm {number}"}))
        )
    with nothing_written(front.world):
        refusal = refused(await front.order(front.ann, "buy", E, to="3,-3", **{"with": "gm 31"}))
        assert "Earth Federation can have 30 of these orders at most: Buy units." in refusal
    assert "Order given" in text(response(await front.order(front.ann, "buy", E, to="3,-3", **{"with": "gm 30"})))
    assert "Order given" in text(response(await front.order(front.ann, "garrison", E, to="1,-3", **{"with": "2"})))


async def awaited(world: World) -> str:
    """Return who the board waits for."""
    await use_desk(world.gm, world.orders, "Board")
    await world.env.advance_time(6)
    return next(line for line in text(newest(world.staff)).splitlines() if "Waiting" in line or "Everyone" in line)


async def test_whoever_passes_is_not_awaited_in_this_turn(world: World) -> None:
    """An order ends the pass; a turn of passes ends."""
    front = await begun(world)
    assert "Ann and Bo" in await awaited(world)
    with nothing_written(world):
        assert refused(await front.ann.slash(world.orders, "order give", kind="Pass", who="Bo"))
        assert refused(await world.stranger.slash(world.orders, "order give", kind="Pass", who="Bo"))
    for who, name in ((front.ann, "Ann"), (front.bo, "Bo")):
        assert "does nothing more in this update" in said(
            await who.slash(world.orders, "order give", kind="Pass", who=name)
        )
    assert "Everyone has ordered or passed" in await awaited(world)
    await given(front, front.bo, "move", "2nd Fleet", to="NE")
    assert "Bo" in await awaited(world)
    await front.resolve()
    war = await front.stands()
    assert (war.turn, str(war.forces["2nd Fleet"].at)) == (2, "-1,1")
    await front.close()
    assert "Ann and Bo" in await awaited(world)


async def test_a_war_of_an_archived_campaign_is_looked_at_and_not_played(world: World) -> None:
    """By commands and by old buttons."""
    field = await opened(world)
    front, gm = field.front, world.gm
    await given(front, front.bo, "move", "2nd Fleet", to="NE")
    board = response(await field.do(front.ann, "show"))
    asked = response(await field.do(front.bo, "withdraw"))
    start = response(await gm.slash(world.orders, "gm-war new"))
    card = response(await field.do(front.ann, "act", unit="u12", to="A2", roll="card"))
    eve = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    await confirmed(world, "campaign archive", world.manager)
    await show_every_command(world)
    with nothing_written(world):
        for result in (
            await front.order(front.ann, "move", "1st Fleet", to="SW"),
            await front.order(gm, "move", "1st Fleet", to="SW"),
            await front.ann.slash(world.orders, "order give", kind="Pass", who="Ann"),
            await gm.slash(world.orders, "gm resolve"),
            await eve.slash(world.orders, "war join", faction=E, callsign="Eve"),
            await gm.slash(world.orders, "gm-war set", what="gold", to="E 7", reason="A gift"),
            await gm.slash(world.orders, "gm-war rule", text="It is over. remove: u12"),
            await gm.slash(world.orders, "gm-war new"),
            await gm.click(start, label="Start"),
            await field.do(front.ann, "act", unit="u12", to="A2"),
            await field.do(front.ann, "next"),
            await front.ann.click(board, label="End turn"),
            await front.ann.click(card, label="Roll"),
            await front.bo.click(asked, label="Withdraw"),
            await field.do(gm, "place", unit="u12", tile="A2"),
            await field.do(gm, "condition", side=E),
        ):
            assert "archived" in refused(result)
    assert "First days, turn 1" in await front.sheet()
    assert f"Battle on {AT}" in said(await field.do(front.ann, "show"))
    assert "First days, turn 1" in said(await front.ann.slash(world.orders, "war map"))


async def test_the_question_offers_to_end_the_turn_first(front: Front) -> None:
    """With Resolve."""
    world = front.world
    await front.order(front.ann, "move", "1st Fleet", to="SW")
    asked = response(await world.gm.slash(world.orders, "gm close"))
    assert "Turn 1 of First days hasn't ended. If you close now, the turn goes on in the next update" in text(asked)
    assert labels(asked) == ["Resolve", "Keep open orders and close Update 1", "Cancel all orders"]
    plan = response(await world.gm.click(asked, label="Resolve"))
    await world.gm.click(plan, label="Resolve all")
    assert (await front.stands()).turn == 2
    asked = response(await world.gm.slash(world.orders, "gm close"))
    assert "hasn't ended" not in text(asked)
    assert labels(asked) == ["Close Update 1"]


async def test_who_has_moved_in_a_turn_that_goes_on_is_told_so(world: World) -> None:
    """At once, in the next update."""
    field = await opened(world)
    asked = response(await world.gm.slash(world.orders, "gm close"))
    assert "(1 battle to finish). If you close now" in text(asked)
    await world.gm.click(asked, label="Close Update 1")
    await field.lost()
    assert "has already moved this turn" in refused(await field.front.order(field.ann, "move", "11th Squadron", to="N"))
    await field.front.resolve()
    assert (await field.front.stands()).turn == 2
    assert "Order given" in text(response(await field.front.order(field.ann, "move", "11th Squadron", to="N")))


MAP = ["war-map.png"]


def digests(world: World) -> list[Any]:
    """Return the public digests."""
    return [message for message in world.results.history() if "esults: " in text(message)]


async def test_a_quiet_turn_has_a_digest_that_ends_with_the_map(front: Front) -> None:
    """With income, once."""
    await front.resolve()
    (quiet,) = digests(front.world)
    assert "Turn 2 begins. Earth Federation gets" in text(quiet)
    assert [file.filename for file in quiet.attachments] == MAP
    await front.close()
    await front.resolve()
    assert [file.filename for file in digests(front.world)[-1].attachments] == MAP
    assert len(digests(front.world)) == 2


async def test_a_further_digest_ends_with_the_map_as_it_is_by_then(world: World) -> None:
    """One posted during a battle doesn't take the map."""
    field = await opened(world)
    await use_desk(world.gm, world.orders, "Digest")
    await field.lost()
    await field.front.resolve()
    first, second = digests(world)
    assert "More results" in text(second)
    for shown in (first, second):
        assert [file.filename for file in shown.attachments] == MAP


async def test_who_resolves_while_a_battle_is_fought_is_not_told_to_be_late(world: World) -> None:
    """The title says what comes first."""
    field = await opened(world)
    told = refused(await world.gm.slash(world.orders, "gm resolve"))
    assert "Battle on 0,1" in told
    assert "Too late" not in told
    assert str((await field.front.stands()).turn) == "1"


Options = Mapping[str, str]
EVERY: Mapping[str, tuple[str, Options, str]] = {
    kinds.MOVE: ("1st Fleet", {"to": "SW"}, "Order given"),
    kinds.FOLLOW: ("11th Squadron", {"to": "1st Fleet"}, "Order given"),
    "assign": ("1st Fleet", {"to": "Bo"}, "1st Fleet belongs to Earth Federation, Bo to Zeon."),
    "allot": ("11th Squadron", {"to": "gm", "with": "1"}, "You can't assign 1 gm: only 0 left."),
    "build": (E, {"to": "2,-2", "with": "mining_station"}, "A panel can have only one Mining station."),
    "buy": (E, {"to": "3,-3", "with": "gm"}, "Order given"),
    "research": (E, {"to": "guncannon"}, "Order given"),
    "garrison": (E, {"to": "2,-2"}, "only a capitol or colony can."),
    "delegate": (E, {"to": "Bo"}, "Bo doesn't command a fleet of Earth Federation."),
    "found": ("Ann", {"to": "X", "with": "#2e7d32"}, "Ann can found a faction only as a lone rogue"),
    kinds.ANSWER: (E, {"to": "Bo", "with": "yes"}, "Bo hasn't asked to join a faction."),
    "promote": ("Ann", {"to": "King"}, "'King' isn't a rank"),
    kinds.ROGUE: ("Ann", {}, "Order given"),
    "petition": ("Ann", {"to": "Zeon"}, "Only a lone rogue can ask to join one."),
}
"""Kind, doer, options, and the answer."""


@pytest.mark.parametrize(
    "kind",
    [kind if kind in {"buy", kinds.ANSWER} else pytest.param(kind, marks=pytest.mark.slow) for kind in EVERY],
)
async def test_an_order_is_answered_alike_typed_whole_or_in_a_window(front: Front, kind: str) -> None:
    """Then it resolves."""
    doer, options, answer = EVERY[kind]
    if options:
        asked = await front.order(front.ann, kind, doer)
        filled = {
            "who": doer,
            "to": options["to"],
            **({"beside": options["with"]} if "with" in options else {}),
            "note": "",
        }
        shown = response(await front.ann.submit_modal(asked, filled))
        assert answer in text(shown)
    shown = response(await front.order(front.ann, kind, doer, **options))
    assert answer in text(shown)
    if answer == "Order given":
        await front.resolve()
