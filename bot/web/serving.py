"""`adjutant web`: serves sites."""

import asyncio
import logging
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from ipaddress import ip_address
from typing import Final, TypeVar
from urllib.parse import urlsplit

import sqlalchemy as sa
from aiohttp import http_exceptions, web
from msgspec import Struct

from bot.core import backups, config, errors, sites
from bot.core.database import Database
from bot.web.addresses import ServerLinks, SiteAddress, read_address
from bot.web.reading import SiteTools
from bot.web.rendering import ASSETS, POLICY, Rendered, SiteHead, finish_page, read_head, render_page, render_problem

MOST_AT_ONCE: Final = 100
"""Pages that are made or wait for it."""

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at a site's head, for all requests together."""

KEPT_FOR: Final = 30.0
"""Seconds after which a page is made again even if its head is the same."""

MOST_BYTES, MOST_SITES, MOST_READERS = 32 * 2**20, 1024, 10_000
PACE: Final = config.Pace(60, 10)
"""Requests of one address, at once and a second."""

V4, NETWORK, LONGEST = 4, 19, 64
"""A home has a network of IPv6 addresses, of which this many letters are the same."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ROBOTS: Final = "User-agent: *\nDisallow: /*/log?\n"
PLAIN: Final = "text/plain"

T = TypeVar("T")
log = logging.getLogger(__name__)


class _Kept(Struct, frozen=True):
    head: SiteHead
    page: Rendered | None
    until: float


class PageCache:
    """Pages by address, limited in bytes."""

    def __init__(self, most: int = MOST_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock, self._size = most, clock, 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def find(self, key: Hashable, head: SiteHead) -> _Kept | None:
        """Return a page of this head."""
        kept = self._kept.get(key)
        if kept is None or kept.until < self._clock() or kept.head != head:
            return None
        self._kept.move_to_end(key)
        return kept

    def keep(self, key: Hashable, head: SiteHead, page: Rendered | None) -> None:
        """Keep a page; make room."""
        self._forget(key)
        self._kept[key] = _Kept(head, page, self._clock() + KEPT_FOR)
        self._size += _count_bytes(page)
        while self._size > self._most:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: Hashable) -> None:
        if (gone := self._kept.pop(key, None)) is not None:
            self._size -= _count_bytes(gone.page)


def _count_bytes(page: Rendered | None) -> int:
    return 1024 + (0 if page is None else len(page.body))


class RateLimit:
    """A bucket per reader."""

    def __init__(self, pace: config.Pace = PACE, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace, self._clock = pace, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, reader: str) -> bool:
        """Take one; return whether there was one."""
        now = self._clock()
        left, then = self._left.pop(reader, (float(self._pace.burst), now))
        left = min(self._pace.burst, left + (now - then) * self._pace.rate)
        self._left[reader] = (max(left - 1, 0.0), now)
        if len(self._left) > MOST_READERS:
            self._left.popitem(last=False)
        return left >= 1


class WebServer:
    """Answers requests with pages."""

    def __init__(self, database: Database, tools: SiteTools, clock: Callable[[], float] = time.monotonic) -> None:
        self._database, self._tools, self._clock = database, tools, clock
        self._pages, self._limit = PageCache(clock=clock), RateLimit(clock=clock)
        self._heads: OrderedDict[str, tuple[float, SiteHead | None]] = OrderedDict()
        self._looking: dict[str, asyncio.Task[SiteHead | None]] = {}
        self._rendering: dict[Hashable, asyncio.Task[Rendered | None]] = {}
        self.root = f"{urlsplit(tools.public_url).path.rstrip('/')}/"
        self.app = web.Application(middlewares=[self._guard])
        self.app.on_response_prepare.append(_add_headers)
        self.app.router.add_get("/robots.txt", self._show_robots)
        for name, asset in ASSETS.items():
            self.app.router.add_get(f"/{name}", partial(self._show_asset, asset))
        self.app.router.add_get("/{site}", self._add_slash)
        self.app.router.add_get("/{site}/{path:.*}", self._show_page)

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not self._limit.allows(find_reader(request)):
            return web.Response(text="Too many requests. Wait a moment.\n", status=429, headers={"Retry-After": "5"})
        try:
            return await handler(request)
        except web.HTTPNotFound:
            return self._answer(request, None)
        except web.HTTPServerError as error:
            return self._report(request, error.status)
        except sa.exc.SQLAlchemyError:
            log.exception("web.database")
            return self._report(request, 503)

    def _report(self, request: web.Request, status: int) -> web.Response:
        name = request.match_info.get("site", "")
        home = f"{self.root}{name}/" if sites.NAME.fullmatch(name) else ""  # whether it exists can't be asked
        return self._answer(request, None, home, status)

    async def _show_robots(self, _request: web.Request) -> web.Response:
        return web.Response(text=ROBOTS)

    async def _show_asset(self, asset: Rendered, request: web.Request) -> web.Response:
        return self._answer(request, asset)

    async def _add_slash(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["site"]
        if await self._look(name) is None:
            return self._answer(request, None)
        return web.Response(status=308, headers={"Location": f"{self.root}{name}/"})

    async def _show_page(self, request: web.Request) -> web.StreamResponse:
        name, address = request.match_info["site"], read_address(request.match_info["path"], request.query)
        head = await self._look(name)
        if head is None:
            return self._answer(request, None)
        page = None
        if address is not None:
            kept = self._pages.find((name, address), head)
            page = await self._render(name, address) if kept is None else kept.page
        return self._answer(request, page, f"{self.root}{name}/")

    async def _look(self, name: str) -> SiteHead | None:
        if not sites.NAME.fullmatch(name):
            return None
        then, head = self._heads.get(name, (float("-inf"), None))
        if self._clock() - then < LOOK_EVERY:
            return head
        if name not in self._looking:
            self._looking[name] = asyncio.ensure_future(self._database.read(read_head, name))
            self._looking[name].add_done_callback(partial(_forget_task, self._looking.pop, name))
        head = await asyncio.shield(self._looking[name])
        self._note_head(name, head)
        return head

    def _note_head(self, name: str, head: SiteHead | None) -> None:
        self._heads.pop(name, None)
        self._heads[name] = (self._clock(), head)
        if len(self._heads) > MOST_SITES:
            self._heads.popitem(last=False)

    async def _render(self, name: str, address: SiteAddress) -> Rendered | None:
        key = (name, address)
        if len(self._rendering) >= MOST_AT_ONCE and key not in self._rendering:
            raise web.HTTPServiceUnavailable
        if key not in self._rendering:
            self._rendering[key] = asyncio.ensure_future(self._make_page(name, address))
            self._rendering[key].add_done_callback(partial(_forget_task, self._rendering.pop, key))
        made = self._rendering[key]
        await asyncio.wait([made])
        error = made.exception()
        if error is None or isinstance(error, sa.exc.SQLAlchemyError):
            return made.result()
        log.error("web.fault", exc_info=error)
        raise web.HTTPInternalServerError

    async def _make_page(self, name: str, address: SiteAddress) -> Rendered | None:
        links = ServerLinks(self.root, name)
        head, made = await self._database.read(render_page, self._tools, name, address, links)
        self._note_head(name, head)
        page = await finish_page(head, made)
        if head is not None and (page is not None or made is None):  # a drawing that failed is tried again
            self._pages.keep((name, address), head, page)
        return page

    def _answer(self, request: web.Request, page: Rendered | None, home: str = "", problem: int = 404) -> web.Response:
        found = render_problem(problem, self.root, home) if page is None else page
        headers = {"ETag": found.tag, "Cache-Control": "no-cache", "Content-Security-Policy": found.policy}
        if not found.indexed:
            headers["X-Robots-Tag"] = "noindex"
        if page is not None and found.tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        status = problem if page is None else 200
        charset = None if found.content_type.startswith("image/") else "utf-8"
        return web.Response(
            body=found.body, status=status, content_type=found.content_type, charset=charset, headers=headers
        )


def _forget_task(pop: Callable[[T], object], key: T, _task: object) -> None:
    pop(key)


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update({name: value for name, value in HEADERS.items() if name not in response.headers})
    response.headers.popall("Server", None)


def find_reader(request: web.Request) -> str:
    """Return the peer, or the one that a local proxy names; of IPv6 its network."""
    peer = request.remote or ""
    with suppress(ValueError):
        if ip_address(peer).is_private:
            peer = ",".join(request.headers.getall("X-Forwarded-For", [peer])).rpartition(",")[2].strip()
        address = ip_address(peer)
        address = getattr(address, "ipv4_mapped", None) or address
        return str(address) if address.version == V4 else address.exploded[:NETWORK]
    return peer[:LONGEST]


def _is_fault(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, http_exceptions.HttpProcessingError)  # anyone can send what isn't HTTP


async def serve_sites(settings: config.Settings, tools: SiteTools) -> None:
    """Serve until stopped."""
    stopped = asyncio.Event()
    async with listen(
        settings.database_url, tools, partial(web.TCPSite, host=settings.web_host, port=settings.web_port)
    ):
        log.info("web.ready", extra={"host": settings.web_host, "port": settings.web_port})
        sys.stdout.write(f"Serving on http://{settings.web_host}:{settings.web_port}/ until you press Ctrl-C.\n")
        sys.stdout.flush()
        config.call_on_stop(stopped.set)
        await stopped.wait()


@asynccontextmanager
async def listen(url: str, tools: SiteTools, at: Callable[[web.AppRunner], web.BaseSite]) -> AsyncIterator[None]:
    """Serve the sites of a database."""
    logging.getLogger("aiohttp.server").addFilter(_is_fault)
    database = Database(url, read_only=True)
    runner = web.AppRunner(WebServer(database, tools).app, access_log=None, shutdown_timeout=1)
    try:
        await backups.require_newest(database)
        await runner.setup()
        try:
            await at(runner).start()
        except OSError as error:
            raise errors.StartError(f"WEB_HOST and WEB_PORT can't be used: {error.strerror or error}.") from error
        yield
    finally:
        await runner.cleanup()
        await database.close()
