"""Orders for tests, and what their answers say."""

from __future__ import annotations

import simcord

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.support.prepared import prepared
from tests.support.reading import components, response, text
from tests.support.world import World


@prepared
async def populate(world: World) -> None:
    """Save Kai, his squad, Ramba and Fort Anvil, and open orders."""
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    await save(database, Profile("White Base", "ship", side="EF"), Profile("Fort Anvil", "base", side="Zeon"))
    await save(database, Profile("Kai", "pc", owner=mine), Profile("Amuro", "pc", owner=mine), Profile("Ramba", "npc"))
    await world.gm.slash(world.orders, "roster edit", name="Kai", squad="White Base")
    await world.gm.slash(world.orders, "gm settings", players_may="orders")


async def order(
    world: World, kind: str, who: str, actor: simcord.MemberActor | None = None, **options: str
) -> simcord.InteractionResult:
    """Give an order, as the player by default."""
    return await (actor or world.player).slash(world.orders, "order give", kind=kind, who=who, **options)


async def listed(world: World, actor: simcord.MemberActor | None = None) -> str:
    """Return a person's list of orders."""
    return text(response(await (actor or world.player).slash(world.orders, "order list")))


async def picked(world: World, actor: simcord.MemberActor) -> simcord.ResponseMessage:
    """Pick the first order of the list."""
    shown = response(await actor.slash(world.orders, "order list"))
    select = next(item for item in components(shown) if item["type"] == 3)
    result = await actor.select(shown, [select["options"][0]["value"]], custom_id=select["custom_id"])
    return response(result)


async def edited(world: World) -> None:
    """Wait until an outdated board is edited."""
    await world.env.advance_time(6)
