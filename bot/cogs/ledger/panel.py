"""Ledger pages with their buttons, and the Publish button."""

from __future__ import annotations

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.ledger.embed import entry_line
from bot.cogs.ledger.pages import PAGE, Journal, Seen
from bot.core.campaigns import Campaign, on_server
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.errors import NotOpen
from bot.outbox.delivery import Outbox
from bot.outbox.store import Post
from bot.rolls.desk import publish_button
from bot.ui.colours import COLOURS
from bot.ui.picture import fitting
from bot.ui.reply import STALE, number, person, promise, redraw, say
from bot.ui.text import message_link, plain, within

MAX_CONTENT = 1950
"""How much is told of an entry's posts, under Discord's 2,000 characters for a message's text."""


class JournalPanel:
    """Shows entries and publishes results."""

    def __init__(self, journal: Journal, outbox: Outbox, database: Database, kinds: EntryKinds) -> None:
        self._journal = journal
        self._outbox = outbox
        self._database = database
        self._kinds = kinds

    async def older(self, interaction: Interaction, words: list[str]) -> None:
        """The button of a list, `ledger:<campaign>:<below>`: the page below a number (0: the newest)."""
        promise(interaction)
        campaign, below = await self._named(interaction, words)
        await redraw(interaction, await self.listing(interaction, campaign, below or None))

    async def publish(self, interaction: Interaction, words: list[str]) -> None:
        """The button of a result, `publish:<campaign>:<number>`."""
        promise(interaction)
        campaign, entry = await self._named(interaction, words)
        queued = await self._journal.publish(person(interaction), campaign, entry)
        sent = await self._outbox.send(interaction.client, queued)
        await self._outbox.note(sent)
        faults = [item.fault for item in sent if item.fault]
        told = (
            f"Not posted yet: {faults[0]}. I keep trying."
            if faults
            else f"It stands in <#{campaign.results_channel_id}> now."
        )
        colour = COLOURS["danger" if faults else "success"]
        await say(interaction, embed=discord.Embed(title=f"Entry #{entry} is public", description=told, colour=colour))

    async def listing(self, interaction: Interaction, campaign: Campaign, below: int | None) -> ui.LayoutView:
        """Ten entries, newest first, with buttons to older and newest ones."""
        found = await self._journal.page(person(interaction), campaign, below)
        lines = [entry_line(self._kinds, item.shown, item.view, who=item.who) for item in found]
        container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
        title = f"### Ledger of {plain(campaign.name)}"
        container.add_item(ui.TextDisplay("\n".join([title, *(lines or ["Nothing has been entered yet."])])))
        last = found[-1].shown.entry.number if found else 0
        container.add_item(_turns(campaign.id, last if len(found) == PAGE and last > 1 else None, first=below is None))
        return ui.LayoutView(timeout=None).add_item(container)

    async def show(self, interaction: Interaction, campaign: Campaign, number: int) -> None:
        """One entry, privately, with what became of its posts."""
        seen = await self._journal.entry(person(interaction), campaign, number)
        pages = self._kinds.pages(seen.shown, seen.view)
        for place, page in enumerate(pages):
            last = place == len(pages) - 1
            buttons = {"view": publish_button(campaign.id, number)} if last and seen.publishable else {}
            text = {"content": _whereabouts(campaign, seen)} if last else {}
            await say(interaction, embeds=fitting(page, None), **buttons, **text)

    async def _named(self, interaction: Interaction, words: list[str]) -> tuple[Campaign, int]:
        """The campaign and the number that a component's id names."""
        named = [number(word) for word in words]
        if len(named) != 2:  # noqa: PLR2004 - campaign and number
            raise NotOpen(*STALE)
        return await self._database.read(on_server, interaction.guild_id or 0, named[0]), named[1]


def _turns(campaign_id: int, below: int | None, *, first: bool) -> ui.ActionRow[ui.LayoutView]:
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    row.add_item(ui.Button(label="Newest", custom_id=f"ledger:{campaign_id}:0", disabled=first))
    row.add_item(ui.Button(label="Older", custom_id=f"ledger:{campaign_id}:{below or 1}", disabled=below is None))
    return row


def _whereabouts(campaign: Campaign, seen: Seen) -> str:
    lines = [_post_line(campaign, item) for item in seen.posts]
    return "\n".join(within(MAX_CONTENT, lines)) or "Not posted to any channel."


def _post_line(campaign: Campaign, item: Post) -> str:
    if item.message_id is None:
        return f"\N{WARNING SIGN} Not posted in <#{item.channel_id}> yet{f': {item.fault}' if item.fault else ''}."
    return f"Posted: {message_link(campaign.guild_id, item.channel_id, item.message_id)}"
