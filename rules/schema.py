"""What may stand in a rule file: one model per kind of item. Keys are written with hyphens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar
from typing import Literal as Literally

from pydantic import Field

from rules.book import MAX_TRIES
from rules.events import Lasts, LetterId, Need, PartLasts, Pick, Scope, Stat, TagTest, Token
from rules.facts import When
from rules.fields import FieldKind
from rules.items import Item
from rules.kinds import Bearer, Count, Die, FieldName, Line, Literal, Member, Name, Names, Raws, Text, Whole
from rules.tables import Reads, TableAudience, Tone


class SourceItem(Item):
    """The page and section that something is printed on."""

    kind = "source"
    book: Text
    section: Text


class BookItem(Item):
    """`[book]`: what the book is."""

    kind = "book"
    id: Name
    title: Text
    source: Text


class FactItem(Item):
    """A trait that can be true of each of the roles."""

    kind = "fact"
    linked = frozenset({"trait", "roles"})
    trait: Name
    label: Text
    roles: Annotated[list[Name], Field(min_length=1)]
    secret: bool = False


class ConsequenceItem(Item):
    """What a row does."""

    kind = "consequence"
    do: Name
    to: Name | None = None
    amount: Whole | None = None
    turns: Count | None = None


class EventPartItem(Item):
    """One of several things that an event does."""

    kind = "part"
    text: Text
    lasts: PartLasts
    changes: Annotated[dict[Stat, Whole], Field(default_factory=dict)]


class EventItem(Item):
    """What a row brings at random. Without parts it does one thing: what the row's text says."""

    kind = "event"
    cause: Text
    lasts: Lasts = "turn"
    scope: Scope = "unit"
    letter: LetterId | None = None
    needs: Need | None = None
    die: Die | None = None
    pick: Pick | None = None
    token: Token | None = None
    removes: bool = False
    orders: Names
    changes: Annotated[dict[Stat, Whole], Field(default_factory=dict)]
    parts: Annotated[list[EventPartItem], Field(default_factory=list)]


class RowItem(Item):
    """A range of totals and what it means."""

    kind = "row"
    linked = frozenset({"outcome", "min", "max"})
    outcome: Name
    text: Text
    line: Line
    min: Whole | None = None
    max: Whole | None = None
    tone: Tone = "neutral"
    then: Annotated[list[ConsequenceItem], Field(default_factory=list)]
    percent: Annotated[int, Field(ge=0, le=100)] | None = None
    note: Text | None = None
    event: EventItem | None = None
    examples: ClassVar[Mapping[str, str]] = {
        "cause": 'cause = "Swarm of bees"',
        "changes": "changes = { ml = -1 }",
        "die": "die = 8",
        "event": 'event = { cause = "Swarm of bees" }',
        "lasts": 'lasts = "battle"',
        "orders": 'orders = ["move"]',
        "parts": 'parts = [{ text = "ML +1", lasts = "battle", changes = { ml = 1 } }]',
        "removes": "removes = true",
    }

    @property
    def name(self) -> str:
        """What an overlay calls it by."""
        return self.outcome


class NaturalItem(Item):
    """A face that decides by itself."""

    kind = "natural"
    face: Whole
    outcome: Name
    line: Line

    @property
    def name(self) -> str:
        """What other files call it by."""
        return str(self.face)


class NumberItem(Item):
    """A number printed beside the table."""

    kind = "number"
    id: Name
    value: Whole
    label: Text
    line: Line


class LetterItem(Item):
    """A letter behind events, and what it asks of a unit."""

    kind = "letter"
    linked = frozenset({"id"})
    id: LetterId
    tag: TagTest
    line: Line
    examples: ClassVar[Mapping[str, str]] = {"id": 'id = "M"', "tag": 'tag = "missile" or tag = "!missile"'}


class ModifierItem(Item):
    """One printed line that adds to or takes from the roll."""

    kind = "modifier"
    linked = frozenset({"id", "group", "one-of", "when"})
    id: Name
    value: Whole
    label: Text
    group: Name
    line: Line
    one_of: Name | None = None
    per: Text | None = None
    times: Name | None = None
    when: list[list[Literal]] | None = None
    note: Text | None = None

    @property
    def tests(self) -> When:
        """What it stands on: `when` as written, else the fact of its own id; in either case a number that it takes."""
        if self.times is not None:
            return tuple((self.times, *clause) for clause in self.when or [[]])
        return ((self.id,),) if self.when is None else tuple(map(tuple, self.when))


class AgainstItem(Item):
    """What the rows are read off in place of the total: a check against a value, or a number without a die."""

    kind = "against"
    reads: Reads
    line: Line
    value: Whole | None = None
    examples: ClassVar[Mapping[str, str]] = {"reads": 'reads = "reach", "under" or "number"', "value": "value = 50"}


class CapItem(Item):
    """The least and the most that a group of modifiers comes to, or everything that counts."""

    kind = "cap"
    line: Line
    group: Name | None = None
    low: Whole | None = None
    high: Whole | None = None
    examples: ClassVar[Mapping[str, str]] = {"low": "low = -5", "high": "high = 30", "group": 'group = "adjusted"'}


class ReadingItem(Item):
    """Another way to read the table; stands under `[table.readings.<id>]`."""

    kind = "reading"
    line: Line
    plain: bool = False
    without: Names
    rows: Annotated[dict[Name, Name], Field(default_factory=dict)]

    @property
    def id(self) -> str:
        """The last part of its header."""
        return str(self.place.keys[-1])


class TableItem(Item):
    """`[table]`: its head. The items of its lists are checked one by one."""

    kind = "table"
    id: Name
    title: Text
    die: Die
    source: SourceItem
    rows: list[object]
    naturals: Raws
    numbers: Raws
    letters: Raws
    modifiers: Raws
    readings: Annotated[dict[Name, object], Field(default_factory=dict)]
    audience: TableAudience | None = None
    against: AgainstItem | None = None
    caps: Annotated[list[CapItem], Field(default_factory=list)]
    like: Name | None = None
    scores: Annotated[dict[Name, list[Name]], Field(default_factory=dict)]
    examples: ClassVar[Mapping[str, str]] = {
        "like": 'like = "duel.dodge"',
        "scores": 'scores = { actor = ["accuracy"] }',
    }


class ScoreItem(Item):
    """`[[scores]]`: what somebody adds to rolls of one kind. The items of its list are checked one by one."""

    kind = "score"
    linked = frozenset({"id"})
    id: Name
    label: Text
    line: Line
    base: Whole = 0
    modifiers: Raws
    caps: Annotated[list[CapItem], Field(default_factory=list)]


class ContestItem(Item):
    """`[[contests]]`: two tables rolled against each other."""

    kind = "contest"
    id: Name
    title: Text
    actor: Name
    resister: Name
    line: Line
    against: Annotated[dict[Name, Name], Field(default_factory=dict)]
    each: Literally["actor", "resister"] | None = None
    examples: ClassVar[Mapping[str, str]] = {
        "actor": 'actor = "duel.attack"',
        "resister": 'resister = "duel.dodge"',
        "against": 'against = { critical = "against-critical" }',
        "each": 'each = "actor"',
    }


class StrikesItem(Item):
    """`[[strikes]]`: several tries, and a table that reads how many of them hit."""

    kind = "strikes"
    id: Name
    title: Text
    rolls: Names
    hits: Names
    tally: Name
    line: Line
    tries: Annotated[int, Field(ge=1, le=MAX_TRIES)] | None = None
    until: Annotated[int, Field(ge=1, le=MAX_TRIES)] | None = None
    examples: ClassVar[Mapping[str, str]] = {
        "rolls": 'rolls = ["shot.accuracy", "shot.damage"]',
        "hits": 'hits = ["hit"]',
        "tally": 'tally = "shot.tally"',
        "tries": "tries = 3",
        "until": "until = 1",
    }


class TraitItem(Item):
    """Something that a saved unit or character can carry: a trait that is declared for some role."""

    kind = "trait"
    linked = frozenset({"id", "group", "one-of"})
    id: Name
    label: Text
    on: Annotated[list[Bearer], Field(min_length=1)]
    group: Text
    one_of: Name | None = None
    counted: bool = False
    of_any: Annotated[list[Member], Field(default_factory=list)]
    of_all: Name | None = None
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "newtype"',
        "label": 'label = "Newtype aboard"',
        "on": 'on = ["unit"], ["character"] or both',
        "group": 'group = "crew"',
        "one-of": 'one-of = "territory"',
        "counted": "counted = true",
        "of-any": 'of-any = ["pc", "npc"], or ["pc"] where only player characters count',
        "of-all": 'of-all = "operative"',
    }


class FieldItem(Item):
    """Something that is kept of whoever is of a type: a number, one of several words, a list of words or a text."""

    kind = "field"
    id: FieldName
    label: Text
    on: Annotated[list[Bearer], Field(min_length=1)]
    takes: FieldKind
    line: Line
    min: Whole | None = None
    max: Whole | None = None
    options: Annotated[list[Text], Field(default_factory=list)]
    zero: Text | None = None
    gives: Annotated[dict[Name, Whole], Field(default_factory=dict)]
    own: bool = False
    closed: bool = False
    names: Bearer | None = None
    examples: ClassVar[Mapping[str, str]] = {
        "on": 'on = ["character", "thing"]',
        "takes": 'takes = "number", "one-of", "list" or "text"',
        "options": 'options = ["Novice", "Master"]',
    }


class BookFile(Item):
    """What a file of a book may hold."""

    kind = "file"
    book: object = None
    facts: Raws
    table: object = None
    scores: Raws
    catalog: Annotated[dict[Name, list[object]], Field(default_factory=dict)]
    contests: Raws
    strikes: Raws
    acts: Raws
    zones: Raws
    conditions: Raws
    climate: Raws
    traits: Raws
    fields: Raws
    effects: Raws
    deeds: Raws


class OverlayItem(Item):
    """`[overlay]`: what the overlay is and which book it changes."""

    kind = "overlay"
    id: Name
    extends: Name
    source: SourceItem
    facts: Raws
    conditions: Raws
    traits: Raws
    fields: Raws
    effects: Raws


class ChangeItem(Item):
    """`[[change]]`: what changes in one table of the book."""

    kind = "change"
    table: Name
    remove_modifiers: Names
    remove_rows: Names
    rows: Raws
    modifiers: Raws


class OverlayFile(Item):
    """What an overlay file may hold."""

    kind = "file"
    overlay: object
    change: object = None
    table: object = None
    climate: object = None
    scores: Raws
    catalog: Annotated[dict[Name, list[object]], Field(default_factory=dict)]
    contests: Raws
    strikes: Raws
    acts: Raws
