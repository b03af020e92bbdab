"""`/weather`: the weekly rollover, what the weather is, was and may become, and what its categories mean."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.weather import options as weather_options
from bot.cogs.weather.category_embed import category_pages, forecast_pages
from bot.cogs.weather.embed import history_embeds, week_embeds
from bot.cogs.weather.panel import WeatherPanel, say_pages
from bot.cogs.weather.pictures import Drawings
from bot.cogs.weather.queries import MAX_WEEKS, Almanac, find_place, find_region, find_zone
from bot.cogs.weather.rollover import Weather
from bot.rolls import options
from bot.rolls.desk import RollDesk
from bot.schedules.panel import DAYS, schedule_command
from bot.ui.paging import pages
from bot.ui.reply import person

WEEKS = 12
Weeks = app_commands.Range[int, 1, MAX_WEEKS]
Reason = app_commands.Range[str, 1, 500]


@app_commands.guild_only()
class WeatherCog(commands.GroupCog, group_name="weather", group_description="The weather of the campaign's world"):
    """Weather."""

    schedule = schedule_command("See when the weather rolls by itself; game masters change it.", DAYS)

    def __init__(
        self,
        desk: RollDesk,
        panel: WeatherPanel,
        weather: Weather,
        almanac: Almanac,
        drawings: Drawings,
    ) -> None:
        self._desk = desk
        self._panel = panel
        self._weather = weather
        self._almanac = almanac
        self._drawings = drawings

    @app_commands.command()
    @app_commands.describe(week="The week to roll; the next one when left out")
    async def rollover(self, interaction: Interaction, week: options.Week | None = None) -> None:
        """Preview the next week's weather and roll it (game masters)."""
        await self._panel.preview(interaction, await self._desk.campaign(interaction), week)

    @app_commands.command()
    @app_commands.describe(region="One region; all when left out", week="Which week; the newest when left out")
    async def show(
        self, interaction: Interaction, region: options.Region | None = None, week: options.Week | None = None
    ) -> None:
        """Show a week's weather."""
        campaign = await self._desk.campaign(interaction)
        report = await self._almanac.week(campaign, week)
        place = find_region(report.book, region)[1].id if region else None
        made, changed = report.kept.entry, report.kept.changed
        embeds = week_embeds(report.told, campaign=campaign.name, entry=made, changed=changed, region=place)
        await say_pages(interaction, pages(embeds), await self._drawings.week(report.told, report.book))

    @app_commands.command()
    @app_commands.describe(
        place="One zone or region; all zones when left out", weeks="How many weeks; 12 when left out"
    )
    async def history(
        self, interaction: Interaction, place: weather_options.Place | None = None, weeks: Weeks = WEEKS
    ) -> None:
        """Show the weeks before, with a heat map."""
        campaign = await self._desk.campaign(interaction)
        held = await self._almanac.history(campaign, weeks)
        about = find_place(held.book, place) if place else None
        embeds = history_embeds(held.weeks, held.book, campaign=campaign.name, place=about)
        await say_pages(interaction, pages(embeds), await self._drawings.history(held.weeks, held.book, about))

    @app_commands.command()
    async def forecast(self, interaction: Interaction) -> None:
        """Show the exact odds of next week's weather."""
        campaign = await self._desk.campaign(interaction)
        forecast, book = await self._almanac.forecast(campaign)
        await say_pages(interaction, forecast_pages(forecast, book, campaign=campaign.name), None)

    @app_commands.command()
    @app_commands.describe(zone="One zone; all when left out")
    async def categories(self, interaction: Interaction, zone: weather_options.Zone | None = None) -> None:
        """Show what each category means for each region."""
        meanings = await self._almanac.meanings(await self._desk.campaign(interaction))
        zones = [find_zone(meanings.book, zone)] if zone else list(meanings.book.zones.values())
        await say_pages(interaction, category_pages(meanings.book, zones, meanings.edited, meanings.moved), None)

    @app_commands.command()
    @app_commands.describe(region="The region", category="The category: 3, 6 West, good")
    async def edit(self, interaction: Interaction, region: options.Region, category: weather_options.Category) -> None:
        """Change what a category means for a region, and whether it is land or sea (game masters)."""
        await self._panel.ask_cell(interaction, await self._desk.campaign(interaction), category, region)

    @app_commands.command(name="set")
    @app_commands.describe(
        zone="The weather zone",
        category="Its category: 3, 6 West, good",
        reason="Why; it is kept in the ledger",
        week="Which week; the newest when left out, and any to begin with",
    )
    async def set_category(
        self,
        interaction: Interaction,
        zone: weather_options.Zone,
        category: weather_options.Category,
        reason: Reason,
        week: options.Week | None = None,
    ) -> None:
        """Set a zone's category by hand, or how things stand at the start (game masters)."""
        campaign = await self._desk.campaign(interaction)
        who = person(interaction)
        done = await self._weather.set_outcome(who, campaign.id, zone, category, number=week, reason=reason)
        await self._panel.tell(interaction, done)

    @app_commands.command()
    @app_commands.describe(reason="Why; it is kept in the ledger")
    async def undo(self, interaction: Interaction, reason: Reason) -> None:
        """Take the last rollover back; its entry stays and is marked void (game masters)."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, await self._weather.undo(person(interaction), campaign.id, reason))
