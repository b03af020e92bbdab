"""`/effect`: what befalls units, characters and sides for a while."""

from typing import get_args

from discord import app_commands
from discord.app_commands import Choice

from bot.client import Interaction
from bot.cogs.effects import panel, service
from bot.cogs.effects.embed import entry_pages
from bot.cogs.effects.ending import Until
from bot.cogs.effects.options import Bearer, HoldingEffect, KnownEffect
from bot.cogs.effects.service import EffectChange
from bot.core.entry_kinds import EntryView
from bot.orders.answering import answered
from bot.rolls.buttons import take_back_button, with_buttons
from bot.rolls.desk import desk_of
from bot.ui import parsing
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.reply import person, say

UNTIL: list[Choice[str]] = [
    Choice(name="the end of this update", value="update"),
    Choice(name="it's cleared", value="cleared"),
    Choice(name="the end of its battle or scene", value="scene"),
]
Hours = app_commands.Range[int, 1, 8760]
Turns = app_commands.Range[int, 1, 100]
Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


@app_commands.guild_only()
class EffectCog(app_commands.Group, name="effect", description="Effects that last for a while"):
    """Effects."""

    @app_commands.command(name="set", extras=GAME_MASTERS)
    @describe(
        who="A unit, character or side",
        effect="The effect, such as a siege",
        until="When it ends. Default: as its rule says",
        note="A note for game masters only",
        hours="End it after this many hours, instead of until",
        turns="End it after this many turns of its battle or scene, instead of until",
        whose="Whose turns count. Default: its own",
    )
    @app_commands.choices(until=UNTIL)
    async def set_effect(
        self,
        interaction: Interaction,
        who: Bearer,
        effect: KnownEffect,
        until: str | None = None,
        note: Text | None = None,
        hours: Hours | None = None,
        turns: Turns | None = None,
        whose: Bearer | None = None,
    ) -> None:
        """Add an effect to a unit, character or side."""
        bot, asker = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        what = (who, effect, _until(until), note, hours, turns, whose)
        write = bot.database.write
        change = await write(service.set_effect, bot.ledger, bot.library, bot.features, asker, campaign.id, *what)
        await _show(interaction, change)

    @app_commands.command(name="list")
    @describe(who="A unit, character or side. Default: all")
    async def list_effects(self, interaction: Interaction, who: Bearer | None = None) -> None:
        """List effects, when they began and when they end."""
        await panel.show_list(interaction, await desk_of(interaction).campaign(interaction), who)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(who="The unit, character or side that has it", effect="The effect to end")
    async def clear(self, interaction: Interaction, who: Bearer, effect: HoldingEffect) -> None:
        """End an effect on a unit, character or side."""
        bot, asker = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        kernel = (bot.ledger, bot.library, bot.features)
        change = await bot.database.write(service.clear, *kernel, asker, campaign.id, who, effect)
        await _show(interaction, change)
        await answered(interaction, campaign)


async def _show(interaction: Interaction, change: EffectChange) -> None:
    below = with_buttons(take_back_button(change.campaign.id, change.entry.number))
    for page in entry_pages(EntryView(change.entry, change.campaign.name), name_warnings=change.name_warnings):
        await say(interaction, embeds=page, view=below)


def _until(picked: str | None) -> Until | None:
    """Return what was picked; Discord lets only the choices through."""
    return next((until for until in get_args(Until) if until == picked), None)
