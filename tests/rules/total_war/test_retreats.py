from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.aftermath import FightAction, Retreat, list_retreats
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.movement import land_of
from rules.books.total_war.orders.command import Admit, Assign, Petition, Promote
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build
from rules.books.total_war.rulings.values import PlaceForce
from rules.books.total_war.war import War
from rules.geometry import Hex
from tests.rules.total_war.wars import COLONY, after, attack_colony, find_code, go_rogue, meet_fleet, rules, start_war

FREELY = rules(lambda data: data.setdefault("switches", {}).update(stacking=0))
BATTLE, CHOSEN, OTHER = Hex(1, -2), Hex(0, -1), Hex(-1, 0)


def _beat_forces() -> War:
    war = start_war(FREELY)
    places = {"11th Squadron": BATTLE, "12th Squadron": BATTLE, "2nd Fleet": Hex(1, -1), "22nd Squadron": OTHER}
    places |= {"1st Fleet": Hex(-1, -1), "21st Squadron": Hex(0, 0)}
    war = war.with_forces(*(replace(war.forces[name], at=at) for name, at in places.items()))
    return after(
        war,
        MoveForce(who="2nd Fleet", path=("N",)),
        MoveForce(who="1st Fleet", path=("S",)),
        FightAction(at=BATTLE, order=Withdraw("E")),
        FightAction(at=OTHER, order=Withdraw("Z")),
        Retreat(who="11th Squadron", to=CHOSEN),
        by=FREELY,
    )


def test_nobody_else_comes_where_a_beaten_force_goes() -> None:
    """AMB-06, AMB-10, C1: the panel waits for it."""
    war = _beat_forces()
    assert {*war.battles} == {BATTLE, OTHER}
    assert CHOSEN not in list_retreats(FREELY, war, OTHER, war.forces["22nd Squadron"])
    assert find_code(war, MoveForce(who="21st Squadron", path=("N",)), FREELY) == "E_BATTLE_PENDING"
    assert find_code(war, PlaceForce(who="21st Squadron", at=CHOSEN), FREELY) == "E_BATTLE_PENDING"
    assert land_of(FREELY, war, "Z").reserved == {CHOSEN}
    war = after(_beat_forces(), Retreat(who="12th Squadron", to=Hex(0, -2)), by=FREELY)
    assert war.forces["11th Squadron"].at == CHOSEN
    assert CHOSEN in after(war, MoveForce(who="21st Squadron", path=("N",)), by=FREELY).battles


def test_what_fights_keeps_its_commander_and_its_strength() -> None:
    """C2, B9: commands and garrisons wait for the end."""
    war = meet_fleet()
    for actor in ("Ann", None):
        given = Assign(actor=actor, who="11th Squadron", player="Bob")
        assert find_code(war, given) == "E_BATTLE_PENDING"
    assert after(replace(war, battles={}), given).forces["11th Squadron"].commander == "Bob"
    war = attack_colony().with_side("E", gold=1000)
    build = Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY)
    assert find_code(war, build) == "E_BATTLE_PENDING"
    assert after(replace(war, battles={}), build).panels[COLONY].garrison


def test_who_has_more_forces_than_the_rank_holds_keeps_them() -> None:
    """K1, K2, K4, R9: but gets no more."""
    war = start_war().with_player("Bob", rank="Admiral")
    for name in ("11th Squadron", "12th Squadron"):
        war = after(war, Assign(actor="Ann", who=name, player="Bob"))
    war = after(war, Promote(actor="Ann", player="Bob", rank="Ensign"))
    third = replace(war.forces["12th Squadron"], name="13th Squadron", commander="Ann", at=Hex(3, 0))
    war = war.with_forces(third)
    assert [item.name for item in war.forces.values() if item.commander == "Bob"] == ["11th Squadron", "12th Squadron"]
    assert find_code(war, Assign(actor="Ann", who="13th Squadron", player="Bob")) == "E_RANK"
    war = go_rogue().with_player("Bob", rank="Admiral")
    second = replace(war.forces["12th Squadron"], faction="Bob", commander="Bob")
    war = after(
        war.with_forces(second),
        Petition(actor="Bob", player="Bob", faction="E"),
        Admit(actor="Ann", player="Bob", takes=True),
    )
    own = [item for item in war.forces.values() if item.commander == "Bob"]
    assert (war.players["Bob"].rank, [item.faction for item in own]) == ("Ensign", ["E", "E"])
    third = replace(second, name="13th Squadron", faction="E", commander="Ann", at=Hex(3, 0))
    assert find_code(war.with_forces(third), Assign(actor="Ann", who="13th Squadron", player="Bob")) == "E_RANK"
