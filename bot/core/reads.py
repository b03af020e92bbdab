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

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
Read = dict[Hashable, Any]
Query = sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[*tuple[Any, ...]]


def known(tx: Connection) -> Read:
    """Return what was read, by what was asked; nothing where a connection keeps none of that."""
    read: Read = tx.get_execution_options().get(READ, {})
    return read


def rows(tx: Connection, query: Query, parameters: Mapping[str, Any], lock: Query | None = None) -> Sequence[Any]:
    """Return the rows of a query, which nobody changes.

    `lock` is the same query that locks its rows: it waits for others, who may have changed all that was read before.
    """
    read, asked = known(tx), _asked(parameters)
    if lock is not None and (lock, *asked) not in read:
        read.clear()
        read[lock, *asked] = read[query, *asked] = tx.execute(lock, parameters).all()
    elif (query, *asked) not in read:
        read[query, *asked] = tx.execute(query, parameters).all()
    found: Sequence[Any] = read[query, *asked]
    return found


def found(tx: Connection, query: Query, parameters: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the rows of a query where they were read; None where it was not asked yet."""
    return known(tx).get((query, *_asked(parameters)))


def each(
    tx: Connection, kind: Hashable, numbers: Collection[int], ask: Callable[[Sequence[int]], Mapping[int, T]]
) -> dict[int, T]:
    """Return those of a kind that have these numbers, by number; `ask` is for those that were not read before."""
    read = known(tx)
    missing = unread(read, kind, numbers)
    if missing:
        learn(read, kind, {**dict.fromkeys(missing), **ask(missing)})
    return learned(read, kind, numbers)


def unread(read: Read, kind: Hashable, keys: Collection[K]) -> list[K]:
    """Return the keys (numbers or names) of a kind of which nothing was read before."""
    return [key for key in keys if (kind, key) not in read]


def learn(read: Read, kind: Hashable, items: Mapping[K, object]) -> None:
    """Take those of a kind as read, by key; None stands for what does not exist."""
    read |= {(kind, key): item for key, item in items.items()}


def learned(read: Read, kind: Hashable, keys: Collection[K]) -> dict[K, Any]:
    """Return those of a kind that exist of these keys, which were all read."""
    return {key: item for key in keys if (item := read[kind, key]) is not None}


def made(tx: Connection, key: Hashable, make: Callable[[], T]) -> T:
    """Return what is made of what was read, under a key of its own: it is made once, and nobody changes it."""
    read = known(tx)
    if key not in read:
        read[key] = make()
    found: T = read[key]
    return found


def write(tx: Connection, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[Any]:  # noqa: ANN401 - SQLAlchemy's own
    """Write to one of the tables, after which all is read anew."""
    forget(tx)
    return tx.execute(statement, parameters)


def forget(tx: Connection) -> None:
    """Forget what was read."""
    known(tx).clear()


def _asked(parameters: Mapping[str, Any]) -> tuple[Hashable, ...]:
    return tuple(frozenset(item) if isinstance(item, list) else item for item in parameters.values())
