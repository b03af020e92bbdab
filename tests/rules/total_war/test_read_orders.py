from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.books.total_war.actions import read_order
from rules.books.total_war.catalog import Refused
from rules.books.total_war.order_kinds import OrderText
from rules.books.total_war.orders.command import (
    Admit,
    Allot,
    AnswerCapitol,
    Assign,
    Delegate,
    Found,
    Petition,
    Promote,
    Rogue,
)
from rules.books.total_war.orders.movement import Follow, MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.war import War, WarAction
from rules.geometry import DIRECTIONS, Hex
from tests.rules.total_war.wars import COLONY, RULES, after, find_code, go_rogue, rules, start_war

WAR = start_war()


def read(war: War = WAR, /, **words: Any) -> WarAction:  # noqa: ANN401 - as Words
    """Read an order, of Ann by default."""
    return read_order(RULES, war, OrderText(**{"actor": "Ann", **words}))


def _find_refusal(war: War = WAR, /, **words: Any) -> Refused:  # noqa: ANN401 - as Words
    with pytest.raises(Refused) as caught:
        read(war, **words)
    return caught.value


def path(who: str, to: str, war: War = WAR) -> tuple[str, ...]:
    """Return a move's path."""
    action = read(war, kind="move", who=who, to=to)
    assert isinstance(action, MoveForce)
    return action.path


@pytest.mark.parametrize(
    ("to", "way"),
    [
        ("2,1", ("S", "S", "S")),
        ("2,-1 2,0 2,1", ("S", "S", "S")),
        ("2,-1 > 2,0", ("S", "S")),
        ("2,-1->2,0 -> 2,1", ("S", "S", "S")),
        ("2,-2 > 2,-1", ("S",)),
        (" s S ", ("S", "S")),
        ("S > se", ("S", "SE")),
        ("0,0", ("SW", "SW")),
    ],
)
def test_a_fleets_way_is_read_from_a_panel_a_path_or_directions(to: str, way: tuple[str, ...]) -> None:
    """M1, H1, H3: all ways to write a path."""
    assert path("1st Fleet", to) == way


@pytest.mark.parametrize(
    ("who", "to", "refusal"),
    [
        ("1st Fleet", "1,0", "E_NOT_STRAIGHT"),
        ("1st Fleet", "-2,2", "E_TOO_FAR"),
        ("1st Fleet", "9,9", "E_OFF_MAP"),
        ("1st Fleet", "2,-2", "E_NO_MOVE"),
        ("1st Fleet", "2,0 2,1", "E_NOT_ADJACENT"),
        ("1st Fleet", "there", "E_NO_TARGET"),
        ("1st Fleet", "1,2,3", "E_NO_TARGET"),
        ("1st Fleet", "12345,0", "E_NO_TARGET"),
        ("1st Fleet", "N " * 41, "E_NO_TARGET"),
        ("1st Fleet", " ", "E_NO_TARGET"),
        ("1st Fleet", None, "E_NO_TARGET"),
        ("9th Fleet", "2,0", "E_NO_TARGET"),
        (None, "2,0", "E_NO_TARGET"),
        ("Solar System", "2,0", "E_TOO_FAR"),
    ],
)
def test_a_way_that_cannot_be_read_is_refused_and_says_what_would_be_right(
    who: str | None, to: str | None, refusal: str
) -> None:
    """M1, M3, H3: with code, piece and limit."""
    assert _find_refusal(kind="move", who=who, to=to).code == refusal


def test_what_is_wrong_with_a_way_is_named() -> None:
    """M1: distances, and how paths look."""
    assert str(_find_refusal(kind="move", who="1st Fleet", to="-2,2")) == (
        "-2,2 is 4 panels from 2,-2. 1st Fleet can move 3."
    )
    assert "each panel (1,0 > 2,0)" in str(_find_refusal(kind="move", who="1st Fleet", to="home"))
    assert "did you mean 1st Fleet?" in str(_find_refusal(kind="move", who="1st Flet", to="2,0"))
    facility = WAR.with_forces(replace(WAR.forces["Solar System"], kind="facility"))
    assert _find_refusal(facility, kind="move", who="Solar System", to="3,-1").code == "E_STATIONARY"


def test_a_squadrons_way_goes_past_enemies_where_it_can() -> None:
    """M2, AMB-04, AMB-06, AMB-08: peaceful ways come first."""
    squadron = replace(WAR.forces["11th Squadron"], at=Hex(0, 0))
    war = WAR.with_forces(squadron, replace(WAR.forces["2nd Fleet"], at=Hex(0, -1)))
    assert path("11th Squadron", "1,-2", war) == ("NE", "N")
    war = war.with_forces(replace(war.forces["21st Squadron"], at=Hex(1, -1)))
    assert path("11th Squadron", "1,-2", war) == ("N", "NE")
    assert path("11th Squadron", "0,-2", war) == ("N", "N")
    squadron, friend = WAR.forces["11th Squadron"], WAR.forces["12th Squadron"]
    war = WAR.with_forces(replace(squadron, at=Hex(0, 0)), replace(WAR.forces["2nd Fleet"], at=Hex(1, -1)))
    beside = war.with_forces(replace(friend, at=Hex(0, -1)))
    assert path("11th Squadron", "0,-1", beside) == ("N",)
    assert find_code(beside, MoveForce(who="11th Squadron", path=("N",))) == "E_OCCUPIED"
    behind = war.with_forces(replace(friend, at=Hex(2, -2)))
    assert _find_refusal(behind, kind="move", who="11th Squadron", to="2,-2").code == "E_OCCUPIED"


def test_a_squadron_goes_round_what_is_blocked() -> None:
    """AMB-02: another short way is taken."""
    by = rules(lambda data: data["map"]["blocked"].append("0,-1"))
    war = start_war(by)
    war = war.with_forces(replace(war.forces["11th Squadron"], at=Hex(0, 0)))
    for to, way in (("1,-2", ("NE", "N")), ("0,-1", ("N",))):
        action = read_order(by, war, OrderText("move", "11th Squadron", to))
        assert isinstance(action, MoveForce)
        assert action.path == way
    assert find_code(war, MoveForce(who="11th Squadron", path=("N",)), by) == "E_BLOCKED"
    by = rules(lambda data: data["map"]["blocked"].append("0,-3"))
    war = start_war(by)
    war = war.with_forces(replace(war.forces["12th Squadron"], at=Hex(1, -3)))
    assert find_code(war, MoveForce(who="12th Squadron", path=("N", "S")), by) == "E_OFF_MAP"
    assert find_code(war, MoveForce(who="12th Squadron", path=("N", "SW")), by) == "E_BLOCKED"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([*WAR.panels]), st.sampled_from([*WAR.panels]), st.lists(st.sampled_from([*WAR.panels]), max_size=4)
)
def test_a_squadron_gets_where_any_way_leads(at: Hex, goal: Hex, foes: list[Hex]) -> None:
    """M2: the shortest possible way is found."""
    enemy = WAR.forces["22nd Squadron"]
    war = replace(WAR, forces={"11th Squadron": replace(WAR.forces["11th Squadron"], at=at)})
    war = war.with_forces(*(replace(enemy, name=str(foe), at=foe) for foe in foes if foe != at))
    ways = [way for steps in (1, 2) for way in product(DIRECTIONS, repeat=steps) if ends(war, way, goal)]
    if not ways or at == goal:
        return
    found = path("11th Squadron", str(goal), war)
    assert ends(war, found, goal)
    assert len(found) == min(map(len, ways))


def ends(war: War, way: tuple[str, ...], goal: Hex) -> bool:
    """Check that a path is allowed and ends on a panel."""
    try:
        return after(war, MoveForce(who="11th Squadron", path=way)).forces["11th Squadron"].at == goal
    except Refused:
        return False


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ({"kind": "follow", "who": "11TH squadron", "to": "1st fleet"}, Follow(actor="Ann", who="11th Squadron", fleet="1st Fleet")),
        ({"kind": "follow", "who": "11th Squadron", "to": "1st Fleet", "besides": "0,0"}, Follow(actor="Ann", who="11th Squadron", fleet="1st Fleet", after=Hex(0, 0))),
        ({"kind": "build", "to": "2,-2", "besides": "mining_station (40 gold)"}, Build(actor="Ann", faction="E", item="mining_station", at=Hex(2, -2))),
        ({"kind": "build", "who": "earth federation", "to": "2,-2", "besides": "Mining station"}, Build(actor="Ann", faction="E", item="mining_station", at=Hex(2, -2))),
        ({"kind": "garrison", "to": "1,-3"}, Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY)),
        ({"kind": "garrison", "to": "3,-3", "besides": "x2"}, Build(actor="Ann", faction="E", item="capitol_garrison_upgrade", at=Hex(3, -3), number=2)),
        ({"kind": "garrison", "to": "1,-3", "besides": "2 colony_garrison"}, Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY, number=2)),
        ({"kind": "garrison", "to": "3,-3", "besides": "2 saberfish (38 gold)"}, Build(actor="Ann", faction="E", item="capitol_garrison_upgrade", at=Hex(3, -3), number=2, model="saberfish")),
        ({"kind": "buy", "to": "3,-3", "besides": "gm"}, Buy(actor="Ann", faction="E", model="gm", at=Hex(3, -3))),
        ({"kind": "buy", "to": "3,-3", "besides": "3x GM (20 gold)"}, Buy(actor="Ann", faction="E", model="gm", at=Hex(3, -3), number=3)),
        ({"kind": "buy", "to": "3,-3", "besides": "gm 3"}, Buy(actor="Ann", faction="E", model="gm", at=Hex(3, -3), number=3)),
        ({"kind": "research", "to": "guncannon"}, Research(actor="Ann", faction="E", model="guncannon")),
        ({"kind": "research", "besides": "guncannon (50 gold)", "to": "3,-3"}, Research(actor="Ann", faction="E", model="guncannon")),
        ({"kind": "promote", "who": "bob", "to": "captain"}, Promote(actor="Ann", player="Bob", rank="Captain")),
        ({"kind": "assign", "who": "1st Fleet", "to": "Bob"}, Assign(actor="Ann", who="1st Fleet", player="Bob")),
        ({"kind": "delegate", "to": "Bob"}, Delegate(actor="Ann", faction="E", player="Bob")),
        ({"kind": "delegate", "to": "Nobody"}, Delegate(actor="Ann", faction="E")),
        ({"kind": "allot", "who": "1st Fleet", "to": "gm (4 wait)", "besides": "2"}, Allot(actor="Ann", who="1st Fleet", model="gm", number=2)),
        ({"kind": "allot", "who": "1st Fleet", "besides": "2 gm"}, Allot(actor="Ann", who="1st Fleet", model="gm", number=2)),
        ({"kind": "rogue"}, Rogue(actor="Ann", player="Ann")),
        ({"kind": "rogue", "who": "Bob"}, Rogue(actor="Ann", player="Bob")),
        ({"kind": "found", "to": "Axis", "besides": "#2E7D32"}, Found(actor="Ann", faction="E", name="Axis", colour="#2E7D32")),
        ({"kind": "petition", "who": "Bob", "to": "Zeon"}, Petition(actor="Ann", player="Bob", faction="Z")),
        ({"kind": "answer", "to": "End"}, AnswerCapitol(actor="Ann", faction="E", answer="end")),
        ({"kind": "answer", "who": "Z", "to": "on"}, AnswerCapitol(actor="Ann", faction="Z", answer="on")),
        ({"kind": "answer", "to": "Bob", "besides": "yes"}, Admit(actor="Ann", player="Bob", takes=True)),
        ({"kind": "answer", "to": "Bob", "besides": "No"}, Admit(actor="Ann", player="Bob", takes=False)),
    ],
)  # fmt: skip
def test_each_kind_of_order_is_read(words: dict[str, str], action: WarAction) -> None:
    """T1, B2, B8 to B11, K3 to K5, R1, R7, R9, V2: in any case, with hints."""
    assert read(**words) == action


@pytest.mark.parametrize(
    ("words", "refusal", "told"),
    [
        ({"kind": "dance"}, "E_NO_TARGET", "move, follow, build"),
        ({"kind": "build", "to": "2,-2"}, "E_NO_TARGET", "an item"),
        ({"kind": "build", "to": "2,-2", "besides": "mining"}, "E_NO_TARGET", "Mining station"),
        ({"kind": "build", "to": "here", "besides": "mining_station"}, "E_NO_TARGET", "4,-1"),
        ({"kind": "build", "to": "8,8", "besides": "mining_station"}, "E_OFF_MAP", "8,8"),
        (
            {"kind": "build", "who": "Y", "to": "2,-2", "besides": "mining_station"},
            "E_NO_TARGET",
            "Earth Federation, Zeon",
        ),
        ({"kind": "build", "actor": None, "to": "2,-2", "besides": "mining_station"}, "E_NO_TARGET", "which faction"),
        ({"kind": "garrison", "to": "0,0"}, "E_WRONG_PANEL", "capitol or colony"),
        ({"kind": "buy", "to": "3,-3", "besides": "99999 gm"}, "E_NO_TARGET", "gm"),
        ({"kind": "buy", "to": "3,-3", "besides": "3"}, "E_NO_TARGET", "a model"),
        ({"kind": "research", "to": "dom"}, "E_NO_TARGET", "'dom' isn't a model to research (known: guncannon)."),
        ({"kind": "promote", "who": "Bob", "to": "King"}, "E_NO_TARGET", "Admiral"),
        ({"kind": "follow", "who": "11th Squadron", "to": "1st Fleet", "besides": "home"}, "E_NO_TARGET", "4,-1"),
        ({"kind": "found", "to": "Axis"}, "E_NO_TARGET", "colour"),
        ({"kind": "answer", "to": "maybe"}, "E_NO_TARGET", "end, on"),
        ({"kind": "answer", "to": "Bob"}, "E_NO_TARGET", "yes or no"),
        ({"kind": "petition", "actor": None, "to": "Z"}, "E_NO_TARGET", "a player"),
    ],
)
def test_words_that_cannot_be_read_are_refused(words: dict[str, str | None], refusal: str, told: str) -> None:
    """B1, K1: with what is possible."""
    found = _find_refusal(**words)
    assert (found.code, told in str(found)) == (refusal, True), str(found)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["move", "follow", "build", "garrison", "buy", "research", "promote", "assign", "delegate", "allot", "rogue", "found", "petition", "answer", "x"]),
    *[st.none() | st.text(max_size=12) | st.sampled_from(["1st Fleet", "Ann", "E", "0,0", "gm 3", "3", "gm (", "end", "🚀 2"])] * 4,
)  # fmt: skip
def test_whatever_is_typed_is_a_deed_or_a_refusal(
    kind: str, who: str | None, to: str | None, besides: str | None, actor: str | None
) -> None:
    """E_NO_TARGET: random text never fails otherwise."""
    with suppress(Refused):
        assert read_order(RULES, WAR, OrderText(kind, who, to, besides, actor)).actor == actor


def test_a_lone_rogue_asks_for_themselves() -> None:
    """R9: the giver is the default."""
    war = go_rogue()
    action = read(war, kind="petition", to="Z", actor="Bob")
    assert after(war, action).players["Bob"].petition == "Z"


def test_an_answer_to_nobody_tells_who_has_asked() -> None:
    """Only players who asked this faction are listed."""
    assert str(_find_refusal(kind="answer", to="maybe")) == "'maybe' isn't end, on, or a player who has asked."
    war = go_rogue()
    asked = after(war, read(war, kind="petition", to="E", actor="Bob"))
    told = "'maybe' isn't end, on, or a player who has asked (known: Bob)."
    assert str(_find_refusal(asked, kind="answer", to="maybe")) == told
    assert str(_find_refusal(asked, kind="answer", to="maybe", actor=None)) == told
    action = read(asked, kind="answer", to="Bob", besides="yes", actor=None)
    assert action == Admit(actor=None, player="Bob", takes=True)
