from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.books.total_war import board
from rules.books.total_war.catalog import Refused, Terms, Terrain, UnitClass
from rules.geometry import AROUND, EDGES, Board, Square, square_distance, step_from
from tests.rules.total_war.asking import BOOK, HERE

TERMS = Terms(BOOK)
BOARD = board.board_of(TERMS)
CLASSES, TERRAIN = [*BOOK.entries_of(UnitClass)], [*BOOK.entries_of(Terrain)]
SQUARES = st.sampled_from([*BOARD.squares()])
NEAR = st.builds(Square, st.integers(4, 9), st.integers(4, 9))
FLAGS = st.sets(st.sampled_from(["flying", "amphibious"])).map(frozenset)
GROUNDS = st.dictionaries(NEAR.map(str), st.sampled_from(TERRAIN), max_size=12).map(board.Ground)
FIELDS = st.builds(board.Battlefield, st.just(TERMS), GROUNDS, st.frozensets(NEAR, max_size=6))
COUNTS = {"G": 5, "N": 5, "F": 8, "D": 6, "L": 4, "W": 9, "X": 6, "P": 8}


def _list_walks(start: Square, most: int, directions: Collection[str]) -> Iterator[tuple[Square, ...]]:
    for length in range(1, most + 1):
        for ways in product(directions, repeat=length):
            run = [start]
            for way in ways:
                run.append(step_from(run[-1], way))
            if all(place in BOARD for place in run):
                yield tuple(run[1:])


@pytest.mark.no_cover
@settings(max_examples=25, deadline=None)
@given(
    field=FIELDS,
    mover=st.builds(board.Mover, st.sampled_from(CLASSES), NEAR, st.sampled_from(["space", "land"]), FLAGS),
)
def test_a_unit_goes_where_a_free_path_leads(field: board.Battlefield, mover: board.Mover) -> None:
    """Brute force finds the same tiles and fewest steps."""
    kind = BOOK.entries_of(UnitClass)[mover.kind]
    best: dict[Square, int] = {}
    for run in _list_walks(mover.at, kind.moves(mover.where), EDGES):
        in_line = run in {BOARD.lane(mover.at, way)[: len(run)] for way in EDGES}
        entered = all(place not in field.held and field.may_enter(place, mover.flags) for place in run)
        if entered and (in_line or not kind.straight) and run[-1] != mover.at:
            best[run[-1]] = min(len(run), best.get(run[-1], len(run)))

    found = board.destinations(field, mover)

    assert found == best
    for goal in BOARD.squares():
        if goal in best:
            assert board.require_steps(field, mover, goal) == best[goal]
        else:
            with pytest.raises(Refused):
                board.require_steps(field, mover, goal)


def _find_targets(field: board.Battlefield, shooter: board.Shooter) -> set[Square]:
    found = set()
    for goal in BOARD.squares():
        with suppress(Refused):
            board.require_target(field, shooter, goal)
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
    field: board.Battlefield, kind: str, at: Square, flags: frozenset[str], counted: str
) -> None:
    """Brute force finds the same targets for each switch."""
    field = board.Battlefield(Terms(BOOK, {"range": counted}), field.ground, field.held)
    over_corners, most = counted == "king", BOOK.entries_of(UnitClass)[kind].range or 0
    hit: set[Square] = {*BOARD.around(at)}
    for run in _list_walks(at, most, AROUND if over_corners else EDGES):
        shortest = square_distance(at, run[-1], over_corners=over_corners) == len(run)
        straight = run in {BOARD.lane(at, way)[: len(run)] for way in EDGES}
        if shortest and (straight or counted != "lines") and all(map(field.is_passed, run[:-1])):
            hit.add(run[-1])
    hit = {place for place in hit if field.is_exposed(place, at, flags)}
    shooter = board.Shooter(kind, at, flags)

    assert _find_targets(field, shooter) == board.target_tiles(field, shooter) == hit


@settings(deadline=None)
@given(field=FIELDS, at=SQUARES, flags=FLAGS)
def test_a_warship_aims_along_its_lanes(field: board.Battlefield, at: Square, flags: frozenset[str]) -> None:
    """Only terrain blocks a lane."""
    hit = set()
    for way in EDGES:
        lane = BOARD.lane(at, way)
        for number, place in enumerate(lane):
            between = lane[:number]
            if not any(field.terrain(other).obstructs for other in between) and field.is_exposed(place, at, flags):
                hit.add(place)

    ship = board.Shooter("warship", at, flags)
    assert _find_targets(field, ship) == board.target_tiles(field, ship) == hit


@pytest.mark.parametrize(("kind", "space", "land"), [("ms", 24, 12), ("ma", 24, 12), ("combat", 12, 4), ("noncombat", 4, 4), ("warship", 16, 12)])  # fmt: skip
def test_reach_on_an_open_board_is_as_counted(kind: str, space: int, land: int) -> None:
    """N2, N3: reach from the middle of an open board."""
    field = board.Battlefield(TERMS, board.Ground())
    assert len(board.destinations(field, board.Mover(kind, Square(6, 6), "space"))) == space
    assert len(board.destinations(field, board.Mover(kind, Square(6, 6), "land"))) == land
    assert Board(12, 12) == BOARD


def test_every_rule_of_a_battle_is_shown() -> None:
    """Each rule G1 to P8 has a golden line."""
    shown: set[str] = set()
    for block in re.split(r"^(?=# [A-Z]\d)", (HERE / "battle.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        assert any(line.startswith("{") for line in block.splitlines())
        shown |= {*re.findall(r"\b[A-Z]\d+\b", block.splitlines()[0].split(":")[0])}

    assert {f"{letter}{number}" for letter, most in COUNTS.items() for number in range(1, most + 1)} <= shown
