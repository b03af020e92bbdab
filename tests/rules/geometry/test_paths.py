"""Reach, shortest ways and what hangs together, beside every way there is on small pieces of both grids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.geometry import hexes, paths
from rules.geometry.hexes import Hex
from rules.geometry.squares import Board, Square

PIECE = hexes.disc(Hex(0, 0), 2)
COSTS = st.dictionaries(st.sampled_from(PIECE), st.sampled_from([1, 1, 2, 3]), min_size=3)
"""What entering costs; a hex that is not there cannot be entered."""
LONGEST = 5


def every_way(start: Hex, costs: Mapping[Hex, int], most: int) -> Iterator[tuple[Hex, ...]]:
    """Every way that enters no hex twice and costs at most so much, found by trying."""
    waiting: list[tuple[tuple[Hex, ...], int]] = [((start,), 0)]
    while waiting:
        way, spent = waiting.pop()
        yield way
        further = [place for place in hexes.neighbours(way[-1]) if place in costs and place not in way]
        waiting += [((*way, place), spent + costs[place]) for place in further if spent + costs[place] <= most]


@given(costs=COSTS, start=st.sampled_from(PIECE), most=st.integers(0, LONGEST), walls=st.sets(st.sampled_from(PIECE)))
@settings(max_examples=60, deadline=None)
def test_reach_is_what_trying_every_way_finds(costs: Mapping[Hex, int], start: Hex, most: int, walls: set[Hex]) -> None:
    """Whatever the terrain, just the hexes to which some way leads are reached, each for the least; nobody leaves a stop."""
    tried: dict[Hex, int] = {}
    for way in every_way(start, costs, most):
        if len(way) > 1 and not walls & {*way[1:-1]}:
            spent = sum(costs[place] for place in way[1:])
            tried[way[-1]] = min(spent, tried.get(way[-1], spent))
    assert paths.reach(start, most, hexes.neighbours, costs.get, walls.__contains__) == tried


@given(costs=COSTS, start=st.sampled_from(PIECE), goal=st.sampled_from(PIECE), most=st.integers(0, LONGEST))
@settings(max_examples=60, deadline=None)
def test_a_shortest_way_is_a_way_and_none_is_cheaper(
    costs: Mapping[Hex, int], start: Hex, goal: Hex, most: int
) -> None:
    """A way goes step by step from start to goal over what can be entered, for what reach says; without reach there is none."""
    way = paths.shortest(start, goal, hexes.neighbours, costs.get, most)
    spent = {start: 0, **paths.reach(start, most, hexes.neighbours, costs.get)}.get(goal)
    if spent is None:
        assert way is None
        return
    assert way is not None
    assert (way[0], way[-1]) == (start, goal)
    assert all(after in hexes.neighbours(before) for before, after in pairwise(way))
    assert sum(costs[place] for place in way[1:]) == spent


@given(within=st.sets(st.sampled_from(PIECE)), sources=st.sets(st.sampled_from(PIECE), max_size=3))
@settings(max_examples=60, deadline=None)
def test_what_hangs_together_is_what_can_be_walked_to(within: set[Hex], sources: set[Hex]) -> None:
    """A hex is joined when it is a source itself, or some chain of hexes within leads to one."""
    free = dict.fromkeys(within, 1)
    walked = {
        place
        for place in within
        if any(
            source == place or paths.shortest(source, place, hexes.neighbours, free.get) is not None
            for source in sources & within
        )
    }
    assert paths.connected(sources, within, hexes.neighbours) == walked


def test_a_far_goal_behind_a_wall_has_no_way() -> None:
    """On a board cut in two by a wall there is no way across, and one gap lets every square be reached."""
    board = Board(6, 6)
    wall = {Square(3, row) for row in range(1, 7)}

    def entered(closed: set[Square]) -> Callable[[Square], int | None]:
        return lambda place: None if place in closed else 1

    assert paths.shortest(Square(1, 1), Square(6, 6), board.neighbours, entered(wall)) is None
    through = paths.shortest(Square(1, 1), Square(6, 6), board.neighbours, entered(wall - {Square(3, 1)}))
    assert through is not None
    assert Square(3, 1) in through
