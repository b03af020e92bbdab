"""Weather's preview, results, and window for a category."""

from collections.abc import Iterator, Sequence
from functools import partial

import discord
from discord import ui

from bot.actions import act
from bot.client import Interaction
from bot.cogs.weather import rollover
from bot.cogs.weather.embed import describe_newest, preview_lines
from bot.cogs.weather.rollover import EditCell, NextWeek, PreviewKey, RegionCategory
from bot.cogs.weather.words import change_sentence, list_unaffected
from bot.core.campaigns import Campaign
from bot.core.ledger import Body
from bot.outbox.queue import Post
from bot.rolls.entries import take_back_button
from bot.rolls.receipts import deliver, delivery_lines
from bot.rolls.resolver import RollResult
from bot.ui.receipt import draw_preview, receipt
from bot.ui.reply import IdTemplate, ask, component, modal, person, put_answer, read_submitted, redraw, say
from bot.ui.text import COLOURS, DOT, plain, shorten
from rules.climate import FLOOD, ZoneAccount

ROLL = IdTemplate("weather:{campaign:int}:roll:{week:int}:{seen:id}")
EDIT = IdTemplate("weather:{campaign:int}:edit:{outcome:word}:{region:word}")
CONDITIONS, GROUND = "conditions", "ground"
LAND, SEA = "land", "sea"
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
    lines = [change_sentence(body), *list_unaffected(body)]
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


async def ask_cell(interaction: Interaction, campaign: Campaign, outcome: str, region: str) -> None:
    """Open the window that changes a category."""
    bot, who = interaction.client, person(interaction)
    cell = await bot.database.read(rollover.cell_to_edit, bot.library, who, campaign, (outcome, region))
    await ask(interaction, _cell_modal(campaign, cell))


@modal(EDIT)
async def change_cell(interaction: Interaction, campaign: int, outcome: str, region: str) -> None:
    """Change what a category means for a region."""
    fields = read_submitted(interaction)
    conditions, land = fields.get(CONDITIONS) or [], LAND in (fields.get(GROUND) or [])
    await act(interaction, EditCell(outcome=outcome, region=region, conditions=conditions, land=land), campaign)


def roll_button(coming: NextWeek) -> ui.Button[ui.LayoutView]:
    """Return the button that rolls the previewed week."""
    key = ROLL.fill(campaign=coming.campaign.id, week=coming.number, seen=coming.key.seen)
    return ui.Button(label=f"Roll week {coming.number}", style=discord.ButtonStyle.success, custom_id=key)


def _preview(coming: NextWeek, warning: str | None = None) -> ui.LayoutView:
    campaign = coming.campaign
    title = f"Weather of week {coming.number}{DOT}{plain(coming.update)}"
    about = f"{plain(campaign.name)}{DOT}{describe_newest(coming.newest)}{DOT}exact odds, nothing rolled yet"
    lines = preview_lines(coming.forecast, coming.book)
    return draw_preview(title, about, lines, [roll_button(coming)], warning)


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
    yield f"**Mud/Flood:** {', '.join(floods) or 'nowhere'}"
