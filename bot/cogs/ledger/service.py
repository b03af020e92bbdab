"""Reading what one may know of the ledger, and publishing what was not public."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, takewhile

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.ledger.entries import PublicationBody
from bot.core import entries, state
from bot.core.campaigns import Campaign, on_server, open_campaign
from bot.core.entry_kinds import EntryView, Mark, Publication, View, published_late
from bot.core.groups import is_group
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person, audience_filter, readable, require_game_master
from bot.core.records import Change, Entry
from bot.core.search_index import SearchIndex
from bot.core.state import PUBLISHED, VOIDED, State
from bot.core.voiding import mark_of
from bot.errors import BadInput, NotOpen
from bot.outbox import store as posts
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.amended import since
from bot.rolls.embed import result_pages
from bot.rolls.entry_body import rollers, was_kept
from bot.rolls.resolver import Resolver
from bot.rolls.restyle import restyled

PAGE = 10
PUBLIC_POSTS = frozenset({"results", "published"})
"""The kinds of posts that players see."""


class EntryDetails(Struct, frozen=True):
    """An entry as somebody may see it: which view of it, by whom it was made, its posts, and whether it can be published.

    `instead` is the address of the message that tells by which entry it was taken back or amended.
    """

    shown: EntryView
    view: View
    user_id: int | None
    posts: tuple[Post, ...]
    publishable: bool
    instead: str | None = None


def page(tx: Connection, person: Person, campaign: Campaign, below: int | None) -> list[EntryDetails]:
    """Return ten entries and one more that the person may know of, newest first, with numbers under `below`.

    Raises:
        NotAllowed: the person takes no part in the campaign.

    """
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    newest = entries.page(tx, campaign.id, audience_filter(tx, person, campaign, mine), below=below, limit=PAGE + 1)
    return details_of(tx, person, campaign, newest)


def find(tx: Connection, person: Person, campaign: Campaign, number: int) -> EntryDetails:
    """Return one entry, with its posts as far as the person may see them.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none of this number that the person may know of.

    """
    entry = readable(tx, person, campaign, number)
    if entry is None:
        raise BadInput(
            f"There is no entry #{number} for you in {campaign.name}.", "See /ledger list for those there are."
        )
    (details,) = details_of(tx, person, campaign, [entry])
    mark = details.shown.voided
    later = () if mark is None else _posted(tx, person, campaign, entry, mark.by)
    links = filter(None, (item.link(campaign.guild_id) for item in later))
    return replace(details, posts=_posted(tx, person, campaign, entry, number), instead=next(links, None))


def _posted(tx: Connection, person: Person, campaign: Campaign, read: Entry, number: int) -> tuple[Post, ...]:
    """Return the posts of an entry that the person may see, who reads it or the one that it has taken back."""
    kinds = {*PUBLIC_POSTS, *(["group"] if is_group(read.audience) else ())}
    queued = posts.of_entry(tx, campaign.id, number)
    return tuple(post for post in queued if person.leads(campaign) or post.kind in kinds)


def publish(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int) -> tuple[Post, ...]:
    """Let a result go to the results channel after all; its posts, and those of the staff that say so, are the caller's to send.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: it is public already, or no result of a roll; or the campaign is archived, or another server's.

    """
    require_game_master(person, on_server(tx, person.guild_id, campaign_id), "publish a result")
    campaign = open_campaign(tx, campaign_id)
    details = find(tx, person, campaign, number)
    if not details.publishable:
        raise NotOpen(f"Entry #{number} has nothing left to publish.")
    entry, key = details.shown.entry, f"entry:{number}"
    published = _publication(tx, campaign, entry)
    body = PublicationBody(entry=number, update=published.update, rolls=published.rolls)
    kept = {"by": next_number(tx, campaign), "update": published.update, "rolls": published.rolls}
    changes = (Change(key, "audience", entry.audience, "results"), Change(key, PUBLISHED, None, kept))
    resolver.ledger.enter(tx, campaign, person.user_id, EntryDraft("publication", "results", body, changes))
    entries.set_audience(tx, campaign.id, number, "results")
    SearchIndex(resolver.kinds).renew(tx, campaign.id, [number])
    pages = result_pages(replace(details.shown, published=published), "public")
    messages = [OutgoingMessage("published", campaign.results_channel_id, embeds) for embeds in pages]
    told = tuple(restyled(tx, resolver.outbox, resolver.kinds, campaign, entry))
    return (*resolver.outbox.queue(tx, campaign.id, number, messages), *told)


def details_of(tx: Connection, person: Person, campaign: Campaign, listed: Sequence[Entry]) -> list[EntryDetails]:
    """Return entries with who made each and by which entry it was voided; without posts."""
    makers = {name for entry in listed for name in (entry.actor, *rollers(entry).values())}
    people = entries.people(tx, campaign.id, makers)
    subjects = {f"entry:{entry.number}" for entry in listed}
    kept = state.named(tx, campaign.id, subjects, {VOIDED, PUBLISHED})
    leads = person.leads(campaign)
    return [
        EntryDetails(
            shown=EntryView(entry, campaign.name, _published(entry, kept), _voided(entry, kept), people),
            view="staff" if leads else "public",
            user_id=people.get(entry.actor),
            posts=(),
            publishable=_is_publishable(entry, kept) and leads,
        )
        for entry in listed
    ]


def _voided(entry: Entry, kept: State) -> Mark | None:
    """Return by which entry one is void."""
    return mark_of(kept.get((f"entry:{entry.number}", VOIDED)))


def _is_publishable(entry: Entry, kept: State) -> bool:
    """Tell whether an entry is a result that stands and is not public as a whole."""
    return entry.kind == "roll" and entry.audience != "results" and _voided(entry, kept) is None


def _published(entry: Entry, kept: State) -> Publication | None:
    """Return how a roll became public that was not so, or not in all parts, when it was made; None for all others."""
    if not published_late(entry):
        return None
    value = kept.get((f"entry:{entry.number}", PUBLISHED))  # publications of older versions did not count
    return Publication() if value is None else Publication(value["update"], value["rolls"])


def _publication(tx: Connection, campaign: Campaign, entry: Entry) -> Publication:
    """Return what is told of a roll that becomes public: how many its maker has kept private in the same update.

    None are counted for one that the rules kept. A roll that was amended is one roll, made when its dice fell, by whoever
    threw them.
    """
    first = entries.get(tx, campaign.id, since(entry.number, entry.content())) or entry
    update = _update(first)
    if not was_kept(first.content()):
        return Publication(update)
    same = (
        takewhile(lambda other: _amends(other) or _update(other) == update, side)
        for side in entries.around(tx, campaign.id, first)
    )
    kept = (was_kept(other.content()) and not _amends(other) for other in chain.from_iterable(same))
    return Publication(update, 1 + sum(kept))


def _amends(roll: Entry) -> bool:
    """Tell whether a roll amends another."""
    return "amends" in roll.content()


def _update(roll: Entry) -> int:
    """Return the number of the update in which a roll was made."""
    return int(roll.content()["update"]["number"])
