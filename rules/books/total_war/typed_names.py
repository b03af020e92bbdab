"""Names and numbers in what people type about a war."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from rules.books.total_war.order_kinds import bare
from rules.books.total_war.terms import Missing, Refused, off_map
from rules.geometry import Hex
from rules.phrases import known_list, sentence, suggestion
from rules.subjects import name_key

# \u2212 is the minus sign, by its number: its name would be looked up at each start.
NUMBER = re.compile(r"(?:x\s*)?([+\-\u2212]?[0-9]+)(?:\s*x)?", re.IGNORECASE)
MOST = 9999
"""The most of anything that is ordered at once."""
_DIGITS, _SHOWN = 6, 60
_AT_START, _AT_END = (
    re.compile(rf"{NUMBER.pattern}\s+(.*)", re.IGNORECASE),
    re.compile(rf"(.*?)\s+{NUMBER.pattern}", re.IGNORECASE),
)


def is_said(text: str | None) -> bool:
    """Return whether anything is written."""
    return text is not None and bool(text.strip())


def required(text: str | None, what: str) -> str:
    """Return what is written."""
    if text is None or not text.strip():
        raise Missing("E_NO_TARGET", f"Say {what}.")
    return text.strip()


def one_of(
    names: Iterable[str],
    text: str | None,
    what: str,
    labels: Mapping[str, str] | None = None,
    offered: Collection[str] | None = None,
) -> str:
    """Return the name that is meant, however it is spelt in small letters and capitals; an item also goes by its label. Where it is none, those `offered` are told."""
    known = [*names]
    told = [(labels or {}).get(name, name) for name in (known if offered is None else offered)]
    written = required(text, f"{what}{known_list(told)}" if told else what)
    found = named(known, written, labels) or named(known, bare(written), labels)
    if found is None:
        near = suggestion(written, told) or (known_list(told) if told else "")
        raise Refused("E_NO_TARGET", sentence(f"{written[:_SHOWN]!r} isn't {what}{near}"))
    return found


def named(names: Collection[str], written: str, labels: Mapping[str, str] | None = None) -> str | None:
    """Return the name that is written, in small letters or capitals, or by its label; None where there is none."""
    if written in names:
        return written
    keys = {name_key((labels or {}).get(name, name)): name for name in names} | {name_key(name): name for name in names}
    return keys.get(name_key(written))


def parse_count(written: str, what: str) -> int:
    """Return how many of something are written."""
    digits = written.replace("\N{MINUS SIGN}", "-")
    number = int(digits) if len(digits) <= _DIGITS else 0
    if not 1 <= number <= MOST:
        raise Refused("E_NO_TARGET", f"{written[:_SHOWN]} of {what} won't work: order 1 to {MOST} at once.")
    return number


def named_count(
    names: Iterable[str],
    text: str | None,
    what: str,
    labels: Mapping[str, str] | None = None,
    offered: Collection[str] | None = None,
) -> tuple[str, int]:
    """Return the name that is meant and how many: `gm 3`, `3 gm`, `3x gm`, or one; where it is none of the names, those `offered` are told."""
    known = [*names]
    told = known_list((labels or {}).get(name, name) for name in (known if offered is None else offered))
    written = bare(required(text, f"{what} and how many{told}"))
    before, behind = _AT_START.fullmatch(written), _AT_END.fullmatch(written)
    if named(known, written, labels) is None and before is not None:
        return _so_many(one_of(known, before[2], what, labels, offered), before[1], labels)
    if named(known, written, labels) is None and behind is not None:
        return _so_many(one_of(known, behind[1], what, labels, offered), behind[2], labels)
    return one_of(known, written, what, labels, offered), 1


def _so_many(name: str, number: str, labels: Mapping[str, str] | None) -> tuple[str, int]:
    return name, parse_count(number, (labels or {}).get(name, name))


def parse_panel(panels: Collection[Hex], text: str) -> Hex:
    """Return the panel that is written, one of the map."""
    try:
        found = Hex.parse(text)
    except ValueError as error:
        raise Refused(
            "E_NO_TARGET", f"{text.strip()!r} isn't a panel. Write two whole numbers, such as 4,-1."
        ) from error
    if found not in panels:
        raise off_map(panels, found)
    return found
