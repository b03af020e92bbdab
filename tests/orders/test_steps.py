"""Several orders resolved in one transaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.errors import BadInput
from bot.core.profiles import Profile
from bot.orders import giving, resolution
from bot.orders.giving import AskedOrder
from bot.orders.resolution import MOST_STEPS, Progress, take_steps
from tests.cogs.captives.cells import save
from tests.orders.test_every_kind import FACES, ordered
from tests.rolls.fairness.asked import find_lacking, open_asking_house
from tests.support.backend import GM, House

SQUADS = [f"Squad {number}" for number in range(MOST_STEPS + 2)]


async def _scout(house: House) -> None:
    """Order as many squads to scout a base each."""
    await save(house.database, *(Profile(name, "squad") for name in SQUADS))
    for number, name in enumerate(SQUADS):
        asked = AskedOrder("Scout a base", name, f"Base {number}")
        await house.database.write(giving.enter_order, house.resolver, GM, house.campaign.id, asked)


async def _resolve(house: House, most: int = MOST_STEPS) -> list[int]:
    """Resolve all orders; gives how many steps each transaction had."""
    progress, counts = Progress(), list[int]()
    while made := await house.database.write(take_steps, house.resolver, GM, house.campaign.id, progress, most):
        progress = made[-1].progress
        counts.append(len(made))
    return counts


async def test_entries_are_the_same_however_many_a_transaction_has(database_kind: str, tmp_path: Path) -> None:
    """Byte by byte, in the same order."""
    made = []
    for most in (1, MOST_STEPS):
        (folder := tmp_path / str(most)).mkdir()
        async with ordered(database_kind, folder) as house:
            house.dice.script(*FACES)
            counts = await _resolve(house, most)
            assert max(counts) == most
            made.append([(item.kind, item.audience, item.body) for item in await house.entries()])
    assert made[0] == made[1]


async def test_a_transaction_has_only_a_few_steps(house: House) -> None:
    """Others' rolls wait for its end."""
    await _scout(house)
    house.dice.script(*[10] * len(SQUADS))
    assert await _resolve(house) == [MOST_STEPS, 2]


async def test_what_is_refused_keeps_nothing_before_it_from_being_resolved(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is the next transaction's answer."""
    await _scout(house)
    roll, asked = resolution.roll_task, list[object]()

    def refuse_third(*given: object) -> object:
        asked.append(given)
        if len(asked) > 2:
            raise BadInput("That can't be rolled.", "Ask a game master.")
        return roll(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(resolution, "roll_task", refuse_third)
    house.dice.script(10, 10)
    before = len(await house.entries())
    made = await house.database.write(take_steps, house.resolver, GM, house.campaign.id, Progress())
    assert len(made) == 2
    with pytest.raises(BadInput):
        await house.database.write(take_steps, house.resolver, GM, house.campaign.id, made[-1].progress)
    assert len(await house.entries()) == before + 2


async def test_random_org_is_asked_for_each_order(database_url: str) -> None:
    """Each roll has its transaction there."""
    async with open_asking_house(database_url) as (house, server):
        await _scout(house)
        assert {*await _resolve(house)} == {1}
        rolled = [find_lacking(item) for item in await house.entries() if item.kind == "roll"]
        assert len(rolled) >= len(SQUADS)
        assert rolled == [""] * len(server.asked)
