"""All actions of a war: read as typed, listed as possible, resolved, and as rolls that change the war, or nothing."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import battles, course, order_kinds
from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.catalog import Refused
from rules.books.total_war.combat import Thrower, no_die
from rules.books.total_war.orders import command, movement, production
from rules.books.total_war.rulings import units, values
from rules.books.total_war.storage import KEEPS, SCENARIO, list_changes, mask_war, read
from rules.books.total_war.war import Rules, Ruling, War, WarAction
from rules.books.total_war.war_words import describe_changes, describe_forecast, describe_to
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from rules.orders import OrderKind
from rules.phrases import list_known
from rules.procedure import SUMMARY, Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.subjects import name_key
from rules.tables import Tone


def resolve(rules: Rules, war: War, action: WarAction, throw: Thrower = no_die) -> War:
    """Apply an action with the prices and switches set in the war, or raise Refused before any die."""
    battles.require_war_on(war)
    rules = rules.apply_settings(war)
    if isinstance(action, Ruling) and action.actor is not None:
        raise Refused("E_NOT_COMMANDER", "Only game masters can set that. Ask one, and say why.")
    if isinstance(action, FightAction):
        return action.apply(rules, war, throw)
    return action.apply(rules, war)


_KINDS = (movement, production, command)
ORDERS: dict[str, order_kinds.WarOrder] = {item.kind: item for module in _KINDS for item in module.ORDERS}


def read_order(rules: Rules, war: War, text: order_kinds.OrderText) -> WarAction:
    """Read an order's action without checking it."""
    found = ORDERS.get(text.kind)
    if found is None:
        raise Refused("E_NO_TARGET", f"{text.kind!r} isn't an order{list_known(ORDERS)}.")
    return found.read(rules, war, text)


def list_targets(rules: Rules, war: War, kind: str, who: str) -> list[str]:
    """List what an order can be given to; empty without a choice."""
    found = ORDERS.get(kind)
    return [] if found is None or found.targets is None else [*found.targets(rules.apply_settings(war), war, who)]


def list_details(rules: Rules, war: War, kind: str, who: str, to: str) -> list[str]:
    """List the second choice of an order, such as items or numbers."""
    found = ORDERS.get(kind)
    return [] if found is None or found.details is None else [*found.details(rules.apply_settings(war), war, who, to)]


SETTINGS: Mapping[str, order_kinds.WarSetting] = {
    what: {**values.SETTINGS, **units.SETTINGS}[what] for what in order_kinds.EXAMPLES
}
_NUMBER = re.compile(r"(?<![\w,-])[0-9]{1,7}(?![\w,])")
_LEADING = re.compile(order_kinds.PANEL_PATTERN)


def read_setting(rules: Rules, war: War, what: str, text: str) -> WarAction:
    """Read a setting, one of `EXAMPLES`."""
    if what not in SETTINGS:
        raise Refused("E_NO_TARGET", f"{what!r} isn't something to set{list_known(SETTINGS)}.")
    example = fill_example(rules, war, what, text)
    return SETTINGS[what].read(rules, war, order_kinds.require_text(text, f"what is set, such as {example}"), example)


def fill_example(rules: Rules, war: War, what: str, text: str) -> str:
    """Write an example of a setting in the war's own names."""
    scenario, typed = rules.scenario, _LEADING.match(text.strip())
    at = Hex.parse(typed[0]) if typed else None
    every = [unit.id for force in war.forces.values() for unit in force.units]
    first = next(iter(war.forces.values()), None)
    own = [name for name, model in scenario.units.items() if first and model.faction in {None, first.faction}]
    return order_kinds.EXAMPLES[what].format(
        panel=at if at in war.panels else next(iter(war.panels), "0,0"),
        faction=next((side.name for side in war.factions.values()), "E"),
        force=next(iter(war.forces), "1st Fleet"),
        unit=next(iter(every), "u17"),
        player=next(iter(war.players), "Bob"),
        model=next(iter(own or scenario.units), "gm"),
        item=next(iter(scenario.items), "mining_station"),
        rank=next((rank.name for rank in scenario.ranks), "Captain"),
        pilot=next((pilot.name for pilot in scenario.pilots), order_kinds.NOBODY),
    )


def list_settings(rules: Rules, war: War, what: str, typed: str) -> Iterator[str]:
    """Yield settings that contain all typed words and change the war, the typed one first."""
    if what not in SETTINGS:
        return
    rules, words = rules.apply_settings(war), name_key(typed).split()
    every = SETTINGS[what].offers(rules, war, next(iter(_NUMBER.findall(typed)[-1:]), None))
    fitting = (text for text in every if all(word in name_key(text) for word in words))
    if words:
        yield from _keep_changing(rules, war, what, [typed.strip()])
    yield from _keep_changing(rules, war, what, (text for text in fitting if name_key(text) != name_key(typed)))


def _keep_changing(rules: Rules, war: War, what: str, texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        try:
            after = resolve(rules, war, read_setting(rules, war, what, text))
        except Refused:
            continue
        if after != war:
            yield text


_BY_FACTION, _BY_PLAYER = frozenset({"faction"}), frozenset({"player"})
_BY_FORCE = frozenset({"force", "squadron"})


class CommandTarget(Struct, frozen=True):
    """A force, faction (id) or player; `orders` has who may give each possible order.

    Without any givers only a game master can give one.
    """

    name: str
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    expected: bool = False


def list_orders(rules: Rules, war: War) -> tuple[CommandTarget, ...]:
    """List all forces, factions and players with their possible orders; empty after the war."""
    if war.winner is not None:
        return ()
    rules = rules.apply_settings(war)
    found = []
    for name, force in war.forces.items():
        orders = _find_possible(rules, war, name, _BY_FORCE)
        found.append(CommandTarget(name, orders, expected=order_kinds.MOVE in orders and force.commander is not None))
    for name in war.factions:
        expected = any(course.list_pending(rules, war, name))
        found.append(CommandTarget(name, _find_possible(rules, war, name, _BY_FACTION), expected=expected))
    found += [CommandTarget(name, _find_possible(rules, war, name, _BY_PLAYER)) for name in war.players]
    return tuple(found)


def list_givers(war: War) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each name in the order of `list_orders`, with all players who may ever give its orders."""
    for force in war.forces.values():
        side = war.factions.get(force.faction)
        yield force.name, _players([force.commander, *(side.posts if side else ())])
    for name, side in war.factions.items():
        yield name, _players([side.leader])
    for name, player in war.players.items():
        yield name, _players([name, None if player.faction is None else war.factions[player.faction].leader])


def _find_possible(rules: Rules, war: War, who: str, roles: frozenset[str]) -> dict[str, frozenset[str]]:
    mine = (item for item in ORDERS.values() if item.role in roles and item.is_possible(rules, war, who))
    return {item.kind: _players(item.givers(war, who)) for item in mine}


def _players(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for name in names if name is not None)


def war_of(part: Part, book: Book) -> tuple[Rules, War]:
    """Return the war of a roll."""
    values = part.kept.get(SCENE, {})
    if SCENARIO not in values:
        raise RollError("No war is on here. A game master starts one with /gm-war new.")
    return read(book, values)


def conclude(
    outcome: str, lines: Sequence[str], rules: Rules, tone: Tone = "neutral", *, maker: bool = False
) -> Conclusion:
    """Conclude with the first line; in fog for staff only, or for its maker too."""
    hidden: Literal["maker", "staff"] = "maker" if maker else "staff"
    see = "results" if rules.scenario.fog == "open" else hidden
    return Conclusion(outcome, lines[0] if lines else "Done", tone, see)


def further_steps(lines: Sequence[str]) -> tuple[Throw, ...]:
    """Return the lines after the first as steps without dice."""
    return tuple(Throw("", line) for line in lines[1:])


WAR_ROLE = "war"
GIVER = "giver"
"""The input with the player who gave an order; None is a game master."""
NOTHING = "A ruling"
UNSEEN, OUT_OF_SIGHT = "E_OUT_OF_SIGHT", "something out of sight prevents it"
"""The refusal for anything the giver doesn't see: a code of its own would reveal it."""

_MAY_REPEAT = frozenset({order_kinds.RULE, order_kinds.FOLLOW})
"""A ruling may be words only, and a repeated pledge may have a new panel after it."""
_LAST = frozenset({order_kinds.ADVANCE, order_kinds.JOIN, order_kinds.ROGUE})
"""Rolls whose last line comes first."""


Describe = Callable[[Rules, War, WarAction, War], list[str]] | None


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
        self._forecast(part, book, None)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        rules, war = war_of(part, book)
        done, giver = self._resolve_for_giver(rules, war, part), part.inputs.get(GIVER)
        lines, record = done.lines, dict[str, Any]()
        if rules.scenario.has_fog:
            if giver is not None:
                first = next(iter(self._describe_seen(rules, war, part, war.view_as(giver))), "Done")
                lines = [first, *(line for line in lines if line != first)]
            viewers = {**war.factions, **done.after.factions}
            found = ((name, self._describe_seen(rules, war, part, name)) for name in viewers)
            record[order_kinds.SEEN] = {name: seen for name, seen in found if seen}
        changes = list_changes(book, part.kept[SCENE], done.after)
        if self.order == order_kinds.ADVANCE:  # the digest of a quiet turn has nothing else
            record[SUMMARY] = {"phase": order_kinds.ADVANCE, "lines": done.lines}
        return MethodResult(further_steps(lines), self._conclusion(rules, lines), record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        rules, done = self._forecast(part, book)
        return (Chance(self._conclusion(rules, done.lines), Fraction(1)),)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        rules, _ = war_of(part, book)
        sealed = self.order in book.entries_of(OrderKind) and rules.scenario.orders == "sealed"
        return self._forecast(part, book, describe_forecast if sealed else describe_changes)[1].lines

    def _conclusion(self, rules: Rules, lines: Sequence[str]) -> Conclusion:
        return conclude("done", lines, rules, maker=self.order == order_kinds.JOIN)

    def _forecast(self, part: Part, book: Book, describe: Describe = describe_changes) -> tuple[Rules, _OrderEffect]:
        rules, war = war_of(part, book)
        if part.inputs.get("by") is None:
            return rules, self._resolve_for_giver(rules, war, part, describe)
        return rules, self._resolve(rules, mask_war(rules, war, war.view_as(part.inputs["by"])), part, describe)

    def _resolve_for_giver(
        self, rules: Rules, war: War, part: Part, describe: Describe = describe_changes
    ) -> _OrderEffect:
        giver = part.inputs.get(GIVER)
        try:
            return self._resolve(rules, war, part, describe)
        except Refused as refused:
            if giver is None or not rules.scenario.has_fog:
                raise
            self._resolve(rules, mask_war(rules, war, war.view_as(giver)), part)
            raise Refused(UNSEEN, OUT_OF_SIGHT) from refused

    def _describe_seen(self, rules: Rules, war: War, part: Part, viewer: str | None) -> list[str]:
        effect = self._resolve(rules, war, part, partial(describe_to, viewer=viewer))
        return [line for line in effect.lines if line != NOTHING]

    def _resolve(self, rules: Rules, war: War, part: Part, describe: Describe = describe_changes) -> _OrderEffect:
        after, lines = war, list[str]()
        for action in self._actions(rules, war, part):
            before, after = after, resolve(rules, after, action)
            lines += describe(rules, before, action, after) if describe else []
            if (
                isinstance(action, units.SetSource) and before == after and describe is describe_changes
            ):  # for staff only
                lines.append(f"{after.factions[action.faction].name} keeps its source of supply.")
        if self.order == order_kinds.ADVANCE:
            after = replace(after, update=part.inputs.get("update"))
        if self.order not in _MAY_REPEAT and after == war:
            raise Refused("E_NO_TARGET", "That changes nothing.")
        if self.order in _LAST:
            lines = [*lines[-1:], *lines[:-1]]
        return _OrderEffect(after, lines or [NOTHING])

    def _actions(self, rules: Rules, war: War, part: Part) -> Sequence[WarAction]:
        taken, who = part.inputs, part.subjects.get(self.by, "")
        to = str(taken.get("to") or "")
        match self.order:
            case "rule":
                return units.read_rulings(war, taken.get("to", ""))
            case "advance":
                if taken.get("turn") != war.turn:
                    raise RollError(f"That turn has already ended. It's turn {war.turn}.")
                return (course.Advance(),)
            case "join":
                return (course.Join(player=who, faction=war.match_faction(to), owner=taken.get("owner")),)
            case "set":
                return (read_setting(rules, war, str(taken["what"]), to),)
        actor = taken.get("by", taken.get(GIVER))
        text = order_kinds.OrderText(self.order, who, to or None, taken.get("with") or None, actor)
        return (read_order(rules, war, text),)


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
    """Return an order kind's roll."""
    return _procedure(order.kind, order.title, order.role, order.headline)


PROCEDURES = (
    *map(order_procedure, ORDERS.values()),
    _procedure(order_kinds.JOIN, "New player", order_kinds.PLAYER, "{player} joins {to}"),
    _procedure(order_kinds.SET, "Set by a game master", WAR_ROLE, "Set by a game master in {war}", staff=True),
    _procedure(order_kinds.RULE, "A ruling", WAR_ROLE, "A ruling in {war}", staff=True),
    _procedure(order_kinds.ADVANCE, "Turn advance", WAR_ROLE, "The turn of {war} ends", staff=True),
)
