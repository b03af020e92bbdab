"""The ledger's records as they are stored, and how they read: people who act under their own name have a mark in a body, and the name lies beside it as a text, to be erased."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import TypeVar

from msgspec import Struct, field

from bot.core.draws import salted_hash
from bot.core.encoding import Json

DRAW = "draw"
"""Under which a header has the hash of the record of an entry's dice, among those of its texts."""

VOID, ERASURE = "void", "erasure"
"""The kinds of the entries that take others back, and of those that say how many texts an erasure has taken."""

GENESIS = "0" * 64
"""The previous hash of a campaign's first entry."""


TEXTS = 8
"""The header of a roll counts texts in so many: it is shown to people who may not know of each of them."""

_OTHER, _HASH = b"\x05", 32
_Hash = TypeVar("_Hash", str, str | None)


class Change(Struct, frozen=True):
    """What an entry did to the campaign's state: one named value of one subject, before and after (None: not set)."""

    subject: str
    name: str
    before: Json
    after: Json

    def record(self) -> dict[str, Json]:
        """Return the change as a body keeps it."""
        return {"subject": self.subject, "name": self.name, "before": self.before, "after": self.after}


class SaltedText(Struct, frozen=True):
    """A free text and its salt; both are None once the text has been erased."""

    salt: str | None
    text: str | None


class Entry(Struct, frozen=True, dict=True):
    """One sealed entry. `header` and `body` are canonical JSON, exactly as hashed; `draw` is the record of its dice, if it has any, as `draws` stores it."""

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
        """Return the body, parsed once; nobody changes what it holds."""
        return self._content

    @cached_property
    def _content(self) -> Mapping[str, Json]:
        content: dict[str, Json] = json.loads(self.body)
        return content

    def names(self) -> dict[int, str]:
        """Return what the subjects of the entry were called when it was made, by number; none in one of format 1."""
        return {int(number): name for number, name in self.content().get("names", {}).items()}

    def text(self, name: str, body: Mapping[str, Json] | None = None) -> str | None:
        """Return a free text by name; None when there is none or it was erased.

        `body` is the parsed body, where the caller has it already.

        The body maps names to keys: header and rows have the keys alone, which reveal nothing.
        """
        key = (self.content() if body is None else body)["texts"].get(name)
        return self.texts[key].text if key in self.texts else None


class Link(Struct, frozen=True):
    """What a new entry is chained to: the campaign and its newest entry's number and hash."""

    campaign: str
    number: int = 0
    hash: str = GENESIS


NAME_TEXT = "name."
"""How the texts of an entry begin that are names of people; the role in which one stands follows."""

ERASED = "someone"
"""What a person is called whose name was erased."""

UNKNOWN, UNKNOWN_PLACE = "someone unknown", "an unknown place"
"""What players read instead of hidden names."""

_LEFT, _RIGHT = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


def mark_role(role: str) -> str:
    """Return what stands in the place of the name of a person in a role."""
    return f"{_LEFT}{role}{_RIGHT}"


def insert_names(value: Json, people: Mapping[str, str]) -> Json:
    """Return the same with the names of people, by role, in the places of their marks."""
    if isinstance(value, str):
        for role, name in people.items() if _LEFT in value else ():
            value = value.replace(mark_role(role), name)
        return value
    if isinstance(value, dict):
        return {key: insert_names(item, people) for key, item in value.items()}
    return [insert_names(item, people) for item in value] if isinstance(value, list) else value


def read_body(entry: Entry) -> Mapping[str, Json]:
    """Return the body of an entry as people read it: with the names of people, as far as they are not erased."""
    body = entry.content()
    texts = [name for name in body["texts"] if name.startswith(NAME_TEXT)]
    people = {name.removeprefix(NAME_TEXT): entry.text(name, body) or ERASED for name in texts}
    read: Mapping[str, Json] = insert_names(body, people) if people else body
    return read


def hide_name(role: str) -> str:
    """Return what players read instead of a hidden name, in a role of a roll."""
    return UNKNOWN_PLACE if role == "base" else UNKNOWN


def hide_among_others(salt: str, hashes: Mapping[str, _Hash]) -> dict[str, _Hash]:
    """Return the hashes (hex) of an entry's texts among others, so many in all that nobody can tell how many texts there are.

    Those follow from the salt (hex) of its body.

    Raises:
        ValueError: the salt is no hex.

    """
    size = max(1, -(-len(hashes) // TEXTS)) * TEXTS
    others = hashlib.shake_256(bytes.fromhex(salt) + _OTHER).hexdigest(_HASH * size)
    return {**{name: others[place] for name, place in _name_others(size)}, **hashes}


@lru_cache
def _name_others(texts: int) -> tuple[tuple[str, slice], ...]:
    """Return under which names a header has so many texts, and where the hash of each stands among all."""
    return tuple((f"t{at}", slice(2 * _HASH * at, 2 * _HASH * (at + 1))) for at in range(texts))


def make_pseudonym(salt: str, user_id: int) -> str:
    """Return the pseudonym of a person in one campaign's headers."""
    return salted_hash(salt, str(user_id))
