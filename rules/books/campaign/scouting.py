"""Scouting: one roll for each character who scouts, on that character's own facts (campaign-rolls, lines 81-125)."""

from __future__ import annotations

from rules.procedure import Procedure
from rules.stages import TableMethod, conclude_by_row

TABLE = "campaign.scouting"


PROCEDURE = Procedure(
    family="scouting",
    title="Scouting",
    actor="scouter",
    subject="base",
    headline="{scouter} scouts {base}",
    method=TableMethod((TABLE,), conclude_by_row("staff")),
)
