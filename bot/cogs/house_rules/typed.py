"""A table of one's own, typed into a window: `6-19 Nothing` on each line."""

from __future__ import annotations

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.house_rules import ids
from bot.core.campaigns import Campaign
from bot.ui.paging import chunks
from bot.ui.reply import ask, say, submitted, text_field
from bot.ui.text import shorten
from bot.ui.uploads import Fault, FaultyFile, apart, tell_faults
from rules.errors import BookError
from rules.typed_table import NAME, table_file

DIE, LINES = "die", "lines"
EXAMPLE = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"
AGAIN = "Nothing was changed. Use /table add once more; what you typed stands below, to copy."
MAX_LINES = 4000
ROOM = 1900
"""Characters of a message's text, under Discord's 2,000 with the marks around them."""


async def ask_lines(interaction: Interaction, campaign: Campaign, name: str) -> None:
    """Open the window into which a table of this name is typed."""
    form = ui.Modal(title=shorten(name, 45), custom_id=ids.LINES.fill(campaign=campaign.id, name=name))
    form.add_item(
        text_field(DIE, "Die; left out, the highest number", placeholder="20, or 2d6", limit=10, needed=False)
    )
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=LINES, style=discord.TextStyle.paragraph, placeholder=EXAMPLE, max_length=MAX_LINES
    )
    await ask(interaction, form.add_item(ui.Label(text="What each result means, a line each", component=box)))


async def sent(interaction: Interaction, name: str) -> str | None:
    """Return what was typed as a file; None, and an answer with all that is wrong with the lines, where they make no table."""
    fields = submitted(interaction)
    lines = fields.get(LINES) or ""
    try:
        return await apart(table_file, name, fields.get(DIE) or "", lines)
    except BookError as error:
        faulty = FaultyFile(NAME, [Fault(fault.line, fault.what) for fault in error.faults])
    await tell_faults(interaction, faulty, AGAIN)
    for chunk in chunks(lines.replace("`", "'").splitlines(), ROOM):
        await say(interaction, content=f"```\n{chunk}\n```")
    return None
