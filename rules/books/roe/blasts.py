"""Explosions: one plain die against the dodge of each, damage on HP that are kept, zones where they last (lines 397 to 405)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACCURACY, DODGE
from rules.books.roe.attacks import oppose
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind
from rules.books.roe.characters import find_fighter, mark_fighter, read_marks, restart_reloading, use_weapons
from rules.books.roe.contests import BY_ACT, BY_WINNER, ONCE
from rules.books.roe.damage import (
    DAMAGE,
    AttackManner,
    Bonus,
    DamageTotal,
    find_bonus,
    find_critical,
    find_critical_cost,
    find_losses,
    find_reduction,
    list_attached,
    sum_untyped,
    total_damage,
    with_kind,
)
from rules.books.roe.explosives import FUSE, UNSEEN, ZONE, Charge, find_round, list_fuses
from rules.books.roe.fights import FIGHT, UNREAD
from rules.books.roe.hiding import (
    EXPLOSION,
    NOISE,
    SNEAK,
    STEALTH_ROLL,
    check_sneak,
    expose,
    find_stealth_chance,
    isolate_stealth,
    shout,
)
from rules.books.roe.weapons import find_mode, find_weapon
from rules.books.roe.wounds import (
    HEALTH,
    SAVING,
    describe_harm,
    find_knockout,
    left_hp,
    list_injuries,
    needs_saving_roll,
    record_harm,
    show_damage,
    strikes_down,
    throw_saving_roll,
    with_hp,
)
from rules.books.roe.zones import enter_zone, lay_zone
from rules.dice import SHARED, Dice, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.odds import table_odds
from rules.phrases import percent
from rules.procedure import (
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    PartResult,
    Procedure,
    Stage,
    Step,
    Throw,
    WeighedStage,
)
from rules.scenes import MEMBER
from rules.stages import TableMethod, contest_method, roll_stage, weigh_stage, with_modifiers
from rules.tables import Consequence, weigh_score

AIMED = "aimed"
"""The input of a part that the explosive is aimed at."""
_PLAIN, _AIMED, _DODGE = "roe.blast", "roe.blast.aimed", "roe.resist.blast"
_METHODS = {
    False: contest_method(_PLAIN, (_PLAIN, _DODGE), BY_WINNER),
    True: contest_method(_AIMED, (_AIMED, _DODGE), BY_WINNER),
}
CRITICAL, CAUGHT, AVOIDED = "critical", "caught", "avoided"
TOLD = {CRITICAL: "Caught, dice count double", CAUGHT: "Caught", AVOIDED: "Avoided"}
"""What becomes of whoever stands in the radius, in words."""
FALLEN, LAID = "fallen", "laid"
"""What the record of a part has for those behind it: the faces of its damage dice, and the zone that it has laid."""
TECH_ITEM = "attack.tech-item"
_ITEM_EFFECT = "tech-item-effect"


def find_first_stage(part: Part, book: Book) -> Stage:
    """Return the stage that an explosion begins with: plain, or aimed."""
    return _METHODS[bool(part.inputs.get(AIMED))].first_stage(part, book)


def share_one_die(part: Part, before: Sequence[PartResult], _book: Book) -> Part:
    """Carry the die of the first part on to the others, whether it was aimed there or not."""
    faces = [[*result.on_tables[0].roll.faces] for result in before[:1]]
    return replace(part, inputs={**part.inputs, SHARED: {_PLAIN: faces[0], _AIMED: faces[0]}}) if faces else part


class Explosion(Struct, frozen=True):
    """The inputs of an explosion for one in its radius: what it does, and whether it is `aimed` at that one.

    To `sneak` up on that one takes a stealth roll before. A `fuse` is the grenade (its name in the fight) that explodes. What is launched has the weapon as an attack has its
    `tokens`, `names` and `mods`. `fallen` are damage dice and `laid` is a zone of the parts before.
    """

    charge: Charge
    aimed: bool = False
    sneak: bool = False
    fuse: str | None = None
    tokens: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    range_m: float = 0
    mods: tuple[tuple[tuple[str, str, int], ...], ...] = ()
    fallen: tuple[int, ...] = ()
    laid: str | None = None


class ExplosionMethod(FrozenMethod, frozen=True):
    """The method of an explosion in play; its inputs are those of `Explosion`, and without a resister it catches nobody."""

    tables: tuple[str, ...] = (*SNEAK, _PLAIN, _AIMED, _DODGE, SAVING)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, FUSE, ZONE, FIGHT, NOISE)
    skips: tuple[str, ...] = UNREAD
    manual_facts: tuple[str, ...] = (UNSEEN, TECH_ITEM)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what is out of reach, a weapon that is not ready, and a grenade that is gone or not due."""
        asked = _read(part)
        _require_fuse(asked, part)
        _ = [*_spend_launcher(asked, part, book)]
        if asked.sneak:
            check_sneak(part)
        if asked.charge.turns and find_round(part.kept) is None:
            raise RollError("A zone needs a fight, because it lasts for turns.")
        if RESISTER in part.subjects and asked.charge.harms and not asked.charge.turns:
            left_hp(part, RESISTER)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the die of the explosion and the dodge against it, the damage dice, and tell what all of it changes."""
        asked = _read(part)
        first = [*(_spend_launcher(asked, part, book) if asked.tokens or asked.fuse else restart_reloading(part))]
        first += [(SCENE, asked.fuse, None)] if asked.fuse and asked.fuse in part.kept.get(SCENE, {}) else []
        if asked.charge.turns:
            made = _lay(asked, part, book)
        elif RESISTER in part.subjects:
            made = _strike(asked, part, book, dice)
        else:
            made = MethodResult((), Conclusion("nobody", "No one is in it", "neutral", "results"))
        spent = [Consequence("spend-aim", ACTOR)] if asked.aimed else []
        seen = expose(part, RESISTER, *(() if asked.fuse else (ACTOR,)))
        follows = (*made.conclusion.consequences, *spent, *seen)
        heard, noise = shout(part, book, part.subjects[ACTOR], () if asked.charge.turns else [(EXPLOSION, False)])
        told = replace(made.conclusion, consequences=follows)
        return MethodResult((*made.steps, *heard), told, made.record, (*first, *made.changes, *noise))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the explosion's roll and the dodge; none of a zone, which nobody dodges (line 84)."""
        if not _is_dodged(part):
            return ()
        thrown, dodges = _weigh(part, book)
        unseen = STEALTH_ROLL.stages(isolate_stealth(part), book) if _read(part).sneak else ()
        return (*unseen, thrown, dodges[CRITICAL])

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chances to be caught and to avoid it."""
        if not _is_dodged(part):
            return ()
        return tuple(Chance(_conclude(outcome), chance) for outcome, chance in count_chances(part, book).items())

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return how likely one goes down and needs a saving roll, and the mean damage, exactly."""
        charge = _read(part).charge
        does = [f"{charge.item}: {charge.summary}"]
        if not (_is_dodged(part) and charge.harms):
            return does
        down, save, mean = count_harm(part, book)
        chances_told = (("Goes down", down), ("Saving roll due", save))
        told = (f"{label}: {percent(chance)}" for label, chance in chances_told)
        return [*does, *told, f"Mean damage: {float(mean):.1f}"]


def count_harm(part: Part, book: Book) -> tuple[Fraction, Fraction, Fraction]:
    """Return the exact chances to go down and to need a saving roll, and the mean damage."""
    asked, hp = _read(part), left_hp(part, RESISTER)
    ways = asked.charge.term.ways() if asked.charge.term else {0: 1}
    unseen = find_stealth_chance(part, book) if asked.sneak else Fraction(0)
    mortal, falls = find_knockout(part, RESISTER) is None, sum(ways.values())
    down, save, mean = (Fraction(0),) * 3
    for (outcome, chance), sneak in product(
        count_chances(part, book).items(), (True, False) if asked.sneak else (False,)
    ):
        for total, number in ways.items() if outcome != AVOIDED else ():
            damage = _total_damage(part, book, total, critical=outcome == CRITICAL, sneak=sneak).damage
            share = chance * (unseen if sneak else 1 - unseen) * Fraction(number, falls)
            down += share * strikes_down(hp, damage)
            save += share * needs_saving_roll(book, hp, damage, mortal=mortal)
            mean += share * damage
    return down, save, mean


def count_chances(part: Part, book: Book) -> dict[str, Fraction]:
    """Return the exact chance of each outcome for whoever stands in the radius."""
    thrown, dodges = _weigh(part, book)
    table, falls = thrown.stage.table, thrown.stage.table.die.ways()
    found = dict.fromkeys(TOLD, Fraction(0))
    for face, ways in falls.items():
        total, score = table.score(face, thrown.sum, thrown.stage.number)
        row, _ = table.read(face, score, thrown.stage.reading)
        dodge = oppose(dodges[row.outcome], total)
        stage, share = dodge.stage, Fraction(ways, sum(falls.values()))
        caught = table_odds(stage.table, dodge.sum, stage.reading, stage.number).get(ACTOR, Fraction(0))
        found[CRITICAL if row.outcome == CRITICAL else CAUGHT] += share * caught
        found[AVOIDED] += share * (1 - caught)
    return {outcome: chance for outcome, chance in found.items() if chance}


def _weigh(part: Part, book: Book) -> tuple[WeighedStage, dict[str, WeighedStage]]:
    """Return the die of an explosion as weighed, with what the weapon adds where it is aimed, and the dodge for each outcome of it."""
    first = find_first_stage(part, book)
    tables = {ACCURACY: _AIMED, DODGE: _DODGE}
    told = tuple(replace(item, table=tables.get(item.table or "", item.table)) for item in part.adjustments)
    launched = [find_weapon(book, token).damage_type for token in _read(part).tokens[:1]]
    facts = with_kind(part.facts, book.listed(DamageKind)[launched[0]]) if launched else part.facts
    weighed = replace(part, adjustments=told, facts=facts)
    brought = list_attached(book, part, 0, ACCURACY) if _read(part).aimed else ()
    thrown = with_modifiers(weigh_stage(first, weighed, first=True), brought)
    return thrown, {outcome: weigh_stage(stage, weighed, first=False) for outcome, stage in first.then.items()}


def _roll(part: Part, book: Book, dice: Dice) -> tuple[Step, Step]:
    """Throw the die of an explosion, unless it has fallen for others, and the dodge against it."""
    thrown, dodges = _weigh(part, book)
    act = roll_stage(thrown, dice, part.inputs.get(SHARED, {}).get(thrown.stage.table.id, ()))
    return act, roll_stage(oppose(dodges[act.row.outcome], act.total), dice)


def _conclude(outcome: str) -> Conclusion:
    return Conclusion(outcome, TOLD[outcome], "neutral" if outcome == AVOIDED else "danger", "results")


def _read(part: Part) -> Explosion:
    return convert(part.inputs, Explosion)


def _is_dodged(part: Part) -> bool:
    return RESISTER in part.subjects and not _read(part).charge.turns


def _require_fuse(asked: Explosion, part: Part) -> None:
    """Refuse a grenade that has exploded, or does not explode yet."""
    if asked.fuse is None:
        return
    fuse, now = list_fuses(part.kept).get(asked.fuse), find_round(part.kept)
    if fuse is None:
        raise RollError(f"{asked.charge.item} has already exploded or is gone.")
    if now is not None and now < fuse.round:
        raise RollError(f"{asked.charge.item} explodes at the end of its user's turn in round {fuse.round}.")


def _spend_launcher(asked: Explosion, part: Part, book: Book) -> Iterator[Change]:
    """Yield what using a launcher changes of whoever bears it, in a fight."""
    if asked.tokens and find_fighter(part, ACTOR) is not None:
        weapon = find_weapon(book, asked.tokens[0])
        name = [*asked.names, weapon.token.label][0]
        armed = [(name, weapon, find_mode(book, weapon))]
        yield from mark_fighter(part, ACTOR, use_weapons(read_marks(part, ACTOR), armed))


def _lay(asked: Explosion, part: Part, book: Book) -> MethodResult:
    """Lay a zone, and let whoever stands in it be inside."""
    name, zone, changes = lay_zone(asked.charge, part, asked.laid)
    inside = [*enter_zone(book, zone, name, part, RESISTER)] if RESISTER in part.subjects else []
    text = f"{asked.charge.item}: a zone for {asked.charge.turns} turn{'s' * (asked.charge.turns != 1)}"
    record = {LAID: name}
    return MethodResult((), Conclusion("zone", text, "neutral", "results"), record, (*changes, *inside))


def _strike(asked: Explosion, part: Part, book: Book, dice: Dice) -> MethodResult:
    met = STEALTH_ROLL.play(isolate_stealth(part), book, dice) if asked.sneak else None
    act, dodge = _roll(part, book, dice)
    caught, critical = dodge.row.outcome == ACTOR, act.row.outcome == CRITICAL
    told = _conclude((CRITICAL if critical else CAUGHT) if caught else AVOIDED)
    lost = find_losses(find_critical(act), find_critical(dodge), find_critical_cost(book, part.facts), hit=caught)
    effects = [*asked.charge.effects] if caught else []
    record: dict[str, Any] = {"effects": effects, "actor_loses": lost[0], "resister_loses": lost[1]}
    record |= {"damage": 0, "wounded": False, "mortal_save": False, FALLEN: [*asked.fallen]}
    steps: list[Step | Throw] = [*(met.steps if met else ()), act, dodge]
    saved: tuple[Step, ...] = ()
    if caught and asked.charge.harms:
        hp, rolls = left_hp(part, RESISTER), _throw_damage(asked, dice)
        sneak = met is not None and met.conclusion.outcome == ACTOR
        done = _total_damage(part, book, sum(roll.total for roll in rolls), critical=critical, sneak=sneak)
        record |= {**record_harm(book, hp, done, mortal=True), FALLEN: [face for roll in rolls for face in roll.faces]}
        saved = throw_saving_roll(record, part, book, dice)
        steps += [*show_damage(hp, rolls, done, asked.charge.more, _find_bonus(part, book).counted), *saved]
    if record["damage"]:
        told = replace(told, text=f"{told.text}: {describe_harm(record['damage'], down=record['wounded'])}")
    told = replace(told, consequences=tuple(list_injuries(record, part, book, saved)))
    changes = (with_hp(part, RESISTER, record["hp"]),) if record["damage"] else ()
    return MethodResult(tuple(steps), told, record, changes)


def _throw_damage(asked: Explosion, dice: Dice) -> list[Roll]:
    """Throw the damage dice of an explosion, or take those that fell for the parts before."""
    term = asked.charge.term
    if term is None:
        return []
    return [Roll(term, asked.fallen, SHARED) if asked.fallen else dice.roll(term)]


def _total_damage(part: Part, book: Book, total: int, *, critical: bool, sneak: bool) -> DamageTotal:
    """Return what damage dice come to: doubled by a critical, in a `sneak` attack, and by an aim where it finds no damage reduction (lines 90, 345, 349, 362)."""
    asked = _read(part)
    typed = _find_bonus(part, book).typed
    strike = AttackManner(aimed=asked.aimed and f"{ACTOR}.aimed.other" in part.facts, sneak=sneak)
    times = 1 + critical + strike.doubles(find_reduction(book, [typed.dr]))
    untyped = 0 if asked.charge.bare else sum_untyped(part)
    return total_damage(book, total * times + asked.charge.more, [typed], untyped, ignores_dr=strike.ignores_dr)


def _find_bonus(part: Part, book: Book) -> Bonus:
    """Return what is added to the damage of an explosion, nothing to one that is bare, and what the target has against it."""
    charge = _read(part).charge
    more = weigh_score(book.scores[_ITEM_EFFECT], ACTOR, part.facts, part.marks).modifiers
    bonus = find_bonus(part, book, book.listed(DamageKind)[charge.kind], (*more, *list_attached(book, part, 0, DAMAGE)))
    return Bonus(replace(bonus.typed, mod=0)) if charge.bare else bonus


def carry_dice(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    """Return a part with what has fallen for those before it: one die, one throw of damage, one zone."""
    fallen: dict[str, Any] = {}
    for result in before:
        fallen |= {key: result.record[key] for key in (FALLEN, LAID) if result.record.get(key)}
    dodged = [result for result in before if result.on_tables]
    return share_one_die(replace(part, inputs={**part.inputs, **fallen}), dodged, book)


_TITLE, _ALONE = "Explosion", "{actor}'s explosion"
_CATCHES, _REACHES = "{actor} catches {resister} in an explosion", f"{_ALONE} reaches {{resister}}"
_BLAST, _EXPLOSION = TableMethod((_PLAIN, _AIMED, _DODGE), BY_WINNER, find_first_stage), ExplosionMethod()
BLAST = Procedure(_PLAIN, _TITLE, ACTOR, RESISTER, _CATCHES, _BLAST, carry=share_one_die, policy=ONCE)
EXPLOSION_IN_PLAY = Procedure(
    "roe.explosion", _TITLE, ACTOR, RESISTER, _REACHES, _EXPLOSION, _ALONE, carry=carry_dice, policy=BY_ACT
)
