"""Squares: labels, distances, lanes, and what a free shortest run leads to."""

from __future__ import annotations

from functools import partial
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.geometry.paths import reach
from rules.geometry.squares import AROUND, Board, Square, distance, stepped

BOARD = Board(5, 4)
SQUARES = st.sampled_from([*BOARD.squares()])


@given(place=st.builds(Square, st.integers(1, 26), st.integers(1, 99)))
def test_a_square_reads_back_as_written(place: Square) -> None:
    """What a square is called leads to it again, in small letters too."""
    assert Square.parse(str(place)) == place == Square.parse(str(place).lower())


@pytest.mark.parametrize("text", ["", "A", "1", "A0", "AA1", "A100", "1A", "A-1", "A\N{SUPERSCRIPT TWO}"])
def test_what_is_no_square_is_refused(text: str) -> None:
    """Anything but a letter with a number from 1 is no square."""
    with pytest.raises(ValueError, match="isn't a square"):
        Square.parse(text)


def test_a_board_has_its_squares_and_no_others() -> None:
    """Columns times rows, each once, and none beyond an edge."""
    squares = [*BOARD.squares()]
    assert len({*squares}) == len(squares) == 20
    assert all(place in BOARD for place in squares)
    assert not any(Square(*place) in BOARD for place in ((0, 1), (6, 1), (1, 0), (1, 5)))
    assert [str(place) for place in squares[:2]] == ["A1", "B1"]


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (27, 1), (1, 100)])
def test_a_board_has_no_square_without_a_name(size: tuple[int, int]) -> None:
    """Columns are letters and rows have two digits; no board is larger, nor is any empty."""
    with pytest.raises(ValueError, match="1 to 26 columns and 1 to 99 rows"):
        Board(*size)
    assert str(max(Board(26, 99).squares())) == "Z99"


@given(a=SQUARES, b=SQUARES)
def test_a_distance_is_the_steps_of_a_shortest_way(a: Square, b: Square) -> None:
    """On an empty board as many steps are taken as the distance says, over edges and over corners too."""
    assert {a: 0, **reach(a, 9, BOARD.neighbours)}[b] == distance(a, b)
    assert {a: 0, **reach(a, 9, BOARD.around)}[b] == distance(a, b, over_corners=True)


@given(start=SQUARES, direction=st.sampled_from(sorted(AROUND)))
def test_a_lane_goes_to_the_edge(start: Square, direction: str) -> None:
    """Step by step in one direction, until the next square would lie beyond."""
    lane = BOARD.lane(start, direction)
    assert [*lane] == [stepped(before, direction) for before in (start, *lane)][: len(lane)]
    assert all(place in BOARD for place in lane)
    assert stepped(lane[-1] if lane else start, direction) not in BOARD


def runs(a: Square, b: Square, *, over_corners: bool) -> list[list[Square]]:
    """What lies between on every shortest run, each made of the steps that it takes in every order."""
    across, up = b.column - a.column, b.row - a.row
    both = min(abs(across), abs(up)) if over_corners else 0
    sideways, upwards = (across > 0) - (across < 0), (up > 0) - (up < 0)
    plain = [(sideways, 0)] * (abs(across) - both) + [(0, upwards)] * (abs(up) - both)
    found = []
    for steps in {*permutations(plain + [(sideways, upwards)] * both)}:
        places = [a]
        for column, row in steps:
            places.append(Square(places[-1].column + column, places[-1].row + row))
        found.append(places[1:-1])
    return found


@given(start=SQUARES, most=st.integers(0, 3), taken=st.sets(SQUARES, max_size=8))
@settings(max_examples=60, deadline=None)
def test_within_is_what_a_free_shortest_run_leads_to(start: Square, most: int, taken: set[Square]) -> None:
    """Over edges: some order of the steps, straight across and straight up, meets nothing that is taken on its way."""
    free = {place for place in BOARD.squares() if place not in taken}
    seen = {
        place
        for place in BOARD.squares()
        if 0 < distance(start, place) <= most
        and any(free.issuperset(between) for between in runs(start, place, over_corners=False))
    }
    assert BOARD.within(start, most, free.__contains__) == seen
    near = (place for place in BOARD.squares() if 0 < distance(start, place) <= most)
    assert {place for place in near if BOARD.leads(start, place, free.__contains__)} == seen


@given(start=SQUARES, goal=SQUARES, over_corners=st.booleans())
@settings(max_examples=60, deadline=None)
def test_whether_a_run_leads_is_asked_of_what_lies_between(start: Square, goal: Square, *, over_corners: bool) -> None:
    """Only squares on a shortest run are looked at, each once, and on an empty board one always leads."""
    asked: list[Square] = []

    def free(place: Square) -> bool:
        asked.append(place)
        return True

    away = partial(distance, over_corners=over_corners)
    assert BOARD.leads(start, goal, free, over_corners=over_corners)
    assert len({*asked}) == len(asked)
    assert all(away(start, place) + away(place, goal) == away(start, goal) for place in asked)


@given(start=SQUARES, most=st.integers(0, 3), taken=st.sets(SQUARES, max_size=8))
@settings(max_examples=60, deadline=None)
def test_over_corners_a_run_may_also_bend_aside(start: Square, most: int, taken: set[Square]) -> None:
    """Every run of so many of the eight steps is tried: some shortest one meets nothing that is taken on its way."""
    seen: set[Square] = set()
    for length in range(1, most + 1):
        for directions in product(AROUND, repeat=length):
            places = [start]
            for direction in directions:
                places.append(stepped(places[-1], direction))
            goal = places[-1]
            if all(place in BOARD for place in places) and distance(start, goal, over_corners=True) == length:
                seen |= {goal} if not taken & {*places[1:-1]} else set()
    assert BOARD.within(start, most, lambda place: place not in taken, over_corners=True) == seen
    near = (place for place in BOARD.squares() if 0 < distance(start, place, over_corners=True) <= most)
    assert {place for place in near if BOARD.leads(start, place, lambda at: at not in taken, over_corners=True)} == seen
