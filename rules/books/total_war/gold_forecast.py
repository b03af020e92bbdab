"""What all that is ordered for a turn leaves of a faction's gold, and what of it lapses, in the order in which it is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.actions import resolve
from rules.books.total_war.economy import NoFunds
from rules.books.total_war.order_kinds import FOLLOW
from rules.books.total_war.order_rolls import GIVER
from rules.books.total_war.orders.registry import ORDERS, read_order
from rules.books.total_war.sight import seen_by
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, War, faction_named, faction_of
from rules.books.total_war.war_order import OrderText
from rules.books.total_war.words import places
from rules.orders import Lapse, OrdersForecast, Task, Values
from rules.phrases import possessive


def read_as_seen(book: Book, values: Values, mine: str | None) -> tuple[Rules, War]:
    """Return a war as a player (pseudonym) sees it; all of it without one."""
    rules, war = keeping.read(book, values)
    return rules, war if mine is None else seen_by(rules, war, faction_of(war, mine))


def forecast(book: Book, values: Values, mine: str | None, tasks: Iterable[Task]) -> Sequence[OrdersForecast]:
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
    rules, war = keeping.read(book, values)
    for task in tasks:
        if task.orders:
            with suppress(Refused):
                war = _resolve_task(rules, war, task)
    if not war.battles:
        return ""
    which = f"battle{'s' if len(war.battles) > 1 else ''} on {places(war.battles)}"
    waits = f"it waits for the {which}" if war.update != update else f"it waits for the next update and the {which}"
    return f"Turn {war.turn} of {values[keeping.WAR]['name']} can't end yet: {waits}."


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
