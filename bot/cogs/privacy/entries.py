"""Entries that say that somebody had erased what was kept of them: who it was, nothing tells any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict, cast

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft
from bot.core.profiles import Profile
from bot.core.records import ERASURE, Change, Entry
from bot.ui.entries import plain_pages
from rules.subjects import PROFILE


class ErasureBody(TypedDict):
    """What the entry of an erasure keeps: how many texts and names went, and how many units and characters are nobody's since."""

    erased: int
    released: int


def erasure_draft(erased: int, owned: Iterable[Profile]) -> EntryDraft:
    """Return the entry of an erasure, after which nobody owns what the person did."""
    changes = tuple(Change(item.key, PROFILE, item.value(), {**item.value(), "owner": None}) for item in owned)
    return EntryDraft(ERASURE, "staff", ErasureBody(erased=erased, released=len(changes)), changes)


def _sentence(body: Body, _view: View = "public") -> str:
    counts = cast("ErasureBody", body)
    told = f"A member had their data erased: {_texts(counts['erased'])}"
    free = counts["released"]
    if not free:
        return told
    return f"{told}. {free} of their units and characters {'is' if free == 1 else 'are'} without a player"


def entered_sentence(entered: Entry) -> str:
    """Return what the entry of an erasure says."""
    return _sentence(entered.content())


def _texts(number: int) -> str:
    return f"{number:,} text{'' if number == 1 else 's'} or name{'' if number == 1 else 's'}"


def _pages(shown: EntryView, view: View) -> Pages:
    return plain_pages(shown, "Data erased", [_sentence(shown.entry.content(), view)])


ERASED = EntryKind(ERASURE, "staff", _sentence, _pages)
