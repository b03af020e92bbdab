"""What is done on the board of a battle, as rolls: moves, attacks, and what needs no dice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from msgspec import Struct

from rules.book import Book
from rules.books.total_war import storage
from rules.books.total_war.act_words import (
    AttackRecord,
    DiceRecord,
    after_lines,
    attack_steps,
    before_lines,
    closing_lines,
    describe_as_seen,
    find_end,
    half_line,
    possible_ends,
    seen_record,
    waiting_lines,
)
from rules.books.total_war.acts import (
    Act,
    ActResult,
    Attacks,
    battle_at,
    battle_states,
    carry_out,
    parse_tile,
    pass_half,
    read_act,
    require_act,
)
from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.battles import find_side, find_unit, place_unit, require_war_on, side_name, unit_labels
from rules.books.total_war.fight import Condition, Next, Step, Withdraw
from rules.books.total_war.order_kinds import BEGUN, FORCE, MANEUVER, NEXT, SIDE, TARGET, UNIT
from rules.books.total_war.order_text import read_name
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, War, WarAction
from rules.books.total_war.war_rolls import (
    conclude,
    conclude_for_maker,
    further_steps,
    summarize,
    summarize_battle,
    war_of,
)
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from rules.phrases import starting
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw


class ActMethod(FrozenMethod, frozen=True):
    """The method of what a unit does: it moves, attacks in one `way`, or both.

    A part's inputs are `at` (the battle's panel), `to` (a tile), `first` ("move" unless it is "attack"), `others` (units that
    combine with it), `call` (of the coin), `toward` (a direction), `begun` (the entry that has begun the battle), and `by`, the
    callsign of who acts; none is a game master.
    """

    way: Attacks | None = None
    keeps = storage.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse an act that is not possible as the battle stands."""
        self._read(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of the attack, and close the battle where that ends it."""
        rules, war, then, act = self._read(part, book)
        drawn = DiceRecord(dice)
        done = carry_out(rules, war, act, drawn)
        outcome, tone = find_end(act, done)
        lines = [*after_lines(rules, act, done)]
        changes = storage.list_changes(book, part.kept[SCENE], done.war)
        steps = _attack_steps(AttackRecord(rules.terms, then.battles[act.at].fight, act, drawn.fallen), done)
        told = conclude_for_maker(conclude(outcome, lines, rules, tone))
        action = FightAction(at=act.at, order=done.came[-1][0], actor=act.by)
        came = [*summarize_battle(rules, done.board, action, done.war, act.at)]
        seen = seen_record(rules, war, action, done.war)
        record = {
            "fallen": [*done.fallen],
            **battle_states(rules, done.war),
            **seen,
            **(summarize(came) if came else {}),
        }
        return MethodResult((*steps, *further_steps(lines)), told, record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the exact chance of each end."""
        rules, _, then, act = self._read(part, book)
        found = possible_ends(rules.terms, then.battles[act.at].fight, act)
        return tuple(
            Chance(conclude_for_maker(conclude(outcome, [text], rules, tone)), chance)
            for outcome, text, tone, chance in found
        )

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return in which battle it is done and in whose half, how far the unit moves, what it aims at, and who stands in its lane with what chance to fall."""
        rules, war, then, act = self._read(part, book)
        boards = (war.battles[act.at].fight, then.battles[act.at].fight)
        return (half_line(war, act.at), *before_lines(rules.terms, *boards, act))

    def _read(self, part: Part, book: Book) -> tuple[Rules, War, War, Act]:
        """Return the rules, the war, the war in which the attack is made, and the act, which is possible."""
        rules, war = war_of(part, book)
        _require_its_battle(war, part)
        act = read_act(rules, war, (part.subjects[UNIT], part.subjects.get(TARGET)), part.inputs, self.way)
        return rules, war, require_act(rules, war, act), act


def _require_its_battle(war: War, part: Part) -> None:
    """Refuse an act in a battle that is fought no more; one that came later on its panel is not meant, and nothing is told of it."""
    require_war_on(war)
    begun = part.inputs.get(BEGUN)
    if begun is None:  # a card of an older version
        return
    at = Hex.parse(str(part.inputs["at"]))
    opened = part.kept[SCENE].get(f"{storage.OPENED}{at}", {"entry": begun})  # in fog an older version shows none
    if at not in war.battles or opened["entry"] != begun:
        raise Refused("E_BATTLE_OVER", f"The battle on {at} that this is about is over.")


def _attack_steps(attacked: AttackRecord, done: ActResult) -> Iterator[Throw]:
    for order, happened in done.came:
        yield from attack_steps(attacked, order, happened)


def _procedure(family: str, title: str, headline: str, way: Attacks | None, alone: str = "") -> Procedure:
    return Procedure(
        family=family,
        title=title,
        actor=UNIT,
        subject=TARGET,
        headline=headline,
        headline_alone=alone,
        place="panel",
        method=ActMethod(way),
        policy=Policy(again="never", open_to_players=True, played=()),
    )


class PassResult(Struct, frozen=True):
    """What something came to: what was done, the war after it, in lines.

    `summary` is how that is told with other rolls: what a battle has come to that it has closed, nothing (empty), or as ever (None).
    """

    action: WarAction
    war: War
    lines: tuple[str, ...]
    summary: tuple[str, ...] | None = None


PassAction = Callable[[Rules, War, Part], PassResult]
"""Do something on a board that throws no die. Raises Refused or RollError where that is not possible."""


class PassingMethod(FrozenMethod, frozen=True):
    """The method of what throws no die."""

    does: PassAction
    keeps = storage.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse what is not possible as the battle stands."""
        self._resolve(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        """Carry it out."""
        rules, war = war_of(part, book)
        came, told = self._resolve(part, book)
        changes = storage.list_changes(book, part.kept[SCENE], came.war)
        seen = seen_record(rules, war, came.action, came.war)
        record = {**battle_states(rules, came.war), **seen, **({} if came.summary is None else summarize(came.summary))}
        return MethodResult(further_steps(came.lines), told, record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return that it is certain."""
        return (Chance(self._resolve(part, book)[1], Fraction(1)),)

    def _resolve(self, part: Part, book: Book) -> tuple[PassResult, Conclusion]:
        rules, war = war_of(part, book)
        require_war_on(war)
        came = self.does(rules, war, part)
        return came, conclude_for_maker(conclude("done", came.lines, rules))


def _end_half(rules: Rules, war: War, part: Part) -> PassResult:
    """End the half of the side that acts; one that was seen in another turn is not ended again."""
    at, battle = battle_at(war, part.inputs)
    fight, side = battle.fight, find_side(war, battle, part.subjects[SIDE])
    seen = part.inputs.get("turn")
    if seen is not None and (seen, side) != (fight.turn, fight.active):
        what = f"it's turn {fight.turn}, {side_name(war, fight.active)} to act"
        raise RollError(f"That half of turn {seen} has already ended: {what}.")
    by = part.inputs.get("by")
    action = FightAction(at=at, order=Next(side), actor=by)
    done = pass_half(rules, war, action)
    after = done.war.battles[at].fight
    whose = side_name(war, after.active)
    return PassResult(
        action, done.war, (f"Turn {after.turn}: {whose} to act.", *closing_lines(rules, done, at, by)), ()
    )


def _withdraw(rules: Rules, war: War, part: Part) -> PassResult:
    """Let a side withdraw, in anybody's half of the turn (line 226)."""
    turn = battle_at(war, part.inputs)[1].fight.turn
    return _end_battle(rules, war, part, (Withdraw, f"withdraws in turn {turn}"))


def _condition(rules: Rules, war: War, part: Part) -> PassResult:
    """Let a side have met the special condition of the battle, as a game master says (line 230)."""
    return _end_battle(rules, war, part, (Condition, "has met the special condition"))


def _end_battle(rules: Rules, war: War, part: Part, said: tuple[type[Withdraw | Condition], str]) -> PassResult:
    """Carry out an order of a side that ends the battle for it; `said` is the order, and what the side does in words."""
    at, battle = battle_at(war, part.inputs)
    order, does = said
    side = find_side(war, battle, part.subjects[SIDE])
    by = part.inputs.get("by")
    action = FightAction(at=at, order=order(side), actor=by)
    done = pass_half(rules, war, action)
    lines = (f"{starting(side_name(war, side))} {does}.", *closing_lines(rules, done, at, by))
    return PassResult(action, done.war, lines, (*summarize_battle(rules, done.board, action, done.war, at),) or None)


def _retreat(rules: Rules, war: War, part: Part) -> PassResult:
    """Let a beaten force say where it goes; without a panel it is given up, where none is free."""
    at, battle = battle_at(war, part.inputs)
    name, to = read_name(battle.forces, part.subjects[FORCE], f"a force in the battle on {at}"), part.inputs.get("to")
    try:
        goal = None if to is None else Hex.parse(str(to))
    except ValueError as error:
        raise Refused("E_OFF_MAP", f"{error}.") from error
    by = part.inputs.get("by")
    action = Retreat(actor=by, who=name, to=goal)
    after = action.apply(rules, war)
    lines = sorted(describe_as_seen(rules, war, action, after, by), key=partial(_nearness, name))
    summary = (*summarize_battle(rules, war, action, after, at),) or None
    return PassResult(action, after, (*lines, *waiting_lines(rules, after, at, by)), summary)


def _nearness(force: str, line: str) -> int:
    """Return a number by which what is told of a retreat is sorted: where the force goes, what is left of it, then all else."""
    return 0 if line.startswith(f"{force} retreats ") else 1 if line.startswith(f"{force} ") else 2


def _place_unit(rules: Rules, war: War, part: Part) -> PassResult:
    """Put a unit on another tile."""
    at, battle = battle_at(war, part.inputs)
    names = unit_labels(war, battle)
    name, to = find_unit(names, battle.fight, part.subjects[UNIT]), parse_tile(rules, part.inputs.get("to"))
    if part.inputs.get("by") is not None:
        raise Refused("E_NOT_YOURS", "Only game masters place units.")
    after = place_unit(rules, war, at, name, to)
    action = FightAction(at=at, order=Step(name, to))
    return PassResult(action, after, (f"{names[name]} is placed on {to}.",), ())


def _passing(family: str, title: str, role: str, headline: str, does: PassAction) -> Procedure:
    return Procedure(
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


PROCEDURES = (
    _procedure("shoot", "Shot", "{unit} shoots at {target}", "shot"),
    _procedure("melee", "Melee", "{unit} attacks {target} in melee", "melee"),
    _procedure("broadside", "Broadside", "{unit} fires a broadside", "fire", "{unit} fires a broadside"),
    _procedure(MANEUVER, "Maneuver", "{unit} moves", None, "{unit} moves"),
    _passing(NEXT, "Half turn ended", SIDE, "{side} ends its half of the turn", _end_half),
    _passing("withdraw", "Withdrawal", SIDE, "{side} withdraws", _withdraw),
    _passing("condition", "Special condition", SIDE, "{side} has met the condition", _condition),
    _passing("retreat", "Retreat", FORCE, "{force} retreats", _retreat),
    _passing("place", "Placing", UNIT, "{unit} is placed", _place_unit),
)
