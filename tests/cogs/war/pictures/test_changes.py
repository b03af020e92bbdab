"""Reach, captures and supply changes, drawn and in words."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from bot.cogs.war.pictures.changes import Captures, Reach, captures_words, compare_captures, reach_facts, reach_words
from bot.cogs.war.pictures.chart import Chart, chart_of, crop_chart, map_words
from bot.cogs.war.pictures.panels import FIGHT, empty_map
from bot.cogs.war.pictures.strategy_map import (
    CAPTURED,
    FLIPPED,
    GOAL,
    JOINED,
    POCKET,
    draw_captures,
    draw_reach,
)
from bot.cogs.war.wars import MapView
from bot.ui.pictures.style import full
from bot.ui.text import MAX_ALT
from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import take_panels
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.storage import WHOLE, Sight
from rules.books.total_war.war import War, supply
from rules.geometry import Hex, find_direction, hex_distance
from tests.cogs.war.pictures.wars import RULES, START, count, opened, scattered

CUT = (Hex(2, -2), Hex(1, -2), Hex(3, -2))
"""Panels that cut the capitol from the south."""

POCKETED = (Hex(2, -1), Hex(3, -1))
AFTER = take_panels(RULES, START, CUT, "Z")


def found(before: War, after: War) -> tuple[Chart, Captures]:
    """Return the later map and what changed."""
    then, now = chart_of(RULES, before), chart_of(RULES, after)
    return now, compare_captures(then, now)


def lines_of(before: War, after: War, sight: Sight = WHOLE) -> list[str]:
    """Return the changes in words."""
    return MapView(RULES, after, "captured", sight, before=before).words(whole=True)[1]


def outline(before: War, after: War, at: Hex, colour: str) -> int:
    """Count a panel's pixels of an outline colour."""
    now, change = found(before, after)
    made = empty_map(now)
    left, top = made.grid.corner(at)
    box = (left, top, left + 4 * made.grid.unit, top + 2 * made.grid.half)
    return count(opened(draw_captures(now, change)).crop(box), full(colour))


def test_what_has_changed_hands_is_outlined_and_told() -> None:
    """Both owners, and what is lost."""
    lines = lines_of(START, AFTER)

    assert all(outline(START, AFTER, at, FLIPPED) > 100 for at in CUT)
    assert outline(START, AFTER, Hex(-2, 0), FLIPPED) == 0
    assert "Zeon took (Earth Federation before): 1,-2; 2,-2; 3,-2." in lines
    assert "Lost on 2,-2: Mining station." in lines


def test_a_pocket_that_is_newly_cut_off_is_outlined_and_told() -> None:
    """Older pockets aren't."""
    assert all(outline(START, AFTER, at, POCKET) > 100 for at in POCKETED)
    assert "Newly cut off (Earth Federation): 2,-1; 3,-1." in lines_of(START, AFTER)
    lines = lines_of(AFTER, take_panels(RULES, AFTER, [Hex(0, 0)], "Z"))
    assert not any("Newly cut off (Earth" in line for line in lines)


def test_land_that_is_joined_again_is_told() -> None:
    """And outlined."""
    freed = take_panels(RULES, AFTER, CUT, "E")

    assert "Back in supply (Earth Federation): 2,-1; 3,-1." in lines_of(AFTER, freed)
    assert all(outline(AFTER, freed, at, JOINED) > 100 for at in POCKETED)


def test_a_faction_that_is_gone_is_told_by_its_name() -> None:
    """Its land went to no faction."""
    panels = {at: replace(panel, owner="N") if panel.owner == "Z" else panel for at, panel in START.panels.items()}
    factions = {name: side for name, side in START.factions.items() if name != "Z"}
    after = replace(START, panels=panels, factions=factions)

    assert any(line.startswith("Zeon lost (now neutral): -3,1;") for line in lines_of(START, after))


def test_nothing_changed_is_said() -> None:
    """No outlines."""
    assert "No panel was captured." in lines_of(START, START)


@pytest.mark.parametrize("seed", range(4))
def test_the_report_is_what_the_rules_say(seed: int) -> None:
    """For random captures."""
    before = scattered(61, seed)
    chance = Random(seed)  # noqa: S311 - no secret
    after = take_panels(RULES, before, chance.sample(sorted(before.panels), 9), chance.choice(["E", "Z"]))
    now, change = found(before, after)
    told = " ".join(captures_words(now, change))
    fed = [{at for name in war.factions for at in supply(RULES, war, name)} for war in (before, after)]

    changed = {at for at, panel in after.panels.items() if panel.owner != before.panels[at].owner}
    assert {flip.at for flip in change.flips} == changed
    assert all(str(at) in told for at in changed)
    owned = {at for at, panel in after.panels.items() if panel.owner != "N"}
    wanted = {at for at in owned - fed[1] if at in changed or at in fed[0]}
    assert {at for panels in change.cut_off.values() for at in panels} == wanted


def test_what_is_not_seen_is_not_told_as_lost() -> None:
    """A facility out of sight."""
    lines = lines_of(START, AFTER, Sight(frozenset({Hex(2, -2)})))

    assert not any(line.startswith("Lost on") for line in lines)


FLEET, SQUADRON, WEAPON = "1st Fleet", "12th Squadron", "Solar System"
BESIDE = START.with_forces(replace(START.forces["11th Squadron"], follows=FLEET))
FOUND = START.with_forces(replace(START.forces["21st Squadron"], at=Hex(1, -1)))


def facts(war: War, name: str, *path: str) -> tuple[Chart, Reach]:
    """Return a map and a force's reach."""
    chart = chart_of(RULES, war)
    return chart, reach_facts(RULES, war, chart, name, path)


def looks(war: War, name: str, at: Hex, *path: str) -> dict[str, int]:
    """Count a panel's pixels of goal, fight and capture."""
    chart, reach = facts(war, name, *path)
    made = empty_map(chart)
    picture = opened(draw_reach(chart, reach, straight=True))
    left, top = made.grid.corner(at)
    box = picture.crop((left + 8, top, left + 4 * made.grid.unit - 8, top + 2 * made.grid.half))
    return {name: count(box, full(name)) for name in (GOAL, FIGHT, CAPTURED)}


@pytest.mark.parametrize("seed", range(3))
def test_each_end_is_one_that_the_rules_allow(seed: int) -> None:
    """Fleet, squadron and superweapon."""
    war = scattered(61, seed, forces=6)
    for name, force in war.forces.items():
        chart, reach = facts(war, name)
        apart = [hex_distance(force.at, end) for end in reach.ends]
        most = {"fleet": 3, "squadron": 2, "superweapon": 1}[force.kind]
        assert all(1 <= each <= most for each in apart)
        assert force.kind != "fleet" or all(find_direction(force.at, end) for end in reach.ends)
        told = " ".join(reach_words(chart, reach))
        assert all(str(end) in told for end in reach.ends)
        assert reach.ends or reach.why


def test_enemies_are_red_and_free_panels_are_not() -> None:
    """Swords or a dot."""
    fight, free = looks(FOUND, FLEET, Hex(1, -1)), looks(FOUND, FLEET, Hex(2, 0))

    assert fight[FIGHT] > 100
    assert free[FIGHT] == 0
    assert free[GOAL] > 50
    assert "It starts a battle on 1,-1." in MapView(RULES, FOUND, force=FLEET).words()[1]


def test_what_a_fleet_would_capture_is_outlined() -> None:
    """Squadrons take nothing in passing."""
    chart, reach = facts(START, FLEET)
    assert {Hex(2, 0), Hex(2, 1)} <= {*reach.captured}
    assert all(START.panels[at].owner != "E" for at in reach.captured)
    assert looks(START, FLEET, Hex(2, 1))[CAPTURED] > 100
    assert any(line.startswith("It can capture on the way") for line in reach_words(chart, reach))
    assert facts(START, SQUADRON)[1].captured == ()


def test_a_way_in_mind_is_told_as_it_would_come() -> None:
    """With followers and captures."""
    after = MoveForce(who=FLEET, path=("S", "S")).apply(RULES, BESIDE)
    chart, reach = facts(BESIDE, FLEET, "S", "S")

    assert {ghost.token.name: ghost.to for ghost in reach.ghosts} == {
        name: after.forces[name].at for name in (FLEET, "11th Squadron")
    }
    assert reach.captured == tuple(sorted(at for at, panel in after.panels.items() if panel != BESIDE.panels[at]))
    assert "11th Squadron rides along from 1,-2 to 1,0." in reach_words(chart, reach)
    assert draw_reach(chart, reach, straight=True) != draw_reach(chart, replace(reach, ghosts=()), straight=True)


def test_a_way_ends_where_an_enemy_stands() -> None:
    """Words stop there too."""
    chart, reach = facts(FOUND, FLEET, "SW", "SW")

    assert reach.way == (Hex(1, -1),)
    assert "Planned path: 2,-2 > 1,-1." in reach_words(chart, reach)


@pytest.mark.parametrize(
    ("war", "path"),
    [
        (START.with_forces(replace(START.forces[FLEET], moved=True)), ()),
        (START, ("N", "N", "N", "N")),
        (START, ("N", "S")),
    ],
)
def test_why_a_force_cannot_go_is_told(war: War, path: tuple[str, ...]) -> None:
    """In the rules' words, with a picture."""
    shown = MapView(RULES, war, force=FLEET, way=path)

    assert any("moved" in line or "is too far" in line or "turns" in line for line in shown.words()[1][:4])
    assert opened(shown.draw().data).width > 0


def test_a_force_that_is_none_is_refused() -> None:
    """No picture is drawn."""
    with pytest.raises(Refused):
        MapView(RULES, START, force="Nobody").draw()


def test_the_reach_of_a_large_map_fits_its_alt_text() -> None:
    """397 panels."""
    war = scattered(397, 3, forces=60)
    shown = MapView(RULES, war, force=next(iter(war.forces))).draw()

    assert len(shown.alt) <= MAX_ALT
    assert opened(shown.data).width <= 1100


def test_the_reach_on_a_large_map_is_shown_from_near() -> None:
    """With everything the force can do."""
    war = scattered(397, 3, forces=60)
    name = next(item.name for item in war.forces.values() if item.kind == "fleet")
    chart, reach = facts(war, name)
    shown = crop_chart(chart, [reach.token.at, *reach.ends], 3)

    assert {*reach.ends, *reach.captured, reach.token.at} <= {lot.at for lot in shown.lots}
    assert len(shown.lots) < 200
    assert empty_map(shown).grid.unit > empty_map(chart).grid.unit
    told = [line for line in map_words(shown) if ", on " in line]
    assert len(told) == sum(force.at in {lot.at for lot in shown.lots} for force in war.forces.values())
    assert crop_chart(chart, [], 3) is chart
    assert crop_chart(chart, [Hex(0, 0)], 9) is chart
    assert crop_chart(chart_of(RULES, START), [Hex(0, 0)], 1).lots == chart_of(RULES, START).lots
