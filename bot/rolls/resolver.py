"""The shared resolver: the one way by which a roll is made, whoever asks.

One write transaction takes the number, draws the faces, resolves, chains the entry, records the consequences and queues
the posts. What is not committed was never rolled; what is committed is never lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord
from sqlalchemy import Connection

from bot.cogs.captives.embed import handover
from bot.cogs.ledger.embed import entry_pages
from bot.cogs.weather import store as weeks
from bot.cogs.weather.store import CLIMATE, WEATHER, WeekRange
from bot.core import entries, recent_names, state
from bot.core.campaigns import UPDATE, Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import Library
from bot.core.profiles import CAPTIVE, PROFILE, profile
from bot.core.records import Change, Entry
from bot.core.state import CAMPAIGN_STATE
from bot.core.subjects import names_of, unit
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.outbox.delivery import Outbox, OutgoingMessage
from bot.outbox.store import WRITE_UP, Post
from bot.rolls import consequences
from bot.rolls.embed import EntryView
from bot.rolls.entry_body import account, entry_audience, texts
from bot.rolls.preview import Preview, weighed
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.situation import EFFECT, RollContext, Situation, lasts
from rules.climate import Climate, Sky
from rules.dice import Dice
from rules.dump import canonical_book
from rules.engine import resolve
from rules.procedure import Procedure, Request, Resolution, Step
from rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class ExtraChanges:
    """What a roll comes to beyond its parts: further changes by subject and name, and what the account tells of them."""

    changes: Mapping[tuple[str, str], Any]
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RollOrder:
    """A roll to be made: for which campaign, by whom, and what must still hold when its turn comes.

    `before` runs in the transaction ahead of the dice and raises to stop the roll; `settle` makes of what was rolled, by
    the book and at an entry's number, what the parts alone do not tell; `after` runs behind the entry. `dice` are other
    dice than the bot's own, such as faces typed by hand.
    """

    campaign_id: int
    user_id: int
    request: RollRequest
    before: Callable[[Connection], None] | None = None
    settle: Callable[[Resolution, RuleSet, int], ExtraChanges] | None = None
    after: Callable[[Connection, Entry], None] | None = None
    dice: Dice | None = None


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
        library: Library,
        *,
        dice: Dice,
        situation: Situation,
        outbox: Outbox,
        ledger: Ledger,
    ) -> None:
        self._database = database
        self.library = library
        self._dice = dice
        self._situation = situation
        self._outbox = outbox
        self._ledger = ledger

    def preview(self, tx: Connection, campaign: Campaign, request: RollRequest, *, secrets: bool = True) -> Preview:
        """Everything that can be said of a roll before its dice.

        Raises:
            RollError, BadInput: the roll cannot be made as asked.

        """
        under = self.library.book(tx, campaign, request.book)
        procedure = under.procedure(request.family)
        held = _remembered(tx, campaign.id, request, procedure)
        _require(held, request, procedure)
        book = self.library.local(under, Climate.from_value(held.get((CAMPAIGN_STATE, CLIMATE))))
        update = held[CAMPAIGN_STATE, UPDATE]
        sky, rolled_for = Sky(), request.week
        if procedure.policy.on_request:
            sky, rolled_for = weeks.sky(tx, campaign.id, book, request.region, _week(request, WeekRange.of(held))), None
        subjects = [part.subjects for part in request.parts]
        scene = RollContext(campaign, book, subjects, sky, rolled_for, update["number"], held)
        known = self._situation.facts(tx, scene, secrets=secrets)
        asks = _asks_reason(held, request, procedure, update["number"])
        return Preview(
            request, procedure, book, sky, held, known, weighed(request, procedure, book, known), asks, update
        )

    async def roll(self, order: RollOrder) -> Rolled:
        """Make a roll, in one transaction.

        Raises:
            UserError, RollError: it cannot be made as asked; nothing has been rolled or written.

        """
        return await self._database.write(lambda tx: self.enter(tx, order))

    def enter(self, tx: Connection, order: RollOrder) -> Rolled:
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

    def _enter(self, tx: Connection, campaign: Campaign, order: RollOrder, preview: Preview) -> Entry:
        request, book = preview.request, preview.book
        rolled = resolve(
            Request(request.family, tuple(item.part for item in preview.parts)), book, order.dice or self._dice
        )
        link = entries.newest(tx, campaign.id, campaign.uuid)
        moment = consequences.Moment(link.number + 1, preview.update["number"])
        settled = order.settle(rolled, book, moment.entry) if order.settle else ExtraChanges({}, {})
        made = {**consequences.effects(rolled, preview.procedure, moment, preview.held), **settled.changes}
        before = state.named(tx, campaign.id, {key[0] for key in made}, {key[1] for key in made})
        body = {
            **account(request, preview.procedure, rolled, dict(preview.update), _secret(preview.held)),
            **settled.told,
            **({"house": [*book.versions], "bears": _bearing(rolled, book)} if book.versions else {}),
        }
        draft = EntryDraft(
            kind="roll",
            body=body,
            changes=tuple(Change(*key, before.get(key), value) for key, value in made.items()),
            texts=texts(request),
            book=book.fingerprint,
            audience=entry_audience(body),
        )
        entries.keep_book(tx, campaign.id, book.fingerprint, book.id, lambda: canonical_book(book))
        saved = [subject for subject, name in preview.held if name == PROFILE]
        recent_names.use(tx, campaign.id, saved, moment.entry)
        return self._ledger.enter(tx, campaign, order.user_id, draft, link)


def _secret(held: state.State) -> frozenset[str]:
    """The subjects of a roll that players may not know of."""
    return frozenset(subject for (subject, name), value in held.items() if name == PROFILE and value["secret"])


def letters(campaign: Campaign, entry: Entry) -> list[OutgoingMessage]:
    """The messages that a roll owes: the public parts to the results channel, all to the staff when some is theirs.

    What a roll asks of the staff goes to them besides.
    """
    shown = EntryView(entry, campaign.name)
    queued: list[OutgoingMessage] = []
    if entry.audience in {"results", "mixed"}:
        public = _letters("results", campaign.results_channel_id, entry_pages(shown, "public"))
        queued += _threaded(campaign, entry, public, ("results",))
    if entry.audience in {"staff", "mixed"}:
        whole = _letters("staff", campaign.staff_channel_id, entry_pages(shown, "staff"))
        queued += _threaded(campaign, entry, whole, ("staff",))
    elif _withheld(entry):
        queued += _letters("whole", campaign.staff_channel_id, entry_pages(shown, "staff"))
    asked = handover(shown)
    return [*queued, OutgoingMessage("notice", campaign.staff_channel_id, [asked])] if asked else queued


def _letters(kind: Any, channel_id: int, pages: Sequence[Sequence[discord.Embed]]) -> list[OutgoingMessage]:  # noqa: ANN401
    return [OutgoingMessage(kind, channel_id, page) for page in pages]


def _threaded(
    campaign: Campaign, entry: Entry, pages: Sequence[OutgoingMessage], audiences: Collection[str]
) -> Sequence[OutgoingMessage]:
    """The pages of a result, the first of them for a thread where a part for these calls for something to be written."""
    if not campaign.writeup_threads:
        return pages
    parts = (part for part in entry.content()["parts"] if part["audience"] in audiences)
    called = any(item["do"] in consequences.TO_BE_WRITTEN for part in parts for item in part["consequences"])
    return [replace(pages[0], topic=WRITE_UP), *pages[1:]] if called else pages


def _withheld(entry: Entry) -> bool:
    """Whether a public result leaves something out that the staff should see in full."""
    return entry.audience == "results" and any(part["secret"] for part in entry.content()["parts"])


def _remembered(tx: Connection, campaign_id: int, request: RollRequest, procedure: Procedure) -> state.State:
    """The current update, and what the subjects of a roll remember of earlier ones."""
    pairs = [_pair(part, procedure) for part in request.parts]
    named = {unit(name) for part in request.parts for names in part.subjects.values() for name in names_of(names)}
    rolled = {consequences.rolled_name(procedure.family, actor) for actor, _ in pairs}
    kept = {UPDATE, CLIMATE, WEATHER, _spent(procedure), *rolled, *consequences.LOOKED_AT}
    about = {unit(name) for pair in pairs for name in pair}
    return state.named(tx, campaign_id, {CAMPAIGN_STATE, *named, *about}, kept)


def _require(held: state.State, request: RollRequest, procedure: Procedure) -> None:
    """Refuse a roll about somebody of whom the campaign does not keep what the procedure needs, or keeps it elsewhere.

    Raises:
        NotOpen: there is such a one.

    """
    for role, name in procedure.policy.needs:
        for part in request.parts:
            kept = held.get((unit(part.subjects[role]), name))
            if kept is None:
                raise NotOpen(*consequences.LACKS[name](part.subjects[role]))
            if name == CAPTIVE and unit(part.subjects.get("base", kept["at"])) != unit(kept["at"]):
                raise NotOpen(f"{kept['name']} is held at {kept['at']} by now.", "Start again with the command.")


def _week(request: RollRequest, known: WeekRange | None) -> int | None:
    """The week whose weather counts: the one that is named, else the newest; None while none is known.

    Raises:
        BadInput: the one named is not known.

    """
    if request.week is None:
        return None if known is None else known.last
    if known is None or request.week not in known:
        there = f"Known are weeks {known.first} to {known.last}." if known else "None has been rolled yet."
        raise BadInput(f"Week {request.week} has no weather.", there)
    return request.week


def _spent(procedure: Procedure) -> str:
    return EFFECT + (procedure.policy.spends or "nothing")


def _asks_reason(held: state.State, request: RollRequest, procedure: Procedure, update: int) -> str | None:
    """What the rules want a reason for: the same roll again in one update, or a patrol whose stop is used up."""
    if not procedure.policy.on_request or procedure.policy.again == "never":
        return None
    pairs = [_pair(part, procedure) for part in request.parts]
    for actor, about in pairs:
        before = held.get((unit(about), consequences.rolled_name(procedure.family, actor)))
        if before and (procedure.policy.again == "ever" or lasts(before, update)):
            when = "" if procedure.policy.again == "ever" else " in this update"
            done = "rolled" if about == actor else f"rolled for {about}"
            done = done if procedure.policy.again == "pair" else "had one"
            return f"{procedure.title}: {actor} has {done}{when} already (entry #{before['entry']})."
        used = held.get((unit(actor), _spent(procedure)))
        if used and lasts(used, update):
            return f"{actor} has used up its one stop in this update (entry #{used['entry']})."
        saved = profile(held, actor)
        if procedure.policy.writes and saved is not None and getattr(saved, procedure.policy.writes) is not None:
            return f"{procedure.title}: that of {saved.name} is known already."
    return None


def _pair(part: PartRequest, procedure: Procedure) -> tuple[str, str]:
    """Who rolls, and whom it is about: the roller, when nobody else is or it does not matter who."""
    actor = part.subjects[procedure.actor]
    return actor, part.subjects.get(procedure.subject, actor) if procedure.policy.again == "pair" else actor


def _bearing(rolled: Resolution, book: RuleSet) -> list[str]:
    """The house rules that the tables rolled on came with, or that changed them."""
    steps = (step for part in rolled.parts for step in part.steps if isinstance(step, Step))
    files = {file for step in steps for file in step.table.files}
    return [version for version in book.versions if version in files]
