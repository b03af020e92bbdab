"""Addresses of pages, read strictly and written."""

import posixpath
import re
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from msgspec import Struct, convert

from bot.core.entry_search import MAX_TEXT, EntrySearch

_NUMBER = "[1-9][0-9]{0,8}"
ROUTES: Mapping[str, str] = {
    "now": "",
    "updates": "updates/?",
    "update": f"updates/(?P<number>{_NUMBER})",
    "log": "log",
    "entry": f"(?P<number>{_NUMBER})",
    "check": f"(?P<number>{_NUMBER})/check",
    "file": rf"(?P<number>{_NUMBER})\.json",
    "proof": rf"(?P<number>{_NUMBER})\.proof\.txt",
    "card": rf"(?P<number>{_NUMBER})\.png",
    "picture": r"picture\.png",
    "weather": "weather",
    "wars": "war/?",
    "war": f"war/(?P<number>{_NUMBER})",
    "turn": f"war/(?P<number>{_NUMBER})/(?P<turn>{_NUMBER})",
    "map": rf"war/(?P<number>{_NUMBER})/(?P<turn>{_NUMBER})\.png",
    "roster": f"roster(/(?P<number>{_NUMBER}))?",
    "rules": "rules/?",
    "table": r"rules/(?P<book>[a-z0-9-]{1,40})/(?P<table>[a-z0-9_.-]{1,80})",
    "luck": "luck",
    "feed": r"feed\.atom",
    "deadlines": r"deadlines\.ics",
}
"""Paths below a site's name, by page."""

FILES = frozenset({".atom", ".ics", ".png", ".json", ".txt"})
"""Endings of what isn't HTML."""

_PARAMETERS: Mapping[str, str] = {
    "text": rf".{{1,{MAX_TEXT}}}",
    "family": "[a-z0-9 _.-]{1,60}",
    **dict.fromkeys(("unit", "outcome", "region"), ".{1,80}"),
    "week": "[0-9]{1,9}",
    "update": f"0{{0,8}}{_NUMBER}",
    "before": _NUMBER,
}
_PRINTABLE = re.compile(r"(?!.*\d{17})[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*")
"""Nothing unseen, and no id of Discord."""


class SiteAddress(Struct, frozen=True):
    """One page. `number` is an entry's or update's; `book` and `table` are ids."""

    page: str
    number: int = 0
    turn: int = 0
    book: str = ""
    table: str = ""
    search: EntrySearch = EntrySearch()


def read_address(path: str, query: Mapping[str, str]) -> SiteAddress | None:
    """Return the page; None if anything is odd."""
    for page, pattern in ROUTES.items():
        if found := re.fullmatch(pattern, path, re.ASCII):
            given = found.groupdict()
            number, turn = (int(given.pop(name, None) or 0) for name in ("number", "turn"))
            search = _read_search(query) if page == "log" else EntrySearch()
            return None if search is None else SiteAddress(page, number, turn, **given, search=search)
    return None


def _read_search(query: Mapping[str, str]) -> EntrySearch | None:
    given = {name: query[name].strip() for name in _PARAMETERS if query.get(name, "").strip()}
    if not all(re.fullmatch(_PARAMETERS[name], value) and _PRINTABLE.fullmatch(value) for name, value in given.items()):
        return None
    numbers = {name: int(value) for name, value in given.items() if name in {"week", "update", "before"}}
    texts = {name: value for name, value in given.items() if name not in numbers}
    return convert({**texts, **numbers}, EntrySearch)


class Links(Protocol):
    """Writes addresses of a site's pages."""

    @property
    def can_search(self) -> bool:
        """Whether something answers searches."""
        ...

    def to(self, path: str) -> str:
        """Return a page's address, by its path."""
        ...

    def asset(self, name: str) -> str:
        """Return a shared file's address."""
        ...


class ServerLinks(Struct, frozen=True):
    """Addresses under a server's `root`."""

    root: str
    site: str
    can_search: bool = True

    def to(self, path: str) -> str:
        """Return an absolute path."""
        return f"{self.root}{self.site}/{path}"

    def asset(self, name: str) -> str:
        """Return an absolute path."""
        return f"{self.root}{name}"


class FileLinks(Struct, frozen=True):
    """Relative addresses from the page `here`; notes them."""

    here: str
    wanted: dict[str, None]
    can_search: bool = False

    def to(self, path: str) -> str:
        """Return a relative address."""
        self.wanted.setdefault(path)
        return posixpath.relpath(name_file(path), posixpath.dirname(name_file(self.here)) or ".")

    def asset(self, name: str) -> str:
        """Return a relative address."""
        return posixpath.relpath(f"../{name}", posixpath.dirname(name_file(self.here)) or ".")


def name_file(path: str) -> str:
    """Return a page's file."""
    split = urlsplit(path)
    parts = [split.path, *(value for _, value in parse_qsl(split.query))]
    if not split.path or split.path.endswith("/"):
        return f"{split.path}index.html"
    return split.path if posixpath.splitext(split.path)[1] in FILES else f"{'-'.join(parts)}.html"


def write_log_path(search: EntrySearch, before: int | None = None) -> str:
    """Return a search's path."""
    given = {name: getattr(search, name) for name in _PARAMETERS} | {"before": before}
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"log?{query}" if query else "log"
