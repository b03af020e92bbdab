"""Acts against somebody in a turn: disarming, grappling and what is done to whoever is held, and falls (lines 132, 417 to 434).

Each is a contest with what criticals cost (line 88), and what is won by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, Vehicle
from rules.books.roe.characters import find_fighter, mark_fighter, read_marks, restart_reloading
from rules.books.roe.contests import (
    BY_ACT,
    BY_WINNER,
    ContestMethod,
    ContestResult,
    find_contest,
    find_fall_damage,
    find_unresisted,
    limit_forced_m,
    read_contest,
)
from rules.books.roe.explosives import FUSE, Fuse, list_fuses
from rules.books.roe.fights import DRAWN, LYING, TAKEN, TURN_NOTES
from rules.books.roe.handling import ITEM, movement_m
from rules.books.roe.hiding import expose
from rules.books.roe.turns import settle_wound
from rules.books.roe.vehicles import find_builtin
from rules.books.roe.wounds import HEALTH, full_hp, left_hp, make_wound, strikes_down, with_hp
from rules.dice import Dice, DiceTerm
from rules.effects import SCENE, Change, with_changes
from rules.errors import RollError
from rules.fields import word_id
from rules.modifiers import Known, Origin
from rules.procedure import Chance, MethodResult, Part, PartResult, Procedure, Stage, Throw, WeighedStage
from rules.scenes import MEMBER
from rules.stages import TableMethod, roll_stage, stage_of, weigh_stage
from rules.tables import Consequence, Source, weigh_score

METRES = "metres"
"""The input of a part that says how far down somebody falls."""
THROWN = "thrown"
"""The role of whoever is thrown into somebody."""
INTERACTED = f"{TURN_NOTES}interact"
"""The mark of whoever has done something with the held one in this turn (line 428)."""
BOUND, HELPLESS = ("cuffed",), ("cuffed", "wounded")
"""The traits of those who resist nothing that is done to them, and of those who do not resist being restrained and moved (lines 168, 499)."""
_FALL = "roe.check.fall"
_IN_SLOT = f"{RESISTER}.slot"
_MELEE, _FOUGHT = "attack.melee", Known(1, Origin("act", "in melee"))
_SOURCE, _HP_LINE, _IMPROVISED_LINE = "roe-7th-edition-dice", 106, 434


class _StruggleMethod(ContestMethod, frozen=True):
    """A contest in a turn. One with the held one `interacts`, and `releases` that one where it is won; what more is won is for `_win`. In `melee` it is harder to dodge for whoever lies.

    Whoever has one of the traits `helpless` does not resist it.
    """

    keeps: tuple[str, ...] = (MEMBER, HEALTH)
    interacts: bool = False
    releases: bool = False
    melee: bool = False
    helpless: tuple[str, ...] = BOUND

    def first_stage(self, part: Part, book: Book) -> Stage:
        """Return the stage that it begins with; refused where it cannot be done, on a card too."""
        self.check(part, book)
        return TableMethod.first_stage(self, part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        anew = tuple(restart_reloading(part)) if self.melee or self.interacts else ()
        part = self._fight(replace(part, kept=with_changes(part.kept, anew)))
        sure = self.unopposed(part, book)
        played = sure or TableMethod.play(self, part, book, dice)
        out = None if sure else read_contest(PartResult(part, played.steps, None), book)
        noted = replace(
            played, changes=(*anew, *(mark_fighter(part, ACTOR, {INTERACTED: 1}) if self.interacts else ()))
        )
        won = out is None or out.won
        done = self._win(noted, part, book, dice) if won else self._lose(noted, part)
        free = (Consequence("get-free", RESISTER), Consequence("let-go", ACTOR)) if self.releases and won else ()
        follows = (*done.conclusion.consequences, *free, *(out.costs if out else ()), *expose(part, ACTOR, RESISTER))
        return replace(done, conclusion=replace(done.conclusion, consequences=follows))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        return ContestMethod.stages(self, self._fight(part), book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        return ContestMethod.odds(self, self._fight(part), book)

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        self.check(part, book)
        return find_unresisted(part, book, self.tables[1], self.helpless)

    def _fight(self, part: Part) -> Part:
        return replace(part, facts={**part.facts, _MELEE: _FOUGHT}) if self.melee else part

    def _lose(self, played: MethodResult, part: Part) -> MethodResult:  # noqa: ARG002 - of those that do more
        return played

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - of those that do more
        return played


class _Dragging(_StruggleMethod, frozen=True):
    """Moving the held one: half of the lower speed (line 434)."""

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - as above
        most = limit_forced_m([movement_m(book, part.facts, role) for role in (ACTOR, RESISTER)])
        return replace(played, conclusion=replace(played.conclusion, text=f"Moved, up to {most} m"))


class _Slamming(_StruggleMethod, frozen=True):
    """Throwing the held one into a solid object: an improvised hit (line 434)."""

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        full_hp(part, RESISTER)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        roll = dice.roll(DiceTerm(1, book.number("improvised-sides")))
        damage = into_object(book, roll.total, _find_strength(book, part))
        throw = Throw("Damage", f"{damage}", (roll,), _page("Grapple"), _IMPROVISED_LINE)
        return _hurt(replace(played, steps=(*played.steps, throw)), part, book, damage, [RESISTER])


class _ThrowingOff(_StruggleMethod, frozen=True):
    """Throwing the held one off an edge, who falls unless a dodge saves from that (lines 132, 434)."""

    def check(self, part: Part, book: Book) -> None:
        _find_fall_hp(part, book)
        full_hp(part, RESISTER)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        facts = {
            ACTOR + fact.removeprefix(RESISTER): known
            for fact, known in part.facts.items()
            if fact.startswith(f"{RESISTER}.")
        }
        falling = Part("fall", {ACTOR: part.subjects[RESISTER]}, facts)
        step = roll_stage(weigh_stage(stage_of(_FALL, falling, book), falling, first=False), dice)
        done = replace(played, steps=(*played.steps, step))
        if step.row.outcome != "failure":
            return replace(done, conclusion=replace(done.conclusion, text=step.row.text))
        return _hurt(done, part, book, _find_fall_hp(part, book), [RESISTER])


class _Hurling(_StruggleMethod, frozen=True):
    """Throwing the held one into somebody: first that one is moved, then thrown (`THROWN`), and both are hurt where it hits (line 434)."""

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        for role in (THROWN, RESISTER) if THROWN in part.subjects else ():
            full_hp(part, role)

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        """Return how it goes to move whoever cannot resist; at whom that one is thrown dodges an attack."""
        return None if THROWN in part.subjects else _StruggleMethod.unopposed(self, part, book)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        if THROWN not in part.subjects:
            follows = (Consequence("get-free", RESISTER), Consequence("let-go", ACTOR))
            return replace(played, conclusion=replace(played.conclusion, text="Thrown", consequences=follows))
        roll = dice.roll(DiceTerm(1, book.number("improvised-sides")))
        out = read_contest(PartResult(part, played.steps, None), book)
        damage = into_character(book, roll.total, _find_strength(book, part), out)
        throw = Throw("Damage", f"{damage} to both", (roll,), _page("Grapple"), _IMPROVISED_LINE)
        return _hurt(replace(played, steps=(*played.steps, throw)), part, book, damage, [THROWN, RESISTER])

    def _lose(self, played: MethodResult, part: Part) -> MethodResult:
        if THROWN in part.subjects:
            return played
        return replace(played, conclusion=replace(played.conclusion, stops=f"{part.subjects[RESISTER]} wasn't moved."))


class _Disarming(_StruggleMethod, frozen=True):
    """Striking a thing from somebody's hands: it lands some metres away, a grenade with its fuse burning; what is built in is blocked (lines 417 to 422)."""

    keeps: tuple[str, ...] = (MEMBER, HEALTH, FUSE)

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        find_struck(part)

    def _win(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - as above
        text, change = strike_away(part, book)
        return replace(played, changes=(*played.changes, *change), conclusion=replace(played.conclusion, text=text))


class _FallMethod(TableMethod, frozen=True):
    """A fall: a dodge saves from what it takes, straight off HP (line 132)."""

    keeps: tuple[str, ...] = (MEMBER, HEALTH)

    def check(self, part: Part, book: Book) -> None:
        _find_fall_hp(part, book)
        full_hp(part, ACTOR)

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
    """Return the damage of a push into a solid object: that of an improvised weapon, with half of the strength."""
    return _deal(book, die, strength // 2)


def into_character(book: Book, die: int, strength: int, out: ContestResult) -> int:
    """Return the damage to both when somebody is thrown into somebody: none if that misses, the die twice if critical."""
    return _deal(book, die * (1 + out.double), strength) if out.won else 0


def _deal(book: Book, dice: int, strength: int) -> int:
    return max(0, dice + min(strength, book.number("modifier-cap")))


def find_struck(part: Part) -> str:
    """Return what is struck from the other one's hands, by its id: what is named, or what is known to be there."""
    named = part.inputs.get(ITEM)
    marks = read_marks(part, RESISTER)
    drawn = (mark.removeprefix(DRAWN) for mark in marks if mark.startswith(DRAWN))
    item = word_id(named) if named else next(chain(drawn, _list_cooked(part)), None)
    if item is None:
        raise RollError(f"Which of {part.subjects[RESISTER]}'s weapons? Add it as value.")
    if any(marks.get(gone + item) for gone in (LYING, TAKEN)):
        raise RollError(f"{named or item} is no longer in {part.subjects[RESISTER]}'s hands.")
    return item


def strike_away(part: Part, book: Book) -> tuple[str, Sequence[Change]]:
    """Return in words what becomes of what is struck away, and what that changes.

    A grenade burns on where it lands, and near whom that is will be asked when it explodes. What is built into the other one's
    vehicle stays in it: a reload makes it ready again.
    """
    item, metres, marks = find_struck(part), book.number("disarm-m"), read_marks(part, RESISTER)
    called = part.inputs.get(ITEM) or item
    grenade = _list_cooked(part).get(item)
    if grenade is not None:
        name, fuse = grenade
        thrown = replace(fuse, held=False, near=())
        text = (
            f"{fuse.charge.item} lands {metres} m away. It explodes at the end of its user's turn in round {fuse.round}"
        )
        return text, ((SCENE, name, thrown.value()),)
    if _IN_SLOT in part.facts and item in _list_built_in(book):
        owed = f"reload.{item}"
        return f"{called} is blocked until it is reloaded", [
            *mark_fighter(part, RESISTER, {owed: max(1, marks.get(owed, 0))})
        ]
    return f"{called} lands {metres} m away", [*mark_fighter(part, RESISTER, {LYING + item: metres, DRAWN + item: 0})]


def _list_cooked(part: Part) -> dict[str, tuple[str, Fuse]]:
    """Return the grenades in the other one's hands, by the ids of what they are called: each with its name in the fight."""
    who = (find_fighter(part, RESISTER) or {}).get("id")
    held = ((name, fuse) for name, fuse in list_fuses(part.kept).items() if fuse.held and fuse.of == who)
    return {word_id(fuse.charge.item): (name, fuse) for name, fuse in held}


def _list_built_in(book: Book) -> set[str]:
    """Return the weapons that classes of vehicles have already, by their ids."""
    labels = (find_builtin(book, vehicle) for vehicle in book.listed(Vehicle).values())
    return {word_id(label) for label in labels if label}


def _find_fall_hp(part: Part, book: Book) -> int:
    """Return the HP that a fall takes."""
    metres = part.inputs.get(METRES)
    if metres is None:
        raise RollError("How far down? Add the metres as value.")
    damage = find_fall_damage(book, metres)
    if not damage:
        raise RollError(f"A fall of {metres} m does no harm. Falls hurt from {book.number('fall-from-m')} m.")
    return damage


def _find_strength(book: Book, part: Part) -> int:
    return weigh_score(book.scores["strength"], ACTOR, part.facts, part.marks).raw


def _hurt(played: MethodResult, part: Part, book: Book, damage: int, roles: Sequence[str]) -> MethodResult:
    """Return what was played with damage to those in these roles, straight off their HP, and those down who have none left."""
    throws: list[Throw] = []
    follows: list[Consequence] = []
    changes: list[Change] = []
    for role in roles:
        hp = left_hp(part, role)
        who = f" of {part.subjects[role]}" if len(roles) > 1 else ""
        throws.append(Throw(f"HP{who}", f"{hp} less {damage} = {max(0, hp - damage)}", (), _page("Damage"), _HP_LINE))
        changes += [with_hp(part, role, max(0, hp - damage))] if damage and hp else []
        follows += [make_wound(book, part, role)] if hp and strikes_down(hp, damage) else []
    done = played.conclusion
    down = "; down" if follows else ""
    told = replace(done, text=f"{done.text}: {damage} HP{down}", consequences=(*done.consequences, *follows))
    return replace(played, steps=(*played.steps, *throws), conclusion=told, changes=(*played.changes, *changes))


def _page(section: str) -> Source:
    return Source(_SOURCE, section)


def _procedure(name: str, title: str, method: TableMethod) -> Procedure:
    told, alone = f"{{actor}} against {{resister}}: {title.lower()}", f"{{actor}}: {title.lower()}"
    settles = {"wound": settle_wound}
    return Procedure(f"roe.turn.{name}", title, ACTOR, RESISTER, told, method, alone, policy=BY_ACT, settles=settles)


def _find_hurl_stage(part: Part, book: Book) -> Stage:
    return find_contest("hurl" if THROWN in part.subjects else "force-move").first_stage(part, book)


_GRAB, _DODGE, _STRENGTH, _INJECT, _MOVE, _DISARM = (
    (method.tables, BY_WINNER, method.plan)
    for method in map(
        find_contest, ("grapple", "break-by-dodge", "break-by-strength", "inject", "force-move", "disarm")
    )
)
_HURLED = (*find_contest("force-move").tables, *find_contest("hurl").tables)
PROCEDURES = (
    _procedure("grapple", "Grab", _StruggleMethod(*_GRAB, interacts=True, melee=True, helpless=HELPLESS)),
    _procedure("break-by-dodge", "Break free by dodging", _StruggleMethod(*_DODGE)),
    _procedure("break-by-strength", "Break free by strength", _StruggleMethod(*_STRENGTH)),
    _procedure("inject", "Inject", _StruggleMethod(*_INJECT, interacts=True)),
    _procedure("dragging", "Drag", _Dragging(*_MOVE, interacts=True, helpless=HELPLESS)),
    _procedure("force-move", "Shove", _StruggleMethod(*_MOVE, interacts=True, releases=True, helpless=HELPLESS)),
    _procedure("slamming", "Throw into an object", _Slamming(*_MOVE, interacts=True, releases=True, helpless=HELPLESS)),
    _procedure(
        "throwingoff", "Throw off an edge", _ThrowingOff(*_MOVE, interacts=True, releases=True, helpless=HELPLESS)
    ),
    _procedure("disarming", "Disarm", _Disarming(*_DISARM, melee=True)),
    _procedure(
        "hurling",
        "Throw into someone",
        _Hurling(_HURLED, BY_WINNER, _find_hurl_stage, interacts=True, helpless=HELPLESS),
    ),
    _procedure("falling", "Fall", _FallMethod((_FALL,), BY_WINNER)),
)
