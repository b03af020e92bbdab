"""`/patrol`: a patrol or blockade against whatever moves through its sector."""

from discord import app_commands
from discord.app_commands import Choice, Transform

from bot.client import Interaction
from bot.feature import Feature
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.parsing import parse_targets
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.commands import describe
from rules.books.campaign.patrol import STANCE

FAMILY = ("campaign", "patrol")
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]
MAX_TARGETS = 10
STANCES = [Choice(name=stance, value=stance) for stance in STANCE.options]


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@describe(
    patrol="Who patrols or blockades",
    target="Who passes, most important first: Grey Ghost:neutral, Zaku column",
    stance="Stance of targets that name none. Default: hostile",
    **options.SHARED,
)
@app_commands.choices(stance=STANCES, roll=options.ROLL)
async def patrol(
    interaction: Interaction,
    patrol: options.Name,
    target: options.Names,
    stance: str | None = None,
    region: options.Region | None = None,
    week: options.Week | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    to: options.To = "auto",
    roll: str = "card",
) -> None:
    """Roll a patrol or blockade against up to ten targets."""
    (name,) = parsing.names(patrol, "patrol", 1)
    targets = parse_targets(target, STANCE, stance, MAX_TARGETS)
    parsing.refuse_both((name,), [who for who, _ in targets])
    parts = [PartRequest(subjects={"patrol": name, "target": who}, choices={STANCE.id: how}) for who, how in targets]
    command = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, to)
    await begin(interaction, command, at_once=roll == "now")


FEATURE = Feature(book=FAMILY[0], commands=(patrol,))
