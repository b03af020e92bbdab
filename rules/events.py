"""The random events of BATTLESYSTEM: what each number of the d100 means and whom it can befall. Their page is `events.toml`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rules.draft import read_document
from rules.errors import BookError, Fault, WrongDice
from rules.items import Item, Items, read, read_list
from rules.lines import Place
from rules.schema import Die, Line, SourceItem, Text

PAGE = Path(__file__).with_suffix(".toml")

Letter = Literal["M", "I", "F"]
Tag = Literal["missile", "flying", "caster"]
Lasts = Literal["turn", "battle", "instant", "permanent", "until_condition", "held_until_used"]
Scope = Literal["unit", "player", "enemy", "two_friendly_units", "all_flying_both_sides"]
Face = Annotated[int, Field(ge=1, le=1000)]

_EXAMPLES: Mapping[str, str] = {
    "id": "id = 42",
    "cause": 'cause = "Strong winds"',
    "text": 'text = "Does not fire"',
    "tag": 'tag = "missile"',
    "die": "die = 8",
    "pick": 'pick = "spell"',
    "min": "min = 66",
    "face": "face = 1",
    "check": "check = { die = 4, face = 1, line = 6 }",
    "nothing": "nothing = { min = 66, line = 146 }",
    "title": 'title = "Random events"',
    "restrictions": 'restrictions = [{ id = "M", tag = "missile", line = 8 }]',
    "events": 'events = [{ id = 1, cause = "Swarm of bees", text = "Tests morale", line = 16 }]',
}


class Event(Item):
    """One numbered event. `restriction` is its letter; `needs` is what the unit must have for anything to happen.

    `die` is rolled along with it and named in its text; `pick` is what of the unit a die picks one of.
    """

    kind = "event"
    linked = frozenset({"id", "restriction"})
    examples: ClassVar[Mapping[str, str]] = _EXAMPLES
    id: Face
    cause: Text
    text: Text
    line: Line
    restriction: Letter | None = None
    lasts: Lasts = "turn"
    scope: Scope = "unit"
    needs: Literal["caster"] | None = None
    die: Die | None = None
    pick: Literal["spell"] | None = None


class Restriction(Item):
    """What a letter asks of a unit: a tag or, behind `!`, the lack of it."""

    kind = "restriction"
    linked = frozenset({"id"})
    examples: ClassVar[Mapping[str, str]] = _EXAMPLES
    id: Letter
    tag: Literal["missile", "!missile", "flying", "!flying", "caster", "!caster"]
    line: Line

    def fits(self, tags: Collection[str]) -> bool:
        """Whether a unit with these tags can be struck."""
        return (self.tag.removeprefix("!") in tags) != self.tag.startswith("!")


class Check(Item):
    """The die that each unit rolls, and the face at which an event befalls it."""

    kind = "check"
    die: Die
    face: Face
    line: Line


class Nothing(Item):
    """From which face on nothing happens."""

    kind = "nothing"
    min: Face
    line: Line


class EventFile(Item):
    """The whole page, its lists as written."""

    kind = "file"
    examples: ClassVar[Mapping[str, str]] = _EXAMPLES
    title: Text
    die: Die
    source: SourceItem
    check: Check
    nothing: Nothing
    restrictions: list[Any]
    events: list[Any]


@dataclass(frozen=True)
class EventTable:
    """The page without faults: every event by its number, every restriction by its letter."""

    page: EventFile
    restrictions: Mapping[str, Restriction]
    events: Mapping[int, Event]

    def event(self, face: int) -> Event | None:
        """The event of a face of the d100, None where nothing happens (C2.4).

        Raises:
            WrongDice: the die has no such face.

        """
        if not 1 <= face <= self.page.die.high:
            msg = f"a d{self.page.die.sides} has no face {face}"
            raise WrongDice(msg)
        return self.events.get(face)

    def fits(self, event: Event, tags: Collection[str]) -> bool:
        """Whether the event's letter lets it fall on a unit with these tags (C2.2)."""
        return event.restriction is None or self.restrictions[event.restriction].fits(tags)


@cache
def load_events(path: Path = PAGE) -> EventTable:
    """The table of a file, by default the page as printed.

    Raises:
        BookError: the file has faults; it carries all of them, each with its line.

    """
    faults: list[Fault] = []
    document = read_document(path, faults)
    if document is None:
        raise BookError(faults)
    place = Place(document)
    page = read(EventFile, document.data, place, faults)
    restrictions = read_list(Restriction, document.data.get("restrictions"), place.at("restrictions"), faults)
    events = read_list(Event, document.data.get("events"), place.at("events"), faults)
    faults.extend(_twice(restrictions))
    faults.extend(_unknown_letters(events, restrictions))
    if page:
        faults.extend(_misnumbered(events, page))
        faults.extend(_off_the_die(page))
    if faults or page is None:
        raise BookError(faults)
    return EventTable(page, {item.id: item for item in restrictions}, {item.id: item for item in events})


def _twice(restrictions: Items[Restriction]) -> Iterator[Fault]:
    seen: set[str] = set()
    for item in restrictions:
        if item.id in seen:
            yield item.place.fault(f"restriction {item.id}: written twice")
        seen.add(item.id)


def _unknown_letters(events: Items[Event], restrictions: Items[Restriction]) -> Iterator[Fault]:
    letters = {item.id for item in restrictions}
    if restrictions.whole:
        for event in events:
            if event.restriction and event.restriction not in letters:
                yield event.place.fault(f"event {event.id}: restriction {event.restriction} is not declared")


def _misnumbered(events: Items[Event], page: EventFile) -> Iterator[Fault]:
    """The numbers run from 1 in steps of one to where nothing happens."""
    if not events.whole:
        return
    due = 1
    for event in events:
        if event.id != due:
            yield event.place.fault(f"event {event.id}: {due} is due here, the numbers run without gaps")
        due = event.id + 1
    if page.nothing.min != due:
        what = f"nothing: from {page.nothing.min} on, but the events end at {due - 1}: write min = {due}"
        yield page.place.at("nothing").fault(what)


def _off_the_die(page: EventFile) -> Iterator[Fault]:
    for key, die, face in (("check", page.check.die, page.check.face), ("nothing", page.die, page.nothing.min)):
        if face > die.high:
            yield page.place.at(key).fault(f"{key}: a {die} has no {face}")
