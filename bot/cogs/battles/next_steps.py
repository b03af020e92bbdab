"""The next steps of a battle: start, join, check, check again, cancel."""

from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.battles import embed, service, turn_check, units
from bot.cogs.battles.entries import BATTLES, EnteredChange, campaign_with_battles, require_commander
from bot.cogs.battles.panel import show_check, tell
from bot.core.errors import BadInput, NotOpen
from bot.core.ledger import Body
from bot.core.library import Library
from bot.core.permissions import Person, find_readable, require_game_master
from bot.core.scenes import SeenTurn, find_scene
from bot.rolls.entries import ANYWAY
from bot.ui import reply
from bot.ui.parsing import MAX_NAME
from bot.ui.reply import Component, ModalForm, component, modal
from bot.ui.text import plain, shorten
from rules.books.battlesystem.state import Battle

MODES = ("unit", "side")


@component(embed.START)
async def _ask_sides(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    bot, who = interaction.client, reply.person(interaction)
    body = await bot.database.read(_read_call, bot.library, who, campaign, entry)
    if part >= len(body["parts"]):
        raise NotOpen(*reply.STALE)
    named = body["parts"][part]["subjects"]
    sides = [named[role] for role in (body["actor"], body["subject"]) if role in named]
    form = ui.Modal(title="Start the battle", custom_id=embed.START.fill(campaign=campaign, entry=entry, part=part))
    name = shorten(" against ".join(sides), MAX_NAME)
    form.add_item(reply.text_field("name", "What it is called", value=name, limit=MAX_NAME))
    await reply.ask(
        interaction, form.add_item(reply.text_field("sides", "Its two sides", value=", ".join(sides), limit=200))
    )


@modal(embed.START)
async def _start(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:  # noqa: ARG001 - the window's id has it
    bot, who, typed = interaction.client, reply.person(interaction), reply.read_submitted(interaction)
    await bot.database.read(_read_call, bot.library, who, campaign, entry)
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
        raise BadInput("No side was picked.", "Pick the side that the units fight on.")
    names, fields = str(typed.get("units") or ""), units.UnitFields(side=side)
    asked = (who, campaign, fought.name, names, fields)
    await _show_change(interaction, await bot.database.write(units.add, bot.resolver, *asked))


@component(embed.CHECK)
async def check(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    """Check a turn's random events."""
    await _check(interaction, campaign, turn_check.CheckOptions(SeenTurn(battle, turn)))


@component(embed.AGAIN)
async def _ask_why(interaction: Interaction, *, campaign: int, battle: int, turn: int, mode: str, side: int) -> None:
    fought = await _battle(interaction, campaign, battle)
    key = embed.AGAIN.fill(campaign=campaign, battle=battle, turn=turn, mode=mode, side=side)
    about = f"Turn {turn} of {plain(fought.name)} is already checked. Its events stay in force; /events use ends them."
    await reply.ask(interaction, reply.reason_form(key, ANYWAY, about, placeholder="Two units were missing"))


@modal(embed.AGAIN)
async def _check_again(
    interaction: Interaction, *, campaign: int, battle: int, turn: int, mode: str, side: int
) -> None:
    fought = await _battle(interaction, campaign, battle)
    if mode not in MODES or side > len(fought.header.sides):
        raise NotOpen(*reply.STALE)
    only = fought.header.sides[side - 1] if side else None
    reason = str(reply.read_submitted(interaction).get("reason") or "")
    options = turn_check.CheckOptions(SeenTurn(battle, turn), mode, only, reason)
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


COMPONENTS: tuple[Component, ...] = (_ask_sides, _ask_units, check, _ask_why, _ask_why_cancelled)
MODALS: tuple[ModalForm, ...] = (_start, _join, _check_again, _cancel)


async def _check(interaction: Interaction, campaign: int, options: turn_check.CheckOptions) -> None:
    bot, who = interaction.client, reply.person(interaction)
    made = await bot.database.write(turn_check.roll_check, bot.resolver, who, campaign, options)
    await show_check(interaction, made)


async def _show_change(interaction: Interaction, entered: EnteredChange) -> None:
    bot = interaction.client
    await tell(interaction, entered, bot.outbox.hand(bot, entered.posts))


async def _battle(interaction: Interaction, campaign: int, battle: int) -> Battle:
    bot = interaction.client
    return await bot.database.read(_find_battle, bot.library, reply.person(interaction), campaign, battle)


def _find_battle(tx: Connection, library: Library, who: Person, campaign_id: int, battle: int) -> Battle:
    campaign = campaign_with_battles(tx, library, who, campaign_id, lock=False)
    require_commander(who, campaign)
    return find_scene(tx, campaign.id, BATTLES, battle)


def _read_call(tx: Connection, library: Library, who: Person, campaign_id: int, number: int) -> Body:
    campaign = campaign_with_battles(tx, library, who, campaign_id, lock=False)
    require_game_master(who, campaign, "begin battles")
    entry = find_readable(tx, who, campaign, number)
    if entry is None or entry.kind != "roll":
        raise NotOpen(f"Entry #{number} doesn't need a battle.")
    return entry.content()
