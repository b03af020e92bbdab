"""Scenes as people read of them, whichever feature plays them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.scenes import Kind, S, list_headers
from bot.ui.text import plain


def list_paused(kind: Kind[S], book: str, tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield a line for each scene of a kind that is not over while its book is off."""
    for header in list_headers(tx, campaign.id, kind) if book not in campaign.books else ():
        if not header.over:
            yield f"{plain(header.name)} is paused until the book {book} is switched on again."
