"""What the book lists of turns, and what lasts: for how many turns, in how many stacks, or not at all (lines 446 to 459)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.book import Book
from rules.effects import EFFECT, AppliedConsequence, Change
from rules.ends import Whose, holds
from rules.kinds import CatalogEntry
from rules.modifiers import When
from rules.procedure import Carry, Part, Policy, Procedure, ResolutionMethod, carry_nothing
from rules.tables import Consequence, weigh_score

AN_HOUR = 60
"""Minutes of an hour: what is shorter than hours is told in minutes."""
SINCE = "since"
"""Under which key a wound by the clock keeps the entry that it began with, however often it was prolonged."""
_IMMUNE = "-immune"
"""How the trait ends of being immune to what has just ended."""


class TurnStep(CatalogEntry, frozen=True):
    """A step of a turn, in the order of the page."""

    kind = "step"


class Allowance(CatalogEntry, frozen=True):
    """How much of a mark every turn has: of one that `needs` a fact where that holds. `varies` by haste and lost Actions."""

    kind = "allowance"
    amount: int
    needs: str | None = None
    varies: bool = False

    @property
    def short(self) -> str:
        """Its label without what every turn is named by, such as `Actions`."""
        return self.label.removesuffix(" of a turn")


class Bar(CatalogEntry, frozen=True):
    """What leaves nothing of some marks in a turn, under facts; its label says so."""

    kind = "bar"
    when: When
    takes: tuple[str, ...]


class Upkeep(CatalogEntry, frozen=True):
    """What is kept at the end of a turn by what was done in it: `of` is the fact that it stands for, `when` the tests.

    Where it is not kept, these traits of the bearer `ends`, and those that the other one has by the bearer, `frees`; they do
    at once where one of these traits befalls the bearer that `breaks` it.
    """

    kind = "upkeep"
    of: str
    when: When
    ends: tuple[str, ...] = ()
    frees: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()


class Lasting(CatalogEntry, frozen=True):
    """What lasts for turns: the `effect` of its own whose end it has, or one that is as long as said when it begins (`said`, or without an effect).

    Each tick takes `amount` or the dice of its stacks (`die`, `most_stacks` of them), less damage reduction where `reduced`.
    `scores` of the bearer are added to its turns; `immune` is for how many turns it cannot befall again.
    """

    kind = "lasting"
    effect: str | None = None
    of: Whose = "bearer"
    amount: int | None = None
    die: int | None = None
    most_stacks: int = 1
    reduced: bool = False
    scores: tuple[str, ...] = ()
    immune: int = 0
    said: bool = False

    @property
    def takes(self) -> bool:
        """Whether it takes HP at the start of a turn."""
        return bool(self.amount or self.die)


class Timer(CatalogEntry, frozen=True):
    """What goes by the clock: a `number` of so many `minutes`; `rule` of an option replaces it, attacks may prolong it."""

    kind = "timer"
    number: str
    minutes: int
    rule: str | None = None
    prolonged: bool = False


class Entrance(CatalogEntry, frozen=True):
    """A way into a fight: after whom one comes, and whether it leads into one that is locked."""

    kind = "entrance"
    after: str | None = None
    into_locked: bool = False


class Noise(CatalogEntry, frozen=True):
    """What is shouted over the first time; a silencer helps where it `can_be_silenced`."""

    kind = "noise"
    can_be_silenced: bool = False


class Harm(CatalogEntry, frozen=True):
    """What takes hit points, and whether it can be mortal."""

    kind = "harm"
    mortal: bool = False


def apply_lasting(book: Book, part: Part, role: str, name: str) -> Iterator[Consequence]:
    """Yield what it takes that something of the lasting ones, or an effect by its trait, befalls whoever stands in a role.

    Who is immune is spared; what stands already goes on for the longer of both times, with a stack more where it has stacks.
    """
    entry = book.listed(Lasting).get(name)
    trait = name if entry is None or entry.effect is None else entry.effect
    deed = _find_deed(book, trait)
    if entry is None:
        yield Consequence(deed, role)
        return
    kept = part.kept.get(part.subjects.get(role, ""), {})
    now, immune = kept.get(EFFECT + trait), entry.id + _IMMUNE
    turns = max(_count_turns(book, part, role, entry, trait), _count_left(now))
    if turns <= 0 or (entry.immune and now is None and EFFECT + immune in kept):
        return
    stacks = min(entry.most_stacks, 1 + ((now or {}).get("amount") or 0)) if entry.most_stacks > 1 else None
    yield Consequence(deed, role, stacks, turns)
    if entry.immune:
        yield Consequence(_find_deed(book, immune), role, None, turns + entry.immune)


def settle_wound(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what a wound by the clock changes: it lasts from now on, or from the end of the one that lasts already (A23)."""
    name, moment = EFFECT + (applied.deed.effect or ""), applied.moment
    hours = applied.consequence.amount or applied.deed.end.count
    before = applied.kept.get(name)
    lasts = before if before and "at" in before and holds(before, moment) else None
    at = moment.later(lasts["at"] if lasts else moment.hence(0), hours)
    since = lasts.get(SINCE, lasts["entry"]) if lasts else moment.entry
    yield applied.name, name, {**applied.effect(), "at": at, SINCE: since}


def settle_recovery(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what shortens a wound by the clock: it ends so many minutes earlier, or at once where nothing is left of it."""
    name, moment = EFFECT + (applied.deed.effect or ""), applied.moment
    before = applied.kept.get(name)
    if before is not None and "at" in before:
        at = moment.later(before["at"], -(applied.consequence.amount or 0) / AN_HOUR)
        shorter = {**before, "entry": moment.entry, "at": at, SINCE: before.get(SINCE, before["entry"])}
        yield applied.name, name, None if at <= moment.hence(0) else shorter


def settle_wait(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what lasts for so many minutes from now on."""
    moment, minutes = applied.moment, applied.consequence.amount or 0
    at = moment.later(moment.hence(0), minutes / AN_HOUR)
    yield applied.name, EFFECT + (applied.deed.effect or ""), {"entry": moment.entry, "at": at}


def make_wounding(  # noqa: PLR0913, PLR0917 - what a procedure takes
    family: str,
    title: str,
    headline: str,
    method: ResolutionMethod,
    carry: Carry = carry_nothing,
    actor: str = "actor",
) -> Procedure:
    """Return the procedure of something between two that may wound, and that acts alone ask for."""
    policy, settles = Policy(again="never", on_request=False), {"wound": settle_wound}
    return Procedure(family, title, actor, "resister", headline, method, carry=carry, policy=policy, settles=settles)


def _count_turns(book: Book, part: Part, role: str, entry: Lasting, trait: str) -> int:
    more = (weigh_score(book.scores[score], role, part.facts).value for score in entry.scores)
    return book.effects[trait].end.count + sum(more)


def _count_left(kept: Mapping[str, Any] | None) -> int:
    """Return how many turns are left of what is kept."""
    return 0 if kept is None else int(kept.get("turns", {}).get("left", 0))


def _find_deed(book: Book, trait: str) -> str:
    """Return the deed that lasts as the effect of a trait."""
    return next(deed.id for deed in book.deeds.values() if deed.effect == trait)
