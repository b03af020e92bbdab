"""Battles with random events: roster, tokens, losses and what is in force on the units, as the campaign's state keeps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from sqlalchemy import Connection

from bot.core import state
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import subject_key, unit

BATTLE, UNIT, TOKEN, LOSS = "battle", "unit.", "token.", "loss."
"""The names under which a battle's subject keeps its header, its units, the tokens held, and what was lost at once."""

EVENT = "effect.event-"
"""How the name of an effect begins that an event has set; it stands on the unit, as every effect does."""

PERMANENT = "permanent"
"""How long something lasts that outlives its battle."""

CONDITIONS = ("until_condition", "until_gone")
"""How long something lasts whose end only the players can tell: until a unit rests, or until it or its foe is gone."""


@dataclass(frozen=True, slots=True)
class Header:
    """A battle: between whom, begun by which entry, in which turn, and which entries checked whose units this turn."""

    name: str
    sides: tuple[str, ...]
    entry: int
    turn: int = 1
    checked: Mapping[str, int] = field(default_factory=dict)
    over: bool = False

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """The header that a value keeps."""
        return cls(**{**value, "sides": tuple(value["sides"])})

    @property
    def key(self) -> str:
        """The battle's subject."""
        return battle_key(self.name)

    def value(self) -> dict[str, Any]:
        """The header as it is kept."""
        return {**asdict(self), "sides": list(self.sides), "checked": dict(self.checked)}


@dataclass(frozen=True, slots=True)
class Combatant:
    """A unit on a roster. `spells` is how many a caster still has, None when nobody counts them; `place` is its turn to roll."""

    name: str
    side: str
    tags: tuple[str, ...]
    spells: int | None
    place: int

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """The unit that a value keeps."""
        return cls(**{**value, "tags": tuple(value["tags"])})

    @property
    def key(self) -> str:
        """The name under which the battle keeps it."""
        return UNIT + subject_key(self.name)

    def value(self) -> dict[str, Any]:
        """The unit as it is kept."""
        return {**asdict(self), "tags": list(self.tags)}


@dataclass(frozen=True, slots=True)
class Token:
    """What lets a side ignore an event: of which kind (`rules.events.Token`), and as which happening of which entry it came."""

    kind: str
    side: str
    entry: int
    place: int

    @property
    def key(self) -> str:
        """The name under which the battle keeps it."""
        return f"{TOKEN}{self.entry}.{self.place}"

    def value(self) -> dict[str, Any]:
        """The token as it is kept."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Doing:
    """One thing that an event does to a unit, for how long, and what it adds to the unit's numbers."""

    text: str
    lasts: str
    changes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InForce:
    """An event in force on a unit: of which battle and turn, and as which happening of which entry it came.

    `extra` are the sides and faces of the dice that belong to it; `removes` says that the unit is off the field for good.
    """

    name: str
    side: str
    battle: str
    turn: int
    event: int
    cause: str
    parts: tuple[Doing, ...]
    entry: int
    place: int
    extra: tuple[tuple[int, int], ...] = ()
    removes: bool = False

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """The event that an effect's value tells of."""
        fields = {name: value[name] for name in cls.__dataclass_fields__}
        parts = tuple(Doing(**part) for part in value["parts"])
        return cls(**{**fields, "parts": parts, "extra": tuple((sides, face) for sides, face in value["extra"])})

    @property
    def key(self) -> tuple[str, str]:
        """The effect's subject and name."""
        return unit(self.name), f"{EVENT}{self.entry}.{self.place}"

    @property
    def label(self) -> str:
        """What it is, in full."""
        return told(self.event, self.cause, [part.text for part in self.parts], self.extra)

    @property
    def title(self) -> str:
        """What it is, in short."""
        return f"{self.cause} ({self.event})"

    @property
    def changes(self) -> Counter[str]:
        """What it adds to the unit's numbers."""
        found: Counter[str] = Counter()
        for part in self.parts:
            found.update(part.changes)
        return found

    def lasts(self, *spans: str) -> bool:
        """Whether anything of it lasts as long as one of these."""
        return any(part.lasts in spans for part in self.parts)

    def without(self, *spans: str) -> Self | None:
        """What stays of it when all that lasts as long as one of these has ended; None when nothing does."""
        parts = tuple(part for part in self.parts if part.lasts not in spans)
        return replace(self, parts=parts) if parts else None

    def only(self, *spans: str) -> Self:
        """What of it lasts as long as one of these."""
        return replace(self, parts=tuple(part for part in self.parts if part.lasts in spans))

    def value(self) -> dict[str, Any]:
        """The event as its effect keeps it."""
        parts = [{"text": part.text, "lasts": part.lasts, "changes": dict(part.changes)} for part in self.parts]
        return {**asdict(self), "parts": parts, "extra": [list(die) for die in self.extra], "label": self.label}


@dataclass(frozen=True, slots=True)
class Loss:
    """What an event has cost a unit at once: on which side and in which turn, as which happening of which entry, in words.

    `place` is the happening's, `among` the unit's among those that it fell on; `spell` says that a counted spell was lost.
    """

    name: str
    side: str
    turn: int
    label: str
    entry: int
    place: int
    among: int
    spell: bool

    @property
    def key(self) -> str:
        """The name under which the battle keeps it."""
        return f"{LOSS}{self.entry}.{self.place}.{self.among}"

    def value(self) -> dict[str, Any]:
        """The loss as it is kept."""
        return asdict(self)


@dataclass(frozen=True)
class Battle:
    """A battle with all that is kept of it."""

    header: Header
    kept: State
    events: tuple[InForce, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.header.name

    @cached_property
    def roster(self) -> tuple[Combatant, ...]:
        """Its units in the order in which they roll: side by side, each as they came."""
        sides = {side: place for place, side in enumerate(self.header.sides)}
        found = (Combatant.of(value) for value in self._of(UNIT))
        return tuple(sorted(found, key=lambda item: (sides[item.side], item.place)))

    @cached_property
    def fighting(self) -> tuple[Combatant, ...]:
        """The units that have not left it for good."""
        gone = {unit(item.name) for item in self.events if item.removes}
        return tuple(item for item in self.roster if unit(item.name) not in gone)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens held, the oldest first."""
        return tuple(sorted((Token(**value) for value in self._of(TOKEN)), key=lambda item: (item.entry, item.place)))

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """What events have cost at once, in the order in which it came."""
        return tuple(
            sorted((Loss(**value) for value in self._of(LOSS)), key=lambda item: (item.entry, item.place, item.among))
        )

    def unit(self, name: str) -> Combatant | None:
        """A unit of the roster by its name."""
        return next((item for item in self.roster if subject_key(item.name) == subject_key(name)), None)

    def header_change(self, after: Header) -> Change:
        """The header becomes another."""
        return Change(self.header.key, BATTLE, self.header.value(), after.value())

    def ending(self, *spans: str, among: Iterable[InForce] | None = None) -> list[Change]:
        """All that lasts as long as one of these ends, on all units or in some of the events."""
        touched = [item for item in (self.events if among is None else among) if item.lasts(*spans)]
        rest = ((item, item.without(*spans)) for item in touched)
        return [Change(*item.key, item.value(), after and after.value()) for item, after in rest]

    def side(self, item: InForce | Loss) -> str:
        """The side of the unit that an event fell on, as the roster has it by now."""
        found = self.unit(item.name)
        return found.side if found else item.side

    def restored(self, item: Loss) -> Combatant | None:
        """The unit with the spell that it had lost; None where it was none, or nobody counts its spells any more."""
        found = self.unit(item.name) if item.spell else None
        return None if found is None or found.spells is None else replace(found, spells=found.spells + 1)

    def restoring(self, losses: Iterable[Loss]) -> Iterator[Change]:
        """What is lost is lost no more."""
        for item in losses:
            yield Change(self.header.key, item.key, item.value(), None)
            before, after = self.unit(item.name), self.restored(item)
            if before and after:
                yield Change(self.header.key, before.key, before.value(), after.value())

    def _of(self, prefix: str) -> Iterator[Any]:
        return (value for (_, name), value in self.kept.items() if name.startswith(prefix))


def told(event: int, cause: str, texts: Iterable[str], dice: Iterable[Sequence[int]]) -> str:
    """An event in words: its cause and number, what it does, and the dice that belong to it as sides and face."""
    drawn = "".join(f" (d{sides}: {face})" for sides, face in dice)
    return f"{cause} ({event}): {'; '.join(texts)}{drawn}"


def battle_key(name: str) -> str:
    """The subject under which a battle is kept."""
    return f"{BATTLE}:{subject_key(name)}"


def headers(tx: Connection, campaign_id: int) -> list[Header]:
    """All battles that were ever begun, the newest first."""
    found = (Header.of(value) for value in state.of_name(tx, campaign_id, BATTLE).values())
    return sorted(found, key=lambda item: -item.entry)


def fought(tx: Connection, campaign_id: int) -> list[Battle]:
    """The battles that are not over, the newest first."""
    running = [item for item in headers(tx, campaign_id) if not item.over]
    kept = state.beginning(tx, campaign_id, {item.key for item in running}, "") if running else {}
    events = [InForce.of(value) for value in state.naming(tx, campaign_id, EVENT).values()] if running else []
    return [_battle(item, kept, events) for item in running]


def _battle(header: Header, kept: State, events: Iterable[InForce]) -> Battle:
    """A battle out of what is kept of several; what an earlier battle of its name has left behind is none of its own."""
    own = [item for item in events if battle_key(item.battle) == header.key and item.entry > header.entry]
    mine = {key: value for key, value in kept.items() if key[0] == header.key}
    places = {unit(item.name): place for place, item in enumerate(Battle(header, mine, ()).roster)}
    in_turn = sorted(own, key=lambda item: (item.entry, item.place, places.get(unit(item.name), len(places))))
    return Battle(header, mine, tuple(in_turn))
