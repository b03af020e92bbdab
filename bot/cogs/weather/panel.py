"""Weather's preview, results, and window for a category."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import discord
from discord import ui

from bot.actions import act
from bot.client import Interaction
from bot.cogs.weather import rollover
from bot.cogs.weather.embed import describe_newest, preview_lines
from bot.cogs.weather.rollover import CategoryOrder, EditCategory, NextWeek, PreviewKey, RegionCategory, SettableWeek
from bot.cogs.weather.words import change_lines, list_unaffected
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.core.ledger import Body
from bot.outbox.queue import Post
from bot.rolls.entries import take_back_button
from bot.rolls.receipts import deliver, delivery_lines
from bot.rolls.resolver import RollResult
from bot.ui import parsing
from bot.ui.receipt import draw_preview, receipt
from bot.ui.reply import IdTemplate, ask, component, modal, person, put_answer, read_submitted, redraw, say, text_field
from bot.ui.text import COLOURS, DOT, join_words, plain, shorten
from rules.climate import FLOOD, GOOD, ZoneAccount, category_label

ROLL = IdTemplate("weather:{campaign:int}:roll:{week:int}:{seen:id}")
EDIT = IdTemplate("weather:{campaign:int}:edit:{outcome:word}:{region:word}")
EDIT_ZONE = IdTemplate("weather:{campaign:int}:edit-zone:{outcome:word}")
FIRST = IdTemplate("weather:{campaign:int}:first")
SET = IdTemplate("weather:{campaign:int}:set:{week:int}")
WEEK, ZONES, REASON = "week", "zones", "reason"
NEW = "New game? Use /weather rollover instead."
ABOUT_OWN = "Write each zone's category, such as"
ABOUT = f"{ABOUT_OWN} good or 3."
CONDITIONS, GROUND = "conditions", "ground"
LAND, SEA = "land", "sea"
MAX_BOX = 4000
"""Characters that Discord takes in a text box."""
CHANGED = "The weather has changed since you looked. Check it, then roll."


async def show_preview(interaction: Interaction, coming: NextWeek) -> None:
    """Show what a rollover will roll, with the button."""
    await say(interaction, view=_preview(coming))


@component(ROLL)
async def roll_week(interaction: Interaction, campaign: int, week: int, seen: str) -> None:
    """Roll the previewed week, unless something changed."""
    bot, shown = interaction.client, PreviewKey(week, seen)
    rolled = await bot.database.write(rollover.roll, bot.resolver, person(interaction), campaign, shown)
    if isinstance(rolled, NextWeek):
        await redraw(interaction, _preview(rolled, CHANGED))
    else:
        title = f"Week {week} is rolled: entry #{rolled.entry.number}"
        await _finish(interaction, rolled, title, list(_list_outcomes(rolled.entry.content())))


async def show_change(interaction: Interaction, change: RollResult) -> None:
    """Show a change by hand, and send its post."""
    body = change.entry.content()
    lines = [*change_lines(body), *list_unaffected(body)]
    await _finish(interaction, change, f"Done: entry #{change.entry.number}", lines, below=True)


async def _finish(
    interaction: Interaction, made: RollResult, title: str, lines: Sequence[str], *, below: bool = False
) -> None:
    show = partial(_show_done, interaction, made, title, lines, below=below)
    await deliver(interaction, made.posts, show, done=title)


async def _show_done(
    interaction: Interaction, made: RollResult, title: str, lines: Sequence[str], sent: Sequence[Post], *, below: bool
) -> None:
    colour = COLOURS["danger" if any(post.fault for post in sent) else "success"]
    buttons = [take_back_button(made.campaign.id, made.entry.number)]
    view = receipt(title, [*lines, *delivery_lines(made.campaign, sent)], colour, buttons)
    await (put_answer(interaction, view=view) if below else redraw(interaction, view))


async def ask_categories(interaction: Interaction, campaign: int, typed: CategoryOrder) -> None:
    """Open a window for the zones of a week, filled in with what is typed already or as they are."""
    bot = interaction.client
    week = await bot.database.read(rollover.week_to_set, bot.library, person(interaction), campaign, typed)
    await ask(interaction, _week_modal(campaign, week, typed))


@modal(SET)
async def set_week(interaction: Interaction, campaign: int, week: int) -> None:
    """Set the weather of a week."""
    fields = read_submitted(interaction)
    wanted = CategoryOrder(read_zones(fields), week, fields.get(REASON) or "")
    await show_change(interaction, await send_categories(interaction, campaign, wanted))


def read_zones(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the categories by zone that a window sent."""
    return _read_lines(fields.get(ZONES) or "", "Australia: good")


async def send_categories(interaction: Interaction, campaign: int, wanted: CategoryOrder) -> RollResult:
    """Set the categories that a window sent."""
    bot = interaction.client
    return await bot.database.write(rollover.set_categories, bot.resolver, person(interaction), campaign, wanted)


async def ask_meanings(interaction: Interaction, campaign: Campaign, outcome: str, place: str) -> None:
    """Open the window that changes what a category means for a region, or for all of a zone."""
    bot, who = interaction.client, person(interaction)
    cells = await bot.database.read(rollover.cells_to_edit, bot.library, who, campaign, (outcome, place))
    await ask(interaction, _cell_modal(campaign, cells[0]) if len(cells) == 1 else _zone_modal(campaign, cells))


@modal(EDIT)
async def change_cell(interaction: Interaction, campaign: int, outcome: str, region: str) -> None:
    """Change what a category means for a region."""
    fields = read_submitted(interaction)
    conditions, land = fields.get(CONDITIONS) or [], LAND in (fields.get(GROUND) or [])
    await act(interaction, EditCategory(outcome=outcome, regions={region: conditions}, land=land), campaign)


@modal(EDIT_ZONE)
async def change_zone(interaction: Interaction, campaign: int, outcome: str) -> None:
    """Change what a category means for the regions of a zone."""
    lines = _read_lines(read_submitted(interaction).get(CONDITIONS) or "", "Congo: Storms, Fog")
    regions = {region: [part.strip() for part in typed.split(",")] for region, typed in lines.items()}
    await act(interaction, EditCategory(outcome=outcome, regions=regions), campaign)


def _read_lines(typed: str, example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(str.strip, typed.splitlines()):
        place, colon, said = line.rpartition(":")
        if not colon or place.strip() in found:
            raise BadInput(f"I can't read {line.strip()!r}.", f"Write one line for each, such as {example}.")
        if said.strip():
            found[place.strip()] = said.strip()
    return found


def _lines_field(key: str, label: str, lines: Sequence[str]) -> ui.Label[ui.Modal]:
    # A line that is cut could read as another category. What is left out stays as it is.
    ends = accumulate(len(line) + 1 for line in lines)
    shown = "\n".join(line for line, end in zip(lines, ends, strict=True) if end <= MAX_BOX)
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=key, style=discord.TextStyle.paragraph, default=shown, max_length=MAX_BOX
    )
    return ui.Label(text=label, component=box)


def roll_button(coming: NextWeek) -> ui.Button[ui.LayoutView]:
    """Make the button for the previewed week."""
    key = ROLL.fill(campaign=coming.campaign.id, week=coming.number, seen=coming.key.seen)
    return ui.Button(label=f"Roll week {coming.number}", style=discord.ButtonStyle.success, custom_id=key)


def _preview(coming: NextWeek, warning: str | None = None) -> ui.LayoutView:
    campaign = coming.campaign
    title = f"Weather of week {coming.number}{DOT}{plain(coming.update)}"
    about = f"{plain(campaign.name)}{DOT}{describe_newest(coming.newest)}{DOT}exact odds, nothing rolled yet"
    lines = preview_lines(coming.forecast, coming.book)
    return draw_preview(title, about, lines, [roll_button(coming)], warning)


def _week_modal(campaign: int, week: SettableWeek, typed: CategoryOrder) -> ui.Modal:
    named = [item for item in week.categories.values() if item]
    about = ABOUT if category_label(GOOD) in named or not named else f"{ABOUT_OWN} {named[0]}."
    lines = [f"{zone}: {item}" for zone, item in week.categories.items()]
    zones = _lines_field(ZONES, "Weather, a line for each zone", lines)
    reason = text_field(REASON, "Reason", value=typed.reason or None, limit=parsing.MAX_TEXT)
    if week.opening:
        form = ui.Modal(title="Which week is it?", custom_id=FIRST.fill(campaign=campaign))
        number = None if typed.week is None else str(typed.week)
        form.add_item(ui.TextDisplay(f"{NEW} {about}"))
        form.add_item(text_field(WEEK, "Week", placeholder="37", value=number, limit=len("9999"))).add_item(zones)
        return form.add_item(reason) if typed.reason else form
    form = ui.Modal(title=f"Weather of week {week.number}", custom_id=SET.fill(campaign=campaign, week=week.number))
    return form.add_item(ui.TextDisplay(about)).add_item(zones).add_item(reason)


def _zone_modal(campaign: Campaign, cells: Sequence[RegionCategory]) -> ui.Modal:
    outcome, zone, known = cells[0].outcome, cells[0].zone, cells[0].book.conditions
    title = shorten(f"{zone.label}: {outcome.replace('-', ' ')}", 45)
    form = ui.Modal(title=title, custom_id=EDIT_ZONE.fill(campaign=campaign.id, outcome=outcome))
    named = join_words([item.label for item in known.values() if item.trait != FLOOD])
    form.add_item(ui.TextDisplay(f"Write what the category means for each region: {named}."))
    lines = [f"{cell.region.label}: {', '.join(known[trait].label for trait in cell.conditions)}" for cell in cells]
    return form.add_item(_lines_field(CONDITIONS, "Conditions, a line for each region", lines))


def _cell_modal(campaign: Campaign, cell: RegionCategory) -> ui.Modal:
    title = shorten(f"{cell.region.label}: {cell.outcome.replace('-', ' ')}", 45)
    form = ui.Modal(title=title, custom_id=EDIT.fill(campaign=campaign.id, outcome=cell.outcome, region=cell.region.id))
    known = [item for item in cell.book.conditions.values() if item.trait != FLOOD]
    options = [
        discord.SelectOption(label=item.label, value=item.trait, default=item.trait in cell.conditions)
        for item in known
    ]
    select: ui.Select[ui.LayoutView] = ui.Select(custom_id=CONDITIONS, options=options, max_values=len(options))
    form.add_item(ui.Label(text="Conditions there in that category", component=select))
    ground: ui.Select[ui.LayoutView] = ui.Select(
        custom_id=GROUND,
        options=[
            discord.SelectOption(label="Land: Flood Watches are rolled", value=LAND, default=cell.region.land),
            discord.SelectOption(label="Sea: no Flood Watch", value=SEA, default=not cell.region.land),
        ],
    )
    form.add_item(ui.Label(text="Land or sea, in every category", component=ground))
    return form


def _list_outcomes(body: Body) -> Iterator[str]:
    zones: list[ZoneAccount] = body["weather"]["zones"]
    texts = {part["subjects"]["zone"]: part["outcome"]["text"] for part in body["parts"] if len(part["subjects"]) == 1}
    yield from (f"{plain(zone['label'])}: {texts[zone['label']]}" for zone in zones)
    floods = [plain(place["label"]) for zone in zones for place in zone["regions"] if FLOOD in place["conditions"]]
    if not body["weather"].get("dry"):
        yield f"**Mud/Flood:** {', '.join(floods) or 'nowhere'}"
