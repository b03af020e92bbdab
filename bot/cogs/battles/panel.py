"""Answers about battles: changes, checks, the table, open conditions, and the windows of next steps."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.battles import embed, entries, service, units
from bot.core import errors, ledger, scenes
from bot.core.campaigns import Campaign
from bot.outbox import delivery, queue
from bot.rolls import answers, receipts
from bot.rolls.desk import desk_of
from bot.rolls.entries import ANYWAY, take_back_button
from bot.ui import answering, parsing, reply
from bot.ui.receipt import receipt
from bot.ui.reply import Component, IdTemplate, ModalForm, component, modal, read_picked
from bot.ui.text import COLOURS, Controls, Layout, fit_lines, plain, shorten
from rules import kinds, subjects
from rules.books.battlesystem.effects import item_key, list_hanging
from rules.books.battlesystem.state import CONDITIONS, ActiveEvent, Battle

MET: Mapping[kinds.PartLasts, IdTemplate] = {
    condition: IdTemplate(f"events:{{campaign:int}}:{condition}:{{battle:int}}:{{turn:int}}:{{_place:int}}")
    for condition in CONDITIONS
}
"""The place tells several selects about one condition apart."""

SELECTS = 5
QUESTIONS: Mapping[kinds.PartLasts, str] = {
    "until_condition": "Tired: pick units that didn't move, fight or rally in turn {turn}. They are rested.",
    "until_gone": "Grudge: pick pairs where the unit or its enemy is destroyed or off the map.",
}


async def change(interaction: Interaction, transaction: Callable[..., entries.EnteredChange], *options: object) -> None:
    """Change a battle in the channel's campaign, and post that."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    entered = await bot.database.write(transaction, bot.resolver, reply.person(interaction), campaign.id, *options)
    await _show_change(interaction, entered)


async def _show_change(interaction: Interaction, entered: entries.EnteredChange) -> None:
    await _tell(interaction, entered, interaction.client.outbox.hand(interaction.client, entered.posts))


async def _tell(interaction: Interaction, entered: entries.EnteredChange, handed: delivery.Delivery) -> None:
    bot = interaction.client
    answering.note_done(interaction, f"Done: entry #{entered.entry.number}")
    who, campaign = reply.person(interaction), entered.campaign
    own = [take_back_button(campaign.id, entered.entry.number)] if who.leads(campaign) else []
    next_steps = [*embed.step_buttons(who, campaign, entered.battle), *own]
    *before, last = entries.entry_pages(ledger.EntryView(entered.entry, campaign.name), "staff")
    for page in before:
        await reply.say(interaction, embeds=page)
    await reply.say(interaction, embeds=last, **({"view": Controls(*next_steps)} if next_steps else {}))
    await bot.outbox.deliver(bot, handed, partial(_show_posts, interaction, entered))


async def _show_posts(interaction: Interaction, entered: entries.EnteredChange, sent: Sequence[queue.Post]) -> None:
    lines = [*map(plain, entered.asides), *receipts.delivery_lines(entered.campaign, sent)]
    if lines:
        await reply.put_answer(
            interaction, embed=discord.Embed(description="\n".join(lines), colour=COLOURS["neutral"])
        )


@component(embed.TURN)
async def _end_seen_turn(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    await end_turn(interaction, scenes.SeenTurn(battle, turn), campaign)


async def end_turn(interaction: Interaction, which: scenes.Which, campaign_id: int | None = None) -> None:
    """End a turn, then ask about open conditions. Default: a battle of the channel's campaign."""
    bot = interaction.client
    campaign_id = (await desk_of(interaction).campaign(interaction)).id if campaign_id is None else campaign_id
    ended = await bot.database.write(service.end_turn, bot.resolver, reply.person(interaction), campaign_id, which)
    if not isinstance(ended, entries.EnteredChange):
        title, now = f"{plain(ended.name)}, turn {ended.header.turn}", ended.header.turn
        text = f"Neither side has checked random events in turn {now} (/gm-events roll). End it anyway?"
        button = embed.end_button(campaign_id, ended)
        await reply.say(interaction, view=receipt(title, [text], COLOURS["neutral"], [button]))
        return
    title = f"Turn {ended.entry.content()['turn']} has ended: entry #{ended.entry.number}"
    await _show_in_place(interaction, which, ended, title)
    if ended.battle is not None and _has_open(ended.battle, turn := ended.battle.header.turn - 1):
        await reply.say(interaction, view=_make_end_question(ended.campaign, ended.battle, turn))


@component(embed.END)
async def _end_seen(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    await end(interaction, scenes.SeenTurn(battle, turn), campaign)


async def end(interaction: Interaction, which: scenes.Which, campaign_id: int | None = None) -> None:
    """End a battle that was seen; ask before ending another one, with all that ends."""
    bot = interaction.client
    campaign_id = (await desk_of(interaction).campaign(interaction)).id if campaign_id is None else campaign_id
    ended = await bot.database.write(service.end_battle, bot.resolver, reply.person(interaction), campaign_id, which)
    if isinstance(ended, entries.EnteredChange):
        title = f"{plain(ended.entry.content()['battle'])} is over: entry #{ended.entry.number}"
        await _show_in_place(interaction, which, ended, title)
    else:
        header = ended.battle.header
        key = embed.END.fill(campaign=campaign_id, battle=header.entry, turn=header.turn)
        button = ui.Button[ui.LayoutView](label="End the battle", style=discord.ButtonStyle.danger, custom_id=key)
        lines = [f"\N{BULLET} {line}" for line in entries.describe_ended(ended.ended, "ends")] or [
            "No events end with it."
        ]
        title = f"End {plain(header.name)} in turn {header.turn}?"
        await reply.say(interaction, view=receipt(title, [*fit_lines(embed.ROOM, lines)], COLOURS["neutral"], [button]))


async def _show_in_place(
    interaction: Interaction, which: scenes.Which, entered: entries.EnteredChange, title: str
) -> None:
    handed = interaction.client.outbox.hand(interaction.client, entered.posts)
    if isinstance(which, scenes.SeenTurn):
        answering.note_done(interaction, title)
        await reply.redraw(interaction, receipt(title, []))
    await _tell(interaction, entered, handed)


async def roll(interaction: Interaction, options: service.CheckOptions) -> None:
    """Check a turn's random events."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    try:
        check = await bot.database.write(
            service.roll_check, bot.resolver, reply.person(interaction), campaign.id, options
        )
    except errors.NeedsReason as needed:
        if options.faces is not None:  # no button keeps faces that were typed
            raise
        _, battle = await find_active(interaction, options.battle)
        sides = [subjects.name_key(side) for side in battle.header.sides]
        side = 0 if options.side is None else 1 + sides.index(subjects.name_key(options.side))
        key = {"campaign": campaign.id, "battle": battle.header.entry, "turn": battle.header.turn}
        again = embed.AGAIN.fill(**key, mode=options.mode, side=side)
        await reply.refuse(interaction, needed, Controls(ui.Button(label=ANYWAY, custom_id=again)))
    else:
        await show_check(interaction, check)


async def use(interaction: Interaction, name: str | None, options: service.UseOptions) -> None:
    """End an event; ask a cancelling game master for a reason."""
    try:
        await change(interaction, service.use, name, options)
    except errors.NeedsReason as needed:
        campaign, battle = await find_active(interaction, name)
        key = embed.CANCEL.fill(campaign=campaign.id, battle=battle.header.entry, key=options.event)
        if len(key) > parsing.MAX_CHOICE:  # no key of an event is that long, but anything can be typed
            raise
        await reply.refuse(interaction, needed, Controls(ui.Button(label="Cancel it because ...", custom_id=key)))


async def show_check(interaction: Interaction, check: service.RolledCheck) -> None:
    """Show a check with its next step."""
    step, count = embed.end_button(check.rolled.campaign.id, check.battle), check.unused
    unused = [f"{count} typed {'die was' if count == 1 else 'dice were'} not needed."] if count else []
    await answers.finish(interaction, check.rolled, unused, [step])


@component(embed.TABLE_PAGE)
async def _turn_page(interaction: Interaction, *, campaign: int, page: int) -> None:
    bot = interaction.client
    table = await bot.database.read(service.table_by_id, bot.library, reply.person(interaction), campaign)
    await reply.redraw(interaction, embed.table_view(table, campaign, page))


async def _meet_condition(
    condition: kinds.PartLasts, interaction: Interaction, *, campaign: int, battle: int, turn: int, _place: int
) -> None:
    bot = interaction.client
    met = service.MetCondition(battle, condition, read_picked(interaction))
    entered = await bot.database.write(service.meet_condition, bot.resolver, reply.person(interaction), campaign, met)
    ended = [f"\N{BULLET} {plain(item['name'])}: {plain(item['text'])}" for item in entered.entry.content()["ended"]]
    title = f"Ended: entry #{entered.entry.number}"
    if entered.battle is not None and _has_open(entered.battle, turn):
        handed = bot.outbox.hand(bot, entered.posts)
        answering.note_done(interaction, title)
        await reply.redraw(interaction, _make_end_question(entered.campaign, entered.battle, turn, ended))
        await bot.outbox.send(bot, handed)
    else:
        show = partial(_show_ended, interaction, entered, title, ended)
        await receipts.deliver(interaction, entered.posts, show, done=title)


async def _show_ended(
    interaction: Interaction,
    entered: entries.EnteredChange,
    title: str,
    ended: Sequence[str],
    sent: Sequence[queue.Post],
) -> None:
    lines = [*fit_lines(embed.ROOM, ended), *receipts.delivery_lines(entered.campaign, sent)]
    leads = reply.person(interaction).leads(entered.campaign)
    own = [take_back_button(entered.campaign.id, entered.entry.number)] if leads else []
    await reply.redraw(interaction, receipt(title, lines, buttons=own))


async def find_active(interaction: Interaction, name: scenes.Which) -> tuple[Campaign, Battle]:
    """Find a running battle of the channel's campaign."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    return campaign, await bot.database.read(
        service.find_active, bot.library, reply.person(interaction), campaign, name
    )


def _has_open(battle: Battle, turn: int) -> bool:
    return any(_find_open(battle, condition, turn) for condition in CONDITIONS)


def _find_open(battle: Battle, condition: kinds.PartLasts, turn: int) -> list[ActiveEvent]:
    return [item for item in list_hanging(battle, condition) if item.turn <= turn]


def _make_end_question(campaign: Campaign, battle: Battle, turn: int, ended: Sequence[str] = ()) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    head = [f"### {plain(battle.name)}, end of turn {turn}"]
    container.add_item(
        ui.TextDisplay("\n".join([*head, *(["**Ended:**", *fit_lines(embed.ROOM, ended)] if ended else [])]))
    )
    for condition in CONDITIONS:
        events = _find_open(battle, condition, turn)
        if events:
            left = len(events) - SELECTS * parsing.MAX_CHOICES
            more = f" ({left} more: see /events active and /gm-events use.)" if left > 0 else ""
            container.add_item(ui.TextDisplay(QUESTIONS[condition].format(turn=turn) + more))
            for place, first in enumerate(range(0, len(events), parsing.MAX_CHOICES)[:SELECTS]):
                key = MET[condition].fill(campaign=campaign.id, battle=battle.header.entry, turn=turn, _place=place)
                container.add_item(_select(key, events[first : first + parsing.MAX_CHOICES]))
    return Layout(container)


def _select(key: str, events: Sequence[ActiveEvent]) -> ui.ActionRow[ui.LayoutView]:
    options = [
        discord.SelectOption(label=item.name, value=item_key(item), description=shorten(item.label, parsing.MAX_CHOICE))
        for item in events
    ]
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    return row.add_item(
        ui.Select(custom_id=key, placeholder="Pick all that apply", max_values=len(options), options=options)
    )


MODES = ("unit", "side")


@component(embed.START)
async def _ask_sides(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    bot, who = interaction.client, reply.person(interaction)
    body = await bot.database.read(service.read_call, bot.library, who, campaign, entry)
    if part >= len(body["parts"]):
        raise errors.NotOpen(*reply.STALE)
    named = body["parts"][part]["subjects"]
    sides = [named[role] for role in (body["actor"], body["subject"]) if role in named]
    form = ui.Modal(title="Start the battle", custom_id=embed.START.fill(campaign=campaign, entry=entry, part=part))
    name = shorten(" against ".join(sides), parsing.MAX_NAME)
    form.add_item(reply.text_field("name", "What it is called", value=name, limit=parsing.MAX_NAME))
    await reply.ask(
        interaction, form.add_item(reply.text_field("sides", "Its two sides", value=", ".join(sides), limit=200))
    )


@modal(embed.START)
async def _start(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:  # noqa: ARG001 - the window's id has it
    bot, who, typed = interaction.client, reply.person(interaction), reply.read_submitted(interaction)
    await bot.database.read(service.read_call, bot.library, who, campaign, entry)
    named = (str(typed.get("name") or ""), str(typed.get("sides") or ""))
    await _show_change(interaction, await bot.database.write(service.start, bot.resolver, who, campaign, *named))


@component(embed.JOIN)
async def _ask_units(interaction: Interaction, *, campaign: int, battle: int) -> None:
    fought = await _battle(interaction, campaign, battle)
    form = ui.Modal(title="Add units", custom_id=embed.JOIN.fill(campaign=campaign, battle=battle))
    select: ui.Select[ui.Modal] = ui.Select(custom_id="side")
    for place, side in enumerate(fought.header.sides):
        select.add_option(label=side, value=str(place), default=place == 0)
    form.add_item(reply.text_field("units", "Units", placeholder="Units of one kind, separated by commas", limit=1000))
    await reply.ask(interaction, form.add_item(ui.Label(text="Their side", component=select)))


@modal(embed.JOIN)
async def _join(interaction: Interaction, *, campaign: int, battle: int) -> None:
    bot, who, typed = interaction.client, reply.person(interaction), reply.read_submitted(interaction)
    fought = await _battle(interaction, campaign, battle)
    sides = {str(place): side for place, side in enumerate(fought.header.sides)}
    side = sides.get(next(iter(typed.get("side") or ()), ""))
    if side is None:
        raise errors.BadInput("No side was picked.", "Pick the side that the units fight on.")
    names, fields = str(typed.get("units") or ""), units.UnitFields(side=side)
    asked = (who, campaign, fought.name, names, fields)
    await _show_change(interaction, await bot.database.write(units.add, bot.resolver, *asked))


@component(embed.CHECK)
async def check(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    """Check a turn's random events."""
    await _check(interaction, campaign, service.CheckOptions(scenes.SeenTurn(battle, turn)))


@component(embed.AGAIN)
async def _ask_why(interaction: Interaction, *, campaign: int, battle: int, turn: int, mode: str, side: int) -> None:
    fought = await _battle(interaction, campaign, battle)
    key = embed.AGAIN.fill(campaign=campaign, battle=battle, turn=turn, mode=mode, side=side)
    about = (
        f"Turn {turn} of {plain(fought.name)} is already checked. Its events stay in force; /gm-events use ends them."
    )
    await reply.ask(interaction, reply.reason_form(key, ANYWAY, about, placeholder="Two units were missing"))


@modal(embed.AGAIN)
async def _check_again(
    interaction: Interaction, *, campaign: int, battle: int, turn: int, mode: str, side: int
) -> None:
    fought = await _battle(interaction, campaign, battle)
    if mode not in MODES or side > len(fought.header.sides):
        raise errors.NotOpen(*reply.STALE)
    only = fought.header.sides[side - 1] if side else None
    reason = str(reply.read_submitted(interaction).get("reason") or "")
    options = service.CheckOptions(scenes.SeenTurn(battle, turn), mode, only, reason)
    await _check(interaction, campaign, options)


@component(embed.CANCEL)
async def _ask_why_cancelled(interaction: Interaction, *, campaign: int, battle: int, key: str) -> None:
    fought = await _battle(interaction, campaign, battle)
    form = embed.CANCEL.fill(campaign=campaign, battle=battle, key=key)
    about = f"This cancels an event of {plain(fought.name)} without a token. Only game masters see why."
    await reply.ask(
        interaction, reply.reason_form(form, "Cancel an event", about, placeholder="It was rolled for the wrong unit")
    )


@modal(embed.CANCEL)
async def _cancel(interaction: Interaction, *, campaign: int, battle: int, key: str) -> None:
    bot, fought = interaction.client, await _battle(interaction, campaign, battle)
    options = service.UseOptions(key, "cancel", str(reply.read_submitted(interaction).get("reason") or ""))
    asked = (reply.person(interaction), campaign, fought.name, options)
    await _show_change(interaction, await bot.database.write(service.use, bot.resolver, *asked))


async def _check(interaction: Interaction, campaign: int, options: service.CheckOptions) -> None:
    bot, who = interaction.client, reply.person(interaction)
    made = await bot.database.write(service.roll_check, bot.resolver, who, campaign, options)
    await show_check(interaction, made)


async def _battle(interaction: Interaction, campaign: int, battle: int) -> Battle:
    bot = interaction.client
    return await bot.database.read(service.find_battle, bot.library, reply.person(interaction), campaign, battle)


COMPONENTS: tuple[Component | ModalForm, ...] = (
    _turn_page,
    _end_seen_turn,
    _end_seen,
    _ask_sides,
    _ask_units,
    check,
    _ask_why,
    _ask_why_cancelled,
    *(component(template)(partial(_meet_condition, condition)) for condition, template in MET.items()),
    _start,
    _join,
    _check_again,
    _cancel,
)
