"""What the orders of a turn leave of each faction's gold, and which of them would be refused by then."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.gold_forecast import forecast
from rules.effects import SCENE
from rules.geometry import Hex
from rules.orders import Task, TaskPart, Who
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.boards import kept_of
from tests.rules.total_war.wars import RULES, won


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
    of_fleet, of_rogues = forecast(BOOK, values, None, tasks)
    assert (of_fleet.short, of_fleet.left) == ((), "This order costs 0 of 100 gold (100 left).")
    assert ([item.order for item in of_rogues.short], of_rogues.left) == ([2], "")
