"""What can be done to a request on a card: pure functions from one request to the next."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.core.groups import is_group
from bot.rolls.request import PartRequest, RollRequest, To, TypedAdjustment
from rules.stages import Tickable


def tick(
    request: RollRequest, index: int, offered: Sequence[Tickable], *, added: Collection[str], removed: Collection[str]
) -> RollRequest:
    """Tick and untick modifiers of a part, out of all that it offers; of alternatives the one ticked last stays.

    A group that is named after a role speaks of whoever stands in it: the ticks hold for all parts with the same name there.
    """
    for item in offered:
        if item.id in added:
            rivals = (other.id for other in offered if item.one_of and other.one_of == item.one_of)
            request = _mark(request, index, item.group, {**dict.fromkeys(rivals, 0), item.id: 1})
        elif item.id in removed:
            request = _mark(request, index, item.group, {item.id: 0})
    return request


def count(request: RollRequest, index: int, counts: Mapping[Tickable, int]) -> RollRequest:
    """Set how often lines that are per unit count."""
    for modifier, number in counts.items():
        request = _mark(request, index, modifier.group, {modifier.id: number})
    return request


def choose(request: RollRequest, index: int, choice: str, option: str) -> RollRequest:
    """Answer one of the procedure's questions about a part."""
    part = request.parts[index]
    return request.with_part(index, part.model_copy(update={"choices": {**part.choices, choice: option}}))


def adjust(request: RollRequest, index: int, adjustment: TypedAdjustment) -> RollRequest:
    """Add a game master's own plus or minus to a part."""
    part = request.parts[index]
    return request.with_part(index, part.model_copy(update={"adjustments": (*part.adjustments, adjustment)}))


def send_to(request: RollRequest, to: To) -> RollRequest:
    """Choose where the result goes; what was a group's because it was typed there is from now on as typed anywhere."""
    here = None if is_group(request.to) else request.here
    return request.model_copy(update={"to": to, "here": here})


def give_reason(request: RollRequest, reason: str) -> RollRequest:
    """Give the reason that the rules ask for."""
    return request.model_copy(update={"reason": reason})


def rename(request: RollRequest, index: int, names: Mapping[str, str]) -> RollRequest:
    """Put others into the roles of a part; whoever stood there in several parts is replaced in all of them."""
    before = request.parts[index].subjects
    for role, name in names.items():
        for place, part in enumerate(request.parts):
            if name != before[role] and part.subjects.get(role) == before[role]:
                ids = {other: numbers for other, numbers in part.ids.items() if other != role}
                changed = {"subjects": {**part.subjects, role: name}, "ids": ids}
                request = request.with_part(place, part.model_copy(update=changed))
    return request


def correct(request: RollRequest, opened: RollRequest, meant: RollRequest) -> RollRequest:
    """Take names, modifiers and the region from how a request was meant; what was changed since it was opened stays."""
    parts = []
    for part, before, other in zip(request.parts, opened.parts, meant.parts, strict=True):
        changed = {key: count for key, count in part.marks.items() if before.marks.get(key) != count}
        update = {"subjects": other.subjects, "ids": other.ids, "marks": {**other.marks, **changed}}
        parts.append(part.model_copy(update=update))
    return request.model_copy(update={"parts": tuple(parts), "region": meant.region, "at_home": meant.at_home})


def _mark(request: RollRequest, index: int, group: str, marks: Mapping[str, int]) -> RollRequest:
    for place in _alike(request, index, group):
        part = request.parts[place]
        request = request.with_part(place, part.model_copy(update={"marks": {**part.marks, **marks}}))
    return request


def _alike(request: RollRequest, index: int, role: str) -> Iterator[int]:
    here: PartRequest = request.parts[index]
    for place, part in enumerate(request.parts):
        if place == index or (role in here.subjects and part.subjects.get(role) == here.subjects[role]):
            yield place
