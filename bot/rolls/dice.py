"""Faces typed in from real dice, and how a faulty dice expression is shown."""

import re
from collections.abc import Mapping, Sequence

import discord
from msgspec import Struct

from bot.core.errors import BadInput
from bot.ui.text import COLOURS, plain
from rules.dice import BY_HAND, MAX_SIDES, Dice, DiceTerm, Roll
from rules.expression import BadExpression
from rules.typed_text import keyboard_signs

_WORD = re.compile(r"[^\s,;]+")
_SIDES = re.compile(r"[dD](?P<sides>[0-9]{1,4}):?")
_FACE = re.compile(r"[0-9]{1,4}")
HELP = "Write faces like 1 3 4 2, d100: 42 7; those before the first d are of the d{first}."


class DiceByHand:
    """Typed faces by sides. Dice without typed faces are drawn by others.

    Once others have drawn, too few or too many typed faces aren't an error: a person could otherwise refuse a drawn face by
    typing wrong ones, and roll again. Missing faces are drawn then, the rest stays unused. 0 is the highest face of a d10,
    d100 or d1000.
    """

    def __init__(self, faces: Mapping[int, Sequence[int]]) -> None:
        self._faces = faces
        self._next = dict.fromkeys(faces, 0)
        self._drawn = False

    def beside(self, others: Dice) -> Dice:
        """Return these dice with `others` for what wasn't typed."""
        return _PartlyTypedDice(self, others)

    def roll(self, term: DiceTerm, others: Dice) -> Roll:
        """Return the next faces, or let `others` draw. BadInput where some were typed, but too few."""
        typed = self._faces.get(term.sides, [])
        place = self._next.get(term.sides, 0)
        faces = tuple(typed[place : place + term.count])
        short = len(faces) < term.count
        if short and (self._drawn or term.sides not in self._faces):
            self._drawn = True
            return others.roll(term)
        if short:
            what = f"Of the d{term.sides} there are too few faces: {len(typed)} typed, and more are needed."
            raise BadInput(what, "Type them all, or none of them: then I draw them.")
        self._next[term.sides] += term.count
        return Roll(term, faces, BY_HAND)

    @property
    def spare_count(self) -> int:
        """The number of unused typed faces."""
        return sum(map(len, self.spare_faces.values()))

    @property
    def spare_faces(self) -> dict[int, Sequence[int]]:
        """The unused typed faces by sides."""
        left = {sides: typed[self._next[sides] :] for sides, typed in self._faces.items()}
        return {sides: typed for sides, typed in left.items() if typed}

    def finish(self) -> None:
        """Refuse unused faces, unless others have drawn."""
        if self._drawn:
            return
        for sides, typed in self._faces.items():
            used = self._next[sides]
            if used < len(typed):
                left = " ".join(map(str, typed[used:][:20]))
                what = f"Of the d{sides} there are too many faces: {len(typed)} typed, {used} needed."
                raise BadInput(what, f"Left over: {left}.")


class _PartlyTypedDice(Struct, frozen=True):
    """Typed faces with dice for what wasn't typed, as `rules.dice.Dice`."""

    typed: DiceByHand
    others: Dice

    def roll(self, term: DiceTerm) -> Roll:
        return self.typed.roll(term, self.others)


def read_faces(text: str, first: int) -> dict[int, list[int]]:
    """Parse typed faces by sides. Those before the first die belong to a die with `first` sides."""
    help_ = HELP.format(first=first)
    typed_faces: dict[int, list[int]] = {}
    sides = first
    for word in _WORD.findall(keyboard_signs(text)):
        die = _SIDES.fullmatch(word)
        if die:
            sides = int(die["sides"])
            if not 2 <= sides <= MAX_SIDES:  # noqa: PLR2004 - a die has two sides at least
                raise BadInput(f"I don't know the die {word!r}.", help_)
            typed_faces.setdefault(sides, [])
        else:
            typed_faces.setdefault(sides, []).append(_read_face(word, sides, help_))
    for die_sides, values in typed_faces.items():
        if not values:
            raise BadInput(f"The d{die_sides} has no faces behind it.", help_)
    if not typed_faces:
        raise BadInput("You didn't type any faces.", help_)
    return typed_faces


def _read_face(word: str, sides: int, help_: str) -> int:
    if not _FACE.fullmatch(word):
        raise BadInput(f"{word[:60]!r} is neither a face nor a die.", help_)
    face = int(word)
    if face == 0 and sides in {10, 100, 1000}:
        return sides
    if not 1 <= face <= sides:
        raise BadInput(f"A d{sides} has no face {word}.", help_)
    return face


BEFORE, AFTER = 24, 12

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def fault_embed(expression: str, fault: BadExpression) -> discord.Embed:
    """Return a faulty expression with a mark under its fault."""
    start, end = max(0, fault.place - 1 - BEFORE), fault.place - 1 + AFTER
    first, last = ELLIPSIS if start else "", ELLIPSIS if end < len(expression) else ""
    shown = "".join(sign if sign.isprintable() and sign != "`" else " " for sign in expression[start:end])
    marked = f"{first}{shown}{last}\n{' ' * (fault.place - 1 - start + len(first))}^"
    text = f"{plain(str(fault))}\n```\n{marked}\n```\nNothing was rolled."
    return discord.Embed(title="That won't work", description=text, colour=COLOURS["danger"])
