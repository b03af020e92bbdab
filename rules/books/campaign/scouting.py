"""Scouting: one roll for each character who scouts, on that character's own facts (campaign-rolls, lines 81-125)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.effects import ConsequenceRule, lasting_effect
from rules.procedure import Procedure
from rules.stages import TableMethod, conclude_by_row
from rules.tables import ConsequenceKind

TABLE = "campaign.scouting"


PROCEDURE = Procedure(
    family="scouting",
    title="Scouting",
    actor="scouter",
    subject="base",
    headline="{scouter} scouts {base}",
    method=TableMethod((TABLE,), conclude_by_row("staff")),
)

CONSEQUENCES: Mapping[ConsequenceKind, ConsequenceRule] = {"scouted": lasting_effect("scouted", this_update=False)}
