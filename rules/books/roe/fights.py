"""A fight as a scene: what is kept and marked of it, and what each step of it replaces (C01, C07.1, C30.1-2). A fight comes in, what is replaced comes out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from rules import scenes
from rules.effects import EFFECT
from rules.scenes import Participant, Replacement, Scene, apply_replacements, change

ACTIONS, MOVEMENTS, METRES, ARRIVING = "actions", "movements", "metres", "arriving"
"""What is left of the turn, the distance at which one stands (m), and that the first turn is an arrival."""
FIRST_TURN, FIRST_ATTACK = "first-turn", "first-attack"
"""Of whoever has not ended a turn yet, and has not attacked yet."""
STUNNED_NOW, STUNNED_TILL_NOW = "stunned-now", "stunned-till-now"
"""Of whoever has begun the turn of now under a stun, and has ended none yet without one (line 315)."""
LATE = "late"
"""Of whoever's turn has passed on before anything was done in it, and who may still use what is left of it."""
TURN_NOTES = "turn."
"""How marks begin that last until the turn is over, and ids of acts: one that was done is a fact until then where the book lists its id as one."""
DRAWN, RACK, FIRED = "drawn.", "rack.", f"{TURN_NOTES}fired."
"""How the marks begin of a weapon in the hands, of one to be racked, and of one that was used in this turn; its id follows."""
STRAY = f"{TURN_NOTES}stray"
"""The mark of whoever's attack has gone astray: at whom it goes (a number)."""
GONE = LYING, TAKEN = "dropped.", "taken."
"""How the marks begin of what lies on the ground, so many metres off, and of what others have picked up; its id follows."""
PICKED = "picked."
"""How the mark begins of what was picked up that is another one's: behind it follow the number of that one, and its id."""
HIDDEN, SPOTTED, BY = f"{EFFECT}hidden", f"{EFFECT}spotted", "seen"
"""The effects on whoever hides, and on whoever was seen hiding, and where both keep by whom (numbers)."""
SEATED, SHIELDED = f"{EFFECT}seated", f"{EFFECT}shielded"
"""The effects on whoever sits in a vehicle, and on whoever is shielded by somebody: that is the `other` of it."""
FLIGHTS = "flights"
"""How often somebody has tried to flee."""
COMING, WANTED = "coming.", "wanted."
"""How the marks begin of how many turns somebody still ends before another one comes in behind, and of one who was called and has
not said yet that they come; the number of that one follows."""
STARTED = "started."
"""How the names begin under which a fight keeps what has befallen somebody at the start of a turn; the number follows."""
UNREAD = (HIDDEN, SPOTTED, f"{EFFECT}set-up")
"""Effects that only whoever has them and the staff may know of, and that count as facts alone: what else lasts is read without them."""
IN_ZONE = "zone"
"""The trait of whoever is in a zone; what is kept of it has what the zone takes at each start of a turn."""
FIGHT = "fight"
FRESH: Mapping[str, int] = {FIRST_TURN: 1, FIRST_ATTACK: 1}
"""The marks of whoever comes into a fight."""
TURN: Mapping[str, int] = {ACTIONS: 1, MOVEMENTS: 1}
"""What a turn begins with (line 96)."""
DAY, NIGHT, WEATHER = "scene.day", "scene.night", "scene.weather"
"""The conditions of a fight, which stay as they were at its start (line 77)."""
FightMode = Literal["dice", "freeform"]
"""How a fight is settled (line 6)."""
Motion = Literal["dice", "freeform", "lock"]
"""What can be proposed to all who fight: the other mode, or that nobody else comes in (line 157)."""


class Proposal(Struct, frozen=True):
    """What is proposed by an entry, and which fighters (numbers) have said yes."""

    entry: int
    aim: Motion
    yes: tuple[int, ...] = ()


class FightHeader(scenes.Header, frozen=True):
    """A fight: a scene with a defender (number), who says how it is settled (`mode`; None as long as that is open).

    `asked` is the entry under whose post all others are asked for that, or for the end of the turn that they see.
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
    """Return what stays true of a fight as it was at its start; nothing of what was not said."""
    lit = {fact: int(fact == f"scene.{light}") for fact in (DAY, NIGHT)} if light else {}
    return lit | ({WEATHER: weather} if weather is not None else {})


def choose(fight: Fight, mode: FightMode, entry: int) -> list[Replacement]:
    """Let the defender say how a fight is settled; the first turn begins with it (by the entry)."""
    header = replace(fight.header, mode=mode, since=entry)
    return [Replacement(fight.header, header), *(Replacement(item, _refresh(item)) for item in _list_on_turn(fight))]


def end_turn(fight: Fight, come: Sequence[Participant] = (), *, late: bool = False) -> list[Replacement]:
    """End the turn of whoever has it, who has arrived by then, and begin the next; those who `come` in do so right behind.

    Whoever is `late` may still use what is left of it.
    """
    now = fight.now if isinstance(fight.now, int) else None
    came = scenes.join(fight, [*map(_mark_arrival, come)], now) if come else []
    there = after(fight, came)
    header = Replacement(there.header, scenes.end_turn(there))
    more = {LATE: 1} if late else {}
    ended = (replace_marks(item, {**end_marks(item.marks), **more}) for item in _list_on_turn(there))
    return _begin(fight, merge_replacements(came, [header, *change(there, ended)]))


def merge_replacements(first: Sequence[Replacement], then: Sequence[Replacement]) -> list[Replacement]:
    """Return what is replaced by these and then by others, each thing once."""
    later = {id(pair.before): pair.after for pair in then if pair.before is not None}
    made = [Replacement(pair.before, later.pop(id(pair.after), pair.after)) for pair in first]
    return [*made, *(pair for pair in then if pair.before is None or id(pair.before) in later)]


def list_due(fight: Fight) -> list[int]:
    """Return who (numbers) comes in when the turn of now ends."""
    marks = [mark for item in _list_on_turn(fight) for mark in item.marks.items()]
    return [int(name.removeprefix(COMING)) for name, turns in marks if name.startswith(COMING) and turns <= 1]


def expect(
    fight: Fight, number: int, others: Iterable[int], turns: int, asked: Iterable[int] = ()
) -> list[Replacement]:
    """Let a fighter (number) expect others (numbers), who come in when so many more turns of that one have ended.

    A turn that is under way does not count. Who is `asked` comes where they say so before.
    """
    left = turns + (fight.now == number)
    marks = {f"{COMING}{other}": left for other in others} | {f"{WANTED}{other}": left for other in asked}
    return change(fight, [replace_marks(item, {**item.marks, **marks}) for item in fight.roster if item.id == number])


def join(fight: Fight, new: Participant, behind: int | None, *, waits: bool) -> list[Replacement]:
    """Let somebody come in, behind all or right behind another one (number), now or in the next round; the first turn is an arrival (line 159)."""
    return scenes.join(fight, [_mark_arrival(new)], behind, waits=waits)


def leave(fight: Fight, number: int) -> list[Replacement]:
    """Let a fighter (number) leave; a turn that is left begins the next."""
    return _begin(fight, scenes.leave(fight, {number}))


def reorder(fight: Fight, numbers: Sequence[int]) -> list[Replacement]:
    """Put the fighters in this order, all of them by their numbers."""
    moved = (replace(item, place=numbers.index(item.id) + 1) for item in fight.roster)
    places = {item.id: item.place for item in fight.roster}
    return _begin(fight, change(fight, [item for item in moved if item.place != places[item.id]]))


def propose(header: FightHeader, aim: Motion, entry: int) -> FightHeader:
    """Return a fight in which something is proposed, by an entry."""
    return replace(header, votes=Proposal(entry, aim))


def agree(header: FightHeader, numbers: Iterable[int], voters: Collection[int]) -> FightHeader:
    """Return a fight in which these have said yes to what is proposed, which holds when all voters have."""
    if header.votes is None:
        return header
    yes = (*header.votes.yes, *(number for number in numbers if number not in header.votes.yes))
    if not {*voters} <= {*yes}:
        return replace(header, votes=replace(header.votes, yes=yes))
    return decide(header, header.votes.aim)


def decide(header: FightHeader, aim: Motion) -> FightHeader:
    """Return a fight in which this holds from now on, and nothing is proposed any more."""
    if aim == "lock":
        return replace(header, locked=True, votes=None)
    return replace(header, mode=aim, votes=None)


def known_to(fight: Fight, numbers: Collection[int]) -> Fight:
    """Return a fight as it looks to whoever knows of these fighters alone: a turn of somebody else is the next one's already."""
    seen = scenes.narrow_to(fight, numbers)
    early = seen.now != fight.now and fight.header.mode is not None
    return replace(
        seen, roster=tuple(_refresh(item) if early and item.id == seen.now else item for item in seen.roster)
    )


def find_other_mode(mode: FightMode) -> FightMode:
    """Return the mode that can be proposed in place of one."""
    return "freeform" if mode == "dice" else "dice"


def find_fight_mode(word: str) -> FightMode | None:
    """Return how a fight is settled by the word for it; None for any other word."""
    return next((mode for mode in get_args(FightMode) if mode == word), None)


def after(fight: Fight, replacements: Sequence[Replacement]) -> Fight:
    """Return a fight once these are made."""
    made = apply_replacements(fight, replacements)
    return Scene(made.header if isinstance(made.header, FightHeader) else fight.header, made.roster)


def ask_under(fight: Fight, replacements: Sequence[Replacement], entry: int) -> list[Replacement]:
    """Return these with the entry under whose post all are asked from now on."""
    made = after(fight, replacements).header
    before = next((before for before, after in replacements if after is made), fight.header)
    others = [pair for pair in replacements if pair.after is not made]
    return [Replacement(before, replace(made, asked=entry)), *others]


def replace_marks(item: Participant, marks: Mapping[str, int]) -> Participant:
    """Return a fighter with these marks and no others."""
    return replace(item, marks=marks)


def _begin(fight: Fight, replacements: Sequence[Replacement]) -> list[Replacement]:
    """Return these with what a turn begins with, where one begins by them."""
    made = after(fight, replacements)
    on_turn = made.combatant(made.now) if isinstance(made.now, int) else None
    goes_on = (made.header.turn, made.now) == (fight.header.turn, fight.now)
    if on_turn is None or goes_on or fight.header.mode is None:
        return [*replacements]
    before = next((before for before, after in replacements if after is on_turn), on_turn)
    others = (pair for pair in replacements if pair.after is not on_turn)
    return [*others, Replacement(before, _refresh(on_turn))]


def with_allowance(fight: Fight, replacements: Sequence[Replacement], marks: Mapping[str, int]) -> list[Replacement]:
    """Return these with so much left to whoever begins a turn by them, in place of what a turn usually has."""
    made = after(fight, replacements)
    on_turn = made.combatant(made.now) if isinstance(made.now, int) else None
    allowed = on_turn and replace_marks(on_turn, {**on_turn.marks, **marks})
    return [Replacement(pair.before, allowed) if pair.after is on_turn else pair for pair in replacements]


def end_marks(marks: Mapping[str, int]) -> dict[str, int]:
    """Return the marks of a fighter whose turn has ended: what was noted of it is over, and what was not fired is racked (line 270).

    Who has been stunned all the time still draws freely in the first turn without that (line 315).
    """
    fired = {name.removeprefix(FIRED) for name in marks if name.startswith(FIRED)}
    racked = {RACK + name.removeprefix(RACK) for name in marks if name.startswith(RACK)} - {
        RACK + name for name in fired
    }
    first = marks.get(STUNNED_NOW) and (marks.get(FIRST_TURN) or marks.get(STUNNED_TILL_NOW))
    over = {ARRIVING, LATE, FIRST_TURN, STUNNED_NOW, STUNNED_TILL_NOW, *racked}
    kept = {name: count for name, count in marks.items() if name not in over and not name.startswith(TURN_NOTES)}
    kept |= {STUNNED_TILL_NOW: 1} if first else {}
    awaited = (COMING, WANTED)
    counted = {name: count - 1 if name.startswith(awaited) else count for name, count in kept.items()}
    return {name: count for name, count in counted.items() if count or not name.startswith(awaited)}


def _mark_arrival(new: Participant) -> Participant:
    return replace_marks(new, {**FRESH, **new.marks, ARRIVING: 1})


def _list_on_turn(fight: Fight) -> list[Participant]:
    """Return whose turn it is: one, or nobody where nobody is left."""
    return [item for item in fight.roster if item.id == fight.now]


def _refresh(item: Participant) -> Participant:
    return replace_marks(item, {**item.marks, **TURN})


def find_caller(fight: Fight, number: int) -> Participant | None:
    """Return who has called somebody (number) who has not said yet that they come; of several the first."""
    return next((item for item in fight.roster if f"{WANTED}{number}" in item.marks), None)


def list_called(fight: Fight) -> list[int]:
    """Return who (numbers) was called into a fight and has not said yet that they come, each once."""
    marks = dict.fromkeys(mark for item in fight.roster for mark in item.marks if mark.startswith(WANTED))
    return [int(mark.removeprefix(WANTED)) for mark in marks]


def count_turns_left(fight: Fight, caller: Participant, number: int) -> int:
    """Return how many more turns of the caller somebody (number) has who was called, without the one under way."""
    return caller.marks[f"{WANTED}{number}"] - (fight.now == caller.id)


def answer_call(fight: Fight, caller: Participant, number: int) -> list[Replacement]:
    """Let somebody (number) come who was called."""
    left = {name: count for name, count in caller.marks.items() if name != f"{WANTED}{number}"}
    return change(fight, [replace_marks(caller, {**left, f"{COMING}{number}": caller.marks[f"{WANTED}{number}"]})])
