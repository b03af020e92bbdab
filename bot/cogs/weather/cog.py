"""`/weather`: the weekly rollover, what the weather is, was and may become, and what its categories mean."""

from typing import Annotated

from discord import app_commands

from bot.actions import action_command
from bot.client import Interaction
from bot.cogs.weather import lookup, panel, rollover
from bot.cogs.weather.queries import MAX_WEEKS
from bot.cogs.weather.rollover import ROLLOVER_JOB, CategoryOrder
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, Completions, Region, Week, containing
from bot.schedules.actions import DAY, REMIND, TIME, Days, Minutes, SetSchedule
from bot.schedules.jobs import Job
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import Form, Text, fill_form, option
from bot.ui.reply import person
from rules.climate import category_label, place_labels
from rules.subjects import name_key


async def _complete_zone(at: Completion, current: str) -> Completions:
    return containing(current, [zone.label for book in await at.books() for zone in book.zones.values()])


async def _complete_place(at: Completion, current: str) -> Completions:
    return containing(current, [label for book in await at.books() for label in place_labels(book)])


async def _complete_category(at: Completion, current: str) -> Completions:
    """Offer categories of the zone or region that is named, or of all zones."""
    wanted = name_key(at.typed("zone") or at.typed("region"))
    labels: dict[str, None] = {}
    for book in await at.books():
        known = [zone for zone in book.zones.values() if wanted in {name_key(zone.label), zone.id}]
        known += [zone for name, (zone, _) in book.places.items() if name == wanted]
        rows = (row for zone in known or book.zones.values() for row in book.table(zone.table).rows)
        labels |= dict.fromkeys(category_label(row.outcome) for row in rows)
    return containing(current, labels)


Zone = Annotated[str, Completed(_complete_zone)]
Place = Annotated[str, Completed(_complete_place)]
Category = Annotated[str, Completed(_complete_category)]


WEEKS = 12
Weeks = app_commands.Range[int, 1, MAX_WEEKS]


CATEGORY = option("The category, such as 3, 6 West or good")


class EditCategoryForm(Form):
    """The options of `/weather edit`."""

    region: Region = option("The region")
    category: Category = CATEGORY


class SetCategoryForm(Form):
    """The options of `/weather set`."""

    zone: Zone = option("The weather zone")
    category: Category = CATEGORY
    reason: Text = option("Your reason, kept in the ledger")
    week: Week | None = option("The week. Default: the newest. In a new campaign, any week", default=None)


class WeatherSchedule(SetSchedule):
    """When the weather rolls."""

    day: Days | None = DAY
    time: str | None = TIME
    remind: Minutes | None = REMIND
    job: Job = ROLLOVER_JOB

    summary = "Show or set when the weather rolls by itself."


@app_commands.guild_only()
class WeatherCog(app_commands.Group, name="weather", description="The weather of the campaign's world"):
    """Weather."""

    schedule = action_command(WeatherSchedule)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(week="The week to roll. Default: the next one")
    async def rollover(self, interaction: Interaction, week: Week | None = None) -> None:
        """Preview next week's weather, then roll it."""
        bot = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        coming = await bot.database.read(rollover.preview, bot.library, person(interaction), campaign, week)
        await panel.show_preview(interaction, coming)

    @app_commands.command()
    @describe(region="A region. Default: all", week="The week. Default: the newest")
    async def show(self, interaction: Interaction, region: Region | None = None, week: Week | None = None) -> None:
        """Show a week's weather."""
        await lookup.show_week(interaction, await desk_of(interaction).campaign(interaction), week, region)

    @app_commands.command()
    @describe(place="A zone or region. Default: all zones", weeks="How many weeks. Default: 12")
    async def history(self, interaction: Interaction, place: Place | None = None, weeks: Weeks = WEEKS) -> None:
        """Show past weeks of weather with a heat map."""
        await lookup.show_history(interaction, await desk_of(interaction).campaign(interaction), weeks, place)

    @app_commands.command()
    async def forecast(self, interaction: Interaction) -> None:
        """Show the exact odds of next week's weather."""
        await lookup.show_forecast(interaction, await desk_of(interaction).campaign(interaction))

    @app_commands.command()
    @describe(zone="A weather zone. Default: the first")
    async def categories(self, interaction: Interaction, zone: Zone | None = None) -> None:
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
