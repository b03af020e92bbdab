"""Converted columns, compiled statements, and what a running transaction carries: cached reads, its interaction, an `OutsideStep`, work after its commit.

An interaction is entered once: Discord sends one to every process with the bot's token, and two run during an upgrade. The second to
commit finds the other's entry and stops.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar
from weakref import WeakSet

import msgspec
import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection
from sqlalchemy.engine import IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.sql.compiler import SQLCompiler

T = TypeVar("T")


class ConvertedType(sa.types.TypeDecorator[T]):
    """A column's type whose values `store` and `load` convert; None stays."""

    store: Callable[..., object]
    load: Callable[..., T]

    def process_bind_param(self, value: T | None, dialect: sa.Dialect) -> object:  # noqa: ARG002
        """Return what is kept."""
        return None if value is None else self.store(value)

    def process_result_value(self, value: object, dialect: sa.Dialect) -> T | None:  # noqa: ARG002
        """Return what was kept."""
        return None if value is None else self.load(value)


def to_utc(at: datetime) -> datetime:
    """Return an aware time in UTC; refuse a naive one."""
    if at.tzinfo is None:
        raise ValueError("naive time")
    return at.astimezone(UTC)


def read_utc(at: datetime) -> datetime:
    """Return a time in UTC, also one without a zone."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def encode_json(value: object) -> str:
    """Encode JSON; Python writes what msgspec can't."""
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, msgspec.MsgspecError, OverflowError):
        return json.dumps(value)


def decode_json(text: str | bytes) -> Any:  # noqa: ANN401 - any JSON
    """Decode JSON; Python reads what msgspec can't, such as lone surrogates."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


K = TypeVar("K", bound=Hashable)
P = ParamSpec("P")
Row = sa.Row[*tuple[Any, ...]]
Parameters = Mapping[str, object]
Read = dict[Hashable, Any]
Query = sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[*tuple[Any, ...]]


class FinishedInteraction(Struct):
    """An interaction (id) carried out here, and what it wrote."""

    number: int
    entries: int = 0
    campaign: int | None = None
    entry: int | None = None


class OpenTransaction(Struct):
    """What a running transaction carries: its interaction, cached reads, answers of outside steps, work after its commit."""

    interaction: FinishedInteraction | None = None
    answers: list[Any] | None = None
    reads: Read = field(default_factory=dict)
    following: list[Callable[[], object]] = field(default_factory=list)


def get_running(tx: Connection) -> OpenTransaction:
    """Return the transaction data kept with a connection; an empty one if it has none."""
    found: OpenTransaction | None = getattr(tx, "running", None)
    return OpenTransaction() if found is None else found


def get_reads(tx: Connection) -> Read:
    """Return the cached reads by key."""
    return get_running(tx).reads


def read_rows(tx: Connection, query: Query, parameters: Parameters, lock: Query | None = None) -> Sequence[Row]:
    """Return a query's rows, cached; don't change them. `lock` is the same query with row locks: it reads again."""
    read, asked = get_reads(tx), _make_key(parameters)
    if lock is not None and (lock, *asked) not in read:
        read.clear()
        read[lock, *asked] = read[query, *asked] = tx.execute(lock, parameters).all()
    elif (query, *asked) not in read:
        read[query, *asked] = tx.execute(query, parameters).all()
    found: Sequence[Row] = read[query, *asked]
    return found


def find_rows(tx: Connection, query: Query, parameters: Parameters) -> Sequence[Row] | None:
    """Return a query's cached rows, if any."""
    return get_reads(tx).get((query, *_make_key(parameters)))


def read_each(
    tx: Connection, kind: Hashable, numbers: Collection[int], ask: Callable[[Sequence[int]], Mapping[int, T]]
) -> dict[int, T]:
    """Return objects by number; call `ask` for those not cached. Missing ones are left out."""
    read = get_reads(tx)
    missing = list_unread(read, kind, numbers)
    if missing:
        remember(read, kind, {**dict.fromkeys(missing), **ask(missing)})
    return recall(read, kind, numbers)


def list_unread(read: Read, kind: Hashable, keys: Collection[K]) -> list[K]:
    """Return the keys that aren't cached."""
    return [key for key in keys if (kind, key) not in read]


def remember(read: Read, kind: Hashable, items: Mapping[K, object]) -> None:
    """Cache objects by key; None means it doesn't exist."""
    read |= {(kind, key): item for key, item in items.items()}


def recall(read: Read, kind: Hashable, keys: Collection[K]) -> dict[K, Any]:
    """Return cached objects by key; those that don't exist are left out."""
    return {key: item for key in keys if (item := read[kind, key]) is not None}


def compute_once(tx: Connection, key: Hashable, make: Callable[[], T]) -> T:
    """Return a cached computation from reads; don't change it."""
    read = get_reads(tx)
    if key not in read:
        read[key] = make()
    found: T = read[key]
    return found


def write(
    tx: Connection, statement: sa.Executable, parameters: Parameters | Sequence[Parameters] | None = None
) -> sa.CursorResult[Any]:
    """Execute a write and drop the cache."""
    forget_reads(tx)
    return tx.execute(statement, parameters)


def forget_reads(tx: Connection) -> None:
    """Drop the cache."""
    get_reads(tx).clear()


def _make_key(parameters: Parameters) -> tuple[Hashable, ...]:
    return tuple(frozenset(item) if isinstance(item, list) else item for item in parameters.values())


class Write(Protocol):
    """Runs a write transaction, as `Database.write`."""

    async def __call__(
        self, function: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run and commit a function."""
        ...


class OutsideStep(Exception):
    """Raise it to roll a write back, await `run`, and run the write again."""

    async def run(self, write: Write) -> object:
        """Do the work, and return what `take_answer` gives afterwards."""
        raise NotImplementedError


def had_outside_step(tx: Connection) -> bool:
    """Return whether a transaction runs again after an outside step."""
    return get_running(tx).answers is not None


def take_answer(tx: Connection) -> Any:  # noqa: ANN401 - whatever the outside step returned
    """Return the outside step's answer once, then None."""
    answers = get_running(tx).answers
    return answers.pop() if answers else None


INTERACTION_INDEX: Final = "ix_entry_interaction_step"
"""The index that keeps an interaction's entries unique."""


class Taken(Exception):
    """Another process already carries this interaction out, so this one has nothing to write or answer."""


_interaction: ContextVar[FinishedInteraction | None] = ContextVar("interaction", default=None)


def begin_interaction(number: int) -> FinishedInteraction:
    """Link this task's writes to an interaction."""
    carried = FinishedInteraction(number)
    _interaction.set(carried)
    return carried


def current_interaction() -> FinishedInteraction | None:
    """Return this task's interaction, if any."""
    return _interaction.get()


def note_campaign(tx: sa.Connection, campaign_id: int) -> None:
    """Note the campaign of the running interaction."""
    mine = get_running(tx).interaction
    if mine is not None:
        mine.campaign = campaign_id


def count_step(tx: sa.Connection, entry: int) -> tuple[int | None, int | None]:
    """Count an entry; return its interaction (id) and its index there from 0, or None twice."""
    mine = get_running(tx).interaction
    if mine is None:
        return None, None
    mine.entries += 1
    mine.entry = entry
    return mine.number, mine.entries - 1


def is_taken(error: sa.exc.IntegrityError) -> bool:
    """Return whether another process wrote the entry first."""
    said = str(error.orig)
    return INTERACTION_INDEX in said or ("entry.interaction" in said and "entry.step" in said)


def do_after_commit(tx: Connection, do: Callable[[], object]) -> None:
    """Run something after the commit; it can't fail or wait."""
    get_running(tx).following.append(do)


Value = Any
"""A parameter or a result."""

Convert = Callable[[Value], Value]
Given = Mapping[str, Value]
_KINDS = (sa.Select, sa.CompoundSelect, sa.Insert, sa.Update, sa.Delete, sa.TextClause)
_WRITES = ("INSERT", "UPDATE", "DELETE")
_STATEMENTS, _TEXTS = 1000, 50
"""How many statements are kept, and of one with lists how many texts, as each has lists of other lengths."""


class _Bind(Struct, frozen=True):
    name: str
    value: object
    required: bool
    convert: Convert | None

    def of(self, given: Given) -> Value:
        return given[self.name] if self.required else given.get(self.name, self.value)


class _Text(Struct, frozen=True):
    """Each parameter is a bind's value, or one of its list."""

    text: str
    parameters: Sequence[tuple[_Bind, int | None]]

    def fill(self, given: Given) -> tuple[object, ...]:
        values = []
        for bind, place in self.parameters:
            value = bind.of(given) if place is None else bind.of(given)[place]
            values.append(value if bind.convert is None else bind.convert(value))
        return tuple(values)


class _Rows(IteratorResult[Value]):
    def __init__(self, columns: SimpleResultMetaData, found: list[Value]) -> None:
        super().__init__(columns, iter(found))
        about = (columns, columns._processors, columns._key_to_index)  # noqa: SLF001 - as SQLAlchemy makes rows
        self._made: list[Value] = [sa.Row(*about, row) for row in found]

    def all(self) -> Sequence[Value]:
        return self._made if self._unique_filter_state is None else super().all()

    def first(self) -> Value:
        return self._made[0] if self._made else None

    def scalar(self) -> Value:
        return self._made[0][0] if self._made else None

    def __iter__(self) -> Iterator[Value]:
        return iter(self._made)


class _Written(Struct, frozen=True):
    rowcount: int
    inserted_primary_key: Sequence[object]


class _Prepared:
    def __init__(self, compiled: SQLCompiler) -> None:
        dialect = compiled.dialect
        self._compiled = compiled
        self._binds = {
            name: _Bind(
                bind.key, bind.effective_value, bind.required, bind.type.dialect_impl(dialect).bind_processor(dialect)
            )
            for name, bind in compiled.binds.items()
        }
        self._lists = [self._binds[bind.key] for bind in compiled.post_compile_params]
        self._texts: dict[tuple[int, ...], _Text] = {}
        columns = compiled._result_columns  # noqa: SLF001 - nothing else has their types
        converts = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        names = [column.keyname for column in columns]
        self._columns = SimpleResultMetaData(names, _processors=converts) if names else None

    def choose(self, given: Given) -> _Text:
        lengths = tuple([len(bind.of(given)) for bind in self._lists])
        found = self._texts.get(lengths)
        if found is None:
            if len(self._texts) >= _TEXTS:
                self._texts.clear()
            found = self._texts[lengths] = self._write(given)
        return found

    def _write(self, given: Given) -> _Text:
        text, order = self._compiled.string, list(self._compiled.positiontup or ())
        places: dict[str, tuple[_Bind, int | None]] = {name: (bind, None) for name, bind in self._binds.items()}
        if self._lists:
            state = self._compiled.construct_expanded_state(dict(given), escape_names=False)
            text, order = state.statement, list(state.positiontup or ())
            for name, parts in state.parameter_expansion.items():
                places |= {part: (self._binds[name], place) for place, part in enumerate(parts)}
        return _Text(text, [places[name] for name in order])

    def read(self, cursor: sqlite3.Cursor) -> Value:
        if self._columns is None:
            return _Written(cursor.rowcount, (cursor.lastrowid,))
        return _Rows(self._columns, cursor.fetchall())


class Statements:
    """A database's compiled statements, from their second use on."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._dialect = dialect
        self._seen: WeakSet[sa.ClauseElement] = WeakSet()
        self._prepared: dict[tuple[object, ...], _Prepared | None] = {}

    def prepare(self, statement: Value, given: Given) -> _Prepared | None:
        """Return a compiled statement for these parameters' names, if it's understood."""
        key = (statement, *given)
        found = self._prepared.get(key)
        if found is None and key not in self._prepared and isinstance(statement, _KINDS):
            if statement not in self._seen:
                self._seen.add(statement)
                return None
            if len(self._prepared) >= _STATEMENTS:
                self._prepared.clear()
            found = self._prepared[key] = self._compile(statement, given)
        return found

    def _compile(self, statement: Value, given: Given) -> _Prepared | None:
        compiled = statement.compile(dialect=self._dialect, column_keys=[*given])
        if not isinstance(compiled, SQLCompiler) or statement.get_execution_options():
            return None
        special = compiled.literal_execute_params or any(bind.callable for bind in compiled.binds.values())
        special = special or any(bind.type._is_tuple_type for bind in compiled.post_compile_params)  # noqa: SLF001
        if isinstance(statement, sa.Select | sa.CompoundSelect):
            return None if special else _Prepared(compiled)
        defaults = compiled.insert_prefetch or compiled.update_prefetch or compiled.implicit_returning
        text = compiled.string.upper()
        returns = compiled._result_columns or "RETURNING" in text or not text.lstrip().startswith(_WRITES)  # noqa: SLF001
        return None if special or defaults or returns else _Prepared(compiled)
