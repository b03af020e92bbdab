"""Whether an attack waits for the dodge of whoever plays its target."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Let campaigns choose that it does; it is rolled at once until then, as before."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("dodges_wait", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Drop the choice; what waits is rolled at its time."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("dodges_wait")
