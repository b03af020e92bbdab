"""The list of write-ups, page by page, and what is done about one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, get_args

from discord import ui

from bot.client import Interaction
from bot.cogs.writeups import battles, buttons, service
from bot.cogs.writeups.bodies import Result
from bot.cogs.writeups.embed import Writeup, fit_page, line
from bot.cogs.writeups.refusals import MAX_LINK
from bot.cogs.writeups.service import PAGE, MarkedWriteup, Place
from bot.cogs.writeups.states import CLAIMED, DONE, OPEN, STATES
from bot.core.campaigns import Campaign, on_server
from bot.errors import NotOpen
from bot.orders.answering import answered, next_steps
from bot.rolls.buttons import take_back_button
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, component, modal, picked
from bot.ui.receipt import page_buttons, picker, receipt
from bot.ui.reply import STALE, ask, person, redraw, say, submitted, text_field
from bot.ui.text import DOT, bare, plain, shorten

LIST = IdTemplate("writeups:{campaign:int}:{what:word}:{entry:int}.{part:int}")
"""The ids of a list's buttons: the page below a part of an entry; 0.0 for the newest."""

PICK = IdTemplate("writeups:{campaign:int}:show")
"""The id of the select under a list, from which one is picked."""

UNWRITTEN = "unwritten"
SHOWN: Mapping[str, tuple[str, Sequence[str]]] = {
    UNWRITTEN: ("Write-ups to do", (OPEN, CLAIMED)),
    OPEN: ("Open", (OPEN,)),
    CLAIMED: ("Claimed", (CLAIMED,)),
    DONE: ("Done", (DONE,)),
    "all": ("All write-ups", STATES),
}
"""What can be listed: its title, and the states that it holds."""

ENDINGS: Mapping[Result, str] = {
    "won": "{who} won (any move goes on)",
    "drawn": "Draw (any move stops)",
    "lost": "{who} lost (any move stops)",
}
"""How a battle can end for the one who was caught or attacked, as it is picked."""

NEWEST: Place = (0, 0)
MAX_TITLE, MAX_WHO = 45, 70
"""Characters of a window's title, and of a name in an option of a select, which has 100 at most."""


@component(LIST)
async def turn(interaction: Interaction, *, campaign: int, what: str, entry: int, part: int) -> None:
    """Show another page of a list."""
    if what not in SHOWN:
        raise NotOpen(*STALE)
    here = await _here(interaction, campaign)
    below = None if (entry, part) == NEWEST else (entry, part)
    await redraw(interaction, await list_view(interaction, here, what, below))


async def list_view(interaction: Interaction, campaign: Campaign, what: str, below: Place | None) -> ui.LayoutView:
    """Return a page of those older than a place, or the newest, to pick one from; with buttons to other pages where there are such."""
    title, wanted = SHOWN[what]
    listed = await interaction.client.database.read(service.page, person(interaction), campaign, wanted, below)
    lines = fit_page(listed[:PAGE])
    shown = listed[: len(lines)]
    newest = LIST.fill(campaign=campaign.id, what=what, entry=0, part=0)
    older = LIST.fill(campaign=campaign.id, what=what, entry=shown[-1].entry, part=shown[-1].part) if shown else None
    pages = page_buttons(
        ("Newest", None if below is None else newest), ("Older", older if len(shown) < len(listed) else None)
    )
    options = [(item.place, f"{item.number} {item.status}", bare(item.gist)) for item in shown]
    select = picker(PICK.fill(campaign=campaign.id), "Claim one or mark it done ...", options)
    head, told = f"{title}{DOT}{plain(campaign.name)}", lines or ["No write-ups that you can see."]
    return receipt(head, told, COLOURS["neutral"], pages, select)


@component(PICK)
async def pick(interaction: Interaction, *, campaign: int) -> None:
    """Show the write-up that was picked, with what can be done about it."""
    here = await _here(interaction, campaign)
    number = next(iter(picked(interaction)), "")
    item = await interaction.client.database.read(service.look, person(interaction), here, number)
    await say(interaction, view=_shown(interaction, here, item))


@component(buttons.TAKE)
async def take(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    """Claim what a roll has called for, whose receipt stays."""
    bot, who = interaction.client, person(interaction)
    number = f"{entry}.{part + 1}"
    await tell(interaction, await bot.database.write(service.claim, bot.ledger, who, campaign, number, entry))


@component(buttons.CLAIM)
async def claim(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Claim a write-up."""
    bot, who = interaction.client, person(interaction)
    number = f"{entry}.{part + 1}"
    marked = await bot.database.write(service.claim, bot.ledger, who, campaign, number, newest)
    await redraw(interaction, _marked(interaction, marked))


@component(buttons.GIVE_BACK)
async def give_back(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Give a write-up back to whoever wants to write it."""
    bot, who = interaction.client, person(interaction)
    number = f"{entry}.{part + 1}"
    marked = await bot.database.write(service.give_back, bot.ledger, who, campaign, number, newest)
    await redraw(interaction, _marked(interaction, marked))


@component(buttons.DONE_BUTTON)
async def ask_link(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Ask where a text stands that is written."""
    key = buttons.DONE_BUTTON.fill(campaign=campaign, entry=entry, part=part, newest=newest)
    item = await _look(interaction, campaign, entry, part)
    form = ui.Modal(title=f"Mark write-up {item.number} done", custom_id=key)
    where = "A link to the message or page, if there is one"
    await ask(interaction, form.add_item(text_field("link", "Link", placeholder=where, limit=MAX_LINK, needed=False)))


@modal(buttons.DONE_BUTTON)
async def finish(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Enter that a write-up is done."""
    bot, who = interaction.client, person(interaction)
    link, number = submitted(interaction).get("link"), f"{entry}.{part + 1}"
    marked = await bot.database.write(service.finish, bot.ledger, who, campaign, number, link, newest)
    await redraw(interaction, _marked(interaction, marked))


@component(buttons.RESULT)
async def ask_result(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Ask how a battle ended."""
    key = buttons.RESULT.fill(campaign=campaign, entry=entry, part=part, newest=newest)
    item = await _look(interaction, campaign, entry, part)
    select: ui.Select[ui.Modal] = ui.Select(custom_id="result")
    for ended, name in ENDINGS.items():
        select.add_option(label=name.format(who=shorten(item.fought or "", MAX_WHO)), value=ended)
    form = ui.Modal(title=shorten(f"{item.number}: {bare(item.gist)}", MAX_TITLE), custom_id=key)
    form.add_item(ui.Label(text="Battle result", component=select))
    await ask(interaction, form.add_item(ui.TextDisplay(item.gist)))


@modal(buttons.RESULT)
async def end(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Enter how a battle ended."""
    bot, who = interaction.client, person(interaction)
    result, number = next(iter(submitted(interaction).get("result") or ()), None), f"{entry}.{part + 1}"
    if result not in get_args(Result):
        raise NotOpen(*STALE)
    asked = (campaign, number, cast("Result", result), newest)
    await decided(interaction, await bot.database.write(battles.enter_result, bot.ledger, who, *asked))


async def decided(interaction: Interaction, marked: MarkedWriteup) -> None:
    """Show how a battle ended, and what goes on with that."""
    steps = await interaction.client.database.read(next_steps, person(interaction), marked.campaign)
    await redraw(interaction, _marked(interaction, marked, *steps))
    await answered(interaction, marked.campaign)


async def tell(interaction: Interaction, marked: MarkedWriteup) -> None:
    """Tell what was claimed or done, and what can be done next."""
    await say(interaction, view=_marked(interaction, marked))


COMPONENTS: tuple[Component, ...] = (turn, pick, take, claim, give_back, ask_link, ask_result)
MODALS: tuple[ModalForm, ...] = (finish, end)


async def _here(interaction: Interaction, campaign: int) -> Campaign:
    return await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)


async def _look(interaction: Interaction, campaign: int, entry: int, part: int) -> Writeup:
    here = await _here(interaction, campaign)
    return await interaction.client.database.read(service.look, person(interaction), here, f"{entry}.{part + 1}")


def _marked(interaction: Interaction, marked: MarkedWriteup, *steps: ui.Button[ui.LayoutView]) -> ui.LayoutView:
    """Return a write-up with the entry that has just changed it, which game masters can take back."""
    leads = person(interaction).leads(marked.campaign)
    more = [*steps, *([take_back_button(marked.campaign.id, marked.entry)] if leads else [])]
    entry = [f"Entry #{marked.entry}"] if leads else []  # such entries are the staff's
    foot = f"-# {DOT.join([*entry, plain(marked.campaign.name)])}"
    return _shown(interaction, marked.campaign, marked.writeup, foot, *more)


def _shown(
    interaction: Interaction, campaign: Campaign, item: Writeup, foot: str = "", *more: ui.Button[ui.LayoutView]
) -> ui.LayoutView:
    """Return a write-up with what the person may do about it."""
    steps = [*buttons.actions(item, campaign, person(interaction)), *more]
    colour = COLOURS["success" if foot else "neutral"]
    return receipt(f"Write-up {item.number}", [line(item), *filter(None, [foot])], colour, steps)
