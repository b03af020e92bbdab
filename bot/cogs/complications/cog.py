"""`/complications`: what goes wrong in a battle, one roll for each side."""

from discord import app_commands
from discord.app_commands import Choice, Transform

from bot.client import Interaction
from bot.cogs.complications.sides import sides_of
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.request import RollCommand
from bot.ui.commands import describe
from bot.ui.parsing import MAX_CHOICE
from rules.subjects import name_key

FAMILY = ("campaign", "complications")
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@describe(
    battle="A name for the battle, such as Fort Salalah",
    sides="Up to ten sides, separated by commas: Zeon, EF",
    defender="The side that defends a base",
    base="The defended base. Its damage counts only for the defender",
    **options.SHARED,
)
@app_commands.choices(roll=options.ROLL)
async def complications(
    interaction: Interaction,
    battle: str,
    sides: options.Sides,
    defender: str | None = None,
    base: options.UnitName | None = None,
    region: options.Region | None = None,
    week: options.Week | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    to: options.To = "auto",
    roll: str = "card",
) -> None:
    """Roll for unexpected complications in a battle."""
    parts = sides_of(battle, sides, defender, base)
    command = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, to)
    await begin(interaction, command, at_once=roll == "now")


@complications.autocomplete("defender")
async def _defender(interaction: Interaction, current: str) -> list[Choice[str]]:
    named = str(getattr(interaction.namespace, "sides", "") or "").split(",")
    wanted = name_key(current)
    sides = [name for name in map(str.strip, named) if name and len(name) <= MAX_CHOICE]
    return options.offer([(name, name) for name in sides if wanted in name_key(name)])
