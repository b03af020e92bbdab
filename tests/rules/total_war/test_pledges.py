from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.actions import list_details
from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.book import forecast_orders
from rules.books.total_war.course import Advance
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.orders.movement import Follow, MoveForce
from rules.books.total_war.orders.production import Build
from rules.books.total_war.war import NEUTRAL, War
from rules.effects import SCENE
from rules.geometry import Hex
from rules.orders import Task, TaskPart, Who
from rules.procedure import Part
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.boards import find_text, roll_part, store_war
from tests.rules.total_war.wars import COLONY, RULES, after, find_code, rules, start_war, win_colony

CAPITOL = Hex(3, -3)


def beside() -> War:
    """Put both squadrons next to the 1st Fleet, one under Bob."""
    war = start_war()
    bob = replace(war.forces["12th Squadron"], at=Hex(2, -1), commander="Bob")
    return war.with_forces(bob, replace(war.forces["11th Squadron"], at=Hex(1, -2)))


def pledge(who: str = "12th Squadron", actor: str = "Bob") -> Follow:
    """Return a pledge to the 1st Fleet."""
    return Follow(actor=actor, who=who, fleet="1st Fleet")


def test_a_pledge_that_stands_is_given_again_with_a_panel_after_it() -> None:
    """T1, T5: a pledge can be repeated with a further panel."""
    kept = store_war(rules(), after(beside(), pledge()))
    subjects, words = {"squadron": "12th Squadron"}, {"to": "1st Fleet", "with": "2,1", "giver": "Bob"}
    result, _, war = roll_part("follow", Part("", subjects, inputs=words, kept=kept))
    assert find_text(result) == "12th Squadron will ride along with 1st Fleet if it moves."
    assert war.forces["12th Squadron"].follows == "1st Fleet"


def test_a_fleet_carries_those_who_have_pledged() -> None:
    """T1, T3, T5, AMB-16: pledges last one turn."""
    war = after(beside(), pledge(), MoveForce(actor="Ann", who="1st Fleet", path=("SW", "SW")))
    rode, stayed = war.forces["12th Squadron"], war.forces["11th Squadron"]
    assert (rode.at, rode.tagged, rode.moved, stayed.at) == (Hex(0, 1), True, False, Hex(1, -2))
    onward = MoveForce(actor="Bob", who="12th Squadron", path=("S",))
    assert after(war, onward).forces["12th Squadron"].at == Hex(0, 2)
    assert find_code(war, replace(onward, path=("S", "S"))) == "E_TOO_FAR"
    assert after(war, Advance()).forces["12th Squadron"].follows is None


def _land_squadron() -> War:
    war = beside().with_panel(Hex(0, 1), kind="colony", owner="Z")
    return after(war, pledge(), MoveForce(actor="Ann", who="1st Fleet", path=("SW", "SW")))


def test_a_follower_takes_what_nobody_defends_where_it_stays() -> None:
    """AMB-20, AMB-11, T7, Q4: only if its turn ends there."""
    war = _land_squadron()
    assert war.panels[Hex(0, 1)].owner == "Z"
    assert after(war, Advance()).panels[Hex(0, 1)].owner == "E"
    onward = after(war, MoveForce(actor="Bob", who="12th Squadron", path=("S",)), Advance())
    assert onward.panels[Hex(0, 1)].owner == "Z"
    guarded, (unit,) = war.new_units(["zaku"])
    assert after(guarded.with_panel(Hex(0, 1), garrison=(unit,)), Advance()).panels[Hex(0, 1)].owner == "Z"
    war = _land_squadron().with_panel(Hex(0, 2), kind="colony", owner=NEUTRAL)
    war = war.with_forces(replace(war.forces["21st Squadron"], at=Hex(-1, 2)))
    war = after(war, MoveForce(who="21st Squadron", path=("NE",)), FightAction(at=Hex(0, 1), order=Withdraw("E")))
    war = after(war, Retreat(who="12th Squadron", to=Hex(0, 2)), Advance())
    assert war.forces["12th Squadron"].at == Hex(0, 2)
    assert war.panels[Hex(0, 2)].owner == NEUTRAL


def test_a_pledge_that_cannot_be_kept_any_more_binds_nobody() -> None:
    """AMB-12, AMB-16: the fleet leaves without it."""
    war = after(beside(), pledge(), MoveForce(actor="Bob", who="12th Squadron", path=("S",)))
    war = after(war, MoveForce(actor="Ann", who="1st Fleet", path=("SW",)))
    assert war.forces["12th Squadron"].at == Hex(2, 0)
    assert find_code(war, pledge()) == "E_ALREADY_MOVED"
    assert find_code(after(beside(), MoveForce(who="1st Fleet", path=("SW",))), pledge("11th Squadron", "Ann")) in {
        "E_ALREADY_MOVED",
        "E_NOT_ADJACENT",
    }


def test_a_pledge_is_the_commanders_own_and_to_a_fleet_beside() -> None:
    """T1, T2, K6, M7: other pledges are refused."""
    war = beside()
    assert find_code(war, pledge(actor="Ann")) == "E_NOT_YOURS"
    assert find_code(start_war(), pledge("12th Squadron", "Ann")) == "E_NOT_ADJACENT"
    assert find_code(war, Follow(who="11th Squadron", fleet="2nd Fleet")) == "E_NOT_ADJACENT"
    assert find_code(war, Follow(who="11th Squadron", fleet="12th Squadron")) == "E_NOT_ALLIED"
    assert find_code(war, Follow(who="1st Fleet", fleet="1st Fleet")) == "E_NOT_ALLIED"
    foe = replace(war.forces["2nd Fleet"], at=Hex(1, -1))
    assert find_code(war.with_forces(foe), Follow(who="11th Squadron", fleet="2nd Fleet")) == "E_NOT_ALLIED"
    moved = war.with_forces(replace(war.forces["1st Fleet"], moved=True))
    assert find_code(moved, pledge()) == "E_ALREADY_MOVED"


def test_no_more_pledge_than_ride_along() -> None:
    """T2, AMB-06: the seventh is refused."""
    by = rules(
        lambda data: (
            data["switches"].update(stacking=0) if "switches" in data else data.update(switches={"stacking": 0})
        )
    )
    war = start_war(by)
    squadron = replace(war.forces["12th Squadron"], at=Hex(2, -1))
    names = [f"{number}th" for number in range(1, 8)]
    war = war.with_forces(*(replace(squadron, name=name) for name in names))
    war = after(war, *(Follow(who=name, fleet="1st Fleet") for name in names[:6]), by=by)
    assert find_code(war, Follow(who="7th", fleet="1st Fleet"), by) == "E_TAG_LIMIT"
    assert after(war, Follow(who="1th", fleet="1st Fleet"), by=by) == war


def test_a_garrison_is_built_in_numbers() -> None:
    """B8, B9, E6: each unit costs its price."""
    war = start_war()
    build = Build(actor="Ann", faction="E", item="colony_garrison", at=COLONY, number=3)
    built = after(war, build)
    assert ([unit.model for unit in built.panels[COLONY].garrison], built.factions["E"].gold) == (["gm"] * 4, 25)
    assert find_code(war, replace(build, number=0)) == "E_NO_TARGET"
    assert find_code(war, replace(build, number=-2)) == "E_NO_TARGET"
    assert find_code(war, replace(build, number=5)) == "E_NO_FUNDS"
    assert find_code(war, replace(build, at=CAPITOL)) == "E_WRONG_PANEL"
    upgrade = after(war, Build(actor="Ann", faction="E", item="capitol_garrison_upgrade", at=CAPITOL, number=2))
    assert len(upgrade.panels[CAPITOL].garrison) == 4
    factory = war.with_panel(Hex(2, -1), facility=None)
    two = Build(actor="Ann", faction="E", item="ms_production_facility", at=Hex(2, -1), number=2)
    assert find_code(factory, two) == "E_ALREADY_BUILT"


def test_the_capitols_garrison_is_of_models_that_are_chosen() -> None:
    """B8, AMB-26: other models cost extra."""
    war = start_war().with_side("E", gold=1000)
    build = Build(actor="Ann", faction="E", item="capitol_garrison_upgrade", at=CAPITOL, number=2)
    basic = after(war, build)
    assert after(war, replace(build, model="gm")).factions["E"].gold == basic.factions["E"].gold
    ships = after(war, replace(build, model="magellan"))
    assert [unit.model for unit in ships.panels[CAPITOL].garrison] == ["gm", "gm", "magellan", "magellan"]
    assert ships.factions["E"].gold == basic.factions["E"].gold - 2 * 50
    assert find_code(war, replace(build, model="guncannon")) == "E_NOT_RESEARCHED"
    assert find_code(war, replace(build, model="musai")) == "E_NO_TARGET"
    colony = replace(build, item="colony_garrison", at=COLONY)
    assert find_code(war, replace(colony, model="magellan")) == "E_WRONG_PANEL"
    assert after(war, replace(colony, model="gm")).panels == after(war, colony).panels


def test_what_can_be_added_to_a_garrison_is_offered_with_its_price() -> None:
    """B8, B9: colonies get basic units only."""
    war = start_war()
    words = {str(at): [*list_details(rules(), war, "garrison", "E", str(at))] for at in (CAPITOL, COLONY)}
    assert words[str(COLONY)] == ["Colony garrison (25 gold)"]
    assert words[str(CAPITOL)][0] == "Capitol garrison upgrade (30 gold)"
    assert "magellan (80 gold)" in words[str(CAPITOL)]
    assert not [word for word in words[str(CAPITOL)] if word.startswith(("gm ", "guncannon", "musai", "zaku"))]


def _make_order(number: int, family: str, role: str, who: str, **words: str) -> Task:
    return Task(family, (TaskPart({role: (Who(who),)}, (number,), words),))


def test_a_faction_that_ends_by_other_orders_is_left_nothing() -> None:
    """A dissolved faction gets no gold forecast."""
    war = win_colony()
    fleet, squadron = (war.force(name) for name in ("1st Fleet", "11th Squadron"))
    war = war.with_forces(replace(fleet, at=Hex(1, -2)), replace(squadron, at=Hex(0, -2)))
    values = store_war(RULES, war)[SCENE]
    tasks = [
        _make_order(1, "move", "force", "1st Fleet", to="N"),
        _make_order(2, "garrison", "faction", "R1", to="1,-3"),
    ]
    of_fleet, of_rogues = forecast_orders(BOOK, values, None, tasks)
    assert (of_fleet.short, of_fleet.left) == ((), "This order costs 0 of 100 gold (100 left).")
    assert ([item.order for item in of_rogues.short], of_rogues.left) == ([2], "")
