"""A unit's reach on the board, as the rules allow it."""

from __future__ import annotations

from itertools import combinations

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.cogs.war.boards import BoardView
from bot.cogs.war.pictures.board import BAND, MELEE, START, TARGET, WAY, WITHIN, draw_overlay, empty_board
from bot.cogs.war.pictures.field import BoardFacts, UnitReach, aim_of, aim_words, board_facts
from bot.ui.pictures.style import full, luminance_of, to_linear
from bot.ui.text import MAX_ALT
from rules.books.total_war.catalog import Refused
from rules.books.total_war.combat import lane_targets, require_order
from rules.books.total_war.fight import Clash, Fire, MoveUnit, Order, Shoot
from rules.books.total_war.war import War
from rules.geometry import EDGES, Square
from tests.cogs.war.pictures.wars import PANEL, RULES, battle, count, fighting, opened

Placed = dict[str, str]
SHIP, SUIT, TRUCK = "u19", "u22", "u21"
NEAR: Placed = {
    SUIT: "E8",
    "u13": "G8",
    "u14": "F9",
    "u12": "F11",
    "u15": "D9",
    SHIP: "A1",
    "u20": "A2",
    TRUCK: "A3",
    "u23": "D6",
    "u24": "L12",
}
"""Char's suit with a foe at its corner, and one behind debris."""


def placed(where: Placed, **change: object) -> War:
    """Return the battle with units on tiles."""
    war = battle()
    fight = war.battles[PANEL].fight
    units = {name: replace(fight.units[name], at=Square.parse(at)) for name, at in where.items()}
    first = next(iter(where))
    units[first] = replace(units[first], **change)
    return fighting(war, replace(fight, units=units))


def aimed(war: War, name: str, to: str | None = None, way: str | None = None) -> tuple[BoardFacts, UnitReach]:
    """Return a board and a unit's reach."""
    field = board_facts(RULES, war, PANEL)
    return field, aim_of(RULES, war, field, name, None if to is None else Square.parse(to), way)


def tile(field: BoardFacts, aim: UnitReach, at: Square) -> Image.Image:
    """Return the picture of a tile."""
    board = empty_board(field)
    left, top = board.corner(at)
    return opened(draw_overlay(field, aim)).crop((left, top, left + board.tile + 1, top + board.tile + 1))


def allowed(war: War, order: Order) -> bool:
    """Return whether an order is possible in any half."""
    fight = war.battles[PANEL].fight
    name = order.unit if isinstance(order, MoveUnit | Shoot | Clash | Fire) else ""
    try:
        require_order(RULES.terms, replace(fight, active=fight.units[name].side), order)
    except Refused:
        return False
    return True


@pytest.mark.parametrize("plan", range(2))
@pytest.mark.parametrize("seed", range(4))
def test_it_tells_just_what_the_rules_allow(plan: int, seed: int) -> None:
    """Ends, targets and lane chances."""
    war = battle(plan, seed)
    fight = war.battles[PANEL].fight
    for name, unit in fight.units.items():
        _, aim = aimed(war, name)
        board = [Square(column, row) for column in range(1, 13) for row in range(1, 13)]
        foes = {other: item.at for other, item in fight.units.items() if item.side != unit.side}
        assert {*aim.ends} == {at for at in board if allowed(war, MoveUnit(name, at))}
        assert {*aim.shot} == {at for other, at in foes.items() if allowed(war, Shoot(name, other))}
        assert {*aim.struck} == {at for other, at in foes.items() if allowed(war, Clash(name, other, "heads"))}
        lanes = {way: Fire(name, way) for way in EDGES if allowed(war, Fire(name, way))}
        mine = replace(fight, active=unit.side)
        assert {lane.way: dict(lane.chances) for lane in aim.lanes} == {
            way: lane_targets(RULES.terms, mine, order)
            for way, order in lanes.items()
            if {lane.way for lane in aim.lanes} & {way}
        }
        assert all(
            not lane_targets(RULES.terms, mine, lanes[way]) for way in lanes.keys() - {lane.way for lane in aim.lanes}
        )
        assert not {*aim.barred} & {*aim.shot}


@pytest.mark.parametrize("seed", range(3))
def test_each_fact_is_told(seed: int) -> None:
    """In the words."""
    war = battle(0, seed)
    for name in war.battles[PANEL].fight.units:
        field, aim = aimed(war, name)
        told = " ".join(aim_words(field, aim))
        for places in (aim.ends, aim.shot, aim.barred, aim.melee, aim.struck):
            assert all(str(at) in told for at in places)
        assert all(f"{at} {percent}%" in told for lane in aim.lanes for at, percent in lane.chances.items())


def test_the_page_s_colours_show_start_reach_and_way() -> None:
    """Dark cyan, gray, light cyan."""
    field, aim = aimed(placed(NEAR), SUIT, "F6")

    assert aim.way[0] == Square.parse("E8")
    assert aim.way[-1] == Square.parse("F6")
    assert count(tile(field, aim, aim.man.at), full(START)) > 50
    assert count(tile(field, aim, aim.way[-1]), full(WAY)) > 100
    other = next(at for at in aim.ends if at not in {*aim.way, *aim.melee})
    assert count(tile(field, aim, other), full(WITHIN)) > 500


def test_shades_of_a_reach_differ_without_hue() -> None:
    """Start, reach and path, and frames of targets and melee."""
    for colours in ((START, WITHIN, WAY), (TARGET, MELEE)):
        shades = [luminance_of(to_linear(colour)) for colour in colours]
        assert min(abs(one - other) for one, other in combinations(shades, 2)) > 0.07


def test_targets_are_framed_in_red_and_those_behind_cover_crossed() -> None:
    """With the reason."""
    free, hidden = Square.parse("G8"), Square.parse("F9")
    field, aim = aimed(placed(NEAR), SUIT, "F6")
    stays = aimed(placed(NEAR), SUIT)[1]

    assert free in stays.shot
    assert count(tile(field, stays, free), full(TARGET)) > 200
    assert hidden in aim.barred
    assert count(tile(field, aim, hidden), full(TARGET)) == 0
    assert tile(field, aim, hidden).tobytes() != tile(field, replace(aim, barred={}), hidden).tobytes()
    assert any(line.startswith("Can't attack u14 gm (E): ") and "debris" in line for line in aim_words(field, aim))


def test_tiles_of_melee_have_marked_corners() -> None:
    """Enemies there are listed."""
    field, aim = aimed(placed(NEAR), SUIT)

    assert aim.melee
    assert all(count(tile(field, aim, at), full(MELEE)) > 60 for at in aim.melee)
    assert "It can attack u14 gm (E) on F9 in melee." in aim_words(field, aim)


def test_a_lane_is_a_band_with_each_unit_s_chance() -> None:
    """Friends too; a chosen lane only itself."""
    where = {**NEAR, SHIP: "D8", "u14": "H8"}
    field, aim = aimed(placed(where, moved=False, fired=None), SHIP)
    one = aimed(placed(where), SHIP, way="E")[1]

    east = next(lane for lane in aim.lanes if lane.way == "E")
    assert dict(east.chances) == {Square.parse("E8"): 20, Square.parse("G8"): 25, Square.parse("H8"): 25}
    assert count(tile(field, aim, Square.parse("I8")), full(BAND)) > 200
    assert [lane.way for lane in one.lanes] == ["E"]
    assert "Lane E, E8 to I8: u22 zaku (Z) on E8 20%, u13 gm (E) on G8 25%, u14 gm (E) on H8 25%." in aim_words(
        field, aim
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [({"moved": True}, "It has already moved in turn 2."), ({"attacked": True}, "It has already attacked in turn 2.")],
)
def test_what_is_done_is_told_and_not_drawn(change: dict[str, object], words: str) -> None:
    """No reach or targets."""
    field, aim = aimed(placed(NEAR, **change), SUIT)

    assert words in aim_words(field, aim)
    assert not (aim.ends if "moved" in change else (*aim.shot, *aim.melee))


def test_a_ship_that_waits_and_a_truck_say_why() -> None:
    """Or why a tile is out of reach."""
    war = placed({SHIP: "D8", **{name: at for name, at in NEAR.items() if name != SHIP}}, fired=1)

    assert "It can fire again in turn 5." in BoardView(RULES, war, PANEL, SHIP).words(whole=True)
    assert any("never attacks" in line for line in BoardView(RULES, war, PANEL, TRUCK).words(whole=True))
    far = BoardView(RULES, war, PANEL, SUIT, Square(12, 1))
    assert any("can move" in line and " away" in line for line in far.words(whole=True))
    assert len(far.draw().alt) <= MAX_ALT


def test_a_unit_that_is_none_is_refused() -> None:
    """No picture is drawn."""
    with pytest.raises(Refused):
        BoardView(RULES, battle(), PANEL, "u999").draw()


def test_where_a_ship_can_go_is_seen_under_its_lane() -> None:
    """Both colours show."""
    field, aim = aimed(placed({SHIP: "A1", "u13": "H8"}), SHIP, way="N")
    both = [place for place in aim.ends for lane in aim.lanes if place in lane.tiles]
    assert both
    for place in both:
        shown = tile(field, aim, place)
        assert count(shown, full(WITHIN)) > count(shown, full(BAND)) > 50
