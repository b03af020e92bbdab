"""A visitor of a world's site: reads pages as a browser does, and follows every link."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from aiohttp.test_utils import TestClient, TestServer

from bot.app import KINDS
from bot.core.database import Database
from bot.core.engine import create_engine
from bot.core.library import Library
from bot.core.schema import campaign
from bot.core.search_index import SearchIndex
from bot.web.reading import SiteTools
from bot.web.rendering import ASSETS
from bot.web.serving import WebServer
from rules.library import Composer
from tests.support.world import BOOKS, World, rows

NAME = "iron-sea"
ROOT = f"/{NAME}/"
MESSAGE = re.compile(r"https://discord\.com/channels/\d+/\d+/\d+")
VOID = {"meta", "link", "br", "img", "input"}
TAGS = {
    *(
        [
            "a",
            "article",
            "body",
            "br",
            "button",
            "caption",
            "code",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
            "em",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "head",
            "header",
            "html",
            "img",
            "input",
            "label",
        ]
    ),
    *(
        [
            "li",
            "link",
            "main",
            "meta",
            "nav",
            "ol",
            "option",
            "p",
            "rect",
            "path",
            "s",
            "section",
            "select",
            "small",
            "span",
            "strong",
            "svg",
            "g",
            "summary",
            "table",
            "tbody",
            "td",
            "text",
        ]
    ),
    *(["th", "thead", "time", "title", "tr", "u", "ul"]),
}
"""What templates and the writer of HTML use; no other tag comes from what was typed."""

TOOLS = SiteTools(KINDS, Library(BOOKS, Composer()))
NOT_OURS = (".atom", ".ics", ".json", ".txt", ".png", "/check", "/check.html")
"""Ends of paths that no template of a page makes."""

STYLE = len(ASSETS["site.css"].body)
PNG = b"\x89PNG\r\n\x1a\n"
FEEDS = (f"{ROOT}feed.atom", f"{ROOT}deadlines.ics")


class Clock:
    """Seconds that pass when a test says so."""

    now = 1000.0

    def __call__(self) -> float:
        """The time now."""
        return self.now


class Counted(Database):
    """A read-only database that counts transactions."""

    reads = 0

    async def read(self, function, /, *args, **kwargs):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN002, ANN003, ANN201 - as its parent has it
        """Count, and read."""
        self.reads += 1
        return await super().read(function, *args, **kwargs)


@dataclass
class Visitor:
    """A client of a site, its server's clock and database."""

    client: TestClient  # type: ignore[type-arg]
    clock: Clock
    database: Counted

    async def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """Return status and body."""
        self.clock.now += 1
        async with self.client.get(path, headers=headers, allow_redirects=False) as answer:
            return answer.status, await answer.read()

    async def crawl(self) -> dict[str, bytes]:
        """Return all pages by path, from the first one on; each has to be there and sound."""
        found: dict[str, bytes] = {}
        waiting = [ROOT, *FEEDS]
        while waiting:
            path = waiting.pop()
            status, body = await self.get(path)
            assert status == 200, path
            found[path] = body
            if path.endswith(".png"):
                assert body.startswith(PNG), path
            links = [] if path.endswith(NOT_OURS) else check_html(path, body)
            waiting += [link for link in dict.fromkeys(links) if link not in found and link not in waiting]
        ET.fromstring(found[FEEDS[0]])  # noqa: S314 - our own feed
        return found


@asynccontextmanager
async def visiting(world: World) -> AsyncIterator[Visitor]:
    """Serve the site of a world, read in and turned on."""
    bot, clock = world.bots[-1], Clock()
    while await bot.database.write(SearchIndex(KINDS).catch_up, 1):
        pass
    switch(world, NAME)
    database = Counted(world.database, read_only=True)
    try:
        async with TestClient(TestServer(WebServer(database, TOOLS, clock).app)) as client:
            yield Visitor(client, clock, database)
    finally:
        await database.close()


async def next_day(world: World) -> None:
    """Let the day end, so that its dice set closes."""
    world.clock.advance(days=1)
    await world.env.advance_time(21)


def switch(world: World, name: str | None) -> None:
    """Turn the site on or off, beside the bot."""
    beside = create_engine(world.database)  # the bot's own engine would close its connection
    with beside.begin() as connection:
        values = {"site_on": False} if name is None else {"site_on": True, "site": name}
        connection.execute(campaign.update().values(**values))
    beside.dispose()


@dataclass
class _Checker(HTMLParser):
    """Reads a page: tags in order, allowed ones only, no script, style or other site but messages in Discord."""

    path: str
    open: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Note a tag, and where it leads."""
        assert tag in TAGS, (self.path, tag)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert name != "style", self.path
            assert not name.startswith("on"), (self.path, name)
            if name in {"href", "src", "action"} and not (tag == "a" and MESSAGE.fullmatch(value or "")):
                assert (value or "")[:1] in {"/", "#", "."} or self.path.startswith("/tmp"), (self.path, value)  # noqa: S108
                self.links.append(value or "")
            self.ids += [value] if name == "id" and value else []

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self.open.pop() == tag, (self.path, tag)


def check_html(path: str, body: bytes) -> list[str]:
    """Check a page's form; return its links within the site."""
    assert len(body) + STYLE < 100_000, (path, len(body))
    checker = _Checker(path)
    checker.feed(body.decode())
    checker.close()
    assert not checker.open, (path, checker.open)
    assert [checker.tags.count(tag) for tag in ("h1", "main")] == [1, 1], path
    assert checker.tags.count("nav") == 1 + (b'class="turns"' in body), path
    assert len({*checker.ids}) == len(checker.ids), path
    anchors = {link[1:] for link in checker.links if link.startswith("#")}
    assert anchors <= {*checker.ids}, (path, anchors)
    return [link.partition("#")[0] for link in checker.links if link.startswith(ROOT)]


def numbers(world: World, audience: str) -> list[int]:
    """The numbers of a world's entries for an audience."""
    return [number for (number,) in rows(world, "select number from entry where audience = ?", audience)]
