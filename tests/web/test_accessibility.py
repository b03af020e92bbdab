"""Pages for everyone: axe-core finds nothing, and the keyboard reaches everything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from importlib.metadata import distribution
from itertools import product
from pathlib import Path

import pytest

from bot.web.rendering import export_site
from tests.cogs.war.front import begun
from tests.support.chromium import CHROMIUM, Page, browser
from tests.support.world import World
from tests.web.test_site_pages import play_evening
from tests.web.test_site_wars import play_turns
from tests.web.visiting import NAME, ROOT, TOOLS, visiting

AXE = Path(str(distribution("axe-playwright-python").locate_file("axe_playwright_python/axe.min.js")))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
CALM = {"name": "prefers-reduced-motion", "value": "reduce"}
SCREENS = ((400, "light"), (1280, "dark"))
RUN = f"axe.run(document, {{runOnly: {json.dumps(RULES)}, resultTypes: ['violations']}})"
FOUND = (
    "found => found.violations.map(item => `${item.id}: ${item.nodes.slice(0, 3).map(node => node.html).join(' ')}`)"
)
FOCUSED = """(() => {
  const all = [...document.querySelectorAll('a[href], input, select, button, summary')], item = document.activeElement;
  const every = all.filter(one => one.tagName === 'SUMMARY' || !one.closest('details:not([open])'));
  const shape = item.querySelector('.tile') || item, style = getComputedStyle(shape);
  const box = shape.getBoundingClientRect();
  const ringed = style.outlineStyle !== 'none' || parseFloat(style.strokeWidth) > 3;
  return [every.indexOf(item), ringed, box.bottom > 0 && box.top < innerHeight, every.length];
})()"""

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")]


async def write_pages(world: World, folder: Path, *names: str) -> list[Path]:
    """Write a site as files, and return some."""
    async with visiting(world) as visitor:
        await export_site(visitor.database, TOOLS, NAME, folder)
        _, log = await visitor.get(f"{ROOT}log?text=patrol")  # files have no search
    assert b"<form" in log
    (folder / NAME / "search.html").write_bytes(log.replace(b'"/site.css"', b'"../site.css"'))
    return [min((folder / NAME).glob(name)) for name in names]


async def test_pages_of_an_evening_are_for_everyone(world: World, tmp_path: Path) -> None:
    """One of each kind, with the nastiest names."""
    await play_evening(world)
    names = "index updates/index updates/1 search weather roster rules/index rules/*/* luck war/index 1[0-9]"
    files = await write_pages(world, tmp_path, *(f"{name}.html" for name in names.split()))
    assert not await asyncio.to_thread(look, [*files, tmp_path / "404.html"], tmp_path / "profile")


async def test_pages_of_a_war_are_for_everyone(world: World, tmp_path: Path) -> None:
    """Its front, a turn, and a digest."""
    await play_turns(await begun(world))
    files = await write_pages(world, tmp_path, "index.html", "war/*/1.html", "12.html")
    assert not await asyncio.to_thread(look, files, tmp_path / "profile")


def look(files: list[Path], profile: Path) -> list[str]:
    """Return all that is wrong with pages, on a phone and on a desk in the dark."""
    wrong = []
    with browser(profile) as page:
        for file, (width, scheme) in product(files, SCREENS):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            page.call("Emulation.setDeviceMetricsOverride", **size)
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}, CALM])
            page.open(file)
            found = [*press_tab(page)]
            page.run(f"{AXE.read_text('utf-8')}; 0")
            found += page.run(f"{RUN}.then({FOUND})")
            if page.run("document.documentElement.scrollWidth") > width:
                found.append("wider than the screen")
            wrong += [f"{file.name} at {width}, {scheme}: {fault}" for fault in found]
    return wrong


def press_tab(page: Page) -> Iterator[str]:
    """Yield what the Tab key misses, takes out of order, or doesn't show."""
    place = 0
    while True:
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        index, ringed, visible, count = page.run(FOCUSED)
        if index == -1 or (index == 0 and place == count):  # the browser's own controls, or around
            if place != count:
                yield f"Tab reaches {place} of {count}"
            return
        if index != place or not ringed or not visible:
            yield f"Tab {place} is at {index}, ringed {ringed}, visible {visible}"
            return
        place += 1
