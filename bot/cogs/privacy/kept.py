"""What is kept of a person in the campaigns of a server, and the same as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries, erasing, profiles
from bot.core.campaigns import Campaign
from bot.core.erasing import EntryCount, PersonalTexts
from bot.core.permissions import Person, find_unreadable, may_maker_read
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
    made: tuple[EntryCount, ...]
    held: PersonalTexts
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


def find_kept(tx: Connection, person: Person) -> list[Kept]:
    """Return what is kept of a person in all campaigns of their server, those that are archived too, where it is anything."""
    every = (find_kept_in(tx, person, campaign) for campaign in campaigns.list_campaigns(tx, person.guild_id))
    return [found for found in every if found]


def find_kept_in(tx: Connection, person: Person, campaign: Campaign) -> Kept:
    """Return what is kept of a person in a campaign."""
    who = next(iter(erasing.list_rows(tx, campaign.id, person.user_id, actor)), None)
    mine = None if who is None else who["pseudonym"]
    held = PersonalTexts() if mine is None else erasing.find_texts(tx, campaign.id, mine)
    counted = erasing.count_entries(tx, campaign.id, mine or "")
    return Kept(
        campaign,
        who,
        tuple(item for item in counted if item.audience != "staff" or person.leads(campaign)),
        held,
        tuple(item for item in profiles.list_profiles(tx, campaign.id) if mine is not None and item.owner == mine),
        tuple(erasing.list_rows(tx, campaign.id, person.user_id, card)),
        tuple(item for item in waiting.all_pending(tx, campaign.id) if item.concerns(person.user_id)),
        tuple(erasing.list_rows(tx, campaign.id, person.user_id, import_draft)),
        find_unreadable(tx, person, campaign, mine, held.others),
    )


BATCH = 500


def export(tx: Connection, person: Person) -> bytes | None:
    """Return what is kept of a person on their server as JSON, None where that is nothing.

    Of entries that are not for them it has what they typed, and neither number nor kind; of such by others nothing.
    """
    found = find_kept(tx, person)
    if not found:
        return None
    told = {"user": str(person.user_id), "campaigns": [_campaign(tx, person, item) for item in found]}
    return json.dumps(told, ensure_ascii=False, indent=2, default=str).encode()


def _campaign(tx: Connection, person: Person, item: Kept) -> dict[str, Any]:
    known = item.who or {}
    return {
        "campaign": item.campaign.name,
        "archived": item.campaign.archived_at is not None,
        "pseudonym": known.get("pseudonym"),
        "salt": known.get("salt"),
        "entries": sum(made.count for made in item.made),
        "texts": list(_texts(tx, person, item)),
        "plays": [each.name for each in item.owned],
        "cards": [_asked(row["opened_at"], row["state"], row["request"]["now"]) for row in item.cards],
        "waiting": [
            _asked(each.opened_at, each.state, each.request.model_dump(mode="json"))
            for each in item.waiting
            if each.asker_id == person.user_id
        ],
        "files": [{"sent": row["sent_at"], "file": row["file"], "text": row["text"]} for row in item.drafts],
    }


def _texts(tx: Connection, person: Person, item: Kept) -> Iterator[dict[str, Any]]:
    """Yield the texts and names of a person, by entry."""
    numbers = sorted(item.held.texts.keys() - item.hidden)
    for start in range(0, len(numbers), BATCH):
        for number, entry in entries.get_entries(tx, item.campaign.id, numbers[start : start + BATCH]).items():
            texts = {name: text for name in item.held.texts[number] if (text := entry.text(name))}
            told = number in item.held.others or may_maker_read(person, item.campaign, entry)
            if texts:
                yield {"at": entry.at, **({"entry": number, "kind": entry.kind} if told else {}), "texts": texts}


def _asked(at: object, state: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what somebody has typed for a roll that was not made yet, or was made since."""
    names = {role: name for part in request["parts"] for role, name in part["people"].items()}
    return {"at": at, "state": state, "roll": request["family"], "note": request["note"], "names": names}
