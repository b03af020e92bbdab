"""`/unit`: the squads, ships, fleets, outposts, bases, places and things of a campaign."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Choice
from discord.ext.commands import GroupCog

from bot.client import Interaction
from bot.cogs.roster import field_options, profile_commands
from bot.core.profiles import UNIT_KINDS
from bot.rolls import options

UNIT = "unit"
KINDS = [Choice(name=kind, value=kind) for kind in UNIT_KINDS]
FIELDS = {
    "side": "Whose it is; none for nobody's",
    "owner": "The member who plays it; pick me, the bot, for nobody",
    "region": "Where it is; rolls about it happen there unless they name another region",
    "fields": field_options.FIELDS,
    "secret": "Whether only game masters and its owner may know of it",
}


@app_commands.guild_only()
class UnitCog(GroupCog, group_name="unit", group_description="Saved squads, ships, bases, places and things"):
    """Units."""

    @app_commands.command()
    @app_commands.describe(name="What it is called", kind="What it is", **FIELDS)
    @app_commands.choices(kind=KINDS)
    async def add(
        self,
        interaction: Interaction,
        name: str,
        kind: str,
        side: str | None = None,
        owner: discord.Member | None = None,
        region: options.Region | None = None,
        fields: field_options.OfUnit | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Save a unit, then tick its traits (game masters)."""
        await profile_commands.add(
            interaction, name, kind, side=side, owner=owner, region=region, fields=fields, secret=secret
        )

    @app_commands.command()
    @app_commands.describe(name="Which unit", new_name="What it is called from now on", kind="What it is", **FIELDS)
    @app_commands.choices(kind=KINDS)
    async def edit(
        self,
        interaction: Interaction,
        name: options.UnitName,
        new_name: str | None = None,
        kind: str | None = None,
        side: str | None = None,
        owner: discord.Member | None = None,
        region: options.Region | None = None,
        fields: field_options.OfUnit | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Change what is saved of a unit (game masters)."""
        given = {"name": new_name, "kind": kind, "side": side, "owner": owner, "region": region, "secret": secret}
        await profile_commands.edit(interaction, UNIT, name, **given, fields=fields)

    @app_commands.command()
    @app_commands.describe(name="Which unit")
    async def show(self, interaction: Interaction, name: options.UnitName) -> None:
        """Show a unit; who may change it ticks its traits there."""
        await profile_commands.show(interaction, UNIT, name)

    @app_commands.command(name="list")
    @app_commands.describe(kind="Only these", side="Only those of this side")
    @app_commands.choices(kind=KINDS)
    async def list_(self, interaction: Interaction, kind: str | None = None, side: str | None = None) -> None:
        """List the saved units that you may know of."""
        await profile_commands.show_list(interaction, UNIT, [kind] if kind else UNIT_KINDS, side)

    @app_commands.command()
    @app_commands.describe(name="Which unit")
    async def remove(self, interaction: Interaction, name: options.UnitName) -> None:
        """Remove a unit with all that is kept under its name (game masters)."""
        await profile_commands.ask_remove(interaction, UNIT, name)
