"""All actions of a war: read as typed, listed as possible, and resolved."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from rules.books.total_war import order_kinds
from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.battles import require_war_on
from rules.books.total_war.catalog import Refused
from rules.books.total_war.combat import Thrower, no_die
from rules.books.total_war.course import Advance, Join
from rules.books.total_war.orders import command, movement, production
from rules.books.total_war.orders.command import (
    Admit,
    Allot,
    AnswerCapitol,
    Assign,
    Delegate,
    Found,
    Petition,
    Promote,
    Rogue,
    list_pending,
)
from rules.books.total_war.orders.movement import Follow, MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings import units, values
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike
from rules.books.total_war.rulings.values import (
    AddForce,
    PlaceForce,
    RemoveForce,
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSwitch,
)
from rules.books.total_war.war import Rules, War, WarAction, apply_settings
from rules.geometry import Hex
from rules.phrases import list_known
from rules.subjects import name_key

__all__ = [
    "AddForce", "AddUnits", "Admit", "Advance", "Allot", "AnswerCapitol", "Assign", "Build", "Buy", "Delegate", "FightAction",
    "Follow", "Found", "Join", "MoveForce", "OrderAction", "Petition", "PlaceForce", "Promote", "RemoveForce", "RemoveUnit",
    "Research", "Retreat", "Rogue", "Ruling", "SetGold", "SetOwner", "SetPost", "SetPrice", "SetRank", "SetSource",
    "SetSwitch", "SetUnit", "Strike", "resolve",
]  # fmt: skip

_Order = MoveForce | Follow | Build | Buy | Research | Promote | Assign | Delegate | Allot
OrderAction = _Order | Rogue | Found | Petition | Admit | AnswerCapitol | FightAction | Retreat | Advance

_Value = SetOwner | SetGold | SetRank | SetPost | SetPrice | SetSwitch | SetSource
Ruling = _Value | AddUnits | RemoveUnit | SetUnit | AddForce | PlaceForce | RemoveForce | Strike


def resolve(rules: Rules, war: War, action: WarAction, throw: Thrower = no_die) -> War:
    """Apply an action with the prices and switches set in the war, or raise Refused before any die."""
    require_war_on(war)
    rules = apply_settings(rules, war)
    if isinstance(action, Ruling) and action.actor is not None:
        raise Refused("E_NOT_COMMANDER", "Only game masters can set that. Ask one, and say why.")
    if isinstance(action, FightAction):
        return action.apply(rules, war, throw)
    return action.apply(rules, war)


ORDERS: dict[str, order_kinds.WarOrder] = {
    item.kind: item for module in (movement, production, command) for item in module.ORDERS
}


def read_order(rules: Rules, war: War, text: order_kinds.OrderText) -> WarAction:
    """Read an order's action without checking it."""
    found = ORDERS.get(text.kind)
    if found is None:
        raise Refused("E_NO_TARGET", f"{text.kind!r} isn't an order{list_known(ORDERS)}.")
    return found.read(rules, war, text)


def list_targets(rules: Rules, war: War, kind: str, who: str) -> list[str]:
    """List what an order can be given to; empty without a choice."""
    found = ORDERS.get(kind)
    return [] if found is None or found.targets is None else [*found.targets(apply_settings(rules, war), war, who)]


def list_details(rules: Rules, war: War, kind: str, who: str, to: str) -> list[str]:
    """List the second choice of an order, such as items or numbers."""
    found = ORDERS.get(kind)
    return [] if found is None or found.details is None else [*found.details(apply_settings(rules, war), war, who, to)]


SETTINGS: Mapping[str, order_kinds.WarSetting] = {
    what: {**values.SETTINGS, **units.SETTINGS}[what] for what in order_kinds.EXAMPLES
}
_NUMBER = re.compile(r"(?<![\w,-])[0-9]{1,7}(?![\w,])")
_LEADING = re.compile(order_kinds.PANEL_PATTERN)


def read_setting(rules: Rules, war: War, what: str, text: str) -> WarAction:
    """Read a setting, one of `EXAMPLES`."""
    if what not in SETTINGS:
        raise Refused("E_NO_TARGET", f"{what!r} isn't something to set{list_known(SETTINGS)}.")
    example = fill_example(rules, war, what, text)
    return SETTINGS[what].read(rules, war, order_kinds.require_text(text, f"what is set, such as {example}"), example)


def fill_example(rules: Rules, war: War, what: str, text: str) -> str:
    """Write an example of a setting in the war's own names."""
    scenario, typed = rules.scenario, _LEADING.match(text.strip())
    at = Hex.parse(typed[0]) if typed else None
    every = [unit.id for force in war.forces.values() for unit in force.units]
    first = next(iter(war.forces.values()), None)
    own = [name for name, model in scenario.units.items() if first and model.faction in {None, first.faction}]
    return order_kinds.EXAMPLES[what].format(
        panel=at if at in war.panels else next(iter(war.panels), "0,0"),
        faction=next((side.name for side in war.factions.values()), "E"),
        force=next(iter(war.forces), "1st Fleet"),
        unit=next(iter(every), "u17"),
        player=next(iter(war.players), "Bob"),
        model=next(iter(own or scenario.units), "gm"),
        item=next(iter(scenario.items), "mining_station"),
        rank=next((rank.name for rank in scenario.ranks), "Captain"),
        pilot=next((pilot.name for pilot in scenario.pilots), order_kinds.NOBODY),
    )


def list_settings(rules: Rules, war: War, what: str, typed: str) -> Iterator[str]:
    """Yield settings that contain all typed words and change the war, the typed one first."""
    if what not in SETTINGS:
        return
    rules, words = apply_settings(rules, war), name_key(typed).split()
    every = SETTINGS[what].offers(rules, war, next(iter(_NUMBER.findall(typed)[-1:]), None))
    fitting = (text for text in every if all(word in name_key(text) for word in words))
    if words:
        yield from _keep_changing(rules, war, what, [typed.strip()])
    yield from _keep_changing(rules, war, what, (text for text in fitting if name_key(text) != name_key(typed)))


def _keep_changing(rules: Rules, war: War, what: str, texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        try:
            after = resolve(rules, war, read_setting(rules, war, what, text))
        except Refused:
            continue
        if after != war:
            yield text


_BY_FACTION, _BY_PLAYER = frozenset({"faction"}), frozenset({"player"})
_BY_FORCE = frozenset({"force", "squadron"})


class CommandTarget(Struct, frozen=True):
    """A force, faction (id) or player; `orders` has who may give each possible order.

    Without any givers only a game master can give one.
    """

    name: str
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    awaited: bool = False


def list_orders(rules: Rules, war: War) -> tuple[CommandTarget, ...]:
    """List all forces, factions and players with their possible orders; empty after the war."""
    if war.winner is not None:
        return ()
    rules = apply_settings(rules, war)
    found = []
    for name, force in war.forces.items():
        orders = _find_possible(rules, war, name, _BY_FORCE)
        found.append(CommandTarget(name, orders, awaited=order_kinds.MOVE in orders and force.commander is not None))
    for name in war.factions:
        awaited = any(list_pending(rules, war, name))
        found.append(CommandTarget(name, _find_possible(rules, war, name, _BY_FACTION), awaited=awaited))
    found += [CommandTarget(name, _find_possible(rules, war, name, _BY_PLAYER)) for name in war.players]
    return tuple(found)


def list_givers(war: War) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each name in the order of `list_orders`, with all players who may ever give its orders."""
    for force in war.forces.values():
        side = war.factions.get(force.faction)
        yield force.name, _players([force.commander, *(side.posts if side else ())])
    for name, side in war.factions.items():
        yield name, _players([side.leader])
    for name, player in war.players.items():
        yield name, _players([name, None if player.faction is None else war.factions[player.faction].leader])


def _find_possible(rules: Rules, war: War, who: str, roles: frozenset[str]) -> dict[str, frozenset[str]]:
    mine = (item for item in ORDERS.values() if item.role in roles and item.is_possible(rules, war, who))
    return {item.kind: _players(item.givers(war, who)) for item in mine}


def _players(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for name in names if name is not None)
