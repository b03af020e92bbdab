"""Entries about house rules."""

from __future__ import annotations

from typing import cast

from bot.cogs.house_rules.embed import entry_lines, sentence
from bot.cogs.house_rules.entry_body import HouseRulesBody
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages


def _sentence(body: Body, _view: View) -> str:
    return sentence(cast("HouseRulesBody", body))


def _pages(shown: EntryView, view: View) -> Pages:
    return plain_pages(shown, "House rules", entry_lines(cast("HouseRulesBody", shown.entry.content()), view))


HOUSE_RULES_CHANGED = EntryKind("house", "results", _sentence, _pages)
