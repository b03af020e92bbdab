"""Orders of a war, each held against it as it stands then: what is not possible changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules.books.total_war import deeds
from rules.books.total_war.actors import require_going, require_side
from rules.books.total_war.battles import fought, retreated
from rules.books.total_war.deeds import Given, Ruling
from rules.books.total_war.joining import (
    admitted,
    allotted,
    answered,
    assigned,
    delegated,
    gone_rogue,
    named,
    petitioned,
    promoted,
)
from rules.books.total_war.marching import marched
from rules.books.total_war.mustering import disbanded, dismissed, mustered, placed, reinforced, retold, struck
from rules.books.total_war.pledging import followed
from rules.books.total_war.refusal import Refused
from rules.books.total_war.settings import gilded, owned, posted, priced, ranked, sourced, switched
from rules.books.total_war.starting import enlisted
from rules.books.total_war.thrown import Throw
from rules.books.total_war.turning import advanced
from rules.books.total_war.war import Rules, War, ruled
from rules.books.total_war.works import bought, built, researched

_BY_KIND: Mapping[type, Callable[[Rules, War, Any], War]] = {
    deeds.Move: marched,
    deeds.Follow: followed,
    deeds.Build: built,
    deeds.Buy: bought,
    deeds.Research: researched,
    deeds.Promote: promoted,
    deeds.Assign: assigned,
    deeds.Delegate: delegated,
    deeds.Allot: allotted,
    deeds.Rogue: gone_rogue,
    deeds.Found: named,
    deeds.Petition: petitioned,
    deeds.Admit: admitted,
    deeds.Answer: answered,
    deeds.Retreat: retreated,
    deeds.Advance: advanced,
    deeds.Join: enlisted,
    deeds.SetOwner: owned,
    deeds.SetGold: gilded,
    deeds.AddUnits: reinforced,
    deeds.RemoveUnit: dismissed,
    deeds.SetUnit: retold,
    deeds.AddForce: mustered,
    deeds.PlaceForce: placed,
    deeds.RemoveForce: disbanded,
    deeds.SetRank: ranked,
    deeds.SetPost: posted,
    deeds.SetPrice: priced,
    deeds.SetSwitch: switched,
    deeds.SetSource: sourced,
    deeds.Strike: struck,
}


def resolved(rules: Rules, war: War, deed: Given, throw: Throw) -> War:
    """Return the war after an order, or after what a game master has set, by the rules with the prices and switches set in it.

    Raises:
        Refused: it is not possible; no die has been thrown.

    """
    require_going(war)
    rules = ruled(rules, war)
    if isinstance(deed, Ruling) and deed.actor is not None:
        raise Refused("E_NOT_COMMANDER", "Only game masters can set that. Ask one, and say why.")
    if isinstance(deed, deeds.Fight):
        require_side(war, deed)
        return fought(rules, war, deed.at, deed.order, throw)[0]
    return _BY_KIND[type(deed)](rules, war, deed)
