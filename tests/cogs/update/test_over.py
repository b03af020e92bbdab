"""Who rolled for whom leaves the state with the update."""

from __future__ import annotations

import pytest

from bot.core.errors import NeedsReason, NotOpen
from bot.core.state import State
from bot.rolls import amend
from bot.rolls.consequences import MAX_FORGOTTEN
from bot.rolls.void import VoidOrder
from tests.cogs.campaign_rolls.test_newtype import generation
from tests.cogs.captives import cells
from tests.cogs.roster.saving import add
from tests.support.backend import GM, House, patrol
from tests.support.subjects import named


async def marks(house: House) -> State:
    """Return the entries by who rolled for whom."""
    kept = named(await house.state())
    return {key: value["entry"] for key, value in kept.items() if key[1].startswith("rolled.")}


async def test_who_rolled_leaves_the_state_with_the_update(house: House) -> None:
    """Then the same patrol needs no reason."""
    await house.patrol("Zaku", faces=(2,))
    await house.patrol("Dom", faces=(2,))
    assert await marks(house) == {("zaku", "rolled.patrol.kilo"): 2, ("dom", "rolled.patrol.kilo"): 3}
    await house.close_update()
    assert await marks(house) == {}
    assert await cells.sound(house)
    await house.patrol("Zaku", faces=(2,))
    assert await marks(house) == {("zaku", "rolled.patrol.kilo"): 5}


async def test_a_roll_that_is_made_once_is_remembered(house: House) -> None:
    """A newtype level, in any later update."""
    await add(house, "Lalah", "pc")
    await house.roll(generation("Lalah"), 3)
    await house.close_update()
    await house.close_update()
    assert await marks(house) == {("lalah", "rolled.newtype.lalah"): 3}


@pytest.mark.parametrize("face", [2, 18])
async def test_the_same_roll_of_a_later_update_has_nothing_to_do_with_it(house: House, face: int) -> None:
    """Undoing last week's patrol leaves this week's."""
    await house.patrol("Zaku", faces=(face,))
    await house.close_update()
    await house.patrol("Zaku", faces=(face,))
    await house.close_update()
    await house.patrol("Zaku", faces=(face,))
    stands = {key: value for key, value in (await house.state()).items() if key[1].startswith(("rolled.", "effect."))}
    assert {value["entry"] for value in stands.values()} == {6}
    assert (await house.amend(2)).entry.content()["overtaken"] == []
    for number in (4, 7):
        taken = await house.take_back(number)
        assert [entry.number for entry, _ in taken.pairs] == [number]
        after = await house.state()
        assert after["campaign", "update"]["number"] == 3, "its update stays closed"
        assert {key: after[key] for key in stands} == stands
        assert await cells.sound(house)
    await house.take_back(6)
    with pytest.raises(NotOpen, match="already undone"):
        await house.take_back(4)


async def test_a_roll_of_a_later_update_is_not_told_as_a_change(house: House) -> None:
    """Amending last week's doesn't mention it."""
    await house.patrol("Zaku", faces=(2,))
    await house.close_update()
    await house.patrol("Dom", faces=(2,))
    amended = await house.amend(
        2, lambda request, _preview, _seen: request.with_part(0, patrol("Dom", by="Kilo").parts[0])
    )
    assert amended.entry.content()["overtaken"] == []
    assert await marks(house) == {("dom", "rolled.patrol.kilo"): 4}
    assert await cells.sound(house)


async def test_an_update_that_goes_on_knows_again_who_rolled_in_it(house: House) -> None:
    """Once its closing is undone."""
    await house.patrol("Zaku", faces=(2,))
    await house.patrol("Dom", faces=(2,))
    await house.close_update()
    await house.take_back(3)
    await house.take_back(4)
    assert await marks(house) == {("zaku", "rolled.patrol.kilo"): 2}
    with pytest.raises(NeedsReason, match="entry #2"):
        await house.patrol("Zaku", faces=(2,))
    await house.roll(patrol("Dom", by="Kilo"), 2)
    closing = (await house.close_update()).entry
    await house.patrol("Zaku", faces=(2,))
    await house.take_back(closing)
    assert (await marks(house))["zaku", "rolled.patrol.kilo"] == closing + 1
    assert await cells.sound(house)


async def test_a_roll_of_a_closed_update_is_amended_as_it_was(house: House) -> None:
    """Its mark goes with the next closing."""
    await house.patrol("Zaku", faces=(2,))
    again = patrol("Zaku", by="Kilo", reason="A second pass")
    await house.roll(again, 2)
    await house.close_update()
    view = await house.database.write(amend.open_again, house.resolver, GM, house.campaign.id, VoidOrder(3, "A slip"))
    assert "entry #2" in str(view.preview.asks_reason)
    await house.amend(3)
    assert await marks(house) == {("zaku", "rolled.patrol.kilo"): 5}
    assert await cells.sound(house)
    await house.close_update()
    assert await marks(house) == {}
    assert await cells.sound(house)


async def test_what_older_versions_kept_leaves_little_by_little(house: House) -> None:
    """Each closing clears as much as one entry takes."""
    many = {("Zaku", f"rolled.patrol.{number}"): {"entry": 1, "update": 1} for number in range(1, MAX_FORGOTTEN + 3)}
    await cells.put(house.database, many)
    await house.close_update()
    assert len(await marks(house)) == 2
    await house.close_update()
    assert await marks(house) == {}
    assert await cells.sound(house)
