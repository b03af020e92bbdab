"""`/effect`: what befalls units, characters and sides for a while."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.effects.embed import entry_pages, list_pages
from bot.cogs.effects.service import Effects, Until
from bot.core.entry_kinds import EntryView
from bot.errors import UserError
from bot.rolls import options
from bot.rolls.desk import RollDesk
from bot.ui import parsing
from bot.ui.parsing import MAX_CHOICE
from bot.ui.reply import person, say
from bot.ui.text import shorten

UNTIL: list[Choice[str]] = [
    Choice(name="the end of this update", value="update"),
    Choice(name="it is cleared", value="cleared"),
]
Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


@app_commands.guild_only()
class EffectCog(commands.GroupCog, group_name="effect", group_description="What befalls somebody for a while"):
    """Effects."""

    def __init__(self, desk: RollDesk, effects: Effects) -> None:
        self._desk = desk
        self._effects = effects

    @app_commands.command(name="set")
    @app_commands.describe(
        who="A unit, a character or a side",
        effect="What befalls it",
        until="When it ends; by its own rule when left out",
        note="A note; kept in the ledger, for the staff",
    )
    @app_commands.choices(until=UNTIL)
    async def set_effect(
        self, interaction: Interaction, who: str, effect: str, until: str | None = None, note: Text | None = None
    ) -> None:
        """Let an effect befall somebody (game masters)."""
        campaign = await self._desk.campaign(interaction)
        entry = await self._effects.set(person(interaction), campaign.id, who, effect, _until(until), note)
        hints = await self._effects.strange(person(interaction), campaign, who)
        for page in entry_pages(EntryView(entry, campaign.name), hints):
            await say(interaction, embeds=page)

    @app_commands.command(name="list")
    @app_commands.describe(who="One unit, character or side; all when left out")
    async def list_effects(self, interaction: Interaction, who: str | None = None) -> None:
        """List what lasts, since which entry and until when."""
        campaign = await self._desk.campaign(interaction)
        found = await self._effects.listed(person(interaction), campaign, who)
        for page in list_pages(found, campaign=campaign.name):
            await say(interaction, embeds=page)

    @app_commands.command()
    @app_commands.describe(who="Whom it has befallen", effect="What is to end")
    async def clear(self, interaction: Interaction, who: str, effect: str) -> None:
        """End an effect on somebody, whatever set it (game masters)."""
        campaign = await self._desk.campaign(interaction)
        entry = await self._effects.clear(person(interaction), campaign.id, who, effect)
        for page in entry_pages(EntryView(entry, campaign.name)):
            await say(interaction, embeds=page)

    @set_effect.autocomplete("who")
    @list_effects.autocomplete("who")
    @clear.autocomplete("who")
    async def _who(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        try:
            campaign = await self._desk.campaign(interaction)
            names = await self._effects.suggest(person(interaction), campaign, current)
        except UserError:
            return []
        return options.offer([(name, name) for name in names])

    @set_effect.autocomplete("effect")
    async def _effect(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        try:
            known = await self._effects.known(await self._desk.campaign(interaction))
        except UserError:
            return []
        wanted = current.strip().casefold()
        return options.offer(
            [(item.label, item.label) for item in known.values() if wanted in f"{item.label} {item.trait}".casefold()]
        )

    @clear.autocomplete("effect")
    async def _lasting(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        who = str(getattr(interaction.namespace, "who", "") or "")
        try:
            campaign = await self._desk.campaign(interaction)
            found = await self._effects.listed(person(interaction), campaign, who)
        except UserError:
            return []
        wanted = current.strip().casefold()
        held = {item.label: item.trait for item in found if wanted in f"{item.label} {item.trait}".casefold()}
        return options.offer(
            [
                (shorten(label, MAX_CHOICE), label if len(label) <= MAX_CHOICE else trait)
                for label, trait in held.items()
            ]
        )


def _until(picked: str | None) -> Until | None:
    """What was picked; Discord lets only the choices through."""
    return None if picked is None else "update" if picked == "update" else "cleared"
