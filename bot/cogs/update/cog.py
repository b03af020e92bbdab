"""`/update`: the game's day or week."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.campaign.embed import closed_embed, update_embed
from bot.cogs.update.service import Updates
from bot.rolls.desk import RollDesk
from bot.schedules.panel import CATCH_UP, DAYS_OR_DAILY, OPTIONS, SchedulePanel
from bot.schedules.service import MAX_REMIND, Plan
from bot.schedules.store import CatchUp
from bot.ui.reply import person, say


@app_commands.guild_only()
class UpdateCog(commands.GroupCog, group_name="update", group_description="The game's day or week"):
    """Updates."""

    def __init__(self, desk: RollDesk, updates: Updates, schedules: SchedulePanel) -> None:
        self._desk = desk
        self._updates = updates
        self._schedules = schedules

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the current update and what ends with it."""
        campaign = await self._desk.campaign(interaction)
        current = await self._updates.current(campaign.id)
        shown = (current.ending, current.lasting) if person(interaction).leads(campaign) else ((), ())
        await say(interaction, embed=update_embed(current.update, *shown))

    @app_commands.command()
    @app_commands.describe(name="What the next update is called")
    async def close(self, interaction: Interaction, name: str | None = None) -> None:
        """Close the current update and begin the next (game masters)."""
        campaign = await self._desk.campaign(interaction)
        closed = await self._updates.close(person(interaction), campaign.id, name)
        embed = closed_embed(closed.before, closed.after, closed.ended, closed.entry.number)
        await say(interaction, embed=embed)

    @app_commands.command()
    @app_commands.describe(**OPTIONS)
    @app_commands.choices(day=DAYS_OR_DAILY, catch_up=CATCH_UP)
    async def schedule(
        self,
        interaction: Interaction,
        day: str | None = None,
        time: str | None = None,
        remind: app_commands.Range[int, 0, MAX_REMIND] | None = None,
        catch_up: CatchUp | None = None,
        *,
        off: bool = False,
    ) -> None:
        """See when updates close by themselves; game masters change it."""
        await self._schedules.command(interaction, "update", Plan(day, time, remind, catch_up), off=off)
