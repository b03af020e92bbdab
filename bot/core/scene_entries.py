"""One entry per change of a scene."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update
from bot.core.ledger import EntryDraft, Ledger
from bot.core.records import Change, Entry, Json
from bot.core.scenes import AnyScene, Kind, S, list_scene_changes, read_running
from bot.core.state import State
from rules import effects
from rules.effects import EFFECT
from rules.scenes import Participant, Replacement, find_passed, stamp_turn
from rules.subjects import NAME, subject_key, subject_number


class SceneChange(Struct, frozen=True):
    """A change to enter, from the scene before.

    `subjects` are new names, `mentioned` others. It's `public` if everyone hears of it. `asides` are for the maker, `lasting` are effects
    already read.
    """

    scene: AnyScene
    body: Mapping[str, Json]
    replacements: Sequence[Replacement]
    texts: Mapping[str, str] = field(default_factory=dict)
    subjects: Sequence[Change] = ()
    mentioned: Sequence[Participant] = ()
    public: bool = False
    audience: str = "results"
    asides: Sequence[str] = ()
    lasting: State | None = None


def enter_change(tx: Connection, ledger: Ledger, campaign: Campaign, user_id: int, change: SceneChange) -> Entry:
    """Append an entry for a scene's change, with effects that end by it; return the entry."""
    header = change.scene.header
    link = entries.find_link(tx, campaign.id, campaign.uuid)
    replacements = stamp_turn(change.scene, change.replacements, link.number + 1)
    known = find_effects(tx, campaign) if change.lasting is None else change.lasting
    lasting = known | state.get_values(tx, campaign.id, {header.subject})
    ended = count_down(lasting, change.scene, replacements)
    made = (*change.subjects, *list_scene_changes(header, replacements), *ended)
    replaced = [item for pair in replacements for item in pair if isinstance(item, Participant)]
    named = [*change.mentioned, *replaced]
    draft = EntryDraft(header.kind, change.audience, change.body, made, change.texts, subjects=named)
    return ledger.append(tx, campaign.id, ledger.actor(tx, campaign, user_id), draft, link)


def find_effects(tx: Connection, campaign: Campaign) -> State:
    """Return effects that haven't ended with an update."""
    return state.find_in_force(tx, campaign.id, EFFECT, current_update(tx, campaign.id)["number"])


def count_down(lasting: State, scene: AnyScene, replacements: Sequence[Replacement]) -> Iterator[Change]:
    """Yield changes of values that end or lose a turn."""
    ended = effects.end_values(lasting, **asdict(find_passed(scene, replacements)))
    return (Change(*key, lasting[key], value) for key, value in ended.items())


def leave_scenes(
    kind: Kind[S], leaving: Callable[[S, int], Sequence[Replacement]], kept: State, number: int, entry: int
) -> Iterator[Change]:
    """Yield changes that remove a subject from scenes; `kept` is the whole state."""
    called = ((subject_number(subject), value) for (subject, name), value in kept.items() if name == NAME)
    names = {known: value for known, value in called if known is not None}
    lasting = ((key, value) for key, value in kept.items() if key[1].startswith(EFFECT))
    others = {key: value for key, value in lasting if key[0] != subject_key(number)}
    for scene in read_running(kept, names, kind):
        if scene.combatant(number) is not None:
            replaced = stamp_turn(scene, leaving(scene, number), entry)
            yield from list_scene_changes(scene.header, replaced)
            yield from count_down(others, scene, replaced)
