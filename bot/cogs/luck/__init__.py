"""`/luck`: the dice someone may see, counted by die and compared with fair ones."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, NotRequired, TypedDict

import discord
from discord import app_commands
from discord.app_commands import Range
from msgspec import Struct, field
from msgspec.json import Decoder
from sqlalchemy import Connection

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.core import campaigns, entries, permissions
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.core.schema import entry
from bot.kernel import Feature
from bot.outbox.sending import draw_picture
from bot.rolls import consequences, desk, entry_body
from bot.rolls.entries import ROLL
from bot.rolls.options import Completed, Completion, Completions, Name, filter_labels
from bot.ui import text
from bot.ui.parsing import Form, fill_form, option
from bot.ui.pictures.gallery import draw_once
from bot.ui.reply import IdTemplate, component, person, refuse_slip, say
from bot.ui.text import ATTACHED, COLOURS, Picture, alt_of, picture_key, plain, strip_marks
from rules.dice import BY_HAND, KEPT, SHARED, term_of
from rules.odds import LEAST_EXPECTED, FairnessFit, fit_to_fair
from rules.subjects import name_key, names_of

MOST = 20_000


class LuckFilter(Struct, frozen=True):
    """Which rolls count: by user id, unit, family, and at most `weeks` old; None counts all."""

    user_id: int | None = None
    unit: str | None = None
    family: str | None = None
    weeks: int | None = None


class Count(Struct):
    """Counted faces by a die's number of sides; `since` is the oldest roll's time.

    `typed` faces were typed by people and don't count; `cut` says that older rolls were left out.
    """

    faces: dict[int, Counter[int]] = field(default_factory=dict)
    rolls: int = 0
    since: datetime | None = None
    typed: int = 0
    cut: bool = False

    def kinds(self) -> list[tuple[int, list[int]]]:
        """Return pairs of sides and counts from face 1 up, most rolled dice first."""
        found = [(sides, [seen[face] for face in range(1, sides + 1)]) for sides, seen in self.faces.items()]
        return sorted(found, key=lambda kind: (-sum(kind[1]), kind[0]))


class _Dice(TypedDict, total=False):
    die: str
    faces: list[int]
    drawn: str


class _Step(_Dice, total=False):
    dice: list[_Dice]


class _Part(TypedDict):
    audience: str
    secret: bool
    steps: list[_Step]
    subjects: Mapping[str, str]
    unused: NotRequired[list[_Dice]]


class _RollBody(TypedDict):
    family: str
    title: str
    parts: list[_Part]


_BODY = Decoder(_RollBody)


def count(tx: Connection, person: permissions.Person, campaign: Campaign, wanted: LuckFilter) -> Count:
    """Count the faces of rolls that a person may see.

    Each die counts once: not again if parts share it or an amendment keeps it. Undone rolls count too, since their dice fell.
    """
    mine = campaigns.find_pseudonym(tx, campaign.id, person.user_id)
    allowed, found = permissions.audience_filter(tx, person, campaign, mine), Count()
    where = []
    if wanted.user_id is not None:
        where.append(entry.c.actor == (campaigns.find_pseudonym(tx, campaign.id, wanted.user_id) or ""))
    if wanted.weeks is not None:
        where.append(entry.c.at >= person.at - timedelta(weeks=wanted.weeks))
    for place, roll in enumerate(entries.walk_back(tx, campaign.id, ROLL.name, allowed, where=where)):
        if place == MOST:
            found.cut = True
            break
        if _count_roll(found, _BODY.decode(roll.body), roll.audience, wanted, leads=person.leads(campaign)):
            found.rolls, found.since = found.rolls + 1, roll.at
    return found


def _count_roll(found: Count, body: _RollBody, audience: str, wanted: LuckFilter, *, leads: bool) -> bool:
    if wanted.family is not None and name_key(wanted.family) not in {body["family"], name_key(body["title"])}:
        return False
    parts = [part for part in body["parts"] if (leads or _is_shown(part, audience)) and _is_named(part, wanted.unit)]
    return sum([_count_part(found, part) for part in parts]) > 0


def _is_shown(part: _Part, audience: str) -> bool:
    return not part["secret"] and (audience in {"results", "maker"} or entry_body.is_shared(part))


def _is_named(part: _Part, unit: str | None) -> bool:
    if unit is None:
        return True
    return any(name_key(name) == name_key(unit) for names in part["subjects"].values() for name in names_of(names))


def _count_part(found: Count, part: _Part) -> int:
    counted = 0
    for roll in (*(roll for step in part["steps"] for roll in step.get("dice", [step])), *part.get("unused", ())):
        sources = roll.get("drawn", "").split(" and ")
        if BY_HAND in sources:
            found.typed += len(roll["faces"])
        elif roll["faces"] and KEPT not in sources and SHARED not in sources:
            counted += len(roll["faces"])
            found.faces.setdefault(term_of(roll["die"]).sides, Counter()).update(roll["faces"])
    return counted


KINDS = 3

CERTAIN, UNUSUAL, RARE = 0.995, 0.05, 0.01
DRAWN = picture_key([("Bars", "how often each face was rolled"), ("Lines", "what is expected")])
COUNTED = "-# Counts every die that you can see, including weather and undone rolls. Leaves out dice typed by hand."
MANY = "-# With 20 counts like this, one looks unusual by pure chance."


def describe_count(found: Count) -> Iterator[str]:
    """Yield what was counted, how it fits, and what that means."""
    kinds = found.kinds()
    thrown = sum(sum(counts) for _, counts in kinds)
    yield f"{thrown:,} {'die' if thrown == 1 else 'dice'} of {found.rolls:,} roll{'s' if found.rolls != 1 else ''}."
    if found.cut:
        yield f"Only the newest {MOST:,} rolls count. Use `weeks` for a shorter time."
    for sides, counts in kinds[:KINDS]:
        yield ""
        yield f"**d{sides}**, rolled {_show_times(sum(counts))}: mean {mean(counts):.2f}, expected {(sides + 1) / 2:g}"
        yield ", ".join(_list_faces(counts))
        yield describe_fit(fit_to_fair(counts), sides)
    if kinds[KINDS:]:
        yield ""
        yield f"Also rolled: {', '.join(f'd{sides} {_show_times(sum(counts))}' for sides, counts in kinds[KINDS:])}."
    yield ""
    if found.typed:
        yield f"{found.typed:,} face{' was' if found.typed == 1 else 's were'} typed by hand and not counted."
    yield MANY
    yield COUNTED


def mean(counts: Sequence[int]) -> float:
    """Return the mean face of at least one."""
    return sum(face * seen for face, seen in enumerate(counts, 1)) / sum(counts)


def describe_fit(found: FairnessFit | None, sides: int) -> str:
    """Return what a chi-square test means in words; None means too few rolls of this die."""
    if found is None:
        needed = -(-LEAST_EXPECTED * sides // (sides // 2))  # for two groups of faces
        return f"Too few rolls to judge: a d{sides} needs at least {needed}."
    several = "" if found.freedom == 1 else f", {found.freedom} degrees of freedom"
    verdict = "Unusual: only" if found.chance < UNUSUAL else "Looks normal:"
    line = f"{verdict} {_show_share(found.chance)} fair campaigns are at least this uneven"
    line += f" (chi-square {found.statistic:.1f}{several})."
    return line if found.grouped == 1 else f"{line} Few rolls: {found.grouped} neighbouring faces count together."


def _show_times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _show_share(chance: float) -> str:
    if chance > CERTAIN:
        return "nearly all"
    if chance >= RARE:
        return f"{round(100 * chance)}% of"
    return f"{100 * chance:.2f}% of" if chance >= RARE / 100 else "less than 0.01% of"


def _list_faces(counts: Sequence[int]) -> Iterator[str]:
    size = -(-len(counts) // 20)
    for start in range(0, len(counts), size):
        last = min(start + size, len(counts))
        yield f"{start + 1 if last == start + 1 else f'{start + 1}-{last}'}: {sum(counts[start:last])}"


FILE = "luck.png"

MEANT = IdTemplate("luck:{campaign:int}:{weeks:int}:{unit:rest}")
"""The id of the button that counts the meant unit; `weeks` 0 is all time."""


async def _show(interaction: Interaction, campaign: Campaign, wanted: LuckFilter, name: str | None = None) -> None:
    read, asker = interaction.client.database.read, person(interaction)
    found = await read(count, asker, campaign, wanted)
    sought = None if found.faces else wanted.unit
    meant = await read(consequences.find_slip, asker, campaign, sought) if sought else None
    if sought and meant:
        key = MEANT.fill(campaign=campaign.id, weeks=wanted.weeks or 0, unit=meant)
        narrowed = wanted.user_id is not None or wanted.family is not None
        await refuse_slip(interaction, sought, meant, None if narrowed else key)
        return
    if not found.faces:
        raise BadInput("No dice that you can see were rolled there.", "Leave an option out, or roll first.")
    title = f"Dice statistics: {plain(_describe_filter(wanted, name))}"
    picture = await draw_picture(FILE, partial(_draw_picture, found))
    lines = [*describe_count(found), *([DRAWN] if picture else [])]
    embed, *_ = text.fit_embeds(title, lines, colour=COLOURS["neutral"], footer=campaign.name)
    if picture is None:
        await say(interaction, embed=embed)
    else:
        await say(interaction, embed=embed.set_image(url=f"{ATTACHED}{FILE}"), file=picture.file())


@component(MEANT)
async def _count_meant(interaction: Interaction, *, campaign: int, weeks: int, unit: str) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await _show(interaction, here, LuckFilter(unit=unit, weeks=min(weeks, MAX_WEEKS) or None))


def _describe_filter(wanted: LuckFilter, name: str | None) -> str:
    weeks = {None: "", 1: "the last week"}.get(wanted.weeks, f"the last {wanted.weeks} weeks")
    parts = (f"rolls made by {name}" if name else "", wanted.unit, wanted.family, weeks)
    return ", ".join(filter(None, parts)) or "all rolls"


def _draw_picture(found: Count) -> Picture:
    from bot.cogs.luck.chart import draw_chart, make_bars  # noqa: PLC0415 - Pillow loads with the first picture

    shown = found.kinds()[:KINDS]
    blocks = [make_bars(f"d{sides}, {sum(counts):,} rolled", counts) for sides, counts in shown]
    return Picture(FILE, draw_once(draw_chart, blocks), alt_of(list(_describe_picture(found))))


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
    """Options of `/luck`."""

    person: discord.Member | None = option("Only rolls that this member made", default=None)
    unit: Name | None = option("Only rolls with this unit or character", default=None)
    family: Annotated[str, Completed(_complete_family)] | None = option(
        "Only this kind of roll, such as Patrol", default=None
    )
    weeks: Range[int, 1, MAX_WEEKS] | None = option("Only this many past calendar weeks", default=None)


@app_commands.command()
@fill_form
async def luck(interaction: Interaction, form: LuckForm) -> None:
    """Compare the dice you can see with fair dice."""
    person = form.person
    wanted = LuckFilter(person.id if person else None, form.unit, form.family, form.weeks)
    here = await desk.desk_of(interaction).campaign(interaction)
    await _show(interaction, here, wanted, person.display_name if person else None)


FEATURE = Feature(commands=(luck,), components=(_count_meant,))
