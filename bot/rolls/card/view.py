"""A roll card as somebody sees it: the row, what is known, and what earlier revisions have shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from msgspec import Struct

from bot.core.campaigns import Campaign
from bot.rolls.amended import KeptOutcome
from bot.rolls.card.store import Card
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest
from rules.procedure import Choice

CARD_CHANGED = "The card has changed since you saw it. Check it again."


class Snapshot(Struct, frozen=True):
    """What a revision of a card has shown: ticks of each part (`id*count`) and what it tells of values that are kept, week and conditions of the weather, house rules, update.

    A roll is made only of what was shown: a change of any of these is shown first.
    """

    ticks: tuple[tuple[str, ...], ...]
    week: int | None = None
    conditions: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    update: int | None = None

    def value(self) -> dict[str, Any]:
        """Return it as the card's row keeps it."""
        return {
            "ticks": [list(part) for part in self.ticks],
            "week": self.week,
            "conditions": list(self.conditions),
            "versions": list(self.versions),
            "update": self.update,
        }

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> Self:
        """Return it from what the card's row keeps."""
        ticks = tuple(tuple(part) for part in value["ticks"])
        conditions, versions = tuple(value["conditions"]), tuple(value["versions"])
        return cls(ticks, value["week"], conditions, versions, value.get("update"))


def snapshot_of(preview: Preview) -> Snapshot:
    """Return what is ticked on each part and told of what is kept, under which weather and house rules, and in which update."""
    procedure = preview.procedure
    kept = [part.lines if procedure.method.keeps else () for part in preview.parts]
    ticks = [
        (*part.ticked(procedure.method.manual_facts), *told) for part, told in zip(preview.parts, kept, strict=True)
    ]
    sky, update = [*dict.fromkeys(preview.skies)], preview.update["number"]
    week = next((there.week for there in sky if there.week is not None), None)
    conditions = tuple(name for there in sky for name in there.conditions)
    return Snapshot(tuple(ticks), week, conditions, tuple(preview.book.versions), update)


class Doubt(Struct, frozen=True):
    """What is probably a slip in a roll as it was typed: lines that say so, and how it was meant, where that can be rolled."""

    lines: tuple[str, ...]
    meant: RollRequest | None

    def record(self) -> dict[str, Any]:
        """Return it as a card keeps it beside its request."""
        meant = {"meant": self.meant.model_dump(mode="json")} if self.meant else {}
        return {"doubts": list(self.lines), **meant}


Edit = Callable[[RollRequest, Preview, Snapshot], RollRequest]
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

    def seen(self, revision: int) -> Snapshot | None:
        """Return what a revision has shown to those who see as much as this person; None when that is not kept."""
        value = self.card.shown.get(shown_to(revision, secrets=self.secrets))
        return None if value is None else Snapshot.from_value(value)


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


def shown_to(revision: int, *, secrets: bool) -> str:
    """Return the key under which a card keeps what a revision has shown to game masters or to players."""
    return f"{'staff' if secrets else 'players'} {revision}"
