"""Words for messages: suggestions, lists, numbers and chances."""

from collections.abc import Iterable
from fractions import Fraction

from rules.errors import nearest

AKIN = 0.7


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `, did you mean text?`, or "" if nothing is near."""
    near = nearest(name, known, likeness=AKIN)
    return f", did you mean {near}?" if near else ""


def sentence(words: str) -> str:
    """Return words with a full stop, unless they end in `?` or `.`."""
    return words if words.endswith(("?", ".")) else f"{words}."


def upper_first(name: str) -> str:
    """Capitalize a name's first letter."""
    return f"{name[:1].upper()}{name[1:]}"


def lower_first(label: str) -> str:
    """Return a label for mid-sentence; abbreviations stay."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def possessive(name: str) -> str:
    """Return `Zeon's` or `the rogues'`."""
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def list_known(known: Iterable[str]) -> str:
    """Return the names that could be typed, as ` (known: …)` behind an error."""
    return f" (known: {', '.join(known)})"


def join_words(names: Iterable[object]) -> str:
    """Join names as `a, b and c`."""
    *most, last = [str(name) for name in names]
    return f"{', '.join(most)} and {last}" if most else last


def span(low: int | None, high: int | None) -> str:
    """Return a range in words; None is open."""
    if low is None:
        return "any total" if high is None else f"{high} or less"
    if high is None:
        return f"{low} or more"
    if low == high:
        return str(low)
    return f"{low} to {high}" if low < 0 else f"{low}-{high}"


_FAR = 100_000  # beyond every total: such rows are for natural faces


def name_totals(low: int | None, high: int | None) -> str:
    """Return a row's totals in words; empty if only natural faces lead to it."""
    if (low or 0) >= _FAR or (high or 0) <= -_FAR:
        return ""
    return span(*(None if bound is None or abs(bound) >= _FAR else bound for bound in (low, high)))


def format_count(count: int, several: str) -> str:
    """Return a count with its noun; `several` is the plural: `1 unit`, `2 units`."""
    one = several[:-3] + "y" if several.endswith("ies") else several.removesuffix("s")
    return f"{count} {one if count == 1 else several}"


def format_signed(value: int) -> str:
    """Return a value with a true minus or plus."""
    return f"{value:+d}".replace("-", "\N{MINUS SIGN}") if value else "0"


def percent(chance: Fraction) -> str:
    """Return a percentage; only exact ones are 0% or 100%."""
    value = chance.numerator * 100 / chance.denominator
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    if text in {"0", "100"} and chance not in {0, 1}:
        return "<0.01%" if text == "0" else ">99.99%"
    return f"{text}%"
