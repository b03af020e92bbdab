"""Orders that come in the place of others: the one that somebody changes, or that of the same kind and words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bot.core.records import Change
from bot.core.visibility import Viewer
from bot.errors import NotAsItIs, NotOpen
from bot.orders.standing import StandingOrder, known_to
from rules.orders import OrderKind

NO_MORE = "That order was already changed, cancelled or resolved."


def changed(
    viewer: Viewer, instead: int | None, stand: Sequence[StandingOrder], same: StandingOrder | None
) -> StandingOrder | None:
    """Return the order in whose place one comes: the one that it changes (`instead`, its entry), else one of the `same` words, of those of its kind that `stand`."""
    if instead is None:
        return same
    before = next((item for item in stand if item.entry == instead), None)
    if before is None:
        raise NotOpen(NO_MORE, "See /order list.")
    others = {item.entry for item in known_to(viewer, stand) if item.entry != instead}
    if same is not None and same.entry in others:
        raise NotAsItIs(f"That order was already given: entry #{same.entry}.", "Cancel this one with /order list.")
    return before


def in_place(
    before: StandingOrder | None, same: StandingOrder | None, order: StandingOrder, gone: Iterable[StandingOrder]
) -> Iterator[Change]:
    """Yield what puts an order in the place of another one, if there is one, and of those that are given up for it; the `same` that stands no more is kept beside it."""
    yield from (Change(order.who.key, item.name, item.value(), None) for item in gone)
    if before is not None and before.name != order.name:
        yield Change(order.who.key, before.name, before.value(), None)
    yield Change(order.who.key, order.name, same and same.value(), order.value())
    if same is not None and not same.stands:
        kept = same.followed_by(order.entry)
        yield Change(order.who.key, kept.name, None, kept.value())


def require_fit(viewer: Viewer, kind: OrderKind, alike: Sequence[StandingOrder], before: StandingOrder | None) -> None:
    """Refuse what would take the place of an order of which a part is resolved, to whom that order is known, and one order more than may stand at once of those that are `alike`."""
    if before is not None and before.partly and before.unresolved and known_to(viewer, [before]):
        raise NotAsItIs("That order is already partly resolved.", "See /order list.")
    others = [item for item in alike if item.stands and item is not before]
    if kind.several and len(others) >= kind.several:
        what = f"{others[0].who.name} can have {kind.several} of these orders at most: {kind.label}."
        raise NotAsItIs(what, "Change or cancel one with /order list.")
