"""What is typed about a battle, made into rolls of its book: an act of a unit, the end of a half, a withdrawal and the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war.battle import found
from bot.cogs.war.battle.found import SeenBattle
from bot.cogs.war.wars import BOOK
from bot.core.campaigns import on_server
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput, NotAllowed
from bot.rolls.request import PartRequest, RollCommand
from rules.books.total_war.board_passing import FORCE, SIDE
from rules.books.total_war.board_rolls import MANEUVER, TARGET, UNIT
from rules.books.total_war.leaving import retreating
from rules.books.total_war.refusal import coded
from rules.books.total_war.rosters import meant, side_meant
from rules.books.total_war.war import Force

THEN_MOVE: Final = ", then move"
ATTACKS: Mapping[str, str] = {"shoot": "Shoot", "melee": "Melee", "broadside": "Broadside"}
ORDERS: Mapping[str, str] = {
    **ATTACKS,
    **{f"{family}{THEN_MOVE}": f"{label}{THEN_MOVE}" for family, label in ATTACKS.items()},
}
"""How a unit may attack, and whether it moves after that, by what is picked."""


class Where(Struct, frozen=True):
    """Where something was typed: channels (ids, nearest first), the battle as typed, and the campaign (id) of a button."""

    channels: Sequence[int]
    battle: str | None = None
    campaign: int | None = None


class TypedAct(Struct, frozen=True):
    """An act of a unit as it was typed; those who combine with it are parted by commas."""

    unit: str
    to: str | None = None
    attack: str | None = None
    target: str | None = None
    others: str | None = None
    call: str | None = None
    toward: str | None = None

    @property
    def family(self) -> str:
        """What it is rolled as: as was picked, else as what else was typed has it.

        Raises:
            BadInput: there is no such attack.

        """
        if self.attack is None:
            return "broadside" if self.toward else "melee" if self.call else "shoot" if self.target else MANEUVER
        picked = self.attack.partition(",")[0].strip().casefold()
        if picked not in ATTACKS:
            raise BadInput(f"There is no attack {self.attack[:60]!r}.", f"Pick one: {', '.join(ATTACKS)}.")
        return picked

    @property
    def attacks_first(self) -> bool:
        """Whether it moves after it has attacked."""
        return self.attack is not None and self.attack.casefold().endswith(THEN_MOVE)


def act(where: Where, typed: TypedAct, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll of an act of a unit.

    Raises:
        UserError, RollError: the battle, a unit or a target is not there, or the attack is none.

    """
    seen = battle_of(where, tx, library, person)
    family, given = typed.family, {"to": typed.to, "call": typed.call, "toward": typed.toward}
    subjects, others = {UNIT: _unit(seen, typed.unit)}, typed.others.split(",") if typed.others else []
    if typed.target and family in {"shoot", "melee"}:
        subjects[TARGET] = _unit(seen, typed.target)
    inputs = {name: value for name, value in given.items() if value is not None}
    inputs |= {"others": [_unit(seen, other) for other in others]} if others else {}
    inputs |= {"first": "attack"} if typed.attacks_first else {}
    return _command(seen, family, subjects, inputs)


def end_half(
    where: Where, turn: int | None, side: int | None, tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return the roll that ends the half of a turn: that of the side (its place) and turn that were seen, else of now."""
    seen = battle_of(where, tx, library, person)
    fight = seen.battle.fight
    name = fight.active if side is None else _side_at(seen, side)
    return _command(seen, "next", {SIDE: seen.called(name)}, {} if turn is None else {"turn": turn})


def withdraw(where: Where, side: str | int | None, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a side withdraws: the one named, or seen (its place), else the person's own."""
    seen = battle_of(where, tx, library, person)
    name = _side_at(seen, side) if isinstance(side, int) else own_side(seen, side)
    return _command(seen, "withdraw", {SIDE: seen.called(name)}, {})


def condition(where: Where, side: str, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a side has met the special condition."""
    seen = _led(where, "say whether a condition is met", tx, library, person)
    return _command(seen, "condition", {SIDE: seen.called(own_side(seen, side))}, {})


def retreat(
    where: Where, to: str | None, force: str | None, tx: Connection, library: Library, person: Person
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


def place(where: Where, unit: str, tile: str, tx: Connection, library: Library, person: Person) -> RollCommand:
    """Return the roll by which a game master places a unit."""
    seen = _led(where, "place units", tx, library, person)
    return _command(seen, "place", {UNIT: _unit(seen, unit)}, {"to": tile})


def battle_of(where: Where, tx: Connection, library: Library, person: Person) -> SeenBattle:
    """Return the battle that is meant."""
    campaign = None if where.campaign is None else on_server(tx, person.guild_id, where.campaign)
    return found.find(tx, library, person, where.channels, where.battle, campaign)


def beaten(seen: SeenBattle) -> list[Force]:
    """Return the forces that have to retreat from a battle and are the person's to command; all for a game master."""
    waiting = retreating(seen.choices.rules, seen.seen.war, seen.at)
    return [item for item in waiting if seen.by in {None, item.commander}]


def own_side(seen: SeenBattle, typed: str | None) -> str:
    """Return the side that is named, or the person's only one.

    Raises:
        BadInput: none is named, and none is theirs alone.
        RollError: there is no such side.

    """
    if typed is not None:
        with coded():
            return side_meant(seen.seen.war, seen.battle, typed)
    if len(seen.sides) != 1:
        raise BadInput("Which side do you mean?", f"Name it: {', '.join(map(seen.called, seen.battle.fight.sides))}.")
    return seen.sides[0]


def _led(where: Where, action: str, tx: Connection, library: Library, person: Person) -> SeenBattle:
    seen = battle_of(where, tx, library, person)
    require_game_master(person, seen.seen.campaign, action)
    return seen


def _unit(seen: SeenBattle, typed: str) -> str:
    """Return what a unit is called that is meant."""
    names = seen.choices.labels()
    with coded():
        return names[meant(names, seen.battle.fight, typed)]


def _side_at(seen: SeenBattle, place: int) -> str:
    """Return a side by its place, of whom the person acts for.

    Raises:
        NotAllowed: it is none, or not theirs.

    """
    sides = seen.battle.fight.sides
    if place >= len(sides) or sides[place] not in seen.sides:
        raise NotAllowed("That is for the other side to do.", "You act for your own side alone.")
    return sides[place]


def _command(seen: SeenBattle, family: str, subjects: dict[str, str], inputs: Mapping[str, Any]) -> RollCommand:
    """Return a roll in a battle, whose result is told in its thread."""
    by = {} if seen.by is None else {"by": seen.by}
    part = PartRequest(subjects=subjects, inputs={"at": str(seen.at), **inputs, **by})
    campaign = seen.seen.campaign.id
    return RollCommand((), (BOOK, family), [part], here=seen.thread, campaign=campaign, scene=seen.seen.subject)
