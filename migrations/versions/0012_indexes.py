"""Indexes for what is read all the time, however long a campaign's past is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_INDEXES = {
    "ix_entry_campaign_id_audience_number": ("entry", ("campaign_id", "audience", "number"), None),
    "ix_entry_campaign_id_actor_number": ("entry", ("campaign_id", "actor", "number"), "audience = 'person'"),
    "ix_state_campaign_id_name_subject": ("state", ("campaign_id", "name", "subject"), None),
    "ix_post_campaign_id_kind_topic": ("post", ("campaign_id", "kind", "topic"), "topic IS NOT NULL"),
}


def upgrade() -> None:
    """Compare names of values byte by byte, as SQLite does, so that an index finds those of a range; add the indexes."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute('ALTER TABLE state ALTER COLUMN name TYPE VARCHAR(200) COLLATE "C"')
    for name, (table, columns, where) in _INDEXES.items():
        only = None if where is None else sa.text(where)
        op.create_index(name, table, list(columns), sqlite_where=only, postgresql_where=only)


def downgrade() -> None:
    """Drop the indexes, and compare names by the language of the server again."""
    for name, (table, _, _) in _INDEXES.items():
        op.drop_index(name, table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute('ALTER TABLE state ALTER COLUMN name TYPE VARCHAR(200) COLLATE "default"')
