from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rules.books.total_war.actions import read_order
from rules.books.total_war.aftermath import FightAction, Retreat, list_retreats, list_shelters
from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import Join
from rules.books.total_war.fight import MoveUnit, Next, Shoot, Withdraw
from rules.books.total_war.order_kinds import OrderText
from rules.books.total_war.orders.command import AnswerCapitol, Assign, Found, Rogue
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings.values import AddForce, SetGold, SetOwner
from rules.books.total_war.war import Force, Unit, War, WarAction
from rules.geometry import Hex, Square, neighbours
from rules.phrases import possessive
from tests.rules.total_war.wars import RULES, after, find_code, go_rogue, meet_fleet, start_war, win_colony

AT, FAR = Hex(1, -2), Hex(-2, 0)
SQUADRON = "11th Squadron"


def _ask_leaders() -> War:
    return replace(win_colony(), asked="E")


def _beat_squadron() -> War:
    return after(meet_fleet(), FightAction(at=AT, order=Withdraw("E")))


def _keep_fleet() -> War:
    war = start_war()
    return war.with_forces(replace(war.forces["1st Fleet"], commander="4f2e"))


SAID: tuple[tuple[Callable[[], War], WarAction, str], ...] = (
    (start_war, Assign(who="1st Fleet", player="Cid"), "1st Fleet belongs to Earth Federation, Cid to Zeon."),
    (start_war, SetOwner(at=Hex(2, -2), faction="E"), "2,-2 is already Earth Federation's."),
    (start_war, Build(actor="Ann", faction="E", item="mining_station", at=Hex(-2, 2)), "-2,2 is Zeon's, not Earth Federation's."),
    (start_war, Build(actor="Ann", faction="E", item="mining_station", at=Hex(2, -3)), "Mining station: only on Resource panel, not on 2,-3 (Plain)."),
    (start_war, Build(actor="Ann", faction="E", item="mining_station", at=Hex(2, -2)), "2,-2 already has the Mining station. A panel can have only one Mining station."),
    (start_war, Buy(actor="Ann", faction="E", model="gm", at=Hex(2, -2)), "Mobile suits: only on MS factory or Capitol, not on 2,-2 (Resource panel)."),
    (start_war, Research(actor="Ann", faction="E", model="zgok"), "Earth Federation can't use zgok. It can make: gm, guncannon, saberfish, columbus, magellan."),
    (start_war, Assign(who="1st Fleet", player="Bob"), "Bob with 1 fleet: the rank Ensign allows 0."),
    (start_war, SetGold(faction="Y", gold=1), "Y isn't a faction (known: Earth Federation, Zeon)."),
    (start_war, Join(player="Eve", faction="Y"), "Y isn't a faction (known: Earth Federation, Zeon)."),
    (start_war, AddForce(name="X", piece="fleet", faction="Y", at=FAR, units=("gm",)), "Y isn't a faction (known: Earth Federation, Zeon)."),
    (start_war, AddForce(name="X", piece="fleet", faction="E", at=Hex(-3, 3), units=("gm",)), "Zeon's garrison is on -3,3: choose another panel, or make it Earth Federation's first."),
    (start_war, Found(faction="E", name="X", colour="#2e7d32"), "Earth Federation isn't a rogue faction. Only these choose a name."),
    (_ask_leaders, AnswerCapitol(faction="R1", answer="end"), "Bob's rogues isn't asked, only Earth Federation and Zeon."),
    (meet_fleet, FightAction(at=AT, order=MoveUnit("u12", Square(1, 1))), "u12 belongs to Earth Federation, and it's Zeon's half of turn 1."),
    (meet_fleet, FightAction(at=AT, order=Next("E")), "Earth Federation can't end it: it's Zeon's half of turn 1."),
    (_beat_squadron, FightAction(at=AT, order=Next("Z")), "The battle is over: Zeon has won."),
    (_keep_fleet, MoveForce(actor="Ann", who="1st Fleet", path=("S",)), "Ann doesn't command that force: a player who hasn't joined yet does."),
    (start_war, Rogue(actor="Ann", player="Bob"), "Ann can't order that: only Bob can."),
)  # fmt: skip


@pytest.mark.parametrize(("begun", "action", "words"), SAID)
def test_a_refusal_calls_factions_by_their_names(begun: Callable[[], War], action: WarAction, words: str) -> None:
    """No ids of factions."""
    with pytest.raises(Refused) as caught:
        after(begun(), action)
    assert str(caught.value) == words
    assert re.search(r"\b(E|Z|N|R1)\b", str(caught.value)) is None


def test_nobody_attacks_their_own() -> None:
    """AMB-76: with unit and tile."""
    war = meet_fleet()
    own = [name for name, unit in war.battles[AT].fight.units.items() if unit.side == "Z" and unit.kind != "warship"]
    with pytest.raises(Refused, match=f"can't attack {own[1]} on .*: both are on the same side") as caught:
        after(war, FightAction(at=AT, order=Shoot(own[0], own[1])))
    assert caught.value.code == "E_OWN_UNIT"


@pytest.mark.parametrize("who", ["Bob", None])
def test_a_lone_rogue_wins_a_colony_before_a_faction_is_named(who: str | None) -> None:
    """R4: the refusal says how to found one."""
    with pytest.raises(
        Refused, match="Bob can found a faction only as a lone rogue whose squadron wins a colony or fortress"
    ) as caught:
        read_order(RULES, go_rogue(), OrderText("found", who, "Axis", "#2e7d32", "Bob"))
    assert caught.value.code == "E_NOT_A_COLONY"


@pytest.mark.parametrize(
    ("who", "to", "why", "words"),
    [
        ("1st Fleet", "2nd fleet", "E_MUST_ENTER", "move onto -2,2"),
        ("Solar System", "2nd Fleet", "E_CANNOT_ATTACK", "superweapon can't attack"),
        ("1st Fleet", SQUADRON, "E_NO_TARGET", "is on 1,-2"),
        ("1st Fleet", "NW E", "E_BAD_DIRECTION", "'E' in 'NW E' isn't a direction"),
    ],
)
def test_a_way_that_is_none_is_refused_for_what_is_meant(who: str, to: str, why: str, words: str) -> None:
    """C1, H1: enemies are attacked by panel."""
    with pytest.raises(Refused, match=words) as caught:
        read_order(RULES, start_war(), OrderText("move", who, to))
    assert caught.value.code == why


def _wall_in() -> War:
    war = _beat_squadron()
    free = [at for at in neighbours(AT) if at in war.panels and not any(war.on(at))]
    return war.with_forces(
        *(Force(f"W{place}", "squadron", "E", at, "Ann", (Unit(f"u9{place}", "gm"),)) for place, at in enumerate(free))
    )


def test_a_game_master_rules_where_a_force_goes_that_has_nowhere_to_go() -> None:
    """AMB-10: anywhere free, or lost."""
    war = _wall_in()
    force = war.forces[SQUADRON]
    assert list_retreats(RULES, war, AT, force) == ()
    assert FAR in list_shelters(RULES, war, AT, force)
    assert find_code(war, Retreat(actor="Ann", who=SQUADRON, to=FAR)) == "E_OCCUPIED"
    for at in (AT, Hex(2, -2), Hex(-3, 3), Hex(9, 9)):
        assert at not in list_shelters(RULES, war, AT, force)
        assert find_code(war, Retreat(who=SQUADRON, to=at)) == "E_OCCUPIED"
    sent = after(war, Retreat(who=SQUADRON, to=FAR))
    assert (sent.forces[SQUADRON].at, sent.battles) == (FAR, {})
    assert SQUADRON not in after(war, Retreat(actor="Ann", who=SQUADRON)).forces
    war = _beat_squadron()
    assert list_shelters(RULES, war, AT, war.forces[SQUADRON]) == ()
    assert find_code(war, Retreat(who=SQUADRON, to=FAR)) == "E_NOT_ADJACENT"


def test_what_is_somebodys_is_theirs_whatever_their_name_ends_with() -> None:
    """Possessives of names with an s."""
    assert possessive("Zeon") == "Zeon's"
    assert possessive("Eve's rogues") == "Eve's rogues'"
