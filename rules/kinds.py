"""The kinds of values that may stand in a rule file: names, texts, numbers, dice, and words of which there are only a few."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, get_args

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints
from pydantic_core import PydanticCustomError

from rules import ends
from rules.dice import MAX_DICE, MAX_SIDES, NO_DIE, DiceTerm

_NAME = "[a-z0-9]+([._-][a-z0-9]+)*"
_LONGEST_MARK = 2

Text = Annotated[str, StringConstraints(min_length=1)]
Name = Annotated[str, StringConstraints(pattern=f"^{_NAME}$")]
Literal = Annotated[str, StringConstraints(pattern=f"^!?{_NAME}$")]
Whole = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
FieldName = Annotated[str, StringConstraints(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
Line = Annotated[int, Field(ge=1, le=1_000_000)]
Raws = Annotated[list[object], Field(default_factory=list)]
"""Items that are read one by one, each with its own model."""
Names = Annotated[list[Name], Field(default_factory=list)]


def _die(value: object) -> DiceTerm:
    """Read `20`, `"2d6"`, and what people write for these, such as `"D20"`; 0 stands for no die at all."""
    text = str(value).strip().lower() if type(value) in {int, str} else ""
    if text in {"0", "d0"}:
        return NO_DIE
    try:
        return DiceTerm.parse(text)
    except ValueError as error:
        kind = "die"
        raise PydanticCustomError(kind, "isn't a die", _limit(text.removeprefix("d"))) from error


def _limit(die: str) -> dict[str, str]:
    """Return which bound a die is out of, if it is one at all."""
    match = re.fullmatch(r"(?:(\d{1,9})d)?(\d{1,9})", die, re.ASCII)
    if match and not 1 <= int(match[1] or 1) <= MAX_DICE:
        return {"mend": f"write 1 to {MAX_DICE} dice"}
    return {"mend": f"a die has 2 to {MAX_SIDES} sides"} if match else {}


def _mark(value: str) -> str:
    if len(value) <= _LONGEST_MARK and value.isalpha():
        return value
    kind = "mark"
    raise PydanticCustomError(kind, "isn't a mark")


def _position(value: list[int]) -> list[int]:
    if len(value) == len(("column", "row")):
        return value
    kind = "position"
    raise PydanticCustomError(kind, "isn't a position")


def _word(*words: str) -> Callable[[str], str]:
    """Return a check that takes only these words; any other is no name that could be meant."""

    def check(value: str) -> str:
        if value in words:
            return value
        kind = "word"
        raise PydanticCustomError(kind, "isn't one of the known words")

    return check


Die = Annotated[DiceTerm, PlainValidator(_die)]
Mark = Annotated[str, AfterValidator(_mark)]
Position = Annotated[list[Annotated[int, Field(ge=0, le=1000)]], AfterValidator(_position)]
Bearer = Annotated[str, AfterValidator(_word("unit", "character", "place", "thing"))]
Member = Annotated[str, AfterValidator(_word("pc", "npc"))]
Until = Annotated[str, AfterValidator(_word(*get_args(ends.Until)))]
Count = Annotated[int, Field(ge=1, le=10_000)]
