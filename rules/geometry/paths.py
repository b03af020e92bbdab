"""Ways from place to place: what is within reach, the shortest way, and what hangs together, on any grid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import TypeVar

P = TypeVar("P")
Neighbours = Callable[[P], Iterable[P]]
Cost = Callable[[P], int | None]
"""What entering a place costs, 1 or more; None where nobody may enter."""


def _anywhere(_place: object) -> int:
    return 1


def _nowhere(_place: object) -> bool:
    return False


def reach(
    start: P,
    most: int,
    neighbours: Neighbours[P],
    cost: Cost[P] = _anywhere,
    stops: Callable[[P], bool] = _nowhere,
) -> dict[P, int]:
    """Return every other place that can be reached for at most so much, with the least that it costs.

    A place that `stops` can be entered and not left again.
    """
    return {place: spent for place, spent, _ in _spread(start, most, neighbours, cost, stops) if place != start}


def shortest(
    start: P,
    goal: P,
    neighbours: Neighbours[P],
    cost: Cost[P] = _anywhere,
    most: int | None = None,
) -> tuple[P, ...] | None:
    """Return a cheapest way from start to goal, both included, or None when there is none for at most so much."""
    came: dict[P, P] = {}
    for place, _, before in _spread(start, most, neighbours, cost, _nowhere):
        came[place] = before
        if place == goal:
            way = [goal]
            while way[-1] != start:
                way.append(came[way[-1]])
            return tuple(reversed(way))
    return None


def connected(sources: Iterable[P], within: Collection[P], neighbours: Neighbours[P]) -> set[P]:
    """Return the places that a chain of neighbours, all of them `within`, joins to one of the sources."""
    joined = {source for source in sources if source in within}
    waiting = list(joined)
    while waiting:
        fresh = {place for place in neighbours(waiting.pop()) if place in within} - joined
        joined |= fresh
        waiting += fresh
    return joined


def _spread(
    start: P, most: int | None, neighbours: Neighbours[P], cost: Cost[P], stops: Callable[[P], bool]
) -> Iterator[tuple[P, int, P]]:
    """Yield places from the cheapest on, each once, with what it costs and the place before it on the way."""
    order = count()  # places need not compare; of equals the one found first comes first
    waiting = [(0, next(order), start, start)]
    seen: set[P] = set()
    while waiting:
        spent, _, place, before = heappop(waiting)
        if place in seen:
            continue
        seen.add(place)
        yield place, spent, before
        if place != start and stops(place):
            continue
        for other in neighbours(place):
            price = cost(other)
            if price is not None and other not in seen and (most is None or spent + price <= most):
                heappush(waiting, (spent + price, next(order), other, place))
