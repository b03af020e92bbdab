"""Renders pages, for a server or as files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import backups, campaigns, config, entries, errors, library, records, sites
from bot.core.database import Database
from bot.core.entry_search import EntrySearch
from bot.outbox.sending import Drawing, draw_picture
from bot.ui.pictures import style
from bot.web.addresses import FileLinks, Links, SiteAddress, name_file, read_address
from bot.web.pages import PAGES
from bot.web.reading import MissingPage, SitePage, SiteReader, SiteTools
from rules.library import Composer

FOLDER = Path(__file__).parent
NAVIGATION: Mapping[str, Sequence[str]] = {
    "": ("Now", "now"),
    "updates/": ("Updates", "updates", "update"),
    "log": ("Log", "log", "entry", "check"),
    "weather": ("Weather", "weather"),
    "war/": ("War", "wars", "war", "turn"),
    "roster": ("Roster", "roster"),
    "rules/": ("Rules", "rules", "table"),
    "luck": ("Luck", "luck"),
}
"""Labels by path, with the pages below each."""

POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
"""The Content-Security-Policy of pages without a script."""


_UNFIT = re.compile("[^\\t\\n\\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML can't have."""


class Rendered(Struct, frozen=True):
    """A page; `tag` hashes its bytes only."""

    body: bytes
    content_type: str
    tag: str
    indexed: bool = False
    policy: str = POLICY

    @classmethod
    def of(cls, made: str | bytes, content_type: str = "text/html", *, indexed: bool = False, policy: str = "") -> Self:
        """Encode a text; tag it."""
        body = made.encode(errors="replace") if isinstance(made, str) else made
        return cls(body, content_type, f'"{sha256(body).hexdigest()[:32]}"', indexed, policy or POLICY)


ASSETS: Mapping[str, Rendered] = {
    name: Rendered.of((FOLDER / "static" / name).read_bytes(), kind)
    for name, kind in (("site.css", "text/css"), ("icon.svg", "image/svg+xml"))
}
"""Files of all sites."""


class SiteHead(Struct, frozen=True):
    """What all pages of a site depend on."""

    campaign: campaigns.Campaign
    newest: records.Link


def read_head(tx: Connection, name: str) -> SiteHead | None:
    """Return a site's head, if on."""
    campaign = sites.find_site(tx, name)
    return None if campaign is None else SiteHead(campaign, entries.find_link(tx, campaign.id, campaign.uuid))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["iso"] = _write_iso
    return made


def _write_iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def render_page(
    tx: Connection, tools: SiteTools, name: str, address: SiteAddress, links: Links
) -> tuple[SiteHead | None, Rendered | Drawing | None]:
    """Return a page, or what draws it, with its head, if they exist."""
    head = read_head(tx, name)
    if head is None:
        return None, None
    site = SiteReader(tx, tools, head.campaign, links)
    try:
        page = PAGES[address.page](site, address)
    except MissingPage:
        return head, None
    if not isinstance(page, SitePage):
        return head, page
    if page.text:
        return head, Rendered.of(page.text, page.content_type, policy=page.policy)
    if tools.public_url and page.template.endswith(".html"):
        links.to(page.picture.path)  # so that it's among a site's files
    indexed = head.campaign.site_indexed and address.search == EntrySearch()
    about = {
        "page": page,
        "site": site,
        "campaign": head.campaign,
        "indexed": indexed,
        "navigation": [*_list_navigation(links, address.page)],
        "base": tools.public_url,
        "url": f"{tools.public_url}/{name}/" if tools.public_url else "",
    }
    text = _environment().get_template(page.template).render({**about, **page.shown})
    if page.content_type == "application/atom+xml":
        text = _UNFIT.sub("", text)
    if page.content_type == "text/calendar":
        text = text.replace("\n", "\r\n")
    return head, Rendered.of(text, page.content_type, indexed=indexed)


def _list_navigation(links: Links, here: str) -> Iterator[tuple[str, str, str]]:
    for path, (label, first, *below) in NAVIGATION.items():
        yield links.to(path), label, "page" if here == first else "true" if here in below else ""


async def finish_page(head: SiteHead | None, page: Rendered | Drawing | None) -> Rendered | None:
    """Draw a page that's a picture, after its transaction."""
    if page is None or isinstance(page, Rendered):
        return page
    picture = await draw_picture("site", page)
    indexed = head is not None and head.campaign.site_indexed
    return None if picture is None else Rendered.of(picture.data, "image/png", indexed=indexed)


PROBLEMS: Mapping[int, tuple[str, str]] = {
    404: ("Page not found", "There's no page at this address. It may be wrong, or the page isn't public."),
    500: ("This page doesn't work", "That's a mistake in Adjutant, and the host's log has it. Other pages may work."),
    503: ("Try again in a minute", "The database doesn't answer, or there are many readers at once."),
}
"""Titles and words by status."""


@lru_cache(maxsize=1024)
def render_problem(status: int, root: str, home: str = "") -> Rendered:
    """Render the page for what can't be shown; `home` leads back."""
    title, words = PROBLEMS[status]
    shown = {"title": title, "words": words, "root": root, "home": home}
    return Rendered.of(_environment().get_template("problem.html").render(shown))


MOST_PAGES = 50_000


class ExportedSite(Struct, frozen=True):
    """How many pages were written, and how many weren't."""

    name: str
    pages: int
    left: int = 0


def make_tools(app: ModuleType, settings: config.Settings) -> SiteTools:
    """Return what pages need."""
    style.use_further(settings.font_file)
    overlays = settings.rules_overlays
    books = library.Library(app.list_played_books(overlays), Composer(overlays))
    return SiteTools(app.KINDS, books, settings.public_url)


async def export_sites(
    settings: config.Settings, tools: SiteTools, folder: Path, only: str | None
) -> list[ExportedSite]:
    """Write all sites, or one."""
    database = Database(settings.database_url, read_only=True)
    try:
        await backups.require_newest(database)
        wanted = [name for name in await database.read(sites.list_sites) if only in {None, name}]
        if not wanted:
            raise errors.StartError("No campaign has such a site. Game masters turn it on: /gm settings, Public site.")
        return [await export_site(database, tools, name, folder) for name in wanted]
    finally:
        await database.close()


async def export_site(database: Database, tools: SiteTools, name: str, folder: Path) -> ExportedSite:
    """Write all pages that the first leads to."""
    wanted: dict[str, None] = {"": None}
    for file, asset in ASSETS.items():
        _write_file(folder / file, asset.body)
    _write_file(folder / "404.html", render_problem(404, "/").body)
    written = 0
    for path in _walk_paths(wanted):
        page = await finish_page(*await database.read(_render_file, tools, name, FileLinks(path, wanted)))
        if page is not None:
            _write_file(folder / name / name_file(path), page.body)
            written += 1
    return ExportedSite(name, written, max(len(wanted) - MOST_PAGES, 0))


def _write_file(file: Path, body: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)


def _walk_paths(wanted: dict[str, None]) -> Iterator[str]:
    done = 0
    while new := [*wanted][done:MOST_PAGES]:
        yield from new
        done += len(new)


def _render_file(
    tx: Connection, tools: SiteTools, name: str, links: FileLinks
) -> tuple[SiteHead | None, Rendered | Drawing | None]:
    split = urlsplit(links.here)
    address = read_address(split.path, dict(parse_qsl(split.query)))
    return (None, None) if address is None else render_page(tx, tools, name, address, links)
