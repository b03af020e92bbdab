"""The ends of sentences about unknown names, spans of totals in words, and numbers and chances as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rules.errors import nearest

AKIN = 0.7
"""How alike a name has to be to be taken for the one that was meant."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: `, did you mean text?`, or nothing when nothing is near."""
    near = nearest(name, known, likeness=AKIN)
    return f", did you mean {near}?" if near else ""


def sentence(words: str) -> str:
    """Return words as a sentence: with a stop behind them, unless they have one or ask something."""
    return words if words.endswith(("?", ".")) else f"{words}."


def starting(name: str) -> str:
    """Return a name as a sentence begins with it."""
    return f"{name[:1].upper()}{name[1:]}"


def inside(label: str) -> str:
    """Return a label as it stands inside a sentence: with a small letter, unless its first word is an abbreviation."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def possessive(name: str) -> str:
    """Return what says that something is somebody's: `Zeon's`, `the rogues'`."""
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def known_list(known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name of which there are only a few."""
    return f" (known: {', '.join(known)})"


def join_words(names: Iterable[object]) -> str:
    """Return names in a row, such as `a, b and c`."""
    *most, last = [str(name) for name in names]
    return f"{', '.join(most)} and {last}" if most else last


def span(low: int | None, high: int | None) -> str:
    """Return the totals from `low` to `high` in words; None is an open end."""
    if low is None:
        return "any total" if high is None else f"{high} or less"
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low}-{high}"


def counted(count: int, several: str) -> str:
    """Return how many of something there are; of one of what is named in the plural, such as `Actions`, without its last letter."""
    one = several[:-3] + "y" if several.endswith("ies") else several.removesuffix("s")
    return f"{count} {one if count == 1 else several}"


def signed(value: int) -> str:
    """Return a value with its sign (a true minus), zero without."""
    return f"{value:+d}".replace("-", "\N{MINUS SIGN}") if value else "0"


def percent(chance: Fraction) -> str:
    """Return a chance in percent, with as many decimals as it needs up to two; never 0 or 100 unless it is exact."""
    value = float(chance * 100)
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    if text in {"0", "100"} and chance not in {0, 1}:
        return "<0.01%" if text == "0" else ">99.99%"
    return f"{text}%"
