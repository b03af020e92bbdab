"""Take back what an entry did: its changes are undone by a further entry, and both stay in the ledger.

One way for every kind of entry. What has changed the same since goes with it; what was merely rolled on it stays, and is
listed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import entries, permissions, state
from bot.core.campaigns import UPDATE, Campaign, find_update_entry, require_open
from bot.core.encoding import Json
from bot.core.entry_kinds import EntryKinds, Mark, View
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.permissions import Person, find_readable, require_game_master
from bot.core.records import NAME_TEXT, VOID, Change, Entry
from bot.core.state import AMENDED, PUBLISH_AT, VOIDED, State
from bot.core.subjects import Subject
from bot.errors import BadInput, NotOpen
from rules.effects import EFFECT, ORDERED, ROLLED
from rules.ends import resume_turns, scene_of
from rules.orders import LOCK, PASSED, carry_over, is_unresolved
from rules.subjects import GROUP, NAME, PROFILE

OF_UPDATE = (ROLLED, EFFECT, ORDERED, PASSED, LOCK)
"""How the names begin of what may be over with an update."""

HIDDEN = "Someone else's private roll"
"""What is told of an entry that goes with another and that is not for the eyes of whoever takes that one back."""


Hanging = Callable[[Change], tuple[str, ...]]
"""Return how the names begin of those values of the same subject that are nothing without what a change has begun."""


class Withdrawal(Struct, frozen=True):
    """What is taken back together, newest first; and the numbers of the later rolls that counted it, which stay."""

    chain: tuple[Entry, ...]
    used: tuple[int, ...]

    def after(self) -> State:
        """Return what all that they changed will be again; None where it was not set. Groups that others may have changed too are left out."""
        changes = (
            item
            for entry in self.chain
            for item in reversed(list_changes(entry))
            if item.name != GROUP or _is_of_group(entry)
        )
        return {(item.subject, item.name): item.before for item in changes}


def find_mark(tx: Connection, campaign_id: int, number: int) -> Mark | None:
    """Return by which entry one was taken back or amended, None while it stands."""
    return read_mark(state.get_value(tx, campaign_id, f"entry:{number}", VOIDED))


def find_voided(tx: Connection, campaign_id: int, numbers: Collection[int]) -> set[int]:
    """Return which of these entries are void."""
    keys = {f"entry:{number}": number for number in numbers}
    return {keys[key] for key, _ in state.get_values_named(tx, campaign_id, keys, {VOIDED})}


def read_mark(value: Mapping[str, Json] | None) -> Mark | None:
    """Return what the state keeps under `VOIDED` of an entry; None while it stands."""
    return None if value is None else Mark(value["by"], amended=value.get(AMENDED, False))


def is_hidden(entry: Entry, mine: str | None) -> bool:
    """Return whether an entry is for another person's eyes alone; `mine` is the reader's pseudonym."""
    return entry.audience == "person" and entry.actor != mine


def list_changes(entry: Entry) -> list[Change]:
    """Return what can be undone of an entry. A subject that began with it goes on, as one of whom nothing is kept.

    What was over with an update, or is counted in the turns of a scene, is no deed of the closing or of the turn's end:
    rolls are taken back without these.
    """
    changes = _changes(entry)
    return [item for item in changes if not (item.name == NAME and item.before is None) and not _is_over(entry, item)]


def _changes(entry: Entry) -> list[Change]:
    return [Change(**item) for item in entry.content()["changes"]]


def _is_over(entry: Entry, change: Change) -> bool:
    """Tell whether a change lets go of what is over with an update, or counts what ends in a scene by an entry of that scene."""
    if entry.kind == UPDATE:
        return change.name.startswith(OF_UPDATE)
    return entry.kind == (ended_by(change.name, change.before) or "").partition(":")[0]


def _goes_on(tx: Connection, campaign_id: int, entry: Entry) -> list[Change]:
    """Return what is kept again when an entry is taken back that let time pass: what was over with it, as far as that still stands."""
    gone = [item for item in _changes(entry) if _is_over(entry, item)]
    now = _now(tx, campaign_id, gone)
    void = find_voided(tx, campaign_id, {item.before["entry"] for item in gone})
    return [
        Change(item.subject, item.name, item.after, item.before)
        for item in gone
        if now.get((item.subject, item.name)) == item.after and item.before["entry"] not in void
    ]


def find_standing_entry(  # noqa: PLR0913 - who looks for what, where and why
    tx: Connection, person: Person, campaign: Campaign, number: int, action: str, *, hidden: bool = False
) -> Entry:
    """Return an entry that stands, for a game master who may know of it; a `hidden` one too, if asked: see `is_hidden`."""
    require_open(campaign)
    require_game_master(person, campaign, action)
    entry = entries.get_entry(tx, campaign.id, number) if hidden else find_readable(tx, person, campaign, number)
    if entry is None:
        raise BadInput(f"{campaign.name} has no entry #{number} that you can see.", "See /ledger list.")
    mark = find_mark(tx, campaign.id, number)
    if mark is not None:
        raise refuse_void(number, mark)
    return entry


def refuse_void(number: int, mark: Mark) -> NotOpen:
    """Return the refusal to change an entry that is void."""
    if mark.amended:
        what = f"Entry #{number} was already amended by #{mark.by}."
        return NotOpen(what, f"Use #{mark.by} instead.")
    return NotOpen(f"Entry #{number} was already undone by #{mark.by}.", f"See /ledger show number:{mark.by}.")


def find_withdrawal(
    tx: Connection, campaign: Campaign, entry: Entry, hanging: Hanging, *, amended: bool = False
) -> Withdrawal:
    """Return what goes with an entry: the later ones that stand and have changed what it, or another of these, did or began.

    What has ended with its update or in its scene, and begun anew since, was not changed by that. Nor, where the entry is
    `amended`, was an order that another has followed since: it is kept beside that.
    """
    chain, used, begun = [entry], [], _begun(entry, hanging)
    keys = list_left(entry)
    void = state.find_values_of_name(tx, campaign.id, VOIDED)
    for item in entries.walk_entries(tx, campaign.id, after=entry.number):
        by = void.get(f"entry:{item.number}")
        if item.kind == VOID or (by and not by.get(AMENDED)):
            continue  # what was amended comes back with the entry that amended it, so it goes too
        changed, found = list_left(item), _found_by(item)
        both = keys.keys() & changed.keys()
        anew = {
            key
            for key in both
            if (begun_anew(key[1], keys[key], changed[key]) and not _goes_over(key[1], found[key]))
            or has_ended(key[1], keys[key], found[key])
            or (amended and is_followed(key[1], keys[key], changed[key]))
        }
        keys = {key: value for key, value in keys.items() if key not in anew}
        if keys.keys() & changed.keys() or any(_hangs(key, value, begun) for key, value in changed.items()):
            keys |= changed
            begun |= _begun(item, hanging)
            chain.insert(0, item)
        elif not by and {other.number for other in chain}.intersection(item.content().get("uses", ())):
            used.append(item.number)
    return Withdrawal(tuple(chain), tuple(used))


class Voiding(Struct, frozen=True):
    """An entry that is taken back, why, the numbers of the rolls that counted it, and what else its void keeps."""

    entry: Entry
    reason: str
    used: Sequence[int] = ()
    more: Mapping[str, Json] = field(default_factory=dict)


def enter_void(  # noqa: PLR0913, PLR0917 - what is taken back, where and by whom
    tx: Connection, ledger: Ledger, kinds: EntryKinds, campaign: Campaign, user_id: int, wanted: Voiding
) -> Entry:
    """Enter that an entry is void; nothing that stands may have changed since what it did."""
    entry, content = wanted.entry, wanted.entry.content()
    changes = list_changes(entry)
    now = _now(tx, campaign.id, changes)
    last, found = list_left(entry), _found_by(entry)
    first = {key: before for key, before in found.items() if not permissions.is_group_value(key[1])}
    stays = {
        key
        for key in first
        if begun_anew(key[1], last[key], now.get(key)) or has_ended(key[1], last[key], now.get(key))
    }
    is_over = find_update_entry(tx, campaign.id) > entry.number
    inverse = [
        Change(*key, now.get(key), _again(key[1], before, now.get(key), last[key], is_over=is_over))
        if key[1].startswith((EFFECT, ORDERED, PASSED, LOCK))
        else Change(*key, last[key], before)
        for key, before in first.items()
        if key not in stays and key[1] != PUBLISH_AT  # it may be over by then
    ]
    grouped = ((item, now.get((item.subject, GROUP))) for item in changes if item.name == GROUP)
    inverse += [Change(item.subject, GROUP, kept, permissions.undo_change(item, kept)) for item, kept in grouped]
    inverse += _goes_on(tx, campaign.id, entry)
    mark = Change(f"entry:{entry.number}", VOIDED, None, {"by": next_number(tx, campaign)})
    hidden = is_hidden(entry, ledger.actor(tx, campaign, user_id))
    view: View = "staff" if entry.audience in {"staff", "person"} else "public"
    what = HIDDEN if hidden else kinds.line(entry, content, view)
    body = {"entry": entry.number, "kind": entry.kind, "what": what, "used": list(wanted.used)}
    body |= {"again": content["amends"]} if "amends" in content else {}
    body |= wanted.more
    named = [name for name in content["texts"] if name.startswith(NAME_TEXT) and not hidden]
    people = {name: entry.text(name, content) or "" for name in named}
    called = [Subject(subject, name) for subject, name in entry.names().items()]
    draft = EntryDraft(
        VOID, entry.audience, body, (*inverse, mark), {**people, "reason": wanted.reason}, subjects=called
    )
    return ledger.enter(tx, campaign, user_id, draft)


def list_left(entry: Entry) -> State:
    """Return what can be undone of an entry as it left it, of groups each member by itself; None where it was not set."""
    return {(item.subject, item.name): item.after for item in _apart(entry)}


def _found_by(entry: Entry) -> State:
    """Return what can be undone of an entry as it found it, of groups each member by itself; None where it was not set."""
    return {(item.subject, item.name): item.before for item in reversed(_apart(entry))}


def _apart(entry: Entry) -> list[Change]:
    whole = _is_of_group(entry)
    return [part for item in list_changes(entry) for part in permissions.split_change(item, whole=whole)]


def _is_of_group(entry: Entry) -> bool:
    """Tell whether an entry is about a group or a member that is removed: of any other one the groups merely follow, member by member."""
    return entry.kind == GROUP or any(item.name == PROFILE and item.after is None for item in _changes(entry))


def ended_by(name: str, value: Json) -> str | None:
    """Return the scene (its key) that ends a value of this name, an effect or one of its own; None where none does."""
    return scene_of(value) if isinstance(value, dict) and name != PROFILE else None


def has_ended(name: str, left: Json, now: Json) -> bool:
    """Tell whether a value that a scene ends, as an entry left it, has ended by now, whatever has begun since."""
    return ended_by(name, left) is not None and (now or {}).get("entry") != left["entry"]


def begun_anew(name: str, before: Json, after: Json) -> bool:
    """Tell whether a value, or a roll of somebody for somebody, or an order, had ended with its update before it was set in another one."""
    if not name.startswith(OF_UPDATE):
        return False
    bound = {value["update"] for value in (before, after) if value is not None and "update" in value}
    return len(bound) > 1


def is_followed(name: str, before: Json, after: Json) -> bool:
    """Tell whether a value is an order that was given in the place of one of which something had come."""
    both = name.startswith(ORDERED) and before is not None and after is not None
    return both and not is_unresolved(before) and before["entry"] != after["entry"]


def _goes_over(name: str, found: Json) -> bool:
    """Tell whether what an entry `found` was an order: one that stands goes over into the next update, and is no new one there."""
    return found is not None and name.startswith(ORDERED)


def _again(name: str, before: Json, now: Json, left: Json, *, is_over: bool) -> Json:
    """Return what stands again of a value in place of that of `now`; `is_over` says that the update of the entry that `left` it is."""
    if not is_over or before is None or name.startswith(EFFECT):
        return resume_turns(before, now, left)
    return carry_over(before) if name.startswith(ORDERED) else None


def _now(tx: Connection, campaign_id: int, changes: Sequence[Change]) -> State:
    return state.get_values_named(tx, campaign_id, {item.subject for item in changes}, {item.name for item in changes})


def _begun(entry: Entry, hanging: Hanging) -> set[tuple[str, str]]:
    """Return of which subjects an entry began something, with how the names begin of what hangs on that."""
    return {(item.subject, name) for item in list_changes(entry) for name in hanging(item)}


def _hangs(key: tuple[str, str], value: Json, begun: set[tuple[str, str]]) -> bool:
    """Tell whether a value that was set hangs on what was begun: as one of the same subject, or as an effect that a scene ends."""
    return (ended_by(key[1], value), "") in begun or any(
        key[0] == subject and key[1].startswith(name) for subject, name in begun
    )
