"""What is done on a board without dice: a half ends, a side withdraws or has met a condition, a force retreats, a unit is placed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from msgspec import Struct

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.acting import battle_at, passed, standing, tile_at
from rules.books.total_war.actors import require_going
from rules.books.total_war.at_war import concluded, for_maker, further, war_of
from rules.books.total_war.battles import retreated
from rules.books.total_war.board_roles import FORCE, NEXT, SIDE, UNIT
from rules.books.total_war.board_telling import brought, closing_lines, seen_of, waiting_lines
from rules.books.total_war.deeds import Fight as FightDeed
from rules.books.total_war.deeds import Given, Retreat
from rules.books.total_war.names_read import one_of
from rules.books.total_war.orders import Condition, Move, Next, Withdraw
from rules.books.total_war.placing import placed
from rules.books.total_war.refusal import Refused
from rules.books.total_war.rosters import labels, meant, side_meant, side_name
from rules.books.total_war.summing import of_battle, summed
from rules.books.total_war.war import Rules, War, ruled
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry.hexes import Hex
from rules.phrases import starting
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure


class Came(Struct, frozen=True):
    """What something came to: what was done, the war after it, in lines.

    `summary` is how that is told with other rolls: what a battle has come to that it has closed, nothing (empty), or as ever (None).
    """

    deed: Given
    war: War
    lines: tuple[str, ...]
    summary: tuple[str, ...] | None = None


Passing = Callable[[Rules, War, Part], Came]
"""Do something on a board that throws no die. Raises Refused or RollError where that is not possible."""


class PassingMethod(FrozenMethod, frozen=True):
    """The method of what throws no die."""

    does: Passing
    keeps = keeping.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse what is not possible as the battle stands."""
        self._came(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        """Carry it out."""
        rules, war = war_of(part, book)
        came, told = self._came(part, book)
        changes = keeping.changes(book, part.kept[SCENE], came.war)
        seen = seen_of(rules, war, came.deed, came.war)
        record = {**standing(rules, came.war), **seen, **({} if came.summary is None else summed(came.summary))}
        return MethodResult(further(came.lines), told, record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return that it is certain."""
        return (Chance(self._came(part, book)[1], Fraction(1)),)

    def _came(self, part: Part, book: Book) -> tuple[Came, Conclusion]:
        rules, war = war_of(part, book)
        rules = ruled(rules, war)
        require_going(war)
        came = self.does(rules, war, part)
        return came, for_maker(concluded("done", came.lines, rules))


def _next(rules: Rules, war: War, part: Part) -> Came:
    """End the half of the side that acts; one that was seen in another turn is not ended again."""
    at, battle = battle_at(war, part.inputs)
    fight, side = battle.fight, side_meant(war, battle, part.subjects[SIDE])
    seen = part.inputs.get("turn")
    if seen is not None and (seen, side) != (fight.turn, fight.active):
        what = f"it's turn {fight.turn}, {side_name(war, fight.active)} to act"
        raise RollError(f"That half of turn {seen} has already ended: {what}.")
    by = part.inputs.get("by")
    deed = FightDeed(at=at, order=Next(side), actor=by)
    done = passed(rules, war, deed)
    after = done.war.battles[at].fight
    whose = side_name(war, after.active)
    return Came(deed, done.war, (f"Turn {after.turn}: {whose} to act.", *closing_lines(rules, done, at, by)), ())


def _withdraw(rules: Rules, war: War, part: Part) -> Came:
    """Let a side withdraw, in anybody's half of the turn (line 226)."""
    turn = battle_at(war, part.inputs)[1].fight.turn
    return _leaving(rules, war, part, (Withdraw, f"withdraws in turn {turn}"))


def _condition(rules: Rules, war: War, part: Part) -> Came:
    """Let a side have met the special condition of the battle, as a game master says (line 230)."""
    return _leaving(rules, war, part, (Condition, "has met the special condition"))


def _leaving(rules: Rules, war: War, part: Part, said: tuple[type[Withdraw | Condition], str]) -> Came:
    """Carry out an order of a side that ends the battle for it; `said` is the order, and what the side does in words."""
    at, battle = battle_at(war, part.inputs)
    order, does = said
    side = side_meant(war, battle, part.subjects[SIDE])
    by = part.inputs.get("by")
    deed = FightDeed(at=at, order=order(side), actor=by)
    done = passed(rules, war, deed)
    lines = (f"{starting(side_name(war, side))} {does}.", *closing_lines(rules, done, at, by))
    return Came(deed, done.war, lines, (*of_battle(rules, done.board, deed, done.war, at),) or None)


def _retreat(rules: Rules, war: War, part: Part) -> Came:
    """Let a beaten force say where it goes; without a panel it is given up, where none is free."""
    at, battle = battle_at(war, part.inputs)
    name, to = one_of(battle.forces, part.subjects[FORCE], f"a force in the battle on {at}"), part.inputs.get("to")
    try:
        goal = None if to is None else Hex.parse(str(to))
    except ValueError as error:
        raise Refused("E_OFF_MAP", f"{error}.") from error
    by = part.inputs.get("by")
    deed = Retreat(actor=by, who=name, to=goal)
    after = retreated(rules, war, deed)
    lines = sorted(brought(rules, war, deed, after, by), key=partial(_nearness, name))
    summary = (*of_battle(rules, war, deed, after, at),) or None
    return Came(deed, after, (*lines, *waiting_lines(rules, after, at, by)), summary)


def _nearness(force: str, line: str) -> int:
    """Return a number by which what is told of a retreat is sorted: where the force goes, what is left of it, then all else."""
    return 0 if line.startswith(f"{force} retreats ") else 1 if line.startswith(f"{force} ") else 2


def _place(rules: Rules, war: War, part: Part) -> Came:
    """Put a unit on another tile."""
    at, battle = battle_at(war, part.inputs)
    names = labels(war, battle)
    name, to = meant(names, battle.fight, part.subjects[UNIT]), tile_at(rules, part.inputs.get("to"))
    if part.inputs.get("by") is not None:
        raise Refused("E_NOT_YOURS", "Only game masters place units.")
    after = placed(rules, war, at, name, to)
    deed = FightDeed(at=at, order=Move(name, to))
    return Came(deed, after, (f"{names[name]} is placed on {to}.",), ())


def _procedures() -> Iterator[Procedure]:
    for family, title, role, headline, does in _ALL:
        yield Procedure(
            family=family,
            title=title,
            actor=role,
            subject="panel",
            headline=headline,
            headline_alone=headline,
            place="panel",
            method=PassingMethod(does),
            policy=Policy(again="never", by_card=False, open_to_players=True, played=()),
        )


_ALL: tuple[tuple[str, str, str, str, Passing], ...] = (
    (NEXT, "Half turn ended", SIDE, "{side} ends its half of the turn", _next),
    ("withdraw", "Withdrawal", SIDE, "{side} withdraws", _withdraw),
    ("condition", "Special condition", SIDE, "{side} has met the condition", _condition),
    ("retreat", "Retreat", FORCE, "{force} retreats", _retreat),
    ("place", "Placing", UNIT, "{unit} is placed", _place),
)
PROCEDURES = (*_procedures(),)
"""What throws no die."""
