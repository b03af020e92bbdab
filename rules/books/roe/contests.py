"""Contests of the RoE book: two sides' dice against each other (lines 82 to 92), and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.criticals import Critical, Loses, critical_cost, critical_of, losses, thrown_with
from rules.books.roe.skills import OPPOSED, OWN, SkillMethod, skill_of, still_fighting
from rules.contests import contest_method
from rules.dice import Dice
from rules.errors import RollError
from rules.procedure import Chance, MethodResult, Part, PartResult, Policy, Procedure, Stage, Throw, WeighedStage
from rules.stages import TableMethod, conclude_by_row

Winner = Literal["actor", "resister"]
ACTOR, RESISTER = "actor", "resister"
BY_WINNER = conclude_by_row("results")
DICE = "dice"
"""The input of a part that says by table which die is thrown there, and whether it can have a critical success."""
VERSUS = "roe.versus"
"""The family of rolls of any skill against somebody."""
ALONE = "alone"
"""The input of a part that nobody resists."""
_ATTACKS = frozenset({"roe.act.accuracy", "roe.act.ranged"})
"""Tables on which a critical success is a critical hit."""


class Settled(Struct, frozen=True):
    """A contest as it came out: totals, who won by how much, and what naturals were rolled and cost."""

    actor_total: int
    resister_total: int
    winner: Winner
    margin: int
    actor_critical: Critical
    resister_critical: Critical
    actor_loses: Loses
    resister_loses: Loses

    @property
    def won(self) -> bool:
        """Whether it is the actor who won."""
        return self.winner == ACTOR

    @property
    def double(self) -> bool:
        """Whether the damage die of an attack counts twice (line 90)."""
        return self.won and self.actor_critical == "success"


def settled(result: PartResult, book: Book) -> Settled:
    """Read what a contest came to off its two rolls."""
    act, resist = result.on_tables
    winner = cast("Winner", resist.row.outcome)
    margin = act.total - resist.total
    actor, resister = critical_of(act.table, act.roll.total), critical_of(resist.table, resist.roll.total)
    hit = winner == ACTOR and act.table.id in _ATTACKS
    lost = losses(actor, resister, critical_cost(book, result.part.facts), hit=hit)
    return Settled(act.total, resist.total, winner, margin if winner == ACTOR else -margin, actor, resister, *lost)


def unresisted(part: Part, book: Book, table: str, traits: Iterable[str] = ("cuffed",)) -> MethodResult | None:
    """Return how a contest goes that nobody resists, by what keeps the resister from it (lines 168, 499); None where dice decide."""
    found = next((trait for trait in traits if f"{RESISTER}.{trait}" in part.facts), None)
    if found is None:
        return None
    row, source = book.table(table).row(ACTOR), book.table(table).source
    told = Throw(found.capitalize(), "no resistance", source=source, line=row.line)
    return MethodResult((told,), BY_WINNER(part, [row]))


def duel(name: str, title: str, headline: str, tables: tuple[str, str]) -> Procedure:
    """Return the procedure of the contest `roe.<name>`, which is its family too."""
    base = contest_method(f"roe.{name}", tables, BY_WINNER)
    return Procedure(
        family=f"roe.{name}",
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=headline,
        method=TableMethod(tables, BY_WINNER, partial(stage_with_dice, base), shares=base.shares),
        policy=Policy(again="never"),
    )


def stage_with_dice(base: TableMethod, part: Part, book: Book) -> Stage:
    """Return the stage that a method begins with, its tables with the dice that the part throws on them."""
    stage = base.first_stage(part, book)
    if part.inputs.get(ALONE):
        stage = replace(stage, then={})
    return _thrown(stage, part) if part.inputs.get(DICE) else stage


def _thrown(stage: Stage, part: Part) -> Stage:
    die = part.inputs[DICE].get(stage.table.id)
    table = thrown_with(stage.table, die["sides"], can_crit=die["can_crit"]) if die else stage.table
    return replace(stage, table=table, then={name: _thrown(following, part) for name, following in stage.then.items()})


_DUELS = (
    ("strike", "Attack", "{actor} attacks {resister}", "roe.act.accuracy"),
    ("spot", "Find a sniper", "{actor} looks for {resister}", "roe.act.perception"),
    ("sneak", "Sneak up", "{actor} sneaks up on {resister}", "roe.act.stealth"),
    ("disarm", "Disarm", "{actor} tries to disarm {resister}", "roe.act.disarm"),
    ("grapple", "Grapple", "{actor} tries to grab {resister}", "roe.act.accuracy"),
    ("break-by-dodge", "Break a hold by dodging", "{actor} tries to break free of {resister}", "roe.act.dodge"),
    ("break-by-strength", "Break a hold by strength", "{actor} tries to break free of {resister}", "roe.act.strength"),
    ("inject", "Inject", "{actor} tries to inject {resister}", "roe.act.medical"),
    ("force-move", "Move by force", "{actor} moves {resister}", "roe.act.strength"),
    ("hurl", "Throw someone", "{actor} throws someone into {resister}", "roe.act.ranged"),
    ("loot", "Loot", "{actor} loots {resister}", "roe.act.loot"),
    ("pickpocket", "Pick a pocket", "{actor} picks the pocket of {resister}", "roe.act.theft"),
    ("witness", "Theft with a witness", "{actor} steals in front of {resister}", "roe.act.stealth"),
    ("frisk", "Search and seizure", "{actor} searches {resister}", "roe.act.perception"),
    ("cuff", "Handcuff", "{actor} tries to handcuff {resister}", "roe.act.accuracy"),
    ("ram", "Ram", "{actor} rams {resister}", "roe.act.drive"),
)


class OpposedMethod(SkillMethod, frozen=True):
    """The method of skill rolls against somebody: without dice where that one cannot resist (lines 168, 499)."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Roll both, or tell that nobody resists."""
        return self.unopposed(part, book) or SkillMethod.play(self, part, book, dice)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return both sides' rolls; none against who cannot resist."""
        return () if self.unopposed(part, book) else SkillMethod.stages(self, part, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each outcome."""
        sure = self.unopposed(part, book)
        return (Chance(sure.conclusion, Fraction(1)),) if sure else SkillMethod.odds(self, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return why no die is thrown, and the notes of the page."""
        sure = self.unopposed(part, book)
        why = [f"{step.title}: {step.text}." for step in sure.steps if isinstance(step, Throw)] if sure else []
        return [*why, *SkillMethod.lines(self, part, book)]

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        """Return how it goes against who cannot resist; None where dice decide."""
        skill = skill_of(part, book)
        if skill is None or not skill.helpless:
            return None
        return unresisted(part, book, book.contests[skill.contest].resister, skill.helpless)


def _opposed(plain: Procedure, tables: tuple[str, ...], contest: str) -> Procedure:
    """Return the procedure of a skill roll against somebody, which players make for their own."""
    shares = cast("TableMethod", plain.method).shares
    stage = partial(_skill_stage, contest)
    return replace(
        plain, method=OpposedMethod(tables, BY_WINNER, stage, shares=shares, told_as=plain.family), policy=OWN
    )


def _skill_stage(contest: str, part: Part, book: Book) -> Stage:
    """Return the stage of the contest of the skill that a part names, of `contest` where it names none."""
    skill = skill_of(part, book)
    named = skill.contest if skill else contest
    declared = book.contests[named]
    return stage_with_dice(contest_method(named, (declared.actor, declared.resister), BY_WINNER), part, book)


_SKILL_TABLES = ("roe.act", "roe.resist", *(f"roe.{side}.{skill}" for skill in OPPOSED for side in ("act", "resist")))

_ANY = duel("skill", "Skill roll", "{actor} against {resister}", ("roe.act", "roe.resist"))
_HIDING = duel("hide", "Hide", "{actor} hides from {resister}", ("roe.act.stealth", "roe.resist.hide"))

PROCEDURES = (
    _ANY,
    _opposed(replace(_ANY, family=VERSUS, carry=still_fighting), _SKILL_TABLES, _ANY.family),
    *(duel(name, title, headline, (table, f"roe.resist.{name}")) for name, title, headline, table in _DUELS),
    _opposed(_HIDING, _HIDING.method.tables, _HIDING.family),
)


def forced_m(speeds: Sequence[float]) -> int:
    """Return how far somebody is moved by force: half of the lower speed rounded up, at least a metre (line 434)."""
    if len(speeds) != len((ACTOR, RESISTER)) or min(speeds) < 0:
        raise RollError("Give two speeds in metres: of the holder and of the held.")
    return max(1, ceil(min(speeds) / 2))


def stacks_kept(book: Book, margin: int) -> int:
    """Return how many stacks a suspect hides who wins by so much: one for every ten points begun, at least one (line 496)."""
    return max(1, -(-margin // book.number("frisk-points")))


def cuffs_by_dice(book: Book, target: str, *, resists: bool, used: int) -> bool | None:
    """Return whether handcuffs close on a target, None where dice decide that (line 499)."""
    if not 0 <= used < book.number("cuff-uses"):
        raise RollError("Handcuffs have already been used in this combat.")
    if target == "stunned":
        return None if resists else True
    if target == "alert" and not resists:
        raise RollError("The target of handcuffs must be stunned, incapacitated or surrendering.")
    return target != "alert"
