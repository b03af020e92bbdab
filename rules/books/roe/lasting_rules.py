"""What befalls somebody and lasts: for how many turns, in how many stacks, or not at all, by what stands already (lines 446 to 459)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.book import Book
from rules.books.roe.turn_catalog import Lasting
from rules.effects import EFFECT, AppliedConsequence, Change
from rules.procedure import Part
from rules.scores import weigh_score
from rules.tables import Consequence

_IMMUNE = "-immune"
"""How the trait ends of being immune to what has just ended."""


def befalling(book: Book, part: Part, role: str, name: str) -> Iterator[Consequence]:
    """Yield what it takes that something of the lasting ones, or an effect by its trait, befalls whoever stands in a role.

    Who is immune is spared; what stands already goes on for the longer of both times, with a stack more where it has stacks.
    """
    entry = book.listed(Lasting).get(name)
    trait = name if entry is None or entry.effect is None else entry.effect
    deed = _deed_of(book, trait)
    if entry is None:
        yield Consequence(deed, role)
        return
    kept = part.kept.get(part.subjects.get(role, ""), {})
    now, immune = kept.get(EFFECT + trait), entry.id + _IMMUNE
    turns = max(_turns(book, part, role, entry, trait), _left(now))
    if turns <= 0 or (entry.immune and now is None and EFFECT + immune in kept):
        return
    stacks = min(entry.most_stacks, 1 + ((now or {}).get("amount") or 0)) if entry.most_stacks > 1 else None
    yield Consequence(deed, role, stacks, turns)
    if entry.immune:
        yield Consequence(_deed_of(book, immune), role, None, turns + entry.immune)


def wounded(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what a wound by the clock changes: it lasts from now on, or from the end of the one that lasts already (A23)."""
    name, now = EFFECT + (applied.deed.effect or ""), applied.moment
    before, hours = applied.kept.get(name), applied.consequence.amount or applied.deed.end.count
    since = max(now.hence(0), before["at"]) if before else now.hence(0)
    yield applied.name, name, {**applied.effect(), "at": now.later(since, hours)}


def _turns(book: Book, part: Part, role: str, entry: Lasting, trait: str) -> int:
    more = (weigh_score(book.scores[score], role, part.facts).value for score in entry.scores)
    return book.effects[trait].end.count + sum(more)


def _left(kept: Mapping[str, Any] | None) -> int:
    """Return how many turns are left of what is kept."""
    return 0 if kept is None else int(kept.get("turns", {}).get("left", 0))


def _deed_of(book: Book, trait: str) -> str:
    """Return the deed that lasts as the effect of a trait."""
    return next(deed.id for deed in book.deeds.values() if deed.effect == trait)
