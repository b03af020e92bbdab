"""What a turn begins with, what leaves nothing of it, and what has to be kept up by its end (lines 37, 88, 96, 159, 168, 403, 428, 450)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.book import Book
from rules.books.roe.fights import STUNNED_NOW
from rules.books.roe.turns import Allowance, Bar, Upkeep
from rules.modifiers import Facts, Known, Origin
from rules.modifiers import matching_facts as matching
from rules.scenes import Participant

ACTOR = "actor"
DOWN, LOST, STUNNED, HASTED = (f"{ACTOR}.{trait}" for trait in ("wounded", "lost-action", "stunned", "hasted"))
"""Who is down, who has lost an Action to a critical, who is stunned, and who has an Action more."""
TURN_START, TURN = "roe.turn-start", "turn"
"""The roll family of what befalls somebody at the start of a turn, and its input: which turn of the fight that is."""
_LASTS = Origin("effect", "lasting effect")


def begin_turn(book: Book, facts: Facts, *, lost: int = 0, extra: int = 0) -> dict[str, int]:
    """Return how much of each mark a turn begins with, with so many Actions lost and gained."""
    barred = {mark for bar in list_bars(book, facts) for mark in bar.takes}
    return {
        item.id: 0
        if item.id in barred or (item.needs is not None and item.needs not in facts)
        else max(0, item.amount + (extra - lost if item.varies else 0))
        for item in book.listed(Allowance).values()
    }


def count_allowance(book: Book, traits: Iterable[str]) -> Mapping[str, int]:
    """Return how much of each mark a turn begins with, for somebody of whom these are true, and whether that is under a stun."""
    facts = {f"{ACTOR}.{trait}": Known(1, _LASTS) for trait in traits}
    marks = begin_turn(book, facts, lost=int(LOST in facts), extra=int(HASTED in facts))
    return {**marks, STUNNED_NOW: int(STUNNED in facts)}


def list_unspent(book: Book, item: Participant) -> list[Allowance]:
    """Return of what somebody in a fight has something left."""
    return [each for each in book.listed(Allowance).values() if item.marks.get(each.id)]


def list_bars(book: Book, facts: Facts) -> list[Bar]:
    """Return what leaves nothing of some marks under these facts."""
    return [bar for bar in book.listed(Bar).values() if matching(bar.when, facts) is not None]


def check_upkeep(book: Book, facts: Facts) -> dict[str, bool]:
    """Return, of what has to be kept up by acts, whether it is at the end of a turn."""
    standing = (item for item in book.listed(Upkeep).values() if item.of in facts)
    return {item.id: matching(item.when, facts) is not None for item in standing}


def list_lapsed(book: Book, traits: Iterable[str], notes: Iterable[str]) -> list[Upkeep]:
    """Return what is over at the end of a turn, since nothing kept it up: of whoever bears these traits, and has done what is noted."""
    facts = {f"{ACTOR}.{trait}": Known(1, _LASTS) for trait in traits} | {note: Known(1, _LASTS) for note in notes}
    still = check_upkeep(book, facts)
    return [item for item in book.listed(Upkeep).values() if still.get(item.id) is False]
