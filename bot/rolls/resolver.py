"""The resolver: every roll is made here, whoever asks.

One write transaction takes the number, draws the faces, resolves, chains the entry, records the consequences and queues
the posts. What is not committed was never rolled; what is committed is never lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import amendments, entries, knowledge, permissions, profiles, state
from bot.core.campaigns import UPDATE, Campaign, open_campaign
from bot.core.entry_kinds import EntryKinds, EntryView
from bot.core.epochs import Epoch
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import CLIMATE, Library
from bot.core.records import Change, Entry, Link
from bot.core.state import CAMPAIGN_STATE, State
from bot.core.subjects import Subjects, is_open, list_cast
from bot.core.visibility import Viewer, make_player_viewer
from bot.errors import NeedsReason
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, PostKind
from bot.rolls import news, situation
from bot.rolls.amended import AmendedRoll, find_amended
from bot.rolls.cast import find_unborne, hide_names, require_played, resolve_names, secret_parts, unknown_namesakes
from bot.rolls.consequences import Consequences, before_roll, filter_known_rolls, read_state, why_reason_needed
from bot.rolls.dice import DiceByHand
from bot.rolls.embed import unknown_embed
from bot.rolls.entry_body import (
    entry_audience,
    home_of,
    house_rules_used,
    list_audiences,
    overruled_body,
    roll_body,
    rollers,
    send_secrets_to_staff,
    texts,
)
from bot.rolls.extension import ConsideredRoll, ExtraChanges, ExtraRule, ResolvedRoll, RollExtensions, needed_values
from bot.rolls.fairness import turnover
from bot.rolls.fairness.draw import Asked, Draw
from bot.rolls.fairness.random_org import Outside
from bot.rolls.preview import Preview, drop_blind, weigh_parts
from bot.rolls.request import RollRequest
from bot.rolls.situation import InScene, ProfileSight, RollContext, known_facts, place_roll, roll_moment
from rules.climate import Climate
from rules.dice import Dice
from rules.modifiers import Facts, Known
from rules.procedure import Request
from rules.ruleset import RuleSet, canonical_book, resolve


class RollOrder(Struct, frozen=True):
    """A roll to be made, for which campaign and by whom.

    `actor` is their pseudonym, where the caller knows it. `extra` adds changes beyond the consequences of its parts. `dice` are faces typed by hand.
    `interaction` is the id of the command or press by which it was asked for; None of what happens by itself.
    Without `secrets`, no reason is asked for because of what only the staff knows; the staff is told instead. `preview` is that of the same request and transaction, if any.
    """

    campaign_id: int
    user_id: int
    request: RollRequest
    extra: ExtraRule | None = None
    dice: DiceByHand | None = None
    secrets: bool = True
    preview: Preview | None = None
    actor: str | None = None
    interaction: int | None = None


class Rolled(Struct, frozen=True):
    """A roll that is made: its entry and the posts that are still to be sent.

    `people` are the user ids of those who rolled, by pseudonym; `unknown` is who in it the roller may not know, by name.
    `told` are lines for the roller, such as what was amended; `amendable` tells whether it can be amended.
    """

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]
    people: Mapping[str, int] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()
    amendable: bool = False

    @property
    def shown(self) -> EntryView:
        """Its entry, to be shown."""
        return EntryView(self.entry, self.campaign.name, people=self.people)


class Resolver:
    """Preview and make rolls, in the transactions of callers. `dice` take the place of those that follow from seeds, into which `outside` is mixed."""

    def __init__(  # noqa: PLR0913 - every collaborator comes in by name
        self,
        library: Library,
        *,
        ledger: Ledger,
        outbox: Outbox,
        dice: Dice | None,
        kinds: EntryKinds,
        extension: RollExtensions[Resolver],
        outside: Outside | None = None,
    ) -> None:
        self.library = library
        self.ledger = ledger
        self.dice = dice
        self.outside = outside
        self.outbox = outbox
        self.kinds = kinds
        self.extension = extension
        self._kept_books: set[tuple[int, str]] = set()

    def require_able(self, tx: Connection, viewer: Viewer, preview: Preview) -> None:
        """Refuse a roll for somebody else's character (NotAllowed), or with those who can't take part as far as the person knows (NotOpen)."""
        require_played(tx, viewer, preview.procedure.played, preview.cast)
        parts = [item.part for item in preview.parts]
        about = (preview.request, preview.procedure, preview.book)
        roll = ConsideredRoll(*about, parts, preview.cast, preview.state)
        for bar in self.extension.of(preview.campaign, preview.book.id, preview.procedure.family).bars:
            bar(tx, self, viewer, roll)

    @staticmethod
    def in_past(tx: Connection, campaign: Campaign, then: State | None) -> AbstractContextManager[None]:
        """Let the state be, as long as the context lasts, that on which a roll stands: `Preview.then`."""
        return nullcontext() if then is None else amendments.hold_past(tx, campaign.id, then)

    def preview(  # noqa: PLR0913 - what is asked, by whom, and what is known of it already
        self,
        tx: Connection,
        campaign: Campaign,
        request: RollRequest,
        viewer: Viewer | None = None,
        then: State | None = None,
        *,
        book: RuleSet | None = None,
    ) -> Preview:
        """Return everything that can be said of a roll before its dice, as far as a viewer may know it; all of it without one.

        For a roll that is amended, the caller's has to be a write transaction; `then` is what an earlier preview of it in
        the same transaction had, where there was one. `book` is the request's as the campaign plays it, where the caller
        has it.

        Raises:
            RollError, BadInput, NotOpen: the roll cannot be made as asked.

        """
        if request.amends and then is None:
            then = amendments.find_state_before(tx, campaign.id, request.amends.since)
        with self.in_past(tx, campaign, then):
            played = book or self.library.book(tx, campaign, request.book)
            return replace(self._preview(tx, campaign, request, viewer, played), then=then)

    def _preview(
        self, tx: Connection, campaign: Campaign, request: RollRequest, viewer: Viewer | None, book: RuleSet
    ) -> Preview:
        secrets = viewer is None or viewer.person.leads(campaign)
        procedure = book.procedure(request.family)
        if not request.amends:  # what was told a group stays its, also amended
            request = replace(request, to=permissions.current_audience(tx, campaign.id, request.to))
        request, cast = resolve_names(tx, campaign.id, request)
        before = read_state(tx, campaign.id, procedure, cast)
        for name, needed in needed_values(campaign, request, procedure, before, cast):
            self.extension.requirements[name](tx, needed)
        book = self.library.local(book, Climate.from_value(before.get((CAMPAIGN_STATE, CLIMATE))))
        update = before[CAMPAIGN_STATE, UPDATE]
        if viewer is not None:
            request = hide_names(request, cast, viewer)
        scenes = InScene.of(tx, campaign.id, before, request.scene, self.extension.foreign(book.id))
        stand = scenes.where(list_cast(cast).values())
        now = roll_moment(tx, campaign.id, request, update["number"], self.ledger.now(), stand)
        more = (cast, before, scenes, secrets, viewer.mine if viewer else None)
        context = self._placed(tx, RollContext(campaign, procedure, book, request, (), now, *more), viewer)
        request, skies, known = context.request, context.skies, self._known(tx, context)
        if secrets and not (request.staff or request.led):
            request = self._seeing(tx, context, book, known)
        rolls = (
            before
            if viewer is None
            else filter_known_rolls(procedure, before, partial(knowledge.see_values, tx, viewer))
        )
        asks = why_reason_needed(rolls, request, procedure, now, cast)
        sight = partial(knowledge.see_state, tx, viewer or make_player_viewer(campaign), fields=book.fields)
        own = situation.read_scenes(tx, context)
        held = situation.list_kept(context, own, None if secrets else sight)
        hidden = situation.find_hidden(context, own, held, sight) if viewer is None else ()
        parts = weigh_parts(request, procedure, book, known, held)
        seen = (campaign, request, procedure, book, skies, cast, before, known, parts)
        return Preview(*seen, asks, update, viewer is None, now, scenes.openly(cast), held, hidden)

    def _known(self, tx: Connection, context: RollContext) -> tuple[dict[str, Known], ...]:
        providers = self.extension.of(context.campaign, context.book.id, context.procedure.family).facts
        return known_facts(tx, context, providers)

    def _placed(self, tx: Connection, context: RollContext, viewer: Viewer | None) -> RollContext:
        """Return where a roll happens, as far as a viewer may know; all of it without one."""
        sight: ProfileSight = (
            iter if viewer is None else partial(knowledge.see_saved, tx, viewer, fields=context.book.fields)
        )
        return place_roll(tx, context, self.extension.sky, sight)

    def _seeing(self, tx: Connection, context: RollContext, book: RuleSet, known: Sequence[Facts]) -> RollRequest:
        """Return a player's request without the ticks that take away what is known and the player cannot see."""
        if all(all(part.marks.values()) for part in context.request.parts):
            return context.request
        player = make_player_viewer(context.campaign, context.request.by)
        seen = self._placed(tx, replace(context, secrets=False, mine=player.mine), player)
        unseen = [facts.keys() - theirs for facts, theirs in zip(known, self._known(tx, seen), strict=True)]
        return drop_blind(context.request, known, unseen, context.procedure, book)

    def roll(self, tx: Connection, order: RollOrder) -> Rolled:
        """Make a roll in the caller's write transaction; a refusal comes before anything is drawn or written.

        Raises:
            UserError, RollError: it cannot be made as asked; nothing has been rolled or written.

        """
        preview = self._whole(tx, order)
        campaign = preview.campaign
        repeats = None if order.request.reason else preview.asks_reason
        if repeats:
            self._require_unknown(tx, campaign, order, repeats)
        with turnover.find_current(tx, self.ledger, campaign) as (link, epoch, audited):
            entry = self._enter(tx, order, preview, link, epoch)
        by = {*rollers(entry).values()}
        people = {entry.actor: order.user_id} if by == {entry.actor} else entries.find_users(tx, campaign.id, by)
        rolled = Rolled(campaign, entry, (), people, amendable=preview.procedure.amendable)
        messages = self.messages(rolled, permissions.find_channel(tx, campaign.id, entry.audience))
        lines = [] if order.secrets else [*unknown_namesakes(tx, campaign.id, preview.request, preview.cast)]
        lines += [f"{repeats} Rolled anyway."] if repeats else []
        if lines:
            embed = unknown_embed(rolled.shown, lines)
            messages = [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]
        pings = news.owners(tx, campaign, entry)
        queued = self.outbox.queue(tx, campaign.id, None, audited)
        queued += self.outbox.queue(tx, campaign.id, entry.number, news.telling(messages, entry, pings))
        queued += self.outbox.queue(tx, campaign.id, None, news.news_of(campaign, entry, pings))
        queued += [
            post
            for rule in self.extension.of_entry(campaign, entry).follows
            for post in rule(tx, self, campaign, entry)
        ]
        unknown = {item.name for item in list_cast(preview.cast).values() if item.secret and item.owner != entry.actor}
        return replace(rolled, posts=tuple(queued), unknown=frozenset() if order.secrets else frozenset(unknown))

    def _whole(self, tx: Connection, order: RollOrder) -> Preview:
        """Return the preview of a roll for no viewer: the caller's, unless that leaves out what only the staff knows."""
        seen = order.preview
        if seen is None:
            return self.preview(tx, open_campaign(tx, order.campaign_id), order.request)
        return seen if seen.whole else self.preview(tx, seen.campaign, order.request, then=seen.then)

    def _require_unknown(self, tx: Connection, campaign: Campaign, order: RollOrder, why: str) -> None:
        """Refuse a repeat, unless the person may not know that it is one."""
        known = why if order.secrets else self._seen(tx, campaign, order).asks_reason
        if known:
            raise NeedsReason(known, "Give a reason to roll anyway.")

    def _seen(self, tx: Connection, campaign: Campaign, order: RollOrder) -> Preview:
        """Return the preview of a player's roll as that player may know it: the caller's, where it is that."""
        if order.preview is not None and not order.preview.whole:
            return order.preview
        viewer = make_player_viewer(campaign, entries.find_pseudonym(tx, campaign.id, order.user_id))
        return self.preview(tx, campaign, order.request, viewer)

    def messages(self, rolled: Rolled, group: int | None = None) -> Sequence[OutgoingMessage]:
        """Return the messages that a roll owes: its public parts to the results channel or its own, all of it to the staff when some is theirs.

        What is for a group goes to its channel (id), in lack of one to the staff's.
        """
        campaign, entry, staff = rolled.campaign, rolled.entry, rolled.campaign.staff_channel_id
        owed: dict[PostKind, int] = {}
        if entry.audience in {"results", "mixed"}:
            owed["results"] = home_of(entry) or campaign.results_channel_id
        if group is not None:
            owed["group"] = group
        elif entry.audience not in {"results", "person"}:
            owed["staff"] = staff
        if owed and "staff" not in owed and any(part["secret"] for part in entry.content()["parts"]):
            owed["whole"] = staff  # in full, as the others' is not
        messages: Sequence[OutgoingMessage] = [
            OutgoingMessage(kind, channel, page)
            for kind, channel in owed.items()
            for page in self.kinds.pages(rolled.shown, "staff" if kind in {"staff", "whole"} else "public")
        ]
        for rule in self.extension.of_entry(campaign, entry).messages:
            messages = rule(campaign, entry, messages)
        return messages

    def _enter(self, tx: Connection, order: RollOrder, preview: Preview, link: Link, epoch: Epoch) -> Entry:
        campaign, book, amends = preview.campaign, preview.book, preview.request.amends
        amended = find_amended(tx, campaign, amends.number) if amends else None
        private = self._private(tx, campaign, preview, amended)
        request = replace(preview, request=send_secrets_to_staff(preview.request, private)).at_home
        seen = preview if order.secrets or not preview.procedure.method.keeps else self._seen(tx, campaign, order)
        asked, parts = (tuple(item.part for item in made.parts) for made in (seen, preview))
        own_eyes = request.to == "me"
        mixer = self.outside.of(tx, campaign, order.user_id, private=own_eyes) if self.outside else None
        draw = Draw(epoch, link, Asked(request.family, book.fingerprint, order.interaction, parts), self.ledger, mixer)
        drawn = [self.dice or draw.of_part(part) for part in range(len(parts))]
        thrown = [order.dice.beside(dice) for dice in drawn] if order.dice else drawn
        own = amended.dice(thrown) if amended else []
        resolution = resolve(Request(request.family, parts), book, own or thrown, asked)
        now = replace(preview.moment, entry=link.number + 1)
        then = (self.ledger.now(), preview.state, preview.cast)
        resolved = ResolvedRoll(campaign, request, resolution, book, now, *then)
        with self.in_past(tx, campaign, preview.then):
            draft = self._draft(tx, resolved, order, preview, private)
            draft = amended.undo(tx, campaign.id, amended.public(draft, private)) if amended else draft
        draft = amended.amend(tx, campaign.id, draft, now.entry, own) if amended else draft
        self._keep_book(tx, campaign, book)
        saved = [item.key for item in list_cast(preview.cast).values() if item.saved]
        profiles.note_use(tx, campaign.id, saved, now.entry)
        actor = order.actor or self.ledger.actor(tx, campaign, order.user_id)
        return self.ledger.append(tx, campaign.id, actor, draw.recorded(draft), link)

    def _keep_book(self, tx: Connection, campaign: Campaign, book: RuleSet) -> None:
        """Store the tables of a book, unless they were found among the stored ones before: those stay for ever."""
        key = (campaign.id, book.fingerprint)
        if key not in self._kept_books and entries.keep_book(tx, *key, book.id, partial(canonical_book, book)):
            self._kept_books.add(key)

    def _private(
        self, tx: Connection, campaign: Campaign, preview: Preview, amended: AmendedRoll | None
    ) -> frozenset[int]:
        """Return the places of the parts that are for the staff alone, whatever they come to: those with somebody secret.

        In a roll that is amended also those with somebody who has become so since, and those that had somebody secret before.
        """
        private = secret_parts(preview.cast)
        if amended is not None:
            with self.in_past(tx, campaign, preview.then):
                private |= secret_parts(resolve_names(tx, campaign.id, amended.asked)[1])
            for request in (preview.request, amended.asked):
                private |= secret_parts(resolve_names(tx, campaign.id, request)[1])
        return private

    def _draft(
        self, tx: Connection, resolved: ResolvedRoll, order: RollOrder, preview: Preview, private: frozenset[int]
    ) -> EntryDraft:
        """Return the entry of a roll: everything that was known, considered, thrown and decided, and what it changes.

        `private` are the places of the parts that are for the staff alone, whatever they come to.
        """
        own = self.extension.of(resolved.campaign, resolved.book.id, resolved.resolution.family).extra
        rules = [*own, *([order.extra] if order.extra else [])]
        extras: list[ExtraChanges] = [rule(tx, resolved) for rule in rules]
        nobody = find_unborne(preview.request.parts, preview.cast)
        people = Subjects(tx, resolved.campaign.id, None if resolved.request.staff else is_open, nobody)
        look = partial(state.get_value, tx, resolved.campaign.id)
        consequences = Consequences(preview.procedure, resolved.moment, resolved.book, people, look)
        after = consequences.of(resolved.resolution, preview.cast, resolved.before)
        for extra in extras:
            after |= extra.changes
        known = {
            CAMPAIGN_STATE,
            *(item.key for item in list_cast(preview.cast).values()),
            *(item.subject for item in people.changes),
        }
        before = before_roll(tx, resolved.campaign.id, resolved.before, known, after)
        quiet = preview.discloses or any(extra.quiet for extra in extras)
        told = list_audiences(resolved.request, resolved.resolution, private, quiet=quiet)
        body = roll_body(resolved.request, preview.procedure, resolved.resolution, dict(preview.update), told)
        needed = needed_values(resolved.campaign, preview.request, preview.procedure, preview.state, preview.cast)
        body["uses"] = preview.uses(item.value for _, item in needed)
        for record, part, hidden in zip(body["parts"], preview.parts, preview.hidden, strict=True):
            if hidden:
                record["secret"] = record["hides"] = True
            record["overruled"] = overruled_body(part.overruled, led=resolved.request.staff or resolved.request.led)
        if preview.procedure.policy.again == "never" and not resolved.request.amends:
            body["by"] = {preview.procedure.actor: self.ledger.actor(tx, resolved.campaign, order.user_id)}
        for extra in extras:
            body |= extra.body
        if resolved.book.versions:
            body |= {"house": [*resolved.book.versions], "bears": house_rules_used(resolved.resolution, resolved.book)}
        return EntryDraft(
            kind="roll",
            body=body,
            changes=(*people.changes, *(Change(*key, before.get(key), value) for key, value in after.items())),
            texts=texts(resolved.request),
            book=resolved.book.fingerprint,
            audience=entry_audience(body),
            subjects=tuple(list_cast(preview.cast).values()),
        )
