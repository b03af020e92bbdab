"""Declared facts, what is known of them in a situation, and the tests that modifiers make on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

JsonObject = Mapping[str, Any]
"""An object as JSON has it: numbers, words, lists and further objects by their names."""

When = tuple[tuple[str, ...], ...]
"""Any of the inner lists, all of its facts; a leading `!` negates."""


class Fact(Struct, frozen=True):
    """Something that can be true of one role of a roll, such as `target.newtype`.

    `trait` is what a saved unit or an effect carries; the same trait serves under every role that declares it.
    """

    role: str
    trait: str
    label: str
    secret: bool

    @property
    def id(self) -> str:
        """Role and trait: `target.newtype`."""
        return f"{self.role}.{self.trait}"


class Origin(Struct, frozen=True):
    """Where a fact was learnt: `kind` is one word for the machine, `label` is for people, `entry` is the ledger's that tells it."""

    kind: str
    label: str
    entry: int | None = None


class Known(Struct, frozen=True):
    """A fact that holds in a situation, how often (1 unless it is counted; of a saved number, that), and from where it is known.

    It is `secret` when players may not know that it holds, although it is of a kind that they may. With a count of 0 it does
    not hold, and players may not know that.
    """

    count: int
    origin: Origin
    secret: bool = False


Facts = Mapping[str, Known]
SELF = "self"
"""Who bears what is told of nobody in particular: it counts in whichever role somebody stands."""


def matching_facts(when: When, facts: Facts) -> tuple[str, ...] | None:
    """Return the facts that make `when` true (its first inner list that holds, without negations), or None."""
    for clause in when:
        for literal in clause:
            if (literal[1:] in facts) if literal[0] == "!" else (literal not in facts):
                break
        else:
            return tuple([literal for literal in clause if literal[0] != "!"])
    return None


def mentioned_facts(when: When) -> Iterator[str]:
    """Yield every fact id that `when` speaks of, negated or not."""
    for clause in when:
        for literal in clause:
            yield literal.removeprefix("!")


def worn(name: str, role: str) -> str:
    """Return the name of a fact, or one with `!` before it, with a role in the place of `self`."""
    bare = name.removeprefix("!")
    who, _, rest = bare.partition(".")
    return name if who != SELF else f"{name[: len(name) - len(bare)]}{role}.{rest}"
