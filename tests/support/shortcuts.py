"""What makes simulated bots start and answer faster: a test waits and computes half of what it did without.

All bots of a test process share what a program with one bot does once: compiled SQL statements, which are kept by engine and
dialect, and the registered commands, which simcord copies. And simcord looks more often whether the bot is done.
"""

from __future__ import annotations

from typing import Any

import discord
import simcord
import sqlalchemy as sa

from bot.client import Tree
from bot.core import database

_own_engine = database._engine
_compiled = sa.create_engine("sqlite://")
_registered: list[Any] = []


class _Object(dict[str, Any]):
    """A JSON object that is not copied."""

    def __deepcopy__(self, _memo: object) -> _Object:
        return self


class _Array(list[Any]):
    """A JSON array that is not copied."""

    def __deepcopy__(self, _memo: object) -> _Array:
        return self


_POLL_SECONDS = 0.002


def take() -> None:
    """Take the shortcuts from now on."""
    _compiled.connect().close()  # the dialect learns the version of SQLite
    database._engine = _engine
    Tree.sync = _sync  # type: ignore[assignment, method-assign]
    # A loop of the bot that has come to rest is seen only when this is over, 50 ms unless told otherwise.
    settle: Any = simcord.Env._settle_internal
    settle.__kwdefaults__["idle"] = _POLL_SECONDS


def _engine(url: str) -> sa.Engine:
    engine = _own_engine(url)
    if engine.dialect.name == "sqlite":
        # Neither can be given to an engine from outside.
        engine.dialect = engine.pool._dialect = _compiled.dialect
        engine._compiled_cache = _compiled._compiled_cache
    return engine


async def _sync(tree: Tree, *, guild: discord.abc.Snowflake | None = None) -> list[Any]:
    """Register the commands; the answer is not parsed."""
    assert guild is None
    assert tree.client.application_id is not None
    payload = [command.to_dict(tree) for command in tree.get_commands()]
    if payload != _registered:
        _registered[:] = _uncopied(payload)
    await tree._http.bulk_upsert_global_commands(tree.client.application_id, payload=_Array(_registered))
    return []


def _uncopied(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return _Object({key: _uncopied(item) for key, item in value.items()})
    if isinstance(value, list):
        return _Array(map(_uncopied, value))
    return value
