"""What is kept of a person in the campaigns of a server: found, and erased."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.privacy.entries import erasure_draft
from bot.cogs.privacy.posts import show_anew
from bot.core import campaigns, erasing, personal, profiles
from bot.core.campaigns import Campaign
from bot.core.erasing import Held
from bot.core.permissions import Person, unreadable
from bot.core.personal import Made
from bot.core.profiles import Profile
from bot.core.schema import actor, card, import_draft
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.pending import erasing as waiting
from bot.rolls.pending.store import Pending
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.text import listing, plain

MAX_NAMED = 10
"""How many names the staff is told of those who have no player any more; the others are counted."""


class Kept(Struct, frozen=True):
    """What is kept of a person in a campaign.

    `who` is the row that says whose the pseudonym is, None where they have entered nothing. `made` counts what they have
    entered and may know of; `held` are their texts and names, `hidden` the entries (numbers) by others with such of which
    they may not know.
    """

    campaign: Campaign
    who: dict[str, Any] | None
    made: tuple[Made, ...]
    held: Held
    owned: tuple[Profile, ...]
    cards: tuple[dict[str, Any], ...]
    waiting: tuple[Pending, ...]
    drafts: tuple[dict[str, Any], ...]
    hidden: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return any((self.who, self.cards, self.waiting, self.drafts))

    @property
    def mine(self) -> str | None:
        """The person's pseudonym."""
        return None if self.who is None else self.who["pseudonym"]

    @property
    def texts(self) -> int:
        """How many texts and names there are of which the person may know."""
        return sum(len(texts) for number, texts in self.held.texts.items() if number not in self.hidden)

    @property
    def since(self) -> datetime | None:
        """When the person first entered something."""
        return min((item.first for item in self.made), default=None)


class Erased(Struct, frozen=True):
    """What was erased in a campaign: how many texts and names of which the person knew, and who has no player any more."""

    campaign: Campaign
    texts: int
    owned: tuple[str, ...]
    posts: tuple[Post, ...]


def kept(tx: Connection, person: Person) -> list[Kept]:
    """Return what is kept of a person in all campaigns of their server, those that are archived too, where it is anything."""
    every = (_kept(tx, person, campaign) for campaign in campaigns.of_guild(tx, person.guild_id))
    return [found for found in every if found]


def erase(tx: Connection, resolver: Resolver, person: Person, found: Kept) -> Erased:
    """Erase what is kept of a person in a campaign of their server; the posts are the caller's to send.

    `found` is what was kept a moment ago: only what came since is looked for anew. What is gone already stays gone.
    """
    campaign = campaigns.get(tx, found.campaign.id, lock=True) or found.campaign
    now = _kept(tx, person, campaign, found)
    erased = sum(map(len, now.held.texts.values()))
    if erased or now.owned:
        resolver.ledger.enter(tx, campaign, person.user_id, erasure_draft(erased, now.owned))
    erasing.erase(tx, campaign.id, now.held)
    personal.drop_amending_cards(tx, campaign.id, now.held.texts)
    posts = list(waiting.forget(tx, resolver, campaign, person.user_id, now.held.entries))
    personal.forget(tx, campaign.id, person.user_id)
    anew = show_anew(tx, resolver, campaign, now.held.entries)
    names = tuple(item.name for item in now.owned)
    posts += [*anew.at_once, *_notice(tx, resolver, campaign, names)]
    return Erased(campaign, now.texts, names, tuple(posts))


def _kept(tx: Connection, person: Person, campaign: Campaign, before: Kept | None = None) -> Kept:
    who = next(iter(personal.rows(tx, campaign.id, person.user_id, actor)), None)
    mine = None if who is None else who["pseudonym"]
    known = before.held if before is not None and before.mine == mine else None
    held = Held() if mine is None else erasing.find(tx, campaign.id, mine, known)
    counted = personal.made(tx, campaign.id, mine or "")
    return Kept(
        campaign,
        who,
        tuple(item for item in counted if item.audience != "staff" or person.leads(campaign)),
        held,
        tuple(item for item in profiles.everyone(tx, campaign.id) if mine is not None and item.owner == mine),
        tuple(personal.rows(tx, campaign.id, person.user_id, card)),
        tuple(waiting.of_person(tx, campaign.id, person.user_id)),
        tuple(personal.rows(tx, campaign.id, person.user_id, import_draft)),
        unreadable(tx, person, campaign, mine, held.others),
    )


def _notice(tx: Connection, resolver: Resolver, campaign: Campaign, names: Sequence[str]) -> Sequence[Post]:
    """Queue what the staff is told: who has no player any more."""
    if not names:
        return ()
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    told = listing([*chain(map(plain, names[:MAX_NAMED]), more)])
    text = f"Somebody had what was kept of them erased. Without a player now: {told}.\nGive them one with `/character edit` or `/unit edit`."
    embed = discord.Embed(title="Without a player", description=text, colour=COLOURS["neutral"])
    embed.set_footer(text=campaign.name)
    return resolver.outbox.queue(tx, campaign.id, None, [OutgoingMessage("notice", campaign.staff_channel_id, [embed])])
