"""Where a roll happens that names no region: each part where somebody in it is saved to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.profiles import ALONE, Profile
from bot.rolls.request import RollRequest
from bot.rolls.situation import RollContext, SkyReader
from rules.climate import Sky
from rules.procedure import Procedure

Sight = Callable[[Iterable[Profile]], Iterable[Profile]]
"""Return those of these of whom somebody may know, with as much of each as they may know."""

InRole = tuple[str, Profile]


def home(procedure: Procedure, saved: Iterable[InRole]) -> Profile | None:
    """Return who is at home where one part of a roll happens, out of those in it with their roles; None where no region is saved.

    That is its place, whom it is about, who rolls, or another one; of several in a role, the one saved first, in whatever
    order they were named. Those in a role of `ALONE`, such as a captive, are not at home there.
    """
    order = (procedure.place, procedure.subject, procedure.actor)
    settled = [(role, item) for role, item in saved if item.region and role not in ALONE]
    ranked = [(order.index(role) if role in order else len(order), item.id, item) for role, item in settled]
    return min(ranked)[2] if ranked else None


def known_homes(procedure: Procedure, parts: Sequence[Sequence[InRole]], sight: Sight) -> list[Profile | None]:
    """Return who is at home where each part happens, as far as somebody may know where they all are."""
    known = {item.id: item for item in sight([item for part in parts for _, item in part])}
    return [home(procedure, [(role, known[item.id]) for role, item in part if item.id in known]) for part in parts]


def placed(tx: Connection, context: RollContext, sky: SkyReader, sight: Sight) -> RollContext:
    """Return where and under which weather each part happens, as far as somebody may know where those in it are.

    A secret one's region is never the roll's own, not even for game masters: it would appear in public results.
    """
    request, procedure = context.request, context.procedure
    if request.at_home:
        request = _at_home(request, known_homes(procedure, context.saved, sight))
    where = [request.where(part) for part in request.parts]
    skies = dict.fromkeys(where, Sky())
    if procedure.policy.on_request:
        skies = {region: sky(tx, context.campaign, context.book, request, region) for region in skies}
    return replace(context, request=request, skies=[skies[region] for region in where])


def _at_home(request: RollRequest, homes: Sequence[Profile | None]) -> RollRequest:
    """Return a request with the one region in which its parts are at home, or with one for each part where those differ.

    A part in which no region is saved happens where the others do, if that is one region.
    """
    regions = [None if item is None else "" if item.secret else item.region for item in homes]
    shared = {*regions} - {None, ""}
    region = shared.pop() if len(shared) == 1 else None
    apart = [None if own == region else own for own in regions]
    parts = [part.model_copy(update={"region": own}) for part, own in zip(request.parts, apart, strict=True)]
    return request.model_copy(update={"region": region, "parts": tuple(parts)})
