"""`/patrol`, `/scout`, `/detect` and `/newtype`."""

from typing import Annotated

from discord import app_commands

from bot.client import Interaction
from bot.core import profiles, visibility
from bot.kernel import Feature
from bot.rolls.answers import begin_form, split_parts
from bot.rolls.desk import desk_of, parse_targets
from bot.rolls.options import CharacterName, Name, NameCompleter, Names, NamesCompleter, PlacedRollForm, RollForm
from bot.rolls.request import PartRequest
from bot.ui import parsing, reply
from bot.ui.parsing import fill_form, option
from rules.books.campaign.book import AFFILIATION
from rules.books.campaign.orders import STANCE
from rules.subjects import name_key

BOOK = "campaign"
MAX_TARGETS = MAX_SCOUTERS = 10
MAX_SIDE = 25
NOBODY = {"nobody", "none", "-"}


class PatrolForm(PlacedRollForm):
    """Options of `/patrol`."""

    family = (BOOK, "patrol")
    patrol: Name = option("Who patrols or blockades")
    target: Names = option("Who passes, most important first: Grey Ghost:neutral, Zaku column")
    stance: str | None = option(
        "Stance of targets that name none. Default: hostile", default=None, choices=STANCE.options
    )


@app_commands.command(extras={"family": "patrol"})
@fill_form
async def patrol(interaction: Interaction, form: PatrolForm) -> None:
    """Roll a patrol or blockade against up to ten targets."""
    (name,) = parsing.names(form.patrol, "patrol", 1)
    targets = parse_targets(form.target, STANCE, form.stance, MAX_TARGETS)
    parsing.refuse_both((name,), [who for who, _ in targets])
    parts = [PartRequest(subjects={"patrol": name, "target": who}, choices={STANCE.id: how}) for who, how in targets]
    await begin_form(interaction, form, parts, form.region, form.week)


class ScoutForm(PlacedRollForm):
    """Options of `/scout`."""

    family = (BOOK, "scouting")
    scouter: Annotated[str, NamesCompleter(first=profiles.CHARACTER_KINDS)] = option(
        "Who scouts, separated by commas: one roll each"
    )
    base: Annotated[str, NameCompleter(first=("base", "outpost"))] = option("The base to scout")


@app_commands.command(extras={"family": "scouting"})
@fill_form
async def scout(interaction: Interaction, form: ScoutForm) -> None:
    """Roll for up to ten characters scouting a base."""
    scouters = parsing.names(form.scouter, "scouter", MAX_SCOUTERS)
    parts = split_parts(("scouter", "base"), scouters, parsing.names(form.base, "base", 1))
    await begin_form(interaction, form, parts, form.region, form.week)


class DetectForm(PlacedRollForm):
    """Options of `/detect`."""

    family = (BOOK, "detection")
    detector: Names = option("Who looks, separated by commas")
    hidden: Names | None = option(
        "Who hides, separated by commas: one roll per pair. Leave empty if no one hides", default=None
    )


@app_commands.command(extras={"family": "detection"})
@fill_form
async def detect(interaction: Interaction, form: DetectForm) -> None:
    """Roll to detect those who hide, up to 25 pairs."""
    nobody = form.hidden is None or name_key(form.hidden) in NOBODY
    hiders = [None] if nobody else parsing.names(form.hidden or "", "hidden player", MAX_SIDE)
    detectors = parsing.names(form.detector, "detector", MAX_SIDE)
    parsing.refuse_both(detectors, hiders)
    parts = split_parts(("detector", "hider"), detectors, hiders)
    await begin_form(interaction, form, parts, form.region, form.week)


class NewtypeForm(RollForm):
    """Options of `/newtype`."""

    family = (BOOK, "newtype")
    character: CharacterName = option("The saved character who gets the level")
    affiliation: str | None = option(
        f"The character's heading in the table. Default: as saved, or {AFFILIATION.options[0]}",
        default=None,
        choices=AFFILIATION.options,
    )


@app_commands.command(extras={"family": "newtype"})
@fill_form
async def newtype(interaction: Interaction, form: NewtypeForm) -> None:
    """Roll a character's newtype level."""
    (asked_for,) = parsing.names(form.character, "character", 1)
    desk = desk_of(interaction)
    campaign, who = await desk.campaign(interaction), reply.person(interaction)
    saved = await desk.database.read(visibility.find_saved, who, campaign, asked_for, of_characters=True)
    choices = {} if form.affiliation is None else {AFFILIATION.id: form.affiliation}
    part = PartRequest(subjects={"character": saved.name}, ids={"character": (saved.id,)}, choices=choices)
    await begin_form(interaction, form, [part])


FEATURE = Feature(book=BOOK, commands=(patrol, scout, detect, newtype))
