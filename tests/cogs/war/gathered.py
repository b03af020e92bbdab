"""Whether the groups of a war's factions hold those who are of them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from bot.cogs.war.factions import read_links
from bot.cogs.war.wars import BOOK
from bot.core import groups, profiles
from bot.core.campaigns import open_campaign
from bot.core.groups import Group
from bot.core.library import Library
from bot.orders.played_scene import scene_of
from rules.books.total_war import keeping
from rules.books.total_war.war import War
from tests.cogs.war.front import Front


async def require_gathered(front: Front) -> None:
    """Claim that each faction has a group called so, with whoever plays in it, and that nobody is in any other."""
    bot = front.world.bots[-1]
    war, links, every, owners = await bot.database.read(_groups, bot.library)
    for faction, side in war.factions.items():
        group = every.pop(links[faction])
        assert {owners[number] for number in group.members} == {
            item.owner for item in war.players.values() if item.faction == faction
        }
        assert group.name.startswith(side.name)
    assert [group for group in every.values() if group.members] == []


def _groups(tx: Connection, library: Library) -> tuple[War, dict[str, int], dict[int, Group], Mapping[int, str | None]]:
    campaign = open_campaign(tx, 1, lock=False)
    scene = scene_of(tx, campaign.id, library.book(tx, campaign, BOOK))
    assert scene is not None
    war = keeping.read(scene.book, scene.values)[1]
    owners = {item.id: item.owner for item in profiles.everyone(tx, campaign.id)}
    every = {group.id: group for group in groups.every(tx, campaign.id)}
    return war, read_links(tx, campaign.id, scene.subject), every, owners
