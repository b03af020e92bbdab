"""Bodies of entries are kept compressed; what was hashed is the same as ever."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

BATCH = 500

_ENTRY = sa.Table(
    "entry",
    sa.MetaData(),
    sa.Column("campaign_id", sa.Integer),
    sa.Column("number", sa.Integer),
    sa.Column("body", sa.LargeBinary),
)
_KEY = (_ENTRY.c.campaign_id, _ENTRY.c.number)


def upgrade() -> None:
    """Compress the bytes of the texts; SQLite, which takes anything in any column, has less to copy when that comes first."""
    first = op.get_bind().dialect.name == "sqlite"
    if first:
        _each(op.get_bind(), zlib.compress)
    _retype(sa.Text(), sa.LargeBinary(), "convert_to(body, 'UTF8')")
    if not first:
        _each(op.get_bind(), zlib.compress)


def downgrade() -> None:
    """Turn what is compressed into texts again."""
    _each(op.get_bind(), zlib.decompress)
    _retype(sa.LargeBinary(), sa.Text(), "convert_from(body, 'UTF8')")


def _retype(old: sa.types.TypeEngine[Any], new: sa.types.TypeEngine[Any], using: str) -> None:
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.alter_column("body", existing_type=old, type_=new, existing_nullable=False, postgresql_using=using)


def _each(tx: sa.Connection, change: Callable[[bytes], bytes]) -> None:
    """Change each body, a batch of entries at a time."""
    one = (_ENTRY.c.campaign_id == sa.bindparam("campaign"), _ENTRY.c.number == sa.bindparam("of"))
    update = _ENTRY.update().where(*one).values(body=sa.bindparam("changed"))
    for rows in _batches(tx):
        tx.execute(update, [{"campaign": item[0], "of": item[1], "changed": change(item[2])} for item in rows])


def _batches(tx: sa.Connection) -> Iterator[list[sa.Row[int, int, bytes]]]:
    """Yield campaign, number and body of all entries."""
    query = sa.select(*_KEY, sa.cast(_ENTRY.c.body, sa.LargeBinary)).order_by(*_KEY).limit(BATCH)
    rows = list(tx.execute(query))
    while rows:
        yield rows
        rows = list(tx.execute(query.where(sa.tuple_(*_KEY) > sa.tuple_(*rows[-1][:2]))))
