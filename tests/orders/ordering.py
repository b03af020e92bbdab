"""Orders for tests: who is saved, what is ordered, and what the answers say."""

from __future__ import annotations

import simcord

from bot.core.profiles import Profile
from tests.cogs.captives.cells import known_as, save
from tests.support.prepared import prepared
from tests.support.reading import components, response, text
from tests.support.world import World


@prepared
async def populate(world: World) -> None:
    """Save Kai and his squad for the player, Ramba for nobody, and Fort Anvil; orders are open to players."""
    database = world.bots[0].database
    mine = await known_as(database, world.player.id)
    await save(database, Profile("White Base", "ship", side="EF"), Profile("Fort Anvil", "base", side="Zeon"))
    await save(database, Profile("Kai", "pc", owner=mine), Profile("Amuro", "pc", owner=mine), Profile("Ramba", "npc"))
    await world.gm.slash(world.orders, "character edit", name="Kai", squad="White Base")
    await world.gm.slash(world.orders, "campaign edit", players_may="orders")


async def order(
    world: World, kind: str, who: str, actor: simcord.MemberActor | None = None, **options: str
) -> simcord.InteractionResult:
    """Give an order, the player unless said otherwise."""
    return await (actor or world.player).slash(world.orders, "order give", kind=kind, who=who, **options)


async def listed(world: World, actor: simcord.MemberActor | None = None) -> str:
    """What the list of orders says to somebody."""
    return text(response(await (actor or world.player).slash(world.orders, "order list")))


async def picked(world: World, actor: simcord.MemberActor) -> simcord.ResponseMessage:
    """What is shown of the first order of the list that somebody picks."""
    shown = response(await actor.slash(world.orders, "order list"))
    select = next(item for item in components(shown) if item["type"] == 3)
    result = await actor.select(shown, [select["options"][0]["value"]], custom_id=select["custom_id"])
    return response(result)


async def edited(world: World) -> None:
    """Let as much time pass as a board that is behind waits for its edit."""
    await world.env.advance_time(6)
