"""The digest of an update: what its orders have come to, phase by phase; the public part for all, the whole for the staff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update, on_server, open_campaign
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft, next_number
from bot.core.people import told
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.core.state import CAMPAIGN_STATE
from bot.errors import NotAsItIs
from bot.orders.standing import StandingOrder, every
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from bot.ui.entries import plain_pages
from bot.ui.text import plain
from rules.orders import Phase
from rules.ruleset import RuleSet

DIGEST = "digest"
"""The kind of its entry, and the name under which the state keeps which update was told last, and up to which entry."""


class DigestLine(TypedDict):
    """What a digest tells of one entry, in its phase."""

    phase: str
    entry: int
    text: str


class Digest(Struct, frozen=True):
    """A digest that was entered, with its posts."""

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]


def tell(tx: Connection, resolver: Resolver, person: Person, campaign_id: int) -> Digest:
    """Enter the digest of the current update, for the results channel, and the whole of it for the staff's.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: there is nothing to tell that was not told before, or the campaign is archived.

    """
    campaign = open_campaign(tx, on_server(tx, person.guild_id, campaign_id).id)
    require_game_master(person, campaign, "tell what orders came to")
    update, orders = current_update(tx, campaign.id), every(tx, campaign)
    before = state.get(tx, campaign.id, CAMPAIGN_STATE, DIGEST)
    newest = max((number for item in orders for number in item.done.values()), default=0)
    if before is not None and before["upto"] >= newest > 0:
        raise NotAsItIs(f"That is told already: entry #{before['entry']}.", "There is nothing new to tell.")
    if not newest:
        raise NotAsItIs("No order of this update is resolved yet.", "Resolve them first: /update resolve.")
    every_line = list(_lines(tx, resolver, campaign, orders))
    shared = [line for line, is_public in every_line if is_public]
    left = sum(item.stands for item in orders)
    body = {"update": update["name"], "lines": shared, "left": left}
    after = {"entry": next_number(tx, campaign), "update": update["number"], "upto": newest}
    draft = EntryDraft(DIGEST, "results", body, (Change(CAMPAIGN_STATE, DIGEST, before, after),))
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    shown = EntryView(entry, campaign.name)
    whole = plain_pages(shown, _title(body), _text([line for line, _ in every_line], left, "staff"))
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in _pages(shown, "public")]
    messages += [OutgoingMessage("whole", campaign.staff_channel_id, page) for page in whole]
    return Digest(campaign, entry, tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def _lines(
    tx: Connection, resolver: Resolver, campaign: Campaign, orders: Sequence[StandingOrder]
) -> Iterator[tuple[DigestLine, bool]]:
    """Yield what is told of each entry that orders have come to, in the order of the phases, and whether it is for all."""
    made = entries.without_texts(tx, campaign.id, {number for item in orders for number in item.done.values()})
    for book in resolver.library.played(tx, campaign):
        for phase, number in _done(book, orders):
            public = made[number].audience in {"results", "mixed"}
            text = resolver.kinds.line(made[number], told(made[number]), "public" if public else "staff")
            yield DigestLine(phase=phase.label, entry=number, text=text), public


def _done(book: RuleSet, orders: Sequence[StandingOrder]) -> Iterator[tuple[Phase, int]]:
    for phase in book.listed(Phase).values():
        numbers = {item.done[phase.id] for item in orders if item.book == book.id and phase.id in item.done}
        yield from ((phase, number) for number in sorted(numbers))


def _text(lines: Sequence[DigestLine], left: int, view: View) -> Iterator[str]:
    phase = ""
    for line in lines:
        if line["phase"] != phase:
            phase = line["phase"]
            yield f"**{plain(phase)}**"
        yield f"\N{BULLET} {line['text']} (entry #{line['entry']})"
    if not lines:
        yield "Nothing that all may know has come of the orders."
    if left and view == "staff":
        yield f"-# {left} order{'s' if left > 1 else ''} still wait{'' if left > 1 else 's'}."


def _title(body: Mapping[str, object]) -> str:
    return f"What came of the orders: {plain(str(body['update']))}"


def _pages(shown: EntryView, view: View) -> Pages:
    body = shown.entry.content()
    return plain_pages(shown, _title(body), _text(body["lines"], body["left"], view))


def _sentence(body: Body, _view: View = "public") -> str:
    return f"Digest of {plain(body['update'])}: {len(body['lines'])} public results"


DIGEST_ENTRY = EntryKind(DIGEST, "results", _sentence, _pages)
