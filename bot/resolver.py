"""The shared resolver: the one way by which a roll is made, whoever asks.

One write transaction takes the number, draws the faces, resolves, chains the entry, records the consequences and queues
the posts. What is not committed was never rolled; what is committed is never lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import discord
from sqlalchemy import Connection

from bot import consequences
from bot.account import account, entry_audience, texts
from bot.embeds.result import Shown, result_pages
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.ledger import Randomness, Statement, enter
from bot.posts import Letter, Outbox
from bot.request import PartRequest, RollRequest, part_keys, unit
from bot.situation import EFFECT, Scene, Situation, lasts
from bot.store import campaigns, entries, states
from bot.store.campaigns import Campaign
from bot.store.database import Database
from bot.store.posts import Post
from bot.store.records import Change, Entry
from rules.book import Book
from rules.dice import Dice
from rules.dump import canonical_book
from rules.engine import Part, Procedure, Request, Weighed, ready, resolve, stages
from rules.facts import Facts, Origin
from rules.modifiers import Considered
from rules.odds import Chance, part_odds

CAMPAIGN_STATE = "campaign"
UPDATE = "update"


@dataclass(frozen=True)
class PartPreview:
    """One part before its roll: every stage weighed, and the exact odds of what it can come to."""

    part: Part
    procedure: Procedure
    book: Book

    @cached_property
    def stages(self) -> tuple[Weighed, ...]:
        """Every stage that the part can come through, weighed."""
        return stages(self.part, self.procedure, self.book)

    @cached_property
    def odds(self) -> tuple[Chance, ...]:
        """The exact odds of everything that the part can come to."""
        return part_odds(self.part, self.procedure, self.book)

    @cached_property
    def considered(self) -> dict[str, Considered]:
        """Every modifier of every stage by id; the counted line first where an id stands on two tables."""
        found: dict[str, Considered] = {}
        for item in (item for stage in self.stages for item in stage.considered):
            if item.modifier.id not in found or item.counted:
                found[item.modifier.id] = item
        return found

    def counted(self, tick: str) -> int:
        """How often a modifier counts, or 1 for a bare fact that is known."""
        item = self.considered.get(tick)
        return item.count if item is not None else int(tick in self.part.facts)

    def origin(self, tick: str) -> Origin | None:
        """From where it is known what switches a modifier or bare fact on."""
        item = self.considered.get(tick)
        if item is not None:
            return item.origin if item.counted else None
        return self.part.facts[tick].origin if tick in self.part.facts else None

    def ticked(self, told: Sequence[str]) -> list[str]:
        """What counts, as `id*count`, for telling whether anything has changed since it was shown."""
        ticks = {name: item.count for name, item in self.considered.items() if item.counted}
        ticks |= {fact: 1 for fact in told if fact in self.part.facts}
        adjusted = [f"{item.value:+d} {item.reason}" for stage in self.stages for item in stage.adjustments]
        return [f"{name}*{count}" for name, count in sorted(ticks.items())] + adjusted


@dataclass(frozen=True, slots=True)
class Preview:
    """A roll before its dice: its procedure, what is known of each part, and what asks for a game master's reason."""

    request: RollRequest
    procedure: Procedure
    book: Book
    known: tuple[Facts, ...]
    parts: tuple[PartPreview, ...]
    asks_reason: str | None
    update: Mapping[str, Any]

    def revised(self, request: RollRequest) -> Preview:
        """The same situation with other ticks, answers or adjustments; who, whom and where are as before.

        Raises:
            RollError: the roll cannot be made as asked.

        """
        return replace(self, request=request, parts=_weigh(request, self.procedure, self.book, self.known))


@dataclass(frozen=True, slots=True)
class Order:
    """A roll to be made: for which campaign, by whom, and what must still hold when its turn comes.

    `before` runs in the transaction ahead of the dice and raises to stop the roll; `after` runs in it behind the entry.
    """

    campaign_id: int
    user_id: int
    request: RollRequest
    before: Callable[[Connection], None] | None = None
    after: Callable[[Connection, Entry], None] | None = None


@dataclass(frozen=True, slots=True)
class Rolled:
    """A roll that is made and committed: its entry and the posts that are still to be sent."""

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]


class Resolver:
    """Previews and makes rolls."""

    def __init__(  # noqa: PLR0913 - every collaborator is handed in by name
        self,
        database: Database,
        books: Mapping[str, Book],
        *,
        dice: Dice,
        situation: Situation,
        outbox: Outbox,
        clock: Callable[[], datetime],
        randomness: Randomness,
    ) -> None:
        self._database = database
        self._books = books
        self._dice = dice
        self._situation = situation
        self._outbox = outbox
        self._clock = clock
        self._randomness = randomness

    def book(self, campaign: Campaign, book_id: str) -> Book:
        """A book that the campaign plays by.

        Raises:
            BadInput: it does not.

        """
        if book_id not in campaign.books or book_id not in self._books:
            raise BadInput(
                f"{campaign.name} does not play by the book {book_id!r}.",
                "A game master can switch it on with /campaign edit books.",
            )
        return self._books[book_id]

    def preview(self, tx: Connection, campaign: Campaign, request: RollRequest, *, secrets: bool = True) -> Preview:
        """Everything that can be said of a roll before its dice.

        Raises:
            RollError: the roll cannot be made as asked.

        """
        book = self.book(campaign, request.book)
        procedure = book.procedure(request.family)
        held = _remembered(tx, campaign.id, request, procedure)
        update = held[CAMPAIGN_STATE, UPDATE]
        scenes = [Scene(campaign, book, part.subjects, request.region, update["number"]) for part in request.parts]
        known = tuple(self._situation.facts(tx, scene, secrets=secrets) for scene in scenes)
        asks = _asks_reason(held, request, procedure, update["number"])
        return Preview(request, procedure, book, known, _weigh(request, procedure, book, known), asks, update)

    async def roll(self, order: Order) -> Rolled:
        """Make a roll, in one transaction.

        Raises:
            UserError, RollError: it cannot be made as asked; nothing has been rolled or written.

        """
        return await self._database.write(lambda tx: self.enter(tx, order))

    def enter(self, tx: Connection, order: Order) -> Rolled:
        """Make a roll in the caller's write transaction; a refusal comes before anything is drawn or written."""
        campaign = open_campaign(tx, order.campaign_id)
        preview = self.preview(tx, campaign, order.request)
        if order.before is not None:
            order.before(tx)
        if preview.asks_reason and not order.request.reason:
            raise NeedsReason(preview.asks_reason, "Give a reason, and I roll all the same.")
        entry = self._enter(tx, campaign, order, preview)
        queued = self._outbox.queue(tx, campaign.id, entry.number, letters(campaign, entry))
        if order.after is not None:
            order.after(tx, entry)
        return Rolled(campaign, entry, tuple(queued))

    def _enter(self, tx: Connection, campaign: Campaign, order: Order, preview: Preview) -> Entry:
        request, book = preview.request, preview.book
        rolled = resolve(Request(request.family, tuple(item.part for item in preview.parts)), book, self._dice)
        link = entries.newest(tx, campaign.id, campaign.uuid)
        moment = consequences.Moment(link.number + 1, preview.update["number"])
        made = consequences.effects(rolled, preview.procedure, moment)
        before = states.named(tx, campaign.id, {key[0] for key in made}, {key[1] for key in made})
        body = account(request, preview.procedure, rolled, dict(preview.update))
        statement = Statement(
            kind="roll",
            body=body,
            changes=tuple(Change(*key, before.get(key), value) for key, value in made.items()),
            texts=texts(request),
            book=book.fingerprint,
            audience=entry_audience(body),
        )
        entries.keep_book(tx, campaign.id, book.fingerprint, book.id, lambda: canonical_book(book))
        return enter(tx, campaign, statement, at=self._clock(), user_id=order.user_id, randomness=self._randomness)


def open_campaign(tx: Connection, campaign_id: int) -> Campaign:
    """The campaign, its row locked, when it can still be played.

    Raises:
        NotOpen: it is gone or archived.

    """
    campaign = campaigns.get(tx, campaign_id, lock=True)
    if campaign is None:
        raise NotOpen("That campaign is gone.")
    if campaign.archived_at is not None:
        raise NotOpen(f"{campaign.name} is archived: its ledger can be read, but nothing new is rolled.")
    return campaign


def current_update(tx: Connection, campaign_id: int) -> dict[str, Any]:
    """The campaign's current update: number, name, and since when (ISO, UTC)."""
    update: dict[str, Any] = states.get(tx, campaign_id, CAMPAIGN_STATE, UPDATE)
    return update


def letters(campaign: Campaign, entry: Entry) -> list[Letter]:
    """The messages that a roll owes: the public parts to the results channel, all to the staff when some is theirs."""
    shown = Shown(entry, campaign.name)
    queued: list[Letter] = []
    if entry.audience in {"results", "mixed"}:
        queued += _letters("results", campaign.results_channel_id, result_pages(shown, "public"))
    if entry.audience in {"staff", "mixed"}:
        queued += _letters("staff", campaign.staff_channel_id, result_pages(shown, "staff"))
    elif _withheld(entry):
        queued += _letters("whole", campaign.staff_channel_id, result_pages(shown, "staff"))
    return queued


def _letters(kind: Any, channel_id: int, pages: Sequence[Sequence[discord.Embed]]) -> list[Letter]:  # noqa: ANN401
    return [Letter(kind, channel_id, page) for page in pages]


def _withheld(entry: Entry) -> bool:
    """Whether a public result leaves something out that the staff should see in full."""
    return entry.audience == "results" and any(part["secret"] for part in entry.content()["parts"])


def _weigh(request: RollRequest, procedure: Procedure, book: Book, known: Sequence[Facts]) -> tuple[PartPreview, ...]:
    keys = part_keys(request.parts, procedure.actor, procedure.subject)
    parts = (_part(*told) for told in zip(keys, request.parts, known, strict=True))
    return tuple(PartPreview(ready(part, procedure, book), procedure, book) for part in parts)


def _part(key: str, part: PartRequest, facts: Facts) -> Part:
    return Part(
        key=key,
        subjects=part.subjects,
        facts=facts,
        marks=part.marks,
        adjustments=tuple(item.adjustment() for item in part.adjustments),
        choices=part.choices,
    )


def _remembered(tx: Connection, campaign_id: int, request: RollRequest, procedure: Procedure) -> states.State:
    """The current update, and what the subjects of a roll remember of earlier ones."""
    pairs = [_pair(part, procedure) for part in request.parts]
    subjects = {CAMPAIGN_STATE, *(unit(name) for pair in pairs for name in pair)}
    rolled = {consequences.rolled_name(procedure.family, actor) for actor, _ in pairs}
    return states.named(tx, campaign_id, subjects, {UPDATE, _spent(procedure), *rolled})


def _spent(procedure: Procedure) -> str:
    return EFFECT + (procedure.spends or "nothing")


def _asks_reason(held: states.State, request: RollRequest, procedure: Procedure, update: int) -> str | None:
    """What the rules want a reason for: the same roll again in one update, or a patrol whose stop is used up."""
    pairs = [_pair(part, procedure) for part in request.parts]
    for actor, about in pairs:
        before = held.get((unit(about), consequences.rolled_name(procedure.family, actor)))
        if before and lasts(before, update):
            whom = "" if about == actor else f" for {about}"
            return f"{actor} has rolled{whom} in this update already (entry #{before['entry']})."
        used = held.get((unit(actor), _spent(procedure)))
        if used and lasts(used, update):
            return f"{actor} has used up its one stop in this update (entry #{used['entry']})."
    return None


def _pair(part: PartRequest, procedure: Procedure) -> tuple[str, str]:
    """Who rolls, and whom it is about: the roller, when there is nobody else."""
    actor = part.subjects[procedure.actor]
    return actor, part.subjects.get(procedure.subject, actor)
