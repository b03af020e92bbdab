"""Tasks that wait until a game master says something: asked for, answered, and rolled by that."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import on_server, open_campaign, require_update
from bot.core.permissions import Person, require_game_master
from bot.errors import NotOpen
from bot.orders.lacking import LackingChoice, lacking, with_choices
from bot.orders.lapsing import Work, reason_for
from bot.orders.resolution import RESOLVING, PhaseToDo, Step, all_foreseen, free_tasks, phases, request_for, roll_task
from bot.orders.tasks import digits
from bot.rolls.resolver import Resolver
from rules.orders import Task


class AskedTask(Struct, frozen=True):
    """A task (`digits`) of an update (number) for which somebody gives the reason, as typed, and picks what it `lacks`."""

    update: int
    task: str
    reason: str = ""
    choices: Sequence[str] = ()


def roll_with_reason(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, asked: AskedTask) -> Step:
    """Roll a task that waits for a reason, once nothing of an earlier phase is left that needs none."""
    work, item, task = in_want_of_reason(tx, resolver, person, campaign_id, asked, lock=True)
    task = with_choices(item.book.procedure(task.family), task, asked.choices)
    reason = reason_for(asked.reason) if asked.reason or not asked.choices else None
    return roll_task(work, item, task, reason)


def waiting_task(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, asked: AskedTask
) -> tuple[Sequence[LackingChoice], bool]:
    """Return the choices that a task lacks, and whether it needs a reason; raises as `in_want_of_reason`."""
    work, item, task = in_want_of_reason(tx, resolver, person, campaign_id, asked)
    preview = request_for(work, item, task)[1]
    return lacking(preview.procedure, task), preview.asks_reason is not None


def in_want_of_reason(  # noqa: PLR0913 - who asks about which task
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, asked: AskedTask, *, lock: bool = False
) -> tuple[Work, PhaseToDo, Task]:
    """Return the task for which somebody is to give the reason, once nothing of an earlier phase is left that needs none."""
    campaign = open_campaign(tx, on_server(tx, person.guild_id, campaign_id).id, lock=lock)
    require_game_master(person, campaign, RESOLVING)
    require_update(tx, campaign_id, asked.update)
    work = Work(tx, resolver, person, campaign)
    for item in phases(work):
        tasks = [task for task in item.outcomes if isinstance(task, Task)]
        todo = next((task for task in tasks if digits(task) == asked.task), None)
        if todo is not None and todo in free_tasks(item.phase, tasks, {task.key for task in tasks} - {todo.key}):
            return work, item, todo
        if any(not (seen.preview and seen.waits_for) for seen in all_foreseen(work, [item])):
            break
    raise NotOpen("That task is done or cancelled, or another one comes first.", "See the plan with /update resolve.")
