"""Acts, as data: costs, refusals, rolls and results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Self

from msgspec.structs import replace

from rules import effects, errors, kinds, modifiers, phrases, procedure, ruleset, scenes, subjects
from rules.book import HOUSE, Act, Book, Cost
from rules.dice import Dice
from rules.orders import OrderKind
from rules.stages import PUSH, Conclude, StrikesMethod, TableMethod, conclude_by_row, contest_method
from rules.tables import Consequence, Source, TableRow

OTHER_ONE = "the other one"
SPENT = "spent"
"""The trait of a turn that says an act has cost something. The prefix of the act's id comes before it."""
EFFECTIVE = "effective"
"""The input of a part that says when an act with variants takes effect."""


class TooLittle(errors.RollError):
    """The actor can't pay for an act."""

    def __init__(self, what: str, mark: str) -> None:
        super().__init__(what)
        self.mark = mark


class ActMethod(procedure.FrozenMethod, frozen=True):
    """Pays for an act, then plays its roll, if any."""

    act: str
    rolled: procedure.ResolutionMethod | None
    tables: tuple[str, ...]
    manual_facts: tuple[str, ...]
    keeps: tuple[str, ...]
    skips: tuple[str, ...]
    discloses: bool
    aliases: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls, act: str, rolled: procedure.ResolutionMethod | None = None, aliases: tuple[tuple[str, str], ...] = ()
    ) -> Self:
        """Make an act's method, which also reads the actor's scene state."""
        method = rolled or procedure.ResolutionMethod
        keeps = (scenes.MEMBER, *method.keeps)
        of_roll = method.tables, method.manual_facts, keeps, method.skips, method.discloses
        return cls(act, rolled, *of_roll, aliases)

    def check(self, part: procedure.Part, book: Book) -> None:
        """Refuse an act that's impossible or unaffordable, or whose roll refuses."""
        _, rolled = self._require_act(part, book)
        if rolled:
            rolled.check(part, book)

    def play(self, part: procedure.Part, book: Book, dice: Dice) -> procedure.MethodResult:
        """Pay, then roll, if there's a roll."""
        act = book.acts[self.act]
        rolled = self.rolled if act.variant(part.facts).rolled else None
        taken, paid = [*_list_payments(act, part, book)], list(_find_payments(act, part))
        when = {EFFECTIVE: act.variant(part.facts).effect} if act.variants else {}
        left = replace(part, kept=procedure.with_changes(part.kept, taken), inputs={**part.inputs, **when})
        then = list_consequences(act, part, book)
        done = procedure.MethodResult((), replace(_conclude_done(act), consequences=then))
        played = rolled.play(left, book, dice) if rolled else done
        text = ", ".join(f"{phrases.format_count(cost.amount, cost.label)}, {left} left" for cost, left in paid)
        source = Source(book.source, act.title)
        bill = [procedure.Throw("Cost", text, (), source, act.costs[0].line)] if paid else []
        follows = (*played.conclusion.consequences, *(then if rolled else ()))
        follows = tuple(it for it in follows if it.to != act.subject or act.subject in part.subjects)
        conclusion = replace(played.conclusion, consequences=follows)
        return procedure.MethodResult((*bill, *played.steps), conclusion, played.record, (*taken, *played.changes))

    def stages(self, part: procedure.Part, book: Book) -> tuple[procedure.WeighedStage, ...]:
        """List the stages of the act's roll; empty without a roll."""
        _, rolled = self._require_act(part, book)
        return rolled.stages(part, book) if rolled else ()

    def odds(self, part: procedure.Part, book: Book) -> tuple[procedure.Chance, ...]:
        """List the odds of the act's roll; without a roll it succeeds for certain."""
        act, rolled = self._require_act(part, book)
        return rolled.odds(part, book) if rolled else (procedure.Chance(_conclude_done(act), Fraction(1)),)

    def find_shared_die(self, book: Book) -> procedure.SharedDie | None:
        """Find the shared die of the act's roll; None without one."""
        return self.rolled.find_shared_die(book) if self.rolled else None

    def lines(self, part: procedure.Part, book: Book) -> Sequence[str]:
        """Return lines with each cost and what will be left, then the lines of the act's roll."""
        act, rolled = self._require_act(part, book)
        paid = _find_payments(act, part)
        costs = [f"Costs {phrases.format_count(cost.amount, cost.label)}; {left} will be left." for cost, left in paid]
        return [*costs, *(rolled.lines(part, book) if rolled else ())]

    def _require_act(self, part: procedure.Part, book: Book) -> tuple[Act, procedure.ResolutionMethod | None]:
        act = book.acts[self.act]
        require_possible(book, act, part)
        return act, self.rolled if act.variant(part.facts).rolled else None


def require_possible(book: Book, act: Act, part: procedure.Part, *, alone: bool = False) -> None:
    """Refuse an act that's impossible or unaffordable; with `alone`, ignore what depends on its target.

    A fact hidden from players never refuses: that would reveal it.
    """
    declared = book.facts
    shown = {fact: known for fact, known in part.facts.items() if not (known.secret or declared[fact].secret)}
    believed = {**shown, **part.lacking}
    for refusal in act.refused:
        if alone and any(map(act.about_other, modifiers.list_mentioned_facts(refusal.when))):
            continue
        if all(modifiers.find_matching_facts(refusal.when, facts) is not None for facts in (shown, believed)):
            raise errors.RollError(refusal.words.format_map({"to": OTHER_ONE, act.subject: OTHER_ONE, **part.subjects}))
    who = part.subjects.get(act.actor, "Nobody")
    for cost, left in _find_payments(act, part):
        if left < 0:
            has = left + cost.amount
            what = f"{who} has {phrases.format_count(has, cost.label) if has else f'no {cost.label}'} left, and this takes {cost.amount}."
            raise TooLittle(what, cost.mark)


def list_order_acts(catalog: kinds.Catalog) -> Iterator[Act]:
    """Yield an act for each order without a roll."""
    for kind in catalog.get(OrderKind.kind, {}).values():
        if isinstance(kind, OrderKind) and kind.family is None:
            alone = f"{{{kind.by}}}: {kind.label.replace('{', '{{').replace('}', '}}')}"
            about = f"{alone}, {{{kind.to}}}" if kind.to else alone
            to = kind.to or "target"
            made = Act(kind.id, kind.label, about, "Carried out", kind.line, actor=kind.by, subject=to)
            yield replace(made, headline_alone=alone, audience="staff")


def with_procedures(book: ruleset.RuleSet, procedures: Iterable[procedure.Procedure]) -> ruleset.RuleSet:
    """Add these procedures and one for each act."""
    own = {item.family: item for item in procedures}
    acts = {act.id: _make_procedure(act, book, own) for act in book.acts.values()}
    return replace(book, procedures={**acts, **own})


def _make_procedure(act: Act, book: Book, families: Mapping[str, procedure.Procedure]) -> procedure.Procedure:
    played = None if act.rolls in book.contests else families.get(act.rolls or "")
    rolled = None if act.rolls is None else _make_method(act.rolls, book, conclude_by_row(act.audience))
    method = played.method if played else rolled
    own = played.actor == ruleset.ROLLER if played else rolled is not None and book.id == HOUSE
    return procedure.Procedure(
        family=act.id,
        title=act.title,
        actor=act.actor,
        subject=act.subject,
        headline=act.headline,
        method=ActMethod.of(act.id, _play_as(act, method, book), _find_aliases(act))
        if own
        else ActMethod.of(act.id, method),
        headline_alone=act.headline_alone or act.headline,
        policy=procedure.Policy(
            again="never", open_to_players=act.own, needs=((act.actor, subjects.PROFILE),) if act.own else ()
        ),
        carry=_charge_once(act.actor, played.carry if played else procedure.carry_nothing),
        settles=played.settles if played else {},
        choices=played.choices if played else _list_choices(act, book),
    )


def _find_aliases(act: Act) -> tuple[tuple[str, str], ...]:
    pairs = (act.actor, ruleset.ROLLER), (act.subject, ruleset.TARGET)
    return tuple((role, alias) for role, alias in pairs if alias not in {act.actor, act.subject})


def _list_choices(act: Act, book: Book) -> tuple[procedure.Choice, ...]:
    contest = book.contests.get(act.rolls or "")
    pool = book.table(contest.actor).pool if contest else None
    return (PUSH,) if pool and pool.push else ()


def _play_as(act: Act, method: procedure.ResolutionMethod | None, book: Book) -> procedure.ResolutionMethod | None:
    if not isinstance(method, TableMethod | StrikesMethod):
        return method
    roles = {ruleset.ROLLER: act.actor, ruleset.TARGET: act.subject}
    staff = "staff" in {act.audience, *(book.table(name).audience for name in method.tables)}
    return replace(method, conclude=partial(_conclude_in_roles, roles, method.conclude, staff))


def _conclude_in_roles(
    roles: Mapping[str, str],
    conclude: Conclude,
    staff: bool,  # noqa: FBT001 - given in its place by a partial
    part: procedure.Part,
    rows: Sequence[TableRow],
) -> procedure.Conclusion:
    subjects_ = {role: part.subjects[own] for role, own in roles.items() if own in part.subjects}
    found = conclude(replace(part, subjects=subjects_), rows)
    done = (item if item.to is None else replace(item, to=roles.get(item.to, item.to)) for item in found.consequences)
    return replace(found, audience="staff" if staff else found.audience, consequences=tuple(done))


@cache  # so that procedures built twice are equal
def _charge_once(actor: str, carry: procedure.Carry) -> procedure.Carry:
    return partial(_charge_first_part, actor, carry)


def _charge_first_part(
    actor: str, carry: procedure.Carry, part: procedure.Part, before: Sequence[procedure.PartResult], book: Book
) -> procedure.Part:
    part = carry(part, before, book)
    if any(subjects.name_key(item.part.subjects[actor]) == subjects.name_key(part.subjects[actor]) for item in before):
        who = subjects.names_of(part.subjects[actor])
        return replace(part, kept=procedure.with_changes(part.kept, [(name, scenes.MEMBER, None) for name in who]))
    return part


def _make_method(rolled: str, book: Book, conclude: Conclude) -> procedure.ResolutionMethod:
    if rolled in book.contests:
        contest = book.contests[rolled]
        return contest_method(rolled, (contest.actor, contest.resister), conclude)
    if rolled in book.strikes:
        strikes = book.strikes[rolled]
        return StrikesMethod(rolled, (*strikes.rolls, strikes.tally), conclude)
    return TableMethod((rolled,), conclude)


def _find_payments(act: Act, part: procedure.Part) -> Iterator[tuple[Cost, int]]:
    marked = [value.get("marks", {}) for _, value in _list_participants(act, part)]
    for cost in list_costs(act, part.facts) if marked else ():
        there = min(marks.get(cost.mark, 0) for marks in marked)
        if taken := _find_amount(cost, there):
            yield replace(cost, amount=taken), there - taken


def list_notes(act: Act, book: Book, *, paid: bool) -> list[str]:
    """List the declared facts that an act leaves behind: its id, and if `paid` its turn's `spent`."""
    spent = [f"{act.id.partition('.')[0]}.{SPENT}"] if paid else []
    return [fact for fact in (act.id, *spent) if fact in book.facts]


def _list_payments(act: Act, part: procedure.Part, book: Book) -> Iterator[effects.Change]:
    costs = [*list_costs(act, part.facts)]
    for who, value in _list_participants(act, part):
        marks = dict(value.get("marks", {}))
        for cost in costs:
            there = marks.get(cost.mark, 0)
            marks[cost.mark] = there - _find_amount(cost, there)
        notes = list_notes(act, book, paid=marks != dict(value.get("marks", {})))
        marks |= dict.fromkeys(notes, 1)
        if costs or notes:
            yield who, scenes.MEMBER, {**value, "marks": marks}


def _find_amount(cost: Cost, there: int) -> int:
    return max(there, cost.amount) if cost.whole else cost.amount


def _list_participants(act: Act, part: procedure.Part) -> list[tuple[str, modifiers.JsonObject]]:
    names = subjects.names_of(part.subjects.get(act.actor, ""))
    kept = ((who, part.kept.get(who, {}).get(scenes.MEMBER)) for who in names)
    return [(who, value) for who, value in kept if value is not None]


def list_costs(act: Act, facts: modifiers.Facts) -> Iterator[Cost]:
    """List what an act costs under these facts."""
    return (cost for cost in act.costs if modifiers.find_matching_facts(cost.unless, facts) is None)


def list_consequences(act: Act, part: procedure.Part, book: Book) -> tuple[Consequence, ...]:
    """List what an act does, without deeds that only end effects its target doesn't have."""
    found = []
    for item in act.then:
        deed = book.deeds[item.do]
        if not (deed.only_ends and item.to) or any(f"{item.to}.{trait}" in part.facts for trait in deed.ends):
            found.append(item)
    return tuple(found)


def _conclude_done(act: Act) -> procedure.Conclusion:
    return procedure.Conclusion("done", act.text, "neutral", act.audience, act.then)
