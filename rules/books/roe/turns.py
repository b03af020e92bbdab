"""What the book lists about turns, and how long things last (lines 446 to 459)."""

from collections.abc import Iterator

from rules import modifiers
from rules.book import Book, weigh_score
from rules.effects import EFFECT, Change, Whose, is_current
from rules.kinds import CatalogEntry
from rules.procedure import Carry, Part, Policy, Procedure, ResolutionMethod, carry_nothing
from rules.tables import AppliedConsequence, Consequence

AN_HOUR = 60  # minutes
SINCE = "since"
"""The key of the entry that a wound began with, also after it was prolonged."""
_IMMUNE = "-immune"


class TurnStep(CatalogEntry, frozen=True):
    """A step of a turn, in the order of the page."""

    kind = "step"


class Allowance(CatalogEntry, frozen=True):
    """How much of a mark, such as Actions, each turn begins with; `varies` with haste and lost Actions."""

    kind = "allowance"
    amount: int
    needs: str | None = None
    varies: bool = False

    @property
    def short(self) -> str:
        """The label without " of a turn"."""
        return self.label.removesuffix(" of a turn")


class Bar(CatalogEntry, frozen=True):
    """A state in which a turn begins without some marks, such as Actions."""

    kind = "bar"
    when: modifiers.When
    takes: tuple[str, ...]


class Upkeep(CatalogEntry, frozen=True):
    """What ends with the turn unless the tests in `when` pass: `ends` on the bearer, `frees` the other.

    It ends at once when the bearer gets a trait in `breaks`.
    """

    kind = "upkeep"
    of: str
    when: modifiers.When
    ends: tuple[str, ...] = ()
    frees: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()


class LastingMark(CatalogEntry, frozen=True):
    """What lasts for turns: as long as its `effect`, or as long as said at its start.

    A tick takes `amount`, or `die` per stack; `scores` lengthen it; `immune` turns follow it.
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
    """What runs by the clock: `number` times `minutes`, unless an option's `rule` replaces the number."""

    kind = "timer"
    number: str
    minutes: int
    rule: str | None = None
    prolonged: bool = False


class Entrance(CatalogEntry, frozen=True):
    """A way into a fight; with `into_locked`, also into a locked one."""

    kind = "entrance"
    after: str | None = None
    into_locked: bool = False


class Noise(CatalogEntry, frozen=True):
    """A noise that is announced the first time."""

    kind = "noise"
    can_be_silenced: bool = False


class Harm(CatalogEntry, frozen=True):
    """What takes hit points, and whether it can be mortal."""

    kind = "harm"
    mortal: bool = False


def apply_lasting(book: Book, part: Part, role: str, name: str) -> Iterator[Consequence]:
    """Yield the consequences of an effect, by its trait or lasting id.

    The immune are spared. A running effect keeps the longer time and gains a stack.
    """
    entry = book.entries_of(LastingMark).get(name)
    trait = name if entry is None or entry.effect is None else entry.effect
    consequence = _find_consequence(book, trait)
    if entry is None:
        yield Consequence(consequence, role)
        return
    kept = part.kept.get(part.subjects.get(role, ""), {})
    running, immune = kept.get(EFFECT + trait), entry.id + _IMMUNE
    now = running or {}
    longer = sum(weigh_score(book.scores[score], role, part.facts).value for score in entry.scores)
    turns = max(book.effects[trait].end.count + longer, int(now.get("turns", {}).get("left", 0)))
    if turns <= 0 or (entry.immune and running is None and EFFECT + immune in kept):
        return
    stacks = min(entry.most_stacks, 1 + (now.get("amount") or 0)) if entry.most_stacks > 1 else None
    yield Consequence(consequence, role, stacks, turns)
    if entry.immune:
        yield Consequence(_find_consequence(book, immune), role, None, turns + entry.immune)


def settle_wound(applied: AppliedConsequence) -> Iterator[Change]:
    """Start a wound by the clock, or prolong the running one (A23)."""
    name, moment = EFFECT + (applied.deed.effect or ""), applied.moment
    hours = applied.consequence.amount or applied.deed.end.count
    before = applied.kept.get(name)
    lasts = before if before and "at" in before and is_current(before, moment) else None
    at = moment.later(lasts["at"] if lasts else moment.hence(0), hours)
    since = lasts.get(SINCE, lasts["entry"]) if lasts else moment.entry
    yield applied.name, name, {**applied.effect(), "at": at, SINCE: since}


def settle_recovery(applied: AppliedConsequence) -> Iterator[Change]:
    """Shorten a wound by minutes, or end it."""
    name, moment = EFFECT + (applied.deed.effect or ""), applied.moment
    before = applied.kept.get(name)
    if before is not None and "at" in before:
        at = moment.later(before["at"], -(applied.consequence.amount or 0) / AN_HOUR)
        shorter = {**before, "entry": moment.entry, "at": at, SINCE: before.get(SINCE, before["entry"])}
        yield applied.name, name, None if at <= moment.hence(0) else shorter


def settle_wait(applied: AppliedConsequence) -> Iterator[Change]:
    """Start an effect that lasts for the consequence's amount of minutes."""
    moment, minutes = applied.moment, applied.consequence.amount or 0
    at = moment.later(moment.hence(0), minutes / AN_HOUR)
    yield applied.name, EFFECT + (applied.deed.effect or ""), {"entry": moment.entry, "at": at}


def make_wounding(  # noqa: PLR0913, PLR0917 - what a procedure takes
    family: str, title: str, headline: str, method: ResolutionMethod, carry: Carry = carry_nothing, actor: str = "actor"
) -> Procedure:
    """Make a procedure that can wound and that only acts ask for."""
    policy, settles = Policy(again="never", on_request=False), {"wound": settle_wound}
    return Procedure(family, title, actor, "resister", headline, method, carry=carry, policy=policy, settles=settles)


def _find_consequence(book: Book, trait: str) -> str:
    return next(deed.id for deed in book.deeds.values() if deed.effect == trait)
