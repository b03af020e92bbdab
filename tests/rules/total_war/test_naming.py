from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import COLOURS, Join, create_rogue_faction, is_apart
from rules.books.total_war.orders.command import Found
from rules.books.total_war.rulings.values import AddForce
from rules.books.total_war.war import War
from rules.geometry import Hex
from rules.subjects import MAX_NAME, unfit
from tests.rules.total_war.test_scenario import faults
from tests.rules.total_war.wars import RULES, after, find_code, go_rogue, start_war, win_colony

UNFIT = ("Red, Squadron", "Fleet #2", "x" * (MAX_NAME + 1), " ", "a\u200bb", "")


def _rename(section: str, key: str, name: str) -> Callable[[dict[str, Any]], object]:
    return lambda data: data[section][1].update({key: name})


@pytest.mark.parametrize("name", UNFIT)
def test_a_name_that_nobody_could_type_is_none(name: str) -> None:
    """Scenarios, new forces and rogue factions refuse it."""
    assert unfit(name) is not None
    new = AddForce(name=name, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
    if name != "a\u200bb":  # invisible letters are removed from input
        assert find_code(start_war(), new) == "E_NAME_IN_USE"
        founded = Found(actor="Bob", faction="R1", name=name, colour="#2e7d32")
        assert find_code(win_colony(), founded) in {"E_NAME_IN_USE", "E_NO_TARGET"}


@pytest.mark.parametrize(
    ("section", "key"), [("forces", "name"), ("factions", "name"), ("pilots", "name"), ("units", "id")]
)
def test_a_scenario_has_names_that_can_be_typed(section: str, key: str) -> None:
    """The title too."""
    assert any("commas separate names" in what for what in faults(_rename(section, key, "Red, white")))
    assert any("commas" in what for what in faults(lambda data: data["scenario"].update(title="War, the first")))


def test_no_force_or_player_is_called_as_a_faction_is() -> None:
    """By name or id, in any case."""
    assert "force zeon is the name of a faction: choose another name." in faults(_rename("forces", "name", "zeon"))
    for name in ("zeon", "Z", "1ST FLEET"):
        assert find_code(start_war(), Join(player=name, faction="Z")) == "E_NAME_IN_USE"


@pytest.mark.parametrize("name", ["ann", "E", "Earth  federation", "1st fleet", "N"])
def test_a_new_force_has_a_name_that_means_nobody_else(name: str) -> None:
    """Players, factions and forces keep their names."""
    new = AddForce(name=name, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
    assert find_code(start_war(), new) == "E_NAME_IN_USE"


def test_a_rogue_faction_keeps_its_own_name() -> None:
    """It may be founded again under it."""
    war = after(win_colony(), Found(actor="Bob", faction="R1", name="Free Side", colour="#2e7d32"))
    again = after(war, Found(actor="Bob", faction="R1", name="Free Side", colour="#8e24aa"))
    assert again.factions["R1"].name == "Free Side"
    assert find_code(war, Found(actor="Bob", faction="R1", name="Cid", colour="#8e24aa")) == "E_NAME_IN_USE"


def test_what_was_ordered_before_a_faction_was_named_still_means_it() -> None:
    """A new owner of the old name comes first."""
    war = win_colony()
    before = war.factions["R1"].name
    war = after(war, Found(actor="Bob", faction="R1", name="Free Side", colour="#2e7d32"))
    assert {war.match_faction(name) for name in (before, before.upper(), "free side", "R1")} == {"R1"}
    other = war.with_side("Z", name=before)
    assert (other.match_faction(before), other.match_faction("zeon")) == ("Z", "zeon")


def test_a_rogue_faction_of_a_long_callsign_has_a_name_that_can_be_typed() -> None:
    """It uses its id instead."""
    war: War = go_rogue()
    war, faction = create_rogue_faction(RULES, war, "B" * MAX_NAME)
    assert war.factions[faction].name == faction


def _name_faction(colour: str, name: str = "Axis") -> Found:
    return Found(actor="Bob", faction="R1", name=name, colour=colour)


def test_a_colour_is_kept_in_small_letters_and_far_from_all_others() -> None:
    """R7, AMB-37: similar colours are refused."""
    war = after(win_colony(), _name_faction(" #00838F ", "  Axis\u200b "))
    assert (war.factions["R1"].colour, war.factions["R1"].name) == ("#00838f", "Axis")
    assert after(war, _name_faction("#00838e")).factions["R1"].colour == "#00838e"
    for near in ("#2b6cff", "#2a6bfe", "#3070ff", "#d02020"):
        assert find_code(war, _name_faction(near)) == "E_COLOR_IN_USE"
    with pytest.raises(Refused, match=r"#2b6cfe looks too much like #2b6cff, .*free: #2e7d32"):
        after(war, _name_faction("#2b6cfe"))
    used = [item.colour for item in RULES.scenario.factions.values()]
    assert all(is_apart(one, [other]) for one, other in combinations([*COLOURS, *used], 2))


@pytest.mark.parametrize("colour", ["blue", "", "2b6cff", "#2b6cf", "#2b6cffa", "#2b6cfg", "#2b6c\u0661\u0661"])
def test_what_is_no_colour_is_refused(colour: str) -> None:
    """R7: only # and six digits."""
    assert find_code(win_colony(), _name_faction(colour)) == "E_NO_TARGET"


def test_a_name_has_to_be_seen() -> None:
    """R7: invisible letters don't count."""
    assert find_code(win_colony(), _name_faction("#00838f", " \u200b ")) == "E_NO_TARGET"
    assert find_code(win_colony(), _name_faction("#00838f", "ZEON\u200b")) == "E_NAME_IN_USE"
