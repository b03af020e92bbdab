"""Somebody who is called otherwise is still the same one; two of one name are two."""

from __future__ import annotations

import pytest

from bot.app import KINDS
from bot.cogs.captives import queries as captives
from bot.cogs.effects import queries as effects
from bot.cogs.roster import embed
from bot.core import audit
from bot.core.schema import subject
from bot.errors import BadInput, NeedsReason
from tests.cogs.captives.cells import capture, move, set_effect, show
from tests.cogs.roster.saving import add, edit, remove
from tests.support.backend import GM, House, patrol, scouting
from tests.support.subjects import named, number_of


async def rename(house: House, who: str, old: str, new: str) -> None:
    """Give a unit or character another name."""
    await edit(house, who, old, name=new)


async def faultless(house: House) -> bool:
    """Whether the state is what the entries add up to, and stays so when it is made anew from them."""
    before = await house.state()
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]
    await house.tamper(subject.delete())
    await audit.rebuild_states(house.database, KINDS)
    return await house.state() == before


async def test_a_rename_is_one_change(house: House) -> None:
    """Whatever is kept of a unit and refers to it, its new name is one value, and the entry tells the old one."""
    await add(house, "Fort Anvil", "base")
    await add(house, "Kai", "pc")
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    await capture(house, "Kai", "Red", "Fort Anvil")
    await rename(house, "unit", "fort anvil", "Fort Basalt")
    entry = (await house.entries())[-1]
    assert entry.content()["changes"] == [
        {"subject": "subject:1", "name": "name", "before": "Fort Anvil", "after": "Fort Basalt"}
    ]
    assert entry.names() == {1: "Fort Anvil"}
    assert await faultless(house)


@pytest.mark.slow
async def test_effects_and_rolls_go_along(house: House) -> None:
    """A base scouted under its old name is scouted under the new one, and the same scouter is asked for a reason again."""
    await add(house, "Fort Anvil", "base")
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    await rename(house, "unit", "fort anvil", "Fort Basalt")
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
    """What a base remembers of its scouter follows the scouter's new name, which may hold dots."""
    await add(house, "Sgt. Jonas", "pc")
    await house.roll(scouting("Fort", "Sgt. Jonas"), 20)
    await rename(house, "character", "Sgt. Jonas", "Lt. J.")
    with pytest.raises(NeedsReason, match=r"Lt\. J\. has already rolled for Fort this update"):
        await house.roll(scouting("Fort", "Lt. J."), 20)
    assert not [value for value in (await house.state()).values() if "Jonas" in str(value)]
    assert await faultless(house)


@pytest.mark.slow
async def test_squads_and_captives_speak_of_the_new_name(house: House) -> None:
    """Members belong to the renamed squad; captives are held at the renamed base, by the renamed unit, and a move names both."""
    await add(house, "Team", "squad")
    await add(house, "Fort", "base")
    await add(house, "Kai", "pc", squad="team")
    await capture(house, "Kai", "Team", "Fort")
    await rename(house, "unit", "Team", "Crew")
    await rename(house, "unit", "Fort", "Fort Basalt")
    await rename(house, "character", "Kai", "Kai Shiden")
    card = await house.database.read(embed.show_profile, house.kernel, GM, house.campaign, "character", "Kai Shiden")
    assert card.profile.squad == "Crew"
    status = await show(house, "Kai Shiden")
    assert status.captivity is not None
    assert (status.name, status.captivity.by.name, status.captivity.at.name) == ("Kai Shiden", "Crew", "Fort Basalt")
    assert await house.database.read(captives.known_captives, GM, house.campaign) == ["Kai Shiden"]
    moved = await move(house, "Kai Shiden", "Luna")
    assert moved.entry.content()["from"] == "Fort Basalt"
    assert set(moved.entry.names().values()) == {"Kai Shiden", "Fort Basalt", "Luna", "Crew"}
    assert await faultless(house)


@pytest.mark.slow
async def test_a_new_spelling_is_no_new_name(house: House) -> None:
    """Case and white space change what is shown and nothing else."""
    await add(house, "white base", "ship")
    before = await house.state()
    await rename(house, "unit", "White Base", "White  BASE")
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
    shown = await edit(house, "unit", "Team", name="Wing", kind="fleet", side="Zeon")
    assert (shown.profile.name, shown.profile.kind, shown.profile.side) == ("Wing", "fleet", "Zeon")
    assert len(await house.entries()) == count + 1
    assert named(await house.state())["wing", "profile"] == shown.profile.value()
    assert await faultless(house)


@pytest.mark.slow
async def test_what_befell_another_of_the_new_name_stays_with_that_one(house: House) -> None:
    """Whoever was called so before without being saved is somebody else: nothing of the two is mixed."""
    await add(house, "Fort Anvil", "base")
    await set_effect(house, "Fort Basalt", "scouted")
    await rename(house, "unit", "Fort Anvil", "Fort Basalt")
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
    """Nothing is kept of the removed one but the name, to which others still refer."""
    await add(house, "Haas", "npc")
    await capture(house, "Kai", "Haas", "Fort")
    await remove(house, "character", "Haas")
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
    """Each keeps what befalls it; a name alone means neither of them, a number behind it the one that has it."""
    await add(house, "Contact", "fleet", secret=True, side="EF")
    await add(house, "Contact", "fleet", secret=True, side="Zeon")
    with pytest.raises(BadInput, match=r"There are 2 named Contact\..*Contact #1 or Contact #2"):
        await set_effect(house, "Contact", "hidden")
    await set_effect(house, "contact #2", "hidden")
    state = await house.state()
    assert [key for key in state if key[1] == "effect.hidden"] == [("subject:2", "effect.hidden")]
    with pytest.raises(BadInput, match="Contact #1 or Contact #2"):
        await edit(house, "unit", "Contact", side="Red")
    assert (await edit(house, "unit", "Contact #1", side="Red")).profile.id == 1
    assert await faultless(house)


async def test_an_open_name_is_taken(house: House) -> None:
    """Only secret ones may share a name: nobody else could tell two of them apart; neither becomes open beside the other."""
    await add(house, "Contact", "fleet", secret=True)
    with pytest.raises(BadInput, match="There's already a fleet called Contact"):
        await add(house, "contact", "fleet")
    await add(house, "Contact", "fleet", secret=True)
    with pytest.raises(BadInput, match="There's already a fleet called Contact"):
        await edit(house, "unit", "Contact #2", secret=False)
    await add(house, "Other", "fleet", secret=True)
    assert (await edit(house, "unit", "Other", name="Contact")).profile.id == 3
    assert await faultless(house)


async def test_an_entry_tells_names_as_they_were(house: House) -> None:
    """A roll under the old name stays as it was written; its numbers say who that is."""
    await add(house, "Kilo", "squad")
    old = (await house.roll(patrol("Ghost", by="Kilo"), 1)).entry
    await rename(house, "unit", "Kilo", "Lima")
    assert old.names() == {1: "Kilo", 2: "Ghost"}
    assert old.content()["parts"][0]["subjects"]["patrol"] == "Kilo"
    assert (await house.state())["subject:1", "name"] == "Lima"
