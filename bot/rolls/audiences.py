"""Who sees what each part of a roll comes to."""

from __future__ import annotations

from collections.abc import Collection

from bot.core.ledger import EntryAudience
from bot.rolls.request import RollRequest
from rules.procedure import PartResult, Resolution


def audiences(
    request: RollRequest, resolution: Resolution, secret: Collection[int] = (), *, quiet: bool = False
) -> list[EntryAudience]:
    """Return who sees the result of each part.

    `secret` are the places of parts with somebody of whom players may not know: they go to the staff alone. What is `quiet`
    goes to its maker too, and to nobody else.
    """
    parts = enumerate(resolution.parts)
    told = [_audience_of(part, request, secret=place in secret, quiet=quiet) for place, part in parts]
    if {*told} == {"staff", "maker"}:  # mixed, all would read that there is something of which they read nothing
        return ["staff"] * len(told)
    return told


def _audience_of(part: PartResult, request: RollRequest, *, secret: bool, quiet: bool) -> EntryAudience:
    """Return who sees the result of a part: as requested, or else as the rules have it, but never somebody's secret."""
    if request.to == "me":
        return "person"
    if request.to != "auto":
        return request.to
    if secret or (part.conclusion is None and not quiet):
        return "staff"
    usual = part.conclusion.audience if part.conclusion else "results"
    return "maker" if quiet and usual == "results" else usual
