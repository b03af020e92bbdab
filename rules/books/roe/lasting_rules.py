"""What befalls somebody and lasts: for how many turns, in how many stacks, or not at all, by what stands already (lines 446 to 459)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.book import Book
from rules.books.roe.turn_catalog import Lasting
from rules.effects import EFFECT, AppliedConsequence, Change
from rules.ends import holds
from rules.procedure import Part, Policy, Procedure, ResolutionMethod
from rules.scores import weigh_score
from rules.tables import Consequence

AN_HOUR = 60
"""Minutes of an hour: what is shorter than hours is told in minutes."""
SINCE = "since"
"""Under which key a wound by the clock keeps the entry that it began with, however often it was prolonged."""
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
    name, moment = EFFECT + (applied.deed.effect or ""), applied.moment
    hours = applied.consequence.amount or applied.deed.end.count
    before = applied.kept.get(name)
    lasts = before if before and "at" in before and holds(before, moment) else None
    at = moment.later(lasts["at"] if lasts else moment.hence(0), hours)
    since = lasts.get(SINCE, lasts["entry"]) if lasts else moment.entry
    yield applied.name, name, {**applied.effect(), "at": at, SINCE: since}


def recovering(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what shortens a wound by the clock: it ends so many minutes earlier, or at once where nothing is left of it."""
    name, moment = EFFECT + (applied.deed.effect or ""), applied.moment
    before = applied.kept.get(name)
    if before is not None and "at" in before:
        at = moment.later(before["at"], -(applied.consequence.amount or 0) / AN_HOUR)
        shorter = {**before, "entry": moment.entry, "at": at, SINCE: before.get(SINCE, before["entry"])}
        yield applied.name, name, None if at <= moment.hence(0) else shorter


def waiting(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what lasts for so many minutes from now on."""
    moment, minutes = applied.moment, applied.consequence.amount or 0
    at = moment.later(moment.hence(0), minutes / AN_HOUR)
    yield applied.name, EFFECT + (applied.deed.effect or ""), {"entry": moment.entry, "at": at}


def wounding(family: str, title: str, headline: str, method: ResolutionMethod) -> Procedure:
    """Return the procedure of something between two that may wound, and that acts alone ask for."""
    return Procedure(
        family=family,
        title=title,
        actor="actor",
        subject="resister",
        headline=headline,
        method=method,
        policy=Policy(again="never", on_request=False),
        settles={"wound": wounded},
    )


def _turns(book: Book, part: Part, role: str, entry: Lasting, trait: str) -> int:
    more = (weigh_score(book.scores[score], role, part.facts).value for score in entry.scores)
    return book.effects[trait].end.count + sum(more)


def _left(kept: Mapping[str, Any] | None) -> int:
    """Return how many turns are left of what is kept."""
    return 0 if kept is None else int(kept.get("turns", {}).get("left", 0))


def _deed_of(book: Book, trait: str) -> str:
    """Return the deed that lasts as the effect of a trait."""
    return next(deed.id for deed in book.deeds.values() if deed.effect == trait)
