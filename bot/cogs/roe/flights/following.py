"""What follows a flight or a call that nobody has stopped: whoever has fled leaves the fight, whoever is called is expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe import fight_messages
from bot.cogs.roe.fight_changes import ChangeDraft, FightChange, enter
from bot.cogs.roe.fight_view import BOOK, FightView, find_fight_of, view_as_maker
from bot.cogs.roe.flights.answering import FLEE
from bot.cogs.roe.flights.service import CALLED, NEAR, WHO, WILLING
from bot.core import profiles
from bot.core.campaigns import Campaign
from bot.core.records import Entry
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from rules.books.roe import scene as steps
from rules.books.roe.fight import called_turns
from rules.books.roe.interrupting import STOPPED


def follow(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Let whoever has fled leave the fight, and whoever has called expect those who come."""
    body = entry.content()
    if any(part["record"].get(STOPPED) for part in body["parts"]):
        return ()
    part = body["parts"][0]
    number: int = part["inputs"][WHO]
    seen = find_fight_of(tx, view_as_maker(tx, campaign, entry), number)
    if seen is None:
        return ()
    made = (
        _gone(tx, resolver, seen, number) if body["family"] == FLEE else _expected(tx, resolver, seen, part["inputs"])
    )
    return () if made is None else (*made.settled, *made.posts)


def _gone(tx: Connection, resolver: Resolver, seen: FightView, number: int) -> FightChange:
    """Enter that somebody (number) is out of the fight."""
    told = ChangeDraft("flee", {"who": number}, secret=number not in seen.open)
    return enter(tx, resolver, seen, steps.leave(seen.fight, number), told)


def _expected(tx: Connection, resolver: Resolver, seen: FightView, inputs: Mapping[str, Any]) -> FightChange | None:
    """Enter whom the caller expects, and after how many turns; nothing where nobody is named."""
    number = inputs[WHO]
    come = profiles.read(tx, seen.campaign.id, inputs[CALLED])
    if not come:
        return None
    turns = called_turns(resolver.library.book(tx, seen.campaign, BOOK), near_base=inputs[NEAR])
    secret = number not in seen.open or any(item.secret for item in come.values())
    willing = [item for item in come if item in inputs.get(WILLING, come)]
    asked = {item: come[item].name for item in come if item not in willing}
    body = {"who": number, "called": willing, "turns": turns, **({"asked": [*asked]} if asked else {})}
    offered = fight_messages.offer_coming(seen.campaign.id, seen.fight.header.entry, asked)
    told = ChangeDraft("through", body, buttons=offered, asks=[*asked], secret=secret)
    return enter(
        tx, resolver, seen.with_(*come.values()), steps.expecting(seen.fight, number, willing, turns, asked), told
    )
