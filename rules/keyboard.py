"""Typographic signs as a keyboard has them: what phones, word processors and other alphabets make of dashes, digits and quotes."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
}


STRAIGHT = str.maketrans({sign: quote for sign, quote in _QUOTES.items() if quote == '"'})
"""Curly double quotes as straight ones, for `str.translate`."""


def keyboard_signs(text: str) -> str:
    """Return a text with plain dashes, digits, quotes, spaces and full-width signs, each in the place of the one it replaces."""
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
