"""Which saved units and characters were used last: a convenience beside the ledger, never a part of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from bot.request import unit
from bot.store.profiles import PROFILE, Profile
from bot.store.schema import recent, state

_SAVED = (state.c.campaign_id == sa.bindparam("campaign"), state.c.name == PROFILE)
_USED = sa.select(state.c.campaign_id, state.c.subject, sa.bindparam("entry", type_=sa.Integer)).where(
    *_SAVED, state.c.subject.in_(sa.bindparam("subjects", expanding=True))
)
_MINE = recent.c.campaign_id == sa.bindparam("campaign")
_SINCE = sa.func.coalesce(recent.c.entry, 0)
_NAME = sa.func.substr(state.c.subject, len(unit("")) + 1)
_BY_USE = (
    sa.select(state.c.value)
    .outerjoin(recent, (recent.c.campaign_id == state.c.campaign_id) & (recent.c.subject == state.c.subject))
    .where(*_SAVED, _NAME.contains(sa.bindparam("wanted"), escape="\\"))
    .order_by(_SINCE.desc(), state.c.subject)
)
_FORGET = recent.delete().where(_MINE, recent.c.subject == sa.bindparam("of"))


def _upsert(insert: Any) -> Any:  # noqa: ANN401 - what either dialect's insert gives
    statement = insert(recent).from_select(["campaign_id", "subject", "entry"], _USED)
    return statement.on_conflict_do_update(
        index_elements=["campaign_id", "subject"], set_={"entry": statement.excluded.entry}
    )


_USE: Mapping[str, Any] = {"sqlite": _upsert(sqlite.insert), "postgresql": _upsert(postgresql.insert)}


def use(tx: Connection, campaign_id: int, subjects: Collection[str], entry: int) -> None:
    """Note that an entry has used these subjects; those that are not saved are left out."""
    if subjects:
        given = {"campaign": campaign_id, "subjects": list(subjects), "entry": entry}
        tx.execute(_USE[tx.dialect.name], given)


def forget(tx: Connection, campaign_id: int, subject: str) -> None:
    """Note nothing of a subject any more."""
    tx.execute(_FORGET, {"campaign": campaign_id, "of": subject})


def by_use(tx: Connection, campaign_id: int, wanted: str = "") -> Iterator[Profile]:
    """All saved units and characters whose names hold what is wanted, the one used last first; then by name."""
    escaped = wanted.casefold().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    for value in tx.scalars(_BY_USE, {"campaign": campaign_id, "wanted": escaped}):
        yield Profile.of(value)
