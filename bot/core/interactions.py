"""Whose command or press a transaction carries out: what it enters is numbered under that interaction, so that it is entered once.

Discord gives an interaction to every process that is connected with the bot's token, as two are while a new version takes over.
Both carry it out; whoever commits second finds the first entry of the interaction there, and leaves all to the other.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

import sqlalchemy as sa
from msgspec import Struct

CARRIED_OUT: Final = "carried out"
"""The option of a connection under which a transaction has the interaction that it carries out."""

UNIQUE: Final = "ix_entry_interaction_step"
"""The index by which an interaction has each of its entries once."""


class CarriedOut(Struct):
    """An interaction (Discord's id) that this process carries out, and how many entries it has written for it.

    `campaign` is the one that it is about, and `entry` the last that it has written there; None as long as there is none.
    """

    number: int
    entries: int = 0
    campaign: int | None = None
    entry: int | None = None

    def keep(self, tried: CarriedOut) -> None:
        """Take over what a transaction has written for it, once that is committed."""
        if tried.entries > self.entries:  # one that only reads may end after one that has written
            self.entries, self.entry = tried.entries, tried.entry


class Taken(Exception):
    """Another process carries this interaction out: nothing was written here, and nobody is told anything."""


_current: ContextVar[CarriedOut | None] = ContextVar("interaction", default=None)


def begin(number: int) -> CarriedOut:
    """Let all that the running task writes from now on be of an interaction, and return it."""
    carried = CarriedOut(number)
    _current.set(carried)
    return carried


def current() -> CarriedOut | None:
    """Return the interaction that the running task carries out; None in what happens by itself."""
    return _current.get()


def about(tx: sa.Connection, campaign_id: int) -> None:
    """Note which campaign the interaction is about that a transaction carries out, if it does."""
    mine: CarriedOut | None = tx.get_execution_options().get(CARRIED_OUT)
    if mine is not None:
        mine.campaign = campaign_id


def next_step(tx: sa.Connection, entry: int) -> tuple[int | None, int | None]:
    """Return the interaction that a transaction carries out, and which of its entries this one (number) is, from 0; None and None without one."""
    mine: CarriedOut | None = tx.get_execution_options().get(CARRIED_OUT)
    if mine is None:
        return None, None
    mine.entries += 1
    mine.entry = entry
    return mine.number, mine.entries - 1


def is_taken(error: sa.exc.IntegrityError) -> bool:
    """Return whether a row was refused because its interaction has that entry already: PostgreSQL names the index, SQLite its columns."""
    said = str(error.orig)
    return UNIQUE in said or ("entry.interaction" in said and "entry.step" in said)
