"""What is kept of a person, as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from bot.cogs.privacy.kept import Kept, kept
from bot.core import entries
from bot.core.permissions import Person, readable_by_maker

BATCH = 500


def export(tx: Connection, person: Person) -> bytes | None:
    """Return what is kept of a person on their server as JSON, None where that is nothing.

    Of entries that are not for them it has what they typed, and neither number nor kind; of such by others nothing.
    """
    found = kept(tx, person)
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
        for number, entry in entries.some(tx, item.campaign.id, numbers[start : start + BATCH]).items():
            texts = {name: text for name in item.held.texts[number] if (text := entry.text(name))}
            told = number in item.held.others or readable_by_maker(person, item.campaign, entry)
            if texts:
                yield {"at": entry.at, **({"entry": number, "kind": entry.kind} if told else {}), "texts": texts}


def _asked(at: object, state: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what somebody has typed for a roll that was not made yet, or was made since."""
    names = {role: name for part in request["parts"] for role, name in part["people"].items()}
    return {"at": at, "state": state, "roll": request["family"], "note": request["note"], "names": names}
