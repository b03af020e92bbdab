"""Turns: who takes part, in which order, whose turn it is.

The turn follows from the order and from who is `done`. People who join before the current turn wait a round; people who
leave and return get no second turn.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from rules import modifiers, subjects

MEMBER = "unit."
"""Prefix of the names under which a scene keeps participants; the number follows."""
Slot = int | str
"""Who has a turn: a participant (number of its subject) or a side."""
Names = Mapping[int, str]
"""Names of subjects by number. Values only keep numbers, since names change."""


class SceneItem(Struct, frozen=True):
    """A value kept of a scene, stored without its name and without `lean` fields that are empty."""

    lean: ClassVar[frozenset[str]] = frozenset({"name"})

    @classmethod
    def of(cls, value: modifiers.JsonObject, names: Names | None = None) -> Self:
        """Read a value, adding its subject's name."""
        return convert({**value, "name": names[value["id"]]} if names else value, cls)

    @property
    def key(self) -> str | tuple[str, str]:
        """The name of the value in the scene's subject, or the pair (other subject, name)."""
        raise NotImplementedError

    def value(self) -> dict[str, object]:
        """Return the item as JSON, as it's stored."""
        fields: dict[str, object] = to_builtins(self)
        return {name: value for name, value in fields.items() if name not in self.lean or (value and name != "name")}


class Replacement(NamedTuple):
    """A stored item before and after a change; None if it's new or removed."""

    before: SceneItem | None
    after: SceneItem | None


class Header(SceneItem, frozen=True):
    """A scene: its sides, first entry, turn, and whether it's over.

    With an `order`, `turn` counts rounds, and entry `since` began the turn (0: the scene's). `conditions` counts facts
    at the start. `channel` is an id as text, for JSON.
    """

    kind: ClassVar[str] = "scene"
    lean: ClassVar[frozenset[str]] = frozenset({"order", "done", "since", "conditions", "book", "channel"})

    name: str
    sides: tuple[str, ...]
    entry: int
    turn: int = 1
    over: bool = False
    order: Literal["participants", "sides"] | None = None
    done: tuple[Slot, ...] = ()
    since: int = 0
    conditions: Mapping[str, int] = field(default_factory=dict)
    book: str | None = None
    channel: str | None = None

    @property
    def key(self) -> str:
        """The name the scene's subject keeps it under."""
        return self.kind

    @property
    def subject(self) -> str:
        """The scene's subject."""
        return scene_key(self.kind, self.name)


class Participant(SceneItem, frozen=True):
    """A subject's side and place; its book uses `marks`."""

    lean: ClassVar[frozenset[str]] = frozenset({"name", "marks"})

    id: int
    name: str
    side: str = ""
    place: int = 0
    marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name the scene's subject keeps it under."""
        return f"{MEMBER}{self.id}"


H = TypeVar("H", bound=Header)
P = TypeVar("P", bound=Participant)
H_co = TypeVar("H_co", bound=Header, covariant=True)
P_co = TypeVar("P_co", bound=Participant, covariant=True)


class Scene(Struct, Generic[H_co, P_co], frozen=True, dict=True):
    """A scene with its participants in order."""

    header: H_co
    roster: tuple[P_co, ...] = ()

    @property
    def name(self) -> str:
        """What it's called."""
        return self.header.name

    @cached_property
    def now(self) -> Slot | None:
        """Whose turn it is; None without an order of turns."""
        return _find_turn(self.header, self.roster)

    def unit(self, name: str) -> P_co | None:
        """Find a participant by name."""
        return next((item for item in self.roster if subjects.name_key(item.name) == subjects.name_key(name)), None)

    def combatant(self, number: int) -> P_co | None:
        """Find a participant by number."""
        return next((item for item in self.roster if item.id == number), None)


class PastTurns(Struct, frozen=True):
    """Whose turns ended (numbers), which entry had begun them, and who `left`."""

    scene: str
    began: int
    turns: tuple[int, ...]
    left: tuple[int, ...]
    over: bool


def sort_roster(header: Header, roster: Iterable[P]) -> tuple[P, ...]:
    """Sort participants by side and place, or by place alone if each has a turn."""
    sides = {} if header.order == "participants" else {side: place for place, side in enumerate(header.sides)}
    return tuple(sorted(roster, key=lambda item: (sides.get(item.side, 0), item.place)))


def list_slots(header: Header, roster: Iterable[Participant]) -> list[Slot]:
    """List a round's turns: participants or sides with any; empty without an order."""
    if header.order == "participants":
        return [item.id for item in sort_roster(header, roster)]
    manned = {item.side for item in roster}
    return [side for side in header.sides if header.order and side in manned]


def _find_turn(header: Header, roster: Iterable[Participant]) -> Slot | None:
    return next((slot for slot in list_slots(header, roster) if slot not in header.done), None)


def begin(header: Header, roster: Sequence[Participant] = (), before: Header | None = None) -> list[Replacement]:
    """Begin a scene, replacing an earlier one."""
    return [Replacement(before, header), *join(Scene(header), roster)]


def join(scene: Scene[H, P], new: Sequence[P], after: int | None = None, *, waits: bool = False) -> list[Replacement]:
    """Add participants, perhaps after one; who `waits` starts next round."""
    places = {item.id: item.place for item in scene.roster}
    last = places.get(after or 0, max(places.values(), default=0))
    placed = [replace(item, place=last + place) for place, item in enumerate(new, 1)]
    moved = [replace(item, place=item.place + len(placed)) for item in scene.roster if item.place > last]
    return [*change(scene, moved, placed, waits=waits), *(Replacement(None, item) for item in placed)]


def change(scene: Scene[H, P], items: Iterable[P], new: Sequence[P] = (), *, waits: bool = False) -> list[Replacement]:
    """Replace participants by others with the same numbers; `new` ones only count for the round."""
    others = {item.id: item for item in items}
    roster = [others.get(item.id, item) for item in scene.roster]
    moved = [Replacement(item, others[item.id]) for item in scene.roster if item.id in others]
    return [*_round_with(scene, [*roster, *new], waits=waits), *moved]


def leave(scene: Scene[H, P], numbers: Iterable[int]) -> list[Replacement]:
    """Remove participants (numbers); the current turn ends if it was theirs."""
    gone = set(numbers)
    left = (Replacement(item, None) for item in scene.roster if item.id in gone)
    return [*_round_with(scene, [item for item in scene.roster if item.id not in gone]), *left]


def end_turn(scene: Scene[H, P]) -> H:
    """Return the header after the current turn."""
    header, now = scene.header, scene.now
    if now is None:
        return replace(header, turn=header.turn + 1, done=())
    return _next_round(replace(header, done=(*header.done, now)), scene.roster)


def end(scene: Scene[H, P]) -> list[Replacement]:
    """End a scene and drop its participants."""
    over = Replacement(scene.header, replace(scene.header, over=True))
    return [over, *(Replacement(item, None) for item in scene.roster)]


def apply_replacements(scene: Scene[H, P], replacements: Sequence[Replacement]) -> Scene[Header, Participant]:
    """Return a scene with these replacements."""
    header: Header = next((after for _, after in replacements if isinstance(after, Header)), scene.header)
    out = {before.id for before, _ in replacements if isinstance(before, Participant)}
    come = [after for _, after in replacements if isinstance(after, Participant)]
    return Scene(header, sort_roster(header, [*(item for item in scene.roster if item.id not in out), *come]))


def stamp_turn(scene: Scene[H, P], replacements: Sequence[Replacement], entry: int) -> list[Replacement]:
    """Return replacements whose header has the entry as `since`, if they begin a turn."""
    made = apply_replacements(scene, replacements)
    if made.header.over or (made.header.turn, made.now) == (scene.header.turn, scene.now):
        return [*replacements]
    before = next((before for before, after in replacements if after is made.header), scene.header)
    others = (pair for pair in replacements if pair.after is not made.header)
    return [Replacement(before, replace(made.header, since=entry)), *others]


def find_passed(scene: Scene[H, P], replacements: Sequence[Replacement]) -> PastTurns:
    """Return whose turns end with these replacements, and who leaves."""
    made, now = apply_replacements(scene, replacements), scene.now
    ended = made.header.turn > scene.header.turn or now in made.header.done
    turns = [item.id for item in scene.roster if ended and now in {None, item.id, item.side}]
    left = [item.id for item in scene.roster if made.combatant(item.id) is None]
    began = scene.header.since or scene.header.entry
    return PastTurns(made.header.subject, began, tuple(turns), tuple(left), made.header.over)


def narrow_to(scene: Scene[H, P], numbers: Collection[int]) -> Scene[H, P]:
    """Show a scene with only these participants (numbers)."""
    roster = tuple(item for item in scene.roster if item.id in numbers)
    return Scene(_next_round(scene.header, roster), roster)


def scene_key(kind: str, name: str) -> str:
    """Return the key of the subject that stores a scene."""
    return f"{kind}:{subjects.name_key(name)}"


def kind_of(scene: str) -> str:
    """Return a scene's kind."""
    return scene.partition(":")[0]


def _round_with(scene: Scene[H, P], roster: Sequence[P], *, waits: bool = False) -> list[Replacement]:
    header, now = scene.header, scene.now
    if now is not None:
        before, after = list_slots(header, scene.roster), list_slots(header, roster)
        places: dict[Slot, int] = {side: place for place, side in enumerate(header.sides)}
        places |= {item.id: item.place for item in (*scene.roster, *roster)}
        late = [slot for slot in after if slot not in before and (waits or places[slot] < places[now])]
        header = replace(header, done=(*header.done, *late, *({now} - {*after})))
    header = _next_round(header, roster)
    return [] if header == scene.header else [Replacement(scene.header, header)]


def _next_round(header: H, roster: Sequence[Participant]) -> H:
    ended = list_slots(header, roster) and _find_turn(header, roster) is None
    return replace(header, turn=header.turn + 1, done=()) if ended else header
