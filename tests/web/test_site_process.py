"""`adjutant web` and `adjutant site` as hosts run them."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing, suppress
from pathlib import Path

import aiohttp
import pytest
import sqlalchemy as sa
from multidict import CIMultiDict

from bot.core.config import Settings
from bot.core.engine import create_engine
from bot.core.errors import StartError
from bot.web.serving import RateLimit, find_reader, serve_sites
from tests.cogs.privacy.people import erase, newcomer, roll
from tests.support.commands import adjutant
from tests.support.world import World
from tests.web.visiting import NAME, ROOT, TOOLS, Clock, switch, visiting


async def test_files_are_written_for_all_sites_or_one(world: World, tmp_path: Path) -> None:
    """Without a site that is on, nothing is written and the host reads why."""
    folder = tmp_path / "site"

    async def write(*words: str) -> tuple[int, str]:
        done = await asyncio.to_thread(adjutant, world.database, "site", str(folder), *words)
        return done.code, done.out + done.err

    assert await write() == (2, "No campaign has such a site. Game masters turn it on: /gm settings, Public site.\n")
    assert not folder.exists()
    switch(world, NAME)
    code, said = await write("--campaign", NAME)
    assert code == 0
    assert said.startswith(f"{folder / NAME}: ")
    assert (folder / NAME / "index.html").is_file()
    assert (folder / "site.css").is_file()
    assert (await write("--campaign", "other"))[0] == 2


async def test_a_process_serves_until_it_is_stopped(world: World) -> None:
    """It answers on its port, and a port that is taken is refused in words."""
    switch(world, NAME)
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        settings = Settings(database_url=world.database, web_port=port)
        with pytest.raises(StartError, match="WEB_HOST and WEB_PORT can't be used"):
            await serve_sites(settings, TOOLS)
    serving = asyncio.create_task(serve_sites(settings, TOOLS))
    async with aiohttp.ClientSession() as client:
        for _ in range(200):
            with suppress(aiohttp.ClientConnectionError):
                answer = await client.get(f"http://127.0.0.1:{port}{ROOT}")
                break
            await asyncio.sleep(0.01)
        assert answer.status == 200
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


async def test_a_database_of_another_version_is_refused(world: World) -> None:
    """In words that say what to do, and before it says that it serves."""
    beside = create_engine(world.database)
    for revision, todo in (("9999", "Install the newer version."), ("0001", "Upgrade it first: ")):
        with beside.begin() as connection:
            connection.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
        done = await asyncio.to_thread(adjutant, world.database, "web")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"The database is at revision {revision}, ")
        assert todo in done.err
    beside.dispose()


def test_a_reader_is_whom_a_near_proxy_names() -> None:
    """Others can't pass for somebody else, nor fill the memory."""

    class Request:
        def __init__(self, remote: str, forwarded: str | None) -> None:
            self.remote = remote
            named = [] if forwarded is None else forwarded.split("|")
            self.headers = CIMultiDict(("X-Forwarded-For", line) for line in named)

    def read(remote: str, forwarded: str | None = None) -> str:
        return find_reader(Request(remote, forwarded))  # type: ignore[arg-type]

    assert read("93.184.216.34", "1.1.1.1") == "93.184.216.34"
    assert read("127.0.0.1", "9.9.9.9, 1.1.1.1") == "1.1.1.1"
    assert read("127.0.0.1", "9.9.9.9|1.1.1.1") == "1.1.1.1", "a proxy may add another line"
    assert read("::ffff:93.184.216.34") != read("::ffff:93.184.216.35"), "as IPv6 sockets see IPv4"
    assert read("10.0.0.7") == "10.0.0.7"
    assert read("::1", "2001:db8:1:2:3::4") == read("::1", "2001:db8:1:2:ffff::9") != read("::1", "2001:db8:1:3::4")
    assert read("127.0.0.1", "x" * 100) == "x" * 64
    clock = Clock()
    limit = RateLimit(clock=clock)
    assert [limit.allows("a") for _ in range(61)] == [True] * 60 + [False]
    assert limit.allows("b")
    clock.now += 1
    assert [limit.allows("a") for _ in range(11)] == [True] * 10 + [False]


async def test_what_a_person_erased_is_gone_within_a_minute(world: World) -> None:
    """Their texts, on pages and in searches; their name was never there, though they rolled under it."""
    person = newcomer(world)
    world.typed.append(f"<@{person.id}>")
    await world.manager.slash(world.orders, "gm settings", players_may="scouting")
    world.dice.script(20)
    await person.slash(
        world.orders, "scout", scouter=f"<@{person.id}>", base="Fort", roll="now", note="Albatross", to="results"
    )
    await roll(world, person, note="Cormorant")
    async with visiting(world) as visitor:

        async def read() -> str:
            return "".join(page.decode() for page in (await visitor.crawl()).values())

        async def count(word: str) -> int:
            return (await visitor.get(f"{ROOT}log?text={word}"))[1].count(b'class="number"')

        before = await read()
        assert "Cormorant" in before
        assert "someone" in before
        assert "Quirinius" not in before
        assert str(person.id) not in before
        assert [await count(word) for word in ("cormorant", "quirinius")] == [1, 0]
        await erase(world, person)
        visitor.clock.now += 30
        after = await read()
        assert "Cormorant" not in after
        assert "Albatross" not in after
        assert [await count(word) for word in ("cormorant", "albatross", "quirinius")] == [0, 0, 0]
