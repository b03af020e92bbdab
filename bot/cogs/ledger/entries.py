"""Entries about published results."""

from __future__ import annotations

from typing import NotRequired, TypedDict, cast

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages


class PublicationBody(TypedDict):
    """What the entry of a publication keeps: the number of the entry that is public now, and out of how many.

    `rolls` counts the rolls that the maker of that entry made in private in the same `update`, itself among them.
    """

    entry: int
    update: NotRequired[int]
    rolls: NotRequired[int]


def _sentence(body: Body, _view: View = "public") -> str:
    return f"Entry #{cast('PublicationBody', body)['entry']} published"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Result published", [_sentence(shown.entry.content())])


PUBLICATION = EntryKind("publication", "results", _sentence, _pages)
