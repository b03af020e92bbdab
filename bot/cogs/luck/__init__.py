"""`/luck`: the dice someone may see, compared with fair ones."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.luck.counting import KINDS, Count, LuckFilter, count, describe_count, describe_fit
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.kernel import Feature
from bot.outbox.message import draw_picture
from bot.rolls.consequences import find_slip
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, Completions, Name, filter_labels
from bot.ui import text
from bot.ui.components import IdTemplate, component
from bot.ui.parsing import Form, fill_form, option
from bot.ui.reply import person, refuse_slip, say
from bot.ui.text import ATTACHED, COLOURS, Picture, alt_of, plain, strip_marks
from rules.odds import fit_to_fair

FILE = "luck.png"

MEANT = IdTemplate("luck:{campaign:int}:{weeks:int}:{unit:rest}")
"""The id of the button that counts the meant unit; `weeks` 0 is all time."""


async def _show(interaction: Interaction, campaign: Campaign, wanted: LuckFilter, name: str | None = None) -> None:
    read, asker = interaction.client.database.read, person(interaction)
    found = await read(count, asker, campaign, wanted)
    meant = await read(find_slip, asker, campaign, wanted.unit) if wanted.unit and not found.faces else None
    if wanted.unit and meant:
        key = MEANT.fill(campaign=campaign.id, weeks=wanted.weeks or 0, unit=meant)
        narrowed = wanted.user_id is not None or wanted.family is not None
        await refuse_slip(interaction, wanted.unit, meant, None if narrowed else key)
        return
    if not found.faces:
        raise BadInput("No dice that you can see were rolled there.", "Leave an option out, or roll first.")
    title = f"Dice statistics: {plain(_describe_filter(wanted, name))}"
    picture = await draw_picture(FILE, partial(_draw_picture, found))
    embed, *_ = text.fit_embeds(title, describe_count(found), colour=COLOURS["neutral"], footer=campaign.name)
    if picture is None:
        await say(interaction, embed=embed)
    else:
        await say(interaction, embed=embed.set_image(url=f"{ATTACHED}{FILE}"), file=picture.file())


@component(MEANT)
async def _count_meant(interaction: Interaction, *, campaign: int, weeks: int, unit: str) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await _show(interaction, here, LuckFilter(unit=unit, weeks=weeks or None))


def _describe_filter(wanted: LuckFilter, name: str | None) -> str:
    parts = [
        *([f"rolls made by {name}"] if name else []),
        *([wanted.unit] if wanted.unit else []),
        *([wanted.family] if wanted.family else []),
        *(["the last week" if wanted.weeks == 1 else f"the last {wanted.weeks} weeks"] if wanted.weeks else []),
    ]
    return ", ".join(parts) or "all rolls"


def _draw_picture(found: Count) -> Picture:
    from bot.cogs.luck.chart import draw_chart, make_bars  # noqa: PLC0415 - Pillow loads with the first picture

    shown = found.kinds()[:KINDS]
    blocks = [make_bars(f"d{sides}, {sum(counts):,} rolled", counts) for sides, counts in shown]
    return Picture(FILE, draw_chart("Rolled (bars), expected (lines)", blocks), alt_of(list(_describe_picture(found))))


def _describe_picture(found: Count) -> Iterator[str]:
    yield "Bars show how often each face was rolled, lines what is expected."
    for sides, counts in found.kinds()[:KINDS]:
        thrown = sum(counts)
        low, high = min(counts), max(counts)
        yield (
            f"d{sides}: rolled {thrown:,} times, {thrown / sides:.1f} expected of each face; most often "
            f"{counts.index(high) + 1} ({high}), least often {counts.index(low) + 1} ({low})."
        )
        yield strip_marks(describe_fit(fit_to_fair(counts), sides))


MAX_WEEKS = 520


async def _complete_family(at: Completion, current: str) -> Completions:
    titles = {item.title for book in await at.books() for item in book.procedures.values()}
    return filter_labels(current, sorted(titles))


class LuckForm(Form):
    """The options of `/luck`."""

    person: discord.Member | None = option("Only rolls that this member made", default=None)
    unit: Name | None = option("Only rolls with this unit or character", default=None)
    family: Annotated[str, Completed(_complete_family)] | None = option(
        "Only this kind of roll, such as Patrol", default=None
    )
    weeks: Range[int, 1, MAX_WEEKS] | None = option("Only this many past calendar weeks", default=None)


@app_commands.command()
@app_commands.guild_only()
@fill_form
async def luck(interaction: Interaction, form: LuckForm) -> None:
    """Compare the dice you can see with fair dice."""
    person = form.person
    wanted = LuckFilter(person.id if person else None, form.unit, form.family, form.weeks)
    here = await desk_of(interaction).campaign(interaction)
    await _show(interaction, here, wanted, person.display_name if person else None)


FEATURE = Feature(commands=(luck,), components=(_count_meant,))
