"""Players who order at random what the rules allow: a war is played with every kind of order, battles act by act."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from random import Random
from typing import TypeVar

from rules.books.total_war import aftermath, course
from rules.books.total_war.aftermath import list_retreats
from rules.books.total_war.battles import list_retreating
from rules.books.total_war.board import Fighter, destinations
from rules.books.total_war.catalog import Refused
from rules.books.total_war.combat import require_order
from rules.books.total_war.fight import Clash, Fight, Fire, MoveUnit, Next, Shoot, Withdraw
from rules.books.total_war.fight import Order as BoardOrder
from rules.books.total_war.orders import command, movement, production
from rules.books.total_war.war import Rules, War
from rules.geometry import DIRECTIONS, EDGES, Hex, hex_distance, neighbours
from rules.geometry import square_distance as apart

ItemT = TypeVar("ItemT")
_Order = movement.MoveForce | movement.Follow | production.Build | production.Buy | production.Research
_Command = command.Promote | command.Assign | command.Delegate | command.Allot
_Affair = command.Rogue | command.Found | command.Petition | command.Admit | command.AnswerCapitol
OrderAction = _Order | _Command | _Affair | aftermath.FightAction | aftermath.Retreat | course.Advance
"""All actions that players order."""
LONGEST = 10
"""Turns after which a side of a battle withdraws."""
TRIES, STAFF = 6, 6
"""How often a force looks for a way that is allowed, and how many orders of the staff are tried in a turn."""
NAMES = ("Delaz Fleet", "Axis", "Titans", "Karaba", "Free Corps")


class Chance(Random):
    """Chance by a seed."""

    def any(self, items: Sequence[ItemT]) -> ItemT | None:
        """Return one of these, None of nothing."""
        return self.choice(items) if items else None


Maker = Callable[[Chance, Rules, War], OrderAction | None]
"""Returns an order that may be allowed, or None."""
Allowed = Callable[[Rules, War, OrderAction], bool]


def next_deed(chance: Chance, rules: Rules, war: War, waiting: list[Maker], allowed: Allowed) -> OrderAction:
    """Return what is ordered next and is allowed: what a battle waits for, else what is still to be tried in this turn (`waiting`, the last first), else its end."""
    for at in war.battles:
        beaten = list_retreating(rules, war, at)
        if beaten:
            free = list_retreats(rules, war, at, beaten[0])
            return aftermath.Retreat(who=beaten[0].name, to=chance.any(free))
        return aftermath.FightAction(at=at, order=_on_board(chance, rules, war.battles[at].fight))
    while waiting:
        made = waiting.pop()(chance, rules, war)
        if made is not None and allowed(rules, war, made):
            return made
    return course.Advance()


def turn_of(chance: Chance, war: War) -> list[Maker]:
    """Return what is tried in a turn, the last first: the staff's orders, then forces in any order, each once more in the end."""
    forces = [*war.forces]
    chance.shuffle(forces)
    moves = [partial(_move, name=name) for name in [*forces, *forces] for _ in range(TRIES)]
    return [*moves, _follow, *chance.sample(_STAFF, STAFF), _name_rogues, _answer, _admit]


def _move(chance: Chance, rules: Rules, war: War, name: str) -> OrderAction | None:
    force = war.forces.get(name)
    if force is None or (force.moved and not force.tagged):
        return None
    way, steps = chance.choice([*DIRECTIONS]), chance.randint(1, 3)
    goal = _goal(chance, rules, war, force.faction)
    if chance.random() < 0.6 and goal is not None and goal != force.at:
        _, way = min((hex_distance(force.at.step(name), goal), name) for name in DIRECTIONS)
    beside = [
        item.name
        for item in war.forces.values()
        if item.kind == "squadron" and item.faction == force.faction and item.at in neighbours(force.at)
    ]
    followers = tuple(beside) if force.kind == "fleet" and chance.random() < 0.5 else ()
    return movement.MoveForce(actor=force.commander, who=name, path=(way,) * steps, followers=followers)


def _follow(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    squadron = chance.any([item for item in war.forces.values() if item.kind == "squadron"])
    if squadron is None:
        return None
    near = (item for item in war.forces.values() if item.kind == "fleet" and item.at in neighbours(squadron.at))
    fleet = chance.any([item.name for item in near if item.faction == squadron.faction])
    return None if fleet is None else movement.Follow(actor=squadron.commander, who=squadron.name, fleet=fleet)


def _goal(chance: Chance, rules: Rules, war: War, faction: str) -> Hex | None:
    """Return somebody else's panel that is worth going to."""
    others = {at: panel for at, panel in war.panels.items() if panel.owner != faction}
    if war.is_lone(faction):
        return chance.any([at for at, panel in others.items() if rules.kind(panel).stronghold])
    return chance.any([at for at, panel in others.items() if panel.garrison or panel.bonus])


def _build(chance: Chance, rules: Rules, war: War) -> OrderAction | None:
    faction = chance.choice([*war.factions])
    item, found = chance.choice([(name, item) for name, item in rules.scenario.items.items() if item.on])
    sites = [at for at, panel in war.panels.items() if panel.owner == faction and panel.kind in found.on]
    at = chance.any(sites)
    return (
        None if at is None else production.Build(actor=war.factions[faction].leader, faction=faction, item=item, at=at)
    )


def _buy(chance: Chance, rules: Rules, war: War) -> OrderAction | None:
    faction = chance.choice([*war.factions])
    at = chance.any([at for at, panel in war.panels.items() if panel.owner == faction and rules.kind(panel).ships])
    model, number = chance.choice([*rules.scenario.units]), chance.randint(1, 2)
    leader = war.factions[faction].leader
    return None if at is None else production.Buy(actor=leader, faction=faction, model=model, at=at, number=number)


def _research(chance: Chance, rules: Rules, war: War) -> OrderAction | None:
    faction = chance.choice([*war.factions])
    model = chance.any([name for name, item in rules.scenario.items.items() if not item.on])
    leader = war.factions[faction].leader
    return None if model is None else production.Research(actor=leader, faction=faction, model=model)


def _promote(chance: Chance, rules: Rules, war: War) -> OrderAction | None:
    rank = chance.choice(rules.scenario.ranks).name
    return command.Promote(player=chance.choice([*war.players]), rank=rank)


def _assign(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    force = chance.any([*war.forces])
    return None if force is None else command.Assign(who=force, player=chance.choice([*war.players]))


def _delegate(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    faction = chance.choice([*war.factions])
    fleets = [item.commander for item in war.forces.values() if item.kind == "fleet" and item.faction == faction]
    return command.Delegate(actor=war.factions[faction].leader, faction=faction, player=chance.any(fleets))


def _allot(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    force = chance.any([item for item in war.forces.values() if item.faction in war.factions])
    if force is None:
        return None
    side = war.factions[force.faction]
    model = chance.any([name for name, count in side.pool.items() if count])
    return None if model is None else command.Allot(actor=side.leader, who=force.name, model=model)


def _rogue(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    player = chance.choice([*war.players])
    squadron = any(item.commander == player and item.kind == "squadron" for item in war.forces.values())
    leads = any(side.leader == player for side in war.factions.values())
    return command.Rogue(actor=player, player=player) if squadron and not leads else None


def _petition(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    player = chance.any([name for name, item in war.players.items() if item.faction is None])
    faction = chance.choice([*war.factions])
    return None if player is None else command.Petition(actor=player, player=player, faction=faction)


def _admit(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    player = chance.any([name for name, item in war.players.items() if item.petition is not None])
    return None if player is None else command.Admit(player=player, takes=chance.random() < 0.5)


def _answer(chance: Chance, rules: Rules, war: War) -> OrderAction | None:
    if war.asked is None:
        return None
    sides = {war.asked, rules.scenario.victory.asks[war.asked]} - war.answers.keys()
    faction = chance.any(sorted(sides))
    return None if faction is None else command.AnswerCapitol(faction=faction, answer=chance.choice(["end", "on"]))


def _name_rogues(chance: Chance, _rules: Rules, war: War) -> OrderAction | None:
    faction = chance.any([name for name, side in war.factions.items() if side.rogue])
    if faction is None:
        return None
    colour = f"#{chance.randrange(1 << 24):06x}"
    return command.Found(actor=war.factions[faction].leader, faction=faction, name=chance.choice(NAMES), colour=colour)


_STAFF: Sequence[Maker] = (
    *(_build, _build, _buy, _buy, _research, _promote, _assign, _assign),
    *(_delegate, _allot, _allot, _rogue, _rogue, _petition),
)


def _on_board(chance: Chance, rules: Rules, fight: Fight) -> BoardOrder:
    """Return an order on a board that is allowed: an attack, else a step, else the end of a half; at last a withdrawal."""
    if fight.turn > LONGEST:
        return Withdraw(chance.choice(fight.sides))
    own = [name for name, unit in fight.units.items() if unit.side == fight.active]
    chance.shuffle(own)
    for made in chain.from_iterable(_of_unit(chance, rules, fight, name) for name in own):
        try:
            require_order(rules.terms, fight, made)
        except Refused:
            continue
        return made
    return Next(fight.active)


def _of_unit(chance: Chance, rules: Rules, fight: Fight, name: str) -> Iterator[BoardOrder]:
    """Yield what a unit may try: to attack who is near, then to go nearer, once each turn."""
    unit = fight.units[name]
    others = [(apart(unit.at, item.at), other) for other, item in fight.units.items() if item.side != unit.side]
    foes = [other for _, other in sorted(others)]
    friends = [other for other, item in fight.units.items() if item.side == unit.side and other != name]
    for foe in () if unit.attacked else foes[:4]:
        yield Clash(name, foe, chance.choice(["heads", "tails"]))
        if friends and chance.random() < 0.3:
            yield Shoot(name, foe, (chance.choice(friends),))
        yield Shoot(name, foe)
    if not unit.attacked and _would_hit(fight, unit):
        yield Fire(name, chance.choice([*EDGES]))
    if not unit.moved and foes:
        ends = sorted(destinations(fight.around(rules.terms, name), unit.mover(fight.where)))
        if ends:
            yield MoveUnit(name, min((apart(end, fight.units[foes[0]].at), end) for end in ends)[1])


def _would_hit(fight: Fight, ship: Fighter) -> bool:
    """Return whether anything stands in a line with a ship."""
    others = (unit.at for unit in fight.units.values() if unit.at != ship.at)
    return any(at.column == ship.at.column or at.row == ship.at.row for at in others)
