from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rules.books.total_war import board, fight
from rules.books.total_war.board import Battlefield, Ground, board_of
from rules.books.total_war.catalog import COIN, Refused, Terms, Terrain, UnitClass
from rules.books.total_war.combat import Die, play_order, require_order
from rules.geometry import EDGES, Square, square_distance, touches
from tests.rules.total_war.asking import BOOK, ask

TERMS = Terms(BOOK)
BOARD = board_of(TERMS)
NEAR = st.builds(Square, st.integers(3, 9), st.integers(3, 9))
FLAGS = st.sets(st.sampled_from(["flying", "amphibious"])).map(frozenset)
NAMES = [f"u{number}" for number in range(8)]
FIGHTERS = st.builds(
    board.Fighter,
    side=st.sampled_from(["E", "Z"]),
    kind=st.sampled_from([*BOOK.entries_of(UnitClass)]),
    at=st.just(Square(1, 1)),
    attack=st.builds(board.Attack, st.integers(1, 3), st.integers(2, 8), st.none() | st.integers(1, 100)),
    defense=st.integers(0, 6),
    flags=FLAGS,
    ace=st.integers(0, 5),
    hero=st.booleans(),
)
NAMED = st.sampled_from([*NAMES, "nobody"])
ORDERS = st.one_of(
    st.builds(fight.MoveUnit, NAMED, NEAR),
    st.builds(fight.Shoot, NAMED, NAMED, st.lists(NAMED, max_size=2).map(tuple)),
    st.builds(fight.Shoot, NAMED, st.tuples(NAMED, NAMED)),
    st.builds(fight.Clash, NAMED, NAMED, st.none() | st.sampled_from(COIN)),
    st.builds(fight.Fire, NAMED, st.sampled_from([*EDGES])),
    st.builds(fight.Next, st.sampled_from(["E", "Z"])),
    st.builds(fight.Next, st.sampled_from(["E", "Z"])),
    st.builds(fight.Withdraw, st.sampled_from(["E", "Z", "R"])),
)


@st.composite
def fights(draw: st.DrawFn) -> fight.Fight:
    """Battles before their first order."""
    ground = Ground(draw(st.dictionaries(NEAR.map(str), st.sampled_from([*BOOK.entries_of(Terrain)]), max_size=8)))
    field = Battlefield(TERMS, ground)
    units: dict[str, board.Fighter] = {}
    for name, fighter in zip(NAMES, draw(st.lists(FIGHTERS, min_size=2, max_size=8)), strict=False):
        taken = {unit.at for unit in units.values()}
        at = draw(NEAR)
        if at not in taken and field.may_enter(at, fighter.flags):
            units[name] = msgspec.structs.replace(fighter, at=at)
    units.setdefault("u0", msgspec.structs.replace(draw(FIGHTERS), at=Square(1, 1), side="E"))
    units.setdefault("u1", msgspec.structs.replace(draw(FIGHTERS), at=Square(12, 12), side="Z"))
    return fight.begin_fight(draw(st.sampled_from(["space", "land"])), ground, units)


class Thrown:
    """Seeded dice, counted."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a test's dice
        self.count = 0

    def __call__(self, die: Die) -> int:
        """Throw one."""
        self.count += 1
        return self._random.randint(1, die.sides)


@pytest.mark.no_cover
@settings(max_examples=150, deadline=None)
@given(battle=fights(), orders=st.lists(ORDERS, min_size=1, max_size=25), seed=st.integers(0, 999))
def test_a_battle_adds_up_whatever_is_ordered(battle: fight.Fight, orders: list[fight.Order], seed: int) -> None:
    """Refusals change nothing; units and losses always add up."""
    start, throw = battle, Thrown(seed)
    for order in orders:
        before, thrown = battle, throw.count
        stored = msgspec.json.encode(before)
        try:
            battle, result = play_order(TERMS, before, order, throw)
        except Refused:
            assert throw.count == thrown
            with pytest.raises(Refused):
                require_order(TERMS, before, order)
            continue
        finally:
            assert msgspec.json.encode(before) == stored
        require_order(TERMS, before, order)
        assert msgspec.json.decode(msgspec.json.encode(battle), type=fight.Fight) == battle
        _check_places(before, battle)
        assert {*before.units} - {*battle.units} == {*(result.destroyed or ())}
    _check_sums(start, battle)


def _check_places(before: fight.Fight, after: fight.Fight) -> None:
    places = [unit.at for unit in after.units.values()]
    assert len({*places}) == len(places)
    for name, unit in after.units.items():
        was = before.units[name]
        assert unit.at in BOARD
        assert after.around(TERMS, name).may_enter(unit.at, unit.flags) or unit.at == was.at
        assert square_distance(was.at, unit.at) <= BOOK.entries_of(UnitClass)[unit.kind].moves(after.where)
        assert not (was.moved and unit.at != was.at)


def _check_sums(start: fight.Fight, end: fight.Fight) -> None:
    for side in start.sides:
        assert start.unit_counts[side] == end.unit_counts[side] + end.lost.get(side, 0)
    assert sum(end.kills.values()) <= sum(end.lost.values())
    assert {*end.kills} <= {*end.units}
    standing = [side for side in end.sides if end.unit_counts[side] and side not in end.withdrawn]
    assert end.outcome.over == (len(standing) < min(2, len(start.sides)))


@pytest.mark.parametrize("change", [{"withdrawn": ("E",)}, {"met": "Z"}], ids=["withdrawn", "met"])
@settings(max_examples=40, deadline=None)
@given(battle=fights(), order=ORDERS)
def test_the_end_of_a_battle_is_the_end(change: dict[str, Any], battle: fight.Fight, order: fight.Order) -> None:
    """X1, X4, X5: a finished battle refuses all orders."""
    assume({*change.get("withdrawn", ())} <= {*battle.sides})
    with pytest.raises(Refused) as refusal:
        play_order(TERMS, msgspec.structs.replace(battle, **change), order, Thrown(0))
    assert refusal.value.code == "E_BATTLE_OVER"


UNITS: dict[str, dict[str, Any]] = {
    "gm": {"side": "E", "class": "ms", "at": "F6", "attack": "2x 1d6", "defense": 5},
    "jet": {"side": "E", "class": "combat", "at": "E7", "attack": "3x 1d4", "defense": 3},
    "bus": {"side": "E", "class": "noncombat", "at": "A1", "attack": None, "defense": 2},
    "ship": {"side": "E", "class": "warship", "at": "L7", "attack": "1x 1d6", "defense": 6},
    "zaku": {"side": "Z", "class": "ms", "at": "F7", "attack": "2x 1d6", "defense": 4},
    "dom": {"side": "Z", "class": "ms", "at": "G7", "attack": "2x 1d6", "defense": 4},
    "gelgoog": {"side": "Z", "class": "ms", "at": "L1", "attack": "2x 1d6", "defense": 4},
}
REFUSED = [
    ({"unit": "gm", "to": "F7"}, "E_OCCUPIED"),
    ({"unit": "gm", "to": "F8"}, "E_BLOCKED"),
    ({"unit": "gm", "to": "Z1"}, "E_OFF_BOARD"),
    ({"unit": "gm", "to": "F6"}, "E_NO_MOVE"),
    ({"unit": "gm", "to": "A6"}, "E_TOO_FAR"),
    ({"unit": "ship", "to": "K6"}, "E_NOT_STRAIGHT"),
    ({"unit": "gm", "to": "G5"}, "E_TERRAIN"),
    ({"unit": "zaku", "to": "F8"}, "E_NOT_YOURS"),
    ({"unit": "ghost", "to": "F8"}, "E_NO_TARGET"),
    ({"unit": "gm", "shoot": "ghost"}, "E_NO_TARGET"),
    ({"unit": "gm", "shoot": "jet"}, "E_OWN_UNIT"),
    ({"unit": "gm", "shoot": "gelgoog"}, "E_OUT_OF_RANGE"),
    ({"unit": "jet", "shoot": "dom"}, "E_OBSTRUCTED"),
    ({"unit": "gm", "shoot": ["zaku", "dom"]}, "E_ONE_TARGET"),
    ({"unit": "gm", "shoot": "dom", "with": "jet"}, "E_NOT_CLOSE"),
    ({"unit": "gm", "shoot": "zaku", "with": ["jet", "bus"]}, "E_CANNOT_ATTACK"),
    ({"unit": "gm", "shoot": "zaku", "with": "gm"}, "E_ALREADY_ATTACKED"),
    ({"unit": "gm", "shoot": "zaku", "with": "dom"}, "E_NOT_YOURS"),
    ({"unit": "bus", "shoot": "zaku"}, "E_CANNOT_ATTACK"),
    ({"unit": "ship", "shoot": "zaku"}, "E_CANNOT_ATTACK"),
    ({"unit": "gm", "melee": "zaku", "call": "heads"}, "E_NOT_MELEE_TILE"),
    ({"unit": "gm", "melee": "dom"}, "E_NO_CALL"),
    ({"unit": "jet", "melee": "zaku", "call": "heads"}, "E_NO_MELEE"),
    ({"unit": "gm", "melee": "jet"}, "E_OWN_UNIT"),
    ({"unit": "gm", "fire": "A"}, "E_NOT_WARSHIP"),
    ({"next": "Z"}, "E_NOT_YOURS"),
    ({"withdraw": "R"}, "E_NOT_YOURS"),
]


@pytest.mark.parametrize(("order", "code"), REFUSED, ids=lambda value: value if isinstance(value, str) else None)
def test_a_refused_order_says_why_and_changes_nothing(order: dict[str, Any], code: str) -> None:
    """Each refusal has its code and names the unit."""
    board = {"op": "battle", "map": "space", "terrain": {"G5": "debris"}, "units": UNITS}
    answer = ask(**board, orders=[order])
    result = answer["results"][0]

    assert (result["ok"], result["error"]) == (False, code)
    assert {**answer, "results": []} == ask(**board, orders=[])
    assert any(name in result["text"] for name in [*UNITS, "F6", "E7", "L7", "ghost", "R isn't", "Z can't", "Z1"])


def test_units_that_combine_have_attacked_and_the_best_has_the_kill() -> None:
    """D5, AMB-51: both attacked; most attempts get the kill."""
    answer = ask(
        op="battle",
        map="space",
        units=UNITS,
        orders=[
            {"unit": "gm", "shoot": "zaku", "with": "jet", "dice": [{"d10": 4}, {"d10": 1}, {"d10": 5}]},
            {"unit": "jet", "shoot": "dom", "dice": [{"d4": 4}]},
        ],
    )

    tries, spent = ["held", "held", "beats"], ["gm", "jet"]
    assert answer["results"][0] == {"ok": True, "tries": tries, "destroyed": ["zaku"], "spent": spent}
    assert answer["results"][1]["error"] == "E_ALREADY_ATTACKED"
    assert {name: answer["kills"][name] for name in ("gm", "jet")} == {"gm": 0, "jet": 1}


def test_a_unit_attacks_once_in_a_turn_in_whichever_way() -> None:
    """F1: a shot uses up melee, and melee the shot."""
    shot = {"unit": "gm", "shoot": "zaku", "dice": [{"d6": 1}, {"d6": 1}]}
    clash = {"unit": "gm", "melee": "dom", "call": "heads", "dice": {"coin": "tails", "d6": 6}}
    for orders in ([shot, clash], [clash, shot]):
        first, second = ask(op="battle", map="space", units=UNITS, orders=orders)["results"]
        assert (first["ok"], first["destroyed"], second["error"]) == (True, [], "E_ALREADY_ATTACKED")


def test_a_half_of_a_turn_ends_and_all_may_act_anew_in_the_next() -> None:
    """AMB-39, 63: a turn has two halves."""
    orders: list[dict[str, Any]] = [{"unit": "gm", "to": "F5"}, {"next": "E"}, {"unit": "dom", "to": "H7"}]
    answer = ask(op="battle", map="space", units=UNITS, orders=orders)
    assert (answer["turn"], answer["active"], answer["units"]["gm"]["moved"]) == (1, "Z", True)

    answer = ask(op="battle", map="space", units=UNITS, orders=[*orders, {"next": "Z"}, {"unit": "gm", "to": "F4"}])
    assert (answer["turn"], answer["active"], answer["units"]["gm"]["tile"]) == (2, "E", "F4")
    assert answer["units"]["dom"] == {"tile": "H7", "moved": False, "attacked": False, "fired": None}

    answer = ask(op="battle", map="space", active="Z", units=UNITS, orders=[{"next": "Z"}, {"next": "E"}])
    assert (answer["turn"], answer["active"]) == (2, "Z")


def test_a_flying_ship_hits_who_stands_on_the_rock_that_ends_its_lane() -> None:
    """W1, AMB-55: only flyers hit flyers on rock."""
    units = {
        "ship": {"side": "E", "class": "warship", "at": "A1", "attack": "1x 1d6", "defense": 6, "flags": ["flying"]},
        "ace": {"side": "Z", "class": "combat", "at": "A3", "attack": "1x 1d6", "defense": 6, "flags": ["flying"]},
        "jet": {"side": "Z", "class": "combat", "at": "A5", "attack": "1x 1d6", "defense": 6},
    }
    board = {"op": "battle", "map": "land", "terrain": {"A3": "rock"}, "orders": [{"unit": "ship", "fire": "12"}]}
    assert ask(**board, units=units)["results"][0]["destroyed"] == ["ace"]

    grounded = {**units, "ship": {**units["ship"], "flags": []}}
    assert ask(**board, units=grounded)["results"][0]["destroyed"] == []


def test_the_last_unit_of_a_side_ends_the_battle() -> None:
    """X4: own units destroyed give no kills."""
    units = {
        "ship": {"side": "E", "class": "warship", "at": "A1", "attack": "1x 1d6", "defense": 6},
        "own": {"side": "E", "class": "noncombat", "at": "A2", "attack": "1x 1d6", "defense": 6},
        "jet": {"side": "Z", "class": "combat", "at": "A3", "attack": "1x 1d6", "defense": 6},
    }
    answer = ask(op="battle", map="land", units=units, orders=[{"unit": "ship", "fire": "12"}, {"withdraw": "E"}])
    assert (answer["over"], answer["winner"], answer["results"][1]["error"]) == (True, "E", "E_BATTLE_OVER")
    assert answer["results"][0]["destroyed"] == ["own", "jet"]
    assert (answer["kills"], answer["lost"]) == ({"ship": 1, "own": 0, "jet": 0}, {"E": 1, "Z": 1})


def test_what_cannot_be_read_as_a_battle_is_told() -> None:
    """Unknown words, keys and dice are errors."""
    board: dict[str, Any] = {"op": "battle", "map": "space", "units": UNITS}
    for order, words in [
        ({"unit": "gm", "jump": "A1"}, "needs one of the keys"),
        ({"unit": "gm", "to": "A1", "shoot": "zaku"}, "unknown field"),
        ({"unit": "gm", "to": "here"}, "isn't a square"),
        ({"unit": "gm", "shoot": "zaku", "dice": [{"d6": 1}]}, "d6 of try 2 is missing"),
        ({"unit": "gm", "shoot": "zaku", "dice": [{"d6": 9}]}, "no face 9"),
        ({"unit": "gm", "melee": "dom", "call": "heads", "dice": {}}, "coin is missing"),
        ({"unit": "ship", "fire": "A", "dice": {}}, "d100 of G7 is missing"),
        ({"unit": "ship", "fire": "B"}, "Invalid enum value"),
    ]:
        answer = ask(**board, orders=[order])
        assert words in answer["error"], answer
        assert "ok" not in answer
    assert "isn't a side" in ask(**board, orders=[], active="R")["error"]
    third = {**UNITS, "rebel": {**UNITS["gm"], "side": "R", "at": "B2"}}
    assert "2 sides at most" in ask(op="battle", map="space", units=third, orders=[])["error"]
    crowded = {**UNITS, "second": {**UNITS["gm"]}}
    assert ask(op="battle", map="space", units=crowded, orders=[])["error"] == "E_OCCUPIED"


def test_a_special_condition_ends_a_battle() -> None:
    """X5: the side that met it has won."""
    units = {"a": board.Fighter("E", "ms", Square(1, 1), None, 5), "z": board.Fighter("Z", "ms", Square(2, 2), None, 5)}
    assert touches(Square(1, 1), Square(2, 2))
    battle, _ = play_order(TERMS, fight.begin_fight("space", Ground(), units), fight.MeetCondition("Z"), Thrown(1))
    assert (battle.outcome.over, battle.outcome.winner) == (True, "Z")
    with pytest.raises(Refused, match="is over"):
        play_order(TERMS, battle, fight.MeetCondition("E"), Thrown(1))
    with pytest.raises(Refused, match="has no attack"):
        play_order(TERMS, fight.begin_fight("space", Ground(), units), fight.Shoot("a", "z"), Thrown(1))
