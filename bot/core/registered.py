"""Which commands Discord was given, and their ids; registering the same again costs a request of which Discord allows few."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.schema import registered

EVERYWHERE = 0
"""Stands for all servers."""


def digest_of(application: int | None, commands: Sequence[Any]) -> str:
    """Return the digest of commands as they are sent to Discord, for an application."""
    return sha256(json.dumps([application, commands], sort_keys=True).encode()).hexdigest()


def registered_ids(tx: Connection, digest: str, guild_id: int = EVERYWHERE) -> dict[str, int] | None:
    """Return the ids of a server's commands by their first words; None unless Discord was given those with this digest last."""
    query = sa.select(registered.c.ids).where(registered.c.guild_id == guild_id, registered.c.digest == digest)
    ids: dict[str, int] | None = tx.scalar(query)
    return ids


def set_registered(tx: Connection, digest: str, ids: Mapping[str, int], guild_id: int = EVERYWHERE) -> None:
    """Keep the digest of the commands that Discord has taken, and the ids that it gave them."""
    tx.execute(registered.delete().where(registered.c.guild_id == guild_id))
    tx.execute(registered.insert().values(guild_id=guild_id, digest=digest, ids=ids))
