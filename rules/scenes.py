"""What is played in turns: who takes part, in which order, whose turn it is. A scene and what happens go in, what is replaced comes out.

Whose turn it is follows from the order and from who has had a turn in this round (`done`). Whoever comes in before the one
whose turn it is waits for the next round; whoever leaves and comes back has no second turn in one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from rules.modifiers import JsonObject
from rules.subjects import name_key

MEMBER = "unit."
"""How the names begin under which a scene's subject keeps its participants; the number of each follows."""

Slot = int | str
"""Who has a turn of its own: a participant, by the number of its subject, or a side."""

Names = Mapping[int, str]
"""What subjects are called, by number. Values keep numbers alone, so that a participant may be called otherwise."""


class SceneItem(Struct, frozen=True):
    """What is kept of a scene. Its value has no name of a subject, and nothing empty of what is `lean`."""

    lean: ClassVar[frozenset[str]] = frozenset({"name"})

    @classmethod
    def of(cls, value: JsonObject, names: Names | None = None) -> Self:
        """Return the item that a value keeps, with the name of its subject."""
        return convert({**value, "name": names[value["id"]]} if names else value, cls)

    @property
    def key(self) -> str | tuple[str, str]:
        """The name under which the scene's subject keeps it; subject and name where it is another subject."""
        raise NotImplementedError

    def value(self) -> dict[str, object]:
        """Return it as it is kept."""
        fields: dict[str, object] = to_builtins(self)
        return {name: value for name, value in fields.items() if name not in self.lean or (value and name != "name")}


class Replacement(NamedTuple):
    """What a command changes: an item before and after (None: not kept)."""

    before: SceneItem | None
    after: SceneItem | None


class Header(SceneItem, frozen=True):
    """A scene: between which sides, begun by which entry, in which turn, over or not.

    Where participants or sides have turns of their own (`order`), `turn` counts the rounds, and `done` are those who have
    had theirs; the turn of now has begun with the entry `since` (0: that of the scene). `conditions` are facts as they were at its start: how often each holds, 0 where it does not. `book` is the
    one that it is played by, `channel` the id (as text, for JSON) of the channel or thread of its own.
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
        """The name under which the scene's subject keeps it."""
        return self.kind

    @property
    def subject(self) -> str:
        """The scene's subject."""
        return scene_key(self.kind, self.name)


class Participant(SceneItem, frozen=True):
    """Who takes part, a subject by its number (`id`): on which side, in which place of the order.

    `marks` are what a book notes of it as long as the scene lasts, each with a count.
    """

    lean: ClassVar[frozenset[str]] = frozenset({"name", "marks"})

    id: int
    name: str
    side: str = ""
    place: int = 0
    marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name under which the scene's subject keeps it."""
        return f"{MEMBER}{self.id}"


H = TypeVar("H", bound=Header)
P = TypeVar("P", bound=Participant)
H_co = TypeVar("H_co", bound=Header, covariant=True)
P_co = TypeVar("P_co", bound=Participant, covariant=True)


class Scene(Struct, Generic[H_co, P_co], frozen=True, dict=True):
    """A scene with those who take part in it, in their order (`seated`)."""

    header: H_co
    roster: tuple[P_co, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.header.name

    @cached_property
    def now(self) -> Slot | None:
        """Whose turn it is; None where nobody has one of its own."""
        return whose_turn(self.header, self.roster)

    def unit(self, name: str) -> P_co | None:
        """Return a participant by name; None when there is none."""
        return next((item for item in self.roster if name_key(item.name) == name_key(name)), None)

    def combatant(self, number: int) -> P_co | None:
        """Return a participant by its number; None when there is none."""
        return next((item for item in self.roster if item.id == number), None)


class PastTurns(Struct, frozen=True):
    """What is past in a scene (its subject): whose turns, by number, which `began` with an entry; who has left it; whether it is over."""

    scene: str
    began: int
    turns: tuple[int, ...]
    left: tuple[int, ...]
    over: bool


def sort_roster(header: Header, roster: Iterable[P]) -> tuple[P, ...]:
    """Return participants in their order: by their places, side by side unless each has a turn of its own."""
    sides = {} if header.order == "participants" else {side: place for place, side in enumerate(header.sides)}
    return tuple(sorted(roster, key=lambda item: (sides.get(item.side, 0), item.place)))


def slots(header: Header, roster: Iterable[Participant]) -> list[Slot]:
    """Return who has a turn in each round, in order; a side only while somebody stands on it."""
    if header.order == "participants":
        return [item.id for item in sort_roster(header, roster)]
    manned = {item.side for item in roster}
    return [side for side in header.sides if header.order and side in manned]


def whose_turn(header: Header, roster: Iterable[Participant]) -> Slot | None:
    """Return whose turn it is: the first of the order who has not had one in this round; None where nobody has one."""
    return next((slot for slot in slots(header, roster) if slot not in header.done), None)


def begin(header: Header, roster: Sequence[Participant] = (), before: Header | None = None) -> list[Replacement]:
    """Begin a scene with these in their order, in place of an earlier one of its name that is over (`before`)."""
    return [Replacement(before, header), *join(Scene(header), roster)]


def join(scene: Scene[H, P], new: Sequence[P], after: int | None = None, *, waits: bool = False) -> list[Replacement]:
    """Let participants come in behind all others, or right behind one of them (by number); who `waits` has no turn before the next round."""
    places = {item.id: item.place for item in scene.roster}
    last = places.get(after or 0, max(places.values(), default=0))
    placed = [replace(item, place=last + place) for place, item in enumerate(new, 1)]
    moved = [replace(item, place=item.place + len(placed)) for item in scene.roster if item.place > last]
    return [*change(scene, moved, placed, waits=waits), *(Replacement(None, item) for item in placed)]


def change(scene: Scene[H, P], items: Iterable[P], new: Sequence[P] = (), *, waits: bool = False) -> list[Replacement]:
    """Replace participants by others of the same numbers: with other marks, on another side, in another place."""
    others = {item.id: item for item in items}
    roster = [others.get(item.id, item) for item in scene.roster]
    moved = [Replacement(item, others[item.id]) for item in scene.roster if item.id in others]
    return [*_round_with(scene, [*roster, *new], waits=waits), *moved]


def leave(scene: Scene[H, P], numbers: Iterable[int]) -> list[Replacement]:
    """Let participants (by number) leave; the turn of one who leaves in it is over."""
    gone = set(numbers)
    left = (Replacement(item, None) for item in scene.roster if item.id in gone)
    return [*_round_with(scene, [item for item in scene.roster if item.id not in gone]), *left]


def end_turn(scene: Scene[H, P]) -> H:
    """Return the header when the turn is over of whoever has it; where nobody has one, the whole turn is."""
    header, now = scene.header, scene.now
    if now is None:
        return replace(header, turn=header.turn + 1, done=())
    return _next_round(replace(header, done=(*header.done, now)), scene.roster)


def end(scene: Scene[H, P]) -> list[Replacement]:
    """End a scene; of those who took part nothing is kept any more."""
    over = Replacement(scene.header, replace(scene.header, over=True))
    return [over, *(Replacement(item, None) for item in scene.roster)]


def apply_replacements(scene: Scene[H, P], replacements: Sequence[Replacement]) -> Scene[Header, Participant]:
    """Return a scene once these are made, as far as all kinds of scenes know."""
    header: Header = next((after for _, after in replacements if isinstance(after, Header)), scene.header)
    out = {before.id for before, _ in replacements if isinstance(before, Participant)}
    come = [after for _, after in replacements if isinstance(after, Participant)]
    return Scene(header, sort_roster(header, [*(item for item in scene.roster if item.id not in out), *come]))


def stamp_turn(scene: Scene[H, P], replacements: Sequence[Replacement], entry: int) -> list[Replacement]:
    """Return these with the number of their entry in the header where a turn begins with it."""
    made = apply_replacements(scene, replacements)
    if made.header.over or (made.header.turn, made.now) == (scene.header.turn, scene.now):
        return [*replacements]
    before = next((before for before, after in replacements if after is made.header), scene.header)
    others = (pair for pair in replacements if pair.after is not made.header)
    return [Replacement(before, replace(made.header, since=entry)), *others]


def find_passed(scene: Scene[H, P], replacements: Sequence[Replacement]) -> PastTurns:
    """Return what is past in a scene once these are made."""
    made, now = apply_replacements(scene, replacements), scene.now
    ended = made.header.turn > scene.header.turn or now in made.header.done
    turns = [item.id for item in scene.roster if ended and now in {None, item.id, item.side}]
    left = [item.id for item in scene.roster if made.combatant(item.id) is None]
    began = scene.header.since or scene.header.entry
    return PastTurns(made.header.subject, began, tuple(turns), tuple(left), made.header.over)


def narrow_to(scene: Scene[H, P], numbers: Collection[int]) -> Scene[H, P]:
    """Return a scene as it looks to whoever knows of these participants (numbers) alone: when all of them have had their turns, the next round."""
    roster = tuple(item for item in scene.roster if item.id in numbers)
    return Scene(_next_round(scene.header, roster), roster)


def scene_key(kind: str, name: str) -> str:
    """Return the subject under which a scene is kept."""
    return f"{kind}:{name_key(name)}"


def kind_of(scene: str) -> str:
    """Return the kind of a scene by the subject under which it is kept."""
    return scene.partition(":")[0]


def _round_with(scene: Scene[H, P], roster: Sequence[P], *, waits: bool = False) -> list[Replacement]:
    """Return what another roster means for the round, if anything; who is new and `waits` has no turn in it."""
    header, now = scene.header, scene.now
    if now is not None:
        before, after = slots(header, scene.roster), slots(header, roster)
        places: dict[Slot, int] = {side: place for place, side in enumerate(header.sides)}
        places |= {item.id: item.place for item in (*scene.roster, *roster)}
        late = [slot for slot in after if slot not in before and (waits or places[slot] < places[now])]
        header = replace(header, done=(*header.done, *late, *({now} - {*after})))
    header = _next_round(header, roster)
    return [] if header == scene.header else [Replacement(scene.header, header)]


def _next_round(header: H, roster: Sequence[Participant]) -> H:
    """Return the header, in the next round where everybody has had a turn."""
    ended = slots(header, roster) and whose_turn(header, roster) is None
    return replace(header, turn=header.turn + 1, done=()) if ended else header
