"""What a battle that is over has come to, as it is told where all of a turn is told together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.books.total_war.deeds import Given
from rules.books.total_war.order_kinds import FIGHTS
from rules.books.total_war.rosters import side_name
from rules.books.total_war.telling import told
from rules.books.total_war.war import Battle, Rules, War
from rules.geometry.hexes import Hex
from rules.phrases import starting
from rules.procedure import SUMMARY


def won_line(war: War, battle: Battle) -> str:
    """Return who has won a battle that is over, and in which turn."""
    winner, turn = battle.winner, battle.fight.turn
    if winner is None:
        return f"The battle on {battle.at} ended in turn {turn} with no unit left."
    return f"{starting(side_name(war, winner))} won the battle on {battle.at} in turn {turn}."


def summed(lines: Iterable[str] = (), phase: str = FIGHTS) -> Mapping[str, Any]:
    """Return what a roll keeps of what is told of it in summaries, in a phase (id): nothing there unless there are lines."""
    return {SUMMARY: {"phase": phase, "lines": [*lines]}}


def of_battle(rules: Rules, board: War, deed: Given, after: War, at: Hex) -> Iterator[str]:
    """Yield what a battle has come to that a deed has closed; `board` is the war as it was then, the battle not closed yet."""
    if at not in after.battles:
        battle = board.battles[at]
        yield won_line(board, battle)
        yield from (f"{starting(side_name(board, side))} withdrew." for side in battle.fight.withdrawn)
        yield from told(rules, board, deed, after)
