"""Unexpected complications: one roll for each side of a battle (campaign-rolls, lines 267-282)."""

from __future__ import annotations

from rules.procedure import Policy, Procedure
from rules.stages import TableMethod, conclude_by_row

TABLE = "campaign.complications"
DEFENDS = "side.defends-base"


PROCEDURE = Procedure(
    family="complications",
    title="Unexpected complications",
    actor="side",
    subject="battle",
    headline="{side} ({battle})",
    headline_alone="{side}",
    method=TableMethod((TABLE,), conclude_by_row("staff"), manual_facts=(DEFENDS,)),
    policy=Policy(played=()),
)
