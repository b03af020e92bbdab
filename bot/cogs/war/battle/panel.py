"""Battles in Discord: boards that are shown with what may be done there, and rolls that answer commands and buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war.battle import ids
from bot.cogs.war.battle.found import SeenBattle, Where, beaten, looked
from bot.core.library import Library
from bot.core.permissions import Person
from bot.outbox.pictures import drawn
from bot.rolls.answers import begin
from bot.rolls.request import RollCommand
from bot.rolls.requests import TypedRoll
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.components import with_buttons
from bot.ui.picture import ATTACHED, Picture, fitting
from bot.ui.receipt import receipt
from bot.ui.reply import rewrite, say
from bot.ui.text import listing, plain
from rules.books.total_war.actors import require_fought
from rules.books.total_war.leaving import retreating, why_retreats
from rules.books.total_war.order_kinds import NONE_FREE
from rules.books.total_war.tale import places
from rules.books.total_war.withdrawing import price
from rules.geometry.squares import Square
from rules.phrases import possessive

Made = Callable[[Where, Connection, Library, Person], RollCommand]
"""Return the roll of something typed or pressed about a battle."""


class Reach(Struct, frozen=True):
    """Whose reach a board shows, as typed: a unit, where it goes first, and where it fires."""

    unit: str | None = None
    to: str | None = None
    toward: str | None = None


class Drawn(Struct, frozen=True):
    """What is drawn: the board, or what a unit (id) can do on it."""

    seen: SeenBattle
    unit: str | None = None
    to: Square | None = None
    toward: str | None = None

    def __call__(self) -> Picture:
        """Draw it."""
        told, board = import_module("bot.cogs.war.pictures.told"), (self.seen.rules, self.seen.seen.seen, self.seen.at)
        if self.unit is None:
            picture: Picture = told.battle_board(*board).picture
        else:
            picture = told.unit_overlay(*board, self.unit, self.to, self.toward).picture
        return picture

    def words(self, *, whole: bool) -> list[str]:
        """Return what it shows, line by line: all of it, or what the unit can do and how the sides stand."""
        told, board = import_module("bot.cogs.war.pictures.told"), (self.seen.rules, self.seen.seen.seen, self.seen.at)
        unit = [] if self.unit is None else told.unit_facts(*board, self.unit, self.to, self.toward)
        return [plain(line) for line in (*unit, *told.board_facts(*board, whole=whole))]


async def roll(interaction: Interaction, where: Where, made: Made) -> None:
    """Answer with a roll in a battle."""
    await begin(interaction, TypedRoll(where.channels, partial(made, where), where.campaign), at_once=True)


async def show(interaction: Interaction, where: Where, reach: Reach = Reach()) -> None:  # noqa: B008 - frozen
    """Answer with the board of a battle, and with what may be done there."""
    for message in await _messages(await looked(interaction, where), reach):
        await say(interaction, **message)


async def tell(interaction: Interaction, where: Where, unit: str | None) -> None:
    """Answer with all that a board shows, in words."""
    seen = await looked(interaction, where)
    lines = _board(seen, Reach(unit)).words(whole=True)
    for page in paging.pages(_told(seen, lines)):
        await say(interaction, embeds=page)


async def show_again(interaction: Interaction, where: Where) -> None:
    """Show the board as it stands now in place of the one that was shown."""
    *_, message = await _messages(await looked(interaction, where), Reach())
    file = message.pop("file", None)
    await rewrite(interaction, **message, attachments=[] if file is None else [file])


async def end_half(interaction: Interaction, where: Where, made: Callable[..., RollCommand], *half: int | None) -> None:
    """End the half of the turn that was seen (turn and side's place; None: now's), as is `made` of it; ask first where units of it could still act."""
    turn, side = half
    seen = await looked(interaction, where)
    fight = seen.battle.fight
    now = turn in {None, fight.turn} and side in {None, fight.sides.index(fight.active)} and fight.active in seen.sides
    goes_on = now and not fight.ended.over and seen.seen.campaign.archived_at is None
    idle = await asyncio.to_thread(_idle, seen) if goes_on else []
    if not idle:
        await roll(interaction, where, partial(made, turn, side))
        return
    names = seen.labels()
    lines = [f"Can still move or attack: {plain(listing([names[unit] for unit in idle]))}."]
    title = f"End {plain(possessive(seen.called(fight.active)))} half of turn {fight.turn}?"
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], ids.end_anyway(seen.key, fight)))


def _idle(seen: SeenBattle) -> list[str]:
    """Return the units (ids) that could still act; that takes long with many of them."""
    idle: list[str] = seen.choices.idle()
    return idle


async def ask_withdrawal(interaction: Interaction, where: Where, side: str | int | None) -> None:
    """Ask once whether a side withdraws, and say what that costs."""
    seen = await looked(interaction, where)
    fight = seen.battle.fight
    require_fought(seen.seen.war, seen.battle)
    place = fight.sides.index(seen.side(side))
    called = plain(seen.called(fight.sides[place]))
    leaves = fight.sides[place] in seen.battle.forces.values()
    rest = "The units left retreat to a panel next to it." if leaves else "The garrison is lost."
    lines = [*map(plain, price(seen.rules, seen.seen.seen, seen.at, fight.sides[place])), rest]
    button = ids.leave(seen.key, place)
    title = f"Withdraw {called} from the battle on {seen.at}?"
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], [button]))


async def _messages(seen: SeenBattle, reach: Reach) -> list[dict[str, Any]]:
    """Return the messages that show a board: its picture above the words, and the buttons under the last one."""
    board = _board(seen, reach)
    picture = await drawn("battle board", board)
    embeds = _told(seen, [*map(plain, _awaited(seen)), *board.words(whole=picture is None), *_how(seen)])
    if picture is not None:
        embeds[0].set_image(url=f"{ATTACHED}{picture.name}")
    buttons = [
        *_ways_out(seen),
        *ids.on_board(seen.key, seen.battle.fight, _own(seen)),
        ids.words(seen.key, board.unit),
    ]
    pages = paging.pages(embeds)
    messages = [_message(page, picture if page is pages[0] else None) for page in pages]
    messages[-1]["view"] = with_buttons(*buttons)
    return messages


def _told(seen: SeenBattle, lines: Sequence[str]) -> list[discord.Embed]:
    return paging.fit(f"Battle on {seen.at}", lines, colour=COLOURS["neutral"], footer=seen.seen.campaign.name)


def _board(seen: SeenBattle, reach: Reach) -> Drawn:
    if reach.unit is None:
        return Drawn(seen)
    unit = seen.unit(reach.unit)
    to = None if reach.to is None else seen.choices.tile(reach.to)
    return Drawn(seen, unit, to, reach.toward)


def _message(page: Sequence[discord.Embed], picture: Picture | None) -> dict[str, Any]:
    embeds = fitting([*page], picture)
    return {"embeds": embeds} if picture is None else {"embeds": embeds, "file": picture.file()}


def _own(seen: SeenBattle) -> dict[str, bool]:
    """Return the sides for which the viewer acts, and whether it is their half of the turn."""
    return {side: side == seen.battle.fight.active for side in seen.sides}


def _ways_out(seen: SeenBattle) -> list[discord.ui.Button[Any]]:
    """Return the buttons by which a beaten force retreats, where it is one alone that is the viewer's to send."""
    waiting = beaten(seen) if seen.sides else []
    if len(waiting) != 1:  # which one is meant is said with /battle retreat
        return []
    place = sorted(seen.battle.forces).index(waiting[0].name)
    return ids.retreats(seen.key, place, seen.choices.retreats(waiting[0]))


def _how(seen: SeenBattle) -> Iterator[str]:
    """Yield how the person acts there, in the half of a side of theirs."""
    fight = seen.battle.fight
    if not fight.ended.over and fight.active in seen.sides:
        yield "-# `/battle act` lets a unit move and attack; `/battle show unit:` shows what it can do."


def _awaited(seen: SeenBattle) -> Iterator[str]:
    """Yield for whose retreat a battle waits that is over, to those who fought: of theirs with where to, and why if nothing is left of it."""
    rules, war, own = seen.rules, seen.seen.war, beaten(seen) if seen.sides else []
    for force in retreating(rules, war, seen.at) if seen.sides else ():
        if force not in own:
            yield f"{force.name} still has to retreat ({war.commanded_by(force)} decides)."
            continue
        free = seen.choices.retreats(force)
        where = f", to {places(free, 'or')}" if free else f", but {NONE_FREE}"
        yield f"{force.name} has to retreat{where} (/battle retreat)"
        yield from filter(None, [why_retreats(rules, war, seen.at, force)])
