"""The buttons of battles: boards shown and shown again, halves of turns that end, withdrawals."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from discord import ui

from bot.client import Interaction
from bot.cogs.war.battle import ids, panel, typed
from bot.cogs.war.battle.found import Where
from bot.cogs.war.battle.threads import FOUGHT
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.ui.components import Component, component


@component(ids.SHOW)
async def show(interaction: Interaction, *, campaign: int, at: str, begun: int) -> None:
    """Show the board."""
    await panel.show(interaction, Where.of(campaign, at, begun))


@component(ids.REFRESH)
async def show_again(interaction: Interaction, *, campaign: int, at: str, begun: int) -> None:
    """Show the board as it stands now."""
    await panel.show_again(interaction, Where.of(campaign, at, begun))


@component(ids.WORDS)
async def tell(interaction: Interaction, *, campaign: int, at: str, begun: int, unit: str) -> None:
    """Tell all of a board in words."""
    await panel.tell(interaction, Where.of(campaign, at, begun), unit or None)


@component(ids.NEXT)
async def end_half(interaction: Interaction, *, campaign: int, at: str, begun: int, turn: int, side: int) -> None:
    """End the half of the turn that was seen, or ask first where units of it could still act."""
    await panel.end_half(interaction, Where.of(campaign, at, begun), typed.end_half, turn, side)


@component(ids.SURE)
async def end_anyway(interaction: Interaction, *, campaign: int, at: str, begun: int, turn: int, side: int) -> None:
    """End the half of the turn that was asked about."""
    await panel.roll(interaction, Where.of(campaign, at, begun), partial(typed.end_half, turn, side))


@component(ids.WITHDRAW)
async def ask_withdrawal(interaction: Interaction, *, campaign: int, at: str, begun: int, side: int) -> None:
    """Ask whether a side withdraws."""
    await panel.ask_withdrawal(interaction, Where.of(campaign, at, begun), side)


@component(ids.LEAVE)
async def withdraw(interaction: Interaction, *, campaign: int, at: str, begun: int, side: int) -> None:
    """Let a side withdraw from the battle that was seen."""
    await panel.roll(interaction, Where.of(campaign, at, begun), partial(typed.withdraw, side))


@component(ids.RETREAT)
async def retreat(interaction: Interaction, *, campaign: int, at: str, begun: int, force: int, to: str) -> None:
    """Let a beaten force go to a panel from the battle that was seen."""
    await panel.roll(interaction, Where.of(campaign, at, begun), partial(typed.retreat_seen, force, to))


def next_steps(person: Person, campaign: Campaign, entry: Entry) -> Iterable[ui.Button[Any]]:
    """Return what comes next after an act on a board: the board, and the end of the half that goes on, or a retreat."""
    body = entry.content()
    if FOUGHT not in body:
        return []
    part = body["parts"][0]
    at = part["inputs"]["at"]
    key = ids.Key(campaign.id, at, body[FOUGHT])
    waited = part["record"].get("retreats", {}).get(at)
    if waited is not None:
        return ids.leaving(key, own=person.leads(campaign) or part["inputs"].get("by") in waited)
    half = part["record"].get("halves", {}).get(at)
    return [] if half is None else ids.after_act(key, half, ends=body["actor"] == ids.ACTS)


COMPONENTS: tuple[Component, ...] = (show, show_again, tell, end_half, end_anyway, ask_withdrawal, withdraw, retreat)
