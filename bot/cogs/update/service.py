"""Updates: the game's day or week. What happens the same day happens in one update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import UPDATE, Campaign, current_update, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.core.state import CAMPAIGN_STATE
from bot.errors import BadInput
from rules.effects import EFFECT

MAX_NAME = 60


@dataclass(frozen=True, slots=True)
class Closed:
    """An update that was closed, the one that began, and what ended: the bearer's name and the effect."""

    before: dict[str, Any]
    after: dict[str, Any]
    ended: tuple[tuple[str, str], ...]
    entry: Entry


@dataclass(frozen=True, slots=True)
class Current:
    """The current update, what ends with it, and what lasts beyond it: the bearer's name and the effect."""

    update: dict[str, Any]
    ending: tuple[tuple[str, str], ...]
    lasting: tuple[tuple[str, str], ...]


class Updates:
    """Shows and closes a campaign's current update."""

    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger

    async def current(self, campaign_id: int) -> Current:
        """The current update, and the effects that hold."""
        return await self._database.read(lambda tx: _current(tx, campaign_id))

    async def close(self, person: Person, campaign_id: int, name: str | None) -> Closed:
        """Close the current update and begin the next.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: the next update's name is too long.
            NotOpen: the campaign is archived.

        """
        title = " ".join((name or "").split())
        if len(title) > MAX_NAME:
            raise BadInput(f"An update's name has at most {MAX_NAME} characters; that one has {len(title)}.")
        return await self._database.write(lambda tx: self._close(tx, person, campaign_id, title))

    def _close(self, tx: Connection, person: Person, campaign_id: int, title: str) -> Closed:
        campaign = open_campaign(tx, campaign_id)
        require_game_master(person, campaign, "close an update")
        return self.close_in(tx, campaign, person.user_id, title)

    def close_in(self, tx: Connection, campaign: Campaign, user_id: int, title: str = "") -> Closed:
        """Close the current update of a locked campaign in the caller's transaction, on behalf of `user_id`."""
        current = _current(tx, campaign.id)
        before, ended = current.update, current.ending
        now = self._ledger.now()
        number = before["number"] + 1
        after = {"number": number, "name": title or f"Update {number}", "since": now.isoformat()}
        draft = EntryDraft(
            kind="update",
            audience="results",
            body={"closed": before, "opened": after},
            changes=(Change(CAMPAIGN_STATE, UPDATE, before, after),),
        )
        entry = self._ledger.enter(tx, campaign, user_id, draft)
        return Closed(before, after, ended, entry)


def _current(tx: Connection, campaign_id: int) -> Current:
    update = current_update(tx, campaign_id)
    held = [
        (value.get("update"), (value["name"], value.get("label") or name.removeprefix(EFFECT).replace("-", " ")))
        for (_, name), value in sorted(state.naming(tx, campaign_id, EFFECT).items())
    ]
    ending = tuple(effect for until, effect in held if until == update["number"])
    return Current(update, ending, tuple(effect for until, effect in held if until is None))
