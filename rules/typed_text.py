"""Typed text: unusual characters, and slips in dice rolls.

Anything misread would count as a label, and its dice wouldn't be rolled.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
}


STRAIGHT = str.maketrans({sign: quote for sign, quote in _QUOTES.items() if quote == '"'})
"""Curly double quotes as straight ones, for `str.translate`."""


def keyboard_signs(text: str) -> str:
    """Replace typographic characters, one for one."""
    return text if text.isascii() else "".join(map(_keyboard_sign, text))


@lru_cache(maxsize=4096)
def _keyboard_sign(sign: str) -> str:
    digit, category = unicodedata.decimal(sign, None), unicodedata.category(sign)
    if digit is not None:
        return str(digit)
    if category == "Pd" or sign == "\N{MINUS SIGN}":
        return "-"
    if category in {"Zs", "Cf"}:
        return " "  # also what has no width, such as a joiner between pasted words
    if unicodedata.decomposition(sign).startswith("<wide>"):
        return unicodedata.normalize("NFKC", sign)
    return _QUOTES.get(sign, sign)


_END = r"(?![^\W_])"
_NUMBER = rf"\s*(\d+){_END}"
_COUNT = rf"(?:{_NUMBER}|(?=\s*(?:$|[-+*<>=,])))"
"""A number, or nothing if no word follows: `best 3` and `best`, but not the label `best effort`."""
_HIGHER, _LOWER = "Advantage is written 2d20kh1.", "Disadvantage is written 2d20kl1."
_KEEP = "Keep or drop is written kh3, kl3, dh1 or dl1."
_TEST = "A target number is written >= 7."
_SIGN = "Write + - or *."
_TIMES = "Repeats are written 3x 2d6, a product 2d6*3."
_OTHERS = "ro|rr|mi|ma|cs|cf|df|sf|sa|sd"
"""Two letters that other programs write behind dice; labels may begin with others, such as `Mk2`."""

_BEHIND: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r"w(?=\d)", ("{before}d{after}",), "Dice are written 2d6."),
    (rf"k(\d*){_END}", ("{before}kh{1}{after}",), _KEEP),
    (rf"([hl])(\d*){_END}", ("{before}k{1}{2}{after}",), _KEEP),
    (rf"(?:(?:keep|take)\s+)?(?:the\s+)?(?:highest|high|best|top){_END}{_COUNT}", ("{before}kh{1}{after}",), _KEEP),
    (rf"(?:(?:keep|take)\s+)?(?:the\s+)?(?:lowest|low|worst){_END}{_COUNT}", ("{before}kl{1}{after}",), _KEEP),
    (rf"(?:keep|take){_NUMBER}", ("{before}kh{1}{after}",), _KEEP),
    (rf"drop\s+(?:the\s+)?(?:highest|high|best){_END}{_COUNT}", ("{before}dh{1}{after}",), _KEEP),
    (rf"drop(?:\s+(?:the\s+)?(?:lowest|low|worst))?{_END}{_COUNT}", ("{before}dl{1}{after}",), _KEEP),
    (r"k[^\W\d_hl]\d|d[^\W\d_hl]\d", (), _KEEP),
    (rf"[x\u00d7]{_NUMBER}", ("{1}x {before}", "{whole}*{1}"), _TIMES),
    (rf"t{_NUMBER}", ("{before} >= {1}{after}",), _TEST),
    (rf"(?:vs\.?|versus|against|dc|tn|ac)(?:\s*(?:dc|tn|ac))?{_NUMBER}", ("{total} >= {1}{after}",), _TEST),
    (rf"(?:at\s+least|min){_NUMBER}", ("{total} >= {1}{after}", "{before} >= {1}{after}"), _TEST),
    (rf"(?:at\s+most|max){_NUMBER}", ("{total} <= {1}{after}", "{before} <= {1}{after}"), _TEST),
    (rf"(?:over|above){_NUMBER}", ("{total} > {1}{after}", "{before} > {1}{after}"), _TEST),
    (rf"(?:under|below){_NUMBER}", ("{total} < {1}{after}", "{before} < {1}{after}"), _TEST),
    (r"(?:plus|and|add)\s*(?=\(?\s*d?\d)", ("{before}+{after}",), _SIGN),
    (r"(?:minus|less)\s*(?=\(?\s*d?\d)", ("{before}-{after}",), _SIGN),
    (r"times\s*(?=\(?\s*d?\d)", ("{before}*{after}",), _SIGN),
    (rf"(?:(?:with|at)\s+)?adv(?:antage)?{_END}", (), _HIGHER),
    (rf"(?:(?:with|at)\s+)?dis(?:adv(?:antage)?)?{_END}", (), _LOWER),
    (r"[/\u00f7]", (), "You can't divide here."),
    (r"rr?o?\s*[<>=]*\s*\d|re-?roll", (), "You can't reroll. Use ! to explode, kh1 to keep."),
    (rf"ex?\d+{_END}|explod", (), "! explodes, as in 5d6!."),
    (rf"(?!d\d)(?:[^\W\d_]|{_OTHERS})\d+{_END}", (), "A label starts with a word."),
)
"""What can follow dice where reading stops: the right spellings, or why not."""

_WITHIN = re.compile(
    rf"(?P<part>(?<!\S)(?:[-+*/\u00d7\u00f7=]|[<>]=?|[\u2264\u2265])\s*(?:\d*d)?(?:\d+|(?<=d)%)(?:[kd][hl]\d*)?{_END})"
    rf"|(?P<dice>(?<!\w)\d*d(?:\d+|%){_END}|(?<!\S)x\s*\d+{_END})"
    rf"|(?P<lower>(?<!\S)(?:(?:with|at)\s+dis(?:adv(?:antage)?)?|disadv){_END})"
    rf"|(?P<higher>(?<!\S)(?:(?:with|at)\s+adv(?:antage)?|adv){_END})",
    re.IGNORECASE,
)
"""What can't be in a label, outside brackets: a sign with a number, dice, or advantage."""
_DICE = re.compile(r"(?!1d)\d+d\w+!?", re.IGNORECASE)
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), meant, why) for pattern, meant, why in _BEHIND]


class Slip(Struct, frozen=True):
    """A misspelled part of a roll at `place` (from 0), and rolls that may be meant."""

    place: int
    what: str
    why: str
    meant: Sequence[str] = ()


def slip_at(text: str, place: int) -> Slip | None:
    """Return the slip where reading stops, if any."""
    for pattern, meant, why in _PATTERNS:
        if found := pattern.match(text, place):
            before = text[:place].rstrip()
            whole = before if before.isalnum() else f"({before})"
            # Behind several dice and nothing else, a comparison would count faces.
            total = f"({before})" if _DICE.fullmatch(before) else before
            after = re.sub(r"^\s*[,;:.]\s*", " ", text[found.end() :])
            parts = {"before": before, "whole": whole, "total": total, "after": after}
            words = ["", *((group or "").lower() for group in found.groups())]
            rolls = dict.fromkeys(form.format(*words, **parts).strip() for form in meant)
            return Slip(place, f"Unknown: {found[0].strip()!r}.", why, [*rolls])
    return None


def slip_in(text: str, place: int) -> Slip | None:
    """Return the part of a roll inside a label, outside brackets."""
    label = re.sub(r"\([^()]*\)", _blank, text[place:])
    found = _WITHIN.search(label)
    if found is None:
        return None
    if found["lower"] or found["higher"]:
        return Slip(place + found.start(), f"Unknown: {found[0]!r}.", _LOWER if found["lower"] else _HIGHER)
    moved = [item[0] for item in _WITHIN.finditer(label) if item["part"]]
    rest = " ".join(_WITHIN.sub("", text[place:]).split())
    meant = [f"{text[:place].rstrip()} {' '.join(moved)} {rest}"] if found["part"] else []
    what = f"A label ends the roll, so {found[0]!r} wouldn't count."
    return Slip(place + found.start(), what, "Write all of the roll before the label.", meant)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
