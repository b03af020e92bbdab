from __future__ import annotations

import asyncio
import base64
import os
import sys
from pathlib import Path

import pytest
from aiohttp import web

from tests.bench.stub import TOKEN, Stub, serving

ROOT = Path(__file__).parents[2]
KEY = base64.b64encode(bytes(range(32))).decode()
PASSWORD = "hush-hush"  # noqa: S105 - it opens nothing
RUN = """
import sys
from bot.cli import main
sys.exit(main(["run"]))
"""


class _RefusingDiscord(Stub):
    """Rejects the token and repeats it."""

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Refuse."""
        told = {"message": f"401: Unauthorized {request.headers.get('Authorization')}", "code": 0}
        return web.json_response(told, status=401)


async def _print_until_end(stub: Stub, style: str, address: str, folder: Path) -> str:
    known = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    secrets = {"DISCORD_TOKEN": TOKEN, "SECRETS_KEY": KEY, "DATABASE_URL": address}
    async with serving(stub):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            stub.preface() + RUN,
            cwd=folder,
            env={**known, "PYTHONPATH": str(ROOT), **secrets, "LOG_LEVEL": "DEBUG", "LOG_FORMAT": style},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            told, _ = await asyncio.wait_for(process.communicate(), 60)
        finally:
            if process.returncode is None:
                process.kill()
        return told.decode()


@pytest.mark.parametrize("style", ["text", pytest.param("json", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("stub", "address", "fault"),
    [
        (_RefusingDiscord, "sqlite:///adjutant.db", "Discord refused the token"),
        pytest.param(
            Stub,
            f"postgresql://gm:{PASSWORD}@/adjutant?host={{folder}}",
            "The database can't be used",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_no_secret_is_printed(tmp_path: Path, stub: type[Stub], address: str, fault: str, style: str) -> None:
    """Neither token, key nor password, whatever fails."""
    told = await _print_until_end(stub(), style, address.format(folder=tmp_path), tmp_path)

    assert fault in told
    assert stub is Stub or str(tmp_path / "adjutant.db") in told, "the file, where the address is relative, too"
    assert [secret for secret in (TOKEN, KEY, PASSWORD) if secret in told] == []
