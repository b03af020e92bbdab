"""The simulated server: its people and channels, and a campaign that has begun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import discord
import simcord


@dataclass(frozen=True, slots=True)
class World:
    """The demo's server and who can be looked through the eyes of."""

    env: simcord.Env
    orders: simcord.ChannelHandle
    results: simcord.ChannelHandle
    staff: simcord.ChannelHandle
    roles: dict[str, simcord.RoleHandle]
    game_master: simcord.MemberActor
    players: tuple[simcord.MemberActor, ...]


def build(env: simcord.Env) -> World:
    """Make the server; the same ids come out each time, so that kept data fits it again."""
    guild = env.create_guild("Iron Sea")
    roles = {
        "game master": guild.create_role("Game Master", permissions=discord.Permissions(manage_guild=True)),
        "player": guild.create_role("Player"),
    }
    seen = discord.PermissionOverwrite(view_channel=True)
    staff_only: dict[Any, discord.PermissionOverwrite] = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        roles["game master"]: seen,
    }
    if guild.me is not None:
        staff_only[guild.me] = seen
    orders = guild.create_text_channel("orders")
    results = guild.create_text_channel("results")
    staff = guild.create_text_channel("staff", overwrites=staff_only)
    game_master = guild.add_member(env.create_user("Mara the GM"), roles=[roles["game master"]])
    players = tuple(guild.add_member(env.create_user(name), roles=[roles["player"]]) for name in ("Jonas", "Priya"))
    return World(env, orders, results, staff, roles, game_master, players)


async def seed(world: World) -> None:
    """Start a campaign as a game master would, and roll twice; does nothing where kept data has one already."""
    shown = await world.game_master.slash(world.orders, "campaign show")
    if shown.response is not None and shown.response.embeds[0].title == "Iron Sea":
        return
    await world.game_master.slash(
        world.orders,
        "campaign create",
        name="Iron Sea",
        results=world.results,
        staff=world.staff,
        game_master=world.roles["game master"],
        player=world.roles["player"],
        timezone="Europe/Berlin",
    )
    await world.game_master.slash(world.orders, "campaign bind", channel=world.orders)
    await world.game_master.slash(world.orders, "campaign edit", players_may="scouting")
    await world.game_master.slash(
        world.orders,
        "patrol",
        patrol="Blockade Kilo",
        target="Grain convoy:neutral",
        modifiers="patrol.fleet, target.ship, patrol.newtype",
        roll="now",
    )
    await world.players[0].slash(
        world.orders, "scout", scouter="Jonas", base="Fort Anvil", modifiers="scouter.newtype", roll="now"
    )
