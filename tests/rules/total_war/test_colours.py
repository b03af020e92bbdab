"""Names and colours that the leaders of rogue factions choose."""

from __future__ import annotations

from itertools import combinations

import pytest

from rules.books.total_war import actions
from rules.books.total_war.capture import COLOURS, is_apart
from rules.books.total_war.terms import Refused
from tests.rules.total_war.wars import RULES, after, code, won


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
