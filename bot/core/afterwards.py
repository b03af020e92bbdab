"""What follows a transaction once it is committed; of one that is rolled back nothing does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

AFTERWARDS: Final = "afterwards"
"""The option of a connection under which the transaction that runs on it keeps what follows."""


def afterwards(tx: Connection, do: Callable[[], object]) -> None:
    """Do something as soon as a transaction is committed, in its thread; it may neither fail nor wait."""
    tx.get_execution_options().get(AFTERWARDS, []).append(do)
