"""Names and colours: what players and factions may be called, and what leaders of rogue factions choose."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from rules.books.total_war import actions
from rules.books.total_war.capture import COLOURS, found_faction, is_apart
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import War, faction_named
from rules.documents import Document
from rules.errors import BookError
from rules.geometry import Hex
from rules.subjects import MAX_NAME, unfit
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.wars import RULES, after, code, rogue, started, won

UNFIT = ("Red, Squadron", "Fleet #2", "x" * (MAX_NAME + 1), " ", "a\u200bb", "")


def _faults(change: Callable[[dict[str, Any]], object]) -> list[str]:
    """Return what is wrong with the example once it is changed."""
    document = example()
    change(document.data)
    with pytest.raises(BookError) as caught:
        read_scenario(BOOK, Document("war.toml", document.text, document.data))
    return [fault.what for fault in caught.value.faults]


def _renamed(section: str, key: str, name: str) -> Callable[[dict[str, Any]], object]:
    return lambda data: data[section][1].update({key: name})


@pytest.mark.parametrize("name", UNFIT)
def test_a_name_that_nobody_could_type_is_none(name: str) -> None:
    """Neither in a scenario nor of a force that a game master musters, nor of a rogue faction that is founded."""
    assert unfit(name) is not None
    new = actions.AddForce(name=name, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
    if name != "a\u200bb":  # what nobody sees is left out of what is typed
        assert code(started(), new) == "E_NAME_IN_USE"
        founded = actions.Found(actor="Bob", faction="R1", name=name, colour="#2e7d32")
        assert code(won(), founded) in {"E_NAME_IN_USE", "E_NO_TARGET"}


@pytest.mark.parametrize(
    ("section", "key"), [("forces", "name"), ("factions", "name"), ("pilots", "name"), ("units", "id")]
)
def test_a_scenario_has_names_that_can_be_typed(section: str, key: str) -> None:
    """The fault names what is wrong; so it is with the title."""
    assert any("commas separate names" in what for what in _faults(_renamed(section, key, "Red, white")))
    assert any("commas" in what for what in _faults(lambda data: data["scenario"].update(title="War, the first")))


def test_no_force_or_player_is_called_as_a_faction_is() -> None:
    """In capitals or not, by its name as by its id: an order for it would be one for the faction."""
    assert "force zeon is the name of a faction: choose another name." in _faults(_renamed("forces", "name", "zeon"))
    for name in ("zeon", "Z", "1ST FLEET"):
        assert code(started(), actions.Join(player=name, faction="Z")) == "E_NAME_IN_USE"


@pytest.mark.parametrize("name", ["ann", "E", "Earth  federation", "1st fleet", "N"])
def test_a_new_force_has_a_name_that_means_nobody_else(name: str) -> None:
    """Players, factions, by id and name, and other forces are called so already."""
    new = actions.AddForce(name=name, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
    assert code(started(), new) == "E_NAME_IN_USE"


def test_a_rogue_faction_keeps_its_own_name() -> None:
    """It may be founded anew by the name that it has, and not by that of a player."""
    war = after(won(), actions.Found(actor="Bob", faction="R1", name="Free Side", colour="#2e7d32"))
    again = after(war, actions.Found(actor="Bob", faction="R1", name="Free Side", colour="#8e24aa"))
    assert again.factions["R1"].name == "Free Side"
    assert code(war, actions.Found(actor="Bob", faction="R1", name="Cid", colour="#8e24aa")) == "E_NAME_IN_USE"


def test_what_was_ordered_before_a_faction_was_named_still_means_it() -> None:
    """By its former name, unless another faction is called so by now."""
    war = won()
    before = war.factions["R1"].name
    war = after(war, actions.Found(actor="Bob", faction="R1", name="Free Side", colour="#2e7d32"))
    assert {faction_named(war, name) for name in (before, before.upper(), "free side", "R1")} == {"R1"}
    other = war.with_side("Z", name=before)
    assert (faction_named(other, before), faction_named(other, "zeon")) == ("Z", "zeon")


def test_a_rogue_faction_of_a_long_callsign_has_a_name_that_can_be_typed() -> None:
    """Where the usual name would be too long, it goes by its id."""
    war: War = rogue()
    war, faction = found_faction(RULES, war, "B" * MAX_NAME)
    assert war.factions[faction].name == faction


def found(colour: str, name: str = "Axis") -> actions.Found:
    """The order by which Bob names his faction."""
    return actions.Found(actor="Bob", faction="R1", name=name, colour=colour)


def test_a_colour_is_kept_in_small_letters_and_far_from_all_others() -> None:
    """R7, AMB-37: one that looks like another faction's is refused, and the refusal says which are free; those are told from each other and from those of the example."""
    war = after(won(), found(" #00838F ", "  Axis\u200b "))
    assert (war.factions["R1"].colour, war.factions["R1"].name) == ("#00838f", "Axis")
    assert after(war, found("#00838e")).factions["R1"].colour == "#00838e"
    for near in ("#2b6cff", "#2a6bfe", "#3070ff", "#d02020"):
        assert code(war, found(near)) == "E_COLOR_IN_USE"
    with pytest.raises(Refused, match=r"#2b6cfe looks too much like #2b6cff, .*free: #2e7d32"):
        after(war, found("#2b6cfe"))
    used = [item.colour for item in RULES.scenario.factions.values()]
    assert all(is_apart(one, [other]) for one, other in combinations([*COLOURS, *used], 2))


@pytest.mark.parametrize("colour", ["blue", "", "2b6cff", "#2b6cf", "#2b6cffa", "#2b6cfg", "#2b6c\u0661\u0661"])
def test_what_is_no_colour_is_refused(colour: str) -> None:
    """R7: a colour is a # and six digits, as a scenario has it."""
    assert code(won(), found(colour)) == "E_NO_TARGET"


def test_a_name_has_to_be_seen() -> None:
    """R7: a name of nothing that is seen is none, and one that only looks otherwise is in use."""
    assert code(won(), found("#00838f", " \u200b ")) == "E_NO_TARGET"
    assert code(won(), found("#00838f", "ZEON\u200b")) == "E_NAME_IN_USE"
