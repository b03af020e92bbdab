"""The list of write-ups, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discord import ui

from bot.client import Interaction
from bot.cogs.writeups import service
from bot.cogs.writeups.buttons import TAKE
from bot.cogs.writeups.embed import Writeup, changed_embed, fit_page
from bot.cogs.writeups.service import CLAIMED, DONE, OPEN, PAGE, STATES, MarkedWriteup, Place
from bot.core.campaigns import Campaign, on_server
from bot.errors import NotOpen
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component
from bot.ui.reply import STALE, person, redraw, say
from bot.ui.text import plain

LIST = IdTemplate("writeups:{campaign:int}:{what:word}:{entry:int}.{part:int}")
"""The ids of a list's buttons: the page below a part of an entry; 0.0 for the newest."""

UNWRITTEN = "unwritten"
SHOWN: Mapping[str, tuple[str, Sequence[str]]] = {
    UNWRITTEN: ("Still to be written", (OPEN, CLAIMED)),
    OPEN: ("Open", (OPEN,)),
    CLAIMED: ("Claimed", (CLAIMED,)),
    DONE: ("Done", (DONE,)),
    "all": ("All write-ups", STATES),
}
"""What can be listed: its title, and the states that it holds."""

NEWEST: Place = (0, 0)


@component(LIST)
async def turn(interaction: Interaction, *, campaign: int, what: str, entry: int, part: int) -> None:
    """Show another page of a list."""
    if what not in SHOWN:
        raise NotOpen(*STALE)
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    below = None if (entry, part) == NEWEST else (entry, part)
    await redraw(interaction, await list_view(interaction, here, what, below))


async def list_view(interaction: Interaction, campaign: Campaign, what: str, below: Place | None) -> ui.LayoutView:
    """Return a page of those that are older than a place, or the newest, with buttons to older and newest ones."""
    title, wanted = SHOWN[what]
    listed = await interaction.client.database.read(service.page, person(interaction), campaign, wanted, below)
    lines = fit_page(listed[:PAGE])
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    head = f"### {title} \N{MIDDLE DOT} {plain(campaign.name)}"
    container.add_item(ui.TextDisplay("\n".join([head, *(lines or ["There is nothing that you may know of."])])))
    last = listed[len(lines) - 1] if len(lines) < len(listed) else None
    container.add_item(_turns(campaign, what, last, first=below is None))
    return ui.LayoutView(timeout=None).add_item(container)


async def tell(interaction: Interaction, marked: MarkedWriteup) -> None:
    """Tell what was claimed or done."""
    await say(interaction, embed=changed_embed(marked.writeup, marked.entry, campaign=marked.campaign.name))


@component(TAKE)
async def take(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    """Claim what a roll has called for."""
    bot, who, number = interaction.client, person(interaction), f"{entry}.{part + 1}"
    await bot.database.read(on_server, who.guild_id, campaign)
    await tell(interaction, await bot.database.write(service.claim, bot.ledger, who, campaign, number))


COMPONENTS: tuple[Component, ...] = (turn, take)


def _turns(campaign: Campaign, what: str, last: Writeup | None, *, first: bool) -> ui.ActionRow[ui.LayoutView]:
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    entry, part = (0, 1) if last is None else (last.entry, last.part)
    newest = LIST.fill(campaign=campaign.id, what=what, entry=0, part=0)
    older = LIST.fill(campaign=campaign.id, what=what, entry=entry, part=part)
    row.add_item(ui.Button(label="Newest", custom_id=newest, disabled=first))
    row.add_item(ui.Button(label="Older", custom_id=older, disabled=last is None))
    return row
