"""Subjects: who or what a campaign keeps something of, by a number; and names as people type them.

A name is shown as it was typed, but for what can't be seen. Only comparing folds it: by case, by what Unicode calls
compatible (full width, bold), and by letters that look alike, such as a Latin and a Cyrillic o. What is typed in plain
ASCII stays apart: `Zaku II` is not `Zaku 11`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from unicodedata import bidirectional, category, combining, normalize

MAX_KEY = 180
"""Characters of a folded name, which leaves room for a prefix in a column of 200; of longer ones the end is replaced by a hash."""

MAX_NAME = 60
"""Characters of a name."""

_SPACES = re.compile(r"\s+")
_NUMBERED = re.compile(r" #[0-9]{1,9}$")
"""How what is typed ends that says which one of several of a name is meant."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Signs that count as letters or marks, and show nothing."""
_MODIFIERS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0))))
"""Variation selectors: how the sign before them is drawn."""
_TAGS, _FLAG = frozenset(map(chr, range(0xE0020, 0xE0080))), "\N{WAVING BLACK FLAG}"
_NON_JOINER, _JOINER, _KEYCAP = "\N{ZERO WIDTH NON-JOINER}", "\N{ZERO WIDTH JOINER}", "\N{COMBINING ENCLOSING KEYCAP}"
_VIRAMA = 9
"""The combining class of signs behind which a joiner changes how Indic letters are drawn."""


def strip_unseen(text: str) -> str:
    """Return a text in its composed form (NFC), without what nobody sees and what turns its direction.

    Joiners and variation selectors stay where they shape an emoji or a letter. White space is one space.
    """
    composed = normalize("NFC", _SPACES.sub(" ", text)).strip()
    if composed.isascii() and composed.isprintable():
        return composed
    kept = ""
    for place, sign in enumerate(composed):
        if not _is_unseen(sign) or _shapes(sign, kept[-1:], composed[place + 1 : place + 2]):
            kept += sign
    return normalize("NFC", _SPACES.sub(" ", kept).strip())


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """Return a name as names are compared: case, white space, what can't be seen and letters that look alike make no difference."""
    plain = _SPACES.sub(" ", name).strip()
    if not (plain.isascii() and plain.isprintable()):
        spread = normalize("NFKD", normalize("NFKD", plain).casefold())
        bare = "".join(sign for sign in spread if not _is_unseen(sign))
        plain = _SPACES.sub(" ", bare.translate(_look_alikes())).strip()
    key = plain.casefold()
    return (
        key if len(key) <= MAX_KEY else f"{key[: MAX_KEY - 32]}{sha256(key.encode(errors='replace')).hexdigest()[:32]}"
    )


def unfit(name: str) -> str | None:
    """Return why nobody can be called so, as the end of a sentence: it could not be typed; None where it could."""
    if not name or name != strip_unseen(name):
        return "it has invisible characters"
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters, and a name at most {MAX_NAME}"
    if "," in name:
        return "commas separate names"
    if _NUMBERED.search(name):
        return "# and a number pick one of several with the same name"
    return None


def _is_unseen(sign: str) -> bool:
    return category(sign) in {"Cc", "Cf"} or sign in _BLANK or sign in _MODIFIERS


def _shapes(sign: str, before: str, after: str) -> bool:
    """Tell whether an unseen sign changes how its neighbours are drawn."""
    if not before:
        return False
    if sign in _MODIFIERS:
        return category(before) in {"So", "Sm", "Po", "Lo"} or after == _KEYCAP
    if sign in _TAGS:
        return before == _FLAG or before in _TAGS
    if sign not in {_JOINER, _NON_JOINER} or not after:
        return False
    of_emoji = (category(before) in {"So", "Sk"} or before in _MODIFIERS) and category(after) == "So"
    of_arabic = bidirectional(before) == bidirectional(after) == "AL"
    return combining(before) == _VIRAMA or (of_emoji if sign == _JOINER else of_arabic)


@cache
def _look_alikes() -> dict[int, str]:
    """Return for each letter that looks like others the one sign, or the signs, that stand for them all.

    Unicode tells pairs; several together are one group, which also holds the capital or small form of each. No group has
    two ASCII letters: a pair that would join such groups is left out, small letters going before capitals.
    """
    groups: dict[str, list[str]] = {}
    expansions: dict[int, str] = {}
    spelled_out: dict[str, str] = {}
    for one, other in _pairs():
        if len(one) == 1 == len(other):
            _join(groups, one, other)
        elif len(one) == 1 and one.isascii():
            spelled_out[other] = one  # as rn looks like m
        elif len(one) == 1:
            expansions.setdefault(ord(one), other)
    single = {ord(sign): min(group) for sign, group in groups.items() if not sign.isascii()}
    expanded = {sign: spelled_out.get(signs, signs.translate(single)) for sign, signs in expansions.items()}
    return {**expanded, **single}


def _pairs() -> Iterator[tuple[str, str]]:
    """Yield letters with what they look like, in the order in which they count."""
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415 - 50 ms, for names beyond ASCII only

    told: list[tuple[str, str]] = [
        (sign, str(item["c"]).strip("\u200e")) for sign, items in confusables_data.items() for item in items
    ]
    letters = {sign for pair in told for sign in pair if len(sign) == 1}
    yield from ((sign, sign.casefold()) for sign in sorted(letters) if sign.casefold() != sign)
    yield from sorted(told, key=lambda pair: (_is_capital(pair), pair))


def _is_capital(signs: Iterable[str]) -> bool:
    return any(sign.casefold() != sign for sign in signs)


def _join(groups: dict[str, list[str]], one: str, other: str) -> None:
    """Make one group of those of two signs, unless each has an ASCII letter of its own, or one is a mark on others."""
    mine, theirs = groups.setdefault(one, [one]), groups.setdefault(other, [other])
    letters = {sign.casefold() for sign in (*mine, *theirs) if sign.isascii()}
    if mine is theirs or len(letters) > 1 or bool(combining(one)) != bool(combining(other)):
        return
    mine += theirs
    for sign in theirs:
        groups[sign] = mine


NAME, PROFILE, GROUP = "name", "profile", "group"
"""The names of the values that say what a subject is called, and what it is: a saved unit or character, or a group; mappings of fields."""

KEPT = ("name", "kind", "side", "owner", "region", "squad", "secret", "traits")
"""What is kept of every saved unit or character, whatever book is played; beside it stand the fields of books."""

_KEY = "subject:"

REFERENCES = frozenset({"id", "by", "at", "squad", "members"})
"""The fields of values that refer to a subject by its number, or to several by a list of theirs."""


def names_of(subject_names: str) -> tuple[str, ...]:
    """Return the names of those who share a role, such as several interrogators; a name itself has no comma."""
    return tuple(subject_names.split(", "))


def subject_key(number: int) -> str:
    """Return the key under which the state keeps what is true of the subject of this number."""
    return f"{_KEY}{number}"


def subject_number(key: str) -> int | None:
    """Return the number in the key of a subject; None for the key of anything else."""
    return int(key.removeprefix(_KEY)) if key.startswith(_KEY) else None


def number_of(key: str) -> int:
    """Return the number in the key of a subject."""
    number = subject_number(key)
    if number is None:
        raise ValueError(key)
    return number
