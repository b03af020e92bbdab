"""`/effect`: what befalls units, characters and sides for a while."""

from discord import app_commands

from bot.actions import act, action_command, pressed_campaign
from bot.client import Interaction
from bot.cogs.effects import queries
from bot.cogs.effects.actions import AnswerEffect, Bearer, ClearEffect, SetEffect
from bot.cogs.effects.facts import END
from bot.cogs.effects.queries import list_pages
from bot.core.campaigns import Campaign
from bot.rolls.desk import desk_of
from bot.rolls.doubts import find_slip
from bot.ui.components import Component, IdTemplate, component
from bot.ui.form import describe
from bot.ui.reply import person, refuse_slip, say

OF = IdTemplate("effects:{campaign:int}:{who:rest}")
"""The id of the button that lists the effects on the one who was meant (a name)."""


async def show_list(interaction: Interaction, campaign: Campaign, who: str | None) -> None:
    """List all effects, or those on one (a name); ask first where the name is probably a slip."""
    bot, asker = interaction.client, person(interaction)
    effects = await bot.database.read(queries.list_effects, bot.library, asker, campaign, who)
    meant = await bot.database.read(find_slip, asker, campaign, who) if who and not effects else None
    if who and meant:
        await refuse_slip(interaction, who, meant, OF.fill(campaign=campaign.id, who=meant))
        return
    for page in list_pages(effects, campaign=campaign.name):
        await say(interaction, embeds=page)


@component(OF)
async def list_meant(interaction: Interaction, *, campaign: int, who: str) -> None:
    """List the effects on the one who was meant."""
    here = await pressed_campaign(interaction, campaign)
    await show_list(interaction, here, who)


@component(END)
async def end(interaction: Interaction, *, campaign: int, subject: int, entry: int) -> None:
    """End an effect that is a question, as a game master answers it."""
    await act(interaction, AnswerEffect(subject=subject, entry=entry), campaign, replaces=True)


COMPONENTS: tuple[Component, ...] = (list_meant, end)


@app_commands.guild_only()
class EffectCog(app_commands.Group, name="effect", description="Effects that last for a while"):
    """Effects."""

    set_effect = action_command(SetEffect)

    @app_commands.command(name="list")
    @describe(who="A unit, character or side. Default: all")
    async def list_effects(self, interaction: Interaction, who: Bearer | None = None) -> None:
        """List effects, when they began and when they end."""
        await show_list(interaction, await desk_of(interaction).campaign(interaction), who)

    clear = action_command(ClearEffect)
