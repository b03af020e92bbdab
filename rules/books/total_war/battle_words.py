"""Battles as they are told: who comes upon whom, what each act brings, who has won and what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.battles import ace_level, retreating_forces, squadron_tier, unit_label
from rules.books.total_war.board_orders import play_order
from rules.books.total_war.combat import no_die
from rules.books.total_war.fight import Condition, Fight, Withdraw
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.order_kinds import OPENING
from rules.books.total_war.war import Battle, Force
from rules.books.total_war.words import WarDiff, in_words, list_models, missing_units
from rules.phrases import counted, possessive, starting


def _describe_openings(diff: WarDiff) -> Iterator[str]:
    """Describe which battles begin, and who fights whom."""
    for at, battle in diff.after.battles.items():
        old = diff.before.battles.get(at)
        if old is not None and old.forces.keys() >= battle.forces.keys():
            continue
        own, other = (_list_fighters(battle, side) for side in (battle.attacker, battle.defender))
        nobodys = battle.defender == NEUTRAL
        other = f"{other} (neutral)" if nobodys else f"{diff.side(battle.defender)} ({other})"
        yield f"{OPENING.format(at)}{diff.side(battle.attacker)} ({own}) attacks {other}."


def _name_party(diff: WarDiff, side: str) -> str:
    """Return what a side of a battle is called: land of nobody may have a garrison."""
    return NOBODYS if side == NEUTRAL else diff.side(side)


def _list_fighters(battle: Battle, side: str) -> str:
    """Return the forces of a side, and its garrison."""
    names: list[str] = [name for name, fights in battle.forces.items() if fights == side]
    guards = [battle.fight.units[name].side for name in battle.garrison if name in battle.fight.units]
    garrison = [f"a garrison of {len(guards)}"] if side in guards else []
    return in_words([*names, *garrison] or ["no unit"])


def _describe_acts(diff: WarDiff) -> Iterator[str]:
    """Describe what is otherwise on the boards of battles that go on: who has gone where, attacked, fallen, and whose half it is."""
    for at, battle in diff.after.battles.items():
        old = diff.before.battles.get(at)
        if old is not None and old.forces.keys() >= battle.forces.keys():
            yield from _describe_board(diff, old.fight, battle.fight)
            yield from _describe_retreats(diff, old, battle)
            if battle.fight.ended.over and not old.fight.ended.over:
                yield _describe_winner(diff, battle, battle.fight)
                waited = [force.name for force in retreating_forces(diff.rules, diff.after, at)]
                if waited:
                    yield f"{in_words(waited)} {'has' if len(waited) == 1 else 'have'} to retreat from {at}: the commander picks where."


def _describe_board(diff: WarDiff, old: Fight, now: Fight) -> Iterator[str]:
    units = {unit.id: unit for unit in diff.before.every_unit()}
    titles = {name: unit_label(units[name]) if name in units else name for name in old.units}
    for name, after in now.units.items():
        fighter = old.units.get(name, after)
        if after.at != fighter.at:
            goes = "moves" if after.moved and not fighter.moved else "is placed by a game master:"
            yield f"{titles[name]} {goes} from {fighter.at} to {after.at}."
        if after.attacked and not fighter.attacked:
            yield f"{titles[name]} attacks."
    for name, fighter in old.units.items():
        if name not in now.units:
            yield f"{titles[name]} of {_name_party(diff, fighter.side)} is destroyed on {fighter.at}."
    for side in now.withdrawn[len(old.withdrawn) :]:
        yield f"{starting(_name_party(diff, side))} withdraws."
    if (now.active, now.turn) != (old.active, old.turn):
        yield f"{starting(possessive(_name_party(diff, now.active)))} half of turn {now.turn} begins."


def _describe_retreats(diff: WarDiff, old: Battle, now: Battle) -> Iterator[str]:
    yield from (f"{name} will retreat to {to}." for name, to in now.retreats.items() if name not in old.retreats)
    yield from (f"{name} can't retreat and is lost." for name in old.forces if name not in diff.after.forces)


def _describe_ends(diff: WarDiff) -> Iterator[str]:
    """Describe who has won battles that are over, and what each force has lost, got, and where it goes."""
    for at, battle in diff.before.battles.items():
        if at in diff.after.battles or not diff.was_there(battle):
            continue
        fight = _find_last_fight(diff, battle)
        if not battle.fight.ended.over:
            yield _describe_winner(diff, battle, fight)
        for name in battle.forces:
            if name in diff.before.forces:
                yield from _describe_rest(diff, diff.before.forces[name], diff.after.forces.get(name))
        guards = (
            [unit for unit in diff.before.panels[at].garrison if unit.id in battle.garrison]
            if at in diff.before.panels
            else []
        )
        lost = missing_units(guards, diff.after.panels[at].garrison) if at in diff.after.panels else []
        if lost and at not in diff.hidden:
            yield f"The garrison of {at} loses {list_models(lost)}."


def _describe_winner(diff: WarDiff, battle: Battle, fight: Fight) -> str:
    won = fight.ended.winner
    if won is None:
        return f"The battle on {battle.at} ended in turn {fight.turn} with no unit left."
    loser = battle.defender if won == battle.attacker else battle.attacker
    names = starting(_name_party(diff, won)), _name_party(diff, loser)
    return f"{names[0]} won the battle on {battle.at} against {names[1]} in turn {fight.turn}."


def _find_last_fight(diff: WarDiff, battle: Battle) -> Fight:
    """Return the fight of a battle as its last order has left it: what of dice has fallen shows in who is left."""
    order = diff.action.order if isinstance(diff.action, FightAction) and diff.action.at == battle.at else None
    if isinstance(order, Withdraw | Condition) and not battle.fight.ended.over:
        return play_order(diff.rules.terms, battle.fight, order, no_die)[0]
    left = {unit.id for unit in diff.truth.every_unit()}
    return battle.fight.without([name for name in battle.fight.units if name not in left], {})


def _describe_rest(diff: WarDiff, old: Force, now: Force | None) -> Iterator[str]:
    """Describe what a battle has left of a force."""
    if now is None:
        gone = "is out of sight" if old.name in diff.truth.forces else "is destroyed"
        yield f"{old.name} {gone}."
        return
    lost, new = missing_units(old.units, now.units), missing_units(now.units, old.units)
    loses = f"loses {list_models(lost)}" if lost else "has no losses"
    gets = f" and gets {list_models(new)}" if new else ""
    yield f"{now.name} {loses}{gets}, {counted(len(now.units), 'units')} left."
    if now.at != old.at:
        yield f"{now.name} retreats to {now.at}."
    reached = squadron_tier(diff.rules.terms, now.fought)
    if reached != squadron_tier(diff.rules.terms, old.fought):
        yield f"{now.name} is now tier {reached}."


def _describe_aces(diff: WarDiff) -> Iterator[str]:
    """Describe who has become an ace, or one of a higher level, and who pilots what."""
    units = {unit.id: unit for unit in diff.before.every_unit()}
    for unit in diff.after.every_unit():
        old = units.get(unit.id, unit)
        if unit.kills != old.kills:
            then, level = (ace_level(diff.rules.terms, kills) for kills in (old.kills, unit.kills))
            more = "" if level == then else f" (ace level {level})" if level else " (no longer an ace)"
            yield f"{unit_label(unit)} now has {counted(unit.kills, 'kills')}{more}."
        if unit.pilot != old.pilot:
            yield f"{unit.id} {unit.model} now has {f'the pilot {unit.pilot}' if unit.pilot else 'no named pilot'}."


BATTLES: Sequence[Callable[[WarDiff], Iterator[str]]] = (
    _describe_openings,
    _describe_acts,
    _describe_ends,
    _describe_aces,
)
"""What tells of battles, in this order."""
