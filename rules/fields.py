"""Fields: what a book has kept of people and things; how a value is typed and told, and which facts it makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import field

from rules.errors import RollError, nearest
from rules.kinds import Bearers, FieldName, Line, Name, RuleItem, Text, Whole, word_of
from rules.typed_text import keyboard_signs

FieldKind = Literal["number", "one-of", "list", "text"]
FieldValue = int | str | list[str]

MOST = 25
"""Words in a list: a house default."""
FROM = "_from"
"""The end of the name under which the number of the entry that rolled a field is kept beside it."""


_WHOLE = re.compile(r"([+-]?[0-9]{1,7})(?:\.0+)?")
"""A whole number, also as spreadsheet programs write it: 7.0."""


class BadValue(ValueError):
    """A text that is no value of a field; its arguments say why."""


class Field(RuleItem, frozen=True):
    """Something kept of whoever is of a type in `on`: "unit", "character", "place" or "thing". In any role it is the fact `role.<id>`.

    A number goes from `min` to `max`, of which `zero` is the word for nought; one-of takes one of `options`, and a list words,
    of these where there are any; each of them is a fact `role.<id>.<word>` too. A number that `gives` traits is no fact
    itself: they are, each from its number on. What a list names of saved things has their fields, each thing once; the words of
    one that `names` "unit" are saved units. Players set what is their `own` of their characters, and see of others' what is `closed` only where the campaign opens levels.
    """

    noun = "field"
    examples: ClassVar[Mapping[str, str]] = {
        "on": 'on = ["character", "thing"]',
        "takes": 'takes = "number", "one-of", "list" or "text"',
        "options": 'options = ["Novice", "Master"]',
    }

    id: FieldName
    label: Text
    on: Bearers
    takes: FieldKind
    line: Line
    min: Whole | None = None
    max: Whole | None = None
    options: tuple[Text, ...] = ()
    zero: Text | None = None
    gives: Mapping[Name, Whole] = field(default_factory=dict)
    own: bool = False
    closed: bool = False
    names: Annotated[Literal["unit"], word_of("unit", "character", "place", "thing")] | None = None

    def read(self, text: str | None) -> FieldValue | None:
        """Return the value that a text stands for, trimmed; None for no text. Raises BadValue where it stands for none."""
        if text is None:
            return None
        if self.takes == "number":
            typed = _WHOLE.fullmatch(keyboard_signs(text))
            number = int(typed[1]) if typed else None
            if number is None or not (self.min or 0) <= number <= (self.max or 0):
                hint = f"write a whole number from {self.min} to {self.max}, or nothing."
                raise BadValue(f"{text[:40]!r} isn't a valid {self.label}: {hint}")
            return number
        if self.takes != "list":
            return self._word(text)
        words = [self._word(word.strip()) for word in re.split("[,;]", text) if word.strip()]
        if len(words) > MOST:
            raise BadValue(f"{self.label} takes {MOST} words, not {len(words)}.")
        return words

    def typed(self, value: FieldValue) -> str:
        """Return a value as it is typed."""
        return ", ".join(value) if isinstance(value, list) else str(value)

    def told(self, value: FieldValue) -> str:
        """Return a value with what it is of, in words."""
        return self.zero if value == 0 and self.zero else f"{self.label} {self.typed(value)}"

    def facts(self, value: FieldValue) -> dict[str, int]:
        """Return the traits that follow from a value, each with the number of times that it counts."""
        if isinstance(value, int):
            given = {trait: 1 for trait, least in self.gives.items() if value >= least}
            return given if self.gives else {self.id: value} if value else {}
        words = value if isinstance(value, list) else [value] if self.options else []
        return {self.id: 1} | {f"{self.id}.{word_id(word)}": 1 for word in words}

    def require_beside(self, fields: Mapping[str, object]) -> None:
        """Refuse its value beside those of the other fields, by id; none is, unless the book says so. Raises BadValue."""

    def _word(self, text: str) -> str:
        """Return a text, or the option that is meant by it."""
        meant = next((option for option in self.options if word_id(option) == word_id(text)), None)
        if self.options and meant is None:
            close = nearest(text, self.options)
            hint = f"Did you mean {close}?" if close else f"Pick one: {', '.join(self.options)}."
            raise BadValue(f"{text[:40]!r} isn't a valid {self.label}. {hint}")
        return meant or text


class CheckedField(Field, frozen=True):
    """A field that the book itself checks: `check` raises RollError for a word that means nothing to it, `beside` where its value does not go with the others."""

    check: Callable[[str], object] = str.strip
    beside: Callable[[Mapping[str, Any]], object] = len

    def require_beside(self, fields: Mapping[str, object]) -> None:
        """Refuse what the book does."""
        try:
            self.beside(fields)
        except RollError as error:
            raise BadValue(str(error)) from error

    def _word(self, text: str) -> str:
        try:
            self.check(text)
        except RollError as error:
            raise BadValue(str(error)) from error
        return super()._word(text)


Fields = Mapping[str, Field]
"""Fields by their ids."""


def word_id(text: str) -> str:
    """Return a word as facts have it: its letters and digits, small, parted by hyphens."""
    return "-".join(re.findall("[a-z0-9]+", text.casefold()))
