"""What is typed about a battle, made into rolls of its book: the end of a half, a withdrawal and the rest."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.war.battle.found import SeenBattle, Where, battle_of, beaten
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput
from bot.rolls.request import RollCommand
from rules.books.total_war.board_roles import FORCE, NEXT, SIDE, UNIT


def end_half(
    turn: int | None, side: int | None, where: Where, tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return the roll that ends the half of a turn: that of the side (its place) and turn that were seen, else of now."""
    seen = battle_of(where, tx, library, person)
    fight = seen.battle.fight
    name = fight.active if side is None else seen.side(side)
    return seen.command(NEXT, {SIDE: seen.called(name)}, {} if turn is None else {"turn": turn})


def withdraw(side: int, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a side (its place) withdraws."""
    seen = battle_of(where, tx, library, person)
    return seen.command("withdraw", {SIDE: seen.called(seen.side(side))})


def condition(side: str, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a side has met the special condition."""
    seen = _led(where, "say whether a condition is met", tx, library, person)
    return seen.command("condition", {SIDE: seen.called(seen.side(side))})


def retreat(
    to: str | None, force: str | None, where: Where, tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return the roll by which a beaten force retreats: the one named, else the only one of the person's that has to."""
    seen = battle_of(where, tx, library, person)
    waiting = [item.name for item in beaten(seen)]
    if force is None and len(waiting) != 1:
        what = f"{' and '.join(waiting)} have to retreat." if waiting else "None of your forces has to retreat."
        raise BadInput(what, "Pick one with “force”." if waiting else "See /war show.")
    inputs = {} if to is None else {"to": to}
    return seen.command("retreat", {FORCE: force or waiting[0]}, inputs)


def retreat_seen(force: int, to: str, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a force (its place by name) retreats."""
    seen = battle_of(where, tx, library, person)
    name = next(iter(sorted(seen.battle.forces)[force : force + 1]), None)
    if name is None or name not in {item.name for item in beaten(seen)}:
        raise BadInput("That force doesn't have to retreat, or isn't yours.", "See /battle show.")
    return seen.command("retreat", {FORCE: name}, {"to": to})


def place(unit: str, tile: str, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a game master places a unit."""
    seen = _led(where, "place units", tx, library, person)
    return seen.command("place", {UNIT: seen.called_unit(unit)}, {"to": tile})


def _led(where: Where, action: str, tx: Connection, library: Library, person: Person) -> SeenBattle:
    seen = battle_of(where, tx, library, person)
    require_game_master(person, seen.seen.campaign, action)
    return seen
