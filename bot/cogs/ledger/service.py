"""Entries as people read them, what takes them back or publishes them, and what of that stands on the desk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, state, voiding
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.entries import AudienceFilter, Span
from bot.core.entry_kinds import (
    Body,
    EntryKind,
    EntryKinds,
    EntryView,
    Mark,
    Pages,
    Publication,
    View,
    audience_of_voided,
    published_late,
)
from bot.core.library import Library
from bot.core.permissions import Person, audience_filter, find_readable, is_group
from bot.core.records import Entry, read_body
from bot.core.state import PUBLISH_AT, PUBLISHED, VOIDED, State
from bot.core.visibility import Viewer
from bot.core.voiding import find_voided, read_mark
from bot.errors import BadInput
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.rolls.amended import first_number
from bot.rolls.buttons import publish_button
from bot.rolls.entries import roll_lines, rolls_since
from bot.rolls.entry_body import rollers
from bot.rolls.fairness.outside import INTENT
from bot.ui.receipt import plain_pages
from bot.ui.text import listing, plain
from bot.ui.todo import FEW, Todo, count_first, few, tally

PAGE = 10
MOST_OFFERED = 100
"""How many of the newest entries are looked through for completions."""
PUBLIC_POSTS = frozenset({"results", "published"})
"""The kinds of posts that players see."""


class EntryDetails(Struct, frozen=True):
    """An entry as somebody may see it: which view of it, by whom it was made, its posts, and whether it can be published.

    `public_at` is when it goes public by itself (UTC), for game masters. `instead` is the address of the message that tells by which entry it was taken back or amended.
    """

    shown: EntryView
    view: View
    user_id: int | None
    posts: tuple[Post, ...]
    publishable: bool
    public_at: datetime | None = None
    instead: str | None = None


def page(tx: Connection, person: Person, campaign: Campaign, below: int | None) -> list[EntryDetails]:
    """Return ten entries and one more that the person may know of, newest first, with numbers under `below`.

    Those that announce a roll are left out: the roll tells of them, and a search finds them.
    """
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    allowed = audience_filter(tx, person, campaign, mine)
    span = Span(limit=PAGE + 1) if below is None else Span(below=below, limit=PAGE + 1)
    newest = entries.page_entries(tx, campaign.id, allowed, span, without=INTENT)
    return details_of(tx, person, campaign, newest)


def list_voidable(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign) -> list[Entry]:
    """Return those of the newest hundred entries that the person may take back, newest first; players take nothing back."""
    if campaign.archived_at is not None or not person.leads(campaign):
        return []
    allowed = audience_filter(tx, person, campaign, entries.find_pseudonym(tx, campaign.id, person.user_id))
    newest = entries.page_entries(tx, campaign.id, allowed, Span(limit=MOST_OFFERED), without=INTENT)
    void = find_voided(tx, campaign.id, {item.number for item in newest})
    return [item for item in newest if item.number not in void and kinds.of(item.kind, item.content()).stays is None]


def find(tx: Connection, person: Person, campaign: Campaign, number: int) -> EntryDetails:
    """Return one entry, with its posts as far as the person may see them."""
    entry = find_readable(tx, person, campaign, number)
    if entry is None:
        raise BadInput(f"{campaign.name} has no entry #{number} that you can see.", "See /ledger list.")
    (details,) = details_of(tx, person, campaign, [entry])
    mark = details.shown.voided
    later = () if mark is None else _posted(tx, person, campaign, entry, mark.by)
    links = filter(None, (item.link(campaign.guild_id) for item in later))
    return replace(details, posts=_posted(tx, person, campaign, entry, number), instead=next(links, None))


def _posted(tx: Connection, person: Person, campaign: Campaign, read: Entry, number: int) -> tuple[Post, ...]:
    """Return the posts of an entry that the person may see, who reads it or the one that it has taken back."""
    kinds = {*PUBLIC_POSTS, *(["group"] if is_group(read.audience) else ())}
    queued = posts.posts_of_entry(tx, campaign.id, number)
    return tuple(post for post in queued if person.leads(campaign) or post.kind in kinds)


def details_of(tx: Connection, person: Person, campaign: Campaign, listed: Sequence[Entry]) -> list[EntryDetails]:
    """Return entries with who made each and by which entry it was voided; without posts."""
    kept = _kept(tx, campaign, listed)
    leads = person.leads(campaign)
    return [
        EntryDetails(
            shown=view,
            view="staff" if leads else "public",
            user_id=view.people.get(view.entry.actor),
            posts=(),
            publishable=is_publishable(view.entry, kept) and leads,
            public_at=_date(view.entry, kept) if leads else None,
        )
        for view in _views(tx, campaign, listed, kept)
    ]


def views_of(tx: Connection, campaign: Campaign, listed: Sequence[Entry]) -> list[EntryView]:
    """Return entries with by whom each was made, how it became public and by which entry it is void."""
    return _views(tx, campaign, listed, _kept(tx, campaign, listed))


def is_publishable(entry: Entry, kept: State) -> bool:
    """Tell whether an entry is a result that stands and is not public as a whole; `kept` has how entries are marked."""
    return entry.kind == "roll" and entry.audience != "results" and _voided(entry, kept) is None


def date_key(entry: Entry) -> str:
    """Return the subject of which the date is kept on which a roll goes public: that of the entry in which its dice fell."""
    return f"entry:{first_number(entry.number, entry.content())}"


def _kept(tx: Connection, campaign: Campaign, listed: Sequence[Entry]) -> State:
    """Return how entries are marked: void, public since, public on a date."""
    subjects = {key for entry in listed for key in (f"entry:{entry.number}", date_key(entry))}
    return state.get_values_named(tx, campaign.id, subjects, {VOIDED, PUBLISHED, PUBLISH_AT})


def _views(tx: Connection, campaign: Campaign, listed: Sequence[Entry], kept: State) -> list[EntryView]:
    makers = {name for entry in listed for name in (entry.actor, *rollers(entry).values())}
    people = entries.find_users(tx, campaign.id, makers)
    return [EntryView(entry, campaign.name, _published(entry, kept), _voided(entry, kept), people) for entry in listed]


def _date(entry: Entry, kept: State) -> datetime | None:
    """Return when an entry goes public by itself."""
    value = kept.get((date_key(entry), PUBLISH_AT)) if is_publishable(entry, kept) else None
    return None if value is None else datetime.fromisoformat(value["at"])


def _voided(entry: Entry, kept: State) -> Mark | None:
    """Return by which entry one is void."""
    return read_mark(kept.get((f"entry:{entry.number}", VOIDED)))


def _published(entry: Entry, kept: State) -> Publication | None:
    """Return how a roll became public that was not so, or not in all parts, when it was made; None for all others."""
    if not published_late(entry):
        return None
    value = kept.get((f"entry:{entry.number}", PUBLISHED))  # publications of older versions did not count
    return Publication() if value is None else Publication.of(value)


def _sentence(body: Body, _view: View = "public") -> str:
    dated = " on its date" if "dated" in body else ""
    return f"Entry #{body['entry']} published{dated}"


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
    body = read_body(shown.entry)
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


def on_desk(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what of the ledger is on the desk of the week."""
    yield from list_unpublished(tx, library, viewer)
    yield from list_taken_back(tx, viewer)


def list_taken_back(tx: Connection, viewer: Viewer) -> Iterator[Todo]:
    """Yield the rolls of this update whose outcome the viewer alone was shown, and that another person has taken back since."""
    campaign = viewer.campaign
    if viewer.mine is None:
        return
    own = AudienceFilter((), viewer.mine)
    made = entries.walk_back(tx, campaign.id, "roll", own, after=find_update_entry(tx, campaign.id))
    void = {roll.number: mark for roll in made if (mark := _taken(tx, viewer, roll)) is not None}
    if void:
        lines = [f"Entry #{number} was undone. Its result no longer counts." for number in void]
        yield Todo("Undone", few(lines[:FEW], len(lines), "/ledger list"))


def _taken(tx: Connection, viewer: Viewer, roll: Entry) -> Mark | None:
    """Return by which entry another person has taken back a roll of the viewer; None where nobody has."""
    mark = voiding.find_mark(tx, viewer.campaign.id, roll.number) if roll.actor == viewer.mine else None
    if mark is None or mark.amended:
        return None
    by = entries.get_entries_bare(tx, viewer.campaign.id, [mark.by])[mark.by]
    return None if by.actor == viewer.mine else mark


def list_unpublished(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the results of this update and the one before that are not public, newest first, for game masters to publish."""
    campaign = viewer.campaign
    if not viewer.person.leads(campaign):
        return
    private = AudienceFilter(("mixed", "staff"), viewer.mine)
    kept, count = count_first(rolls_since(tx, campaign.id, current_update(tx, campaign.id)["number"] - 1, private))
    if kept:
        lines = few(roll_lines(tx, campaign.id, kept[:FEW]), count, "/ledger list")
        buttons = [publish_button(campaign.id, roll.number, f"Publish #{roll.number}") for roll in kept[:FEW]]
        undone = tally(count, "unpublished result{s}", (f"#{roll.number}" for roll in kept))
        yield Todo("Unpublished results", lines, [buttons], undone=undone)
