"""`/gm resolve`: the plan, one press for all rolls, and missing answers."""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import Any

import discord
from discord import ui
from msgspec import Struct, field
from msgspec.structs import replace

from bot.core import errors, permissions, records
from bot.core.campaigns import Campaign, current_update, require_on_server, require_update
from bot.orders import digest, entries, forecast, listing, resolution, task_rolls
from bot.orders.kinds import ARRANGE, DIGEST, EMPTY, PLAN, REASON, TASK, TaskKey, group_by_phase
from bot.outbox.queue import Post
from bot.rolls import entry_body
from bot.rolls.card import layout
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui import answering, reply
from bot.ui.parsing import MAX_CHOICES, MAX_TEXT
from bot.ui.receipt import picker, receipt
from bot.ui.text import COLOURS, Controls, fit_embeds, fit_lines, join_words, paginate, plain, shorten
from rules.orders import Task
from rules.phrases import percent

MAX_FIELDS = 5  # a Discord window has no more
_CHOICE, _REASON = "choice", "reason"


def _answer_form(key: str, lacking: Sequence[forecast.MissingChoice], *, reason: bool) -> ui.Modal:
    form = ui.Modal(title="Answer and roll", custom_id=key)
    if reason:
        form.add_item(reply.text_field(_REASON, "Reason", placeholder="The week was declared again", limit=MAX_TEXT))
        form.add_item(ui.TextDisplay("Say why you roll again. The ledger keeps your reason."))
    room = MAX_FIELDS - len(form.children)
    for place, item in enumerate(lacking[:room]):
        others = place == room - 1 and len(lacking) > room
        form.add_item(_choice(place, item, "All others" if others else item.about))
    return form


def _read_answers(submitted: Mapping[str, Any]) -> tuple[str, list[str]]:
    picked: list[str] = []
    while option := submitted.get(f"{_CHOICE}{len(picked)}"):
        picked.append(str(next(iter(option), "")))
    return str(submitted.get(_REASON) or ""), picked


def _choice(place: int, item: forecast.MissingChoice, about: str) -> ui.Label[ui.Modal]:
    options = [discord.SelectOption(label=option.capitalize(), value=option) for option in item.choice.options]
    select: ui.Select[ui.Modal] = ui.Select(
        custom_id=f"{_CHOICE}{place}", placeholder=item.choice.label, options=options
    )
    return ui.Label(text=shorten(about, 45), description=item.choice.label, component=select)


_DIGITS = re.compile("[0-9a-f]{16}")


@reply.component(TASK)
async def _open_task(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    bot, task = interaction.client, next(iter(reply.read_picked(interaction)), "")
    if not _DIGITS.fullmatch(task):
        raise errors.NotOpen(*reply.STALE)
    asked = (bot.resolver, reply.person(interaction), TaskKey(campaign, number, task))
    opened = await bot.database.write(task_rolls.open_task_card, *asked)
    await reply.say(interaction, view=layout.draw(opened, 0))


RESOLVE = reply.IdTemplate("update:{campaign:int}:resolve:{seen:hex}")
ROOM_FOR_LINES, ROOM_FOR_REASONS, ROOM_FOR_ANSWERS = 1600, 500, 700
"""In characters; with links to posts they fit into Discord's 4,000."""


class PressResult(Struct, frozen=True):
    """What a press resolved, its posts, and what waits."""

    orders: Collection[int]
    lines: Sequence[str]
    waiting: Sequence[tuple[Task, str]]
    posts: Sequence[Post]
    unanswered: digest.OpenWork = field(default_factory=digest.OpenWork)
    last: forecast.OrdersSnapshot | None = None

    @property
    def title(self) -> str:
        """The counts of orders resolved and answers needed."""
        count, asked = len(self.orders), len(self.waiting) + len(self.unanswered.questions)
        needs = f", {asked} need{'s' * (asked == 1)} you" if asked else ""
        done = _count(count) if count else "Update" if self.lines else "Nothing"
        return f"{done} resolved{needs}"


@reply.component(PLAN)
async def plan(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    """Show the plan of a board's update, unless it's closed."""
    database = interaction.client.database
    here = await database.read(require_on_server, interaction.guild_id or 0, campaign)
    await database.read(require_update, campaign, number)
    await show_plan(interaction, here)


async def show_plan(interaction: reply.AnyInteraction, campaign: Campaign) -> None:
    """Show what resolving would do, with a button for it."""
    bot = interaction.client
    found = await bot.database.read(resolution.plan_resolution, bot.resolver, reply.person(interaction), campaign)
    orders = {number for item in found.tasks for number in item.task.orders}
    orders |= {order.entry for order, _ in found.lapses}
    title = f"Resolve {_count(len(orders))}?" if orders else "Resolve the update?"
    *before, last = paginate(
        fit_embeds(title, list(_plan_lines(found)), colour=COLOURS["neutral"], footer=campaign.name)
    )
    for page in before:
        await reply.say(interaction, embeds=page)
    below = Controls(*_plan_buttons(campaign, found))
    for select in _task_select(found):
        below.add_item(select)
    await reply.say(interaction, embeds=last, **({"view": below} if below.children else {}))


@reply.component(RESOLVE)
async def _resolve(interaction: reply.AnyInteraction, *, campaign: int, seen: str) -> None:
    bot = interaction.client
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    update = await bot.database.read(current_update, campaign)
    orders: set[int] = set()
    lines: list[str] = []
    posts: list[Post] = []
    progress = resolution.Progress(seen)
    while steps := await _take_steps(interaction, campaign, progress):
        for step in steps:
            progress = step.progress
            posts += step.posts
            orders |= _orders_of(step)
            lines += _entry_lines(step)
    made = PressResult(orders, lines, [*progress.waiting.values()], posts, last=progress.last)
    made = await _finish(interaction, here, made)
    answering.note_done(interaction, made.title)
    await deliver(interaction, made.posts, partial(_show, interaction, here, update["number"], made), done=made.title)


async def _take_steps(
    interaction: reply.AnyInteraction, campaign: int, progress: resolution.Progress
) -> list[resolution.ResolutionStep]:
    bot, who = interaction.client, reply.person(interaction)
    take = partial(bot.database.write, resolution.take_steps, bot.resolver, who, campaign, progress)
    taken = await asyncio.gather(take(), return_exceptions=True)
    made: list[resolution.ResolutionStep] | None = next(
        (steps for steps in taken if not isinstance(steps, BaseException)), None
    )
    return await take(most=1) if made is None else made  # what one order raises stops none before it


async def _finish(interaction: reply.AnyInteraction, campaign: Campaign, made: PressResult) -> PressResult:
    bot, who = interaction.client, reply.person(interaction)
    found = await bot.database.read(resolution.find_unanswered, bot.resolver, who, campaign, made.last)
    posts = (*made.posts, *await task_rolls.enter_digest_if_done(interaction, campaign, made.last))
    return replace(made, posts=posts, unanswered=found)


@reply.component(DIGEST)
async def _post_digest(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    bot = interaction.client
    await bot.database.read(require_update, campaign, number)
    asked = (bot.resolver, reply.person(interaction), campaign, task_rolls.illustrations(bot))
    made = await bot.database.write(digest.post_digest, *asked)
    title = f"Digest: entry #{made.entry.number}"
    await deliver(interaction, made.posts, partial(_show_digest, interaction, made, title), done=title)


async def _show_digest(
    interaction: reply.AnyInteraction, made: digest.Digest, title: str, sent: Sequence[Post]
) -> None:
    await reply.redraw(interaction, receipt(title, list(delivery_lines(made.campaign, sent))))


def _orders_of(made: resolution.ResolutionStep) -> set[int]:
    if made.entry is None:
        return set()
    body = made.entry.content()
    return {*body.get("orders", ())} if made.entry.kind == "roll" else {body["before"]}


def _entry_lines(made: resolution.ResolutionStep) -> Iterator[str]:
    if made.entry is None:
        return
    body = records.read_body(made.entry)
    if made.entry.kind != "roll":
        about = [plain(name) for name in (body["to"], *body["beside"]) if name]
        order = plain(body["label"]) + (f": {join_words(about)}" if about else "")
        yield f"\N{BULLET} #{made.entry.number} {plain(body['who'])}: {entries.LAPSED[body['deed']]} ({order}): {plain(body['why'])}"
        return
    for part in body["parts"]:
        text = part["outcome"]["text"] if part["outcome"] else part["unrolled"]
        yield f"\N{BULLET} #{made.entry.number} {entry_body.outcome_line(body, part, plain(text or ''))}"


@reply.component(REASON)
async def _ask_reason(interaction: reply.AnyInteraction, *, campaign: int, number: int, task: str) -> None:
    bot, key = interaction.client, TaskKey(campaign, number, task)
    missing, reason = await bot.database.read(task_rolls.find_needs, bot.resolver, reply.person(interaction), key)
    await reply.ask(
        interaction, _answer_form(REASON.fill(campaign=campaign, number=number, task=task), missing, reason=reason)
    )


@reply.modal(REASON)
async def _roll_with_reason(interaction: reply.AnyInteraction, *, campaign: int, number: int, task: str) -> None:
    bot, who = interaction.client, reply.person(interaction)
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    asked = (TaskKey(campaign, number, task), *_read_answers(reply.read_submitted(interaction)))
    step = await bot.database.write(task_rolls.roll_answered, bot.resolver, who, *asked)
    made = PressResult(_orders_of(step), [*_entry_lines(step)], [step.waits] if step.waits else [], step.posts)
    answering.note_done(interaction, "Rolled")
    made = await _finish(interaction, here, made)
    await deliver(interaction, made.posts, partial(_show, interaction, here, number, made), done="Rolled")


async def _show(
    interaction: reply.AnyInteraction, campaign: Campaign, update: int, made: PressResult, sent: Sequence[Post]
) -> None:
    waiting = [f"\N{WARNING SIGN} {plain(why)}" for _, why in made.waiting]
    found = made.unanswered
    answers = fit_lines(
        ROOM_FOR_ANSWERS,
        [*digest.list_waiting(found.orders), *found.lines, *(f"\N{HOURGLASS} {plain(line)}" for line in found.holds)],
    )
    shown_lines = (*fit_lines(ROOM_FOR_LINES, list(made.lines)), *fit_lines(ROOM_FOR_REASONS, waiting), *answers)
    lines = [*shown_lines, *delivery_lines(campaign, sent)]
    buttons = [*_reason_buttons(campaign.id, update, [task for task, _ in made.waiting]), *found.buttons]
    await reply.redraw(interaction, receipt(made.title, lines or ["Nothing left to resolve."], buttons=buttons))


def _count(orders: int) -> str:
    return f"{orders} order{'s' * (orders != 1)}"


def _plan_buttons(campaign: Campaign, found: resolution.ResolutionPlan) -> Iterator[ui.Button[ui.LayoutView]]:
    if found.tasks or found.lapses:
        key = RESOLVE.fill(campaign=campaign.id, seen=found.seen)
        yield ui.Button(label="Resolve all", style=discord.ButtonStyle.success, custom_id=key)
    yield from found.waiting.buttons


def _plan_lines(found: resolution.ResolutionPlan) -> Iterator[str]:
    yield from group_by_phase((item.phase.label, line) for item in found.tasks for line in _task_lines(item))
    if found.lapses:
        yield f"{EMPTY * bool(found.tasks)}**Will be cancelled**"
        yield from (f"\N{BULLET} {plain(order.who.name)}: {plain(why)}" for order, why in found.lapses)
    if found.short:
        yield f"{EMPTY}**Likely to be cancelled**"
        yield from found.short
    if found.waiting.orders or found.waiting.questions:
        yield f"{EMPTY}**Needs your answer**"
        yield from (*digest.list_waiting(found.waiting.orders), *found.waiting.lines)
    if found.held:
        yield f"{EMPTY}-# Paused: {digest.name_some([plain(item.who.name) for item in found.held])}."
    if len({item.phase.label for item in found.tasks}) > 1:
        yield f"{EMPTY}-# Later phases may change, depending on earlier results."


def _task_lines(item: forecast.TaskForecast) -> Iterator[str]:
    if item.held:
        yield f"\N{HOURGLASS} {plain(item.held)}"
        return
    if item.preview is None:
        who = digest.name_some([plain(one.name) for one in item.task.people])
        yield f"\N{WARNING SIGN} **{who}** ({plain(item.task.family)}): {plain(item.fault)}"
        return
    procedure = item.preview.procedure
    for part in item.preview.parts:
        names = entry_body.headline_names(part.part.subjects, part.part.inputs)
        words = procedure.headline if procedure.subject in names else procedure.headline_alone
        likely = max(part.odds, key=attrgetter("chance"), default=None)
        rolled = likely is not None and part.stages
        choices = ", ".join(part.part.choices.values()) if not item.lacks else ""
        yield f"\N{BULLET} {entry_body.fill_words(words, names)}" + (f" ({plain(choices)})" if choices else "")
        if likely and rolled and not item.lacks:
            yield f"-# Most likely ({percent(likely.chance)}): {plain(likely.conclusion.text)}"
    if item.preview.asks_reason:
        yield f"\N{WARNING SIGN} {plain(item.preview.asks_reason)} I'll ask you why."
    if item.lacks:
        yield f"\N{WARNING SIGN} {plain(item.lacks)} I'll ask you."


ROOM_FOR_TASKS = 3000  # in characters
MAX_REASONS = 20  # in one message


def _reason_buttons(campaign: int, update: int, tasks: Sequence[Task]) -> list[ui.Button[ui.LayoutView]]:
    keys = (REASON.fill(campaign=campaign, number=update, task=forecast.task_digits(task)) for task in tasks)
    every: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label=f"Answer {place}" if len(tasks) > 1 else "Answer", custom_id=key)
        for place, key in enumerate(keys, 1)
    ]
    return every[:MAX_REASONS]


def _task_select(plan: resolution.ResolutionPlan) -> Iterator[ui.Select[ui.LayoutView]]:
    found, shown = forecast.list_by_card(plan.tasks), []
    for item, preview in found[:MAX_CHOICES]:
        procedure, subjects = preview.procedure, preview.parts[0].part.subjects
        words = procedure.headline if procedure.subject in subjects else procedure.headline_alone
        more = f" (and {len(preview.parts) - 1} more)" if len(preview.parts) > 1 else ""
        shown.append((forecast.task_digits(item.task), words.format(**subjects) + more, item.phase.label))
    left = f" (the first {MAX_CHOICES} of {len(found)})" if len(found) > MAX_CHOICES else ""
    key = TASK.fill(campaign=plan.campaign.id, number=plan.update)
    yield from picker(key, f"Roll one by card ...{left}", shown)


@reply.component(ARRANGE)
async def _arrange(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    database, who = interaction.client.database, reply.person(interaction)
    here = await database.read(require_on_server, interaction.guild_id or 0, campaign)
    permissions.require_game_master(who, here, "arrange orders")
    await database.read(require_update, campaign, number)
    await listing.show_orders(interaction, here)
    found, _ = await database.read(resolution.find_waiting, interaction.client.resolver, who, here)
    if found:
        buttons = _reason_buttons(campaign, number, [item.task for item in found])
        lines = list(fit_lines(ROOM_FOR_TASKS, [forecast.task_line(item) for item in found]))
        await reply.say(interaction, view=receipt("Needs your answer", lines, COLOURS["neutral"], buttons))
    with suppress(errors.NotOpen):  # nothing is left to resolve
        shown = await database.read(resolution.plan_resolution, interaction.client.resolver, who, here)
        selects = [*_task_select(shown)]
        if selects:
            line = "Roll one task of the plan by its roll card. That resolves its orders."
            await reply.say(interaction, view=receipt("By card", [line], COLOURS["neutral"], selects=selects))


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    _arrange,
    plan,
    _resolve,
    _ask_reason,
    _open_task,
    _post_digest,
    _roll_with_reason,
)
