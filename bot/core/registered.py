"""Which commands Discord was given; registering the same again costs a request of which Discord allows few."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


def registered_digest(tx: Connection, guild_id: int = EVERYWHERE) -> str | None:
    """Return the digest of the commands that Discord was given last for a server; None before the first time."""
    return tx.scalar(sa.select(registered.c.digest).where(registered.c.guild_id == guild_id))


def set_registered(tx: Connection, digest: str, guild_id: int = EVERYWHERE) -> None:
    """Keep the digest of the commands that Discord has taken."""
    tx.execute(registered.delete().where(registered.c.guild_id == guild_id))
    tx.execute(registered.insert().values(guild_id=guild_id, digest=digest))
