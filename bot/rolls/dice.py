"""Faces that people typed in from dice on their table, and how a faulty dice expression is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import discord
from msgspec import Struct

from bot.errors import BadInput
from bot.ui.colours import COLOURS
from bot.ui.text import plain
from rules.dice import BY_HAND, MAX_SIDES, Dice, DiceTerm, Roll
from rules.expression import BadExpression
from rules.typed_text import keyboard_signs

_WORD = re.compile(r"[^\s,;]+")
_SIDES = re.compile(r"[dD](?P<sides>[0-9]{1,4}):?")
_FACE = re.compile(r"[0-9]{1,4}")
HELP = "Write faces like 1 3 4 2, d100: 42 7; those before the first d are of the d{first}."


class DiceByHand:
    """Dice with typed faces, by how many sides they have; those that they stand `beside` draw for dice of which no face was typed.

    Once they have drawn, too few or too many typed faces are no error any more: otherwise somebody could refuse drawn
    faces that they dislike by typing wrong ones, and roll again. Missing faces are drawn then, the rest stays unused.

    A face of 0 on a die of 10, 100 or 1,000 sides is its highest.
    """

    def __init__(self, faces: Mapping[int, Sequence[int]]) -> None:
        self._faces = faces
        self._next = dict.fromkeys(faces, 0)
        self._drawn = False

    def beside(self, others: Dice) -> Dice:
        """Return these dice, with others that draw where nothing was typed."""
        return _Beside(self, others)

    def roll(self, term: DiceTerm, others: Dice) -> Roll:
        """Return the next faces; `others` draw where nothing was typed.

        Raises:
            BadInput: of this die there are some, but too few.

        """
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
    def left(self) -> int:
        """The number of typed faces that are not used yet."""
        return sum(map(len, self.unused.values()))

    @property
    def unused(self) -> dict[int, Sequence[int]]:
        """The typed faces that are not used yet, by the sides of their die."""
        left = {sides: typed[self._next[sides] :] for sides, typed in self._faces.items()}
        return {sides: typed for sides, typed in left.items() if typed}

    def finish(self) -> None:
        """Check that all typed faces were used."""
        if self._drawn:
            return
        for sides, typed in self._faces.items():
            used = self._next[sides]
            if used < len(typed):
                left = " ".join(map(str, typed[used:][:20]))
                what = f"Of the d{sides} there are too many faces: {len(typed)} typed, {used} needed."
                raise BadInput(what, f"Left over: {left}.")


class _Beside(Struct, frozen=True):
    """Typed faces, beside dice that draw where nothing was typed."""

    typed: DiceByHand
    others: Dice

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next faces.

        Raises:
            BadInput: of this die there are some, but too few.

        """
        return self.typed.roll(term, self.others)


def read_faces(text: str, first: int) -> dict[int, list[int]]:
    """Parse typed faces, by the sides of their die; those in front of the first die are of one with `first` sides.

    Raises:
        BadInput: a word is neither a face nor a die, a die has no such face, or a die is named without faces.

    """
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
            typed_faces.setdefault(sides, []).append(_face(word, sides, help_))
    for die_sides, values in typed_faces.items():
        if not values:
            raise BadInput(f"The d{die_sides} has no faces behind it.", help_)
    if not typed_faces:
        raise BadInput("You didn't type any faces.", help_)
    return typed_faces


def _face(word: str, sides: int, help_: str) -> int:
    if not _FACE.fullmatch(word):
        raise BadInput(f"{word[:60]!r} is neither a face nor a die.", help_)
    face = int(word)
    if face == 0 and sides in {10, 100, 1000}:
        return sides
    if not 1 <= face <= sides:
        raise BadInput(f"A d{sides} has no face {word}.", help_)
    return face


BEFORE, AFTER = 24, 12
"""How many characters around the fault are shown: few enough for a phone's narrow screen."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def fault_embed(expression: str, fault: BadExpression) -> discord.Embed:
    """Return the embed of a faulty expression: the fault in words, and a mark under its place."""
    text = f"{plain(str(fault))}\n```\n{_marked(expression, fault.place - 1)}\n```\nNothing was rolled."
    return discord.Embed(title="That won't work", description=text, colour=COLOURS["danger"])


def _marked(expression: str, place: int) -> str:
    start, end = max(0, place - BEFORE), place + AFTER
    first, last = ELLIPSIS if start else "", ELLIPSIS if end < len(expression) else ""
    shown = "".join(_safe(character) for character in expression[start:end])
    return f"{first}{shown}{last}\n{' ' * (place - start + len(first))}^"


def _safe(character: str) -> str:
    return character if character.isprintable() and character != "`" else " "
