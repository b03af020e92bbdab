"""Entries as people read them: undone, published, and unpublished ones."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, ledger, library, state, visibility, voiding
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.errors import BadInput
from bot.core.ledger import Body, EntryKind, EntryKinds, EntryView, Mark, Pages, Publication, View
from bot.core.permissions import Person, audience_filter, find_readable, is_group
from bot.core.records import Entry, read_body
from bot.core.state import PUBLISH_AT, PUBLISHED, VOIDED, State
from bot.outbox import queue
from bot.rolls import amended, entry_body
from bot.rolls.entries import publish_button, roll_lines, rolls_since
from bot.rolls.fairness.outside import INTENT
from bot.ui.receipt import FEW, Todo, count_first, few, plain_pages, tally
from bot.ui.text import join_words, plain

PAGE = 10
MOST_OFFERED = 100
PUBLIC_POSTS = frozenset({"results", "published"})


class EntryDetails(Struct, frozen=True):
    """An entry as one person may see it.

    `public_at` (UTC) is when it gets published, for game masters. `instead` links to the message about its undoing or
    amendment.
    """

    shown: EntryView
    view: View
    user_id: int | None
    posts: tuple[queue.Post, ...]
    publishable: bool
    public_at: datetime | None = None
    instead: str | None = None


def list_page(tx: Connection, person: Person, campaign: Campaign, below: int | None) -> list[EntryDetails]:
    """Return up to eleven visible entries below a number, newest first, without announcements of rolls."""
    mine = campaigns.find_pseudonym(tx, campaign.id, person.user_id)
    allowed = audience_filter(tx, person, campaign, mine)
    span = entries.Span(limit=PAGE + 1) if below is None else entries.Span(below=below, limit=PAGE + 1)
    newest = entries.page_entries(tx, campaign.id, allowed, span, without=INTENT)
    return make_details(tx, person, campaign, newest)


def list_voidable(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign) -> list[Entry]:
    """Return which of the newest hundred entries the person may undo; empty for players."""
    if campaign.archived_at is not None or not person.leads(campaign):
        return []
    allowed = audience_filter(tx, person, campaign, campaigns.find_pseudonym(tx, campaign.id, person.user_id))
    newest = entries.page_entries(tx, campaign.id, allowed, entries.Span(limit=MOST_OFFERED), without=INTENT)
    void = voiding.find_voided(tx, campaign.id, {item.number for item in newest})
    return [item for item in newest if item.number not in void and kinds.of(item.kind, item.content()).stays is None]


def find_entry(tx: Connection, person: Person, campaign: Campaign, number: int) -> EntryDetails:
    """Find one entry with its visible posts."""
    entry = find_readable(tx, person, campaign, number)
    if entry is None:
        raise BadInput(f"{campaign.name} has no entry #{number} that you can see.", "See /ledger.")
    (details,) = make_details(tx, person, campaign, [entry])
    mark = details.shown.voided
    later = () if mark is None else _list_posts(tx, person, campaign, entry, mark.by)
    links = filter(None, (item.link(campaign.guild_id) for item in later))
    return replace(details, posts=_list_posts(tx, person, campaign, entry, number), instead=next(links, None))


def _list_posts(tx: Connection, person: Person, campaign: Campaign, read: Entry, number: int) -> tuple[queue.Post, ...]:
    kinds = {*PUBLIC_POSTS, *(["group"] if is_group(read.audience) else ())}
    queued = queue.posts_of_entry(tx, campaign.id, number)
    return tuple(post for post in queued if person.leads(campaign) or post.kind in kinds)


def make_details(tx: Connection, person: Person, campaign: Campaign, listed: Sequence[Entry]) -> list[EntryDetails]:
    """Return entries as the person may see them, without posts."""
    kept = _read_marks(tx, campaign, listed)
    leads = person.leads(campaign)
    return [
        EntryDetails(
            shown=view,
            view="staff" if leads else "public",
            user_id=view.people.get(view.entry.actor),
            posts=(),
            publishable=is_publishable(view.entry, kept) and leads,
            public_at=_find_date(view.entry, kept) if leads else None,
        )
        for view in make_views(tx, campaign, listed, kept)
    ]


def make_views(
    tx: Connection, campaign: Campaign, listed: Sequence[Entry], kept: State | None = None
) -> list[EntryView]:
    """Return entries with makers, publications and what undid them; `kept` has values read before."""
    if kept is None:
        kept = _read_marks(tx, campaign, listed)
    makers = {name for entry in listed for name in (entry.actor, *entry_body.find_rollers(entry).values())}
    people = entries.find_users(tx, campaign.id, makers)
    return [
        EntryView(entry, campaign.name, _find_publication(entry, kept), _find_mark(entry, kept), people)
        for entry in listed
    ]


def is_publishable(entry: Entry, kept: State) -> bool:
    """Whether an entry is a roll that isn't undone or amended and not wholly public."""
    return entry.kind == "roll" and entry.audience != "results" and _find_mark(entry, kept) is None


def date_key(entry: Entry) -> str:
    """Return the subject that keeps when a roll gets published: the first entry of its dice."""
    return f"entry:{amended.find_first_number(entry.number, entry.content())}"


def _read_marks(tx: Connection, campaign: Campaign, listed: Sequence[Entry]) -> State:
    subjects = {key for entry in listed for key in (f"entry:{entry.number}", date_key(entry))}
    return state.get_values_named(tx, campaign.id, subjects, {VOIDED, PUBLISHED, PUBLISH_AT})


def _find_date(entry: Entry, kept: State) -> datetime | None:
    value = kept.get((date_key(entry), PUBLISH_AT)) if is_publishable(entry, kept) else None
    return None if value is None else datetime.fromisoformat(value["at"])


def _find_mark(entry: Entry, kept: State) -> Mark | None:
    return voiding.read_mark(kept.get((f"entry:{entry.number}", VOIDED)))


def _find_publication(entry: Entry, kept: State) -> Publication | None:
    if not ledger.is_published_late(entry):
        return None
    value = kept.get((f"entry:{entry.number}", PUBLISHED))  # publications of older versions did not count
    return Publication() if value is None else Publication.of(value)


def _describe_publication(body: Body, _view: View = "public") -> str:
    dated = " on its date" if "dated" in body else ""
    return f"Entry #{body['entry']} published{dated}"


def _draw_publication(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Result published", [_describe_publication(shown.entry.content())])


def _find_date_audience(body: Body, before: Sequence[str]) -> str:
    return "person" if before[body["entry"]] == "person" else "staff"


def _describe_date(body: Body, _view: View = "staff") -> str:
    if body["at"] is None:
        return f"Entry #{body['entry']} no longer goes public on a date"
    return f"Entry #{body['entry']} goes public {discord.utils.format_dt(datetime.fromisoformat(body['at']), 'f')}"


def _draw_date(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Date set", [f"{_describe_date(shown.entry.content())}."])


def _describe_void(body: Body, _view: View = "public") -> str:
    what = f": {body['what']}" if "what" in body else ""  # older versions didn't say more
    return f"Entry #{body['entry']} undone{what}"


def _draw_void(shown: EntryView, view: View) -> Pages:
    body = read_body(shown.entry)
    lines = [_describe_void(body)]
    reason = shown.entry.text("reason", body)
    lines += [f"**Why:** {plain(reason)}"] if reason else []
    lines += body.get("also", []) if view == "staff" else []
    if view == "staff" and body.get("used"):
        used = join_words([f"#{number}" for number in body["used"]])
        lines.append(f"These rolls counted it and stay as they are: {used}.")
    return plain_pages(shown, "Undone", lines)


PUBLICATION = EntryKind("publication", "results", _describe_publication, _draw_publication)
PUBLICATION_DATE = EntryKind(
    "publication_date",
    _find_date_audience,
    _describe_date,
    _draw_date,
    stays="Change the date under /ledger.",
)
TAKEN_BACK = EntryKind(
    "void", ledger.audience_of_voided, _describe_void, _draw_void, stays="Use the original command again instead."
)


def list_todo(tx: Connection, _library: library.Library, viewer: visibility.Viewer) -> Iterator[Todo]:
    """Yield undone and unpublished results."""
    yield from _list_unpublished(tx, viewer)
    yield from _list_undone(tx, viewer)


def _list_undone(tx: Connection, viewer: visibility.Viewer) -> Iterator[Todo]:
    campaign = viewer.campaign
    if viewer.mine is None:
        return
    own = entries.AudienceFilter((), viewer.mine)
    made = entries.walk_back(tx, campaign.id, "roll", own, after=find_update_entry(tx, campaign.id))
    void = {roll.number: mark for roll in made if (mark := _find_undo(tx, viewer, roll)) is not None}
    if void:
        lines = [f"Entry #{number} was undone. Its result no longer counts." for number in void]
        yield Todo("Undone", few(lines[:FEW], len(lines), "/ledger"))


def _find_undo(tx: Connection, viewer: visibility.Viewer, roll: Entry) -> Mark | None:
    mark = voiding.find_mark(tx, viewer.campaign.id, roll.number) if roll.actor == viewer.mine else None
    if mark is None or mark.amended:
        return None
    by = entries.get_entries_bare(tx, viewer.campaign.id, [mark.by])[mark.by]
    return None if by.actor == viewer.mine else mark


def _list_unpublished(tx: Connection, viewer: visibility.Viewer) -> Iterator[Todo]:
    campaign = viewer.campaign
    if not viewer.person.leads(campaign):
        return
    private = entries.AudienceFilter(("mixed", "staff"), viewer.mine)
    kept, count = count_first(rolls_since(tx, campaign.id, current_update(tx, campaign.id)["number"] - 1, private))
    if kept:
        lines = few(roll_lines(tx, campaign.id, kept[:FEW]), count, "/ledger")
        buttons = [publish_button(campaign.id, roll.number, f"Publish #{roll.number}") for roll in kept[:FEW]]
        undone = tally(count, "unpublished result{s}", (f"#{roll.number}" for roll in kept))
        yield Todo("Unpublished results", lines, [buttons], undone=undone)
