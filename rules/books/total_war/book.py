"""Rolls and catalog of Total War; pairs the orders of a turn by phase (AMB-81), and forecasts gold and refusals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from rules import orders
from rules.book import Book
from rules.books.total_war import actions, board_rolls, economy, movement
from rules.books.total_war.catalog import CATALOG, Refused
from rules.books.total_war.order_kinds import ADVANCE, ANSWER, FOLLOW, MOVE, OrderText, find_name, strip_hint
from rules.books.total_war.storage import WAR, find_start, mask_war, read
from rules.books.total_war.war import Force, Rules, War
from rules.phrases import possessive
from rules.subjects import name_key


def _read_as_seen(book: Book, values: orders.Values, mine: str | None) -> tuple[Rules, War]:
    rules, war = read(book, values)
    return rules, war if mine is None else mask_war(rules, war, war.faction_of(mine))


def forecast_orders(
    book: Book, values: orders.Values, mine: str | None, tasks: Iterable[orders.Task]
) -> Sequence[orders.OrdersForecast]:
    """Return per faction the gold that its orders leave, and the orders that would fail."""
    rules, begins = _read_as_seen(book, values, mine)
    war, found, rides = begins, dict[str, orders.OrdersForecast](), list[orders.Task]()
    for task in tasks:
        if not task.orders:
            continue
        faction = _find_side(begins, task)
        before = found.get(faction, orders.OrdersForecast(frozenset(), ""))
        short = before.short
        try:
            war = _resolve_task(rules, war, task)
        except Refused as refused:
            why = f"won't be possible: {str(refused).removesuffix('.')}"
            if isinstance(refused, economy.NoFunds):
                why = f"costs {refused.price} gold, but only {refused.bank} will be left"
            short = (*short, *_cancel(task, why))
        found[faction] = replace(before, orders=before.orders | {*task.orders}, short=short)
        rides += [task] if task.family == FOLLOW else []
    for task in rides:
        item, squadron = found[_find_side(begins, task)], war.forces.get(task.people[0].name)
        if squadron is not None and not squadron.tagged and task.orders[0] not in {gone.order for gone in item.short}:
            why = f"has no effect: {squadron.follows} has no order to move"
            found[_find_side(begins, task)] = replace(item, short=(*item.short, *_cancel(task, why)))
    lasting = begins.factions.keys() & war.factions.keys()  # these orders may end a faction
    left = {name: _describe_left(begins, war, name, item) for name, item in found.items() if name in lasting}
    return [replace(item, left=left.get(name, "")) for name, item in found.items()]


def describe_wait(book: Book, values: orders.Values, update: int, tasks: Iterable[orders.Task]) -> str:
    """Say which battles keep the turn open; empty if none."""
    rules, war = read(book, values)
    for task in tasks:
        if task.orders:
            with suppress(Refused):
                war = _resolve_task(rules, war, task)
    if not war.battles:
        return ""
    which = f"battle{'s' if len(war.battles) > 1 else ''} on {movement.list_panels(war.battles)}"
    waits = f"it waits for the {which}" if war.update != update else f"it waits for the next update and the {which}"
    return f"Turn {war.turn} of {values[WAR]['name']} can't end yet: {waits}."


def _cancel(task: orders.Task, why: str) -> Iterator[orders.Cancellation]:
    return (orders.Cancellation(entry, why) for entry in task.orders)


def _find_side(war: War, task: orders.Task) -> str:
    who = task.people[0].name
    return war.forces[who].faction if who in war.forces else war.match_faction(who)


def _resolve_task(rules: Rules, war: War, task: orders.Task) -> War:
    part = task.parts[0]
    who = part.roles[actions.ORDERS[task.family].role][0].name
    to, besides = part.inputs.get("to") or None, part.inputs.get("with") or None
    text = OrderText(task.family, who, to, besides, part.inputs.get(actions.GIVER))
    return actions.resolve(rules, war, actions.read_order(rules, war, text))


def _describe_left(begins: War, war: War, name: str, item: orders.OrdersForecast) -> str:
    side, left = begins.factions[name], war.factions[name].gold
    paid, count = len(item.orders) - len(item.short), len(item.orders)
    if paid == 0:
        return f"{side.name} has {left} gold."
    which = "This order costs" if count == 1 else f"{possessive(side.name)} {count} orders this turn cost"
    if item.short:
        which = f"{paid} of {possessive(side.name)} {count} orders this turn will be carried out:"
    return f"{which} {side.gold - left} of {side.gold} gold ({left} left)."


_FLEETS, _SQUADRONS, _SUPERWEAPONS = "fleets", "squadrons", "superweapons"
_MOVING: Mapping[str, str] = {"fleet": _FLEETS, "squadron": _SQUADRONS}
"""Phases by kind of force; others move with superweapons."""


class _TurnState(NamedTuple):
    rules: Rules
    war: War
    name: str
    update: int


def _pair_orders(
    phase: orders.Phase, every: Sequence[orders.Order], known: orders.UpdateKnowledge
) -> Iterator[orders.Outcome]:
    state: _TurnState | None = None if known.scene is None else known.scene.now
    mine = [order for order in every if order.kind in phase.takes]
    if state is None or phase.id not in _GATHERERS:
        yield from map(_make_task, _in_turn(phase, mine, known))
    else:
        moving = [order for order in mine if order.kind == MOVE and _moves_in(order, state) == phase.id]
        others = [order for order in mine if order.kind != MOVE]
        taken = [*_in_turn(phase, others, known), *_in_turn(phase, moving, known)]
        yield from _GATHERERS[phase.id](phase, taken, state)


def _in_turn(phase: orders.Phase, every: Sequence[orders.Order], known: orders.UpdateKnowledge) -> list[orders.Order]:
    return [order for order in orders.in_order(phase.rank, every, known) if order.open]


def _moves_in(order: orders.Order, state: _TurnState) -> str:
    force = _force_of(order, state)
    return _MOVING.get(force.kind if force else "", _SUPERWEAPONS)


def _force_of(order: orders.Order, state: _TurnState) -> Force | None:
    name = find_name(state.war.forces, order.who.name)
    return None if name is None else state.war.forces[name]


def _make_task(order: orders.Order) -> orders.Task:
    words = {"to": order.to.name if order.to else "", "with": " ".join(who.name for who in order.beside)}
    picked = actions.ORDERS[order.kind].hinted
    return _task(order.kind, order, {name: strip_hint(said) if picked else said for name, said in words.items()})


def _task(family: str, order: orders.Order, words: Mapping[str, str]) -> orders.Task:
    giver = {} if order.by is None else {actions.GIVER: order.by}
    part = orders.TaskPart({actions.ORDERS[family].role: (order.who,)}, (order.entry,), {**words, **giver})
    return orders.Task(family, (part,))


def _move_forces(phase: orders.Phase, every: Sequence[orders.Order], state: _TurnState) -> Iterator[orders.Outcome]:
    if phase.id == _FLEETS:
        yield from (_make_task(order) for order in every if order.kind == FOLLOW)
    yield from (_make_task(order) for order in every if order.kind == MOVE)
    if phase.id == _SQUADRONS:
        yield from (item for order in every if order.kind == FOLLOW for item in _finish_ride(order, state))


def _finish_ride(order: orders.Order, state: _TurnState) -> Iterator[orders.Outcome]:
    force, fleet = _force_of(order, state), order.to.name if order.to else "its fleet"
    if force is not None and not force.tagged and force.follows is None:
        return  # the pledge itself comes later
    if force is None or not force.tagged:
        yield orders.Cancellation(order.entry, f"{fleet} didn't take {order.who.name} along")
    elif order.beside and force.forced:
        why = f"{order.who.name} landed on an enemy and has to fight there, so it can't move on"
        yield orders.Cancellation(order.entry, why)
    elif order.beside:
        yield _task(MOVE, order, {"to": order.beside[0].name, "with": ""})


def _end_turn(_phase: orders.Phase, _every: Sequence[orders.Order], state: _TurnState) -> Iterator[orders.Outcome]:
    war = state.war
    if war.winner is None and not war.battles and war.update != state.update:
        roles = {actions.WAR_ROLE: (orders.Who(state.name),)}
        yield orders.Task(ADVANCE, (orders.TaskPart(roles, (), {"turn": war.turn, "update": state.update}),))


_GATHERERS = {_FLEETS: _move_forces, _SQUADRONS: _move_forces, _SUPERWEAPONS: _move_forces, ADVANCE: _end_turn}


def read_sides(book: Book, values: orders.Values, update: int) -> orders.SceneKnowledge:
    """Return everyone's faction by folded name, and the faction that begins this turn (AMB-81)."""
    rules, war = read(book, values)
    sides = {name_key(word): name for name, item in war.factions.items() for word in item.once}
    sides |= {name_key(name): item.faction or name for name, item in war.players.items()}
    sides |= {name_key(item.name): name for name, item in war.factions.items()}
    sides |= {name_key(name): item.faction for name, item in war.forces.items()}  # a force's name comes first
    factions = sorted(war.factions)
    begins = factions[(war.turn - 1) % len(factions)] if factions else ""
    return orders.SceneKnowledge(sides, begins, _TurnState(rules, war, values[WAR]["name"], update))


def list_commanders(book: Book, values: orders.Values, mine: str | None) -> Iterator[orders.OrderTaker]:
    """Yield who carries out orders, and who gives them, as a player (pseudonym) sees the war."""
    owners = {name: item.owner for name, item in read(book, values)[1].players.items() if item.owner}
    rules, war = _read_as_seen(book, values, mine)
    labels = {name: item.name for name, item in war.factions.items()}
    every = [*actions.list_givers(war)]
    able = actions.list_orders(rules, war) or [actions.CommandTarget(name) for name, _ in every]  # once a war is won
    for place, ((name, some), item) in enumerate(zip(every, able, strict=True)):
        givers = {kind: _find_owners(owners, by) for kind, by in item.orders.items()}
        expected = givers.get(MOVE, givers.get(ANSWER, frozenset())) if item.expected else frozenset()
        is_force = place < len(war.forces)  # a force may share its name with a character
        called = name if is_force else labels.get(name, name)
        sign = name if called != name else ""
        yield orders.OrderTaker(called, givers, _find_owners(owners, some), expected, apart=is_force, sign=sign)


def _find_owners(owners: Mapping[str, str], players: Iterable[str]) -> frozenset[str]:
    return frozenset(owners[name] for name in players if name in owners)


def list_offers(book: Book, values: orders.Values, mine: str | None, typed: orders.BegunOrder) -> Sequence[str]:
    """Return choices for an order's target, or for its detail."""
    rules, war = _read_as_seen(book, values, mine)
    who = war.match_faction(typed.who) if actions.ORDERS[typed.kind].role == "faction" else typed.who
    if typed.to is None:
        return actions.list_targets(rules, war, typed.kind, who)
    return actions.list_details(rules, war, typed.kind, who, typed.to)


def _find_phase(book: Book, values: orders.Values, order: orders.Order) -> str | None:
    rules, war = read(book, values)
    state = _TurnState(rules, war, "", 0)
    if order.kind == MOVE and _force_of(order, state) is not None:
        return _moves_in(order, state)
    return _FLEETS if order.kind == FOLLOW else None


def _is_sealed(book: Book, values: orders.Values) -> bool:
    return find_start(book, values).rules.scenario.orders == "sealed"


def _find_callsign(book: Book, values: orders.Values, mine: str) -> str | None:
    _, war = read(book, values)
    return next((name for name, item in war.players.items() if item.owner == mine), None)


PAIRING = orders.Pairing(
    _pair_orders,
    scene=orders.SceneOrders(
        WAR,
        read_sides,
        _is_sealed,
        _find_callsign,
        list_commanders,
        list_offers,
        forecast_orders,
        _find_phase,
        describe_wait,
        frozenset({FOLLOW}),
    ),
    kinds=actions.ORDERS,
)


__all__ = ["CATALOG", "PAIRING", "PROCEDURES"]

PROCEDURES = (*actions.PROCEDURES, *board_rolls.PROCEDURES)
