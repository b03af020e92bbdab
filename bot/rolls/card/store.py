"""A roll card: its row, and how a person sees it, with what earlier revisions have shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Self

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import PLACES, Campaign
from bot.core.encoding import Json
from bot.core.schema import card
from bot.core.subjects import list_cast
from bot.rolls.amended import KeptOutcome, find_amended
from bot.rolls.entry_body import list_thrown
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest
from rules.dice import SHARED, ScriptedDice
from rules.errors import WrongDice
from rules.procedure import Choice, Request
from rules.ruleset import resolve

_KEY = (card.c.campaign_id == sa.bindparam("campaign"), card.c.id == sa.bindparam("card"))
_ONE = sa.select(card).where(*_KEY)
_ADD = card.insert()
_CHANGED = ("request", "revision", "shown", "state", "entry_number")
_SAVE = card.update().where(*_KEY).values({name: sa.bindparam(name) for name in _CHANGED})

CLEARED = 100
"""How many spent cards are deleted at once: a database of an older version may have kept very many."""

_SPENT = (
    sa.select(card.c.id)
    .where(
        card.c.campaign_id == sa.bindparam("campaign"),
        card.c.state.in_(("rolled", "cancelled")),
        card.c.opened_at < sa.bindparam("before"),
    )
    .limit(CLEARED)
)
_CLEAR = card.delete().where(card.c.id.in_(_SPENT))

CardState = Literal["open", "rolled", "cancelled"]


class Card(Struct, frozen=True):
    """One roll card. `request` is the request so far and as opened, as JSON, and how it was probably meant; `shown` has the snapshots of recent revisions."""

    id: str
    campaign_id: int
    owner_id: int
    request: Json
    revision: int
    shown: dict[str, Json]
    state: CardState
    entry_number: int | None
    opened_at: datetime


def add(tx: Connection, new: Card) -> None:
    """Open a card."""
    tx.execute(_ADD, {name: getattr(new, name) for name in Card.__struct_fields__})


def clear(tx: Connection, campaign_id: int, before: datetime) -> None:
    """Delete cards that were opened before a moment and are rolled or cancelled; what was rolled stands in the ledger."""
    tx.execute(_CLEAR, {"campaign": campaign_id, "before": before})


def save(tx: Connection, changed: Card) -> None:
    """Write a card back."""
    values = {name: getattr(changed, name) for name in _CHANGED}
    tx.execute(_SAVE, {"campaign": changed.campaign_id, "card": changed.id, **values})


def get(tx: Connection, campaign_id: int, card_id: str) -> Card | None:
    """Return a card of a campaign by its id."""
    row = tx.execute(_ONE, {"campaign": campaign_id, "card": card_id}).first()
    return _card(row) if row else None


def still_open(tx: Connection, campaign_id: int, owner_id: int | None, limit: int) -> list[Card]:
    """Open cards of a campaign, newest first; of one owner unless that is None."""
    query = sa.select(card).where(card.c.campaign_id == campaign_id, card.c.state == "open")
    if owner_id is not None:
        query = query.where(card.c.owner_id == owner_id)
    rows = tx.execute(query.order_by(card.c.opened_at.desc(), card.c.id).limit(limit))
    return [_card(row) for row in rows]


def _card(row: sa.Row[Any]) -> Card:
    return Card(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it


def read_kept_dice(tx: Connection, campaign: Campaign, preview: Preview) -> KeptOutcome | None:
    """Return the dice of the roll that a roll amends, before it is made; None where it amends none."""
    amends = preview.request.amends
    amended = find_amended(tx, campaign, amends.number) if amends else None
    if amended is None:
        return None
    faces = tuple(
        tuple(face for _, face, source in list_thrown(part) if source != SHARED) for part in amended.body["parts"]
    )
    request = Request(preview.request.family, tuple(item.part for item in preview.parts))
    nothing = ScriptedDice(())
    kept = amended.dice([nothing] * len(request.parts))
    try:
        parts = resolve(request, preview.book, kept).parts
    except WrongDice:
        return KeptOutcome(faces, None)
    return KeptOutcome(faces, tuple(part.conclusion.text if part.conclusion else "not rolled" for part in parts))


def knows_secrets(preview: Preview) -> bool:
    """Tell whether a game master's preview may show what players do not know: of what is kept, of somebody secret, or as a fact."""
    facts = preview.book.facts
    somebody = preview.procedure.method.keeps and any(item.secret for item in list_cast(preview.cast).values())
    return (
        bool(somebody)
        or any(preview.hidden)
        or any(
            known.secret or (fact in facts and facts[fact].secret)
            for part in preview.parts
            for fact, known in (*part.part.facts.items(), *part.part.lacking.items())
        )
    )


def hides_place(preview: Preview) -> bool:
    """Tell whether players may be unable to see where it happens."""
    return (
        preview.request.at_home
        and any(sky.region for sky in preview.skies)
        and PLACES not in preview.campaign.players_may
    )


CARD_CHANGED = "The card has changed since you saw it. Check it again."


class CardSnapshot(Struct, frozen=True):
    """What a revision of a card has shown: ticks of each part (`id*count`) and what it tells of values that are kept, week and conditions of the weather, house rules, update.

    A roll is made only of what was shown: a change of any of these is shown first.
    """

    ticks: tuple[tuple[str, ...], ...]
    week: int | None = None
    conditions: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    update: int | None = None

    def value(self) -> dict[str, Json]:
        """Return it as the card's row keeps it."""
        return {
            "ticks": [list(part) for part in self.ticks],
            "week": self.week,
            "conditions": list(self.conditions),
            "versions": list(self.versions),
            "update": self.update,
        }

    @classmethod
    def from_value(cls, value: Mapping[str, Json]) -> Self:
        """Return it from what the card's row keeps."""
        ticks = tuple(tuple(part) for part in value["ticks"])
        conditions, versions = tuple(value["conditions"]), tuple(value["versions"])
        return cls(ticks, value["week"], conditions, versions, value.get("update"))


def snapshot_of(preview: Preview) -> CardSnapshot:
    """Return what is ticked on each part and told of what is kept, under which weather and house rules, and in which update."""
    procedure = preview.procedure
    kept = [part.lines if procedure.method.keeps else () for part in preview.parts]
    ticks = [
        (*part.ticked(procedure.method.manual_facts), *told) for part, told in zip(preview.parts, kept, strict=True)
    ]
    sky, update = [*dict.fromkeys(preview.skies)], preview.update["number"]
    week = next((there.week for there in sky if there.week is not None), None)
    conditions = tuple(name for there in sky for name in there.conditions)
    return CardSnapshot(tuple(ticks), week, conditions, tuple(preview.book.versions), update)


class Doubt(Struct, frozen=True):
    """What is probably a slip in a roll as it was typed: lines that say so, and how it was meant, where that can be rolled."""

    lines: tuple[str, ...]
    meant: RollRequest | None

    def record(self) -> dict[str, Json]:
        """Return it as a card keeps it beside its request."""
        meant = {"meant": self.meant.model_dump(mode="json")} if self.meant else {}
        return {"doubts": list(self.lines), **meant}


Edit = Callable[[RollRequest, Preview, CardSnapshot], RollRequest]
"""Change a request; takes its preview and what the person saw."""


class CardView(Struct, frozen=True):
    """All that is needed to draw a card for somebody. Without `secrets`, what only the staff knows is left out.

    `kept` are the dice of a roll that is amended; None for one whose dice are still to be thrown. `group` is the one (its
    name) to which alone the result goes, as far as that one knows of it. `ahead` are sentences on what a game master has to do
    before, where it carries out orders.
    """

    card: Card
    campaign: Campaign
    request: RollRequest
    preview: Preview
    secrets: bool
    kept: KeptOutcome | None = None
    group: str = ""
    ahead: Sequence[str] = ()

    @property
    def meant(self) -> bool:
        """Whether the card keeps how it was probably meant, beside how it was typed."""
        return "meant" in self.card.request

    def unpicked(self, part: int) -> Sequence[Choice]:
        """Return the choices of a part that orders have left open, and nobody has picked yet."""
        picked = self.request.parts[part].choices
        return [item for item in self.preview.procedure.choices if self.request.task and item.id not in picked]

    @property
    def doubts(self) -> Sequence[str]:
        """What is probably a slip in what was typed, in sentences."""
        lines: Sequence[str] = self.card.request.get("doubts", ())
        return lines

    def seen(self, revision: int) -> CardSnapshot | None:
        """Return what a revision has shown to those who see as much as this person; None when that is not kept."""
        value = self.card.shown.get(shown_key(revision, secrets=self.secrets))
        return None if value is None else CardSnapshot.from_value(value)


class CardKey(Struct, frozen=True):
    """Which card is meant, and which of its revisions somebody saw."""

    campaign_id: int
    card_id: str
    revision: int = 0


class Changed(Exception):
    """The card is not what the person saw. `view` is how it stands now, `why` what is to be told of that."""

    why = CARD_CHANGED

    def __init__(self, view: CardView) -> None:
        self.view = view
        super().__init__("the card has changed")


class Redirected(Changed):
    """The group to which alone a result was to go was removed since the card was drawn."""

    def __init__(self, view: CardView, group: str) -> None:
        what = f"{group} was removed, so the result" if group else "The result"
        self.why = f"{what} would now go to the game masters. Check it again."
        super().__init__(view)


def shown_key(revision: int, *, secrets: bool) -> str:
    """Return the key under which a card keeps what a revision has shown to game masters or to players."""
    return f"{'staff' if secrets else 'players'} {revision}"
