"""Ids of units: in a row, or drawn, where there is fog."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.keeping import begin_war
from rules.books.total_war.scenario import number_of
from rules.books.total_war.sight import seen_by
from rules.books.total_war.war import Rules
from tests.rules.total_war.wars import rules


def test_numbers_are_in_a_row_or_drawn_and_come_once_each() -> None:
    """Without a key as the scenario lists them; drawn, first all of three digits, then those of four: another key has another order, the same one the same."""
    assert [number_of("", place) for place in range(1, 1200)] == [*range(1, 1200)]
    drawn = [number_of("one", place) for place in range(1, 2000)]
    assert sorted(drawn[:900]) == [*range(100, 1000)]
    assert len({*drawn}) == len(drawn)
    assert min(drawn[900:]) >= 1000
    assert [number_of("one", place) for place in range(1, 2000)] == drawn
    assert [number_of("two", place) for place in range(1, 901)] != drawn[:900]


def test_a_war_in_fog_gives_new_units_numbers_that_nobody_has() -> None:
    """AMB-80: not the next one; whoever sees a part of it alone foresees new units by ids that are free there, and reads no key."""
    drawn = rules(lambda data: data["scenario"].update(fog="near", sight=1))
    drawn = Rules(drawn.terms, replace(drawn.scenario, numbered="secret"))
    war = begin_war(drawn)
    known = {unit.id for force in war.forces.values() for unit in force.units}
    known |= {unit.id for panel in war.panels.values() for unit in panel.garrison}
    assert len(known) == war.units
    after, more = war.new_units(["gm"] * 50)
    assert known.isdisjoint(unit.id for unit in more)
    assert after.units == war.units + 50
    seen = seen_by(drawn, war, "E")
    assert seen.numbered == ""
    assert known.isdisjoint(unit.id for unit in seen.new_units(["gm"] * 3)[1])
