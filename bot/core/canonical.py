"""The canonical JSON text of a value (RFC 8785), which is hashed: equal values give equal bytes."""

from __future__ import annotations

from typing import Any

import rfc8785
from msgspec.json import Encoder

_MAX_INT = 2**53 - 1
_SURROGATES = "\ud800"
"""From here on, sorting by UTF-16 units, as RFC 8785 has it, differs from sorting by code points, as Python has it."""

# msgspec's encoder takes a fifteenth of the time, and agrees on everything that `_is_plain` lets through.
_encode = Encoder(order="sorted").encode


def canonical(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the canonical JSON text of a value."""
    if _is_plain(value):
        try:
            text = _encode(value).decode()
        except UnicodeEncodeError:  # a lone surrogate, of which the other says so
            text = _SURROGATES
        if text.isascii() or max(text) < _SURROGATES:
            return text
    return rfc8785.dumps(value).decode()


def _is_plain(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Return whether a value holds nothing but objects, arrays, strings, whole numbers within 2^53, true, false and null."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return abs(value) <= _MAX_INT  # type: ignore[no-any-return]
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not (type(item) is str or _is_plain(item)):
                return False
        return True
    if kind is list or kind is tuple:
        return all(type(item) is str or _is_plain(item) for item in value)
    return False
