"""What a lone rogue's victory over a stronghold means for other battles that are fought meanwhile (lines 91 to 93)."""

from __future__ import annotations

import pytest

from rules.books.total_war import deeds
from rules.books.total_war.orders import Withdraw
from rules.books.total_war.soundness import misfits
from rules.books.total_war.war import War
from rules.geometry.hexes import Hex
from tests.rules.total_war.wars import COLONY, RULES, after, started

OTHER = Hex(3, 0)
"""A colony that nobody owns."""
EMPTY = War({}, {}, {})


def twice_attacked() -> War:
    """A war in which Bob, a lone rogue, attacks two colonies at once."""
    given = [deeds.Assign(actor="Ann", who=who, player="Bob") for who in ("11th Squadron", "12th Squadron")]
    war = after(started(), deeds.SetRank(player="Bob", rank="Captain"), *given, deeds.Rogue(actor="Bob", player="Bob"))
    north = deeds.Move(actor="Bob", who="11th Squadron", path=("N",))
    return after(war, north, deeds.Move(actor="Bob", who="12th Squadron", path=("S",)))


@pytest.mark.parametrize("first", [(COLONY, "E"), (OTHER, "N")])
def test_a_rogue_who_wins_two_strongholds_at_once_founds_one_faction(first: tuple[Hex, str]) -> None:
    """R4, R6: the first victory founds it with all six around, the second one is that faction's, and takes its panel alone."""
    second = next(each for each in ((COLONY, "E"), (OTHER, "N")) if each != first)
    war = twice_attacked()
    for at, beaten in (first, second):
        war = after(war, deeds.Fight(at=at, order=Withdraw(beaten)))
    assert [name for name, side in war.factions.items() if side.rogue] == ["R1"]
    assert (war.factions["R1"].leader, war.players["Bob"].faction) == ("Bob", "R1")
    assert {item.faction for item in war.forces.values() if item.commander == "Bob"} == {"R1"}
    assert {war.panels[at].owner for at in (COLONY, OTHER)} == {"R1"}
    assert war.panels[second[0].step("NW")].owner != "R1"
    assert misfits(RULES, war, EMPTY) == []
