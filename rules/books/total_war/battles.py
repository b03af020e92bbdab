"""Battles of a war: how they begin, who may act, and who has to retreat."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from rules.books.total_war.board import Attack, Battlefield, Fighter, Ground
from rules.books.total_war.catalog import Refused, Resupply, Terms, Terrain, Tier
from rules.books.total_war.combat import PERCENT, parse_attack
from rules.books.total_war.fight import Fight, MeetCondition, Next, Order, Withdraw, begin_fight
from rules.books.total_war.scenario import AceValues, BoardPlan
from rules.books.total_war.war import Force, Rules, Unit, War, WarBattle, are_enemies
from rules.geometry import Hex, Square
from rules.phrases import list_known, possessive, sentence, suggestion, upper_first
from rules.subjects import name_key


def count_grunts(terms: Terms, result: str, lost: int) -> int:
    """Return the basic units given for losses."""
    return lost // terms.of(Resupply, result).losses


def squadron_tier(terms: Terms, fought: int) -> int | None:
    """Return a squadron's tier; None before its first battle (AMB-64)."""
    reached = [(each.battles, each.tier) for each in terms.book.entries_of(Tier).values() if fought >= each.battles]
    return max(reached)[1] if reached else None


def win_rate(fought: int, won: int) -> Fraction | None:
    """Return the share of battles won; None before the first (AMB-65)."""
    return Fraction(won, fought) if fought else None


def ace_level(terms: Terms, kills: int) -> int:
    """Return the ace level for kills, 0 for none (lines 256 to 262)."""
    return sum(kills >= least for least in terms.ace_kills)


def kills_of(enemies: Iterable[int], *, destroyed: bool = False) -> int:
    """Sum a unit's kills of enemies; destroyed units lose theirs (line 264)."""
    return 0 if destroyed else sum(enemies)


SHOWN = 8


def units_of(war: War, battle: WarBattle) -> dict[str, Unit]:
    """Return a battle's units by id, destroyed ones too."""
    forces = (unit for name in battle.forces if name in war.forces for unit in war.forces[name].units)
    panel = war.panels.get(battle.at)
    garrison = (unit for unit in (panel.garrison if panel else ()) if unit.id in battle.garrison)
    return {unit.id: unit for unit in (*forces, *garrison)}


def unit_label(unit: Unit) -> str:
    """Return pilot, id and model, without commas, which separate names."""
    name = f"{unit.id} {unit.model}"
    return (f"{unit.pilot} ({name})" if unit.pilot else name).replace(",", "")


def unit_labels(war: War, battle: WarBattle) -> dict[str, str]:
    """Return units' labels by id."""
    return {name: unit_label(unit) for name, unit in units_of(war, battle).items()}


def find_unit(names: Mapping[str, str], fight: Fight, typed: str) -> str:
    """Return the id of the unit meant by id, label, pilot or model."""
    here = {name: names.get(name, name) for name in sorted(fight.units, key=unit_sort_key)}
    found = _find_called(here, typed)
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(here[name] for name in found[:SHOWN])
        raise Refused("E_NO_TARGET", f"{typed[:60]!r} could be {several}. Write the id of one.")
    gone = _find_called({name: label for name, label in names.items() if name not in here}, typed)
    if len(gone) == 1:
        raise Refused("E_NO_TARGET", f"{names[gone[0]]} was destroyed in this battle.")
    near = suggestion(typed, here.values()) or list_known([*here.values()][:SHOWN])
    raise Refused("E_NO_TARGET", sentence(f"No unit {typed[:60]!r} is on the board{near}"))


def unit_sort_key(name: str) -> tuple[int, str]:
    """Sort ids by number: u9 before u10."""
    return len(name), name


def side_name(war: War, side: str) -> str:
    """Return a side's name without commas, which separate names."""
    return war.name_side(side).replace(",", "")


def find_side(war: War, battle: WarBattle, typed: str) -> str:
    """Return the id of the side meant by id or name; refuse others."""
    known = {name_key(word): side for side in battle.fight.sides for word in (side, side_name(war, side))}
    side = known.get(name_key(typed))
    if side is None:
        sides = list_known(side_name(war, each) for each in battle.fight.sides)
        raise Refused("E_NOT_YOURS", f"{typed[:60]!r} isn't a side of the battle on {battle.at}{sides}.")
    return side


def _find_called(names: Mapping[str, str], typed: str) -> list[str]:
    wanted = name_key(typed)
    first = wanted.partition(" ")[0]
    found = [name for name, label in names.items() if name_key(label) == wanted]
    found = found or [name for name in names if name_key(name) in {wanted, first}]
    return found or [name for name, label in names.items() if wanted and wanted in set(_name_parts(label))]


def _name_parts(label: str) -> Iterator[str]:
    pilot, _, kind = name_key(label).rpartition(" (")
    model = kind.removesuffix(")").partition(" ")[2]
    yield from (name_key(label), model)
    if pilot:
        yield from (pilot, f"{model} {pilot}")


OPEN = BoardPlan("open", "space", ())


def open_battle(rules: Rules, war: War, at: Hex, attacker: str) -> War:
    """Begin a battle between an attacker and all others on a panel (line 91, AMB-21)."""
    panel, forces = war.panels[at], {item.name: item for item in war.on(at) if item.units}
    foes = [item.faction for item in forces.values() if are_enemies(item.faction, attacker)]
    guards = are_enemies(panel.owner, attacker) and (panel.garrison or panel.owner in foes)
    defender = panel.owner if guards else next(iter(foes), panel.owner)
    if war.is_lone(attacker) and rules.kind(panel).stronghold and panel.owner == defender:
        short = count_missing_defenders(len(panel.garrison), rules.scenario.full_squadron)
        owner = war.factions.get(panel.owner, next(iter(war.factions.values())))
        war, more = war.new_units([owner.grunt] * short)
        war = war.with_panel(at, garrison=(*panel.garrison, *more))
    garrison = war.panels[at].garrison
    sides = {name: attacker if item.faction == attacker else defender for name, item in forces.items()}
    fighting: dict[str, list[Unit]] = {attacker: [], defender: []}
    for name, side in sides.items():
        fighting[side] += forces[name].units
    fighting[attacker if panel.owner == attacker else defender] += garrison
    ids = frozenset(unit.id for unit in garrison)
    filled = ids - {unit.id for unit in panel.garrison}
    battle = WarBattle(at, attacker, defender, sides, ids, _place_units(rules, war, fighting), filled=filled)
    return replace(war, battles={**war.battles, at: battle})


def count_missing_defenders(garrison: int, full: int) -> int:
    """Return how many basic units a founder meets besides the garrison (line 91)."""
    return max(0, full - garrison)


def ground_of(rules: Rules, plan: BoardPlan) -> Ground:
    """Return the terrain of a board as drawn."""
    signs = {item.sign: name for name, item in rules.terms.book.entries_of(Terrain).items()}
    usual = next(iter(signs))
    lies = {
        str(Square(column, len(plan.rows) - number)): signs[sign]
        for number, row in enumerate(plan.rows)
        for column, sign in enumerate(row, 1)
        if sign != usual
    }
    return Ground(lies)


def _place_units(rules: Rules, war: War, sides: Mapping[str, Sequence[Unit]]) -> Fight:
    # Put both sides in rows on the first board, the attacker at the bottom (AMB-71).
    plan, size = next(iter(rules.scenario.boards), OPEN), rules.terms.number("board")
    around = Battlefield(rules.terms, ground_of(rules, plan))
    units: dict[str, Fighter] = {}
    for (side, own), rows in zip(sides.items(), (range(1, size + 1), range(size, 0, -1)), strict=True):
        tiles = [Square(column, row) for row in rows for column in range(1, size + 1)]
        for unit in own:
            fighter = _make_fighter(rules, side, unit)
            occupied = {other.at for other in units.values()}
            free = (tile for tile in tiles if tile not in occupied and around.may_enter(tile, fighter.flags))
            place = next(free, None)
            if place is None:
                what = f"The board {plan.id} has no room for {len(own)} units of {war.name_side(side)}."
                raise Refused("E_TERRAIN", what)
            units[unit.id] = replace(fighter, at=place)
    return begin_fight(plan.map, around.ground, units)


def _make_fighter(rules: Rules, side: str, unit: Unit) -> Fighter:
    model = rules.scenario.units[unit.model]
    pilot = next((item for item in rules.scenario.pilots if item.name == unit.pilot), None)
    added = AceValues() if pilot is None else pilot.modifiers
    attack = None if model.attack is None else parse_attack(model.attack, model.accuracy)
    if attack is not None:  # with the pilot's values (AMB-59)
        accuracy = None if attack.accuracy is None else min(PERCENT, max(1, attack.accuracy + added.accuracy))
        attack = Attack(max(1, attack.attempts + added.attempts), max(2, attack.sides + added.sides), accuracy)
    hero, level = pilot is not None and pilot.hero, ace_level(rules.terms, unit.kills)
    defense = max(0, model.defense + added.defense)
    return Fighter(side, model.unit_class, Square(1, 1), attack, defense, model.flags, level, hero)


def list_retreating(rules: Rules, war: War, at: Hex) -> list[Force]:
    """List beaten forces that still need a place to retreat to."""
    battle = battle_on(war, at)
    if not battle.fight.outcome.over:
        return []
    lost = [war.force(name) for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    return [item for item in lost if _is_left(battle, item) or count_replacements(rules, war, battle, item) > 0]


def battle_on(war: War, at: Hex) -> WarBattle:
    """Return the battle on a panel."""
    if at not in war.battles:
        raise Refused("E_NO_TARGET", f"No battle is on at {at}.")
    return war.battles[at]


def why_retreats(rules: Rules, war: War, at: Hex, force: Force) -> str:
    """Explain a retreat of a force without units; empty if it has some."""
    battle = battle_on(war, at)
    count = 0 if _is_left(battle, force) else count_replacements(rules, war, battle, force)
    if not count:
        return ""
    return f"It lost all its units and gets {count} {war.factions[force.faction].grunt} where it retreats to, unless cut off there."


def _is_left(battle: WarBattle, force: Force) -> bool:
    return any(unit.id in battle.fight.units for unit in force.units)


def count_replacements(rules: Rules, war: War, battle: WarBattle, force: Force) -> int:
    """Return a force's basic units after a battle; lone rogues get none."""
    if war.is_lone(force.faction):
        return 0
    lost = sum(unit.id not in battle.fight.units for unit in force.units)
    return count_grunts(rules.terms, battle.result(force.name), lost)


def require_war_on(war: War) -> None:
    """Refuse acts after the war."""
    if war.winner is not None:
        raise Refused("E_GAME_OVER", f"The war is over: {war.name_side(war.winner)} has won.")


def require_battle_on(war: War, battle: WarBattle) -> None:
    """Refuse acts after a battle."""
    state = battle.fight.outcome
    state.require_running(war.name_side(state.winner or ""))


def require_may_act(war: War, at: Hex, order: Order, actor: str | None) -> None:
    """Refuse late acts, and players without a force on the acting side."""
    battle = battle_on(war, at)
    require_battle_on(war, battle)
    if actor is None:
        _require_half(war, battle, order)
        return
    if isinstance(order, MeetCondition):
        raise Refused("E_NOT_YOURS", "Only game masters say whether a special condition is met.")
    side = getattr(order, "side", battle.fight.active)
    sides = {battle.forces[name] for name in battle.forces if war.force(name).commander == actor}
    leads = {name for name, faction in war.factions.items() if faction.leader == actor}
    if side in sides | leads:
        _require_half(war, battle, order)
        return
    called = war.name_side(side)
    own = (sides | leads) & {battle.attacker, battle.defender}
    if not own:
        raise Refused("E_NOT_YOURS", f"{actor} has no force in the battle on {at}.")
    if not isinstance(order, Withdraw):
        raise Refused("E_NOT_YOURS", f"It's {possessive(called)} half of the turn on {at}. Yours comes after it.")
    raise Refused("E_NOT_YOURS", f"{actor} has no force of {called} on {at}.")


def _require_half(war: War, battle: WarBattle, order: Order) -> None:
    fight, names = battle.fight, (getattr(order, "unit", ""), *getattr(order, "others", ()))
    now = f"it's {possessive(war.name_side(fight.active))} half of turn {fight.turn}"
    for name in names:
        unit = fight.units.get(name)
        if unit is not None and unit.side != fight.active:
            raise Refused("E_NOT_YOURS", f"{name} belongs to {war.name_side(unit.side)}, and {now}.")
    if isinstance(order, Next) and order.side != fight.active:
        raise Refused("E_NOT_YOURS", f"{war.name_side(order.side)} can't end it: {now}.")


def place_unit(rules: Rules, war: War, at: Hex, name: str, to: Square) -> War:
    """Put a unit on another tile without using its move."""
    battle = battle_on(war, at)
    require_battle_on(war, battle)
    unit, field = battle.fight.unit(name), battle.fight.around(rules.terms, name)
    if to == unit.at:
        raise Refused("E_NO_MOVE", f"{name} is already on {to}.")
    if to in field.held:
        holder = next(other for other, item in battle.fight.units.items() if item.at == to)
        raise Refused("E_OCCUPIED", f"{name} can't be on {to}: {holder} is there, and a tile has room for 1 unit.")
    if not field.may_enter(to, unit.flags):
        raise Refused("E_TERRAIN", f"{name} can't be on {to}: {field.terrain(to).label.lower()}.")
    fight = battle.fight.with_units((name,), at=to)
    return replace(war, battles={**war.battles, at: replace(battle, fight=fight)})


def describe_winner(war: War, battle: WarBattle) -> str:
    """Describe who won a finished battle."""
    winner, turn = battle.winner, battle.fight.turn
    if winner is None:
        return f"The battle on {battle.at} ended in turn {turn} with no unit left."
    return f"{upper_first(side_name(war, winner))} won the battle on {battle.at} in turn {turn}."
