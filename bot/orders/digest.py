"""The digest of an update: what its orders have come to, phase by phase, and what was decided since; the public part for all, the whole for the staff."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update, find_update_entry, open_campaign, require_on_server
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft, next_number
from bot.core.library import Library
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.records import Change, Entry, read_body
from bot.core.state import CAMPAIGN_STATE
from bot.errors import NotAsItIs
from bot.orders.additions import Illustration
from bot.orders.kinds import group_by_phase
from bot.orders.standing import StandingOrder, all_orders
from bot.outbox import store
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.entries import find_decided, summary_of
from bot.rolls.extension import Question
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.picture import ATTACHED
from bot.ui.receipt import entry_footer, plain_pages
from bot.ui.text import listing, paginate, plain
from rules.orders import Phase
from rules.phrases import counted
from rules.ruleset import RuleSet

DIGEST = "digest"
"""The kind of its entry, and the name under which the state keeps which update was told last, and up to which entry."""

OWN = "-# Your own orders: `/order list`"
"""What a digest for everybody says of what it does not tell."""

Illustrate = Callable[[Connection, Library, Campaign], Illustration | None]
"""Return what a digest shows of a campaign now; None where there is nothing to show, or it is not for everybody."""


MAX_BUTTONS = 10
"""The questions that stand as buttons in one message, what holds something back first; others move up as these are answered."""


class WaitingOrder(Struct, frozen=True):
    """An order that waits until something is answered, and why."""

    order: StandingOrder
    why: str


class Unanswered(Struct, frozen=True):
    """What waits: orders that hang on an answer, the questions of rolls, and in sentences what `holds` the end of scenes back."""

    orders: Sequence[WaitingOrder] = ()
    questions: Sequence[Question] = ()
    holds: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        """The questions, a line for each."""
        return [f"\N{BULLET} {item.line}" for item in self.questions]

    @property
    def buttons(self) -> list[ui.Button[ui.LayoutView]]:
        """The buttons that answer the first questions."""
        return [item.button for item in self.questions[:MAX_BUTTONS]]


def left_by(orders: Iterable[StandingOrder], questions: Iterable[Question]) -> list[Question]:
    """Return those of these questions that entries have left to which orders have come."""
    made = {number for item in orders for number in item.entries}
    return [item for item in questions if item.entry in made]


def waiting_lines(waiting: Sequence[WaitingOrder]) -> Iterator[str]:
    """Yield the orders that wait, and why."""
    yield from (f"\N{HOURGLASS} {plain(item.order.who.name)} is waiting: {plain(item.why)}" for item in waiting)


class DigestLine(TypedDict):
    """One result that a digest tells, in its phase, with its entry."""

    phase: str
    entry: int
    text: str


class Shown(TypedDict):
    """What a digest shows of the week: a title, lines in words, and the name of the picture's file."""

    title: str
    lines: list[str]
    picture: str


class Earlier(TypedDict):
    """The digest of the same update (its entry) that a further one follows, and the address of its post, where that is known."""

    entry: int
    link: str | None


class Digest(Struct, frozen=True):
    """A digest that was entered, with its posts."""

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]


def post_digest(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, ways: Sequence[Illustrate] = ()
) -> Digest:
    """Enter the digest of the current update, for the results channel, and the whole of it for the staff's.

    The public one is illustrated in the first of these `ways` that there is. A further one tells what is new, and leads to
    the one before; where nothing of that is public, nor its illustration shown again, the staff alone reads of it.

    Raises:
        NotOpen: there is nothing to tell that was not told before, or the campaign is archived.

    """
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id)
    require_game_master(person, campaign, "post the digest")
    update, orders = current_update(tx, campaign.id), all_orders(tx, campaign)
    before, newest = state.get_value(tx, campaign.id, CAMPAIGN_STATE, DIGEST), _newest(orders)
    decided = _decided(tx, campaign, update["number"], before["entry"] if before else 0)
    newest = max([newest, *(made.number for made in decided)])
    earlier = before if before is not None and before["update"] == update["number"] else None
    if before is not None and before["upto"] >= newest > 0:
        raise NotAsItIs(f"The digest is already posted: entry #{before['entry']}.", "Nothing new has happened since.")
    if not newest:
        raise NotAsItIs("No order of this update is resolved yet.", "Resolve orders with /update resolve.")
    every_line = list(_lines(tx, resolver, campaign, orders, earlier["upto"] if earlier else 0))
    every_line += _told_of(tx, resolver, campaign, decided)
    shared = [line for line, is_public in every_line if is_public]
    found = next((found for way in ways if (found := way(tx, resolver.library, campaign)) is not None), None)
    illustration = found if earlier is None or (found is not None and found.again) else None
    public = bool(shared) or earlier is None or illustration is not None
    left = sum(item.unresolved and not item.held for item in orders)
    asked = resolver.extension.open_questions(tx, campaign, find_now(tx, person, campaign))
    asked = left_by(orders, asked)
    body = {"update": update["name"], "lines": shared, "left": left, "asked": len(asked)}
    body |= _illustrated(illustration)
    if earlier is not None:
        told_before = earlier.get("public", earlier["entry"])  # an older version has kept none
        body |= {"earlier": Earlier(entry=told_before, link=_link(tx, campaign, told_before))}
    number = next_number(tx, campaign)
    after = {"entry": number, "update": update["number"], "upto": newest}
    after |= {"public": number if public else body["earlier"]["entry"]}
    body |= {} if public else {"audience": "staff"}
    draft = EntryDraft(DIGEST, _audience(body), body, (Change(CAMPAIGN_STATE, DIGEST, before, after),))
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    shown = EntryView(entry, campaign.name)
    told_to_staff = [*_text([line for line, _ in every_line], body, "staff"), *(f"-# {item.line}" for item in asked)]
    whole = plain_pages(shown, _title(body), told_to_staff)
    pages = _pages(shown, "public") if public else ()
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
    messages += [OutgoingMessage("whole", campaign.staff_channel_id, page) for page in whole]
    return Digest(campaign, entry, tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def is_due(tx: Connection, campaign: Campaign, book: str | None = None) -> bool:
    """Return whether orders of the current update, those of one book if it is named, have come to something that no digest has told; or something else has that it tells."""
    before = state.get_value(tx, campaign.id, CAMPAIGN_STATE, DIGEST)
    orders = [item for item in all_orders(tx, campaign) if book in {None, item.book}]
    if _newest(orders) > (before["upto"] if before is not None else 0):
        return True
    decided = _decided(tx, campaign, current_update(tx, campaign.id)["number"], before["entry"] if before else 0)
    return any(book in {None, made.content()["book"]} for made in decided)


def _newest(orders: Sequence[StandingOrder]) -> int:
    """Return the number of the newest entry to which orders have come; 0 where there is none."""
    return max(_came_to(orders), default=0)


def _came_to(orders: Sequence[StandingOrder]) -> set[int]:
    return {number for item in orders for number in item.entries}


def _link(tx: Connection, campaign: Campaign, number: int) -> str | None:
    """Return the address of the public post of a digest (its entry), as far as it is posted."""
    posts = (post for post in store.posts_of_entry(tx, campaign.id, number) if post.kind == "results")
    return next(filter(None, (post.link(campaign.guild_id) for post in posts)), None)


def _lines(
    tx: Connection, resolver: Resolver, campaign: Campaign, orders: Sequence[StandingOrder], upto: int
) -> Iterator[tuple[DigestLine, bool]]:
    """Yield each result that orders have come to after an entry, in the order of the phases, and whether it is for all; of a private roll nothing."""
    new = {number for number in _came_to(orders) if number > upto}
    made = entries.get_entries_bare(tx, campaign.id, new)
    for book in resolver.library.played(tx, campaign):
        for phase, number in _done(book, orders):
            if number not in made or made[number].audience == "person":
                continue
            public = made[number].audience in {"results", "mixed"}
            for text in resolver.kinds.results(made[number], read_body(made[number]), "public" if public else "staff"):
                yield DigestLine(phase=phase.label, entry=number, text=text), public


def _decided(tx: Connection, campaign: Campaign, update: int, upto: int) -> list[Entry]:
    """Return the rolls that have decided something after an entry and no digest has told, of this update (its number) and of the one before it."""
    began = find_update_entry(tx, campaign.id, max(update - 1, 1))
    return find_decided(tx, campaign, range(max(began, upto) + 1, next_number(tx, campaign)))


def _told_of(
    tx: Connection, resolver: Resolver, campaign: Campaign, decided: Sequence[Entry]
) -> Iterator[tuple[DigestLine, bool]]:
    """Yield what rolls have decided, and whether it is for all; of a private one nothing."""
    books = {book.id: book for book in resolver.library.played(tx, campaign)}
    for made in decided:
        body = read_body(made)
        if body["book"] not in books or made.audience == "person":
            continue
        phases = books[body["book"]].listed(Phase)
        for part in body["parts"]:
            found = summary_of(part)
            if found is not None and found["lines"]:
                text = plain(" ".join(found["lines"]))
                line = DigestLine(phase=phases[found["phase"]].label, entry=made.number, text=text)
                yield line, made.audience == "results" or (made.audience, part["audience"]) == ("mixed", "results")


def _done(book: RuleSet, orders: Sequence[StandingOrder]) -> Iterator[tuple[Phase, int]]:
    for phase in book.listed(Phase).values():
        numbers = {number for item in orders if item.book == book.id for number in item.in_phase(phase.id)}
        yield from ((phase, number) for number in sorted(numbers))


def _text(lines: Sequence[DigestLine], body: Body, view: View) -> Iterator[str]:
    yield from group_by_phase(
        (line["phase"], f"\N{BULLET} {line['text']}{_ends(lines, place)}") for place, line in enumerate(lines)
    )
    if not lines:
        yield "No public results this update." if view == "public" else "No new results."
    waits = (("open order", body["left"]), ("question", body.get("asked", 0)))  # an older version counted no questions
    left = [f"{count} {what}{'s' if count > 1 else ''}" for what, count in waits if count]
    if left and view == "staff":
        yield f"-# Needs you: {listing(left)}"
    if "earlier" in body:
        number, link = body["earlier"]["entry"], body["earlier"]["link"]
        yield f"-# Earlier results: {f'[entry #{number}]({link})' if link else f'entry #{number}'}."


def _ends(lines: Sequence[DigestLine], place: int) -> str:
    """Return the number of a line's entry, where no further line of it follows."""
    line, behind = lines[place], lines[place + 1 : place + 2]
    return (
        ""
        if any((each["phase"], each["entry"]) == (line["phase"], line["entry"]) for each in behind)
        else f" (#{line['entry']})"
    )


def _title(body: Mapping[str, object]) -> str:
    return f"{'More results' if 'earlier' in body else 'Results'}: {plain(str(body['update']))}"


def _illustrated(found: Illustration | None) -> dict[str, object]:
    """Return what the body of a digest keeps of its illustration."""
    if found is None:
        return {}
    shown = Shown(title=found.title, lines=list(found.lines), picture=found.picture)
    return {"shown": shown, **found.drawn_from}


def _pages(shown: EntryView, view: View) -> Pages:
    """Return what is told phase by phase, and below it the week in words and as a picture."""
    body = shown.entry.content()
    pages = plain_pages(shown, _title(body), [*_text(body["lines"], body, view), *([OWN] if view == "public" else [])])
    if "shown" not in body:
        return pages
    week: Shown = body["shown"]
    below = discord.Embed(title=week["title"], description="\n".join(week["lines"]), colour=COLOURS["neutral"])
    below.set_image(url=f"{ATTACHED}{week['picture']}").set_footer(text=entry_footer(shown))
    return paginate([*(embed for page in pages for embed in page), below])


def _sentence(body: Body, _view: View = "public") -> str:
    return f"Digest of {plain(body['update'])}: {counted(len(body['lines']), 'public results')}"


def _audience(body: Body, _before: Sequence[str] = ()) -> str:
    """Return whom a digest is for: everybody, unless it is kept of it that nothing in it is for all."""
    audience: str = body.get("audience", "results")
    return audience


DIGEST_ENTRY = EntryKind(DIGEST, _audience, _sentence, _pages)
