"""`/weather`: the weekly rollover, what the weather is, was and may become, and what its categories mean."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.weather import lookup, panel, rollover
from bot.cogs.weather import options as weather_options
from bot.cogs.weather.queries import MAX_WEEKS
from bot.cogs.weather.rollover import CategoryOrder
from bot.rolls import options
from bot.rolls.desk import desk_of
from bot.schedules.panel import ScheduleForm, answer_schedule
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import Form, Text, fill_form, option
from bot.ui.reply import person

WEEKS = 12
Weeks = app_commands.Range[int, 1, MAX_WEEKS]


CATEGORY = option("The category, such as 3, 6 West or good")


class EditCategoryForm(Form):
    """The options of `/weather edit`."""

    region: options.Region = option("The region")
    category: weather_options.Category = CATEGORY


class SetCategoryForm(Form):
    """The options of `/weather set`."""

    zone: weather_options.Zone = option("The weather zone")
    category: weather_options.Category = CATEGORY
    reason: Text = option("Your reason, kept in the ledger")
    week: options.Week | None = option("The week. Default: the newest. In a new campaign, any week", default=None)


@app_commands.guild_only()
class WeatherCog(app_commands.Group, name="weather", description="The weather of the campaign's world"):
    """Weather."""

    @app_commands.command()
    @fill_form
    async def schedule(self, interaction: Interaction, form: ScheduleForm) -> None:
        """Show or set when the weather rolls by itself."""
        await answer_schedule(interaction, form)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(week="The week to roll. Default: the next one")
    async def rollover(self, interaction: Interaction, week: options.Week | None = None) -> None:
        """Preview next week's weather, then roll it."""
        bot = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        coming = await bot.database.read(rollover.preview, bot.library, person(interaction), campaign, week)
        await panel.show_preview(interaction, coming)

    @app_commands.command()
    @describe(region="A region. Default: all", week="The week. Default: the newest")
    async def show(
        self, interaction: Interaction, region: options.Region | None = None, week: options.Week | None = None
    ) -> None:
        """Show a week's weather."""
        await lookup.show_week(interaction, await desk_of(interaction).campaign(interaction), week, region)

    @app_commands.command()
    @describe(place="A zone or region. Default: all zones", weeks="How many weeks. Default: 12")
    async def history(
        self, interaction: Interaction, place: weather_options.Place | None = None, weeks: Weeks = WEEKS
    ) -> None:
        """Show past weeks of weather with a heat map."""
        await lookup.show_history(interaction, await desk_of(interaction).campaign(interaction), weeks, place)

    @app_commands.command()
    async def forecast(self, interaction: Interaction) -> None:
        """Show the exact odds of next week's weather."""
        await lookup.show_forecast(interaction, await desk_of(interaction).campaign(interaction))

    @app_commands.command()
    @describe(zone="A weather zone. Default: the first")
    async def categories(self, interaction: Interaction, zone: weather_options.Zone | None = None) -> None:
        """Show what each category of a zone means for its regions."""
        await lookup.show_categories(interaction, await desk_of(interaction).campaign(interaction), zone)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def edit(self, interaction: Interaction, form: EditCategoryForm) -> None:
        """Change what a category means for a region, or if it's land."""
        await panel.ask_cell(interaction, await desk_of(interaction).campaign(interaction), form.category, form.region)

    @app_commands.command(name="set", extras=GAME_MASTERS)
    @fill_form
    async def set_category(self, interaction: Interaction, form: SetCategoryForm) -> None:
        """Set the weather category of a zone by hand."""
        bot, who = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        wanted = CategoryOrder(form.zone, form.category, form.week, form.reason)
        change = await bot.database.write(rollover.set_category, bot.resolver, who, campaign.id, wanted)
        await panel.show_change(interaction, change)
