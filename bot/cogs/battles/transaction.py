"""What all transactions about battles share: who may touch one, and one entry for each change, which is posted where it is public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.battles.embed import entry_pages
from bot.core import knowledge, scene_entries, scenes, subjects
from bot.core.campaigns import Campaign, on_server, require_open
from bot.core.entry_kinds import EntryView
from bot.core.library import Library, effect_label
from bot.core.permissions import Person, require_roller
from bot.core.records import Entry
from bot.core.scene_entries import SceneChange, counted
from bot.core.scenes import Kind
from bot.core.visibility import Viewer, any_player
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from rules.books.battlesystem.state import BATTLE, EVENT, Battle, EventLine, Header, InForce
from rules.effects import EFFECT
from rules.scenes import Names
from rules.subjects import number_of

BOOK, FAMILY = "battlesystem", "random-events"


def _battle(values: Mapping[str, Any], events: Sequence[Mapping[str, Any]], names: Names) -> Battle:
    return Battle.of(Header.of(values[BATTLE]), values, [InForce.of(value, names) for value in events], names)


BATTLES = Kind(
    header=Header,
    read=_battle,
    doing="being fought",
    begin="A game master starts one with /events battle action:start.",
    look="See /events active.",
    members="See /events unit list.",
    beside=EVENT,
)


class EnteredChange(Struct, frozen=True):
    """A change that is entered: the posts that are still to be sent, and the battle as it stands now, None once it is over.

    `asides` are what only the person who did it is told.
    """

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]
    battle: Battle | None
    asides: Sequence[str]


def campaign_with_battles(
    tx: Connection, library: Library, person: Person, campaign_id: int, *, lock: bool = True
) -> Campaign:
    """Return the campaign when battles can be fought in it, its row locked unless it is only read."""
    campaign = on_server(tx, person.guild_id, campaign_id, lock=lock)
    require_open(campaign)
    library.require(campaign, BOOK)
    return campaign


def commanded(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, action: str | None = None
) -> Campaign:
    """Return the campaign as `campaign_with_battles` does, for somebody who may roll random events; see `require_commander`."""
    campaign = campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_commander(person, campaign, action)
    return campaign


def enter(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, change: SceneChange) -> EnteredChange:
    """Enter a change of a battle, with the effects that end by it as far as everybody knows, and queue what the results channel hears of it."""
    over = ended_effects(tx, resolver.library, any_player(campaign), change)
    if over:
        change = replace(change, body={**change.body, "ended": [*change.body.get("ended", ()), *over]})
    entry = scene_entries.enter(tx, resolver.ledger, campaign, person.user_id, change)
    pages = entry_pages(EntryView(entry, campaign.name), "public") if change.public else []
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
    posts = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    battle = next((item for item in scenes.running(tx, campaign.id, BATTLES) if item.name == change.scene.name), None)
    return EnteredChange(campaign, entry, tuple(posts), battle, change.asides)


def ended_effects(tx: Connection, library: Library, viewer: Viewer, change: SceneChange) -> list[EventLine]:
    """Return the effects, set by whatever else, that end when a battle changes so, as far as somebody may know of them."""
    lasting = scene_entries.effects(tx, viewer.campaign)
    ended = {
        (item.subject, item.name) for item in counted(lasting, change.scene, change.replacements) if not item.after
    }
    if not ended:
        return []
    every, known = {key: lasting[key] for key in ended}, library.effects(tx, viewer.campaign)
    seen = {key for key, value in knowledge.values(tx, viewer, every).items() if value == every[key]}
    if not viewer.person.leads(viewer.campaign):
        seen -= {(subject, EFFECT + trait) for subject, _ in seen for trait, effect in known.items() if effect.secret}
    names = subjects.names(tx, viewer.campaign.id, {number_of(subject) for subject, _ in seen})
    lines = ((names[number_of(key)], effect_label(known, name, lasting[key, name])) for key, name in seen)
    return [{"name": name, "text": text} for name, text in sorted(lines)]


def may_command(person: Person, campaign: Campaign) -> bool:
    """Return whether the person may roll random events and do what belongs to it."""
    return person.leads(campaign) or (person.plays(campaign) and FAMILY in campaign.players_may)


def require_commander(person: Person, campaign: Campaign, action: str | None = None) -> None:
    """Refuse whoever may not roll random events: game masters may, and players where their campaign opens it to them.

    `action` names what is refused where it is no roll.
    """
    require_roller(person, campaign, FAMILY, deed=action)
