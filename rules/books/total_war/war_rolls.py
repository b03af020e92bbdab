"""Orders and the turn's end as rolls: each changes the war, or nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import order_kinds
from rules.books.total_war.actions import ORDERS, read_order, read_setting, resolve
from rules.books.total_war.battles import side_name
from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import Advance, Join
from rules.books.total_war.order_kinds import ADVANCE, FIGHTS, FOLLOW, JOIN, PLAYER, ROGUE, RULE, SEEN, SET
from rules.books.total_war.rulings.units import SetSource, read_rulings
from rules.books.total_war.sight import has_fog, mask_war
from rules.books.total_war.storage import KEEPS, SCENARIO, list_changes, read
from rules.books.total_war.war import Rules, War, WarAction, WarBattle, match_faction
from rules.books.total_war.war_words import describe_changes, describe_forecast, describe_to
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from rules.orders import OrderKind
from rules.phrases import upper_first
from rules.procedure import SUMMARY, Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.tables import Tone


def war_of(part: Part, book: Book) -> tuple[Rules, War]:
    """Return the war of a roll."""
    values = part.kept.get(SCENE, {})
    if SCENARIO not in values:
        raise RollError("No war is on here. A game master starts one with /war new.")
    return read(book, values)


def conclude(
    outcome: str, lines: Sequence[str], rules: Rules, tone: Tone = "neutral", *, maker: bool = False
) -> Conclusion:
    """Conclude with the first line; in fog for staff only, or for its maker too."""
    hidden: Literal["maker", "staff"] = "maker" if maker else "staff"
    return Conclusion(
        outcome, lines[0] if lines else "Done", tone, "results" if rules.scenario.fog == "open" else hidden
    )


def further_steps(lines: Sequence[str]) -> tuple[Throw, ...]:
    """Return the lines after the first as steps without dice."""
    return tuple(Throw("", line) for line in lines[1:])


def describe_winner(war: War, battle: WarBattle) -> str:
    """Describe who won a finished battle."""
    winner, turn = battle.winner, battle.fight.turn
    if winner is None:
        return f"The battle on {battle.at} ended in turn {turn} with no unit left."
    return f"{upper_first(side_name(war, winner))} won the battle on {battle.at} in turn {turn}."


def summarize(lines: Iterable[str] = (), phase: str = FIGHTS) -> Mapping[str, Any]:
    """Return the summary lines that a roll stores for a phase."""
    return {SUMMARY: {"phase": phase, "lines": [*lines]}}


def summarize_battle(rules: Rules, board: War, action: WarAction, after: War, at: Hex) -> Iterator[str]:
    """Yield the result of a battle that an action closed; `board` is the war before closing."""
    if at not in after.battles:
        battle = board.battles[at]
        yield describe_winner(board, battle)
        yield from (f"{upper_first(side_name(board, side))} withdrew." for side in battle.fight.withdrawn)
        yield from describe_changes(rules, board, action, after)


WAR_ROLE = "war"
GIVER = "giver"
"""The input with the player who gave an order; None is a game master."""
NOTHING = "A ruling"
UNSEEN, OUT_OF_SIGHT = "E_OUT_OF_SIGHT", "something out of sight prevents it"
"""The refusal for anything the giver doesn't see: a code of its own would reveal it."""

_ALREADY = "That changes nothing."
_MAY_REPEAT = frozenset({RULE, FOLLOW})
"""A ruling may be words only, and a repeated pledge may have a new panel after it."""
_LAST = frozenset({ADVANCE, JOIN, ROGUE})
"""Rolls whose last line comes first."""


Describe = Callable[[Rules, War, WarAction, War], list[str]]


class _OrderEffect(NamedTuple):
    after: War
    lines: list[str]


class _OrderMethod(FrozenMethod, frozen=True):
    """Carries out a kind of order for a role, without dice.

    Inputs are `to`, `with`, and the `turn` that ends. Orders are checked against the real war for their `giver`, and
    previewed as `by` sees it. In fog the outcome is what the giver sees, and staff reads the rest.
    """

    order: str
    by: str
    keeps = KEEPS

    def check(self, part: Part, book: Book) -> None:
        self._forecast(part, book, _describe_nothing)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        rules, war = war_of(part, book)
        done, first = self._resolve_for_giver(rules, war, part), self._first_line(rules, war, part)
        lines = done.lines if first is None else [first, *(line for line in done.lines if line != first)]
        changes = list_changes(book, part.kept[SCENE], done.after)
        record: dict[str, Any] = {SEEN: self._describe_to_all(rules, war, done.after, part)} if has_fog(rules) else {}
        if self.order == ADVANCE:  # the digest of a quiet turn has nothing else
            record |= summarize(done.lines, ADVANCE)
        return MethodResult(further_steps(lines), self._conclusion(rules, lines), record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        rules, done = self._forecast(part, book)
        return (Chance(self._conclusion(rules, done.lines), Fraction(1)),)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        rules, _ = war_of(part, book)
        sealed = self.order in book.entries_of(OrderKind) and rules.scenario.orders == "sealed"
        return self._forecast(part, book, describe_forecast if sealed else describe_changes)[1].lines

    def _conclusion(self, rules: Rules, lines: Sequence[str]) -> Conclusion:
        return conclude("done", lines, rules, maker=self.order == JOIN)

    def _forecast(self, part: Part, book: Book, describe: Describe = describe_changes) -> tuple[Rules, _OrderEffect]:
        rules, war = war_of(part, book)
        if part.inputs.get("by") is None:
            return rules, self._resolve_for_giver(rules, war, part, describe)
        return rules, self._resolve(rules, mask_war(rules, war, view_as(war, part.inputs["by"])), part, describe)

    def _resolve_for_giver(
        self, rules: Rules, war: War, part: Part, describe: Describe = describe_changes
    ) -> _OrderEffect:
        """Resolve in the real war; in fog a refusal reveals no more than the giver sees."""
        giver = part.inputs.get(GIVER)
        try:
            return self._resolve(rules, war, part, describe)
        except Refused as refused:
            if giver is None or not has_fog(rules):
                raise
            self._resolve(rules, mask_war(rules, war, view_as(war, giver)), part)
            raise Refused(UNSEEN, OUT_OF_SIGHT) from refused

    def _first_line(self, rules: Rules, war: War, part: Part) -> str | None:
        giver = part.inputs.get(GIVER)
        if giver is None or not has_fog(rules):
            return None
        return next(iter(self._describe_seen(rules, war, part, view_as(war, giver))), "Done")

    def _describe_to_all(self, rules: Rules, war: War, after: War, part: Part) -> dict[str, list[str]]:
        found = ((name, self._describe_seen(rules, war, part, name)) for name in {**war.factions, **after.factions})
        return {name: lines for name, lines in found if lines}

    def _describe_seen(self, rules: Rules, war: War, part: Part, viewer: str | None) -> list[str]:
        effect = self._resolve(rules, war, part, partial(describe_to, viewer=viewer))
        return [line for line in effect.lines if line != NOTHING]

    def _resolve(self, rules: Rules, war: War, part: Part, describe: Describe = describe_changes) -> _OrderEffect:
        after, lines = war, list[str]()
        for action in self._actions(rules, war, part):
            before, after = after, resolve(rules, after, action)
            lines += describe(rules, before, action, after)
            if isinstance(action, SetSource) and before == after and describe is describe_changes:  # for staff only
                lines.append(f"{after.factions[action.faction].name} keeps its source of supply.")
        if self.order == ADVANCE:
            after = replace(after, update=part.inputs.get("update"))
        if self.order not in _MAY_REPEAT and after == war:
            raise Refused("E_NO_TARGET", _ALREADY)
        if self.order in _LAST:
            lines = [*lines[-1:], *lines[:-1]]
        return _OrderEffect(after, lines or [NOTHING])

    def _actions(self, rules: Rules, war: War, part: Part) -> Sequence[WarAction]:
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
                return Join(player=who, faction=match_faction(war, to), owner=taken.get("owner"))
            case "set":
                return read_setting(rules, war, str(taken["what"]), to)
        actor = taken.get("by", taken.get(GIVER))
        return read_order(
            rules, war, order_kinds.OrderText(self.order, who, to or None, taken.get("with") or None, actor)
        )


def _describe_nothing(_rules: Rules, _before: War, _action: WarAction, _after: War) -> list[str]:
    return []


def view_as(war: War, player: str) -> str | None:
    """Return the view that a player has: their faction, their own name as a lone rogue, or None."""
    found = war.players.get(player)
    return None if found is None else found.faction or player


def make_procedure(
    family: str, roles: tuple[str, str], texts: tuple[str, str, str], method: FrozenMethod, policy: Policy
) -> Procedure:
    """Return a roll; roles are actor and subject, texts are title, headline, and headline without a subject."""
    return Procedure(
        family=family,
        title=texts[0],
        actor=roles[0],
        subject=roles[1],
        headline=texts[1],
        headline_alone=texts[2],
        place="panel",
        method=method,
        policy=policy,
    )


def _procedure(order: str, title: str, by: str, headline: str, *, staff: bool = False) -> Procedure:
    policy = Policy(on_request=False, by_card=False, open_to_players=not staff, played=())
    return make_procedure(order, (by, "panel"), (title, headline, headline), _OrderMethod(order, by), policy)


def order_procedure(order: order_kinds.WarOrder) -> Procedure:
    """Return the roll of a kind of order."""
    return _procedure(order.kind, order.title, order.role, order.headline)


PROCEDURES = (
    *map(order_procedure, ORDERS.values()),
    _procedure(JOIN, "New player", PLAYER, "{player} joins {to}"),
    _procedure(SET, "Set by a game master", WAR_ROLE, "Set by a game master in {war}", staff=True),
    _procedure(RULE, "A ruling", WAR_ROLE, "A ruling in {war}", staff=True),
    _procedure(ADVANCE, "Turn advance", WAR_ROLE, "The turn of {war} ends", staff=True),
)
