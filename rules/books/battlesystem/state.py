"""A battle as it is kept, in plain JSON values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict

from msgspec import field
from msgspec.structs import replace

from rules import scenes
from rules.effects import EFFECT, KeptValue
from rules.kinds import PartLasts, Stat, Token
from rules.subjects import subject_key
from rules.tables import EventPart

BATTLE, TOKEN, LOSS = "battle", "token.", "loss."  # the names of the values of a battle's subject
EVENT = f"{EFFECT}event-"  # begins the name of an effect that an event set on a unit
PERMANENT: PartLasts = "permanent"  # outlives its battle
CONDITIONS: tuple[PartLasts, ...] = ("until_condition", "until_gone")  # only players can say when these end
Came = tuple[int, int]
"""An entry, and its event from 0."""

How = Literal["token", "condition", "cancel"]


class EventLine(TypedDict):
    """What ends, stays or is lost on a unit; `spells` is how many it has again."""

    name: str
    text: str
    spells: NotRequired[int]


class BattleHeader(scenes.Header, frozen=True):
    """A battle's header; `checked` has the entry that checked each side this turn."""

    kind: ClassVar[str] = BATTLE

    checked: Mapping[str, int] = field(default_factory=dict)

    def checks_of(self, sides: Iterable[str]) -> dict[str, int]:
        """Return the entry that checked each of these sides this turn (C1.1); others are left out."""
        return {side: self.checked[side] for side in sides if side in self.checked}


class Combatant(scenes.Participant, frozen=True):
    """A unit on a roster; its `spells` are None if not counted."""

    tags: tuple[str, ...] = ()
    spells: int | None = None


class HeldToken(scenes.SceneItem, frozen=True):
    """A side's token, and the event that it came from."""

    kind: Token
    side: str
    entry: int
    place: int

    @property
    def key(self) -> str:
        """The name under which the battle's subject stores it."""
        return f"{TOKEN}{self.entry}.{self.place}"

    @property
    def came(self) -> Came:
        """The (entry, place) of the event that brought it."""
        return self.entry, self.place


class ActiveEvent(scenes.SceneItem, frozen=True):
    """An event active on a unit (`id`), of a turn, entry and place.

    `extra` are sides and faces of its dice, `orders` those of its row, `removes` means the unit is gone for good. It also ends with the unit `foe`.
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
        """The pair of subject and name under which it's stored."""
        return subject_key(self.id), f"{EVENT}{self.entry}.{self.place}"

    @property
    def came(self) -> Came:
        """The (entry, place) of the event that brought it."""
        return self.entry, self.place

    @property
    def label(self) -> str:
        """Its words in full."""
        return event_label(self.event, self.cause, [part.text for part in self.parts], self.extra)

    @property
    def title(self) -> str:
        """Its words in short."""
        return f"{self.cause} ({self.event})"

    @property
    def changes(self) -> Counter[Stat]:
        """The sum of its parts' changes, by `Stat`."""
        sums: Counter[Stat] = Counter()
        for part in self.parts:
            sums.update(part.changes)
        return sums

    def lasts(self, *spans: PartLasts) -> bool:
        """Return whether a part has one of these spans."""
        return any(part.lasts in spans for part in self.parts)

    def without(self, *spans: PartLasts) -> Self | None:
        """Return the event without parts of these spans; None if nothing is left."""
        parts = tuple(part for part in self.parts if part.lasts not in spans)
        return replace(self, parts=parts) if parts else None

    def only(self, *spans: PartLasts) -> Self:
        """Keep only the parts of these spans."""
        return replace(self, parts=tuple(part for part in self.parts if part.lasts in spans))

    def value(self) -> dict[str, object]:
        """Return the event as stored, with its label."""
        return {**super().value(), "label": self.label}


class Loss(scenes.SceneItem, frozen=True):
    """What an event cost a unit (`id`) at once.

    `place` is the event's in its entry, `among` the unit's in the event; `spell` means a counted spell.
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
        """The name under which the battle's subject stores it."""
        return f"{LOSS}{self.entry}.{self.place}.{self.among}"

    @property
    def came(self) -> Came:
        """The (entry, place) of the event that caused it."""
        return self.entry, self.place


class Battle(scenes.Scene[BattleHeader, Combatant], frozen=True, dict=True):
    """A battle with its tokens, losses and events, each in the order they came; its roster in the order units roll."""

    tokens: tuple[HeldToken, ...] = ()
    losses: tuple[Loss, ...] = ()
    events: tuple[ActiveEvent, ...] = ()

    @classmethod
    def of(cls, header: BattleHeader, values: KeptValue, events: Iterable[ActiveEvent], names: scenes.Names) -> Self:
        """Read a battle from its values; `names` are its units', and an earlier battle's leftovers don't count."""
        members = (Combatant.of(value, names) for value in _values_with(values, scenes.MEMBER))
        roster = scenes.sort_roster(header, members)
        tokens = sorted((HeldToken.of(value) for value in _values_with(values, TOKEN)), key=lambda item: item.came)
        costs = (Loss.of(value, names) for value in _values_with(values, LOSS))
        losses = sorted(costs, key=lambda item: (*item.came, item.among))
        places = {item.id: place for place, item in enumerate(roster)}
        here = [item for item in events if scenes.scene_key(BATTLE, item.battle) == header.subject]
        own = (item for item in here if item.entry > header.entry)
        in_turn = sorted(own, key=lambda item: (*item.came, places.get(item.id, len(places))))
        return cls(header, roster, tuple(tokens), tuple(losses), tuple(in_turn))

    @cached_property
    def fighters(self) -> tuple[Combatant, ...]:
        """The units on the roster that no event has removed."""
        gone = {item.id for item in self.events if item.removes}
        return tuple(item for item in self.roster if item.id not in gone)

    def find_overruling(self, item: ActiveEvent) -> ActiveEvent | None:
        """Return a later event on the unit with contradicting orders, the newest (A3)."""
        later = (other for other in self.events if other.id == item.id and other.came > item.came)
        against = (other for other in later if {*other.orders} & {*item.orders})
        return max(against, key=lambda other: other.came, default=None)

    def side_of(self, item: ActiveEvent | Loss) -> str:
        """Return the present side of an event's unit."""
        combatant = self.combatant(item.id)
        return combatant.side if combatant else item.side


def event_label(event: int, cause: str, texts: Iterable[str], dice: Iterable[Sequence[int]]) -> str:
    """Return an event in words, with its dice as sides and face."""
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
    """Return when an event's effect ends; None for other effects."""
    if "parts" not in value:
        return None
    spans = dict.fromkeys(part["lasts"] for part in value["parts"])
    return ", ".join(SPANS[span].format(turn=value["turn"], battle=value["battle"]) for span in spans)
