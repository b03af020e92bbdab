"""Battles that wait for a player: where it is the half of a side of theirs, or a force of theirs has to retreat."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from discord import ui

from bot.cogs.war.battle import ids
from bot.cogs.war.battle.found import own_sides
from bot.cogs.war.battle.threads import begun_by
from bot.cogs.war.wars import RunningWar
from bot.ui.text import plain
from bot.ui.todo import FEW, Todo
from rules.books.total_war.leaving import retreating
from rules.books.total_war.tale import in_words
from rules.geometry.hexes import Hex


def awaiting(seen: RunningWar) -> Iterator[Todo]:
    """Yield the battles that wait for whoever looks, each with the button of its board."""
    acts = seen.callsign is not None and seen.war.winner is None
    found = [*islice(_waiting(seen), FEW)] if acts else []
    if found:
        keys = (ids.Key(seen.campaign.id, str(at), begun_by(seen.values, at)) for at, _ in found)
        buttons: list[ui.Button[Any]] = [
            ui.Button(label=f"Board of {key.at}", custom_id=key.fill(ids.SHOW)) for key in keys
        ]
        lines = [plain(f"Battle on {at}: {line}") for at, line in found]
        yield Todo("Needs you", [f"\N{BULLET} {line}" for line in lines], [buttons])


def _waiting(seen: RunningWar) -> Iterator[tuple[Hex, str]]:
    for at in seen.seen.battles:
        battle = seen.war.battles[at]
        fight = battle.fight
        own = [force.name for force in retreating(seen.rules, seen.war, at) if force.commander == seen.callsign]
        if not fight.ended.over and fight.active in own_sides(seen.war, battle, seen.callsign):
            yield at, f"turn {fight.turn}, your half"
        elif own:
            yield at, f"over, {in_words(own)} {'have' if own[1:] else 'has'} to retreat"
