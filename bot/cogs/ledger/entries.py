"""Entries about published results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NotRequired, TypedDict, cast

import discord

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View, audience_of_voided
from bot.core.people import told
from bot.ui.entries import plain_pages
from bot.ui.text import listing, plain


class PublicationBody(TypedDict):
    """What the entry of a publication keeps: the number of the entry that is public now, and out of how many.

    `rolls` counts the rolls that the maker of that entry kept private in the same `update`, itself among them; 0 where the rules kept it.
    `tries` counts the rolls of the same for the same before it that weren't public, where there were any.
    It is `dated` where it went public by itself.
    """

    entry: int
    update: NotRequired[int]
    rolls: NotRequired[int]
    tries: NotRequired[int]
    dated: NotRequired[bool]


class PublicationDateBody(TypedDict):
    """What the entry keeps by which a result goes public on a date: the number of its entry, and the moment (ISO, UTC); None for no date any more."""

    entry: int
    at: str | None


def _sentence(body: Body, _view: View = "public") -> str:
    dated = " on its date" if "dated" in body else ""
    return f"Entry #{cast('PublicationBody', body)['entry']} published{dated}"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Result published", [_sentence(shown.entry.content())])


def audience_of_date(body: Body, before: Sequence[str]) -> str:
    """Return the audience of a date: of a roll that is one person's alone, that person."""
    return "person" if before[body["entry"]] == "person" else "staff"


def _date_sentence(body: Body, _view: View = "staff") -> str:
    if body["at"] is None:
        return f"Entry #{body['entry']} no longer goes public on a date"
    return f"Entry #{body['entry']} goes public {discord.utils.format_dt(datetime.fromisoformat(body['at']), 'f')}"


def _date_pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Date set", [f"{_date_sentence(shown.entry.content())}."])


def _void_sentence(body: Body, _view: View = "public") -> str:
    what = f": {body['what']}" if "what" in body else ""  # those of older versions tell no more
    return f"Entry #{body['entry']} undone{what}"


def _void_pages(shown: EntryView, view: View) -> Pages:
    body = told(shown.entry)
    lines = [_void_sentence(body)]
    reason = shown.entry.text("reason", body)
    lines += [f"**Why:** {plain(reason)}"] if reason else []
    lines += body.get("also", []) if view == "staff" else []
    if view == "staff" and body.get("used"):
        lines.append(
            f"These rolls counted it and stay as they are: {listing([f'#{number}' for number in body['used']])}."
        )
    return plain_pages(shown, "Undone", lines)


PUBLICATION = EntryKind("publication", "results", _sentence, _pages)
PUBLICATION_DATE = EntryKind(
    "publication_date",
    audience_of_date,
    _date_sentence,
    _date_pages,
    stays="Change the date under /ledger show.",
)
TAKEN_BACK = EntryKind(
    "void", audience_of_voided, _void_sentence, _void_pages, stays="Use the original command again instead."
)
