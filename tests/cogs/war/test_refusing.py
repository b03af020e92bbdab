"""Orders that are refused: others' forces, names of nobody, and what the rules forbid; in private, with a code, and nothing is written."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tests.cogs.war.front import E, Front, begun, recruit
from tests.cogs.war.ordering import code
from tests.support.reading import refused, said
from tests.support.world import World, written


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
    before = written(world)
    for (name, who), doer in itertools.product(people.items(), sorted(set().union(*mine.values()))):
        if doer in mine.get(name, set()):
            continue
        kind, options = _SOME.get(doer, ("move", {"to": "N"}))
        answer = code(await front.order(who, kind, doer, **options))
        assert ("E_NOT_YOURS" if name else "no part") in answer, (name, doer, answer)
    assert written(world) == before


_SOME: dict[str, tuple[str, dict[str, str]]] = {
    E: ("buy", {"to": "3,-3", "with": "gm"}),
    "Zeon": ("research", {"to": "zgok"}),
    **{name: ("rogue", {}) for name in ("Ann", "Bo", "Cid", "Dan")},
}
"""What is ordered of factions and players; a force is to move."""


async def test_names_that_nobody_has_are_refused_or_mean_whoever_they_name(front: Front) -> None:
    """A number behind a name adds nothing in a war; a name of nobody is refused in private, and nothing is written."""
    for doer in ("", " ", "9th Fleet", "@everyone", "x" * 200, "*", "Neutral", "N", "\u202e1st"):
        before = written(front.world)
        assert refused(await front.order(front.ann, "move", doer, to="SW")), doer
        assert written(front.world) == before, doer
    for doer in ("1st Fleet #1", "1st  fleet #999"):
        assert "Order given" in said(await front.order(front.ann, "move", doer, to="SW")), doer


FORBIDDEN: Sequence[tuple[str, str, dict[str, str], str]] = [
    ("move", "1st Fleet", {"to": "SW SW SW SW"}, "E_TOO_FAR"),
    ("move", "1st Fleet", {"to": "SW S"}, "E_NOT_STRAIGHT"),
    ("move", "1st Fleet", {"to": "2,-2"}, "E_NO_MOVE"),
    ("move", "11th Squadron", {"to": "N N N"}, "E_TOO_FAR"),
    ("move", "12th Squadron", {"to": "SE"}, "E_OFF_MAP"),
    ("move", "1st Fleet", {"to": "NW E"}, "E_BAD_DIRECTION"),
    ("move", "1st Fleet", {"to": "2nd fleet"}, "E_MUST_ENTER"),
    ("move", "Solar System", {"to": "2nd Fleet"}, "E_CANNOT_ATTACK"),
    ("move", "1st Fleet", {"to": "11th Squadron"}, "E_NO_TARGET"),
    ("move", "11th Squadron", {"to": "SE"}, "E_OCCUPIED"),
    ("move", "Solar System", {"to": "S S"}, "E_TOO_FAR"),
    ("follow", "12th Squadron", {"to": "1st Fleet"}, "E_NOT_ADJACENT"),
    ("follow", "11th Squadron", {"to": "2nd Fleet"}, "E_NOT_A"),
    ("build", E, {"to": "2,-2", "with": "mining_station"}, "E_ALREADY_BUILT"),
    ("build", E, {"to": "0,0", "with": "mining_station"}, "E_NOT_OWNER"),
    ("build", E, {"to": "2,-3", "with": "mining_station"}, "E_WRONG_PANEL"),
    ("build", E, {"to": "3,-3", "with": "castle"}, "E_NO_TARGET"),
    ("buy", E, {"to": "3,-3", "with": "guncannon"}, "E_NOT_RESEARCHED"),
    ("buy", E, {"to": "3,-3", "with": "gm 6"}, "E_NO_FUNDS"),
    ("buy", E, {"to": "3,-3", "with": "zaku"}, "E_"),
    ("garrison", E, {"to": "2,-2"}, "E_WRONG_PANEL"),
    ("research", E, {"to": "death star"}, "E_NO_TARGET"),
    ("promote", "Ann", {"to": "King"}, "E_"),
    ("assign", "1st Fleet", {"to": "Bo"}, "E_NOT_ALLIED"),
    ("assign", "1st Fleet", {"to": "Nobody"}, "E_NO_TARGET"),
    ("delegate", E, {"to": "Bo"}, "E_RANK"),
    ("allot", "11th Squadron", {"to": "gm", "with": "1"}, "E_NO_FUNDS"),
    ("found", E, {"to": "X", "with": "#000000"}, "E_ROGUE"),
    ("found", "Ann", {"to": "X", "with": "#2e7d32"}, "E_NOT_A_COLONY"),
    ("petition", "Ann", {"to": "Zeon"}, "E_ROGUE"),
    ("answer", E, {"to": "end"}, "E_NO_TARGET"),
    ("answer", E, {"to": "Bo", "with": "yes"}, "E_NO_TARGET"),
]
"""Kinds of orders, whom each is about, its options, and the code by which it is refused."""


async def test_what_the_rules_forbid_is_refused_in_private_with_its_code(front: Front) -> None:
    """The refusal says why and by which code, and nothing is written."""
    for kind, doer, options, why in FORBIDDEN:
        before = written(front.world)
        answer = code(await front.order(front.ann, kind, doer, **options))
        assert why in answer, (kind, doer, options, answer)
        assert written(front.world) == before, (kind, doer, options)


async def test_a_way_that_cannot_be_read_says_how_one_is_written(front: Front) -> None:
    """A direction that is none is named, with those there are; else a panel, a path and directions are shown by example."""
    said = code(await front.order(front.ann, "move", "1st Fleet", to="NW E"))
    assert "'E' in 'NW E' is no direction: they are N, NE, SE, S, SW and NW." in said
    assert "such as 4,-1" in said
    said = code(await front.order(front.ann, "move", "1st Fleet", to="home"))
    assert "where it ends, such as 4,-1; each panel of it, such as 1,0 > 2,0; or directions, such as NW N" in said
