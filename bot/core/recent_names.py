"""Which saved units and characters were used last, for autocomplete; no part of the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.profiles import Profile
from bot.core.schema import recent, state, subject
from bot.core.subjects import NUMBER
from rules.subjects import PROFILE, name_key

_SAVED = (state.c.campaign_id == sa.bindparam("campaign"), state.c.name == PROFILE)
_MINE = recent.c.campaign_id == sa.bindparam("campaign")
_SINCE = sa.func.coalesce(recent.c.entry, 0)
_BY_USE = (
    sa.select(subject.c.id, subject.c.name, state.c.value)
    .select_from(state)
    .join(subject, (subject.c.campaign_id == state.c.campaign_id) & (subject.c.id == NUMBER))
    .outerjoin(recent, (recent.c.campaign_id == state.c.campaign_id) & (recent.c.subject == state.c.subject))
    .where(*_SAVED, subject.c.name_key.contains(sa.bindparam("wanted"), escape="\\"))
    .order_by(_SINCE.desc(), subject.c.name_key, subject.c.id)
)
_FORGET = recent.delete().where(_MINE, recent.c.subject == sa.bindparam("of"))


# As text, which both databases accept: importing their dialects' insert builders costs each start 0.05 s.
_USE = sa.text(
    f"""
    INSERT INTO recent (campaign_id, subject, entry)
    SELECT campaign_id, subject, CAST(:entry AS INTEGER) FROM state
    WHERE campaign_id = :campaign AND name = '{PROFILE}' AND subject IN :subjects
    ON CONFLICT (campaign_id, subject) DO UPDATE SET entry = excluded.entry
    """  # noqa: S608 - a name of our own
).bindparams(sa.bindparam("subjects", expanding=True))


def use(tx: Connection, campaign_id: int, subjects: Collection[str], entry: int) -> None:
    """Record that an entry used these subjects; those that are not saved are skipped."""
    if subjects:
        parameters = {"campaign": campaign_id, "subjects": list(subjects), "entry": entry}
        tx.execute(_USE, parameters)


def forget(tx: Connection, campaign_id: int, subject: str) -> None:
    """Forget when a subject was used."""
    tx.execute(_FORGET, {"campaign": campaign_id, "of": subject})


def by_use(tx: Connection, campaign_id: int, wanted: str = "") -> Iterator[Profile]:
    """Yield all saved units and characters whose names contain `wanted`, the one used last first; then by name.

    What their squads are called is not among it.
    """
    escaped = name_key(wanted).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    for row in tx.execute(_BY_USE, {"campaign": campaign_id, "wanted": escaped}):
        yield Profile.of(row.id, row.name, row.value)
