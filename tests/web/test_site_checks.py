"""“Check this roll” on the public site, in a browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.rolls.fairness.checks import check, read_anchors, read_document
from bot.web.rendering import export_site
from bot.web.serving import HEADERS
from tests.rolls.fairness.making import change_part, other
from tests.support.chromium import CHROMIUM, Page, browser
from tests.support.reading import response
from tests.support.world import World, running
from tests.web.visiting import NAME, ROOT, TOOLS, next_day, numbers, visiting

DONE = """(async () => {
  const verdict = document.getElementById("verdict");
  while (verdict.getAttribute("aria-busy") === "true") await new Promise(done => setTimeout(done, 5));
  const read = name => Array.from(document.querySelectorAll(`#${name} li`), item => item.textContent);
  return {
    title: document.title, words: document.getElementById("words").textContent, state: verdict.dataset.state,
    faults: read("faults"), checked: read("checked"), compare: !document.getElementById("compare").hidden,
    thread: document.querySelector("#compare a").href, back: document.querySelector("#back a").href,
    wide: document.documentElement.scrollWidth,
  };
})()"""

in_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is missing")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A world with seeded dice."""
    async with running(f"sqlite:///{tmp_path / 'adjutant.db'}", drawn=True) as world:
        yield world


async def roll(world: World, target: str = "Zaku", to: str = "results") -> int:
    """Roll two dice at once; return the entry's number."""
    known = numbers(world, to)
    await world.gm.slash(world.orders, "patrol", patrol="White Base", target=target, to=to, roll="now")
    (new,) = {*numbers(world, to)} - {*known}
    return new


def posted(world: World) -> list[str]:
    """The lines of the dice proof thread in Discord."""
    (found,) = [item for item in world.results.threads if item.name == "Dice proof"]
    messages = [*world.results.history(), *found.history()]
    texts = [embed.description or "" for message in messages for embed in message.embeds]
    return list_lines("\n".join(text for text in texts if "```" in text))


def list_lines(text: str) -> list[str]:
    """The lines of a text that verifiers read."""
    return [line for line in text.splitlines() if line[:1].islower() and not line.startswith("https:")]


async def watch(folder: Path, read: Callable[[Page], Any]) -> Any:  # noqa: ANN401 - what was read
    """Read in a browser while the site is served."""

    def look() -> Any:  # noqa: ANN401 - as above
        with browser(folder / "profile") as page:
            return read(page)

    return await asyncio.to_thread(look)


def see(page: Page, url: str) -> dict[str, Any]:
    """Open a page that checks a roll; return what it says in the end."""
    page.open(url)
    found: dict[str, Any] = page.run(DONE)
    return found


async def test_the_site_has_the_messages_of_the_thread(world: World) -> None:
    """Made again line by line, also for what was published since; `adjutant verify` takes both files."""
    number, private = await roll(world), await roll(world, "Dom", "staff")
    await next_day(world)
    later = await roll(world, "Gelgoog")
    await next_day(world)
    asked = response(await world.gm.click(world.staff.history()[-1], label="Publish"))
    await world.gm.click(asked, label="Publish")
    assert private in numbers(world, "results")
    async with visiting(world) as visitor:
        found = []
        for entry in (number, later):
            status, proof = await visitor.get(f"{ROOT}{entry}.proof.txt")
            assert status == 200
            text = proof.decode()
            found.append(list_lines(text))
            file = (await visitor.get(f"{ROOT}{entry}.json"))[1]
            verdict = check(read_document(file), read_anchors(text, json.loads(file)["campaign"]))
            assert verdict.words == "This is valid, and the dice proof thread confirms it."
        assert found[-1] == posted(world)
        assert found[0] == posted(world)[: len(found[0])]
        assert f"https://discord.com/channels/{world.guild.id}/" in text
        assert (await visitor.get(f"{ROOT}{private}/check"))[0] == 200
        for missing in ("1/check", "1.json", "1.proof.txt", "999/check", "999.json", "999.proof.txt"):
            assert (await visitor.get(f"{ROOT}{missing}"))[0] == 404, missing


async def test_the_page_that_checks_has_its_own_policy(world: World) -> None:
    """The one it has itself, and no frames; else it and its files are kept and answered as other pages are."""
    number = await roll(world)
    async with visiting(world) as visitor:
        for end, kind in (("/check", "text/html"), (".json", "application/json"), (".proof.txt", "text/plain")):
            path = f"{ROOT}{number}{end}"
            async with visitor.client.get(path) as answer:
                policy, tag = answer.headers["Content-Security-Policy"], answer.headers["ETag"]
                assert {name: answer.headers[name] for name in HEADERS} == {
                    **HEADERS,
                    "Content-Security-Policy": policy,
                }
                assert (answer.content_type, answer.headers["X-Robots-Tag"]) == (kind, "noindex")
                text = await answer.text()
            if end == "/check":
                own = policy.removesuffix("; frame-ancestors 'none'")
                assert f'content="{own}"' in text
                assert own != policy
                assert "script-src 'sha256-" in policy
            else:
                assert policy == HEADERS["Content-Security-Policy"]
            reads = visitor.database.reads
            assert await visitor.get(path, **{"If-None-Match": tag}) == (304, b"")
            assert visitor.database.reads == reads + 1, "the head alone"


@pytest.mark.browser
@in_browser
async def test_a_roll_is_proven_in_the_browser(world: World, tmp_path: Path) -> None:
    """Once its seed is revealed; before, the page says when it can be. It names what the site can't prove."""
    number = await roll(world)

    def read(page: Page, url: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for width in (400, 1280):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            page.call("Emulation.setDeviceMetricsOverride", **size)
            found = see(page, url)
            assert found["wide"] <= width
        return found

    async def check_served() -> dict[str, Any]:
        async with visiting(world) as visitor:
            assert f'href="{ROOT}{number}/check"' in (await visitor.get(f"{ROOT}{number}"))[1].decode()
            url = str(visitor.client.make_url(f"{ROOT}{number}/check"))
            found: dict[str, Any] = await watch(tmp_path, lambda page: read(page, url))
            return found

    early = await check_served()
    await next_day(world)
    proven = await check_served()
    assert early["words"] == "These dice can't be proven yet: their seed is revealed when dice set 1 closes."
    assert (early["state"], early["faults"]) == ("alone", [])
    assert proven["words"] == "These dice are proven, if the dice proof thread in Discord has the messages below."
    assert (proven["state"], proven["faults"], proven["compare"]) == ("good", [], True)
    assert any("Every drawn face follows from a committed seed" in line for line in proven["checked"])
    assert proven["thread"].startswith("https://discord.com/channels/")
    assert proven["back"].endswith(f"{ROOT}{number}")
    assert proven["title"] == f"Check roll #{number}"


@pytest.mark.browser
@in_browser
async def test_tampered_files_of_a_site_are_named(world: World, tmp_path: Path) -> None:
    """Of exported files, which check themselves too; what is pasted instead gets the verdict of the thread."""
    number = await roll(world)
    await next_day(world)
    folder = tmp_path / "site"
    async with visiting(world) as visitor:
        await export_site(visitor.database, TOOLS, NAME, folder)
    file, proof = (folder / NAME / f"{number}{end}" for end in (".json", ".proof.txt"))
    true_file, true_proof = file.read_text(), proof.read_text()
    forged = change_part(json.loads(true_file), number, lambda part: part["dice"][0].__setitem__(1, 7))

    def read(page: Page, url: str) -> list[dict[str, Any]]:
        found = [see(page, url)]
        page.run("""(() => { const field = document.getElementById("anchors");
          field.value += "\\n"; field.dispatchEvent(new Event("input")); })()""")
        page.run("new Promise(done => setTimeout(done, 400))")
        found.append(page.run(DONE))
        file.write_text(json.dumps(forged))
        found.append(see(page, url))
        file.write_text(true_file)
        lines = true_proof.splitlines()
        proof.write_text("\n".join(other(line) if line.startswith("next 1 ") else line for line in lines))
        found.append(see(page, url))
        proof.unlink()
        found.append(see(page, url))
        return found

    server = await asyncio.create_subprocess_exec(
        "python3",
        "-u",
        "-m",
        "http.server",
        "0",
        "--bind",
        "127.0.0.1",
        "--directory",
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert server.stdout is not None
        port = (await server.stdout.readline()).split()[5].decode()
        url = f"http://127.0.0.1:{port}/{NAME}/{number}/check.html"
        seen = await watch(tmp_path, lambda page: read(page, url))
    finally:
        server.kill()
        await server.wait()
    sent, pasted, other_file, other_proof, gone = seen
    assert sent["words"].startswith("These dice are proven, if")
    assert sent["back"].endswith(f"{number}.html")
    assert (pasted["words"], pasted["compare"]) == ("This is valid, and the dice proof thread confirms it.", False)
    assert other_file["words"] == other_proof["words"] == "This isn't valid."
    assert not other_file["compare"]
    assert f"Entry {number}: its draw doesn't match the header." in other_file["faults"]
    assert other_proof["faults"] == ["The dice proof thread has another commitment to dice set 1."]
    assert (gone["state"], gone["compare"]) == ("bad", False)
    assert gone["words"].startswith("The roll's files can't be loaded")
