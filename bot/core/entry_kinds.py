"""The kinds of ledger entries: who may know of each, and how it is shown. Features bring their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

import discord
from msgspec import Struct, field

from bot.core.encoding import Json
from bot.core.records import Entry, read_body

View = Literal["staff", "public"]
"""How much of an entry is shown: everything, or what is public."""

Pages = list[list[discord.Embed]]
"""Messages, each with its embeds."""

Body = Mapping[str, Json]
About = tuple[str, str | int]
"""What an entry is about: a name such as `family`, `outcome`, `region`, `week` or `unit`, and a value; units by number."""

AudienceRule = Callable[[Body, Sequence[str]], str]
"""Return an entry's audience from its body and the audiences of the entries before it, by number.

What it reads of a body, a check decodes of each: `proofs` has the list.
"""


class Publication(Struct, frozen=True):
    """That all of a roll is public which was not at first.

    `rolls` counts the rolls that its maker kept private in the same `update`; 0 where nobody has counted them, or the rules kept it.
    `tries` counts the rolls of the same for the same that came before it in that update and weren't public, whoever made them.
    """

    update: int = 0
    rolls: int = 0
    tries: int = 0

    @classmethod
    def of(cls, kept: Body) -> Publication:
        """Return it as the state keeps it, whatever else stands there."""
        return cls(**{name: kept[name] for name in cls.__struct_fields__ if name in kept})

    @property
    def counts(self) -> dict[str, int]:
        """What an entry keeps of it."""
        return {"update": self.update, "rolls": self.rolls, **({"tries": self.tries} if self.tries else {})}


class Mark(Struct, frozen=True):
    """That an entry is void, and by which one: by one that took it back, or one that `amended` it and stands in its place."""

    by: int
    amended: bool = False


class EntryView(Struct, frozen=True):
    """An entry as somebody sees it.

    `campaign` is the campaign's name, `published` says how it came that all of it is public, `voided` tells which entry
    took it back or amended it. `people` are the user ids behind pseudonyms in its body.
    """

    entry: Entry
    campaign: str
    published: Publication | None = None
    voided: Mark | None = None
    people: Mapping[str, int] = field(default_factory=dict)


def _any_body(_body: Body) -> bool:
    return True


class EntryKind(Struct, frozen=True):
    """One kind of entry: its audience, its one line in a list, and its messages.

    Where several features write entries of one name, such as `roll`, `matches` decides from the body whose it is. `stays`
    says what to do instead, where entries of the kind cannot be taken back. Where the messages are a mere gist, `whole`
    gives those that tell everything. Where an entry has several results, `results` gives a line for each, uncut. `about`
    gives what an entry is found by besides its words, as name and value: to the public as far as it is told of that.
    `too_large` says what of a body is larger than its feature lets anyone write; a capsule from elsewhere may hold such.
    """

    name: str
    audience: str | AudienceRule
    sentence: Callable[[Body, View], str]
    pages: Callable[[EntryView, View], Pages]
    matches: Callable[[Body], bool] = _any_body
    stays: str | None = None
    whole: Callable[[EntryView, View], Pages] | None = None
    results: Callable[[Body, View], Sequence[str]] | None = None
    about: Callable[[Body, View], Iterable[About]] | None = None
    too_large: Callable[[Body], Iterable[str]] | None = None


Look = Callable[[Entry, Mapping[str, str], Mapping[int, Entry]], Iterable[str]]
"""Tell what is wrong with an entry, by the kept tables of books (by fingerprint) and entries before it (by number): a plain function of a module."""


class EntryKinds:
    """All kinds of entries; of several that match, the first one counts."""

    def __init__(self, kinds: Sequence[EntryKind], look: Look | None = None) -> None:
        self.look = look
        """Tells what is wrong with the dice of an entry, for a check of whole ledgers."""
        self._kinds: dict[str, list[EntryKind]] = {}
        for kind in kinds:
            self._kinds.setdefault(kind.name, []).append(kind)

    @property
    def names(self) -> Collection[str]:
        """The names of all kinds."""
        return self._kinds.keys()

    @property
    def bounded(self) -> Iterable[EntryKind]:
        """The kinds that bound what a body holds."""
        return (kind for kinds in self._kinds.values() for kind in kinds if kind.too_large is not None)

    def of(self, name: str, body: Body) -> EntryKind:
        """Return the kind of an entry."""
        return next(kind for kind in self._kinds[name] if kind.matches(body))

    def audience(self, name: str, body: Body, before: Sequence[str]) -> str:
        """Return the audience that an entry had when it was made; `before` has those of earlier entries by number."""
        rule = self.of(name, body).audience
        return rule if isinstance(rule, str) else rule(body, before)

    def pages(self, shown: EntryView, view: View) -> Pages:
        """Return the messages that show an entry."""
        return self.of(shown.entry.kind, read_body(shown.entry)).pages(shown, view)

    def whole(self, shown: EntryView, view: View) -> Pages:
        """Return the messages that tell all of an entry."""
        kind = self.of(shown.entry.kind, read_body(shown.entry))
        return (kind.whole or kind.pages)(shown, view)

    def sentence(self, entry: Entry, view: View) -> str:
        """Return an entry in one line."""
        return self.line(entry, read_body(entry), view)

    def line(self, entry: Entry, body: Body, view: View) -> str:
        """Return an entry in one line, by its body as it is to be told."""
        return self.of(entry.kind, body).sentence(_as_published(entry, body), view)

    def about(self, entry: Entry, body: Body, view: View) -> Iterable[About]:
        """Return what an entry is found by besides its words, by its body as it is to be told."""
        kind = self.of(entry.kind, body)
        return _gist(entry, view) if kind.about is None else kind.about(_as_published(entry, body), view)

    def results(self, entry: Entry, body: Body, view: View) -> Sequence[str]:
        """Return a line for each result of an entry, by its body as it is to be told."""
        kind, shown = self.of(entry.kind, body), _as_published(entry, body)
        return kind.results(shown, view) if kind.results else [kind.sentence(shown, view)]


def _as_published(entry: Entry, body: Body) -> Body:
    """Return a body as it is told: all of what was published is for everybody."""
    everything = entry.kind == "roll" and entry.audience == "results"
    return {**body, "public": True} if everything else body


def published_late(entry: Entry) -> bool:
    """Tell whether an entry is a roll that is public by now and was not so, or not in all parts, when it was made."""
    private = entry.kind == "roll" and any(part["audience"] != "results" for part in entry.content()["parts"])
    return private and entry.audience == "results"


def _gist(entry: Entry, view: View) -> Iterable[About]:
    """Return what kind of entry one is; to the staff also who is in it, of whom the public may not be told all."""
    yield "family", entry.kind
    yield from (("unit", number) for number in (entry.names() if view == "staff" else ()))


def audience_of_voided(body: Body, before: Sequence[str]) -> str:
    """Return the audience of a void: that of the entry which it voids."""
    return before[body["entry"]]
