"""`/patrol`: a patrol or blockade against whatever moves through its sector."""

from discord import app_commands

from bot.client import Interaction
from bot.kernel import Feature
from bot.rolls.answers import begin_form
from bot.rolls.options import Name, Names, PlacedRollForm
from bot.rolls.parsing import parse_targets
from bot.rolls.request import PartRequest
from bot.ui import parsing
from bot.ui.form import fill_form, option
from rules.books.campaign.patrol import STANCE

FAMILY = ("campaign", "patrol")
MAX_TARGETS = 10


class PatrolForm(PlacedRollForm):
    """The options of `/patrol`."""

    family = FAMILY
    patrol: Name = option("Who patrols or blockades")
    target: Names = option("Who passes, most important first: Grey Ghost:neutral, Zaku column")
    stance: str | None = option(
        "Stance of targets that name none. Default: hostile", default=None, choices=STANCE.options
    )


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@fill_form
async def patrol(interaction: Interaction, form: PatrolForm) -> None:
    """Roll a patrol or blockade against up to ten targets."""
    (name,) = parsing.names(form.patrol, "patrol", 1)
    targets = parse_targets(form.target, STANCE, form.stance, MAX_TARGETS)
    parsing.refuse_both((name,), [who for who, _ in targets])
    parts = [PartRequest(subjects={"patrol": name, "target": who}, choices={STANCE.id: how}) for who, how in targets]
    await begin_form(interaction, form, parts, form.region, form.week)


FEATURE = Feature(book=FAMILY[0], commands=(patrol,))
