"""Acts against somebody in a turn: disarming, grappling and what is done to whoever is held, and falls (lines 132, 417 to 434).

Each is a contest with what criticals cost (line 88), and what is won by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.arsenal import begun_anew
from rules.books.roe.checks import fall_damage
from rules.books.roe.contests import ACTOR, BY_WINNER, RESISTER, forced_m, settled, unresisted
from rules.books.roe.criticals import LOST
from rules.books.roe.explosives import FUSE
from rules.books.roe.exposing import exposed
from rules.books.roe.ground import marked
from rules.books.roe.health import HEALTH, full_hp, left_hp, with_hp
from rules.books.roe.injury import wound_of
from rules.books.roe.lasting_rules import wounded
from rules.books.roe.marks import TURN_NOTES
from rules.books.roe.movement import movement_m
from rules.books.roe.shoving import into_character, into_object
from rules.books.roe.striking import struck_away, struck_of
from rules.books.roe.wounds import strikes_down
from rules.contests import contest_method
from rules.dice import Dice, DiceTerm
from rules.effects import Change, with_changes
from rules.errors import RollError
from rules.facts import Known, Origin
from rules.procedure import Chance, MethodResult, Part, PartResult, Policy, Procedure, Stage, Step, Throw, WeighedStage
from rules.scenes import MEMBER
from rules.scores import weigh_score
from rules.stages import TableMethod, roll_stage, weigh_stage
from rules.tables import Consequence, Source

METRES = "metres"
"""The input of a part that says how far down somebody falls."""
THROWN = "thrown"
"""The role of whoever is thrown into somebody."""
INTERACTED = f"{TURN_NOTES}interact"
"""The mark of whoever has done something with the held one in this turn (line 428)."""
BOUND, HELPLESS = ("cuffed",), ("cuffed", "wounded")
"""The traits of those who resist nothing that is done to them, and of those who do not resist being restrained and moved (lines 168, 499)."""
_FALL = "roe.check.fall"
_MELEE, _FOUGHT = "attack.melee", Known(1, Origin("act", "in melee"))
_SOURCE, _HP_LINE, _IMPROVISED_LINE = "roe-7th-edition-dice", 106, 434


class StruggleMethod(TableMethod, frozen=True):
    """A contest in a turn. One with the held one `interacts`, and `releases` that one where it is won; what more is won is for `_won`. In `melee` it is harder to dodge for whoever lies.

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
        """Throw the contest, and tell what criticals cost and what is won; against who cannot resist it is won."""
        anew = tuple(begun_anew(part)) if self.melee or self.interacts else ()
        part = self._as_fought(replace(part, kept=with_changes(part.kept, anew)))
        sure = self.unopposed(part, book)
        played = sure or TableMethod.play(self, part, book, dice)
        out = None if sure else settled(PartResult(part, played.steps, None), book)
        pairs = ((ACTOR, out.actor_loses), (RESISTER, out.resister_loses)) if out else ()
        lost = tuple(Consequence(LOST[what], role) for role, what in pairs if what in LOST)
        noted = replace(played, changes=(*anew, *(marked(part, ACTOR, {INTERACTED: 1}) if self.interacts else ())))
        won = out is None or out.won
        done = self._won(noted, part, book, dice) if won else self._lost(noted, part)
        free = (Consequence("get-free", RESISTER), Consequence("let-go", ACTOR)) if self.releases and won else ()
        follows = (*done.conclusion.consequences, *free, *lost, *self._exposed(part))
        return replace(done, conclusion=replace(done.conclusion, consequences=follows))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return both sides' rolls, weighed; none against who cannot resist."""
        fought = self._as_fought(part)
        return () if self.unopposed(fought, book) else TableMethod.stages(self, fought, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each outcome."""
        fought = self._as_fought(part)
        sure = self.unopposed(fought, book)
        return (Chance(sure.conclusion, Fraction(1)),) if sure else TableMethod.odds(self, fought, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return why no die is thrown."""
        sure = self.unopposed(part, book)
        return [f"{step.title}: {step.text}." for step in sure.steps if isinstance(step, Throw)] if sure else ()

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        """Return how it goes against whoever does not resist it; None where dice decide."""
        self.check(part, book)
        return unresisted(part, book, self.tables[1], self.helpless)

    def _exposed(self, part: Part) -> tuple[Consequence, ...]:
        """Return that nobody is hidden any more who struggles with somebody (lines 353, 355)."""
        return tuple(exposed(part, ACTOR, RESISTER))

    def _as_fought(self, part: Part) -> Part:
        return replace(part, facts={**part.facts, _MELEE: _FOUGHT}) if self.melee else part

    def _lost(self, played: MethodResult, part: Part) -> MethodResult:  # noqa: ARG002 - of those that do more
        return played

    def _won(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - of those that do more
        return played


class Dragging(StruggleMethod, frozen=True):
    """Moving the held one: half of the lower speed (line 434)."""

    def _won(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - as above
        most = forced_m([movement_m(book, part.facts, role) for role in (ACTOR, RESISTER)])
        return replace(played, conclusion=replace(played.conclusion, text=f"Moved, up to {most} m"))


class Slamming(StruggleMethod, frozen=True):
    """Throwing the held one into a solid object: an improvised hit (line 434)."""

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        """Refuse where nobody has said how many HP there are."""
        full_hp(part, RESISTER)

    def _won(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        roll = dice.roll(DiceTerm(1, book.number("improvised-sides")))
        damage = into_object(book, roll.total, _strength(book, part))
        throw = Throw("Damage", f"{damage}", (roll,), _page("Grapple"), _IMPROVISED_LINE)
        return _hurt(replace(played, steps=(*played.steps, throw)), part, book, damage, [RESISTER])


class ThrowingOff(StruggleMethod, frozen=True):
    """Throwing the held one off an edge, who falls unless a dodge saves from that (lines 132, 434)."""

    def check(self, part: Part, book: Book) -> None:
        """Refuse a fall that hurts nobody."""
        _deep(part, book)
        full_hp(part, RESISTER)

    def _won(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        facts = {
            ACTOR + fact.removeprefix(RESISTER): known
            for fact, known in part.facts.items()
            if fact.startswith(f"{RESISTER}.")
        }
        falling = Part("fall", {ACTOR: part.subjects[RESISTER]}, facts)
        step = _fallen(falling, book, dice)
        done = replace(played, steps=(*played.steps, step))
        if step.row.outcome != "failure":
            return replace(done, conclusion=replace(done.conclusion, text=step.row.text))
        return _hurt(done, part, book, _deep(part, book), [RESISTER])


class Hurling(StruggleMethod, frozen=True):
    """Throwing the held one into somebody: first that one is moved, then thrown (`THROWN`), and both are hurt where it hits (line 434)."""

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        """Refuse where nobody has said how many HP there are."""
        for role in (THROWN, RESISTER) if THROWN in part.subjects else ():
            full_hp(part, role)

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        """Return how it goes to move whoever cannot resist; at whom that one is thrown dodges an attack."""
        return None if THROWN in part.subjects else StruggleMethod.unopposed(self, part, book)

    def _won(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:
        if THROWN not in part.subjects:
            follows = (Consequence("get-free", RESISTER), Consequence("let-go", ACTOR))
            return replace(played, conclusion=replace(played.conclusion, text="Thrown", consequences=follows))
        roll = dice.roll(DiceTerm(1, book.number("improvised-sides")))
        out = settled(PartResult(part, played.steps, None), book)
        damage = into_character(book, roll.total, _strength(book, part), out)
        throw = Throw("Damage", f"{damage} to both", (roll,), _page("Grapple"), _IMPROVISED_LINE)
        return _hurt(replace(played, steps=(*played.steps, throw)), part, book, damage, [THROWN, RESISTER])

    def _lost(self, played: MethodResult, part: Part) -> MethodResult:
        if THROWN in part.subjects:
            return played
        return replace(played, conclusion=replace(played.conclusion, stops=f"{part.subjects[RESISTER]} wasn't moved."))


class Disarming(StruggleMethod, frozen=True):
    """Striking a thing from somebody's hands: it lands some metres away, a grenade with its fuse burning; what is built in is blocked (lines 417 to 422)."""

    keeps: tuple[str, ...] = (MEMBER, HEALTH, FUSE)

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as above
        """Refuse where nobody knows what is struck away."""
        struck_of(part)

    def _won(self, played: MethodResult, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - as above
        text, change = struck_away(part, book)
        return replace(played, changes=(*played.changes, *change), conclusion=replace(played.conclusion, text=text))


class FallMethod(TableMethod, frozen=True):
    """A fall: a dodge saves from what it takes, straight off HP (line 132)."""

    keeps: tuple[str, ...] = (MEMBER, HEALTH)

    def check(self, part: Part, book: Book) -> None:
        """Refuse a fall that hurts nobody."""
        _deep(part, book)
        full_hp(part, ACTOR)

    def first_stage(self, part: Part, book: Book) -> Stage:
        """Return the dodge; refused where nobody is hurt, on a card too."""
        self.check(part, book)
        return TableMethod.first_stage(self, part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Dodge, and take what the fall takes otherwise."""
        played = TableMethod.play(self, part, book, dice)
        if played.conclusion.outcome != "failure":
            return played
        return _hurt(played, part, book, _deep(part, book), [ACTOR])

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return how many HP it takes."""
        return [f"Takes {_deep(part, book)} HP, ignoring DR."]


def _fallen(part: Part, book: Book, dice: Dice) -> Step:
    stage = TableMethod((_FALL,), BY_WINNER).first_stage(part, book)
    return roll_stage(weigh_stage(stage, part, first=False), dice)


def _deep(part: Part, book: Book) -> int:
    """Return the HP that a fall takes."""
    metres = part.inputs.get(METRES)
    if metres is None:
        raise RollError("How far down? Add the metres as value.")
    damage = fall_damage(book, metres)
    if not damage:
        raise RollError(f"A fall of {metres} m does no harm. Falls hurt from {book.number('fall-from-m')} m.")
    return damage


def _strength(book: Book, part: Part) -> int:
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
        follows += [wound_of(book, part, role)] if hp and strikes_down(hp, damage) else []
    done = played.conclusion
    down = "; down" if follows else ""
    told = replace(done, text=f"{done.text}: {damage} HP{down}", consequences=(*done.consequences, *follows))
    return replace(played, steps=(*played.steps, *throws), conclusion=told, changes=(*played.changes, *changes))


def _page(section: str) -> Source:
    return Source(_SOURCE, section)


def _struggle(  # noqa: PLR0913 - how it goes, each by name
    contest: str,
    title: str,
    method: type[StruggleMethod] = StruggleMethod,
    *,
    interacts: bool = True,
    releases: bool = False,
    melee: bool = False,
    helpless: tuple[str, ...] = BOUND,
) -> Procedure:
    """Return the procedure of a contest of the book as it is played in a turn."""
    base = contest_method(f"roe.{contest}", _TABLES[contest], BY_WINNER)
    name = contest if method is StruggleMethod else method.__name__.lower()
    made = method(base.tables, BY_WINNER, base.plan, interacts=interacts, releases=releases, melee=melee)
    return _procedure(name, title, replace(made, helpless=helpless))


def _procedure(name: str, title: str, method: TableMethod) -> Procedure:
    told = f"{{actor}} against {{resister}}: {title.lower()}"
    return Procedure(
        family=f"roe.turn.{name}",
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=told,
        headline_alone=f"{{actor}}: {title.lower()}",
        method=method,
        policy=Policy(again="never", on_request=False),
        settles={"wound": wounded},
    )


def _hurled(part: Part, book: Book) -> Stage:
    contest = "hurl" if THROWN in part.subjects else "force-move"
    return contest_method(f"roe.{contest}", _TABLES[contest], BY_WINNER).first_stage(part, book)


_TABLES = {
    "grapple": ("roe.act.accuracy", "roe.resist.grapple"),
    "break-by-dodge": ("roe.act.dodge", "roe.resist.break-by-dodge"),
    "break-by-strength": ("roe.act.strength", "roe.resist.break-by-strength"),
    "inject": ("roe.act.medical", "roe.resist.inject"),
    "force-move": ("roe.act.strength", "roe.resist.force-move"),
    "hurl": ("roe.act.ranged", "roe.resist.hurl"),
    "disarm": ("roe.act.disarm", "roe.resist.disarm"),
}
_HURLED = (*_TABLES["force-move"], *_TABLES["hurl"])

PROCEDURES = (
    _struggle("grapple", "Grab", melee=True, helpless=HELPLESS),
    _struggle("break-by-dodge", "Break free by dodging", interacts=False),
    _struggle("break-by-strength", "Break free by strength", interacts=False),
    _struggle("inject", "Inject"),
    _struggle("force-move", "Drag", Dragging, helpless=HELPLESS),
    _struggle("force-move", "Shove", releases=True, helpless=HELPLESS),
    _struggle("force-move", "Throw into an object", Slamming, releases=True, helpless=HELPLESS),
    _struggle("force-move", "Throw off an edge", ThrowingOff, releases=True, helpless=HELPLESS),
    _struggle("disarm", "Disarm", Disarming, interacts=False, melee=True),
    _procedure(
        "hurling", "Throw into someone", Hurling(_HURLED, BY_WINNER, _hurled, interacts=True, helpless=HELPLESS)
    ),
    _procedure("falling", "Fall", FallMethod((_FALL,), BY_WINNER)),
)
