"""Reading what one may know of the ledger, and publishing what was not public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.cogs.ledger.entries import PublicationBody
from bot.core import entries, state
from bot.core.campaigns import Campaign, on_server, open_campaign
from bot.core.entry_kinds import EntryView, View
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, audience_filter, require_game_master
from bot.core.records import Change, Entry
from bot.core.state import VOIDED
from bot.errors import BadInput, NotOpen
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.embed import result_pages

PAGE = 10
PUBLIC_POSTS = frozenset({"results", "published"})
"""The kinds of posts that players see."""


@dataclass(frozen=True, slots=True)
class EntryDetails:
    """An entry as somebody may see it: which view of it, by whom it was made, its posts, and whether it can be published."""

    shown: EntryView
    view: View
    user_id: int | None
    posts: tuple[Post, ...]
    publishable: bool


def page(tx: Connection, person: Person, campaign: Campaign, below: int | None) -> list[EntryDetails]:
    """Return ten entries that the person may know of, newest first, with numbers under `below`.

    Raises:
        NotAllowed: the person takes no part in the campaign.

    """
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    newest = entries.page(tx, campaign.id, audience_filter(person, campaign, mine), below=below, limit=PAGE)
    return _details(tx, person, campaign, newest)


def find(tx: Connection, person: Person, campaign: Campaign, number: int) -> EntryDetails:
    """Return one entry, with its posts as far as the person may see them.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none of this number that the person may know of.

    """
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    allowed = audience_filter(person, campaign, mine)
    entry = entries.get(tx, campaign.id, number)
    if entry is None or not (
        entry.audience in allowed.audiences or (entry.audience == "person" and entry.actor == mine)
    ):
        raise BadInput(
            f"There is no entry #{number} for you in {campaign.name}.", "See /ledger list for those there are."
        )
    (details,) = _details(tx, person, campaign, [entry])
    queued = posts.of_entry(tx, campaign.id, number)
    seen = tuple(post for post in queued if person.leads(campaign) or post.kind in PUBLIC_POSTS)
    return replace(details, posts=seen)


def publish(
    tx: Connection, ledger: Ledger, outbox: Outbox, person: Person, campaign_id: int, number: int
) -> tuple[Post, ...]:
    """Let a result go to the results channel after all; its posts are the caller's to send.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: it is public already, or no result of a roll; or the campaign is archived, or another server's.

    """
    require_game_master(person, on_server(tx, person.guild_id, campaign_id), "publish a result")
    campaign = open_campaign(tx, campaign_id)
    details = find(tx, person, campaign, number)
    if not details.publishable:
        raise NotOpen(f"Entry #{number} has nothing left to publish.")
    body = PublicationBody(entry=number)
    change = Change(f"entry:{number}", "audience", details.shown.entry.audience, "results")
    ledger.enter(tx, campaign, person.user_id, EntryDraft("publication", "results", body, (change,)))
    entries.set_audience(tx, campaign.id, number, "results")
    pages = result_pages(replace(details.shown, published=True), "public")
    messages = [OutgoingMessage("published", campaign.results_channel_id, embeds) for embeds in pages]
    return tuple(outbox.queue(tx, campaign.id, number, messages))


def _details(tx: Connection, person: Person, campaign: Campaign, listed: Sequence[Entry]) -> list[EntryDetails]:
    """Return entries with who made each and by which entry it was voided; without posts."""
    people = entries.people(tx, campaign.id, {entry.actor for entry in listed})
    subjects = {f"entry:{entry.number}" for entry in listed}
    voided = {subject: value["by"] for (subject, _), value in state.named(tx, campaign.id, subjects, {VOIDED}).items()}
    leads = person.leads(campaign)
    return [
        EntryDetails(
            shown=EntryView(entry, campaign.name, _is_published(entry), voided.get(f"entry:{entry.number}")),
            view="staff" if leads else "public",
            user_id=people.get(entry.actor),
            posts=(),
            publishable=entry.kind == "roll" and entry.audience != "results" and leads,
        )
        for entry in listed
    ]


def _is_published(entry: Entry) -> bool:
    """Tell whether a roll that is public now has parts that were not public when it was made."""
    return (
        entry.kind == "roll"
        and entry.audience == "results"
        and any(part["audience"] != "results" for part in entry.content()["parts"])
    )
