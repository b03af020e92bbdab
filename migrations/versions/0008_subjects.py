"""Subjects with numbers of their own: until now the state was kept by names.

What the state keeps of somebody stands under the subject's number from now on, and refers to others by theirs. The ledger
says so: each campaign gets one entry more, with every value before and after, so that the entries still add up to the
state. Entries that were written before stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from migrations.ledger import bodies, enter

revision = "0008"
down_revision = "0007"

State = dict[tuple[str, str], Any]

_META = sa.MetaData()
_CAMPAIGN = sa.Table("campaign", _META, sa.Column("id", sa.Integer), sa.Column("uuid", sa.String))
_STATE = sa.Table(
    "state",
    _META,
    sa.Column("campaign_id", sa.Integer),
    sa.Column("subject", sa.String),
    sa.Column("name", sa.String),
    sa.Column("value", sa.JSON),
)
_SUBJECT = sa.Table(
    "subject",
    _META,
    sa.Column("campaign_id", sa.Integer),
    sa.Column("id", sa.Integer),
    sa.Column("name", sa.String),
    sa.Column("name_key", sa.String),
)
_RECENT = sa.Table("recent", _META, sa.Column("campaign_id", sa.Integer), sa.Column("subject", sa.String))


def upgrade() -> None:
    """Add the table of subjects, and put what every campaign keeps under their numbers."""
    op.create_table(
        "subject",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_subject_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "id", name=op.f("pk_subject")),
    )
    op.create_index("ix_subject_campaign_id_name_key", "subject", ["campaign_id", "name_key"])
    tx = op.get_bind()
    for campaign in tx.execute(sa.select(_CAMPAIGN.c.id, _CAMPAIGN.c.uuid)).all():
        _number(tx, campaign)


def downgrade() -> None:
    """Drop the table again, as long as nothing stands under the number of a subject."""
    if op.get_bind().scalar(sa.select(sa.func.count()).select_from(_SUBJECT)):
        message = "Campaigns keep what they know by numbers of subjects now: go back to a copy of the database instead."
        raise RuntimeError(message)
    op.drop_index("ix_subject_campaign_id_name_key", table_name="subject")
    op.drop_table("subject")


def _number(tx: sa.Connection, campaign: sa.Row[int, str]) -> None:
    """Put what one campaign keeps of somebody under the number of a subject, and enter that in its ledger."""
    campaign_id = campaign.id
    mine = _STATE.c.campaign_id == campaign_id
    rows = tx.execute(sa.select(_STATE.c.subject, _STATE.c.name, _STATE.c.value).where(mine)).all()
    before = {(row.subject, row.name): row.value for row in rows if row.subject.startswith(("unit:", "battle:"))}
    names = _names(before, [json.loads(body) for body in bodies(tx, campaign_id)] if before else [])
    ids = {key: place for place, key in enumerate(sorted(names), start=1)}
    if not ids:
        return
    called = {("subject:" + str(number), "name"): names[key] for key, number in ids.items()}
    after = dict(_numbered(before, lambda name: ids[_key(name)])) | called
    changes = [
        {"subject": key[0], "name": key[1], "before": before.get(key), "after": after.get(key)}
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]
    for change in changes:
        one = (mine, _STATE.c.subject == change["subject"], _STATE.c.name == change["name"])
        tx.execute(_STATE.delete().where(*one))
    new = [
        {"campaign_id": campaign_id, "subject": item["subject"], "name": item["name"], "value": item["after"]}
        for item in changes
        if item["after"] is not None and (item["subject"], item["name"]) not in called
    ]
    if new:
        tx.execute(_STATE.insert(), new)
    subjects = [
        {"campaign_id": campaign_id, "id": number, "name": names[key], "name_key": key} for key, number in ids.items()
    ]
    tx.execute(_SUBJECT.insert(), subjects)
    _renumber_recent(tx, campaign_id, ids)
    names_then = {str(ids[key]): names[key] for key in ids}
    body = {"format": 2, "subjects": len(names_then), "changes": changes, "texts": {}, "names": names_then}
    enter(tx, campaign_id, campaign.uuid, body)


def _key(name: str) -> str:
    return re.sub(r"\s+", " ", name).strip().casefold()


def _names(state: State, bodies: list[Any]) -> dict[str, str]:
    """Return everybody of whom something is kept or spoken, as last spelled, by folded name."""
    spelled: dict[str, str] = {}
    for body in bodies:
        for part in body.get("parts", ()):
            for names in part["subjects"].values():
                spelled |= {_key(name): name for name in names.split(", ") if name}
    kept = {_key(name): name for key, value in state.items() for name in _spoken_of(*key, value)}
    keys = {subject.removeprefix("unit:") for subject, _ in state if subject.startswith("unit:")}
    keys |= {actor for _, name in state if (actor := _actor(name)) is not None}
    return {key: kept.get(key) or spelled.get(key) or key for key in {*keys, *kept}}


def _spoken_of(subject: str, name: str, value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in one value."""
    if subject.startswith("battle:") and not name.startswith(("unit.", "loss.")):
        return
    for field in ("squad", "by", "at", "name"):
        if isinstance(value.get(field), str):
            yield value[field]


def _actor(name: str) -> str | None:
    """Return who rolled, out of the name of a value that remembers a roll."""
    if not name.startswith("rolled."):
        return None
    return name.removeprefix("rolled.").partition(".")[2] or None


def _numbered(state: State, number: Callable[[str], int]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the values under numbers, with numbers in place of names."""
    for (subject, name), value in state.items():
        if subject.startswith("unit:"):
            holder = number(subject.removeprefix("unit:"))
            yield (f"subject:{holder}", _value_name(name, number)), _value(name, value, holder, number)
        elif name.startswith(("unit.", "loss.")):
            own = number(value["name"])
            rest = {field: item for field, item in value.items() if field != "name"}
            yield (subject, f"unit.{own}" if name.startswith("unit.") else name), {**rest, "id": own}
        else:
            yield (subject, name), value


def _value_name(name: str, number: Callable[[str], int]) -> str:
    actor = _actor(name)
    return name if actor is None else f"{name[: -len(actor)]}{number(actor)}"


def _value(name: str, value: Any, holder: int, number: Callable[[str], int]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value that is kept of somebody: without the holder's name, others by their numbers."""
    rest = {field: item for field, item in value.items() if field != "name"}
    for field in {"profile": ("squad",), "captive": ("by", "at")}.get(name, ()):
        rest[field] = None if rest[field] is None else number(rest[field])
    return {**rest, "id": holder} if name.startswith("effect.event-") else rest


def _renumber_recent(tx: sa.Connection, campaign_id: int, ids: Mapping[str, int]) -> None:
    for key, number in ids.items():
        one = (_RECENT.c.campaign_id == campaign_id, _RECENT.c.subject == f"unit:{key}")
        tx.execute(_RECENT.update().where(*one).values(subject=f"subject:{number}"))
