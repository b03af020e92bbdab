"""Take entries back, with all that goes along; their posts are struck through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, permissions, state, voiding
from bot.core.campaigns import PLAYERS, Campaign, open_campaign, require_on_server
from bot.core.entry_kinds import EntryKinds, EntryView, Publication, View
from bot.core.permissions import Person
from bot.core.records import Entry, read_body
from bot.core.state import PUBLISHED
from bot.core.voiding import Voiding, Withdrawal
from bot.errors import BadInput, NotAsItIs, NotOpen
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage, Pings
from bot.outbox.store import SHOWS, Post, PostKind
from bot.rolls import news
from bot.rolls.entry_body import rollers
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer, head_pages, strike_pages
from bot.ui.text import fit_embeds, listing, paginate, plain


def _withdrawn(entry: Entry, campaign: Campaign) -> discord.Embed:
    """Return what is left in public of a result that is no longer public."""
    embed = discord.Embed(title=f"Entry #{entry.number} is no longer public", colour=COLOURS["neutral"])
    return embed.set_footer(text=campaign.name)


class Reviser(Protocol):
    """What replaces the embeds of a post and drops its buttons or not: the outbox."""

    def revise(self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool = False) -> Post:
        """Return the post as it is to be sent by the caller after the commit."""
        ...


def restyle_posts(  # noqa: PLR0913, PLR0917 - whose posts, how they are shown and queued, and what is said of them
    tx: Connection,
    outbox: Reviser,
    kinds: EntryKinds,
    campaign: Campaign,
    entry: Entry,
    links: Mapping[View, str] | None = None,
    *,
    unnamed: str | None = None,
) -> Iterator[Post]:
    """Queue the messages of an entry anew as it stands now: as it was, or struck through with what took its place.

    `links` lead to the message of that, by the view of the message that is struck through. What the staff has of an entry
    that is public by now says so, and has no buttons any more. `unnamed` is the pseudonym of somebody who is not named any more.
    """
    value = state.get_value(tx, campaign.id, f"entry:{entry.number}", PUBLISHED)
    published = Publication.of(value) if value else Publication()
    done = f"Published by #{value['by']}" if value else None
    people = entries.find_users(tx, campaign.id, {entry.actor, *rollers(entry).values()} - {unnamed})
    mark = voiding.find_mark(tx, campaign.id, entry.number)
    for post in posts.posts_of_entry(tx, campaign.id, entry.number):
        view = "staff" if post.kind == "notice" and post.topic else SHOWS.get(post.kind)
        if view is None:
            continue
        if post.kind == "published" and not value and entry.audience != "results":
            yield outbox.revise(tx, post, [_withdrawn(entry, campaign)])
            continue
        shown = EntryView(entry, campaign.name, published if post.kind == "published" else None, mark, people)
        said = done if mark is None and view == "staff" else None
        pages = head_pages(strike_pages(kinds.pages(shown, view), mark, (links or {}).get(view)), said)
        if post.page <= len(pages):
            yield outbox.revise(tx, post, pages[post.page - 1], buttons=mark is None and said is None)


PUBLIC = frozenset({"results", "mixed"})
"""The audiences of entries that everybody knows of."""

MAKERS = frozenset({"maker", "person"})
"""The audiences of rolls whose outcome their maker was shown privately."""

TAKEN_BACK = "Something about them, or something you saw, was undone. See `/update show`."

PRIVATE = "A private roll"
"""What the staff is told of an entry for one person's eyes: that it was taken back, and by whom, is no secret."""


class VoidOrder(Struct, frozen=True):
    """Which entry is to be taken back, and why; `upto` is the newest of those on top of it that go with it, 0 for none."""

    number: int
    reason: str
    upto: int = 0


class VoidPlan(Struct, frozen=True):
    """What is taken back together, newest first, each in a sentence; and the later rolls that counted it, which stay."""

    campaign: Campaign
    chain: tuple[Entry, ...]
    sentences: tuple[str, ...]
    used: tuple[int, ...]

    @property
    def upto(self) -> int:
        """The number of the newest entry on top, 0 where there is none."""
        return self.chain[0].number if len(self.chain) > 1 else 0


class TakenBack(Struct, frozen=True):
    """Entries that were taken back, each with the entry that says so, newest first; the rolls that counted them; the posts."""

    campaign: Campaign
    pairs: tuple[tuple[Entry, Entry], ...]
    used: tuple[int, ...]
    posts: tuple[Post, ...]

    @property
    def again(self) -> list[int]:
        """The numbers of the entries that hold again, since what amended them is void."""
        return list(_valid_again(self.pairs).values())


def plan(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, number: int) -> VoidPlan:
    """Return what would be taken back with an entry, before a person agrees to it; of another's private roll not what it was.

    Raises:
        NotOpen: it is void already, its kind stays, or the campaign is archived.

    """
    entry = voiding.find_standing_entry(tx, person, campaign, number, "undo entries", hidden=True)
    return plan_of(tx, resolver, person, campaign, entry)


def plan_of(  # noqa: PLR0913 - who looks for what, where and why
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, entry: Entry, *, amended: bool = False
) -> VoidPlan:
    """Return what would be taken back with an entry that was found for a person; or only `amended`, for that."""
    whole = voiding.find_withdrawal(tx, campaign, entry, resolver.extension.hangs_on, amended=amended)
    _require_voidable(tx, resolver, campaign, whole)
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    sentences = (
        voiding.HIDDEN if voiding.is_hidden(item, mine) else resolver.kinds.sentence(item, "staff")
        for item in whole.chain
    )
    return VoidPlan(campaign, whole.chain, tuple(sentences), whole.used)


def take_back(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, order: VoidOrder) -> TakenBack:
    """Take an entry back, and those on top of it that were agreed to."""
    require_on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    planned = plan(tx, resolver, person, campaign, order.number)
    why = require_agreed(planned, order, "Nothing was undone. Press Undo again.")
    return void_all(tx, resolver, person, planned, why)


def require_agreed(planned: VoidPlan, order: VoidOrder, do: str) -> str:
    """Return the reason for what was agreed to; `do` is what to do when it is not what was planned."""
    why = parsing.text(order.reason, "reason")
    if why is None:
        raise BadInput("The reason is missing.", "Write one. It goes into the ledger.")
    if planned.upto != order.upto:
        since = f"with entry #{planned.upto}" if planned.upto else "again"
        raise NotOpen(f"Entry #{order.number} changed {since} since you looked.", do)
    return why


def void_all(tx: Connection, resolver: Resolver, person: Person, planned: VoidPlan, why: str) -> TakenBack:
    """Enter that the entries of a plan are void, newest first, and queue what their channels are told."""
    campaign = planned.campaign
    by = (resolver.ledger, resolver.kinds, campaign, person.user_id)
    voids = (Voiding(item, why, planned.used, _follow_up(tx, resolver, campaign, item)) for item in planned.chain)
    pairs = tuple((void.entry, voiding.enter_void(tx, *by, void)) for void in voids)
    notices = _notices(tx, resolver.outbox, campaign, person, pairs)
    struck_through = (post for pair in pairs for post in _strike_posts(tx, resolver, campaign, pair))
    posts = (*notices, *struck_through, *_pinged(tx, resolver, campaign, planned.chain, person))
    posts += tuple(post for rule in resolver.extension.after_void for post in rule(tx, resolver, campaign))
    return TakenBack(campaign, pairs, planned.used, posts)


def _pinged(
    tx: Connection, resolver: Resolver, campaign: Campaign, chain: Sequence[Entry], person: Person
) -> Sequence[Post]:
    """Queue what pings those who were shown a result that another person took back, and those who own somebody in it.

    Players are pinged where the campaign lets them be; what was for one person's eyes concerns that person alone.
    """
    makers = {entry.actor for entry in chain if entry.kind == "roll" and entry.audience in MAKERS}
    users = {*entries.find_users(tx, campaign.id, makers).values()} if campaign.may_ping(PLAYERS) else set()
    for entry in chain:
        if entry.audience != "person":
            users |= {*news.owners(tx, campaign, entry).users}
    messages = news.news(campaign, Pings(users=tuple(sorted(users - {person.user_id}))), TAKEN_BACK)
    return resolver.outbox.queue(tx, campaign.id, None, messages)


def _follow_up(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> dict[str, object]:
    """Do what features have follow when an entry is taken back; return what its void keeps of that."""
    rules = resolver.extension.of_entry(campaign, entry).voided
    return {name: kept for rule in rules for name, kept in rule(tx, campaign, entry).items()}


def notice(shown: Sequence[EntryView], held: Mapping[int, int], user_id: int) -> list[discord.Embed]:
    """Return what people are told of entries that took others back together: which, what those were, who and why.

    `held` are the entries that hold again, by the number of what amended them.
    """
    last = shown[-1]
    void = [read_body(item.entry) for item in shown]
    if len(void) == 1:
        title, lines = f"Entry #{void[0]['entry']} undone", [_describe_undone(last)]
    else:
        title = f"{len(void)} entries undone"
        lines = [f"**#{body['entry']}** {_describe_undone(item)}" for item, body in zip(shown, void, strict=True)]
    lines += [f"Entry #{number} is valid again (#{by} had amended it)." for by, number in held.items()]
    lines += [f"**Why:** {plain(last.entry.text('reason') or 'erased')}", f"Undone by <@{user_id}>."]
    return fit_embeds(title, lines, colour=COLOURS["failure"], footer=entry_footer(last))


def _describe_undone(taken: EntryView) -> str:
    """Return what an entry was that another one took back."""
    return PRIVATE if taken.entry.audience == "person" else read_body(taken.entry)["what"]


def notice_again(last: EntryView, held: Mapping[int, int], user_id: int) -> list[discord.Embed]:
    """Return what people are told who know of entries that hold again, and not of what had amended them: only that they do.

    `last` is an entry that took back what amended one; `held` is as for `notice`.
    """
    numbers = listing([f"#{number}" for number in held.values()])
    title = f"Entry {numbers} is valid again" if len(held) == 1 else f"Entries {numbers} are valid again"
    lines = [f"<@{user_id}> undid #{by}, which had amended #{number}." for by, number in held.items()]
    return fit_embeds(title, lines, colour=COLOURS["neutral"], footer=entry_footer(last))


def _valid_again(pairs: Sequence[tuple[Entry, Entry]]) -> dict[int, int]:
    """Return the entries that hold again, since what amended them is void, by the number of that."""
    void = {entry.number for entry, _ in pairs}
    amended = {entry.number: taken.content().get("again") for entry, taken in pairs}
    return {by: number for by, number in amended.items() if number is not None and number not in void}


def _require_voidable(tx: Connection, resolver: Resolver, campaign: Campaign, whole: Withdrawal) -> None:
    """Refuse where one of the entries stays, or where what they leave behind would not fit together."""
    number = whole.chain[-1].number
    for item in whole.chain:
        stays = resolver.kinds.of(item.kind, item.content()).stays
        if stays is not None:
            since = "" if item.number == number else f": entry #{item.number} changed it later and can't be undone"
            raise NotAsItIs(f"Entry #{number} can't be undone{since}.", stays)
    for rule in resolver.extension.voidable:
        rule(tx, resolver, campaign, whole.after())


def _notices(
    tx: Connection, outbox: Outbox, campaign: Campaign, person: Person, pairs: Sequence[tuple[Entry, Entry]]
) -> Iterator[Post]:
    """Queue one notice of all entries that everybody knew of, one for each group of its own, and one of all others, for the staff.

    Who knew of an entry that holds again is told so, whoever knew of what had amended it; nobody else is, but the staff.
    """
    homes = {entry.audience: permissions.find_channel(tx, campaign.id, entry.audience) for entry, _ in pairs}
    housed = {audience: channel for audience, channel in homes.items() if channel is not None}
    told_to: list[tuple[PostKind, int, frozenset[str]]] = [
        ("results", campaign.results_channel_id, PUBLIC),
        *(("group", channel, frozenset({audience})) for audience, channel in housed.items()),
        ("notice", campaign.staff_channel_id, frozenset({"staff", "maker", "person", *homes}) - PUBLIC - housed.keys()),
    ]
    held = _valid_again(pairs)
    amended = entries.get_entries(tx, campaign.id, held.values())
    for kind, channel, audiences in told_to:
        void = {entry.number for entry, _ in pairs if entry.audience in audiences}
        staff = void if kind == "notice" else ()
        again = {by: old for by, old in held.items() if by in staff or amended[old].audience in audiences}
        concerned = [EntryView(by, campaign.name) for entry, by in pairs if entry.number in {*void, *again}]
        if not concerned:
            continue
        last, voids = concerned[-1], [item for item in concerned if item.entry.content()["entry"] in void]
        embeds = notice(voids, again, person.user_id) if voids else notice_again(last, again, person.user_id)
        messages = [OutgoingMessage(kind, channel, page) for page in paginate(embeds)]
        yield from outbox.queue(tx, campaign.id, last.entry.number, messages)


def _strike_posts(tx: Connection, resolver: Resolver, campaign: Campaign, pair: tuple[Entry, Entry]) -> Iterator[Post]:
    """Queue the messages of one entry that was taken back, struck through; those of one that it amended, as they were."""
    entry, _ = pair
    yield from restyle_posts(tx, resolver.outbox, resolver.kinds, campaign, entry)
    yield from (
        post
        for rule in resolver.extension.of_entry(campaign, entry).unsaid
        for post in rule(tx, resolver, campaign, entry)
    )
    amended = entries.get_entry(tx, campaign.id, entry.content().get("amends", 0))
    if amended is not None and voiding.find_mark(tx, campaign.id, amended.number) is None:  # it stands again
        yield from restyle_posts(tx, resolver.outbox, resolver.kinds, campaign, amended)
