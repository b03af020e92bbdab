"""Interrogation: one roll for each captive, however many interrogate (campaign-rolls, lines 283-314).

What breaks a captive comes to different things before and after the captive has cracked, which is one state (IN-2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rules.books.campaign.captivity import SETTLES
from rules.procedure import Conclusion, Part, Policy, Procedure
from rules.stages import TableMethod
from rules.tables import Consequence

if TYPE_CHECKING:
    from rules.tables import TableRow

TABLE = "campaign.interrogation"
CRACKED = "captive.cracked"
_BREAKING = frozenset({"crack", "crack-or-reveal"})
_PASSWORDS: Mapping[int | None, tuple[str, str]] = {
    None: ("all", "every board password"),
    1: ("one", "one board password"),
}


def _conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    """Settle what the row leaves open for this captive; any other row speaks for itself."""
    row = rows[-1]
    cracked = CRACKED in part.facts
    breaking = next((item for item in row.then if item.do in _BREAKING), None)
    if breaking is None or (breaking.do == "crack" and not cracked):
        return Conclusion(row.outcome, row.text, row.tone, "staff", row.then)
    return _breaking_conclusion(row, breaking, cracked=cracked)


def _breaking_conclusion(row: TableRow, breaking: Consequence, *, cracked: bool) -> Conclusion:
    """Return what breaking comes to; an injury beside it stands, whatever becomes of the captive's silence."""
    others = tuple(item for item in row.then if item is not breaking)
    outcome, words, consequences = _breaking_effect(breaking, cracked=cracked)
    text, tone = f"The captive {words}", row.tone if consequences else "neutral"
    for item in others:
        if item.do == "injure":
            outcome, text = f"injured-{outcome}", f"Injury {item.amount}, and the captive {words}"
            tone = row.tone if consequences else "failure"
    return Conclusion(outcome, text, tone, "staff", (*others, *consequences))


def _breaking_effect(breaking: Consequence, *, cracked: bool) -> tuple[str, str, tuple[Consequence, ...]]:
    """Return what becomes of the captive's silence: as an outcome, in words, and as consequences (lines 287-293)."""
    if not cracked:
        return "cracks", "begins to crack", (Consequence("crack", breaking.to),)
    if breaking.do == "crack":
        return "cracked-already", "had already cracked", ()
    count, passwords = _PASSWORDS.get(breaking.amount, (str(breaking.amount), f"{breaking.amount} board passwords"))
    return f"reveals-{count}", f"reveals {passwords}", (Consequence("reveal-passwords", breaking.to, breaking.amount),)


PROCEDURE = Procedure(
    family="interrogation",
    title="Interrogation",
    actor="captive",
    subject="base",
    headline="{captive} is interrogated by {interrogator} at {base}",
    headline_alone="{captive} is interrogated by {interrogator}",
    method=TableMethod((TABLE,), _conclude),
    policy=Policy(again="update", needs=(("captive", "captive"),), played=("interrogator",)),
    settles=SETTLES,
)
