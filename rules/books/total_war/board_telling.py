"""What is told of an act on a board: before it, what it can come to; after it, what it came to and how the battle stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rules.books.total_war import broadside, melee, shooting
from rules.books.total_war.acting import Act, Done
from rules.books.total_war.battles import retreats
from rules.books.total_war.board import Battlefield
from rules.books.total_war.catalog import UnitClass
from rules.books.total_war.deeds import AnyDeed, Given
from rules.books.total_war.deeds import Fight as FightDeed
from rules.books.total_war.fight import Fight
from rules.books.total_war.fighting import Happened, joined, lane_of
from rules.books.total_war.going import destinations
from rules.books.total_war.leaving import retreating, why_retreats
from rules.books.total_war.order_kinds import NONE_FREE, SEEN
from rules.books.total_war.orders import Clash, Fire, Move, Order, Shoot
from rules.books.total_war.rosters import side_name
from rules.books.total_war.sight import has_fog
from rules.books.total_war.summing import won_line
from rules.books.total_war.tale import in_words, places
from rules.books.total_war.telling import told, told_to, told_to_factions
from rules.books.total_war.terms import Terms
from rules.books.total_war.war import Rules, War
from rules.geometry.hexes import Hex
from rules.phrases import counted, possessive
from rules.tables import Tone

End = tuple[str, str, Tone, Fraction]
"""A thing that an act can come to: its outcome, that in words, how it is told, and how likely it is."""
MOVED = "moved"


def seen_of(rules: Rules, before: War, deed: Given, after: War) -> dict[str, dict[str, list[str]]]:
    """Return what a roll keeps of what each faction sees of a deed where there is fog, for its digest."""
    return {SEEN: told_to_factions(rules, before, deed, after)} if has_fog(rules) else {}


def ends_of(terms: Terms, fight: Fight, act: Act) -> list[End]:
    """Return what an act can come to, on the board on which its attack is made, with exact chances."""
    attack = act.attack
    match attack:
        case Shoot():
            target = str(attack.target)
            hit = shooting.chance(joined(terms, fight, attack), fight.unit(target).defense)
            found = [_end(act, "destroyed", [target], hit), _end(act, "held", [target], 1 - hit)]
        case Clash():
            odds = melee.odds(terms, fight.unit(attack.unit).kind, fight.unit(attack.target).kind)
            found = [
                _end(act, "destroyed", [attack.target], odds.target),
                _end(act, "countered", [attack.unit], odds.attacker),
                _end(act, "nobody", [], odds.nobody),
            ]
        case Fire():
            lane = lane_of(terms, fight, attack)
            names = [act.called(name) for name, unit in fight.units.items() if unit.at in lane]
            chances = broadside.number(lane.values())
            found = [(str(many), _fall(many, names), _tone(many), chance) for many, chance in enumerate(chances)]
        case _:
            found = [(MOVED, f"{act.called(act.unit)} moves", "neutral", Fraction(1))]
    return [end for end in found if end[-1]]


def end_of(act: Act, done: Done) -> tuple[str, Tone]:
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
            combined = joined(terms, then, attack)
            aim = "" if combined.accuracy is None else f", {combined.accuracy}% accuracy"
            goal = then.unit(str(attack.target))
            beside = f", together with {in_words(map(act.called, attack.others))}" if attack.others else ""
            yield f"{combined}{aim} against defense {goal.defense}{beside}: {goal.defense + 1} or more destroys"
            yield _ground(then.around(terms, act.unit), act, str(attack.target), then)
        case Clash():
            yield from [f"Calls {attack.call}"] if attack.call else []
            yield _ground(then.around(terms, act.unit), act, attack.target, then)
        case Fire():
            yield f"Fires toward {attack.way}"
            yield from _lane(terms, then, act, attack)


def after_lines(rules: Rules, act: Act, done: Done) -> Iterator[str]:
    """Yield what an act came to, in lines: first what came of its attack, if it has one."""
    for order, happened in sorted(done.came, key=_is_move):
        yield from _came(act, order, happened)
    for order in done.left_out:
        if isinstance(order, Move):
            yield f"{act.called(act.unit)} doesn't move to {order.to} any more."
    yield from closing_lines(rules, done, act.at, act.by)


def closing_lines(rules: Rules, done: Done, at: Hex, by: str | None) -> Iterator[str]:
    """Yield who has won a battle that has ended, and all that the winner's changes bring, or whose retreat they wait for.

    Where there is fog, a player (`by`, a callsign) is told of the map what their faction sees.
    """
    if done.ended is None:
        return
    yield won_line(done.board, done.ended)
    yield from brought(rules, done.board, FightDeed(at=at, order=done.came[-1][0]), done.war, by)
    yield from waiting_lines(rules, done.war, at, by)


def brought(rules: Rules, before: War, deed: AnyDeed, after: War, by: str | None) -> list[str]:
    """Return what a deed has brought, as far as whoever has done it (a callsign; None: a game master) sees it."""
    if by is None or not has_fog(rules):
        return told(rules, before, deed, after)
    return told_to(rules, before, deed, after, _faction(after, by))


def waiting_lines(rules: Rules, after: War, at: Hex, by: str | None) -> Iterator[str]:
    """Yield which beaten forces have to say where they go before a battle is over for good.

    Where there is fog, only who may choose is told where that can be: others would read off it what stands there.
    """
    for force in retreating(rules, after, at) if at in after.battles else ():
        if by is not None and has_fog(rules) and force.commander != by:
            yield f"{force.name} has to retreat."
            continue
        free = retreats(rules, after, at, force)
        where = f"to {places(free, 'or')}" if free else f"but {NONE_FREE}"
        why = why_retreats(rules, after, at, force)
        yield f"{force.name} has to retreat {where}.{f' {why}' if why else ''}"


def _faction(war: War, by: str) -> str:
    player = war.players.get(by)
    return by if player is None or player.faction is None else player.faction


def _is_move(item: tuple[Order, Happened]) -> bool:
    return isinstance(item[0], Move)


def _came(act: Act, order: Order, happened: Happened) -> Iterator[str]:
    if isinstance(order, Move):
        yield f"{act.called(order.unit)} moves to {order.to} ({counted(happened.steps or 0, 'steps')})."
        return
    destroyed = [act.called(name) for name in happened.destroyed or ()]
    if destroyed:
        yield f"{in_words(destroyed)} {'is' if len(destroyed) == 1 else 'are'} destroyed."
    elif isinstance(order, Fire):
        yield f"{act.called(order.unit)} fires toward {order.way} and destroys nothing."
    elif isinstance(order, Shoot | Clash):
        yield f"{act.called(str(order.target))} survives."


def _ground(field: Battlefield, act: Act, target: str, fight: Fight) -> str:
    at = fight.unit(target).at
    return f"Target: {act.called(target)} on {at} ({field.terrain(at).label.lower()})"


def _lane(terms: Terms, fight: Fight, act: Act, fire: Fire) -> Iterator[str]:
    """Yield who stands in the lane of a shot, each with its chance to be destroyed."""
    on, chances = {unit.at: name for name, unit in fight.units.items()}, lane_of(terms, fight, fire)
    ship = fight.unit(fire.unit).side
    for place, chance in chances.items():
        friend = " (own side)" if fight.unit(on[place]).side == ship else ""
        yield f"{act.called(on[place])} on {place}{friend}: {chance}%"
    if not chances:
        yield f"No unit is in the lane toward {fire.way}"


def _end(act: Act, outcome: str, fallen: Sequence[str], chance: Fraction) -> End:
    names = ", ".join(act.called(name) for name in fallen)
    words, tone = _ENDS[outcome]
    return outcome, words.format(names), tone, chance


_ENDS: dict[str, tuple[str, Tone]] = {
    "destroyed": ("{} is destroyed", "success"),
    "held": ("{} survives", "failure"),
    "countered": ("{} is destroyed by a counterattack", "danger"),
    "nobody": ("Both units survive", "neutral"),
}


def _fall(many: int, names: Sequence[str]) -> str:
    """Return that so many fall of those in a lane: by their names where these are all of them."""
    who = in_words(names) if many == len(names) > 0 else f"{many} of the {len(names)} in its lane"
    return f"{who} {'is' if many == 1 else 'are'} destroyed" if many else "No unit is destroyed"


def _tone(many: int) -> Tone:
    return "success" if many else "failure"
