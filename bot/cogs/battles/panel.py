"""Answers about battles: changes, the table, and open conditions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.battles import embed, service, turn_check
from bot.cogs.battles.entries import EnteredChange, describe_ended, entry_pages, may_command
from bot.core.campaigns import Campaign
from bot.core.errors import NeedsReason
from bot.core.ledger import EntryView
from bot.core.scenes import SeenTurn, Which
from bot.outbox.delivery import Delivery
from bot.outbox.queue import Post
from bot.rolls.answers import finish
from bot.rolls.desk import desk_of
from bot.rolls.entries import ANYWAY, take_back_button
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui import reply
from bot.ui.answering import note_done
from bot.ui.parsing import MAX_CHOICE, MAX_CHOICES
from bot.ui.receipt import page_buttons, receipt
from bot.ui.text import COLOURS, fit_lines, plain, shorten
from rules.books.battlesystem.effects import item_key, list_hanging
from rules.books.battlesystem.state import CONDITIONS, ActiveEvent, Battle
from rules.kinds import PartLasts
from rules.subjects import name_key
from rules.tables import RollTable

TABLE_PAGE = reply.IdTemplate("events:{campaign:int}:table:{page:int}")

MET: Mapping[PartLasts, reply.IdTemplate] = {
    condition: reply.IdTemplate(f"events:{{campaign:int}}:{condition}:{{battle:int}}:{{turn:int}}:{{_place:int}}")
    for condition in CONDITIONS
}
"""The place tells several selects about one condition apart."""

ROWS = 14  # five pages in all
ROOM = 2400  # in characters, of Discord's 4,000
SELECTS = 5
QUESTIONS: Mapping[PartLasts, str] = {
    "until_condition": "Tired: pick units that didn't move, fight or rally in turn {turn}. They are rested.",
    "until_gone": "Grudge: pick pairs where the unit or its enemy is destroyed or off the map.",
}


async def change(interaction: Interaction, transaction: Callable[..., EnteredChange], *options: object) -> None:
    """Change a battle in the channel's campaign, and post that."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    entered = await bot.database.write(transaction, bot.resolver, reply.person(interaction), campaign.id, *options)
    await tell(interaction, entered, bot.outbox.hand(bot, entered.posts))


async def tell(interaction: Interaction, entered: EnteredChange, handed: Delivery) -> None:
    """Show a change and how its posts are doing."""
    bot = interaction.client
    note_done(interaction, f"Done: entry #{entered.entry.number}")
    who, campaign = reply.person(interaction), entered.campaign
    own = [take_back_button(campaign.id, entered.entry.number)] if who.leads(campaign) else []
    next_steps = [*embed.step_buttons(who, campaign, entered.battle), *own]
    *before, last = entry_pages(EntryView(entered.entry, campaign.name), "staff")
    for page in before:
        await reply.say(interaction, embeds=page)
    await reply.say(interaction, embeds=last, **({"view": reply.with_buttons(*next_steps)} if next_steps else {}))
    await bot.outbox.deliver(bot, handed, partial(_show_posts, interaction, entered))


async def _show_posts(interaction: Interaction, entered: EnteredChange, sent: Sequence[Post]) -> None:
    lines = [*map(plain, entered.asides), *delivery_lines(entered.campaign, sent)]
    if lines:
        await reply.put_answer(
            interaction, embed=discord.Embed(description="\n".join(lines), colour=COLOURS["neutral"])
        )


async def end_turn(interaction: Interaction, battle: str | None) -> None:
    """End a turn, then ask about open conditions."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _end_turn(interaction, campaign.id, battle)


@reply.component(embed.TURN)
async def _end_seen_turn(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    await _end_turn(interaction, campaign, SeenTurn(battle, turn))


async def _end_turn(interaction: Interaction, campaign_id: int, which: Which) -> None:
    bot = interaction.client
    ended = await bot.database.write(turn_check.end_turn, bot.resolver, reply.person(interaction), campaign_id, which)
    if not isinstance(ended, EnteredChange):
        title, now = f"{plain(ended.name)}, turn {ended.header.turn}", ended.header.turn
        text = f"Neither side has checked random events in turn {now} (/events roll). End it anyway?"
        button = embed.end_button(campaign_id, ended)
        await reply.say(interaction, view=receipt(title, [text], COLOURS["neutral"], [button]))
        return
    title = f"Turn {ended.entry.content()['turn']} has ended: entry #{ended.entry.number}"
    await _show_in_place(interaction, which, ended, title)
    if ended.battle is not None and _has_open(ended.battle, turn := ended.battle.header.turn - 1):
        await reply.say(interaction, view=_make_end_question(ended.campaign, ended.battle, turn))


async def end(interaction: Interaction, battle: str | None) -> None:
    """Ask before ending a battle, with all that ends."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _end(interaction, campaign.id, battle)


@reply.component(embed.END)
async def _end_seen(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    await _end(interaction, campaign, SeenTurn(battle, turn))


async def _end(interaction: Interaction, campaign_id: int, which: Which) -> None:
    bot = interaction.client
    ended = await bot.database.write(service.end_battle, bot.resolver, reply.person(interaction), campaign_id, which)
    if isinstance(ended, EnteredChange):
        title = f"{plain(ended.entry.content()['battle'])} is over: entry #{ended.entry.number}"
        await _show_in_place(interaction, which, ended, title)
    else:
        header = ended.battle.header
        key = embed.END.fill(campaign=campaign_id, battle=header.entry, turn=header.turn)
        button = ui.Button[ui.LayoutView](label="End the battle", style=discord.ButtonStyle.danger, custom_id=key)
        lines = [f"\N{BULLET} {line}" for line in describe_ended(ended.ended, "ends")] or ["No events end with it."]
        title = f"End {plain(header.name)} in turn {header.turn}?"
        await reply.say(interaction, view=receipt(title, [*fit_lines(ROOM, lines)], COLOURS["neutral"], [button]))


async def _show_in_place(interaction: Interaction, which: Which, entered: EnteredChange, title: str) -> None:
    handed = interaction.client.outbox.hand(interaction.client, entered.posts)
    if isinstance(which, SeenTurn):
        note_done(interaction, title)
        await reply.redraw(interaction, receipt(title, []))
    await tell(interaction, entered, handed)


async def roll(interaction: Interaction, options: turn_check.CheckOptions) -> None:
    """Check a turn's random events."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    try:
        check = await bot.database.write(
            turn_check.roll_check, bot.resolver, reply.person(interaction), campaign.id, options
        )
    except NeedsReason as needed:
        if options.faces is not None:  # no button keeps faces that were typed
            raise
        _, battle = await _active(interaction, options.battle)
        sides = [name_key(side) for side in battle.header.sides]
        side = 0 if options.side is None else 1 + sides.index(name_key(options.side))
        key = {"campaign": campaign.id, "battle": battle.header.entry, "turn": battle.header.turn}
        again = embed.AGAIN.fill(**key, mode=options.mode, side=side)
        await reply.refuse(interaction, needed, reply.with_buttons(ui.Button(label=ANYWAY, custom_id=again)))
    else:
        await show_check(interaction, check)


async def use(interaction: Interaction, name: str | None, options: service.UseOptions) -> None:
    """End an event; ask a cancelling game master for a reason."""
    try:
        await change(interaction, service.use, name, options)
    except NeedsReason as needed:
        campaign, battle = await _active(interaction, name)
        key = embed.CANCEL.fill(campaign=campaign.id, battle=battle.header.entry, key=options.event)
        if len(key) > MAX_CHOICE:  # no key of an event is that long, but anything can be typed
            raise
        await reply.refuse(
            interaction, needed, reply.with_buttons(ui.Button(label="Cancel it because ...", custom_id=key))
        )


async def show_check(interaction: Interaction, check: turn_check.RolledCheck) -> None:
    """Show a check with its next step."""
    step, count = embed.end_button(check.rolled.campaign.id, check.battle), check.unused
    unused = [f"{count} typed {'die was' if count == 1 else 'dice were'} not needed."] if count else []
    await finish(interaction, check.rolled, unused, [step])


async def show_battles(interaction: Interaction) -> None:
    """Show all battles."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    battles = await bot.database.read(service.list_battles, bot.library, reply.person(interaction), campaign)
    for page in embed.list_pages(battles, campaign=campaign.name):
        await reply.say(interaction, embeds=page)


async def show_roster(interaction: Interaction, name: str | None) -> None:
    """Show a battle's roster."""
    campaign, battle = await _active(interaction, name)
    for page in embed.roster_pages(battle, campaign=campaign.name):
        await reply.say(interaction, embeds=page)


async def show_active(interaction: Interaction, name: str | None) -> None:
    """Show a battle's active events."""
    campaign, battle = await _active(interaction, name)
    commands = may_command(reply.person(interaction), campaign)
    for page in embed.active_pages(battle, campaign=campaign.name, commands=commands):
        await reply.say(interaction, embeds=page)


async def show_table(interaction: Interaction, face: int | None) -> None:
    """Show a row of the table, or its first page."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    table = await bot.database.read(service.table, bot.library, reply.person(interaction), campaign)
    if face is None:
        await reply.say(interaction, view=table_view(table, campaign.id, 0))
    else:
        row, _ = table.read(face, face)
        await reply.say(interaction, embed=embed.row_embed(table, row, campaign=campaign.name))


@reply.component(TABLE_PAGE)
async def _turn_page(interaction: Interaction, *, campaign: int, page: int) -> None:
    bot = interaction.client
    table = await bot.database.read(service.table_by_id, bot.library, reply.person(interaction), campaign)
    await reply.redraw(interaction, table_view(table, campaign, page))


async def _meet_condition(
    condition: PartLasts, interaction: Interaction, *, campaign: int, battle: int, turn: int, _place: int
) -> None:
    bot = interaction.client
    met = service.MetCondition(battle, condition, reply.read_picked(interaction))
    entered = await bot.database.write(service.meet_condition, bot.resolver, reply.person(interaction), campaign, met)
    ended = [f"\N{BULLET} {plain(item['name'])}: {plain(item['text'])}" for item in entered.entry.content()["ended"]]
    title = f"Ended: entry #{entered.entry.number}"
    if entered.battle is not None and _has_open(entered.battle, turn):
        handed = bot.outbox.hand(bot, entered.posts)
        note_done(interaction, title)
        await reply.redraw(interaction, _make_end_question(entered.campaign, entered.battle, turn, ended))
        await bot.outbox.send(bot, handed)
    else:
        show = partial(_show_ended, interaction, entered, title, ended)
        await deliver(interaction, entered.posts, show, done=title)


async def _show_ended(
    interaction: Interaction, entered: EnteredChange, title: str, ended: Sequence[str], sent: Sequence[Post]
) -> None:
    lines = [*fit_lines(ROOM, ended), *delivery_lines(entered.campaign, sent)]
    leads = reply.person(interaction).leads(entered.campaign)
    own = [take_back_button(entered.campaign.id, entered.entry.number)] if leads else []
    await reply.redraw(interaction, receipt(title, lines, buttons=own))


COMPONENTS: tuple[reply.Component, ...] = (
    _turn_page,
    _end_seen_turn,
    _end_seen,
    *(reply.component(template)(partial(_meet_condition, condition)) for condition, template in MET.items()),
)


def table_view(table: RollTable, campaign_id: int, page: int) -> ui.LayoutView:
    """Return a page, counted from 0, of the random events table."""
    last = (len(table.rows) - 1) // ROWS
    page = min(page, last)
    rows = table.rows[page * ROWS : (page + 1) * ROWS]
    head = [*embed.letter_lines(table), "-# One of them in full: /events table number"]
    lines = [*head, *fit_lines(ROOM, [embed.row_line(row) for row in rows])]
    others = (("Earlier", page - 1), ("Later", page + 1))
    keys = (
        (label, TABLE_PAGE.fill(campaign=campaign_id, page=at) if 0 <= at <= last else None) for label, at in others
    )
    title = f"{plain(table.title)}, page {page + 1} of {last + 1}" if last else plain(table.title)
    return receipt(title, lines, COLOURS["neutral"], page_buttons(*keys))


async def _active(interaction: Interaction, name: Which) -> tuple[Campaign, Battle]:
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    return campaign, await bot.database.read(
        service.find_active, bot.library, reply.person(interaction), campaign, name
    )


def _has_open(battle: Battle, turn: int) -> bool:
    return any(_find_open(battle, condition, turn) for condition in CONDITIONS)


def _find_open(battle: Battle, condition: PartLasts, turn: int) -> list[ActiveEvent]:
    return [item for item in list_hanging(battle, condition) if item.turn <= turn]


def _make_end_question(campaign: Campaign, battle: Battle, turn: int, ended: Sequence[str] = ()) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    head = [f"### {plain(battle.name)}, end of turn {turn}"]
    container.add_item(ui.TextDisplay("\n".join([*head, *(["**Ended:**", *fit_lines(ROOM, ended)] if ended else [])])))
    for condition in CONDITIONS:
        events = _find_open(battle, condition, turn)
        if events:
            left = len(events) - SELECTS * MAX_CHOICES
            more = f" ({left} more: see /events active and /events use.)" if left > 0 else ""
            container.add_item(ui.TextDisplay(QUESTIONS[condition].format(turn=turn) + more))
            for place, first in enumerate(range(0, len(events), MAX_CHOICES)[:SELECTS]):
                key = MET[condition].fill(campaign=campaign.id, battle=battle.header.entry, turn=turn, _place=place)
                container.add_item(_select(key, events[first : first + MAX_CHOICES]))
    return ui.LayoutView(timeout=None).add_item(container)


def _select(key: str, events: Sequence[ActiveEvent]) -> ui.ActionRow[ui.LayoutView]:
    options = [
        discord.SelectOption(label=item.name, value=item_key(item), description=shorten(item.label, MAX_CHOICE))
        for item in events
    ]
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    return row.add_item(
        ui.Select(custom_id=key, placeholder="Pick all that apply", max_values=len(options), options=options)
    )
