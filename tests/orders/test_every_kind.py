"""Resolving every kind equals the same rolls by hand."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.state import State
from bot.orders import giving
from bot.orders.giving import AskedOrder
from bot.orders.resolution import Progress
from bot.outbox import queue as posts
from bot.rolls.desk import prepare_request
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from rules.effects import ORDERED
from rules.orders import OrderKind
from tests.cogs.captives.cells import save, take
from tests.support import resolving
from tests.support.backend import GM, House, opened
from tests.support.template import migrated_url
from tests.support.world import BOOKS

_HASH = re.compile(r" · [0-9a-f]{8}\b")


def _sides(battle: str, one: str, other: str, base: str | None = None) -> tuple[dict[str, str], ...]:
    return {"battle": battle, "side": one}, {"battle": battle, "side": other, **({"base": base} if base else {})}


ORDERS = (
    AskedOrder("hide", "Kai", "Valley"),
    AskedOrder("assault", "White Base", "Fort Anvil"),
    AskedOrder("surprise-attack", "Gaw", "Luna", "Mirai"),
    AskedOrder("rescue", "Sayla", "Amuro"),
    AskedOrder("resist", "Amuro"),
    AskedOrder("detect", "Hunter", "Valley"),
    AskedOrder("detect", "Seeker", "Hill"),
    AskedOrder("patrol", "Zaku", "Valley"),
    AskedOrder("move", "Guntank", "Valley"),
    AskedOrder("move", "Hayato", "Hill"),
    AskedOrder("scout", "Hayato", "Fort Anvil"),
    AskedOrder("scout", "Sayla", "Fort Anvil"),
    AskedOrder("interrogate", "Ramba", "Amuro"),
    AskedOrder("escape", "Amuro"),
    AskedOrder("escape", "Mirai"),
)
BY_HAND: tuple[tuple[str, tuple[dict[str, str], ...]], ...] = (
    ("hide", ({"hider": "Kai", "sector": "Valley"},)),
    ("assault", ({"attacker": "White Base", "base": "Fort Anvil"},)),
    ("surprise-attack", ({"attacker": "Gaw", "target": "Luna"}, {"attacker": "Gaw", "target": "Mirai"})),
    ("rescue", ({"rescuer": "Sayla", "captive": "Amuro"},)),
    ("resist", ({"captive": "Amuro"},)),
    ("detection", ({"detector": "Hunter", "hider": "Kai"},)),
    ("detection", ({"detector": "Seeker"},)),
    ("patrol", ({"patrol": "Zaku", "target": "Guntank"},)),
    ("move", ({"target": "Hayato", "sector": "Hill"},)),
    ("scouting", ({"scouter": "Hayato", "base": "Fort Anvil"}, {"scouter": "Sayla", "base": "Fort Anvil"})),
    ("complications", _sides("Battle of Fort Anvil", "EF", "Zeon", "Fort Anvil")),
    ("complications", _sides("Battle of Luna", "Gaw", "Luna", "Luna")),
    ("complications", _sides("Detection: Hunter against Kai", "Hunter", "Kai")),
    ("complications", _sides("Patrol: Zaku against Guntank", "Zaku", "Guntank")),
    ("interrogation", ({"captive": "Amuro", "interrogator": "Ramba", "base": "Fort Anvil"},)),
    ("escape", ({"captive": "Amuro", "base": "Fort Anvil"},)),
    ("escape", ({"captive": "Mirai", "base": "Luna"},)),
)
"""The rolls in printed order: family, and roles of each part as typed."""

FACES = (1, 10, 18, 10, 3, 10, 11, 9, 1, 10, 1, 12, 10, 17, 8, 13)
"""Ambush, catch, attack, and two battles with complications."""


@asynccontextmanager
async def ordered(kind: str, folder: Path) -> AsyncIterator[House]:
    """A campaign with an order of each kind."""
    with migrated_url(kind, folder) as url:
        async with opened(url) as house:
            people = [Profile(name, "pc") for name in ("Kai", "Amuro", "Hayato", "Sayla", "Mirai")]
            squads = [Profile(name, "squad", side=name) for name in ("Hunter", "Seeker", "Zaku", "Gaw", "Guntank")]
            await save(
                house.database, *people, *squads, Profile("White Base", "ship", side="EF"), Profile("Ramba", "npc")
            )
            await save(house.database, Profile("Fort Anvil", "base", side="Zeon"), Profile("Luna", "base"))
            await take(house, "Amuro", by="Zeon", at="Fort Anvil")
            await take(house, "Mirai", by="Zeon", at="Luna")
            for asked in ORDERS:
                await house.database.write(giving.enter_order, house.resolver, GM, house.campaign.id, asked)
            yield house


async def _resolve(house: House) -> None:
    progress = Progress()
    while made := await house.database.write(resolving.step, house.resolver, GM, house.campaign.id, progress):
        progress = made.progress


async def _roll_by_hand(house: House) -> None:
    for family, parts in BY_HAND:
        await house.database.write(_rolled, house.resolver, house.campaign.id, family, parts)


def _rolled(
    tx: Connection, resolver: Resolver, campaign: int, family: str, parts: Sequence[Mapping[str, str]]
) -> RollResult:
    asked = [PartRequest(subjects=dict(roles)) for roles in parts]
    command = RollCommand((), ("campaign", family), asked, None, campaign=campaign)
    _, request = prepare_request(tx, resolver, GM, command)
    return resolver.roll(tx, RollOrder(campaign, GM.user_id, request))


def _told(entry: Entry) -> dict[str, Any]:
    body = {name: value for name, value in entry.content().items() if name not in {"orders", "phase", "names"}}
    return {**body, "changes": [item for item in body["changes"] if not item["name"].startswith(ORDERED)]}


def _posts(tx: Connection, campaign: int, numbers: Sequence[int]) -> list[object]:
    owed = (item for number in numbers for item in posts.posts_of_entry(tx, campaign, number))
    return [
        (item.entry_number, item.kind, item.page, item.channel_id, _HASH.sub("", item.payload or "")) for item in owed
    ]


async def _made(house: House, how: Callable[[House], Awaitable[None]]) -> tuple[object, object, State]:
    since = len(await house.entries())
    house.dice.script(*FACES)
    await how(house)
    house.dice.finish()
    made = (await house.entries())[since:]
    kept = {key: value for key, value in (await house.state()).items() if not key[1].startswith(ORDERED)}
    numbers = [entry.number for entry in made]
    return [*map(_told, made)], await house.database.read(_posts, house.campaign.id, numbers), kept


async def test_an_update_of_every_kind_equals_the_same_rolls_by_hand(
    database_kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Entries, posts and state."""
    make = tmp_path_factory.mktemp
    async with ordered(database_kind, make("orders")) as first, ordered(database_kind, make("hand")) as second:
        resolved, by_hand = await _made(first, _resolve), await _made(second, _roll_by_hand)
    assert resolved == by_hand


def test_every_kind_is_among_them() -> None:
    """Each kind of the book is ordered."""
    assert {asked.kind for asked in ORDERS} == {*BOOKS["campaign"].entries_of(OrderKind)}
