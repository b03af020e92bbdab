from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import geometry
from rules.geometry import AROUND, DIRECTIONS, Board, Hex, Square, reach, square_distance, step_from

PLACES = st.builds(Hex, st.integers(-9, 9), st.integers(-9, 9))
NEAR = st.builds(Hex, st.integers(-3, 3), st.integers(-3, 3))
ORIGIN = Hex(0, 0)


@given(place=PLACES)
def test_a_hex_reads_back_as_written(place: Hex) -> None:
    """Its text leads to it again."""
    assert Hex.parse(str(place)) == place == Hex.parse(f" {place.q} , {place.r} ")
    assert Hex.parse(str(place).replace("-", "\N{EN DASH}").replace(",", "\N{FULLWIDTH COMMA}")) == place


@pytest.mark.parametrize("text", ["", "1", "1,", "a,b", "1,2,3", "1.5,2", "99999,1", "\N{ROMAN NUMERAL ONE},2"])
def test_what_is_no_hex_is_refused(text: str) -> None:
    """It takes two whole numbers."""
    with pytest.raises(ValueError, match="isn't a hex"):
        Hex.parse(text)


def test_the_six_lie_around_and_opposites_cancel() -> None:
    """North is up; there and back is nowhere."""
    assert [str(place) for place in geometry.neighbours(ORIGIN)] == ["0,-1", "1,-1", "1,0", "0,1", "-1,1", "-1,0"]
    for one, other in (("N", "S"), ("NE", "SW"), ("SE", "NW")):
        assert ORIGIN.step(one).step(other) == ORIGIN
    assert DIRECTIONS.keys().isdisjoint({"E", "W"})


@given(a=NEAR, b=NEAR)
def test_a_distance_is_the_steps_of_a_shortest_way(a: Hex, b: Hex) -> None:
    """No path is shorter, and one is as short."""
    way = geometry.shortest(a, b, geometry.neighbours, most=12)
    assert way is not None
    assert geometry.hex_distance(a, b) == len(way) - 1 == geometry.hex_distance(b, a)


@given(start=PLACES, direction=st.sampled_from(sorted(DIRECTIONS)), steps=st.integers(1, 7))
def test_a_line_keeps_its_direction(start: Hex, direction: str, steps: int) -> None:
    """Each hex is one farther."""
    line = geometry.line(start, direction, steps)
    assert [geometry.hex_distance(start, place) for place in line] == [*range(1, steps + 1)]
    assert {geometry.find_direction(start, place) for place in line} == {direction}


@given(a=NEAR, b=NEAR)
def test_what_no_line_joins_has_no_bearing(a: Hex, b: Hex) -> None:
    """Only the six lines have one."""
    found = {name for name in DIRECTIONS if b in geometry.line(a, name, 12)}
    assert {geometry.find_direction(a, b)} - {None} == found
    assert len(found) <= 1


@given(centre=PLACES, radius=st.integers(0, 5))
def test_rings_and_discs_hold_what_lies_so_far(centre: Hex, radius: int) -> None:
    """A ring has 6n hexes, a disc 1 + 3n(n + 1)."""
    ring, disc = geometry.ring(centre, radius), geometry.disc(centre, radius)
    assert len({*ring}) == len(ring) == (6 * radius or 1)
    assert {geometry.hex_distance(centre, place) for place in ring} == {radius}
    assert len({*disc}) == len(disc) == 1 + 3 * radius * (radius + 1)
    assert {*disc} == {centre, *geometry.reach(centre, radius, geometry.neighbours)}


@given(place=PLACES, before=PLACES, after=PLACES)
def test_who_follows_keeps_the_same_place_beside_the_leader(place: Hex, before: Hex, after: Hex) -> None:
    """Distance and direction stay."""
    shifted = place.shift(before, after)
    assert (shifted.q - after.q, shifted.r - after.r) == (place.q - before.q, place.r - before.r)


BOARD = Board(5, 4)
SQUARES = st.sampled_from([*BOARD.squares()])


@given(place=st.builds(Square, st.integers(1, 26), st.integers(1, 99)))
def test_a_square_reads_back_as_written(place: Square) -> None:
    """In small letters too."""
    assert Square.parse(str(place)) == place == Square.parse(str(place).lower())


@pytest.mark.parametrize("text", ["", "A", "1", "A0", "AA1", "A100", "1A", "A-1", "A\N{SUPERSCRIPT TWO}"])
def test_what_is_no_square_is_refused(text: str) -> None:
    """It takes a letter and a number from 1."""
    with pytest.raises(ValueError, match="isn't a square"):
        Square.parse(text)


def test_a_board_has_its_squares_and_no_others() -> None:
    """Columns times rows, each once."""
    squares = [*BOARD.squares()]
    assert len({*squares}) == len(squares) == 20
    assert all(place in BOARD for place in squares)
    assert not any(Square(*place) in BOARD for place in ((0, 1), (6, 1), (1, 0), (1, 5)))
    assert [str(place) for place in squares[:2]] == ["A1", "B1"]


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (27, 1), (1, 100)])
def test_a_board_has_no_square_without_a_name(size: tuple[int, int]) -> None:
    """Sizes are limited, and not 0."""
    with pytest.raises(ValueError, match="1 to 26 columns and 1 to 99 rows"):
        Board(*size)
    assert str(max(Board(26, 99).squares())) == "Z99"


@given(a=SQUARES, b=SQUARES)
def test_a_distance_on_squares_is_the_steps_of_a_shortest_way(a: Square, b: Square) -> None:
    """Over edges, and over corners too."""
    assert {a: 0, **reach(a, 9, BOARD.neighbours)}[b] == square_distance(a, b)
    assert {a: 0, **reach(a, 9, BOARD.around)}[b] == square_distance(a, b, over_corners=True)


@given(start=SQUARES, direction=st.sampled_from(sorted(AROUND)))
def test_a_lane_goes_to_the_edge(start: Square, direction: str) -> None:
    """Step by step until the board ends."""
    lane = BOARD.lane(start, direction)
    assert [*lane] == [step_from(before, direction) for before in (start, *lane)][: len(lane)]
    assert all(place in BOARD for place in lane)
    assert step_from(lane[-1] if lane else start, direction) not in BOARD


def _list_between(a: Square, b: Square, *, over_corners: bool) -> list[list[Square]]:
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
    """Some order of the steps meets nothing taken."""
    free = {place for place in BOARD.squares() if place not in taken}
    seen = {
        place
        for place in BOARD.squares()
        if 0 < square_distance(start, place) <= most
        and any(free.issuperset(between) for between in _list_between(start, place, over_corners=False))
    }
    assert BOARD.within(start, most, free.__contains__) == seen
    near = (place for place in BOARD.squares() if 0 < square_distance(start, place) <= most)
    assert {place for place in near if BOARD.leads(start, place, free.__contains__)} == seen


@given(start=SQUARES, goal=SQUARES, over_corners=st.booleans())
@settings(max_examples=60, deadline=None)
def test_whether_a_run_leads_is_asked_of_what_lies_between(start: Square, goal: Square, *, over_corners: bool) -> None:
    """Each square between is checked at most once."""
    asked: list[Square] = []

    def free(place: Square) -> bool:
        asked.append(place)
        return True

    away = partial(square_distance, over_corners=over_corners)
    assert BOARD.leads(start, goal, free, over_corners=over_corners)
    assert len({*asked}) == len(asked)
    assert all(away(start, place) + away(place, goal) == away(start, goal) for place in asked)


@given(start=SQUARES, most=st.integers(0, 3), taken=st.sets(SQUARES, max_size=8))
@settings(max_examples=60, deadline=None)
def test_over_corners_a_run_may_also_bend_aside(start: Square, most: int, taken: set[Square]) -> None:
    """Trying all eight-way paths agrees."""
    seen: set[Square] = set()
    for length in range(1, most + 1):
        for directions in product(AROUND, repeat=length):
            places = [start]
            for direction in directions:
                places.append(step_from(places[-1], direction))
            goal = places[-1]
            if all(place in BOARD for place in places) and square_distance(start, goal, over_corners=True) == length:
                seen |= {goal} if not taken & {*places[1:-1]} else set()
    assert BOARD.within(start, most, lambda place: place not in taken, over_corners=True) == seen
    near = (place for place in BOARD.squares() if 0 < square_distance(start, place, over_corners=True) <= most)
    assert {place for place in near if BOARD.leads(start, place, lambda at: at not in taken, over_corners=True)} == seen


PIECE = geometry.disc(Hex(0, 0), 2)
COSTS = st.dictionaries(st.sampled_from(PIECE), st.sampled_from([1, 1, 2, 3]), min_size=3)
"""What entering costs; a hex that is not there cannot be entered."""
LONGEST = 5


def _list_ways(start: Hex, costs: Mapping[Hex, int], most: int) -> Iterator[tuple[Hex, ...]]:
    waiting: list[tuple[tuple[Hex, ...], int]] = [((start,), 0)]
    while waiting:
        way, spent = waiting.pop()
        yield way
        further = [place for place in geometry.neighbours(way[-1]) if place in costs and place not in way]
        waiting += [((*way, place), spent + costs[place]) for place in further if spent + costs[place] <= most]


@given(costs=COSTS, start=st.sampled_from(PIECE), most=st.integers(0, LONGEST), walls=st.sets(st.sampled_from(PIECE)))
@settings(max_examples=60, deadline=None)
def test_reach_is_what_trying_every_way_finds(costs: Mapping[Hex, int], start: Hex, most: int, walls: set[Hex]) -> None:
    """Least costs match; paths end at stops."""
    tried: dict[Hex, int] = {}
    for way in _list_ways(start, costs, most):
        if len(way) > 1 and not walls & {*way[1:-1]}:
            spent = sum(costs[place] for place in way[1:])
            tried[way[-1]] = min(spent, tried.get(way[-1], spent))
    assert geometry.reach(start, most, geometry.neighbours, costs.get, walls.__contains__) == tried


@given(costs=COSTS, start=st.sampled_from(PIECE), goal=st.sampled_from(PIECE), most=st.integers(0, LONGEST))
@settings(max_examples=60, deadline=None)
def test_a_shortest_way_is_a_way_and_none_is_cheaper(
    costs: Mapping[Hex, int], start: Hex, goal: Hex, most: int
) -> None:
    """Its steps are open, for the cost of `reach`."""
    way = geometry.shortest(start, goal, geometry.neighbours, costs.get, most)
    spent = {start: 0, **geometry.reach(start, most, geometry.neighbours, costs.get)}.get(goal)
    if spent is None:
        assert way is None
        return
    assert way is not None
    assert (way[0], way[-1]) == (start, goal)
    assert all(after in geometry.neighbours(before) for before, after in pairwise(way))
    assert sum(costs[place] for place in way[1:]) == spent


@given(within=st.sets(st.sampled_from(PIECE)), sources=st.sets(st.sampled_from(PIECE), max_size=3))
@settings(max_examples=60, deadline=None)
def test_what_hangs_together_is_what_can_be_walked_to(within: set[Hex], sources: set[Hex]) -> None:
    """Chains of hexes within join sources."""
    free = dict.fromkeys(within, 1)
    walked = {
        place
        for place in within
        if any(
            source == place or geometry.shortest(source, place, geometry.neighbours, free.get) is not None
            for source in sources & within
        )
    }
    assert geometry.find_connected(sources, within, geometry.neighbours) == walked


def test_a_far_goal_behind_a_wall_has_no_way() -> None:
    """One gap opens everything."""
    board = Board(6, 6)
    wall = {Square(3, row) for row in range(1, 7)}

    def entered(closed: set[Square]) -> Callable[[Square], int | None]:
        return lambda place: None if place in closed else 1

    assert geometry.shortest(Square(1, 1), Square(6, 6), board.neighbours, entered(wall)) is None
    through = geometry.shortest(Square(1, 1), Square(6, 6), board.neighbours, entered(wall - {Square(3, 1)}))
    assert through is not None
    assert Square(3, 1) in through
