"""Rolls of a war: what all share, and orders and the turn's end, which change the war as it is then, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import storage
from rules.books.total_war.actions import ORDERS, read_order, read_setting, resolve
from rules.books.total_war.battles import side_name
from rules.books.total_war.course import Advance, Join
from rules.books.total_war.order_kinds import ADVANCE, FIGHTS, FOLLOW, JOIN, ROGUE, RULE, SEEN, SET
from rules.books.total_war.order_text import PLAYER, OrderText, WarOrder
from rules.books.total_war.rulings.units import SetSource, read_rulings
from rules.books.total_war.sight import has_fog, seen_by
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Battle, Rules, War, WarAction, faction_named
from rules.books.total_war.war_words import describe_changes, describe_forecast, describe_to
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from rules.orders import OrderKind
from rules.phrases import starting
from rules.procedure import SUMMARY, Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.tables import Tone


def war_of(part: Part, book: Book) -> tuple[Rules, War]:
    """Return the war in which a roll happens."""
    kept = part.kept.get(SCENE, {})
    if storage.SCENARIO not in kept:
        raise RollError("No war is on here. A game master starts one with /war new.")
    return storage.read(book, kept)


def conclude(outcome: str, lines: Sequence[str], rules: Rules, tone: Tone = "neutral") -> Conclusion:
    """Return what something came to, by the first of the lines that tell it; where there is fog it is the staff's alone.

    The other lines are `further` steps.
    """
    audience: Literal["results", "staff"] = "results" if rules.scenario.fog == "open" else "staff"
    return Conclusion(outcome, lines[0] if lines else "Done", tone, audience)


def conclude_for_maker(conclusion: Conclusion) -> Conclusion:
    """Return what something came to, told to whoever has done it too, where it is not everybody's: a side knows its own battle, and who joins their own side."""
    return conclusion if conclusion.audience == "results" else replace(conclusion, audience="maker")


def further_steps(lines: Sequence[str]) -> tuple[Throw, ...]:
    """Return what is told behind the first line, as steps without dice."""
    return tuple(Throw("", line) for line in lines[1:])


def describe_winner(war: War, battle: Battle) -> str:
    """Return who has won a battle that is over, and in which turn."""
    winner, turn = battle.winner, battle.fight.turn
    if winner is None:
        return f"The battle on {battle.at} ended in turn {turn} with no unit left."
    return f"{starting(side_name(war, winner))} won the battle on {battle.at} in turn {turn}."


def summarize(lines: Iterable[str] = (), phase: str = FIGHTS) -> Mapping[str, Any]:
    """Return what a roll keeps of what is told of it in summaries, in a phase (id): nothing there unless there are lines."""
    return {SUMMARY: {"phase": phase, "lines": [*lines]}}


def summarize_battle(rules: Rules, board: War, action: WarAction, after: War, at: Hex) -> Iterator[str]:
    """Yield what a battle has come to that an action has closed; `board` is the war as it was then, the battle not closed yet."""
    if at not in after.battles:
        battle = board.battles[at]
        yield describe_winner(board, battle)
        yield from (f"{starting(side_name(board, side))} withdrew." for side in battle.fight.withdrawn)
        yield from describe_changes(rules, board, action, after)


WAR_ROLE = "war"
"""The role of the war whose turn ends."""
GIVER = "giver"
"""The input that says who has given an order; none is a game master."""
NOTHING = "A ruling"
"""What is told of what has brought nothing."""
UNSEEN, OUT_OF_SIGHT = "E_OUT_OF_SIGHT", "something out of sight prevents it"
"""How an order is refused by what its giver does not see: alike whatever that is, since a code would reveal it."""

ALREADY = "That changes nothing."
"""What is said of what would change nothing."""
_MAY_REPEAT = frozenset({RULE, FOLLOW})
"""What may leave a war as it is: a ruling in words alone, and a pledge that stands already, since a panel after it may be new."""
_LAST = frozenset({ADVANCE, JOIN, ROGUE})
"""What is told by the last line that it comes to, before the others."""


Describe = Callable[[Rules, War, WarAction, War], list[str]]
"""Return in lines what an action has brought, out of the war before and after it."""


class OrderEffect(NamedTuple):
    """The war after an order, and what that has brought, in lines."""

    after: War
    lines: list[str]


class OrderMethod(FrozenMethod, frozen=True):
    """The method of an order (its kind) that `by` a role is carried out: no die is thrown.

    A part's inputs are its words: `to` and `with`; `turn` is that which ends, so that it ends once. It is held against the war as
    it is, for the one who has given it (`giver`), or as it is seen by who asks what it would come to (`by`).
    """

    order: str
    by: str
    keeps = storage.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse what cannot be done as the war stands, as far as whoever gives the order sees it."""
        self._forecast(part, book, _describe_nothing)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        """Carry it out; where there is fog its outcome tells what its giver sees, and the staff reads all of it behind that."""
        rules, war = war_of(part, book)
        done, first = self._resolve_for_giver(rules, war, part), self._first_line(rules, war, part)
        lines = done.lines if first is None else [first, *(line for line in done.lines if line != first)]
        changes = storage.list_changes(book, part.kept[SCENE], done.after)
        record: dict[str, Any] = {SEEN: self._describe_to_all(rules, war, done.after, part)} if has_fog(rules) else {}
        if self.order == ADVANCE:  # no order comes to it, and the digest of a quiet turn tells of nothing else
            record |= summarize(done.lines, ADVANCE)
        return MethodResult(further_steps(lines), self._conclusion(rules, lines), record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return that it is certain."""
        rules, done = self._forecast(part, book)
        return (Chance(self._conclusion(rules, done.lines), Fraction(1)),)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what it would bring as the war stands, as far as whoever gives the order sees it."""
        rules, _ = war_of(part, book)
        sealed = self.order in book.listed(OrderKind) and rules.scenario.orders == "sealed"
        return self._forecast(part, book, describe_forecast if sealed else describe_changes)[1].lines

    def _conclusion(self, rules: Rules, lines: Sequence[str]) -> Conclusion:
        """Return what it came to; who joins knows of that in fog too."""
        made = conclude("done", lines, rules)
        return conclude_for_maker(made) if self.order == JOIN else made

    def _forecast(self, part: Part, book: Book, describe: Describe = describe_changes) -> tuple[Rules, OrderEffect]:
        """Return what it comes to as far as whoever asks sees the war."""
        rules, war = war_of(part, book)
        if part.inputs.get("by") is None:
            return rules, self._resolve_for_giver(rules, war, part, describe)
        return rules, self._resolve(rules, seen_by(rules, war, _viewer(war, part.inputs["by"])), part, describe)

    def _resolve_for_giver(
        self, rules: Rules, war: War, part: Part, describe: Describe = describe_changes
    ) -> OrderEffect:
        """Return what it comes to as the war is; where there is fog a refusal tells its giver no more than they see."""
        giver = part.inputs.get(GIVER)
        try:
            return self._resolve(rules, war, part, describe)
        except Refused as refused:
            if giver is None or not has_fog(rules):
                raise
            self._resolve(rules, seen_by(rules, war, _viewer(war, giver)), part)
            raise Refused(UNSEEN, OUT_OF_SIGHT) from refused

    def _first_line(self, rules: Rules, war: War, part: Part) -> str | None:
        """Return by what line the giver of an order is told what it has come to; None where all of it is told to everybody."""
        giver = part.inputs.get(GIVER)
        if giver is None or not has_fog(rules):
            return None
        return next(iter(self._describe_seen(rules, war, part, _viewer(war, giver))), "Done")

    def _describe_to_all(self, rules: Rules, war: War, after: War, part: Part) -> dict[str, list[str]]:
        """Return what each faction sees of it, by its id, also of one that ends or begins with it; nothing of those that see nothing."""
        found = ((name, self._describe_seen(rules, war, part, name)) for name in {**war.factions, **after.factions})
        return {name: lines for name, lines in found if lines}

    def _describe_seen(self, rules: Rules, war: War, part: Part, viewer: str | None) -> list[str]:
        """Return in lines what somebody sees of it."""
        made = self._resolve(rules, war, part, partial(describe_to, viewer=viewer))
        return [line for line in made.lines if line != NOTHING]

    def _resolve(self, rules: Rules, war: War, part: Part, describe: Describe = describe_changes) -> OrderEffect:
        after, lines = war, list[str]()
        for action in self._actions(rules, war, part):
            before, after = after, resolve(rules, after, action)
            lines += describe(rules, before, action, after)
            if self.order == RULE and before == after and describe is describe_changes:  # factions see nothing of it
                lines += self._describe_idle(action, after)
        if self.order == ADVANCE:
            after = replace(after, update=part.inputs.get("update"))
        if self.order not in _MAY_REPEAT and after == war:
            raise Refused("E_NO_TARGET", ALREADY)
        if self.order in _LAST:
            lines = [*lines[-1:], *lines[:-1]]
        return OrderEffect(after, lines or [NOTHING])

    def _describe_idle(self, action: WarAction, after: War) -> Iterator[str]:
        """Yield that a mark in a ruling changes nothing, to whoever reads of that ruling."""
        if isinstance(action, SetSource):
            yield f"{after.factions[action.faction].name} keeps its source of supply."

    def _actions(self, rules: Rules, war: War, part: Part) -> Sequence[WarAction]:
        """Return what is ordered: one action, but for rulings, which may be words alone."""
        return read_rulings(war, part.inputs.get("to", "")) if self.order == RULE else (self._action(rules, war, part),)

    def _action(self, rules: Rules, war: War, part: Part) -> WarAction:
        taken, who = part.inputs, part.subjects.get(self.by, "")
        to = str(taken.get("to") or "")
        match self.order:
            case "advance":
                if taken.get("turn") != war.turn:
                    raise RollError(f"That turn has already ended. It's turn {war.turn}.")
                return Advance()
            case "join":
                return Join(player=who, faction=faction_named(war, to), owner=taken.get("owner"))
            case "set":
                return read_setting(rules, war, str(taken["what"]), to)
        actor = taken.get("by", taken.get(GIVER))
        return read_order(rules, war, OrderText(self.order, who, to or None, taken.get("with") or None, actor))


def _describe_nothing(_rules: Rules, _before: War, _action: WarAction, _after: War) -> list[str]:
    return []


def _viewer(war: War, player: str) -> str | None:
    """Return as whom a player sees a war: as their faction, a lone rogue by their name; None of whoever is not in it."""
    found = war.players.get(player)
    return None if found is None else found.faction or player


def _procedure(order: str, title: str, by: str, headline: str, *, staff: bool = False) -> Procedure:
    return Procedure(
        family=order,
        title=title,
        actor=by,
        subject="panel",
        headline=headline,
        headline_alone=headline,
        place="panel",
        method=OrderMethod(order, by),
        policy=Policy(on_request=False, by_card=False, open_to_players=not staff, played=()),
    )


def order_procedure(order: WarOrder) -> Procedure:
    """Return the roll by which an order is carried out."""
    return _procedure(order.kind, order.title, order.role, order.headline)


PROCEDURES = (
    *map(order_procedure, ORDERS.values()),
    _procedure(JOIN, "New player", PLAYER, "{player} joins {to}"),
    _procedure(SET, "Set by a game master", WAR_ROLE, "Set by a game master in {war}", staff=True),
    _procedure(RULE, "A ruling", WAR_ROLE, "A ruling in {war}", staff=True),
    _procedure(ADVANCE, "Turn advance", WAR_ROLE, "The turn of {war} ends", staff=True),
)
