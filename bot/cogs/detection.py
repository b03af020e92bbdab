"""`/detect`: hidden players against those who look for them, one roll for each pair."""

from discord import app_commands

from bot.client import Interaction
from bot.kernel import Feature
from bot.rolls.answers import begin_form, split_parts
from bot.rolls.options import Names, PlacedRollForm
from bot.ui import parsing
from bot.ui.form import fill_form, option
from rules.subjects import name_key

FAMILY = ("campaign", "detection")
MAX_SIDE = 25
NOBODY = {"nobody", "none", "-"}


class DetectForm(PlacedRollForm):
    """The options of `/detect`."""

    family = FAMILY
    detector: Names = option("Who looks, separated by commas")
    hidden: Names | None = option(
        "Who hides, separated by commas: one roll per pair. Leave empty if no one hides", default=None
    )


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@fill_form
async def detect(interaction: Interaction, form: DetectForm) -> None:
    """Roll to detect those who hide, up to 25 pairs."""
    nobody = form.hidden is None or name_key(form.hidden) in NOBODY
    hiders = [None] if nobody else parsing.names(form.hidden or "", "hidden player", MAX_SIDE)
    detectors = parsing.names(form.detector, "detector", MAX_SIDE)
    parsing.refuse_both(detectors, hiders)
    parts = split_parts(("detector", "hider"), detectors, hiders)
    await begin_form(interaction, form, parts, form.region, form.week)


FEATURE = Feature(book=FAMILY[0], commands=(detect,))
