"""`/cards`: open roll cards, with their buttons and windows."""

from functools import partial

import discord
from discord import app_commands

from bot.client import Interaction
from bot.kernel import Feature
from bot.rolls.answers import ask_next, roll_next
from bot.rolls.card import layout, service
from bot.rolls.card.panel import COMPONENTS, MODALS
from bot.rolls.card.service import list_open
from bot.rolls.desk import desk_of
from bot.rolls.todo import card_picker, open_cards
from bot.ui.components import component
from bot.ui.receipt import receipt
from bot.ui.reply import person, say
from bot.ui.text import COLOURS


@app_commands.command()
@app_commands.guild_only()
async def cards(interaction: Interaction) -> None:
    """List your open roll cards and open one again."""
    campaign = await desk_of(interaction).campaign(interaction)
    found = await desk_of(interaction).database.read(list_open, person(interaction), campaign)
    if not found:
        hint = "Roll commands open cards. They're listed here until you roll or cancel them."
        await say(interaction, view=receipt("No open cards", [hint]))
        return
    selects = card_picker(campaign, found, partial(_name, interaction))
    await say(interaction, view=receipt("Open cards", [f"{len(found)} of {campaign.name}"], selects=selects))


def _name(interaction: Interaction, user_id: int) -> str:
    if user_id == interaction.user.id:
        return "yours"
    member: discord.Member | None = interaction.guild.get_member(user_id) if interaction.guild else None
    return f"by {member.display_name if member else 'someone else'}"


@component(layout.DISCARD)
async def discard(interaction: Interaction, *, campaign: int, card: str) -> None:
    """Discard cards up to the newest one shown."""
    count = await interaction.client.database.write(service.discard, person(interaction), campaign, card)
    cards = f"{count} open card{'s' if count > 1 else ''}"
    await say(interaction, view=receipt(f"Discarded: {cards}", ["Nothing was rolled."], COLOURS["failure"]))


FEATURE = Feature(
    commands=(cards,),
    components=(*COMPONENTS, ask_next, discard),
    modals=(*MODALS, roll_next),
    todo=open_cards,
)
