"""`/character`: the player characters and named NPCs of a campaign."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Choice
from discord.ext.commands import GroupCog

from bot.client import Interaction
from bot.cogs.roster import field_options, profile_commands
from bot.core.campaigns import CHARACTERS
from bot.core.profiles import CHARACTER_KINDS
from bot.rolls import options

CHARACTER = "character"
KINDS = [Choice(name="player character", value="pc"), Choice(name="named NPC", value="npc")]
FIELDS = {
    "kind": "A player's or a game master's",
    "side": "Whose side it is on; none for nobody's (game masters)",
    "owner": "The member who plays it; pick me, the bot, for nobody",
    "squad": "The saved unit it belongs to, whose traits then count for it too; none for no unit",
    "fields": field_options.FIELDS,
    "secret": "Whether only game masters and its owner may know of it",
}


@app_commands.guild_only()
class CharacterCog(GroupCog, group_name="character", group_description="Saved player characters and named NPCs"):
    """Characters."""

    @app_commands.command()
    @app_commands.describe(name="What it is called", **FIELDS)
    @app_commands.choices(kind=KINDS)
    async def add(
        self,
        interaction: Interaction,
        name: str,
        kind: str = "pc",
        side: str | None = None,
        owner: discord.Member | None = None,
        squad: options.UnitName | None = None,
        fields: field_options.OfCharacter | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Save a character, then tick its traits (game masters)."""
        await profile_commands.add(
            interaction, name, kind, side=side, owner=owner, squad=squad, fields=fields, secret=secret
        )

    @app_commands.command(extras={"family": CHARACTERS})
    @app_commands.describe(name="Which character", new_name="What it is called from now on", **FIELDS)
    @app_commands.choices(kind=KINDS)
    async def edit(
        self,
        interaction: Interaction,
        name: options.CharacterName,
        new_name: str | None = None,
        kind: str | None = None,
        side: str | None = None,
        owner: discord.Member | None = None,
        squad: options.UnitName | None = None,
        fields: field_options.OfCharacter | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Change a character (game masters; players what is open to them of their own)."""
        given = {"name": new_name, "kind": kind, "side": side, "owner": owner, "squad": squad}
        await profile_commands.edit(interaction, CHARACTER, name, **given, fields=fields, secret=secret)

    @app_commands.command()
    @app_commands.describe(name="Which character")
    async def show(self, interaction: Interaction, name: options.CharacterName) -> None:
        """Show a character; who may change it ticks its traits there."""
        await profile_commands.show(interaction, CHARACTER, name)

    @app_commands.command(name="list")
    @app_commands.describe(kind="Only these", side="Only those of this side")
    @app_commands.choices(kind=KINDS)
    async def list_(self, interaction: Interaction, kind: str | None = None, side: str | None = None) -> None:
        """List the saved characters that you may know of."""
        await profile_commands.show_list(interaction, CHARACTER, [kind] if kind else CHARACTER_KINDS, side)

    @app_commands.command()
    @app_commands.describe(name="Which character")
    async def remove(self, interaction: Interaction, name: options.CharacterName) -> None:
        """Remove a character with all that is kept under its name (game masters)."""
        await profile_commands.ask_remove(interaction, CHARACTER, name)
