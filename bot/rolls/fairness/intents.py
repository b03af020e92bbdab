"""Entries that say, before random.org is asked, for which roll."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.rolls.fairness.outside import INTENT, intent_audience
from bot.ui.entries import plain_pages


def _audience(body: Body, _before: Sequence[str]) -> str:
    return intent_audience(body)


def _sentence(body: Body, _view: View) -> str:
    return f"random.org is asked for the roll of entry #{body['entry']}"


def _pages(shown: EntryView, view: View) -> Pages:
    body = shown.entry.content()
    lines = [
        f"{_sentence(body, view)}.",
        "The roll is fixed from here on. Only random.org's answer decides the dice.",
        f"-# What was asked: `{body['situation'][:16]}`",
    ]
    return plain_pages(shown, "random.org is asked", lines)


INTENT_ENTRY = EntryKind(INTENT, _audience, _sentence, _pages, stays="Later checks need it.")
