"""An audience may be a group: its column has room for the number of one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_NARROW, _WIDE = sa.String(10), sa.String(20)


def upgrade() -> None:
    """Make room."""
    _retype(_NARROW, _WIDE)


def downgrade() -> None:
    """Take the room away; what a group was told is the staff's, as a version without groups knows none.

    Entries keep their groups in their bodies alone: after going up again, `adjutant ledger rebuild` gives them back, and
    until then `adjutant ledger check` tells of each entry that was a group's.
    """
    op.execute("UPDATE entry SET audience = 'staff' WHERE audience LIKE 'group:%'")
    _retype(_WIDE, _NARROW)


def _retype(old: sa.String, new: sa.String) -> None:
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.alter_column("audience", existing_type=old, type_=new, existing_nullable=False)
