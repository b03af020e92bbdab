"""Trust in rolls: epochs close by themselves, and their audit thread tells what their dice were drawn from."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from bot.cogs.fairness.cog import verify
from bot.cogs.fairness.panel import COMPONENTS
from bot.core import epochs
from bot.core.chores import each
from bot.kernel import Client, Feature
from bot.outbox.store import Post
from bot.rolls.fairness import turnover
from bot.rolls.fairness.intents import INTENT_ENTRY


async def close_due(client: Client) -> Sequence[Post]:
    """Close the epochs whose day is over, each campaign's in a transaction of its own."""
    database = client.database
    over = await database.read(epochs.over, client.ledger.now())
    return await each((database.write(_close, client, campaign_id) for campaign_id in over), "epoch.bug")


def _close(tx: Connection, client: Client, campaign_id: int) -> Sequence[Post]:
    return client.outbox.queue(tx, campaign_id, None, turnover.close_due(tx, client.ledger, campaign_id))  # type: ignore[no-any-return]


FEATURE = Feature(commands=(verify,), components=COMPONENTS, chores=(close_due,), entry_kinds=(INTENT_ENTRY,))
