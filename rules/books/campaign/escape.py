"""Escape: one roll for each captive who tries, on that captive's own facts (campaign-rolls, lines 315-352).

Of the two rolls about captives only the interrogation is the staff's: the result of an escape is public. Where a secret
fact counted, such as a scouted base, its die and modifiers are withheld as everywhere.
"""

from __future__ import annotations

from rules.books.campaign.captivity import SETTLES
from rules.procedure import Policy, Procedure
from rules.stages import TableMethod, conclude_by_row

TABLE = "campaign.escape"


PROCEDURE = Procedure(
    family="escape",
    title="Escape",
    actor="captive",
    subject="base",
    headline="{captive} tries to escape from {base}",
    headline_alone="{captive} tries to escape",
    method=TableMethod((TABLE,), conclude_by_row("results")),
    policy=Policy(again="update", needs=(("captive", "captive"),)),
    settles=SETTLES,
)
