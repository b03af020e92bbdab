"""What features tell beside an order that was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import Connection

from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import Viewer, viewer_of
from bot.orders.asides import OrderAside
from bot.orders.service import GivenOrder
from bot.orders.standing import StandingOrder

Beside = Callable[[Connection, Library, Viewer, StandingOrder], OrderAside | None]
"""What a feature tells beside an order; None of others' kinds."""


def told_beside(
    tx: Connection, hooks: Iterable[Beside], library: Library, person: Person, given: GivenOrder
) -> OrderAside | None:
    """Return what the first feature tells a person beside an order that tells anything; None where none does."""
    viewer = viewer_of(tx, person, given.campaign)
    found = (hook(tx, library, viewer, given.order) for hook in hooks)
    return next((aside for aside in found if aside is not None), None)


def lines_beside(
    hooks: Iterable[Beside], library: Library, tx: Connection, person: Person, given: GivenOrder
) -> Sequence[str]:
    """Return the lines of that; none where there is none."""
    aside = told_beside(tx, hooks, library, person, given)
    return aside.lines if aside else ()
