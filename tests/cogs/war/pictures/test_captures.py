"""The report of a capture: what has changed hands and what is cut off by it, outlined and told."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from bot.cogs.war.maps import MapView
from bot.cogs.war.pictures.changes import Captures, captures_of, captures_words
from bot.cogs.war.pictures.chart import Chart, chart_of
from bot.cogs.war.pictures.strategy_map import FLIPPED, JOINED, POCKET, draw_base_map, draw_captures
from bot.ui.pictures.palette import full
from rules.books.total_war.capture import take_panels
from rules.books.total_war.sight import WHOLE, Sight
from rules.books.total_war.war import War, supply
from rules.geometry import Hex
from tests.cogs.war.pictures.wars import RULES, START, count, opened, scattered

CUT = (Hex(2, -2), Hex(1, -2), Hex(3, -2))
"""Panels that part the capitol of the example from the south of its land."""

POCKETED = (Hex(2, -1), Hex(3, -1))
AFTER = take_panels(RULES, START, CUT, "Z")


def found(before: War, after: War) -> tuple[Chart, Captures]:
    """The map after, and what has changed."""
    then, now = chart_of(RULES, before), chart_of(RULES, after)
    return now, captures_of(then, now)


def lines_of(before: War, after: War, sight: Sight = WHOLE) -> list[str]:
    """What has changed, in words."""
    return MapView(RULES, after, "captured", sight, before=before).words(whole=True)[1]


def outline(before: War, after: War, at: Hex, colour: str) -> int:
    """How many pixels of a panel have the colour of an outline."""
    now, change = found(before, after)
    made = draw_base_map(now, "")
    left, top = made.grid.corner(at)
    box = (left, top, left + 4 * made.grid.unit, top + 2 * made.grid.half)
    return count(opened(draw_captures(now, change)).crop(box), full(colour))


def test_what_has_changed_hands_is_outlined_and_told() -> None:
    """Each panel that has another owner has a line about it and the letters of whose it was; the words name it with both owners and what is lost there."""
    lines = lines_of(START, AFTER)

    assert all(outline(START, AFTER, at, FLIPPED) > 100 for at in CUT)
    assert outline(START, AFTER, Hex(-2, 0), FLIPPED) == 0
    assert "Zeon took (Earth Federation before): 1,-2; 2,-2; 3,-2." in lines
    assert "Lost on 2,-2: Mining station." in lines


def test_a_pocket_that_is_newly_cut_off_is_outlined_and_told() -> None:
    """Land that has lost its capitol by it has a line of another brightness, and is told; land that was cut off before is not."""
    assert all(outline(START, AFTER, at, POCKET) > 100 for at in POCKETED)
    assert "Newly cut off (Earth Federation): 2,-1; 3,-1." in lines_of(START, AFTER)
    lines = lines_of(AFTER, take_panels(RULES, AFTER, [Hex(0, 0)], "Z"))
    assert not any("Newly cut off (Earth" in line for line in lines)


def test_land_that_is_joined_again_is_told() -> None:
    """When the way to the capitol is free again, the pocket is told as supplied and outlined so."""
    freed = take_panels(RULES, AFTER, CUT, "E")

    assert "Back in supply (Earth Federation): 2,-1; 3,-1." in lines_of(AFTER, freed)
    assert all(outline(AFTER, freed, at, JOINED) > 100 for at in POCKETED)


def test_a_faction_that_is_gone_is_told_by_its_name() -> None:
    """Land of a faction that has dissolved has been lost to nobody, by the name that it had."""
    panels = {at: replace(panel, owner="N") if panel.owner == "Z" else panel for at, panel in START.panels.items()}
    factions = {name: side for name, side in START.factions.items() if name != "Z"}
    after = replace(START, panels=panels, factions=factions)

    assert any(line.startswith("Zeon lost (now neutral): -3,1;") for line in lines_of(START, after))


def test_nothing_changed_is_said() -> None:
    """Two equal states have a map without outlines and a line that says so."""
    assert "No panel was captured." in lines_of(START, START)


@pytest.mark.parametrize("seed", range(4))
def test_the_report_is_what_the_rules_say(seed: int) -> None:
    """After captures by chance every panel with another owner is told once, and just those newly unsupplied are told as cut off."""
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
    """A facility on a panel out of sight is not told to be lost."""
    lines = lines_of(START, AFTER, Sight(frozenset({Hex(2, -2)})))

    assert not any(line.startswith("Lost on") for line in lines)
