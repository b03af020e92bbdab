"""`/interrogate`: a captive is interrogated, one roll however many interrogate."""

from discord import app_commands
from discord.app_commands import Transform

from bot.client import Interaction
from bot.cogs.captives import rolls
from bot.cogs.captives.options import Captives
from bot.cogs.captives.queries import INTERROGATION
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels, desk_of
from bot.rolls.request import RollCommand
from bot.ui.commands import describe
from bot.ui.reply import person

FAMILY = (rolls.BOOK, INTERROGATION)
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@describe(
    captive="The captive",
    interrogators="Interrogators, separated by commas: one roll for all",
    **{name: options.SHARED[name] for name in ("modifiers", "note", "to", "roll")},
)
@app_commands.choices(roll=options.ROLL)
async def interrogate(
    interaction: Interaction,
    captive: Captives,
    interrogators: options.Names,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    to: options.To = "auto",
    roll: str = "card",
) -> None:
    """Roll to interrogate a captive."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    plan = await bot.database.read(rolls.interrogation, who, campaign, captive, interrogators)
    where = (channels(interaction), FAMILY, plan.parts, plan.region, None)
    command = RollCommand(*where, modifiers, note, to)
    await begin(interaction, command, at_once=roll == "now")
