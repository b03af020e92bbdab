"""The board of orders as a message: within what Discord takes, however many orders there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import discord
from msgspec import Struct

from bot.core.campaigns import Campaign
from bot.core.profiles import Profile
from bot.orders import ids
from bot.orders.digest import MAX_BUTTONS, Unanswered
from bot.orders.forecast import TaskForecast
from bot.orders.kinds import NAMED, CalledKind, arrangement, group_by_phase, locked_line, order_line, phase_line
from bot.orders.standing import StandingOrder
from bot.outbox.queue import Buttons
from bot.rolls.extension import MAX_LABEL
from bot.ui.colours import COLOURS
from bot.ui.text import fit_lines, listing, plain, shorten

ROOM_FOR_ORDERS, ROOM_FOR_NAMES, ROOM_FOR_TASKS, ROOM_FOR_QUESTIONS, MAX_NAME = 2800, 1100, 800, 700, 100
"""Characters of the lists and of the update's name: together they fit into the 6,000 of a message."""


class OrderBoard(Struct, frozen=True):
    """How the orders of an update stand: those of which something may come with their kinds, who is awaited, what waits for a reason or an answer, and since when players' orders are locked."""

    campaign: Campaign
    update: int
    name: str
    orders: Sequence[tuple[StandingOrder, CalledKind]]
    awaited: Sequence[Profile]
    waiting: Sequence[TaskForecast]
    unanswered: Unanswered
    locked: datetime | None


def embeds(board: OrderBoard) -> list[discord.Embed]:
    """Return the board as embeds."""
    lines = [*([locked_line(board.locked)] if board.locked else []), *fit_lines(ROOM_FOR_ORDERS, _orders(board))]
    title = f"Orders: {shorten(plain(board.name), MAX_NAME)}"
    first = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])
    second = discord.Embed(description="\n".join(_others(board)), colour=COLOURS["neutral"])
    return [first, second.set_footer(text=board.campaign.name)]


def _others(board: OrderBoard) -> Iterator[str]:
    """Yield who is awaited, and what waits for a game master."""
    count = len(board.awaited)
    awaited = names_line([plain(item.name) for item in board.awaited])
    yield f"**Waiting for {count}:** {awaited}" if count else "Everyone has ordered or passed."
    if board.waiting or board.unanswered.questions:
        yield "**Needs your answer:**"
        yield from fit_lines(ROOM_FOR_TASKS, [f"\N{BULLET} {task_line(item)}" for item in board.waiting])
        yield from fit_lines(ROOM_FOR_QUESTIONS, board.unanswered.lines)


def _orders(board: OrderBoard) -> list[str]:
    waits = {item.order.entry: item.why for item in board.unanswered.orders}
    lines = ((phase_line(known), _order_line(known, order, waits.get(order.entry))) for order, known in board.orders)
    return [*group_by_phase(lines)] or ["No orders yet. Players give them with `/order give`."]


def _order_line(known: CalledKind, order: StandingOrder, why: str | None) -> str:
    line = f"{order_line(known, order, NAMED)}{_describe_results(order)}{arrangement(order)}"
    return f"\N{BULLET} {line}{_waits(why)}"


def _waits(why: str | None) -> str:
    return f", *waiting: {plain(why)}*" if why else ""


def _describe_results(order: StandingOrder) -> str:
    if order.lapsed is not None:
        return f" (cancelled, #{order.lapsed})"
    done = [f"#{number}" for number in order.entries]
    return f" ({listing(done)})" if done else ""


def task_line(item: TaskForecast) -> str:
    """Return a task in one line, with why it waits."""
    why = item.waits_for if item.preview else item.fault
    roles = item.task.parts[0].roles
    names = dict.fromkeys(who.name for some in roles.values() for who in some)
    return f"{plain(item.phase.label)}, {listing([plain(name) for name in names])}: {plain(why)}"


def names_line(names: Sequence[str]) -> str:
    """Return names in one line, as many as there is room for."""
    shown: list[str] = []
    room = ROOM_FOR_NAMES
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        shown.append(name)
    left = len(names) - len(shown)
    return listing([*shown, *([f"{left} more"] if left else [])])


def buttons(board: OrderBoard) -> Buttons:
    """Return the buttons of the board, which carry the update that it is about."""
    about = {"campaign": board.campaign.id, "number": board.update}
    green, grey, blue = (
        style.value
        for style in (discord.ButtonStyle.success, discord.ButtonStyle.secondary, discord.ButtonStyle.primary)
    )
    lock = ids.LOCK.fill(**about, on=int(board.locked is None))
    answers = (
        (shorten(item.label, MAX_LABEL), item.custom_id, blue) for item in board.unanswered.questions[:MAX_BUTTONS]
    )
    return [
        ("Nudge", ids.NUDGE.fill(**about), blue),
        ("Post who is missing", ids.TELL.fill(**about), grey),
        ("Unlock" if board.locked else "Lock", lock, grey),
        ("Arrange", ids.ARRANGE.fill(**about), grey),
        ("Resolve", ids.PLAN.fill(**about), green),
        *answers,
    ]
