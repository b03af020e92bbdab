"""Challenges become rolls that wait for anybody's answer; a message that is still to be sent has its buttons with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_POST = sa.table("post", *map(sa.column, ("id", "campaign_id", "kind", "topic", "state", "payload")))


def _challenge() -> list[sa.Column[Any]]:
    """Return the columns that only challenges have."""
    return [
        sa.Column("challenger_id", sa.BigInteger(), nullable=False),
        sa.Column("opponent_id", sa.BigInteger(), nullable=False),
        sa.Column("draft", sa.JSON(none_as_null=True), nullable=True),
    ]


def _pending() -> list[sa.Column[Any]]:
    """Return the columns that only rolls that wait have."""
    return [
        sa.Column("asker_id", sa.BigInteger(), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
    ]


def upgrade() -> None:
    """Let challenges wait on, each for its one member."""
    tx, new = op.get_bind(), _create("pending", _pending())
    for row, kept in _rows("challenge", _challenge()):
        seat = {"users": [row["opponent_id"]], "role": "b", **({"draft": row["draft"]} if row["draft"] else {})}
        own = {"asker_id": row["challenger_id"], "seats": [seat], "words": _words(row["request"])}
        tx.execute(new.insert(), {**kept, **own})
    op.drop_table("challenge")
    _rename_posts("challenge", "pending")
    waits = (_POST.c.kind == "pending", _POST.c.state == "queued", _POST.c.topic.is_not(None))
    for post in tx.execute(sa.select(_POST).where(*waits)).all():
        tx.execute(_POST.update().where(_POST.c.id == post.id).values(payload=_with_buttons(post)))


def downgrade() -> None:
    """Turn them into challenges of the first member who is asked; 0 where that is none."""
    old = _create("challenge", _challenge())
    for row, kept in _rows("pending", _pending()):
        seat: dict[str, Any] = next(iter(row["seats"]), {})
        own = {"challenger_id": row["asker_id"], "opponent_id": next(iter(seat.get("users", ())), 0)}
        op.get_bind().execute(old.insert(), {**kept, **own, "draft": seat.get("draft")})
    op.drop_table("pending")
    _rename_posts("pending", "challenge")


def _shared() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("entry_number", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    ]


def _create(name: str, own: Sequence[sa.Column[Any]]) -> sa.Table:
    """Create a table of the columns that both have, and its own."""
    foreign = op.f(f"fk_{name}_campaign_id_campaign")
    table = op.create_table(
        name,
        *_shared(),
        *own,
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=foreign, ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )
    op.create_index(f"ix_{name}_state_expires_at", name, ["state", "expires_at"])
    return table


def _rows(name: str, own: Sequence[sa.Column[Any]]) -> list[tuple[Any, dict[str, Any]]]:
    """Return the rows of a table, each with what the other one keeps of it too."""
    table = sa.Table(name, sa.MetaData(), *_shared(), *own)
    shared = [column.name for column in _shared()]
    rows = op.get_bind().execute(sa.select(table)).mappings().all()
    return [(row, {key: row[key] for key in shared}) for row in rows]


def _words(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a challenge is called, and under which name its challenger rolls."""
    part = request["parts"][0] if request else {"subjects": {"a": ""}}
    name = part.get("people", {}).get("a") or part["subjects"]["a"]
    commands = {"make": "/infinity versus", "listed": "/infinity challenges"}
    asks = ["challenges", "to a Face to Face Roll"]
    return {"noun": "challenge", "name": name, "asks": asks, **commands, "otherwise": ""}


def _with_buttons(post: sa.Row[Any]) -> str:
    """Return the message of an open challenge with its buttons."""
    content = json.loads(post.payload)
    content = content if isinstance(content, dict) else {"embeds": content, "users": [], "roles": []}
    key = f"challenge:{post.campaign_id}:{post.topic}"
    buttons = [["Answer", f"{key}:answer", 3], ["Withdraw", f"{key}:withdraw", 2]]
    return json.dumps({**content, "buttons": buttons}, ensure_ascii=False)


def _rename_posts(old: str, new: str) -> None:
    op.get_bind().execute(_POST.update().where(_POST.c.kind == old).values(kind=new))
