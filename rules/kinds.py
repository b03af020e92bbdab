"""The kinds of values that may stand in a rule file: names, texts, numbers, dice, and words of which there are only a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints
from pydantic_core import PydanticCustomError

from rules.dice import DiceTerm

_NAME = "[a-z0-9]+([._-][a-z0-9]+)*"
_LONGEST_MARK = 2

Text = Annotated[str, StringConstraints(min_length=1)]
Name = Annotated[str, StringConstraints(pattern=f"^{_NAME}$")]
Literal = Annotated[str, StringConstraints(pattern=f"^!?{_NAME}$")]
Whole = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Line = Annotated[int, Field(ge=1, le=1_000_000)]
Raws = Annotated[list[Any], Field(default_factory=list)]
"""Items that are read one by one, each with its own model."""
Names = Annotated[list[Name], Field(default_factory=list)]


def _die(value: object) -> DiceTerm:
    try:
        if type(value) in {int, str}:
            return DiceTerm.parse(str(value))
    except ValueError:
        pass
    kind = "die"
    raise PydanticCustomError(kind, "is no die")


def _mark(value: str) -> str:
    if len(value) <= _LONGEST_MARK and value.isalpha():
        return value
    kind = "mark"
    raise PydanticCustomError(kind, "is no mark")


def _position(value: list[int]) -> list[int]:
    if len(value) == len(("column", "row")):
        return value
    kind = "position"
    raise PydanticCustomError(kind, "is no position")


def _word(*words: str) -> Callable[[str], str]:
    """Only these words; any other is no name that could be meant."""

    def check(value: str) -> str:
        if value in words:
            return value
        kind = "word"
        raise PydanticCustomError(kind, "is no such word")

    return check


Die = Annotated[DiceTerm, PlainValidator(_die)]
Mark = Annotated[str, AfterValidator(_mark)]
Position = Annotated[list[Annotated[int, Field(ge=0, le=1000)]], AfterValidator(_position)]
Bearer = Annotated[str, AfterValidator(_word("unit", "character"))]
Until = Annotated[str, AfterValidator(_word("update", "cleared"))]
