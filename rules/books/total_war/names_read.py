"""Names and numbers in what people type about a war."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from rules.books.total_war.order_kinds import bare
from rules.books.total_war.refusal import Refused
from rules.phrases import known_list, sentence, suggestion
from rules.subjects import name_key

NUMBER = re.compile(r"(?:x\s*)?([0-9]{1,4})(?:\s*x)?", re.IGNORECASE)
_AT_START, _AT_END = (
    re.compile(rf"{NUMBER.pattern}\s+(.*)", re.IGNORECASE),
    re.compile(rf"(.*?)\s+{NUMBER.pattern}", re.IGNORECASE),
)


def is_said(text: str | None) -> bool:
    """Return whether anything is written."""
    return text is not None and bool(text.strip())


def required(text: str | None, what: str) -> str:
    """Return what is written.

    Raises:
        Refused: E_NO_TARGET, it is nothing; it says what belongs there.

    """
    if text is None or not text.strip():
        raise Refused("E_NO_TARGET", f"Say {what}.")
    return text.strip()


def one_of(names: Iterable[str], text: str | None, what: str, labels: Mapping[str, str] | None = None) -> str:
    """Return the name that is meant, however it is spelt in small letters and capitals; an item also goes by its label."""
    known = [*names]
    told = [(labels or {}).get(name, name) for name in known]
    written = required(text, f"{what}{known_list(told)}" if known else what)
    found = named(known, written, labels) or named(known, bare(written), labels)
    if found is None:
        near = suggestion(written, told) or known_list(told)
        raise Refused("E_NO_TARGET", sentence(f"{written!r} is not {what}{near}"))
    return found


def named(names: Collection[str], written: str, labels: Mapping[str, str] | None = None) -> str | None:
    """Return the name that is written, in small letters or capitals, or by its label; None where there is none."""
    keys = {name_key((labels or {}).get(name, name)): name for name in names} | {name_key(name): name for name in names}
    return written if written in names else keys.get(name_key(written))


def counted(
    names: Iterable[str], text: str | None, what: str, labels: Mapping[str, str] | None = None
) -> tuple[str, int]:
    """Return the name that is meant and how many: `gm 3`, `3 gm`, `3x gm`, or one."""
    known = [*names]
    told = known_list((labels or {}).get(name, name) for name in known)
    written = bare(required(text, f"{what} and how many{told}"))
    before, behind = _AT_START.fullmatch(written), _AT_END.fullmatch(written)
    if named(known, written, labels) is None and before is not None:
        return one_of(known, before[2], what, labels), int(before[1])
    if named(known, written, labels) is None and behind is not None:
        return one_of(known, behind[1], what, labels), int(behind[2])
    return one_of(known, written, what, labels), 1
