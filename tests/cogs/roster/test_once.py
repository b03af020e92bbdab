"""What was rolled and used up stays used up: no other spelling, no rename, and no removal gives it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.errors import BadInput, NeedsReason
from bot.rolls.request import PartRequest, RollRequest
from tests.cogs.campaign_rolls.test_newtype import generation
from tests.cogs.captives.cells import capture, escape, interrogation, release, sound
from tests.cogs.house_rules.homebrew import sent, switched_on, table
from tests.cogs.roster.saving import add, edit, remove
from tests.support.backend import House, patrol, scouting
from tests.support.reading import refused, said
from tests.support.world import World, rows

O = "\N{CYRILLIC SMALL LETTER O}"  # noqa: E741 - it looks like one
SPELLINGS = ["KILO", "Kilo\u200b", f"Kil{O}", "\uff2bilo", "K\u200dil\N{GREEK SMALL LETTER OMICRON}"]


async def renamed(house: House, who: str) -> str:
    """Somebody named Kilo is called otherwise."""
    await edit(house, who, "Kilo", name="Lima")
    return "Lima"


async def anew(house: House, who: str) -> str:
    """Somebody named Kilo is removed and saved anew, under a spelling that looks the same."""
    await remove(house, who, "Kilo")
    await add(house, "Kilo", "pc" if who == "character" else "squad")
    return "Kilo"


async def twice(house: House, who: str) -> str:
    """Somebody named Kilo is renamed, removed, and saved anew under the other name."""
    await edit(house, who, "Kilo", name="Lima")
    await remove(house, who, "Lima")
    await add(house, "Lim\N{CYRILLIC SMALL LETTER A}", "pc" if who == "character" else "squad")
    return "Lima"


async def retyped(_house: House, _who: str) -> str:
    """Somebody named Kilo is typed with a Cyrillic letter and a sign that nobody sees."""
    return f"Kil{O}\u200b"


Way = Callable[[House, str], Awaitable[str]]
WAYS = pytest.mark.parametrize(
    "way", [anew, *(pytest.param(way, marks=pytest.mark.slow) for way in (renamed, twice, retyped))]
)


@pytest.mark.slow
@WAYS
async def test_a_newtype_level_is_rolled_once(house: House, way: Way) -> None:
    """Whoever had a roll for the newtype level has had it, also without the level."""
    await add(house, "Kilo", "pc")
    await house.roll(generation("Kilo"), 19)
    name = await way(house, "character")
    with pytest.raises(NeedsReason, match="already"):
        await house.roll(generation(name), 19)
    assert await sound(house)


@WAYS
async def test_a_stop_that_is_used_up_stays_so(house: House, way: Way) -> None:
    """A patrol that has caught somebody has no second stop in the update."""
    await add(house, "Kilo", "squad")
    await house.patrol("Ghost", faces=(20, 20))
    assert ("subject:1", "effect.stop-used") in await house.state()
    name = await way(house, "unit")
    with pytest.raises(NeedsReason, match="already used its stop"):
        await house.roll(patrol("Dom", by=name), 1)


@WAYS
async def test_the_same_patrol_and_scouting_ask_for_a_reason(house: House, way: Way) -> None:
    """Rolled as the one who rolls or as the one whom it is about: the second roll of a pair asks in either case."""
    await add(house, "Kilo", "squad")
    await house.patrol("Ghost", faces=(1,))
    await house.patrol("Kilo", faces=(1,), by="Ghost")
    await house.roll(scouting("Kilo", "Owl"), 1)
    name = await way(house, "unit")
    for again in (
        patrol(f"Gh{O}st", by=name),
        patrol(name, by="Ghost"),
        scouting(name, "\N{CYRILLIC CAPITAL LETTER O}wl"),
    ):
        with pytest.raises(NeedsReason, match="this update"):
            await house.roll(again, 1)


@pytest.mark.slow
@pytest.mark.parametrize("way", [renamed, anew, retyped])
async def test_an_interrogation_and_an_escape_are_one_each_in_an_update(house: House, way: Way) -> None:
    """A captive who was interrogated and has tried to escape has, taken anew and whatever the name."""
    await add(house, "Kilo", "pc")
    await capture(house, "Kilo", "Red", "Fort Anvil")
    await house.roll(interrogation("Kilo"), 1)
    await house.roll(escape("Kilo"), 10)
    name = "Kilo"
    if way is anew:
        await release(house, "Kilo")
    name = await way(house, "character")
    if way is anew:
        await capture(house, name, "Red", "Fort Anvil")
    for again in (interrogation(name, "Stahl\u200b"), escape(name)):
        with pytest.raises(NeedsReason, match="this update"):
            await house.roll(again, 1)


async def test_detection_of_the_same_pair_asks_for_a_reason(house: House) -> None:
    """Who detects and who hides are the same under any spelling."""
    part = {"detector": "Owl", "hidden": "Kilo"}
    await house.roll(RollRequest(book="campaign", family="detection", parts=(PartRequest(subjects=part),)), 10)
    again = {"detector": "\N{CYRILLIC CAPITAL LETTER O}wl", "hidden": f"Kil{O}"}
    with pytest.raises(NeedsReason, match="this update"):
        await house.roll(RollRequest(book="campaign", family="detection", parts=(PartRequest(subjects=again),)), 10)


@pytest.mark.parametrize("name", SPELLINGS, ids=ascii)
async def test_a_name_is_saved_once(house: House, name: str) -> None:
    """A second unit or character of what looks like the same name is refused, and so is a rename to it."""
    await add(house, "Kilo", "squad")
    await add(house, "Lima", "squad")
    for kind in ("squad", "pc"):
        with pytest.raises(BadInput, match=r"already a squad called Kilo|invisible"):
            await add(house, name, kind)
    with pytest.raises(BadInput, match=r"already a squad called Kilo|invisible"):
        await edit(house, "unit", "Lima", name=name)


COMMANDS = [
    ("unit show", {"name": None}),
    ("patrol", {"patrol": None, "target": "Ghost", "roll": "now"}),
    ("patrol", {"patrol": "Ghost", "target": None, "roll": "now"}),
    ("scout", {"scouter": None, "base": "Fort", "roll": "now"}),
    ("scout", {"scouter": "Owl", "base": None, "roll": "now"}),
    ("detect", {"detector": None, "hidden": "Owl", "roll": "now"}),
    ("effect set", {"who": None, "effect": "hidden"}),
    ("captive take", {"captive": "Kai", "by": None, "at": "Fort"}),
    ("captive take", {"captive": "Kai", "by": "Red", "at": None}),
    ("character add", {"name": "Kai", "squad": None}),
    ("unit remove", {"name": None}),
]


@pytest.mark.parametrize("spelling", [SPELLINGS[1], pytest.param(SPELLINGS[2], marks=pytest.mark.slow)], ids=ascii)
@pytest.mark.parametrize(
    ("command", "options"), [*COMMANDS[:4], *(pytest.param(*case, marks=pytest.mark.slow) for case in COMMANDS[4:])]
)
async def test_every_option_that_takes_a_name_means_the_saved_one(
    world: World, command: str, options: dict[str, str | None], spelling: str
) -> None:
    """However it is spelled, no second subject of the name comes into being, and nothing unseen is said."""
    await world.gm.slash(world.orders, "unit add", name="Kilo", kind="squad")
    if "roll" in options:
        world.dice.script(1)
    answer = await world.gm.slash(
        world.orders, command, **{name: spelling if value is None else value for name, value in options.items()}
    )
    assert "\u200b" not in said(answer)
    assert "Kil" in said(answer)
    assert rows(world, "select name from subject where name_key = 'kilo'") == [("Kilo",)]


@pytest.mark.slow
async def test_campaigns_battles_and_files_have_one_name_each(world: World) -> None:
    """A second one whose name looks the same is refused."""
    roles = {"game_master": world.roles["gm"], "player": world.roles["player"]}
    channels = {"results": world.results, "staff": world.staff}
    named = f"Ir{O}n Sea\u200b"
    told = refused(await world.manager.slash(world.orders, "campaign create", name=named, **channels, **roles))
    assert "already has a campaign called Iron Sea" in told
    await world.gm.slash(world.orders, "campaign edit", books="campaign, battlesystem")
    await world.gm.slash(world.orders, "events battle", action="start", name="Ford", sides="Zeon, EF")
    told = refused(await world.gm.slash(world.orders, "events battle", action="start", name=f"F{O}rd", sides="A, B"))
    assert "Ford is already being fought" in told
    await switched_on(world, table(), "Loot")
    assert "Loot v1 is already on" in refused(await sent(world, table("other"), f"L{O}ot\u200b"))
