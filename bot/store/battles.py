"""Battles with random events: roster, tokens, losses and what is in force on the units, as the campaign's state keeps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from sqlalchemy import Connection

from bot.request import subject_key, unit
from bot.store import states
from bot.store.records import Change
from bot.store.states import State

BATTLE, UNIT, TOKEN, LOSS = "battle", "unit.", "token.", "loss."
"""The names under which a battle's subject keeps its header, its units, the tokens held, and what was lost at once."""

EVENT = "effect.event-"
"""How the name of an effect begins that an event has set; it stands on the unit, as every effect does."""

PERMANENT = "permanent"
"""How long something lasts that outlives its battle."""

CONDITIONS = ("until_condition", "until_gone")
"""How long something lasts whose end only the players can tell: until a unit rests, or until it or its foe is gone."""

CHOSEN, NEXT = "chosen", "next"
"""The tokens: by the one its holder ignores a later event of their choice, by the other the next one is ignored."""


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
    """What lets a side ignore an event: of which kind, and as which happening of which entry it was given."""

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
        drawn = "".join(f" (d{sides}: {face})" for sides, face in self.extra)
        return f"{self.cause} ({self.event}): {'; '.join(part.text for part in self.parts)}{drawn}"

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
    def losses(self) -> tuple[Mapping[str, Any], ...]:
        """What events have cost at once: each with the unit's name, a text and the turn."""
        return tuple(sorted(self._of(LOSS), key=lambda item: (item["turn"], item["name"])))

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

    def _of(self, prefix: str) -> Iterator[Any]:
        return (value for (_, name), value in self.kept.items() if name.startswith(prefix))


def battle_key(name: str) -> str:
    """The subject under which a battle is kept."""
    return f"{BATTLE}:{subject_key(name)}"


def headers(tx: Connection, campaign_id: int) -> list[Header]:
    """All battles that were ever begun, the newest first."""
    found = (Header.of(value) for value in states.of_name(tx, campaign_id, BATTLE).values())
    return sorted(found, key=lambda item: -item.entry)


def fought(tx: Connection, campaign_id: int) -> list[Battle]:
    """The battles that are not over, the newest first."""
    running = [item for item in headers(tx, campaign_id) if not item.over]
    kept = states.beginning(tx, campaign_id, {item.key for item in running}, "") if running else {}
    events = [InForce.of(value) for value in states.naming(tx, campaign_id, EVENT).values()] if running else []
    return [_battle(item, kept, events) for item in running]


def _battle(header: Header, kept: State, events: Iterable[InForce]) -> Battle:
    """A battle out of what is kept of several; what an earlier battle of its name has left behind is none of its own."""
    own = [item for item in events if battle_key(item.battle) == header.key and item.entry > header.entry]
    mine = {key: value for key, value in kept.items() if key[0] == header.key}
    return Battle(header, mine, tuple(sorted(own, key=lambda item: (item.entry, item.place, item.name))))
