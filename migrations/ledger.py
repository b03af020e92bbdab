"""Entries that migrations write: what they change in a campaign's state stands in its ledger, chained as any other."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import rfc8785
import sqlalchemy as sa

NOBODY = 0
"""The user id that stands for no person: what the bot does by itself."""

_META = sa.MetaData()
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
    sa.Column("body"),  # a text, or bytes since revision 0013
    sa.Column("salt", sa.String),
)


def bodies(tx: sa.Connection, campaign_id: int) -> list[str]:
    """Return the bodies of a campaign's entries, in their order, as canonical JSON; before revision 0013."""
    query = sa.select(_ENTRY.c.body).where(_ENTRY.c.campaign_id == campaign_id).order_by(_ENTRY.c.number)
    return list(tx.scalars(query))


def enter(tx: sa.Connection, campaign_id: int, uuid: str, content: Mapping[str, Any]) -> None:
    """Append an entry of the kind `upgrade`, chained to the newest one."""
    newest = sa.select(_ENTRY.c.number, _ENTRY.c.hash).where(_ENTRY.c.campaign_id == campaign_id)
    last = tx.execute(newest.order_by(_ENTRY.c.number.desc()).limit(1)).first()
    number, previous = (last.number + 1, last.hash) if last else (1, "0" * 64)
    at, salt, actor = datetime.now(UTC), secrets.token_bytes(16).hex(), _nobody(tx, campaign_id)
    body = _canonical(content)
    header = _canonical(
        {
            "version": 1,
            "campaign": uuid,
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
        "campaign_id": campaign_id,
        "number": number,
        "kind": "upgrade",
        "at": at,
        "actor": actor,
        "audience": "staff",
        "previous": previous,
        "hash": hashlib.sha256(header.encode()).hexdigest(),
        "header": header,
        "body": _kept(tx, body),
        "salt": salt,
    }
    tx.execute(_ENTRY.insert(), values)


def _kept(tx: sa.Connection, body: str) -> str | bytes:
    """Return a body as it is kept: compressed since revision 0013."""
    columns = {column["name"]: column["type"] for column in sa.inspect(tx).get_columns("entry")}
    return zlib.compress(body.encode()) if isinstance(columns["body"], sa.LargeBinary) else body


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
