"""What a side would give away that withdraws from a battle, as somebody sees the war (lines 25, 226, 275)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rules.books.total_war import after
from rules.books.total_war.aftermath import conquered
from rules.books.total_war.fighting import act
from rules.books.total_war.leaving import battle_on, relief
from rules.books.total_war.orders import Withdraw
from rules.books.total_war.rosters import side_name
from rules.books.total_war.tale import places
from rules.books.total_war.thrown import no_die
from rules.books.total_war.war import Rules, War, is_lone
from rules.geometry.hexes import Hex
from rules.phrases import counted, starting


def price(rules: Rules, war: War, at: Hex, side: str) -> Iterator[str]:
    """Yield who wins the battle on a panel where a side withdraws, with which gold and panels, and how many basic units each of its forces gets."""
    battle = battle_on(war, at)
    battle = replace(battle, fight=act(rules.terms, battle.fight, Withdraw(side), no_die)[0])
    then, winner = conquered(rules, war, battle)
    if winner is not None:
        gains = " and ".join([*_gold(rules, then, winner, battle.fight.turn), *_land(war, then, winner)])
        yield f"{starting(side_name(then, winner))} wins the battle{f' and gets {gains}' if gains else ''}."
    for name, fights in battle.forces.items():
        if fights == side and not is_lone(war, war.force(name).faction):
            basic = relief(rules, war, battle, war.force(name))
            yield (
                f"{name} gets {counted(basic, 'basic units')} for its losses."
                if basic
                else f"{name} gets no basic units."
            )


def _gold(rules: Rules, then: War, winner: str, turn: int) -> Iterator[str]:
    paid = after.gold(rules.terms, "won", turn) if winner in then.factions else 0
    if paid:
        yield f"{paid} gold"


def _land(war: War, then: War, winner: str) -> Iterator[str]:
    taken = [at for at, panel in then.panels.items() if panel.owner == winner != war.panels[at].owner]
    if taken:
        yield f"the panel{'s' if len(taken) > 1 else ''} {places(taken)}"
