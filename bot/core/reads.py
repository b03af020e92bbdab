"""What a transaction has read: it asks for the same once, until it writes what it has asked for.

This holds for the tables that most transactions read: whoever writes one of them does so by `write`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

READ: Final = "read"
"""The option of a connection under which the transaction that runs on it keeps what it has read."""

T = TypeVar("T")
Query = sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[*tuple[Any, ...]]


def rows(tx: Connection, query: Query, parameters: Mapping[str, Any], lock: Query | None = None) -> Sequence[Any]:
    """Return the rows of a query, which nobody changes.

    `lock` is the same query that locks its rows: it waits for others, who may have changed all that was read before.
    """
    known, asked = _known(tx), _asked(parameters)
    if lock is not None and (lock, *asked) not in known:
        known.clear()
        known[lock, *asked] = known[query, *asked] = tx.execute(lock, parameters).all()
    elif (query, *asked) not in known:
        known[query, *asked] = tx.execute(query, parameters).all()
    found: Sequence[Any] = known[query, *asked]
    return found


def found(tx: Connection, query: Query, parameters: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the rows of a query where they were read; None where it was not asked yet."""
    return _known(tx).get((query, *_asked(parameters)))


def each(
    tx: Connection, kind: Hashable, numbers: Collection[int], ask: Callable[[Sequence[int]], Mapping[int, T]]
) -> dict[int, T]:
    """Return those of a kind that have these numbers, by number; `ask` is for those that were not read before."""
    known = _known(tx)
    missing = [number for number in numbers if (kind, number) not in known]
    if missing:
        known |= _numbered(kind, {**dict.fromkeys(missing), **ask(missing)})
    return {number: item for number in numbers if (item := known[kind, number]) is not None}


def learn(tx: Connection, kind: Hashable, items: Mapping[int, object]) -> None:
    """Take those of a kind, by number, that were read by the way as read for `each`."""
    known = _known(tx)
    known |= _numbered(kind, items)


def made(tx: Connection, key: Hashable, make: Callable[[], T]) -> T:
    """Return what is made of what was read, under a key of its own: it is made once, and nobody changes it."""
    known = _known(tx)
    if key not in known:
        known[key] = make()
    found: T = known[key]
    return found


def write(tx: Connection, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[Any]:  # noqa: ANN401 - SQLAlchemy's own
    """Write to one of the tables, after which all is read anew."""
    forget(tx)
    return tx.execute(statement, parameters)


def forget(tx: Connection) -> None:
    """Forget what was read."""
    _known(tx).clear()


def _numbered(kind: Hashable, items: Mapping[int, object]) -> dict[Hashable, object]:
    return {(kind, number): item for number, item in items.items()}


def _asked(parameters: Mapping[str, Any]) -> tuple[Hashable, ...]:
    return tuple(frozenset(item) if isinstance(item, list) else item for item in parameters.values())


def _known(tx: Connection) -> dict[Hashable, Any]:
    """Return what was read, by what was asked; nothing where a connection keeps none of that."""
    known: dict[Hashable, Any] = tx.get_execution_options().get(READ, {})
    return known
