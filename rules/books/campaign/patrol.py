"""Patrol and blockade: one target after another until the patrol's one stop is used up (campaign-rolls, lines 21 to 80)."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.effects import ANSWER, EFFECT, AppliedConsequence, Change, apply_as_declared
from rules.ends import KeptValue, Moment, is_current
from rules.modifiers import KnownFact, Origin
from rules.procedure import Choice, Conclusion, Part, Policy, Procedure, Stage
from rules.stages import TableMethod
from rules.tables import Consequence, TableRow

CATCH = "campaign.patrol.catch"
PASSAGE = "campaign.patrol.passage"
CAUGHT = "caught"
"""The row of table 1 that leads to table 2."""
HOSTILE = "hostile"
STANCE = Choice("stance", "Stance of the target", (HOSTILE, "unfriendly", "neutral", "friendly", "allied"))
_STANCE_FACTS = frozenset(f"target.{stance}" for stance in STANCE.options)
HIDDEN = "target.hidden"
AMBUSHED = "target.ambushed-today"
GROUNDS = ("target.ground", "target.all-ground", "target.all-airborne")
"""Where the target is, for the weather (lines 33, 55, 56); no modifier needs one of the first two only."""

_REVEALED = Consequence("reveal", "target")
_WRITE_UP = Consequence("write-up")
_STOPPED = Consequence("stop", "target")
_STOP_SPENT = "stop-used"
_STOP_USED = Consequence(_STOP_SPENT, "patrol")
_BATTLE = Consequence("battle", "target")
_STOPPED_UNLESS_WON = Consequence("stop-unless-won", "target")
_NO_BATTLE = Consequence("no-battle", "target")


def _prepare(part: Part) -> Part:
    stance = part.choices.get(STANCE.id, STANCE.options[0])
    facts = {fact: known for fact, known in part.facts.items() if fact not in _STANCE_FACTS}
    facts[f"target.{stance}"] = KnownFact(1, Origin("choice", f"stance {stance}"))
    return replace(part, facts=facts, choices={**part.choices, STANCE.id: stance})


def _plan(part: Part, book: Book) -> Stage:
    if part.choices[STANCE.id] == HOSTILE:
        return Stage(book.table(CATCH))
    return Stage(book.table(CATCH), then={CAUGHT: Stage(book.table(PASSAGE))})


def _conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    last = rows[-1]
    if rows[0].outcome != CAUGHT:
        return Conclusion(last.outcome, last.text, last.tone, "staff", last.then)
    if len(rows) == 1:
        return _battle(part)
    return _passage(part, last)


def _battle(part: Part) -> Conclusion:
    if AMBUSHED in part.facts:
        text = "Caught, but only the ambush is fought"
        return Conclusion(
            "caught-ambushed", text, "success", "results", (_NO_BATTLE, _STOPPED, _STOP_USED), _stop_reason(part)
        )
    text = "Caught, fights as if ambushed"
    consequences = (_BATTLE, _STOPPED_UNLESS_WON, _WRITE_UP, _STOP_USED)
    return Conclusion("battle", text, "success", "results", consequences, _stop_reason(part))


def _passage(part: Part, row: TableRow) -> Conclusion:
    passed = not any(consequence.do == _STOP_SPENT for consequence in row.then)
    consequences: tuple[Consequence, ...] = (*row.then, _WRITE_UP)
    if HIDDEN in part.facts:
        consequences = (*consequences, _REVEALED)
    text = row.text
    if AMBUSHED in part.facts and not passed:
        text = f"{row.text}; only the ambush is fought"
        remaining = (item for item in consequences if item.do in {"bribe", "write-up", "stop-used", "reveal"})
        consequences = (*remaining, _NO_BATTLE, _STOPPED)
    return Conclusion(row.outcome, text, row.tone, "results", consequences, None if passed else _stop_reason(part))


def _stop_reason(part: Part) -> str:
    return f"The patrol already stopped {part.key}"


AWAITS_BATTLE, MOVE_STOPPED = f"{EFFECT}awaits-battle", f"{EFFECT}move-stopped"
STOP_USED = EFFECT + _STOP_SPENT
AMBUSH = f"{EFFECT}ambushed-today"


def _ambush(applied: AppliedConsequence) -> Iterator[Change]:
    yield applied.name, AMBUSH, applied.effect()
    if list_awaited_battles(applied.kept.get(AWAITS_BATTLE), applied.moment):
        yield from ambush_fought(applied.name, applied.moment)


def ambush_fought(who: str, moment: Moment) -> Iterator[Change]:
    """Stop the move of a caught unit that is ambushed (line 23)."""
    yield who, AWAITS_BATTLE, None
    yield who, MOVE_STOPPED, {"entry": moment.entry, "update": moment.update}


def list_awaited_battles(value: KeptValue | None, moment: Moment) -> list[int]:
    """Return the battles (entries) a move waits for, oldest first."""
    if value is None or not is_current(value, moment):
        return []
    return [*value.get("battles", [value["entry"]])]  # an older version kept only the newest


def _make_wait_value(battles: Sequence[int], update: int) -> dict[str, object] | None:
    label = "Must win its battle to move on"
    return {"entry": battles[-1], "update": update, "label": label, "battles": battles} if battles else None


def _await_battle(applied: AppliedConsequence) -> Iterator[Change]:
    update = applied.moment.update
    battles = [*list_awaited_battles(applied.kept.get(AWAITS_BATTLE), applied.moment), applied.moment.entry]
    yield applied.name, AWAITS_BATTLE, _make_wait_value(battles, update)


def _owe(applied: AppliedConsequence) -> Iterator[Change]:
    amount = applied.consequence.amount
    owed = applied.effect(amount=amount, label=f"Owes {amount} SP as a bribe", **{ANSWER: "Paid"})
    yield applied.name, f"{EFFECT}bribe-{applied.moment.entry}", owed


def decide_battle(who: str, battle: int, value: KeptValue | None, *, won: bool, moment: Moment) -> Iterator[Change]:
    """Yield the changes of a battle's end for a move that waits for it; a draw stops it too (PB-9)."""
    battles = list_awaited_battles(value, moment)
    if battle in battles:
        yield who, AWAITS_BATTLE, _make_wait_value([number for number in battles if number != battle], moment.update)
    yield who, MOVE_STOPPED, None if won else {"entry": moment.entry, "update": moment.update}


def _hide(applied: AppliedConsequence) -> Iterator[Change]:
    kept = (applied.kept.get(name) for name in (f"{EFFECT}hidden", f"{EFFECT}revealed"))
    if not any(value is not None and is_current(value, applied.moment) for value in kept):
        yield from apply_as_declared(applied)


PROCEDURE = Procedure(
    family="patrol",
    title="Patrol",
    actor="patrol",
    subject="target",
    headline="{patrol} against {target}",
    place="patrol",  # it is rolled for what moves through the patrol's sector (line 22)
    method=TableMethod(
        (CATCH, PASSAGE),
        _conclude,
        _plan,
        required_rows=((CATCH, CAUGHT),),
        manual_facts=(AMBUSHED, *GROUNDS),
        decided_by_choice=_STANCE_FACTS,
    ),
    choices=(STANCE,),
    prepare=_prepare,
    policy=Policy(spends=_STOP_SPENT),
    version=3,
    settles={"hide": _hide, "ambush": _ambush, "bribe": _owe, "stop-unless-won": _await_battle},
)
