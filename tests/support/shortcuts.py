"""What makes simulated bots start and answer faster: a test waits and computes half of what it did without.

All bots of a test process share what a program with one bot does once: compiled SQL statements, which are kept by engine and
dialect, the text of a rule book that a campaign keeps, and the registered commands, which simcord copies. No commit waits
for the disk. And simcord looks more often whether the bot is done, but not at what cannot have changed, and copies faster;
garbage is collected between answers. A busy machine makes no bot fail: settling has a long time of its own.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import hashlib
from typing import Any
from weakref import WeakSet

import discord
import simcord
import simcord.env
import sqlalchemy as sa
from msgspec.structs import replace

from bot.core import database
from bot.core import engine as engines
from bot.outbox import delivery
from bot.rolls import resolver
from bot.ui.registration import Registration
from rules.ruleset import RuleSet

delivery.LINGER = 0  # what became of a post is saved at once


class _Object(dict[str, Any]):
    """A JSON object that is not copied."""

    def __deepcopy__(self, _memo: object) -> _Object:
        return self


class _Array(list[Any]):
    """A JSON array that is not copied."""

    def __deepcopy__(self, _memo: object) -> _Array:
        return self


UNCOPIED = (_Object, _Array)
"""What registered commands are made of."""

_resolver: Any = resolver
_own_engine, _own_canonical_book = engines.create_engine, _resolver.canonical_book
_compiled = sa.create_engine("sqlite://")
_canonical_books: dict[str, str] = {}
_own_payload = Registration._payload
SEND = Registration._send
_registered: list[tuple[tuple[list[Any], frozenset[str | None]], _Array]] = []
_settling: Any = simcord.env
_parked, _callback_parked, _tasks = _settling._is_parked, _settling._callback_is_parked, _settling._owned_tasks
_listening = simcord._dpy_internals.is_wait_for_listener
_asleep: WeakSet[asyncio.Future[Any]] = WeakSet()
_ATOMS = {str, int, float, bool, type(None)}
_POLL_SECONDS = 0.002
_GIVE_UP = 300.0
"""Seconds of real time after which a bot that hasn't settled is stuck: far more than any needs on a busy machine."""
_SLEEP = 5.0
"""Seconds from its start for which settling waits for timers; simcord has one figure for this and for giving up."""
MODES = dict(database._SQLITE_MODES)
"""Those of a bot that no test runs."""
_settle: Any = simcord.Env._settle_internal
_GARBAGE = 2
"""After how many collections of the middle generation the oldest is due, in which long tests leave most of theirs."""


def take() -> None:
    """Take the shortcuts from now on."""
    _compiled.connect().close()  # the dialect learns the version of SQLite
    engines.create_engine = _engine
    # What `FULL` waits for is that a commit outlives a loss of power, which no test can bring about.
    database._SQLITE_MODES |= {name: replace(mode, synchronous="OFF") for name, mode in database._SQLITE_MODES.items()}
    _resolver.canonical_book = _canonical_book
    Registration._payload = _payload  # type: ignore[assignment, method-assign]
    Registration._send = _send  # type: ignore[assignment, method-assign]
    # A loop of the bot that has come to rest is seen only when this is over, 50 ms unless told otherwise.
    _settle.__kwdefaults__["idle"] = _POLL_SECONDS
    made: Any = simcord.Env.__init__
    made.__kwdefaults__["settle_timeout"] = _GIVE_UP
    simcord.Env._settle_internal = _settle_and_tidy  # type: ignore[method-assign, assignment]
    _settling._is_parked, _settling._callback_is_parked = _is_parked, _is_callback_parked
    _settling._owned_tasks = _awake
    simcord._dpy_internals.is_wait_for_listener = _is_listening
    copied: Any = copy
    copied._deepcopy_dispatch.update({dict: _copied_dict, list: _copied_list})


def _engine(url: str, *, read_only: bool = False) -> sa.Engine:
    engine = _own_engine(url, read_only=read_only)
    if engine.dialect.name == "sqlite":
        # Neither can be given to an engine from outside.
        engine.dialect = engine.pool._dialect = _compiled.dialect
        engine._compiled_cache = _compiled._compiled_cache
    return engine


def _canonical_book(book: RuleSet) -> str:
    """Return the book as the first roll of each campaign keeps it; the fingerprint is one of this text."""
    if book.fingerprint not in _canonical_books:
        content = _own_canonical_book(book)
        # A book that a test has changed would be every later test's: it needs a fingerprint of its own.
        assert hashlib.sha256(content.encode()).hexdigest() == book.fingerprint
        _canonical_books[book.fingerprint] = content
    return _canonical_books[book.fingerprint]


async def _settle_and_tidy(env: simcord.Env, **how: Any) -> None:  # noqa: ANN401 - as simcord has it
    """Wait until the bot has settled, and then collect garbage if that is due.

    Left to come by itself, it comes while the bot answers: a second for 200,000 objects, of the five in which it has to settle.
    """
    await _settle(env, **how)
    if gc.get_count()[2] >= _GARBAGE:
        gc.collect()


def _waited_for(state: Any, deadline: float) -> float:  # noqa: ANN401 - as simcord has it
    """Return until when timers are waited for: `_SLEEP` after the start, or for the short ones that begin later, a second from now."""
    return float(max(deadline - _GIVE_UP + _SLEEP, state.loop.time() + 1))


def _is_callback_parked(state: object, record: object, deadline: float) -> bool:
    return bool(_callback_parked(state, record, _waited_for(state, deadline)))


def _is_parked(state: object, task: asyncio.Task[Any], deadline: float) -> bool:
    """Tell whether a task waits for people or for time alone; a loop that sleeps until time moves on is remembered."""
    parked: bool = _parked(state, task, _waited_for(state, deadline))
    waiter = _waiter(task)
    if parked and simcord._dpy_internals.tasks_loop_sleep(task, waiter):
        _asleep.add(waiter)
    return parked


def _awake(state: object) -> list[asyncio.Task[Any]]:
    """Return the bot's tasks but for loops that sleep: five of them were looked at several times for each command."""
    return [task for task in _tasks(state) if (waiter := _waiter(task)) not in _asleep or waiter.done()]


def _is_listening(client: discord.Client, task: asyncio.Task[Any]) -> bool:
    """Tell whether a task waits for an event; its frames are looked through only where the bot waits for any."""
    return bool(simcord._dpy_internals.listener_futures(client)) and _listening(client, task)


def _copied_dict(value: dict[Any, Any], memo: dict[int, Any]) -> dict[Any, Any]:
    """Copy JSON, which simcord does several times with each message, without a call for each atom, as Python 3.14 does."""
    copied: dict[Any, Any] = {}
    memo[id(value)] = copied
    for key, item in value.items():
        copied[key if type(key) in _ATOMS else copy.deepcopy(key, memo)] = (
            item if type(item) in _ATOMS else copy.deepcopy(item, memo)
        )
    return copied


def _copied_list(value: list[Any], memo: dict[int, Any]) -> list[Any]:
    copied: list[Any] = []
    memo[id(value)] = copied
    copied.extend(item if type(item) in _ATOMS else copy.deepcopy(item, memo) for item in value)
    return copied


def _waiter(task: asyncio.Task[Any]) -> Any:  # noqa: ANN401 - asyncio names no type
    return task._fut_waiter  # type: ignore[attr-defined]


def _payload(registration: Registration, books: frozenset[str | None]) -> _Array:
    """Return the commands of books as they are registered, made once of the same commands."""
    made = (registration._tree.get_commands(), books)
    for known, payload in _registered:
        if known == made:
            return payload
    payload = _Array(map(_uncopied, _own_payload(registration, books)))
    _registered.append((made, payload))
    return payload


async def _send(registration: Registration, guild_id: int, payload: list[dict[str, Any]]) -> list[Any]:
    """Register the commands, and learn no ids of them: texts name commands as they are typed."""
    await SEND(registration, guild_id, payload)
    return []


def _uncopied(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return _Object({key: _uncopied(item) for key, item in value.items()})
    if isinstance(value, list):
        return _Array(map(_uncopied, value))
    return value
