"""Since when the bot isn't on a campaign's server; the number of a deleted campaign isn't used again."""

from __future__ import annotations

from typing import Literal

import sqlalchemy as sa
from alembic import op

from bot.core.schema import UtcDateTime

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add the column, let SQLite count up for good, and add the index by which a deletion finds boards.

    The first start finds out which servers have removed the bot.
    """
    with op.batch_alter_table("campaign", recreate=_anew(), table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("away_since", UtcDateTime(), nullable=True))
        batch_op.create_index(batch_op.f("ix_campaign_away_since"), ["away_since"], unique=False)
    with op.batch_alter_table("board", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_board_post_id"), ["post_id"], unique=False)


def downgrade() -> None:
    """Drop all three."""
    with op.batch_alter_table("board", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_board_post_id"))
    with op.batch_alter_table("campaign", recreate=_anew()) as batch_op:
        batch_op.drop_index(batch_op.f("ix_campaign_away_since"))
        batch_op.drop_column("away_since")


def _anew() -> Literal["always", "never"]:
    """Return whether the table is made anew: SQLite has no other way to change how it counts, and PostgreSQL needs none."""
    return "always" if op.get_bind().dialect.name == "sqlite" else "never"
