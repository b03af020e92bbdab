"""The ends of sentences about unknown names, and spans of totals in words."""

from __future__ import annotations

from collections.abc import Iterable

from rules.errors import nearest

AKIN = 0.7
"""How alike a name has to be to be taken for the one that was meant."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: `, did you mean text?`, or nothing when nothing is near."""
    near = nearest(name, known, likeness=AKIN)
    return f", did you mean {near}?" if near else ""


def known_list(known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name of which there are only a few."""
    return f" (known: {', '.join(known)})"


def span(low: int | None, high: int | None) -> str:
    """Return the totals from `low` to `high` in words; None is an open end."""
    if low is None:
        return "any total" if high is None else f"{high} or less"
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low}-{high}"


def counted(count: int, several: str) -> str:
    """Return how many of something there are; of one of what is named in the plural, such as `Actions`, without its last letter."""
    return f"{count} {several[:-1] if count == 1 and several.endswith('s') else several}"
