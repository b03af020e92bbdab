"""`/war`: a war for factions, on a map: begun by a scenario, joined, looked at, and what game masters set."""

import discord
from discord import app_commands
from discord.app_commands import Choice, Range

from bot.client import Interaction
from bot.cogs.war import panel
from bot.cogs.war.completions import Faction, Force, Value, What
from bot.cogs.war.joining import Joining
from bot.cogs.war.maps import Layer
from bot.cogs.war.settling import Typed
from bot.ui.commands import describe
from bot.ui.parsing import MAX_TEXT
from rules.books.total_war.order_kinds import EXAMPLES

SETTINGS = [Choice(name=name, value=name) for name in EXAMPLES]
Reason = Range[str, 1, MAX_TEXT]
Callsign = Range[str, 1, 60]


@app_commands.guild_only()
class WarCog(app_commands.Group, name="war", description="Total War: factions, forces and panels on a map"):
    """Wars."""

    @app_commands.command()
    @describe(scenario="A scenario as a TOML file, 128 KiB at most; the example that comes with the bot when left out")
    async def new(self, interaction: Interaction, scenario: discord.Attachment | None = None) -> None:
        """Look at a scenario with its map, then begin a war by it (game masters)."""
        await panel.new(interaction, scenario)

    @app_commands.command()
    @describe(
        faction="The faction",
        player="Who joins; you when left out (others: game masters)",
        callsign="As which character; your only saved one when left out, a new name is saved as theirs",
    )
    async def join(
        self,
        interaction: Interaction,
        faction: Faction,
        player: discord.Member | None = None,
        callsign: Callsign | None = None,
    ) -> None:
        """Join the war; the first of a faction leads it and has its forces."""
        who = player.id if player else interaction.user.id
        await panel.join(interaction, Joining(faction, who, callsign), player)

    @app_commands.command()
    @describe(what="A faction, force, player, pilot or panel such as 4,-1; how the war stands when left out")
    async def show(self, interaction: Interaction, what: What | None = None) -> None:
        """Show how the war stands, or a sheet: bank, supply, tier, rating, aces."""
        await panel.show(interaction, what)

    @app_commands.command(name="map")
    @describe(
        layer="What the map shows; captured: what has changed hands in this update",
        force="Show where a force can go, and what it would take",
        faction="As this faction sees it (game masters)",
    )
    async def map_(
        self,
        interaction: Interaction,
        layer: Layer = "control",
        force: Force | None = None,
        faction: Faction | None = None,
    ) -> None:
        """Show the strategy map as you see it."""
        await panel.show_map(interaction, layer, force, faction)

    @app_commands.command(name="set")
    @describe(what="What is set", to="To what; what fits this war is offered", reason="Why; it is kept in the ledger")
    @app_commands.choices(what=SETTINGS)
    async def set_(self, interaction: Interaction, what: str, to: Value, reason: Reason) -> None:
        """Set an owner, gold, unit, force, rank, post, price or switch (game masters)."""
        await panel.settle(interaction, Typed("set", reason, what, to))

    @app_commands.command()
    @describe(text="The ruling; what it removes behind a mark, such as remove: u12, u13 and 2,-1")
    async def rule(self, interaction: Interaction, text: Reason) -> None:
        """Rule what the page leaves open, such as a superweapon's strike (game masters)."""
        await panel.settle(interaction, Typed("rule", text))
