"""The name of a campaign's public site, and whether search engines may list it.

Fights and battles now say which units they name, so campaigns that have some are read in again by the running bot.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

_READ_AGAIN = (
    """
        DELETE FROM search_backlog
        WHERE campaign_id IN (SELECT campaign_id FROM entry WHERE kind IN ('fight', 'battle'))
    """,
    """
        INSERT INTO search_backlog (campaign_id, upto)
        SELECT campaign_id, max(number) FROM entry
        WHERE campaign_id IN (SELECT campaign_id FROM entry WHERE kind IN ('fight', 'battle'))
        GROUP BY campaign_id
    """,
)


def upgrade() -> None:
    """Every site is off."""
    with op.batch_alter_table("campaign", recreate="never") as batch_op:
        batch_op.add_column(sa.Column("site", sa.String(32)))
        batch_op.add_column(sa.Column("site_on", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("site_indexed", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.create_index(batch_op.f("ix_campaign_site"), ["site"], unique=True)
    for statement in _READ_AGAIN:
        op.execute(statement)


def downgrade() -> None:
    """Turn all sites off."""
    with op.batch_alter_table("campaign", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_index(batch_op.f("ix_campaign_site"))
        batch_op.drop_column("site_indexed")
        batch_op.drop_column("site_on")
        batch_op.drop_column("site")
