"""Write-ups on the desk."""

from __future__ import annotations

from tests.cogs.update.test_desk import desk, key, labels, roll
from tests.support.acting import use_writeup
from tests.support.reading import refused, response, said, text
from tests.support.world import World, send_raw


async def test_write_ups_are_claimed_from_the_desk(world: World) -> None:
    """By players too, if they may know it."""
    await roll(world, "patrol", 20, patrol="Kilo", target="Zaku column", to="staff")
    await roll(world, "patrol", 20, patrol="Lima", target="Gouf")
    shown, theirs = await desk(world), await desk(world, world.player)
    assert [label for label in labels(shown) if "Claim" in label] == ["Claim #4", "Claim #3"]
    assert labels(theirs) == ["Claim #4"]
    assert "Zaku column" not in text(theirs)
    done = await world.player.click(theirs, custom_id=key(theirs, "Claim #4"))
    assert f"claimed by <@{world.player.id}>" in said(done)
    assert "Claim #4" not in labels(await desk(world))
    told = refused(await world.player.click(theirs, custom_id=key(theirs, "Claim #4")))
    assert "already yours" in told
    forged = key(shown, "Claim #3")
    assert "I can't find a write-up" in refused(await send_raw(world.player, world.orders, forged))


async def test_a_claimed_write_up_stays_on_the_desk_of_who_writes_it(world: World) -> None:
    """Game masters see who writes which."""
    other = world.guild.add_member(world.env.create_user("player2"), roles=[world.roles["player"]])
    await roll(world, "patrol", 20, patrol="Kilo", target="Zaku column")
    await roll(world, "patrol", 20, patrol="Lima", target="Gouf")
    await use_writeup(world.player, world.orders, "claim", "3")
    await use_writeup(world.gm, world.orders, "claim", "4")
    shown, theirs, others = await desk(world), await desk(world, world.player), await desk(world, other)
    lines = text(shown).partition("**Write-ups claimed:**\n")[2].split("\n")[:2]
    assert [line.rpartition(" \N{MIDDLE DOT} ")[2] for line in lines] == ["yours", f"claimed by <@{world.player.id}>"]
    assert ("Done #4" in labels(shown), "Done #3" in labels(shown)) == (True, False)
    assert labels(theirs) == ["Done #3"]
    assert "Zaku column" in text(theirs).partition("**Write-ups claimed:**\n")[2].split("\n")[0]
    assert "Gouf" not in text(theirs)
    assert "Write-ups" not in text(others)
    window = await world.player.click(theirs, custom_id=key(theirs, "Done #3"))
    done = await world.player.submit_modal(window, {"link": "https://discord.com/channels/1/2/3"})
    assert f"done by <@{world.player.id}>" in said(done)
    assert response(done).id != theirs.id
    assert "Write-ups" not in text(await desk(world, world.player))
