"""The public site of a played world, read by a stranger."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from itertools import product
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import quote
from uuid import UUID

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from PIL import Image

from bot.core import sites
from bot.core.database import Database
from bot.core.schema import campaign
from bot.web.pages import PAGES
from bot.web.rendering import export_site
from bot.web.serving import HEADERS
from tests.cogs.campaign.grouping import make_hidden_channel
from tests.core.test_twin_worlds import FIRST, SECOND, Falling, play_game
from tests.support import template
from tests.support.acting import close_update, confirmed, save_group, take_back
from tests.support.chromium import CHROMIUM, browser
from tests.support.prepared import prepared
from tests.support.world import World, rows, running
from tests.web.visiting import (
    FEEDS,
    MESSAGE,
    NAME,
    NOT_OURS,
    PNG,
    ROOT,
    TOOLS,
    check_html,
    next_day,
    numbers,
    switch,
    visiting,
)

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7*7 }}{% raw %}",
    "javascript:alert(1)//",
    "&#60;b&#62; &amp;",
    "\u202egnp.exe\u202c",
    "[x](https://evil.example)",
    "`**__~~||",
    "]]><!--",
)
SAFE = ("Zaku", "White Base")
FORGED = (
    "0 -1 1e3 007 99999999999 1/2 updates// updates/0 updates/-1 updates/999 log/ nope rules/campaign/nope rules/nope/x"
    " rules/../../etc/passwd log?before=abc log?before=0 log?family=%3Cb%3E log?text=%00 log?before=99999999999 log?update=0 log?week=x 1.html"
    " %2e%2e/ ..%2f feed.atom/ %F0%9F%92%A9"
)


@prepared
async def play_evening(world: World) -> None:
    """Roll in public and in private, with nasty names, and take one back."""
    here, member = world.orders, world.player
    world.dice._script = Falling()  # type: ignore[assignment] # any number of dice
    world.typed.append(f"<@{member.id}>")
    await world.manager.slash(here, "gm settings", name=NASTY[0], players_may="scouting, patrol")
    await confirmed(world, "weather rollover")
    for place, name in enumerate((*NASTY, *SAFE)):
        await world.gm.slash(
            here, "roster add", name=name, kind="ship" if place % 2 else "squad", side=NASTY[place % 9]
        )
        await world.gm.slash(
            here, "patrol", patrol=name, target=SAFE[0], to="results", roll="now", note=f"{name} <@{member.id}>"
        )
    await world.gm.slash(here, "roster add", name="Shadow", kind="ship", secret=True)
    await world.gm.slash(here, "roster add", name="Unnamed", kind="ship")
    await world.gm.slash(here, "patrol", patrol="Shadow", target=SAFE[0], to="staff", roll="now", note="repeated")
    await member.slash(here, "scout", scouter=f"<@{member.id}>", base="Fort", to="results", roll="now")
    den = make_hidden_channel(world, "den")
    await save_group(world, name="Owls", members="Shadow", role=world.roles["player"], channel=den)
    await world.gm.slash(here, "patrol", patrol=SAFE[1], target=SAFE[0], to="Owls", roll="now", note="for owls")
    (last,) = rows(world, "select max(number) from entry where audience = 'results'")[0]
    await take_back(world, "gm undo", entry=last, reason="wrong target")
    await world.gm.slash(here, "gm schedule", what="update", day="friday", time="18:00")
    await close_update(world)
    await confirmed(world, "weather rollover")


def owls(world: World) -> str:
    """The audience of the secret group whose role all players have."""
    ((key,),) = rows(world, "select subject from state where name = 'group'")
    return f"group:{key.removeprefix('subject:')}"


async def test_every_page_is_there_and_sound(world: World) -> None:
    """Whatever is typed stays text; there are no scripts, other sites, ids or members, and nothing private."""
    await play_evening(world)
    async with visiting(world) as visitor:
        pages = await visitor.crawl()
        whole = b"\n".join(page for path, page in pages.items() if not path.endswith("/check")).decode()
        shown = unescape(whole)
        assert {
            f"{ROOT}{page}"
            for page in ("", "updates/", "updates/1", "updates/2", "log", "weather", "roster", "rules/", "luck")
        } < {*pages}
        assert {f"{ROOT}{number}" for number in numbers(world, "results")} <= {*pages}
        private = {*numbers(world, "staff"), *numbers(world, owls(world))}
        assert len(private) > len(numbers(world, "staff"))
        assert not {f"{ROOT}{number}" for number in private} & {*pages}
        assert all(name in shown for name in SAFE)
        assert "Undone" in shown or "Void" in shown
        for hidden in (
            "Shadow",
            "Unnamed",
            "repeated",
            "Owls",
            "owls",
            "49{%",
            *(str(actor.id) for actor in (world.gm, world.player)),
        ):
            assert hidden not in shown, hidden
        pictures = [await visitor.get(f"{ROOT}{number}.png") for number in (*numbers(world, "results"), "picture")]
        assert all(status == 200 and body.startswith(PNG) for status, body in pictures)
        assert {(await visitor.get(f"{ROOT}{number}.png"))[0] for number in private} == {404}
        assert not re.search(r"\b(gm2?|stranger|manager)\b", shown)
        assert b"Weather of week 2" in pages[ROOT]
        assert max(page.count(b"<h3>Flood Watch</h3>") for page in pages.values()) == 1
        assert re.search(r"<title>#\d+ Weather of week 1 ", whole)
        assert b"Madagascar" in pages[f"{ROOT}weather"]
        assert pages[f"{ROOT}weather"].count(b"<svg") == 1
        assert b"Odds of next week" in pages[f"{ROOT}weather"]
        assert pages[FEEDS[1]].count(b"BEGIN:VEVENT\r\n") == 4


async def test_feed_and_calendar_can_be_subscribed_to(world: World) -> None:
    """Each result keeps its UUID; the calendar is offered once updates close by themselves."""
    world.dice._script = Falling()  # type: ignore[assignment]
    async with visiting(world) as visitor:

        async def read_ids(patrol: str) -> list[str]:
            await world.gm.slash(world.orders, "patrol", patrol=patrol, target="Bravo", to="results", roll="now")
            status, body = await visitor.get(FEEDS[0])
            assert status == 200
            return re.findall("<id>urn:uuid:(.+)</id>", body.decode())

        first = await read_ids("Alpha")
        assert b"deadlines.ics" not in (await visitor.get(ROOT))[1]
        await world.gm.slash(world.orders, "gm schedule", what="update", day="friday", time="18:00")
        second = await read_ids("Foxtrot")
        assert b"deadlines.ics" in (await visitor.get(ROOT))[1]
    assert [str(UUID(name)) for name in second] == second
    assert len({*second}) == len(second) == len(first) + 1
    assert {*first} < {*second}


async def test_searches_stay_out_of_search_engines(world: World) -> None:
    """By the page and its headers, also where `robots.txt` isn't read; other pages of a listed site may be found."""
    async with visiting(world) as visitor:
        with world.bots[-1].database.engine.begin() as connection:
            connection.execute(campaign.update().values(site_indexed=True))
        for path, kept in (("", False), ("log", False), ("log?text=storm", True), ("log?before=9", True)):
            visitor.clock.now += 1
            answer = await visitor.client.get(f"{ROOT}{path}")
            assert (answer.headers.get("X-Robots-Tag") == "noindex") == (b"noindex" in await answer.read()) == kept


async def test_a_search_finds_no_member_and_nothing_private(world: World) -> None:
    """Words of results match; names of people, hidden units and private notes don't, as if there were none."""
    await play_evening(world)
    world.dice._script = Falling()  # type: ignore[assignment] # as above
    await world.gm.slash(
        world.orders, "patrol", patrol=SAFE[1], target=SAFE[0], region="India", to="results", roll="now"
    )
    async with visiting(world) as visitor:

        async def find(query: str) -> int:
            status, body = await visitor.get(f"{ROOT}log?{query}")
            assert status == 200
            check_html(query, body)
            return body.count(b'class="number"')

        assert await find("text=white+base") > 0
        assert await find("unit=White+Base") > 0
        caught, missed = [await find(f"family=patrol&outcome={text}") for text in ("Caught", "Nothing+is+caught")]
        assert 0 < missed <= await find("family=patrol") - caught
        assert await find("region=India") == 1
        assert await find("family=weather&week=1") == await find("family=weather&week=2") == 1
        assert 0 < await find("update=2") < await find("update=1")
        assert b"Update 3 hasn&#39;t begun" in (await visitor.get(f"{ROOT}log?update=3"))[1]
        nothing = await find("text=nonsense")
        for query in ("text=shadow", "text=player", "text=repeated", "unit=Shadow", "unit=Unnamed", "family=unit"):
            assert await find(query) == nothing == 0, query
        assert await find(f"unit={quote(NASTY[0])}") > 0
        for typed in NASTY:
            await find(f"text={quote(typed)}")


async def test_what_does_not_exist_is_one_page(world: World) -> None:
    """Secret, missing and forged: the same bytes, with a way back; of no site: without it."""
    await play_evening(world)
    async with visiting(world) as visitor:
        answers = {await visitor.get(f"/nothing-here/{page}") for page in ("", "1", "log")}
        hidden = map(str, (*numbers(world, "staff"), *numbers(world, owls(world))))
        within = {await visitor.get(f"{ROOT}{path}") for path in (*FORGED.split(), *hidden)}
        answers |= {await visitor.get(path) for path in ("/", "/x", "/nothing-here", "/static/site.css", "/UPPER/")}
        switch(world, None)
        answers |= {await visitor.get(f"{ROOT}{page}") for page in ("", "1", "log", "feed.atom")}
    ((status, body),) = answers
    assert (status, b"Page not found" in body) == (404, True)
    ((status, inside),) = within - answers  # some lead out of the site
    back = f'<p><a href="{ROOT}">Go to the site\'s first page</a></p>\n'.encode()
    assert (status, inside.replace(back, b"")) == (404, body)
    assert back in inside


async def test_pages_are_kept_made_once_and_forgotten(world: World) -> None:
    """Many who ask cost one transaction; an erased text is gone within a minute; an unchanged page isn't sent again."""
    await play_evening(world)
    (number,) = rows(
        world,
        "select min(number) from entry_text where name is not null and number in (select number from entry where audience = 'results')",
    )[0]
    page = f"{ROOT}{number}"
    async with visiting(world) as visitor:
        client, reads = visitor.client, visitor.database
        answers = await asyncio.gather(*(client.get(page) for _ in range(20)))
        assert {answer.status for answer in answers} == {200}
        assert reads.reads == 2  # the head, and the page
        assert {name: answers[0].headers[name] for name in HEADERS} == HEADERS
        assert "Set-Cookie" not in answers[0].headers
        assert (answers[0].headers["X-Robots-Tag"], answers[0].headers["Cache-Control"]) == ("noindex", "no-cache")
        tag = answers[0].headers["ETag"]
        before = await answers[0].read()
        assert await visitor.get(page, **{"If-None-Match": tag}) == (304, b"")
        with world.bots[-1].database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE entry_text SET text = NULL, salt = NULL")
        visitor.clock.now += 30
        status, after = await visitor.get(page)
        assert status == 200
        assert after != before
        for _ in range(100):
            answer = await client.get(page)
        assert answer.status == 429


async def test_a_picture_that_failed_is_drawn_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next reader gets it, long before a kept page would be made again."""
    async with visiting(world) as visitor:
        with monkeypatch.context() as broken:
            broken.setattr("bot.ui.pictures.cards.draw_card", None)
            assert (await visitor.get(f"{ROOT}picture.png"))[0] == 404
        assert (await visitor.get(f"{ROOT}picture.png"))[0] == 200


async def test_a_page_that_fails_leads_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong, the reader sees a page of the site with what to do; only the log says more."""
    failing = {sa.exc.OperationalError("", {}, ValueError("hidden")): 503, ValueError("hidden"): 500}
    async with visiting(world) as visitor:
        for error, expected in failing.items():
            with monkeypatch.context() as broken:
                broken.setitem(PAGES, "luck", Mock(side_effect=error))
                status, body = await visitor.get(f"{ROOT}luck")
            assert status == expected
            assert f'<a href="{ROOT}">Go to the site\'s first page</a>'.encode() in body
            assert b"hidden" not in body
        monkeypatch.setattr("bot.web.serving.MOST_AT_ONCE", 0)
        assert (await visitor.get(f"{ROOT}luck"))[0] == 503


async def test_the_database_cannot_be_written(world: World) -> None:
    """The web process only reads, whatever runs in it, also on a connection that has read before."""
    database = Database(world.database, read_only=True)
    try:
        await database.read(sites.list_sites)
        for write in (database.write, database.write_minor, database.read):
            with pytest.raises(sa.exc.DBAPIError, match=r"(?i)read.?only"):
                await write(lambda tx: tx.execute(sa.text("DELETE FROM campaign")))
    finally:
        await database.close()
    assert rows(world, "select count(*) from campaign") == [(1,)]


async def test_secrets_make_no_difference_to_any_page(tmp_path: Path) -> None:
    """Twin worlds that differ in secrets give the same bytes, on every page and search."""
    found = []
    for place, secrets in enumerate((FIRST, SECOND)):
        folder = tmp_path / str(place)
        folder.mkdir()
        with template.migrated_url("sqlite", folder) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment]
                await play_game(world, secrets)
                await world.gm.slash(world.orders, "patrol", patrol="Bravo", target="Alpha", to="results", roll="now")
                await next_day(world)
                async with visiting(world) as visitor:
                    pages: dict[str, object] = dict(await visitor.crawl())
                    for name in ("Shadow", "Wraith", "Moles", "Badgers", "Hayato", "Bright", "Zaku", "cellar", "attic"):
                        for query in (f"log?text={name}", f"log?unit={name}"):
                            pages[query] = await visitor.get(f"{ROOT}{query}")
                    for query in (
                        "week=1",
                        "week=2",
                        "update=1",
                        "update=2",
                        "outcome=Nothing+is+caught",
                        "region=India",
                    ):
                        pages[query] = await visitor.get(f"{ROOT}log?{query}")
                    pages |= {str(number): await visitor.get(f"{ROOT}{number}") for number in range(1, 80)}
                    drawn = ("picture.png", *(f"{number}.png" for number in range(1, 80)))
                    pages |= {name: await visitor.get(f"{ROOT}{name}") for name in drawn}
                    found.append(pages)
    first, second = found
    assert first.keys() == second.keys()
    assert [page for page in first if alike(first[page]) != alike(second[page])] == []
    assert len(first) > 100
    assert any(page.endswith(".json") for page in first)


def alike(page: object) -> str:
    """A page without fingerprints and salted hashes, which players read too, and without Discord's ids, which hold a time."""
    hashes = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|Fingerprint [0-9a-f]{8}|[0-9a-f]{64}|\b\d{19}\b"
    return re.sub(hashes, "hash", str(page))


async def test_links_posted_elsewhere_show_a_picture(world: World, tmp_path: Path) -> None:
    """Each page names one with its size and what it shows; a site as files has them all."""
    await play_evening(world)
    async with visiting(world) as visitor:
        tools = replace(TOOLS, public_url="https://games.example")
        await export_site(visitor.database, tools, NAME, tmp_path)
    for file in (tmp_path / NAME).rglob("*.html"):
        if str(file).endswith(NOT_OURS):
            continue
        about = dict(
            re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)">', file.read_text())
        )
        picture = tmp_path / about["og:image"].removeprefix("https://games.example/")
        with Image.open(picture) as drawn:
            assert drawn.size == (int(about["og:image:width"]), int(about["og:image:height"]))
        assert about["og:image:alt"]
        assert about["twitter:card"] == "summary_large_image"
    assert (tmp_path / NAME / "picture.png").read_bytes() != (tmp_path / NAME / "4.png").read_bytes()


async def test_files_of_a_site_have_no_broken_link(world: World, tmp_path: Path) -> None:
    """`adjutant site` writes what the server serves, with relative addresses and without searches."""
    await play_evening(world)
    async with visiting(world) as visitor:
        made = await export_site(visitor.database, TOOLS, NAME, tmp_path)
    files = [file for file in (tmp_path / NAME).rglob("*") if file.is_file()]
    assert made.pages == len(files)
    assert {".atom", ".html", ".ics", ".json", ".txt"} == {file.suffix for file in files}
    for file in (file for file in files if not file.name.endswith(tuple(end.strip("/") for end in NOT_OURS))):
        text = file.read_text("utf-8")
        check_html(str(file), text.encode())
        links = [link.partition("#")[0] for link in re.findall(r'(?:href|action)="([^"]*)"', MESSAGE.sub("", text))]
        assert [link for link in links if link and not (file.parent / link).is_file()] == [], file
        assert "<form" not in text


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
async def test_pages_fit_a_phone_and_a_desk(world: World, tmp_path: Path) -> None:
    """Also with the longest names, nothing is wider than the screen, and Tab first offers to skip to the content."""
    world.dice._script = Falling()  # type: ignore[assignment]
    await world.manager.slash(world.orders, "gm settings", name="W" * 60)
    await confirmed(world, "weather rollover")
    await world.gm.slash(world.orders, "roster add", name="M" * 60, kind="ship", side="Q" * 60)
    await world.gm.slash(
        world.orders, "patrol", patrol="M" * 60, target="Zaku", to="results", roll="now", note="n" * 400
    )
    async with visiting(world) as visitor:
        await export_site(visitor.database, TOOLS, NAME, tmp_path)
    files = sorted((tmp_path / NAME).glob("*.html"))
    assert "M" * 60 in (tmp_path / NAME / "roster.html").read_text("utf-8")
    assert await asyncio.to_thread(measure, files, tmp_path / "profile") == []


def measure(files: list[Path], profile: Path) -> list[str]:
    """Pages that are wider than a phone or a desk, or don't offer to skip."""
    wrong = []
    with browser(profile) as page:
        for file, width in product(files, (400, 1280)):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            page.call("Emulation.setDeviceMetricsOverride", **size)
            page.open(file)
            wide = page.run("document.documentElement.scrollWidth")
            skip = page.run("document.querySelector('a').className")
            if wide > width or skip != "skip":
                wrong.append(f"{file.name} at {width}: {wide}, {skip}")
    return wrong
