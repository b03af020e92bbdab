"""Deeds: what the rows of a book can do, declared by the book as data."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rules.ends import End

Calls = Literal["battle", "write-up"]


class Deed(Struct, frozen=True):
    """Something that rows can do, told in a sentence with `{to}` and `{amount}`; `bare` is the one for no amount.

    It `calls` for something to be written. Tables of `house` rules may do it, `alone` to nobody; it needs an amount, up to
    `most`, where that is given. It lasts as the effect of a trait until its `end`, which keeps the `other` one in the roll
    (its number), and `ends` other effects; what more it changes is for a function of its book.
    """

    id: str
    text: str
    line: int
    bare: str | None = None
    calls: Calls | None = None
    house: bool = True
    alone: bool = False
    most: int | None = None
    effect: str | None = None
    end: End = End()
    ends: tuple[str, ...] = ()
    other: bool = False

    def sentence(self, amount: int | None) -> str:
        """Return what it does by an amount; `{to}` stands for whom it befalls."""
        told = self.bare if amount is None and self.bare is not None else self.text
        return told.replace("{amount}", str(amount))
