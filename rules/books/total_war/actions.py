"""All actions of a war: what orders and settings mean as typed, what is possible now, who may order it, and how it changes the war."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.battles import require_war_on
from rules.books.total_war.combat import Thrower, no_die
from rules.books.total_war.course import Advance, Join
from rules.books.total_war.order_kinds import EXAMPLES, MOVE, NOBODY
from rules.books.total_war.order_text import PANEL, OrderText, WarOrder, WarSetting, require_text
from rules.books.total_war.orders import command, membership, movement, production
from rules.books.total_war.orders.command import Allot, Assign, Delegate, Promote
from rules.books.total_war.orders.membership import Admit, Answer, Found, Petition, Rogue, pending_answers
from rules.books.total_war.orders.movement import Follow, Move
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings import forces, units, values
from rules.books.total_war.rulings.forces import AddForce, PlaceForce, RemoveForce
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike
from rules.books.total_war.rulings.values import (
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSwitch,
)
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, War, WarAction, apply_settings
from rules.geometry import Hex
from rules.phrases import known_list
from rules.subjects import name_key

__all__ = [
    "AddForce", "AddUnits", "Admit", "Advance", "Allot", "Answer", "Assign", "Build", "Buy", "Delegate", "FightAction",
    "Follow", "Found", "Join", "Move", "OrderAction", "Petition", "PlaceForce", "Promote", "RemoveForce", "RemoveUnit",
    "Research", "Retreat", "Rogue", "Ruling", "SetGold", "SetOwner", "SetPost", "SetPrice", "SetRank", "SetSource",
    "SetSwitch", "SetUnit", "Strike", "resolve",
]  # fmt: skip

_Order = Move | Follow | Build | Buy | Research | Promote | Assign | Delegate | Allot
OrderAction = _Order | Rogue | Found | Petition | Admit | Answer | FightAction | Retreat | Advance
"""What players order, and what follows from it."""

_Value = SetOwner | SetGold | SetRank | SetPost | SetPrice | SetSwitch | SetSource
Ruling = _Value | AddUnits | RemoveUnit | SetUnit | AddForce | PlaceForce | RemoveForce | Strike
"""What a game master alone sets and rules."""


def resolve(rules: Rules, war: War, action: WarAction, throw: Thrower = no_die) -> War:
    """Return the war after an action, by the rules with the prices and switches set in it.

    Raises:
        Refused: it is not possible; no die has been thrown.

    """
    require_war_on(war)
    rules = apply_settings(rules, war)
    if isinstance(action, Ruling) and action.actor is not None:
        raise Refused("E_NOT_COMMANDER", "Only game masters can set that. Ask one, and say why.")
    if isinstance(action, FightAction):
        return action.apply(rules, war, throw)
    return action.apply(rules, war)


ORDERS: dict[str, WarOrder] = {
    item.kind: item for module in (movement, production, command, membership) for item in module.ORDERS
}


def read_order(rules: Rules, war: War, text: OrderText) -> WarAction:
    """Return the action that an order asks for; whether it is possible is another question."""
    found = ORDERS.get(text.kind)
    if found is None:
        raise Refused("E_NO_TARGET", f"{text.kind!r} isn't an order{known_list(ORDERS)}.")
    return found.read(rules, war, text)


def list_targets(rules: Rules, war: War, kind: str, who: str) -> list[str]:
    """Return what an order can be given to: panels as `q,r`, forces, models with their price, ranks, players, factions by id.

    Empty where there is nothing to choose, or the order is not possible.
    """
    found = ORDERS.get(kind)
    return [] if found is None or found.targets is None else [*found.targets(apply_settings(rules, war), war, who)]


def list_details(rules: Rules, war: War, kind: str, who: str, to: str) -> list[str]:
    """Return what else is said of an order to something: items and models with their price, numbers, panels, colours, yes and no."""
    found = ORDERS.get(kind)
    return [] if found is None or found.details is None else [*found.details(apply_settings(rules, war), war, who, to)]


SETTINGS: Mapping[str, WarSetting] = {
    what: {**values.SETTINGS, **units.SETTINGS, **forces.SETTINGS}[what] for what in EXAMPLES
}
_NUMBER = re.compile(r"(?<![\w,-])[0-9]{1,7}(?![\w,])")
_LEADING = re.compile(PANEL)


def read_setting(rules: Rules, war: War, what: str, text: str) -> WarAction:
    """Return what a game master sets: one of `EXAMPLES`, written as there."""
    if what not in SETTINGS:
        raise Refused("E_NO_TARGET", f"{what!r} isn't something to set{known_list(SETTINGS)}.")
    example = fill_example(rules, war, what, text)
    return SETTINGS[what].read(rules, war, require_text(text, f"what is set, such as {example}"), example)


def fill_example(rules: Rules, war: War, what: str, text: str) -> str:
    """Return how something is set, in words of the war: with the panel that a text begins with, if it is one of the map."""
    scenario, typed = rules.scenario, _LEADING.match(text.strip())
    at = Hex.parse(typed[0]) if typed else None
    every = [unit.id for force in war.forces.values() for unit in force.units]
    first = next(iter(war.forces.values()), None)
    own = [name for name, model in scenario.units.items() if first and model.faction in {None, first.faction}]
    return EXAMPLES[what].format(
        panel=at if at in war.panels else next(iter(war.panels), "0,0"),
        faction=next((side.name for side in war.factions.values()), "E"),
        force=next(iter(war.forces), "1st Fleet"),
        unit=next(iter(every), "u17"),
        player=next(iter(war.players), "Bob"),
        model=next(iter(own or scenario.units), "gm"),
        item=next(iter(scenario.items), "mining_station"),
        rank=next((rank.name for rank in scenario.ranks), "Captain"),
        pilot=next((pilot.name for pilot in scenario.pilots), NOBODY),
    )


def list_settings(rules: Rules, war: War, what: str, typed: str) -> Iterator[str]:
    """Yield what can be set, of all that holds each word that is typed; first what is typed itself, if it can be taken so."""
    if what not in SETTINGS:
        return
    rules, words = apply_settings(rules, war), name_key(typed).split()
    every = SETTINGS[what].offers(rules, war, next(iter(_NUMBER.findall(typed)[-1:]), None))
    fitting = (text for text in every if all(word in name_key(text) for word in words))
    if words:
        yield from _changing(rules, war, what, [typed.strip()])
    yield from _changing(rules, war, what, (text for text in fitting if name_key(text) != name_key(typed)))


def _changing(rules: Rules, war: War, what: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield those of which the war becomes another one."""
    for text in texts:
        try:
            after = resolve(rules, war, read_setting(rules, war, what, text))
        except Refused:
            continue
        if after != war:
            yield text


_BY_FACTION, _BY_PLAYER = frozenset({"faction"}), frozenset({"player"})
_BY_FORCE = frozenset({"force", "squadron"})
"""In which roles factions, players and forces carry out orders."""


class Commanded(Struct, frozen=True):
    """A force, a faction (by its id) or a player: the kinds of order, each with the players who may give it, and whether one is awaited.

    Where nobody may give an order that is possible, a game master does.
    """

    name: str
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    awaited: bool = False


def list_orders(rules: Rules, war: War) -> tuple[Commanded, ...]:
    """Return all forces, then the factions, then the players of a war, with the orders that are possible now.

    A force is awaited while it can move and has not, a faction while somebody waits for an answer of its leader.
    """
    if war.winner is not None:
        return ()
    rules = apply_settings(rules, war)
    found = []
    for name, force in war.forces.items():
        orders = _possible(rules, war, name, _BY_FORCE)
        found.append(Commanded(name, orders, awaited=MOVE in orders and force.commander is not None))
    for name in war.factions:
        awaited = any(pending_answers(rules, war, name))
        found.append(Commanded(name, _possible(rules, war, name, _BY_FACTION), awaited=awaited))
    found += [Commanded(name, _possible(rules, war, name, _BY_PLAYER)) for name in war.players]
    return tuple(found)


def list_givers(war: War) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield all of a war in the order of `list_orders`, each with who gives orders for it, whatever is possible now: their own, and those with a post above them."""
    for force in war.forces.values():
        side = war.factions.get(force.faction)
        yield force.name, _players([force.commander, *((side.leader, side.delegate) if side else ())])
    for name, side in war.factions.items():
        yield name, _players([side.leader])
    for name, player in war.players.items():
        yield name, _players([name, None if player.faction is None else war.factions[player.faction].leader])


def _possible(rules: Rules, war: War, who: str, roles: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the kinds of order that somebody can carry out now in one of these roles, each with who may give it."""
    mine = (item for item in ORDERS.values() if item.role in roles and item.is_possible(rules, war, who))
    return {item.kind: _players(item.givers(war, who)) for item in mine}


def _players(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for name in names if name is not None)
