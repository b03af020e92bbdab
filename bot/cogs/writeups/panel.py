"""The list of write-ups, page by page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from discord import ui

from bot.client import Interaction
from bot.cogs.campaign.service import Campaigns
from bot.cogs.writeups.embed import Writeup, changed_embed, page
from bot.cogs.writeups.service import CLAIMED, DONE, OPEN, PAGE, Marked, Place, Writeups
from bot.core.campaigns import Campaign
from bot.errors import NotOpen
from bot.ui.colours import COLOURS
from bot.ui.reply import STALE, number, person, promise, redraw, say
from bot.ui.text import plain

WRITEUPS = "writeups"
"""How the ids of a list's buttons begin."""

UNWRITTEN = "unwritten"
SHOWN: Mapping[str, tuple[str, Sequence[str]]] = {
    UNWRITTEN: ("Still to be written", (OPEN, CLAIMED)),
    OPEN: ("Open", (OPEN,)),
    CLAIMED: ("Claimed", (CLAIMED,)),
    DONE: ("Done", (DONE,)),
    "all": ("All write-ups", (OPEN, CLAIMED, DONE)),
}
"""What can be listed: its title, and the states that it holds."""

NEWEST = "0.0"


class WriteupsPanel:
    """Shows what is to be written."""

    def __init__(self, campaigns: Campaigns, writeups: Writeups) -> None:
        self._campaigns = campaigns
        self._writeups = writeups

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """The buttons of a list, `writeups:<campaign>:<what>:<entry>.<part>`: the page below a place (0.0: the newest)."""
        match words:
            case [campaign, what, below] if what in SHOWN and re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,3}", below):
                promise(interaction)
                await self._turn(interaction, number(campaign), what, below)
            case _:
                raise NotOpen(*STALE)

    async def show(self, interaction: Interaction, campaign: Campaign, what: str) -> None:
        """The newest page, privately."""
        await say(interaction, view=await self._listing(interaction, campaign, what, None))

    async def tell(self, interaction: Interaction, marked: Marked) -> None:
        """What was claimed or done."""
        await say(interaction, embed=changed_embed(marked.writeup, marked.entry, campaign=marked.campaign.name))

    async def _turn(self, interaction: Interaction, campaign_id: int, what: str, below: str) -> None:
        here = await self._campaigns.of_guild(interaction.guild_id or 0)
        campaign = next((item for item in here if item.id == campaign_id), None)
        if campaign is None:
            raise NotOpen("That campaign is not on this server.")
        entry, _, part = below.partition(".")
        place = None if below == NEWEST else (int(entry), int(part))
        await redraw(interaction, await self._listing(interaction, campaign, what, place))

    async def _listing(
        self, interaction: Interaction, campaign: Campaign, what: str, below: Place | None
    ) -> ui.LayoutView:
        title, wanted = SHOWN[what]
        found = await self._writeups.listed(person(interaction), campaign, wanted, below)
        lines = page(found[:PAGE])
        container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
        head = f"### {title} \N{MIDDLE DOT} {plain(campaign.name)}"
        container.add_item(ui.TextDisplay("\n".join([head, *(lines or ["There is nothing that you may know of."])])))
        last = found[len(lines) - 1] if len(lines) < len(found) else None
        container.add_item(_turns(f"{WRITEUPS}:{campaign.id}:{what}", last, first=below is None))
        return ui.LayoutView(timeout=None).add_item(container)


def _turns(key: str, last: Writeup | None, *, first: bool) -> ui.ActionRow[ui.LayoutView]:
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    older = NEWEST + "1" if last is None else f"{last.entry}.{last.part}"
    row.add_item(ui.Button(label="Newest", custom_id=f"{key}:{NEWEST}", disabled=first))
    row.add_item(ui.Button(label="Older", custom_id=f"{key}:{older}", disabled=last is None))
    return row
