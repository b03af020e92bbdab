"""Acts on a battle's board as rolls: moves, attacks, and acts without dice."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from msgspec import Struct

from rules.book import Book
from rules.books.total_war import acts, battles, combat
from rules.books.total_war.actions import conclude, further_steps, make_procedure, war_of
from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.catalog import COIN, AceLevel, Refused, Terms, UnitClass
from rules.books.total_war.fight import Clash, Fight, Fire, MeetCondition, MoveUnit, Next, Shoot, Withdraw
from rules.books.total_war.order_kinds import BEGUN, FORCE, MANEUVER, NEXT, SIDE, TARGET, UNIT, read_name
from rules.books.total_war.storage import KEEPS, OPENED, list_changes
from rules.books.total_war.war import Rules, War, WarAction
from rules.dice import Dice, DiceTerm, Roll
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from rules.phrases import join_words, upper_first
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.tables import Source, Tone

End = tuple[str, str, Tone, Fraction]


def possible_ends(terms: Terms, fight: Fight, act: acts.UnitAct) -> list[End]:
    """Return an act's possible ends with exact chances: (id, words, tone, chance)."""
    attack = act.attack
    match attack:
        case Shoot():
            target = str(attack.target)
            hit = combat.hit_chance(combat.joint_attack(terms, fight, attack), fight.unit(target).defense)
            found = [_make_end(act, "destroyed", target, hit), _make_end(act, "held", target, 1 - hit)]
        case Clash():
            odds = combat.melee_odds(terms, fight.unit(attack.unit).kind, fight.unit(attack.target).kind)
            found = [
                _make_end(act, "destroyed", attack.target, odds.target),
                _make_end(act, "countered", attack.unit, odds.attacker),
                _make_end(act, "nobody", "", odds.nobody),
            ]
        case Fire():
            lane = combat.lane_targets(terms, fight, attack)
            names = [act.label(name) for name, unit in fight.units.items() if unit.at in lane]
            ends = enumerate(combat.kill_chances(lane.values()))
            found = [(str(many), *_describe_destroyed(many, names), chance) for many, chance in ends]
        case _:
            found = [("moved", f"{act.label(act.unit)} moves", "neutral", Fraction(1))]
    return [end for end in found if end[-1]]


def find_end(act: acts.UnitAct, done: acts.UnitActResult) -> tuple[str, Tone]:
    """Return how an act ended: id and tone."""
    attack, destroyed = act.attack, done.losses
    match attack:
        case Shoot():
            end = "destroyed" if destroyed else "held"
        case Clash():
            end = "destroyed" if attack.target in destroyed else "countered" if destroyed else "nobody"
        case Fire():
            return str(len(destroyed)), "success" if destroyed else "failure"
        case None:
            return "moved", "neutral"
    return end, _ENDS[end][1]


def _make_end(act: acts.UnitAct, outcome: str, destroyed: str, chance: Fraction) -> End:
    words, tone = _ENDS[outcome]
    return outcome, words.format(act.label(destroyed)), tone, chance


_ENDS: dict[str, tuple[str, Tone]] = {
    "destroyed": ("{} is destroyed", "success"),
    "held": ("{} survives", "failure"),
    "countered": ("{} is destroyed by a counterattack", "danger"),
    "nobody": ("Both units survive", "neutral"),
}


def _describe_destroyed(many: int, names: Sequence[str]) -> tuple[str, Tone]:
    if many == 0:
        return "No unit is destroyed", "failure"
    who = join_words(names) if many == len(names) else f"{many} of the {len(names)} in its lane"
    return f"{who} {'is' if many == 1 else 'are'} destroyed", "success"


_TRY, _ACCURACY, _COMBINED, _MELEE, _HERO = 182, 184, 188, 194, 208
_SECTIONS = ((198, "Warship combat"), (190, "Melee combat"), (165, "Ranged combat"))
"""Printed sections by first line."""
_OUTCOMES = {"held": "survives", "beats": "destroyed"}


class _DiceRecord:
    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.faces: list[tuple[combat.Die, Roll]] = []

    def __call__(self, die: combat.Die) -> int:
        roll = self._dice.roll(DiceTerm(1, die.sides))
        self.faces.append((die, roll))
        return roll.total


class _AttackRecord(Struct, frozen=True):
    terms: Terms
    fight: Fight
    act: acts.UnitAct
    faces: Sequence[tuple[combat.Die, Roll]]

    def rolls(self, **which: object) -> tuple[Roll, ...]:
        wanted = which.items()
        return tuple(roll for die, roll in self.faces if all(getattr(die, name) == value for name, value in wanted))

    def step(self, title: str, text: str, line: int, rolls: tuple[Roll, ...] = ()) -> Throw:
        section = next(section for first, section in _SECTIONS if line >= first)
        return Throw(title, text, rolls, Source(self.terms.book.source, section), line)


def _describe_dice(attacked: _AttackRecord, done: acts.UnitActResult) -> Iterator[Throw]:
    for order, result in done.results:
        match order:
            case Shoot():
                yield from _describe_shot(attacked, order, result)
            case Clash():
                yield _describe_melee(attacked, order)
            case Fire():
                yield from _describe_fire(attacked, order, result)


def _describe_shot(attacked: _AttackRecord, order: Shoot, result: combat.OrderResult) -> Iterator[Throw]:
    attack = combat.joint_attack(attacked.terms, attacked.fight, order)
    defense = attacked.fight.unit(str(order.target)).defense
    if order.others:
        names = " and ".join(attacked.act.label(name) for name in (order.unit, *order.others))
        yield attacked.step("Combined attack", f"{names}: {attack}", _COMBINED)
    for attempt, outcome in enumerate(result.tries or (), 1):
        rolls = attacked.rolls(attempt=attempt)
        title, aimed = f"Try {attempt} of {attack}", rolls[0].total if attack.accuracy is not None else None
        if outcome == "miss":
            yield attacked.step(title, f"{aimed} misses (accuracy {attack.accuracy}%)", _ACCURACY, rolls)
            continue
        hits = "" if aimed is None else f"{aimed} hits (accuracy {attack.accuracy}%), "
        what = f"{hits}{rolls[-1].total} against defense {defense}: {_OUTCOMES[outcome]}"
        yield attacked.step(title, what, _TRY, rolls)


def _describe_melee(attacked: _AttackRecord, order: Clash) -> Throw:
    target, rolls = attacked.act.label(order.target), attacked.rolls()
    if not rolls:
        label = attacked.terms.of(UnitClass, attacked.fight.unit(order.target).kind).label.lower()
        return attacked.step("Melee", f"{target} ({label}) is always destroyed", _MELEE)
    fell = COIN[rolls[0].total - 1]
    called = f"called {order.call}, got {fell}"
    if fell == order.call:
        return attacked.step("Melee", f"{called}: {target} is destroyed", _MELEE, rolls)
    face = attacked.terms.number("counter-face")
    what = "the attacker is destroyed" if rolls[-1].total == face else "it misses"
    return attacked.step("Melee", f"{called}; the counterattack needs a {face}: {what}", _MELEE, rolls)


def _describe_fire(attacked: _AttackRecord, order: Fire, result: combat.OrderResult) -> Iterator[Throw]:
    on = {unit.at: name for name, unit in attacked.fight.units.items()}
    for place, percent in combat.lane_targets(attacked.terms, attacked.fight, order).items():
        name, rolls = on[place], attacked.rolls(tile=place)
        falls = "destroyed" if name in (result.destroyed or ()) else "survives"
        text = f"{percent}%: {falls}" if 0 < percent < combat.PERCENT else f"{falls} (no die)"
        title = f"{attacked.act.label(name)} on {place}"
        unit = attacked.fight.unit(name)
        kind = attacked.terms.of(UnitClass, unit.kind)
        aces = attacked.terms.book.entries_of(AceLevel).values() if kind.armoured else ()  # not vehicles (AMB-57)
        line = _HERO if unit.hero else next((ace.line for ace in aces if unit.ace == ace.level), kind.fire_line)
        yield attacked.step(title, text, line, rolls)


class _UnitActMethod(FrozenMethod, frozen=True):
    """The method of a unit's act: a move, an attack in one `way`, or both.

    Inputs: `at` (panel), `to` (tile), `first` ("move" or "attack"), `others` (combined units), `call` (coin),
    `toward` (direction), `begun` (the battle's first entry) and `by` (callsign; None is a game master).
    """

    way: acts.Attacks | None = None
    keeps = KEEPS

    def check(self, part: Part, book: Book) -> None:
        self._read(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        rules, war, then, act = self._read(part, book)
        drawn = _DiceRecord(dice)
        done = acts.carry_out(rules, war, act, drawn)
        outcome, tone = find_end(act, done)
        lines = [*acts.describe_after(rules, act, done)]
        changes = list_changes(book, part.kept[SCENE], done.war)
        steps = _describe_dice(_AttackRecord(rules.terms, then.battles[act.at].fight, act, drawn.faces), done)
        action = FightAction(at=act.at, order=done.results[-1][0], actor=act.by)
        summary = [*summarize_battle(rules, done.board, action, done.war, act.at)]
        record = {"fallen": [*done.losses], **acts.record_act(rules, war, action, done.war, summary or None)}
        conclusion = conclude(outcome, lines, rules, tone, maker=True)
        return MethodResult((*steps, *further_steps(lines)), conclusion, record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        rules, _, then, act = self._read(part, book)
        found = possible_ends(rules.terms, then.battles[act.at].fight, act)
        ends = ((conclude(outcome, [text], rules, tone, maker=True), chance) for outcome, text, tone, chance in found)
        return tuple(Chance(*end) for end in ends)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        rules, war, then, act = self._read(part, book)
        boards = (war.battles[act.at].fight, then.battles[act.at].fight)
        return (acts.describe_half(war, act.at), *acts.describe_before(rules.terms, *boards, act))

    def _read(self, part: Part, book: Book) -> tuple[Rules, War, War, acts.UnitAct]:
        rules, war = war_of(part, book)
        _require_its_battle(war, part)
        who = (part.subjects[UNIT], part.subjects.get(TARGET))
        act = acts.read_act(rules, war, who, part.inputs, self.way)
        return rules, war, acts.require_act(rules, war, act), act


def _require_its_battle(war: War, part: Part) -> None:
    # Refuse a battle that is over, without revealing a later one on its panel.
    battles.require_war_on(war)
    begun = part.inputs.get(BEGUN)
    if begun is None:  # a card of an older version
        return
    at = Hex.parse(str(part.inputs["at"]))
    opened = part.kept[SCENE].get(f"{OPENED}{at}", {"entry": begun})  # older versions show none in fog
    if at not in war.battles or opened["entry"] != begun:
        raise Refused("E_BATTLE_OVER", f"The battle on {at} that this is about is over.")


def _act(family: str, title: str, headline: str, way: acts.Attacks | None, alone: str = "") -> Procedure:
    policy = Policy(again="never", open_to_players=True, played=())
    return make_procedure(family, (UNIT, TARGET), (title, headline, alone), _UnitActMethod(way), policy)


class _PassResult(Struct, frozen=True):
    """What an act did; `summary` is for the digest (None: the usual one)."""

    action: WarAction
    war: War
    lines: tuple[str, ...]
    summary: tuple[str, ...] | None = None


_PassAction = Callable[[Rules, War, Part], _PassResult]


class _PassingMethod(FrozenMethod, frozen=True):
    does: _PassAction
    keeps = KEEPS

    def check(self, part: Part, book: Book) -> None:
        self._resolve(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        rules, war = war_of(part, book)
        done, conclusion = self._resolve(part, book)
        changes = list_changes(book, part.kept[SCENE], done.war)
        record = acts.record_act(rules, war, done.action, done.war, done.summary)
        return MethodResult(further_steps(done.lines), conclusion, record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        return (Chance(self._resolve(part, book)[1], Fraction(1)),)

    def _resolve(self, part: Part, book: Book) -> tuple[_PassResult, Conclusion]:
        rules, war = war_of(part, book)
        battles.require_war_on(war)
        done = self.does(rules, war, part)
        return done, conclude("done", done.lines, rules, maker=True)


def _end_half(rules: Rules, war: War, part: Part) -> _PassResult:
    at, battle = acts.battle_at(war, part.inputs)
    fight, side = battle.fight, battles.find_side(war, battle, part.subjects[SIDE])
    seen = part.inputs.get("turn")
    if seen is not None and (seen, side) != (fight.turn, fight.active):
        what = f"it's turn {fight.turn}, {battles.side_name(war, fight.active)} to act"
        raise RollError(f"That half of turn {seen} has already ended: {what}.")
    by = part.inputs.get("by")
    action = FightAction(at=at, order=Next(side), actor=by)
    done = acts.pass_half(rules, war, action)
    after = done.war.battles[at].fight
    first = f"Turn {after.turn}: {battles.side_name(war, after.active)} to act."
    return _PassResult(action, done.war, (first, *acts.describe_end(rules, done, at, by)), ())


def _end_battle(order: type[Withdraw | MeetCondition], does: str, rules: Rules, war: War, part: Part) -> _PassResult:
    at, battle = acts.battle_at(war, part.inputs)
    side, by = battles.find_side(war, battle, part.subjects[SIDE]), part.inputs.get("by")
    action = FightAction(at=at, order=order(side), actor=by)
    done = acts.pass_half(rules, war, action)
    did = f"{upper_first(battles.side_name(war, side))} {does.format(battle.fight.turn)}."
    lines = (did, *acts.describe_end(rules, done, at, by))
    summary = (*summarize_battle(rules, done.board, action, done.war, at),) or None
    return _PassResult(action, done.war, lines, summary)


def _retreat(rules: Rules, war: War, part: Part) -> _PassResult:
    at, battle = acts.battle_at(war, part.inputs)
    name = read_name(battle.forces, part.subjects[FORCE], f"a force in the battle on {at}")
    to, by = part.inputs.get("to"), part.inputs.get("by")
    try:
        goal = None if to is None else Hex.parse(str(to))
    except ValueError as error:
        raise Refused("E_OFF_MAP", f"{error}.") from error
    action = Retreat(actor=by, who=name, to=goal)
    after = action.apply(rules, war)
    lines = acts.describe_as_seen(rules, war, action, after, by)
    firsts = [line for line in lines if line.startswith(f"{name} retreats ")]
    seconds = [line for line in lines if line.startswith(f"{name} ") and line not in firsts]
    lines = [*firsts, *seconds, *(line for line in lines if not line.startswith(f"{name} "))]
    summary = (*summarize_battle(rules, war, action, after, at),) or None
    return _PassResult(action, after, (*lines, *acts.describe_waiting(rules, after, at, by)), summary)


def _place_unit(rules: Rules, war: War, part: Part) -> _PassResult:
    at, battle = acts.battle_at(war, part.inputs)
    names = battles.unit_labels(war, battle)
    name = battles.find_unit(names, battle.fight, part.subjects[UNIT])
    to = acts.parse_tile(rules, part.inputs.get("to"))
    if part.inputs.get("by") is not None:
        raise Refused("E_NOT_YOURS", "Only game masters place units.")
    after = battles.place_unit(rules, war, at, name, to)
    return _PassResult(FightAction(at=at, order=MoveUnit(name, to)), after, (f"{names[name]} is placed on {to}.",), ())


def _pass(family: str, title: str, role: str, headline: str, does: _PassAction) -> Procedure:
    policy = Policy(again="never", by_card=False, open_to_players=True, played=())
    return make_procedure(family, (role, "panel"), (title, headline, headline), _PassingMethod(does), policy)


_leave = partial(_end_battle, Withdraw, "withdraws in turn {}")
_meet = partial(_end_battle, MeetCondition, "has met the special condition")

PROCEDURES = (
    _act("shoot", "Shot", "{unit} shoots at {target}", "shot"),
    _act("melee", "Melee", "{unit} attacks {target} in melee", "melee"),
    _act("broadside", "Broadside", "{unit} fires a broadside", "fire", "{unit} fires a broadside"),
    _act(MANEUVER, "Maneuver", "{unit} moves", None, "{unit} moves"),
    _pass(NEXT, "Half turn ended", SIDE, "{side} ends its half of the turn", _end_half),
    _pass("withdraw", "Withdrawal", SIDE, "{side} withdraws", _leave),
    _pass("condition", "Special condition", SIDE, "{side} has met the condition", _meet),
    _pass("retreat", "Retreat", FORCE, "{force} retreats", _retreat),
    _pass("place", "Placing", UNIT, "{unit} is placed", _place_unit),
)


def summarize_battle(rules: Rules, board: War, action: WarAction, after: War, at: Hex) -> Iterator[str]:
    """Yield the result of a battle that an action closed; `board` is the war before closing."""
    if at not in after.battles:
        battle = board.battles[at]
        yield battles.describe_winner(board, battle)
        yield from (f"{upper_first(battles.side_name(board, side))} withdrew." for side in battle.fight.withdrawn)
        yield from acts.describe_as_seen(rules, board, action, after, None)
