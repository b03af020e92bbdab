"""What can be wrong with a rule book or a roll; nothing was rolled."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from heapq import nsmallest

from msgspec import Struct

NEAR = 0.55
MIN_BEGINNING = 3
"""Letters that are enough to match the beginning of a word."""
MAX_COMPARED = 15
"""How many names are compared letter by letter, which is slow."""


class RulesError(Exception):
    """Anything `rules` refuses; `title` is for the message, `left` says what didn't happen."""

    title = "I can't roll that"
    left = "Nothing was rolled."


class Fault(Struct, frozen=True):
    """One mistake in a rule file; `what` says what's wrong and how to mend it."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class BookError(RulesError):
    """A book doesn't load: all `faults`, sorted."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.file, fault.line, fault.what)))
        super().__init__("\n".join(map(str, self.faults)))


class RollError(RulesError):
    """The roll isn't possible as requested."""


class MissingValue(RollError):
    """Something is missing; the message asks for it."""


class UnknownName(RollError):
    """A name isn't known; `nearest` is a similar known one, or None."""

    kind = "name"
    otherwise = ""

    def __init__(self, name: str, known: Iterable[str], kind: str | None = None) -> None:
        self.name = name
        self.nearest = nearest(name, known)
        hint = f" Did you mean {self.nearest!r}?" if self.nearest else self.otherwise
        super().__init__(f"I don't know the {kind or self.kind} {name!r}.{hint}")


class UnknownTable(UnknownName):
    """No book has a table with this id."""

    kind = "table"


class UnknownFamily(UnknownName):
    """The book has no such roll family."""

    kind = "roll"
    otherwise = " The house rules that have it may be off: see /table show."


class UnknownModifier(UnknownName):
    """No table of the roll has this modifier."""

    kind = "modifier"


class UnknownOption(UnknownName):
    """The procedure doesn't offer this option."""

    kind = "option"


class BadCount(RollError):
    """A modifier's count is below 0, or above 1 though it isn't `per` unit."""

    def __init__(self, modifier: str, count: int, *, per: str | None) -> None:
        allowed = "0 or more" if per else "0 or 1, since the line is not per unit"
        super().__init__(f"{modifier} can't count {count} times. Use {allowed}.")


class Contradiction(RollError):
    """Several ticked modifiers exclude each other."""

    def __init__(self, modifiers: Sequence[str]) -> None:
        super().__init__(f"Only one of these can apply: {', '.join(modifiers)}.")


class WrongDice(RollError):
    """A die doesn't fit, or one is missing or left over."""


def nearest(name: str, known: Iterable[str], *, likeness: float = NEAR) -> str | None:
    """Return the closest name, or None; `likeness` goes from 0 to 1.

    A name that alone has a word with this beginning wins: `Kai` is near Kai Brandt.
    """
    by_folded = {candidate.casefold(): candidate for candidate in known}
    folded, near = name.strip().casefold(), [*by_folded]
    if len(folded) >= MIN_BEGINNING:
        begin = [other for other in near if folded in other and re.search(rf"\b{re.escape(folded)}", other)]
        if len(begin) == 1:
            return by_folded[begin[0]]
    # Comparing letter by letter grows with the square of the lengths; sets of letters are a cheap first look.
    if len(near) > MAX_COMPARED:
        letters = {*folded}
        near = nsmallest(MAX_COMPARED, near, key=lambda other: len(letters.symmetric_difference(other)))
    matches = get_close_matches(folded, near, n=1, cutoff=likeness)
    return by_folded[matches[0]] if matches else None
