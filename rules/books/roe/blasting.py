"""Explosions in play: one plain die against the dodge of each, damage on HP that are kept, zones where they last (lines 397 to 405)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACCURACY, DODGE
from rules.books.roe.arsenal import begun_anew, fighter, used, with_marks
from rules.books.roe.attack import against
from rules.books.roe.blast import first_stage, one_die
from rules.books.roe.bonuses import DAMAGE, Bonus, attached, bonus_of, untyped_of, with_kind
from rules.books.roe.catalog import DamageKind
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.criticals import Critical, critical_cost, critical_of, losses
from rules.books.roe.damage import Blow, Strike, blow, reduction
from rules.books.roe.explosives import FUSE, ZONE, Charge, fuses_of, round_of
from rules.books.roe.exposing import exposed
from rules.books.roe.health import HEALTH, left_hp, out_by, with_hp
from rules.books.roe.injury import SAVING, befallen, harm, saving, throws
from rules.books.roe.marks import UNREAD
from rules.books.roe.noise import EXPLOSION, NOISE, shout
from rules.books.roe.scene import FIGHT
from rules.books.roe.sneaking import SNEAK, STEALTH_ROLL, check_sneak, creeping
from rules.books.roe.weapons import in_throw, mode_of, weapon_named
from rules.books.roe.wounds import in_need, strikes_down
from rules.books.roe.zones import entered, laid
from rules.dice import SHARED, Dice, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.facts import JsonObject
from rules.odds import table_odds
from rules.phrases import percent
from rules.procedure import (
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    PartResult,
    Policy,
    Procedure,
    Step,
    WeighedStage,
)
from rules.scenes import MEMBER
from rules.scores import weigh_score
from rules.stages import roll_stage, weigh_stage, with_modifiers
from rules.tables import Consequence

CRITICAL, CAUGHT, AVOIDED = "critical", "caught", "avoided"
TOLD = {CRITICAL: "Caught, dice count double", CAUGHT: "Caught", AVOIDED: "Avoided"}
"""What becomes of whoever stands in the radius, in words."""
FALLEN, LAID = "fallen", "laid"
"""What the record of a part has for those behind it: the faces of its damage dice, and the zone that it has laid."""
UNSEEN, TECH_ITEM = f"{ACTOR}.out-of-sight", "attack.tech-item"
_AIMED, _ITEM_EFFECT = "roe.blast.aimed", "tech-item-effect"


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

    tables: tuple[str, ...] = (*SNEAK, "roe.blast", _AIMED, "roe.resist.blast", SAVING)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, FUSE, ZONE, FIGHT, NOISE)
    skips: tuple[str, ...] = UNREAD
    manual_facts: tuple[str, ...] = (UNSEEN, TECH_ITEM)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what is out of reach, a weapon that is not ready, and a grenade that is gone or not due."""
        asked = _asked(part)
        _require_fuse(asked, part)
        _ = [*_used(asked, part, book)]
        if asked.sneak:
            check_sneak(part)
        if asked.charge.turns and round_of(part.kept) is None:
            raise RollError("A zone needs a fight, because it lasts for turns.")
        if RESISTER in part.subjects and asked.charge.harms and not asked.charge.turns:
            left_hp(part, RESISTER)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the die of the explosion and the dodge against it, the damage dice, and tell what all of it changes."""
        asked = _asked(part)
        first = [*(_used(asked, part, book) if asked.tokens or asked.fuse else begun_anew(part))]
        first += [(SCENE, asked.fuse, None)] if asked.fuse and asked.fuse in part.kept.get(SCENE, {}) else []
        if asked.charge.turns:
            made = _zone(asked, part, book)
        elif RESISTER in part.subjects:
            made = _strike(asked, part, book, dice)
        else:
            made = MethodResult((), Conclusion("nobody", "No one is in it", "neutral", "results"))
        spent = [Consequence("spend-aim", ACTOR)] if asked.aimed else []
        seen = exposed(part, RESISTER, *(() if asked.fuse else (ACTOR,)))
        follows = (*made.conclusion.consequences, *spent, *seen)
        heard, noise = shout(part, book, part.subjects[ACTOR], () if asked.charge.turns else [(EXPLOSION, False)])
        told = replace(made.conclusion, consequences=follows)
        return MethodResult((*made.steps, *heard), told, made.record, (*first, *made.changes, *noise))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the explosion's roll and the dodge; none of a zone, which nobody dodges (line 84)."""
        if not _dodged(part):
            return ()
        thrown, dodges = _weighed(part, book)
        unseen = STEALTH_ROLL.stages(creeping(part), book) if _asked(part).sneak else ()
        return (*unseen, thrown, dodges[CRITICAL])

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chances to be caught and to avoid it."""
        if not _dodged(part):
            return ()
        return tuple(Chance(_told(outcome), chance) for outcome, chance in chances(part, book).items())

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return how likely one goes down and needs a saving roll, and the mean damage, exactly."""
        charge = _asked(part).charge
        does = [f"{charge.item}: {charge.summary}"]
        if not (_dodged(part) and charge.harms):
            return does
        down, save, mean = foresee(part, book)
        chances_told = (("Goes down", down), ("Saving roll due", save))
        told = (f"{label}: {percent(chance)}" for label, chance in chances_told)
        return [*does, *told, f"Mean damage: {float(mean):.1f}"]


def foresee(part: Part, book: Book) -> tuple[Fraction, Fraction, Fraction]:
    """Return the exact chances to go down and to need a saving roll, and the mean damage."""
    asked, hp = _asked(part), left_hp(part, RESISTER)
    term = asked.charge.term
    ways = term.ways() if term else {0: 1}
    down, save, mean = (Fraction(0),) * 3
    for (outcome, chance), (unseen, likely) in product(chances(part, book).items(), _unseen(asked, part, book)):
        for total, number in ways.items() if outcome != AVOIDED else ():
            done = _blow(part, book, total, critical=outcome == CRITICAL, sneak=unseen)
            share = chance * likely * Fraction(number, sum(ways.values()))
            down += share * strikes_down(hp, done.damage)
            save += share * in_need(book, hp, done.damage, mortal=out_by(part, RESISTER) is None)
            mean += share * done.damage
    return down, save, mean


def _unseen(asked: Explosion, part: Part, book: Book) -> Sequence[tuple[bool, Fraction]]:
    """Return how likely it is a sneak attack, and that it is none."""
    if not asked.sneak:
        return [(False, Fraction(1))]
    odds = {item.conclusion.outcome: item.chance for item in STEALTH_ROLL.odds(creeping(part), book)}
    won = odds.get(ACTOR, Fraction(0))
    return [(True, won), (False, 1 - won)]


def chances(part: Part, book: Book) -> dict[str, Fraction]:
    """Return the exact chance of each outcome for whoever stands in the radius."""
    thrown, dodges = _weighed(part, book)
    table, falls = thrown.stage.table, thrown.stage.table.die.ways()
    found = dict.fromkeys(TOLD, Fraction(0))
    for face, ways in falls.items():
        total, score = table.score(face, thrown.sum, thrown.stage.number)
        row, _ = table.read(face, score, thrown.stage.reading)
        dodge = against(dodges[row.outcome], total)
        stage, share = dodge.stage, Fraction(ways, sum(falls.values()))
        caught = table_odds(stage.table, dodge.sum, stage.reading, stage.number).get(ACTOR, Fraction(0))
        found[CRITICAL if row.outcome == CRITICAL else CAUGHT] += share * caught
        found[AVOIDED] += share * (1 - caught)
    return {outcome: chance for outcome, chance in found.items() if chance}


def _weighed(part: Part, book: Book) -> tuple[WeighedStage, dict[str, WeighedStage]]:
    """Return the die of an explosion as weighed, with what the weapon adds where it is aimed, and the dodge for each outcome of it."""
    first = first_stage(part, book)
    tables = {ACCURACY: _AIMED, DODGE: "roe.resist.blast"}
    told = tuple(replace(item, table=tables.get(item.table or "", item.table)) for item in part.adjustments)
    launched = [weapon_named(book, token).damage_type for token in _asked(part).tokens[:1]]
    facts = with_kind(part.facts, book.listed(DamageKind)[launched[0]]) if launched else part.facts
    weighed = replace(part, adjustments=told, facts=facts)
    brought = attached(book, part, 0, ACCURACY) if _asked(part).aimed else ()
    thrown = with_modifiers(weigh_stage(first, weighed, first=True), brought)
    return thrown, {outcome: weigh_stage(stage, weighed, first=False) for outcome, stage in first.then.items()}


def _rolled(part: Part, book: Book, dice: Dice) -> tuple[Step, Step]:
    """Throw the die of an explosion, unless it has fallen for others, and the dodge against it."""
    thrown, dodges = _weighed(part, book)
    act = roll_stage(thrown, dice, part.inputs.get(SHARED, {}).get(thrown.stage.table.id, ()))
    return act, roll_stage(against(dodges[act.row.outcome], act.total), dice)


def _outcome(act: Step, dodge: Step) -> str:
    if dodge.row.outcome != ACTOR:
        return AVOIDED
    return CRITICAL if act.row.outcome == CRITICAL else CAUGHT


def _told(outcome: str) -> Conclusion:
    return Conclusion(outcome, TOLD[outcome], "neutral" if outcome == AVOIDED else "danger", "results")


def _asked(part: Part) -> Explosion:
    return convert(part.inputs, Explosion)


def _dodged(part: Part) -> bool:
    return RESISTER in part.subjects and not _asked(part).charge.turns


def _require_fuse(asked: Explosion, part: Part) -> None:
    """Refuse a grenade that has exploded, or does not explode yet."""
    if asked.fuse is None:
        return
    fuse, now = fuses_of(part.kept).get(asked.fuse), round_of(part.kept)
    if fuse is None:
        raise RollError(f"{asked.charge.item} has already exploded or is gone.")
    if now is not None and now < fuse.round:
        raise RollError(f"{asked.charge.item} explodes at the end of its user's turn in round {fuse.round}.")


def _used(asked: Explosion, part: Part, book: Book) -> Iterator[Change]:
    """Yield what using a launcher changes of whoever bears it, in a fight."""
    if not asked.tokens:
        return
    who, weapon = part.subjects[ACTOR], weapon_named(book, asked.tokens[0])
    value = fighter(part.kept, who)
    if value is not None:
        name = [*asked.names, weapon.token.label][0]
        yield who, MEMBER, with_marks(value, used(value.get("marks", {}), [(name, weapon, mode_of(book, weapon))]))


def _zone(asked: Explosion, part: Part, book: Book) -> MethodResult:
    """Lay a zone, and let whoever stands in it be inside."""
    name, zone, changes = laid(asked.charge, part, asked.laid)
    inside = [*entered(book, zone, name, part, RESISTER)] if RESISTER in part.subjects else []
    text = f"{asked.charge.item}: a zone for {asked.charge.turns} turn{'s' * (asked.charge.turns != 1)}"
    record = {LAID: name}
    return MethodResult((), Conclusion("zone", text, "neutral", "results"), record, (*changes, *inside))


def _strike(asked: Explosion, part: Part, book: Book, dice: Dice) -> MethodResult:
    met = STEALTH_ROLL.play(creeping(part), book, dice) if asked.sneak else None
    act, dodge = _rolled(part, book, dice)
    outcome = _outcome(act, dodge)
    rolled, caught = MethodResult((*(met.steps if met else ()), act, dodge), _told(outcome)), outcome != AVOIDED
    lost = losses(_critical(act), _critical(dodge), critical_cost(book, part.facts), hit=caught)
    effects = [*asked.charge.effects] if caught else []
    record: dict[str, Any] = {"effects": effects, "actor_loses": lost[0], "resister_loses": lost[1]}
    record |= {"damage": 0, "wounded": False, "mortal_save": False, FALLEN: [*asked.fallen]}
    if not (caught and asked.charge.harms):
        return _struck(rolled, record, part, book, ())
    rolls = _damage(asked, dice)
    hp = left_hp(part, RESISTER)
    sneak = met is not None and met.conclusion.outcome == ACTOR
    done = _blow(part, book, sum(roll.total for roll in rolls), critical=outcome == CRITICAL, sneak=sneak)
    record |= {**harm(book, hp, done, mortal=True), FALLEN: [face for roll in rolls for face in roll.faces]}
    saved = saving(record, part, book, dice)
    made = replace(
        rolled, steps=(*rolled.steps, *throws(hp, rolls, done, asked.charge.more, _bonus(part, book).counted), *saved)
    )
    return _struck(made, record, part, book, saved)


def _critical(step: Step) -> Critical:
    return critical_of(step.table, step.roll.total)


def _struck(made: MethodResult, record: JsonObject, part: Part, book: Book, saved: Sequence[Step]) -> MethodResult:
    told = made.conclusion
    if record["damage"]:
        told = replace(told, text=f"{told.text}: {record['damage']} damage{'; down' if record['wounded'] else ''}")
    told = replace(told, consequences=tuple(befallen(record, part, book, saved)))
    changes = (with_hp(part, RESISTER, record["hp"]),) if record["damage"] else ()
    return MethodResult(made.steps, told, record, changes)


def _damage(asked: Explosion, dice: Dice) -> list[Roll]:
    """Throw the damage dice of an explosion, or take those that fell for the parts before."""
    term = asked.charge.term
    if term is None:
        return []
    return [Roll(term, asked.fallen, SHARED) if asked.fallen else dice.roll(term)]


def _blow(part: Part, book: Book, total: int, *, critical: bool, sneak: bool) -> Blow:
    """Return what damage dice come to: doubled by a critical, in a `sneak` attack, and by an aim where it finds no damage reduction (lines 90, 345, 349, 362)."""
    asked = _asked(part)
    typed = _bonus(part, book).typed
    strike = Strike(aimed=asked.aimed and f"{ACTOR}.aimed.other" in part.facts, sneak=sneak)
    times = 1 + critical + strike.doubles(reduction(book, [typed.dr]))
    untyped = 0 if asked.charge.bare else untyped_of(part)
    return blow(book, total * times + asked.charge.more, [typed], untyped, ignores_dr=strike.ignores_dr)


def _bonus(part: Part, book: Book) -> Bonus:
    """Return what is added to the damage of an explosion, nothing to one that is bare, and what the target has against it."""
    charge = _asked(part).charge
    more = weigh_score(book.scores[_ITEM_EFFECT], ACTOR, part.facts, part.marks).modifiers
    bonus = bonus_of(part, book, book.listed(DamageKind)[charge.kind], (*more, *attached(book, part, 0, DAMAGE)))
    return Bonus(replace(bonus.typed, mod=0)) if charge.bare else bonus


def carried(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    """Return a part with what has fallen for those before it: one die, one throw of damage, one zone."""
    told: dict[str, Any] = {}
    for result in before:
        told |= {key: result.record[key] for key in (FALLEN, LAID) if result.record.get(key)}
    dodged = [result for result in before if result.on_tables]
    return one_die(replace(part, inputs={**part.inputs, **told}), dodged, book)


def reaching(book: Book, metres: float | None) -> None:
    """Refuse to throw something farther than anybody can (line 394)."""
    if metres is not None and not in_throw(book, metres):
        raise RollError(f"A grenade can be thrown {book.number('thrown-m')} m at most, not {metres:g} m.")


PROCEDURE = Procedure(
    family="roe.explosion",
    title="Explosion",
    actor=ACTOR,
    subject=RESISTER,
    headline="{actor}'s explosion reaches {resister}",
    headline_alone="{actor}'s explosion",
    method=ExplosionMethod(),
    carry=carried,
    policy=Policy(again="never", on_request=False),
)
