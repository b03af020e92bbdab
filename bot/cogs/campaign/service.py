"""Create, edit, link and archive campaigns."""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from discord import app_commands
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.campaign import settings
from bot.core import campaigns, entries, permissions, scenes
from bot.core.campaigns import SERVER_FIELDS, UPDATE, Campaign, compare_settings, list_settings, open_campaign
from bot.core.errors import BadInput, NoCampaign, NotOpen
from bot.core.ledger import Body, EntryDraft, Ledger
from bot.core.library import Library, list_active_files
from bot.core.permissions import Person, require_game_master, require_manager
from bot.core.records import Change, Link
from bot.core.state import CAMPAIGN_STATE
from bot.kernel import Command, Feature, Kernel
from bot.outbox import queue
from bot.rolls.card import store as card_store
from bot.rolls.fairness import disclosure
from bot.rolls.pending import store as pending
from bot.rolls.resolver import Resolver
from bot.schedules import store as jobs
from bot.ui import parsing, reply, text
from bot.ui.commands import BEGIN
from bot.ui.receipt import NextStep
from rules.phrases import lower_first
from rules.subjects import name_key

FORM = reply.IdTemplate("begun:{campaign:int}:{what:word}")
EXPORT = reply.IdTemplate("delete:{campaign:int}:export")
DELETE = reply.IdTemplate("delete:{campaign:int}:ask")
SHOW, LINK, BOOKS, PLAYERS, MAY, ROLL = "show", "bind", "books", "players", "may", "roll"


RIGHTS: Mapping[str, str] = {
    campaigns.ORDERS: "Give orders",
    campaigns.CHARACTERS: "Edit their own characters",
    campaigns.PLACES: "See where other players' units and characters are",
    campaigns.LEVELS: "See levels of other players' characters",
}
MAX_RIGHTS = 25
"""Options of a select."""

POSTED: Mapping[str, Collection[queue.PostKind]] = {
    "results_channel_id": ("results", "published", "news", "audit"),
    "staff_channel_id": ("staff", "whole", "notice", "reminder", "question", "board"),
}
"""Kinds of posts by the field of the channel that gets them."""


def check_new(tx: Connection, resolver: Resolver, person: Person, given: settings.CampaignSettings) -> None:
    """Refuse what a new campaign can't have, before anything is made for it. A window may still ask for its name."""
    new = _make_draft(tx, resolver, person, replace(given, name=given.name or "?"))
    picked = [channel_id for channel_id in (new.results_channel_id, new.staff_channel_id) if channel_id]
    if len(picked) > 1:
        settings.require_two_channels(new)
    if given.name:
        _require_new_name(tx, new)
    require_free(tx, new, picked)


def create(
    tx: Connection, resolver: Resolver, person: Person, given: settings.CampaignSettings
) -> tuple[Campaign, list[queue.Post]]:
    """Create a campaign; return it with its first posts."""
    ledger, new = resolver.ledger, _make_draft(tx, resolver, person, given)
    new = replace(new, uuid=str(uuid.UUID(bytes=ledger.randomness(16), version=4)))
    settings.require_two_channels(new)
    _require_new_name(tx, new)
    require_free(tx, new, (new.results_channel_id, new.staff_channel_id))
    made = campaigns.add_campaign(tx, new)
    for channel_id in (made.results_channel_id, made.staff_channel_id):
        campaigns.link_channel(tx, made.id, channel_id)
    first = {"number": 1, "name": "Update 1", "since": made.created_at.isoformat()}
    _, messages = disclosure.begin(tx, ledger, made, Link(made.uuid))
    _enter(tx, ledger, made, person, {"created": list_settings(made)}, Change(CAMPAIGN_STATE, UPDATE, None, first))
    return made, resolver.outbox.queue(tx, made.id, None, messages)


def _make_draft(tx: Connection, resolver: Resolver, person: Person, given: settings.CampaignSettings) -> Campaign:
    require_manager(person, "create a campaign")
    ledger = resolver.ledger
    return Campaign(
        id=0,
        uuid="",
        guild_id=person.guild_id,
        name=settings.check_name(given.name),
        books=settings.read_books(resolver.library, (), given.books),
        timezone=settings.check_timezone(given.timezone, ledger.now()),
        results_channel_id=given.results_channel_id,
        staff_channel_id=given.staff_channel_id,
        game_master_role_id=given.game_master_role_id,
        player_role_id=given.player_role_id,
        players_may=settings.read_players_may(tx, resolver.library, None, given.players_may),
        created_at=ledger.now(),
        archived_at=None,
    )


def edit(tx: Connection, kernel: Kernel, person: Person, campaign_id: int, changes: Mapping[str, Any]) -> Campaign:
    """Change settings by field name."""
    before, now = open_campaign(tx, campaign_id), kernel.ledger.now()
    if any(field in SERVER_FIELDS for field in changes):
        require_manager(person, "change a campaign's channels and roles")
    elif not person.manages_server:
        require_game_master(person, before, "change its settings")
    after = replace(before, **settings.check_settings(tx, kernel.library, before, changes, now))
    if not compare_settings(before, after):
        raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
    settings.require_two_channels(after)
    if name_key(after.name) != name_key(before.name):
        _require_new_name(tx, after)
    require_free(tx, after, [changes[field] for field in POSTED if field in changes])
    campaigns.save_campaign(tx, after)
    permissions.require_own_channels(tx, after.id, [after.results_channel_id, after.staff_channel_id])
    for field, kinds in POSTED.items():
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            campaigns.link_channel(tx, after.id, new)
            queue.redirect(tx, after.id, kinds, (old, new), now)
    if after.timezone != before.timezone:
        jobs.move_to_zone(tx, before, after, now)
    _enter(tx, kernel.ledger, after, person, {"edited": compare_settings(before, after)})
    return after


def choose(tx: Connection, kernel: Kernel, person: Person, campaign_id: int, what: str, picked: Sequence[str]) -> None:
    """Play by exactly these books (ids), let this role play (or everyone), or let players do what is picked."""
    before = open_campaign(tx, campaign_id)
    role = next((int(value) for value in picked if value.isdecimal()), None)
    if what == PLAYERS and role != before.player_role_id:
        edit(tx, kernel, person, campaign_id, {"player_role_id": role})
    elif what in {BOOKS, MAY}:
        field, offered = (
            ("books", list_titles(kernel.library))
            if what == BOOKS
            else ("players_may", list_rights(tx, kernel.library, before))
        )
        on = [word for word in getattr(before, field) if word in offered]
        if set(picked) != set(on):
            typed = ", ".join([*picked, *(f"-{word}" for word in on if word not in picked)])
            edit(tx, kernel, person, campaign_id, {field: typed})


def archive(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, *, archived: bool, seen: int | None = None
) -> tuple[Campaign, int]:
    """Archive or restore a campaign; return it and the entry's number.

    Refuse if it was archived or restored after entry `seen`.
    """
    require_manager(person, "archive a campaign")
    before = campaigns.get_campaign(tx, campaign_id, lock=True)
    if before is None or (before.archived_at is not None) == archived:
        raise BadInput(f"The campaign is already {'archived' if archived else 'open'}.")
    for entry in () if seen is None else entries.walk_entries(tx, before.id, after=seen):
        if entry.kind == "campaign" and "archived" in entry.content():
            what = f"{before.name} was archived or restored since you looked (entry #{entry.number})."
            raise NotOpen(what, "Nothing was done. Use /campaign archive to look again.")
    if not archived:
        own = (before.results_channel_id, before.staff_channel_id)
        require_free(tx, before, [*own, *campaigns.list_linked_channels(tx, before.id)])
    after = replace(before, archived_at=ledger.now() if archived else None)
    campaigns.save_campaign(tx, after)
    return after, _enter(tx, ledger, after, person, {"archived": archived})


def link(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, channel_id: int) -> bool:
    """Link a channel to a campaign; return False if it was linked already."""
    require_manager(person, "link channels to a campaign")
    campaign = open_campaign(tx, campaign_id)
    require_free(tx, campaign, [channel_id])
    if not campaigns.link_channel(tx, campaign_id, channel_id):
        return False
    _enter(tx, ledger, campaign, person, {"bound": str(channel_id)})
    return True


def unlink(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, channel_id: int) -> bool:
    """Unlink a channel from a campaign; return False if it wasn't linked."""
    require_manager(person, "unlink channels from a campaign")
    campaign = open_campaign(tx, campaign_id)
    gone = campaigns.unlink_channel(tx, campaign_id, channel_id)
    if gone:
        _enter(tx, ledger, campaign, person, {"unbound": str(channel_id)})
    return gone


def give_key(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, sealed: str | None) -> None:
    """Store an encrypted random.org key (None: delete it)."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "change its random.org key")
    if sealed is None and not campaign.asks_outside:
        raise NotOpen("The key is already removed.", "See /gm settings.")
    campaigns.keep_outside_key(tx, campaign.id, sealed)
    _enter(tx, ledger, campaign, person, {"asks_outside": sealed is not None})


def _enter(tx: Connection, ledger: Ledger, campaign: Campaign, person: Person, body: Body, *changes: Change) -> int:
    return ledger.enter(tx, campaign, person.user_id, EntryDraft("campaign", "staff", body, changes)).number


def _require_new_name(tx: Connection, campaign: Campaign) -> None:
    taken = campaigns.find_campaign(tx, campaign.guild_id, campaign.name)
    if taken is not None and taken.id != campaign.id:
        raise BadInput(f"This server already has a campaign called {taken.name}.", "Pick another name.")


def require_free(tx: Connection, campaign: Campaign, channel_ids: Sequence[int]) -> None:
    """Refuse channels (ids) that another open campaign of the server uses."""
    linked = campaigns.find_linked(tx, campaign.guild_id, channel_ids)
    for channel_id in channel_ids:
        others = [
            other for other in linked.get(channel_id, ()) if other.id != campaign.id and other.archived_at is None
        ]
        if others:
            name = others[0].name
            raise BadInput(
                f"<#{channel_id}> already belongs to {name}, and a channel has one campaign.",
                f"Pick another channel, or free this one: /campaign link unlink:True channel:… campaign:{name}, "
                f"or archive that game: /campaign archive campaign:{name}.",
            )


MAX_COUNTED = 1000


class CampaignView(Struct, frozen=True):
    """A campaign with linked channels (ids), book titles by id, and lines about what waits for a book."""

    campaign: Campaign
    linked: Sequence[int]
    titles: Mapping[str, str]
    unfinished: Sequence[str]


def view_campaign(tx: Connection, kernel: Kernel, person: Person, campaign: Campaign) -> CampaignView:
    """View settings; only members see what waits."""
    inside = person.plays(campaign) or person.leads(campaign)
    waiting = list_unfinished(tx, kernel, campaign) if inside else []
    return CampaignView(campaign, campaigns.list_linked_channels(tx, campaign.id), list_titles(kernel.library), waiting)


def count_archiving(tx: Connection, person: Person, campaign: Campaign) -> tuple[int, int, int]:
    """Count the open cards and schedules that archiving stops; also return the newest entry's number."""
    require_manager(person, "archive a campaign")
    cards = card_store.list_open_cards(tx, campaign.id, None, MAX_COUNTED)
    newest = entries.find_link(tx, campaign.id, campaign.uuid).number
    return len(cards), len(jobs.list_schedules(tx, campaign.id)), newest


def list_titles(library: Library) -> dict[str, str]:
    """Return book titles by id."""
    return {book.id: book.title_with_id for book in library.shipped.values()}


def list_unfinished(tx: Connection, kernel: Kernel, campaign: Campaign) -> list[str]:
    """Return lines about battles, scenes and rolls that wait until their book is on again."""
    paused = [
        f"{text.plain(header.name)} is paused until the book {feature.book} is switched on again."
        for feature in kernel.features
        if feature.kind is not None and feature.book not in campaign.books
        for header in scenes.list_headers(tx, campaign.id, feature.kind)
        if not header.over
    ]
    return [*paused, *pending.list_unfinished(tx, campaign)]


def find_named_or_only(tx: Connection, guild_id: int, channels: Sequence[int], name: str | None) -> Campaign:
    """Find a campaign by name, else the server's only open one; refuse if several are open."""
    if name is not None:
        return campaigns.require_campaign(tx, guild_id, name)
    played = [campaign for campaign in campaigns.list_campaigns(tx, guild_id) if campaign.archived_at is None]
    if len(played) > 1:
        names = ", ".join(campaign.name for campaign in played)
        raise NoCampaign(f"Several campaigns are here: {names}.", f"Pick one, for example campaign:{played[0].name}.")
    return played[0] if played else campaigns.locate_campaign(tx, guild_id, channels)


class CampaignStart(Struct, frozen=True):
    """A campaign with its next steps."""

    campaign: Campaign
    steps: Sequence[NextStep]
    titles: Mapping[str, str]
    rights: Mapping[str, str]


def list_rights(tx: Connection, library: Library, campaign: Campaign) -> dict[str, str]:
    """Return what players may be allowed, with words; not rolls that are always open."""
    rolls = {
        family: item.title
        for book in (library.shipped[book] for book in campaign.books if book in library.shipped)
        for family, item in book.procedures.items()
        if item.policy.on_request and not item.policy.open_to_players
    }
    own = {table: title for file in list_active_files(tx, campaign.id) for table, title in file.tables.items()}
    words = {family: f"Roll {lower_first(title)}" for family, title in {**rolls, **own}.items()}
    return dict([*RIGHTS.items(), *words.items()][:MAX_RIGHTS])


def list_staff_commands(features: Iterable[Feature], campaign: Campaign) -> list[str]:
    """Return the top-level commands for game masters only, of a campaign's books."""
    played = [feature for feature in features if feature.book in {None, *campaign.books}]
    found = []
    for command in dict.fromkeys(command for feature in played for command in feature.commands):
        inside = list(command.walk_commands()) if isinstance(command, app_commands.Group) else [command]
        leaves = [leaf for leaf in inside if isinstance(leaf, app_commands.Command)]
        if leaves and all(_is_closed(leaf, campaign) for leaf in leaves):
            found.append(command.name)
    return sorted(found)


def _is_closed(leaf: Command, campaign: Campaign) -> bool:
    family = leaf.extras.get("family")
    closed = family is not None and family not in campaign.players_may
    return closed or leaf.extras.get(parsing.WHO) == parsing.GAME_MASTERS[parsing.WHO]


def look_at_beginning(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, channels: Sequence[int]
) -> CampaignStart:
    """Return a campaign's next steps, as seen from channels (nearest first)."""
    campaign = open_campaign(tx, campaign_id, lock=False)
    if not person.manages_server:
        require_game_master(person, campaign, "set it up")
    linked = not set(channels).isdisjoint(campaigns.list_linked_channels(tx, campaign.id))
    named, rights = list_titles(kernel.library), list_rights(tx, kernel.library, campaign)
    hooks = [feature.next_steps for feature in kernel.features if feature.next_steps is not None]
    steps = [
        *_list_own_steps(campaign, named, rights, linked=linked),
        *(step for hook in hooks for step in hook(tx, kernel.library, campaign)),
    ]
    public = entries.AudienceFilter(("results", "mixed"), None)
    rolled = next(entries.walk_back(tx, campaign.id, "roll", public), None) is not None
    about = "everyone can see one" if rolled else "see which rolls there are"
    steps.append(NextStep("First roll", BEGIN.fill(campaign=campaign.id, what=ROLL), about, rolled))
    return CampaignStart(campaign, steps, named, rights)


def _list_own_steps(
    campaign: Campaign, named: Mapping[str, str], rights: Mapping[str, str], *, linked: bool
) -> Iterator[NextStep]:
    here = (
        "commands here act on it"
        if linked
        else "so that commands here act on this campaign. For a whole category: /campaign link"
    )
    yield NextStep("Link this channel", BEGIN.fill(campaign=campaign.id, what=LINK), here, linked)
    books = ", ".join(text.plain(named.get(book, book)) for book in campaign.books)
    yield NextStep("Books", BEGIN.fill(campaign=campaign.id, what=BOOKS), f"it plays {books}", done=True)
    role = campaign.player_role_id
    players = f"<@&{role}> plays" if role else "everyone can play. Pick a role to limit that"
    yield NextStep("Players' role", BEGIN.fill(campaign=campaign.id, what=PLAYERS), players, role is not None)
    orders = f"{campaigns.ORDERS}."
    words = [
        f"give the order {word.removeprefix(orders)}"
        if word.startswith(orders)
        else lower_first(rights.get(word, f"Roll {word}"))
        for word in campaign.players_may
    ]
    may = f"they may {text.join_words(words)}" if words else "they can't roll or order yet"
    yield NextStep("Players may", BEGIN.fill(campaign=campaign.id, what=MAY), may, done=bool(words))
