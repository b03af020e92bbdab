"""Entries about captives."""

from __future__ import annotations

from typing import cast

from bot.cogs.captives.bodies import CaptiveBody
from bot.cogs.captives.embed import entry_pages, sentence
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View


def _sentence(body: Body, _view: View) -> str:
    return sentence(cast("CaptiveBody", body))


def _pages(shown: EntryView, _view: View) -> Pages:
    return entry_pages(shown)


CAPTIVE_CHANGED = EntryKind("captive", "staff", _sentence, _pages)
ESCAPE_DECLARED = EntryKind("escape", "maker", _sentence, _pages)
"""Escapes that players declare; older ones are of the kind `captive`."""
