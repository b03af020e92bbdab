"""Describes battles and forces in short lines, before and after an action."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.battles import ace_level, list_retreating, squadron_tier, unit_label
from rules.books.total_war.catalog import Item
from rules.books.total_war.combat import no_die, play_order
from rules.books.total_war.fight import Fight, MeetCondition, Withdraw
from rules.books.total_war.order_kinds import OPENING
from rules.books.total_war.war import NEUTRAL, NOBODYS, Force, Rules, Unit, War, WarAction, WarBattle
from rules.geometry import Hex
from rules.phrases import format_count, join_words, possessive, upper_first

_WOULD = {
    "is now": "would be",
    "is built": "would be built",
    "has": "would have",
    "can now": "could",
    "takes": "would take",
    "becomes": "would become",
    "become": "would become",
    "now leads": "would lead",
    "now commands": "would command",
    "now belongs": "would belong",
}


class WarDiff(Struct, frozen=True):
    """A war before and after an action; `truth` is the real one after it, `masked` ones hide panels from a viewer."""

    rules: Rules
    before: War
    action: WarAction
    after: War
    truth: War
    viewer: str | None = None
    masked: bool = False
    foreseen: bool = False
    hidden: frozenset[Hex] = frozenset()

    def is_others(self, force: Force) -> bool:
        """Check for a force that may just come into sight or leave it."""
        return self.masked and force.faction != self.viewer

    def was_there(self, battle: WarBattle) -> bool:
        """Check whether the viewer learns a battle's end."""
        sides = {battle.attacker, battle.defender, *(self.before.forces[name].faction for name in battle.forces)}
        return not self.masked or self.viewer in sides or battle.at not in self.hidden

    def verb(self, now: str) -> str:
        """Return a verb, conditional in previews."""
        return _WOULD[now] if self.foreseen else now

    def instead_of(self, old: str) -> str:
        """Return the old value in brackets."""
        return f"(now {old})" if self.foreseen else f"(before: {old})"

    def side(self, faction: str) -> str:
        """Return a faction's current name; lone rogues go by their own."""
        found = self.after.factions.get(faction) or self.before.factions.get(faction)
        return "neutral" if faction == NEUTRAL else faction if found is None else found.name

    def item(self, name: str) -> str:
        """Return the label of an item."""
        found = self.rules.terms.book.entries_of(Item).get(name)
        return name if found is None else found.label


def list_models(units: Sequence[Unit]) -> str:
    """List units by model with pilots, such as `2 gm (Amuro Ray) and 1 saberfish`."""
    words = []
    for model in dict.fromkeys(unit.model for unit in units):
        mine = [unit for unit in units if unit.model == model]
        pilots = [unit.pilot for unit in mine if unit.pilot]
        words.append(f"{len(mine)} {model}{f' ({join_words(pilots)})' if pilots else ''}")
    return join_words(words)


def find_missing(units: Iterable[Unit], left: Iterable[Unit]) -> list[Unit]:
    """Return units that aren't left."""
    ids = {unit.id for unit in left}
    return [unit for unit in units if unit.id not in ids]


def _describe_openings(diff: WarDiff) -> Iterator[str]:
    for at, battle in diff.after.battles.items():
        old = diff.before.battles.get(at)
        if old is not None and old.forces.keys() >= battle.forces.keys():
            continue
        own, other = (_list_fighters(battle, side) for side in (battle.attacker, battle.defender))
        nobodys = battle.defender == NEUTRAL
        other = f"{other} (neutral)" if nobodys else f"{diff.side(battle.defender)} ({other})"
        yield f"{OPENING.format(at)}{diff.side(battle.attacker)} ({own}) attacks {other}."


def _name_party(diff: WarDiff, side: str) -> str:
    return NOBODYS if side == NEUTRAL else diff.side(side)


def _list_fighters(battle: WarBattle, side: str) -> str:
    names: list[str] = [name for name, fights in battle.forces.items() if fights == side]
    guards = [battle.fight.units[name].side for name in battle.garrison if name in battle.fight.units]
    garrison = [f"a garrison of {len(guards)}"] if side in guards else []
    return join_words([*names, *garrison] or ["no unit"])


def _describe_acts(diff: WarDiff) -> Iterator[str]:
    for at, battle in diff.after.battles.items():
        old = diff.before.battles.get(at)
        if old is None or not old.forces.keys() >= battle.forces.keys():
            continue
        yield from _describe_board(diff, old.fight, battle.fight)
        new = (name for name in battle.retreats if name not in old.retreats)
        yield from (f"{name} will retreat to {battle.retreats[name]}." for name in new)
        yield from (f"{name} can't retreat and is lost." for name in old.forces if name not in diff.after.forces)
        if battle.fight.outcome.over and not old.fight.outcome.over:
            yield _describe_winner(diff, battle, battle.fight)
            waited = [force.name for force in list_retreating(diff.rules, diff.after, at)]
            if waited:
                yield f"{join_words(waited)} {'has' if len(waited) == 1 else 'have'} to retreat from {at}: the commander picks where."


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
        yield f"{upper_first(_name_party(diff, side))} withdraws."
    if (now.active, now.turn) != (old.active, old.turn):
        yield f"{upper_first(possessive(_name_party(diff, now.active)))} half of turn {now.turn} begins."


def _describe_ends(diff: WarDiff) -> Iterator[str]:
    for at, battle in diff.before.battles.items():
        if at in diff.after.battles or not diff.was_there(battle):
            continue
        if not battle.fight.outcome.over:
            yield _describe_winner(diff, battle, _find_last_fight(diff, battle))
        for name in battle.forces:
            if name in diff.before.forces:
                yield from _describe_rest(diff, diff.before.forces[name], diff.after.forces.get(name))
        if at in diff.before.panels and at in diff.after.panels and at not in diff.hidden:
            guards = [unit for unit in diff.before.panels[at].garrison if unit.id in battle.garrison]
            lost = find_missing(guards, diff.after.panels[at].garrison)
            if lost:
                yield f"The garrison of {at} loses {list_models(lost)}."


def _describe_winner(diff: WarDiff, battle: WarBattle, fight: Fight) -> str:
    won = fight.outcome.winner
    if won is None:
        return f"The battle on {battle.at} ended in turn {fight.turn} with no unit left."
    loser = battle.defender if won == battle.attacker else battle.attacker
    names = upper_first(_name_party(diff, won)), _name_party(diff, loser)
    return f"{names[0]} won the battle on {battle.at} against {names[1]} in turn {fight.turn}."


def _find_last_fight(diff: WarDiff, battle: WarBattle) -> Fight:
    order = diff.action.order if isinstance(diff.action, FightAction) and diff.action.at == battle.at else None
    if isinstance(order, Withdraw | MeetCondition) and not battle.fight.outcome.over:
        return play_order(diff.rules.terms, battle.fight, order, no_die)[0]
    left = {unit.id for unit in diff.truth.every_unit()}
    return battle.fight.without([name for name in battle.fight.units if name not in left], {})


def _describe_rest(diff: WarDiff, old: Force, now: Force | None) -> Iterator[str]:
    if now is None:
        gone = "is out of sight" if old.name in diff.truth.forces else "is destroyed"
        yield f"{old.name} {gone}."
        return
    lost, new = find_missing(old.units, now.units), find_missing(now.units, old.units)
    loses = f"loses {list_models(lost)}" if lost else "has no losses"
    gets = f" and gets {list_models(new)}" if new else ""
    yield f"{now.name} {loses}{gets}, {format_count(len(now.units), 'units')} left."
    if now.at != old.at:
        yield f"{now.name} retreats to {now.at}."
    reached = squadron_tier(diff.rules.terms, now.fought)
    if reached != squadron_tier(diff.rules.terms, old.fought):
        yield f"{now.name} is now tier {reached}."


def _describe_aces(diff: WarDiff) -> Iterator[str]:
    units = {unit.id: unit for unit in diff.before.every_unit()}
    for unit in diff.after.every_unit():
        old = units.get(unit.id, unit)
        if unit.kills != old.kills:
            then, level = (ace_level(diff.rules.terms, kills) for kills in (old.kills, unit.kills))
            more = "" if level == then else f" (ace level {level})" if level else " (no longer an ace)"
            yield f"{unit_label(unit)} now has {format_count(unit.kills, 'kills')}{more}."
        if unit.pilot != old.pilot:
            yield f"{unit.id} {unit.model} now has {f'the pilot {unit.pilot}' if unit.pilot else 'no named pilot'}."


BATTLES = (_describe_openings, _describe_acts, _describe_ends, _describe_aces)
