"""Roll cards: opened, changed, taken over, rolled once, cancelled. The card is the row; a message is one view of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.permissions import Person, require_game_master, require_leader_again, require_roller
from bot.core.records import Entry
from bot.errors import NeedsReason, NotAllowed, NotOpen
from bot.rolls.card import store
from bot.rolls.card.store import Card
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder

KEPT_REVISIONS = 10
MAX_LISTED = 25

Ticked = list[list[str]]
"""What is ticked on each part, as `PartPreview.ticked` has it."""
Edit = Callable[[RollRequest, Preview, Ticked], RollRequest]


@dataclass(frozen=True, slots=True)
class CardView:
    """All that is needed to draw a card for somebody. Without `secrets`, what only the staff knows is left out."""

    card: Card
    campaign: Campaign
    request: RollRequest
    preview: Preview
    secrets: bool

    def seen(self, revision: int) -> Ticked | None:
        """What was ticked in a revision for those who see as much as this person; None when that is not kept."""
        return self.card.shown.get(_eyes(revision, secrets=self.secrets))


class Changed(Exception):
    """The card is not what the person saw. `view` is how it stands now."""

    def __init__(self, view: CardView) -> None:
        self.view = view
        super().__init__("the card has changed")


class Cards:
    """The use cases around roll cards."""

    def __init__(self, database: Database, resolver: Resolver, ledger: Ledger) -> None:
        self._database = database
        self._resolver = resolver
        self._ledger = ledger

    async def look(self, person: Person, campaign_id: int, card_id: str) -> CardView:
        """An open card as it stands, for whoever may use it."""
        return await self._database.read(lambda tx: self._view(tx, person, campaign_id, card_id, lock=False))

    async def change(self, person: Person, campaign_id: int, card_id: str, revision: int, edit: Edit) -> CardView:
        """Change an open card. `edit` gets the request, its preview and what was ticked in the revision the person saw.

        Raises:
            Changed: the revision is so old that what the person saw is not known any more.
            NotOpen: the card is spent, cancelled or gone.
            NotAllowed: it is somebody else's, and the person is no game master.
            RollError, BadInput: the change cannot be.

        """

        def change(tx: Connection) -> CardView:
            view = self._view(tx, person, campaign_id, card_id)
            seen = view.seen(revision)
            if seen is None:
                raise Changed(view)
            request = edit(view.request, view.preview, seen)
            _require_may(person, view.campaign, request, view.request)
            return self._save(tx, view, request)

        return await self._database.write(change)

    async def reset(self, person: Person, campaign_id: int, card_id: str) -> CardView:
        """Put a card back to how it was opened."""

        def reset(tx: Connection) -> CardView:
            view = self._view(tx, person, campaign_id, card_id)
            return self._save(tx, view, RollRequest.model_validate(view.card.request["opened"]))

        return await self._database.write(reset)

    async def cancel(self, person: Person, campaign_id: int, card_id: str) -> RollRequest:
        """Close a card without a roll, also one that could not be rolled any more; gives what it asked for."""

        def cancel(tx: Connection) -> RollRequest:
            _, card = _usable(tx, person, campaign_id, card_id)
            store.save(tx, replace(card, state="cancelled"))
            return RollRequest.model_validate(card.request["now"])

        return await self._database.write(cancel)

    async def roll(self, person: Person, campaign_id: int, card_id: str, revision: int) -> Rolled:
        """Roll a card, once; the transaction that rolls it makes sure that it is still as the person saw it.

        Raises:
            Changed: it is not what the person saw in this revision.
            NotOpen, NotAllowed, NeedsReason: it cannot be rolled now, by this person, or without a reason.

        """
        view = await self.look(person, campaign_id, card_id)
        if view.request.to == "me":
            require_game_master(person, view.campaign, "keep a result to themselves")

        def before(tx: Connection) -> None:
            now = self._view(tx, person, campaign_id, card_id)
            if now.card.revision != revision or now.seen(revision) != _ticked(now.preview):
                raise Changed(now)

        def after(tx: Connection, entry: Entry) -> None:
            store.save(tx, replace(view.card, state="rolled", entry_number=entry.number))

        try:
            return await self._resolver.roll(
                RollOrder(campaign_id, person.user_id, view.request, before=before, after=after)
            )
        except NeedsReason as needed:
            require_leader_again(person, view.campaign)
            raise NeedsReason(needed.what, "Press Roll again to give your reason.") from needed
        except Changed as changed:
            raise Changed(await self.redraw(person, campaign_id, card_id)) from changed

    async def redraw(self, person: Person, campaign_id: int, card_id: str) -> CardView:
        """A card as it stands, under a new revision that counts as shown."""

        def save(tx: Connection) -> CardView:
            view = self._view(tx, person, campaign_id, card_id)
            return self._save(tx, view, view.request)

        return await self._database.write(save)

    async def still_open(self, person: Person, campaign: Campaign) -> list[tuple[Card, RollRequest]]:
        """Open cards that the person may use, newest first: their own, and for a game master all of the campaign."""
        owner = None if person.leads(campaign) else person.user_id
        found = await self._database.read(lambda tx: store.still_open(tx, campaign.id, owner, MAX_LISTED))
        return [(card, RollRequest.model_validate(card.request["now"])) for card in found]

    def open(self, tx: Connection, person: Person, campaign_id: int, request: RollRequest) -> CardView:
        """Open a card for a request, in the caller's write transaction.

        Raises:
            NotAllowed: the person may not roll this.
            NotOpen: the campaign is archived.
            RollError: the roll cannot be made as asked.

        """
        campaign = open_campaign(tx, campaign_id)
        _require_may(person, campaign, request, RollRequest(book="", family="", parts=()))
        preview = self._resolver.preview(tx, campaign, request, secrets=person.leads(campaign))
        _require_roller(person, campaign, preview)
        asked = request.model_dump(mode="json")
        card = Card(
            id=self._ledger.random_id(6),
            campaign_id=campaign.id,
            owner_id=person.user_id,
            request={"opened": asked, "now": asked},
            revision=1,
            shown=self._shown(tx, campaign, preview, 1, secrets=person.leads(campaign)),
            state="open",
            entry_number=None,
            opened_at=self._ledger.now(),
        )
        store.add(tx, card)
        return CardView(card, campaign, request, preview, person.leads(campaign))

    def _view(self, tx: Connection, person: Person, campaign_id: int, card_id: str, *, lock: bool = True) -> CardView:
        campaign, card = _usable(tx, person, campaign_id, card_id, lock=lock)
        request = RollRequest.model_validate(card.request["now"])
        preview = self._resolver.preview(tx, campaign, request, secrets=person.leads(campaign))
        _require_roller(person, campaign, preview)
        return CardView(card, campaign, request, preview, person.leads(campaign))

    def _save(self, tx: Connection, view: CardView, request: RollRequest) -> CardView:
        preview = view.preview.revised(request)
        revision = view.card.revision + 1
        kept = {key: seen for key, seen in view.card.shown.items() if int(key.split()[1]) > revision - KEPT_REVISIONS}
        shown = self._shown(tx, view.campaign, preview, revision, secrets=view.secrets)
        card = replace(
            view.card,
            request={**view.card.request, "now": request.model_dump(mode="json")},
            revision=revision,
            shown={**kept, **shown},
        )
        store.save(tx, card)
        return replace(view, card=card, request=request, preview=preview)

    def _shown(
        self, tx: Connection, campaign: Campaign, preview: Preview, revision: int, *, secrets: bool
    ) -> dict[str, Ticked]:
        """What is ticked, for either kind of eyes: somebody's ticks say nothing of what was kept from them."""
        other = preview
        if not secrets or _knows_secrets(preview):
            other = self._resolver.preview(tx, campaign, preview.request, secrets=not secrets)
        return {
            _eyes(revision, secrets=secrets): _ticked(preview),
            _eyes(revision, secrets=not secrets): _ticked(other),
        }


def _usable(
    tx: Connection, person: Person, campaign_id: int, card_id: str, *, lock: bool = True
) -> tuple[Campaign, Card]:
    """A card that is still open, and its campaign, for whoever may use it.

    Raises:
        NotOpen: the card is spent, cancelled or gone.
        NotAllowed: it is somebody else's.

    """
    campaign = campaigns.get(tx, campaign_id, lock=lock)
    card = store.get(tx, campaign_id, card_id)
    if campaign is None or card is None or campaign.guild_id != person.guild_id:
        raise NotOpen("That card is gone.", "Start the roll again with its command.")
    if card.owner_id != person.user_id and not person.leads(campaign):
        raise NotAllowed("That card is somebody else's.", "Open one of your own with the roll's command.")
    _require_open(card, campaign)
    return campaign, card


def _require_may(person: Person, campaign: Campaign, request: RollRequest, before: RollRequest) -> None:
    """Players set nothing that is a game master's; what one has set may stay."""
    if _reserved(request) != _reserved(before):
        require_game_master(person, campaign, "adjust a roll, choose where its result goes or roll the same again")


def _require_roller(person: Person, campaign: Campaign, preview: Preview) -> None:
    procedure = preview.procedure
    require_roller(person, campaign, procedure.family, opened=procedure.policy.open_to_players)


def _reserved(request: RollRequest) -> tuple[object, ...]:
    """What only game masters set on a request."""
    return request.to, request.reason, tuple(item for part in request.parts for item in part.adjustments)


def _require_open(card: Card, campaign: Campaign) -> None:
    if card.state == "rolled":
        raise NotOpen(f"This card has been rolled already: entry #{card.entry_number}.", "See it with /ledger show.")
    if card.state == "cancelled":
        raise NotOpen("This card was cancelled.", "Start the roll again with its command.")
    if campaign.archived_at is not None:
        raise NotOpen(f"{campaign.name} is archived: nothing new is rolled there.")


def _eyes(revision: int, *, secrets: bool) -> str:
    return f"{'staff' if secrets else 'players'} {revision}"


def _knows_secrets(preview: Preview) -> bool:
    facts = preview.book.facts
    return any(
        known.secret or (fact in facts and facts[fact].secret)
        for part in preview.parts
        for fact, known in part.part.facts.items()
    )


def _ticked(preview: Preview) -> Ticked:
    """What is ticked on each part, and under which sky and house rules: what changes in them is shown before it counts."""
    sky = f"sky {preview.sky.week} {' '.join(preview.sky.conditions)}*1"
    rules = f"house {', '.join(preview.book.versions)}*1"
    return [[*part.ticked(preview.procedure.method.manual_facts), sky, rules] for part in preview.parts]
