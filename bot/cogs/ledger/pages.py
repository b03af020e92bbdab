"""Reading the ledger within one's audience, and publishing what was not public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.entry_kinds import EntryView, View
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master, sight
from bot.core.records import Change, Entry
from bot.core.state import VOIDED
from bot.errors import BadInput, NotOpen
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.embed import result_pages

PAGE = 10


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry as somebody may see it: which view of it, by whom it was made, its posts, and whether it can be published."""

    shown: EntryView
    view: View
    who: int | None
    posts: tuple[Post, ...]
    publishable: bool


class Journal:
    """Lists, shows and publishes entries."""

    def __init__(self, database: Database, outbox: Outbox, ledger: Ledger) -> None:
        self._database = database
        self._outbox = outbox
        self._ledger = ledger

    async def page(self, person: Person, campaign: Campaign, below: int | None) -> list[Seen]:
        """Ten entries that the person may know of, newest first, with numbers under `below`."""
        return await self._database.read(lambda tx: self._page(tx, person, campaign, below))

    async def entry(self, person: Person, campaign: Campaign, number: int) -> Seen:
        """One entry.

        Raises:
            BadInput: there is none of this number within the person's sight.

        """
        return await self._database.read(lambda tx: self._look(tx, person, campaign, number))

    async def publish(self, person: Person, campaign: Campaign, number: int) -> tuple[Post, ...]:
        """Let a result go to the results channel after all; its posts are the caller's to send.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: it is public already, or no result of a roll.

        """
        require_game_master(person, campaign, "publish a result")
        return await self._database.write(lambda tx: self._publish(tx, person, campaign, number))

    def _publish(self, tx: Connection, person: Person, campaign: Campaign, number: int) -> tuple[Post, ...]:
        campaign = open_campaign(tx, campaign.id)
        seen = self._look(tx, person, campaign, number)
        if not seen.publishable:
            raise NotOpen(f"Entry #{number} has nothing left to publish.")
        before = seen.shown.entry.audience
        draft = EntryDraft(
            kind="publication",
            audience="results",
            body={"entry": number},
            changes=(Change(f"entry:{number}", "audience", before, "results"),),
        )
        self._ledger.enter(tx, campaign, person.user_id, draft)
        entries.set_audience(tx, campaign.id, number, "results")
        pages = result_pages(replace(seen.shown, published=True), "public")
        letters = [OutgoingMessage("published", campaign.results_channel_id, page) for page in pages]
        return tuple(self._outbox.queue(tx, campaign.id, number, letters))

    def _page(self, tx: Connection, person: Person, campaign: Campaign, below: int | None) -> list[Seen]:
        mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
        found = entries.page(tx, campaign.id, sight(person, campaign, mine), below=below, limit=PAGE)
        people = entries.people(tx, campaign.id, {entry.actor for entry in found})
        seen = [self._seen(person, campaign, entry, people.get(entry.actor), ()) for entry in found]
        return _marked(tx, campaign, seen)

    def _look(self, tx: Connection, person: Person, campaign: Campaign, number: int) -> Seen:
        mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
        allowed = sight(person, campaign, mine)
        entry = entries.get(tx, campaign.id, number)
        if entry is None or not (
            entry.audience in allowed.audiences or (entry.audience == "person" and entry.actor == mine)
        ):
            raise BadInput(
                f"There is no entry #{number} for you in {campaign.name}.", "See /ledger list for those there are."
            )
        people = entries.people(tx, campaign.id, {entry.actor})
        public = {"results", "published"}
        queued = [
            post for post in posts.of_entry(tx, campaign.id, number) if person.leads(campaign) or post.kind in public
        ]
        seen = self._seen(person, campaign, entry, people.get(entry.actor), tuple(queued))
        return _marked(tx, campaign, [seen])[0]

    @staticmethod
    def _seen(person: Person, campaign: Campaign, entry: Entry, who: int | None, queued: tuple[Post, ...]) -> Seen:
        leads = person.leads(campaign)
        publishable = entry.kind == "roll" and entry.audience != "results" and leads
        shown = EntryView(entry, campaign.name, published=entry.audience == "results" and _was_withheld(entry))
        return Seen(shown, "staff" if leads else "public", who, queued, publishable)


def _marked(tx: Connection, campaign: Campaign, seen: Sequence[Seen]) -> list[Seen]:
    """The same entries, each with the number of the entry that voided it, where one did."""
    subjects = {f"entry:{item.shown.entry.number}" for item in seen}
    held = {subject: value["by"] for (subject, _), value in state.named(tx, campaign.id, subjects, {VOIDED}).items()}
    return [
        replace(item, shown=replace(item.shown, voided=held.get(f"entry:{item.shown.entry.number}"))) for item in seen
    ]


def _was_withheld(entry: Entry) -> bool:
    """Whether a roll that is public now has parts that were not public when it was made."""
    return entry.kind == "roll" and any(part["audience"] != "results" for part in entry.content()["parts"])
