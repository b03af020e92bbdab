"""A request for a roll, as a card stores it, and the command that asks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct, field, structs

from bot.core.errors import BadInput
from bot.core.records import Json, mark_role
from rules.dice import BY_HAND, MAX_SIDES, Dice, DiceTerm, Roll
from rules.modifiers import Adjustment
from rules.typed_text import keyboard_signs

MAX_PARTS = 25
To = Annotated[str, Meta(pattern="^(auto|results|staff|me|group:[0-9]+)$")]

TO_LABELS: Mapping[To, str] = {
    "auto": "where the rules send it",
    "results": "to the results channel",
    "staff": "to the staff channel",
    "me": "to you alone",
}
TO_HERE: Mapping[str, str] = {"here": "here, in this channel or thread"}
TO_WORDS = frozenset({*TO_HERE, *TO_HERE.values(), *TO_LABELS, *TO_LABELS.values()})
"""Words for destinations that can't be a group's name."""


class TypedAdjustment(Struct, frozen=True, kw_only=True):
    """A game master's plus or minus, on the first table unless it names one. Only staff read a `private` reason."""

    value: int
    reason: str
    table: str | None = None
    private: bool = False

    @property
    def text(self) -> str:
        """Value and reason, by which a card recognises it."""
        return f"{self.value:+d} {self.reason}"

    def adjustment(self) -> Adjustment:
        """Return this adjustment as the rules take it."""
        return Adjustment(self.value, self.reason, self.table, self.private)


class PartRequest(Struct, frozen=True, kw_only=True):
    """A roll's target, scouter or pair. `ids` survive renames; `people` have no subject. Region "" is a secret home."""

    subjects: dict[str, str]
    people: dict[str, str] = field(default_factory=dict)
    ids: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, Json] = field(default_factory=dict)
    adjustments: tuple[TypedAdjustment, ...] = ()
    region: str | None = None


def label_part(role: str, label: str | None, own_name: str) -> PartRequest:
    """Return a part with a role under a label, or under the person's own name."""
    if label is not None:
        return PartRequest(subjects={role: label})
    return PartRequest(subjects={role: mark_role(role)}, people={role: own_name})


def join_parts(one: PartRequest, other: PartRequest) -> PartRequest:
    """Return a part with the roles and inputs of both."""
    shared = ("subjects", "people", "inputs")
    return structs.replace(one, **{name: {**getattr(one, name), **getattr(other, name)} for name in shared})


class AmendedEntry(Struct, frozen=True, kw_only=True):
    """Which entry a roll amends and why. `upto` is the newest entry undone for it, 0 for none; `since` has its dice."""

    number: int
    since: int
    why: str
    upto: int = 0


class CarriedOrder(Struct, frozen=True, kw_only=True):
    """An order (entry) that a roll carries out: subject, value's name, task parts (keys) of it. Some come `later`."""

    entry: int
    subject: str
    name: str
    parts: tuple[str, ...]
    later: bool = False


class OrderedTask(Struct, frozen=True, kw_only=True):
    """A roll's task of orders: phase (id), parts (keys) as rolled, and the orders."""

    phase: str
    parts: tuple[str, ...]
    orders: tuple[CarriedOrder, ...]


class RollRequest(Struct, frozen=True, kw_only=True):
    """A roll of a family of a book.

    A player's names never mean someone secret, unless `ids` say so; `staff` means a game master typed them. `by` is the player's
    pseudonym, `here` a public result's channel (id).
    """

    book: str
    family: str
    parts: tuple[PartRequest, ...]
    region: str | None = None
    week: int | None = None
    note: str | None = None
    to: To = "auto"
    here: int | None = None
    reason: str | None = None
    staff: bool = False
    at_home: bool = False
    by: str | None = None
    led: bool = False
    amends: AmendedEntry | None = None
    scene: str | None = None
    task: OrderedTask | None = None

    @property
    def noun(self) -> str:
        """Return the kind of roll, such as `flee` for `turn.flee`."""
        return self.family.rpartition(".")[2].replace("-", " ")

    @property
    def people(self) -> dict[str, str]:
        """The own names of members in all parts, by role."""
        return {role: name for part in self.parts for role, name in part.people.items()}

    def where(self, part: PartRequest) -> str | None:
        """Return a part's region, else the roll's; None if unknown or secret."""
        return self.region if part.region is None else part.region or None

    def with_part(self, index: int, part: PartRequest) -> RollRequest:
        """Replace one part."""
        parts = (*self.parts[:index], part, *self.parts[index + 1 :])
        return structs.replace(self, parts=parts)


class RollCommand(Struct, frozen=True):
    """A typed roll command of (book, family). `channels` are ids, nearest first; `here` 0: the bot can't post there."""

    channels: Sequence[int]
    family: tuple[str, str]
    parts: Sequence[PartRequest]
    region: str | None = None
    week: int | None = None
    modifiers: str | None = None
    note: str | None = None
    to: str = "auto"
    here: int | None = None
    faces: Mapping[int, Sequence[int]] | None = None
    campaign: int | None = None
    scene: str | None = None
    reason: str | None = None


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


class PartlyTypedDice(Struct, frozen=True):
    """Typed faces with dice for what wasn't typed, as `rules.dice.Dice`."""

    typed: DiceByHand
    others: Dice

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next faces of a die."""
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
