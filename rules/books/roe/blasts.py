"""Explosions: one die against each dodge, damage, and zones (lines 397 to 405)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from rules import errors, phrases, procedure, scenes
from rules.book import Book, weigh_score
from rules.books.roe import damage, hiding, wounds
from rules.books.roe.aim import ACCURACY, DODGE
from rules.books.roe.attacks import oppose
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind
from rules.books.roe.characters import find_fighter, mark_fighter, read_marks, restart_reloading, use_weapons
from rules.books.roe.contests import BY_ACT, BY_WINNER, ONCE
from rules.books.roe.explosives import FUSE, UNSEEN, ZONE, Charge, find_round, list_fuses
from rules.books.roe.fights import FIGHT, UNREAD
from rules.books.roe.weapons import find_mode, find_weapon
from rules.books.roe.zones import enter_zone, lay_zone
from rules.dice import SHARED, Dice, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.odds import table_odds
from rules.procedure import Chance, Conclusion, MethodResult, Part, PartResult, Procedure, Step, WeighedStage
from rules.stages import TableMethod, contest_method, roll_stage, weigh_stage, with_modifiers
from rules.tables import Consequence

AIMED = "aimed"
_PLAIN, _AIMED, _DODGE = "roe.blast", "roe.blast.aimed", "roe.resist.blast"
_METHODS = {aimed: contest_method(name, (name, _DODGE), BY_WINNER) for aimed, name in ((False, _PLAIN), (True, _AIMED))}
CRITICAL, CAUGHT, AVOIDED = "critical", "caught", "avoided"
TOLD = {CRITICAL: "Caught, dice count double", CAUGHT: "Caught", AVOIDED: "Avoided"}
FALLEN, _LAID = "fallen", "laid"
"""For later parts: the damage faces, and the zone's name."""
_TECH_ITEM = "attack.tech-item"
_ITEM_EFFECT = "tech-item-effect"


def _find_first_stage(part: Part, book: Book) -> procedure.Stage:
    return _METHODS[bool(part.inputs.get(AIMED))].first_stage(part, book)


def _share_one_die(part: Part, before: Sequence[PartResult], _book: Book) -> Part:
    faces = [[*result.on_tables[0].roll.faces] for result in before[:1]]
    return replace(part, inputs={**part.inputs, SHARED: {_PLAIN: faces[0], _AIMED: faces[0]}}) if faces else part


class _Explosion(Struct, frozen=True):
    """The inputs of an explosion for one person in its radius.

    `fuse` names the grenade that explodes. `tokens`, `names` and `mods` are the launcher's, as in an attack.
    `fallen` and `laid` come from the parts before.
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


class _ExplosionMethod(procedure.FrozenMethod, frozen=True):
    """An explosion in play; without a resister it hits no one."""

    tables: tuple[str, ...] = (*hiding.SNEAK, _PLAIN, _AIMED, _DODGE, wounds.SAVING)
    keeps: tuple[str, ...] = (wounds.HEALTH, scenes.MEMBER, EFFECT, FUSE, ZONE, FIGHT, hiding.NOISE)
    skips: tuple[str, ...] = UNREAD
    manual_facts: tuple[str, ...] = (UNSEEN, _TECH_ITEM)

    def check(self, part: Part, book: Book) -> None:
        asked = _read(part)
        now, fuse = find_round(part.kept), list_fuses(part.kept).get(asked.fuse or "")
        if asked.fuse is not None and fuse is None:
            raise errors.RollError(f"{asked.charge.item} has already exploded or is gone.")
        if fuse is not None and now is not None and now < fuse.round:
            raise errors.RollError(f"{asked.charge.item} explodes at the end of its user's turn in round {fuse.round}.")
        _ = [*_spend_launcher(asked, part, book)]
        if asked.sneak:
            hiding.check_sneak(part)
        if asked.charge.turns and now is None:
            raise errors.RollError("A zone needs a fight, because it lasts for turns.")
        if RESISTER in part.subjects and asked.charge.harms and not asked.charge.turns:
            wounds.count_hp_left(part, RESISTER)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        asked = _read(part)
        first = [*(_spend_launcher(asked, part, book) if asked.tokens or asked.fuse else restart_reloading(part))]
        first += [(SCENE, asked.fuse, None)] if asked.fuse and asked.fuse in part.kept.get(SCENE, {}) else []
        if asked.charge.turns:
            name, zone, laid = lay_zone(asked.charge, part, asked.laid)
            inside = enter_zone(book, zone, name, part, RESISTER) if RESISTER in part.subjects else ()
            text = f"{asked.charge.item}: a zone for {asked.charge.turns} turn{'s' * (asked.charge.turns != 1)}"
            conclusion = Conclusion("zone", text, "neutral", "results")
            made = MethodResult((), conclusion, {_LAID: name}, (*laid, *inside))
        elif RESISTER in part.subjects:
            made = _strike(asked, part, book, dice)
        else:
            made = MethodResult((), Conclusion("nobody", "No one is in it", "neutral", "results"))
        spent = [Consequence("spend-aim", ACTOR)] if asked.aimed else []
        seen = hiding.expose(part, RESISTER, *(() if asked.fuse else (ACTOR,)))
        follows = (*made.conclusion.consequences, *spent, *seen)
        noises = [] if asked.charge.turns else [(hiding.EXPLOSION, False)]
        heard, noise = hiding.shout(part, book, part.subjects[ACTOR], noises)
        conclusion = replace(made.conclusion, consequences=follows)
        return MethodResult((*made.steps, *heard), conclusion, made.record, (*first, *made.changes, *noise))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        if not _is_dodged(part):
            return ()
        thrown, dodges = _weigh(part, book)
        unseen = hiding.STEALTH_ROLL.stages(hiding.isolate_stealth(part), book) if _read(part).sneak else ()
        return (*unseen, thrown, dodges[CRITICAL])

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        if not _is_dodged(part):
            return ()
        return tuple(Chance(_conclude(outcome), chance) for outcome, chance in count_chances(part, book).items())

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        charge = _read(part).charge
        does = [f"{charge.item}: {charge.summary}"]
        if not (_is_dodged(part) and charge.harms):
            return does
        down, save, mean = count_harm(part, book)
        chances = (f"Goes down: {phrases.percent(down)}", f"Saving roll due: {phrases.percent(save)}")
        return [*does, *chances, f"Mean damage: {float(mean):.1f}"]


def count_harm(part: Part, book: Book) -> tuple[Fraction, Fraction, Fraction]:
    """Return the chances to go down and to need a saving roll, and the mean damage."""
    asked, hp = _read(part), wounds.count_hp_left(part, RESISTER)
    ways = asked.charge.term.ways() if asked.charge.term else {0: 1}
    unseen = hiding.find_stealth_chance(part, book) if asked.sneak else Fraction(0)
    mortal, falls = wounds.find_knockout(part, RESISTER) is None, sum(ways.values())
    down, save, mean = (Fraction(0),) * 3
    sneaks = (True, False) if asked.sneak else (False,)
    for (outcome, chance), sneak in product(count_chances(part, book).items(), sneaks):
        for total, number in ways.items() if outcome != AVOIDED else ():
            lost = _total_damage(part, book, total, critical=outcome == CRITICAL, sneak=sneak).damage
            share = chance * (unseen if sneak else 1 - unseen) * Fraction(number, falls)
            down += share * wounds.strikes_down(hp, lost)
            save += share * wounds.needs_saving_roll(book, hp, lost, mortal=mortal)
            mean += share * lost
    return down, save, mean


def count_chances(part: Part, book: Book) -> dict[str, Fraction]:
    """Return the chance of each possible outcome: critical, caught, avoided."""
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
    first = _find_first_stage(part, book)
    tables = {ACCURACY: _AIMED, DODGE: _DODGE}
    adjusted = tuple(replace(item, table=tables.get(item.table or "", item.table)) for item in part.adjustments)
    asked, facts = _read(part), part.facts
    for token in asked.tokens[:1]:
        facts = damage.with_kind(facts, book.entries_of(DamageKind)[find_weapon(book, token).damage_type])
    weighed = replace(part, adjustments=adjusted, facts=facts)
    attached = damage.list_attached(book, part, 0, ACCURACY) if asked.aimed else ()
    thrown = with_modifiers(weigh_stage(first, weighed, first=True), attached)
    return thrown, {outcome: weigh_stage(stage, weighed, first=False) for outcome, stage in first.then.items()}


def _conclude(outcome: str) -> Conclusion:
    return Conclusion(outcome, TOLD[outcome], "neutral" if outcome == AVOIDED else "danger", "results")


def _read(part: Part) -> _Explosion:
    return convert(part.inputs, _Explosion)


def _is_dodged(part: Part) -> bool:
    return RESISTER in part.subjects and not _read(part).charge.turns


def _spend_launcher(asked: _Explosion, part: Part, book: Book) -> Iterator[Change]:
    if asked.tokens and find_fighter(part, ACTOR) is not None:
        weapon = find_weapon(book, asked.tokens[0])
        name = [*asked.names, weapon.token.label][0]
        armed = [(name, weapon, find_mode(book, weapon))]
        yield from mark_fighter(part, ACTOR, use_weapons(read_marks(part, ACTOR), armed))


def _strike(asked: _Explosion, part: Part, book: Book, dice: Dice) -> MethodResult:
    stealth = hiding.STEALTH_ROLL.play(hiding.isolate_stealth(part), book, dice) if asked.sneak else None
    thrown, dodges = _weigh(part, book)
    act = roll_stage(thrown, dice, part.inputs.get(SHARED, {}).get(thrown.stage.table.id, ()))
    dodge = roll_stage(oppose(dodges[act.row.outcome], act.total), dice)
    caught, critical = dodge.row.outcome == ACTOR, act.row.outcome == CRITICAL
    conclusion = _conclude((CRITICAL if critical else CAUGHT) if caught else AVOIDED)
    criticals = damage.find_critical(act), damage.find_critical(dodge)
    lost = damage.find_losses(*criticals, damage.find_critical_cost(book, part.facts), hit=caught)
    effects = [*asked.charge.effects] if caught else []
    record: dict[str, Any] = {"effects": effects, "actor_loses": lost[0], "resister_loses": lost[1]}
    record |= {"damage": 0, "wounded": False, "mortal_save": False, FALLEN: [*asked.fallen]}
    steps: list[Step | procedure.Throw] = [*(stealth.steps if stealth else ()), act, dodge]
    saved: tuple[Step, ...] = ()
    if caught and asked.charge.harms:
        hp, term = wounds.count_hp_left(part, RESISTER), asked.charge.term
        rolls = [Roll(term, asked.fallen, SHARED) if asked.fallen else dice.roll(term)] if term else []
        sneak = stealth is not None and stealth.conclusion.outcome == ACTOR
        done = _total_damage(part, book, sum(roll.total for roll in rolls), critical=critical, sneak=sneak)
        record |= wounds.record_harm(book, hp, done, mortal=True)
        record[FALLEN] = [face for roll in rolls for face in roll.faces]
        saved = wounds.throw_saving_roll(record, part, book, dice)
        steps += [*wounds.show_damage(hp, rolls, done, asked.charge.more, _find_bonus(part, book).counted), *saved]
    text = conclusion.text
    if record["damage"]:
        text = f"{text}: {wounds.describe_harm(record['damage'], down=record['wounded'])}"
    changes = (wounds.with_hp(part, RESISTER, record["hp"]),) if record["damage"] else ()
    conclusion = replace(conclusion, text=text, consequences=tuple(wounds.list_injuries(record, part, book, saved)))
    return MethodResult(tuple(steps), conclusion, record, changes)


def _total_damage(part: Part, book: Book, total: int, *, critical: bool, sneak: bool) -> damage.DamageTotal:
    asked = _read(part)
    typed = _find_bonus(part, book).typed
    strike = damage.AttackManner(aimed=asked.aimed and f"{ACTOR}.aimed.other" in part.facts, sneak=sneak)
    times = 1 + critical + strike.doubles(damage.find_reduction(book, [typed.dr]))
    untyped = 0 if asked.charge.bare else damage.sum_untyped(part)
    return damage.total_damage(book, total * times + asked.charge.more, [typed], untyped, ignores_dr=strike.ignores_dr)


def _find_bonus(part: Part, book: Book) -> damage.Bonus:
    charge = _read(part).charge
    more = weigh_score(book.scores[_ITEM_EFFECT], ACTOR, part.facts, part.marks).modifiers
    kind, attached = book.entries_of(DamageKind)[charge.kind], damage.list_attached(book, part, 0, damage.DAMAGE)
    bonus = damage.find_bonus(part, book, kind, (*more, *attached))
    return damage.Bonus(replace(bonus.typed, mod=0)) if charge.bare else bonus


def _carry_dice(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    fallen: dict[str, Any] = {}
    for result in before:
        fallen |= {key: result.record[key] for key in (FALLEN, _LAID) if result.record.get(key)}
    dodged = [result for result in before if result.on_tables]
    return _share_one_die(replace(part, inputs={**part.inputs, **fallen}), dodged, book)


_TITLE, _ALONE = "Explosion", "{actor}'s explosion"
_CATCHES, _REACHES = "{actor} catches {resister} in an explosion", f"{_ALONE} reaches {{resister}}"
_BLAST, _EXPLOSION = TableMethod((_PLAIN, _AIMED, _DODGE), BY_WINNER, _find_first_stage), _ExplosionMethod()
BLAST = Procedure(_PLAIN, _TITLE, ACTOR, RESISTER, _CATCHES, _BLAST, carry=_share_one_die, policy=ONCE)
EXPLOSION_IN_PLAY = Procedure(
    "roe.explosion", _TITLE, ACTOR, RESISTER, _REACHES, _EXPLOSION, _ALONE, carry=_carry_dice, policy=BY_ACT
)
