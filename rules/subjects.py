"""Subjects, their names as people type them, and the fields that books keep of them.

A name is shown as typed, without invisible characters. Only comparing folds it: case, what Unicode calls compatible
(full width, bold), and letters that look alike, such as a Latin and a Cyrillic o. Plain ASCII stays apart: `Zaku II`
isn't `Zaku 11`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache, lru_cache
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal
from unicodedata import bidirectional, category, combining, normalize

from msgspec import field

from rules import errors, typed_text
from rules.kinds import Bearers, FieldName, Line, Name, RuleItem, Text, Whole, word_of

MAX_KEY = 180
"""Characters of a folded name, with room for a prefix in a column of 200; a hash replaces the rest."""
MAX_NAME = 60
_SPACES = re.compile(r"\s+")
_NUMBERED = re.compile(r" #[0-9]{1,9}$")
"""The end of a typed name that picks one of several with the same name."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that count as letters or marks, and show nothing."""
_MODIFIERS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0))))
"""Variation selectors: how the character before is drawn."""
_TAGS, _FLAG = frozenset(map(chr, range(0xE0020, 0xE0080))), "\N{WAVING BLACK FLAG}"
_NON_JOINER, _JOINER, _KEYCAP = "\N{ZERO WIDTH NON-JOINER}", "\N{ZERO WIDTH JOINER}", "\N{COMBINING ENCLOSING KEYCAP}"
_VIRAMA = 9
"""The combining class after which a joiner changes how Indic letters are drawn."""


def strip_unseen(text: str) -> str:
    """Return a text without invisible characters, except those that shape emoji or letters."""
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
    """Fold a name for comparing."""
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
    """Return why a name is bad, or None."""
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
    groups: dict[str, list[str]] = {}
    expansions: dict[int, str] = {}
    spelled_out: dict[str, str] = {}
    for one, other in _list_pairs():
        if len(one) == 1 == len(other):
            _join(groups, one, other)
        elif len(one) == 1 and one.isascii():
            spelled_out[other] = one  # as rn looks like m
        elif len(one) == 1:
            expansions.setdefault(ord(one), other)
    single = {ord(sign): min(group) for sign, group in groups.items() if not sign.isascii()}
    expanded = {sign: spelled_out.get(signs, signs.translate(single)) for sign, signs in expansions.items()}
    return {**expanded, **single}


def _list_pairs() -> Iterator[tuple[str, str]]:
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415 - 50 ms, for names beyond ASCII only

    pairs: list[tuple[str, str]] = [
        (sign, str(item["c"]).strip("\u200e")) for sign, items in confusables_data.items() for item in items
    ]
    letters = {sign for pair in pairs for sign in pair if len(sign) == 1}
    yield from ((sign, sign.casefold()) for sign in sorted(letters) if sign.casefold() != sign)
    # Small letters first.
    yield from sorted(pairs, key=lambda pair: (any(sign.casefold() != sign for sign in pair), pair))


def _join(groups: dict[str, list[str]], one: str, other: str) -> None:
    mine, theirs = groups.setdefault(one, [one]), groups.setdefault(other, [other])
    letters = {sign.casefold() for sign in (*mine, *theirs) if sign.isascii()}
    if mine is theirs or len(letters) > 1 or bool(combining(one)) != bool(combining(other)):
        return
    mine += theirs
    for sign in theirs:
        groups[sign] = mine


NAME, PROFILE, GROUP = "name", "profile", "group"
"""Names of values: a subject's name, its fields as unit or character, or those as group."""
KEPT = ("name", "kind", "side", "owner", "region", "squad", "secret", "traits")
"""What is kept of every saved unit or character; books add fields."""
_KEY = "subject:"
CHARACTER_KINDS = ("pc", "npc")
THINGS = ("place", "thing")
REFERENCES = frozenset({"id", "by", "at", "squad", "members"})
"""Fields of values that refer to subjects by number."""


def find_bearer(kind: str) -> str:
    """Return what a kind counts as for `Trait.on`: character, unit, place or thing."""
    return "character" if kind in CHARACTER_KINDS else kind if kind in THINGS else "unit"


def names_of(subject_names: str) -> tuple[str, ...]:
    """Split names that share a role."""
    return tuple(subject_names.split(", "))


def subject_key(number: int) -> str:
    """Return a subject's key by number."""
    return f"{_KEY}{number}"


def subject_number(key: str) -> int | None:
    """Return the number in a subject's key; None for other keys."""
    return int(key.removeprefix(_KEY)) if key.startswith(_KEY) else None


def number_of(key: str) -> int:
    """Return the number in a subject's key; raise ValueError for other keys."""
    number = subject_number(key)
    if number is None:
        raise ValueError(key)
    return number


_FieldKind = Literal["number", "one-of", "list", "text"]
FieldValue = int | str | list[str]
MAX_WORDS = 25
ROLLED_FROM = "_from"
"""Suffix of the name that keeps the entry that rolled a field."""
_WHOLE = re.compile(r"([+-]?[0-9]{1,7})(?:\.0+)?")
"""A whole number, also as spreadsheets write it: 7.0."""


class BadValue(ValueError):
    """A bad value of a field; the message says why."""


class Field(RuleItem, frozen=True):
    """Something kept of the types in `on`: the fact `role.<id>`.

    `zero` is the word for 0, a fact where `min` is 0. Words are from `options`, if given, and facts `role.<id>.<word>`. A number that `gives`
    traits is those instead. A list of saved things has their fields; `names` "unit" makes its words units. Players edit
    their `own`, and see others' `closed` ones only if the campaign shows levels.
    """

    noun = "field"
    examples: ClassVar[Mapping[str, str]] = {
        "on": 'on = ["character", "thing"]',
        "takes": 'takes = "number", "one-of", "list" or "text"',
        "options": 'options = ["Novice", "Master"]',
    }

    id: FieldName
    label: Text
    on: Bearers
    takes: _FieldKind
    line: Line
    min: Whole | None = None
    max: Whole | None = None
    options: tuple[Text, ...] = ()
    zero: Text | None = None
    gives: Mapping[Name, Whole] = field(default_factory=dict)
    own: bool = False
    closed: bool = False
    names: Annotated[Literal["unit"], word_of("unit", "character", "place", "thing")] | None = None

    def read(self, text: str | None) -> FieldValue | None:
        """Read a value as people type it (None stays None); raise BadValue."""
        if text is None:
            return None
        if self.takes == "number":
            typed = _WHOLE.fullmatch(typed_text.keyboard_signs(text))
            number = int(typed[1]) if typed else None
            if number is None or not (self.min or 0) <= number <= (self.max or 0):
                hint = f"write a whole number from {self.min} to {self.max}, or nothing."
                raise BadValue(f"{text[:40]!r} isn't a valid {self.label}: {hint}")
            return number
        if self.takes != "list":
            return self._word(text)
        words = [self._word(word.strip()) for word in re.split("[,;]", text) if word.strip()]
        if len(words) > MAX_WORDS:
            raise BadValue(f"{self.label} takes {MAX_WORDS} words, not {len(words)}.")
        return words

    def format(self, value: FieldValue) -> str:
        """Return a value as people type it."""
        return ", ".join(value) if isinstance(value, list) else str(value)

    def describe(self, value: FieldValue) -> str:
        """Return a value with its label."""
        return self.zero if value == 0 and self.zero else f"{self.label} {self.format(value)}"

    def facts(self, value: FieldValue) -> dict[str, int]:
        """Return the traits that a value gives its bearer, with their counts."""
        if isinstance(value, int):
            given = {trait: 1 for trait, least in self.gives.items() if value >= least}
            return given if self.gives else {self.id: value} if value or self.min == 0 else {}
        words = value if isinstance(value, list) else [value] if self.options else []
        return {self.id: 1} | {f"{self.id}.{word_id(word)}": 1 for word in words}

    def require_beside(self, fields: Mapping[str, object]) -> None:
        """Refuse a value that doesn't fit the other fields; raise BadValue."""

    def _word(self, text: str) -> str:
        meant = next((option for option in self.options if word_id(option) == word_id(text)), None)
        if self.options and meant is None:
            close = errors.nearest(text, self.options)
            hint = f"Did you mean {close}?" if close else f"Pick one: {', '.join(self.options)}."
            raise BadValue(f"{text[:40]!r} isn't a valid {self.label}. {hint}")
        return meant or text


class CheckedField(Field, frozen=True):
    """A field whose book checks words (`check`) and combinations (`beside`)."""

    check: Callable[[str], object] = str.strip
    beside: Callable[[Mapping[str, Any]], object] = len

    def require_beside(self, fields: Mapping[str, object]) -> None:
        """Raise BadValue if the book refuses these fields together."""
        try:
            self.beside(fields)
        except errors.RollError as error:
            raise BadValue(str(error)) from error

    def _word(self, text: str) -> str:
        try:
            self.check(text)
        except errors.RollError as error:
            raise BadValue(str(error)) from error
        return super()._word(text)


Fields = Mapping[str, Field]


def word_id(text: str) -> str:
    """Return a word as facts spell it, with hyphens."""
    return "-".join(re.findall("[a-z0-9]+", text.casefold()))


MIN_NAME, LIKE_NAME, LIKE_WORD = 4, 0.8, 0.7
"""Letters a name needs to be a slip, and how similar it and each word must be."""

_COUNTED = re.compile(r"[0-9]+|\b[ivx]+\b")
"""What keeps units apart: Zaku 1 isn't a slip for Zaku 2, nor Dom II for Dom III."""


class KnownNames:
    """A campaign's names at its entry `seen`, and perhaps others. Later ones are in later entries, of any process."""

    def __init__(self, keys: Iterable[str], seen: tuple[int, str] = (0, "")) -> None:
        self.seen, self.began = seen, seen[0]
        self._by_counts: dict[tuple[str, ...], dict[str, int]] = {}
        self.add(keys)

    def add(self, keys: Iterable[str]) -> None:
        """Add names, as keys."""
        for key in keys:
            self._by_counts.setdefault(_find_counts(key), {})[key] = _mark_letters(key)

    def find_likely(self, name: str) -> list[str]:
        """Return names that are alike."""
        if len(name) < MIN_NAME:
            return []
        mine, matcher, likely = _mark_letters(name), SequenceMatcher(b=name), []
        for other, its in tuple(self._by_counts.get(_find_counts(name), {}).items()):
            if (mine ^ its).bit_count() <= (1 - LIKE_WORD) * (len(name) + len(other)):
                matcher.set_seq1(other)
                if matcher.quick_ratio() >= LIKE_WORD:
                    likely.append(other)
        return likely


def _find_counts(key: str) -> tuple[str, ...]:
    return tuple(_COUNTED.findall(key))


def _mark_letters(key: str) -> int:
    letters = 0
    for letter in key:
        letters |= 1 << ord(letter) % 64
    return letters


def find_near_key(name: str, known: Collection[str]) -> str | None:
    """Return the known key that this is a slip of, or None."""
    if len(name) < MIN_NAME:
        return None
    alike = [other for other in known if _COUNTED.findall(other) == _COUNTED.findall(name)]
    close = errors.nearest(name, alike, likeness=LIKE_NAME)
    if close is None:
        return None
    words, others = name.split(), close.split()
    pairs = zip(words, others, strict=True) if len(words) == len(others) else [(name, close)]
    return close if all(SequenceMatcher(None, *pair).ratio() >= LIKE_WORD for pair in pairs) else None
