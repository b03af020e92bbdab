"""Hexes: coordinates, directions, distances, lines, rings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.geometry import hexes, paths
from rules.geometry.hexes import DIRECTIONS, Hex

PLACES = st.builds(Hex, st.integers(-9, 9), st.integers(-9, 9))
NEAR = st.builds(Hex, st.integers(-3, 3), st.integers(-3, 3))
ORIGIN = Hex(0, 0)


@given(place=PLACES)
def test_a_hex_reads_back_as_written(place: Hex) -> None:
    """What a hex is called leads to it again."""
    assert Hex.parse(str(place)) == place == Hex.parse(f" {place.q} , {place.r} ")
    assert Hex.parse(str(place).replace("-", "\N{EN DASH}").replace(",", "\N{FULLWIDTH COMMA}")) == place


@pytest.mark.parametrize("text", ["", "1", "1,", "a,b", "1,2,3", "1.5,2", "99999,1", "\N{ROMAN NUMERAL ONE},2"])
def test_what_is_no_hex_is_refused(text: str) -> None:
    """Anything but two whole numbers is no hex."""
    with pytest.raises(ValueError, match="isn't a hex"):
        Hex.parse(text)


def test_the_six_lie_around_and_opposites_cancel() -> None:
    """North is up and south is down; there and back is nowhere; six different hexes touch."""
    assert [str(place) for place in hexes.neighbours(ORIGIN)] == ["0,-1", "1,-1", "1,0", "0,1", "-1,1", "-1,0"]
    for one, other in (("N", "S"), ("NE", "SW"), ("SE", "NW")):
        assert ORIGIN.step(one).step(other) == ORIGIN
    assert DIRECTIONS.keys().isdisjoint({"E", "W"})


@given(a=NEAR, b=NEAR)
def test_a_distance_is_the_steps_of_a_shortest_way(a: Hex, b: Hex) -> None:
    """No way over open hexes is shorter than the distance, and one is as short."""
    way = paths.shortest(a, b, hexes.neighbours, most=12)
    assert way is not None
    assert hexes.distance(a, b) == len(way) - 1 == hexes.distance(b, a)


@given(start=PLACES, direction=st.sampled_from(sorted(DIRECTIONS)), steps=st.integers(1, 7))
def test_a_line_keeps_its_direction(start: Hex, direction: str, steps: int) -> None:
    """Each hex of a line is one farther, in the one direction that its end lies in."""
    line = hexes.line(start, direction, steps)
    assert [hexes.distance(start, place) for place in line] == [*range(1, steps + 1)]
    assert {hexes.bearing(start, place) for place in line} == {direction}


@given(a=NEAR, b=NEAR)
def test_what_no_line_joins_has_no_bearing(a: Hex, b: Hex) -> None:
    """There is a bearing just where one of the six lines goes through; none from a hex to itself."""
    found = {name for name in DIRECTIONS if b in hexes.line(a, name, 12)}
    assert {hexes.bearing(a, b)} - {None} == found
    assert len(found) <= 1


@given(centre=PLACES, radius=st.integers(0, 5))
def test_rings_and_discs_hold_what_lies_so_far(centre: Hex, radius: int) -> None:
    """A ring has six hexes for each step, all just so far; a disc has 1 + 3n(n + 1), all there are within reach."""
    ring, disc = hexes.ring(centre, radius), hexes.disc(centre, radius)
    assert len({*ring}) == len(ring) == (6 * radius or 1)
    assert {hexes.distance(centre, place) for place in ring} == {radius}
    assert len({*disc}) == len(disc) == 1 + 3 * radius * (radius + 1)
    assert {*disc} == {centre, *paths.reach(centre, radius, hexes.neighbours)}


@given(place=PLACES, before=PLACES, after=PLACES)
def test_who_follows_keeps_the_same_place_beside_the_leader(place: Hex, before: Hex, after: Hex) -> None:
    """Shifted as the leader moves, it is as far from it as before, to the same side."""
    shifted = place.shifted(before, after)
    assert (shifted.q - after.q, shifted.r - after.r) == (place.q - before.q, place.r - before.r)
