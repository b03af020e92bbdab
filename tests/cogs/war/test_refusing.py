"""Orders that are refused: others' forces, names of nobody, a hidden one as nobody's, and places off the map; in private, with a code and what would do instead."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tests.cogs.war.front import E, Front, begun, example, in_fog, recruit
from tests.cogs.war.ordering import code
from tests.support.reading import refused, said
from tests.support.world import World, nothing_written, written


async def test_nobody_orders_anothers_about(world: World) -> None:
    """Whoever carries it out, be it a force, faction or player: only their own gives the order, all others are refused with a code, and nothing is written."""
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
    """A member without a role of the campaign is refused its sheets, its map and its battles."""
    for command in ("war show", "war map", "battle show"):
        answer = refused(await front.world.stranger.slash(front.world.orders, command))
        assert "You don't play in Iron Sea" in answer, command


_SOME: dict[str, tuple[str, dict[str, str]]] = {
    E: ("buy", {"to": "3,-3", "with": "gm"}),
    "Zeon": ("research", {"to": "zgok"}),
    **{name: ("rogue", {}) for name in ("Ann", "Bo", "Cid", "Dan")},
}
"""What is ordered of factions and players; a force is to move."""


async def test_names_that_nobody_has_are_refused_or_mean_whoever_they_name(front: Front) -> None:
    """A number behind a name adds nothing in a war; a name of nobody is refused in private, and nothing is written."""
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
"""Kinds of orders, whom each is about, its options, and what is said of whom it names."""


async def test_a_name_is_anothers_or_nobodys(front: Front) -> None:
    """Each is said apart, with those whom one can give that order, and nothing is written."""
    for kind, doer, options, told in ANOTHERS:
        before, answer = written(front.world), code(await front.order(front.ann, kind, doer, **options))
        mine = {"move": "1st Fleet", "buy": E, "rogue": "Ann"}[kind]
        assert told in answer
        assert f"You can order: {mine}" in answer or f"Did you mean {mine}?" in answer
        assert ("Fleet" in answer) == (kind == "move"), "only those are named who can carry it out"
        assert written(front.world) == before, (kind, doer)


async def test_in_fog_a_hidden_force_is_refused_as_one_of_nobody(world: World) -> None:
    """AMB-80: but for the name that was typed the answers are the same."""
    front = await begun(world, in_fog(example()))
    hidden, nobody = [code(await front.order(front.ann, "move", name, to="N")) for name in ("2nd Fleet", "7th Fleet")]
    assert "You don't know of a force called '2nd Fleet'." in hidden
    assert hidden.replace("2nd Fleet", "7th Fleet") == nobody


async def test_a_panel_off_the_map_is_refused_with_its_bounds(front: Front) -> None:
    """The refusal says how far the map reaches, and which panel is nearest."""
    for kind, doer, beside in (
        ("move", "1st Fleet", {}),
        ("build", E, {"with": "mining_station"}),
        ("buy", E, {"with": "gm"}),
    ):
        answer = code(await front.order(front.ann, kind, doer, to="4,-2", **beside))
        assert "4,-2 is off the map. The map spans -3,-3 to 3,3; the nearest panel is 3,-2." in answer, kind
