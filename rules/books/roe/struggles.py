"""Contests in a turn: disarming, grappling and falls (lines 132, 417 to 434)."""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from rules import effects, errors, modifiers, scenes, subjects, tables
from rules.book import Book, weigh_score
from rules.books.roe import characters, contests, explosives, fights, handling, turns, vehicles, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, Vehicle
from rules.books.roe.hiding import expose
from rules.dice import Dice, DiceTerm
from rules.procedure import Chance, MethodResult, Part, PartResult, Procedure, Stage, Throw, WeighedStage, with_changes
from rules.stages import TableMethod, roll_stage, stage_of, weigh_stage

METRES = "metres"
THROWN = "thrown"
"""The role of the fighter who is thrown."""
_INTERACTED = f"{fights.TURN_NOTES}interact"
"""Did something with a held fighter in this turn (line 428)."""
_BOUND, _HELPLESS = ("cuffed",), ("cuffed", "wounded")
"""The traits of those who resist nothing, and of those who don't resist being restrained and moved (lines 168, 499)."""
_FREED = (tables.Consequence("get-free", RESISTER), tables.Consequence("let-go", ACTOR))
_FALL = "roe.check.fall"
_IN_SLOT = f"{RESISTER}.slot"
_MELEE, _FOUGHT = "attack.melee", modifiers.KnownFact(1, modifiers.Origin("act", "in melee"))
_GRAPPLE, _DAMAGE = (tables.Source("roe-7th-edition-dice", section) for section in ("Grapple", "Damage"))
_HP_LINE, _IMPROVISED_LINE = 106, 434


class _StruggleMethod(contests.ContestMethod, frozen=True):
    """A contest in a turn; a win `releases` the held one, and `_win` adds more.

    Those with a `helpless` trait don't resist. In `melee`, lying makes it harder to dodge.
    """

    keeps: tuple[str, ...] = (scenes.MEMBER, wounds.HEALTH)
    interacts: bool = False
    releases: bool = False
    melee: bool = False
    helpless: tuple[str, ...] = _BOUND

    def first_stage(self, part: Part, book: Book) -> Stage:
        self.check(part, book)
        return TableMethod.first_stage(self, part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        restarted = tuple(characters.restart_reloading(part)) if self.melee or self.interacts else ()
        part = self._fight(replace(part, kept=with_changes(part.kept, restarted)))
        sure = self.find_sure_result(part, book)
        played = sure or TableMethod.play(self, part, book, dice)
        out = None if sure else contests.read_contest(PartResult(part, played.steps, None), book)
        marked = characters.mark_fighter(part, ACTOR, {_INTERACTED: 1}) if self.interacts else ()
        played = replace(played, changes=(*restarted, *marked))
        won = out is None or out.is_won
        done = self._win(played, part, book, dice) if won else self._lose(played, part)
        free = _FREED if self.releases and won else ()
        follows = (*done.conclusion.consequences, *free, *(out.costs if out else ()), *expose(part, ACTOR, RESISTER))
        return replace(done, conclusion=replace(done.conclusion, consequences=follows))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        return contests.ContestMethod.stages(self, self._fight(part), book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        return contests.ContestMethod.odds(self, self._fight(part), book)

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:
        self.check(part, book)
        return contests.find_unresisted(part, book, self.tables[1], self.helpless)

    def _fight(self, part: Part) -> Part:
        return replace(part, facts={**part.facts, _MELEE: _FOUGHT}) if self.melee else part

    def _lose(self, played: MethodResult, part: Part) -> MethodResult:  # noqa: ARG002 - of those that do more
        return played

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - of those that do more
        return played


class _ForcedMove(_StruggleMethod, frozen=True):
    """What is done by force to the held one, who can't resist it when wounded."""

    interacts: bool = True
    helpless: tuple[str, ...] = _HELPLESS


class _Dragging(_ForcedMove, frozen=True):
    """Moving the held one: half of the lower speed (line 434)."""

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - as above
        most = contests.limit_forced_m([handling.movement_m(book, part.facts, role) for role in (ACTOR, RESISTER)])
        return replace(played, conclusion=replace(played.conclusion, text=f"Moved, up to {most} m"))


class _Slamming(_ForcedMove, frozen=True):
    """Throwing the held one into an object: an improvised hit (line 434)."""

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        wounds.full_hp(part, RESISTER)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        roll = dice.roll(DiceTerm(1, book.number("improvised-sides")))
        damage = into_object(book, roll.total, _find_strength(book, part))
        throw = Throw("Damage", f"{damage}", (roll,), _GRAPPLE, _IMPROVISED_LINE)
        return _hurt(replace(played, steps=(*played.steps, throw)), part, book, damage, [RESISTER])


class _ThrowingOff(_ForcedMove, frozen=True):
    """Throwing the held one off an edge: a fall unless dodged (lines 132, 434)."""

    def check(self, part: Part, book: Book) -> None:
        _find_fall_hp(part, book)
        wounds.full_hp(part, RESISTER)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        of = f"{RESISTER}."
        facts = {f"{ACTOR}.{name.removeprefix(of)}": fact for name, fact in part.facts.items() if name.startswith(of)}
        falling = Part("fall", {ACTOR: part.subjects[RESISTER]}, facts)
        step = roll_stage(weigh_stage(stage_of(_FALL, falling, book), falling, first=False), dice)
        done = replace(played, steps=(*played.steps, step))
        if step.row.outcome != "failure":
            return replace(done, conclusion=replace(done.conclusion, text=step.row.text))
        return _hurt(done, part, book, _find_fall_hp(part, book), [RESISTER])


class _Hurling(_ForcedMove, frozen=True):
    """Throwing the held one at another: first a move, then a throw (`THROWN`); a hit hurts both (line 434)."""

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        for role in (THROWN, RESISTER) if THROWN in part.subjects else ():
            wounds.full_hp(part, role)

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:
        return None if THROWN in part.subjects else _StruggleMethod.find_sure_result(self, part, book)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        if THROWN not in part.subjects:
            return replace(played, conclusion=replace(played.conclusion, text="Thrown", consequences=_FREED))
        roll = dice.roll(DiceTerm(1, book.number("improvised-sides")))
        out = contests.read_contest(PartResult(part, played.steps, None), book)
        damage = into_character(book, roll.total, _find_strength(book, part), out)
        throw = Throw("Damage", f"{damage} to both", (roll,), _GRAPPLE, _IMPROVISED_LINE)
        return _hurt(replace(played, steps=(*played.steps, throw)), part, book, damage, [THROWN, RESISTER])

    def _lose(self, played: MethodResult, part: Part) -> MethodResult:
        if THROWN in part.subjects:
            return played
        return replace(played, conclusion=replace(played.conclusion, stops=f"{part.subjects[RESISTER]} wasn't moved."))


class _Disarming(_StruggleMethod, frozen=True):
    """Striking a thing from the other's hands (lines 417 to 422)."""

    keeps: tuple[str, ...] = (scenes.MEMBER, wounds.HEALTH, explosives.FUSE)

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        _find_struck(part)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - as above
        item, metres, marks = _find_struck(part), book.number("disarm-m"), characters.read_marks(part, RESISTER)
        label = part.inputs.get(handling.ITEM) or item
        change: Iterable[effects.Change]
        tokens = (vehicles.find_builtin(book, vehicle) for vehicle in book.entries_of(Vehicle).values())
        built_in = {subjects.word_id(token) for token in tokens if token}
        if grenade := _list_cooked(part).get(item):
            name, fuse = grenade  # it burns on where it lands
            text = f"{fuse.charge.item} lands {metres} m away"
            text += f". It explodes at the end of its user's turn in round {fuse.round}"
            change = [(effects.SCENE, name, replace(fuse, held=False, near=()).value())]
        elif _IN_SLOT in part.facts and item in built_in:
            owed = f"reload.{item}"
            text = f"{label} is blocked until it is reloaded"
            change = characters.mark_fighter(part, RESISTER, {owed: max(1, marks.get(owed, 0))})
        else:
            text = f"{label} lands {metres} m away"
            change = characters.mark_fighter(part, RESISTER, {fights.LYING + item: metres, fights.DRAWN + item: 0})
        return replace(played, changes=(*played.changes, *change), conclusion=replace(played.conclusion, text=text))


class _FallMethod(TableMethod, frozen=True):
    """A fall: a dodge saves from HP loss without DR (line 132)."""

    keeps: tuple[str, ...] = (scenes.MEMBER, wounds.HEALTH)

    def check(self, part: Part, book: Book) -> None:
        _find_fall_hp(part, book)
        wounds.full_hp(part, ACTOR)

    def first_stage(self, part: Part, book: Book) -> Stage:
        self.check(part, book)
        return TableMethod.first_stage(self, part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        played = TableMethod.play(self, part, book, dice)
        if played.conclusion.outcome != "failure":
            return played
        return _hurt(played, part, book, _find_fall_hp(part, book), [ACTOR])

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        return [f"Takes {_find_fall_hp(part, book)} HP, ignoring DR."]


def into_object(book: Book, die: int, strength: int) -> int:
    """Return the damage of hitting an object, with half of the strength."""
    return _add_strength(book, die, strength // 2)


def into_character(book: Book, die: int, strength: int, out: contests.ContestResult) -> int:
    """Return the damage to thrown and target each: 0 after a miss, the die twice if critical."""
    return _add_strength(book, die * (1 + out.double), strength) if out.is_won else 0


def _add_strength(book: Book, dice: int, strength: int) -> int:
    return max(0, dice + min(strength, book.number("modifier-cap")))


def _find_struck(part: Part) -> str:
    named = part.inputs.get(handling.ITEM)
    marks = characters.read_marks(part, RESISTER)
    drawn = (mark.removeprefix(fights.DRAWN) for mark in marks if mark.startswith(fights.DRAWN))
    item = subjects.word_id(named) if named else next(chain(drawn, _list_cooked(part)), None)
    if item is None:
        raise errors.RollError(f"Which of {part.subjects[RESISTER]}'s weapons? Add it as value.")
    if any(marks.get(gone + item) for gone in (fights.LYING, fights.TAKEN)):
        raise errors.RollError(f"{named or item} is no longer in {part.subjects[RESISTER]}'s hands.")
    return item


def _list_cooked(part: Part) -> dict[str, tuple[str, explosives.Fuse]]:
    who = (characters.find_fighter(part, RESISTER) or {}).get("id")
    held = ((name, fuse) for name, fuse in explosives.list_fuses(part.kept).items() if fuse.held and fuse.of == who)
    return {subjects.word_id(fuse.charge.item): (name, fuse) for name, fuse in held}


def _find_fall_hp(part: Part, book: Book) -> int:
    metres = part.inputs.get(METRES)
    if metres is None:
        raise errors.RollError("How far down? Add the metres as value.")
    damage = contests.find_fall_damage(book, metres)
    if not damage:
        raise errors.RollError(f"A fall of {metres} m does no harm. Falls hurt from {book.number('fall-from-m')} m.")
    return damage


def _find_strength(book: Book, part: Part) -> int:
    return weigh_score(book.scores["strength"], ACTOR, part.facts, part.marks).raw


def _hurt(played: MethodResult, part: Part, book: Book, damage: int, roles: Sequence[str]) -> MethodResult:
    throws: list[Throw] = []
    follows: list[tables.Consequence] = []
    changes: list[effects.Change] = []
    for role in roles:
        hp = wounds.count_hp_left(part, role)
        who = f" of {part.subjects[role]}" if len(roles) > 1 else ""
        throws.append(Throw(f"HP{who}", f"{hp} less {damage} = {max(0, hp - damage)}", (), _DAMAGE, _HP_LINE))
        changes += [wounds.with_hp(part, role, max(0, hp - damage))] if damage and hp else []
        follows += [wounds.make_wound(book, part, role)] if hp and wounds.strikes_down(hp, damage) else []
    done, down = played.conclusion, "; down" if follows else ""
    done = replace(done, text=f"{done.text}: {damage} HP{down}", consequences=(*done.consequences, *follows))
    return replace(played, steps=(*played.steps, *throws), conclusion=done, changes=(*played.changes, *changes))


def _procedure(name: str, title: str, method: TableMethod) -> Procedure:
    headline, alone = f"{{actor}} against {{resister}}: {title.lower()}", f"{{actor}}: {title.lower()}"
    family, settles = f"roe.turn.{name}", {"wound": turns.settle_wound}
    return Procedure(family, title, ACTOR, RESISTER, headline, method, alone, policy=contests.BY_ACT, settles=settles)


def _find_hurl_stage(part: Part, book: Book) -> Stage:
    return contests.find_contest("hurl" if THROWN in part.subjects else "force-move").first_stage(part, book)


def _make_struggle(name: str, title: str, *, interacts: bool = False, melee: bool = False) -> Procedure:
    helpless = _HELPLESS if melee else _BOUND
    method = _StruggleMethod(*contests.list_contest_fields(name), interacts=interacts, melee=melee, helpless=helpless)
    return _procedure(name, title, method)


_MOVE = contests.list_contest_fields("force-move")
_HURLED = (*contests.find_contest("force-move").tables, *contests.find_contest("hurl").tables)
PROCEDURES = (
    _make_struggle("grapple", "Grab", interacts=True, melee=True),
    _make_struggle("break-by-dodge", "Break free by dodging"),
    _make_struggle("break-by-strength", "Break free by strength"),
    _make_struggle("inject", "Inject", interacts=True),
    _procedure("dragging", "Drag", _Dragging(*_MOVE)),
    _procedure("force-move", "Shove", _ForcedMove(*_MOVE, releases=True)),
    _procedure("slamming", "Throw into an object", _Slamming(*_MOVE, releases=True)),
    _procedure("throwingoff", "Throw off an edge", _ThrowingOff(*_MOVE, releases=True)),
    _procedure("disarming", "Disarm", _Disarming(*contests.list_contest_fields("disarm"), melee=True)),
    _procedure("hurling", "Throw into someone", _Hurling(_HURLED, contests.BY_WINNER, _find_hurl_stage)),
    _procedure("falling", "Fall", _FallMethod((_FALL,), contests.BY_WINNER)),
)
