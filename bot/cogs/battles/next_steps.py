"""The next steps of a battle in Discord: started after a roll that calls for it, joined, checked, checked once more."""

from __future__ import annotations

from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.battles import embed, service, turn_check, units
from bot.cogs.battles.entries import BATTLES, EnteredChange, campaign_with_battles, require_commander
from bot.cogs.battles.panel import show_check, tell
from bot.cogs.battles.service import UseOptions
from bot.cogs.battles.turn_check import CheckOptions
from bot.cogs.battles.units import UnitFields
from bot.core.entry_kinds import Body
from bot.core.library import Library
from bot.core.permissions import Person, find_readable, require_game_master
from bot.core.scenes import SeenTurn, find_scene
from bot.errors import BadInput, NotOpen
from bot.rolls.buttons import ANYWAY
from bot.ui.components import Component, ModalForm, component, modal
from bot.ui.parsing import MAX_NAME
from bot.ui.reply import STALE, ask, person, read_submitted, reason_form, text_field
from bot.ui.text import plain, shorten
from rules.books.battlesystem.state import Battle

MODES = ("unit", "side")


@component(embed.START)
async def ask_sides(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    """Ask what a battle is called and who fights in it, with what the roll has told of that."""
    bot, who = interaction.client, person(interaction)
    body = await bot.database.read(_calling, bot.library, who, campaign, entry)
    if part >= len(body["parts"]):
        raise NotOpen(*STALE)
    named = body["parts"][part]["subjects"]
    sides = [named[role] for role in (body["actor"], body["subject"]) if role in named]
    form = ui.Modal(title="Start the battle", custom_id=embed.START.fill(campaign=campaign, entry=entry, part=part))
    name = shorten(" against ".join(sides), MAX_NAME)
    form.add_item(text_field("name", "What it is called", value=name, limit=MAX_NAME))
    await ask(interaction, form.add_item(text_field("sides", "Its two sides", value=", ".join(sides), limit=200)))


@modal(embed.START)
async def start(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:  # noqa: ARG001 - the window's id has it
    """Start a battle."""
    bot, who, typed = interaction.client, person(interaction), read_submitted(interaction)
    await bot.database.read(_calling, bot.library, who, campaign, entry)
    named = (str(typed.get("name") or ""), str(typed.get("sides") or ""))
    await _entered(interaction, await bot.database.write(service.start, bot.resolver, who, campaign, *named))


@component(embed.JOIN)
async def ask_units(interaction: Interaction, *, campaign: int, battle: int) -> None:
    """Ask which units join which side of a battle."""
    fought = await _battle(interaction, campaign, battle)
    form = ui.Modal(title="Add units", custom_id=embed.JOIN.fill(campaign=campaign, battle=battle))
    select: ui.Select[ui.Modal] = ui.Select(custom_id="side")
    for place, side in enumerate(fought.header.sides):
        select.add_option(label=side, value=str(place), default=place == 0)
    form.add_item(text_field("units", "Units", placeholder="Units of one kind, separated by commas", limit=1000))
    await ask(interaction, form.add_item(ui.Label(text="Their side", component=select)))


@modal(embed.JOIN)
async def join(interaction: Interaction, *, campaign: int, battle: int) -> None:
    """Let units join a battle."""
    bot, who, typed = interaction.client, person(interaction), read_submitted(interaction)
    fought = await _battle(interaction, campaign, battle)
    sides = {str(place): side for place, side in enumerate(fought.header.sides)}
    side = sides.get(next(iter(typed.get("side") or ()), ""))
    if side is None:
        raise BadInput("No side was picked.", "Pick the side that the units fight on.")
    names, fields = str(typed.get("units") or ""), UnitFields(side=side)
    asked = (who, campaign, fought.name, names, fields)
    await _entered(interaction, await bot.database.write(units.add, bot.resolver, *asked))


@component(embed.CHECK)
async def check(interaction: Interaction, *, campaign: int, battle: int, turn: int) -> None:
    """Check a turn's random events, a die for each unit."""
    await _check(interaction, campaign, CheckOptions(SeenTurn(battle, turn)))


@component(embed.AGAIN)
async def ask_why(interaction: Interaction, *, campaign: int, battle: int, turn: int, mode: str, side: int) -> None:
    """Ask why a turn is checked once more."""
    fought = await _battle(interaction, campaign, battle)
    key = embed.AGAIN.fill(campaign=campaign, battle=battle, turn=turn, mode=mode, side=side)
    about = f"Turn {turn} of {plain(fought.name)} is already checked. Its events stay in force; /events use ends them."
    await ask(interaction, reason_form(key, ANYWAY, about, placeholder="Two units were missing"))


@modal(embed.AGAIN)
async def check_again(interaction: Interaction, *, campaign: int, battle: int, turn: int, mode: str, side: int) -> None:
    """Check a turn once more, for the reason that was given."""
    fought = await _battle(interaction, campaign, battle)
    if mode not in MODES or side > len(fought.header.sides):
        raise NotOpen(*STALE)
    only = fought.header.sides[side - 1] if side else None
    reason = str(read_submitted(interaction).get("reason") or "")
    options = CheckOptions(SeenTurn(battle, turn), mode, only, reason)
    await _check(interaction, campaign, options)


@component(embed.CANCEL)
async def ask_why_cancelled(interaction: Interaction, *, campaign: int, battle: int, key: str) -> None:
    """Ask why an event is cancelled."""
    fought = await _battle(interaction, campaign, battle)
    form = embed.CANCEL.fill(campaign=campaign, battle=battle, key=key)
    about = f"This cancels an event of {plain(fought.name)} without a token. Only game masters see why."
    await ask(interaction, reason_form(form, "Cancel an event", about, placeholder="It was rolled for the wrong unit"))


@modal(embed.CANCEL)
async def cancel(interaction: Interaction, *, campaign: int, battle: int, key: str) -> None:
    """Cancel an event for the reason that was given."""
    bot, fought = interaction.client, await _battle(interaction, campaign, battle)
    options = UseOptions(key, "cancel", str(read_submitted(interaction).get("reason") or ""))
    asked = (person(interaction), campaign, fought.name, options)
    await _entered(interaction, await bot.database.write(service.use, bot.resolver, *asked))


COMPONENTS: tuple[Component, ...] = (ask_sides, ask_units, check, ask_why, ask_why_cancelled)
MODALS: tuple[ModalForm, ...] = (start, join, check_again, cancel)


async def _check(interaction: Interaction, campaign: int, options: CheckOptions) -> None:
    bot, who = interaction.client, person(interaction)
    made = await bot.database.write(turn_check.roll, bot.resolver, who, campaign, options)
    await show_check(interaction, made)


async def _entered(interaction: Interaction, entered: EnteredChange) -> None:
    bot = interaction.client
    await tell(interaction, entered, bot.outbox.hand(bot, entered.posts))


async def _battle(interaction: Interaction, campaign: int, battle: int) -> Battle:
    bot = interaction.client
    return await bot.database.read(_fought, bot.library, person(interaction), campaign, battle)


def _fought(tx: Connection, library: Library, who: Person, campaign_id: int, battle: int) -> Battle:
    """Return the battle that an entry began, for whoever may roll its random events."""
    campaign = campaign_with_battles(tx, library, who, campaign_id, lock=False)
    require_commander(who, campaign)
    return find_scene(tx, campaign.id, BATTLES, battle)


def _calling(tx: Connection, library: Library, who: Person, campaign_id: int, number: int) -> Body:
    """Return the body of the roll that calls for a battle, for a game master."""
    campaign = campaign_with_battles(tx, library, who, campaign_id, lock=False)
    require_game_master(who, campaign, "begin battles")
    entry = find_readable(tx, who, campaign, number)
    if entry is None or entry.kind != "roll":
        raise NotOpen(f"Entry #{number} doesn't need a battle.")
    return entry.content()
