"""What the RoE book lists of turns: their steps, what a turn has and what takes it away, what lasts, timers, ways into a fight."""

from __future__ import annotations

from collections.abc import Mapping

from rules.catalog import Entry
from rules.ends import Whose
from rules.facts import When


class TurnStep(Entry, frozen=True):
    """A step of a turn, in the order of the page."""

    kind = "step"


class Allowance(Entry, frozen=True):
    """How much of a mark every turn has: of one that `needs` a fact where that holds. `varies` by haste and lost Actions."""

    kind = "allowance"
    amount: int
    needs: str | None = None
    varies: bool = False

    @property
    def short(self) -> str:
        """Its label without what every turn is named by, such as `Actions`."""
        return self.label.removesuffix(" of a turn")


class Bar(Entry, frozen=True):
    """What leaves nothing of some marks in a turn, under facts; its label says so."""

    kind = "bar"
    when: When
    takes: tuple[str, ...]


class Upkeep(Entry, frozen=True):
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


class Lasting(Entry, frozen=True):
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


class Timer(Entry, frozen=True):
    """What goes by the clock: a `number` of so many `minutes`; `rule` of an option replaces it, attacks may prolong it."""

    kind = "timer"
    number: str
    minutes: int
    rule: str | None = None
    prolonged: bool = False


class Entrance(Entry, frozen=True):
    """A way into a fight: after whom one comes, and whether it leads into one that is locked."""

    kind = "entrance"
    after: str | None = None
    into_locked: bool = False


class Noise(Entry, frozen=True):
    """What is shouted over the first time; a silencer helps where it `can_be_silenced`."""

    kind = "noise"
    can_be_silenced: bool = False


class Harm(Entry, frozen=True):
    """What takes hit points, and whether it can be mortal."""

    kind = "harm"
    mortal: bool = False


TURN_CATALOG: Mapping[str, type[Entry]] = {
    item.kind: item for item in (TurnStep, Allowance, Bar, Upkeep, Lasting, Timer, Entrance, Noise, Harm)
}
