"""Renamed units stay the same, and used up stays used up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.app import KINDS
from bot.cogs.captives import queries as captives
from bot.cogs.effects import queries as effects
from bot.cogs.roster import embed
from bot.core import audit
from bot.core.errors import BadInput, NeedsReason
from bot.core.schema import subject
from bot.rolls.request import PartRequest, RollRequest
from tests.cogs.campaign_rolls.test_newtype import generation
from tests.cogs.captives.cells import capture, escape, interrogation, move, release, set_effect, show, sound
from tests.cogs.house_rules.homebrew import send_and_switch_on, send_file, table
from tests.cogs.roster.saving import add, edit, remove
from tests.support.backend import GM, House, patrol, scouting
from tests.support.reading import refused, said
from tests.support.subjects import named, number_of
from tests.support.world import World, rows


async def rename(house: House, old: str, new: str) -> None:
    """Rename a unit or character."""
    await edit(house, old, name=new)


async def faultless(house: House) -> bool:
    """Whether the state is valid, also rebuilt."""
    before = await house.state()
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]
    await house.tamper(subject.delete())
    await audit.rebuild_states(house.database, KINDS)
    return await house.state() == before


async def test_a_rename_is_one_change(house: House) -> None:
    """The entry has the old name."""
    await add(house, "Fort Anvil", "base")
    await add(house, "Kai", "pc")
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    await capture(house, "Kai", "Red", "Fort Anvil")
    await rename(house, "fort anvil", "Fort Basalt")
    entry = (await house.entries())[-1]
    assert entry.content()["changes"] == [
        {"subject": "subject:1", "name": "name", "before": "Fort Anvil", "after": "Fort Basalt"}
    ]
    assert entry.names() == {1: "Fort Anvil"}
    assert await faultless(house)


@pytest.mark.slow
async def test_effects_and_rolls_go_along(house: House) -> None:
    """The same scouter needs a reason."""
    await add(house, "Fort Anvil", "base")
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    await rename(house, "fort anvil", "Fort Basalt")
    state = named(await house.state())
    assert state["fort basalt", "effect.scouted"] == {"entry": 3}
    assert state["fort basalt", "rolled.scouting.jonas"] == {"entry": 3, "update": 1}
    with pytest.raises(
        NeedsReason, match=r"Jonas has already rolled for Fort Basalt this update \(Scouting, entry #3\)"
    ):
        await house.roll(scouting("Fort Basalt", "Jonas"), 20)
    assert not [key for key, value in state.items() if "anvil" in f"{key}{value}".casefold()]
    assert await faultless(house)


@pytest.mark.slow
async def test_who_rolled_is_remembered_under_the_new_name(house: House) -> None:
    """Names can have dots."""
    await add(house, "Sgt. Jonas", "pc")
    await house.roll(scouting("Fort", "Sgt. Jonas"), 20)
    await rename(house, "Sgt. Jonas", "Lt. J.")
    with pytest.raises(NeedsReason, match=r"Lt\. J\. has already rolled for Fort this update"):
        await house.roll(scouting("Fort", "Lt. J."), 20)
    assert not [value for value in (await house.state()).values() if "Jonas" in str(value)]
    assert await faultless(house)


@pytest.mark.slow
async def test_squads_and_captives_speak_of_the_new_name(house: House) -> None:
    """Squads, bases and captors."""
    await add(house, "Team", "squad")
    await add(house, "Fort", "base")
    await add(house, "Kai", "pc", squad="team")
    await capture(house, "Kai", "Team", "Fort")
    await rename(house, "Team", "Crew")
    await rename(house, "Fort", "Fort Basalt")
    await rename(house, "Kai", "Kai Shiden")
    card = await house.database.read(embed.show_profile, house.resolver, GM, house.campaign, "Kai Shiden")
    assert card.profile.squad == "Crew"
    status = await show(house, "Kai Shiden")
    assert status.captivity is not None
    assert (status.name, status.captivity.by.name, status.captivity.at.name) == ("Kai Shiden", "Crew", "Fort Basalt")
    assert await house.database.read(captives.list_captive_names, GM, house.campaign) == ["Kai Shiden"]
    moved = await move(house, "Kai Shiden", "Luna")
    assert moved.entry.content()["from"] == "Fort Basalt"
    assert set(moved.entry.names().values()) == {"Kai Shiden", "Fort Basalt", "Luna", "Crew"}
    assert await faultless(house)


@pytest.mark.slow
async def test_a_new_spelling_is_no_new_name(house: House) -> None:
    """Only the spelling changes."""
    await add(house, "white base", "ship")
    before = await house.state()
    await rename(house, "White Base", "White  BASE")
    after = await house.state()
    assert {key for key in after if after[key] != before[key]} == {("subject:1", "name")}
    assert after["subject:1", "name"] == "White BASE"
    assert before.keys() == after.keys()
    assert await faultless(house)


@pytest.mark.slow
async def test_a_rename_with_other_fields_is_one_entry(house: House) -> None:
    """Name, kind and side change together."""
    await add(house, "Team", "squad", side="EF")
    count = len(await house.entries())
    shown = await edit(house, "Team", name="Wing", kind="fleet", side="Zeon")
    assert (shown.profile.name, shown.profile.kind, shown.profile.side) == ("Wing", "fleet", "Zeon")
    assert len(await house.entries()) == count + 1
    assert named(await house.state())["wing", "profile"] == shown.profile.value()
    assert await faultless(house)


@pytest.mark.slow
async def test_what_befell_another_of_the_new_name_stays_with_that_one(house: House) -> None:
    """Nothing is mixed."""
    await add(house, "Fort Anvil", "base")
    await set_effect(house, "Fort Basalt", "scouted")
    await rename(house, "Fort Anvil", "Fort Basalt")
    state = await house.state()
    assert ("subject:1", "effect.scouted") not in state
    assert ("subject:2", "effect.scouted") in state
    listed = await house.database.read(
        effects.list_effects, house.resolver.library, GM, house.campaign, "Fort Basalt #2"
    )
    assert [item.trait for item in listed] == ["scouted"]
    assert await faultless(house)


@pytest.mark.slow
async def test_who_is_removed_and_saved_anew_is_the_same_subject(house: House) -> None:
    """Only the name stays."""
    await add(house, "Haas", "npc")
    await capture(house, "Kai", "Haas", "Fort")
    await remove(house, "Haas")
    status = await show(house, "Kai")
    assert status.captivity is not None
    assert status.captivity.by.name == "Haas"
    await add(house, "haas", "npc")
    assert number_of(await house.state(), "Haas") == 1
    held = (await show(house, "Kai")).captivity
    assert held is not None
    assert (held.by.id, held.by.name) == (1, "haas")
    assert await faultless(house)


async def test_two_secret_units_of_one_name_are_two(house: House) -> None:
    """They differ by number."""
    await add(house, "Contact", "fleet", secret=True, side="EF")
    await add(house, "Contact", "fleet", secret=True, side="Zeon")
    with pytest.raises(BadInput, match=r"There are 2 named Contact\..*Contact #1 or Contact #2"):
        await set_effect(house, "Contact", "hidden")
    await set_effect(house, "contact #2", "hidden")
    state = await house.state()
    assert [key for key in state if key[1] == "effect.hidden"] == [("subject:2", "effect.hidden")]
    with pytest.raises(BadInput, match="Contact #1 or Contact #2"):
        await edit(house, "Contact", side="Red")
    assert (await edit(house, "Contact #1", side="Red")).profile.id == 1
    assert await faultless(house)


async def test_an_open_name_is_taken(house: House) -> None:
    """Unless both are secret."""
    await add(house, "Contact", "fleet", secret=True)
    with pytest.raises(BadInput, match="There's already a fleet called Contact"):
        await add(house, "contact", "fleet")
    await add(house, "Contact", "fleet", secret=True)
    with pytest.raises(BadInput, match="There's already a fleet called Contact"):
        await edit(house, "Contact #2", secret=False)
    await add(house, "Other", "fleet", secret=True)
    assert (await edit(house, "Other", name="Contact")).profile.id == 3
    assert await faultless(house)


async def test_an_entry_tells_names_as_they_were(house: House) -> None:
    """Numbers say who it was."""
    await add(house, "Kilo", "squad")
    old = (await house.roll(patrol("Ghost", by="Kilo"), 1)).entry
    await rename(house, "Kilo", "Lima")
    assert old.names() == {1: "Kilo", 2: "Ghost"}
    assert old.content()["parts"][0]["subjects"]["patrol"] == "Kilo"
    assert (await house.state())["subject:1", "name"] == "Lima"


O = "\N{CYRILLIC SMALL LETTER O}"  # noqa: E741 - it looks like one
SPELLINGS = ["KILO", "Kilo\u200b", f"Kil{O}", "\uff2bilo", "K\u200dil\N{GREEK SMALL LETTER OMICRON}"]


async def rename_kilo(house: House, _who: str) -> str:
    """Rename Kilo."""
    await edit(house, "Kilo", name="Lima")
    return "Lima"


async def anew(house: House, who: str) -> str:
    """Remove and save Kilo under a similar name."""
    await remove(house, "Kilo")
    await add(house, "Kilo", "pc" if who == "character" else "squad")
    return "Kilo"


async def twice(house: House, who: str) -> str:
    """Rename, remove and save Kilo again."""
    await edit(house, "Kilo", name="Lima")
    await remove(house, "Lima")
    await add(house, "Lim\N{CYRILLIC SMALL LETTER A}", "pc" if who == "character" else "squad")
    return "Lima"


async def retype_kilo(_house: House, _who: str) -> str:
    """Type Kilo with similar signs."""
    return f"Kil{O}\u200b"


Way = Callable[[House, str], Awaitable[str]]
WAYS = pytest.mark.parametrize(
    "way", [anew, *(pytest.param(way, marks=pytest.mark.slow) for way in (rename_kilo, twice, retype_kilo))]
)


@pytest.mark.slow
@WAYS
async def test_a_newtype_level_is_rolled_once(house: House, way: Way) -> None:
    """Even without the level."""
    await add(house, "Kilo", "pc")
    await house.roll(generation("Kilo"), 19)
    name = await way(house, "character")
    with pytest.raises(NeedsReason, match="already"):
        await house.roll(generation(name), 19)
    assert await sound(house)


@WAYS
async def test_a_stop_that_is_used_up_stays_so(house: House, way: Way) -> None:
    """No second stop this update."""
    await add(house, "Kilo", "squad")
    await house.patrol("Ghost", faces=(20, 20))
    assert ("subject:1", "effect.stop-used") in await house.state()
    name = await way(house, "unit")
    with pytest.raises(NeedsReason, match="already used its stop"):
        await house.roll(patrol("Dom", by=name), 1)


@WAYS
async def test_the_same_patrol_and_scouting_ask_for_a_reason(house: House, way: Way) -> None:
    """By either one of the pair."""
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
@pytest.mark.parametrize("way", [rename_kilo, anew, retype_kilo])
async def test_an_interrogation_and_an_escape_are_one_each_in_an_update(house: House, way: Way) -> None:
    """Even recaptured."""
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
    """Under any spelling."""
    part = {"detector": "Owl", "hidden": "Kilo"}
    await house.roll(RollRequest(book="campaign", family="detection", parts=(PartRequest(subjects=part),)), 10)
    again = {"detector": "\N{CYRILLIC CAPITAL LETTER O}wl", "hidden": f"Kil{O}"}
    with pytest.raises(NeedsReason, match="this update"):
        await house.roll(RollRequest(book="campaign", family="detection", parts=(PartRequest(subjects=again),)), 10)


@pytest.mark.parametrize("name", SPELLINGS, ids=ascii)
async def test_a_name_is_saved_once(house: House, name: str) -> None:
    """So is such a rename."""
    await add(house, "Kilo", "squad")
    await add(house, "Lima", "squad")
    for kind in ("squad", "pc"):
        with pytest.raises(BadInput, match=r"already a squad called Kilo|invisible"):
            await add(house, name, kind)
    with pytest.raises(BadInput, match=r"already a squad called Kilo|invisible"):
        await edit(house, "Lima", name=name)


COMMANDS = [
    ("unit", {"name": None}),
    ("patrol", {"patrol": None, "target": "Ghost", "roll": "now"}),
    ("patrol", {"patrol": "Ghost", "target": None, "roll": "now"}),
    ("scout", {"scouter": None, "base": "Fort", "roll": "now"}),
    ("scout", {"scouter": "Owl", "base": None, "roll": "now"}),
    ("detect", {"detector": None, "hidden": "Owl", "roll": "now"}),
    ("gm effect", {"who": None, "effect": "hidden"}),
    ("capture", {"captive": "Kai", "by": None, "at": "Fort"}),
    ("capture", {"captive": "Kai", "by": "Red", "at": None}),
    ("roster add", {"name": "Kai", "kind": "pc", "squad": None}),
    ("roster edit", {"name": None, "side": "EF"}),
]


@pytest.mark.parametrize("spelling", [SPELLINGS[1], pytest.param(SPELLINGS[2], marks=pytest.mark.slow)], ids=ascii)
@pytest.mark.parametrize(
    ("command", "options"), [*COMMANDS[:4], *(pytest.param(*case, marks=pytest.mark.slow) for case in COMMANDS[4:])]
)
async def test_every_option_that_takes_a_name_means_the_saved_one(
    world: World, command: str, options: dict[str, str | None], spelling: str
) -> None:
    """No second subject appears."""
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="squad")
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
    """Look-alikes are refused; a file's is the next version, by its name."""
    roles = {"game_master": world.roles["gm"], "player": world.roles["player"]}
    channels = {"results": world.results, "staff": world.staff}
    named = f"Ir{O}n Sea\u200b"
    answer = refused(await world.manager.slash(world.orders, "campaign create", name=named, **channels, **roles))
    assert "already has a campaign called Iron Sea" in answer
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    await world.gm.slash(world.orders, "gm-events battle", action="start", name="Ford", sides="Zeon, EF")
    answer = refused(
        await world.gm.slash(world.orders, "gm-events battle", action="start", name=f"F{O}rd", sides="A, B")
    )
    assert "Ford is already being fought" in answer
    await send_and_switch_on(world, table(), "Loot")
    assert "## Loot v2\n" in said(await send_file(world, table("other"), f"L{O}ot\u200b"))
