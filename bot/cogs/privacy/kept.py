"""What is kept of a person in the campaigns of a server."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, erasing, personal, profiles
from bot.core.campaigns import Campaign
from bot.core.erasing import Held
from bot.core.permissions import Person, unreadable
from bot.core.personal import Made
from bot.core.profiles import Profile
from bot.core.schema import actor, card, import_draft
from bot.rolls.pending import store as waiting
from bot.rolls.pending.store import Pending


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


def kept(tx: Connection, person: Person) -> list[Kept]:
    """Return what is kept of a person in all campaigns of their server, those that are archived too, where it is anything."""
    every = (kept_in(tx, person, campaign) for campaign in campaigns.of_guild(tx, person.guild_id))
    return [found for found in every if found]


def kept_in(tx: Connection, person: Person, campaign: Campaign) -> Kept:
    """Return what is kept of a person in a campaign."""
    who = next(iter(personal.rows(tx, campaign.id, person.user_id, actor)), None)
    mine = None if who is None else who["pseudonym"]
    held = Held() if mine is None else erasing.find(tx, campaign.id, mine)
    counted = personal.made(tx, campaign.id, mine or "")
    return Kept(
        campaign,
        who,
        tuple(item for item in counted if item.audience != "staff" or person.leads(campaign)),
        held,
        tuple(item for item in profiles.everyone(tx, campaign.id) if mine is not None and item.owner == mine),
        tuple(personal.rows(tx, campaign.id, person.user_id, card)),
        tuple(item for item in waiting.every(tx, campaign.id) if item.concerns(person.user_id)),
        tuple(personal.rows(tx, campaign.id, person.user_id, import_draft)),
        unreadable(tx, person, campaign, mine, held.others),
    )
