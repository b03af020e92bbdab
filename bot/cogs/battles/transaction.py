"""What all use cases of random events share: which battle is meant, who may touch it, and one entry for each deed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.embed import entry_pages
from bot.cogs.battles.store import Battle, Header
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.entry_kinds import EntryView
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import Library
from bot.core.permissions import Person, require_roller
from bot.core.records import Change, Entry
from bot.core.subjects import subject_key
from bot.core.visibility import require_part, viewer_of
from bot.errors import BadInput, NotOpen
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.ui.text import listing
from rules.errors import nearest

BOOK, FAMILY = "battlesystem", "random-events"
Seen = TypeVar("Seen")
HOW_TO_START = "A game master begins one with /events battle action:start."


@dataclass(frozen=True, slots=True)
class Deed:
    """What is to be entered: the body, the changes, the free texts, and whether the results channel hears of it.

    `asides` are for nobody but who does it, and stand in no entry.
    """

    body: Mapping[str, Any]
    changes: Sequence[Change]
    texts: Mapping[str, str] = field(default_factory=dict)
    public: bool = False
    asides: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """A deed that is entered: the posts that are still to be sent, and the battle as it stands now, None once it is over.

    `asides` are what only the person who did it is told.
    """

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]
    battle: Battle | None
    asides: Sequence[str]


class Headquarters:
    """Reads battles and carries deeds out, one transaction and one entry for each."""

    def __init__(self, database: Database, library: Library, outbox: Outbox, ledger: Ledger) -> None:
        self.database = database
        self.library = library
        self._outbox = outbox
        self._ledger = ledger

    async def do(self, person: Person, campaign_id: int, work: Callable[[Connection, Campaign], Deed]) -> Done:
        """Carry out what `work` makes of the battles as they stand when its turn comes.

        Raises:
            UserError: it is refused; nothing has been written.

        """
        return await self.database.write(lambda tx: self._do(tx, person, campaign_id, work))

    async def look(self, person: Person, campaign: Campaign, work: Callable[[Connection], Seen]) -> Seen:
        """What somebody who takes part reads of a campaign's battles.

        Raises:
            NotAllowed: the person takes no part.
            BadInput: the campaign does not play by the book.

        """

        def read(tx: Connection) -> Seen:
            self.library.require(campaign, BOOK)
            require_part(viewer_of(tx, person, campaign))
            return work(tx)

        return await self.database.read(read)

    def _do(
        self, tx: Connection, person: Person, campaign_id: int, work: Callable[[Connection, Campaign], Deed]
    ) -> Done:
        campaign = open_campaign(tx, campaign_id)
        self.library.require(campaign, BOOK)
        deed = work(tx, campaign)
        draft = EntryDraft("battle", "results", deed.body, tuple(deed.changes), deed.texts)
        entry = self._ledger.enter(tx, campaign, person.user_id, draft)
        pages = entry_pages(EntryView(entry, campaign.name), "public") if deed.public else []
        letters = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
        queued = self._outbox.queue(tx, campaign.id, entry.number, letters)
        left = next((item for item in store.fought(tx, campaign.id) if item.name == deed.body["battle"]), None)
        return Done(campaign, entry, tuple(queued), left, deed.asides)


def commands(person: Person, campaign: Campaign) -> bool:
    """Whether the person may roll random events and do what belongs to it."""
    return person.leads(campaign) or (person.plays(campaign) and FAMILY in campaign.players_may)


def require_commander(person: Person, campaign: Campaign, deed: str | None = None) -> None:
    """Refuse whoever may not roll random events: game masters may, and players where their campaign opens it to them.

    `deed` names what is refused where it is no roll.

    Raises:
        NotAllowed: the person may not.

    """
    require_roller(person, campaign, FAMILY, deed=deed)


def chosen(tx: Connection, campaign_id: int, named: str | None) -> Battle:
    """The battle that is named; left out, the only one that is being fought.

    Raises:
        BadInput: there is none of this name, none at all, or several.
        NotOpen: it is over.

    """
    running = store.fought(tx, campaign_id)
    if named is None or not named.strip():
        return _only(running)
    found = next((item for item in running if subject_key(item.name) == subject_key(named)), None)
    if found is None:
        _refuse(named, store.headers(tx, campaign_id))
    return found


def side_of(battle: Battle, given: str) -> str:
    """The side of a battle that is meant.

    Raises:
        BadInput: the battle has no such side.

    """
    sides = battle.header.sides
    found = next((side for side in sides if subject_key(side) == subject_key(given)), None)
    if found is None:
        close = nearest(given[:60], sides)
        hint = f"Did you mean {close}?" if close else f"Its sides are {' and '.join(sides)}."
        raise BadInput(f"{battle.name} has no side {given[:60]!r}.", hint)
    return found


def _only(running: Sequence[Battle]) -> Battle:
    if not running:
        raise BadInput("No battle is being fought.", HOW_TO_START)
    if len(running) > 1:
        names = listing([item.name for item in running])
        raise BadInput(f"Several battles are being fought: {names}.", "Name the one you mean as battle.")
    return running[0]


def _refuse(named: str, known: Sequence[Header]) -> NoReturn:
    over = next((item for item in known if subject_key(item.name) == subject_key(named)), None)
    if over is not None:
        raise NotOpen(f"{over.name} is over: it ended in turn {over.turn}.", HOW_TO_START)
    close = nearest(named[:60], [item.name for item in known if not item.over])
    raise BadInput(f"There is no battle {named[:60]!r}.", f"Did you mean {close}?" if close else HOW_TO_START)
