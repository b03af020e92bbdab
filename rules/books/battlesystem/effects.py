"""What events leave on a battle (A5), and how each ends."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules import scenes
from rules.books.battlesystem import state
from rules.books.battlesystem.book import CheckRecord, EventRecord
from rules.books.battlesystem.turn import number
from rules.kinds import CHOSEN, NEXT, PartLasts
from rules.tables import Event, RollTable


def list_chosen_tokens(battle: state.Battle, side: str) -> list[state.HeldToken]:
    """Return the tokens that a side may spend by choice, oldest first."""
    return [item for item in battle.tokens if item.kind == CHOSEN and item.side == side]


def list_spendable(battle: state.Battle, side: str, came: state.Came) -> list[state.HeldToken]:
    """Return the tokens that could ignore an event, held before it came (A5)."""
    return [item for item in list_chosen_tokens(battle, side) if item.came < came]


def _token_changes(battle: state.Battle, record: CheckRecord, entry: int) -> Iterator[scenes.Replacement]:
    tokens = list(battle.tokens)
    for place, event in enumerate(record["happenings"]):
        for side in event["ignored"]:
            tokens.remove(next(item for item in tokens if item.kind == NEXT and item.side == side))
        if event["token"]:
            tokens.append(state.HeldToken(event["token"], event["side"], entry, place))
    yield from (scenes.Replacement(item, None) for item in battle.tokens if item not in tokens)
    yield from (scenes.Replacement(None, item) for item in tokens if item not in battle.tokens)


class EventEnding(Struct, frozen=True):
    """What ends (a line for each unit), and the changes to the battle."""

    ended: list[state.EventLine]
    changes: list[scenes.Replacement]


class EventGroup(Struct, frozen=True):
    """One event on one side's units: what is active, and what it cost."""

    key: str
    side: str
    came: state.Came
    items: tuple[state.ActiveEvent | state.Loss, ...]

    @property
    def events(self) -> list[state.ActiveEvent]:
        """The group's events that are still active."""
        return [item for item in self.items if isinstance(item, state.ActiveEvent)]

    @property
    def losses(self) -> list[state.Loss]:
        """The losses that the event caused."""
        return [item for item in self.items if isinstance(item, state.Loss)]

    @property
    def names(self) -> list[str]:
        """The names of the event's units, each once."""
        return list(dict.fromkeys(item.name for item in self.items))

    @property
    def label(self) -> str:
        """The event in words, the same for each unit."""
        return self.items[0].label

    @property
    def conditional(self) -> bool:
        """Whether a part waits for a condition."""
        return any(item.lasts(*state.CONDITIONS) for item in self.events)


def group_events(battle: state.Battle) -> list[EventGroup]:
    """Return active or costly events by side, in the order they came."""
    sides = battle.header.sides
    items: dict[tuple[int, int, int], list[state.ActiveEvent | state.Loss]] = {}
    every: list[state.ActiveEvent | state.Loss] = [*battle.events, *battle.losses]
    for item in every:
        items.setdefault((*item.came, sides.index(battle.side_of(item))), []).append(item)
    return [EventGroup(".".join(map(str, key)), sides[key[-1]], key[:2], tuple(items[key])) for key in sorted(items)]


def list_endable(battle: state.Battle, how: state.How) -> list[EventGroup]:
    """Return the events that can be ended in one way: token, condition or cancel."""
    match how:
        case "token":
            return [item for item in group_events(battle) if list_spendable(battle, item.side, item.came)]
        case "condition":
            return [item for item in group_events(battle) if item.conditional]
        case "cancel":
            return group_events(battle)


def list_hanging(battle: state.Battle, condition: PartLasts) -> list[state.ActiveEvent]:
    """Return the events that wait for a condition."""
    return [item for item in battle.events if item.lasts(condition)]


def item_key(item: state.ActiveEvent) -> str:
    """Return an event's key on one unit."""
    return f"{item.entry}.{item.place}.{item.id}"


def end(events: Iterable[state.ActiveEvent], *spans: PartLasts) -> EventEnding:
    """End the parts of events with one of these spans."""
    touched = [item for item in events if item.lasts(*spans)]
    lines: list[state.EventLine] = [{"name": item.name, "text": item.only(*spans).label} for item in touched]
    return EventEnding(lines, [scenes.Replacement(item, item.without(*spans)) for item in touched])


def end_turn(battle: state.Battle) -> EventEnding:
    """End the turn and what lasts until then."""
    header = replace(scenes.end_turn(battle), checked={})
    ending = end(battle.events, "turn")
    return EventEnding(ending.ended, [scenes.Replacement(battle.header, header), *ending.changes])


def list_staying(battle: state.Battle) -> list[state.EventLine]:
    """Return a line for each event that stays active beyond the turn."""
    return [{"name": item.name, "text": item.title} for item in battle.events if item.without("turn")]


def list_unchecked_sides(battle: state.Battle) -> list[str]:
    """Return the sides not checked this turn."""
    manned = {item.side for item in battle.fighters}
    return [side for side in battle.header.sides if side in manned and side not in battle.header.checked]


def end_battle(battle: state.Battle) -> EventEnding:
    """End the battle and all that isn't permanent."""
    ending = end(battle.events, *_list_passing(battle.events))
    gone = [scenes.Replacement(item, None) for item in battle.tokens]
    gone += [scenes.Replacement(item, None) for item in battle.losses]
    return EventEnding(ending.ended, [*scenes.end(battle), *gone, *ending.changes])


def list_losses(battle: state.Battle) -> list[state.EventLine]:
    """Return what the battle has cost for good."""
    left: list[state.ActiveEvent | state.Loss] = [item for item in battle.events if item.removes]
    return [{"name": item.name, "text": item.label} for item in [*left, *battle.losses]]


def remove(battle: state.Battle, units: Sequence[state.Combatant]) -> EventEnding:
    """Take units off the roster, with what ends by that."""
    numbers = {item.id for item in units}
    events = [item for item in battle.events if item.id in numbers]
    freed = end_by_absence(battle, numbers)
    own = [*scenes.leave(battle, numbers), *end(events, *_list_passing(events)).changes]
    return EventEnding(freed.ended, [*own, *freed.changes])


def end_by_absence(battle: state.Battle, numbers: Collection[int]) -> EventEnding:
    """End events that wait until these units (numbers), or all enemies, are gone (C5.5)."""
    sides = {item.side for item in battle.fighters if item.id not in numbers}
    staying = [item for item in list_hanging(battle, "until_gone") if item.id not in numbers]
    free = [item for item in staying if numbers and (item.foe in numbers or sides <= {battle.side_of(item)})]
    return end(free, "until_gone")


def cancel(battle: state.Battle, group: EventGroup) -> EventEnding:
    """Cancel an event on a side's units, and give back its cost."""
    ending = end(group.events, *_spans(group.events))
    lines, changes = [*ending.ended], [*ending.changes]
    for item in group.losses:
        line: state.EventLine = {"name": item.name, "text": item.label}
        changes.append(scenes.Replacement(item, None))
        caster = battle.combatant(item.id) if item.spell else None
        if caster is not None and caster.spells is not None:
            line["spells"] = caster.spells + 1
            changes.append(scenes.Replacement(caster, replace(caster, spells=caster.spells + 1)))
        lines.append(line)
    return EventEnding(lines, changes)


def ignore(battle: state.Battle, group: EventGroup, token: state.HeldToken) -> EventEnding:
    """Spend a token so that a side ignores an event."""
    ending = cancel(battle, group)
    return EventEnding(ending.ended, [*ending.changes, scenes.Replacement(token, None)])


def _spans(events: Iterable[state.ActiveEvent]) -> set[PartLasts]:
    return {part.lasts for item in events for part in item.parts}


def _list_passing(events: Iterable[state.ActiveEvent]) -> set[PartLasts]:
    return _spans(events) - {state.PERMANENT}


COSTLY = frozenset({"unit", "all_flying_both_sides"})  # the scopes whose events cost something at once
PASSING = frozenset({"instant", "held_until_used"})  # the spans that leave nothing active


def check_changes(
    battle: state.Battle, sides: Iterable[str], record: CheckRecord, table: RollTable, entry: int
) -> Iterator[scenes.Replacement]:
    """Yield a check's changes, as ledger entry `entry`."""
    header = battle.header
    yield scenes.Replacement(header, replace(header, checked={**header.checked, **dict.fromkeys(sides, entry)}))
    for place, rolled in enumerate(record["happenings"]):
        row = table.row(rolled["outcome"])
        if row.event is not None:
            event = _BattleEvent(battle, rolled, row.event, number(table, row), (entry, place))
            yield from (scenes.Replacement(None, item) for item in (*event.in_force(), *event.losses()))
            yield from event.fewer_spells()
    leaving = (name for rolled in record["happenings"] if rolled["removes"] for name in rolled["units"])
    absent = {item.id for name in leaving if (item := battle.unit(name)) is not None}
    yield from end_by_absence(battle, absent).changes
    yield from _token_changes(battle, record, entry)


def check_inputs(battle: state.Battle, mode: str = "unit", only: str | None = None) -> dict[str, object]:
    """Return a battle as `read_muster` reads it; `only` one side rolls."""
    units = [
        {"name": item.name, "side": item.side, "tags": list(item.tags), "spells": item.spells}
        for item in battle.fighters
    ]
    tokens: dict[str, dict[str, int]] = {side: {} for side in battle.header.sides}
    for token in battle.tokens:
        tokens[token.side][token.kind] = tokens[token.side].get(token.kind, 0) + 1
    return {"roster": units, "mode": mode, "sides": list(battle.header.sides), "only": only, "tokens": tokens}


class _BattleEvent(Struct, frozen=True):
    battle: state.Battle
    record: EventRecord
    event: Event
    number: int
    came: state.Came

    def in_force(self) -> Iterator[state.ActiveEvent]:
        parts = tuple(part for part in self.event.parts if part.lasts not in PASSING)
        entry, place = self.came
        for item in self._units() if parts else ():
            yield state.ActiveEvent(
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

    def _foe(self, item: state.Combatant) -> int | None:
        enemies = [other for other in self.battle.fighters if other.side != item.side]
        grudge = any(part.lasts == "until_gone" for part in self.event.parts)
        return enemies[0].id if grudge and len(enemies) == 1 else None

    def losses(self) -> Iterator[state.Loss]:
        """Yield what it costs at once; it stays lost (C5.6) unless ignored (A5)."""
        texts = [part.text for part in self.event.parts if part.lasts == "instant"]
        if self.event.scope not in COSTLY or not texts:
            return
        label = state.event_label(self.number, self.event.cause, texts, self.record["extra"])
        turn = self.battle.header.turn
        for among, item in enumerate(self._units()):
            spell = item.name in self.record["spells"]
            yield state.Loss(item.id, item.name, item.side, turn, label, *self.came, among, spell)

    def fewer_spells(self) -> Iterator[scenes.Replacement]:
        left = self.record["spells"]
        for item in self.battle.roster:
            if item.name in left:
                yield scenes.Replacement(item, replace(item, spells=left[item.name]))

    def _units(self) -> Iterator[state.Combatant]:
        return (item for name in self.record["units"] if (item := self.battle.unit(name)) is not None)
