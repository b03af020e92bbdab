"""What `/captive` points out: names that may be slips, since when somebody is where, and a way out of a wrong death."""

from __future__ import annotations

import simcord

from bot.core.profiles import Profile
from rules.books.campaign.captivity import FATE
from tests.cogs.captives.cells import put, save
from tests.cogs.captives.test_captives import captive, held
from tests.support.acting import confirmed
from tests.support.reading import refused
from tests.support.world import World


async def take(world: World, name: str) -> simcord.InteractionResult:
    """Take a captive, come what may."""
    return await world.gm.slash(world.orders, "captive take", captive=name, by="Red", at="Luna")


async def test_names_that_are_not_saved_are_pointed_out(world: World) -> None:
    """Whoever is taken or moved is so all the same, with a line for each such name and what is near; saved ones get none."""
    await save(world.bots[0].database, Profile("Kai", "pc"), Profile("Fort Teak", "base", side="Zeon"))
    told = await held(world, "Kay", by="Zeon", at="Fort Tek")
    assert "Kay is not saved, so no traits of it count in rolls. Did you mean Kai?" in told
    assert "Fort Tek is not saved, so no traits of it count in rolls. Did you mean Fort Teak?" in told
    assert "Zeon is not saved" not in told
    assert "not saved" not in await captive(world, "move", captive="Kay", at="fort teak")
    assert "Luna is not saved" in await captive(world, "move", captive="Kay", at="Luna")


async def test_a_move_is_told_beside_the_taking(world: World) -> None:
    """Who is moved is held since the taking, and there since the move; taken anew, the move is forgotten."""
    await held(world)
    assert "here since" not in await captive(world, "show", captive="Amuro")
    assert "here since" in await captive(world, "move", captive="Amuro", at="Luna")
    await captive(world, "release", captive="Amuro")
    assert "here since" not in await held(world)


async def test_a_slip_about_the_dead_has_a_way_out(world: World) -> None:
    """Somebody killed is taken no more; who is saved can be removed and saved anew, anybody else enters under a new name."""
    await save(world.bots[0].database, Profile("Kai", "pc"))
    dead = {"fate": "killed", "entry": 1}
    await put(world.bots[0].database, {(name, FATE): dead for name in ("Kai", "Ryu")})
    assert "under a new name" in refused(await take(world, "Ryu"))
    assert "/character remove, then /character add" in refused(await take(world, "Kai"))
    await confirmed(world, "character remove", name="Kai")
    await world.gm.slash(world.orders, "character add", name="Kai")
    assert "is taken captive" in await held(world, "Kai")
