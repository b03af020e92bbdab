"""What can be wrong with a rule book (`BookError`), or with a roll that is asked for (`RollError`): then nothing was rolled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from heapq import nsmallest

from msgspec import Struct

NEAR = 0.55
"""How similar a name must be to a known one to be near it."""

MIN_BEGINNING = 3
"""Letters of a name by which longer ones are known that begin so."""

MAX_COMPARED = 15
"""How many names are compared letter by letter with one that is not known: that takes long."""


class RulesError(Exception):
    """Anything that `rules` refuses: under which `title` people read it, and what they read below it of what was left as it is."""

    title = "I can't roll that"
    left = "Nothing was rolled."


class Fault(Struct, frozen=True):
    """One thing wrong in a rule file: where, what, and what would be right."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class BookError(RulesError):
    """A book or overlay does not load. `faults` covers all of them, in file and line order."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.file, fault.line, fault.what)))
        super().__init__("\n".join(map(str, self.faults)))


class RollError(RulesError):
    """A roll cannot be made as asked."""


class MissingValue(RollError):
    """Something that has to be said is missing; the message asks for it."""


class UnknownName(RollError):
    """A name that no book holds; `nearest` is the closest one that does, if any is close."""

    kind = "name"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.nearest = nearest(name, known)
        hint = f" Did you mean {self.nearest!r}?" if self.nearest else ""
        super().__init__(f"I don't know the {self.kind} {name!r}.{hint}")


class UnknownTable(UnknownName):
    """No book holds a table of this id."""

    kind = "table"


class UnknownFamily(UnknownName):
    """The book has no procedure for this roll family."""

    kind = "roll family"


class UnknownModifier(UnknownName):
    """No table of the roll has a modifier of this id or label."""

    kind = "modifier"


class UnknownOption(UnknownName):
    """A procedure's question is answered with an option that it does not offer."""

    kind = "option"


class BadCount(RollError):
    """A count that the modifier cannot take: negative, or more than one on a line that is not per unit."""

    def __init__(self, modifier: str, count: int, *, per: str | None) -> None:
        self.modifier = modifier
        self.count = count
        self.per = per
        allowed = "0 or more" if per else "0 or 1, since the line is not per unit"
        super().__init__(f"{modifier} can't count {count} times. Use {allowed}.")


class Contradiction(RollError):
    """Two or more modifiers were ticked of which only one can be true."""

    def __init__(self, modifiers: Sequence[str]) -> None:
        self.modifiers = tuple(modifiers)
        super().__init__(f"Only one of these can apply: {', '.join(self.modifiers)}.")


class WrongDice(RollError):
    """A die was handed in that the roll did not ask for, or one is missing or left over."""


def nearest(name: str, known: Iterable[str], *, likeness: float = NEAR) -> str | None:
    """Return the known name closest to `name`, or None when nothing is near: below a likeness of 0 (none) to 1 (the same).

    The only one with a word that begins so is near whatever follows: `Kai` is near Kai Brandt. Of many names only those made of the
    most similar letters are looked at.
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
