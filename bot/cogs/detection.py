"""`/detect`: hidden players against those who look for them, one roll for each pair."""

from discord import app_commands
from discord.app_commands import Transform

from bot.client import Interaction
from bot.feature import Feature
from bot.rolls import options
from bot.rolls.answers import begin, split_parts
from bot.rolls.desk import channels
from bot.rolls.request import RollCommand
from bot.ui import parsing
from bot.ui.commands import describe
from rules.subjects import name_key

FAMILY = ("campaign", "detection")
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]
MAX_SIDE = 25
NOBODY = {"nobody", "none", "-"}


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@describe(
    detector="Who looks, separated by commas",
    hidden="Who hides, separated by commas: one roll per pair. Leave empty if no one hides",
    **options.SHARED,
)
@app_commands.choices(roll=options.ROLL)
async def detect(
    interaction: Interaction,
    detector: options.Names,
    hidden: options.Names | None = None,
    region: options.Region | None = None,
    week: options.Week | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    to: options.To = "auto",
    roll: str = "card",
) -> None:
    """Roll to detect those who hide, up to 25 pairs."""
    nobody = hidden is None or name_key(hidden) in NOBODY
    hiders = [None] if nobody else parsing.names(hidden or "", "hidden player", MAX_SIDE)
    detectors = parsing.names(detector, "detector", MAX_SIDE)
    parsing.refuse_both(detectors, hiders)
    parts = split_parts(("detector", "hider"), detectors, hiders)
    command = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, to)
    await begin(interaction, command, at_once=roll == "now")


FEATURE = Feature(book=FAMILY[0], commands=(detect,))
