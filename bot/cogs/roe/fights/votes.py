"""What all who fight agree upon: the other mode, and that nobody else comes in. A game master may overrule them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.fights import buttons
from bot.cogs.roe.fights.looking import Look, campaign_with_fights, look
from bot.cogs.roe.fights.transaction import Entered, Told, enter
from bot.cogs.roe.fights.waiting import require_nothing_waits
from bot.core.ledger import next_number
from bot.core.permissions import Person, require_game_master
from bot.errors import NotAllowed, NotAsItIs, NotOpen
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.reply import STALE
from rules.books.roe import scene as steps
from rules.books.roe.scene import Aim, Header
from rules.scenes import Replacement


def change_mode(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, reason: str | None, channels: Sequence[int]
) -> Entered:
    """Propose the other mode for the channel's fight, or let it be so from now on for a game master's reason."""
    seen = _here(tx, resolver, person, campaign_id, channels)
    mode = seen.fight.header.mode
    if mode is None:
        raise NotAsItIs("The defender hasn't chosen dice or free-form yet.", "Choose it in /fight show.")
    return _propose(tx, resolver, seen, steps.other(mode), reason)


def lock(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, reason: str | None, channels: Sequence[int]
) -> Entered:
    """Propose that nobody else comes into the channel's fight, or let it be so for a game master's reason; they open a locked one."""
    seen = _here(tx, resolver, person, campaign_id, channels)
    header = seen.fight.header
    if not header.locked:
        return _propose(tx, resolver, seen, "lock", reason)
    require_game_master(person, seen.campaign, "unlock a fight")
    return _enter(tx, resolver, seen, replace(header, locked=False), Told("open", {}, _texts(reason)))


def vote(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, fight: int, proposed: int, word: str
) -> Entered:
    """Say yes or no to what an entry has proposed; the last yes lets it be so, a no ends it."""
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = look(tx, person, campaign, fight)
    header = seen.fight.header
    if word not in buttons.SAYS:
        raise NotOpen(*STALE)
    if header.votes is None or header.votes.entry != proposed:
        raise NotOpen("That vote is over.", "See /fight show.")
    if not seen.votes and not seen.decides and not (seen.leads and word == "no"):
        raise NotAllowed("Only fighters can vote on this.", "A game master can decide it by giving a reason.")
    body = {"aim": header.votes.aim, "who": seen.votes}
    if word == "no":
        return _enter(tx, resolver, seen, replace(header, votes=None), Told("no", body))
    after = steps.agree(header, seen.votes, seen.voters)
    if after == header:
        raise NotAsItIs("You've already agreed.", "It takes effect once everyone agrees.")
    return _enter(tx, resolver, seen, after, Told("yes" if after.votes else "agreed", body, posted=not after.votes))


def _here(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, channels: Sequence[int]) -> Look:
    """Return the channel's fight, as somebody looks at it who acts for a fighter; refuses others with NotAllowed."""
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = look(tx, person, campaign, None, channels)
    if not any(seen.acts_for(item.id) for item in seen.fight.roster):
        raise NotAllowed("Only fighters can vote on this.", "None of the fighters is yours.")
    return seen


def _propose(tx: Connection, resolver: Resolver, seen: Look, aim: Aim, reason: str | None) -> Entered:
    header, texts = seen.fight.header, _texts(reason)
    if texts:
        require_game_master(seen.viewer.person, seen.campaign, "decide this without the others")
        return _enter(tx, resolver, seen, steps.decide(header, aim), Told("overrule", {"aim": aim}, texts))
    if header.votes is not None:
        raise NotAsItIs("Another proposal is still open.", "Agree or refuse it first: /fight show.")
    number = next_number(tx, seen.campaign)
    after = steps.agree(steps.propose(header, aim, number), seen.votes, seen.voters)
    body: dict[str, Any] = {"aim": aim, "who": seen.votes}
    if after.votes is None:
        return _enter(tx, resolver, seen, after, Told("agreed", body))
    offered = buttons.answers(seen.campaign.id, seen.fight.header.entry, number)
    asks = [voter for voter in seen.voters if voter not in after.votes.yes]
    return _enter(tx, resolver, seen, after, Told("propose", body, buttons=offered, asks=asks))


def _texts(reason: str | None) -> dict[str, str]:
    why = parsing.text(reason, "reason")
    return {"reason": why} if why else {}


def _enter(tx: Connection, resolver: Resolver, seen: Look, header: Header, told: Told) -> Entered:
    if header.mode != seen.fight.header.mode:
        require_nothing_waits(tx, seen, seen.fight.now)
    return enter(tx, resolver, seen, [Replacement(seen.fight.header, header)], told)
