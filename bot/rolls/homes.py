"""Where a roll happens that names no region: where somebody in it is saved to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.profiles import ALONE, Profile
from bot.rolls.situation import RollContext, SkyReader
from rules.climate import Sky
from rules.procedure import Procedure

Sight = Callable[[Iterable[Profile]], Iterable[Profile]]
"""Return those of these of whom somebody may know, with as much of each as they may know."""


def home(procedure: Procedure, saved: Iterable[tuple[str, Profile]]) -> Profile | None:
    """Return who is at home where a roll happens, out of those in it with their roles; None where no region is saved.

    That is its place, whom it is about, who rolls, or another one. Those in a role of `ALONE`, such as a captive, are not
    at home there.
    """
    order = (procedure.place, procedure.subject, procedure.actor)
    settled = [(role, item) for role, item in saved if item.region and role not in ALONE]
    ranked = sorted(settled, key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order))
    return ranked[0][1] if ranked else None


def known_home(procedure: Procedure, saved: Sequence[tuple[str, Profile]], sight: Sight) -> Profile | None:
    """Return who is at home where a roll happens, as far as somebody may know where they all are."""
    known = {item.id: item for item in sight([item for _, item in saved])}
    return home(procedure, [(role, known[item.id]) for role, item in saved if item.id in known])


def placed(tx: Connection, context: RollContext, sky: SkyReader, sight: Sight) -> RollContext:
    """Return where and under which weather a roll happens, as far as somebody may know where those in it are.

    A secret one's region is never the roll's own, not even for game masters: it would appear in public results.
    """
    request, procedure = context.request, context.procedure
    if request.at_home:
        at = known_home(procedure, [pair for part in context.saved for pair in part], sight)
        request = request.model_copy(update={"region": at.region if at and not at.secret else None})
    there = sky(tx, context.campaign, context.book, request) if procedure.policy.on_request else Sky()
    return replace(context, request=request, sky=there)
