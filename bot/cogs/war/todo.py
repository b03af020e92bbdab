"""The turn of a war on the desk of the week: that it has not ended, and which battles it waits for, or that its last one is not told; to players, which battles and answers wait for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discord import ui
from sqlalchemy import Connection

from bot.cogs.war.battle.awaiting import awaiting
from bot.cogs.war.battle.late_cards import late_cards
from bot.cogs.war.wars import BOOK, RunningWar, running
from bot.core.campaigns import Campaign, current_update
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.errors import BadInput
from bot.orders.digest import is_due
from bot.orders.ids import PLAN
from bot.orders.played_scene import scene_of
from bot.orders.standing import standing
from bot.ui.text import plain
from bot.ui.todo import Todo
from rules.books.total_war import keeping
from rules.books.total_war.order_kinds import ANSWER
from rules.books.total_war.owing import owed
from rules.books.total_war.starting import second_due
from rules.books.total_war.war import Rules, War
from rules.orders import OrderKind
from rules.phrases import counted
from rules.subjects import name_key

STAYS = "If you close now, the turn goes on in the next update, and forces that have moved wait. To end it first, press Resolve after the last battle."
"""What closing the update means for a turn that has not ended."""


def turn_to_end(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield for game masters that the turn has not ended in this update, or that the turn in which the war was won has no digest; for players which battles and answers wait for them."""
    campaign = viewer.campaign
    try:
        book = library.book(tx, campaign, BOOK)
    except BadInput:  # the book is off
        return
    if not viewer.person.leads(campaign):
        seen = running(tx, library, viewer.person, campaign)
        yield from () if seen is None else (*awaiting(seen), *_own_answers(tx, seen))
        return
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return
    rules, war = keeping.read(book, scene.values)
    yield from late_cards(tx, viewer, book, scene.subject, scene.values)
    update = current_update(tx, campaign.id)["number"]
    name, fought = plain(str(scene.values[keeping.WAR]["name"])), len(war.battles)
    if war.winner is not None:
        yield from _last_turn(tx, campaign, name)
        return
    yield from _answers(rules, war)
    yield from _second(rules, war)
    if war.update == update:
        return
    waits = f" ({counted(fought, 'battles')} to finish)" if fought else ""
    line = f"Turn {war.turn} of {name} hasn't ended{waits}"
    button: ui.Button[Any] = ui.Button(label="Resolve", custom_id=PLAN.fill(campaign=campaign.id, number=update))
    undone = f"{line}. {STAYS}"
    yield Todo("War", [f"\N{BULLET} {line}"], [[button]], undone=undone, instead=[button])


def _answers(rules: Rules, war: War) -> Iterator[Todo]:
    """Yield what leaders have still to answer; of a faction without one a game master does."""
    owing = [(side, what) for name, side in war.factions.items() for what in owed(rules, war, name)]
    lines = [f"{side.name} ({side.leader or 'no leader, so you answer'}): {what}" for side, what in owing]
    if lines:
        yield Todo("Answers due in the war", [f"\N{BULLET} {plain(line)}" for line in lines])


def _own_answers(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    """Yield what the viewer still has to answer as the leader of a faction, until they have ordered as many answers."""
    given = [name_key(item.who.name) for item in standing(tx, seen.campaign) if item.kind == ANSWER]
    led = [(name, side) for name, side in seen.war.factions.items() if side.leader and side.leader == seen.callsign]
    owing = [(side.name, [*owed(seen.rules, seen.war, name)]) for name, side in led]
    label = seen.book.listed(OrderKind)[ANSWER].label
    lines = [
        f"\N{BULLET} {plain(side)}: {plain(what)}: `/order give kind:{label} who:{plain(side)}`"
        for side, answers in owing
        for what in answers
        if given.count(name_key(side)) < len(answers)
    ]
    if lines:
        yield Todo("Needs your answer", lines)


def _second(rules: Rules, war: War) -> Iterator[Todo]:
    """Yield that a war goes on with another scenario, which a game master begins."""
    second = second_due(rules, war)
    if second is not None:
        yield Todo("War", [f"\N{BULLET} The war goes on with the scenario {plain(second)}: `/war new scenario:`"])


def _last_turn(tx: Connection, campaign: Campaign, name: str) -> Iterator[Todo]:
    """Yield that a war is over and what came of its last orders is not told: a battle that wins it is nobody's press of Resolve."""
    if is_due(tx, campaign, BOOK):
        line = f"{name} is over, but its last results aren't posted"
        yield Todo("War", [f"\N{BULLET} {line}: `/update digest`"], undone=f"{line}.")
