"""What changes a war, and what a kind of order is: how it is read, what it is offered with, and who gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from rules.books.total_war.terms import Refused
from rules.books.total_war.typed_names import is_said, one_of, parse_panel, required
from rules.books.total_war.war import Rules, War, WarAction, faction_named
from rules.geometry import Hex
from rules.phrases import known_list

PLAYER = "player"
"""The role of players who order something about themselves."""


class OrderText(Struct, frozen=True):
    """An order as typed: its kind, who carries it out, to and with what, and who gives it (None for a game master).

    Whoever is not named is the giver, or the giver's faction.
    """

    kind: str
    who: str | None = None
    to: str | None = None
    besides: str | None = None
    actor: str | None = None

    def force(self, war: War) -> str:
        """Return the force that carries it out."""
        return one_of(war.forces, self.who, "a force")

    def panel(self, war: War) -> Hex:
        """Return the panel that it is about."""
        return parse_panel(war.panels, required(self.to, "on which panel, such as 4,-1"))

    def player(self, war: War) -> str:
        """Return the player that carries it out: the one named, else the giver."""
        return one_of(war.players, self.who if is_said(self.who) else self.actor, "a player")

    def faction(self, war: War) -> str:
        """Return the faction that orders: the one named, else that of the giver."""
        if is_said(self.who):
            return parse_faction(war, self.who)
        player = war.players.get(self.actor or "")
        if player is None or player.faction is None:
            known = known_list(side.name for side in war.factions.values())
            raise Refused("E_NO_TARGET", f"Say which faction{known}.")
        return player.faction


class WarOrder(Struct, frozen=True):
    """A kind of order: how its roll is called and in which `role` somebody carries it out, how it is read, and who may give it.

    `targets` are what it can be given to now, `details` what else is said of it; `may` finds out faster whether it is possible
    at all, or has nothing to list.
    """

    kind: str
    title: str
    role: str
    headline: str
    read: Callable[[Rules, War, OrderText], WarAction]
    givers: Callable[[War, str], Iterable[str | None]]
    targets: Callable[[Rules, War, str], Iterable[str]] | None = None
    details: Callable[[Rules, War, str, str], Iterable[str]] | None = None
    may: Callable[[Rules, War, str], bool] | None = None

    def is_possible(self, rules: Rules, war: War, who: str) -> bool:
        """Return whether a force, a faction or a player can carry it out in any way now."""
        if self.may is not None:
            return self.may(rules, war, who)
        return self.targets is not None and next(iter(self.targets(rules, war, who)), None) is not None


def parse_faction(war: War, text: str | None) -> str:
    """Return the faction that is meant, by its id or its name."""
    written = None if text is None else faction_named(war, text)
    return one_of(war.factions, written, "a faction", {name: side.name for name, side in war.factions.items()})


def leader_of(war: War, faction: str) -> tuple[str | None]:
    """Return who leads a faction, as who gives its orders (B1)."""
    return (war.factions[faction].leader,)
