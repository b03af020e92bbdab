"""Set-ups that run once in a process: each test starts from a copy of what they made, in the database and in simulated Discord.

Nothing that a bot remembers is copied: it starts as after a restart, and its loops have had their first turn. So a set-up may
neither let time pass in simcord nor start another bot, and it returns what can be pickled.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import simcord.backend.serializers
import sqlalchemy as sa
from discord.ext import tasks

from bot.client import Adjutant
from tests.support import shortcuts, template

if TYPE_CHECKING:
    from tests.support.world import World

SetUp = TypeVar("SetUp", bound=Callable[..., Coroutine[Any, Any, Any]])
Running = Callable[..., AbstractAsyncContextManager["World"]]

LIVE = ("clock", "subscribers", "snowflake")
"""What simcord's backend keeps while its content is another."""

TRIES = 10

HANDLES = ("guild", "orders", "results", "staff", "roles", "manager", "gm", "gm2", "player", "stranger")
"""Whom and what a world has from its beginning."""


@dataclass(frozen=True)
class Snapshot:
    """What a set-up made: the database, simulated Discord with what the set-up returned, the bot's time, how much randomness was drawn and what was typed."""

    running: Running
    key: tuple[Any, ...]
    database: bytes
    graph: bytes
    now: datetime
    drawn: int
    typed: tuple[str, ...]


@dataclass(frozen=True)
class Origin:
    """The snapshot that a world has started from, what the set-up returned, and how the world was then."""

    snapshot: Snapshot
    made: Any
    trace: tuple[Any, ...]


_snapshots: dict[tuple[Any, ...], Snapshot] = {}
_shared: list[Any] = []
_indices: dict[int, int] = {}


def prepared(set_up: SetUp) -> SetUp:
    """Let a set-up run once for the same arguments; it begins with a world, or with what another set-up returned.

    Where that world is not as its own set-up left it, or is on PostgreSQL, it runs as it is written.
    """

    @wraps(set_up)
    async def start(base: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the set-up has it
        world: World = getattr(base, "world", base)
        origin = world.origin
        if origin is None or (base is not world and base is not origin.made) or _trace(world) != origin.trace:
            return await set_up(base, *args, **kwargs)
        key = (
            *origin.snapshot.key,
            set_up.__module__,
            set_up.__qualname__,
            base is world,
            pickle.dumps((args, kwargs)),
        )

        async def step(parent: World) -> Any:  # noqa: ANN401 - as above
            made = put_back(parent, origin.snapshot)
            return await set_up(parent if base is world else made, *args, **kwargs)

        if key not in _snapshots:
            _snapshots[key] = _make(key, origin.snapshot.running, step)
        return put_back(world, _snapshots[key])

    return cast("SetUp", start)


def find_snapshot(database: str, running: Running, key: tuple[Any, ...]) -> Snapshot | None:
    """Return the snapshot of a world on an empty database; None where that is not a SQLite file fresh from the template."""
    if template.find_empty(database) is None:
        return None
    if key not in _snapshots:
        _snapshots[key] = _make(key, partial(running, prepare=False))
    return _snapshots[key]


async def start(env: simcord.Env, bot: Adjutant, snapshot: Snapshot) -> dict[str, Any]:
    """Start a bot on what a snapshot has kept; return the handles of its world."""
    _fill(bot.settings.database_url, snapshot)
    handles: dict[str, Any] = _load(env, snapshot, {})
    for loop in bot._loops:
        loop.coro = _rest_once(loop, loop.coro)
    bot.login = super(Adjutant, bot).login  # type: ignore[method-assign] # the database is up to date
    before = {name: copy(value) for name, value in vars(env.backend).items() if name not in LIVE}
    await env.start()
    vars(env.backend).update(before)
    return handles


def put_back(world: World, snapshot: Snapshot) -> Any:  # noqa: ANN401 - what the set-up returned
    """Turn a world whose bot has done nothing yet into a copy of what a set-up has made."""
    _fill(world.database, snapshot)
    made = _load(world.env, snapshot, _live(world))
    for guild in world.env.backend.guilds.values():
        world.env._gateway_feed(
            "GUILD_CREATE", simcord.backend.serializers.guild_create_payload(world.env.backend, guild)
        )
    note_origin(world, snapshot, made)
    return made


def note_origin(world: World, snapshot: Snapshot, made: Any = None) -> None:  # noqa: ANN401 - as above
    """Set the world's clock and randomness as a snapshot has them, and remember how the world is."""
    world.clock.now = snapshot.now
    world.randomness.skip(snapshot.drawn)
    world.typed[:] = snapshot.typed
    world.origin = Origin(snapshot, made, _trace(world))


def _make(key: tuple[Any, ...], running: Running, step: Callable[[World], Awaitable[Any]] | None = None) -> Snapshot:
    """Run a set-up in a world that isn't the test's, again if simcord's clock moved: on a busy machine it does so by itself."""

    async def make(database: str) -> tuple[World, bytes]:
        async with running(database) as world:
            made = {name: getattr(world, name) for name in HANDLES} if step is None else await step(world)
            return world, _dump(world, made, {} if step is None else _live(world))

    for _ in range(TRIES):
        (world, graph), content = template.run_apart(make)
        if not world.env.backend.clock.elapsed:
            break
    assert (world.env.backend.clock.elapsed, len(world.bots)) == (0, 1), "this set-up can't be prepared"
    kept = partial(running, prepare=True)
    return Snapshot(kept, key, content, graph, world.clock.now, world.randomness.drawn, tuple(world.typed))


def _trace(world: World) -> tuple[Any, ...]:
    """Return what is another thing as soon as anybody has done anything in a world."""
    backend, file = world.env.backend, _file(world.database)
    written = file.stat()
    return (
        *(len(backend.transcript), len(backend.http_requests), len(backend._reserved_ids), len(backend.faults)),
        len(world.bots),
        backend.clock.elapsed,
        world.clock.now,
        world.randomness.drawn,
        world.dice.left,
        tuple(world.typed),
        (written.st_mtime_ns, written.st_size, file.with_name(f"{file.name}-wal").exists()),
    )


def _live(world: World) -> dict[str, Any]:
    """Return what is the same in a world whatever it is turned into, by names."""
    roles = {f"role {name}": role for name, role in world.roles.items()}
    more = {name: getattr(world, name) for name in ("env", "clock", "dice", "randomness")}
    handles = {name: getattr(world, name) for name in HANDLES if name != "roles"}
    return {"world": world, **more, **handles, **roles}


class _Pickler(pickle.Pickler):
    """Pickles what simulated Discord keeps, but for what lives on and for registered commands, by their names and numbers."""

    def __init__(self, file: io.BytesIO, env: simcord.Env, live: Mapping[str, Any]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = {id(thing): name for name, thing in {**live, "env": env, "backend": env.backend}.items()}

    def persistent_id(self, thing: object) -> object:
        if isinstance(thing, shortcuts.UNCOPIED):
            if id(thing) not in _indices:
                _indices[id(thing)] = len(_shared)
                _shared.append(thing)
            return _indices[id(thing)]
        return self._names.get(id(thing))


class _Unpickler(pickle.Unpickler):
    def __init__(self, graph: bytes, env: simcord.Env, live: Mapping[str, Any]) -> None:
        super().__init__(io.BytesIO(graph))
        self._things = {**live, "env": env, "backend": env.backend}

    def persistent_load(self, name: Any) -> Any:  # noqa: ANN401 - as pickle has it
        return _shared[name] if isinstance(name, int) else self._things[name]


def _dump(world: World, made: object, live: Mapping[str, Any]) -> bytes:
    env, file = world.env, io.BytesIO()
    state = {name: value for name, value in vars(env.backend).items() if name not in LIVE}
    handles = {name: vars(handle) for name, handle in live.items() if name in HANDLES or name.startswith("role ")}
    _Pickler(file, env, live).dump((state, env._guilds, handles, made))
    return file.getvalue()


def _load(env: simcord.Env, snapshot: Snapshot, live: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what was made
    state, env._guilds[:], handles, made = _Unpickler(snapshot.graph, env, live).load()
    vars(env.backend).update(state)
    for name, content in handles.items():
        vars(live[name]).update(content)
    return made


def _fill(database: str, snapshot: Snapshot) -> None:
    _file(database).write_bytes(snapshot.database)


def _file(database: str) -> Path:
    return Path(str(sa.make_url(database).database))


def _rest_once(loop: tasks.Loop[Any], turn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a turn of a loop in which nothing is done; after it come those that do."""

    async def rest(*_bot: object) -> None:
        loop.coro = turn

    return rest
