"""A small server that answers as Google does for published sheets, under its names and with TLS, and as it should not."""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from bot.cogs.roster import sheet_links

DELIVERY = "doc-0s-5k-sheets.googleusercontent.com"
NAMES = (sheet_links.HOST, DELIVERY, "accounts.google.com", "evil.example")


@dataclass
class GoogleServer:
    """The server: what it sends, where it sends askers first, and what it was asked (host and path)."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/csv; charset=utf-8"})
    elsewhere: list[str] = field(default_factory=list)
    stalled: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    sent: list[Mapping[str, str]] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        self.asked.append((request.host, request.path_qs))
        self.sent.append(dict(request.headers))
        if self.stalled:
            await self.over.wait()
        if self.elsewhere:
            return web.Response(status=307, headers={"Location": self.elsewhere.pop(0)})
        return web.Response(status=self.status, body=self.body, headers=dict(self.headers))


class _Here(AbstractResolver):
    """All names are this server."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        assert port == sheet_links.HTTPS
        return [ResolveResult(hostname=host, host="127.0.0.1", port=self._port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        """Do nothing."""


@asynccontextmanager
async def google(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> AsyncIterator[GoogleServer]:  # noqa: ANN401 - fields
    """Run the server instead of Google's, with certificates that only this test trusts."""
    server = GoogleServer(**changed)
    with TemporaryDirectory() as folder:
        certificate, key = _make_certificate(Path(folder))
        serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        serving.load_cert_chain(certificate, key)
        trusting = ssl.create_default_context(cafile=str(certificate))
        app = web.Application(handler_args={"max_line_size": 100_000})
        app.router.add_get("/{any:.*}", server.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=serving)
        await site.start()
        server.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

        def connect() -> aiohttp.BaseConnector:
            return aiohttp.TCPConnector(resolver=_Here(server.port), ssl=trusting, force_close=True)

        monkeypatch.setattr(sheet_links, "make_connector", connect)
        try:
            yield server
        finally:
            server.over.set()
            await runner.cleanup()


def _make_certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")]), dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=2))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in NAMES]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(Encoding.PEM))
    files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files
