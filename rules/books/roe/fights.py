"""A fight as a scene: its marks, and what each step replaces (C01, C07.1, C30.1-2)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from rules import effects, scenes
from rules.scenes import Participant, Replacement, Scene, apply_replacements, change

ACTIONS, MOVEMENTS, METRES, ARRIVING = "actions", "movements", "metres", "arriving"
"""What is left of the turn, the fighter's distance (m), and that the first turn is an arrival."""
FIRST_TURN, FIRST_ATTACK = "first-turn", "first-attack"
"""Until the end of the first turn, and until the first attack."""
STUNNED_NOW, STUNNED_TILL_NOW = "stunned-now", "stunned-till-now"
"""Began this turn under a stun, and hasn't ended one without a stun yet (line 315)."""
LATE = "late"
"""The turn passed on without an action, but its rest may still be used."""
TURN_NOTES = "turn."
"""The prefix of marks that last until the turn ends, and of act ids; listed acts are facts until then."""
DRAWN, RACK, FIRED = "drawn.", "rack.", f"{TURN_NOTES}fired."
"""Prefixes, before the weapon's id: in hand, to be racked, used in this turn."""
STRAY = f"{TURN_NOTES}stray"
"""The number of the target a stray attack goes at."""
GONE = LYING, TAKEN = "dropped.", "taken."
"""Prefixes, before the item's id: lying some metres (the count) away, and picked up by others."""
PICKED = "picked."
"""The prefix for another fighter's item; then follow that fighter's number and the item's id."""
HIDDEN, SPOTTED, BY = f"{effects.EFFECT}hidden", f"{effects.EFFECT}spotted", "seen"
"""The effects of hiding and of being seen while hiding, and their key for who has seen it (numbers)."""
SEATED, SHIELDED = f"{effects.EFFECT}seated", f"{effects.EFFECT}shielded"
FLIGHTS = "flights"
COMING, WANTED = "coming.", "wanted."
"""Prefixes, before a number: turns until that fighter comes in behind, and called but not confirmed yet."""
STARTED = "started."
"""The prefix, before a number, for what happened at the start of that fighter's turn."""
UNREAD = (HIDDEN, SPOTTED, f"{effects.EFFECT}set-up")
"""Effects that only their bearer and the staff may know of; they count as facts only."""
IN_ZONE = "zone"
"""The trait of being in a zone; its value keeps what the zone takes each turn."""
FIGHT = "fight"
FRESH: Mapping[str, int] = {FIRST_TURN: 1, FIRST_ATTACK: 1}
TURN: Mapping[str, int] = {ACTIONS: 1, MOVEMENTS: 1}
DAY, NIGHT, WEATHER = "scene.day", "scene.night", "scene.weather"
"""The conditions of a fight, fixed at its start (line 77)."""
FightMode = Literal["dice", "freeform"]
Motion = Literal["dice", "freeform", "lock"]
"""What can be proposed: the other mode, or that no one else comes in (line 157)."""


class Proposal(Struct, frozen=True):
    """A proposal by an entry, and the fighters (numbers) who agreed."""

    entry: int
    aim: Motion
    yes: tuple[int, ...] = ()


class FightHeader(scenes.Header, frozen=True):
    """A fight: a scene with a defender (number) who picks its `mode`; None until then.

    `asked` is the entry whose post asks everyone else, about the mode or the end of a turn.
    """

    kind: ClassVar[str] = FIGHT
    lean: ClassVar[frozenset[str]] = scenes.Header.lean | {"mode", "locked", "votes", "asked"}

    defender: int = 0
    mode: FightMode | None = None
    locked: bool = False
    votes: Proposal | None = None
    asked: int = 0


Fight = Scene[FightHeader, Participant]


def conditions(light: str | None, weather: int | None) -> dict[str, int]:
    """Return the conditions of a fight as facts, without unknown ones."""
    lit = {fact: int(fact == f"scene.{light}") for fact in (DAY, NIGHT)} if light else {}
    return lit | ({WEATHER: weather} if weather is not None else {})


def choose(fight: Fight, mode: FightMode, entry: int) -> list[Replacement]:
    """Set how the fight is settled; its first turn begins."""
    header = replace(fight.header, mode=mode, since=entry)
    return [Replacement(fight.header, header), *(Replacement(item, _refresh(item)) for item in _list_on_turn(fight))]


def end_turn(fight: Fight, come: Sequence[Participant] = (), *, late: bool = False) -> list[Replacement]:
    """End the current turn and begin the next; `come` join right behind.

    A `late` fighter may still use the rest of the turn.
    """
    now = fight.now if isinstance(fight.now, int) else None
    joined = scenes.join(fight, [*map(_mark_arrival, come)], now) if come else []
    there = after(fight, joined)
    header = Replacement(there.header, scenes.end_turn(there))
    more = {LATE: 1} if late else {}
    ended = (replace(item, marks={**end_marks(item.marks), **more}) for item in _list_on_turn(there))
    return _begin(fight, _merge(joined, [header, *change(there, ended)]))


def _merge(first: Sequence[Replacement], then: Sequence[Replacement]) -> list[Replacement]:
    later = {id(pair.before): pair.after for pair in then if pair.before is not None}
    made = [Replacement(pair.before, later.pop(id(pair.after), pair.after)) for pair in first]
    return [*made, *(pair for pair in then if pair.before is None or id(pair.before) in later)]


def list_due(fight: Fight) -> list[int]:
    """Return who (numbers) comes in when this turn ends."""
    marks = [mark for item in _list_on_turn(fight) for mark in item.marks.items()]
    return [int(name.removeprefix(COMING)) for name, turns in marks if name.startswith(COMING) and turns <= 1]


def expect(fight: Fight, who: int, others: Iterable[int], turns: int, asked: Iterable[int] = ()) -> list[Replacement]:
    """Let `others` come in after `turns` more turns of fighter `who`, and those `asked` if they confirm.

    That fighter's running turn doesn't count.
    """
    left = turns + (fight.now == who)
    marks = {f"{COMING}{other}": left for other in others} | {f"{WANTED}{other}": left for other in asked}
    return change(fight, [replace(item, marks={**item.marks, **marks}) for item in fight.roster if item.id == who])


def join(fight: Fight, new: Participant, behind: int | None, *, waits: bool) -> list[Replacement]:
    """Let a fighter in, behind all or behind a number; the first turn is an arrival (line 159)."""
    return scenes.join(fight, [_mark_arrival(new)], behind, waits=waits)


def leave(fight: Fight, number: int) -> list[Replacement]:
    """Let a fighter leave; if it was their turn, the next begins."""
    return _begin(fight, scenes.leave(fight, {number}))


def reorder(fight: Fight, numbers: Sequence[int]) -> list[Replacement]:
    """Put all fighters into this order."""
    moved = (replace(item, place=numbers.index(item.id) + 1) for item in fight.roster)
    places = {item.id: item.place for item in fight.roster}
    return _begin(fight, change(fight, [item for item in moved if item.place != places[item.id]]))


def propose(header: FightHeader, aim: Motion, entry: int) -> FightHeader:
    """Record a proposal made by an entry."""
    return replace(header, votes=Proposal(entry, aim))


def agree(header: FightHeader, numbers: Iterable[int], voters: Collection[int]) -> FightHeader:
    """Record votes; the proposal passes when all voters agree. Without a proposal nothing changes."""
    if header.votes is None:
        return header
    yes = (*header.votes.yes, *(number for number in numbers if number not in header.votes.yes))
    if not {*voters} <= {*yes}:
        return replace(header, votes=replace(header.votes, yes=yes))
    return decide(header, header.votes.aim)


def decide(header: FightHeader, aim: Motion) -> FightHeader:
    """Put a proposal into effect."""
    if aim == "lock":
        return replace(header, locked=True, votes=None)
    return replace(header, mode=aim, votes=None)


def narrow_to_known(fight: Fight, numbers: Collection[int]) -> Fight:
    """Return the fight as seen by those who know only these fighters.

    An unknown fighter's turn looks like the next known one's.
    """
    seen = scenes.narrow_to(fight, numbers)
    early = seen.now != fight.now and fight.header.mode is not None
    roster = tuple(_refresh(item) if early and item.id == seen.now else item for item in seen.roster)
    return replace(seen, roster=roster)


def find_other_mode(mode: FightMode) -> FightMode:
    """Return the mode that can be proposed instead."""
    return "freeform" if mode == "dice" else "dice"


def find_fight_mode(word: str) -> FightMode | None:
    """Return a mode by name, or None."""
    return next((mode for mode in get_args(FightMode) if mode == word), None)


def after(fight: Fight, replacements: Sequence[Replacement]) -> Fight:
    """Return the fight after replacements."""
    made = apply_replacements(fight, replacements)
    return Scene(made.header if isinstance(made.header, FightHeader) else fight.header, made.roster)


def ask_under(fight: Fight, replacements: Sequence[Replacement], entry: int) -> list[Replacement]:
    """Add to the header the entry whose post asks everyone from now on."""
    made = after(fight, replacements).header
    before = next((before for before, after in replacements if after is made), fight.header)
    others = [pair for pair in replacements if pair.after is not made]
    return [Replacement(before, replace(made, asked=entry)), *others]


def _begin(fight: Fight, replacements: Sequence[Replacement]) -> list[Replacement]:
    made = after(fight, replacements)
    on_turn = made.combatant(made.now) if isinstance(made.now, int) else None
    goes_on = (made.header.turn, made.now) == (fight.header.turn, fight.now)
    if on_turn is None or goes_on or fight.header.mode is None:
        return [*replacements]
    before = next((before for before, after in replacements if after is on_turn), on_turn)
    others = (pair for pair in replacements if pair.after is not on_turn)
    return [*others, Replacement(before, _refresh(on_turn))]


def with_allowance(fight: Fight, replacements: Sequence[Replacement], marks: Mapping[str, int]) -> list[Replacement]:
    """Give the fighter who begins a turn these marks instead of the usual ones."""
    made = after(fight, replacements)
    on_turn = made.combatant(made.now) if isinstance(made.now, int) else None
    allowed = on_turn and replace(on_turn, marks={**on_turn.marks, **marks})
    return [Replacement(pair.before, allowed) if pair.after is on_turn else pair for pair in replacements]


def end_marks(marks: Mapping[str, int]) -> dict[str, int]:
    """Return a fighter's marks after the turn: its notes go, and what wasn't fired is racked (line 270).

    After a stun through all turns, drawing stays free for one more (line 315).
    """
    fired = {RACK + name.removeprefix(FIRED) for name in marks if name.startswith(FIRED)}
    racked = {name for name in marks if name.startswith(RACK)} - fired
    first = marks.get(STUNNED_NOW) and (marks.get(FIRST_TURN) or marks.get(STUNNED_TILL_NOW))
    over = {ARRIVING, LATE, FIRST_TURN, STUNNED_NOW, STUNNED_TILL_NOW, *racked}
    kept = {name: count for name, count in marks.items() if name not in over and not name.startswith(TURN_NOTES)}
    kept |= {STUNNED_TILL_NOW: 1} if first else {}
    expected = (COMING, WANTED)
    left = {name: count - 1 if name.startswith(expected) else count for name, count in kept.items()}
    return {name: count for name, count in left.items() if count or not name.startswith(expected)}


def _mark_arrival(new: Participant) -> Participant:
    return replace(new, marks={**FRESH, **new.marks, ARRIVING: 1})


def _list_on_turn(fight: Fight) -> list[Participant]:
    return [item for item in fight.roster if item.id == fight.now]


def _refresh(item: Participant) -> Participant:
    return replace(item, marks={**item.marks, **TURN})


def find_caller(fight: Fight, number: int) -> Participant | None:
    """Return the first who called this number and waits for an answer."""
    return next((item for item in fight.roster if f"{WANTED}{number}" in item.marks), None)


def list_called(fight: Fight) -> list[int]:
    """Return the numbers called that haven't answered."""
    marks = dict.fromkeys(mark for item in fight.roster for mark in item.marks if mark.startswith(WANTED))
    return [int(mark.removeprefix(WANTED)) for mark in marks]


def count_turns_left(fight: Fight, caller: Participant, number: int) -> int:
    """Return the caller's turns until an answer is due, without a running one."""
    return caller.marks[f"{WANTED}{number}"] - (fight.now == caller.id)


def answer_call(fight: Fight, caller: Participant, number: int) -> list[Replacement]:
    """Let a called fighter come once the caller's turns are over."""
    left = {name: count for name, count in caller.marks.items() if name != f"{WANTED}{number}"}
    return change(fight, [replace(caller, marks={**left, f"{COMING}{number}": caller.marks[f"{WANTED}{number}"]})])
