"""The scene in which a book's orders are carried out: a war, where the book has one."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import state
from bot.core.encoding import Json
from rules import books
from rules.orders import KnownOfScene, SceneOrders
from rules.ruleset import RuleSet


class PlayedScene(Struct, frozen=True):
    """A scene (its subject) that a book plays, how its orders hang on it, and what is kept of it, by name."""

    book: RuleSet
    orders: SceneOrders
    subject: str
    values: Mapping[str, Json]

    def known(self, update: int) -> KnownOfScene:
        """Return what the book makes of it in an update (number)."""
        return self.orders.know(self.book, self.values, update)

    def with_changes(self, changes: Mapping[str, object]) -> Mapping[str, object]:
        """Return what is kept of it once these values are set (None: not kept any more)."""
        return {name: value for name, value in {**self.values, **changes}.items() if value is not None}

    @property
    def sealed(self) -> bool:
        """Whether its orders wait for the update, instead of being carried out as they are given."""
        return self.orders.sealed(self.book, self.values)


def are_sealed(tx: Connection, campaign_id: int, book: RuleSet) -> bool:
    """Return whether orders of a book wait for the update as things are."""
    scene = scene_of(tx, campaign_id, book)
    return scene is None or scene.sealed


def hangs_on_scene(book: RuleSet) -> bool:
    """Return whether the orders of a book are carried out in a scene."""
    pairing = books.pairing_of(book.id)
    return pairing is not None and pairing.scene is not None


def scene_of(tx: Connection, campaign_id: int, book: RuleSet) -> PlayedScene | None:
    """Return the scene of a book that is not over, the newest; None where there is none, or its orders hang on none."""
    pairing = books.pairing_of(book.id)
    orders = pairing.scene if pairing else None
    if orders is None:
        return None
    begun = state.find_values_of_name(tx, campaign_id, orders.kind)
    running = [subject for subject, header in begun.items() if not header["over"] and header.get("book") == book.id]
    if not running:
        return None
    _, newest = max((begun[subject]["entry"], subject) for subject in running)
    kept = state.get_values(tx, campaign_id, {newest})
    return PlayedScene(book, orders, newest, {name: value for (_, name), value in kept.items()})
