"""Which post the board of a campaign is, up to which entry it tells, and what it shows: so nobody has to be told to edit it."""

from __future__ import annotations

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.schema import at_home, board, entry

_newest = sa.select(sa.func.max(entry.c.number)).where(entry.c.campaign_id == board.c.campaign_id).scalar_subquery()
_STALE = sa.select(board, _newest.label("newest")).where(board.c.upto < _newest, at_home(board.c.campaign_id))
_MINE = board.c.campaign_id == sa.bindparam("campaign")
_ONE = sa.select(board).where(_MINE)
_SEEN = (_MINE, board.c.post_id == sa.bindparam("of"), board.c.upto < sa.bindparam("newest"))
_MOVE_ON = board.update().where(*_SEEN).values(upto=sa.bindparam("newest"), shown=sa.bindparam("now"))


class KeptBoard(Struct, frozen=True):
    """The board of a campaign: its post (id), the number of the newest entry when it was drawn, and a hash of what it shows."""

    campaign_id: int
    post_id: int
    upto: int
    shown: str


def of_campaign(tx: Connection, campaign_id: int) -> KeptBoard | None:
    """Return the board of a campaign; None where none was posted."""
    row = tx.execute(_ONE, {"campaign": campaign_id}).first()
    return KeptBoard(*row) if row else None


def behind(tx: Connection) -> list[tuple[KeptBoard, int]]:
    """Return all boards that entries were made after, each with the number of the newest."""
    return [(KeptBoard(*row[:-1]), row.newest) for row in tx.execute(_STALE)]


def keep(tx: Connection, new: KeptBoard) -> None:
    """Let this be the board of its campaign."""
    tx.execute(board.delete().where(_MINE), {"campaign": new.campaign_id})
    tx.execute(board.insert(), {name: getattr(new, name) for name in KeptBoard.__struct_fields__})


def move_on(tx: Connection, seen: KeptBoard, upto: int, shown: str) -> bool:
    """Note that a board tells up to an entry and shows this; False where it did so already, or is the board no more."""
    about = {"campaign": seen.campaign_id, "of": seen.post_id, "newest": upto, "now": shown}
    return bool(tx.execute(_MOVE_ON, about).rowcount)
