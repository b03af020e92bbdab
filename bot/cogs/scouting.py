"""`/scout`: characters who scout a base, one roll for each."""

from discord import app_commands
from discord.app_commands import Transform

from bot.client import Interaction
from bot.core.profiles import CHARACTER_KINDS
from bot.feature import Feature
from bot.rolls import options
from bot.rolls.answers import begin, split_parts
from bot.rolls.desk import channels
from bot.rolls.request import RollCommand
from bot.ui import parsing
from bot.ui.commands import describe

FAMILY = ("campaign", "scouting")
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]
Scouters = Transform[str, options.NamesCompleter(first=CHARACTER_KINDS)]
Scouted = Transform[str, options.NameCompleter(first=("base", "outpost"))]
MAX_SCOUTERS = 10


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@describe(
    scouter="Who scouts, separated by commas: one roll each",
    base="The base to scout",
    **options.SHARED,
)
@app_commands.choices(roll=options.ROLL)
async def scout(
    interaction: Interaction,
    scouter: Scouters,
    base: Scouted,
    region: options.Region | None = None,
    week: options.Week | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    to: options.To = "auto",
    roll: str = "card",
) -> None:
    """Roll for up to ten characters scouting a base."""
    scouters = parsing.names(scouter, "scouter", MAX_SCOUTERS)
    parts = split_parts(("scouter", "base"), scouters, parsing.names(base, "base", 1))
    command = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, to)
    await begin(interaction, command, at_once=roll == "now")


FEATURE = Feature(book=FAMILY[0], commands=(scout,))
