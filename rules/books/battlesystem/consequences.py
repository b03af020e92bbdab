"""What the check of a turn leaves on a battle: events in force, losses, fewer spells, tokens, and that it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from rules.books.battlesystem.effects import gone
from rules.books.battlesystem.state import Battle, Came, Combatant, EffectPart, InForce, Loss, event_label
from rules.books.battlesystem.tokens import token_changes, token_counts
from rules.books.battlesystem.turn import number
from rules.scenes import Replacement

if TYPE_CHECKING:
    from rules.books.battlesystem.report import CheckRecord, EventRecord
    from rules.tables import Event, RollTable

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
    yield from gone(battle, _leaving(battle, record)).changes
    yield from token_changes(battle, record, entry)


def check_inputs(battle: Battle, mode: str = "unit", only: str | None = None) -> dict[str, Any]:
    """Return what a check takes in of a battle, as `roster.read_muster` reads it; `only` is the one side that rolls."""
    units = [
        {"name": item.name, "side": item.side, "tags": list(item.tags), "spells": item.spells}
        for item in battle.fighting
    ]
    tokens = token_counts(battle)
    return {"roster": units, "mode": mode, "sides": list(battle.header.sides), "only": only, "tokens": tokens}


def _leaving(battle: Battle, record: CheckRecord) -> set[int]:
    """Return the numbers of the units that leave for good in a check."""
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
        parts = tuple(
            EffectPart(part.text, part.lasts, dict(part.changes))
            for part in self.event.parts
            if part.lasts not in PASSING
        )
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
        """Yield the units that it falls on."""
        return (item for name in self.record["units"] if (item := self.battle.unit(name)) is not None)
