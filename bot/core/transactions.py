"""What a running transaction carries with it, as options of its connection.

It remembers what it has read and asks for the same only once. It knows whose command or press it carries out, so that this is
entered once: Discord gives an interaction to every process that is connected with the bot's token, as two are while a new
version takes over. Both carry it out; the one that commits second finds the entry of the other, and leaves all to it. It can
ask for something from outside (an `Interlude`), and say what follows its commit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

RUNNING: Final = "running"
"""The option of a connection under which it has what its transaction carries."""

K = TypeVar("K", bound=Hashable)
P = ParamSpec("P")
T = TypeVar("T")
Row = sa.Row[*tuple[Any, ...]]
"""A row that a query gives."""

Parameters = Mapping[str, object]
Read = dict[Hashable, Any]
Query = sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[*tuple[Any, ...]]


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


class Running(Struct):
    """A transaction as it runs: what it carries out, its reads by what was asked, and what follows its commit.

    `answers` has what came of its interlude until that is taken; None in one that had no interlude.
    """

    interaction: CarriedOut | None = None
    answers: list[Any] | None = None
    reads: Read = field(default_factory=dict)
    following: list[Callable[[], object]] = field(default_factory=list)


def running(tx: Connection) -> Running:
    """Return what a transaction carries; of a connection that carries nothing, something that is kept nowhere."""
    found: Running | None = tx.get_execution_options().get(RUNNING)
    return Running() if found is None else found


def get_reads(tx: Connection) -> Read:
    """Return what was read, by what was asked."""
    return running(tx).reads


def read_rows(tx: Connection, query: Query, parameters: Parameters, lock: Query | None = None) -> Sequence[Row]:
    """Return the rows of a query, which nobody changes.

    `lock` is the same query that locks its rows: it waits for others, who may have changed all that was read before.
    """
    read, asked = get_reads(tx), _asked(parameters)
    if lock is not None and (lock, *asked) not in read:
        read.clear()
        read[lock, *asked] = read[query, *asked] = tx.execute(lock, parameters).all()
    elif (query, *asked) not in read:
        read[query, *asked] = tx.execute(query, parameters).all()
    found: Sequence[Row] = read[query, *asked]
    return found


def find_rows(tx: Connection, query: Query, parameters: Parameters) -> Sequence[Row] | None:
    """Return the rows of a query where they were read; None where it was not asked yet."""
    return get_reads(tx).get((query, *_asked(parameters)))


def read_each(
    tx: Connection, kind: Hashable, numbers: Collection[int], ask: Callable[[Sequence[int]], Mapping[int, T]]
) -> dict[int, T]:
    """Return those of a kind that have these numbers, by number; `ask` is for those that were not read before."""
    read = get_reads(tx)
    missing = list_unread(read, kind, numbers)
    if missing:
        remember(read, kind, {**dict.fromkeys(missing), **ask(missing)})
    return recall(read, kind, numbers)


def list_unread(read: Read, kind: Hashable, keys: Collection[K]) -> list[K]:
    """Return the keys (numbers or names) of a kind of which nothing was read before."""
    return [key for key in keys if (kind, key) not in read]


def remember(read: Read, kind: Hashable, items: Mapping[K, object]) -> None:
    """Take those of a kind as read, by key; None stands for what does not exist."""
    read |= {(kind, key): item for key, item in items.items()}


def recall(read: Read, kind: Hashable, keys: Collection[K]) -> dict[K, Any]:
    """Return those of a kind that exist of these keys, which were all read."""
    return {key: item for key in keys if (item := read[kind, key]) is not None}


def compute_once(tx: Connection, key: Hashable, make: Callable[[], T]) -> T:
    """Return what is made of what was read, under a key of its own: it is made once, and nobody changes it."""
    read = get_reads(tx)
    if key not in read:
        read[key] = make()
    found: T = read[key]
    return found


def write(
    tx: Connection, statement: sa.Executable, parameters: Parameters | Sequence[Parameters] | None = None
) -> sa.CursorResult[Any]:
    """Write to one of the tables, after which all is read anew."""
    forget_reads(tx)
    return tx.execute(statement, parameters)


def forget_reads(tx: Connection) -> None:
    """Forget what was read."""
    get_reads(tx).clear()


def _asked(parameters: Parameters) -> tuple[Hashable, ...]:
    return tuple(frozenset(item) if isinstance(item, list) else item for item in parameters.values())


class Write(Protocol):
    """Run a write transaction: `Database.write`."""

    async def __call__(
        self, function: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run it, and commit what it writes."""
        ...


class Interlude(Exception):
    """Raised in a write transaction: it is rolled back, `held` is awaited meanwhile, and then it runs again from its beginning."""

    async def held(self, write: Write) -> object:
        """Do what is needed, with transactions of its own where it writes; return what came of it, which `take_answer` gives then."""
        raise NotImplementedError


def had_interlude(tx: Connection) -> bool:
    """Return whether a transaction runs again, after an interlude."""
    return running(tx).answers is not None


def take_answer(tx: Connection) -> Any:  # noqa: ANN401 - whatever the interlude returned
    """Return what came of the interlude of a transaction, and None to whoever asks again."""
    answers = running(tx).answers
    return answers.pop() if answers else None


INTERACTION_INDEX: Final = "ix_entry_interaction_step"
"""The index by which an interaction has each of its entries once."""


class Taken(Exception):
    """Another process carries this interaction out: nothing was written here, and nobody is told anything."""


_interaction: ContextVar[CarriedOut | None] = ContextVar("interaction", default=None)


def begin_interaction(number: int) -> CarriedOut:
    """Let all that the running task writes from now on be of an interaction, and return it."""
    carried = CarriedOut(number)
    _interaction.set(carried)
    return carried


def current_interaction() -> CarriedOut | None:
    """Return the interaction that the running task carries out; None in what happens by itself."""
    return _interaction.get()


def note_campaign(tx: sa.Connection, campaign_id: int) -> None:
    """Note which campaign the interaction is about that a transaction carries out, if it does."""
    mine = running(tx).interaction
    if mine is not None:
        mine.campaign = campaign_id


def count_step(tx: sa.Connection, entry: int) -> tuple[int | None, int | None]:
    """Return the interaction that a transaction carries out, and which of its entries this one (number) is, from 0; None and None without one."""
    mine = running(tx).interaction
    if mine is None:
        return None, None
    mine.entries += 1
    mine.entry = entry
    return mine.number, mine.entries - 1


def is_taken(error: sa.exc.IntegrityError) -> bool:
    """Return whether a row was refused because its interaction has that entry already: PostgreSQL names the index, SQLite its columns."""
    said = str(error.orig)
    return INTERACTION_INDEX in said or ("entry.interaction" in said and "entry.step" in said)


def do_after_commit(tx: Connection, do: Callable[[], object]) -> None:
    """Do something as soon as a transaction is committed, in its thread; it may neither fail nor wait."""
    running(tx).following.append(do)
