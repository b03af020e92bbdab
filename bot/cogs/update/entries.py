"""Entries about updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict, cast

from bot.core.campaigns import UPDATE
from bot.core.entry_kinds import About, Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.text import plain


class Update(TypedDict):
    """An update as the state and the ledger keep it: number, name, and since when (ISO, UTC)."""

    number: int
    name: str
    since: str


class UpdateBody(TypedDict):
    """What the entry of a closing keeps: the update that is over and the one that began."""

    closed: Update
    opened: Update


def _sentence(body: Body, _view: View = "public") -> str:
    updates = cast("UpdateBody", body)
    return f"{plain(updates['closed']['name'])} closed, {plain(updates['opened']['name'])} begun"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Update closed", [_sentence(shown.entry.content())])


def _about(body: Body, view: View) -> Iterator[About]:
    yield "family", UPDATE
    yield "opened", cast("UpdateBody", body)["opened"]["number"]
    yield from (("unit", int(number)) for number in (body.get("names", ()) if view == "staff" else ()))


UPDATE_CLOSED = EntryKind(UPDATE, "results", _sentence, _pages, about=_about)
