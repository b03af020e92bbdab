"""Battles with random events in Discord: what was done is told and posted, the table is paged, conditions are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.battles.embed import (
    active_pages,
    entry_pages,
    letter_lines,
    list_pages,
    roster_pages,
    row_embed,
    row_line,
)
from bot.cogs.battles.service import Events, hanging, item_key
from bot.cogs.battles.store import CONDITIONS, Battle, InForce
from bot.cogs.battles.transaction import Done, commands
from bot.cogs.battles.turn_check import Check, EventRolls
from bot.core.campaigns import Campaign, on_server
from bot.core.entry_kinds import EntryView
from bot.errors import NotOpen
from bot.outbox.delivery import Outbox
from bot.rolls.desk import RollDesk, whereabouts
from bot.ui.colours import COLOURS
from bot.ui.parsing import MAX_CHOICE, MAX_CHOICES
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, number, person, promise, redraw, say
from bot.ui.text import plain, shorten, within
from rules.tables import RollTable

EVENTS = "events"
"""How the ids of components begin that belong to battles."""

ROWS = 14
"""Rows of the table on one page: five pages."""

ROOM = 2400
"""Characters of a message for what has ended and for rows; Discord takes 4,000 in all."""

SELECTS = 5
QUESTIONS: Mapping[str, str] = {
    "until_condition": "Tired: pick the units that neither moved, fought nor rallied in turn {turn}; they are rested.",
    "until_gone": "A foe of its own: pick where the unit or that foe is destroyed or off the map; it is free again.",
}


class EventsPanel:
    """Shows battles and takes what is picked about them."""

    def __init__(self, desk: RollDesk, events: Events, rolls: EventRolls, outbox: Outbox) -> None:
        self._desk = desk
        self._events = events
        self._rolls = rolls
        self._outbox = outbox

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """The table's buttons, `events:<campaign>:table:<page>`, and `events:<campaign>:<condition>:<battle>:<turn>:<place>`.

        The battle is told by the entry that began it; the place parts several selects about one condition.
        """
        promise(interaction)
        match words:
            case [campaign, "table", page]:
                view = _table_view(await self._table(interaction, number(campaign)), number(campaign), number(page))
                await redraw(interaction, view)
            case [campaign, condition, begun, turn, _] if condition in CONDITIONS:
                data: Any = interaction.data or {}
                keys = set(data.get("values") or ())
                told = await self._events.condition(
                    person(interaction), number(campaign), (number(begun), condition), keys
                )
                await self._answered(interaction, told, number(turn))
            case _:
                raise NotOpen(*STALE)

    async def tell(self, interaction: Interaction, done: Done) -> None:
        """Post what a command has done where it is public, and say so."""
        sent = await self._outbox.send(interaction.client, done.posts)
        try:
            for page in entry_pages(EntryView(done.entry, done.campaign.name), "staff"):
                await say(interaction, embeds=page)
            lines = [*map(plain, done.asides), *whereabouts(done.campaign, sent)]
            if lines:
                await say(interaction, embed=discord.Embed(description="\n".join(lines), colour=COLOURS["neutral"]))
        finally:
            await self._outbox.note(sent)

    async def turn(self, interaction: Interaction, done: Done) -> None:
        """Tell that a turn has ended; then ask for what only the players can tell."""
        await self.tell(interaction, done)
        turn = done.entry.content()["turn"]
        if done.battle is not None and _asked(done.battle, turn):
            await say(interaction, view=_question(done.campaign, done.battle, turn))

    async def roll(self, interaction: Interaction, check: Check) -> None:
        """Check a turn's random events."""
        campaign = await self._desk.campaign(interaction)
        checked = await self._rolls.roll(person(interaction), campaign.id, check)
        await self._desk.finish(interaction, checked.rolled, _unused(checked.unused))

    async def battles(self, interaction: Interaction, campaign: Campaign) -> None:
        """All battles."""
        for page in list_pages(await self._events.listed(person(interaction), campaign), campaign=campaign.name):
            await say(interaction, embeds=page)

    async def units(self, interaction: Interaction, campaign: Campaign, battle: str | None) -> None:
        """The roster of a battle."""
        found = await self._events.active(person(interaction), campaign, battle)
        for page in roster_pages(found, campaign=campaign.name):
            await say(interaction, embeds=page)

    async def active(self, interaction: Interaction, campaign: Campaign, battle: str | None) -> None:
        """What is in force in a battle."""
        who = person(interaction)
        found = await self._events.active(who, campaign, battle)
        for page in active_pages(found, campaign=campaign.name, commands=commands(who, campaign)):
            await say(interaction, embeds=page)

    async def table(self, interaction: Interaction, campaign: Campaign, face: int | None) -> None:
        """One row of the table, or its first page."""
        table = await self._events.table(person(interaction), campaign)
        if face is None:
            await say(interaction, view=_table_view(table, campaign.id, 0))
        else:
            row, _ = table.read(face, face)
            await say(interaction, embed=row_embed(table, row, campaign=campaign.name))

    async def _table(self, interaction: Interaction, campaign_id: int) -> RollTable:
        campaign = await self._desk.database.read(on_server, interaction.guild_id or 0, campaign_id)
        return await self._events.table(person(interaction), campaign)

    async def _answered(self, interaction: Interaction, done: Done, turn: int) -> None:
        """Show in place of the question what has ended, and ask for what is left."""
        sent = await self._outbox.send(interaction.client, done.posts)
        try:
            ended = [
                f"\N{BULLET} {plain(item['name'])}: {plain(item['text'])}" for item in done.entry.content()["ended"]
            ]
            if done.battle is not None and _asked(done.battle, turn):
                await redraw(interaction, _question(done.campaign, done.battle, turn, ended))
            else:
                title = f"Ended: entry #{done.entry.number}"
                lines = [*within(ROOM, ended), *whereabouts(done.campaign, sent)]
                await redraw(interaction, receipt(title, lines))
        finally:
            await self._outbox.note(sent)


def _unused(count: int) -> list[str]:
    """How many typed faces no die was left for."""
    return [f"{count} typed {'face was' if count == 1 else 'faces were'} not needed and left out."] if count else []


def _asked(battle: Battle, turn: int) -> bool:
    return any(_open(battle, condition, turn) for condition in CONDITIONS)


def _open(battle: Battle, condition: str, turn: int) -> list[InForce]:
    """What hangs on a condition at the end of a turn; what has come since may be asked for at the end of its own."""
    return [item for item in hanging(battle, condition) if item.turn <= turn]


def _question(campaign: Campaign, battle: Battle, turn: int, ended: Sequence[str] = ()) -> ui.LayoutView:
    """What hangs on conditions, to be picked from where they have come about."""
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    head = [f"### {plain(battle.name)}, end of turn {turn}"]
    container.add_item(ui.TextDisplay("\n".join([*head, *(["**Ended:**", *within(ROOM, ended)] if ended else [])])))
    for condition in CONDITIONS:
        events = _open(battle, condition, turn)
        if events:
            told = QUESTIONS[condition].format(turn=turn)
            key = f"{EVENTS}:{campaign.id}:{condition}:{battle.header.entry}:{turn}"
            container.add_item(ui.TextDisplay(told + _more(len(events))))
            for row in _selects(events, key):
                container.add_item(row)
    return ui.LayoutView(timeout=None).add_item(container)


def _more(count: int) -> str:
    left = count - SELECTS * MAX_CHOICES
    return f" ({left} more than can be listed: see /events active and /events use.)" if left > 0 else ""


def _selects(events: Sequence[InForce], key: str) -> Iterator[ui.ActionRow[ui.LayoutView]]:
    waiting = iter(events)
    for place in range(SELECTS):
        options = [
            discord.SelectOption(label=item.name, value=item_key(item), description=shorten(item.label, MAX_CHOICE))
            for item in islice(waiting, MAX_CHOICES)
        ]
        if options:
            row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
            select: ui.Select[ui.LayoutView] = ui.Select(
                custom_id=f"{key}:{place}", placeholder="Pick all that apply", max_values=len(options), options=options
            )
            yield row.add_item(select)


def _table_view(table: RollTable, campaign_id: int, page: int) -> ui.LayoutView:
    last = (len(table.rows) - 1) // ROWS
    page = min(page, last)
    rows = table.rows[page * ROWS : (page + 1) * ROWS]
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    head = [f"### {plain(table.title)}, page {page + 1} of {last + 1}", *letter_lines(table)]
    head += ["-# One of them in full: /events table number"]
    container.add_item(ui.TextDisplay("\n".join([*head, *within(ROOM, [row_line(row) for row in rows])])))
    buttons: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    for label, other in (("Earlier", page - 1), ("Later", page + 1)):
        key = f"{EVENTS}:{campaign_id}:table:{other}"
        buttons.add_item(ui.Button(label=label, custom_id=key, disabled=not 0 <= other <= last))
    return ui.LayoutView(timeout=None).add_item(container.add_item(buttons))
