"""Challenges: what one member has brought to a contest, kept until the other answers. Nothing is rolled before that."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.schema import challenge

_KEY = (challenge.c.campaign_id == sa.bindparam("campaign"), challenge.c.id == sa.bindparam("challenge"))
_OPEN = challenge.c.state == "open"
_OVERDUE = sa.select(challenge).where(_OPEN, challenge.c.expires_at <= sa.bindparam("now"))

ChallengeState = Literal["open", "answered", "withdrawn", "expired"]


class Challenge(Struct, frozen=True):
    """One challenge.

    `request` is the roll as far as the challenger has told it, as JSON; the opponent's side is missing. `draft` is what the
    opponent has typed last and could not be used, by the names of the fields.
    """

    id: str
    campaign_id: int
    challenger_id: int
    opponent_id: int
    request: Any
    state: ChallengeState
    entry_number: int | None
    opened_at: datetime
    expires_at: datetime
    draft: Mapping[str, str] | None = None

    def overdue(self, now: datetime) -> bool:
        """Tell whether the time to answer is over."""
        return self.expires_at <= now


def add(tx: Connection, new: Challenge) -> None:
    """Open a challenge."""
    tx.execute(challenge.insert(), {name: getattr(new, name) for name in Challenge.__struct_fields__})


def close(tx: Connection, closed: Challenge) -> None:
    """Write down how a challenge ended; a draft of its answer is not kept."""
    ended = {"state": closed.state, "entry_number": closed.entry_number, "draft": None}
    tx.execute(challenge.update().where(*_KEY).values(ended), {"campaign": closed.campaign_id, "challenge": closed.id})


def save_draft(tx: Connection, campaign_id: int, challenge_id: str, draft: Mapping[str, str]) -> None:
    """Keep what was typed as the answer to an open challenge, in place of what was typed before."""
    query = challenge.update().where(*_KEY, _OPEN).values(draft=dict(draft))
    tx.execute(query, {"campaign": campaign_id, "challenge": challenge_id})


def get(tx: Connection, campaign_id: int, challenge_id: str) -> Challenge | None:
    """Return a challenge of a campaign by its id; None where there is none."""
    row = tx.execute(sa.select(challenge).where(*_KEY), {"campaign": campaign_id, "challenge": challenge_id}).first()
    return _challenge(row) if row else None


def still_open(tx: Connection, campaign_id: int, user_id: int | None) -> list[Challenge]:
    """Return the open challenges of a campaign, the oldest first; those by or against one person unless that is None."""
    query = sa.select(challenge).where(challenge.c.campaign_id == campaign_id, _OPEN)
    if user_id is not None:
        query = query.where((challenge.c.challenger_id == user_id) | (challenge.c.opponent_id == user_id))
    return [_challenge(row) for row in tx.execute(query.order_by(challenge.c.opened_at, challenge.c.id))]


def overdue(tx: Connection, now: datetime) -> list[Challenge]:
    """Return the open challenges of all campaigns whose time is over."""
    return [_challenge(row) for row in tx.execute(_OVERDUE, {"now": now})]


def _challenge(row: sa.Row[Any]) -> Challenge:
    return Challenge(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
