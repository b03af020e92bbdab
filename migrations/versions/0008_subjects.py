"""Subjects with numbers of their own: until now the state was kept by names.

What the state keeps of somebody stands under the subject's number from now on, and refers to others by theirs. The ledger
says so: each campaign gets one entry more, with every value before and after, so that the entries still add up to the
state. Entries that were written before stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import rfc8785
import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

NOBODY = 0
"""The user id that stands for no person: what the bot does by itself."""

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
_ACTOR = sa.Table(
    "actor",
    _META,
    sa.Column("campaign_id", sa.Integer),
    sa.Column("user_id", sa.BigInteger),
    sa.Column("salt", sa.String),
    sa.Column("pseudonym", sa.String),
)
_ENTRY = sa.Table(
    "entry",
    _META,
    sa.Column("campaign_id", sa.Integer),
    sa.Column("number", sa.Integer),
    sa.Column("kind", sa.String),
    sa.Column("at", sa.DateTime(timezone=True)),
    sa.Column("actor", sa.String),
    sa.Column("audience", sa.String),
    sa.Column("previous", sa.String),
    sa.Column("hash", sa.String),
    sa.Column("header", sa.Text),
    sa.Column("body", sa.Text),
    sa.Column("salt", sa.String),
)


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
    """Drop the table again, as long as nothing stands under the number of a subject.

    Raises:
        RuntimeError: something does; the names that it once stood under are not kept.

    """
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
    entries = tx.execute(sa.select(_ENTRY).where(_ENTRY.c.campaign_id == campaign_id).order_by(_ENTRY.c.number)).all()
    names = _names(before, [json.loads(row.body) for row in entries] if before else [])
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
    _enter(tx, campaign, entries[-1] if entries else None, changes, names_then)


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


def _enter(
    tx: sa.Connection,
    campaign: sa.Row[int, str],
    last: sa.Row[Any] | None,
    changes: list[dict[str, Any]],
    names: Mapping[str, str],
) -> None:
    """Append the entry that says what has changed, chained to the newest one."""
    number, previous = (last.number + 1, last.hash) if last else (1, "0" * 64)
    at, salt, actor = datetime.now(UTC), secrets.token_bytes(16).hex(), _nobody(tx, campaign.id)
    body = _canonical({"format": 2, "subjects": len(names), "changes": changes, "texts": {}, "names": names})
    header = _canonical(
        {
            "version": 1,
            "campaign": campaign.uuid,
            "number": number,
            "kind": "upgrade",
            "at": at.isoformat(),
            "previous": previous,
            "actor": actor,
            "book": None,
            "body": _salted_hash(salt, body),
            "texts": {},
        }
    )
    values = {
        "campaign_id": campaign.id,
        "number": number,
        "kind": "upgrade",
        "at": at,
        "actor": actor,
        "audience": "staff",
        "previous": previous,
        "hash": hashlib.sha256(header.encode()).hexdigest(),
        "header": header,
        "body": body,
        "salt": salt,
    }
    tx.execute(_ENTRY.insert(), values)


def _nobody(tx: sa.Connection, campaign_id: int) -> str:
    """Return the pseudonym of nobody in a campaign, created when there is none yet."""
    query = sa.select(_ACTOR.c.pseudonym).where(_ACTOR.c.campaign_id == campaign_id, _ACTOR.c.user_id == NOBODY)
    pseudonym: str | None = tx.scalar(query)
    if pseudonym is None:
        salt = secrets.token_bytes(16).hex()
        pseudonym = _salted_hash(salt, str(NOBODY))
        row = {"campaign_id": campaign_id, "user_id": NOBODY, "salt": salt, "pseudonym": pseudonym}
        tx.execute(_ACTOR.insert(), row)
    return pseudonym


def _canonical(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return rfc8785.dumps(value).decode()


def _salted_hash(salt: str, text: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()
