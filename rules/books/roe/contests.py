"""Skill rolls, checks and contests (lines 8 to 14, 82 to 92)."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from rules import errors, procedure, scenes, subjects
from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, ListedSkill, Note, entry_of
from rules.books.roe.damage import LOST, Critical, Loses, find_critical, find_critical_cost, find_losses, with_die
from rules.dice import Dice
from rules.procedure import Chance, Conclusion, MethodResult, Part, PartResult, Policy, Procedure, Stage, Step, Throw
from rules.stages import Conclude, TableMethod, conclude_by_row, contest_method, stage_of
from rules.tables import Consequence

BY_WINNER = conclude_by_row("results")
ONCE = Policy(again="never")
BY_ACT = Policy(again="never", on_request=False)
OWN = Policy(again="never", open_to_players=True, needs=((ACTOR, subjects.PROFILE),))
CHECK, VERSUS = "roe.check", "roe.versus"
SKILL, DICE, ALONE, FIGHTING = "skill", "dice", "alone", "fighting"
"""Inputs: the skill's id, dice by table, that no one resists, and that a later part's actor is in a fight."""
OPPOSED = ("perception", "strength", "dodge", "accuracy", "medical", "lockpick")
"""Skills with a contest, `roe.skill.<id>`."""
SKILLS = ("stealth", *OPPOSED, "hacking")
"""Skills with a check, `roe.check.<id>`."""
Winner = Literal["actor", "resister"]
_ATTACKS = frozenset({"roe.act.accuracy", "roe.act.ranged"})
"""Tables on which a critical success is a critical hit."""
_CONTESTS = {
    "hide": ("Hide", "{actor} hides from {resister}", "roe.act.stealth"),
    "strike": ("Attack", "{actor} attacks {resister}", "roe.act.accuracy"),
    "spot": ("Find a sniper", "{actor} looks for {resister}", "roe.act.perception"),
    "sneak": ("Sneak up", "{actor} sneaks up on {resister}", "roe.act.stealth"),
    "disarm": ("Disarm", "{actor} tries to disarm {resister}", "roe.act.disarm"),
    "grapple": ("Grapple", "{actor} tries to grab {resister}", "roe.act.accuracy"),
    "break-by-dodge": ("Break a hold by dodging", "{actor} tries to break free of {resister}", "roe.act.dodge"),
    "break-by-strength": ("Break a hold by strength", "{actor} tries to break free of {resister}", "roe.act.strength"),
    "inject": ("Inject", "{actor} tries to inject {resister}", "roe.act.medical"),
    "force-move": ("Move by force", "{actor} moves {resister}", "roe.act.strength"),
    "hurl": ("Throw someone", "{actor} throws someone into {resister}", "roe.act.ranged"),
    "loot": ("Loot", "{actor} loots {resister}", "roe.act.loot"),
    "pickpocket": ("Pick a pocket", "{actor} picks the pocket of {resister}", "roe.act.theft"),
    "witness": ("Theft with a witness", "{actor} steals in front of {resister}", "roe.act.stealth"),
    "frisk": ("Search and seizure", "{actor} searches {resister}", "roe.act.perception"),
    "cuff": ("Handcuff", "{actor} tries to handcuff {resister}", "roe.act.accuracy"),
    "ram": ("Ram", "{actor} rams {resister}", "roe.act.drive"),
}
"""Title, headline and the actor's table of the contest `roe.<name>`, against `roe.resist.<name>`."""


class ContestResult(Struct, frozen=True):
    """A contest after its dice: totals, margin, criticals and what they cost."""

    actor_total: int
    resister_total: int
    winner: Winner
    margin: int
    actor_critical: Critical
    resister_critical: Critical
    actor_loses: Loses
    resister_loses: Loses

    @property
    def is_won(self) -> bool:
        """Whether the actor won."""
        return self.winner == ACTOR

    @property
    def double(self) -> bool:
        """Whether an attack's damage die doubles (line 90)."""
        return self.is_won and self.actor_critical == "success"

    @property
    def costs(self) -> tuple[Consequence, ...]:
        """What criticals cost both in their next turn (line 88)."""
        pairs = ((ACTOR, self.actor_loses), (RESISTER, self.resister_loses))
        return tuple(Consequence(LOST[what], role) for role, what in pairs if what in LOST)


def read_contest(result: PartResult, book: Book) -> ContestResult:
    """Read a contest from its two rolls."""
    act, resist = result.on_tables
    winner = cast("Winner", resist.row.outcome)
    margin = act.total - resist.total if winner == ACTOR else resist.total - act.total
    actor, resister = find_critical(act), find_critical(resist)
    hit = winner == ACTOR and act.table.id in _ATTACKS
    lost = find_losses(actor, resister, find_critical_cost(book, result.part.facts), hit=hit)
    return ContestResult(act.total, resist.total, winner, margin, actor, resister, *lost)


def find_unresisted(part: Part, book: Book, table: str, traits: Iterable[str] = ("cuffed",)) -> MethodResult | None:
    """Return the actor's win if a trait keeps the resister from resisting, or None (lines 168, 499)."""
    found = next((trait for trait in traits if f"{RESISTER}.{trait}" in part.facts), None)
    if found is None:
        return None
    row, source = book.table(table).row(ACTOR), book.table(table).source
    step = Throw(found.capitalize(), "no resistance", source=source, line=row.line)
    return MethodResult((step,), BY_WINNER(part, [row]))


class SureMethod(procedure.FrozenMethod, frozen=True):
    """A method without dice: certain, or refused."""

    @abstractmethod
    def settle(self, part: Part, book: Book) -> MethodResult:
        """Return the result, or raise RollError."""

    def check(self, part: Part, book: Book) -> None:
        """Refuse what can't be done."""
        self.settle(part, book)

    def play(self, part: Part, book: Book, _dice: Dice) -> MethodResult:
        """Return the result; no dice are thrown."""
        return self.settle(part, book)


class CertainMethod(SureMethod, frozen=True):
    """A method without dice that shows its result before it's done."""

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the one result, with a chance of 1."""
        return (Chance(self.settle(part, book).conclusion, Fraction(1)),)


def conclude_act(text: str, *follows: Consequence) -> Conclusion:
    """Conclude an act without dice."""
    return Conclusion("done", text, "neutral", "results", follows)


class ContestMethod(TableMethod, frozen=True):
    """A contest that may be won without dice."""

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:  # noqa: ARG002 - of those that may be won so
        """Return the result without dice, or None."""
        return None

    def stages(self, part: Part, book: Book) -> tuple[procedure.WeighedStage, ...]:
        """Return both sides' rolls; none if the result is sure."""
        return () if self.find_sure_result(part, book) else TableMethod.stages(self, part, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each outcome."""
        sure = self.find_sure_result(part, book)
        return (Chance(sure.conclusion, Fraction(1)),) if sure else TableMethod.odds(self, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Describe why no die is thrown; empty if dice decide."""
        sure = self.find_sure_result(part, book)
        return [f"{step.title}: {step.text}." for step in sure.steps if isinstance(step, Throw)] if sure else []


class SkillMethod(ContestMethod, frozen=True):
    """A skill roll with its margin (line 10); `noted_as` is the family whose notes it shows."""

    noted_as: str = ""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Roll, and show skill and margin unless a natural decided."""
        sure = self.find_sure_result(part, book)
        if sure:
            return sure
        played = TableMethod.play(self, part, book, dice)
        last, ended, skill = played.steps[-1], played.conclusion, find_skill(part, book)
        text = ended.text if skill is None or skill.family == self.noted_as else f"{skill.label}: {ended.text}"
        # With a secret modifier, the margin would give it away.
        secret = any(step.secret for step in played.steps if isinstance(step, Step))
        if isinstance(last, Step) and last.value is not None and not (last.natural or secret):
            text += f" (by {abs(last.total - last.value)})"
        follows = (*ended.consequences, *list_losses(part, book, played))
        return replace(played, conclusion=replace(ended, text=text, consequences=follows))

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Describe why no die is thrown, and the page's notes."""
        notes = (note.label for note in book.entries_of(Note).values() if self.noted_as in note.of)
        return [*ContestMethod.lines(self, part, book), *notes]


class _OpposedSkillMethod(SkillMethod, frozen=True):
    """A skill roll against an opponent, who may be helpless (lines 168, 499)."""

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:
        skill = find_skill(part, book)
        if skill is None:
            return None
        return find_unresisted(part, book, book.contests[skill.contest].resister, skill.helpless)


def list_losses(part: Part, book: Book, played: MethodResult) -> Iterator[Consequence]:
    """Yield what critical failures cost in a fight (line 88)."""
    naturals = [find_critical(step) for step in played.steps if isinstance(step, Step)]
    lost = find_losses(naturals[0], (*naturals, "none")[1], find_critical_cost(book, part.facts))
    for role, what in zip((ACTOR, RESISTER), lost, strict=True):
        if what in LOST and (_fights(part, role) or (role == ACTOR and part.inputs.get(FIGHTING))):
            yield Consequence(LOST[what], role)


def carry_fighting(part: Part, before: Sequence[PartResult], _book: Book) -> Part:
    """Note for a later part that its actor is in a fight."""
    return replace(part, inputs={**part.inputs, FIGHTING: True}) if before and _fights(part, ACTOR) else part


def _fights(part: Part, role: str) -> bool:
    return bool(part.kept.get(part.subjects.get(role, ""), {}).get(scenes.MEMBER))


def find_skill(part: Part, book: Book) -> ListedSkill | None:
    """Return the skill a part names, None if it names none; refuse unknown ids."""
    name = part.inputs.get(SKILL)
    return None if name is None else entry_of(book.entries_of(ListedSkill), name)


def find_contest(name: str) -> TableMethod:
    """Return the contest `roe.<name>`."""
    return contest_method(f"roe.{name}", (_CONTESTS[name][-1], f"roe.resist.{name}"), BY_WINNER)


def list_contest_fields(name: str) -> tuple[tuple[str, ...], Conclude, Callable[[Part, Book], Stage] | None]:
    """Return tables, conclusion and plan of the contest `roe.<name>`, for methods that do more."""
    base = find_contest(name)
    return base.tables, base.conclude, base.plan


def make_contest(title: str, headline: str, base: TableMethod, family: str) -> Procedure:
    """Make a contest's procedure, which may use other dice."""
    method = TableMethod(base.tables, BY_WINNER, partial(stage_with_dice, base), shares=base.shares)
    return Procedure(family, title, ACTOR, RESISTER, headline, method, policy=ONCE)


def stage_with_dice(base: TableMethod, part: Part, book: Book) -> Stage:
    """Return a method's first stage with the part's dice."""
    stage = base.first_stage(part, book)
    if part.inputs.get(ALONE):
        stage = replace(stage, then={})
    return _with_dice(stage, part) if part.inputs.get(DICE) else stage


def _with_dice(stage: Stage, part: Part) -> Stage:
    die = part.inputs[DICE].get(stage.table.id)
    table = with_die(stage.table, die["sides"], can_crit=die["can_crit"]) if die else stage.table
    then = {name: _with_dice(following, part) for name, following in stage.then.items()}
    return replace(stage, table=table, then=then)


def _make_opposed(plain: Procedure, tables: tuple[str, ...], contest: str) -> Procedure:
    stage, shares = partial(_find_contest_stage, contest), cast("TableMethod", plain.method).shares
    method = _OpposedSkillMethod(tables, BY_WINNER, stage, shares=shares, noted_as=plain.family)
    return replace(plain, method=method, policy=OWN)


def _find_contest_stage(contest: str, part: Part, book: Book) -> Stage:
    skill = find_skill(part, book)
    declared = book.contests[skill.contest if skill else contest]
    return stage_with_dice(contest_method(declared.id, (declared.actor, declared.resister), BY_WINNER), part, book)


def _find_check_stage(part: Part, book: Book) -> Stage:
    skill = find_skill(part, book)
    return stage_of(skill.check if skill else CHECK, part, book)


def limit_forced_m(speeds: Sequence[float]) -> int:
    """Return the metres of a forced move: half of the lower speed, at least 1 (line 434)."""
    if len(speeds) != len((ACTOR, RESISTER)) or min(speeds) < 0:
        raise errors.RollError("Give two speeds in metres: of the holder and of the held.")
    return max(1, ceil(min(speeds) / 2))


def count_hidden_stacks(book: Book, margin: int) -> int:
    """Return how many stacks stay hidden: one per ten points begun (line 496)."""
    return max(1, -(-margin // book.number("frisk-points")))


def decide_cuffs(book: Book, target: str, *, resists: bool, used: int = 0) -> bool | None:
    """Return whether handcuffs close; None if dice decide (line 499)."""
    if not 0 <= used < book.number("cuff-uses"):
        raise errors.RollError("Handcuffs have already been used in this combat.")
    if target == "stunned":
        return None if resists else True
    if target == "alert" and not resists:
        raise errors.RollError("The target of handcuffs must be stunned, incapacitated or surrendering.")
    return target != "alert"


def find_fall_damage(book: Book, metres: float) -> int:
    """Return a fall's HP, without DR: 10 from 5 m on, 1 per metre beyond (line 132)."""
    if not metres >= 0:
        raise errors.RollError(f"A fall of {metres} m isn't possible. Give 0 metres or more.")
    least = book.number("fall-from-m")
    return 0 if metres < least else book.number("fall-hp") + int(metres) - least


def _make_check(name: str, title: str, headline: str) -> Procedure:
    family = f"{CHECK}.{name}"
    return Procedure(family, title, ACTOR, "thing", headline, TableMethod((family,), BY_WINNER), headline, policy=ONCE)


_SKILL_TABLES = ("roe.act", "roe.resist", *(f"roe.{side}.{skill}" for skill in OPPOSED for side in ("act", "resist")))
_PLAIN = contest_method("roe.skill", ("roe.act", "roe.resist"), BY_WINNER)
_ANY = make_contest("Skill roll", "{actor} against {resister}", _PLAIN, "roe.skill")
_HIDE, *_OTHERS = (
    make_contest(title, headline, find_contest(name), f"roe.{name}") for name, (title, headline, _) in _CONTESTS.items()
)
_CHECK = SkillMethod((CHECK, *(f"{CHECK}.{skill}" for skill in SKILLS)), BY_WINNER, _find_check_stage, noted_as=CHECK)
_TRIES = "{actor} tries"
PROCEDURES = (
    _ANY,
    _make_opposed(replace(_ANY, family=VERSUS, carry=carry_fighting), _SKILL_TABLES, _ANY.family),
    *_OTHERS,
    _make_opposed(_HIDE, _HIDE.method.tables, _HIDE.family),
    Procedure(CHECK, "Skill roll", ACTOR, "thing", _TRIES, _CHECK, _TRIES, policy=OWN),
    _make_check("fall", "Fall", "{actor} falls"),
    _make_check("mortal", "Saving roll", "{actor} is struck hard"),
    _make_check("fuel", "Burning fuel", "{actor} goes down with a flamer"),
    _make_check("cuffs", "Pick handcuffs", "{actor} tries to pick handcuffs"),
    _make_check("hatch", "Hatch", "{actor} tries to hack a hatch"),
)
