"""How what events have set ends: with the turn, with the battle, by a condition, by a token, or since it is cancelled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules import scenes
from rules.books.battlesystem.state import (
    CONDITIONS,
    PERMANENT,
    Battle,
    Came,
    Combatant,
    EventLine,
    HeldToken,
    How,
    InForce,
    Loss,
)
from rules.books.battlesystem.tokens import spendable
from rules.events import PartLasts
from rules.scenes import Replacement


class Ending(Struct, frozen=True):
    """What ends, line by line, and what changes by that."""

    ended: list[EventLine]
    changes: list[Replacement]


class EventGroup(Struct, frozen=True):
    """One event on the units of one side: what of it is in force, and what it has cost at once.

    Its key tells it from all others of its battle.
    """

    key: str
    side: str
    came: Came
    items: tuple[InForce | Loss, ...]

    @property
    def events(self) -> list[InForce]:
        """What of it is in force."""
        return [item for item in self.items if isinstance(item, InForce)]

    @property
    def losses(self) -> list[Loss]:
        """What it has cost."""
        return [item for item in self.items if isinstance(item, Loss)]

    @property
    def names(self) -> list[str]:
        """The units that it fell on."""
        return list(dict.fromkeys(item.name for item in self.items))

    @property
    def label(self) -> str:
        """What it is: the same on each of its units."""
        return self.items[0].label

    @property
    def conditional(self) -> bool:
        """Whether anything of it lasts until a condition comes about."""
        return any(item.lasts(*CONDITIONS) for item in self.events)


def groups(battle: Battle) -> list[EventGroup]:
    """Return the events that are in force or have cost something, each side's for itself, in the order in which they came."""
    sides = battle.header.sides
    items: dict[tuple[int, int, int], list[InForce | Loss]] = {}
    every: list[InForce | Loss] = [*battle.events, *battle.losses]
    for item in every:
        items.setdefault((*item.came, sides.index(battle.side_of(item))), []).append(item)
    return [EventGroup(".".join(map(str, key)), sides[key[-1]], key[:2], tuple(items[key])) for key in sorted(items)]


def endable(battle: Battle, how: How) -> list[EventGroup]:
    """Return the events that can be ended so: by a token that their side holds, by a condition that they hang on, or at all."""
    match how:
        case "token":
            return [item for item in groups(battle) if spendable(battle, item.side, item.came)]
        case "condition":
            return [item for item in groups(battle) if item.conditional]
        case "cancel":
            return groups(battle)


def hanging(battle: Battle, condition: PartLasts) -> list[InForce]:
    """Return the events of which something lasts until a condition comes about."""
    return [item for item in battle.events if item.lasts(condition)]


def item_key(item: InForce) -> str:
    """Return by which entry, as which of its events and on whom an event came: one may lie on several units."""
    return f"{item.entry}.{item.place}.{item.id}"


def end(events: Iterable[InForce], *spans: PartLasts) -> Ending:
    """End of these events what lasts as long as one of the spans."""
    touched = [item for item in events if item.lasts(*spans)]
    lines: list[EventLine] = [{"name": item.name, "text": item.only(*spans).label} for item in touched]
    return Ending(lines, [Replacement(item, item.without(*spans)) for item in touched])


def end_turn(battle: Battle) -> Ending:
    """End the turn with all that lasts as long, and begin the next."""
    header = replace(scenes.end_turn(battle), checked={})
    ending = end(battle.events, "turn")
    return Ending(ending.ended, [Replacement(battle.header, header), *ending.changes])


def staying(battle: Battle) -> list[EventLine]:
    """Return what stays in force beyond the turn."""
    return [{"name": item.name, "text": item.title} for item in battle.events if item.without("turn")]


def unchecked(battle: Battle) -> list[str]:
    """Return the sides with units whose random events were not checked this turn."""
    manned = {item.side for item in battle.fighting}
    return [side for side in battle.header.sides if side in manned and side not in battle.header.checked]


def end_battle(battle: Battle) -> Ending:
    """End the battle with all that is in force in it but what is permanent; roster, tokens and losses are kept no more."""
    ending = end(battle.events, *_passing(battle.events))
    gone = [Replacement(item, None) for item in battle.tokens]
    gone += [Replacement(item, None) for item in battle.losses]
    return Ending(ending.ended, [*scenes.end(battle), *gone, *ending.changes])


def lost(battle: Battle) -> list[EventLine]:
    """Return what the battle has cost for good: units that left it, and what was lost at once."""
    left: list[InForce | Loss] = [item for item in battle.events if item.removes]
    return [{"name": item.name, "text": item.label} for item in [*left, *battle.losses]]


def remove(battle: Battle, units: Sequence[Combatant]) -> Ending:
    """Take units off the roster, with all that is in force on them but what is permanent, and what ends on others by that."""
    numbers = {item.id for item in units}
    events = [item for item in battle.events if item.id in numbers]
    freed = gone(battle, numbers)
    own = [*scenes.leave(battle, numbers), *end(events, *_passing(events)).changes]
    return Ending(freed.ended, [*own, *freed.changes])


def gone(battle: Battle, numbers: Collection[int]) -> Ending:
    """End what lasts until an enemy is gone, on units whose enemy is among these (by number), or that have no enemy left (C5.5)."""
    left = [item for item in battle.fighting if item.id not in numbers]
    staying = [item for item in hanging(battle, "until_gone") if item.id not in numbers]
    free = [
        item
        for item in staying
        if numbers and (item.foe in numbers or all(other.side == battle.side_of(item) for other in left))
    ]
    return end(free, "until_gone")


def cancel(battle: Battle, group: EventGroup) -> Ending:
    """End all of an event on the units of a side, and give them back what it has cost at once."""
    ending = end(group.events, *_spans(group.events))
    lines = [_restored_line(battle, item) for item in group.losses]
    return Ending([*ending.ended, *lines], [*ending.changes, *_restore(battle, group.losses)])


def ignore(battle: Battle, group: EventGroup, token: HeldToken) -> Ending:
    """Spend a token, so that an event is ignored by the units of its side."""
    ending = cancel(battle, group)
    return Ending(ending.ended, [*ending.changes, Replacement(token, None)])


def _spans(events: Iterable[InForce]) -> set[PartLasts]:
    return {part.lasts for item in events for part in item.parts}


def _passing(events: Iterable[InForce]) -> set[PartLasts]:
    """Return how long parts last that do not outlive their battle."""
    return _spans(events) - {PERMANENT}


def _restored(battle: Battle, item: Loss) -> Combatant | None:
    """Return the unit with the spell that it had lost; None where it was none, or nobody counts its spells any more."""
    combatant = battle.combatant(item.id) if item.spell else None
    return None if combatant is None or combatant.spells is None else replace(combatant, spells=combatant.spells + 1)


def _restored_line(battle: Battle, item: Loss) -> EventLine:
    combatant = _restored(battle, item)
    line: EventLine = {"name": item.name, "text": item.label}
    if combatant is not None and combatant.spells is not None:
        line["spells"] = combatant.spells
    return line


def _restore(battle: Battle, losses: Iterable[Loss]) -> Iterator[Replacement]:
    for item in losses:
        yield Replacement(item, None)
        after = _restored(battle, item)
        if after is not None:
            yield Replacement(battle.combatant(item.id), after)
