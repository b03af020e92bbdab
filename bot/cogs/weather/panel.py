"""Weather in Discord: the preview with its Roll button, what a rollover came to, and the window that changes a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.weather.category_embed import asides, notice, preview_lines, sentence, standing
from bot.cogs.weather.category_meanings import Cell, Climates
from bot.cogs.weather.rollover import Ahead, Weather
from bot.core.campaigns import Campaign
from bot.errors import NotOpen
from bot.outbox.delivery import Outbox
from bot.rolls.desk import whereabouts
from bot.rolls.resolver import Rolled
from bot.ui.colours import COLOURS
from bot.ui.picture import Picture, fitting
from bot.ui.receipt import receipt
from bot.ui.reply import ask, number, person, promise, redraw, say, submitted
from bot.ui.text import plain, shorten
from rules.climate import FLOOD

CONDITIONS, GROUND = "conditions", "ground"
LAND, SEA = "land", "sea"
_MAX_TITLE = 45


class WeatherPanel:
    """Shows previews, rolls when pressed, opens and takes the window for a cell."""

    def __init__(self, weather: Weather, climates: Climates, outbox: Outbox) -> None:
        self._weather = weather
        self._climates = climates
        self._outbox = outbox

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """A component or window, `weather:<campaign>:roll:<week>:<seen>` or `weather:<campaign>:edit:<outcome>:<region>`."""
        match words:
            case [campaign, "roll", week, seen]:
                promise(interaction)
                await self._roll(interaction, number(campaign), number(week), seen)
            case [campaign, "edit", outcome, region]:
                promise(interaction)
                await self._edit(interaction, number(campaign), (outcome, region))
            case _:
                raise NotOpen("I do not know that button any more.", "Start again with the command.")

    async def preview(self, interaction: Interaction, campaign: Campaign, week: int | None) -> None:
        """Show what a rollover would throw, with the button that does it."""
        await say(interaction, view=_preview(await self._weather.preview(person(interaction), campaign, week)))

    async def tell(self, interaction: Interaction, done: Rolled) -> None:
        """Send what a change by hand owes and show what was done."""
        body = done.entry.content()
        await self._finish(interaction, done, f"Done: entry #{done.entry.number}", [sentence(body), *asides(body)])

    async def _finish(self, interaction: Interaction, done: Rolled, title: str, lines: Sequence[str]) -> None:
        """Send what an entry owes and show what was done and where it stands."""
        sent = await self._outbox.send(interaction.client, done.posts)
        try:
            where = whereabouts(done.campaign, sent)
            faults = any(post.fault for post in sent)
            colour = COLOURS["danger" if faults else "success"]
            await redraw(interaction, receipt(title, [*lines, *where], colour))
        finally:
            await self._outbox.note(sent)

    async def ask_cell(self, interaction: Interaction, campaign: Campaign, outcome: str, region: str) -> None:
        """Open the window that changes what a category means for a region."""
        cell = await self._climates.cell(person(interaction), campaign, outcome, region)
        await ask(interaction, _window(campaign, cell))

    async def _roll(self, interaction: Interaction, campaign_id: int, week: int, seen: str) -> None:
        done = await self._weather.roll(person(interaction), campaign_id, week, seen)
        if isinstance(done, Ahead):
            await redraw(interaction, _preview(done, "Something has changed since you looked. Look again, then roll."))
            return
        body = done.entry.content()
        outcomes = [f"{plain(zone['label'])}: {_came_to(body, zone['label'])}" for zone in body["weather"]["zones"]]
        floods = [
            place["label"]
            for zone in body["weather"]["zones"]
            for place in zone["regions"]
            if FLOOD in place["conditions"]
        ]
        lines = [*outcomes, f"**Mud/Flood:** {', '.join(map(plain, floods)) or 'nowhere'}"]
        await self._finish(interaction, done, f"Week {week} is rolled: entry #{done.entry.number}", lines)

    async def _edit(self, interaction: Interaction, campaign_id: int, cell: tuple[str, str]) -> None:
        given = submitted(interaction)
        ground = given.get(GROUND) or []
        entry = await self._climates.edit(
            person(interaction), campaign_id, cell, conditions=given.get(CONDITIONS) or [], land=LAND in ground
        )
        body = entry.content()
        (embed,) = notice(body, campaign="it counts from the next rollover on", number=entry.number)
        await say(interaction, embed=embed)


async def say_pages(interaction: Interaction, pages: Sequence[list[discord.Embed]], picture: Picture | None) -> None:
    """Answer privately with messages, the first of them with a picture where there is one."""
    for place, page in enumerate(pages):
        extras: dict[str, Any] = {"file": picture.file()} if picture is not None and place == 0 else {}
        await say(interaction, embeds=fitting(page, picture), **extras)


def _preview(ahead: Ahead, notice: str | None = None) -> ui.LayoutView:
    campaign = ahead.campaign
    head = [
        f"## Weather of week {ahead.number}",
        f"-# {plain(campaign.name)} \N{MIDDLE DOT} {standing(ahead.newest)} \N{MIDDLE DOT} exact odds, nothing is rolled yet",
    ]
    head += [f"\N{WARNING SIGN} **{notice}**"] if notice else []
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    container.add_item(ui.TextDisplay("\n".join([*head, *preview_lines(ahead.forecast, ahead.book)])))
    container.add_item(ui.Separator())
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    key = f"weather:{campaign.id}:roll:{ahead.number}:{ahead.seen}"
    row.add_item(ui.Button(label=f"Roll week {ahead.number}", style=discord.ButtonStyle.success, custom_id=key))
    container.add_item(row)
    return ui.LayoutView(timeout=None).add_item(container)


def _window(campaign: Campaign, cell: Cell) -> ui.Modal:
    title = shorten(f"{cell.region.label}: {cell.outcome.replace('-', ' ')}", _MAX_TITLE)
    key = f"weather:{campaign.id}:edit:{cell.outcome}:{cell.region.id}"
    window = ui.Modal(title=title, custom_id=key)
    known = [item for item in cell.book.conditions.values() if item.trait != FLOOD]
    options = [
        discord.SelectOption(label=item.label, value=item.trait, default=item.trait in cell.conditions)
        for item in known
    ]
    select: ui.Select[ui.LayoutView] = ui.Select(custom_id=CONDITIONS, options=options, max_values=len(options))
    window.add_item(ui.Label(text="Conditions there in that category", component=select))
    ground: ui.Select[ui.LayoutView] = ui.Select(
        custom_id=GROUND,
        options=[
            discord.SelectOption(label="Land: Flood Watches are rolled", value=LAND, default=cell.region.land),
            discord.SelectOption(label="Sea: no Flood Watch", value=SEA, default=not cell.region.land),
        ],
    )
    window.add_item(ui.Label(text="Land or sea, in every category", component=ground))
    return window


def _came_to(body: Any, zone: str) -> str:  # noqa: ANN401
    part = next(part for part in body["parts"] if part["subjects"] == {"zone": zone})
    return str(part["outcome"]["text"])
