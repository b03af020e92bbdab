"""What waits until a battle is over, and what a rank that is lowered leaves to its player."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war import deeds
from rules.geometry.hexes import Hex
from tests.rules.total_war.wars import COLONY, after, attacked, code, met, rogue, started


def test_a_force_that_fights_keeps_its_commander() -> None:
    """C2: it is given to somebody else once the battle is over, and not by a game master before that."""
    war = met()
    for actor in ("Ann", None):
        given = deeds.Assign(actor=actor, who="11th Squadron", player="Bob")
        assert code(war, given) == "E_BATTLE_PENDING"
    assert after(replace(war, battles={}), given).forces["11th Squadron"].commander == "Bob"


def test_a_garrison_that_fights_is_not_strengthened() -> None:
    """C2, B9: what would be built there would not fight, and be lost with the panel; elsewhere it is built."""
    war = attacked().with_side("E", gold=1000)
    build = deeds.Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY)
    assert code(war, build) == "E_BATTLE_PENDING"
    assert after(replace(war, battles={}), build).panels[COLONY].garrison


def test_a_rank_that_is_lowered_takes_nothing_away_and_gives_nothing_more() -> None:
    """K1, K2, K4: a captain who commands two squadrons keeps them as an ensign, and is given no third one."""
    war = started().with_player("Bob", rank="Admiral")
    for name in ("11th Squadron", "12th Squadron"):
        war = after(war, deeds.Assign(actor="Ann", who=name, player="Bob"))
    war = after(war, deeds.Promote(actor="Ann", player="Bob", rank="Ensign"))
    third = replace(war.forces["12th Squadron"], name="13th Squadron", commander="Ann", at=Hex(3, 0))
    war = war.with_forces(third)
    assert [item.name for item in war.forces.values() if item.commander == "Bob"] == ["11th Squadron", "12th Squadron"]
    assert code(war, deeds.Assign(actor="Ann", who="13th Squadron", player="Bob")) == "E_RANK"


def test_a_rogue_who_is_taken_in_keeps_all_forces() -> None:
    """R9, K2: the lowest rank holds one squadron, and a rogue brings two; a third one is not given."""
    war = rogue().with_player("Bob", rank="Admiral")
    second = replace(war.forces["12th Squadron"], faction="Bob", commander="Bob")
    war = after(
        war.with_forces(second),
        deeds.Petition(actor="Bob", player="Bob", faction="E"),
        deeds.Admit(actor="Ann", player="Bob", takes=True),
    )
    own = [item for item in war.forces.values() if item.commander == "Bob"]
    assert (war.players["Bob"].rank, [item.faction for item in own]) == ("Ensign", ["E", "E"])
    third = replace(second, name="13th Squadron", faction="E", commander="Ann", at=Hex(3, 0))
    assert code(war.with_forces(third), deeds.Assign(actor="Ann", who="13th Squadron", player="Bob")) == "E_RANK"
