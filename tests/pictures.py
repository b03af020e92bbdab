"""Take the pictures of the main screens in `docs/screens`: on a desk, and on a telephone.

    uv run --with playwright python -m tests.pictures

Names of screens behind that take these alone.
The demo runs in a process and a folder of its own; Chromium is the one that is installed, or playwright's.
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from bot.demo.world import GAME_MASTER, PLAYER, SUGGESTIONS, Command
from tests.architecture.source import ROOT

FOLDER = ROOT / "docs" / "screens"
WIDTHS = {"desk": 1000, "telephone": 400}
HEIGHT, COLOURS, REFRESHES, PATIENCE = 2600, 256, 15, 120_000
MESSAGES = "#channel-message-list [data-message-id]"
SEEN = "item => [...item.querySelectorAll('img')].every(image => image.naturalWidth > 0)"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

_WOUNDED = (
    Command("roster edit", {"name": "Kai Brandt", "fields": "hp: 40"}),
    Command("gm effect", {"who": "Kai Brandt", "effect": "Wounded"}),
)
_ORDER = Command("order give", {"kind": "Scout a base", "who": "Rook", "to": "Fort Teak"})
_ATTACK = Command("roe attack", {"target": "Vesna", "fire": "auto"})
_MOVE = Command("order give", {"kind": "Move a force", "who": "1st Fleet", "to": "1,-1"})
_SHOT = Command("battle act", {"unit": "u12", "attack": "Shoot", "target": "u22"})
_PLACED = (
    Command("gm-war place", {"unit": "u12", "tile": "E6"}),
    Command("gm-war place", {"unit": "u22", "tile": "E8"}),
)
_WON = (
    Command("gm-war condition", {"side": "Earth Federation"}),
    Command("battle retreat", {"to": "0,0"}),
    Command("gm resolve"),
)
Page = Any
"""A page of playwright's, which is no dependency."""


@dataclass(frozen=True)
class Screen:
    """One picture: the channel and who looks at it, the command that is used there, if any, behind those `before` it.

    The buttons are pressed under its answer; what is taken is the last message, of those that have the words `shown`.
    """

    channel: str = "orders"
    command: Command | None = None
    buttons: Sequence[str] = field(default_factory=tuple)
    shown: str = ""
    viewer: str = GAME_MASTER
    before: Sequence[Command] = field(default_factory=tuple)


SCREENS: Mapping[str, Screen] = {
    "welcome": Screen(shown="Welcome to"),
    "next-steps": Screen(command=Command("gm settings"), buttons=("Next steps",)),
    "help": Screen(command=Command("help")),
    "card": Screen(command=SUGGESTIONS[0].commands[0]),
    "forecast": Screen(command=Command("forecast", {"view": "odds"})),
    "rollover": Screen(command=Command("weather rollover")),
    "update": Screen(command=Command("update show")),
    "digest": Screen("results", shown="Weather of week"),
    "order": Screen(command=_ORDER, viewer=PLAYER),
    "board": Screen("staff", shown="Orders: Update"),
    "plan": Screen(command=Command("gm resolve")),
    "resolved": Screen(command=Command("gm resolve"), buttons=("Resolve all",)),
    "orders-digest": Screen("results", shown="Results: Update"),
    "ledger": Screen(command=Command("ledger")),
    "result": Screen("staff", shown="inside information"),
    "turn": Screen("arena", Command("fight turn"), viewer=PLAYER),
    "attack": Screen("arena", _ATTACK, viewer=PLAYER),
    "attack-result": Screen("arena", shown="Vesna attacks Rook", viewer=PLAYER),
    "war-preview": Screen("front", Command("gm-war new")),
    "war-map": Screen("front", Command("war map", {"force": "1st Fleet"}), viewer=PLAYER),
    "war-order": Screen("front", _MOVE, viewer=PLAYER),
    "war-plan": Screen("front", Command("gm resolve")),
    "war-resolved": Screen("front", Command("gm resolve"), buttons=("Resolve all",)),
    "battle-board": Screen("front", Command("battle show", {"unit": "u12"}), before=_PLACED),
    "battle-act": Screen("front", _SHOT, viewer=PLAYER),
    "war-digest": Screen("front", buttons=("Resolve all",), shown="Results: Update", before=_WON),
    "wounds": Screen("arena", Command("roe wounds", {"character": "Kai Brandt"}), before=_WOUNDED),
}


def main() -> None:
    """Take all pictures, each size in a demo of its own: what was resolved cannot be resolved again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    playwright = importlib.import_module("playwright.sync_api")  # brought along for this command alone
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for size, width in WIDTHS.items():
            with tempfile.TemporaryDirectory() as data:
                _take_all(browser, size, width, data, sys.argv[1:] or SCREENS)


def _take_all(browser: Any, size: str, width: int, data: str, names: Iterable[str]) -> None:  # noqa: ANN401 - playwright's
    command = [sys.executable, "-m", "bot", "demo", "--data", data]
    demo = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own words
    try:
        addresses, view = _addresses(demo), {"width": width, "height": HEIGHT}
        screens = {name: SCREENS[name] for name in names}
        places = {(item.channel, item.viewer) for item in screens.values()}
        pages = {place: _page(browser, view, addresses[place[0]], place[1]) for place in places}
        for name, screen in screens.items():
            _take(pages[screen.channel, screen.viewer], screen, FOLDER / f"{name}-{size}.png")
    finally:
        demo.terminate()
        demo.wait()


def _addresses(demo: subprocess.Popen[str]) -> dict[str, str]:
    """The demo's pages by their channels, once it has printed them."""
    found: dict[str, str] = {}
    for line in demo.stdout or ():
        if match := re.search(r"#(\w+) +(http\S+)", line):
            found[match[1]] = match[2]
        if "Ctrl-C" in line:  # the last line of the greeting
            break
    return found


def _page(browser: Any, view: Mapping[str, int], address: str, viewer: str) -> Page:  # noqa: ANN401 - playwright's
    """A channel as somebody sees it."""
    page = browser.new_page(viewport=view)
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_selector(MESSAGES)
    picker = page.locator("#viewer-picker")
    if picker.locator("option:checked").inner_text().strip() != viewer:
        picker.select_option(label=viewer)
        page.wait_for_timeout(1500)
    return page


def _take(page: Page, screen: Screen, file: Path) -> None:
    page.wait_for_selector(MESSAGES)
    for command in (*screen.before, screen.command):
        if command is not None:
            _use(page, command)
    for label in screen.buttons:
        _wait_for_more(page, page.locator(MESSAGES).last.get_by_role("button", name=label).click)
    found = page.locator(MESSAGES)
    if screen.shown:
        found = found.filter(has_text=screen.shown)
    if screen.command is None:
        _refresh(page, found)
    box = _resting(page, found.last)
    width = min(box["width"], page.viewport_size["width"] - box["x"])  # a wide map would reach beyond the page
    page.screenshot(path=str(file), clip=box | {"width": width})
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(COLOURS).save(file, optimize=True)


def _resting(page: Page, message: Any) -> dict[str, float]:  # noqa: ANN401 - playwright's
    """Where a message stands once its pictures are there and nothing moves any more."""
    box: dict[str, float] = {}
    for _ in range(REFRESHES):
        page.wait_for_timeout(1500)  # pictures within a message are loaded after it
        message.scroll_into_view_if_needed()
        before, box = box, message.bounding_box()
        if box == before and message.evaluate(SEEN):
            break
    return box


def _refresh(page: Page, found: Any) -> None:  # noqa: ANN401 - playwright's
    """Bring up what was posted from another channel, until it is there with its pictures."""
    for _ in range(REFRESHES):
        page.locator("#refresh").click()
        page.wait_for_timeout(2000)
        if found.count() and found.last.evaluate(SEEN):
            return


def _use(page: Page, command: Command) -> None:
    """Type a command as people do, option by option, and send it."""
    box = page.locator("#channel-composer-input")
    if not box.is_visible():  # what was refused stays to be typed otherwise
        page.locator('[aria-label="Exit command mode"]').click()
    box.click()
    box.fill(f"/{command.name}")
    page.locator(".command-entry").filter(has_text=re.compile(rf"^\s*/?{command.name}")).first.click()
    for name, value in command.options.items():
        pill = page.locator(f'.command-pill[data-option="{name}"] .command-option-input')
        if not pill.count():  # one that need not be typed is picked first
            page.wait_for_timeout(500)
            page.locator(".command-ghost").click()
            page.locator(f'.command-suggestion[data-value="{name}"]').dispatch_event("click", timeout=90_000)
        pill.click()
        pill.fill(value)
        page.keyboard.press("Escape")
    page.wait_for_timeout(500)
    _wait_for_more(page, page.locator("#send-message").click)


def _wait_for_more(page: Page, act: Callable[[], object]) -> None:
    """Do something, and wait until another message is there."""
    before = page.locator(MESSAGES).count()
    act()
    page.locator(MESSAGES).nth(before).wait_for()


if __name__ == "__main__":
    main()
