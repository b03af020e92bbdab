"""`/war`: a war for factions, on a map: begun by a scenario, joined, looked at, and what game masters set."""

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.war import panel
from bot.cogs.war.completions import Faction, Force, Value, What
from bot.cogs.war.joining import Joining
from bot.cogs.war.maps import Layer
from bot.cogs.war.settling import Typed
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import Form, Text, fill_form, option
from rules.books.total_war.order_kinds import EXAMPLES


class JoinForm(Form):
    """The options of `/war join`."""

    faction: Faction = option("The faction to join")
    player: discord.Member | None = option("Who joins. Default: you. Game masters can add others", default=None)
    callsign: Range[str, 1, 60] | None = option(
        "The character. Default: your only one. A new name is saved", default=None
    )


class MapForm(Form):
    """The options of `/war map`."""

    layer: Layer = option("What the map shows. captured: panels that changed hands this update", default="control")
    force: Force | None = option("A force, to see where it can go and what it would capture", default=None)
    faction: Faction | None = option("Game masters only: show what this faction sees", default=None)


class SetForm(Form):
    """The options of `/war set`."""

    what: str = option("What to set", choices=[*EXAMPLES])
    to: Value = option("The new value. Suggestions fit this war")
    reason: Text = option("Your reason, kept in the ledger")


@app_commands.guild_only()
class WarCog(app_commands.Group, name="war", description="Total War: factions, forces and panels on a map"):
    """Wars."""

    @app_commands.command(extras=GAME_MASTERS)
    @describe(scenario="A scenario as a TOML file, up to 128 KiB. Default: the bot's example")
    async def new(self, interaction: Interaction, scenario: discord.Attachment | None = None) -> None:
        """Preview a scenario with its map, then start the war."""
        await panel.new(interaction, scenario)

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinForm) -> None:
        """Join a faction. Its first player leads it and its forces."""
        who = form.player.id if form.player else interaction.user.id
        await panel.join(interaction, Joining(form.faction, who, form.callsign), form.player)

    @app_commands.command()
    @describe(what="A faction, force, player, pilot or panel such as 4,-1. Default: the whole war")
    async def show(self, interaction: Interaction, what: What | None = None) -> None:
        """Show the war, or a faction, force, player or panel."""
        await panel.show(interaction, what)

    @app_commands.command(name="map")
    @fill_form
    async def map_(self, interaction: Interaction, form: MapForm) -> None:
        """Show the strategy map as you see it."""
        await panel.show_map(interaction, form.layer, form.force, form.faction)

    @app_commands.command(name="set", extras=GAME_MASTERS)
    @fill_form
    async def set_(self, interaction: Interaction, form: SetForm) -> None:
        """Set an owner, gold, a unit, a force, a rank and more."""
        await panel.settle(interaction, Typed("set", form.reason, form.what, form.to))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(text="The ruling. To remove things, end it with remove: u12, u13 and 2,-1")
    async def rule(self, interaction: Interaction, text: Text) -> None:
        """Record a ruling, such as a superweapon's strike."""
        await panel.settle(interaction, Typed("rule", text))
