"""What all transactions about battles share: which battle is meant, who may touch it, and one entry for each change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from msgspec import Struct, field
from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.bodies import BattleBody
from bot.cogs.battles.embed import entry_pages
from bot.core.campaigns import Campaign, open_campaign
from bot.core.entry_kinds import EntryView
from bot.core.ledger import EntryDraft
from bot.core.permissions import Person, require_roller
from bot.core.records import Change, Entry
from bot.errors import BadInput, NotOpen
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from bot.ui.text import listing
from rules.books.battlesystem.state import Battle, Combatant, Header, Replacement
from rules.errors import nearest
from rules.subjects import name_key

BOOK, FAMILY = "battlesystem", "random-events"
HOW_TO_START = "A game master begins one with /events battle action:start."


class BattleChange(Struct, frozen=True):
    """What is to be entered: the battle's header before it, the body, what is replaced, and the free texts.

    `subjects` are the names of units of which nothing was kept before. `public`: whether the results channel hears of it.
    `asides` are for nobody but who does it, and stand in no entry.
    """

    header: Header
    body: BattleBody
    replacements: Sequence[Replacement]
    texts: Mapping[str, str] = field(default_factory=dict)
    subjects: Sequence[Change] = ()
    public: bool = False
    asides: Sequence[str] = ()


class EnteredChange(Struct, frozen=True):
    """A change that is entered: the posts that are still to be sent, and the battle as it stands now, None once it is over.

    `asides` are what only the person who did it is told.
    """

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]
    battle: Battle | None
    asides: Sequence[str]


def campaign_with_battles(tx: Connection, resolver: Resolver, campaign_id: int) -> Campaign:
    """Return the campaign, its row locked, when battles can be fought in it.

    Raises:
        NotOpen: it is gone or archived.
        BadInput: it does not play by the book.

    """
    campaign = open_campaign(tx, campaign_id)
    resolver.library.require(campaign, BOOK)
    return campaign


def enter(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, change: BattleChange
) -> EnteredChange:
    """Enter a change of a battle and queue what the results channel hears of it."""
    changes = (*change.subjects, *store.changes(change.header, change.replacements))
    units = [item for pair in change.replacements for item in pair if isinstance(item, Combatant)]
    draft = EntryDraft("battle", "results", change.body, changes, change.texts, subjects=units)
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    pages = entry_pages(EntryView(entry, campaign.name), "public") if change.public else []
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
    posts = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    battle = next((item for item in store.fought(tx, campaign.id) if item.name == change.body["battle"]), None)
    return EnteredChange(campaign, entry, tuple(posts), battle, change.asides)


def may_command(person: Person, campaign: Campaign) -> bool:
    """Return whether the person may roll random events and do what belongs to it."""
    return person.leads(campaign) or (person.plays(campaign) and FAMILY in campaign.players_may)


def require_commander(person: Person, campaign: Campaign, action: str | None = None) -> None:
    """Refuse whoever may not roll random events: game masters may, and players where their campaign opens it to them.

    `action` names what is refused where it is no roll.

    Raises:
        NotAllowed: the person may not.

    """
    require_roller(person, campaign, FAMILY, deed=action)


def find_battle(tx: Connection, campaign_id: int, name: str | None) -> Battle:
    """Return the battle of a name; left out, the only one that is being fought.

    Raises:
        BadInput: there is none of this name, none at all, or several.
        NotOpen: it is over.

    """
    running = store.fought(tx, campaign_id)
    if name is None or not name.strip():
        return _only(running)
    battle = next((item for item in running if name_key(item.name) == name_key(name)), None)
    if battle is None:
        _refuse(name, store.headers(tx, campaign_id))
    return battle


def battle_begun_by(tx: Connection, campaign_id: int, entry: int) -> Battle:
    """Return the battle that an entry began.

    Raises:
        NotOpen: it is over.

    """
    battle = next((item for item in store.fought(tx, campaign_id) if item.header.entry == entry), None)
    if battle is None:
        raise NotOpen("That battle is over.", "Everything of it has ended.")
    return battle


class SeenTurn(Struct, frozen=True):
    """Which turn of which battle, told by the entry that began it, somebody was asked about."""

    battle: int
    turn: int


def battle_in_turn(tx: Connection, campaign_id: int, seen: SeenTurn) -> Battle:
    """Return a battle that is still in the turn that was seen.

    Raises:
        NotOpen: that turn has ended, or the battle is over.

    """
    battle = battle_begun_by(tx, campaign_id, seen.battle)
    if battle.header.turn != seen.turn:
        what = f"Turn {seen.turn} of {battle.name} has ended already: it is turn {battle.header.turn}."
        raise NotOpen(what, "Nothing more has ended. See /events active.")
    return battle


def side_of(battle: Battle, typed: str) -> str:
    """Return the side of a battle that is meant.

    Raises:
        BadInput: the battle has no such side.

    """
    sides = battle.header.sides
    side = next((side for side in sides if name_key(side) == name_key(typed)), None)
    if side is None:
        close = nearest(typed[:60], sides)
        hint = f"Did you mean {close}?" if close else f"Its sides are {' and '.join(sides)}."
        raise BadInput(f"{battle.name} has no side {typed[:60]!r}.", hint)
    return side


def _only(running: Sequence[Battle]) -> Battle:
    if not running:
        raise BadInput("No battle is being fought.", HOW_TO_START)
    if len(running) > 1:
        names = listing([item.name for item in running])
        raise BadInput(f"Several battles are being fought: {names}.", "Name the one you mean as battle.")
    return running[0]


def _refuse(name: str, known: Sequence[Header]) -> NoReturn:
    over = next((item for item in known if name_key(item.name) == name_key(name)), None)
    if over is not None:
        raise NotOpen(f"{over.name} is over: it ended in turn {over.turn}.", HOW_TO_START)
    close = nearest(name[:60], [item.name for item in known if not item.over])
    raise BadInput(f"There is no battle {name[:60]!r}.", f"Did you mean {close}?" if close else HOW_TO_START)
