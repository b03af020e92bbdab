"""`/newtype`: the newtype level of a saved character, rolled once."""

from discord import app_commands
from discord.app_commands import Choice, Transform

from bot.client import Interaction
from bot.core.visibility import find_saved
from bot.feature import Feature
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels, desk_of
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.commands import describe
from bot.ui.reply import person
from rules.books.campaign.newtype import AFFILIATION

FAMILY = ("campaign", "newtype")
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]
AFFILIATIONS = [Choice(name=option, value=option) for option in AFFILIATION.options]


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@describe(
    character="The saved character who gets the level",
    affiliation=f"The character's heading in the table. Default: as saved, or {AFFILIATION.options[0]}",
    **{name: options.SHARED[name] for name in ("modifiers", "note", "to", "roll")},
)
@app_commands.choices(affiliation=AFFILIATIONS, roll=options.ROLL)
async def newtype(
    interaction: Interaction,
    character: options.CharacterName,
    affiliation: str | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    to: options.To = "auto",
    roll: str = "card",
) -> None:
    """Roll a character's newtype level."""
    (asked_for,) = parsing.names(character, "character", 1)
    campaign = await desk_of(interaction).campaign(interaction)
    who = person(interaction)
    saved = await desk_of(interaction).database.read(find_saved, who, campaign, "character", asked_for)
    choices = {} if affiliation is None else {AFFILIATION.id: affiliation}
    parts = [PartRequest(subjects={"character": saved.name}, ids={"character": (saved.id,)}, choices=choices)]
    command = RollCommand(channels(interaction), FAMILY, parts, modifiers=modifiers, note=note, to=to)
    await begin(interaction, command, at_once=roll == "now")


FEATURE = Feature(book=FAMILY[0], commands=(newtype,))
