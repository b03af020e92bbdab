"""Epochs: the secrets from which dice are drawn, which are committed to before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Make room for epochs; a campaign's first begins with its next roll."""
    op.create_table(
        "epoch",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("root", sa.String(length=64), nullable=False),
        sa.Column("first", sa.Integer(), nullable=True),
        sa.Column("last", sa.Integer(), nullable=True),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_epoch_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_epoch")),
    )
    op.add_column("entry", sa.Column("draw", sa.Text(), nullable=True))
    op.add_column("entry", sa.Column("draw_salt", sa.String(length=32), nullable=True))
    still_open = sa.text("closed_at IS NULL")
    op.create_index("ix_epoch_closes_at", "epoch", ["closes_at"], sqlite_where=still_open, postgresql_where=still_open)


def downgrade() -> None:
    """Forget the epochs: what was drawn in them can be checked no more."""
    op.drop_table("epoch")
    op.drop_column("entry", "draw_salt")
    op.drop_column("entry", "draw")
