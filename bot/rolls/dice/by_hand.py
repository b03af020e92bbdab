"""Faces that people typed in from dice on their table; what they did not type is drawn as ever."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.errors import BadInput
from rules.dice import BY_HAND, MAX_SIDES, Dice, DiceTerm, Roll

_WORD = re.compile(r"[^\s,;]+")
_SIDES = re.compile(r"[dD](?P<sides>[0-9]{1,4}):?")
_FACE = re.compile(r"[0-9]{1,4}")
HELP = "Write faces like 1 3 4 2, d100: 42 7; those in front of the first d are of the d{first}."


class DiceByHand:
    """Hands out typed faces by how many sides the die has; of dice of which no face was typed, `others` draw.

    Once they have drawn, typed faces that are too few or too many refuse nothing any more: whoever could void a roll by
    its typed faces could throw again until the drawn ones please. What is missing is drawn then, what is left over unused.

    A face of 0 on a die of 10, 100 or 1,000 sides is its highest.
    """

    def __init__(self, faces: Mapping[int, list[int]], others: Dice) -> None:
        self._faces = faces
        self._next = dict.fromkeys(faces, 0)
        self._others = others
        self._drawn = False

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next faces.

        Raises:
            BadInput: of this die there are some, but too few.

        """
        typed = self._faces.get(term.sides, [])
        place = self._next.get(term.sides, 0)
        faces = tuple(typed[place : place + term.count])
        short = len(faces) < term.count
        if short and (self._drawn or term.sides not in self._faces):
            self._drawn = True
            return self._others.roll(term)
        if short:
            what = f"Of the d{term.sides} there are too few faces: {len(typed)} typed, and more are needed."
            raise BadInput(what, "Type them all, or none of them: then I draw them.")
        self._next[term.sides] += term.count
        return Roll(term, faces, BY_HAND)

    @property
    def left(self) -> int:
        """How many typed faces no die was asked for."""
        return sum(len(typed) - self._next[sides] for sides, typed in self._faces.items())

    def finish(self) -> None:
        """Say that no more dice are asked for.

        Raises:
            BadInput: faces are left over, and nothing was drawn.

        """
        if self._drawn:
            return
        for sides, typed in self._faces.items():
            used = self._next[sides]
            if used < len(typed):
                left = " ".join(map(str, typed[used:][:20]))
                what = f"Of the d{sides} there are too many faces: {len(typed)} typed, {used} needed."
                raise BadInput(what, f"Left over: {left}.")


def read_faces(text: str, first: int) -> dict[int, list[int]]:
    """Parse typed faces, by the sides of their die; those in front of the first die are of one with `first` sides.

    Raises:
        BadInput: a word is neither a face nor a die, a die has no such face, or a die is named without faces.

    """
    help_ = HELP.format(first=first)
    found: dict[int, list[int]] = {}
    sides = first
    for word in _WORD.findall(text):
        die = _SIDES.fullmatch(word)
        if die:
            sides = int(die["sides"])
            if not 2 <= sides <= MAX_SIDES:  # noqa: PLR2004 - a die has two sides at least
                raise BadInput(f"There is no die {word!r}.", help_)
            found.setdefault(sides, [])
        else:
            found.setdefault(sides, []).append(_face(word, sides, help_))
    for named, faces in found.items():
        if not faces:
            raise BadInput(f"The d{named} has no faces behind it.", help_)
    if not found:
        raise BadInput("There are no faces in that.", help_)
    return found


def _face(word: str, sides: int, help_: str) -> int:
    if not _FACE.fullmatch(word):
        raise BadInput(f"{word[:60]!r} is neither a face nor a die.", help_)
    face = int(word)
    if face == 0 and sides in {10, 100, 1000}:
        return sides
    if not 1 <= face <= sides:
        raise BadInput(f"A d{sides} has no face {word}.", help_)
    return face
