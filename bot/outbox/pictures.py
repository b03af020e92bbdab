"""Pictures of posts: drawn in a thread, and left out when drawing fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sqlalchemy import Connection

from bot.core.database import Database
from bot.outbox.store import Post
from bot.ui.picture import Picture

Drawing = Callable[[], Picture]
"""What draws a picture, away from the event loop."""

log = logging.getLogger(__name__)


async def illustrate(
    database: Database, drawing_of: Callable[[Connection, Post], Drawing | None], post: Post
) -> Picture | None:
    """Draw the picture of a queued post; None when it has none, or it cannot be drawn."""
    return await _spared(f"post {post.id}", _illustrated(database, drawing_of, post))


async def drawn(name: str, draw: Drawing) -> Picture | None:
    """Draw a picture of this name in a thread; None when it cannot be drawn."""
    return await _spared(name, asyncio.to_thread(draw))


async def _illustrated(
    database: Database, drawing_of: Callable[[Connection, Post], Drawing | None], post: Post
) -> Picture | None:
    draw = await database.read(drawing_of, post)
    return None if draw is None else await asyncio.to_thread(draw)


async def _spared(name: str, work: Awaitable[Picture | None]) -> Picture | None:
    """Return a picture; whatever goes wrong on the way to it is logged and costs the picture alone."""
    (picture,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(picture, BaseException):
        log.error("picture.failed", extra={"picture": name}, exc_info=picture)
        return None
    return picture
