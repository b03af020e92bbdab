"""Tasks rolled one at a time: by card, with an answer, by a player, or at once.

A card never changes who is in it, so it settles what the task takes. If an order of the task was resolved, changed, cancelled, paused or added meanwhile, the card is refused.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from typing import Any

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, errors, records, state, visibility, voiding
from bot.core.permissions import Person, find_now
from bot.orders import digest, forecast, giving, kinds, resolution
from bot.orders.entries import require_reason, viewpoint_of
from bot.orders.standing import all_orders, visible_to
from bot.outbox.queue import Post
from bot.rolls.card import service, store
from bot.rolls.extension import ConsideredRoll, ExtraChanges, FollowUp, ResolvedRoll, StateKey
from bot.rolls.request import OrderedTask
from bot.rolls.resolver import Resolver, RollResult
from bot.ui.reply import AnyInteraction, person
from bot.ui.text import join_words
from rules import effects, orders, ruleset

Changed = Iterator[tuple[StateKey, Mapping[str, object]]]
"""Orders of the state as they are after a roll."""


def record_orders(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return changes that note the roll's entry in the orders that it carries out, wholly or in part."""
    mine = {
        kind.id
        for kind in roll.book.entries_of(orders.OrderKind).values()
        if kind.family == roll.request.family and not kind.to
    }
    own = [item for item in kinds.list_kinds([roll.book]) if item.kind.id in mine] if mine else ()
    changes = {key: value for known in own for key, value in _own_orders(tx, roll, known)}
    if roll.request.amends is not None:
        changes |= dict(_follow_amendment(tx, roll, roll.request.amends.number))
    task = roll.request.task
    if task is None:
        return ExtraChanges(changes)
    changes |= dict(_task_orders(tx, roll, task))
    phase = roll.book.entries_of(orders.Phase)[task.phase]
    return ExtraChanges(changes, {"orders": [order.entry for order in task.orders], "phase": phase.label})


def _task_orders(tx: Connection, roll: ResolvedRoll, task: OrderedTask) -> Changed:
    subjects, names = {order.subject for order in task.orders}, {order.name for order in task.orders}
    kept = state.get_values_named(tx, roll.campaign.id, subjects, names)
    phase, entry = task.phase, roll.moment.entry
    for order in task.orders:
        value = kept[order.subject, order.name]
        if order.later:
            partly = value.get("partly", {})
            had = {**partly, phase: [*partly.get(phase, ()), entry]}
            after = {**value, "rolled": [*value["rolled"], *order.parts], "partly": had}
        else:
            after = {**value, "done": {**value["done"], phase: entry}, "rolled": []}
        yield (order.subject, order.name), after


def _own_orders(tx: Connection, roll: ResolvedRoll, known: kinds.PlayedKind) -> Changed:
    name = effects.ORDERED + known.kind.id
    doing = {item.key for part in roll.cast for item in part.get(known.kind.by, ()) if item is not None}
    for key, value in state.get_values_named(tx, roll.campaign.id, doing, {name}).items():
        if value["book"] == roll.book.id and orders.is_unresolved(value):
            yield key, {**value, "done": {known.phase.id: roll.moment.entry}}


def _follow_amendment(tx: Connection, roll: ResolvedRoll, number: int) -> Changed:
    there = {item.key for part in roll.cast for some in part.values() for item in some if item is not None}
    entry = entries.get_entry(tx, roll.campaign.id, number)
    for item in voiding.list_changes(entry) if entry is not None else ():
        if item.name.startswith(effects.ORDERED) and item.subject in there and item.after is not None:
            yield (item.subject, item.name), _replace_entry(item.after, number, roll.moment.entry)


def _replace_entry(value: Mapping[str, records.Json], before: int, after: int) -> dict[str, records.Json]:
    done = {phase: after if entry == before else entry for phase, entry in value["done"].items()}
    partly = value.get("partly", {}).items()
    parts = {phase: [after if entry == before else entry for entry in made] for phase, made in partly}
    return {**value, "done": done, **({"partly": parts} if parts else {})}


def give_order(  # noqa: PLR0913, PLR0917 - who asks for what, and what features show with it
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    asked: giving.AskedOrder,
    additions: Mapping[str | None, giving.Add],
) -> tuple[giving.GivenOrder, resolution.ResolutionStep | None]:
    """Enter an order. An open scene carries it out, a sealed one forecasts it; without one it waits.

    A carried-out order's additions are read before.
    """
    given = giving.enter_order(tx, resolver, person, campaign_id, asked)
    scene = kinds.scene_of(tx, campaign_id, given.known.book)
    if scene is None:
        return given, None
    if scene.is_sealed:
        return _with_forecast(tx, visibility.make_viewer(tx, person, given.campaign), given, scene), None
    given = giving.with_addition(tx, resolver.library, person, given, additions)
    stands = forecast.read_snapshot(tx, given.campaign, [scene.book])
    tasks = resolution.list_tasks(resolution.to_do(scene.book, stands, find_now(tx, person, given.campaign)))
    found = next((each for each in tasks if given.order.entry in each[1].orders), None)
    return given, resolution.roll_task(
        resolution.ResolvingWork(tx, resolver, person, given.campaign), *found
    ) if found else None


def _with_forecast(
    tx: Connection, viewer: visibility.Viewer, given: giving.GivenOrder, scene: kinds.PlayedScene
) -> giving.GivenOrder:
    hangs = given.order.kind in scene.orders.hanging
    if not (given.known.kind.spends or hangs):
        return given
    stands = forecast.read_snapshot(tx, given.campaign, [scene.book])
    mine = visible_to(viewer, stands.orders)
    todo = resolution.to_do(scene.book, replace(stands, orders=mine), find_now(tx, viewer.person, given.campaign))
    found = [outcome for item in todo for outcome in item.outcomes]
    entry = given.order.entry
    sides = [
        side
        for side in forecast.forecast_sides(scene, found, viewpoint_of(viewer), every=hangs)
        if entry in side.orders
    ]
    if hangs:
        short = tuple(item for side in sides for item in side.short if item.order == entry)
        sides = [orders.OrdersForecast(frozenset({entry}), "", short)]
    ahead = [line for side in sides for line in forecast.describe_forecast(scene, side, mine)]
    return replace(given, ahead=ahead, lapses=any(entry == short.order for side in sides for short in side.short))


GONE = ("That task is done or cancelled, or another one comes first.", "See the plan with /gm resolve.")


def open_task_card(tx: Connection, resolver: Resolver, person: Person, key: kinds.TaskKey) -> store.CardView:
    """Open a roll card for a task of the seen update, if it's next."""
    work = resolution.ResolvingWork(tx, resolver, person, kinds.open_update(tx, person, key, resolution.RESOLVING))
    ready = _ready_tasks(resolution.phases(work))
    found = next((each for each in ready if forecast.task_digits(each[1]) == key.digits), None)
    if found is None:
        raise errors.NotOpen(*GONE)
    request, _ = resolution.request_for(work, *found)
    viewer = visibility.make_viewer(tx, person, work.campaign)
    return service.open_card(tx, resolver, person, work.campaign, request, book=found[0].book, viewer=viewer)


def require_unchanged(tx: Connection, _resolver: Resolver, viewer: visibility.Viewer, roll: ConsideredRoll) -> None:
    """Refuse a card whose task has changed."""
    stands = forecast.read_snapshot(tx, viewer.campaign, [roll.book])
    todo = list(resolution.to_do(roll.book, stands, find_now(tx, viewer.person, viewer.campaign)))
    ready = (forecast.carry_orders(item.phase, task, item.orders) for item, task in _ready_tasks(todo))
    if all(task != roll.request.task for task in ready):
        what = "The orders on this card have changed since you opened it."
        raise errors.NotAsItIs(what, "Nothing was rolled. Open the task again from /gm resolve.")


def _ready_tasks(todo: Iterable[resolution.PhaseToDo]) -> Iterator[tuple[resolution.PhaseToDo, orders.Task]]:
    found = list(resolution.list_tasks(todo))
    yield from compress(found, forecast.mark_ready((task, item.scene is not None) for item, task in found))


def list_unresolved_before(
    tx: Connection, campaign: campaigns.Campaign, book: ruleset.RuleSet, now: effects.Moment, task: OrderedTask
) -> Iterator[str]:
    """Yield a warning if phases before the task's have tasks left."""
    todo = resolution.to_do(book, forecast.read_snapshot(tx, campaign, [book]), now)
    labels = []
    for item in todo:
        if item.phase.id == task.phase:
            break
        labels += [item.phase.label] if any(resolution.list_tasks([item])) else []
    if labels:
        yield f"Not resolved yet: {join_words(labels)}. Resolve that first if its results should count here."


def roll_answered(  # noqa: PLR0913, PLR0917 - who answers what about which task
    tx: Connection, resolver: Resolver, person: Person, key: kinds.TaskKey, typed: str, choices: Sequence[str] = ()
) -> resolution.ResolutionStep:
    """Roll a task with a typed reason and choices, once earlier phases only wait for answers."""
    work = resolution.ResolvingWork(tx, resolver, person, kinds.open_update(tx, person, key, resolution.RESOLVING))
    item, task = _find_waiting(work, key.digits)
    task = forecast.add_choices(item.book.procedure(task.family), task, choices)
    reason = require_reason(typed) if typed or not choices else None
    return resolution.roll_task(work, item, task, reason)


def find_needs(
    tx: Connection, resolver: Resolver, person: Person, key: kinds.TaskKey
) -> tuple[Sequence[forecast.MissingChoice], bool]:
    """Return a waiting task's missing choices, and whether it needs a reason."""
    work = resolution.ResolvingWork(
        tx, resolver, person, kinds.open_update(tx, person, key, resolution.RESOLVING, lock=False)
    )
    item, task = _find_waiting(work, key.digits)
    preview = resolution.request_for(work, item, task)[1]
    return forecast.find_missing_choices(preview.procedure, task), preview.asks_reason is not None


def _find_waiting(work: resolution.ResolvingWork, digits: str) -> tuple[resolution.PhaseToDo, orders.Task]:
    for item in resolution.phases(work):
        tasks = [task for task in item.outcomes if isinstance(task, orders.Task)]
        todo = next((task for task in tasks if forecast.task_digits(task) == digits), None)
        if todo is not None and todo in resolution.free_tasks(
            item.phase, tasks, {task.key for task in tasks} - {todo.key}
        ):
            return item, todo
        if any(not (seen.preview and seen.waits_for) for seen in resolution.forecast_tasks(work, [item])):
            break
    raise errors.NotOpen(*GONE)


def next_steps(tx: Connection, reader: Person, campaign: campaigns.Campaign) -> list[ui.Button[ui.LayoutView]]:
    """Return a button to resolve what is left; empty if nothing is, or for players."""
    if not reader.leads(campaign) or all(item.held or not item.is_unresolved for item in all_orders(tx, campaign)):
        return []
    number = campaigns.current_update(tx, campaign.id)["number"]
    return [ui.Button(label="Resolve orders", custom_id=kinds.PLAN.fill(campaign=campaign.id, number=number))]


def illustrations(bot: Any) -> list[digest.Illustrate]:  # noqa: ANN401 - `bot.client.Adjutant`, which is above this module
    """Return the features' ways to illustrate a digest."""
    pictures = (picture for item in bot.features for picture in item.pictures)
    return [picture.newest for picture in pictures if picture.newest is not None]


async def post_digest_if_done(interaction: AnyInteraction, campaign: campaigns.Campaign) -> None:
    """Enter the digest if nothing is left, without waiting for its posts."""
    bot = interaction.client
    bot.outbox.hand(bot, await enter_digest_if_done(interaction, campaign))


async def after_roll(interaction: AnyInteraction, rolled: RollResult) -> FollowUp:
    """Post the digest after the last task; else offer to resolve the rest."""
    if "orders" not in rolled.entry.content():
        return FollowUp()
    posts = await enter_digest_if_done(interaction, rolled.campaign)
    if posts:
        return FollowUp(tuple(posts), ("All orders are resolved. The digest is posted.",))
    steps = await interaction.client.database.read(next_steps, person(interaction), rolled.campaign)
    return FollowUp(steps=tuple(steps))


async def enter_digest_if_done(
    interaction: AnyInteraction, campaign: campaigns.Campaign, last: forecast.OrdersSnapshot | None = None
) -> Sequence[Post]:
    """Enter the digest if nothing is left to resolve; return its posts for the caller to send."""
    bot, who = interaction.client, person(interaction)
    if await bot.database.read(resolution.is_done, bot.resolver, who, campaign, last):
        with suppress(errors.NotOpen):  # all of it is posted already, or nothing was rolled
            posted = await bot.database.write(digest.post_digest, bot.resolver, who, campaign.id, illustrations(bot))
            return tuple(posted.posts)
    return ()
