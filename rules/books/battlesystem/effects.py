"""What events leave on a battle: effects, losses and tokens (A5), and how each ends."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules import scenes
from rules.books.battlesystem.book import CheckRecord, EventRecord
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
    event_label,
)
from rules.books.battlesystem.turn import number
from rules.kinds import CHOSEN, NEXT, PartLasts
from rules.scenes import Replacement
from rules.tables import Event, RollTable


def list_chosen_tokens(battle: Battle, side: str) -> list[HeldToken]:
    """Return the tokens that a side may spend as it likes, the oldest first."""
    return [item for item in battle.tokens if item.kind == CHOSEN and item.side == side]


def list_spendable(battle: Battle, side: str, came: Came) -> list[HeldToken]:
    """Return the tokens that would let the side ignore an event, the oldest first: those that it held before it came (A5)."""
    return [item for item in list_chosen_tokens(battle, side) if item.came < came]


def count_tokens(battle: Battle) -> dict[str, dict[str, int]]:
    """Return how many tokens of each kind each side holds, as a check takes it in."""
    counts: dict[str, dict[str, int]] = {side: {} for side in battle.header.sides}
    for token in battle.tokens:
        counts[token.side][token.kind] = counts[token.side].get(token.kind, 0) + 1
    return counts


def token_changes(battle: Battle, record: CheckRecord, entry: int) -> Iterator[Replacement]:
    """Yield what a check does to the tokens: those of spies that were spent, the oldest first, then those that were got.

    A token that is got and spent in the same check leaves nothing behind.
    """
    tokens = list(battle.tokens)
    for place, event in enumerate(record["happenings"]):
        for side in event["ignored"]:
            tokens.remove(next(item for item in tokens if item.kind == NEXT and item.side == side))
        if event["token"]:
            tokens.append(HeldToken(event["token"], event["side"], entry, place))
    yield from (Replacement(item, None) for item in battle.tokens if item not in tokens)
    yield from (Replacement(None, item) for item in tokens if item not in battle.tokens)


class EventEnding(Struct, frozen=True):
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


def group_events(battle: Battle) -> list[EventGroup]:
    """Return the events that are in force or have cost something, each side's for itself, in the order in which they came."""
    sides = battle.header.sides
    items: dict[tuple[int, int, int], list[InForce | Loss]] = {}
    every: list[InForce | Loss] = [*battle.events, *battle.losses]
    for item in every:
        items.setdefault((*item.came, sides.index(battle.side_of(item))), []).append(item)
    return [EventGroup(".".join(map(str, key)), sides[key[-1]], key[:2], tuple(items[key])) for key in sorted(items)]


def list_endable(battle: Battle, how: How) -> list[EventGroup]:
    """Return the events that can be ended so: by a token that their side holds, by a condition that they hang on, or at all."""
    match how:
        case "token":
            return [item for item in group_events(battle) if list_spendable(battle, item.side, item.came)]
        case "condition":
            return [item for item in group_events(battle) if item.conditional]
        case "cancel":
            return group_events(battle)


def list_hanging(battle: Battle, condition: PartLasts) -> list[InForce]:
    """Return the events of which something lasts until a condition comes about."""
    return [item for item in battle.events if item.lasts(condition)]


def item_key(item: InForce) -> str:
    """Return by which entry, as which of its events and on whom an event came: one may lie on several units."""
    return f"{item.entry}.{item.place}.{item.id}"


def end(events: Iterable[InForce], *spans: PartLasts) -> EventEnding:
    """End of these events what lasts as long as one of the spans."""
    touched = [item for item in events if item.lasts(*spans)]
    lines: list[EventLine] = [{"name": item.name, "text": item.only(*spans).label} for item in touched]
    return EventEnding(lines, [Replacement(item, item.without(*spans)) for item in touched])


def end_turn(battle: Battle) -> EventEnding:
    """End the turn with all that lasts as long, and begin the next."""
    header = replace(scenes.end_turn(battle), checked={})
    ending = end(battle.events, "turn")
    return EventEnding(ending.ended, [Replacement(battle.header, header), *ending.changes])


def list_staying(battle: Battle) -> list[EventLine]:
    """Return what stays in force beyond the turn."""
    return [{"name": item.name, "text": item.title} for item in battle.events if item.without("turn")]


def list_unchecked_sides(battle: Battle) -> list[str]:
    """Return the sides with units whose random events were not checked this turn."""
    manned = {item.side for item in battle.fighting}
    return [side for side in battle.header.sides if side in manned and side not in battle.header.checked]


def end_battle(battle: Battle) -> EventEnding:
    """End the battle with all that is in force in it but what is permanent; roster, tokens and losses are kept no more."""
    ending = end(battle.events, *_passing(battle.events))
    gone = [Replacement(item, None) for item in battle.tokens]
    gone += [Replacement(item, None) for item in battle.losses]
    return EventEnding(ending.ended, [*scenes.end(battle), *gone, *ending.changes])


def list_losses(battle: Battle) -> list[EventLine]:
    """Return what the battle has cost for good: units that left it, and what was lost at once."""
    left: list[InForce | Loss] = [item for item in battle.events if item.removes]
    return [{"name": item.name, "text": item.label} for item in [*left, *battle.losses]]


def remove(battle: Battle, units: Sequence[Combatant]) -> EventEnding:
    """Take units off the roster, with all that is in force on them but what is permanent, and what ends on others by that."""
    numbers = {item.id for item in units}
    events = [item for item in battle.events if item.id in numbers]
    freed = end_by_absence(battle, numbers)
    own = [*scenes.leave(battle, numbers), *end(events, *_passing(events)).changes]
    return EventEnding(freed.ended, [*own, *freed.changes])


def end_by_absence(battle: Battle, numbers: Collection[int]) -> EventEnding:
    """End what lasts until an enemy is gone, on units whose enemy is among these (by number), or that have no enemy left (C5.5)."""
    left = [item for item in battle.fighting if item.id not in numbers]
    staying = [item for item in list_hanging(battle, "until_gone") if item.id not in numbers]
    free = [
        item
        for item in staying
        if numbers and (item.foe in numbers or all(other.side == battle.side_of(item) for other in left))
    ]
    return end(free, "until_gone")


def cancel(battle: Battle, group: EventGroup) -> EventEnding:
    """End all of an event on the units of a side, and give them back what it has cost at once."""
    ending = end(group.events, *_spans(group.events))
    lines = [_restored_line(battle, item) for item in group.losses]
    return EventEnding([*ending.ended, *lines], [*ending.changes, *_restore(battle, group.losses)])


def ignore(battle: Battle, group: EventGroup, token: HeldToken) -> EventEnding:
    """Spend a token, so that an event is ignored by the units of its side."""
    ending = cancel(battle, group)
    return EventEnding(ending.ended, [*ending.changes, Replacement(token, None)])


def _spans(events: Iterable[InForce]) -> set[PartLasts]:
    return {part.lasts for item in events for part in item.parts}


def _passing(events: Iterable[InForce]) -> set[PartLasts]:
    """Return how long parts last that do not outlive their battle."""
    return _spans(events) - {PERMANENT}


def _restored_unit(battle: Battle, item: Loss) -> Combatant | None:
    """Return the unit with the spell that it had lost; None where it was none, or nobody counts its spells any more."""
    combatant = battle.combatant(item.id) if item.spell else None
    return None if combatant is None or combatant.spells is None else replace(combatant, spells=combatant.spells + 1)


def _restored_line(battle: Battle, item: Loss) -> EventLine:
    combatant = _restored_unit(battle, item)
    line: EventLine = {"name": item.name, "text": item.label}
    if combatant is not None and combatant.spells is not None:
        line["spells"] = combatant.spells
    return line


def _restore(battle: Battle, losses: Iterable[Loss]) -> Iterator[Replacement]:
    for item in losses:
        yield Replacement(item, None)
        after = _restored_unit(battle, item)
        if after is not None:
            yield Replacement(battle.combatant(item.id), after)


COSTLY = frozenset({"unit", "all_flying_both_sides"})
"""The scopes whose events cost their units something at once; others bring further events."""

PASSING = frozenset({"instant", "held_until_used"})
"""How long a part lasts that leaves nothing in force: it happens at once, or it is a token."""


def check_changes(
    battle: Battle, sides: Iterable[str], record: CheckRecord, table: RollTable, entry: int
) -> Iterator[Replacement]:
    """Yield what a check of these sides comes to; `entry` is the number of the entry that it will have."""
    header = battle.header
    yield Replacement(header, replace(header, checked={**header.checked, **dict.fromkeys(sides, entry)}))
    for place, rolled in enumerate(record["happenings"]):
        row = table.row(rolled["outcome"])
        if row.event is not None:
            befalling = _BattleEvent(battle, rolled, row.event, number(table, row), (entry, place))
            yield from (Replacement(None, item) for item in befalling.in_force())
            yield from (Replacement(None, item) for item in befalling.losses())
            yield from befalling.fewer_spells()
    yield from end_by_absence(battle, _leaving(battle, record)).changes
    yield from token_changes(battle, record, entry)


def check_inputs(battle: Battle, mode: str = "unit", only: str | None = None) -> dict[str, object]:
    """Return what a check takes in of a battle, as `roster.read_muster` reads it; `only` is the one side that rolls."""
    units = [
        {"name": item.name, "side": item.side, "tags": list(item.tags), "spells": item.spells}
        for item in battle.fighting
    ]
    tokens = count_tokens(battle)
    return {"roster": units, "mode": mode, "sides": list(battle.header.sides), "only": only, "tokens": tokens}


def _leaving(battle: Battle, record: CheckRecord) -> set[int]:
    names = (name for rolled in record["happenings"] if rolled["removes"] for name in rolled["units"])
    return {item.id for name in names if (item := battle.unit(name)) is not None}


class _BattleEvent(Struct, frozen=True):
    """An event of a check, as its record and its row tell of it; `came` is by which entry, and as which of its events."""

    battle: Battle
    record: EventRecord
    event: Event
    number: int
    came: Came

    def in_force(self) -> Iterator[InForce]:
        """Yield what lasts of it, on each of its units."""
        parts = tuple(part for part in self.event.parts if part.lasts not in PASSING)
        entry, place = self.came
        for item in self._units() if parts else ():
            yield InForce(
                id=item.id,
                name=item.name,
                side=item.side,
                battle=self.battle.name,
                turn=self.battle.header.turn,
                event=self.number,
                cause=self.event.cause,
                parts=parts,
                entry=entry,
                place=place,
                extra=tuple((sides, face) for sides, face in self.record["extra"]),
                removes=self.event.removes,
                orders=self.event.orders,
                foe=self._foe(item),
            )

    def _foe(self, item: Combatant) -> int | None:
        """Return the one enemy that is on the field, which is the closest; None where the players have to say which is."""
        enemies = [other for other in self.battle.fighting if other.side != item.side]
        grudge = any(part.lasts == "until_gone" for part in self.event.parts)
        return enemies[0].id if grudge and len(enemies) == 1 else None

    def losses(self) -> Iterator[Loss]:
        """Yield what it costs its units at once; it stays lost (C5.6), but for whoever ignores the event later (A5)."""
        texts = [part.text for part in self.event.parts if part.lasts == "instant"]
        if self.event.scope not in COSTLY or not texts:
            return
        label = event_label(self.number, self.event.cause, texts, self.record["extra"])
        turn = self.battle.header.turn
        for among, item in enumerate(self._units()):
            yield Loss(
                item.id, item.name, item.side, turn, label, *self.came, among, item.name in self.record["spells"]
            )

    def fewer_spells(self) -> Iterator[Replacement]:
        """Yield the units that have fewer spells by it."""
        left = self.record["spells"]
        for item in self.battle.roster:
            if item.name in left:
                yield Replacement(item, replace(item, spells=left[item.name]))

    def _units(self) -> Iterator[Combatant]:
        return (item for name in self.record["units"] if (item := self.battle.unit(name)) is not None)
