"""Fog: what a faction sees of a war, and that nothing it is told depends on what it does not see."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.actions import OrderAction, resolve
from rules.books.total_war.course import add_player
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.scenario import number_of
from rules.books.total_war.sight import UNKNOWN, has_fog, knows, seen_by, unseen
from rules.books.total_war.storage import begin_war
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import HeldPanel, Rules, Unit, War, Works
from rules.books.total_war.words import describe_reach
from rules.geometry import DIRECTIONS, Hex, hex_distance
from tests.answers.random_play import Chance
from tests.answers.war_games import is_allowed
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import (
    COLONY,
    RULES,
    after,
    attacked,
    code,
    met,
    played,
    reread,
    rules,
    seeds,
    started,
    unthrown,
)

FOG = rules(lambda data: data["scenario"].update(fog="near", sight=1))


def test_a_war_without_fog_hides_nothing() -> None:
    """AMB-80: the page shows one map to all."""
    war = attacked()
    assert seen_by(RULES, war, "Z") is war
    assert (unseen(RULES, war, None), has_fog(RULES), knows(RULES, None, "E")) == (set(), False, True)


def test_a_faction_sees_pieces_near_its_own_alone() -> None:
    """AMB-80: forces, garrisons and facilities are seen within so many panels of own panels and forces; owners are always seen."""
    war = started(FOG)
    seen, hidden = seen_by(FOG, war, "E"), unseen(FOG, war, "E")
    assert {item.faction for item in seen.forces.values()} == {"E"}
    assert seen.owners == war.owners
    assert (seen.panels[Hex(-3, 3)].garrison, seen.panels[Hex(-2, 1)].facility) == ((), None)
    assert (seen.panels[Hex(3, 0)].garrison, Hex(3, 0) in hidden) == (war.panels[Hex(3, 0)].garrison, False)
    own = [at for at, panel in war.panels.items() if panel.owner == "E"]
    own += [item.at for item in war.forces.values() if item.faction == "E"]
    assert hidden == {at for at in war.panels if min(hex_distance(at, place) for place in own) > 1}
    near = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(1, -1), follows="x"))
    assert seen_by(FOG, near, "E").forces["2nd Fleet"] == replace(near.forces["2nd Fleet"], follows=None)


def test_what_is_not_seen_is_not_said_to_be_undefended() -> None:
    """AMB-80: of a panel in reach that is out of sight nobody is told that nothing stands there."""
    war = started(FOG)
    war = war.with_forces(replace(war.forces["21st Squadron"], at=Hex(0, 0)))
    seen, hidden = seen_by(FOG, war, "E"), unseen(FOG, war, "E")
    *_, last = describe_reach(FOG, seen, seen.forces["1st Fleet"], hidden)
    assert last == "Out of sight and not Earth Federation's: 0,0 (resource panel, +20 gold)."
    *_, last = describe_reach(FOG, war, war.forces["1st Fleet"])
    assert last == "Moving there starts a battle: 0,0 (21st Squadron)."


def test_what_a_faction_keeps_in_its_books_is_its_own() -> None:
    """AMB-80: banks, pools, models, ranks, wishes and answers of others are not told, nor how many units there ever were."""
    war = started(FOG).with_side("Z", pool={"zaku": 2}, models=frozenset({"zgok"}))
    war = replace(war, works=(Works("zgok", "Z", None, 3),), answers={"Z": "on"}, asked="E")
    seen = seen_by(FOG, war, "E")
    assert (seen.factions["Z"].gold, seen.factions["Z"].pool, seen.factions["Z"].models) == (0, {}, frozenset())
    assert (seen.players["Cid"].rank, seen.players["Ann"].rank) == (UNKNOWN, "Admiral")
    assert (seen.works, seen.answers, seen.asked) == ((), {}, "E")
    assert seen.units < war.units
    assert (knows(FOG, "E", "Z"), knows(FOG, "E", "E")) == (False, True)
    assert seen_by(FOG, war, "Z").works == war.works


def test_an_onlooker_sees_owners_alone_and_a_lone_rogue_what_is_near() -> None:
    """R1, AMB-80: whoever is of no side sees the owners of panels, and nothing besides; a lone rogue stands for a faction of one, with their own forces, rank and wish."""
    war = started(FOG)
    seen = seen_by(FOG, war, None)
    assert (seen.forces, seen.owners, unseen(FOG, war, None)) == ({}, war.owners, {*war.panels})
    assert not any(panel.garrison or panel.facility for panel in seen.panels.values())
    war = after(attacked(), actions.Petition(actor="Bob", player="Bob", faction="Z"), by=FOG)
    seen = seen_by(FOG, war, "Bob")
    assert "11th Squadron" in seen.forces
    assert (seen.players["Bob"].petition, seen.players["Bob"].rank) == ("Z", "Ensign")
    assert (seen_by(FOG, war, "Z").players["Bob"].petition, seen_by(FOG, war, "E").players["Bob"].petition) == (
        "Z",
        None,
    )


def test_a_battle_is_whole_to_those_who_fight_it_and_seen_by_who_is_near() -> None:
    """AMB-80: who fights sees the battle; a third party sees it near their own forces only, without ways beyond."""
    war, at = met(), Hex(1, -2)
    for side in ("E", "Z"):
        seen = seen_by(FOG, war, side)
        assert seen.battles == war.battles
        assert {*seen.battles[at].forces} <= {*seen.forces}
    assert not seen_by(FOG, war, "Bob").battles
    rogue = replace(war.forces["12th Squadron"], faction="Bob", at=Hex(0, -1))
    war = after(war.with_forces(rogue), actions.FightAction(at=at, order=Withdraw("Z")))
    told = replace(war.battles[at], retreats={"2nd Fleet": Hex(2, -2)})
    war = replace(war, battles={at: told})
    assert seen_by(FOG, war, "Bob").battles[at].retreats == {}
    assert seen_by(FOG, war, "Z").battles[at].retreats == {"2nd Fleet": Hex(2, -2)}


def test_an_order_into_the_unknown_is_accepted_and_meets_what_is_there() -> None:
    """AMB-80, AMB-08, AMB-20: an enemy out of sight refuses no order, and ends it with a fight; what seems to fall without one is defended all the same."""
    war = started(FOG)
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(2, 1)))
    fleet = actions.Move(actor="Ann", who="1st Fleet", path=("S", "S", "S"))
    assert Hex(2, 1) in unseen(FOG, war, "E")
    assert seen_by(FOG, war, "E").forces.keys().isdisjoint({"2nd Fleet"})
    seen = after(seen_by(FOG, war, "E"), fleet, by=FOG)
    assert (seen.forces["1st Fleet"].at, seen.battles) == (Hex(2, 1), {})
    assert {*after(war, fleet, by=FOG).battles} == {Hex(2, 1)}
    war = started(FOG)
    war = war.with_forces(
        replace(war.forces["2nd Fleet"], at=Hex(1, 0)), replace(war.forces["21st Squadron"], at=Hex(1, -1))
    )
    war = war.with_panel(COLONY, owner="N")
    step = actions.Move(who="21st Squadron", path=("N", "N"))
    assert COLONY in unseen(FOG, war, "Z")
    assert not seen_by(FOG, war, "Z").panels[COLONY].garrison
    assert COLONY not in after(seen_by(FOG, war, "Z"), step, by=FOG).battles


def otherwise(chance: Chance, war: War, faction: str | None) -> War:
    """A war that differs from another in many things, all of which a faction does not see."""
    hidden = sorted(unseen(FOG, war, faction))
    fighting = {name for battle in war.battles.values() for name in battle.forces}
    for item in [item for item in war.forces.values() if item.at in hidden and item.name not in fighting]:
        war = war.without_forces([item.name])
        if chance.random() < 0.5:
            war = war.with_forces(replace(item, name=f"{item.name} x", at=chance.choice(hidden), units=item.units[1:]))
    for at in hidden:
        if chance.random() < 0.5 and at not in war.battles:
            war = war.with_panel(at, garrison=(Unit(f"u{war.units + 1}", "gm"),), facility="radar")
            war = replace(war, units=war.units + 1)
    for name in war.factions:
        if name != faction:
            war = war.with_side(name, gold=chance.randint(0, 99), pool={"gm": 3}, models=frozenset({"zgok"}))
            war = replace(war, answers={**war.answers, name: "on"}, works=(*war.works, Works("zgok", name, None, 9)))
    for name, player in war.players.items():
        if (player.faction or name) != faction:
            war = war.with_player(
                name, rank=chance.choice(["Ensign", "Captain", "Admiral"]), owner=str(chance.random())
            )
    return war


def orders(war: War, faction: str | None) -> Iterator[OrderAction]:
    """Orders that tell something: every force one and two panels in each direction, and whatever the staff may try."""
    for name in ("1st Fleet", "11th Squadron", "2nd Fleet", "21st Squadron", "Solar System", "1st Fleet x"):
        for way in DIRECTIONS:
            yield actions.Move(who=name, path=(way,))
            yield actions.Move(who=name, path=(way, way))
            yield actions.Follow(who="11th Squadron", fleet=name)
    for at in war.panels:
        yield actions.Build(faction=faction or "E", item="superweapon", at=at)
        yield actions.Buy(faction=faction or "E", model="gm", at=at)
        yield actions.FightAction(at=at, order=Withdraw("E"))
    for name in war.players:
        yield actions.Assign(who="11th Squadron", player=name)
        yield actions.Promote(player=name, rank="Captain")
        yield actions.Admit(player=name, takes=True)
        yield actions.Rogue(player=name)
    yield actions.Answer(faction="E", answer="end")
    yield actions.Retreat(who="2nd Fleet", to=Hex(0, 0))


def outcome(war: War, deed: OrderAction) -> object:
    """What comes of an order: the war after it, or all that its refusal tells."""
    try:
        return resolve(FOG, war, deed, unthrown)
    except Refused as refusal:
        return refusal.code, str(refusal), refusal.told


@pytest.mark.parametrize("seed", seeds(6))
def test_no_answer_depends_on_what_is_not_seen(seed: int) -> None:
    """AMB-80: worlds that differ only where a faction does not see are one war to it, which is sound, and every order has one answer there."""
    chance = Chance(seed)
    for number, (*_, war) in enumerate(played(seed, 5, FOG)):
        if number % 23:
            continue
        for viewer in (*war.factions, *(name for name, player in war.players.items() if player.faction is None), None):
            seen = seen_by(FOG, war, viewer)
            sound(seen)
            assert reread(seen) == seen
            assert seen_by(FOG, seen, viewer) == seen
            other = seen_by(FOG, otherwise(chance, war, viewer), viewer)
            assert other == seen
            for deed in orders(war, viewer):
                assert outcome(other, deed) == outcome(seen, deed)


@pytest.mark.parametrize("seed", seeds(6))
def test_a_move_is_refused_for_what_is_seen_alone(seed: int) -> None:
    """AMB-80: each order to move that the world allows is allowed by what its faction sees, but for one that ends on a friend then."""
    for number, (*_, war) in enumerate(played(seed, 6, FOG)):
        if number % 11:
            continue
        for force in war.forces.values():
            seen = seen_by(FOG, war, force.faction)
            for path in ((way,) * steps for way in DIRECTIONS for steps in (1, 2, 3)):
                move = actions.Move(who=force.name, path=path)
                if is_allowed(FOG, war, move) and not is_allowed(FOG, seen, move):
                    assert code(seen, move, FOG) == "E_OCCUPIED"


def test_sight_goes_over_the_edge_and_over_holes() -> None:
    """H2, AMB-80: sight counts panels as the crow flies; what cannot be entered hides nothing behind it."""
    by = rules(lambda data: data["scenario"].update(fog="near", sight=2))
    war = replace(
        started(by), panels={Hex(0, 0): HeldPanel("plain", owner="E"), Hex(2, 0): HeldPanel("plain")}, forces={}
    )
    assert unseen(by, war, "E") == set()
    assert unseen(FOG, war, "E") == {Hex(2, 0)}


@pytest.mark.parametrize("name", ["E", "Z", "N"])
def test_no_player_is_called_as_a_faction_is(name: str) -> None:
    """R1, AMB-80: a lone rogue goes by their own name where others go by their faction's, so that nobody sees as a faction does."""
    with pytest.raises(Refused, match="Choose another callsign"):
        add_player(FOG, started(FOG), name, "E")


def test_no_faction_is_called_as_a_player_is() -> None:
    """R4, AMB-80: the id of a rogue faction is one that no player has."""
    war = add_player(RULES, attacked(), "R1", "Z")
    assert "R2" in after(war, actions.FightAction(at=COLONY, order=Withdraw("E"))).factions


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
