"""Roll cards: their components and modals, and `/cards`, which lists open ones and shows them again."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from bot.client import Interaction
from bot.core.campaigns import Campaign
from bot.core.people import named
from bot.feature import Feature
from bot.rolls.card import ids
from bot.rolls.card.panel import COMPONENTS, MODALS
from bot.rolls.card.service import still_open
from bot.rolls.card.store import Card
from bot.rolls.desk import desk_of
from bot.rolls.request import RollRequest
from bot.ui.receipt import receipt
from bot.ui.reply import person, say
from bot.ui.text import shorten


class CardsCog(commands.Cog):
    """Open roll cards."""

    @app_commands.command()
    @app_commands.guild_only()
    async def cards(self, interaction: Interaction) -> None:
        """List your open roll cards and open one again; game masters see everybody's."""
        campaign = await desk_of(interaction).campaign(interaction)
        found = await desk_of(interaction).database.read(still_open, person(interaction), campaign)
        if not found:
            await say(
                interaction,
                view=receipt("No open cards", ["Start a roll with its command, such as /patrol."]),
            )
            return
        await say(interaction, view=_picker(interaction, campaign, found))


def _picker(interaction: Interaction, campaign: Campaign, found: list[tuple[Card, RollRequest]]) -> ui.LayoutView:
    select: ui.Select[ui.LayoutView] = ui.Select(
        custom_id=ids.OPEN.fill(campaign=campaign.id), placeholder="Open a card again"
    )
    for card, request in found:
        who = "yours" if card.owner_id == interaction.user.id else f"by {_name(interaction, card.owner_id)}"
        subjects = dict.fromkeys(name for part in request.parts for name in part.subjects.values())
        names = named(", ".join(subjects), request.people)
        select.add_option(
            label=shorten(f"{request.family}: {names}", 100),
            value=card.id,
            description=shorten(f"{who}, opened {card.opened_at:%d %b %H:%M} UTC", 100),
        )
    view = receipt("Open cards", [f"{len(found)} of {campaign.name}"])
    container = view.children[0]
    assert isinstance(container, ui.Container)  # noqa: S101 - receipt makes it so
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    container.add_item(row.add_item(select))
    return view


def _name(interaction: Interaction, user_id: int) -> str:
    member: discord.Member | None = interaction.guild.get_member(user_id) if interaction.guild else None
    return member.display_name if member else "somebody else"


FEATURE = Feature(cogs=(CardsCog,), components=COMPONENTS, modals=MODALS)
setup = FEATURE.setup
