"""Squadrons that pledge to ride along, and what the orders of a turn leave of each faction's gold."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.actions import list_details
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.phases import forecast_orders
from rules.books.total_war.war import War
from rules.effects import SCENE
from rules.geometry import Hex
from rules.orders import Task, TaskPart, Who
from rules.procedure import Part
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.boards import kept_of, rolled, text_of
from tests.rules.total_war.wars import COLONY, RULES, after, code, rules, started, won

CAPITOL = Hex(3, -3)


def beside() -> War:
    """A war in which both squadrons of the Federation stand beside the 1st Fleet on 2,-2, Bob commanding one."""
    war = started()
    bob = replace(war.forces["12th Squadron"], at=Hex(2, -1), commander="Bob")
    return war.with_forces(bob, replace(war.forces["11th Squadron"], at=Hex(1, -2)))


def pledge(who: str = "12th Squadron", actor: str = "Bob") -> actions.Follow:
    """A pledge to the 1st Fleet."""
    return actions.Follow(actor=actor, who=who, fleet="1st Fleet")


def test_a_pledge_that_stands_is_given_again_with_a_panel_after_it() -> None:
    """T1, T5: while a battle holds the turn a squadron that has pledged may order once more what comes after its ride."""
    kept = kept_of(rules(), after(beside(), pledge()))
    subjects, words = {"squadron": "12th Squadron"}, {"to": "1st Fleet", "with": "2,1", "giver": "Bob"}
    result, _, war = rolled("follow", Part("", subjects, inputs=words, kept=kept))
    assert text_of(result) == "12th Squadron will ride along with 1st Fleet if it moves."
    assert war.forces["12th Squadron"].follows == "1st Fleet"


def test_a_fleet_carries_those_who_have_pledged() -> None:
    """T1, T3, T5, AMB-16: only who has pledged rides along, keeps its place, and has one panel left; it is past with the turn."""
    war = after(beside(), pledge(), actions.Move(actor="Ann", who="1st Fleet", path=("SW", "SW")))
    rode, stayed = war.forces["12th Squadron"], war.forces["11th Squadron"]
    assert (rode.at, rode.tagged, rode.moved, stayed.at) == (Hex(0, 1), True, False, Hex(1, -2))
    onward = actions.Move(actor="Bob", who="12th Squadron", path=("S",))
    assert after(war, onward).forces["12th Squadron"].at == Hex(0, 2)
    assert code(war, replace(onward, path=("S", "S"))) == "E_TOO_FAR"
    assert after(war, actions.Advance()).forces["12th Squadron"].follows is None


def landed() -> War:
    """A war in which the 12th Squadron has ridden along to 0,1, an enemy's colony that nobody defends."""
    war = beside().with_panel(Hex(0, 1), kind="colony", owner="Z")
    return after(war, pledge(), actions.Move(actor="Ann", who="1st Fleet", path=("SW", "SW")))


def test_a_follower_takes_what_nobody_defends_where_it_stays() -> None:
    """AMB-20, AMB-11, T7, Q4: an installation falls to a follower that ends the turn there, not to one that goes on, nor where one that was beaten has fled to."""
    war = landed()
    assert war.panels[Hex(0, 1)].owner == "Z"
    assert after(war, actions.Advance()).panels[Hex(0, 1)].owner == "E"
    onward = after(war, actions.Move(actor="Bob", who="12th Squadron", path=("S",)), actions.Advance())
    assert onward.panels[Hex(0, 1)].owner == "Z"
    guarded, (unit,) = war.new_units(["zaku"])
    assert after(guarded.with_panel(Hex(0, 1), garrison=(unit,)), actions.Advance()).panels[Hex(0, 1)].owner == "Z"
    war = landed().with_panel(Hex(0, 2), kind="colony", owner=NEUTRAL)
    war = war.with_forces(replace(war.forces["21st Squadron"], at=Hex(-1, 2)))
    war = after(
        war, actions.Move(who="21st Squadron", path=("NE",)), actions.FightAction(at=Hex(0, 1), order=Withdraw("E"))
    )
    war = after(war, actions.Retreat(who="12th Squadron", to=Hex(0, 2)), actions.Advance())
    assert war.forces["12th Squadron"].at == Hex(0, 2)
    assert war.panels[Hex(0, 2)].owner == NEUTRAL


def test_a_pledge_that_cannot_be_kept_any_more_binds_nobody() -> None:
    """AMB-12, AMB-16: whoever has moved meanwhile is left where they are, and the fleet goes without them."""
    war = after(beside(), pledge(), actions.Move(actor="Bob", who="12th Squadron", path=("S",)))
    war = after(war, actions.Move(actor="Ann", who="1st Fleet", path=("SW",)))
    assert war.forces["12th Squadron"].at == Hex(2, 0)
    assert code(war, pledge()) == "E_ALREADY_MOVED"
    assert code(after(beside(), actions.Move(who="1st Fleet", path=("SW",))), pledge("11th Squadron", "Ann")) in {
        "E_ALREADY_MOVED",
        "E_NOT_ADJACENT",
    }


def test_a_pledge_is_the_commanders_own_and_to_a_fleet_beside() -> None:
    """T1, T2, K6, M7: nobody pledges another's squadron; a fleet far off, an enemy's and a squadron take nobody along."""
    war = beside()
    assert code(war, pledge(actor="Ann")) == "E_NOT_YOURS"
    assert code(started(), pledge("12th Squadron", "Ann")) == "E_NOT_ADJACENT"
    assert code(war, actions.Follow(who="11th Squadron", fleet="2nd Fleet")) == "E_NOT_ADJACENT"
    assert code(war, actions.Follow(who="11th Squadron", fleet="12th Squadron")) == "E_NOT_ALLIED"
    assert code(war, actions.Follow(who="1st Fleet", fleet="1st Fleet")) == "E_NOT_ALLIED"
    foe = replace(war.forces["2nd Fleet"], at=Hex(1, -1))
    assert code(war.with_forces(foe), actions.Follow(who="11th Squadron", fleet="2nd Fleet")) == "E_NOT_ALLIED"
    moved = war.with_forces(replace(war.forces["1st Fleet"], moved=True))
    assert code(moved, pledge()) == "E_ALREADY_MOVED"


def test_no_more_pledge_than_ride_along() -> None:
    """T2, AMB-06: where any number stands on a panel, six follow a fleet and the seventh is refused."""
    by = rules(
        lambda data: (
            data["switches"].update(stacking=0) if "switches" in data else data.update(switches={"stacking": 0})
        )
    )
    war = started(by)
    squadron = replace(war.forces["12th Squadron"], at=Hex(2, -1))
    names = [f"{number}th" for number in range(1, 8)]
    war = war.with_forces(*(replace(squadron, name=name) for name in names))
    war = after(war, *(actions.Follow(who=name, fleet="1st Fleet") for name in names[:6]), by=by)
    assert code(war, actions.Follow(who="7th", fleet="1st Fleet"), by) == "E_TAG_LIMIT"
    assert after(war, actions.Follow(who="1th", fleet="1st Fleet"), by=by) == war


def test_a_garrison_is_built_in_numbers() -> None:
    """B8, B9, E6: so many units for as many times the price; none, more than the bank has, and two facilities are refused."""
    war = started()
    build = actions.Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY, number=3)
    built = after(war, build)
    assert ([unit.model for unit in built.panels[COLONY].garrison], built.factions["E"].gold) == (["gm"] * 4, 25)
    assert code(war, replace(build, number=0)) == "E_NO_TARGET"
    assert code(war, replace(build, number=-2)) == "E_NO_TARGET"
    assert code(war, replace(build, number=5)) == "E_NO_FUNDS"
    assert code(war, replace(build, at=CAPITOL)) == "E_WRONG_PANEL"
    upgrade = after(war, actions.Build(actor="Ann", faction="E", item="capitol_garrison_upgrade", at=CAPITOL, number=2))
    assert len(upgrade.panels[CAPITOL].garrison) == 4
    factory = war.with_panel(Hex(2, -1), facility=None)
    two = actions.Build(actor="Ann", faction="E", item="ms_production_facility", at=Hex(2, -1), number=2)
    assert code(factory, two) == "E_ALREADY_BUILT"


def test_the_capitols_garrison_is_of_models_that_are_chosen() -> None:
    """B8, AMB-26: another model than the basic unit costs its own price besides, is made by that faction, and known; colonies have no choice."""
    war = started().with_side("E", gold=1000)
    build = actions.Build(actor="Ann", faction="E", item="capitol_garrison_upgrade", at=CAPITOL, number=2)
    basic = after(war, build)
    assert after(war, replace(build, model="gm")).factions["E"].gold == basic.factions["E"].gold
    ships = after(war, replace(build, model="magellan"))
    assert [unit.model for unit in ships.panels[CAPITOL].garrison] == ["gm", "gm", "magellan", "magellan"]
    assert ships.factions["E"].gold == basic.factions["E"].gold - 2 * 50
    assert code(war, replace(build, model="guncannon")) == "E_NOT_RESEARCHED"
    assert code(war, replace(build, model="musai")) == "E_NO_TARGET"
    colony = replace(build, item="colony_garrison", at=COLONY)
    assert code(war, replace(colony, model="magellan")) == "E_WRONG_PANEL"
    assert after(war, replace(colony, model="gm")).panels == after(war, colony).panels


def test_what_can_be_added_to_a_garrison_is_offered_with_its_price() -> None:
    """B8, B9: on the capitol the models that the faction can have there now besides, on a colony its basic unit alone."""
    war = started()
    words = {str(at): [*list_details(rules(), war, "garrison", "E", str(at))] for at in (CAPITOL, COLONY)}
    assert words[str(COLONY)] == ["Colony garrison (25 gold)"]
    assert words[str(CAPITOL)][0] == "Capitol garrison upgrade (30 gold)"
    assert "magellan (80 gold)" in words[str(CAPITOL)]
    assert not [word for word in words[str(CAPITOL)] if word.startswith(("gm ", "guncannon", "musai", "zaku"))]


def ordered(number: int, family: str, role: str, who: str, **words: str) -> Task:
    """An order, by the number of its entry."""
    return Task(family, (TaskPart({role: (Who(who),)}, (number,), words),))


def test_a_faction_that_ends_by_other_orders_is_left_nothing() -> None:
    """Of one whose last stronghold falls before its own order that is refused by then, and no gold is reckoned."""
    war = won()
    fleet, squadron = (war.force(name) for name in ("1st Fleet", "11th Squadron"))
    war = war.with_forces(replace(fleet, at=Hex(1, -2)), replace(squadron, at=Hex(0, -2)))
    values = kept_of(RULES, war)[SCENE]
    tasks = [ordered(1, "move", "force", "1st Fleet", to="N"), ordered(2, "garrison", "faction", "R1", to="1,-3")]
    of_fleet, of_rogues = forecast_orders(BOOK, values, None, tasks)
    assert (of_fleet.short, of_fleet.left) == ((), "This order costs 0 of 100 gold (100 left).")
    assert ([item.order for item in of_rogues.short], of_rogues.left) == ([2], "")
