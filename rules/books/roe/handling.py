"""The start and upkeep of turns, and acts without dice (lines 37, 88 to 129, 159, 168, 264 to 274, 313 to 325, 390 to 450, 522 to 554)."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rules import acts, scenes, subjects
from rules.book import Act, Book, weigh_score
from rules.books.roe import characters, contests, turns
from rules.books.roe.catalog import ACTOR, RESISTER, Stance
from rules.books.roe.fights import DRAWN, GONE, LYING, PICKED, STUNNED_NOW, TAKEN, TURN_NOTES
from rules.books.roe.weapons import Weapon, find_weapon, special_actions
from rules.errors import RollError
from rules.modifiers import Facts, KnownFact, Origin
from rules.modifiers import find_matching_facts as matching
from rules.procedure import MethodResult, Part, Procedure, ResolutionMethod

LOST, STUNNED, HASTED = (f"{ACTOR}.{trait}" for trait in ("lost-action", "stunned", "hasted"))
TURN_START, TURN = "roe.turn-start", "turn"
"""The family of what happens at the start of a turn, and its input: the number of that turn."""
_LASTS = Origin("effect", "lasting effect")


def begin_turn(book: Book, facts: Facts, *, lost: int = 0, extra: int = 0) -> dict[str, int]:
    """Return the marks a turn begins with, after Actions lost and gained."""
    barred = {mark for bar in list_bars(book, facts) for mark in bar.takes}
    return {
        item.id: 0
        if item.id in barred or (item.needs is not None and item.needs not in facts)
        else max(0, item.amount + (extra - lost if item.varies else 0))
        for item in book.entries_of(turns.Allowance).values()
    }


def count_allowance(book: Book, traits: Iterable[str]) -> Mapping[str, int]:
    """Return the marks a turn begins with under these traits, with a mark for a stun."""
    facts = {f"{ACTOR}.{trait}": KnownFact(1, _LASTS) for trait in traits}
    marks = begin_turn(book, facts, lost=int(LOST in facts), extra=int(HASTED in facts))
    return {**marks, STUNNED_NOW: int(STUNNED in facts)}


def list_unspent(book: Book, item: scenes.Participant) -> list[turns.Allowance]:
    """Return the allowances, such as Actions, that a fighter hasn't used up."""
    return [each for each in book.entries_of(turns.Allowance).values() if item.marks.get(each.id)]


def list_bars(book: Book, facts: Facts) -> list[turns.Bar]:
    """Return what takes marks away under these facts."""
    return [bar for bar in book.entries_of(turns.Bar).values() if matching(bar.when, facts) is not None]


def check_upkeep(book: Book, facts: Facts) -> dict[str, bool]:
    """Return by id whether each running upkeep is kept up at the end of a turn."""
    lasting = (item for item in book.entries_of(turns.Upkeep).values() if item.of in facts)
    return {item.id: matching(item.when, facts) is not None for item in lasting}


def list_expired(book: Book, traits: Iterable[str], notes: Iterable[str]) -> list[turns.Upkeep]:
    """Return the upkeeps that end with a turn because nothing kept them up."""
    facts = dict.fromkeys([*(f"{ACTOR}.{trait}" for trait in traits), *notes], KnownFact(1, _LASTS))
    upkeep = check_upkeep(book, facts)
    return [item for item in book.entries_of(turns.Upkeep).values() if upkeep.get(item.id) is False]


_SPRINTED = f"{TURN_NOTES}sprint"
WEAPON, TOKEN, AMMUNITION, METRES, ITEM = "weapon", "token", "ammunition", "metres", "item"
"""Inputs: weapon name, token, ammunition, metres, and the thing on the ground."""
HELD = f"{ACTOR}.held"
NOW = "now"


def find_bar(book: Book, act: Act, facts: Facts) -> turns.Bar | None:
    """Return what keeps an act from being paid, if anything."""
    takes = {cost.mark for cost in acts.list_costs(act, facts) if cost.amount}
    return next((bar for bar in list_bars(book, facts) if takes & {*bar.takes}), None)


def movement_m(book: Book, facts: Facts, role: str) -> int:
    """Return the metres of one movement phase; in a vehicle the rider's don't count (line 522)."""
    score, vehicle = book.scores["movement-m"], facts.get(f"{role}.carried-m")
    if f"{role}.vehicle" in facts:
        return score.base + (vehicle.count if vehicle else 0)
    added = [item.amount for item in weigh_score(score, role, facts).modifiers]
    stances = [*book.entries_of(Stance).values()]
    stance = next((item for item in stances if item.fact and f"{role}.{item.fact}" in facts), stances[0])
    return find_phase_m(book, stance, score.base, added, sprint=_SPRINTED in facts)


def find_phase_m(book: Book, stance: Stance, base: int, added: Sequence[int], *, sprint: bool) -> int:
    """Return the metres of a movement phase in a stance, after `added` modifiers and a sprint."""
    if stance.metres is not None:
        part = book.number("positive-part-prone")
        slowed = stance.metres + sum(value // part if value > 0 else value for value in added)
        return max(slowed, book.number("prone-least-m"))
    return max(base + sum(added) + (book.number("sprint-m") if sprint else 0), 0)


_Handled = tuple[str, Mapping[str, characters.Marks]]


class _HandlingMethod(contests.SureMethod, frozen=True):
    """An act without dice that changes marks in a fight; `handle` says what was done, and the new marks by role."""

    handle: Callable[[Part, Book], _Handled]
    keeps: tuple[str, ...] = (scenes.MEMBER,)

    def settle(self, part: Part, book: Book) -> MethodResult:
        text, marks = self.handle(part, book)
        changes = (change for role, new in marks.items() for change in characters.mark_fighter(part, role, new))
        return MethodResult((), contests.conclude_act(text), changes=tuple(changes))


def _reload(part: Part, book: Book) -> _Handled:  # by one Action (lines 264 to 268), also to load special ammunition
    marks, name, weapon = _find_in_hand(part, book)
    state, kind = characters.read_readiness(marks, name), part.inputs.get(AMMUNITION)
    due = bool(state.reload or state.used)
    if not weapon.gun or not (due or kind):
        raise RollError(f"{name} doesn't need reloading.")
    left = (state.reload or weapon.type.reload if due else special_actions(book, weapon)) - 1
    after = characters.Readiness(0 if due else state.used, left, state.bolt)
    now = {**characters.with_readiness(marks, name, after), DRAWN + subjects.word_id(name): 1}
    now[characters.RESTARTED + subjects.word_id(name)] = max(weapon.reload_actions, left + 1) if left else 0
    with_kind = f" with {kind}" if kind else ""
    text = f"{left} more to go, without moving or attacking" if left else "ready"
    if kind:  # one kind in a weapon (line 325)
        loaded = f"{characters.LOADED}{subjects.word_id(name)}."
        now |= {mark: 0 for mark in now if mark.startswith(loaded)} | {loaded + subjects.word_id(kind): 1}
    return f"{name}{with_kind}: {text}", {ACTOR: now}


def _work_bolt(part: Part, book: Book) -> _Handled:  # line 293
    marks, name, weapon = _find_in_hand(part, book)
    state = characters.read_readiness(marks, name)
    if not weapon.type.bolt:
        raise RollError(f"{name} has no bolt.")
    if not state.bolt:
        raise RollError(f"{name}'s bolt is already worked.")
    ready = characters.Readiness(state.used, state.reload)
    return f"{name}: ready", {ACTOR: characters.with_readiness(marks, name, ready)}


def _draw(part: Part, book: Book) -> _Handled:  # and puts other weapons away (line 313)
    marks = characters.read_marks(part, ACTOR)
    names = [name.strip() for name in str(part.inputs[WEAPON]).split(",")]
    if len(names) > book.number("hands"):
        raise RollError(f"You have {book.number('hands')} hands for weapons, not {len(names)}.")
    ids = [subjects.word_id(name) for name in names]
    for name, weapon_id in zip(names, ids, strict=True):
        if any(marks.get(gone + weapon_id) for gone in GONE):
            raise RollError(f"{name} is out of reach. Pick it up first.")
    if all(marks.get(DRAWN + weapon_id) for weapon_id in ids):
        raise RollError(f"{' and '.join(names)}: already in hand.")
    away = {mark: 0 for mark in marks if mark.startswith(DRAWN)}
    later = part.inputs.get(acts.EFFECTIVE, NOW) != NOW
    new = {characters.DREW + weapon_id for weapon_id in ids if later and not marks.get(DRAWN + weapon_id)}
    when = ", usable from next turn" if new else ""
    now = {**away, **{DRAWN + weapon_id: 1 for weapon_id in ids}, **dict.fromkeys(new, 1)}
    return f"{' and '.join(names)} in hand{when}", {ACTOR: now}


def _move(part: Part, book: Book) -> _Handled:  # up to a movement phase; reloads start over (lines 124, 266)
    most, metres = _find_most_m(part, book), part.inputs.get(METRES)
    if metres is not None and metres > most:
        raise RollError(f"{part.subjects[ACTOR]} can move up to {most} m, not {metres} m.")
    far = f"up to {most} m" if metres is None else f"{metres} m of {most} m"
    return f"Moved, {far}", {ACTOR: characters.restart_reloads(characters.read_marks(part, ACTOR))}


class _MovingMethod(_HandlingMethod, frozen=True):
    def lines(self, part: Part, book: Book) -> Sequence[str]:
        return [f"Up to {_find_most_m(part, book)} m."]


def _find_most_m(part: Part, book: Book) -> int:
    most = movement_m(book, part.facts, ACTOR)
    return min(most, book.number("held-m")) if HELD in part.facts else most


def _find_in_hand(part: Part, book: Book) -> tuple[characters.Marks, str, Weapon]:
    marks, name, weapon = characters.read_marks(part, ACTOR), part.inputs[WEAPON], find_weapon(book, part.inputs[TOKEN])
    if marks and not characters.is_in_hand(marks, name):
        raise RollError(f"{name} isn't in hand. Draw it first.")
    return marks, name, weapon


def _pick_up(part: Part, _book: Book) -> _Handled:  # another fighter's thing until the end of the fight
    whose, item = _find_on_ground(part)
    text = f"{part.inputs.get(ITEM) or item} in hand"
    own = characters.restart_reloads(characters.read_marks(part, ACTOR))  # who picks something up has moved to it
    if whose == ACTOR:
        return text, {ACTOR: {**own, LYING + item: 0, DRAWN + item: 1}}
    number = (characters.find_fighter(part, whose) or {})["id"]
    theirs = {LYING + item: 0, TAKEN + item: 1}
    return text, {ACTOR: {**own, DRAWN + item: 1, f"{PICKED}{number}.{item}": 1}, whose: theirs}


def _kick(part: Part, book: Book) -> _Handled:
    (whose, item), metres = _find_on_ground(part), book.number("disarm-m")
    farther = {LYING + item: characters.read_marks(part, whose)[LYING + item] + metres}
    return f"{part.inputs.get(ITEM) or item}: up to {metres} m farther", {whose: farther}


def _find_on_ground(part: Part) -> tuple[str, str]:
    whose, named = RESISTER if RESISTER in part.subjects else ACTOR, part.inputs.get(ITEM)
    marks = characters.read_marks(part, whose)
    there = (mark.removeprefix(LYING) for mark, count in marks.items() if mark.startswith(LYING) and count)
    found = next((item for item in there if named is None or subjects.word_id(named) == item), None)
    if found is None:
        raise RollError(f"{part.subjects[whose]} has no {named or 'weapon'} on the ground.")
    return whose, found


def _procedure(name: str, title: str, subject: str, method: ResolutionMethod) -> Procedure:
    headline = f"{{actor}}: {title.lower()}"
    return Procedure(f"roe.{name}", title, ACTOR, subject, headline, method, headline, policy=contests.BY_ACT)


PROCEDURES = (
    _procedure("reloading", "Reload", "thing", _HandlingMethod(_reload)),
    _procedure("bolting", "Work the bolt", "thing", _HandlingMethod(_work_bolt)),
    _procedure("drawing", "Draw", "thing", _HandlingMethod(_draw)),
    _procedure("moving", "Move", "thing", _MovingMethod(_move)),
)
GROUND = (
    _procedure("turn.picking-up", "Pick up", RESISTER, _HandlingMethod(_pick_up)),
    _procedure("turn.kicking", "Kick away", RESISTER, _HandlingMethod(_kick)),
)
