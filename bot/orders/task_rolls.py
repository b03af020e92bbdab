"""Rolls that carry out tasks of orders one at a time: by a roll card, with a game master's answer, or by a player's own roll; and the digest once all is done.

A card changes what counts in its parts, never who is in them, so what it settles is what the task takes. While a card is
open nothing waits for it. When the same task is not to be done any more by then (an order of it is resolved, changed,
cancelled or paused, or another one was added) the card is refused, and nothing is rolled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from typing import Any

from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update
from bot.core.encoding import Json
from bot.core.permissions import Person, find_now
from bot.core.visibility import Viewer, make_viewer
from bot.core.voiding import list_changes
from bot.errors import NotAsItIs, NotOpen
from bot.orders import digest, kinds, resolution, snapshot
from bot.orders.digest import Illustrate
from bot.orders.entries import Work, require_reason
from bot.orders.forecast import MissingChoice, add_choices, carry_orders, find_missing_choices, mark_ready, task_digits
from bot.orders.ids import PLAN, TaskKey, open_update
from bot.orders.kinds import KnownKind
from bot.orders.resolution import (
    RESOLVING,
    PhaseToDo,
    ResolutionStep,
    forecast_tasks,
    free_tasks,
    list_tasks,
    phases,
    request_for,
    roll_task,
    to_do,
)
from bot.orders.standing import all_orders
from bot.outbox.store import Post
from bot.rolls.card.service import open_card
from bot.rolls.card.store import CardView
from bot.rolls.extension import Afterwards, ConsideredRoll, ExtraChanges, ResolvedRoll, StateKey
from bot.rolls.request import CarriedOrder, OrderedTask
from bot.rolls.resolver import Resolver, Rolled
from bot.ui.reply import AnyInteraction, person
from bot.ui.text import listing
from rules.effects import ORDERED
from rules.ends import Moment
from rules.orders import Phase, Task, is_unresolved
from rules.ruleset import RuleSet


def record_orders(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Keep with each order that a roll carries out to which entry it has come; with one that has more to come, which parts it has had."""
    own = [
        item for item in kinds.list_kinds([roll.book]) if item.kind.family == roll.request.family and not item.kind.to
    ]
    changes = {key: value for known in own for key, value in _own_orders(tx, roll, known)}
    if roll.request.amends is not None:
        changes |= dict(_amended_orders(tx, roll, roll.request.amends.number))
    task = roll.request.task
    if task is None:
        return ExtraChanges(changes)
    changes |= dict(_task_orders(tx, roll, task))
    phase = roll.book.listed(Phase)[task.phase]
    return ExtraChanges(changes, {"orders": [order.entry for order in task.orders], "phase": phase.label})


def _task_orders(
    tx: Connection, roll: ResolvedRoll, task: OrderedTask
) -> Iterator[tuple[StateKey, Mapping[str, object]]]:
    """Yield the orders of a task, as they are once it is rolled."""
    subjects, names = {order.subject for order in task.orders}, {order.name for order in task.orders}
    kept = state.get_values_named(tx, roll.campaign.id, subjects, names)
    for order in task.orders:
        key = (order.subject, order.name)
        yield key, _note_entry(kept[key], order, task.phase, roll.moment.entry)


def _note_entry(value: Mapping[str, Json], order: CarriedOrder, phase: str, entry: int) -> Mapping[str, Json]:
    """Return what is kept of an order that has come to an entry in a phase, or of which parts have."""
    if not order.later:
        return {**value, "done": {**value["done"], phase: entry}, "rolled": []}
    partly = value.get("partly", {})
    had = {**partly, phase: [*partly.get(phase, ()), entry]}
    return {**value, "rolled": [*value["rolled"], *order.parts], "partly": had}


def _own_orders(
    tx: Connection, roll: ResolvedRoll, known: KnownKind
) -> Iterator[tuple[StateKey, Mapping[str, object]]]:
    """Yield the orders without a target, of a kind and of those who do it in a roll, as they are then."""
    name = ORDERED + known.kind.id
    doing = {item.key for part in roll.cast for item in part.get(known.kind.by, ()) if item is not None}
    for key, value in state.get_values_named(tx, roll.campaign.id, doing, {name}).items():
        if value["book"] == roll.book.id and is_unresolved(value):
            yield key, {**value, "done": {known.phase.id: roll.moment.entry}}


def _amended_orders(tx: Connection, roll: ResolvedRoll, number: int) -> Iterator[tuple[StateKey, Mapping[str, object]]]:
    """Yield the orders that have come to an entry that is amended (number), of those who are in the roll still, as they are then."""
    there = {item.key for part in roll.cast for some in part.values() for item in some if item is not None}
    entry = entries.get_entry(tx, roll.campaign.id, number)
    for item in list_changes(entry) if entry is not None else ():
        if item.name.startswith(ORDERED) and item.subject in there and item.after is not None:
            yield (item.subject, item.name), _replace_entry(item.after, number, roll.moment.entry)


def _replace_entry(value: Mapping[str, Json], before: int, after: int) -> dict[str, Json]:
    done = {phase: after if entry == before else entry for phase, entry in value["done"].items()}
    partly = value.get("partly", {}).items()
    parts = {phase: [after if entry == before else entry for entry in made] for phase, made in partly}
    return {**value, "done": done, **({"partly": parts} if parts else {})}


GONE = ("That task is done or cancelled, or another one comes first.", "See the plan with /update resolve.")


def open_task_card(tx: Connection, resolver: Resolver, person: Person, key: TaskKey) -> CardView:
    """Open the card of a task of the update that was seen."""
    work = Work(tx, resolver, person, open_update(tx, person, key, RESOLVING))
    found = next((each for each in _ready_tasks(phases(work)) if task_digits(each[1]) == key.digits), None)
    if found is None:
        raise NotOpen(*GONE)
    request, _ = request_for(work, *found)
    viewer = make_viewer(tx, person, work.campaign)
    return open_card(tx, resolver, person, work.campaign, request, book=found[0].book, viewer=viewer)


def require_unchanged(tx: Connection, _resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse the roll of a task that is not to be done any more as it is asked for."""
    if roll.request.task is None:
        return
    stands = snapshot.read_snapshot(tx, viewer.campaign, [roll.book])
    todo = list(to_do(roll.book, stands, find_now(tx, viewer.person, viewer.campaign)))
    if roll.request.task not in (carry_orders(item.phase, task, item.orders) for item, task in _ready_tasks(todo)):
        what = "The orders on this card have changed since you opened it."
        raise NotAsItIs(what, "Nothing was rolled. Open the task again from /update resolve.")


def _ready_tasks(todo: Iterable[PhaseToDo]) -> Iterator[tuple[PhaseToDo, Task]]:
    found = list(list_tasks(todo))
    yield from compress(found, mark_ready((task, item.scene is not None) for item, task in found))


def list_unresolved_before(
    tx: Connection, campaign: Campaign, book: RuleSet, now: Moment, task: OrderedTask
) -> Iterator[str]:
    """Yield which phases before that of a task have tasks left."""
    todo = to_do(book, snapshot.read_snapshot(tx, campaign, [book]), now)
    labels = []
    for item in todo:
        if item.phase.id == task.phase:
            break
        labels += [item.phase.label] if any(list_tasks([item])) else []
    if labels:
        yield f"Not resolved yet: {listing(labels)}. Resolve that first if its results should count here."


class TaskAnswer(Struct, frozen=True):
    """The reason for a task, as typed, and the choices that were missing."""

    reason: str = ""
    choices: Sequence[str] = ()


def roll_answered(
    tx: Connection, resolver: Resolver, person: Person, key: TaskKey, answer: TaskAnswer
) -> ResolutionStep:
    """Roll a task that waits for an answer, once nothing of an earlier phase is left that needs none."""
    work = Work(tx, resolver, person, open_update(tx, person, key, RESOLVING))
    item, task = _find_waiting(work, key.digits)
    task = add_choices(item.book.procedure(task.family), task, answer.choices)
    reason = require_reason(answer.reason) if answer.reason or not answer.choices else None
    return roll_task(work, item, task, reason)


def find_needs(
    tx: Connection, resolver: Resolver, person: Person, key: TaskKey
) -> tuple[Sequence[MissingChoice], bool]:
    """Return the choices that a task lacks, and whether it needs a reason."""
    work = Work(tx, resolver, person, open_update(tx, person, key, RESOLVING, lock=False))
    item, task = _find_waiting(work, key.digits)
    preview = request_for(work, item, task)[1]
    return find_missing_choices(preview.procedure, task), preview.asks_reason is not None


def _find_waiting(work: Work, digits: str) -> tuple[PhaseToDo, Task]:
    for item in phases(work):
        tasks = [task for task in item.outcomes if isinstance(task, Task)]
        todo = next((task for task in tasks if task_digits(task) == digits), None)
        if todo is not None and todo in free_tasks(item.phase, tasks, {task.key for task in tasks} - {todo.key}):
            return item, todo
        if any(not (seen.preview and seen.waits_for) for seen in forecast_tasks(work, [item])):
            break
    raise NotOpen(*GONE)


def next_steps(tx: Connection, reader: Person, campaign: Campaign) -> list[ui.Button[ui.LayoutView]]:
    """Return what a game master does next after an answer: resolve the orders, where some are left that are not held."""
    if not reader.leads(campaign) or all(item.held or not item.unresolved for item in all_orders(tx, campaign)):
        return []
    number = current_update(tx, campaign.id)["number"]
    return [ui.Button(label="Resolve orders", custom_id=PLAN.fill(campaign=campaign.id, number=number))]


def illustrations(bot: Any) -> list[Illustrate]:  # noqa: ANN401 - `bot.client.Adjutant`, which stands above this module
    """Return the ways in which features illustrate a digest."""
    pictures = (picture for item in bot.features for picture in item.pictures)
    return [picture.newest for picture in pictures if picture.newest is not None]


async def post_digest_if_done(interaction: AnyInteraction, campaign: Campaign) -> None:
    """Tell the digest where the answer was all that it waited for; nobody waits for that."""
    bot = interaction.client
    bot.outbox.hand(bot, await enter_digest_if_done(interaction, campaign))


async def after_roll(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Tell the digest where a roll was the last task of orders; else offer to resolve what is left."""
    if "orders" not in rolled.entry.content():
        return Afterwards()
    posts = await enter_digest_if_done(interaction, rolled.campaign)
    if posts:
        return Afterwards(tuple(posts), ("All orders are resolved. The digest is posted.",))
    steps = await interaction.client.database.read(next_steps, person(interaction), rolled.campaign)
    return Afterwards(steps=tuple(steps))


async def enter_digest_if_done(interaction: AnyInteraction, campaign: Campaign) -> Sequence[Post]:
    """Enter the digest once nothing is left to resolve or to answer; return its posts, which are the caller's to send."""
    bot, who = interaction.client, person(interaction)
    if await bot.database.read(resolution.is_done, bot.resolver, who, campaign):
        with suppress(NotOpen):  # all of it was told before, or nothing was rolled
            told = await bot.database.write(digest.post_digest, bot.resolver, who, campaign.id, illustrations(bot))
            return tuple(told.posts)
    return ()
