"""Rolls and orders: a roll that is a task of orders carries them out, whoever makes it; who rolls what they had ordered has carried it out too, and what a roll is amended to is what its orders have come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.voiding import changes_of
from bot.orders import kinds
from bot.orders.kinds import KnownKind
from bot.rolls.extension import ExtraChanges, ResolvedRoll, StateKey
from bot.rolls.request import CarriedOrder, OrderedTask
from rules.effects import ORDERED
from rules.orders import Phase, value_stands


def carried_out(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Keep with each order that a roll carries out to which entry it has come; with one that has more to come, which parts it has had."""
    own = [item for item in kinds.kinds([roll.book]) if item.kind.family == roll.request.family and not item.kind.to]
    changes = {key: value for known in own for key, value in _settled(tx, roll, known)}
    if roll.request.amends is not None:
        changes |= dict(_moved(tx, roll, roll.request.amends.number))
    task = roll.request.task
    if task is None:
        return ExtraChanges(changes)
    changes |= dict(_of_task(tx, roll, task))
    phase = roll.book.listed(Phase)[task.phase]
    return ExtraChanges(changes, {"orders": [order.entry for order in task.orders], "phase": phase.label})


def _of_task(tx: Connection, roll: ResolvedRoll, task: OrderedTask) -> Iterator[tuple[StateKey, Mapping[str, Any]]]:
    """Yield the orders of a task, as they are once it is rolled."""
    subjects, names = {order.subject for order in task.orders}, {order.name for order in task.orders}
    kept = state.named(tx, roll.campaign.id, subjects, names)
    for order in task.orders:
        key = (order.subject, order.name)
        yield key, _come(kept[key], order, task.phase, roll.moment.entry)


def _come(value: Mapping[str, Any], order: CarriedOrder, phase: str, entry: int) -> Mapping[str, Any]:
    """Return what is kept of an order that has come to an entry in a phase, or of which parts have."""
    if not order.later:
        return {**value, "done": {**value["done"], phase: entry}, "rolled": []}
    partly = value.get("partly", {})
    had = {**partly, phase: [*partly.get(phase, ()), entry]}
    return {**value, "rolled": [*value["rolled"], *order.parts], "partly": had}


def _settled(tx: Connection, roll: ResolvedRoll, known: KnownKind) -> Iterator[tuple[StateKey, Mapping[str, Any]]]:
    """Yield the orders without a target, of a kind and of those who do it in a roll, as they are then."""
    name = ORDERED + known.kind.id
    doing = {item.key for part in roll.cast for item in part.get(known.kind.by, ()) if item is not None}
    for key, value in state.named(tx, roll.campaign.id, doing, {name}).items():
        if value["book"] == roll.book.id and value_stands(value):
            yield key, {**value, "done": {known.phase.id: roll.moment.entry}}


def _moved(tx: Connection, roll: ResolvedRoll, number: int) -> Iterator[tuple[StateKey, Mapping[str, Any]]]:
    """Yield the orders that have come to an entry that is amended (number), of those who are in the roll still, as they are then."""
    there = {item.key for part in roll.cast for some in part.values() for item in some if item is not None}
    entry = entries.get(tx, roll.campaign.id, number)
    for item in changes_of(entry) if entry is not None else ():
        if item.name.startswith(ORDERED) and item.subject in there and item.after is not None:
            yield (item.subject, item.name), _instead(item.after, number, roll.moment.entry)


def _instead(value: Mapping[str, Any], before: int, after: int) -> dict[str, Any]:
    """Return what is kept of an order with one entry in place of another, in all that it has come to."""
    done = {phase: after if entry == before else entry for phase, entry in value["done"].items()}
    partly = value.get("partly", {}).items()
    parts = {phase: [after if entry == before else entry for entry in made] for phase, made in partly}
    return {**value, "done": done, **({"partly": parts} if parts else {})}
