"""Weapons as people write them down: `Rifle = M_a_Rifle + Scope accuracy 5 + Silencer` (lines 184, 261)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Token
from rules.books.roe.characters import check_attachments
from rules.books.roe.weapons import UnknownToken, weapon_named
from rules.errors import RollError, UnknownName, nearest
from rules.fields import MOST, word_id

To = Literal["accuracy", "damage"]
MOST_ADDED = 99
"""What an attachment adds at most: a house default."""
_LEFT_OVER = re.compile(r"(?P<what>[A-Za-z]+) ?[+-]?[0-9]+$")
_ADDED = re.compile(r"\b(accuracy|damage) ?([+-]?[0-9]{1,2})(?![0-9])")


class UnknownArm(UnknownName):
    """Somebody has no such weapon."""

    kind = "weapon of this character"


class Attachment(Struct, frozen=True):
    """What a weapon has attached, and what it adds to its accuracy and damage."""

    name: str
    adds: Mapping[str, int] = {}


class Arm(Struct, frozen=True):
    """A weapon that somebody has: what it is called, its token as printed, and its attachments."""

    name: str
    token: str
    attachments: tuple[Attachment, ...] = ()

    @property
    def id(self) -> str:
        """How marks and facts call it."""
        return word_id(self.name)

    @property
    def mods(self) -> list[tuple[str, str, int]]:
        """What its attachments add: to what, by which name, how much."""
        return [(to, item.name, value) for item in self.attachments for to, value in item.adds.items()]


def arm_of(book: Book, written: str) -> Arm:
    """Read a weapon as it is written down: a name before `=` where it has one, its token, and attachments behind `+`.

    Raises:
        RollError: there is no such token, there are too many attachments, or two of one name.

    """
    name, _, rest = written.rpartition("=")
    token, *attached = (word.strip() for word in re.split(r"\+(?![0-9])", rest))
    weapon = weapon_named(book, token)
    attachments = tuple(map(_attachment, attached))
    check_attachments(book, [item.name for item in attachments])
    return Arm(name.strip() or weapon.token.label, weapon.token.label, attachments)


def check_arm(book: Book, written: str) -> None:
    """Refuse a weapon that cannot be read as it is written down, also one whose attachment adds to nothing."""
    try:
        arm = arm_of(book, written)
    except UnknownToken as problem:
        how = "" if problem.nearest else " Write it as printed, such as Rifle = M_a_Rifle + Scope accuracy 5."
        raise RollError(f"{problem}{how}") from problem
    for attachment in arm.attachments:
        added = _LEFT_OVER.search(attachment.name)
        meant = nearest(added["what"], get_args(To)) if added else None
        if meant:
            most = f"from 0 to {MOST_ADDED}"
            raise RollError(f"{attachment.name[:60]!r} adds nothing. Did you mean {meant}, with a number {most}?")


def arms_of(book: Book, words: Iterable[str]) -> list[Arm]:
    """Return the weapons of a list that can be read, each by a name of its own, and what everybody has without drawing it (line 414)."""
    arms: dict[str, Arm] = {}
    for word in words:
        try:
            arm = arm_of(book, word)
        except RollError:  # told when it is named: a house rule may have taken the token away since it was written down
            continue
        names = (arm.name, *(f"{arm.name} {number}" for number in range(2, MOST + 1)))
        name = next(name for name in names if word_id(name) not in arms)
        arms[word_id(name)] = Arm(name, arm.token, arm.attachments)
    return [*arms.values(), *(Arm(token.label, token.label) for token in book.listed(Token).values() if token.bare)]


def arm_named(book: Book, words: Iterable[str], typed: str) -> Arm:
    """Return the weapon that is meant: one of a list, by its name, its token, or as it is written down.

    Raises:
        UnknownArm: there is none.

    """
    meant, arms = word_id(typed), arms_of(book, words)
    named = {word_id(item.token): item for item in reversed(arms)} | {item.id: item for item in arms}
    if meant in named:
        return named[meant]
    for word in words:
        if meant in {word_id(word), word_id(word.partition("=")[0])}:
            return arm_of(book, word)
    raise UnknownArm(typed, [item.name for item in arms])


def _attachment(text: str) -> Attachment:
    adds = {to: int(value) for to, value in _ADDED.findall(text)}
    return Attachment(_ADDED.sub("", text).strip(" ,") or "attachment", adds)
