"""A roll card: its row, and how a person sees it and its earlier revisions."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct, convert, to_builtins
from sqlalchemy import Connection

from bot.core import campaigns, database, entries, records, subjects
from bot.core.schema import actor, card, entry
from bot.rolls.amended import KeptOutcome, find_amended
from bot.rolls.entry_body import list_thrown
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest
from rules import dice, errors, ruleset
from rules.procedure import Choice, Request

_KEY = (card.c.campaign_id == sa.bindparam("campaign"), card.c.id == sa.bindparam("card"))
_owner = actor.alias("owner")
_OF_OWNER = (_owner.c.campaign_id == card.c.campaign_id) & (_owner.c.user_id == card.c.owner_id)
_BARS = sa.func.coalesce(_owner.c.bars, sa.true()).label("bars")
_HEAD = entries.NEWEST.with_only_columns(entry.c.hash).scalar_subquery().label("head")
_ONE = sa.select(card, _BARS, _HEAD).outerjoin(_owner, _OF_OWNER).where(*_KEY)
_ADD = card.insert()
_CHANGED = ("request", "revision", "shown", "state", "entry_number")
_SAVE = card.update().where(*_KEY).values({name: sa.bindparam(name) for name in _CHANGED})

SPENT_CARDS_STAY = timedelta(days=7)
"""How long a press on a rolled card still names its entry."""

_spent = card.c.state.in_(("rolled", "cancelled"))
forget_spent_cards = partial(database.forget_old, card.c.opened_at, only=[_spent], keep=SPENT_CARDS_STAY)
CardState = Literal["open", "rolled", "cancelled"]


class Card(Struct, frozen=True):
    """A card's row, its owner's `bars`, and the newest entry's hash (`head`). `request` has "now", "opened" and perhaps "meant"; `shown` has recent snapshots."""

    id: str
    campaign_id: int
    owner_id: int
    request: records.Json
    revision: int
    shown: dict[str, records.Json]
    state: CardState
    entry_number: int | None
    opened_at: datetime
    bars: bool = True
    head: str | None = None


def add(tx: Connection, new: Card) -> None:
    """Insert the row of a new card."""
    tx.execute(_ADD, {column.name: getattr(new, column.name) for column in card.c})


def save(tx: Connection, changed: Card) -> None:
    """Save a card that has changed."""
    values = {name: getattr(changed, name) for name in _CHANGED}
    tx.execute(_SAVE, {"campaign": changed.campaign_id, "card": changed.id, **values})


def get(tx: Connection, campaign_id: int, card_id: str) -> Card | None:
    """Return a card, open or not, by its id; None if unknown."""
    row = tx.execute(_ONE, {"campaign": campaign_id, "card": card_id}).first()
    return _card(row) if row else None


def list_open_cards(tx: Connection, campaign_id: int, owner_id: int | None, limit: int) -> list[Card]:
    """Return at most `limit` open cards, newest first, of an owner, or of everyone if None."""
    query = sa.select(card).where(card.c.campaign_id == campaign_id, card.c.state == "open")
    if owner_id is not None:
        query = query.where(card.c.owner_id == owner_id)
    rows = tx.execute(query.order_by(card.c.opened_at.desc(), card.c.id).limit(limit))
    return [_card(row) for row in rows]


def _card(row: sa.Row[Any]) -> Card:
    return Card(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it


def read_kept_dice(tx: Connection, campaign: campaigns.Campaign, preview: Preview) -> KeptOutcome | None:
    """Return the dice of the roll that a preview amends; None if it amends none."""
    amends = preview.request.amends
    amended = find_amended(tx, campaign, amends.number) if amends else None
    if amended is None:
        return None
    faces = tuple(
        tuple(die.face for die in list_thrown(part) if die.source != dice.SHARED) for part in amended.body["parts"]
    )
    request = Request(preview.request.family, tuple(item.part for item in preview.parts))
    nothing = dice.ScriptedDice(())
    kept = amended.dice([nothing] * len(request.parts))
    try:
        parts = ruleset.resolve(request, preview.book, kept).parts
    except errors.WrongDice:
        return KeptOutcome(faces, None)
    return KeptOutcome(faces, tuple(part.conclusion.text if part.conclusion else "not rolled" for part in parts))


def knows_secrets(preview: Preview) -> bool:
    """Return whether a game master's preview may show what players don't know."""
    facts = preview.book.facts
    somebody = preview.procedure.method.keeps and any(item.secret for item in subjects.list_cast(preview.cast).values())
    at_home = preview.request.at_home and any(sky.region for sky in preview.skies)  # the region is a home's
    return (
        bool(somebody)
        or any(preview.hidden)
        or (at_home and campaigns.PLACES not in preview.campaign.players_may)
        or any(
            known.secret or (fact in facts and facts[fact].secret)
            for part in preview.parts
            for fact, known in (*part.part.facts.items(), *part.part.lacking.items())
        )
    )


CARD_CHANGED = "The card has changed since you saw it. Check it again."


class CardSnapshot(Struct, frozen=True):
    """What a revision showed: ticks (`id*count`), kept values, weather, house rules, update. A roll uses only these."""

    ticks: tuple[tuple[str, ...], ...]
    week: int | None = None
    conditions: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    update: int | None = None


def snapshot_of(preview: Preview) -> CardSnapshot:
    """Return what a preview shows, to compare with later ones."""
    procedure = preview.procedure
    kept = [part.lines if procedure.method.keeps else () for part in preview.parts]
    ticks = [
        (*part.list_ticks(procedure.method.manual_facts), *kept_ticks)
        for part, kept_ticks in zip(preview.parts, kept, strict=True)
    ]
    sky, update = [*dict.fromkeys(preview.skies)], preview.update["number"]
    week = next((there.week for there in sky if there.week is not None), None)
    conditions = tuple(name for there in sky for name in there.conditions)
    return CardSnapshot(tuple(ticks), week, conditions, tuple(preview.book.versions), update)


class Doubt(Struct, frozen=True):
    """Probable slips in what was typed, and the request as meant if it can be rolled."""

    lines: tuple[str, ...]
    meant: RollRequest | None

    def record(self) -> dict[str, records.Json]:
        """Return the doubt as a card's row keeps it."""
        meant = {"meant": to_builtins(self.meant)} if self.meant else {}
        return {"doubts": list(self.lines), **meant}


Edit = Callable[[RollRequest, Preview, CardSnapshot], RollRequest]


class CardView(Struct, frozen=True):
    """A card as someone sees it. `kept` are an amended roll's dice, `group` names the only group to get the result."""

    card: Card
    campaign: campaigns.Campaign
    request: RollRequest
    preview: Preview
    secrets: bool
    kept: KeptOutcome | None = None
    group: str = ""
    ahead: Sequence[str] = ()

    @property
    def has_meant(self) -> bool:
        """Whether the card keeps a suggestion for probable slips."""
        return "meant" in self.card.request

    def open_choices(self, part: int) -> Sequence[Choice]:
        """Return a part's choices that orders left open; else empty."""
        picked = self.request.parts[part].choices
        return [
            item
            for item in self.preview.procedure.choices
            if self.request.task and item.asked and item.id not in picked
        ]

    @property
    def doubts(self) -> Sequence[str]:
        """Sentences about probable slips; empty if none."""
        lines: Sequence[str] = self.card.request.get("doubts", ())
        return lines

    def find_snapshot(self, revision: int) -> CardSnapshot | None:
        """Return what a revision showed this person; None if it isn't kept."""
        value = self.card.shown.get(snapshot_key(revision, secrets=self.secrets))
        return None if value is None else convert(value, CardSnapshot)


class CardKey(Struct, frozen=True):
    """A card and the revision that someone saw."""

    campaign_id: int
    card_id: str
    revision: int = 0


class CardChanged(Exception):
    """The card isn't what the person saw. `view` is how it is now."""

    why = CARD_CHANGED

    def __init__(self, view: CardView) -> None:
        self.view = view
        super().__init__("the card has changed")


class GroupRemoved(CardChanged):
    """The only group to get the result was removed."""

    def __init__(self, view: CardView, group: str) -> None:
        what = f"{group} was removed, so the result" if group else "The result"
        self.why = f"{what} would now go to the game masters. Check it again."
        super().__init__(view)


def snapshot_key(revision: int, *, secrets: bool) -> str:
    """Return the key of what a revision showed to game masters (`secrets`) or players."""
    return f"{'staff' if secrets else 'players'} {revision}"
