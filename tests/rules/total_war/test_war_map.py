from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.books.total_war.catalog import BadSwitch, Piece, Refused, Terms, set_switches
from rules.books.total_war.movement import (
    Land,
    MoveResult,
    Victory,
    find_captured,
    move_force,
    reachable_panels,
    ride_along,
)
from rules.books.total_war.war import NEUTRAL, Force, find_supplied
from rules.geometry import DIRECTIONS, Hex, disc, hex_distance, neighbours
from tests.rules.total_war.asking import BOOK

TERMS = Terms(BOOK)
HERE = Hex(0, 0)
MAP = disc(HERE, 4)
panels = st.sampled_from(MAP)
some = st.frozensets(panels, max_size=12)
owners = st.dictionaries(panels, st.sampled_from(["F", "Z", "R", NEUTRAL]), max_size=40)
KINDS = st.sampled_from(["fleet", "squadron", "superweapon"])
forces = st.builds(Force, st.just("A"), KINDS, st.just("F"), st.just(HERE), tagged=st.booleans())


@st.composite
def lands(draw: st.DrawFn) -> Land:
    """Small maps with holes and a free middle."""
    holes, enemies = draw(some), draw(some)
    kept = frozenset(MAP) - holes | {HERE}
    return Land(kept, "F", draw(owners), enemies - {HERE}, draw(some) - enemies - {HERE}, blocked=draw(some) - {HERE})


def _try_path(force: Force, path: tuple[str, ...], land: Land) -> MoveResult | None:
    try:
        return move_force(TERMS, force, path, land)
    except Refused:
        return None


@given(forces, lands())
def test_the_reach_of_a_force_is_where_its_orders_can_end(force: Force, land: Land) -> None:
    """Reach equals the ends of all allowed paths."""
    longest = TERMS.number("after-riding") if force.tagged else TERMS.of(Piece, force.kind).most
    paths = (path for steps in range(1, longest + 1) for path in product(DIRECTIONS, repeat=steps))
    ends = {made.at for path in paths if (made := _try_path(force, path, land)) is not None}
    assert reachable_panels(TERMS, force, land) == ends - {HERE}


@given(forces, lands(), st.lists(st.sampled_from([*DIRECTIONS]), max_size=4))
def test_nobody_ends_on_a_friend_off_the_map_or_beyond_reach(force: Force, land: Land, path: list[str]) -> None:
    """Moves take only panels they entered."""
    made = _try_path(force, tuple(path), land)
    if made is None:
        return
    assert made.at in land.panels - land.friends - land.blocked
    assert hex_distance(HERE, made.at) <= made.steps <= TERMS.of(Piece, force.kind).most
    assert (made.fights is None) == (made.at not in land.enemies)
    assert made.fights not in made.captured
    assert not {*made.captured} & {panel for panel, owner in land.owners.items() if owner == "F"}


@given(st.sampled_from([*DIRECTIONS]), st.integers(1, 3), st.sets(st.sampled_from([*neighbours(HERE)])), lands())
def test_who_rides_along_keeps_its_place_beside_the_fleet(way: str, steps: int, at: set[Hex], land: Land) -> None:
    """Followers keep one panel unless they fight."""
    riders = [Force(str(panel), "squadron", "F", panel) for panel in at]
    try:
        made, taken = ride_along(TERMS, HERE, (way, steps), riders, land)
    except Refused:
        return
    for name, follower in taken.items():
        assert Hex.parse(name).shift(HERE, made.at) == follower.at
        assert follower.at in land.panels
        assert follower.extra == (0 if follower.at in land.enemies else 1)
        assert follower.at not in land.friends - at - {HERE}


@given(owners, st.lists(panels, max_size=3))
def test_supply_is_what_spreads_from_the_sources(land: dict[Hex, str], sources: list[Hex]) -> None:
    """It equals a second algorithm."""
    own = [panel for panel, owner in land.items() if owner == "F"]
    group = {panel: panel for panel in own}

    def root(panel: Hex) -> Hex:
        while group[panel] != panel:
            panel = group[panel]
        return panel

    for panel in own:
        for other in neighbours(panel):
            if other in group:
                group[root(panel)] = root(other)
    fed = {root(source) for source in sources if source in group}
    assert find_supplied(sources, land, "F") == {panel for panel in own if root(panel) in fed}


victories = st.builds(Victory, panels, st.just("F"), st.just("Z"), fleet=st.booleans(), founding=st.booleans())


@given(owners, victories, some, st.sampled_from([False, True]))
def test_a_victory_takes_no_more_than_it_may(
    land: dict[Hex, str], won: Victory, guarded: frozenset[Hex], spared: object
) -> None:
    """Third parties lose panels only to founders."""
    terms = set_switches(BOOK, {"guarded-adjacent": spared})
    every = dict.fromkeys(MAP, NEUTRAL) | land
    gained = find_captured(terms, won, every, guarded)
    assert len(gained) == len({*gained})
    for panel in gained:
        assert every[panel] != "F"
        assert hex_distance(won.at, panel) <= 1
        if panel != won.at and not won.founding:
            assert won.fleet
            assert every[panel] != "R"
            assert not (spared and panel in guarded)
    assert (won.at in gained) == (every[won.at] != "F")


def test_the_raid_of_the_page_panel_by_panel() -> None:
    """The printed example (lines 72 to 82)."""
    owner = {panel: "Z" if panel.r >= 2 else "E" for panel in disc(HERE, 3)}
    every, capitol = frozenset(owner), Hex(0, -3)
    raid = move_force(TERMS, Force("A", "fleet", "Z", Hex(-1, 2)), ["NE"] * 3, Land(every, "Z", owner))
    assert raid.captured == (Hex(0, 1), Hex(1, 0), Hex(2, -1))
    owner |= dict.fromkeys(raid.captured, "Z")
    attack = move_force(
        TERMS, Force("B", "fleet", "E", Hex(2, 1)), ["N", "N"], Land(every, "E", owner, frozenset({raid.at}))
    )
    assert (attack.fights, attack.captured) == (Hex(2, -1), ())
    gained = find_captured(TERMS, Victory(raid.at, "Z", "E", fleet=True), owner, ())
    assert {*gained} == {Hex(2, -2), Hex(3, -2), Hex(3, -1), Hex(2, 0), Hex(1, -1)}
    owner |= dict.fromkeys(gained, "Z")
    own = {panel for panel, held in owner.items() if held == "E"}
    assert own - find_supplied([capitol], owner, "E") == {Hex(1, 1), Hex(2, 1), Hex(3, 0)}


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"fog": "near"}, "'fog' isn't a switch"),
        ({"cooldown": 4}, "cooldown must be a number from 1 to 3"),
        ({"cooldown": True}, "cooldown must be a number"),
        ({"range": "far"}, "range must be one of: path, lines, king"),
        ({"guarded-adjacent": 1}, "true or false"),
        ({"ace-kills": [1, 2, 3, 4]}, "5 numbers"),
        ({"ace-kills": [1, 2, 3, 3, 4]}, "each greater"),
        ({"ace-kills": 4}, "5 numbers"),
    ],
)
def test_a_switch_that_cannot_be_set_so_is_refused(given_: dict[str, object], words: str) -> None:
    """Only known values."""
    with pytest.raises(BadSwitch, match=words):
        set_switches(BOOK, given_)
