"""Files that somebody has sent to be imported and has not imported yet: one for each person in a campaign."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.schema import import_draft

_OF = (
    import_draft.c.campaign_id == sa.bindparam("campaign"),
    import_draft.c.user_id == sa.bindparam("user"),
)
_ANY_BEFORE = sa.select(sa.exists().where(import_draft.c.sent_at < sa.bindparam("before")))


class Draft(Struct, frozen=True):
    """A file as it was sent: its name and text, and whether it may change what is saved already."""

    campaign_id: int
    user_id: int
    id: str
    file: str
    text: str
    replace: bool
    sent_at: datetime


def put(tx: Connection, draft: Draft) -> None:
    """Keep a draft in place of the person's earlier one."""
    drop(tx, draft.campaign_id, draft.user_id)
    tx.execute(import_draft.insert(), {name: getattr(draft, name) for name in Draft.__struct_fields__})


def get(tx: Connection, campaign_id: int, user_id: int) -> Draft | None:
    """Return the draft that a person has in a campaign."""
    row = tx.execute(sa.select(import_draft).where(*_OF), {"campaign": campaign_id, "user": user_id}).first()
    return Draft(**row._mapping) if row else None  # noqa: SLF001 - SQLAlchemy's public name for it


def drop(tx: Connection, campaign_id: int, user_id: int) -> None:
    """Take away the draft that a person has in a campaign."""
    tx.execute(import_draft.delete().where(*_OF), {"campaign": campaign_id, "user": user_id})


def any_before(tx: Connection, before: datetime) -> bool:
    """Return whether a draft was sent before a moment."""
    return bool(tx.scalar(_ANY_BEFORE, {"before": before}))


def expire(tx: Connection, before: datetime) -> None:
    """Take away the drafts that were sent before a moment, in whichever campaign."""
    tx.execute(import_draft.delete().where(import_draft.c.sent_at < before))
