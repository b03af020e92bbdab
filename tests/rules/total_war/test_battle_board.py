"""The board of a battle: reach and aim against every path there is, and whoever stands somewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.books.total_war.board import (
    Battlefield,
    Ground,
    Mover,
    Shooter,
    board_of,
    destinations,
    require_steps,
    require_target,
    target_tiles,
)
from rules.books.total_war.catalog import Terrain, UnitClass
from rules.books.total_war.terms import Refused, Terms
from rules.geometry import AROUND, EDGES, Board, Square, square_distance, step_from
from tests.rules.total_war.asking import BOOK, HERE

TERMS = Terms(BOOK)
BOARD = board_of(TERMS)
CLASSES, TERRAIN = [*BOOK.listed(UnitClass)], [*BOOK.listed(Terrain)]
SQUARES = st.sampled_from([*BOARD.squares()])
NEAR = st.builds(Square, st.integers(4, 9), st.integers(4, 9))
FLAGS = st.sets(st.sampled_from(["flying", "amphibious"])).map(frozenset)
GROUNDS = st.dictionaries(NEAR.map(str), st.sampled_from(TERRAIN), max_size=12).map(Ground)
FIELDS = st.builds(Battlefield, st.just(TERMS), GROUNDS, st.frozensets(NEAR, max_size=6))
COUNTS = {"G": 5, "N": 5, "F": 8, "D": 6, "L": 4, "W": 9, "X": 6, "P": 8}
"""How many rules each letter of the battle has."""


def walked(start: Square, most: int, directions: Collection[str]) -> Iterator[tuple[Square, ...]]:
    """Yield every run of at most so many steps that stays on the board."""
    for length in range(1, most + 1):
        for ways in product(directions, repeat=length):
            run = [start]
            for way in ways:
                run.append(step_from(run[-1], way))
            if all(place in BOARD for place in run):
                yield tuple(run[1:])


@pytest.mark.no_cover
@settings(max_examples=25, deadline=None)
@given(field=FIELDS, mover=st.builds(Mover, st.sampled_from(CLASSES), NEAR, st.sampled_from(["space", "land"]), FLAGS))
def test_a_unit_goes_where_a_free_path_leads(field: Battlefield, mover: Mover) -> None:
    """Where a unit can go is where some path of allowed steps ends that enters neither units nor closed tiles, in the fewest steps."""
    kind = BOOK.listed(UnitClass)[mover.kind]
    best: dict[Square, int] = {}
    for run in walked(mover.at, kind.moves(mover.where), EDGES):
        in_line = run in {BOARD.lane(mover.at, way)[: len(run)] for way in EDGES}
        entered = all(place not in field.held and field.may_enter(place, mover.flags) for place in run)
        if entered and (in_line or not kind.straight) and run[-1] != mover.at:
            best[run[-1]] = min(len(run), best.get(run[-1], len(run)))

    found = destinations(field, mover)

    assert found == best
    for goal in BOARD.squares():
        if goal in best:
            assert require_steps(field, mover, goal) == best[goal]
        else:
            with pytest.raises(Refused):
                require_steps(field, mover, goal)


def aimed_at(field: Battlefield, shooter: Shooter) -> set[Square]:
    """The tiles that are no refused targets, each asked for by itself."""
    found = set()
    for goal in BOARD.squares():
        with suppress(Refused):
            require_target(field, shooter, goal)
            found.add(goal)
    return found


@settings(max_examples=40, deadline=None)
@given(
    field=FIELDS,
    kind=st.sampled_from(["ms", "combat"]),
    at=NEAR,
    flags=FLAGS,
    counted=st.sampled_from(["path", "king", "lines"]),
)
def test_a_unit_shoots_where_a_free_path_leads(
    field: Battlefield, kind: str, at: Square, flags: frozenset[str], counted: str
) -> None:
    """What is in range touches, or lies at the end of a shortest run of steps, as the switch counts them, over free tiles alone."""
    field = Battlefield(Terms(BOOK, {"range": counted}), field.ground, field.held)
    over_corners, most = counted == "king", BOOK.listed(UnitClass)[kind].range or 0
    hit: set[Square] = {*BOARD.around(at)}
    for run in walked(at, most, AROUND if over_corners else EDGES):
        shortest = square_distance(at, run[-1], over_corners=over_corners) == len(run)
        straight = run in {BOARD.lane(at, way)[: len(run)] for way in EDGES}
        if shortest and (straight or counted != "lines") and all(map(field.is_passed, run[:-1])):
            hit.add(run[-1])
    hit = {place for place in hit if field.is_exposed(place, at, flags)}
    shooter = Shooter(kind, at, flags)

    assert aimed_at(field, shooter) == target_tiles(field, shooter) == hit


@settings(deadline=None)
@given(field=FIELDS, at=SQUARES, flags=FLAGS)
def test_a_warship_aims_along_its_lanes(field: Battlefield, at: Square, flags: frozenset[str]) -> None:
    """A warship aims at what lies in its column or row with no terrain between that obstructs, whoever stands there."""
    hit = set()
    for way in EDGES:
        lane = BOARD.lane(at, way)
        for number, place in enumerate(lane):
            between = lane[:number]
            if not any(field.terrain(other).obstructs for other in between) and field.is_exposed(place, at, flags):
                hit.add(place)

    ship = Shooter("warship", at, flags)
    assert aimed_at(field, ship) == target_tiles(field, ship) == hit


@pytest.mark.parametrize(("kind", "space", "land"), [("ms", 24, 12), ("ma", 24, 12), ("combat", 12, 4), ("noncombat", 4, 4), ("warship", 16, 12)])  # fmt: skip
def test_reach_on_an_open_board_is_as_counted(kind: str, space: int, land: int) -> None:
    """N2 and N3: so many tiles are within reach in the middle of an open board."""
    field = Battlefield(TERMS, Ground())
    assert len(destinations(field, Mover(kind, Square(6, 6), "space"))) == space
    assert len(destinations(field, Mover(kind, Square(6, 6), "land"))) == land
    assert Board(12, 12) == BOARD


def test_every_rule_of_a_battle_is_shown() -> None:
    """Each rule G1 to P8 stands over a golden line."""
    shown: set[str] = set()
    for block in re.split(r"^(?=# [A-Z]\d)", (HERE / "battle.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        assert any(line.startswith("{") for line in block.splitlines())
        shown |= {*re.findall(r"\b[A-Z]\d+\b", block.splitlines()[0].split(":")[0])}

    assert {f"{letter}{number}" for letter, most in COUNTS.items() for number in range(1, most + 1)} <= shown
