"""Kinds of units and characters in words."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {"pc": "PC", "npc": "NPC"}


def kind_of(kind: str) -> str:
    """Return the kind of a unit or character as a word."""
    return WORDS.get(kind, kind)


def a_kind(kind: str) -> str:
    """Return the kind of a unit or character with its article."""
    return f"{'an' if kind in {'npc', 'outpost'} else 'a'} {kind_of(kind)}"
