"""What is typed about a battle, made into rolls of its book: an act of a unit, the end of a half, a withdrawal and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from bot.cogs.war.battle.attacks import TypedAct
from bot.cogs.war.battle.found import SeenBattle, Where, battle_of, beaten
from bot.cogs.war.wars import BOOK
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput
from bot.rolls.request import PartRequest, RollCommand
from rules.books.total_war.board_roles import BEGUN, FORCE, NEXT, SIDE, TARGET, UNIT
from rules.books.total_war.orders import require_one_target
from rules.books.total_war.rosters import meant


def act(typed: TypedAct, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll of an act of a unit.

    Raises:
        UserError, RollError: the battle, a unit or a target is not there, or the attack is none or takes other options.

    """
    seen = battle_of(where, tx, library, person)
    typed.require_fitting()
    family, given = typed.family, {"to": typed.to, "call": typed.call, "toward": typed.toward}
    subjects, others = {UNIT: _unit(seen, typed.unit)}, typed.others.split(",") if typed.others else []
    if typed.target and family in {"shoot", "melee"}:
        several = [name for name in typed.target.split(",") if name.strip()]
        require_one_target(subjects[UNIT], several if several[1:] else typed.target)
        subjects[TARGET] = _unit(seen, typed.target)
    inputs: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    inputs |= {"others": [_unit(seen, other) for other in others]} if others else {}
    inputs |= {"first": "attack"} if typed.attacks_first else {}
    return _command(seen, family, subjects, inputs)


def end_half(
    turn: int | None, side: int | None, where: Where, tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return the roll that ends the half of a turn: that of the side (its place) and turn that were seen, else of now."""
    seen = battle_of(where, tx, library, person)
    fight = seen.battle.fight
    name = fight.active if side is None else seen.side(side)
    return _command(seen, NEXT, {SIDE: seen.called(name)}, {} if turn is None else {"turn": turn})


def withdraw(side: int, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a side (its place) withdraws."""
    seen = battle_of(where, tx, library, person)
    return _command(seen, "withdraw", {SIDE: seen.called(seen.side(side))}, {})


def condition(side: str, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a side has met the special condition."""
    seen = _led(where, "say whether a condition is met", tx, library, person)
    return _command(seen, "condition", {SIDE: seen.called(seen.side(side))}, {})


def retreat(
    to: str | None, force: str | None, where: Where, tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return the roll by which a beaten force retreats: the one named, else the only one of the person's that has to.

    Raises:
        BadInput: none of theirs has to, or several have.

    """
    seen = battle_of(where, tx, library, person)
    waiting = [item.name for item in beaten(seen)]
    if force is None and len(waiting) != 1:
        what = f"{' and '.join(waiting)} have to retreat." if waiting else "No force of yours has to retreat."
        raise BadInput(what, "Name the one you mean as force." if waiting else "See /war show.")
    inputs = {} if to is None else {"to": to}
    return _command(seen, "retreat", {FORCE: force or waiting[0]}, inputs)


def retreat_seen(force: int, to: str, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a force (its place by name) retreats.

    Raises:
        BadInput: the force does not have to, or not by this person's word.

    """
    seen = battle_of(where, tx, library, person)
    name = next(iter(sorted(seen.battle.forces)[force : force + 1]), None)
    if name is None or name not in {item.name for item in beaten(seen)}:
        raise BadInput("No such force of yours has to retreat.", "See /battle show.")
    return _command(seen, "retreat", {FORCE: name}, {"to": to})


def place(unit: str, tile: str, where: Where, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a game master places a unit."""
    seen = _led(where, "place units", tx, library, person)
    return _command(seen, "place", {UNIT: _unit(seen, unit)}, {"to": tile})


def _led(where: Where, action: str, tx: Connection, library: Library, person: Person) -> SeenBattle:
    seen = battle_of(where, tx, library, person)
    require_game_master(person, seen.seen.campaign, action)
    return seen


def _unit(seen: SeenBattle, typed: str) -> str:
    """Return what a unit is called that is meant."""
    names = seen.labels()
    return names[meant(names, seen.battle.fight, typed)]


def _command(seen: SeenBattle, family: str, subjects: dict[str, str], inputs: Mapping[str, Any]) -> RollCommand:
    """Return a roll in a battle, whose result is told in its thread."""
    by = {} if seen.by is None else {"by": seen.by}
    part = PartRequest(subjects=subjects, inputs={"at": str(seen.at), BEGUN: seen.begun, **inputs, **by})
    campaign = seen.seen.campaign.id
    return RollCommand((), (BOOK, family), [part], here=seen.thread, campaign=campaign, scene=seen.seen.subject)
