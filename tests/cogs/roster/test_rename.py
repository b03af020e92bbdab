"""A new name takes along everything that was kept under the old one, and all that speaks of it."""

from __future__ import annotations

import pytest

from bot.app import FEATURES, KINDS
from bot.cogs.roster.rename import rename_changes
from bot.core import audit, state
from bot.core.records import Change
from tests.cogs.captives.cells import capture
from tests.cogs.roster.saving import add, edit
from tests.support.backend import House, scouting


async def rename(house: House, who: str, old: str, new: str) -> None:
    """Give a unit or character another name."""
    await edit(house, who, old, name=new)


async def faultless(house: House) -> bool:
    """Whether the state is what the entries add up to."""
    return [item.faults for item in await audit.check(house.database, KINDS)] == [()]


async def test_effects_and_rolls_go_along(house: House) -> None:
    """A base scouted under its old name is scouted under the new one, and the same scouter is asked for a reason again."""
    await add(house, "Fort Anvil", "base")
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    await rename(house, "unit", "fort anvil", "Fort Basalt")
    state = await house.state()
    assert state["unit:fort basalt", "effect.scouted"] == {"entry": 3, "name": "Fort Basalt"}
    assert state["unit:fort basalt", "rolled.scouting.jonas"] == {"entry": 3, "update": 1}
    assert not [key for key in state if "anvil" in str(key)]
    assert await faultless(house)


async def test_who_rolled_is_remembered_under_the_new_name(house: House) -> None:
    """What a base remembers of its scouter follows the scouter's new name, which may hold dots."""
    await add(house, "Sgt. Jonas", "pc")
    await house.roll(scouting("Fort", "Sgt. Jonas"), 20)
    await rename(house, "character", "Sgt. Jonas", "Lt. J.")
    state = await house.state()
    assert ("unit:fort", "rolled.scouting.lt. j.") in state
    assert not [key for key in state if "jonas" in str(key)]
    assert await faultless(house)


async def test_squads_and_captives_speak_of_the_new_name(house: House) -> None:
    """Members belong to the renamed squad; captives are held at the renamed base, by the renamed unit."""
    await add(house, "Team", "squad")
    await add(house, "Fort", "base")
    await add(house, "Kai", "pc", squad="team")
    await capture(house, "Kai", "Team", "Fort")
    await rename(house, "unit", "Team", "Crew")
    await rename(house, "unit", "Fort", "Fort Basalt")
    await rename(house, "character", "Kai", "Kai Shiden")
    state = await house.state()
    assert state["unit:kai shiden", "profile"]["squad"] == "Crew"
    captivity = state["unit:kai shiden", "captive"]
    assert (captivity["name"], captivity["by"], captivity["at"]) == ("Kai Shiden", "Crew", "Fort Basalt")
    assert ("unit:kai", "captive") not in state
    assert await faultless(house)


async def test_a_new_spelling_is_no_new_name(house: House) -> None:
    """Case and white space change what is shown and nothing else."""
    await add(house, "white base", "ship")
    before = await house.state()
    await rename(house, "unit", "White Base", "White  BASE")
    after = await house.state()
    assert after["unit:white base", "profile"]["name"] == "White BASE"
    assert before.keys() == after.keys()
    assert await faultless(house)


async def test_a_rename_with_other_fields_is_one_entry(house: House) -> None:
    """Name, kind and side change together."""
    await add(house, "Team", "squad", side="EF")
    count = len(await house.entries())
    shown = await edit(house, "unit", "Team", name="Wing", kind="fleet", side="Zeon")
    assert (shown.profile.name, shown.profile.kind, shown.profile.side) == ("Wing", "fleet", "Zeon")
    assert len(await house.entries()) == count + 1
    assert (await house.state())["unit:wing", "profile"] == shown.profile.value()
    assert await faultless(house)


async def test_what_befell_the_new_name_before_it_was_saved_stays(house: House) -> None:
    """Effects on a name that nobody had saved stand beside those that move in; of two of a kind the mover's stays."""
    await add(house, "Fort Anvil", "base")
    await house.roll(scouting("Fort Basalt", "Jonas"), 20)
    await house.roll(scouting("Fort Anvil", "Kai"), 20)
    await rename(house, "unit", "Fort Anvil", "Fort Basalt")
    state = await house.state()
    assert state["unit:fort basalt", "effect.scouted"]["entry"] == 4
    assert {("unit:fort basalt", f"rolled.scouting.{name}") for name in ("jonas", "kai")} <= state.keys()
    assert await faultless(house)


@pytest.mark.parametrize("subject", ["campaign", "weather", "entry:3", "writeup:3.0"])
def test_what_is_no_unit_is_left_alone(subject: str) -> None:
    """An update or week that happens to be called like a unit keeps its name."""
    held: state.State = {(subject, "update"): {"name": "Fort"}, ("unit:fort", "profile"): {"name": "Fort"}}
    assert rename_changes(FEATURES, held, "Fort", "Keep") == [
        Change("unit:fort", "profile", {"name": "Fort"}, None),
        Change("unit:keep", "profile", None, {"name": "Keep"}),
    ]
