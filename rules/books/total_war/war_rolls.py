"""What rolls in a war share: the war in their parts, what players may read of them, and their summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.battles import side_name
from rules.books.total_war.order_kinds import FIGHTS
from rules.books.total_war.war import Battle, Rules, War, WarAction
from rules.books.total_war.war_words import describe_changes
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from rules.phrases import starting
from rules.procedure import SUMMARY, Conclusion, Part, Throw
from rules.tables import Tone


def war_of(part: Part, book: Book) -> tuple[Rules, War]:
    """Return the war in which a roll happens."""
    kept = part.kept.get(SCENE, {})
    if keeping.SCENARIO not in kept:
        raise RollError("No war is on here. A game master starts one with /war new.")
    return keeping.read(book, kept)


def conclude(outcome: str, lines: Sequence[str], rules: Rules, tone: Tone = "neutral") -> Conclusion:
    """Return what something came to, by the first of the lines that tell it; where there is fog it is the staff's alone.

    The other lines are `further` steps.
    """
    audience: Literal["results", "staff"] = "results" if rules.scenario.fog == "open" else "staff"
    return Conclusion(outcome, lines[0] if lines else "Done", tone, audience)


def for_maker(conclusion: Conclusion) -> Conclusion:
    """Return what something came to, told to whoever has done it too, where it is not everybody's: a side knows its own battle, and who joins their own side."""
    return conclusion if conclusion.audience == "results" else replace(conclusion, audience="maker")


def further_steps(lines: Sequence[str]) -> tuple[Throw, ...]:
    """Return what is told behind the first line, as steps without dice."""
    return tuple(Throw("", line) for line in lines[1:])


def won_line(war: War, battle: Battle) -> str:
    """Return who has won a battle that is over, and in which turn."""
    winner, turn = battle.winner, battle.fight.turn
    if winner is None:
        return f"The battle on {battle.at} ended in turn {turn} with no unit left."
    return f"{starting(side_name(war, winner))} won the battle on {battle.at} in turn {turn}."


def summary(lines: Iterable[str] = (), phase: str = FIGHTS) -> Mapping[str, Any]:
    """Return what a roll keeps of what is told of it in summaries, in a phase (id): nothing there unless there are lines."""
    return {SUMMARY: {"phase": phase, "lines": [*lines]}}


def battle_summary(rules: Rules, board: War, action: WarAction, after: War, at: Hex) -> Iterator[str]:
    """Yield what a battle has come to that an action has closed; `board` is the war as it was then, the battle not closed yet."""
    if at not in after.battles:
        battle = board.battles[at]
        yield won_line(board, battle)
        yield from (f"{starting(side_name(board, side))} withdrew." for side in battle.fight.withdrawn)
        yield from describe_changes(rules, board, action, after)
