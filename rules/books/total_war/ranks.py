"""Who may do what: posts, ranks, lone rogues (lines 28, 47, 89, 99, 244)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rules.books.total_war.refusal import Refused
from rules.kinds import Amount, RuleItem, Text
from rules.phrases import counted

SUPREME, FLEET, SQUADRON = "supreme_commander", "fleet_commander", "squadron_commander"


class Rank(RuleItem, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What a rank holds: units in a squadron, squadrons, fleets."""

    noun = "rank"
    key = "name"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "Ensign"',
        "squadron-size": "squadron-size = 4",
        "squadrons": "squadrons = 1",
        "fleets": "fleets = 0",
    }

    name: Text
    squadron_size: Amount
    squadrons: Amount
    fleets: Amount


def require_own(actor: str | None, commander: str | None, called: str | None = None) -> None:
    """Refuse somebody else's force (line 30); for one that nobody commands a game master orders, who is no actor.

    `called` is what the commander is called, if not so.
    """
    if actor is not None and actor != commander:
        who = called or commander or "no player"
        raise Refused("E_NOT_YOURS", f"{actor} doesn't command that force: {who} does.")


def require_self(actor: str | None, player: str) -> None:
    """Refuse what a player does for somebody else (line 87); a game master is no actor."""
    if actor not in {None, player}:
        raise Refused("E_NOT_YOURS", f"{actor} can't order that: only {player} can.")


def require_supreme(role: str, does: str) -> None:
    """Refuse whoever is not the supreme commander (line 47)."""
    if role != SUPREME:
        raise Refused("E_NOT_COMMANDER", f"Only the supreme commander {does}.")


def require_promoter(role: str, *, rogue_faction: bool, captured: bool) -> None:
    """Refuse who does not promote: a rogue faction only with the capitol of a true faction that it has `captured` (line 99)."""
    require_supreme(role, "can promote")
    if rogue_faction and not captured:
        raise Refused("E_ROGUE_NO_PROMOTION", "A rogue faction can promote only while it owns a captured capitol.")


def require_allotter(role: str, *, delegated: bool) -> None:
    """Refuse who does not allot new units: the supreme commander does, or a fleet commander to whom it is handed (line 244)."""
    if not (delegated and role == FLEET):
        require_supreme(role, "or the fleet commander they chose can assign new units")


def require_rank(rank: Rank, units: int, squadrons: int, fleets: int, player: str | None = None) -> None:
    """Refuse more than a rank holds (lines 28, 30), naming the player of whom it is asked."""
    whose = "" if player is None else f"{player} with "
    if units > rank.squadron_size:
        what = f"{whose}{counted(units, 'units')}: the rank {rank.name} allows {rank.squadron_size} in a squadron."
        raise Refused("E_SQUADRON_FULL", what)
    for count, most, what in ((squadrons, rank.squadrons, "squadrons"), (fleets, rank.fleets, "fleets")):
        if count > most:
            raise Refused("E_RANK", f"{whose}{counted(count, what)}: the rank {rank.name} allows {most}.")


def require_no_rogue(what: str, *, lone_rogue: bool, who: str = "A lone rogue") -> None:
    """Refuse what a lone rogue, called `who`, does not get (line 89)."""
    if lone_rogue:
        raise Refused("E_ROGUE", f"{who} can't get {what}.")
