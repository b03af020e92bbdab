"""What is said about an act on a board: what it can do, what it did, and how its dice were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from rules.books.total_war import combat
from rules.books.total_war.acts import Act, ActResult
from rules.books.total_war.aftermath import FightAction, list_retreats
from rules.books.total_war.battles import retreating_forces, side_name, why_retreats
from rules.books.total_war.board import Battlefield, destinations
from rules.books.total_war.board_orders import OrderResult, joint_attack, lane_targets
from rules.books.total_war.catalog import AceLevel, UnitClass
from rules.books.total_war.combat import PERCENT, Die
from rules.books.total_war.fight import Clash, Fight, Fire, Order, Shoot, Step
from rules.books.total_war.land import list_panels
from rules.books.total_war.order_kinds import COIN, NONE_FREE, SEEN
from rules.books.total_war.sight import has_fog
from rules.books.total_war.terms import Terms
from rules.books.total_war.war import Rules, War, WarAction
from rules.books.total_war.war_rolls import describe_winner
from rules.books.total_war.war_words import describe_changes, describe_to, describe_to_factions
from rules.dice import Dice, DiceTerm, Roll
from rules.geometry import Hex
from rules.phrases import counted, join_words, possessive
from rules.procedure import Throw
from rules.tables import Source, Tone

End = tuple[str, str, Tone, Fraction]
"""A thing that an act can come to: its outcome, that in words, how it is told, and how likely it is."""
MOVED = "moved"


def seen_record(rules: Rules, before: War, action: WarAction, after: War) -> dict[str, dict[str, list[str]]]:
    """Return what a roll keeps of what each faction sees of an action where there is fog, for its digest."""
    return {SEEN: describe_to_factions(rules, before, action, after)} if has_fog(rules) else {}


def possible_ends(terms: Terms, fight: Fight, act: Act) -> list[End]:
    """Return what an act can come to, on the board on which its attack is made, with exact chances."""
    attack = act.attack
    match attack:
        case Shoot():
            target = str(attack.target)
            hit = combat.hit_chance(joint_attack(terms, fight, attack), fight.unit(target).defense)
            found = [_make_end(act, "destroyed", [target], hit), _make_end(act, "held", [target], 1 - hit)]
        case Clash():
            odds = combat.melee_odds(terms, fight.unit(attack.unit).kind, fight.unit(attack.target).kind)
            found = [
                _make_end(act, "destroyed", [attack.target], odds.target),
                _make_end(act, "countered", [attack.unit], odds.attacker),
                _make_end(act, "nobody", [], odds.nobody),
            ]
        case Fire():
            lane = lane_targets(terms, fight, attack)
            names = [act.called(name) for name, unit in fight.units.items() if unit.at in lane]
            chances = combat.kill_chances(lane.values())
            found = [
                (str(many), _describe_fallen(many, names), _tone(many), chance) for many, chance in enumerate(chances)
            ]
        case _:
            found = [(MOVED, f"{act.called(act.unit)} moves", "neutral", Fraction(1))]
    return [end for end in found if end[-1]]


def find_end(act: Act, done: ActResult) -> tuple[str, Tone]:
    """Return to which of its ends an act came, and how that is told."""
    attack, fallen = act.attack, done.fallen
    match attack:
        case Shoot():
            return ("destroyed", "success") if fallen else ("held", "failure")
        case Clash():
            if attack.target in fallen:
                return "destroyed", "success"
            return ("countered", "danger") if fallen else ("nobody", "neutral")
        case Fire():
            return str(len(fallen)), _tone(len(fallen))
    return MOVED, "neutral"


def half_line(war: War, at: Hex) -> str:
    """Return which battle is fought on a panel, between whom, and whose half of which turn it is."""
    battle = war.battles[at]
    fight, attacker, defender = battle.fight, *(side_name(war, side) for side in (battle.attacker, battle.defender))
    half = side_name(war, fight.active)
    return f"{attacker} against {defender} on {at}: {possessive(half)} half of turn {fight.turn}"


def before_lines(terms: Terms, fight: Fight, then: Fight, act: Act) -> Iterator[str]:
    """Yield what can be told before an act: of its unit, its target and its lane, on the boards before it and `then`, of its attack."""
    unit = fight.unit(act.unit)
    kind = terms.of(UnitClass, unit.kind)
    reach = destinations(fight.around(terms, act.unit), unit.mover(fight.where))
    if not unit.moved:
        yield f"{act.called(act.unit)} on {unit.at} can move {counted(kind.moves(fight.where), 'tiles')} ({len(reach)} in reach)"
    if act.move is not None:
        yield f"Moves to {act.move.to} ({counted(reach.get(act.move.to, 0), 'steps')})"
    attack = act.attack
    match attack:
        case Shoot():
            combined = joint_attack(terms, then, attack)
            aim = "" if combined.accuracy is None else f", {combined.accuracy}% accuracy"
            goal = then.unit(str(attack.target))
            beside = f", together with {join_words(map(act.called, attack.others))}" if attack.others else ""
            yield f"{combined}{aim} against defense {goal.defense}{beside}: {goal.defense + 1} or more destroys"
            yield _describe_target(then.around(terms, act.unit), act, str(attack.target), then)
        case Clash():
            yield from [f"Calls {attack.call}"] if attack.call else []
            yield _describe_target(then.around(terms, act.unit), act, attack.target, then)
        case Fire():
            yield f"Fires toward {attack.way}"
            yield from _describe_lane(terms, then, act, attack)


def after_lines(rules: Rules, act: Act, done: ActResult) -> Iterator[str]:
    """Yield what an act came to, in lines: first what came of its attack, if it has one."""
    for order, happened in sorted(done.came, key=_is_move):
        yield from _describe_order(act, order, happened)
    for order in done.left_out:
        if isinstance(order, Step):
            yield f"{act.called(act.unit)} doesn't move to {order.to} any more."
    yield from closing_lines(rules, done, act.at, act.by)


def closing_lines(rules: Rules, done: ActResult, at: Hex, by: str | None) -> Iterator[str]:
    """Yield who has won a battle that has ended, and all that the winner's changes bring, or whose retreat they wait for.

    Where there is fog, a player (`by`, a callsign) is told of the map what their faction sees.
    """
    if done.ended is None:
        return
    yield describe_winner(done.board, done.ended)
    yield from describe_as_seen(rules, done.board, FightAction(at=at, order=done.came[-1][0]), done.war, by)
    yield from waiting_lines(rules, done.war, at, by)


def describe_as_seen(rules: Rules, before: War, action: WarAction, after: War, by: str | None) -> list[str]:
    """Return what an action has brought, as far as whoever has done it (a callsign; None: a game master) sees it."""
    if by is None or not has_fog(rules):
        return describe_changes(rules, before, action, after)
    return describe_to(rules, before, action, after, _faction(after, by))


def waiting_lines(rules: Rules, after: War, at: Hex, by: str | None) -> Iterator[str]:
    """Yield which beaten forces have to say where they go before a battle is over for good.

    Where there is fog, only who may choose is told where that can be: others would read off it what stands there.
    """
    for force in retreating_forces(rules, after, at) if at in after.battles else ():
        if by is not None and has_fog(rules) and force.commander != by:
            yield f"{force.name} has to retreat."
            continue
        free = list_retreats(rules, after, at, force)
        where = f"to {list_panels(free, 'or')}" if free else f"but {NONE_FREE}"
        why = why_retreats(rules, after, at, force)
        yield f"{force.name} has to retreat {where}.{f' {why}' if why else ''}"


def _faction(war: War, by: str) -> str:
    player = war.players.get(by)
    return by if player is None or player.faction is None else player.faction


def _is_move(item: tuple[Order, OrderResult]) -> bool:
    return isinstance(item[0], Step)


def _describe_order(act: Act, order: Order, happened: OrderResult) -> Iterator[str]:
    if isinstance(order, Step):
        yield f"{act.called(order.unit)} moves to {order.to} ({counted(happened.steps or 0, 'steps')})."
        return
    destroyed = [act.called(name) for name in happened.destroyed or ()]
    if destroyed:
        yield f"{join_words(destroyed)} {'is' if len(destroyed) == 1 else 'are'} destroyed."
    elif isinstance(order, Fire):
        yield f"{act.called(order.unit)} fires toward {order.way} and destroys nothing."
    elif isinstance(order, Shoot | Clash):
        yield f"{act.called(str(order.target))} survives."


def _describe_target(field: Battlefield, act: Act, target: str, fight: Fight) -> str:
    at = fight.unit(target).at
    return f"Target: {act.called(target)} on {at} ({field.terrain(at).label.lower()})"


def _describe_lane(terms: Terms, fight: Fight, act: Act, fire: Fire) -> Iterator[str]:
    """Yield who stands in the lane of a shot, each with its chance to be destroyed."""
    on, chances = {unit.at: name for name, unit in fight.units.items()}, lane_targets(terms, fight, fire)
    ship = fight.unit(fire.unit).side
    for place, chance in chances.items():
        friend = " (own side)" if fight.unit(on[place]).side == ship else ""
        yield f"{act.called(on[place])} on {place}{friend}: {chance}%"
    if not chances:
        yield f"No unit is in the lane toward {fire.way}"


def _make_end(act: Act, outcome: str, fallen: Sequence[str], chance: Fraction) -> End:
    names = ", ".join(act.called(name) for name in fallen)
    words, tone = _ENDS[outcome]
    return outcome, words.format(names), tone, chance


_ENDS: dict[str, tuple[str, Tone]] = {
    "destroyed": ("{} is destroyed", "success"),
    "held": ("{} survives", "failure"),
    "countered": ("{} is destroyed by a counterattack", "danger"),
    "nobody": ("Both units survive", "neutral"),
}


def _describe_fallen(many: int, names: Sequence[str]) -> str:
    """Return that so many fall of those in a lane: by their names where these are all of them."""
    who = join_words(names) if many == len(names) > 0 else f"{many} of the {len(names)} in its lane"
    return f"{who} {'is' if many == 1 else 'are'} destroyed" if many else "No unit is destroyed"


def _tone(many: int) -> Tone:
    return "success" if many else "failure"


_TRY, _ACCURACY, _COMBINED, _MELEE, _HERO = 182, 184, 188, 194, 208
"""The lines of the page that say how each is read."""
_SECTIONS = ((198, "Warship combat"), (190, "Melee combat"), (165, "Ranged combat"))
"""The sections of the page with the line that each begins with, the last one first."""
_TOLD = {"held": "survives", "beats": "destroyed"}


class DiceRecord:
    """Throws the dice of a battle as they are asked for, and keeps how they fell."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.fallen: list[tuple[Die, Roll]] = []

    def __call__(self, die: Die) -> int:
        """Return the face of a die."""
        roll = self._dice.roll(DiceTerm(1, die.sides))
        self.fallen.append((die, roll))
        return roll.total


class AttackRecord(Struct, frozen=True):
    """An attack of an act, on the board as it was then, and how its dice fell."""

    terms: Terms
    fight: Fight
    act: Act
    fallen: Sequence[tuple[Die, Roll]]

    def rolls(self, **which: object) -> tuple[Roll, ...]:
        """Return the dice that fell for something, such as one try."""
        return tuple(
            roll for die, roll in self.fallen if all(getattr(die, name) == value for name, value in which.items())
        )

    def step(self, title: str, text: str, line: int, rolls: tuple[Roll, ...] = ()) -> Throw:
        """Return a step, with the line of the page behind it."""
        section = next(section for first, section in _SECTIONS if line >= first)
        return Throw(title, text, rolls, Source(self.terms.book.source, section), line)


def attack_steps(attacked: AttackRecord, order: Order, happened: OrderResult) -> Iterator[Throw]:
    """Yield the steps of an attack."""
    match order:
        case Shoot():
            yield from _shot_steps(attacked, order, happened)
        case Clash():
            yield _melee_step(attacked, order)
        case Fire():
            yield from _fire_steps(attacked, order, happened)


def _shot_steps(attacked: AttackRecord, order: Shoot, happened: OrderResult) -> Iterator[Throw]:
    """Yield a step for each try, and before them what several have come to that attack together."""
    attack, defense = (
        joint_attack(attacked.terms, attacked.fight, order),
        attacked.fight.unit(str(order.target)).defense,
    )
    if order.others:
        names = " and ".join(attacked.act.called(name) for name in (order.unit, *order.others))
        yield attacked.step("Combined attack", f"{names}: {attack}", _COMBINED)
    for attempt, came in enumerate(happened.tries or (), 1):
        rolls = attacked.rolls(attempt=attempt)
        title, aimed = f"Try {attempt} of {attack}", rolls[0].total if attack.accuracy is not None else None
        if came == "miss":
            yield attacked.step(title, f"{aimed} misses (accuracy {attack.accuracy}%)", _ACCURACY, rolls)
            continue
        hits = "" if aimed is None else f"{aimed} hits (accuracy {attack.accuracy}%), "
        yield attacked.step(title, f"{hits}{rolls[-1].total} against defense {defense}: {_TOLD[came]}", _TRY, rolls)


def _melee_step(attacked: AttackRecord, order: Clash) -> Throw:
    """Return the step of a melee attack: the coin and what it was called, and the die of a counterattack."""
    target, rolls = attacked.act.called(order.target), attacked.rolls()
    if not rolls:
        label = attacked.terms.of(UnitClass, attacked.fight.unit(order.target).kind).label.lower()
        return attacked.step("Melee", f"{target} ({label}) is always destroyed", _MELEE)
    fell = COIN[rolls[0].total - 1]
    told = f"called {order.call}, got {fell}"
    if fell == order.call:
        return attacked.step("Melee", f"{told}: {target} is destroyed", _MELEE, rolls)
    face = attacked.terms.number("counter-face")
    what = "the attacker is destroyed" if rolls[-1].total == face else "it misses"
    return attacked.step("Melee", f"{told}; the counterattack needs a {face}: {what}", _MELEE, rolls)


def _fire_steps(attacked: AttackRecord, order: Fire, happened: OrderResult) -> Iterator[Throw]:
    """Yield a step for each unit that a shot reaches, in the order of the lane."""
    on = {unit.at: name for name, unit in attacked.fight.units.items()}
    for place, percent in lane_targets(attacked.terms, attacked.fight, order).items():
        name, rolls = on[place], attacked.rolls(tile=place)
        falls = "destroyed" if name in (happened.destroyed or ()) else "survives"
        text = f"{percent}%: {falls}" if 0 < percent < PERCENT else f"{falls} (no die)"
        title = f"{attacked.act.called(name)} on {place}"
        yield attacked.step(title, text, _lane_line(attacked, name), rolls)


def _lane_line(attacked: AttackRecord, name: str) -> int:
    """Return the line of the page that says what becomes of a unit in a lane."""
    unit = attacked.fight.unit(name)
    if unit.hero:
        return _HERO
    kind = attacked.terms.of(UnitClass, unit.kind)
    levels = attacked.terms.book.listed(AceLevel).values() if kind.armoured else ()  # only suits and armors (AMB-57)
    return next((item.line for item in levels if unit.ace == item.level), kind.fire_line)
