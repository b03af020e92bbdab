"""What the removal of somebody from what is saved means for fights: grenades and zones go along, and the next turn begins."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import FIGHTS, looked_at
from bot.cogs.roe.fights.transaction import Told, enter
from bot.core import entries, scenes
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Change
from bot.core.scene_entries import left
from bot.core.state import State
from bot.core.visibility import viewer_of
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from rules.books.roe.explosives import FUSE, ZONE
from rules.books.roe.scene import known_to, leave
from rules.effects import EFFECT
from rules.scenes import Replacement
from rules.subjects import number_of, subject_key


def begun_by_removal(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, number: int
) -> Iterator[Post]:
    """Enter that a turn begins which an entry (number) has passed on, with what that brings; yield the posts.

    Where all others see the same turn as before, since who is gone was secret, it is the staff's.
    """
    for fight in scenes.running(tx, campaign.id, FIGHTS):
        header, item = fight.header, fight.combatant(fight.now) if isinstance(fight.now, int) else None
        if header.since != number or header.mode is None or item is None:
            continue
        seen = looked_at(tx, viewer_of(tx, person, campaign), fight)
        public, asked = known_to(fight, seen.open), entries.get(tx, campaign.id, header.asked)
        before = asked.content()["turn"]["public"] if asked else None
        told = Told("begin", {}, secret=[public.header.turn, public.now] == before, begins=True)
        entered = enter(tx, resolver, seen, [Replacement(item, item)], told)
        yield from (*entered.settled, *entered.posts)


def removed(kept: State, number: int, entry: int) -> Iterator[Change]:
    """Yield what takes a subject out of fights when it is removed; `kept` is the whole state.

    Its grenades and zones go with it, and what others have with it as it has with them, such as a hold.
    """
    yield from left(FIGHTS, leave, kept, number, entry)
    with_it = {
        value.get("other")
        for (who, name), value in kept.items()
        if who == subject_key(number) and name.startswith(EFFECT)
    }
    for key, value in kept.items():
        if (
            key[1].startswith(EFFECT)
            and "scene" in value
            and value.get("other") == number
            and number_of(key[0]) in with_it
        ):
            yield Change(*key, value, None)
    for key, value in kept.items():
        if key[1].startswith((FUSE, ZONE)) and number in {value.get("of"), value.get("turns", {}).get("of")}:
            yield Change(*key, value, None)
