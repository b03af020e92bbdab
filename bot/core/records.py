"""The ledger's records as they are stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from msgspec import Struct, field

DRAW = "draw"
"""Under which a header has the hash of the record of an entry's dice, among those of its texts."""

VOID, ERASURE = "void", "erasure"
"""The kinds of the entries that take others back, and of those that say how many texts an erasure has taken."""

GENESIS = "0" * 64
"""The previous hash of a campaign's first entry."""


class Change(Struct, frozen=True):
    """What an entry did to the campaign's state: one named value of one subject, before and after (None: not set)."""

    subject: str
    name: str
    before: Any
    after: Any

    def record(self) -> dict[str, Any]:
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

    def content(self) -> Mapping[str, Any]:
        """Return the body, parsed once; nobody changes what it holds."""
        return self._content

    @cached_property
    def _content(self) -> Mapping[str, Any]:
        content: dict[str, Any] = json.loads(self.body)
        return content

    def names(self) -> dict[int, str]:
        """Return what the subjects of the entry were called when it was made, by number; none in one of format 1."""
        return {int(number): name for number, name in self.content().get("names", {}).items()}

    def text(self, name: str, body: Mapping[str, Any] | None = None) -> str | None:
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
