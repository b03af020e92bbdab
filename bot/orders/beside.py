"""What features tell beside an order that was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import Connection

from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import Viewer, viewer_of
from bot.orders.asides import OrderAside
from bot.orders.service import GivenOrder
from bot.orders.standing import StandingOrder

Beside = Callable[[Connection, Library, Viewer, StandingOrder], OrderAside | None]
"""What a feature tells beside an order of its book; None where it tells nothing."""


def told_beside(
    tx: Connection, hooks: Mapping[str | None, Beside], library: Library, person: Person, given: GivenOrder
) -> OrderAside | None:
    """Return what the feature of an order's book shows a person with it; None where it shows nothing."""
    hook = hooks.get(given.order.book)
    return hook(tx, library, viewer_of(tx, person, given.campaign), given.order) if hook else None


def lines_beside(
    hooks: Mapping[str | None, Beside], library: Library, tx: Connection, person: Person, given: GivenOrder
) -> Sequence[str]:
    """Return the lines of that; none where there is none."""
    aside = told_beside(tx, hooks, library, person, given)
    return aside.lines if aside else ()
