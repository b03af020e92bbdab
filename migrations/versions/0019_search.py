"""Entries are found by their words, those that the staff alone reads apart from the others.

What was entered before is read in by the running bot, some entries at a time: a million would keep a start waiting for minutes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_ADD = "INSERT INTO search_words(rowid, words) VALUES (new.id, new.words)"
_REMOVE = "INSERT INTO search_words(search_words, rowid, words) VALUES ('delete', old.id, old.words)"
_OPTIONS = "content='search', content_rowid='id', detail=none, columnsize=0, tokenize=\"ascii tokenchars '=!'\""
_SQLITE = (
    f"CREATE VIRTUAL TABLE search_words USING fts5(words, {_OPTIONS})",
    f"CREATE TRIGGER search_added AFTER INSERT ON search BEGIN {_ADD}; END",
    f"CREATE TRIGGER search_removed AFTER DELETE ON search BEGIN {_REMOVE}; END",
    f"CREATE TRIGGER search_changed AFTER UPDATE ON search BEGIN {_REMOVE}; {_ADD}; END",
)
_POSTGRESQL = ("CREATE INDEX search_words_index ON search USING gin (array_to_tsvector(string_to_array(words, ' ')))",)


def upgrade() -> None:
    """Keep words of entries; those that there are now are still to be read in."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "search",
        sa.Column("id", number, autoincrement=False, nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        _of_campaign("search"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search")),
    )
    op.create_table(
        "search_backlog",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("upto", sa.Integer(), nullable=False),
        _of_campaign("search_backlog"),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_search_backlog")),
    )
    op.create_table(
        "asked_search",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("asker_id", sa.BigInteger(), nullable=False),
        sa.Column("wanted", sa.JSON(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        _of_campaign("asked_search"),
        sa.PrimaryKeyConstraint("campaign_id", "id", name=op.f("pk_asked_search")),
    )
    op.create_index(op.f("ix_asked_search_asked_at"), "asked_search", ["asked_at"])
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL:
        op.execute(statement)
    _make_last()
    op.execute(
        "INSERT INTO search_backlog (campaign_id, upto) SELECT campaign_id, max(number) FROM entry GROUP BY campaign_id"
    )


def downgrade() -> None:
    """Find no entry by its words any more."""
    op.drop_table("asked_search")
    op.drop_table("search_backlog")
    op.drop_table("search")
    op.execute("DROP TABLE IF EXISTS search_words")


def _make_last() -> None:
    """Make the index of private entries anew: of two that fit, SQLite takes the one that was made last.

    Copies of the table, which earlier revisions make, have their indexes in any order.
    """
    op.drop_index("ix_entry_campaign_id_actor_number", "entry")
    private = sa.text("audience = 'person'")
    op.create_index(
        "ix_entry_campaign_id_actor_number",
        "entry",
        ["campaign_id", "actor", "number"],
        sqlite_where=private,
        postgresql_where=private,
    )


def _of_campaign(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_campaign_id_campaign")
    return sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=name, ondelete="CASCADE")
