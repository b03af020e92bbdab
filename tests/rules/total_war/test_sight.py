from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from rules.books.total_war import storage
from rules.books.total_war.actions import resolve
from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import add_player
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.orders.command import Admit, AnswerCapitol, Assign, Petition, Promote, Rogue
from rules.books.total_war.orders.movement import Follow, MoveForce, describe_reach
from rules.books.total_war.orders.production import Build, Buy
from rules.books.total_war.scenario import number_of
from rules.books.total_war.storage import begin_war
from rules.books.total_war.war import HeldPanel, Rules, Unit, War, Works
from rules.geometry import DIRECTIONS, Hex, hex_distance
from tests.answers.random_play import Chance, OrderAction
from tests.answers.war_games import is_allowed
from tests.rules.total_war import wars
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import FOG, RULES, after, start_war


def test_a_war_without_fog_hides_nothing() -> None:
    """AMB-80: all see one map."""
    war = wars.attack_colony()
    assert storage.mask_war(RULES, war, "Z") is war
    assert not storage.find_unseen(RULES, war, None)
    assert (RULES.scenario.has_fog, storage.knows(RULES, None, "E")) == (False, True)


def test_a_faction_sees_pieces_near_its_own_alone() -> None:
    """AMB-80: owners are always visible."""
    war = start_war(FOG)
    seen, hidden = storage.mask_war(FOG, war, "E"), storage.find_unseen(FOG, war, "E")
    assert {item.faction for item in seen.forces.values()} == {"E"}
    assert seen.owners == war.owners
    assert (seen.panels[Hex(-3, 3)].garrison, seen.panels[Hex(-2, 1)].facility) == ((), None)
    assert (seen.panels[Hex(3, 0)].garrison, Hex(3, 0) in hidden) == (war.panels[Hex(3, 0)].garrison, False)
    own = [at for at, panel in war.panels.items() if panel.owner == "E"]
    own += [item.at for item in war.forces.values() if item.faction == "E"]
    assert hidden == {at for at in war.panels if min(hex_distance(at, place) for place in own) > 1}
    near = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(1, -1), follows="x"))
    assert storage.mask_war(FOG, near, "E").forces["2nd Fleet"] == replace(near.forces["2nd Fleet"], follows=None)


def test_what_is_not_seen_is_not_said_to_be_undefended() -> None:
    """AMB-80: hidden panels in reach are listed apart."""
    war = start_war(FOG)
    war = war.with_forces(replace(war.forces["21st Squadron"], at=Hex(0, 0)))
    seen, hidden = storage.mask_war(FOG, war, "E"), storage.find_unseen(FOG, war, "E")
    *_, last = describe_reach(FOG, seen, seen.forces["1st Fleet"], hidden)
    assert last == "Out of sight and not Earth Federation's: 0,0 (resource panel, +20 gold)."
    *_, last = describe_reach(FOG, war, war.forces["1st Fleet"])
    assert last == "Moving there starts a battle: 0,0 (21st Squadron)."


def test_what_a_faction_keeps_in_its_books_is_its_own() -> None:
    """AMB-80: gold, pools, models, ranks and answers."""
    war = start_war(FOG).with_side("Z", pool={"zaku": 2}, models=frozenset({"zgok"}))
    war = replace(war, works=(Works("zgok", "Z", None, 3),), answers={"Z": "on"}, asked="E")
    seen = storage.mask_war(FOG, war, "E")
    assert (seen.factions["Z"].gold, seen.factions["Z"].pool, seen.factions["Z"].models) == (0, {}, frozenset())
    assert (seen.players["Cid"].rank, seen.players["Ann"].rank) == ("?", "Admiral")
    assert (seen.works, seen.answers, seen.asked) == ((), {}, "E")
    assert seen.units < war.units
    assert (storage.knows(FOG, "E", "Z"), storage.knows(FOG, "E", "E")) == (False, True)
    assert storage.mask_war(FOG, war, "Z").works == war.works


def test_an_onlooker_sees_owners_alone_and_a_lone_rogue_what_is_near() -> None:
    """R1, AMB-80: rogues see their surroundings."""
    war = start_war(FOG)
    seen = storage.mask_war(FOG, war, None)
    assert (seen.forces, seen.owners, storage.find_unseen(FOG, war, None)) == ({}, war.owners, {*war.panels})
    assert not any(panel.garrison or panel.facility for panel in seen.panels.values())
    war = after(wars.attack_colony(), Petition(actor="Bob", player="Bob", faction="Z"), by=FOG)
    seen = storage.mask_war(FOG, war, "Bob")
    assert "11th Squadron" in seen.forces
    assert (seen.players["Bob"].petition, seen.players["Bob"].rank) == ("Z", "Ensign")
    assert [storage.mask_war(FOG, war, side).players["Bob"].petition for side in ("Z", "E")] == ["Z", None]


def test_a_battle_is_whole_to_those_who_fight_it_and_seen_by_who_is_near() -> None:
    """AMB-80: third parties don't see far retreats."""
    war, at = wars.meet_fleet(), Hex(1, -2)
    for side in ("E", "Z"):
        seen = storage.mask_war(FOG, war, side)
        assert seen.battles == war.battles
        assert {*seen.battles[at].forces} <= {*seen.forces}
    assert not storage.mask_war(FOG, war, "Bob").battles
    rogue = replace(war.forces["12th Squadron"], faction="Bob", at=Hex(0, -1))
    war = after(war.with_forces(rogue), FightAction(at=at, order=Withdraw("Z")))
    told = replace(war.battles[at], retreats={"2nd Fleet": Hex(2, -2)})
    war = replace(war, battles={at: told})
    assert storage.mask_war(FOG, war, "Bob").battles[at].retreats == {}
    assert storage.mask_war(FOG, war, "Z").battles[at].retreats == {"2nd Fleet": Hex(2, -2)}


def test_an_order_into_the_unknown_is_accepted_and_meets_what_is_there() -> None:
    """AMB-80, AMB-08, AMB-20: hidden enemies start fights."""
    war = start_war(FOG)
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(2, 1)))
    fleet = MoveForce(actor="Ann", who="1st Fleet", path=("S", "S", "S"))
    assert Hex(2, 1) in storage.find_unseen(FOG, war, "E")
    assert storage.mask_war(FOG, war, "E").forces.keys().isdisjoint({"2nd Fleet"})
    seen = after(storage.mask_war(FOG, war, "E"), fleet, by=FOG)
    assert (seen.forces["1st Fleet"].at, seen.battles) == (Hex(2, 1), {})
    assert {*after(war, fleet, by=FOG).battles} == {Hex(2, 1)}
    war = start_war(FOG)
    war = war.with_forces(
        replace(war.forces["2nd Fleet"], at=Hex(1, 0)), replace(war.forces["21st Squadron"], at=Hex(1, -1))
    )
    war = war.with_panel(wars.COLONY, owner="N")
    step = MoveForce(who="21st Squadron", path=("N", "N"))
    assert wars.COLONY in storage.find_unseen(FOG, war, "Z")
    assert not storage.mask_war(FOG, war, "Z").panels[wars.COLONY].garrison
    assert wars.COLONY not in after(storage.mask_war(FOG, war, "Z"), step, by=FOG).battles


def otherwise(chance: Chance, war: War, faction: str | None) -> War:
    """Change a war where a faction doesn't see it."""
    hidden = sorted(storage.find_unseen(FOG, war, faction))
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
    """Return orders that might reveal something."""
    for name in ("1st Fleet", "11th Squadron", "2nd Fleet", "21st Squadron", "Solar System", "1st Fleet x"):
        for way in DIRECTIONS:
            yield MoveForce(who=name, path=(way,))
            yield MoveForce(who=name, path=(way, way))
            yield Follow(who="11th Squadron", fleet=name)
    for at in war.panels:
        yield Build(faction=faction or "E", item="superweapon", at=at)
        yield Buy(faction=faction or "E", model="gm", at=at)
        yield FightAction(at=at, order=Withdraw("E"))
    for name in war.players:
        yield Assign(who="11th Squadron", player=name)
        yield Promote(player=name, rank="Captain")
        yield Admit(player=name, takes=True)
        yield Rogue(player=name)
    yield AnswerCapitol(faction="E", answer="end")
    yield Retreat(who="2nd Fleet", to=Hex(0, 0))


def outcome(war: War, action: OrderAction) -> object:
    """Return the war after an order, or its refusal."""
    try:
        return resolve(FOG, war, action, wars.unthrown)
    except Refused as refusal:
        return refusal.code, str(refusal), refusal.details


@pytest.mark.parametrize("seed", wars.seeds(6))
def test_no_answer_depends_on_what_is_not_seen(seed: int) -> None:
    """AMB-80: hidden differences change no answer."""
    chance = Chance(seed)
    for number, (*_, war) in enumerate(wars.play_game(seed, 5, FOG)):
        if number % 23:
            continue
        for viewer in (*war.factions, *(name for name, player in war.players.items() if player.faction is None), None):
            seen = storage.mask_war(FOG, war, viewer)
            sound(seen)
            assert wars.reread(seen) == seen
            assert storage.mask_war(FOG, seen, viewer) == seen
            other = storage.mask_war(FOG, otherwise(chance, war, viewer), viewer)
            assert other == seen
            for action in orders(war, viewer):
                assert outcome(other, action) == outcome(seen, action)


@pytest.mark.parametrize("seed", wars.seeds(6))
def test_a_move_is_refused_for_what_is_seen_alone(seed: int) -> None:
    """AMB-80: possible moves look possible."""
    for number, (*_, war) in enumerate(wars.play_game(seed, 6, FOG)):
        if number % 11:
            continue
        for force in war.forces.values():
            seen = storage.mask_war(FOG, war, force.faction)
            for path in ((way,) * steps for way in DIRECTIONS for steps in (1, 2, 3)):
                move = MoveForce(who=force.name, path=path)
                if is_allowed(FOG, war, move) and not is_allowed(FOG, seen, move):
                    assert wars.find_code(seen, move, FOG) == "E_OCCUPIED"


def test_sight_goes_over_the_edge_and_over_holes() -> None:
    """H2, AMB-80: closed panels block no sight."""
    by = wars.rules(lambda data: data["scenario"].update(fog="near", sight=2))
    war = replace(
        start_war(by), panels={Hex(0, 0): HeldPanel("plain", owner="E"), Hex(2, 0): HeldPanel("plain")}, forces={}
    )
    assert storage.find_unseen(by, war, "E") == set()
    assert storage.find_unseen(FOG, war, "E") == {Hex(2, 0)}


@pytest.mark.parametrize("name", ["E", "Z", "N"])
def test_no_player_is_called_as_a_faction_is(name: str) -> None:
    """R1, AMB-80: else they would see its war."""
    with pytest.raises(Refused, match="Choose another callsign"):
        add_player(FOG, start_war(FOG), name, "E")


def test_no_faction_is_called_as_a_player_is() -> None:
    """R4, AMB-80: rogue ids aren't callsigns."""
    war = add_player(RULES, wars.attack_colony(), "R1", "Z")
    assert "R2" in after(war, FightAction(at=wars.COLONY, order=Withdraw("E"))).factions


def test_numbers_are_in_a_row_or_drawn_and_come_once_each() -> None:
    """Three digits come first."""
    assert [number_of("", place) for place in range(1, 1200)] == [*range(1, 1200)]
    drawn = [number_of("one", place) for place in range(1, 2000)]
    assert sorted(drawn[:900]) == [*range(100, 1000)]
    assert len({*drawn}) == len(drawn)
    assert min(drawn[900:]) >= 1000
    assert [number_of("one", place) for place in range(1, 2000)] == drawn
    assert [number_of("two", place) for place in range(1, 901)] != drawn[:900]


def test_a_war_in_fog_gives_new_units_numbers_that_nobody_has() -> None:
    """AMB-80: ids reveal no totals."""
    drawn = wars.rules(lambda data: data["scenario"].update(fog="near", sight=1))
    drawn = Rules(drawn.terms, replace(drawn.scenario, numbered="secret"))
    war = begin_war(drawn)
    known = {unit.id for unit in war.every_unit()}
    assert len(known) == war.units
    grown, more = war.new_units(["gm"] * 50)
    assert known.isdisjoint(unit.id for unit in more)
    assert grown.units == war.units + 50
    seen = storage.mask_war(drawn, war, "E")
    assert seen.numbered == ""
    assert known.isdisjoint(unit.id for unit in seen.new_units(["gm"] * 3)[1])
