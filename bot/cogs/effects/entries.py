"""Entries about effects that were set or cleared by hand."""

from __future__ import annotations

from typing import cast

from bot.cogs.effects.bodies import EffectBody
from bot.cogs.effects.embed import entry_pages, sentence
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View


def _sentence(body: Body, _view: View) -> str:
    return sentence(cast("EffectBody", body))


def _pages(shown: EntryView, _view: View) -> Pages:
    return entry_pages(shown)


EFFECT_CHANGED = EntryKind("effect", "staff", _sentence, _pages)
