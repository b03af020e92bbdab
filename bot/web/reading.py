"""A campaign as everyone may know it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.ledger.service import make_views
from bot.core import campaigns, entries, permissions, search_index, visibility
from bot.core.ledger import EntryKinds, EntryView
from bot.core.library import Library
from bot.core.records import NAME_TEXT, Entry, Json
from bot.rolls.fairness.outside import INTENT
from bot.schedules.store import Schedule, get_schedule
from bot.ui.html import HtmlWriter
from bot.ui.receipt import AMENDED, VOID
from bot.web.addresses import Links

MOST_UPDATES = 300
A_LINE, ROOM = 400, 66_000
"""Bytes of a line without its words, and of a page's lines."""


class SiteTools(Struct, frozen=True):
    """What all pages need."""

    kinds: EntryKinds
    library: Library
    public_url: str = ""


class PagePicture(Struct, frozen=True):
    """A picture for previews, by its path."""

    path: str = "picture.png"
    width: int = 1200
    height: int = 630
    alt: str = ""


class SitePage(Struct, frozen=True):
    """What a template shows, or `text`; `summary` and `picture` are for previews, `policy` a page's own."""

    title: str
    template: str = ""
    shown: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    content_type: str = "text/html"
    text: str = ""
    policy: str = ""
    picture: PagePicture = PagePicture()


class MissingPage(Exception):
    """No such page."""


class EntryLine(Struct, frozen=True):
    """A listed entry; `gone` says what replaced it."""

    number: int
    address: str
    at: datetime
    words: Markup
    gone: str = ""
    by: str | None = None


class UpdateSpan(Struct, frozen=True):
    """An update after entry `first`, closed by `last`."""

    number: int
    name: str
    first: int
    last: int | None = None
    closed_at: datetime | None = None


def hide_people(entry: Entry) -> Entry:
    """Remove people's names."""
    keys = {key for name, key in entry.content()["texts"].items() if name.startswith(NAME_TEXT)}
    return replace(entry, texts={key: text for key, text in entry.texts.items() if key not in keys}) if keys else entry


def names_people(entry: Entry) -> bool:
    """Return whether people are named."""
    return any(name.startswith(NAME_TEXT) for name in entry.content()["texts"])


class SiteReader:
    """Reads a site for one page."""

    def __init__(self, tx: Connection, tools: SiteTools, campaign: campaigns.Campaign, links: Links) -> None:
        self.tx, self.tools, self.campaign, self.links = tx, tools, campaign, links
        self.writer = HtmlWriter(campaign.timezone, self.link_entry, public=True, level=2)

        self._named: dict[int, bool] = {}
        self.viewer = visibility.make_public_viewer(campaign, self.has_named)
        self.public = permissions.audience_filter(tx, self.viewer.person, campaign, None)

    @cached_property
    def update(self) -> dict[str, Json]:
        """The current update: number, name, start."""
        return campaigns.current_update(self.tx, self.campaign.id)

    @cached_property
    def schedule(self) -> Schedule | None:
        """When updates close, if they do by themselves."""
        return None if self.campaign.archived_at else get_schedule(self.tx, self.campaign.id, campaigns.UPDATE)

    def has_named(self, number: int) -> bool:
        """Return whether results name a subject."""
        if number not in self._named:
            self.read_named([number])
        return self._named[number]

    def read_named(self, numbers: Collection[int]) -> None:
        """Read which subjects results name, at once."""
        found = search_index.find_named(self.tx, self.campaign.id, self.public, numbers)
        self._named |= {number: number in found for number in numbers}

    def write_line(self, text: str) -> Markup:
        """Return a line as HTML."""
        return Markup(self.writer.line(text))  # noqa: S704 - the writer escapes what was typed

    def write_paragraph(self, text: str) -> Markup:
        """Return a text as HTML."""
        return Markup(self.writer.paragraph(text))  # noqa: S704 - as above

    def show_time(self, at: datetime) -> str:
        """Return local time."""
        return f"{at.astimezone(ZoneInfo(self.campaign.timezone)):%d %b %Y %H:%M %Z}"

    def get_entry(self, number: int) -> Entry | None:
        """Return a public entry."""
        found = entries.get_entry(self.tx, self.campaign.id, number)
        return None if found is None or not self.public.shows(found) else hide_people(found)

    def link_entry(self, number: int) -> str | None:
        """Return a public entry's address."""
        found = entries.get_entries_bare(self.tx, self.campaign.id, [number]).get(number)
        return self.links.to(str(number)) if found is not None and self.public.shows(found) else None

    def list_between(self, span: entries.Span) -> list[Entry]:
        """Return public entries."""
        return entries.page_entries(self.tx, self.campaign.id, self.public, span, without=INTENT)

    def view_entries(self, listed: Iterable[Entry]) -> list[EntryView]:
        """Return entries with marks."""
        return make_views(self.tx, self.campaign, [*map(hide_people, listed)])

    def list_lines(self, listed: Iterable[Entry], room: int = ROOM) -> list[EntryLine]:
        """Return entries as lines, if they fit."""
        lines = [
            EntryLine(
                number=view.entry.number,
                address=self.links.to(str(view.entry.number)),
                at=view.entry.at,
                words=self.write_line(self.tools.kinds.sentence(view.entry, "public")),
                gone=self.describe_mark(view),
                by=self.link_entry(view.voided.by) if view.voided else None,
            )
            for view in self.view_entries(listed)
        ]
        ends = accumulate(A_LINE + len(line.words.encode()) for line in lines)
        return [line for line, end in zip(lines, ends, strict=True) if end <= room]

    def describe_mark(self, view: EntryView) -> str:
        """Say what undid or amended an entry."""
        mark = view.voided
        return "" if mark is None else (AMENDED if mark.amended else VOID).format(by=mark.by)

    def finds(self, entry: Entry, words: Sequence[Sequence[str]]) -> bool:
        """Return whether it has these words without people's names."""
        if not names_people(entry):
            return True
        shown = set(search_index.list_words(self.tools.kinds, hide_people(entry)).split())
        return all(any(_matches(shown, word) for word in some) for some in words)

    def list_updates(self) -> list[UpdateSpan]:
        """Return updates, newest first."""
        found = self._walk_updates()
        return [item for _, item in zip(range(MOST_UPDATES), found, strict=False)]

    def find_update(self, number: int) -> UpdateSpan:
        """Return an update, or raise MissingPage."""
        found = next((item for item in self._walk_updates() if item.number <= number), None)
        if found is None or found.number != number:
            raise MissingPage
        return found

    def _walk_updates(self) -> Iterator[UpdateSpan]:
        number, name, last = self.update["number"], self.update["name"], None
        for closing in entries.walk_back(self.tx, self.campaign.id, campaigns.UPDATE):
            body = closing.content()
            if body["opened"]["number"] != number:  # it was undone
                continue
            yield UpdateSpan(number, name, closing.number, *_when(last))
            number, name, last = body["closed"]["number"], body["closed"]["name"], closing
        yield UpdateSpan(number, name, 0, *_when(last))


def _when(closing: Entry | None) -> tuple[int | None, datetime | None]:
    return (None, None) if closing is None else (closing.number, closing.at)


def _matches(shown: set[str], word: str) -> bool:
    if not word.endswith(search_index.BEGINNING):
        return word in shown
    return any(item.startswith(word.removesuffix(search_index.BEGINNING)) for item in shown)
