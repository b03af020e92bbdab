"""What each person has chosen in a campaign: mentions, and bars with odds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

_NAMES = ("mentions", "bars")


def upgrade() -> None:
    """Let people choose; both are on until then."""
    with op.batch_alter_table("actor", schema=None) as batch_op:
        for name in _NAMES:
            batch_op.add_column(sa.Column(name, sa.Boolean(), server_default=sa.true(), nullable=False))


def downgrade() -> None:
    """Drop the choices."""
    with op.batch_alter_table("actor", schema=None) as batch_op:
        for name in _NAMES:
            batch_op.drop_column(name)
