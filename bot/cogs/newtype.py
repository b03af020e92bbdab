"""`/newtype`: the newtype level of a saved character, rolled once."""

from discord import app_commands

from bot.client import Interaction
from bot.core.visibility import find_saved
from bot.kernel import Feature
from bot.rolls.answers import begin_form
from bot.rolls.desk import desk_of
from bot.rolls.options import CharacterName, RollForm
from bot.rolls.request import PartRequest
from bot.ui import parsing
from bot.ui.form import fill_form, option
from bot.ui.reply import person
from rules.books.campaign.newtype import AFFILIATION

FAMILY = ("campaign", "newtype")


class NewtypeForm(RollForm):
    """The options of `/newtype`."""

    family = FAMILY
    character: CharacterName = option("The saved character who gets the level")
    affiliation: str | None = option(
        f"The character's heading in the table. Default: as saved, or {AFFILIATION.options[0]}",
        default=None,
        choices=AFFILIATION.options,
    )


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@fill_form
async def newtype(interaction: Interaction, form: NewtypeForm) -> None:
    """Roll a character's newtype level."""
    (asked_for,) = parsing.names(form.character, "character", 1)
    campaign = await desk_of(interaction).campaign(interaction)
    who = person(interaction)
    saved = await desk_of(interaction).database.read(find_saved, who, campaign, "character", asked_for)
    choices = {} if form.affiliation is None else {AFFILIATION.id: form.affiliation}
    part = PartRequest(subjects={"character": saved.name}, ids={"character": (saved.id,)}, choices=choices)
    await begin_form(interaction, form, [part])


FEATURE = Feature(book=FAMILY[0], commands=(newtype,))
