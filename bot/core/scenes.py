"""Find, read and change scenes in the state."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, state, subjects, transactions
from bot.core.errors import BadInput, NotOpen, UserError, unknown_name
from bot.core.records import Change, Json
from bot.core.state import State
from rules.scenes import MEMBER, Header, Names, Participant, Replacement, Scene, Slot, kind_of
from rules.subjects import PROFILE, name_key, subject_number

AnyScene = Scene[Header, Participant]
S = TypeVar("S", bound=AnyScene)
P = TypeVar("P", bound=Participant)


class Kind(Struct, Generic[S], frozen=True):
    """One kind of scene: its headers, reader and words.

    `read` builds it from its values, those `beside` it (name prefix) and names; the texts are phrases for messages.
    """

    header: type[Header]
    read: Callable[[Mapping[str, Json], Sequence[Mapping[str, Json]], Names], S]
    doing: str
    begin: str
    look: str
    members: str
    beside: str | None = None
    several: str = ""

    @property
    def noun(self) -> str:
        """The scene's noun, also the kind of its entries."""
        return self.header.kind

    def hangs(self, change: Change) -> tuple[str, ...]:
        """Return name prefixes of the scene's values that depend on a change; an empty prefix means all."""
        if change.name == self.noun and change.after and (change.before is None or change.before["over"]):
            return ("",)
        mine = change.subject.startswith(f"{self.noun}:")
        return (self.noun,) if mine and change.name.startswith(MEMBER) and change.before is None else ()


class SeenTurn(Struct, frozen=True):
    """A turn that someone was asked about."""

    scene: int
    turn: int
    now: Slot | None = None


Which = str | int | SeenTurn | None


class SceneMembership(NamedTuple):
    """The scene that a subject is in: its key, its header, and the subject's marks there."""

    scene: str
    header: Header
    marks: Mapping[str, int]


def list_headers(tx: Connection, campaign_id: int, kind: Kind[S]) -> list[Header]:
    """Return all scenes ever begun, newest first."""
    values = state.find_values_of_name(tx, campaign_id, kind.noun).values()
    return sorted(map(kind.header.of, values), key=lambda item: -item.entry)


def list_running(tx: Connection, campaign_id: int, kind: Kind[S]) -> Sequence[S]:
    """Return running scenes of a kind, newest first."""
    running = [item.subject for item in list_headers(tx, campaign_id, kind) if not item.over]
    return find_scenes(tx, campaign_id, kind, running)


def find_scenes(tx: Connection, campaign_id: int, kind: Kind[S], keys: Collection[str]) -> Sequence[S]:
    """Return running scenes with these subjects, newest first."""
    if not keys:
        return ()
    make = partial(_of_subjects, tx, campaign_id, kind, keys)
    return transactions.compute_once(tx, (Scene, campaign_id, kind.noun, frozenset(keys)), make)


def _of_subjects(tx: Connection, campaign_id: int, kind: Kind[S], keys: Collection[str]) -> Sequence[S]:
    beside = state.find_values_beginning(tx, campaign_id, kind.beside) if kind.beside else {}
    kept = state.get_values(tx, campaign_id, keys) | beside
    names = subjects.name_subjects(tx, campaign_id, {item["id"] for item in kept.values() if "id" in item})
    return read_running(kept, names, kind)


def read_running(kept: State, names: Names, kind: Kind[S]) -> list[S]:
    """Return running scenes from the state, newest first."""
    values: dict[str, dict[str, Json]] = {}
    for (subject, name), value in kept.items():
        values.setdefault(subject, {})[name] = value
    beside = [value for (_, name), value in kept.items() if kind.beside and name.startswith(kind.beside)]
    begun = [own for own in values.values() if kind.noun in own and not own[kind.noun]["over"]]
    found = (kind.read(own, beside, names) for own in begun)
    return sorted(found, key=lambda item: -item.header.entry)


def find_stands(tx: Connection, campaign_id: int, kept: State) -> dict[int, SceneMembership]:
    """Return each participant's scene by subject number, from the participants' values in `kept`."""
    members = [(subject, value) for (subject, name), value in kept.items() if name.startswith(MEMBER)]
    begun = {subject: find_header(tx, campaign_id, subject) for subject in {subject for subject, _ in members}}
    found = ((begun[subject], subject, value) for subject, value in members)
    return {value["id"]: SceneMembership(subject, at, value.get("marks", {})) for at, subject, value in found if at}


def find_stand(tx: Connection, campaign_id: int, number: int) -> SceneMembership | None:
    """Return the scene that a subject (number) is in, of any kind; None if in none."""
    return find_stands(tx, campaign_id, state.find_values_named(tx, campaign_id, [f"{MEMBER}{number}"])).get(number)


def find_scene_of(tx: Connection, campaign_id: int, kind: Kind[S], number: int, kept: State | None = None) -> S | None:
    """Return the running scene of a kind that a subject is in, if any; `kept` saves reading participants' values."""
    member = f"{MEMBER}{number}"
    members = state.find_values_named(tx, campaign_id, [member]) if kept is None else kept
    keys = {subject for subject, name in members if name == member and subject.startswith(f"{kind.noun}:")}
    return next(iter(find_scenes(tx, campaign_id, kind, keys)), None)


def find_header(tx: Connection, campaign_id: int, subject: str) -> Header | None:
    """Return a scene's common fields by its subject."""
    value = state.get_value(tx, campaign_id, subject, kind_of(subject))
    return None if value is None else Header.of(value)


def find_scene(tx: Connection, campaign_id: int, kind: Kind[S], which: Which, channels: Sequence[int] = ()) -> S:
    """Return the scene meant: named, the channel's, or the only one."""
    found = list_running(tx, campaign_id, kind)
    if isinstance(which, str) and which.strip():
        scene = next((item for item in found if name_key(item.name) == name_key(which)), None)
        if scene is None:
            raise _explain_unknown(which, list_headers(tx, campaign_id, kind), kind)
        return scene
    if which is not None and not isinstance(which, str):
        return _find_begun(found, which, kind)
    by_channel = ([item for item in found if item.header.channel == str(channel)] for channel in channels)
    here = next(filter(None, by_channel), found)
    if not here:
        raise BadInput(f"No {kind.noun} is {kind.doing}.", kind.begin)
    if len(here) > 1:
        names = " and ".join(item.name for item in here)
        meant = kind.several or f"Name one as {kind.noun}."
        raise BadInput(f"Several {kind.noun}s are {kind.doing}: {names}.", meant)
    return here[0]


def require_side(scene: AnyScene, typed: str) -> str:
    """Return the side meant in a scene."""
    sides = scene.header.sides
    for side in sides:
        if name_key(side) == name_key(typed):
            return side
    what = f"{scene.name} has no side called {typed[:60]!r}."
    raise unknown_name(what, typed, sides, f"Its sides are {' and '.join(sides)}.")


def require_participant(scene: Scene[Header, P], typed: str, kind: Kind[S]) -> P:
    """Return the scene's unit with this name."""
    item = scene.unit(typed)
    if item is None:
        names = [item.name for item in scene.roster]
        raise unknown_name(f"{scene.name} has no unit called {typed[:60]!r}.", typed, names, kind.members)
    return item


def require_new(tx: Connection, campaign_id: int, header: Header, kind: Kind[S]) -> Header | None:
    """Return the ended scene that a new one replaces, None without one; refuse if it still runs."""
    before = next((item for item in list_headers(tx, campaign_id, kind) if item.subject == header.subject), None)
    if before is not None and not before.over:
        raise BadInput(f"{before.name} is already {kind.doing}.", "Pick another name, or end that one first.")
    return before


def require_free(tx: Connection, campaign_id: int, scene: AnyScene, joining: Sequence[subjects.Numbered]) -> None:
    """Refuse those in a scene, or with a name taken."""
    several = subjects.find_twins(joining)
    kept = state.find_values_named(tx, campaign_id, [f"{MEMBER}{item.id}" for item in joining])
    sides = {value["id"]: value["side"] for value in kept.values()}
    taken = find_stands(tx, campaign_id, kept)
    for item in joining:
        if item.id in several:
            raise BadInput(f"Two units are called {item.name}.", "Only one can be in it: rename the other.")
        other = scene.unit(item.name)
        if item.id in taken or other:
            where = taken[item.id].header.name if item.id in taken else scene.name
            side = sides.get(item.id, other.side if other else "")
            what = f"{item.name} is already in {where}{f', for {side}' if side else ''}."
            raise BadInput(what, "Pick another name.")


def require_alone(tx: Connection, _house: object, campaign: campaigns.Campaign, again: State) -> None:
    """Refuse values that put a subject into two scenes."""
    back = {key: value for key, value in again.items() if key[1].startswith(MEMBER) and value is not None}
    kept = state.find_values_named(tx, campaign.id, {name for _, name in back}) if back else {}
    for (subject, name), value in kept.items():
        elsewhere = (subject, name) not in again and any(name == other for _, other in back)
        at = find_header(tx, campaign.id, subject) if elsewhere else None
        if at is not None:
            who = subjects.name_subjects(tx, campaign.id, {value["id"]})[value["id"]]
            raise NotOpen(f"{who} is in {at.name} now.", "Remove it there first, then undo this.")


def require_saved(kind: Kind[S], tx: Connection, _house: object, campaign: campaigns.Campaign, again: State) -> None:
    """Refuse to remove the profile of a subject that stays in a scene of this kind."""
    removed = (subject for (subject, name), value in again.items() if name == PROFILE and value is None)
    gone = {number for subject in removed if (number := subject_number(subject))}
    kept = state.find_values_named(tx, campaign.id, {f"{MEMBER}{number}" for number in gone}) if gone else {}
    stays = {key: value for key, value in kept.items() if key not in again}
    for number, at in find_stands(tx, campaign.id, stays).items():
        if at.scene.startswith(f"{kind.noun}:"):
            who = subjects.name_subjects(tx, campaign.id, {number})[number]
            raise NotOpen(f"{who} is in {at.header.name}.", "End that first, or remove the one who is saved.")


def require_turn(scene: AnyScene, seen: SeenTurn, kind: Kind[S]) -> None:
    """Refuse if the turn has changed."""
    if (scene.header.turn, scene.now) != (seen.turn, seen.now):
        what = f"That turn of {scene.name} is already over."
        if seen.now is None and scene.header.turn != seen.turn:
            what = f"Turn {seen.turn} of {scene.name} is already over. It's turn {scene.header.turn}."
        raise NotOpen(what, kind.look)


def list_scene_changes(header: Header, replacements: Iterable[Replacement]) -> list[Change]:
    """Return changes for a scene's replaced items."""
    changes = []
    for before, after in replacements:
        key = (before or after or header).key
        place = (header.subject, key) if isinstance(key, str) else key
        changes.append(Change(*place, before and before.value(), after and after.value()))
    return changes


def _find_begun(found: Sequence[S], which: int | SeenTurn, kind: Kind[S]) -> S:
    entry = which if isinstance(which, int) else which.scene
    scene = next((item for item in found if item.header.entry == entry), None)
    if scene is None:
        raise NotOpen(f"That {kind.noun} is over.", "It has ended.")
    if not isinstance(which, int):
        require_turn(scene, which, kind)
    return scene


def _explain_unknown(name: str, known: Sequence[Header], kind: Kind[S]) -> UserError:
    over = next((item for item in known if name_key(item.name) == name_key(name)), None)
    if over is not None:
        return NotOpen(f"{over.name} is over: it ended in turn {over.turn}.", kind.begin)
    names = [item.name for item in known if not item.over]
    return unknown_name(f"I don't know the {kind.noun} {name[:60]!r}.", name, names, kind.begin)
