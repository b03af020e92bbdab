"""What the tokens of sides do (A5): that of event 54 is spent on a later event of its holder's choice, those of spies by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rules.books.battlesystem.state import Battle, Came, HeldToken
from rules.events import CHOSEN, NEXT
from rules.scenes import Replacement

if TYPE_CHECKING:
    from rules.books.battlesystem.report import CheckRecord


def held_by_choice(battle: Battle, side: str) -> list[HeldToken]:
    """Return the tokens that a side may spend as it likes, the oldest first."""
    return [item for item in battle.tokens if item.kind == CHOSEN and item.side == side]


def spendable(battle: Battle, side: str, came: Came) -> list[HeldToken]:
    """Return the tokens that would let the side ignore an event, the oldest first: those that it held before it came (A5)."""
    return [item for item in held_by_choice(battle, side) if item.came < came]


def token_counts(battle: Battle) -> dict[str, dict[str, int]]:
    """Return how many tokens of each kind each side holds, as a check takes it in."""
    counts: dict[str, dict[str, int]] = {side: {} for side in battle.header.sides}
    for token in battle.tokens:
        counts[token.side][token.kind] = counts[token.side].get(token.kind, 0) + 1
    return counts


def token_changes(battle: Battle, record: CheckRecord, entry: int) -> Iterator[Replacement]:
    """Yield what a check does to the tokens: those of spies that were spent, the oldest first, then those that were got.

    A token that is got and spent in the same check leaves nothing behind.
    """
    tokens = list(battle.tokens)
    for place, event in enumerate(record["happenings"]):
        for side in event["ignored"]:
            tokens.remove(next(item for item in tokens if item.kind == NEXT and item.side == side))
        if event["token"]:
            tokens.append(HeldToken(event["token"], event["side"], entry, place))
    yield from (Replacement(item, None) for item in battle.tokens if item not in tokens)
    yield from (Replacement(None, item) for item in tokens if item not in battle.tokens)
