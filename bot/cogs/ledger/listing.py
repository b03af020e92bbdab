"""A page of entries, of which one is picked to see it whole."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui

from bot.client import Interaction
from bot.cogs.ledger.embed import entry_line
from bot.cogs.ledger.service import EntryDetails
from bot.core.campaigns import Campaign
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.receipt import page_buttons, picker, receipt
from bot.ui.reply import person
from bot.ui.text import bare

PICK = IdTemplate("ledger:{campaign:int}:show")
"""The id of the select under a list, from which an entry is picked."""


def listed(
    interaction: Interaction,
    campaign: Campaign,
    title: str,
    page: Sequence[EntryDetails],
    *pages: tuple[str, str | None],
    more: Sequence[str] = (),
) -> ui.LayoutView:
    """Return a page of entries under a title, to pick one from, with buttons to other pages and `more` lines below it."""
    kinds = interaction.client.kinds
    lines = [entry_line(kinds, item.shown, item.view, who=item.user_id) for item in page]
    options = [
        (
            str(item.shown.entry.number),
            f"Entry #{item.shown.entry.number}",
            bare(kinds.sentence(item.shown.entry, item.view)),
        )
        for item in page
    ]
    done = " to publish, amend or undo it" if person(interaction).leads(campaign) else ""
    select = picker(PICK.fill(campaign=campaign.id), f"Open an entry{done}", options)
    return receipt(title, [*lines, *more], COLOURS["neutral"], page_buttons(*pages), select)
