from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rules.books import kinds_of
from rules.books.total_war.actions import ORDERS, list_orders, order_procedure, read_order
from rules.books.total_war.book import PAIRING, PROCEDURES
from rules.books.total_war.catalog import Refused
from rules.books.total_war.order_kinds import OrderText, WarOrder
from rules.books.total_war.storage import read
from rules.books.total_war.war import Rules, War, WarAction
from rules.dice import ScriptedDice
from rules.effects import SCENE
from rules.loader import BOOKS, load_folder
from rules.orders import Order, Phase, Task, UpdateKnowledge, Who
from rules.procedure import Part, Request, with_changes
from rules.ruleset import resolve
from tests.rules.total_war.boards import find_text, store_war
from tests.rules.total_war.wars import RULES, start_war

LINE = 'order = [\n  { id = "cheer", label = "Cheer", by = "force", family = "cheer", open = true, line = 17 },'


class Cheer(WarAction, frozen=True):
    """A force cheers for 1 gold."""

    who: str

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Pay the gold."""
        faction = war.force(self.who).faction
        gold = war.factions[faction].gold
        if gold == 0:
            raise Refused("E_NO_FUNDS", "Cheering costs 1 gold.")
        return war.with_side(faction, gold=gold - 1)


def _read_cheer(_rules: Rules, war: War, text: OrderText) -> Cheer:
    return Cheer(actor=text.actor, who=text.force(war))


def _commander(war: War, who: str) -> tuple[str | None]:
    return (war.force(who).commander,)


def _may_cheer(rules: Rules, war: War, who: str) -> bool:
    return who in war.forces and Cheer(who=who).is_possible(rules, war)


CHEER = WarOrder("cheer", "Cheer", "force", "{force} cheers", _read_cheer, _commander, may=_may_cheer)


def test_a_toy_order_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offered, paired, resolved, and gone with its file."""
    folder = shutil.copytree(BOOKS / "total_war", tmp_path / "total_war")
    data = (folder / "orders.toml").read_text("utf-8")
    data = data.replace("order = [", LINE, 1).replace('takes = ["rogue"', 'takes = ["cheer", "rogue"')
    (folder / "orders.toml").write_text(data, "utf-8")
    with monkeypatch.context() as added:
        added.setitem(ORDERS, CHEER.kind, CHEER)
        book = load_folder(folder, (*PROCEDURES, order_procedure(CHEER)), kinds=kinds_of("total_war"))
        war = start_war()
        offered = next(item for item in list_orders(RULES, war) if item.name == "1st Fleet")
        assert offered.orders["cheer"] == {"Ann"}

        order = Order(7, "cheer", Who("1st Fleet"), by="Ann")
        (task,) = PAIRING.gather(book.entries_of(Phase)["staff"], [order], UpdateKnowledge())
        assert isinstance(task, Task)
        kept = store_war(RULES, war)
        part = Part("", {"force": "1st Fleet"}, inputs=task.parts[0].inputs, kept=kept)
        (result,) = resolve(Request(task.family, (part,)), book, ScriptedDice(())).parts
        _, after = read(book, with_changes(kept, result.changes)[SCENE])
        assert after.factions["E"].gold == war.factions["E"].gold - 1
        assert find_text(result) == "Earth Federation pays 1 gold (99 left)."
    with pytest.raises(Refused, match="'cheer' isn't an order"):
        read_order(RULES, war, OrderText("cheer", "1st Fleet"))
