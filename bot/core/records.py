"""The ledger's stored records, as canonical JSON (RFC 8785) or compressed text.

Bodies contain marks for people's names, which are separate, erasable texts.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

import msgspec
import rfc8785
from isal import isal_zlib
from msgspec import Struct, field
from msgspec.json import Encoder

Json = Any
_MAX_INT = 2**53 - 1
_BEYOND = bytes(range(0xEE, 0xF5))
"""First bytes of characters from U+E000 on, which RFC 8785 sorts by UTF-16 units, and Python by code points."""

# msgspec's encoder takes a fifteenth of the time, and agrees on everything that `_is_plain` lets through.
_encode = Encoder(order="sorted").encode


def encode_canonical(value: Json) -> str:
    """Return a value as canonical JSON."""
    if _is_plain(value):
        try:
            content = _encode(value)
        except UnicodeEncodeError:  # a lone surrogate, of which the other says so
            content = _BEYOND
        if _sorts_alike(content):
            return content.decode()
    return rfc8785.dumps(value).decode()


def is_canonical(text: str, plain: Json) -> bool:
    """Return whether a text is the canonical JSON of a value without fractions or large numbers."""
    content = text.encode()
    return _encode(plain) == content and _sorts_alike(content)


def _sorts_alike(content: bytes) -> bool:
    return content.isascii() or len(content.translate(None, _BEYOND)) == len(content)


def _is_plain(value: Json) -> bool:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        is_exact: bool = abs(value) <= _MAX_INT
        return is_exact
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not (type(item) is str or _is_plain(item)):
                return False
        return True
    if kind is list or kind is tuple:
        return all(type(item) is str or _is_plain(item) for item in value)
    return False


MAX_BYTES = 2**26
_DAMAGED = cast("type[Exception]", isal_zlib.error)  # its stub gives an exception for the class


def pack(text: str) -> bytes:
    """Return a text as compressed UTF-8."""
    content = text.encode()
    if len(content) > MAX_BYTES:
        raise ValueError("the text is too long")
    return zlib.compress(content)


def unpack(packed: object) -> str:
    """Return the text from `pack`, or raise ValueError."""
    if not isinstance(packed, bytes):
        raise ValueError("no bytes")  # noqa: TRY004 - one error for all wrong values
    stream = isal_zlib.decompressobj()  # which reads what zlib writes, in half its time
    try:
        content = stream.decompress(packed, MAX_BYTES)
    except _DAMAGED as error:
        raise ValueError(str(error)) from error
    if not stream.eof or stream.unused_data:
        raise ValueError("cut off, too long, or followed by something else")
    return content.decode()


DRAW = "draw"
"""The header's key for the dice record's hash, among those of texts."""

VOID, ERASURE = "void", "erasure"
GENESIS = "0" * 64

TEXTS = 8
"""A roll's header has hashes in multiples of this, so the count reveals nothing."""

_OTHER, _HASH = b"\x05", 32
_Hash = TypeVar("_Hash", str, str | None)


class Change(Struct, frozen=True):
    """One named value before and after (None: not set)."""

    subject: str
    name: str
    before: Json
    after: Json

    def record(self) -> dict[str, Json]:
        """Return the change for a body."""
        return {"subject": self.subject, "name": self.name, "before": self.before, "after": self.after}


class SaltedText(Struct, frozen=True):
    """A free text and its salt, None once erased."""

    salt: str | None
    text: str | None


class Entry(Struct, frozen=True, dict=True):
    """One sealed entry: `header` and `body` as hashed, `draw` its dice."""

    number: int
    kind: str
    at: datetime
    actor: str
    book: str | None
    audience: str
    previous: str
    hash: str
    header: str
    body: str
    salt: str
    draw: str | None = None
    draw_salt: str | None = None
    texts: Mapping[str, SaltedText] = field(default_factory=dict)

    def content(self) -> Mapping[str, Json]:
        """Return the parsed body; never change it."""
        return self._content

    @cached_property
    def _content(self) -> Mapping[str, Json]:
        try:
            content: dict[str, Json] = msgspec.json.decode(self.body)
        except msgspec.DecodeError:  # such as a lone surrogate
            content = json.loads(self.body)
        return content

    def names(self) -> dict[int, str]:
        """Return subjects' names at the time of the entry, by number."""
        return {int(number): name for number, name in self.content().get("names", {}).items()}

    def text(self, name: str, body: Mapping[str, Json] | None = None) -> str | None:
        """Return a free text; None if missing or erased.

        Bodies map names to keys; rows have only keys, which reveal nothing.
        """
        key = (self.content() if body is None else body)["texts"].get(name)
        return self.texts[key].text if key in self.texts else None


class Link(Struct, frozen=True):
    """A campaign (UUID) with its newest entry's number and hash; 0 and zeros before the first."""

    campaign: str
    number: int = 0
    hash: str = GENESIS


NAME_TEXT = "name."
"""Prefix of texts that are people's names; their role follows."""

ERASED = "someone"
UNKNOWN, UNKNOWN_PLACE = "someone unknown", "an unknown place"
_LEFT, _RIGHT = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


def mark_role(role: str) -> str:
    """Return the mark for a person's name."""
    return f"{_LEFT}{role}{_RIGHT}"


def insert_names(value: Json, people: Mapping[str, str]) -> Json:
    """Return a value in which marks are replaced by people's names; `people` has them by role."""
    if isinstance(value, str):
        for role, name in people.items() if _LEFT in value else ():
            value = value.replace(mark_role(role), name)
        return value
    if isinstance(value, dict):
        return {key: insert_names(item, people) for key, item in value.items()}
    return [insert_names(item, people) for item in value] if isinstance(value, list) else value


def read_body(entry: Entry) -> Mapping[str, Json]:
    """Return an entry's body with people's names; `someone` where a name was erased."""
    body = entry.content()
    texts = [name for name in body["texts"] if name.startswith(NAME_TEXT)]
    people = {name.removeprefix(NAME_TEXT): entry.text(name, body) or ERASED for name in texts}
    read: Mapping[str, Json] = insert_names(body, people) if people else body
    return read


def hide_name(role: str) -> str:
    """Return what players read for a hidden name."""
    return UNKNOWN_PLACE if role == "base" else UNKNOWN


def hide_among_others(salt: str, hashes: Mapping[str, _Hash]) -> dict[str, _Hash]:
    """Return text hashes (hex) among fakes, so their count reveals nothing; or raise ValueError."""
    size = max(1, -(-len(hashes) // TEXTS)) * TEXTS
    others = hashlib.shake_256(bytes.fromhex(salt) + _OTHER).hexdigest(_HASH * size)
    return {**{name: others[place] for name, place in _name_others(size)}, **hashes}


@lru_cache
def _name_others(texts: int) -> tuple[tuple[str, slice], ...]:
    return tuple((f"t{at}", slice(2 * _HASH * at, 2 * _HASH * (at + 1))) for at in range(texts))


def make_pseudonym(salt: str, user_id: int) -> str:
    """Return a user id's pseudonym (hex) under a campaign's salt."""
    return hashlib.sha256(bytes.fromhex(salt) + str(user_id).encode()).hexdigest()
