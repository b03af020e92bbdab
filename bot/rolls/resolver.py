"""The resolver: every roll is made here, whoever asks.

One write transaction takes the number, draws the faces, resolves, chains the entry, records the consequences and queues
the posts. What is not committed was never rolled; what is committed is never lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import discord
from sqlalchemy import Connection

from bot.core import entries, recent_names, state
from bot.core.campaigns import UPDATE, Campaign, open_campaign
from bot.core.entry_kinds import EntryKinds, EntryView
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import CLIMATE, Library
from bot.core.profiles import profile
from bot.core.records import Change, Entry, Link
from bot.core.state import CAMPAIGN_STATE, State
from bot.core.subjects import names_of, unit
from bot.errors import NeedsReason
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, PostKind
from bot.rolls.consequences import consequences_of, rolled_name
from bot.rolls.entry_body import account, entry_audience, texts
from bot.rolls.extension import ExtraChanges, ExtraRule, ResolvedRoll, RollExtension
from bot.rolls.preview import Preview, weigh_parts
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.situation import RollContext, Situation
from rules.climate import Climate, Sky
from rules.dice import Dice
from rules.dump import canonical_book
from rules.effects import EFFECT, PROFILE, Moment, is_current
from rules.engine import resolve
from rules.procedure import Procedure, Request, Resolution, Step
from rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class RollOrder:
    """A roll to be made, for which campaign and by whom.

    `extra` adds changes beyond the consequences of its parts. `dice` replace the bot's own, such as faces typed by hand.
    """

    campaign_id: int
    user_id: int
    request: RollRequest
    extra: ExtraRule | None = None
    dice: Dice | None = None


@dataclass(frozen=True, slots=True)
class Rolled:
    """A roll that is made: its entry and the posts that are still to be sent."""

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]


class Resolver:
    """Preview and make rolls, in the transactions of callers."""

    def __init__(  # noqa: PLR0913 - every collaborator comes in by name
        self,
        library: Library,
        *,
        ledger: Ledger,
        outbox: Outbox,
        dice: Dice,
        kinds: EntryKinds,
        extension: RollExtension,
    ) -> None:
        self.library = library
        self.ledger = ledger
        self.dice = dice
        self.outbox = outbox
        self._kinds = kinds
        self.extension = extension
        self._situation = Situation(extension.facts)

    def preview(self, tx: Connection, campaign: Campaign, request: RollRequest, *, secrets: bool = True) -> Preview:
        """Return everything that can be said of a roll before its dice.

        Raises:
            RollError, BadInput, NotOpen: the roll cannot be made as asked.

        """
        book = self.library.book(tx, campaign, request.book)
        procedure = book.procedure(request.family)
        before = self._read_state(tx, campaign.id, request, procedure)
        self._check_requirements(before, request, procedure)
        book = self.library.local(book, Climate.from_value(before.get((CAMPAIGN_STATE, CLIMATE))))
        update = before[CAMPAIGN_STATE, UPDATE]
        sky, rolled_for = Sky(), request.week
        if procedure.policy.on_request:
            sky, rolled_for = self.extension.sky(tx, campaign, book, request), None
        subjects = [part.subjects for part in request.parts]
        context = RollContext(campaign, book, subjects, sky, rolled_for, update["number"], before)
        known = self._situation.facts(tx, context, secrets=secrets)
        asks = _asks_reason(before, request, procedure, update["number"])
        parts = weigh_parts(request, procedure, book, known)
        return Preview(request, procedure, book, sky, before, known, parts, asks, update)

    def roll(self, tx: Connection, order: RollOrder) -> Rolled:
        """Make a roll in the caller's write transaction; a refusal comes before anything is drawn or written.

        Raises:
            UserError, RollError: it cannot be made as asked; nothing has been rolled or written.

        """
        campaign = open_campaign(tx, order.campaign_id)
        preview = self.preview(tx, campaign, order.request)
        if preview.asks_reason and not order.request.reason:
            raise NeedsReason(preview.asks_reason, "Give a reason to roll all the same.")
        entry = self._enter(tx, campaign, order, preview)
        queued = self.outbox.queue(tx, campaign.id, entry.number, self.messages(campaign, entry))
        return Rolled(campaign, entry, tuple(queued))

    def messages(self, campaign: Campaign, entry: Entry) -> Sequence[OutgoingMessage]:
        """Return the messages that a roll owes: its public parts to the results channel, all of it to the staff when some is theirs."""
        shown = EntryView(entry, campaign.name)
        messages: Sequence[OutgoingMessage] = [
            *self._pages(shown, "results", campaign.results_channel_id, owed=entry.audience in {"results", "mixed"}),
            *self._pages(shown, "staff", campaign.staff_channel_id, owed=entry.audience in {"staff", "mixed"}),
            *self._pages(shown, "whole", campaign.staff_channel_id, owed=_is_withheld(entry)),
        ]
        for rule in self.extension.messages:
            messages = rule(campaign, entry, messages)
        return messages

    def _pages(self, shown: EntryView, kind: PostKind, channel_id: int, *, owed: bool) -> list[OutgoingMessage]:
        if not owed:
            return []
        pages: list[list[discord.Embed]] = self._kinds.pages(shown, "public" if kind == "results" else "staff")
        return [OutgoingMessage(kind, channel_id, page) for page in pages]

    def _enter(self, tx: Connection, campaign: Campaign, order: RollOrder, preview: Preview) -> Entry:
        request, book = preview.request, preview.book
        resolution = resolve(
            Request(request.family, tuple(item.part for item in preview.parts)), book, order.dice or self.dice
        )
        link = entries.newest(tx, campaign.id, campaign.uuid)
        moment = Moment(link.number + 1, preview.update["number"])
        resolved = ResolvedRoll(campaign, request, resolution, book, moment, self.ledger.now(), preview.state)
        draft = self._draft(tx, resolved, order, preview)
        entries.keep_book(tx, campaign.id, book.fingerprint, book.id, partial(canonical_book, book))
        saved = [subject for subject, name in preview.state if name == PROFILE]
        recent_names.use(tx, campaign.id, saved, moment.entry)
        return self.ledger.enter(tx, campaign, order.user_id, draft, Link(campaign.uuid, link.number, link.hash))

    def _draft(self, tx: Connection, resolved: ResolvedRoll, order: RollOrder, preview: Preview) -> EntryDraft:
        """Return the entry of a roll: everything that was known, considered, thrown and decided, and what it changes."""
        rules = [*self.extension.extra, *([order.extra] if order.extra else [])]
        extras: list[ExtraChanges] = [rule(tx, resolved) for rule in rules]
        after = consequences_of(
            resolved.resolution, preview.procedure, resolved.moment, resolved.before, self.extension.consequences
        )
        for extra in extras:
            after |= extra.changes
        before = state.named(tx, resolved.campaign.id, {key[0] for key in after}, {key[1] for key in after})
        body = account(
            resolved.request, preview.procedure, resolved.resolution, dict(preview.update), _secret(resolved.before)
        )
        for extra in extras:
            body |= extra.body
        if resolved.book.versions:
            body |= {"house": [*resolved.book.versions], "bears": _house_rules_used(resolved.resolution, resolved.book)}
        return EntryDraft(
            kind="roll",
            body=body,
            changes=tuple(Change(*key, before.get(key), value) for key, value in after.items()),
            texts=texts(resolved.request),
            book=resolved.book.fingerprint,
            audience=entry_audience(body),
        )

    def _read_state(self, tx: Connection, campaign_id: int, request: RollRequest, procedure: Procedure) -> State:
        """Return the current update, and what the state keeps of the subjects of a roll."""
        pairs = [_pair(part, procedure) for part in request.parts]
        subjects = {
            unit(name) for part in request.parts for names in part.subjects.values() for name in names_of(names)
        }
        rolled = {rolled_name(procedure.family, actor) for actor, _ in pairs}
        names = {UPDATE, CLIMATE, PROFILE, _spent(procedure), *rolled, *self.extension.remembered}
        about = {unit(name) for pair in pairs for name in pair}
        return state.named(tx, campaign_id, {CAMPAIGN_STATE, *subjects, *about}, names)

    def _check_requirements(self, before: State, request: RollRequest, procedure: Procedure) -> None:
        """Refuse a roll about somebody of whom the campaign does not keep what the procedure needs.

        Raises:
            NotOpen: there is such a one.

        """
        for role, name in procedure.policy.needs:
            for part in request.parts:
                value = before.get((unit(part.subjects[role]), name))
                self.extension.requirements[name](part.subjects[role], value, part)


def _is_withheld(entry: Entry) -> bool:
    """Return whether a public result leaves something out that the staff should see in full."""
    return entry.audience == "results" and any(part["secret"] for part in entry.content()["parts"])


def _secret(values: state.State) -> frozenset[str]:
    """Return the subjects of a roll that players may not know of."""
    return frozenset(subject for (subject, name), value in values.items() if name == PROFILE and value["secret"])


def _spent(procedure: Procedure) -> str:
    return EFFECT + (procedure.policy.spends or "nothing")


def _asks_reason(values: state.State, request: RollRequest, procedure: Procedure, update: int) -> str | None:
    """Return why the rules ask for a reason: the same roll again in one update, or a patrol whose stop is used up."""
    if not procedure.policy.on_request or procedure.policy.again == "never":
        return None
    pairs = [_pair(part, procedure) for part in request.parts]
    for actor, about in pairs:
        before = values.get((unit(about), rolled_name(procedure.family, actor)))
        if before and (procedure.policy.again == "ever" or is_current(before, update)):
            when = "" if procedure.policy.again == "ever" else " in this update"
            past = "rolled" if about == actor else f"rolled for {about}"
            past = past if procedure.policy.again == "pair" else "had one"
            return f"{procedure.title}: {actor} has {past}{when} already (entry #{before['entry']})."
        used = values.get((unit(actor), _spent(procedure)))
        if used and is_current(used, update):
            return f"{actor} has used up its one stop in this update (entry #{used['entry']})."
        saved = profile(values, actor)
        if procedure.policy.writes and saved is not None and getattr(saved, procedure.policy.writes) is not None:
            return f"{procedure.title}: that of {saved.name} is known already."
    return None


def _pair(part: PartRequest, procedure: Procedure) -> tuple[str, str]:
    """Return who rolls, and whom it is about: the roller, when nobody else is or it does not matter who."""
    actor = part.subjects[procedure.actor]
    return actor, part.subjects.get(procedure.subject, actor) if procedure.policy.again == "pair" else actor


def _house_rules_used(resolution: Resolution, book: RuleSet) -> list[str]:
    """Return the house rules that brought or changed the tables that were rolled on."""
    steps = (step for part in resolution.parts for step in part.steps if isinstance(step, Step))
    files = {file for step in steps for file in step.table.files}
    return [version for version in book.versions if version in files]
