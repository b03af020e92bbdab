"""Undo an entry: another one reverses its changes, and both stay.

Later changes of the same values are undone too. Later rolls that counted them stay, and are listed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, permissions, state, subjects, transactions
from bot.core.errors import BadInput, NotOpen
from bot.core.ledger import EntryDraft, EntryKinds, Ledger, Mark, View, next_number
from bot.core.records import NAME_TEXT, VOID, Change, Entry, Json
from rules import effects, orders
from rules.subjects import GROUP, KEPT, NAME, PROFILE, ROLLED_FROM

OF_UPDATE = (effects.ROLLED, effects.EFFECT, effects.ORDERED, orders.PASSED, orders.LOCK)
"""Name prefixes of values that may end with an update."""

_NUMBERS = f"{PROFILE}+"
"""Prefix of names under which changes of numbers are compared, each by its entry, so that no other is the same."""
HIDDEN = "Someone else's private roll"
Hanging = Callable[[Change], tuple[str, ...]]
"""Return name prefixes of the subject's values that depend on a change."""


class UndoSet(Struct, frozen=True):
    """Entries to undo, newest first, and rolls that counted them."""

    chain: tuple[Entry, ...]
    used: tuple[int, ...]

    def after(self) -> state.State:
        """Return state values after undoing all; group values only from entries about groups."""
        changes = ((entry, item) for entry in self.chain for item in reversed(list_changes(entry)))
        changes = ((entry, item) for entry, item in changes if find_differences(entry, item) is None)
        kept = (item for entry, item in changes if item.name != GROUP or _is_of_group(entry))
        return {(item.subject, item.name): item.before for item in kept}


def find_mark(tx: Connection, campaign_id: int, number: int) -> Mark | None:
    """Return the mark of the entry that undid or amended this one; None if it's valid."""
    return read_mark(state.get_value(tx, campaign_id, f"entry:{number}", state.VOIDED))


def find_voided(tx: Connection, campaign_id: int, numbers: Collection[int]) -> set[int]:
    """Return which of these entries are void."""
    keys = {f"entry:{number}": number for number in numbers}
    return {keys[key] for key, _ in state.get_values_named(tx, campaign_id, keys, {state.VOIDED})}


def read_mark(value: Mapping[str, Json] | None) -> Mark | None:
    """Return the mark from a `VOIDED` value."""
    return None if value is None else Mark(value["by"], amended=value.get(state.AMENDED, False))


def is_hidden(entry: Entry, mine: str | None) -> bool:
    """Return whether an entry is private and its maker isn't `mine` (pseudonym)."""
    return entry.audience == "person" and entry.actor != mine


def list_changes(entry: Entry) -> list[Change]:
    """Return an entry's changes that can be undone, without what merely ended with it."""
    changes = (item for item in _changes(entry) if not (item.name == NAME and item.before is None))
    return [item for item in changes if not _is_over(entry, item)]


def _changes(entry: Entry) -> list[Change]:
    return [Change(**item) for item in entry.content()["changes"]]


def _is_over(entry: Entry, change: Change) -> bool:
    if entry.kind == campaigns.UPDATE:
        return change.name.startswith(OF_UPDATE)
    return entry.kind == (find_ending_scene(change.name, change.before) or "").partition(":")[0]


def _list_continued(tx: Connection, campaign_id: int, entry: Entry) -> list[Change]:
    gone = [item for item in _changes(entry) if _is_over(entry, item)]
    now = _get_current(tx, campaign_id, gone)
    void = find_voided(tx, campaign_id, {item.before["entry"] for item in gone})
    again = (item for item in gone if now.get((item.subject, item.name)) == item.after)
    return [replace(item, before=item.after, after=item.before) for item in again if item.before["entry"] not in void]


def find_valid_entry(  # noqa: PLR0913 - who looks for what, where and why
    tx: Connection,
    person: permissions.Person,
    campaign: campaigns.Campaign,
    number: int,
    action: str,
    *,
    hidden: bool = False,
) -> Entry:
    """Return a valid entry the game master may see, or a `hidden` one."""
    campaigns.require_open(campaign)
    permissions.require_game_master(person, campaign, action)
    entry = (
        entries.get_entry(tx, campaign.id, number)
        if hidden
        else permissions.find_readable(tx, person, campaign, number)
    )
    if entry is None:
        raise BadInput(f"{campaign.name} has no entry #{number} that you can see.", "See /ledger.")
    mark = find_mark(tx, campaign.id, number)
    if mark is not None:
        raise refuse_void(number, mark)
    return entry


def refuse_void(number: int, mark: Mark) -> NotOpen:
    """Return the refusal to change a void entry."""
    if mark.amended:
        what = f"Entry #{number} was already amended by #{mark.by}."
        return NotOpen(what, f"Use #{mark.by} instead.")
    return NotOpen(f"Entry #{number} was already undone by #{mark.by}.", f"See /ledger entry:{mark.by}.")


def find_withdrawal(
    tx: Connection, campaign: campaigns.Campaign, entry: Entry, hanging: Hanging, *, amended: bool = False
) -> UndoSet:
    """Return an entry with later ones that changed its values or depend on it.

    Without later rolls that add to the same numbers, those where the value had ended and begun again, and a later order
    if the entry is `amended`.
    """
    chain, used, begun = [entry], [], _list_begun(entry, hanging)
    keys = list_left(entry)
    void = state.find_values_of_name(tx, campaign.id, state.VOIDED)
    for item in entries.walk_entries(tx, campaign.id, after=entry.number):
        by = void.get(f"entry:{item.number}")
        if item.kind == VOID or (by and not by.get(state.AMENDED)):
            continue  # what was amended comes back with the entry that amended it, so it goes too
        changed, found = list_left(item), _list_former_values(item)
        both = keys.keys() & changed.keys()
        renewed = {
            key
            for key in both
            if (
                has_begun_again(key[1], keys[key], changed[key])
                and not (found[key] and key[1].startswith(effects.ORDERED))
            )
            or has_ended(key[1], keys[key], found[key])
            or (amended and _is_followed(key[1], keys[key], changed[key]))
        }
        keys = {key: value for key, value in keys.items() if key not in renewed}
        gone = {key[0] for key, value in changed.items() if key[1] == PROFILE and value is None}
        counted = any(subject in gone and name.startswith(_NUMBERS) for subject, name in keys)
        depends = counted or any(_depends(key, value, begun) for key, value in changed.items())
        if depends or keys.keys() & changed.keys():
            keys |= changed
            begun |= _list_begun(item, hanging)
            chain.insert(0, item)
        elif not by and {other.number for other in chain}.intersection(item.content().get("uses", ())):
            used.append(item.number)
    return UndoSet(tuple(chain), tuple(used))


Limits = Mapping[str, tuple[int, int]]


class VoidDraft(Struct, frozen=True):
    """An entry to undo, the reason, the void's fields, and what reads the `limits` of numbers."""

    entry: Entry
    reason: str
    used: Sequence[int] = ()
    more: Mapping[str, Json] = field(default_factory=dict)
    limits: Callable[[], Limits] = dict


def enter_void(  # noqa: PLR0913, PLR0917 - what is undone, where and who does it
    tx: Connection, ledger: Ledger, kinds: EntryKinds, campaign: campaigns.Campaign, user_id: int, wanted: VoidDraft
) -> Entry:
    """Append the entry that undoes another and return it; the values must still be as that entry left them."""
    entry, content = wanted.entry, wanted.entry.content()
    changes = list_changes(entry)
    now = _get_current(tx, campaign.id, changes)
    last, found = list_left(entry), _list_former_values(entry)
    first = {key: before for key, before in found.items() if key[1].partition(".")[0] != GROUP}
    left = ((key, key[1], last[key], now.get(key)) for key in first)
    stays = {key for key, *value in left if has_begun_again(*value) or has_ended(*value)}
    is_over = campaigns.find_update_entry(tx, campaign.id) > entry.number
    inverse = [
        Change(*key, now.get(key), _restore_value(key[1], before, now.get(key), last[key], is_over=is_over))
        if key[1].startswith((effects.EFFECT, effects.ORDERED, orders.PASSED, orders.LOCK))
        else _restore(Change(*key, last[key], before), now.get(key), wanted.limits)
        for key, before in first.items()
        if key not in stays
        if key[1] != state.PUBLISH_AT  # its time may be over
        if not key[1].startswith(_NUMBERS)  # below
    ]
    added = ((item, now.get((item.subject, PROFILE))) for item in changes if find_differences(entry, item))
    inverse += [
        Change(item.subject, PROFILE, kept, apply_edit(kept, item.after, item.before, wanted.limits()))
        for item, kept in added
        if kept is not None
    ]
    grouped = ((item, now.get((item.subject, GROUP))) for item in changes if item.name == GROUP)
    inverse += [Change(item.subject, GROUP, kept, permissions.undo_change(item, kept)) for item, kept in grouped]
    inverse += _list_continued(tx, campaign.id, entry)
    mark = Change(f"entry:{entry.number}", state.VOIDED, None, {"by": next_number(tx, campaign)})
    hidden = is_hidden(entry, ledger.actor(tx, campaign, user_id))
    view: View = "staff" if entry.audience in {"staff", "person"} else "public"
    what = HIDDEN if hidden else kinds.line(entry, content, view)
    body = {"entry": entry.number, "kind": entry.kind, "what": what, "used": list(wanted.used)}
    body |= {"again": content["amends"]} if "amends" in content else {}
    body |= wanted.more
    named = [name for name in content["texts"] if name.startswith(NAME_TEXT) and not hidden]
    people = {name: entry.text(name, content) or "" for name in named}
    called = [subjects.Subject(subject, name) for subject, name in entry.names().items()]
    texts = {**people, "reason": wanted.reason}
    draft = EntryDraft(VOID, entry.audience, body, (*inverse, mark), texts, subjects=called)
    return ledger.enter(tx, campaign, user_id, draft)


def list_left(entry: Entry) -> state.State:
    """Return an entry's values as left, members separately."""
    return {(item.subject, item.name): item.after for item in _split_changes(entry)}


def _list_former_values(entry: Entry) -> state.State:
    return {(item.subject, item.name): item.before for item in reversed(_split_changes(entry))}


def _split_changes(entry: Entry) -> list[Change]:
    whole, split = _is_of_group(entry), list[Change]()
    for item in list_changes(entry):
        if (added := find_differences(entry, item)) is not None:
            split.append(Change(item.subject, f"{_NUMBERS}{entry.number}", None, added))
        else:
            split += permissions.split_change(item, whole=whole)
    return split


def _restore(change: Change, now: Json, limits: Callable[[], Limits]) -> Change:
    left, before = change.before, change.after
    if change.name != PROFILE or now == left or None in (now, left, before):
        return change
    return Change(change.subject, PROFILE, now, apply_edit(now, left, before, limits()))


def find_differences(entry: Entry, change: Change) -> dict[str, int] | None:
    """Return what a roll, or its undoing, added to a profile's numbers, by field; None if it changed more."""
    if change.name != PROFILE or entry.kind not in {"roll", VOID} or entry.content().get("kind", "roll") != "roll":
        return None
    before, after = change.before, change.after
    if before is None or after is None:
        return None
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    if not all(_is_number(name, value.get(name)) for name in changed for value in (before, after)):
        return None
    return {name: (after.get(name) or 0) - (before.get(name) or 0) for name in sorted(changed)} or None


def _is_number(name: str, value: Json) -> bool:
    return name not in KEPT and not name.endswith(ROLLED_FROM) and (value is None or type(value) is int)


def apply_edit(
    value: Mapping[str, Json], before: Mapping[str, Json], after: Mapping[str, Json], limits: Limits
) -> dict[str, Json]:
    """Return a profile's value with what changed from `before` to `after`; numbers changed since keep the difference.

    `limits` are the lowest and highest of number fields. A number that is gone stays gone.
    """
    result = dict(value)
    for name in sorted(before.keys() | after.keys()):
        old, new, there = before.get(name), after.get(name), value.get(name)
        if old == new:
            continue
        if there not in (old, None) and all(_is_number(name, number) for number in (old, new, there)):
            total = there + (new or 0) - (old or 0)
            low, high = limits.get(name, (total, total))
            result[name] = max(min(low, there), min(total, max(high, there)))
        elif new is None:
            result.pop(name, None)
        elif there is not None or old is None:
            result[name] = new
    return result


def _is_of_group(entry: Entry) -> bool:
    return entry.kind == GROUP or any(item.name == PROFILE and item.after is None for item in _changes(entry))


def find_ending_scene(name: str, value: Json) -> str | None:
    """Return the scene (key) that ends a value."""
    return effects.scene_of(value) if isinstance(value, dict) and name != PROFILE else None


def has_ended(name: str, left: Json, now: Json) -> bool:
    """Return whether a scene's value has ended since."""
    return find_ending_scene(name, left) is not None and (now or {}).get("entry") != left["entry"]


def has_begun_again(name: str, before: Json, after: Json) -> bool:
    """Return whether two values belong to different updates; False for values that last beyond one."""
    if not name.startswith(OF_UPDATE):
        return False
    bound = {value["update"] for value in (before, after) if value is not None and "update" in value}
    return len(bound) > 1


def _is_followed(name: str, before: Json, after: Json) -> bool:
    both = name.startswith(effects.ORDERED) and before is not None and after is not None
    return both and not orders.is_unresolved(before) and before["entry"] != after["entry"]


def _restore_value(name: str, before: Json, now: Json, left: Json, *, is_over: bool) -> Json:
    if not is_over or before is None or name.startswith(effects.EFFECT):
        return effects.resume_turns(before, now, left)
    return orders.carry_over(before) if name.startswith(effects.ORDERED) else None


def _get_current(tx: Connection, campaign_id: int, changes: Sequence[Change]) -> state.State:
    return state.get_values_named(tx, campaign_id, {item.subject for item in changes}, {item.name for item in changes})


def _list_begun(entry: Entry, hanging: Hanging) -> set[tuple[str, str]]:
    changes = list_changes(entry)
    saved = {(item.subject, _NUMBERS) for item in changes if item.name == PROFILE and item.before is None}
    return saved | {(item.subject, name) for item in changes for name in hanging(item)}


def _depends(key: tuple[str, str], value: Json, begun: set[tuple[str, str]]) -> bool:
    same = any(key[0] == subject and key[1].startswith(name) for subject, name in begun)
    return same or (find_ending_scene(key[1], value), "") in begun


MAX_STEPS = 100
"""Amendments followed in a row; the marks of an imported campaign may form a circle."""


def find_replacements(tx: Connection, campaign_id: int, numbers: Iterable[int]) -> dict[int, int]:
    """Return the valid entry for each number; undone ones are left out."""
    found = {number: number for number in numbers}
    for _ in range(MAX_STEPS):
        marks = state.get_values_named(
            tx, campaign_id, {f"entry:{number}" for number in found.values()}, {state.VOIDED}
        )
        if not marks:
            break
        voided = {int(key.removeprefix("entry:")): mark for (key, _), mark in marks.items()}
        undone = [number for number, mark in voided.items() if not mark.get(state.AMENDED)]
        after: dict[int, int | None] = {number: mark["by"] for number, mark in voided.items()}
        bare = entries.get_entries_bare(tx, campaign_id, undone)
        after |= {number: entry.content().get("amends") for number, entry in bare.items()}
        moved = {number: after.get(now, now) for number, now in found.items()}
        found = {number: now for number, now in moved.items() if now is not None}
    return found


@contextmanager
def hold_past(tx: Connection, campaign_id: int, then: state.State) -> Iterator[None]:
    """Apply the values of `find_state_before` within the `with` block, then roll them back."""
    look = tx.begin_nested()
    try:
        state.apply_changes(tx, campaign_id, [Change(*key, None, value) for key, value in then.items()])
        yield
    finally:
        look.rollback()
        transactions.forget_reads(tx)


def find_state_before(tx: Connection, campaign_id: int, number: int) -> state.State:
    """Return all values changed since an entry, as they were before (None: not set).

    Later undos and amendments count, and so does secrecy of today. Reads all entries since.
    """
    then: state.State = {}
    first: dict[int, int] = {}
    for item in entries.walk_entries(tx, campaign_id, after=number - 1):
        body = item.content()
        if item.kind == VOID:
            undone: int = body["entry"]
            first[item.number] = first.get(undone, undone)
        else:
            first[item.number] = int(body["since"]) if "amends" in body else item.number
        for change in body["changes"]:
            key = (change["subject"], change["name"])
            if change["name"] == NAME:
                continue
            if first[item.number] < number:
                before, after, since = change["before"], change["after"], then.get(key, change["before"])
                edited = change["name"] == PROFILE and all((before, after, since))
                then[key] = apply_edit(since, before, after, {}) if edited else after
            else:
                then.setdefault(key, change["before"])
    saved = state.get_values_named(tx, campaign_id, {subject for subject, _ in then}, {PROFILE})
    for key, now in saved.items():
        if now["secret"] and then.get(key):
            then[key] = {**then[key], "secret": True}
    return then
