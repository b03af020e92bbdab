"""`/update resolve`: what all orders result in before the dice, one press that rolls them all, and what a task still needs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import discord
from discord import ui
from msgspec import Struct, field
from msgspec.structs import replace

from bot.core.campaigns import Campaign, current_update, require_on_server, require_update
from bot.core.records import read_body
from bot.errors import NotOpen
from bot.orders import digest, resolution, task_rolls
from bot.orders.board_embed import names_line
from bot.orders.digest import Digest, Unanswered, waiting_lines
from bot.orders.entries import LAPSED
from bot.orders.forecast import MissingChoice, TaskForecast
from bot.orders.ids import PLAN, REASON, TASK, TaskKey
from bot.orders.kinds import EMPTY, group_by_phase
from bot.orders.list_view import reason_buttons, task_select
from bot.orders.resolution import Progress, ResolutionPlan, ResolutionStep
from bot.orders.task_rolls import enter_digest_if_done, illustrations
from bot.outbox.store import Post
from bot.rolls.card import layout
from bot.rolls.desk import desk_of
from bot.rolls.headline import fill_words, headline_names, outcome_line
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.answering import note_done
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, component, modal, read_picked, with_buttons
from bot.ui.parsing import MAX_TEXT
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, AnyInteraction, ask, person, read_submitted, redraw, say, text_field
from bot.ui.text import fit_embeds, fit_lines, listing, paginate, plain, shorten
from rules.orders import Task
from rules.phrases import percent

MAX_FIELDS = 5
"""The fields that a window of Discord has."""

_CHOICE, _REASON = "choice", "reason"
_OTHERS = "All others"
_ABOUT = "Say why you roll again. The ledger keeps your reason."


def answer_form(key: str, lacking: Sequence[MissingChoice], *, reason: bool) -> ui.Modal:
    """Return the window for what a task lacks and its `reason`; the last select is about all for whom there is no room."""
    form = ui.Modal(title="Answer and roll", custom_id=key)
    if reason:
        form.add_item(text_field(_REASON, "Reason", placeholder="The week was declared again", limit=MAX_TEXT))
        form.add_item(ui.TextDisplay(_ABOUT))
    room = MAX_FIELDS - len(form.children)
    for place, item in enumerate(lacking[:room]):
        others = place == room - 1 and len(lacking) > room
        form.add_item(_choice(place, item, _OTHERS if others else item.about))
    return form


def read_answers(submitted: Mapping[str, object]) -> tuple[str, list[str]]:
    """Return the reason of a submitted window and its choices, of which the last is that of all others."""
    picked = list(_picked(submitted))
    return str(submitted.get(_REASON) or ""), picked


def _picked(submitted: Mapping[str, Any]) -> Iterator[str]:
    place = 0
    while option := submitted.get(f"{_CHOICE}{place}"):
        yield str(next(iter(option), ""))
        place += 1


def _choice(place: int, item: MissingChoice, about: str) -> ui.Label[ui.Modal]:
    options = [discord.SelectOption(label=option.capitalize(), value=option) for option in item.choice.options]
    select: ui.Select[ui.Modal] = ui.Select(
        custom_id=f"{_CHOICE}{place}", placeholder=item.choice.label, options=options
    )
    return ui.Label(text=shorten(about, 45), description=item.choice.label, component=select)


_DIGITS = re.compile("[0-9a-f]{16}")


@component(TASK)
async def open_task(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Open the task that was picked as a roll card."""
    bot, task = interaction.client, next(iter(read_picked(interaction)), "")
    if not _DIGITS.fullmatch(task):
        raise NotOpen(*STALE)
    asked = (bot.resolver, person(interaction), TaskKey(campaign, number, task))
    opened = await bot.database.write(task_rolls.open_task_card, *asked)
    await say(interaction, view=layout.draw(opened, 0))


RESOLVE = IdTemplate("update:{campaign:int}:resolve:{seen:hex}")
ROOM_FOR_LINES, ROOM_FOR_REASONS, ROOM_FOR_ANSWERS = 1600, 500, 700
"""Characters of what was resolved and of what waits in a receipt: with where posts are, they fit into Discord's 4,000."""


class Resolved(Struct, frozen=True):
    """What a press has resolved: its orders (entries), lines for each entry, the tasks that wait for a reason and why, the posts to send, and what waits for answers."""

    orders: Collection[int]
    lines: Sequence[str]
    waiting: Sequence[tuple[Task, str]]
    posts: Sequence[Post]
    unanswered: Unanswered = field(default_factory=Unanswered)

    @property
    def title(self) -> str:
        """How many orders are resolved, and how many things a game master has to answer."""
        count, asked = len(self.orders), len(self.waiting) + len(self.unanswered.questions)
        needs = f", {asked} need{'s' * (asked == 1)} you" if asked else ""
        done = _count(count) if count else "Update" if self.lines else "Nothing"
        return f"{done} resolved{needs}"


async def show_plan(interaction: AnyInteraction) -> None:
    """Show what resolving comes to, with the button that does it."""
    await _show_plan(interaction, await desk_of(interaction).campaign(interaction))


@component(PLAN)
async def plan(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Show what resolving comes to in the update of a question or board."""
    database = interaction.client.database
    here = await database.read(require_on_server, interaction.guild_id or 0, campaign)
    await database.read(require_update, campaign, number)
    await _show_plan(interaction, here)


async def _show_plan(interaction: AnyInteraction, campaign: Campaign) -> None:
    bot = interaction.client
    found = await bot.database.read(resolution.plan, bot.resolver, person(interaction), campaign)
    orders = {number for item in found.tasks for number in item.task.orders} | {
        order.entry for order, _ in found.lapses
    }
    title = f"Resolve {_count(len(orders))}?" if orders else "Resolve the update?"
    *before, last = paginate(
        fit_embeds(title, list(_plan_lines(found)), colour=COLOURS["neutral"], footer=campaign.name)
    )
    for page in before:
        await say(interaction, embeds=page)
    below = with_buttons(*_plan_buttons(campaign, found))
    for select in task_select(found):
        below.add_item(select)
    await say(interaction, embeds=last, **({"view": below} if below.children else {}))


@component(RESOLVE)
async def resolve(interaction: AnyInteraction, *, campaign: int, seen: str) -> None:
    """Roll all that a plan has shown, one after another; what needs a person waits and stops nothing else."""
    bot = interaction.client
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    update = await bot.database.read(current_update, campaign)
    made = await _all_steps(interaction, campaign, seen)
    made = await _finished(interaction, here, made)
    note_done(interaction, made.title)
    await deliver(interaction, made.posts, partial(_show, interaction, here, update["number"], made), done=made.title)


async def _finished(interaction: AnyInteraction, campaign: Campaign, made: Resolved) -> Resolved:
    """Return what was resolved with the posts of the digest, where nothing is left, and with what waits for answers."""
    bot = interaction.client
    posts = (*made.posts, *await enter_digest_if_done(interaction, campaign))
    found = await bot.database.read(resolution.find_unanswered, bot.resolver, person(interaction), campaign)
    return replace(made, posts=posts, unanswered=found)


async def show_digest(interaction: AnyInteraction) -> None:
    """Tell what has come of the orders so far."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    asked = (bot.resolver, person(interaction), campaign.id, illustrations(bot))
    made = await bot.database.write(digest.post_digest, *asked)
    title = f"Digest: entry #{made.entry.number}"
    await deliver(interaction, made.posts, partial(_show_digest, interaction, made, title), done=title)


async def _show_digest(interaction: AnyInteraction, made: Digest, title: str, sent: Sequence[Post]) -> None:
    await redraw(interaction, receipt(title, list(delivery_lines(made.campaign, sent))))


async def _all_steps(interaction: AnyInteraction, campaign: int, seen: str) -> Resolved:
    bot, who = interaction.client, person(interaction)
    orders: set[int] = set()
    lines: list[str] = []
    posts: list[Post] = []
    progress = Progress(seen)
    while made := await bot.database.write(resolution.step, bot.resolver, who, campaign, progress):
        progress = made.progress
        posts += made.posts
        orders |= _orders_of(made)
        lines += _entry_lines(made)
    return Resolved(orders, lines, [*progress.waiting.values()], posts)


def _orders_of(made: ResolutionStep) -> set[int]:
    """Return the orders (entries) that a step has settled: those of its roll, or the one that it cancelled."""
    if made.entry is None:
        return set()
    body = made.entry.content()
    return {*body.get("orders", ())} if made.entry.kind == "roll" else {body["before"]}


def _entry_lines(made: ResolutionStep) -> Iterator[str]:
    if made.entry is None:
        return
    body = read_body(made.entry)
    if made.entry.kind != "roll":
        about = [plain(name) for name in (body["to"], *body["beside"]) if name]
        order = plain(body["label"]) + (f": {listing(about)}" if about else "")
        yield f"\N{BULLET} #{made.entry.number} {plain(body['who'])}: {LAPSED[body['deed']]} ({order}): {plain(body['why'])}"
        return
    for part in body["parts"]:
        text = part["outcome"]["text"] if part["outcome"] else part["unrolled"]
        yield f"\N{BULLET} #{made.entry.number} {outcome_line(body, part, plain(text or ''))}"


@component(REASON)
async def ask_reason(interaction: AnyInteraction, *, campaign: int, number: int, task: str) -> None:
    """Ask for the reason for which a task waits."""
    bot, key = interaction.client, TaskKey(campaign, number, task)
    missing, reason = await bot.database.read(task_rolls.find_needs, bot.resolver, person(interaction), key)
    await ask(
        interaction, answer_form(REASON.fill(campaign=campaign, number=number, task=task), missing, reason=reason)
    )


@modal(REASON)
async def give_reason(interaction: AnyInteraction, *, campaign: int, number: int, task: str) -> None:
    """Roll a task that has waited for the reason that was typed; what may come after it is for the next press."""
    bot, who = interaction.client, person(interaction)
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    asked = (TaskKey(campaign, number, task), task_rolls.TaskAnswer(*read_answers(read_submitted(interaction))))
    step = await bot.database.write(task_rolls.roll_answered, bot.resolver, who, *asked)
    made = Resolved(_orders_of(step), [*_entry_lines(step)], [step.waits] if step.waits else [], step.posts)
    note_done(interaction, "Rolled")
    made = await _finished(interaction, here, made)
    await deliver(interaction, made.posts, partial(_show, interaction, here, number, made), done="Rolled")


async def _show(
    interaction: AnyInteraction, campaign: Campaign, update: int, made: Resolved, sent: Sequence[Post]
) -> None:
    waiting = [f"\N{WARNING SIGN} {plain(why)}" for _, why in made.waiting]
    found = made.unanswered
    answers = fit_lines(
        ROOM_FOR_ANSWERS,
        [*waiting_lines(found.orders), *found.lines, *(f"\N{HOURGLASS} {plain(line)}" for line in found.holds)],
    )
    told = (*fit_lines(ROOM_FOR_LINES, list(made.lines)), *fit_lines(ROOM_FOR_REASONS, waiting), *answers)
    lines = [*told, *delivery_lines(campaign, sent)]
    buttons = [*reason_buttons(campaign.id, update, [task for task, _ in made.waiting]), *found.buttons]
    await redraw(interaction, receipt(made.title, lines or ["Nothing left to resolve."], buttons=buttons))


def _count(orders: int) -> str:
    return f"{orders} order{'s' * (orders != 1)}"


def _plan_buttons(campaign: Campaign, found: ResolutionPlan) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what resolves all that can be, and what answers that for which orders wait."""
    if found.tasks or found.lapses:
        key = RESOLVE.fill(campaign=campaign.id, seen=found.seen)
        yield ui.Button(label="Resolve all", style=discord.ButtonStyle.success, custom_id=key)
    yield from found.waiting.buttons


def _plan_lines(found: ResolutionPlan) -> Iterator[str]:
    yield from group_by_phase((item.phase.label, line) for item in found.tasks for line in _task_lines(item))
    if found.lapses:
        yield f"{EMPTY * bool(found.tasks)}**Will be cancelled**"
        yield from (f"\N{BULLET} {plain(order.who.name)}: {plain(why)}" for order, why in found.lapses)
    if found.short:
        yield f"{EMPTY}**Likely to be cancelled**"
        yield from found.short
    if found.waiting.orders or found.waiting.questions:
        yield f"{EMPTY}**Needs your answer**"
        yield from (*waiting_lines(found.waiting.orders), *found.waiting.lines)
    if found.held:
        yield f"{EMPTY}-# Paused: {names_line([plain(item.who.name) for item in found.held])}."
    if len({item.phase.label for item in found.tasks}) > 1:
        yield f"{EMPTY}-# Later phases may change, depending on earlier results."


def _task_lines(item: TaskForecast) -> Iterator[str]:
    if item.held:
        yield f"\N{HOURGLASS} {plain(item.held)}"
        return
    if item.preview is None:
        who = names_line([plain(one.name) for one in item.task.people])
        yield f"\N{WARNING SIGN} **{who}** ({plain(item.task.family)}): {plain(item.fault)}"
        return
    procedure = item.preview.procedure
    for part in item.preview.parts:
        names = headline_names(part.part.subjects, part.part.inputs)
        words = procedure.headline if procedure.subject in names else procedure.headline_alone
        likely = max(part.odds, key=attrgetter("chance"), default=None)
        rolled = likely is not None and part.stages
        choices = ", ".join(part.part.choices.values()) if not item.lacks else ""
        yield f"\N{BULLET} {fill_words(words, names)}" + (f" ({plain(choices)})" if choices else "")
        if likely and rolled and not item.lacks:
            yield f"-# Most likely ({percent(likely.chance)}): {plain(likely.conclusion.text)}"
    if item.preview.asks_reason:
        yield f"\N{WARNING SIGN} {plain(item.preview.asks_reason)} I'll ask you why."
    if item.lacks:
        yield f"\N{WARNING SIGN} {plain(item.lacks)} I'll ask you."


COMPONENTS: tuple[Component, ...] = (plan, resolve, ask_reason, open_task)
MODALS: tuple[ModalForm, ...] = (give_reason,)
