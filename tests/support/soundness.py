"""Claims about a whole campaign."""

from __future__ import annotations

from bot.app import KINDS
from bot.core import audit
from tests.support.backend import House
from tests.support.world import World


async def require_whole(place: World | House) -> None:
    """Claim that every ledger there is whole, and state and audiences are what its entries add up to."""
    if isinstance(place, House):
        database, kinds = place.database, place.kernel.kinds
    else:
        database, kinds = place.bots[-1].database, KINDS
    audits = await audit.check_ledgers(database, kinds)
    assert audits
    assert [fault for item in audits for fault in item.faults] == []
