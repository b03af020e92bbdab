"""The turn that ends: income, what is finished, and all forces that may move anew (lines 49 to 53, 80 to 82)."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.capture import dissolve_rogues, take_panels
from rules.books.total_war.catalog import Item, Piece
from rules.books.total_war.economy import collect_income
from rules.books.total_war.movement import takes_site
from rules.books.total_war.production import finish_works, is_held
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, War, WarAction, Works, land_of, supply
from rules.books.total_war.words import places


class Advance(WarAction, frozen=True):
    """The turn ends."""

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war in its next turn: income is paid, what is built is done, all forces may move anew."""
        if war.battles:
            raise Refused("E_BATTLE_PENDING", f"The battle on {places(war.battles)} comes first.")
        war = collect_income(rules, _take_sites(rules, war))
        fresh = (replace(item, moved=False, tagged=False, forced=False, follows=None) for item in war.forces.values())
        war = replace(war.with_forces(*fresh), turn=war.turn + 1)
        for works in war.works:
            if works.done <= war.turn and not _waits(rules, war, works):
                war = finish_works(rules, replace(war, works=tuple(item for item in war.works if item != works)), works)
        return war


def _take_sites(rules: Rules, war: War) -> War:
    """Return the war after squadrons that rode along have taken what nobody defends where they stay: they have ended their move there (AMB-20)."""
    riders = [item for item in war.forces.values() if item.tagged and not (item.moved or item.forced)]
    for item in riders:
        if takes_site(rules.terms.of(Piece, item.kind), item.at, land_of(rules, war, item.faction)):
            war = dissolve_rogues(rules, take_panels(rules, war, [item.at], item.faction))
    return war


def _waits(rules: Rules, war: War, works: Works) -> bool:
    """Return whether what is built waits: on land that is cut off (line 82), or a force until another one has left its panel (AMB-06)."""
    if works.at is None:
        return False
    printed = rules.terms.book.listed(Item).get(works.item)
    gives = printed is not None and printed.gives == "force"
    return works.at not in supply(rules, war, works.faction) or (gives and is_held(rules, war, works.at))
