"""Who is awaited in an update: whoever plays somebody for whom nothing is ordered yet, and has not passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from bot.core import profiles
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, now_of
from bot.core.profiles import Profile
from bot.orders.known import out_of_play
from bot.orders.played_scene import PlayedScene, scene_of
from bot.orders.standing import StandingOrder, passed
from bot.rolls.resolver import Resolver
from rules.subjects import name_key


def awaited(
    tx: Connection, resolver: Resolver, staff: Person, campaign: Campaign, orders: Sequence[StandingOrder]
) -> list[Profile]:
    """Return the characters of whom orders are awaited: where a scene is on, of those who play in it as it says; else of all.

    Else that is all who are in play with an owner, for whom nothing is ordered, not for their squad either.
    """
    played = resolver.library.played(tx, campaign)
    gone = passed(tx, campaign, now_of(tx, staff, campaign)).keys()
    owned = [item for item in profiles.everyone(tx, campaign.id) if item.is_character and item.owner is not None]
    scenes = [scene for book in played if (scene := scene_of(tx, campaign.id, book))]
    if scenes:
        names = {name for scene in scenes for name in _in_scene(scene, orders)}
        return [item for item in owned if name_key(item.name) in names and item.id not in gone]
    ordered = {item.who.id for item in orders if item.lapsed is None}
    left = [item for item in owned if (ordered | gone).isdisjoint({item.id, item.squad_id})]
    numbers = {item.id for item in left}
    out = {number for book in played for number in out_of_play(tx, staff, campaign, book, numbers)}
    return [item for item in left if item.id not in out]


def _in_scene(scene: PlayedScene, orders: Sequence[StandingOrder]) -> Iterator[str]:
    """Yield what those are called (keys) of whom a scene awaits orders."""
    ordered = {name_key(item.who.name) for item in orders if item.lapsed is None}
    for doer in scene.orders.doers(scene.book, scene.values, None):
        for player in doer.awaited if name_key(doer.name) not in ordered else ():
            called = scene.orders.called(scene.book, scene.values, player)
            if called is not None:
                yield name_key(called)
