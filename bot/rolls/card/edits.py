"""What people can do to a card's request: functions that return the next one."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bot.core.errors import BadInput, NotOpen
from bot.core.permissions import is_group
from bot.rolls.card.layout import chunk_of
from bot.rolls.card.store import CARD_CHANGED, CardSnapshot, Edit
from bot.rolls.desk import parse_count
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest, To, TypedAdjustment
from bot.ui import parsing
from bot.ui.reply import STALE
from rules.stages import Tickable
from rules.subjects import names_of

MAX_NAMES = 10
KEPT_ONE = "Only one of those can apply. I kept your last choice."


def tick(
    request: RollRequest, index: int, offered: Sequence[Tickable], *, added: Collection[str], removed: Collection[str]
) -> RollRequest:
    """Tick and untick. The last of alternatives stays; a group named after a role follows its name to other parts."""
    for item in offered:
        if item.id in added:
            rivals = (other.id for other in offered if item.one_of and other.one_of == item.one_of)
            request = _mark(request, index, item.group, {**dict.fromkeys(rivals, 0), item.id: 1})
        elif item.id in removed:
            request = _mark(request, index, item.group, {item.id: 0})
    return request


def set_count(request: RollRequest, index: int, counts: Mapping[Tickable, int]) -> RollRequest:
    """Set how often modifiers that are per unit count in a part."""
    for modifier, number in counts.items():
        request = _mark(request, index, modifier.group, {modifier.id: number})
    return request


def rename(request: RollRequest, index: int, names: Mapping[str, str]) -> RollRequest:
    """Put names into a part's roles, and into other parts that had the same name in the role."""
    before = request.parts[index].subjects
    for role, name in names.items():
        for place, part in enumerate(request.parts):
            if name != before[role] and part.subjects.get(role) == before[role]:
                ids = {other: numbers for other, numbers in part.ids.items() if other != role}
                changed = {"subjects": {**part.subjects, role: name}, "ids": ids}
                request = request.with_part(place, part.model_copy(update=changed))
    return request


def _mark(request: RollRequest, index: int, group: str, marks: Mapping[str, int]) -> RollRequest:
    here = request.parts[index].subjects
    for place, part in enumerate(request.parts):
        if place == index or (group in here and part.subjects.get(group) == here[group]):
            request = request.with_part(place, part.model_copy(update={"marks": {**part.marks, **marks}}))
    return request


class TickEdit:
    """One use of a group's select. `notice` says what wasn't done."""

    def __init__(self, part: int, group: str, chunk: int, chosen: frozenset[str]) -> None:
        self._part, self._group, self._chunk, self._chosen = part, group, chunk, chosen
        self.notice: str | None = None

    def __call__(self, request: RollRequest, preview: Preview, seen: CardSnapshot) -> RollRequest:
        """Apply what was ticked and unticked since the person saw the card."""
        members = chunk_of(preview, self._part, self._group, self._chunk)
        offered = list(preview.parts[self._part].ticks.values())
        on = {item.id for item in offered if preview.parts[self._part].count_of(item.id)}
        names = {member.id for member in members}
        if not (names and self._chosen <= names):
            self.notice = CARD_CHANGED
        before = {tick.rpartition("*")[0] for tick in seen.ticks[self._part]} & names
        added, removed = (self._chosen & names) - before, before - self._chosen
        sets = [item.one_of for item in offered if item.one_of and item.id in (on - removed) | added]
        if len(set(sets)) < len(sets):
            self.notice = KEPT_ONE
        return tick(request, self._part, offered, added=added, removed=removed)


def choose(part: int, choice: str, value: str, request: RollRequest, preview: Preview, _: CardSnapshot) -> RollRequest:
    """Answer one of the procedure's questions about a part."""
    offered = {item.id: item.options for item in preview.procedure.choices}
    require_offered(value in offered.get(choice, ()))
    chosen = request.parts[part]
    return request.with_part(part, chosen.model_copy(update={"choices": {**chosen.choices, choice: value}}))


def send_to(to: To, request: RollRequest, _preview: Preview, _seen: CardSnapshot) -> RollRequest:
    """Choose where the result goes. A group's channel that was set before is dropped."""
    require_offered(not request.amends)
    return request.model_copy(update={"to": to, "here": None if is_group(request.to) else request.here})


def adjust(
    part: int, adjustment: TypedAdjustment, request: RollRequest, preview: Preview, seen: CardSnapshot
) -> RollRequest:
    """Add an adjustment, once: a window that arrives twice counts once."""
    if request.parts[part].adjustments.count(adjustment) > seen.ticks[part].count(adjustment.text):
        return request
    if adjustment.table not in {None, *(stage.stage.table.id for stage in preview.parts[part].stages)}:
        raise BadInput("That table isn't used any more.", "Press Adjust again and pick another.")
    shown = request.parts[part]
    return request.with_part(part, shown.model_copy(update={"adjustments": (*shown.adjustments, adjustment)}))


def name_roles(
    part: int, fields: Mapping[str, object], request: RollRequest, preview: Preview, _: CardSnapshot
) -> RollRequest:
    """Put the typed names into their roles."""
    procedure, asked = preview.procedure, request.parts[part]
    alone = {procedure.actor, procedure.subject, procedure.place, *(role for role, _ in procedure.policy.needs)}
    names = {
        role: ", ".join(parsing.names(str(fields[role]), role, 1 if role in alone else MAX_NAMES))
        for role in asked.subjects
        if fields.get(role) and role not in asked.people
    }
    everybody = {**asked.subjects, **names}
    for role, name in names.items():
        others = [item for other, some in everybody.items() if other != role for item in names_of(some)]
        parsing.refuse_both(names_of(name) if name != asked.subjects[role] else (), others)
    return rename(request, part, names)


def set_counts(
    part: int, fields: Mapping[str, Any], request: RollRequest, preview: Preview, seen: CardSnapshot
) -> RollRequest:
    """Set the counts that the person changed; others may have changed meanwhile."""
    lines = per_unit(preview, part)
    before = dict(tick.rpartition("*")[::2] for tick in seen.ticks[part])
    counts = {line: parse_count(fields[line.id], line) for line in lines if line.id in fields}
    changed = {line: count for line, count in counts.items() if str(count) != before.get(line.id, "0")}
    return set_count(request, part, changed)


def give_reason(reason: str, request: RollRequest, _preview: Preview, _seen: CardSnapshot) -> RollRequest:
    """Give the reason that the rules ask for."""
    return request.model_copy(update={"reason": reason})


def edit_part(part: int, edit: Edit, request: RollRequest, preview: Preview, seen: CardSnapshot) -> RollRequest:
    """Edit a part that the card still has."""
    require_offered(part < len(request.parts))
    return edit(request, preview, seen)


def per_unit(preview: Preview, part: int) -> list[Tickable]:
    """Return a part's modifiers that can count more than once."""
    return [item for item in preview.parts[part].ticks.values() if item.per]


def require_offered(offered: object) -> None:
    """Refuse an id or value that the bot never gave out."""
    if not offered:
        raise NotOpen(*STALE)
