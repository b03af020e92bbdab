from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

from bot.core import campaigns, draws
from bot.core.draws import Vault, draw_face
from bot.core.records import Entry
from bot.core.seeds import OUTSIDE, PART_HASH
from bot.rolls.fairness.random_org import Outside, RandomOrg
from tests.support.backend import House, opened
from tests.support.random_org import KEY, RandomOrgServer, Sign, random_org, unsigned

VAULT = Vault(bytes(range(32)))
PATIENCE = 60.0
"""Seconds for a reply where no test waits for their end: enough on a busy machine."""


@asynccontextmanager
async def open_asking_house(
    url: str, sign: Sign = unsigned, way: Mapping[str, Any] = MappingProxyType({})
) -> AsyncIterator[tuple[House, RandomOrgServer]]:
    """Open a house with a random.org key and server; `way` is the connection."""
    async with random_org(sign) as server, opened(url, seeded=True) as house:
        there = RandomOrg(server.url, **{"timeout": PATIENCE, **way})
        house.resolver.outside = Outside(house.ledger, VAULT, there)
        sealed = VAULT.seal(KEY, house.campaign.uuid)
        await house.database.write(campaigns.keep_outside_key, house.campaign.id, sealed)
        try:
            yield house, server
        finally:
            await there.close()


def draw_of(entry: Entry) -> dict[str, Any]:
    """Return what an entry's dice depend on."""
    kept: dict[str, Any] = json.loads(draws.read_record(entry.draw or "").of_all)
    return kept


def parts_of(entry: Entry) -> list[dict[str, Any]]:
    """Return the records of an entry's parts."""
    return [json.loads(part.text) for part in draws.read_record(entry.draw or "").parts]


def fall(entry: Entry, seed: bytes, hangs_on: Mapping[str, Any]) -> bool:
    """Check that all faces follow from their seed."""
    parts = parts_of(entry)
    drawn = [
        [sides, draw_face(seed, {**hangs_on, PART_HASH: part[PART_HASH]}, at, sides)]
        for part in parts
        for at, (sides, _) in enumerate(part["dice"])
    ]
    return bool(drawn) and drawn == [die for part in parts for die in part["dice"]]


def find_lacking(entry: Entry) -> str:
    """Return why random.org's answer is missing."""
    return str(draw_of(entry)[OUTSIDE].get("lacking", {}).get("why", ""))
