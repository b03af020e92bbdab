from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bot.rolls.fairness.checks import check, read_anchors, read_document
from tests.architecture.source import ROOT
from tests.rolls.fairness.forging import forgeries
from tests.rolls.fairness.making import File, Made, chain_again, change_part, forge_file
from tests.rolls.fairness.outside_forging import outside_forgeries
from tests.support.chromium import CHROMIUM, Page, browser

PAGE = ROOT / "docs" / "verify.html"
NESTED: Any = json.loads("[" * 900 + "]" * 900)

CHECK = """(async (text, pasted) => {
  const input = document.getElementById("file"), verdict = document.getElementById("verdict"), held = new DataTransfer();
  document.getElementById("anchors").value = pasted;
  held.items.add(new File([text], "roll.json"));
  input.files = held.files;
  input.dispatchEvent(new Event("change"));
  while (verdict.getAttribute("aria-busy") === "true") await new Promise(done => setTimeout(done, 2));
  return READ;
})"""
READ = """({
  words: document.getElementById("words").textContent,
  faults: Array.from(document.querySelectorAll("#faults li"), item => item.textContent),
  checked: Array.from(document.querySelectorAll("#checked li"), item => item.textContent),
  state: document.getElementById("verdict").dataset.state,
})"""
CHECK = CHECK.replace("READ", READ)
SETTLED = """(async () => {
  while (!WANTED.test(document.getElementById("words").textContent)) await new Promise(done => setTimeout(done, 10));
  return READ;
})()""".replace("READ", READ)

EVERY = [15, pytest.param(1, marks=pytest.mark.slow)]
"""Of which forgeries both are asked; the command alone is asked of all elsewhere."""

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open a browser for all tests."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(tab: Page) -> Page:
    """Open the page from disk."""
    tab.open(PAGE)
    return tab


def read_page(page: Page, file: str, pasted: str) -> dict[str, Any]:
    """Return what the page says."""
    told: dict[str, Any] = page.run(f"{CHECK}({json.dumps(file)}, {json.dumps(pasted)})")
    return told


def run_command(file: str, pasted: str) -> tuple[str, list[str], list[str]]:
    """Return what the command says."""
    try:
        verdict = check(
            read_document(file.encode()), read_anchors(pasted, json.loads(file)["campaign"]) if pasted else None
        )
    except ValueError:
        return "This can't be checked.", [], []
    return verdict.words, list(verdict.faults), list(verdict.checked)


def find_shared(page: Page, file: str, pasted: str) -> tuple[str, list[str], list[str]]:
    """Return the page's shared sentences."""
    told = read_page(page, file, pasted)
    faults = [] if told["words"] == "This can't be checked." else told["faults"]
    return told["words"], faults, told["checked"]


@pytest.mark.parametrize(
    "whose", ["player", *(pytest.param(whose, marks=pytest.mark.slow) for whose in ("leader", "early"))]
)
@pytest.mark.parametrize(
    "pasted",
    [
        "",
        "thread",
        *(
            pytest.param(pasted, marks=pytest.mark.slow)
            for pasted in ("opening", "closing", "among_others", "in_other_digits")
        ),
    ],
)
def test_the_page_says_of_good_files_what_the_command_says(
    page: Page, campaign_made: Made, whose: str, pasted: str
) -> None:
    """With and without the thread."""
    file, text = json.dumps(getattr(campaign_made, whose)), getattr(campaign_made, pasted) if pasted else ""
    assert find_shared(page, file, text) == run_command(file, text)


@pytest.mark.slow
def test_page_and_command_agree_on_typed_and_kept_faces(page: Page, by_hand: list[File]) -> None:
    """Faces without a seed are checked alike."""
    for file in map(json.dumps, by_hand):
        assert find_shared(page, file, "") == run_command(file, "")


def _forge_pools(file: File) -> Iterator[tuple[str, File]]:
    for number in (item["number"] for item in file["entries"] if "draw" in item):
        for name, change in (
            ("the total is", {"total": 9}),
            ("the book has", {"sum": 3}),
            ("gives", {"outcome": "nothing-but-cold"}),
        ):

            def forge(copied: File, number: int = number, change: File = change) -> None:
                change_part(copied, number, lambda part: part["steps"][0].update(change))

            yield name, forge_file(file, forge)


def test_page_and_command_agree_on_pools(page: Page, pools: File) -> None:
    """What was thrown, thrown again and read follows from the book's pool; a forged total doesn't."""
    words, faults, checked = run_command(json.dumps(pools), "")
    assert faults == [], faults
    assert (words, faults, checked) == find_shared(page, json.dumps(pools), "")
    told = set()
    for named, forged in _forge_pools(pools):
        said = run_command(json.dumps(forged), "")
        told |= {named for fault in said[1] if named in fault}
        assert said == find_shared(page, json.dumps(forged), "")
    assert told == {"the total is", "the book has", "gives"}


def test_a_file_may_be_dropped_on_the_page(page: Page, campaign_made: Made) -> None:
    """Anywhere on it."""
    page.run(f"""(text => {{
      const held = new DataTransfer();
      held.items.add(new File([text], "roll.json"));
      document.body.dispatchEvent(new DragEvent("drop", {{dataTransfer: held, bubbles: true, cancelable: true}}));
    }})({json.dumps(json.dumps(campaign_made.player))})""")
    assert page.run(SETTLED.replace("WANTED", "/not proven/"))["faults"] == []


def test_a_browser_that_cannot_compute_hashes_says_so(tab: Page) -> None:
    """It says what to do and gives no verdict."""
    hidden = "Object.defineProperty(window, 'isSecureContext', {value: false})"
    script = tab.call("Page.addScriptToEvaluateOnNewDocument", source=hidden)["identifier"]
    try:
        tab.open(PAGE)
        assert tab.run("document.getElementById('words').textContent").startswith("This browser doesn't let this page")
        assert tab.run("document.getElementById('file').disabled") is True
    finally:
        tab.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def test_a_person_picks_a_file_and_pastes_the_thread(page: Page, campaign_made: Made, tmp_path: Path) -> None:
    """The pasted thread confirms it."""
    path = tmp_path / "entry-6.json"
    path.write_text(json.dumps(campaign_made.player))
    page.choose("#file", path)
    alone = page.run(SETTLED.replace("WANTED", "/not proven/"))
    page.run("document.getElementById('anchors').focus()")
    page.call("Input.insertText", text=campaign_made.thread)
    held = page.run(SETTLED.replace("WANTED", "/confirms it/"))
    assert (alone["state"], held["state"], held["faults"]) == ("alone", "good", [])


@pytest.mark.parametrize("every", EVERY)
def test_page_and_command_name_the_same_in_what_was_forged(page: Page, campaign_made: Made, every: int) -> None:
    """Both say the same sentences."""
    for name, made in [*forgeries(campaign_made).items()][::every]:
        file = json.dumps(made.file)
        told = find_shared(page, file, made.pasted)
        assert (name, told) == (name, run_command(file, made.pasted))
        assert any(item.startswith(made.named) for item in told[1]), (name, told)


@pytest.mark.parametrize(
    "whose", ["player", pytest.param("leader", marks=pytest.mark.slow), pytest.param("early", marks=pytest.mark.slow)]
)
def test_page_and_command_agree_on_random_org(page: Page, made_with_random_org: Made, whose: str) -> None:
    """With and without its answer."""
    file = json.dumps(getattr(made_with_random_org, whose))
    for text in ("", made_with_random_org.thread if whose != "early" else ""):
        assert find_shared(page, file, text) == run_command(file, text)
    assert not run_command(file, "")[1]


@pytest.mark.parametrize("every", EVERY)
def test_page_and_command_name_the_same_in_what_was_forged_of_random_org(
    page: Page, made_with_random_org: Made, every: int
) -> None:
    """Both say the same sentences."""
    for name, made in [*outside_forgeries(made_with_random_org).items()][::every]:
        file = json.dumps(made.file)
        told = find_shared(page, file, made.pasted)
        assert (name, told) == (name, run_command(file, made.pasted))
        assert any(item.startswith(made.named) for item in told[1]), (name, told)


@pytest.mark.parametrize("changes", [5, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("campaign", ["campaign_made", "made_with_random_org"])
def test_page_and_command_agree_wherever_a_file_is_changed(
    page: Page, campaign: str, request: pytest.FixtureRequest, changes: int, times: int
) -> None:
    """One value anywhere, even inside texts."""
    made: Made = request.getfixturevalue(campaign)
    chance = random.Random(1)  # noqa: S311 - the same in each run
    for _ in range(changes * times):
        file = json.dumps(_change(made.leader, chance), ensure_ascii=False)
        pasted = chance.choice(["", made.thread])
        assert find_shared(page, file, pasted) == run_command(file, pasted)


@pytest.mark.parametrize("text", ["", "{}", "[]", "nothing", '{"format": "adjutant verification 2"}'])
def test_what_is_no_verification_file_is_refused(page: Page, text: str) -> None:
    """The page says why."""
    told = read_page(page, text, "")
    assert told["words"] == "This can't be checked."
    assert told["faults"][0].startswith("this isn't a verification file")


@pytest.mark.parametrize(
    ("place", "changed"),
    [
        (("entries", 2, "draw", "salt"), "00" * 17),
        (("entries", 2, "draw", "parts", 0, "salt"), ""),
        (("epoch", "number"), -1),
        (("epoch", "number"), 10**9),
        (("entries", 2, "number"), 2**53),
        (("about",), 3.0),
        (("more",), 1),
    ],
)
def test_page_and_command_refuse_salts_and_epochs_of_another_size(
    page: Page, campaign_made: Made, place: tuple[str | int, ...], changed: object
) -> None:
    """Both refuse other salts and epoch numbers."""
    file = json.loads(json.dumps(campaign_made.player))
    holder = file
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = changed
    text = json.dumps(file)
    with pytest.raises(ValueError, match="this isn't a verification file"):
        read_document(text.encode())
    assert read_page(page, text, "")["faults"][0].startswith("this isn't a verification file")


def test_what_is_no_audit_thread_is_refused(page: Page, campaign_made: Made) -> None:
    """Other text isn't accepted silently."""
    told = read_page(page, json.dumps(campaign_made.player), "Looks fine to me")
    assert (told["words"], told["state"]) == ("This can't be checked.", "bad")
    assert told["faults"] == ["this isn't from a dice proof thread: paste its messages whole"]


def test_what_a_file_says_is_never_markup(page: Page, campaign_made: Made) -> None:
    """Its words appear as text."""
    bait = "<img src=x onerror=alert(1)>"
    file = campaign_made.player | {"campaign": bait}
    told = read_page(page, json.dumps(file), "")
    assert any(bait in item for item in told["faults"])
    assert page.run("document.querySelectorAll('#verdict img').length") == 0


def test_the_page_can_connect_to_nothing(page: Page) -> None:
    """The browser refuses connections and foreign scripts."""
    blocked = """new Promise(done => {
      document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
      TRY;
    })"""
    fetching = "fetch('http://127.0.0.1:9/').catch(() => null)"
    script = "document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}))"
    assert page.run(blocked.replace("TRY", fetching)) == "connect-src"
    assert page.run(blocked.replace("TRY", script)) == "script-src-elem"


def test_the_page_is_readable_on_a_telephone(page: Page, campaign_made: Made) -> None:
    """Long hashes stay within 400 pixels."""
    page.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=True)
    try:
        read_page(
            page, json.dumps(campaign_made.player | {"after": "1" * 64, "campaign": "f" * 200}), campaign_made.thread
        )
        assert page.run("document.documentElement.scrollWidth") <= 400
    finally:
        page.call("Emulation.clearDeviceMetricsOverride")


def test_the_policy_lets_exactly_this_script_and_style_run() -> None:
    """The policy allows nothing else."""
    text = PAGE.read_text()
    script, style = (_digest(text, tag) for tag in ("script", "style"))
    policy = f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; connect-src 'self'; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"' in text
    assert "http://" not in text
    assert "https://" not in text


def test_the_page_names_modules_that_exist() -> None:
    """Each part says whose rules it repeats."""
    named = re.findall(r"\b(?:bot|rules)/[\w/]+\.py", PAGE.read_text())
    assert len(named) > 5
    assert [path for path in named if not (ROOT / path).exists()] == []


def _digest(text: str, tag: str) -> str:
    inner = text.partition(f"<{tag}")[2].partition(">")[2].partition(f"</{tag}>")[0]
    return base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()


def _change(file: File, chance: random.Random) -> File:
    copied: File = json.loads(json.dumps(file))
    holder, key = chance.choice([*_places(copied)])
    value = holder[key]
    if isinstance(value, str) and value.startswith("{"):
        inner = json.loads(value)
        place, name = chance.choice([*_places(inner)])
        place[name] = _another(place[name], chance)
        holder[key] = json.dumps(inner, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if chance.random() < 0.5:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                chain_again(copied)
    else:
        holder[key] = _another(value, chance)
    return copied


def _places(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - JSON
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from _places(item)


def _another(value: Any, chance: random.Random) -> Any:  # noqa: ANN401 - JSON
    if chance.random() < 0.3:
        return chance.choice(
            [True, 0, 1.0, 0.5, -1, 2**53, 10**25, 1e300, "", "\0", "1d20", "constructor", [], {"__proto__": 1}, NESTED]
        )
    if isinstance(value, bool) or value is None:
        return chance.choice([None, True, False, 1, "x"])
    if isinstance(value, int):
        return chance.choice([value + 1, value - 1, -value, None, "1"])
    if isinstance(value, str):
        return chance.choice([value[:-1], value + "é", value.swapcase(), value[::-1], None])
    return chance.choice([[], {}, None])
