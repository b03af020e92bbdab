"""What a unit can do in a battle, checked whole before any die is rolled (AMB-69), and described."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from rules.books.total_war import battles, board, combat
from rules.books.total_war.aftermath import FightAction, close_battle, list_retreats, list_shelters, play_act
from rules.books.total_war.catalog import COIN, Missing, Refused, Terms, UnitClass
from rules.books.total_war.fight import Clash, Fight, Fire, MoveUnit, Order, Shoot
from rules.books.total_war.movement import list_panels
from rules.books.total_war.order_kinds import BEATEN, FIGHTS, NONE_FREE, SEEN
from rules.books.total_war.war import Force, Rules, War, WarAction, WarBattle
from rules.books.total_war.war_words import describe_changes, describe_to, describe_to_factions
from rules.geometry import EDGES, Hex, Square
from rules.phrases import format_count, join_words, possessive
from rules.procedure import SUMMARY

Attacks = Literal["shot", "melee", "fire"]

Inputs = Mapping[str, Any]
"""What an act takes: `at`, `by`, `to`, `first`, `others`, `call` and `toward`."""


class UnitAct(Struct, frozen=True):
    """A unit's orders in a battle, and who gives them; `names` has the label of each unit."""

    at: Hex
    by: str | None
    unit: str
    orders: tuple[Order, ...]
    names: Mapping[str, str]

    @property
    def attack(self) -> Shoot | Clash | Fire | None:
        """The act's attack; None if it only moves."""
        return next((order for order in self.orders if isinstance(order, Shoot | Clash | Fire)), None)

    @property
    def move(self) -> MoveUnit | None:
        """The act's move; None if it only attacks."""
        return next((order for order in self.orders if isinstance(order, MoveUnit)), None)

    def label(self, unit: str) -> str:
        """Return a unit's label."""
        return self.names.get(unit, unit)


class UnitActResult(Struct, frozen=True):
    """A carried out act; `board` is the war before a battle that `ended` was closed."""

    war: War
    board: War
    results: tuple[tuple[Order, combat.OrderResult], ...]
    left_out: tuple[Order, ...] = ()
    ended: WarBattle | None = None

    @property
    def losses(self) -> tuple[str, ...]:
        """Ids of destroyed units."""
        return tuple(name for _, result in self.results for name in result.destroyed or ())


def battle_at(war: War, inputs: Inputs) -> tuple[Hex, WarBattle]:
    """Return the battle on the inputs' panel."""
    try:
        at = Hex.parse(str(inputs.get("at", "")))
    except ValueError as error:
        raise Refused("E_NO_TARGET", f"{error}.") from error
    return at, battles.battle_on(war, at)


def read_act(rules: Rules, war: War, who: tuple[str, str | None], inputs: Inputs, way: Attacks | None) -> UnitAct:
    """Read an act's names and tiles; only names are checked, not rules."""
    battles.require_war_on(war)
    at, battle = battle_at(war, inputs)
    names, fight = battles.unit_labels(war, battle), battle.fight
    unit, target = battles.find_unit(names, fight, who[0]), who[1]
    moves = [MoveUnit(unit, parse_tile(rules, inputs["to"]))] if inputs.get("to") else []
    goal = battles.find_unit(names, fight, target) if target else None
    others = tuple(battles.find_unit(names, fight, str(other)) for other in inputs.get("others", ()))
    attacks = [] if way is None else [_attack(way, unit, goal, others, inputs)]
    orders = (*attacks, *moves) if inputs.get("first") == "attack" else (*moves, *attacks)
    if not orders:
        raise Missing("E_NO_MOVE", f"{names[unit]} has nothing to do: name a tile, a target or a direction.")
    return UnitAct(at, inputs.get("by"), unit, orders, names)


def require_act(rules: Rules, war: War, act: UnitAct) -> War:
    """Refuse an act that isn't wholly possible; return the war before its attack."""
    then = war
    for order in act.orders:
        battles.require_may_act(then, act.at, order, act.by)
        combat.require_order(rules.terms, battles.battle_on(then, act.at).fight, order)
        if isinstance(order, MoveUnit) and order is not act.orders[-1]:
            then, _ = play_act(rules, then, act.at, order, combat.no_die)
    return then


def carry_out(rules: Rules, war: War, act: UnitAct, throw: combat.Thrower) -> UnitActResult:
    """Carry out a possible act; a destroyed unit or closed battle ends it early."""
    results: list[tuple[Order, combat.OrderResult]] = []
    left_out: list[Order] = []
    for order in act.orders:
        fight = war.battles[act.at].fight
        if fight.outcome.over or act.unit not in fight.units:
            left_out.append(order)
            continue
        war, result = play_act(rules, war, act.at, order, throw)
        results.append((order, result))
    return _finish_act(rules, war, act.at, results, left_out)


def pass_half(rules: Rules, war: War, action: FightAction) -> UnitActResult:
    """Carry out an order without dice."""
    battles.require_war_on(war)
    battles.require_may_act(war, action.at, action.order, action.actor)
    war, result = play_act(rules, war, action.at, action.order, combat.no_die)
    return _finish_act(rules, war, action.at, [(action.order, result)])


def _finish_act(
    rules: Rules, war: War, at: Hex, results: Sequence[tuple[Order, combat.OrderResult]], left_out: Sequence[Order] = ()
) -> UnitActResult:
    battle = war.battles[at]
    ended = battle if battle.fight.outcome.over else None
    return UnitActResult(close_battle(rules, war, at), war, (*results,), (*left_out,), ended)


def record_act(rules: Rules, war: War, action: WarAction, after: War, summary: Iterable[str] | None) -> dict[str, Any]:
    """Return what a roll stores: each battle's half and turn or open retreats, what factions see, and the digest."""
    beaten = {str(at): battles.list_retreating(rules, after, at) for at in after.battles}
    going = {at: battle.fight for at, battle in after.battles.items() if not battle.fight.outcome.over}
    return {
        "halves": {str(at): [fight.turn, fight.sides.index(fight.active)] for at, fight in going.items()},
        "retreats": {at: sorted({str(force.commander) for force in forces}) for at, forces in beaten.items() if forces},
        BEATEN: {at: [force.name for force in forces] for at, forces in beaten.items() if forces},
        **({SEEN: describe_to_factions(rules, war, action, after)} if rules.scenario.has_fog else {}),
        **({} if summary is None else {SUMMARY: {"phase": FIGHTS, "lines": [*summary]}}),
    }


def parse_tile(rules: Rules, typed: object) -> Square:
    """Read a tile of the board."""
    try:
        return board.tile(rules.terms, str(typed))
    except ValueError as error:
        raise Refused("E_OFF_BOARD", f"{str(error)[:120]}.") from error


def _attack(way: Attacks, unit: str, goal: str | None, others: tuple[str, ...], inputs: Inputs) -> Order:
    if way == "fire":
        typed = inputs.get("toward")
        found = next((each for each in EDGES if each.casefold() == str(typed or "").strip().casefold()), None)
        if found is None:
            refusal, shown = (Refused, f", not {typed}") if typed else (Missing, "")
            raise refusal("E_BAD_DIRECTION", f"A warship fires down a lane: toward {', '.join(EDGES)}{shown}.")
        return Fire(unit, found)
    if goal is None:
        raise Missing("E_NO_TARGET", "An attack needs a target: name a unit of the other side.")
    if way == "shot":
        return Shoot(unit, goal, others)
    call = inputs.get("call")
    called = next((side for side in COIN if side == str(call).strip().casefold()), None)
    if call is not None and called is None:
        raise Refused("E_NO_CALL", f"Call {' or '.join(COIN)}.")
    return Clash(unit, goal, called)


def describe_half(war: War, at: Hex) -> str:
    """Describe a battle and whose half it is."""
    battle = war.battles[at]
    sides = (battle.attacker, battle.defender, battle.fight.active)
    attacker, defender, active = (battles.side_name(war, side) for side in sides)
    return f"{attacker} against {defender} on {at}: {possessive(active)} half of turn {battle.fight.turn}"


def describe_before(terms: Terms, fight: Fight, then: Fight, act: UnitAct) -> Iterator[str]:
    """Describe an act before its dice; `then` is the board of its attack."""
    unit = fight.unit(act.unit)
    kind = terms.of(UnitClass, unit.kind)
    reach = board.destinations(fight.around(terms, act.unit), unit.mover(fight.where))
    if not unit.moved:
        yield f"{act.label(act.unit)} on {unit.at} can move {format_count(kind.moves(fight.where), 'tiles')} ({len(reach)} in reach)"
    if act.move is not None:
        yield f"Moves to {act.move.to} ({format_count(reach.get(act.move.to, 0), 'steps')})"
    attack = act.attack
    match attack:
        case Shoot():
            combined = combat.joint_attack(terms, then, attack)
            aim = "" if combined.accuracy is None else f", {combined.accuracy}% accuracy"
            goal = then.unit(str(attack.target))
            beside = f", together with {join_words(map(act.label, attack.others))}" if attack.others else ""
            yield f"{combined}{aim} against defense {goal.defense}{beside}: {goal.defense + 1} or more destroys"
            yield _describe_target(then.around(terms, act.unit), act, str(attack.target), then)
        case Clash():
            yield from [f"Calls {attack.call}"] if attack.call else []
            yield _describe_target(then.around(terms, act.unit), act, attack.target, then)
        case Fire():
            yield f"Fires toward {attack.way}"
            yield from _describe_lane(terms, then, act, attack)


def describe_after(rules: Rules, act: UnitAct, done: UnitActResult) -> Iterator[str]:
    """Describe an act's results, the attack first."""
    for moves in (False, True):
        for order, result in done.results:
            if isinstance(order, MoveUnit) is moves:
                yield from _describe_order(act, order, result)
    for order in done.left_out:
        if isinstance(order, MoveUnit):
            yield f"{act.label(act.unit)} doesn't move to {order.to} any more."
    yield from describe_end(rules, done, act.at, act.by)


def describe_end(rules: Rules, done: UnitActResult, at: Hex, by: str | None) -> Iterator[str]:
    """Describe a battle's end; in fog a player (`by`) reads what their faction sees."""
    if done.ended is None:
        return
    yield battles.describe_winner(done.board, done.ended)
    yield from describe_as_seen(rules, done.board, FightAction(at=at, order=done.results[-1][0]), done.war, by)
    yield from describe_waiting(rules, done.war, at, by)


def describe_as_seen(rules: Rules, before: War, action: WarAction, after: War, by: str | None) -> list[str]:
    """Describe an action's effect as its maker (callsign; None: a game master) sees it."""
    if by is None or not rules.scenario.has_fog:
        return describe_changes(rules, before, action, after)
    return describe_to(rules, before, action, after, after.view_as(by) or by)


def describe_waiting(rules: Rules, after: War, at: Hex, by: str | None) -> Iterator[str]:
    """Describe open retreats; in fog only their commander reads where, as that reveals other forces."""
    for force in battles.list_retreating(rules, after, at) if at in after.battles else ():
        if by is not None and rules.scenario.has_fog and force.commander != by:
            yield f"{force.name} has to retreat."
            continue
        free = list_retreats(rules, after, at, force)
        where = f"to {list_panels(free, 'or')}" if free else f"but {NONE_FREE}"
        why = battles.why_retreats(rules, after, at, force)
        yield f"{force.name} has to retreat {where}.{f' {why}' if why else ''}"


def _describe_order(act: UnitAct, order: Order, result: combat.OrderResult) -> Iterator[str]:
    if isinstance(order, MoveUnit):
        yield f"{act.label(order.unit)} moves to {order.to} ({format_count(result.steps or 0, 'steps')})."
        return
    destroyed = [act.label(name) for name in result.destroyed or ()]
    if destroyed:
        yield f"{join_words(destroyed)} {'is' if len(destroyed) == 1 else 'are'} destroyed."
    elif isinstance(order, Fire):
        yield f"{act.label(order.unit)} fires toward {order.way} and destroys nothing."
    elif isinstance(order, Shoot | Clash):
        yield f"{act.label(str(order.target))} survives."


def _describe_target(field: board.Battlefield, act: UnitAct, target: str, fight: Fight) -> str:
    at = fight.unit(target).at
    return f"Target: {act.label(target)} on {at} ({field.terrain(at).label.lower()})"


def _describe_lane(terms: Terms, fight: Fight, act: UnitAct, fire: Fire) -> Iterator[str]:
    on, chances = {unit.at: name for name, unit in fight.units.items()}, combat.lane_targets(terms, fight, fire)
    ship = fight.unit(fire.unit).side
    for place, chance in chances.items():
        friend = " (own side)" if fight.unit(on[place]).side == ship else ""
        yield f"{act.label(on[place])} on {place}{friend}: {chance}%"
    if not chances:
        yield f"No unit is in the lane toward {fire.way}"


class Choices(Struct, frozen=True):
    """What a player (`by`; None: a game master) can do in a battle."""

    rules: Rules
    war: War
    at: Hex
    by: str | None = None

    @property
    def fight(self) -> Fight:
        """The fight on the board of this battle."""
        return battles.battle_on(self.war, self.at).fight

    def able(self) -> list[str]:
        """Return ids of units that can still move or attack in this half."""
        fight = self.fight
        own = [name for name, unit in fight.units.items() if unit.side == fight.active]
        return [name for name in own if self.tiles(name) or any(self.attacks(name))]

    def idle(self) -> list[str]:
        """Return ids of the able units that have a tile to go to or a target in range."""
        return [
            name
            for name in self.able()
            if self.tiles(name) or any(way == "fire" or self.targets(name, way, None) for way in self.attacks(name))
        ]

    def tiles(self, unit: str) -> list[Square]:
        """Return reachable tiles, nearest first."""
        fight = self.fight
        found = board.destinations(fight.around(self.rules.terms, unit), fight.units[unit].mover(fight.where))
        ways = sorted(found, key=found.__getitem__)
        return ways if ways and self._is_possible(unit, MoveUnit(unit, ways[0])) else []

    def attacks(self, unit: str) -> Iterator[Attacks]:
        """Yield the unit's ways to attack this turn, even without a target in range."""
        fighter = self.fight.units[unit]
        kind = self.rules.terms.of(UnitClass, fighter.kind)
        if kind.lanes and self.directions(unit, None):
            yield "fire"
        if not fighter.attacked and kind.range is not None:
            yield "shot"
        if not fighter.attacked and kind.melee:
            yield "melee"

    def targets(self, unit: str, way: Attacks, to: Square | None) -> list[str]:
        """Return the units (ids) that `unit` could attack this way after moving `to` a tile."""
        units = self.fight.units
        attacks = {name: Clash(unit, name, COIN[0]) if way == "melee" else Shoot(unit, name) for name in units}
        return [name for name, attack in attacks.items() if self._is_possible(unit, attack, to)]

    def partners(self, unit: str, target: str, chosen: Sequence[str], to: Square | None) -> list[str]:
        """Return ids of units that can join an attack."""
        others = [name for name in self.fight.units if name not in {unit, *chosen}]
        return [name for name in others if self._is_possible(unit, Shoot(unit, target, (*chosen, name)), to)]

    def directions(self, unit: str, to: Square | None) -> list[str]:
        """Return lanes to fire down after a move."""
        return [way for way in EDGES if self._is_possible(unit, Fire(unit, way), to)]

    def calls(self, target: str) -> tuple[str, ...]:
        """Return the calls of a melee attack; empty if no coin is needed."""
        return COIN if combat.needs_call(self.rules.terms, self.fight.units[target].kind) else ()

    def tile(self, typed: str) -> Square:
        """Read a tile."""
        return parse_tile(self.rules, typed)

    def retreats(self, force: Force) -> tuple[Hex, ...]:
        """Return where a beaten force can go."""
        return list_retreats(self.rules, self.war, self.at, force)

    def shelters(self, force: Force) -> tuple[Hex, ...]:
        """Return panels that only a game master can choose for a force without a retreat."""
        return list_shelters(self.rules, self.war, self.at, force) if self.by is None else ()

    def free_tiles(self, unit: str) -> list[Square]:
        """Return tiles where a unit can be placed."""
        field, flags = self.fight.around(self.rules.terms, unit), self.fight.units[unit].flags
        return [place for place in field.board.squares() if place not in field.held and field.may_enter(place, flags)]

    def _is_possible(self, unit: str, order: Order, to: Square | None = None) -> bool:
        orders = (order,) if to is None else (MoveUnit(unit, to), order)
        try:
            require_act(self.rules, self.war, UnitAct(self.at, self.by, unit, orders, {}))
        except Refused:
            return False
        return True
