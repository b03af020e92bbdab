"""Whatever happens after a roll, its card opens unchanged."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from bot.app import KINDS
from bot.core import audit
from bot.core.errors import UserError
from rules.errors import RulesError
from tests.cogs.ledger.deeds import DEEDS, Table
from tests.support.backend import House


def came_to(body: Mapping[str, Any]) -> list[Any]:
    """Return each part's facts, dice and result."""
    return [
        (
            {fact: known["count"] for fact, known in part["facts"].items()},
            part["outcome"],
            [(step["faces"], step["sum"], step["total"]) for step in part["steps"]],
        )
        for part in body["parts"]
    ]


@pytest.mark.parametrize("seeds", [(1,), pytest.param((1, 2, 3), marks=[pytest.mark.slow, pytest.mark.no_cover])])
async def test_a_roll_amended_as_it_is_comes_to_the_same(house: House, seeds: tuple[int, ...]) -> None:
    """The same facts, modifiers, faces and outcome, without new dice."""
    house.campaign = await house.edit({"books": "campaign, battlesystem"})
    for seed in seeds:
        for deed in DEEDS.values():
            with suppress(UserError, RulesError):
                await deed(Table(house, random.Random(seed)))  # noqa: S311 - chance that repeats
    rolls = [entry for entry in await house.entries() if entry.kind == "roll"]
    families = set()
    house.dice.script()
    for entry in reversed(rolls):  # the newest first: what is amended before another counts for it
        before = entry.content()
        with suppress(UserError):
            after = (await house.amend(entry.number)).entry.content()
            assert came_to(after) == came_to(before), entry.number
            assert not any(part["unused"] for part in after["parts"])
            families.add(before["family"])
    assert families >= {"patrol", "scouting", "detection", "newtype", "complications", "interrogation", "escape"}
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]
