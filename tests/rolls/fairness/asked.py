"""A campaign that asks random.org, which is a small server beside it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.core import campaigns
from bot.core.drawn import OUTSIDE
from bot.core.records import Entry
from bot.core.sealing import Vault
from bot.rolls.fairness.asking import Outside
from bot.rolls.fairness.random_org import RandomOrg
from tests.support.backend import House, opened
from tests.support.random_org import KEY, RandomOrgServer, Sign, random_org, unsigned

VAULT = Vault(bytes(range(32)))


@asynccontextmanager
async def asking(url: str, sign: Sign = unsigned) -> AsyncIterator[tuple[House, RandomOrgServer]]:
    """A house whose campaign has a key for random.org, and that server."""
    async with random_org(sign) as server, opened(url, seeded=True) as house:
        way = RandomOrg(server.url)
        house.resolver.outside = Outside(house.ledger, VAULT, way)
        sealed = VAULT.seal(KEY, house.campaign.uuid)
        await house.database.write(campaigns.keep_outside_key, house.campaign.id, sealed)
        try:
            yield house, server
        finally:
            await way.close()


def draw_of(entry: Entry) -> dict[str, Any]:
    """The record of an entry's dice."""
    kept: dict[str, Any] = json.loads(entry.draw or "{}")
    return kept


def lacking_of(entry: Entry) -> str:
    """Why nothing of random.org's is mixed into a roll; nothing where something is."""
    return str(draw_of(entry)[OUTSIDE].get("lacking", {}).get("why", ""))
