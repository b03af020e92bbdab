"""An update on one page: what was entered in it, as far as somebody may know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.ledger.service import EntryDetails, details_of
from bot.cogs.ledger.wanted import Wanted, began, search_for
from bot.core import entries
from bot.core.campaigns import Campaign, current_update
from bot.core.entry_kinds import EntryKinds
from bot.core.people import told
from bot.core.permissions import Person
from bot.core.search_rows import Span
from bot.orders.digest import DIGEST
from bot.ui.text import plain

MOST = 300
"""How many entries of an update are told of, the newest; of more, that there are."""


class Summary(Struct, frozen=True):
    """An update (number, name, since) and whether it lasts; how many of what were entered, what came of rolls, newest first, and its digests (entries).

    `more` says that there are older entries of it that are not counted.
    """

    update: Mapping[str, Any]
    lasts: bool
    counts: Sequence[tuple[str, int]]
    results: Sequence[str]
    digests: Sequence[int]
    more: bool


def summed_up(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign, number: int | None) -> Summary:
    """Return what an update came to, the current one unless numbered."""
    now = current_update(tx, campaign.id)
    number = number or now["number"]
    search = search_for(tx, person, campaign, Wanted(update=number))
    numbers = search.numbers(tx, campaign, Span(), MOST + 1)
    found = entries.some(tx, campaign.id, numbers[:MOST])
    listed = details_of(tx, person, campaign, [found[item] for item in numbers[:MOST]])
    lasts = number == now["number"]
    update = now if lasts else _closed(tx, campaign, number)
    counts = Counter(_what(item) for item in listed)
    digests = [item.shown.entry.number for item in listed if item.shown.entry.kind == DIGEST]
    results = list(_results(kinds, listed))
    return Summary(update, lasts, counts.most_common(), results, digests, more=len(numbers) > MOST)


def _closed(tx: Connection, campaign: Campaign, number: int) -> Mapping[str, Any]:
    """Return an update as its closing tells of it."""
    closing = entries.get(tx, campaign.id, began(tx, campaign, number + 1))
    told_of: Mapping[str, Any] = {} if closing is None else closing.content()["closed"]
    return told_of


def _what(item: EntryDetails) -> str:
    """Return in words what an entry is counted as."""
    entry = item.shown.entry
    if item.shown.voided is not None:
        return "undone or amended"
    return plain(str(entry.content()["title"])) if entry.kind == "roll" else entry.kind


def _results(kinds: EntryKinds, listed: Sequence[EntryDetails]) -> Iterator[str]:
    """Yield what came of the rolls that stand."""
    for item in listed:
        entry = item.shown.entry
        if entry.kind == "roll" and item.shown.voided is None:
            yield from (f"**#{entry.number}** {line}" for line in kinds.results(entry, told(entry), item.view))
