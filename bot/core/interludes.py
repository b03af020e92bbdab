"""Interludes: what a write transaction needs from outside before it can go on, such as an answer over the network."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from sqlalchemy import Connection

CAME: Final = "came"
"""The option of a connection under which a transaction that runs again has what came of its interlude, in a list."""

Write = Callable[..., Awaitable[Any]]
"""Run a write transaction: `Database.write`."""


class Interlude(Exception):
    """Raised in a write transaction: it is rolled back, `held` is awaited meanwhile, and then it runs again from its beginning."""

    async def held(self, write: Write) -> object:
        """Do what is needed, with transactions of its own where it writes; return what came of it, which `came` tells then, if anything did."""
        raise NotImplementedError


def was_held(tx: Connection) -> bool:
    """Return whether a transaction runs again, after an interlude."""
    return CAME in tx.get_execution_options()


def came(tx: Connection) -> Any:  # noqa: ANN401 - whatever the interlude returned
    """Return what came of the interlude of a transaction, and None to whoever asks again."""
    held: list[Any] = tx.get_execution_options()[CAME]
    return held.pop() if held else None
