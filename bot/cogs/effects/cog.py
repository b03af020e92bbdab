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
from bot.ui.commands import describe
from bot.ui.reply import person, say

UNTIL: list[Choice[str]] = [
    Choice(name="the end of this update", value="update"),
    Choice(name="it is cleared", value="cleared"),
    Choice(name="the battle or scene in which it stands is over", value="scene"),
]
Hours = app_commands.Range[int, 1, 8760]
Turns = app_commands.Range[int, 1, 100]
Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


@app_commands.guild_only()
class EffectCog(app_commands.Group, name="effect", description="What befalls somebody for a while"):
    """Effects."""

    @app_commands.command(name="set")
    @describe(
        who="A unit, a character or a side",
        effect="What befalls it",
        until="When it ends; by its own rule when left out",
        note="A note; kept in the ledger, for the staff",
        hours="After how many hours from now it ends, in place of until",
        turns="After how many turns in its battle or scene it ends, in place of until",
        whose="Whose turns those are; its own when left out",
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
        """Let an effect befall somebody (game masters)."""
        bot, asker = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        what = (who, effect, _until(until), note, hours, turns, whose)
        write = bot.database.write
        change = await write(service.set_effect, bot.ledger, bot.library, bot.features, asker, campaign.id, *what)
        await _show(interaction, change)

    @app_commands.command(name="list")
    @describe(who="One unit, character or side; all when left out")
    async def list_effects(self, interaction: Interaction, who: Bearer | None = None) -> None:
        """List what lasts, since which entry and until when."""
        await panel.show_list(interaction, await desk_of(interaction).campaign(interaction), who)

    @app_commands.command()
    @describe(who="Whom it has befallen", effect="What is to end")
    async def clear(self, interaction: Interaction, who: Bearer, effect: HoldingEffect) -> None:
        """End an effect on somebody, whatever set it (game masters)."""
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
