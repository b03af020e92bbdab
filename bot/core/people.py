"""People who act under their own name: a body has a mark in its place, and the name lies beside it as a text, to be erased."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.core.records import Entry

TEXT = "name."
"""How the texts of an entry begin that are names of people; the role in which one stands follows."""

ERASED = "someone"
"""What a person is called whose name was erased."""

UNKNOWN, UNKNOWN_PLACE = "someone unknown", "an unknown place"
"""What players read instead of hidden names."""

_LEFT, _RIGHT = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


def mark(role: str) -> str:
    """Return what stands in the place of the name of a person in a role."""
    return f"{_LEFT}{role}{_RIGHT}"


def named(value: Any, people: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON value, or a text
    """Return the same with the names of people, by role, in the places of their marks."""
    if isinstance(value, str):
        for role, name in people.items() if _LEFT in value else ():
            value = value.replace(mark(role), name)
        return value
    if isinstance(value, dict):
        return {key: named(item, people) for key, item in value.items()}
    return [named(item, people) for item in value] if isinstance(value, list) else value


def told(entry: Entry) -> Mapping[str, Any]:
    """Return the body of an entry as people read it: with the names of people, as far as they are not erased."""
    body = entry.content()
    texts = [name for name in body["texts"] if name.startswith(TEXT)]
    people = {name.removeprefix(TEXT): entry.text(name, body) or ERASED for name in texts}
    read: Mapping[str, Any] = named(body, people) if people else body
    return read


def hidden_as(role: str) -> str:
    """Return what players read instead of a hidden name, in a role of a roll."""
    return UNKNOWN_PLACE if role == "base" else UNKNOWN
