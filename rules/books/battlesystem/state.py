"""A battle with random events as it is kept: pure values, each read from and written as a plain JSON value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict

from msgspec import field
from msgspec.structs import replace

from rules import scenes
from rules.effects import EFFECT
from rules.ends import KeptValue
from rules.kinds import PartLasts, Stat, Token
from rules.scenes import MEMBER, Names, Participant, Scene, SceneItem, scene_key, sort_roster
from rules.subjects import subject_key
from rules.tables import EventPart

BATTLE, TOKEN, LOSS = "battle", "token.", "loss."
"""The names under which a battle's subject keeps its header, beside its units the tokens held, and what was lost at once."""

EVENT = f"{EFFECT}event-"
"""How the name of an effect begins that an event has set; it stands on the unit, as every effect does."""

PERMANENT: PartLasts = "permanent"
"""How long something lasts that outlives its battle."""

CONDITIONS: tuple[PartLasts, ...] = ("until_condition", "until_gone")
"""How long something lasts whose end only the players can tell: until a unit rests, or until it or its foe is gone."""

Came = tuple[int, int]
"""By which entry something came, and as which of its events, from 0."""

How = Literal["token", "condition", "cancel"]
"""By what an event is ended before its time."""


class EventLine(TypedDict):
    """What ends, stays or is lost on a unit, in words; `spells` is how many it has again."""

    name: str
    text: str
    spells: NotRequired[int]


class BattleHeader(scenes.Header, frozen=True):
    """A battle: a scene without turns of its own for anybody, and which entries checked whose units this turn."""

    kind: ClassVar[str] = BATTLE

    checked: Mapping[str, int] = field(default_factory=dict)

    def checks_of(self, sides: Iterable[str]) -> dict[str, int]:
        """Return the entries by which these sides were checked this turn: what makes a further check a second one (C1.1)."""
        return {side: self.checked[side] for side in sides if side in self.checked}


class Combatant(Participant, frozen=True):
    """A unit on a roster; `spells` is how many a caster still has, None when nobody counts them."""

    tags: tuple[str, ...] = ()
    spells: int | None = None


class HeldToken(SceneItem, frozen=True):
    """A token that a side holds: of which kind, and by which entry and as which of its events it came."""

    kind: Token
    side: str
    entry: int
    place: int

    @property
    def key(self) -> str:
        """The name under which the battle keeps it."""
        return f"{TOKEN}{self.entry}.{self.place}"

    @property
    def came(self) -> Came:
        """By which event it came."""
        return self.entry, self.place


class InForce(SceneItem, frozen=True):
    """An event in force on a unit: of which battle and turn, and by which entry and as which of its events it came.

    `id` is the unit's number; `extra` are the sides and faces of the dice that belong to it; `removes` says that the unit
    is off the field for good. `orders` are those of its row, `foe` the number of the unit with which it ends as well.
    """

    lean: ClassVar[frozenset[str]] = frozenset({"name", "orders", "foe"})

    id: int
    name: str
    side: str
    battle: str
    turn: int
    event: int
    cause: str
    parts: tuple[EventPart, ...]
    entry: int
    place: int
    extra: tuple[tuple[int, int], ...] = ()
    removes: bool = False
    orders: tuple[str, ...] = ()
    foe: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The effect's subject and name."""
        return subject_key(self.id), f"{EVENT}{self.entry}.{self.place}"

    @property
    def came(self) -> Came:
        """By which event it came."""
        return self.entry, self.place

    @property
    def label(self) -> str:
        """What it is, in full."""
        return event_label(self.event, self.cause, [part.text for part in self.parts], self.extra)

    @property
    def title(self) -> str:
        """What it is, in short."""
        return f"{self.cause} ({self.event})"

    @property
    def changes(self) -> Counter[Stat]:
        """What it adds to the unit's numbers."""
        sums: Counter[Stat] = Counter()
        for part in self.parts:
            sums.update(part.changes)
        return sums

    def lasts(self, *spans: PartLasts) -> bool:
        """Return whether anything of it lasts as long as one of these."""
        return any(part.lasts in spans for part in self.parts)

    def without(self, *spans: PartLasts) -> Self | None:
        """Return what stays of it when all that lasts as long as one of these has ended; None when nothing does."""
        parts = tuple(part for part in self.parts if part.lasts not in spans)
        return replace(self, parts=parts) if parts else None

    def only(self, *spans: PartLasts) -> Self:
        """Return what of it lasts as long as one of these."""
        return replace(self, parts=tuple(part for part in self.parts if part.lasts in spans))

    def value(self) -> dict[str, object]:
        """Return the event as its effect keeps it."""
        return {**super().value(), "label": self.label}


class Loss(SceneItem, frozen=True):
    """What an event has cost a unit at once: on which side and in which turn, by which entry and event, in words.

    `id` is the unit's number; `place` is the event's, `among` the unit's among those that it fell on; `spell` says that a
    counted spell was lost.
    """

    id: int
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

    @property
    def came(self) -> Came:
        """By which event it came."""
        return self.entry, self.place


class Battle(Scene[BattleHeader, Combatant], frozen=True, dict=True):
    """A battle with all that is kept of it.

    The roster is in the order in which its units roll: side by side, each as they came. Tokens, losses and events are in
    the order in which they came.
    """

    tokens: tuple[HeldToken, ...] = ()
    losses: tuple[Loss, ...] = ()
    events: tuple[InForce, ...] = ()

    @classmethod
    def of(cls, header: BattleHeader, values: KeptValue, events: Iterable[InForce], names: Names) -> Self:
        """Return the battle that values keep, by their names, with its own among the events of all battles.

        `names` are those of its units.

        What an earlier battle of its name has left behind is none of its own.
        """
        roster = sort_roster(header, (Combatant.of(value, names) for value in _values_with(values, MEMBER)))
        tokens = sorted((HeldToken.of(value) for value in _values_with(values, TOKEN)), key=lambda item: item.came)
        costs = (Loss.of(value, names) for value in _values_with(values, LOSS))
        losses = sorted(costs, key=lambda item: (*item.came, item.among))
        places = {item.id: place for place, item in enumerate(roster)}
        own = (
            item for item in events if scene_key(BATTLE, item.battle) == header.subject and item.entry > header.entry
        )
        in_turn = sorted(own, key=lambda item: (*item.came, places.get(item.id, len(places))))
        return cls(header, roster, tuple(tokens), tuple(losses), tuple(in_turn))

    @cached_property
    def fighting(self) -> tuple[Combatant, ...]:
        """The units that have not left it for good."""
        gone = {item.id for item in self.events if item.removes}
        return tuple(item for item in self.roster if item.id not in gone)

    def overruled_by(self, item: InForce) -> InForce | None:
        """Return the newest later event on the same unit whose orders contradict those of this one; None when it holds (A3)."""
        later = (other for other in self.events if other.id == item.id and other.came > item.came)
        return max(
            (other for other in later if {*other.orders} & {*item.orders}), key=lambda other: other.came, default=None
        )

    def side_of(self, item: InForce | Loss) -> str:
        """Return the side of the unit that an event fell on, as the roster has it by now."""
        combatant = self.combatant(item.id)
        return combatant.side if combatant else item.side


def event_label(event: int, cause: str, texts: Iterable[str], dice: Iterable[Sequence[int]]) -> str:
    """Return an event in words: its cause and number, what it does, and the dice that belong to it as sides and face."""
    drawn = "".join(f" (d{sides}: {face})" for sides, face in dice)
    return f"{cause} ({event}): {'; '.join(texts)}{drawn}"


def _values_with(values: KeptValue, prefix: str) -> list[Any]:
    return [value for name, value in values.items() if name.startswith(prefix)]


SPANS: Mapping[str, str] = {
    "turn": "until the end of turn {turn} of {battle}",
    "battle": "until {battle} is over",
    "permanent": "for good",
    "until_condition": "until its condition is met",
    "until_gone": "until it or its enemy is gone",
}


def event_ends(value: KeptValue) -> str | None:
    """Return when an effect ends, from the value that is kept of it; None of one that no event has set."""
    if "parts" not in value:
        return None
    spans = dict.fromkeys(part["lasts"] for part in value["parts"])
    return ", ".join(SPANS[span].format(turn=value["turn"], battle=value["battle"]) for span in spans)
