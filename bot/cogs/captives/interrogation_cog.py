"""`/interrogate`: a captive is interrogated, one roll however many interrogate."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.captives import rolls
from bot.cogs.captives.options import Captives
from bot.cogs.captives.queries import INTERROGATION
from bot.rolls.answers import begin_form
from bot.rolls.desk import desk_of
from bot.rolls.options import Names, RollForm
from bot.ui.form import fill_form, option
from bot.ui.reply import person


class InterrogateForm(RollForm):
    """The options of `/interrogate`."""

    family = (rolls.BOOK, INTERROGATION)
    captive: Captives = option("The captive")
    interrogators: Names = option("Interrogators, separated by commas: one roll for all")


@app_commands.command(extras={"family": INTERROGATION})
@app_commands.guild_only()
@fill_form
async def interrogate(interaction: Interaction, form: InterrogateForm) -> None:
    """Roll to interrogate a captive."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    plan = await bot.database.read(rolls.interrogation, who, campaign, form.captive, form.interrogators)
    await begin_form(interaction, form, plan.parts, plan.region)
