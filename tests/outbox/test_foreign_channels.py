"""Posts go to channels of their campaign's server alone."""

from __future__ import annotations

from bot.core.schema import campaign
from tests.support.world import World, rows


async def test_nothing_is_posted_on_another_server(world: World) -> None:
    """A channel that a campaign names and that is another server's is none of its channels: what is secret stays in."""
    foreign = world.env.create_guild("Elsewhere").create_text_channel("there")
    database = world.bots[-1].database
    await database.write(lambda tx: tx.execute(campaign.update().values(staff_channel_id=foreign.id)))
    world.dice.script(3, sides=6)
    await world.gm.slash(world.orders, "roll", expression="d6", to="to the staff channel", note="Hush")
    assert not foreign.history()
    assert ("staff", "the channel was deleted") in rows(world, "select kind, fault from post where state <> 'sent'")
