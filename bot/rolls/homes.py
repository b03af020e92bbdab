"""Where a roll happens that names no region: where somebody in it is saved to be."""

from __future__ import annotations

from collections.abc import Iterable

from bot.core.profiles import ALONE, Profile
from rules.procedure import Procedure


def home(procedure: Procedure, saved: Iterable[tuple[str, Profile]]) -> Profile | None:
    """Return who is at home where a roll happens, out of those in it with their roles; None where no region is saved.

    That is its place, whom it is about, who rolls, or another one. Those in a role of `ALONE`, such as a captive, are not
    at home there.
    """
    order = (procedure.place, procedure.subject, procedure.actor)
    settled = [(role, item) for role, item in saved if item.region and role not in ALONE]
    ranked = sorted(settled, key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order))
    return ranked[0][1] if ranked else None
