"""How the orders of a turn pair, phase by phase (AMB-81), who gives which in a war, and what they leave of a faction's gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import actions, storage
from rules.books.total_war.actions import ORDERS, Commanded, list_givers, list_orders, read_order, resolve
from rules.books.total_war.economy import NoFunds
from rules.books.total_war.land import list_panels
from rules.books.total_war.order_kinds import (
    ADVANCE,
    ALLOT,
    ANSWER,
    BUILD,
    BUY,
    FOLLOW,
    GARRISON,
    MOVE,
    RESEARCH,
    strip_hint,
)
from rules.books.total_war.order_text import OrderText, find_name
from rules.books.total_war.sight import seen_by
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Force, Rules, War, faction_named, faction_of
from rules.books.total_war.war_rolls import GIVER, WAR_ROLE
from rules.orders import (
    BegunOrder,
    Doer,
    KnownOfScene,
    KnownOfUpdate,
    Lapse,
    Order,
    OrdersForecast,
    Outcome,
    Pairing,
    Phase,
    SceneOrders,
    Task,
    TaskPart,
    Values,
    Who,
    in_order,
)
from rules.phrases import possessive
from rules.subjects import name_key


def read_as_seen(book: Book, values: Values, mine: str | None) -> tuple[Rules, War]:
    """Return a war as a player (pseudonym) sees it; all of it without one."""
    rules, war = storage.read(book, values)
    return rules, war if mine is None else seen_by(rules, war, faction_of(war, mine))


def forecast_orders(book: Book, values: Values, mine: str | None, tasks: Iterable[Task]) -> Sequence[OrdersForecast]:
    """Return what the orders of each faction leave of its gold, as far as a player (pseudonym) sees the war, and which of them would be refused by then."""
    rules, begins = read_as_seen(book, values, mine)
    war, found, rides = begins, dict[str, OrdersForecast](), list[Task]()
    for task in tasks:
        if not task.orders:
            continue
        faction = _find_side(begins, task)
        before = found.get(faction, OrdersForecast(frozenset(), ""))
        short = before.short
        try:
            war = _resolve_task(rules, war, task)
        except NoFunds as lacks:
            why = f"costs {lacks.price} gold, but only {lacks.bank} will be left"
            short = (*short, *(Lapse(entry, why) for entry in task.orders))
        except Refused as refused:
            why = f"won't be possible: {str(refused).removesuffix('.')}"
            short = (*short, *(Lapse(entry, why) for entry in task.orders))
        found[faction] = replace(before, orders=before.orders | {*task.orders}, short=short)
        rides += [task] if task.family == FOLLOW else []
    for task in rides:
        faction = _find_side(begins, task)
        short = (*found[faction].short, *_left_behind(war, task, found[faction].short))
        found[faction] = replace(found[faction], short=short)
    lasting = begins.factions.keys() & war.factions.keys()  # some end by these orders
    return [
        replace(item, left=_describe_left(begins, war, name, item) if name in lasting else "")
        for name, item in found.items()
    ]


def describe_wait(book: Book, values: Values, update: int, tasks: Iterable[Task]) -> str:
    """Return in a sentence which battles a turn waits for once these orders are carried out; an empty text where there are none.

    Where one has ended in this update already, the next one waits for the next update too.
    """
    rules, war = storage.read(book, values)
    for task in tasks:
        if task.orders:
            with suppress(Refused):
                war = _resolve_task(rules, war, task)
    if not war.battles:
        return ""
    which = f"battle{'s' if len(war.battles) > 1 else ''} on {list_panels(war.battles)}"
    waits = f"it waits for the {which}" if war.update != update else f"it waits for the next update and the {which}"
    return f"Turn {war.turn} of {values[storage.WAR]['name']} can't end yet: {waits}."


def _left_behind(war: War, task: Task, short: Iterable[Lapse]) -> Iterator[Lapse]:
    """Yield the order of a squadron that has pledged to ride along, where its fleet has not taken it along."""
    squadron = war.forces.get(task.people[0].name)
    if squadron is not None and not squadron.tagged and task.orders[0] not in {item.order for item in short}:
        why = f"has no effect: {squadron.follows} has no order to move"
        yield from (Lapse(entry, why) for entry in task.orders)


def _find_side(war: War, task: Task) -> str:
    """Return the faction that carries out an order, or the name of whoever is of none."""
    who = task.people[0].name
    return war.forces[who].faction if who in war.forces else faction_named(war, who)


def _resolve_task(rules: Rules, war: War, task: Task) -> War:
    """Return the war after an order, as it is given now."""
    part = task.parts[0]
    who = part.roles[ORDERS[task.family].role][0].name
    to, besides = part.inputs.get("to") or None, part.inputs.get("with") or None
    text = OrderText(task.family, who, to, besides, part.inputs.get(GIVER))
    return resolve(rules, war, read_order(rules, war, text))


def _describe_left(begins: War, war: War, name: str, item: OrdersForecast) -> str:
    """Return what is left of a faction's gold, in words."""
    side, left = begins.factions[name], war.factions[name].gold
    paid, count = len(item.orders) - len(item.short), len(item.orders)
    if paid == 0:
        return f"{side.name} has {left} gold."
    which = "This order costs" if count == 1 else f"{possessive(side.name)} {count} orders this turn cost"
    if item.short:
        which = f"{paid} of {possessive(side.name)} {count} orders this turn will be carried out:"
    return f"{which} {side.gold - left} of {side.gold} gold ({left} left)."


_FLEETS, _SQUADRONS, _SUPERWEAPONS = "fleets", "squadrons", "superweapons"
_WITH_HINTS = frozenset({BUILD, BUY, GARRISON, RESEARCH, ALLOT})
"""Which orders are picked with a price or a number in brackets, which may be another one by the time they are carried out."""
_MOVING: Mapping[str, str] = {"fleet": _FLEETS, "squadron": _SQUADRONS}
"""In which phase which forces move, by their kinds; all others do in that of superweapons."""


class TurnState(NamedTuple):
    """A war as the phases of an update (its number) find it."""

    rules: Rules
    war: War
    name: str
    update: int


def pair_orders(phase: Phase, orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Outcome]:
    """Yield what a phase of a turn comes to; without a scene, what each order is by itself."""
    state: TurnState | None = None if known.scene is None else known.scene.now
    mine = [order for order in orders if order.kind in phase.takes]
    if state is None or phase.id not in _GATHERERS:
        yield from map(_make_task, _in_turn(phase, mine, known))
    else:
        moving = [order for order in mine if order.kind == MOVE and _moves_in(order, state) == phase.id]
        others = [order for order in mine if order.kind != MOVE]
        taken = [*_in_turn(phase, others, known), *_in_turn(phase, moving, known)]
        yield from _GATHERERS[phase.id](phase, taken, state)


def _in_turn(phase: Phase, orders: Sequence[Order], known: KnownOfUpdate) -> list[Order]:
    """Return the orders that a phase has not taken yet, the factions in turns among all of these alone."""
    return [order for order in in_order(phase.rank, orders, known) if order.open]


def _moves_in(order: Order, state: TurnState) -> str:
    """Return the phase (its id) in which a force moves."""
    force = _force_of(order, state)
    return _MOVING.get(force.kind if force else "", _SUPERWEAPONS)


def _force_of(order: Order, state: TurnState) -> Force | None:
    """Return the force that carries out an order; None where there is none any more."""
    name = find_name(state.war.forces, order.who.name)
    return None if name is None else state.war.forces[name]


def _make_task(order: Order) -> Task:
    """Return what an order comes to by itself."""
    words = {"to": order.to.name if order.to else "", "with": " ".join(who.name for who in order.beside)}
    picked = order.kind in _WITH_HINTS
    return _task(order.kind, order, {name: strip_hint(said) if picked else said for name, said in words.items()})


def _task(family: str, order: Order, words: Mapping[str, str]) -> Task:
    """Return an order as a roll of a family with words; it stays its giver's, who may be in no position for it any more by then."""
    given = {} if order.by is None else {GIVER: order.by}
    return Task(family, (TaskPart({ORDERS[family].role: (order.who,)}, (order.entry,), {**words, **given}),))


def _move_forces(phase: Phase, orders: Sequence[Order], state: TurnState) -> Iterator[Outcome]:
    """Yield the moves of the phase's own kind of force: before those of fleets, who rides along; after those of squadrons, the panels after that."""
    if phase.id == _FLEETS:
        yield from (_make_task(order) for order in orders if order.kind == FOLLOW)
    yield from (_make_task(order) for order in orders if order.kind == MOVE)
    if phase.id == _SQUADRONS:
        yield from (item for order in orders if order.kind == FOLLOW for item in _finish_ride(order, state))


def _finish_ride(order: Order, state: TurnState) -> Iterator[Outcome]:
    """Yield what is left of an order to ride along once the fleets have moved: one panel more, if it has that and wants it."""
    force, fleet = _force_of(order, state), order.to.name if order.to else "its fleet"
    if force is not None and not force.tagged and force.follows is None:
        return  # the pledge itself is still to come
    if force is None or not force.tagged:
        yield Lapse(order.entry, f"{fleet} didn't take {order.who.name} along")
    elif order.beside and force.forced:
        yield Lapse(order.entry, f"{order.who.name} landed on an enemy and has to fight there, so it can't move on")
    elif order.beside:
        yield _task(MOVE, order, {"to": order.beside[0].name, "with": ""})


def _end_turn(_phase: Phase, _orders: Sequence[Order], state: TurnState) -> Iterator[Outcome]:
    """Yield the end of the turn, once in an update, as soon as no battle is fought any more."""
    war = state.war
    if war.winner is None and not war.battles and war.update != state.update:
        roles = {WAR_ROLE: (Who(state.name),)}
        yield Task(ADVANCE, (TaskPart(roles, (), {"turn": war.turn, "update": state.update}),))


_GATHERERS = {
    _FLEETS: _move_forces,
    _SQUADRONS: _move_forces,
    _SUPERWEAPONS: _move_forces,
    ADVANCE: _end_turn,
}
"""How orders pair in phases that depend on the war, by their ids."""


def known_of_war(book: Book, values: Values, update: int) -> KnownOfScene:
    """Return which faction everybody is of, and which one begins: another one each turn (AMB-81)."""
    rules, war = storage.read(book, values)
    sides = {name_key(word): name for name, item in war.factions.items() for word in item.once}
    sides |= {name_key(name): item.faction or name for name, item in war.players.items()}
    sides |= {name_key(item.name): name for name, item in war.factions.items()}
    sides |= {name_key(name): item.faction for name, item in war.forces.items()}  # their turns count most
    factions = sorted(war.factions)
    begins = factions[(war.turn - 1) % len(factions)] if factions else ""
    return KnownOfScene(sides, begins, TurnState(rules, war, values[storage.WAR]["name"], update))


def list_commanders(book: Book, values: Values, mine: str | None) -> Iterator[Doer]:
    """Yield who carries out orders in a war as far as a player (pseudonym) sees it, and who gives them; of all without one."""
    owners = {name: item.owner for name, item in storage.read(book, values)[1].players.items() if item.owner}
    rules, war = read_as_seen(book, values, mine)
    labels = {name: item.name for name, item in war.factions.items()}
    every = [*list_givers(war)]
    able = list_orders(rules, war) or [Commanded(name) for name, _ in every]  # once a war is won
    for place, ((name, some), item) in enumerate(zip(every, able, strict=True)):
        given = {kind: _owned(owners, by) for kind, by in item.orders.items()}
        awaited = given.get(MOVE, given.get(ANSWER, frozenset())) if item.awaited else frozenset()
        is_force = place < len(war.forces)  # which may be called as somebody who is saved
        called = name if is_force else labels.get(name, name)
        sign = name if called != name else ""
        yield Doer(called, given, _owned(owners, some), awaited, apart=is_force, sign=sign)


def _owned(owners: Mapping[str, str], players: Iterable[str]) -> frozenset[str]:
    return frozenset(owners[name] for name in players if name in owners)


def list_offers(book: Book, values: Values, mine: str | None, typed: BegunOrder) -> Sequence[str]:
    """Return what an order may be about, or what may stand beside its target, as far as a player (pseudonym) sees it."""
    rules, war = read_as_seen(book, values, mine)
    who = faction_named(war, typed.who) if ORDERS[typed.kind].role == "faction" else typed.who
    if typed.to is None:
        return actions.list_targets(rules, war, typed.kind, who)
    return actions.list_details(rules, war, typed.kind, who, typed.to)


def find_phase(book: Book, values: Values, order: Order) -> str | None:
    """Return the phase (its id) in which an order is carried out: forces move by their kinds; None of a force that is no more."""
    rules, war = storage.read(book, values)
    state = TurnState(rules, war, "", 0)
    if order.kind == MOVE and _force_of(order, state) is not None:
        return _moves_in(order, state)
    return _FLEETS if order.kind == FOLLOW else None


def is_sealed(book: Book, values: Values) -> bool:
    """Return whether orders wait until the turn is resolved (AMB-05)."""
    return storage.find_start(book, values).rules.scenario.orders == "sealed"


def find_callsign(book: Book, values: Values, mine: str) -> str | None:
    """Return what a player (pseudonym) is called in a war; None of whoever is not in it."""
    _, war = storage.read(book, values)
    return next((name for name, item in war.players.items() if item.owner == mine), None)


PAIRING = Pairing(
    pair_orders,
    scene=SceneOrders(
        storage.WAR,
        known_of_war,
        is_sealed,
        find_callsign,
        list_commanders,
        list_offers,
        forecast_orders,
        find_phase,
        describe_wait,
        frozenset({FOLLOW}),
    ),
)
