"""A Google sheet by its link, as CSV: only from Google's hosts, without credentials, within limits."""

import asyncio
import ipaddress
import re
import socket
from urllib.parse import SplitResult, parse_qs, urlencode, urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.core.errors import BadInput
from bot.ui.files import MAX_CSV

HOST, DELIVERS = "docs.google.com", ".googleusercontent.com"
SECONDS = 5.0
HTTPS = 443
OK, REDIRECTS = 200, {301, 302, 303, 307, 308}
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_SHEET = re.compile(r"/spreadsheets/(?:u/\d+/)?d/(?P<id>(?:e/)?[\w-]{10,200})(?:/(?P<form>[\w/]*))?")
_TAB = re.compile(r"\d{1,20}")
SHARE = "In Google Sheets: Share, anyone with the link. Or File, Share, Publish to web. Then paste the link."
OTHERWISE = "Try again, or paste the lines."


def make_address(link: str) -> str:
    """Return the address of a sheet's CSV. Only its id and tab are taken from the link."""
    parts = _split(link.strip())
    found = None if parts is None or parts.hostname != HOST else _SHEET.fullmatch(parts.path)
    if parts is None or found is None:
        raise BadInput("I can't read a roster from that link.", SHARE)
    asked = parse_qs(f"{parts.query}&{parts.fragment}")
    tab = next((value for value in asked.get("gid", ()) if _TAB.fullmatch(value)), None)
    given = {} if tab is None else {"gid": tab}
    if found["id"].startswith("e/"):
        path, query = "pub", {"output": "csv", **given, **({"single": "true"} if given else {})}
    elif found["form"] == "gviz/tq":
        named = {"sheet": asked["sheet"][0]} if "sheet" in asked else {}
        path, query = "gviz/tq", {"tqx": "out:csv", **given, **named}
    else:
        path, query = "export", {"format": "csv", **given}
    return f"https://{HOST}/spreadsheets/d/{found['id']}/{path}?{urlencode(query)}"


async def read_pasted(pasted: str, *, allowed: bool) -> tuple[str, bytes]:
    """Return name and content of pasted lines, or of the sheet if they are only a link."""
    if _LINK.fullmatch(pasted.strip()) is None:
        return "pasted.csv", pasted.encode()
    if not allowed:
        raise BadInput("Links to sheets are turned off here.", "Paste the lines, or send a file.")
    return "sheet.csv", await read_sheet(pasted)


async def read_sheet(link: str) -> bytes:
    """Return a sheet's CSV. Refuse what isn't public, isn't a sheet, or is beyond size and time."""
    address = make_address(link)
    headers = {"Accept": "text/csv", "Accept-Encoding": "identity"}
    try:
        async with (
            asyncio.timeout(SECONDS),
            aiohttp.ClientSession(
                connector=make_connector(), cookie_jar=aiohttp.DummyCookieJar(), headers=headers, auto_decompress=False
            ) as session,
        ):
            return await _get(session, address, redirects=1)
    except TimeoutError as problem:
        raise BadInput(f"Google didn't send the sheet within {SECONDS:g} seconds.", OTHERWISE) from problem
    except (OSError, aiohttp.ClientError, ValueError) as problem:
        raise BadInput("I can't reach Google's sheets.", OTHERWISE) from problem


def make_connector() -> aiohttp.BaseConnector:
    """Return a way to public addresses only."""
    return aiohttp.TCPConnector(resolver=PublicResolver(aiohttp.ThreadedResolver()), force_close=True)


class PublicResolver(AbstractResolver):
    """Resolves names; those with an address within a private network don't exist."""

    def __init__(self, resolver: AbstractResolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return a name's addresses, or raise OSError."""
        found = await self._resolver.resolve(host, port, family)
        if not all(ipaddress.ip_address(item["host"]).is_global for item in found):
            raise OSError(f"{host} has a private address")
        return found

    async def close(self) -> None:
        """Close the resolver."""
        await self._resolver.close()


async def _get(session: aiohttp.ClientSession, address: str, *, redirects: int) -> bytes:
    async with session.get(address, allow_redirects=False) as response:
        if response.status in REDIRECTS and redirects:
            following = urljoin(address, response.headers.get("Location", ""))
            parts = _split(following)
            if parts is not None and (parts.hostname or "").endswith(DELIVERS):
                return await _get(session, following, redirects=0)
        if response.status in {401, 403, *REDIRECTS} or (
            response.status == OK and response.content_type == "text/html"
        ):
            raise BadInput("That sheet isn't public.", SHARE)
        if response.status in {400, 404, 410}:
            raise BadInput("Google has no such sheet or tab.", "Check the link, or paste the lines.")
        if response.status != OK:
            raise BadInput(f"Google answered with an error (HTTP {response.status}).", OTHERWISE)
        if response.content_type != "text/csv" or response.headers.get("Content-Encoding", "identity") != "identity":
            raise BadInput("Google sent something other than CSV.", "Publish the sheet as CSV, or paste the lines.")
        return await _read_all(response)


async def _read_all(response: aiohttp.ClientResponse) -> bytes:
    data = bytearray()
    async for part in response.content.iter_any():
        data += part
        if len(data) > MAX_CSV:
            raise BadInput(f"The sheet is larger than {MAX_CSV // 1024} KiB.", "Split it into several tabs.")
    return bytes(data)


def _split(link: str) -> SplitResult | None:
    try:
        parts = urlsplit(link)
        port = parts.port
    except ValueError:
        return None
    plain = parts.username is None and parts.password is None and port in {None, HTTPS}
    return parts if parts.scheme == "https" and plain else None
