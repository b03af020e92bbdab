from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.battles import side_name
from rules.books.total_war.course import Advance
from rules.books.total_war.fight import MeetCondition, MoveUnit, Next, Withdraw
from rules.books.total_war.orders.command import (
    Admit,
    Allot,
    AnswerCapitol,
    Assign,
    Delegate,
    Found,
    Petition,
    Promote,
    Rogue,
)
from rules.books.total_war.orders.movement import Follow, MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike
from rules.books.total_war.rulings.values import (
    AddForce,
    PlaceForce,
    RemoveForce,
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSwitch,
)
from rules.books.total_war.storage import mask_war
from rules.books.total_war.war import Rules, War, WarAction
from rules.books.total_war.war_words import describe_changes, describe_to, describe_to_factions
from rules.geometry import Hex, Square
from tests.rules.total_war import wars
from tests.rules.total_war.wars import FOG, RULES, after, start_war

AT = Hex(1, -2)
SPECIAL = Hex(0, -3)


def lines(war: War, *given: WarAction, by: Rules = RULES) -> list[str]:
    """Describe the last of several orders."""
    *most, last = given
    before = after(war, *most, by=by)
    return describe_changes(by, before, last, after(before, last, by=by))


def _prepare_special() -> War:
    return start_war().with_panel(SPECIAL, owner="E").with_panel(Hex(0, -2), owner="E").with_side("E", gold=400)


ONE_EACH: Sequence[tuple[War, WarAction, list[str]]] = [
    (start_war(), MoveForce(who="1st Fleet", path=("S", "S")), ["1st Fleet moves from 2,-2 to 2,0.", "Earth Federation takes 2,0 (before: neutral)."]),
    (start_war(), MoveForce(who="11th Squadron", path=("S", "N")), ["11th Squadron moves out and back to 1,-2."]),
    (start_war(), Follow(who="11th Squadron", fleet="1st Fleet"), ["11th Squadron will ride along with 1st Fleet if it moves."]),
    (_prepare_special(), Build(faction="E", item="superweapon", at=SPECIAL), ["Earth Federation starts Superweapon on 0,-3 (ready in turn 3).", "Earth Federation pays 150 gold (250 left)."]),
    (start_war(), Build(faction="E", item="ms_facility_upgrade", at=Hex(2, -1)), ["MS facility upgrade is built on 2,-1.", "Earth Federation pays 60 gold (40 left)."]),
    (start_war(), Build(faction="E", item="colony_garrison", at=wars.COLONY, number=2), ["The garrison of 1,-3 gets 2 gm.", "Earth Federation pays 50 gold (50 left)."]),
    (start_war(), Buy(faction="E", model="gm", at=Hex(3, -3), number=2), ["Earth Federation gets 2 gm (2 to assign).", "Earth Federation pays 40 gold (60 left)."]),
    (start_war(), Buy(faction="E", model="gm", at=Hex(3, -3), number=1), ["Earth Federation gets 1 gm (1 to assign).", "Earth Federation pays 20 gold (80 left)."]),
    (start_war(), Research(faction="E", model="guncannon"), ["Earth Federation can now use guncannon.", "Earth Federation pays 50 gold (50 left)."]),
    (start_war(), Promote(player="Bob", rank="Captain"), ["Bob is now Captain (before: Ensign)."]),
    (start_war(), Assign(who="11th Squadron", player="Bob"), ["Bob now commands 11th Squadron."]),
    (start_war().with_forces(replace(start_war().forces["1st Fleet"], commander="Bob")), Delegate(faction="E", player="Bob"), ["Bob can now assign new units of Earth Federation."]),
    (start_war().with_side("E", delegate="Bob"), Delegate(faction="E"), ["Only the leader can now assign new units of Earth Federation."]),
    (start_war().with_side("E", pool={"gm": 2}), Allot(who="12th Squadron", model="gm", number=2), ["12th Squadron gets 2 gm (now 5 units)."]),
    (wars.go_rogue(), Petition(player="Bob", faction="Z"), ["Bob asks to join Zeon. Its leader answers with an order."]),
    (wars.go_rogue().with_player("Bob", petition="Z"), Admit(player="Bob", takes=False), ["Zeon turns Bob down."]),
    (wars.go_rogue().with_player("Bob", petition="Z"), Admit(player="Bob", takes=True), ["11th Squadron now belongs to Zeon.", "Bob is now with Zeon."]),
    (wars.win_colony(), Found(faction="R1", name="Axis", colour="#00838f"), ["Bob's rogues is now called Axis (colour #00838f)."]),
    (replace(start_war(), asked="E"), AnswerCapitol(faction="Z", answer="end"), ["Zeon answers: the war ends."]),
    (replace(start_war(), asked="E", answers={"Z": "end"}), AnswerCapitol(faction="E", answer="end"), ["Earth Federation answers: the war ends.", "The war is over: Zeon has won."]),
    (replace(start_war(), asked="E", answers={"Z": "end"}), AnswerCapitol(faction="E", answer="on"), ["Earth Federation answers: the war goes on.", "The war goes on."]),
    (start_war(), Advance(), ["Earth Federation gets 33 gold (133 in the bank).", "Zeon gets 33 gold (133 in the bank).", "Turn 2 begins."]),
    (start_war(), SetOwner(at=wars.MINE, faction="Z"), ["Zeon takes 2,-2 (before: Earth Federation).", "Out of supply (Zeon): 2,-2."]),
    (wars.win_colony(), SetOwner(at=Hex(-3, 3), faction="R1"), ["Bob's rogues takes -3,3 (before: Zeon).", "Zeon lost its capitol by a setting, not by capture. The war goes on.", "Out of supply (Zeon): (-3,1), (-3,2), (-2,1), (-2,2), (-2,3), (-1,2) and (-1,3)."]),
    (start_war(), SetGold(faction="E", gold=7), ["Earth Federation has 7 gold (before: 100)."]),
    (start_war(), AddUnits(to=wars.COLONY, model="gm"), ["The garrison of 1,-3 gets 1 gm."]),
    (start_war(), RemoveUnit(unit=start_war().panels[wars.COLONY].garrison[0].id), ["The garrison of 1,-3 loses 1 gm."]),
    (start_war(), RemoveUnit(unit=start_war().forces["11th Squadron"].units[0].id), ["11th Squadron loses 1 gm (Amuro Ray)."]),
    (start_war(), SetUnit(unit=start_war().forces["11th Squadron"].units[1].id, kills=5), ["u13 gm now has 5 kills (ace level 1)."]),
    (after(start_war(), SetUnit(unit="u13", kills=10)), SetUnit(unit="u13", kills=4), ["u13 gm now has 4 kills (ace level 1)."]),
    (after(start_war(), SetUnit(unit="u13", kills=10)), SetUnit(unit="u13", kills=3), ["u13 gm now has 3 kills (no longer an ace)."]),
    (wars.win_colony(), SetOwner(at=Hex(0, -2), faction="Z"), ["Zeon takes 0,-2 (before: Bob's rogues).", "Out of supply (Zeon): 0,-2."]),
    (start_war(), SetUnit(unit=start_war().forces["11th Squadron"].units[0].id, pilot=""), ["u12 gm now has no named pilot."]),
    (start_war(), AddForce(name="X", piece="fleet", faction="E", at=Hex(0, 0), units=("gm", "gm")), ["New force: X of Earth Federation on 0,0 (fleet, 2 gm)."]),
    (start_war(), PlaceForce(who="1st Fleet", at=Hex(0, 0)), ["1st Fleet is placed on 0,0 (before: 2,-2)."]),
    (start_war(), RemoveForce(who="1st Fleet"), ["1st Fleet of Earth Federation is lost."]),
    (start_war(), SetRank(player="Bob", rank="Captain"), ["Bob is now Captain (before: Ensign)."]),
    (start_war(), SetPost(faction="E", post="leader", player="Bob"), ["Bob now leads Earth Federation."]),
    (start_war(), SetPrice(of="unit", name="gm", cost=5), ["The unit gm now costs 5 gold."]),
    (start_war(), SetSwitch(name="cooldown", value=1), ["The switch cooldown is now 1."]),
    (start_war().with_panel(Hex(3, -3), owner="Z"), SetSource(faction="E", at=wars.MINE), ["Earth Federation is now supplied from 2,-2 too.", "Back in supply (Earth Federation): (1,-3), (1,-2), (2,-3), (2,-2), (2,-1), (3,-2) and (3,-1)."]),
    (start_war(), Strike(panels=(wars.COLONY,)), ["1,-3 is destroyed and can't be entered."]),
    (wars.meet_fleet(), FightAction(at=AT, order=MoveUnit("u14", Square(1, 2))), []),
    (wars.meet_fleet(), FightAction(at=AT, order=Next("Z")), ["Earth Federation's half of turn 1 begins."]),
]  # fmt: skip


@pytest.mark.parametrize(("war", "action", "words"), ONE_EACH)
def test_each_order_is_told_in_words(war: War, action: WarAction, words: list[str]) -> None:
    """M1, T1, B2, B8, B10, B11, K3 to K5, R7, R9, V2, E2, AMB-22, AMB-79: in words."""
    if isinstance(action, FightAction) and isinstance(action.order, MoveUnit):
        name, fighter = next((key, item) for key, item in war.battles[AT].fight.units.items() if item.side == "Z")
        goal = Square(fighter.at.column, 2)
        action, words = (
            replace(action, order=MoveUnit(name, goal)),
            [f"{name} musai moves from {fighter.at} to {goal}."],
        )
    assert lines(war, action) == words


def test_a_battle_is_told_from_its_first_act_to_its_last() -> None:
    """C1 to C4, Q2, P1, P2, P4, P8, X1: from opening to result."""
    war = start_war()
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(1, -1)))
    move = MoveForce(actor="Cid", who="2nd Fleet", path=("N",))
    assert lines(war, move)[-1] == "Battle on 1,-2: Zeon (2nd Fleet) attacks Earth Federation (11th Squadron)."
    leave = FightAction(actor="Ann", at=AT, order=Withdraw("E"))
    assert lines(war, move, leave) == [
        "Earth Federation withdraws.",
        "Zeon won the battle on 1,-2 against Earth Federation in turn 1.",
        "11th Squadron has to retreat from 1,-2: the commander picks where.",
    ]
    end = lines(war, move, leave, Retreat(actor="Ann", who="11th Squadron", to=Hex(0, -2)))
    assert end[0].endswith("(before: neutral).")
    assert "11th Squadron has no losses, 4 units left." in end
    assert "11th Squadron retreats to 0,-2." in end
    assert "2nd Fleet is now tier 5." in end
    assert "Zeon gets 100 gold (200 in the bank)." in end


def test_a_garrison_of_nobody_is_no_rogue_and_has_a_name() -> None:
    """Q4: neutral garrisons aren't rogues."""
    war = start_war().with_panel(Hex(1, -1), garrison=start_war().panels[wars.COLONY].garrison)
    move = MoveForce(actor="Ann", who="11th Squadron", path=("S",))
    begun = "Battle on 1,-1: Earth Federation (11th Squadron) attacks a garrison of 1 (neutral)."
    assert lines(war, move)[-1] == begun
    leave = FightAction(actor="Ann", at=Hex(1, -1), order=Withdraw("E"))
    won = "Neutral garrison won the battle on 1,-1 against Earth Federation in turn 1."
    assert won in lines(war, move, leave)
    board = after(war, move)
    assert side_name(board, board.battles[Hex(1, -1)].defender) == "neutral garrison"


def test_a_rogue_is_told_from_leaving_to_founding() -> None:
    """R1, R4 to R6, R9: and dissolving."""
    assert lines(
        start_war().with_forces(replace(start_war().forces["11th Squadron"], commander="Bob")),
        Rogue(player="Bob"),
    ) == ["11th Squadron now belongs to Bob.", "Bob is now a lone rogue."]
    fight = lines(wars.go_rogue(), MoveForce(who="11th Squadron", path=("N",)))
    assert "Battle on 1,-3: Bob (11th Squadron) attacks Earth Federation (a garrison of 4)." in fight
    found = lines(wars.attack_colony(), FightAction(at=wars.COLONY, order=MeetCondition("Bob")))
    assert "Bob won the battle on 1,-3 against Earth Federation in turn 1." in found
    assert "New faction: Bob's rogues, led by Bob. Its leader may order a name and colour." in found
    assert "The garrison of 1,-3 loses 4 gm." in found
    ended = lines(wars.win_colony(), SetOwner(at=wars.COLONY, faction="E"))
    assert (
        "Bob's rogues lost its last stronghold and dissolves: its land is neutral, its players are lone rogues."
        in ended
    )


def test_what_is_destroyed_and_cut_off_is_told() -> None:
    """Q5, U1, U5, V1, V2: facilities, land, capitols."""
    war = start_war().without_forces(["Solar System", "1st Fleet", "12th Squadron"])
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(2, 0))).with_panel(Hex(3, -3), garrison=())
    first = MoveForce(who="2nd Fleet", path=("N", "N", "N"))
    raid = lines(war, first)
    assert "Mining station on 2,-2 is destroyed." in raid
    assert raid[-2:] == [
        "Out of supply (Earth Federation): (1,-3) and (1,-2).",
        "Out of supply (Zeon): (2,-3), (2,-2) and (2,-1).",
    ]
    fall = lines(war, first, Advance(), MoveForce(who="2nd Fleet", path=("SE",)))
    asked = "The leaders of Earth Federation and Zeon decide with an order whether the war ends."
    assert fall[0] == "2nd Fleet moves from 2,-3 to 3,-3."
    assert f"The capitol of Earth Federation has fallen. {asked}" in fall


@pytest.mark.parametrize("seed", wars.seeds(5))
def test_whatever_changes_is_told(seed: int) -> None:
    """S5: every change has one line."""
    for war, action, then in wars.play_game(seed, 15):
        found = describe_changes(RULES, war, action, then)
        assert bool(found) == (war != then), action
        assert all(line.endswith((".", ":")) for line in found)
        assert len(found) == len({*found})


@pytest.mark.parametrize("seed", wars.seeds(5))
def test_nobody_is_told_of_what_they_do_not_see(seed: int) -> None:
    """AMB-80: no hidden forces or gold."""
    for war, action, then in wars.play_game(seed, 8, FOG):
        for viewer in ("E", "Z", None):
            said = " ".join(describe_to(FOG, war, action, then, viewer))
            seen = {*mask_war(FOG, war, viewer).forces, *mask_war(FOG, then, viewer).forces}
            assert not [name for name in {*war.forces, *then.forces} - seen if name in said]
            others = [side.name for name, side in then.factions.items() if name != viewer]
            assert not [name for name in others if f"{name} gets" in said or f"{name} pays" in said]
            assert mask_war(FOG, war, viewer) != mask_war(FOG, then, viewer) or not said


def test_a_war_without_fog_is_told_to_all_alike() -> None:
    """AMB-80: all read the same."""
    war, action = start_war(), Buy(faction="E", model="gm", at=Hex(3, -3))
    then = after(war, action)
    assert (
        describe_to(RULES, war, action, then, "Z")
        == describe_to(RULES, war, action, then, None)
        == describe_changes(RULES, war, action, then)
    )


def test_pieces_come_into_sight_and_go_out_of_it() -> None:
    """AMB-80: leaving isn't losing."""
    war = start_war(FOG)
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(1, 1)))
    near = MoveForce(who="2nd Fleet", path=("NE",))
    close = after(war, near, by=FOG)
    assert "In sight: 2nd Fleet of Zeon on 2,0 (fleet, 1 musai, 1 gattle and 1 columbus)." in describe_to(
        FOG, war, near, close, "E"
    )
    off = PlaceForce(who="2nd Fleet", at=Hex(-1, 1))
    assert "2nd Fleet of Zeon is out of sight." in describe_to(FOG, close, off, after(close, off, by=FOG), "E")
    fight = after(close, Advance(), MoveForce(who="2nd Fleet", path=("N", "N")), by=FOG)
    assert fight.battles


def test_a_faction_or_rank_that_ends_is_told_to_those_who_see_it() -> None:
    """R10, AMB-80: hidden ranks stay hidden."""
    war = wars.win_colony().with_forces(replace(wars.win_colony().forces["12th Squadron"], at=Hex(1, -2)))
    war = war.with_forces(replace(war.forces["11th Squadron"], at=Hex(-3, 0)))
    action = SetOwner(at=wars.COLONY, faction="E")
    then = after(war, action, by=FOG)
    assert {"R1", "E", "Z"} == {*describe_to_factions(FOG, war, action, then)}
    lines = describe_to_factions(FOG, war, action, then)["R1"]
    assert "11th Squadron now belongs to Bob." in lines
    assert any(line.startswith("Bob's rogues lost its last stronghold and dissolves") for line in lines)
    assert not [line for line in lines if "is lost" in line or "out of sight" in line or "In sight" in line]
    war, rogue = start_war(FOG), Rogue(player="Bob")
    lines = describe_to(FOG, war, rogue, after(war, rogue, by=FOG), "E")
    assert "Bob is now a lone rogue." in lines
    assert not [line for line in lines if "rank" in line]
