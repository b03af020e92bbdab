"""Undo entries with all that depends on them, and strike their posts through."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries, errors, ledger, permissions, state, voiding
from bot.core.campaigns import Campaign, find_called, open_campaign, require_on_server
from bot.core.permissions import Person
from bot.core.records import Entry, read_body
from bot.outbox import queue as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import SHOWS, OutgoingMessage, Pings, Post, PostKind
from bot.rolls import embed, entry_body
from bot.rolls.resolver import Resolver
from bot.ui import parsing, receipt, text


class _Reviser(Protocol):
    """What replaces a post's embeds: the outbox."""

    def revise(self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool = False) -> Post: ...


def restyle_posts(  # noqa: PLR0913, PLR0917 - whose posts, how they are shown and queued, and what is said of them
    tx: Connection,
    outbox: _Reviser,
    kinds: ledger.EntryKinds,
    campaign: Campaign,
    entry: Entry,
    links: Mapping[ledger.View, str] | None = None,
    *,
    unnamed: str | None = None,
) -> Iterator[Post]:
    """Queue edits of an entry's posts to its present state. `links` lead to its replacement; `unnamed` isn't named."""
    value = state.get_value(tx, campaign.id, f"entry:{entry.number}", state.PUBLISHED)
    published = ledger.Publication.of(value) if value else ledger.Publication()
    done = f"Published by #{value['by']}" if value else None
    people = entries.find_users(tx, campaign.id, {entry.actor, *entry_body.find_rollers(entry).values()} - {unnamed})
    mark = voiding.find_mark(tx, campaign.id, entry.number)
    for post in posts.posts_of_entry(tx, campaign.id, entry.number):
        view = "staff" if post.kind == "notice" and post.topic else SHOWS.get(post.kind)
        if view is None:
            continue
        if post.kind == "published" and not value and entry.audience != "results":
            embed = discord.Embed(title=f"Entry #{entry.number} is no longer public", colour=text.COLOURS["neutral"])
            yield outbox.revise(tx, post, [embed.set_footer(text=campaign.name)])
            continue
        shown = ledger.EntryView(entry, campaign.name, published if post.kind == "published" else None, mark, people)
        said = done if mark is None and view == "staff" else None
        pages = receipt.strike_pages(kinds.pages(shown, view), mark, (links or {}).get(view))
        if said is not None:
            pages = [[page[0].copy().set_author(name=said), *page[1:]] for page in pages]
        if post.page <= len(pages):
            yield outbox.revise(tx, post, pages[post.page - 1], buttons=mark is None and said is None)


PUBLIC = frozenset({"results", "mixed"})
TAKEN_BACK = "Something about them, or something you saw, was undone. See `/update show`."
PRIVATE = "A private roll"


class VoidOrder(Struct, frozen=True):
    """Which entry to undo and why. `upto` is the newest later entry undone too, 0 for none."""

    number: int
    reason: str
    upto: int = 0


class VoidPlan(Struct, frozen=True):
    """Entries to undo, newest first, and later rolls that counted them and stay."""

    campaign: Campaign
    chain: tuple[Entry, ...]
    sentences: tuple[str, ...]
    used: tuple[int, ...]

    @property
    def upto(self) -> int:
        """The newest later entry's number, 0 if none."""
        return self.chain[0].number if len(self.chain) > 1 else 0


class UndoResult(Struct, frozen=True):
    """Undone entries with their voids, newest first, the rolls that counted them, and posts."""

    campaign: Campaign
    pairs: tuple[tuple[Entry, Entry], ...]
    used: tuple[int, ...]
    posts: tuple[Post, ...]

    @property
    def again(self) -> list[int]:
        """Entries that are valid again."""
        return list(_find_valid_again(self.pairs).values())


def plan(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, number: int) -> VoidPlan:
    """Return what an undo includes. NotOpen if it can't be undone. Another's private roll stays private."""
    entry = voiding.find_valid_entry(tx, person, campaign, number, "undo entries", hidden=True)
    return plan_of(tx, resolver, person, campaign, entry)


def plan_of(  # noqa: PLR0913 - who looks for what, where and why
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, entry: Entry, *, amended: bool = False
) -> VoidPlan:
    """Return what undoing an entry includes; if `amended`, what amending it undoes."""
    whole = voiding.find_withdrawal(tx, campaign, entry, resolver.extension.hangs_on, amended=amended)
    _require_voidable(tx, resolver, campaign, whole)
    mine = campaigns.find_pseudonym(tx, campaign.id, person.user_id)
    sentences = (
        voiding.HIDDEN if voiding.is_hidden(item, mine) else resolver.kinds.sentence(item, "staff")
        for item in whole.chain
    )
    return VoidPlan(campaign, whole.chain, tuple(sentences), whole.used)


def undo(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, order: VoidOrder) -> UndoResult:
    """Undo an entry, and later ones that were agreed to."""
    require_on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    planned = plan(tx, resolver, person, campaign, order.number)
    why = require_agreed(planned, order, "Nothing was undone. Press Undo again.")
    return void_all(tx, resolver, person, planned, why)


def require_agreed(planned: VoidPlan, order: VoidOrder, do: str) -> str:
    """Return the reason. Refuse if the plan changed; `do` says what to do then."""
    why = parsing.parse_text(order.reason, "reason")
    if why is None:
        raise errors.BadInput("The reason is missing.", "Write one. It goes into the ledger.")
    if planned.upto != order.upto:
        since = f"with entry #{planned.upto}" if planned.upto else "again"
        raise errors.NotOpen(f"Entry #{order.number} changed {since} since you looked.", do)
    return why


def void_all(tx: Connection, resolver: Resolver, person: Person, planned: VoidPlan, why: str) -> UndoResult:
    """Enter the voids of a plan, newest first, and queue the messages."""
    campaign = planned.campaign
    by = (resolver.ledger, resolver.kinds, campaign, person.user_id)
    limits = partial(resolver.library.list_limits, tx, campaign)
    voids = (
        voiding.VoidDraft(item, why, planned.used, _follow_up(tx, resolver, campaign, item), limits)
        for item in planned.chain
    )
    pairs = tuple((void.entry, voiding.enter_void(tx, *by, void)) for void in voids)
    notices = _list_notices(tx, resolver.outbox, campaign, person, pairs)
    struck_through = (post for pair in pairs for post in _strike_posts(tx, resolver, campaign, pair))
    posts = (*notices, *struck_through, *_ping(tx, resolver, campaign, planned.chain, person))
    posts += tuple(post for _, void in pairs[-1:] for post in resolver.extension.follow(tx, resolver, campaign, void))
    return UndoResult(campaign, pairs, planned.used, posts)


def _ping(
    tx: Connection, resolver: Resolver, campaign: Campaign, chain: Sequence[Entry], person: Person
) -> Sequence[Post]:
    makers = {entry.actor for entry in chain if entry.kind == "roll" and entry.audience == "maker"}
    users = {*find_called(tx, campaign, makers, person.user_id)}
    for entry in chain:
        if entry.audience != "person":
            users |= {*embed.find_owners(tx, campaign, entry, person.user_id).users}
    messages = embed.make_news(campaign, Pings(users=tuple(sorted(users))), TAKEN_BACK)
    return resolver.outbox.queue(tx, campaign.id, None, messages)


def _follow_up(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> dict[str, object]:
    rules = resolver.extension.of_entry(campaign, entry).voided
    return {name: kept for rule in rules for name, kept in rule(tx, campaign, entry).items()}


def describe_voids(shown: Sequence[ledger.EntryView], held: Mapping[int, int], user_id: int) -> list[discord.Embed]:
    """Describe voids entered together. `held` are entries valid again, by what had amended them."""
    last = shown[-1]
    void = [read_body(item.entry) for item in shown]
    if len(void) == 1:
        title, lines = f"Entry #{void[0]['entry']} undone", [_describe_undone(last)]
    else:
        title = f"{len(void)} entries undone"
        lines = [f"**#{body['entry']}** {_describe_undone(item)}" for item, body in zip(shown, void, strict=True)]
    lines += [f"Entry #{number} is valid again (#{by} had amended it)." for by, number in held.items()]
    lines += [f"**Why:** {text.plain(last.entry.text('reason') or 'erased')}", f"Undone by <@{user_id}>."]
    return text.fit_embeds(title, lines, colour=text.COLOURS["failure"], footer=receipt.entry_footer(last))


def _describe_undone(taken: ledger.EntryView) -> str:
    return PRIVATE if taken.entry.audience == "person" else read_body(taken.entry)["what"]


def _notice_again(last: ledger.EntryView, held: Mapping[int, int], user_id: int) -> list[discord.Embed]:
    numbers = text.join_words([f"#{number}" for number in held.values()])
    title = f"Entry {numbers} is valid again" if len(held) == 1 else f"Entries {numbers} are valid again"
    lines = [f"<@{user_id}> undid #{by}, which had amended #{number}." for by, number in held.items()]
    return text.fit_embeds(title, lines, colour=text.COLOURS["neutral"], footer=receipt.entry_footer(last))


def _find_valid_again(pairs: Sequence[tuple[Entry, Entry]]) -> dict[int, int]:
    void = {entry.number for entry, _ in pairs}
    amended = {entry.number: taken.content().get("again") for entry, taken in pairs}
    return {by: number for by, number in amended.items() if number is not None and number not in void}


def _require_voidable(tx: Connection, resolver: Resolver, campaign: Campaign, whole: voiding.UndoSet) -> None:
    number = whole.chain[-1].number
    for item in whole.chain:
        stays = resolver.kinds.of(item.kind, item.content()).stays
        if stays is not None:
            since = "" if item.number == number else f": entry #{item.number} changed it later and can't be undone"
            raise errors.NotAsItIs(f"Entry #{number} can't be undone{since}.", stays)
    for rule in resolver.extension.voidable:
        rule(tx, resolver, campaign, whole.after())


def _list_notices(
    tx: Connection, outbox: Outbox, campaign: Campaign, person: Person, pairs: Sequence[tuple[Entry, Entry]]
) -> Iterator[Post]:
    # Readers of an entry that is valid again learn that, whether or not they knew its amendment.
    homes = {entry.audience: permissions.find_channel(tx, campaign.id, entry.audience) for entry, _ in pairs}
    housed = {audience: channel for audience, channel in homes.items() if channel is not None}
    told_to: list[tuple[PostKind, int, frozenset[str]]] = [
        ("results", campaign.results_channel_id, PUBLIC),
        *(("group", channel, frozenset({audience})) for audience, channel in housed.items()),
        ("notice", campaign.staff_channel_id, frozenset({"staff", "maker", "person", *homes}) - PUBLIC - housed.keys()),
    ]
    held = _find_valid_again(pairs)
    amended = entries.get_entries(tx, campaign.id, held.values())
    for kind, channel, audiences in told_to:
        void = {entry.number for entry, _ in pairs if entry.audience in audiences}
        staff = void if kind == "notice" else ()
        again = {by: old for by, old in held.items() if by in staff or amended[old].audience in audiences}
        concerned = [ledger.EntryView(by, campaign.name) for entry, by in pairs if entry.number in {*void, *again}]
        if not concerned:
            continue
        last, voids = concerned[-1], [item for item in concerned if item.entry.content()["entry"] in void]
        embeds = describe_voids(voids, again, person.user_id) if voids else _notice_again(last, again, person.user_id)
        messages = [OutgoingMessage(kind, channel, page) for page in text.paginate(embeds)]
        yield from outbox.queue(tx, campaign.id, last.entry.number, messages)


def _strike_posts(tx: Connection, resolver: Resolver, campaign: Campaign, pair: tuple[Entry, Entry]) -> Iterator[Post]:
    entry, _ = pair
    yield from restyle_posts(tx, resolver.outbox, resolver.kinds, campaign, entry)
    yield from (
        post
        for rule in resolver.extension.of_entry(campaign, entry).unsaid
        for post in rule(tx, resolver, campaign, entry)
    )
    amended = entries.get_entry(tx, campaign.id, entry.content().get("amends", 0))
    if amended is not None and voiding.find_mark(tx, campaign.id, amended.number) is None:  # it's valid again
        yield from restyle_posts(tx, resolver.outbox, resolver.kinds, campaign, amended)
