"""The resolver: every roll is made here.

One write transaction takes the number, draws the faces, resolves, chains the entry, changes the state and queues the posts.
What isn't committed was never rolled; what is committed is never lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, errors, permissions, profiles, state, visibility, voiding
from bot.core.campaigns import UPDATE, Campaign, make_moment, open_campaign
from bot.core.ledger import EntryDraft, EntryKinds, EntryView, Epoch, Ledger, find_link_and_epoch, is_full
from bot.core.library import CLIMATE, Library
from bot.core.records import Change, Entry, Link
from bot.core.subjects import Subjects, is_open, list_cast
from bot.core.visibility import Viewer, make_player_viewer
from bot.outbox import delivery, queue
from bot.rolls import embed, entry_body
from bot.rolls.amended import AmendedRoll, find_amended, is_too_low
from bot.rolls.consequences import Consequences, filter_known_rolls, read_before_roll, read_state, why_reason_needed
from bot.rolls.extension import (
    ConsideredRoll,
    ExtraChanges,
    ExtraRule,
    ResolvedRoll,
    RollExtensions,
    list_needed_values,
)
from bot.rolls.fairness import disclosure
from bot.rolls.fairness.draw import Draw, DrawRequest
from bot.rolls.fairness.random_org import Outside, OutsideRequest
from bot.rolls.preview import (
    KeptPreview,
    Preview,
    drop_blind_unticks,
    find_secret_parts,
    find_unborne,
    hide_names,
    list_namesakes,
    require_played,
    resolve_names,
    send_secrets_to_staff,
    weigh_parts,
)
from bot.rolls.request import DiceByHand, PartlyTypedDice, RollRequest
from bot.rolls.situation import ProfileSight, RollContext, RollScenes, find_facts, list_kept, place_roll, read_scenes
from rules.climate import Climate
from rules.dice import Dice
from rules.modifiers import Facts, KnownFact
from rules.procedure import Request
from rules.ruleset import RuleSet, canonical_book, find_overruled, resolve
from rules.stages import PUSH

MAX_PREVIEWS = 32


class RollOrder(Struct, frozen=True):
    """A roll to be made. Without `secrets`, what only the staff knows needs no reason: the staff reads it later."""

    campaign_id: int
    user_id: int
    request: RollRequest
    extra: ExtraRule | None = None
    dice: DiceByHand | None = None
    secrets: bool = True
    preview: Preview | None = None
    actor: str | None = None
    interaction: int | None = None


class RollResult(Struct, frozen=True):
    """A roll that was made. `people` are user ids by pseudonym, `unknown` names the roller may not know. Push it if `too_low`."""

    campaign: Campaign
    entry: Entry
    posts: tuple[queue.Post, ...]
    people: Mapping[str, int] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    amendable: bool = False
    too_low: bool = False

    @property
    def view(self) -> EntryView:
        """The entry as its embeds show it, with the people's user ids."""
        return EntryView(self.entry, self.campaign.name, people=self.people)


@contextmanager
def find_current(
    tx: Connection, ledger: Ledger, campaign: Campaign
) -> Iterator[tuple[Link, Epoch, Sequence[queue.OutgoingMessage]]]:
    """Give the newest entry's link, the next entry's epoch, and messages for the thread.

    A refused roll leaves the epochs as they were.
    """
    link, found = find_link_and_epoch(tx, campaign.id, campaign.uuid)
    if found is not None and not is_full(found, link.number + 1):
        yield link, found, ()
        return
    with tx.begin_nested():
        yield link, *disclosure.begin_or_close(tx, ledger, campaign, link, found)


class Resolver:
    """Preview and make rolls in callers' transactions. `dice` replace those from seeds."""

    def __init__(  # noqa: PLR0913 - every collaborator comes in by name
        self,
        library: Library,
        *,
        ledger: Ledger,
        outbox: delivery.Outbox,
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
        self.kept_previews: dict[tuple[int, str], KeptPreview] = {}

    def keep_preview(self, card: tuple[int, str], new: KeptPreview) -> None:
        """Keep a card's preview for its next change; of the 32 newest."""
        self.kept_previews.pop(card, None)
        self.kept_previews[card] = new
        for oldest in [*self.kept_previews][:-MAX_PREVIEWS]:
            self.kept_previews.pop(oldest, None)

    def require_able(self, tx: Connection, viewer: Viewer, preview: Preview) -> None:
        """Refuse a roll for another's character (NotAllowed), or with those who can't take part (NotOpen)."""
        require_played(tx, viewer, preview.procedure.roller_roles, preview.cast)
        parts = [item.part for item in preview.parts]
        about = (preview.request, preview.procedure, preview.book)
        roll = ConsideredRoll(*about, parts, preview.cast, preview.state)
        task = preview.request.task is not None
        mine = self.extension.of(preview.campaign, preview.book.id, preview.procedure.family, task=task)
        for bar in mine.bars:
            bar(tx, self, viewer, roll)

    @staticmethod
    def in_past(tx: Connection, campaign: Campaign, then: state.State | None) -> AbstractContextManager[None]:
        """Let the state be `then` while the context lasts."""
        return nullcontext() if then is None else voiding.hold_past(tx, campaign.id, then)

    def preview(  # noqa: PLR0913 - the question, the person, and what is known already
        self,
        tx: Connection,
        campaign: Campaign,
        request: RollRequest,
        viewer: Viewer | None = None,
        then: state.State | None = None,
        *,
        book: RuleSet | None = None,
    ) -> Preview:
        """Return all there is to say before the dice, for a viewer or in full. Amended rolls need a write transaction."""
        if request.amends and then is None:
            then = voiding.find_state_before(tx, campaign.id, request.amends.since)
        with self.in_past(tx, campaign, then):
            played = book or self.library.book(tx, campaign, request.book)
            return replace(self._preview(tx, campaign, request, viewer, played), then=then)

    def _preview(
        self, tx: Connection, campaign: Campaign, request: RollRequest, viewer: Viewer | None, book: RuleSet
    ) -> Preview:
        secrets = viewer is None or viewer.person.leads(campaign)
        procedure = book.procedure(request.family)
        if not request.amends:  # what a group has read stays its own, also amended
            request = replace(request, to=permissions.current_audience(tx, campaign.id, request.to))
        request, cast = resolve_names(tx, campaign.id, request)
        before = read_state(tx, campaign.id, procedure, cast)
        for name, needed in list_needed_values(campaign, request, procedure, before, cast):
            self.extension.requirements[name](tx, needed)
        if climate := before.get((state.CAMPAIGN_STATE, CLIMATE)):
            book = self.library.local(book, Climate.from_value(climate))
        update = before[state.CAMPAIGN_STATE, UPDATE]
        if viewer is not None:
            request = hide_names(request, cast, viewer)
        scenes = RollScenes.of(tx, campaign.id, before, request.scene, self.extension.foreign(book.id))
        stand = scenes.where(list_cast(cast).values())
        since = request.amends and entries.get_entry(tx, campaign.id, request.amends.since)
        at = since.at if since else self.ledger.now()  # an amended roll keeps its moment
        now = make_moment(update["number"], at, scene=stand.scene if stand else None)
        more = (cast, before, scenes, secrets, viewer.mine if viewer else None)
        context = self._place(tx, RollContext(campaign, procedure, book, request, (), now, *more), viewer)
        request, skies, known = context.request, context.skies, self._find_facts(tx, context)
        if secrets and not (request.staff or request.led):
            request = self._drop_unseen_ticks(tx, context, book, known)
        rolls = (
            before
            if viewer is None
            else filter_known_rolls(procedure, before, partial(visibility.see_values, tx, viewer))
        )
        asks, repeats = why_reason_needed(rolls, request, procedure, now, cast)
        sight = partial(visibility.see_state, tx, viewer or make_player_viewer(campaign), fields=book.fields)
        own = read_scenes(tx, context)
        held = list_kept(context, own, None if secrets else sight)
        hidden: Sequence[bool] = ()
        if viewer is None:
            seen_values = list_kept(replace(context, secrets=False, mine=None), own, sight)
            hidden = [mine != other for mine, other in zip(held, seen_values, strict=True)]
        parts = weigh_parts(request, procedure, book, known, held)
        seen = (campaign, request, procedure, book, skies, cast, before, known, parts)
        return Preview(*seen, asks, update, viewer is None, now, scenes.openly(cast), held, hidden, repeats=repeats)

    def _find_facts(self, tx: Connection, context: RollContext) -> tuple[dict[str, KnownFact], ...]:
        providers = self.extension.of(context.campaign, context.book.id, context.procedure.family).facts
        return find_facts(tx, context, providers)

    def _place(self, tx: Connection, context: RollContext, viewer: Viewer | None) -> RollContext:
        sight: ProfileSight = (
            iter if viewer is None else partial(visibility.see_saved, tx, viewer, fields=context.book.fields)
        )
        return place_roll(tx, context, self.extension.sky, sight)

    def _drop_unseen_ticks(
        self, tx: Connection, context: RollContext, book: RuleSet, known: Sequence[Facts]
    ) -> RollRequest:
        if all(all(part.marks.values()) for part in context.request.parts):
            return context.request
        player = make_player_viewer(context.campaign, context.request.by)
        seen = self._place(tx, replace(context, secrets=False, mine=player.mine), player)
        unseen = [facts.keys() - theirs for facts, theirs in zip(known, self._find_facts(tx, seen), strict=True)]
        return drop_blind_unticks(context.request, known, unseen, context.procedure, book)

    def roll(self, tx: Connection, order: RollOrder) -> RollResult:
        """Make a roll in a write transaction. A refusal comes before anything is drawn or written."""
        preview = order.preview
        if preview is None:
            preview = self.preview(tx, open_campaign(tx, order.campaign_id), order.request)
        elif not preview.whole:
            preview = self.preview(tx, preview.campaign, order.request, then=preview.then)
        campaign = preview.campaign
        repeats = None if order.request.reason else preview.asks_reason
        if repeats:
            known = repeats if order.secrets else self._preview_for_player(tx, campaign, order).asks_reason
            if known:
                raise errors.NeedsReason(known, "Give a reason to roll anyway.")
        with find_current(tx, self.ledger, campaign) as (link, epoch, audited):
            entry = self._enter(tx, order, preview, link, epoch)
        by = {*entry_body.find_rollers(entry).values()}
        people = {entry.actor: order.user_id} if by == {entry.actor} else entries.find_users(tx, campaign.id, by)
        low = PUSH in preview.procedure.choices and is_too_low(
            entry.content(), preview.procedure, preview.book, secrets=order.secrets
        )
        rolled = RollResult(campaign, entry, (), people, amendable=preview.procedure.amendable, too_low=low)
        messages = self.messages(rolled, permissions.find_channel(tx, campaign.id, entry.audience))
        lines = [] if order.secrets else [*list_namesakes(tx, campaign.id, preview.request, preview.cast)]
        lines += [f"{repeats} Rolled anyway."] if repeats else []
        if lines:
            hidden = embed.make_secrets_embed(rolled.view, lines)
            messages = [*messages, queue.OutgoingMessage("notice", campaign.staff_channel_id, [hidden])]
        pings = embed.find_owners(tx, campaign, entry, order.user_id)
        messages = embed.ping_with_first(messages, entry, pings)
        for call in self.extension.of_entry(campaign, entry).calls:
            messages = call(tx, self, campaign, entry, messages)
        queued = self.outbox.queue(tx, campaign.id, None, audited)
        queued += self.outbox.queue(tx, campaign.id, entry.number, messages)
        queued += self.outbox.queue(tx, campaign.id, None, embed.make_entry_news(campaign, entry, pings))
        queued += self.extension.follow(tx, self, campaign, entry)
        unknown = {item.name for item in list_cast(preview.cast).values() if item.secret and item.owner != entry.actor}
        return replace(rolled, posts=tuple(queued), unknown=frozenset() if order.secrets else frozenset(unknown))

    def _preview_for_player(self, tx: Connection, campaign: Campaign, order: RollOrder) -> Preview:
        if order.preview is not None and not order.preview.whole:
            return order.preview
        viewer = make_player_viewer(campaign, campaigns.find_pseudonym(tx, campaign.id, order.user_id))
        return self.preview(tx, campaign, order.request, viewer)

    def messages(self, rolled: RollResult, group: int | None = None) -> Sequence[queue.OutgoingMessage]:
        """Return a roll's messages: public parts, a `group`'s (channel id), and the staff's if some part is theirs."""
        campaign, entry, staff = rolled.campaign, rolled.entry, rolled.campaign.staff_channel_id
        owed: dict[queue.PostKind, int] = {}
        if entry.audience in {"results", "mixed"}:
            owed["results"] = entry_body.home_of(entry) or campaign.results_channel_id
        if group is not None:
            owed["group"] = group
        elif entry.audience not in {"results", "person"}:
            owed["staff"] = staff
        if owed and "staff" not in owed and any(part["secret"] for part in entry.content()["parts"]):
            owed["whole"] = staff  # in full, as the others' is not
        messages: Sequence[queue.OutgoingMessage] = [
            queue.OutgoingMessage(kind, channel, page)
            for kind, channel in owed.items()
            for page in self.kinds.pages(rolled.view, "staff" if kind in {"staff", "whole"} else "public")
        ]
        for rule in self.extension.of_entry(campaign, entry).messages:
            messages = rule(campaign, entry, messages)
        return messages

    def _enter(self, tx: Connection, order: RollOrder, preview: Preview, link: Link, epoch: Epoch) -> Entry:
        campaign, book, amends = preview.campaign, preview.book, preview.request.amends
        amended = find_amended(tx, campaign, amends.number) if amends else None
        private = self._find_private(tx, campaign, preview, amended)
        request = replace(preview, request=send_secrets_to_staff(preview.request, private)).at_home
        seen = (
            preview
            if order.secrets or not preview.procedure.method.keeps
            else self._preview_for_player(tx, campaign, order)
        )
        asked, parts = (tuple(item.part for item in made.parts) for made in (seen, preview))
        mixer = None
        if self.outside and campaign.asks_outside:
            mixer = OutsideRequest(self.outside, tx, (campaign.id, order.user_id), private=request.to == "me")
        wanted = DrawRequest(request.family, book.fingerprint, order.interaction, parts)
        draw = Draw(epoch, link, wanted, self.ledger, mixer)
        drawn = [self.dice or draw.of_part(part) for part in range(len(parts))]
        thrown = [PartlyTypedDice(order.dice, dice) for dice in drawn] if order.dice else drawn
        own = amended.dice(thrown) if amended else []
        resolution = resolve(Request(request.family, parts), book, own or thrown, asked)
        now = replace(preview.moment, entry=link.number + 1)
        then = (self.ledger.now(), preview.state, preview.cast)
        resolved = ResolvedRoll(campaign, request, resolution, book, now, *then)
        with self.in_past(tx, campaign, preview.then):
            draft = self._draft(tx, resolved, order, preview, private)
            draft = amended.undo(tx, campaign.id, amended.publish(draft, private)) if amended else draft
        if amended:
            limits = self.library.list_limits(tx, campaign)
            draft = amended.amend(tx, campaign.id, draft, now.entry, own, limits)
        kept = (campaign.id, book.fingerprint)  # its tables stay forever
        if kept not in self._kept_books and entries.keep_book(tx, *kept, book.id, partial(canonical_book, book)):
            self._kept_books.add(kept)
        saved = [item.key for item in list_cast(preview.cast).values() if item.saved]
        profiles.note_use(tx, campaign.id, saved, now.entry)
        actor = order.actor or self.ledger.actor(tx, campaign, order.user_id)
        return self.ledger.append(tx, campaign.id, actor, draw.add_record(draft), link)

    def _find_private(
        self, tx: Connection, campaign: Campaign, preview: Preview, amended: AmendedRoll | None
    ) -> frozenset[int]:
        private = find_secret_parts(preview.cast)
        if amended is not None:
            with self.in_past(tx, campaign, preview.then):
                private |= find_secret_parts(resolve_names(tx, campaign.id, amended.request)[1])
            for request in (preview.request, amended.request):
                private |= find_secret_parts(resolve_names(tx, campaign.id, request)[1])
        return private

    def _draft(
        self, tx: Connection, resolved: ResolvedRoll, order: RollOrder, preview: Preview, private: frozenset[int]
    ) -> EntryDraft:
        campaign, request, resolution, book = resolved.campaign, resolved.request, resolved.resolution, resolved.book
        own = self.extension.of(campaign, book.id, resolution.family).extra
        rules = [*own, *([order.extra] if order.extra else [])]
        extras: list[ExtraChanges] = [rule(tx, resolved) for rule in rules]
        nobody = find_unborne(preview.request.parts, preview.cast)
        people = Subjects(tx, campaign.id, None if request.staff else is_open, nobody)
        look = partial(state.get_value, tx, campaign.id)
        consequences = Consequences(preview.procedure, resolved.moment, book, people, look)
        after = consequences.of(resolution, preview.cast, resolved.before)
        for extra in extras:
            after |= extra.changes
        there = tuple(list_cast(preview.cast).values())
        known = {state.CAMPAIGN_STATE, *(item.key for item in there), *(item.subject for item in people.changes)}
        before = read_before_roll(tx, campaign.id, resolved.before, known, after)
        quiet = preview.discloses or any(extra.quiet for extra in extras)
        audiences = entry_body.list_audiences(request, resolution, private, quiet=quiet)
        body = entry_body.roll_body(request, preview.procedure, resolution, dict(preview.update), audiences)
        needed = list_needed_values(campaign, preview.request, preview.procedure, preview.state, preview.cast)
        consequences.tell(body)
        body["uses"] = preview.uses(item.value for _, item in needed)
        for record, part, hidden in zip(body["parts"], preview.parts, preview.hidden, strict=True):
            if hidden:
                record["secret"] = record["hides"] = True
            overruled = find_overruled(part.known, part.part.marks, part.procedure, part.book)
            record["overruled"] = entry_body.list_overruled(overruled, led=request.staff or request.led)
        if preview.procedure.policy.again == "never" and not request.amends:
            body["by"] = {preview.procedure.actor: self.ledger.actor(tx, campaign, order.user_id)}
        for extra in extras:
            body |= extra.body
        if book.versions:
            body |= {"house": [*book.versions], "bears": entry_body.house_rules_used(resolution, book)}
        return EntryDraft(
            kind="roll",
            body=body,
            changes=(*people.changes, *(Change(*key, before.get(key), value) for key, value in after.items())),
            texts=entry_body.list_texts(request),
            book=book.fingerprint,
            audience=entry_body.entry_audience(body),
            subjects=there,
        )
