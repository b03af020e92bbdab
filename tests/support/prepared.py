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
from dataclasses import dataclass, is_dataclass
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

LIVE = ("clock", "subscribers", "snowflake", "register_commands")
"""What simcord's backend keeps while its content is another."""

HANDLES_OF = (simcord.MemberActor, simcord.ChannelHandle)
"""What else of simcord's a set-up returns in a record."""

ALONE = ("world", "env", "clock", "dice", "randomness")
"""What of a world isn't copied, but set."""

TRIES = 4

HANDLES = ("guild", "orders", "results", "staff", "roles", "manager", "gm", "gm2", "player", "stranger")
"""Whom and what a world has from its beginning."""


@dataclass(frozen=True)
class Snapshot:
    """What a set-up made: the database, simulated Discord with what the set-up returned, the bot's time, how much randomness was drawn and what was typed.

    `above` is what made what the set-up has changed, if that isn't the world itself.
    """

    running: Running
    key: tuple[Any, ...]
    above: Snapshot | None
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


_snapshots: dict[tuple[Any, ...], Snapshot | None] = {}
_shared: list[Any] = []
_indices: dict[int, int] = {}


def prepared(set_up: SetUp) -> SetUp:
    """Let a set-up run once for the same arguments; it begins with a world, or with what another set-up returned.

    Where that world is not as its own set-up left it, or is on PostgreSQL, it runs as it is written; so it does where the
    machine is too busy to prepare it.
    """

    @wraps(set_up)
    async def start(base: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the set-up has it
        world: World = getattr(base, "world", base)
        origin = world.origin
        if origin is None or (base is not world and base is not origin.made) or _trace(world) != origin.trace:
            return await set_up(base, *args, **kwargs)
        live, above = _live(world, base), origin.snapshot
        options = _pickle(world.env, live, (args, kwargs))
        key = (*above.key, set_up.__module__, set_up.__qualname__, base is world, options)

        async def step(parent: World) -> tuple[Any, Any]:
            made = _resume(parent, above)
            again = parent if base is world else made
            args, kwargs = _unpickle(parent.env, _live(parent, again), options)
            return again, await set_up(again, *args, **kwargs)

        if key not in _snapshots:
            _snapshots[key] = _make(key, above.running, step, None if base is world else above)
        snapshot = _snapshots[key]
        return await set_up(base, *args, **kwargs) if snapshot is None else _put_back(world, snapshot, base)

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
    handles: dict[str, Any] = _load(env, {}, snapshot)
    for loop in bot._loops:
        loop.coro = _rest_once(loop, loop.coro)
    bot._compared.set()
    bot.login = super(Adjutant, bot).login  # type: ignore[method-assign] # the database is up to date
    bot.registration.register_global = _register_nothing  # type: ignore[method-assign] # simulated Discord has them
    bot.registration.ready = True
    before = {name: copy(value) for name, value in vars(env.backend).items() if name not in LIVE}
    await env.start()
    vars(env.backend).update(before)
    return handles


def _put_back(world: World, snapshot: Snapshot, base: Any) -> Any:  # noqa: ANN401 - what the set-up returned
    """Turn a world whose bot has done nothing yet into a copy of what a set-up has made of it."""
    _fill(world.database, snapshot)
    made = _load(world.env, _live(world, base), snapshot)
    backend = world.env.backend
    for guild in backend.guilds.values():
        world.env._gateway_feed("GUILD_CREATE", simcord.backend.serializers.guild_create_payload(backend, guild))
    note_origin(world, snapshot, base if made is None else made)
    return made


def _resume(world: World, snapshot: Snapshot) -> Any:  # noqa: ANN401 - what the next set-up begins with
    """Take a world that has just started to where a snapshot is."""
    if world.origin is not None and world.origin.snapshot is snapshot:
        return world
    base = world if snapshot.above is None else _resume(world, snapshot.above)
    made = _put_back(world, snapshot, base)
    return base if made is None else made


def note_origin(world: World, snapshot: Snapshot, made: Any = None) -> None:  # noqa: ANN401 - as above
    """Set the world's clock and randomness as a snapshot has them, and remember how the world is."""
    world.clock.now = snapshot.now
    world.randomness.skip(snapshot.drawn)
    world.typed[:] = snapshot.typed
    world.origin = Origin(snapshot, made, _trace(world))


def _make(
    key: tuple[Any, ...],
    running: Running,
    step: Callable[[World], Awaitable[tuple[Any, Any]]] | None = None,
    above: Snapshot | None = None,
) -> Snapshot | None:
    """Run a set-up in a world that isn't the test's, again if simcord's clock moved: on a busy machine it does so by itself, in the end always."""

    async def make(database: str) -> tuple[World, bytes]:
        async with running(database) as world:
            if step is None:
                live: dict[str, Any] = {}
                made: Any = {name: getattr(world, name) for name in HANDLES}
            else:
                base, made = await step(world)
                live = _live(world, base)
            backend = {name: value for name, value in vars(world.env.backend).items() if name not in LIVE}
            handles = {name: vars(thing) for name, thing in live.items() if name not in ALONE}
            return world, _pickle(world.env, live, (backend, world.env._guilds, handles, made))

    for _ in range(TRIES):
        (world, graph), content = template.run_apart(make)
        assert len(world.bots) == 1, "a set-up that is prepared starts no other bot"
        if not world.env.backend.clock.elapsed:
            break
    else:
        return None
    now, typed = world.clock.now, tuple(world.typed)
    return Snapshot(partial(running, prepare=True), key, above, content, graph, now, world.randomness.drawn, typed)


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
        id(world.dice._script),
        tuple(world.typed),
        (written.st_mtime_ns, written.st_size, file.with_name(f"{file.name}-wal").exists()),
    )


def _live(world: World, base: object) -> dict[str, Any]:
    """Return what is the same in a world whatever it is turned into, by names: `base` is what the set-up begins with."""
    live = {name: getattr(world, name) for name in (*ALONE[1:], *HANDLES) if name != "roles"}
    roles = {f"role {name}": role for name, role in world.roles.items()}
    return {"world": world, **live, **roles, **({} if base is world else _parts("base", base))}


def _parts(name: str, thing: Any) -> dict[str, Any]:  # noqa: ANN401 - a record of handles
    """Return a record, the handles in it and the records in it, by names."""
    found = {name: thing}
    for key, part in vars(thing).items():
        if isinstance(part, HANDLES_OF):
            found[f"{name} {key}"] = part
        elif is_dataclass(part) and key != "world":
            found |= _parts(f"{name} {key}", part)
    return found


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


def _pickle(env: simcord.Env, live: Mapping[str, Any], things: object) -> bytes:
    file = io.BytesIO()
    _Pickler(file, env, live).dump(things)
    return file.getvalue()


def _unpickle(env: simcord.Env, live: Mapping[str, Any], graph: bytes) -> Any:  # noqa: ANN401 - what was pickled
    return _Unpickler(graph, env, live).load()


def _load(env: simcord.Env, live: Mapping[str, Any], snapshot: Snapshot) -> Any:  # noqa: ANN401 - what was made
    backend, env._guilds[:], handles, made = _unpickle(env, live, snapshot.graph)
    vars(env.backend).update(backend)
    for name, content in handles.items():
        vars(live[name]).update(content)
    return made


def _fill(database: str, snapshot: Snapshot) -> None:
    _file(database).write_bytes(snapshot.database)


def _file(database: str) -> Path:
    return Path(str(sa.make_url(database).database))


async def _register_nothing() -> None: ...


def _rest_once(loop: tasks.Loop[Any], turn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a turn of a loop in which nothing is done; after it come those that do."""

    async def rest(*_bot: object) -> None:
        loop.coro = turn

    return rest
