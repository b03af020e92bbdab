"""What waits until a battle is over, and what a rank that is lowered leaves to its player."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war import actions
from rules.geometry import Hex
from tests.rules.total_war.wars import COLONY, after, attacked, code, met, rogue, started


def test_what_fights_keeps_its_commander_and_its_strength() -> None:
    """C2, B9: a force is given to somebody else once the battle is over, not by a game master before that; what would be built in a garrison that fights would not fight; elsewhere it is built."""
    war = met()
    for actor in ("Ann", None):
        given = actions.Assign(actor=actor, who="11th Squadron", player="Bob")
        assert code(war, given) == "E_BATTLE_PENDING"
    assert after(replace(war, battles={}), given).forces["11th Squadron"].commander == "Bob"
    war = attacked().with_side("E", gold=1000)
    build = actions.Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY)
    assert code(war, build) == "E_BATTLE_PENDING"
    assert after(replace(war, battles={}), build).panels[COLONY].garrison


def test_who_has_more_forces_than_the_rank_holds_keeps_them() -> None:
    """K1, K2, K4, R9: a captain who commands two squadrons keeps them as an ensign, as does a rogue who is taken in with two; neither is given a third one."""
    war = started().with_player("Bob", rank="Admiral")
    for name in ("11th Squadron", "12th Squadron"):
        war = after(war, actions.Assign(actor="Ann", who=name, player="Bob"))
    war = after(war, actions.Promote(actor="Ann", player="Bob", rank="Ensign"))
    third = replace(war.forces["12th Squadron"], name="13th Squadron", commander="Ann", at=Hex(3, 0))
    war = war.with_forces(third)
    assert [item.name for item in war.forces.values() if item.commander == "Bob"] == ["11th Squadron", "12th Squadron"]
    assert code(war, actions.Assign(actor="Ann", who="13th Squadron", player="Bob")) == "E_RANK"
    war = rogue().with_player("Bob", rank="Admiral")
    second = replace(war.forces["12th Squadron"], faction="Bob", commander="Bob")
    war = after(
        war.with_forces(second),
        actions.Petition(actor="Bob", player="Bob", faction="E"),
        actions.Admit(actor="Ann", player="Bob", takes=True),
    )
    own = [item for item in war.forces.values() if item.commander == "Bob"]
    assert (war.players["Bob"].rank, [item.faction for item in own]) == ("Ensign", ["E", "E"])
    third = replace(second, name="13th Squadron", faction="E", commander="Ann", at=Hex(3, 0))
    assert code(war.with_forces(third), actions.Assign(actor="Ann", who="13th Squadron", player="Bob")) == "E_RANK"
