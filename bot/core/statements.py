"""Connections; SQLite's compiles each statement once, since SQLAlchemy takes longer than the statement.

What it doesn't understand is left to SQLAlchemy.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.sql.compiler import SQLCompiler

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

    def fill(self, given: Given) -> list[object]:
        values = []
        for bind, place in self.parameters:
            value = bind.of(given) if place is None else bind.of(given)[place]
            values.append(value if bind.convert is None else bind.convert(value))
        return values


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
    """What SQLAlchemy calls it."""

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


class TransactionMode(Struct, frozen=True):
    """How a transaction begins: a statement, SQLAlchemy's execution options, and SQLite's `synchronous`."""

    begin: str | None = None
    options: Given | None = None
    synchronous: str = "FULL"


class DatabaseConnection(sa.Connection):
    """`running` is what its transaction carries."""

    running: Value = None

    @contextmanager
    def transact(self, mode: TransactionMode) -> Iterator[None]:
        """Commit what is done within, or roll it back."""
        self.execution_options(**(mode.options or {}))
        with self.begin():
            if mode.begin is not None:
                self.exec_driver_sql(mode.begin)
            yield


class StatementConnection(DatabaseConnection):
    """A SQLite connection of one thread."""

    def __init__(self, engine: sa.Engine, statements: Statements) -> None:
        super().__init__(engine)
        self._statements = statements
        self._synchronous = ""
        self.driver: Value = self.connection.driver_connection

    @contextmanager
    def transact(self, mode: TransactionMode) -> Iterator[None]:
        """As above."""
        try:
            if self._synchronous != mode.synchronous:
                self._run(f"PRAGMA synchronous = {mode.synchronous}")
                self._synchronous = mode.synchronous
            with self.begin():
                self._run(mode.begin or "BEGIN")
                yield
                if not self.driver.in_transaction:  # SQLite itself rolls back, for instance if the disk is full
                    raise sa.exc.InvalidRequestError("the transaction was rolled back")
        finally:
            if self.driver.in_transaction:  # its commit failed
                self.driver.rollback()

    def _run(self, text: str, values: Sequence[Value] = (), *, many: bool = False) -> sqlite3.Cursor:
        try:
            cursor: sqlite3.Cursor = (
                self.driver.executemany(text, values) if many else self.driver.execute(text, values)
            )
        except sqlite3.Error as error:
            about = (text, None, error, sqlite3.Error)
            raise sa.exc.DBAPIError.instance(*about, hide_parameters=True, dialect=self.dialect) from error
        return cursor

    def execute(self, statement: Value, parameters: Value = None, *, execution_options: Value = None) -> Value:
        """Execute a statement."""
        given = parameters if isinstance(parameters, list) else [parameters or {}]
        many = len(given) > 1
        prepared = self._statements.prepare(statement, given[0]) if given and not execution_options else None
        if prepared is None:
            return super().execute(statement, parameters, execution_options=execution_options)
        try:
            text = prepared.choose(given[0])
            values = [text.fill(each) for each in given] if many else text.fill(given[0])
        except (KeyError, TypeError):  # SQLAlchemy says what is wrong
            return super().execute(statement, parameters, execution_options=execution_options)
        for listen in self.dispatch.before_cursor_execute:
            listen(self, None, text.text, values, None, many)
        return prepared.read(self._run(text.text, values, many=many))

    def scalar(self, statement: Value, parameters: Value = None, *, execution_options: Value = None) -> Value:
        """Return the first column of the first row."""
        return self.execute(statement, parameters, execution_options=execution_options).scalar()
