"""A war before and after an action as somebody sees it, and its battles and forces in short lines for people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.battles import ace_level, retreating_forces, squadron_tier, unit_label
from rules.books.total_war.board_orders import play_order
from rules.books.total_war.catalog import Item, Piece
from rules.books.total_war.combat import no_die
from rules.books.total_war.fight import Condition, Fight, Withdraw
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.movement import most_steps, takes_site
from rules.books.total_war.order_kinds import OPENING
from rules.books.total_war.orders.movement import reachable
from rules.books.total_war.war import Battle, Force, Rules, Unit, War, WarAction, land_of
from rules.geometry import Hex
from rules.phrases import counted, inside, join_words, possessive, starting

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
"""How a verb of a result reads in the preview of a sealed order."""


class WarDiff(Struct, frozen=True):
    """A war before and after an action. Where it is `masked`, both are as the `viewer` sees them, who does not see `hidden` panels at both times.

    `truth` is the war after it as it is, for what those who fought know of the end of their battle. Of what is `foreseen` alone nothing
    is told that hangs on what comes before it.
    """

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
        """Return whether a force may come into sight and go out of it without anything else."""
        return self.masked and force.faction != self.viewer

    def was_there(self, battle: Battle) -> bool:
        """Return whether the viewer is told how a battle has ended: who took part, and who still sees the panel."""
        sides = {battle.attacker, battle.defender, *(self.before.forces[name].faction for name in battle.forces)}
        return not self.masked or self.viewer in sides or battle.at not in self.hidden

    def verb(self, now: str) -> str:
        """Return a verb of how things are now; of what is foreseen, how they would be."""
        return _WOULD[now] if self.foreseen else now

    def instead_of(self, old: str) -> str:
        """Return what was so before, or still is, in brackets behind what is so or would be."""
        return f"(now {old})" if self.foreseen else f"(before: {old})"

    def side(self, faction: str) -> str:
        """Return what a faction is called, as it is now if it is still there; a lone rogue goes by their own name."""
        found = self.after.factions.get(faction) or self.before.factions.get(faction)
        return "neutral" if faction == NEUTRAL else faction if found is None else found.name

    def item(self, name: str) -> str:
        """Return what something that is built is called."""
        found = self.rules.terms.book.listed(Item).get(name)
        return name if found is None else found.label


def list_models(units: Sequence[Unit]) -> str:
    """Return how many units of each model there are, and who pilots them, such as `2 gm (Amuro Ray) and 1 saberfish`."""
    return join_words(_so_many(model, units) for model in dict.fromkeys(unit.model for unit in units))


def _so_many(model: str, units: Sequence[Unit]) -> str:
    mine = [unit for unit in units if unit.model == model]
    pilots = [unit.pilot for unit in mine if unit.pilot]
    return f"{len(mine)} {model}{f' ({join_words(pilots)})' if pilots else ''}"


def missing_units(units: Iterable[Unit], left: Iterable[Unit]) -> list[Unit]:
    """Return the units that are not among those that are left."""
    kept = {unit.id for unit in left}
    return [unit for unit in units if unit.id not in kept]


MOST = 6
"""How many panels of a sort are named."""


def describe_reach(rules: Rules, war: War, force: Force, hidden: Collection[Hex] = ()) -> list[str]:
    """Return how far a force can go in a war as somebody sees it, to whom panels are `hidden`, and where it would fight or take something of note; nothing of one that cannot move."""
    ends = sorted(reachable(rules, war, force))
    return [*_describe(rules, war, force, ends, hidden)] if ends else []


def _describe(rules: Rules, war: War, force: Force, ends: Sequence[Hex], hidden: Collection[Hex]) -> Iterator[str]:
    piece, most = rules.terms.of(Piece, force.kind), most_steps(rules.terms, force)
    way = " in one direction" if piece.straight and most > 1 else ""
    yield f"{force.name} on {force.at} can move {counted(most, 'panels')}{way} ({counted(len(ends), 'panels')} in reach)."
    land = land_of(rules, war, force.faction)
    fights = {end: _list_foes(war, force, end) for end in ends if end in land.enemies}
    if fights:
        yield f"Moving there starts a battle: {_list_panels(fights)}."
    taken = {
        end: note
        for end in ends
        if end not in fights
        and land.owner(end) != force.faction
        and (piece.takes_passing or end in hidden or takes_site(piece, end, land))  # a squadron takes no more (line 84)
        and (note := _describe_panel(rules, war, end))
    }
    for what, known in (("Undefended", True), ("Out of sight", False)):
        notes = {end: note for end, note in taken.items() if (end not in hidden) is known}
        if notes:
            yield f"{what} and not {_name_own(war, force)}: {_list_panels(notes)}."


def _list_foes(war: War, force: Force, at: Hex) -> str:
    """Return who stands on a panel against a force."""
    names = [
        item.name for item in war.forces.values() if item.at == at and item.faction != force.faction and item.units
    ]
    guards = len(war.panels[at].garrison)
    return join_words([*names, *([f"a garrison of {guards}"] if guards else [])] or ["its defenders"])


def _describe_panel(rules: Rules, war: War, at: Hex) -> str:
    """Return what is of note on a panel; an empty text of a plain one."""
    panel, kind = war.panels[at], rules.kind(war.panels[at])
    built = rules.terms.book.listed(Item).get(panel.facility or "")
    facility = [] if panel.facility is None else [inside(built.label) if built else panel.facility]
    bonus = [f"+{panel.bonus} gold"] if panel.bonus else []
    weapons = [item.name for item in war.forces.values() if item.at == at and not item.units]
    label = [inside(kind.label)] if kind.drawn else []
    return ", ".join([*label, *bonus, *facility, *weapons])


def _name_own(war: War, force: Force) -> str:
    return possessive(war.factions[force.faction].name) if force.faction in war.factions else "yours"


def _list_panels(notes: Mapping[Hex, str]) -> str:
    """Return panels with what is on them, as many as are named at most."""
    shown = [f"{at} ({note})" for at, note in notes.items()][:MOST]
    more = len(notes) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


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
    return join_words([*names, *garrison] or ["no unit"])


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
