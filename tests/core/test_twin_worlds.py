"""Two campaigns that differ only in secrets give a player and a stranger the same bytes.

Every command, completion, button and select is tried in both.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
import simcord

from rules.dice import DiceTerm, Roll
from tests.cogs.campaign.grouping import make_hidden_channel, newest_entry
from tests.cogs.house_rules.homebrew import send_and_switch_on, table
from tests.cogs.ledger.test_amend import adjust, open_card
from tests.support import template
from tests.support.acting import save_group
from tests.support.reading import components, press, said, text
from tests.support.world import World, rows, running, send_raw

Json = dict[str, Any]
STEPS = [101, pytest.param(7, marks=[pytest.mark.slow, pytest.mark.no_cover])]
"""A prime fraction of all questions; all with `--all --times 7`."""
NAMES = ("Shadow", "Den", "Nightjars", "Hayato", "cellar", "Sayla", "Lalah", "Zaku", "Moles", "Loni")
"""Typed names: secret and public ones."""

SKIPPED = {"ping", "campaign create", "gm-events battle", "roster import", "gm rules"}
"""Commands with files or without secrets."""

TYPED = {
    "expression": "2d6",
    "time": "18:00",
    "day": "monday",
    "zone": "south-africa",
    "region": "Madagascar",
    "reason": "why",
}
TYPED |= {
    "battle": "Loum",
    "modifiers": "",
    "place": "Madagascar",
    "link": "",
    "books": "",
    "timezone": "UTC",
    "die": "",
    "event": "1",
    "fields": "callsign: Owl",
}
"""What is typed into options that take no name of somebody."""

BUTTONS = (
    "privacy:show",
    "card:1:-:0:0:list",
    "campaign:1:show",
    "campaign:1:groups",
    "settings:1",
    "ledger:1:csv:",
    "ledger:1:0",
    "digest:1:1:own",
    "effect:1:on:0",
    "writeups:1:all:0.0",
    "weather:1:forecast",
    "update:1:ask:1",
    "delete:1:ask",
)
"""Pages behind buttons of `/help` and `/ledger`."""

UNNAMED = dict.fromkeys(("note", "mods", "my_mods", "their_mods", "state", "faces", "to"))
"""Options without names, left out."""

WHITHER = ("Moles", "group:13", "group:99")
"""Result targets: a secret group, and an unknown one."""


@dataclass(frozen=True)
class Secrets:
    """What a player may not know."""

    captor: Json
    base: Json
    squad: str
    captive: str
    rolled: tuple[str, str]
    level: int
    table: str
    group: str
    members: tuple[str, str]
    sniper: str
    fighters: str


FIRST = Secrets(
    captor={"name": "Shadow", "kind": "ship", "side": "Zeon", "region": "Madagascar"},
    base={"name": "Den", "kind": "base", "side": "Zeon", "region": "Madagascar"},
    squad="Nightjars",
    captive="Hayato",
    rolled=("Alpha", "Zaku"),
    level=19,
    table="cellar",
    group="Moles",
    members=("Hayato", "Shadow"),
    sniper="Loni",
    fighters="Kai, Loni, Lalah",
)
SECOND = Secrets(
    captor={"name": "Wraith", "kind": "squad", "side": "EF", "region": "Zambeze Basin"},
    base={"name": "Lair", "kind": "outpost", "side": "EF"},
    squad="Owls",
    captive="Bright",
    rolled=("Bravo", "Zaku"),
    level=2,
    table="attic",
    group="Badgers",
    members=("Bright", "Lair"),
    sniper="Killian",
    fighters="Kai, Lalah, Killian",
)


class Falling:
    """Dice that repeat the same faces."""

    def __init__(self) -> None:
        self._count = 0

    def roll(self, term: DiceTerm) -> Roll:
        """Return faces in turn."""
        faces = tuple((self._count + place) % term.sides + 1 for place in range(term.count))
        self._count += 7 * term.count
        return Roll(term, faces, "scripted")

    def finish(self) -> None:
        """Require nothing."""


async def twins(tmp_path: Path, person: str, step: int) -> tuple[list[str], list[str]]:
    """Answers in both campaigns."""
    answers = []
    for place, secrets in enumerate((FIRST, SECOND)):
        folder = tmp_path / str(place)
        folder.mkdir()
        with template.migrated_url("sqlite", folder) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment] # any number of dice
                await play_game(world, secrets)
                actor = getattr(world, person)
                answers.append([alike(line) async for line in ask_all(world, actor, step)])
    return answers[0], answers[1]


@pytest.mark.parametrize("person", ["player", pytest.param("stranger", marks=pytest.mark.slow)])
@pytest.mark.parametrize("step", STEPS)
async def test_secrets_make_no_difference(tmp_path: Path, times: int, person: str, step: int) -> None:
    """All lines are equal."""
    step = max(1, step // times)
    first, second = await twins(tmp_path, person, step)
    assert [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]] == []
    assert len(first) > 500 // step


async def play_game(world: World, secrets: Secrets) -> None:
    """Play the same game with these secrets."""
    here = world.orders

    async def do(command: str, **options: Any) -> None:  # noqa: ANN401 - what commands take
        answer = said(await world.gm.slash(here, command, **options))
        assert not re.search("I cannot|Too late|not allowed|needs a reason", answer), (command, answer)

    may = "patrol, scouting, detection, interrogation, escape, newtype, complications, characters"
    await do("gm settings", players_may=may)
    await do("weather rollover")
    for name in ("Alpha", "Bravo", "Zaku", "Fort"):
        await do("roster add", name=name, kind="base" if name == "Fort" else "squad", side="EF")
    await do("roster add", **secrets.captor, secret=True)
    await do("roster add", **secrets.base, secret=True)
    await do("roster add", name=secrets.squad, kind="squad", secret=True)
    for name in ("Hayato", "Bright", "Lalah"):
        await do("roster add", kind="pc", name=name)
    for name in ("Sayla", "Kai"):
        await do("roster add", kind="pc", name=name, owner=world.player, squad=secrets.squad)
    await do("capture", captive=secrets.captive, by=secrets.captor["name"], at="Fort")
    await do("capture", captive="Sayla", by=secrets.captor["name"], at=secrets.base["name"])
    await do("interrogate", captive=secrets.captive, interrogators="Stahl", roll="now")
    patrol, target = secrets.rolled
    for to in ("staff", "me"):
        await do("patrol", patrol=patrol, target=target, to=to, roll="now", note="again")
    await do("patrol", patrol=secrets.captor["name"], target="Zaku", roll="now")
    await amend_newest(world)
    await do("gm effect", who=secrets.captor["name"], effect="Under siege")
    world.dice._script = Levels(secrets.level)  # type: ignore[assignment]
    await do("newtype", character="Lalah", to="me", roll="now")
    world.dice._script = Falling()  # type: ignore[assignment]
    await send_and_switch_on(world, table(secrets.table), "ours")
    await play_in_secret(world, secrets)
    await fight(world, secrets)


async def play_in_secret(world: World, secrets: Secrets) -> None:
    """Add a secret group, or one without secrets."""
    here, den = world.orders, make_hidden_channel(world, "den")

    async def do(command: str, **options: Any) -> None:  # noqa: ANN401 - what commands take
        answer = said(await world.gm.slash(here, command, **options))
        assert not re.search("I cannot|Too late|not allowed|needs a reason", answer), (command, answer)

    async def keep(**options: Any) -> None:  # noqa: ANN401 - what the window takes
        assert "is saved" in said(await save_group(world, **options))

    await keep(name=secrets.group, members=", ".join(secrets.members), channel=den)
    await keep(name="Open hands", members=f"Sayla, {secrets.captor['name']}", secret=False)
    await do("patrol", patrol="Alpha", target="Zaku", to=secrets.group, roll="now", note="again")
    await do("scout", scouter="Bravo", base="Fort", to=secrets.group, roll="now")
    await do("capture", captive="Kai", by=secrets.group, at="Fort")
    await do("gm effect", who=secrets.group, effect="Under siege")
    assert (f"subject:{WHITHER[1].removeprefix('group:')}",) in rows(
        world, "select subject from state where name = 'group'"
    )
    await keep(group=secrets.group, leave=secrets.members[0], role=world.roles["gm"])


async def fight(world: World, secrets: Secrets) -> None:
    """Put a secret fighter at another place."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, roe")
    await world.gm.slash(world.orders, "roster add", kind="pc", name=secrets.sniper, secret=True)
    await world.gm.slash(world.orders, "fight start", who=secrets.fighters)
    for deed in ("choose", "turn"):
        asked = world.orders.history()[-1]
        await world.gm.click(asked, custom_id=press(asked, deed))


async def amend_newest(world: World) -> None:
    """Amend the newest roll."""
    (number,) = rows(world, "select max(number) from entry")[0]
    card = await open_card(world, number)
    await adjust(world.gm, card, "1", "Rope")
    assert "Amended: entry" in said(await world.gm.click(card, custom_id=press(card, "roll")))


class Levels(Falling):
    """Dice with one face."""

    def __init__(self, face: int) -> None:
        super().__init__()
        self._face = face

    def roll(self, term: DiceTerm) -> Roll:
        """Return that face."""
        return Roll(term, (self._face,) * term.count, "scripted")


async def ask_all(world: World, actor: simcord.MemberActor, step: int) -> AsyncIterator[str]:
    """Yield every `step`-th answer, then public posts."""
    found = [(command, options) for command, options in commands(world) if command not in SKIPPED]
    completed = [(command, item["name"]) for command, options in found for item in options if item.get("autocomplete")]
    for (command, option), typed in some(step, completed, ("", "a", "sha", "hay")):
        offered = await actor.autocomplete(world.orders, command, option, typed)
        yield f"{command} {option} {typed!r}: {offered}"
    found.sort(key=rolls)  # what rolls change is seen by all, so they come last
    for ((command, filled),) in some(
        step, ((name, each) for name, options in found for each in fillings(world, options))
    ):
        result = await actor.slash(world.orders, command, **filled)
        yield f"{command} {filled}: {read_shown(result)}"
        async for line in press_all(actor, result):
            yield f"{command} {filled} > {line}"
    for (key,) in some(step, BUTTONS):
        yield f"{key}: {read_shown(await send_raw(actor, world.orders, key))}"
    for (number,) in some(step, range(1, newest_entry(world) + 2)):
        yield f"{number}: {read_shown(await actor.slash(world.orders, 'ledger', entry=number))}"
    for message in (*world.results.history(), *world.orders.history()):
        yield text(message)


def some(step: int, *choices: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield every `step`-th combination."""
    return islice(product(*choices), 0, None, step)


def rolls(command: tuple[str, list[Json]]) -> bool:
    """Whether a command rolls."""
    return "roll" in {option["name"] for option in command[1]}


def fillings(world: World, options: list[Json]) -> Iterator[Json]:
    """Yield option values: required, then each name."""
    named = [option["name"] for option in options if is_named(option)]
    for name in NAMES if named else NAMES[:1]:
        for place in {0, len(named) - 1}:
            called = {other: name if at == place else "Alpha" for at, other in enumerate(named)}
            values = {option["name"]: choose_value(world, option, called) for option in options}
            filled = {key: value for key, value in values.items() if value is not None}
            if name == NAMES[0]:
                yield {option["name"]: filled[option["name"]] for option in options if option.get("required")}
            if "to" in values and name == NAMES[0]:
                yield from ({**filled, "to": group} for group in WHITHER)
            yield from [filled, {**filled, "roll": "now"}] if rolls(("", options)) else [filled]


async def press_all(actor: simcord.MemberActor, result: simcord.InteractionResult) -> AsyncIterator[str]:
    """Yield outcomes of all buttons and selects."""
    if result.response is None:
        return
    for item in list(components(result.response)):
        key = item.get("custom_id", "")
        if item["type"] == 2 and key and not item.get("disabled"):
            yield f"{item.get('label')}: {read_shown(await actor.click(result.response, custom_id=key))}"
            break
        if item["type"] == 3:
            values = [option["value"] for option in item["options"]][:1]
            yield f"select: {read_shown(await actor.select(result.response, values, custom_id=key))}"
            break


def commands(world: World) -> Iterator[tuple[str, list[Json]]]:
    """Yield commands with options."""
    requests = [item for item in world.env.http_requests if item.method == "PUT" and item.path.endswith("/commands")]
    waiting: list[tuple[str, Any]] = [(item["name"], item) for item in requests[-1].json or []]
    while waiting:
        name, item = waiting.pop(0)
        options = item.get("options", [])
        parts = [option for option in options if option["type"] in {1, 2}]
        waiting += [(f"{name} {part['name']}", part) for part in parts]
        if not parts:
            yield name, options


def is_named(option: Json) -> bool:
    """Whether an option takes a name."""
    return option["type"] == 3 and not option.get("choices") and option["name"] not in TYPED | UNNAMED


def choose_value(world: World, option: Json, called: dict[str, str]) -> Any:  # noqa: ANN401 - a value of any kind of option
    """Return an option's value, if any."""
    kinds = {4: 1, 5: True, 6: world.player, 7: world.orders, 8: world.roles["player"], 10: 1.0}
    if option["name"] in called:
        return called[option["name"]]
    if not option.get("required"):
        return None
    if option.get("choices"):
        return option["choices"][0]["value"]
    return TYPED.get(option["name"], "why") if option["type"] == 3 else kinds[option["type"]]


def read_shown(result: simcord.InteractionResult) -> str:
    """Return all that was answered."""
    messages = [item for item in (result.response, *result.followups) if item is not None]
    return " | ".join(f"{text(item)} {list(components(item))}" for item in messages) or "nothing"


def alike(line: str) -> str:
    """Remove ids, hashes and times."""
    return re.sub(r"[0-9]{15,}|[0-9a-f]{8,}", "#", line)
