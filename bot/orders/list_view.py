"""The lists of orders and tasks as they are shown, to pick one from, and the buttons of an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from discord import ButtonStyle, Embed, ui

from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Pages
from bot.errors import NotOpen
from bot.orders import ids, listing, resolution
from bot.orders.forecast import list_by_card, task_digits
from bot.orders.ids import TASK
from bot.orders.kinds import EMPTY, CalledKind, arrangement, group_by_phase, locked_line, order_line, phase_line
from bot.orders.listing import OrderList
from bot.orders.resolution import ResolutionPlan
from bot.orders.standing import StandingOrder
from bot.rolls.preview import Preview
from bot.ui.colours import COLOURS
from bot.ui.components import with_buttons
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import picker, receipt
from bot.ui.reply import AnyInteraction, person, say
from bot.ui.text import fit_embeds, paginate, plain
from bot.ui.text import listing as joined
from rules.orders import Task

CHANGE, ARRANGE = "Change or cancel ...", "Arrange, change or cancel ..."
"""What a select asks for: whoever gives orders, and game masters, who arrange them besides."""

MAX_SELECTS, MAX_REASONS = 5, 20
"""How many selects, and how many buttons that ask for reasons, one message has."""


async def show_orders(interaction: AnyInteraction, campaign: Campaign, update: int | None = None) -> None:
    """List the orders of a campaign that somebody may see, to pick one; or what came of those of an update (its number) that is closed."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), campaign)
    if update is None:
        found = await bot.database.read(listing.list_orders, *asked)
    else:
        found = await bot.database.read(listing.list_orders_before, *asked, update)
    pages, below = list_pages(found), _selects(campaign, found.orders, ARRANGE if found.leads else CHANGE)
    more = [[Embed(description="More orders:", colour=COLOURS["neutral"])]]
    pages += more * (len(below) - len(pages))
    views = [None] * (len(pages) - len(below)) + below
    for page, view in zip(pages, views, strict=True):
        await say(interaction, embeds=page, **({"view": view} if view else {}))


def list_pages(found: OrderList) -> Pages:
    """Return the orders that a person sees, phase by phase, and what came of their own in the update before."""
    lines = [*([locked_line(found.locked)] if found.locked else []), *_lines(found)]
    if found.passed:
        lines.append(f"{EMPTY * bool(found.orders)}**Passed:** {joined([plain(name) for name in found.passed])}")
    lines = lines if found.orders or found.passed else [*lines, found.none]
    embeds = _embeds(found, "Orders", lines)
    embeds += _embeds(found.before, "Your results", [*_lines(found.before)]) if found.before else []
    return paginate(embeds)


def _lines(found: OrderList) -> Iterator[str]:
    """Yield orders phase by phase, each with what came of it."""
    yield from group_by_phase(
        (phase_line(known), line)
        for order, known, came in found.orders
        for line in (
            f"\N{BULLET} {order_line(known, order)} (entry #{order.entry}){arrangement(order)}",
            *(f"-# {plain(line)}" for line in came),
        )
    )


def _embeds(found: OrderList, what: str, lines: Sequence[str]) -> list[Embed]:
    title = f"{what}: {plain(found.update)}"
    return fit_embeds(title, lines, colour=COLOURS["neutral"], footer=found.campaign.name)


def own_buttons(campaign: Campaign, order: StandingOrder) -> list[ui.Button[ui.LayoutView]]:
    """Return what whoever gave an order can press about it."""
    key = {"campaign": campaign.id, "subject": order.who.id, "number": order.entry}
    return [
        ui.Button(label="Change", custom_id=ids.CHANGE.fill(**key)),
        ui.Button(label="Cancel order", custom_id=ids.WITHDRAW.fill(**key)),
    ]


def order_buttons(
    campaign: Campaign, order: StandingOrder, *, leads: bool, own: bool
) -> list[ui.Button[ui.LayoutView]]:
    """Return what can be pressed about an order that stands; game masters arrange it, and refuse another's."""
    buttons = own_buttons(campaign, order)
    if leads:
        key = {"campaign": campaign.id, "subject": order.who.id, "number": order.entry}
        hold = ids.HOLD.fill(**key, on=int(not order.held))
        buttons.append(ui.Button(label="Resume" if order.held else "Pause", custom_id=hold))
        buttons.append(ui.Button(label="Priority", custom_id=ids.RANK.fill(**key)))
        refusal = ui.Button[ui.LayoutView](label="Refuse", style=ButtonStyle.danger, custom_id=ids.REFUSE.fill(**key))
        buttons += [] if own else [refusal]
    return buttons


def _selects(
    campaign: Campaign, orders: Sequence[tuple[StandingOrder, CalledKind, object]], asks: str
) -> list[ui.View | None]:
    """Return the selects from which an order that stands is picked, 25 in each, as many of them below a message as it takes."""
    shown = [(order, known) for order, known, _ in orders if order.stands]
    views: list[ui.View | None] = []
    for place, start in enumerate(range(0, len(shown), MAX_CHOICES)):
        if place % MAX_SELECTS == 0:
            views.append(view := with_buttons())
        some = shown[start : start + MAX_CHOICES]
        which = f" ({start + 1} to {start + len(some)})" if len(shown) > MAX_CHOICES else ""
        for select in order_select(campaign, place, some, f"{asks}{which}"):
            view.add_item(select)
    return views


def order_select(
    campaign: Campaign, place: int, orders: Sequence[tuple[StandingOrder, CalledKind]], asks: str = CHANGE
) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield the select from which one of these orders is picked, 25 at most; `place` and what it `asks` tell several apart."""
    shown = [
        (f"{order.who.id}.{order.entry}", f"{order.who.name}: {known.kind.label}", order.to.name if order.to else "")
        for order, known in orders
    ]
    yield from picker(ids.PICK.fill(campaign=campaign.id, _place=place), asks, shown)


def reason_buttons(campaign: int, update: int, tasks: Sequence[Task]) -> list[ui.Button[ui.LayoutView]]:
    """Return the buttons that ask for the reasons for which tasks wait, in their order."""
    keys = (ids.REASON.fill(campaign=campaign, number=update, task=task_digits(task)) for task in tasks)
    every: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label=f"Answer {place}" if len(tasks) > 1 else "Answer", custom_id=key)
        for place, key in enumerate(keys, 1)
    ]
    return every[:MAX_REASONS]


HOW = "Roll one task of the plan by its roll card. That resolves its orders."


def task_select(plan: ResolutionPlan) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield the select that opens one of a plan's tasks as a roll card, the first 25 of them; none where none can be."""
    found = list_by_card(plan.tasks)
    shown = [(task_digits(item.task), _headline(preview), item.phase.label) for item, preview in found[:MAX_CHOICES]]
    left = f" (the first {MAX_CHOICES} of {len(found)})" if len(found) > MAX_CHOICES else ""
    key = TASK.fill(campaign=plan.campaign.id, number=plan.update)
    yield from picker(key, f"Roll one by card ...{left}", shown)


async def show_tasks(interaction: AnyInteraction, campaign: Campaign) -> None:
    """Show the tasks that can be rolled by their cards, where there are any."""
    bot = interaction.client
    with suppress(NotOpen):  # nothing is left to resolve
        selects = [*task_select(await bot.database.read(resolution.plan, bot.resolver, person(interaction), campaign))]
        if selects:
            await say(interaction, view=receipt("By card", [HOW], COLOURS["neutral"], selects=selects))


def _headline(preview: Preview) -> str:
    """Return a task in a few words: its first part, and how many more it has."""
    procedure, subjects = preview.procedure, preview.parts[0].part.subjects
    words = procedure.headline if procedure.subject in subjects else procedure.headline_alone
    more = len(preview.parts) - 1
    return words.format(**subjects) + (f" (and {more} more)" if more else "")
