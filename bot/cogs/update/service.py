"""Show updates, and close them by hand or schedule."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import cast

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.update import embed
from bot.core import campaigns, erasing, state, subjects
from bot.core.errors import BadInput
from bot.core.ledger import EntryDraft
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.visibility import Viewer, make_viewer
from bot.kernel import Feature
from bot.orders.entries import enter_lock
from bot.orders.kinds import scene_of
from bot.orders.standing import close_orders as orders_over
from bot.orders.standing import list_standing
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls import entries
from bot.rolls.consequences import close_rolls
from bot.rolls.resolver import Resolver
from bot.schedules.store import SCHEDULE, EarlyRun, Job
from bot.ui.receipt import Todo, count_first
from rules.effects import EFFECT, Moment, is_current
from rules.subjects import name_key, number_of, strip_unseen

MAX_NAME = 60
TO_CLOSE = "close an update"


def view_update(
    tx: Connection, library: Library, features: Sequence[Feature], person: Person, campaign: campaigns.Campaign
) -> embed.UpdateView:
    """Return the current update as a person may see it."""
    view, viewer = _view(tx, person, campaign), make_viewer(tx, person, campaign)
    if not person.takes_part(campaign):
        return view
    todos = () if campaign.archived_at is not None else _todos(tx, library, features, viewer)
    rolled, rolls = count_first(entries.list_elsewhere(tx, campaign))
    return replace(view, rolled=rolled, rolls=rolls, todos=todos)


def preview_closing(
    tx: Connection,
    library: Library,
    features: Sequence[Feature],
    person: Person,
    campaign: campaigns.Campaign,
    name: str | None = None,
) -> embed.UpdateToClose:
    """Return the current update before a game master closes it, with the next one's typed name."""
    campaigns.require_open(campaign)
    require_game_master(person, campaign, TO_CLOSE)
    view, title = _view(tx, person, campaign), _title(name)
    todos = _todos(tx, library, features, make_viewer(tx, person, campaign))
    undone = tuple(filter(None, (todo.undone for todo in todos)))
    instead = tuple(item for todo in todos for item in todo.instead)
    return embed.UpdateToClose(campaign, view, title, undone, orders=bool(list_standing(tx, campaign)), instead=instead)


def preview_seen_closing(
    tx: Connection,
    library: Library,
    features: Sequence[Feature],
    person: Person,
    campaign_id: int,
    seen: embed.SeenUpdate,
) -> embed.UpdateToClose:
    """Return the seen update before closing; refuse if another one is current."""
    campaign = campaigns.require_on_server(tx, person.guild_id, campaign_id)
    asked = preview_closing(tx, library, features, person, campaign, seen.next_name)
    campaigns.require_update(tx, campaign_id, seen.number)
    return asked


def close_by_hand(
    tx: Connection,
    resolver: Resolver,
    features: Sequence[Feature],
    person: Person,
    campaign_id: int,
    seen: embed.SeenUpdate,
) -> embed.ClosedUpdate:
    """Close the seen update and begin the next."""
    campaigns.require_on_server(tx, person.guild_id, campaign_id)
    campaign = campaigns.open_campaign(tx, campaign_id)
    require_game_master(person, campaign, TO_CLOSE)
    campaigns.require_update(tx, campaign_id, seen.number)
    closed = close(tx, resolver, campaign, person.user_id, _title(seen.next_name))
    todos = _todos(tx, resolver.library, features, make_viewer(tx, person, campaign))
    return replace(closed, offered=tuple(item for item in todos if item.offered))


def close(
    tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, user_id: int, title: str
) -> embed.ClosedUpdate:
    """Close the update of a campaign locked before, and begin the next; the caller sends its posts."""
    before = _current(tx, campaign)
    number, ledger = before["number"] + 1, resolver.ledger
    begun = ledger.now()
    now = campaigns.make_moment(before["number"], begun)
    ended = tuple(_find_effects(tx, campaign, now)[True])
    rolled = entries.list_decided_first(tx, campaign)
    after = embed.Update(number=number, name=title or f"Update {number}", since=begun.isoformat())
    forgotten = close_rolls(tx, campaign.id, resolver.library.shipped.values(), now)
    changes = (Change(state.CAMPAIGN_STATE, campaigns.UPDATE, before, after), *forgotten, *orders_over(tx, campaign))
    draft = EntryDraft("update", "results", {"closed": before, "opened": after}, changes)
    entry = ledger.enter(tx, campaign, user_id, draft)
    erasing.clear_tombstones(tx, campaign.id, partial(_takes_part, tx, resolver.library, campaign))
    counts, held = _counts(tx, campaign), len(list_standing(tx, campaign))
    closed = embed.ClosedUpdate(before, after, ended, entry.number, counts, rolled, held=held)
    messages = [OutgoingMessage("results", campaign.results_channel_id, [embed.draw_begun(closed)])]
    if ended or closed.held:
        messages.append(OutgoingMessage("whole", campaign.staff_channel_id, [embed.draw_closed(closed)]))
    return replace(closed, posts=tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def _view(tx: Connection, person: Person, campaign: campaigns.Campaign) -> embed.UpdateView:
    update, counts = _current(tx, campaign), _counts(tx, campaign)
    if not person.leads(campaign):
        return embed.UpdateView(update, counts=counts)
    now = campaigns.make_moment(update["number"], person.at)
    found = _find_effects(tx, campaign, now)
    return embed.UpdateView(update, found[True], found[False], counts)


def _todos(tx: Connection, library: Library, features: Sequence[Feature], viewer: Viewer) -> tuple[Todo, ...]:
    hooks = [feature.todo for feature in features if feature.todo is not None]
    return tuple(item for hook in hooks for item in hook(tx, library, viewer))


def _counts(tx: Connection, campaign: campaigns.Campaign) -> tuple[str, ...]:
    weeks = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, state.WEATHER)
    return () if weeks is None else (f"week {weeks['last']}",)


def _takes_part(tx: Connection, library: Library, campaign: campaigns.Campaign, player: str) -> bool:
    for name in campaign.books:
        with suppress(BadInput):  # its house rules don't fit it any more
            book = library.book(tx, campaign, name)
            scene = scene_of(tx, campaign.id, book)
            if scene is not None and scene.orders.called(book, scene.values, player) is not None:
                return True
    return False


def _title(name: str | None) -> str:
    title = strip_unseen(name or "")
    if len(title) > MAX_NAME:
        raise BadInput(f"An update's name has at most {MAX_NAME} characters; that one has {len(title)}.")
    return title


def _current(tx: Connection, campaign: campaigns.Campaign) -> embed.Update:
    return cast("embed.Update", campaigns.current_update(tx, campaign.id))


def _find_effects(tx: Connection, campaign: campaigns.Campaign, now: Moment) -> dict[bool, list[embed.Lasting]]:
    """Return pairs of bearer and effect: under True those that end with the update, else under False."""
    kept = state.find_in_force(tx, campaign.id, EFFECT, now.update)
    kept = {key: value for key, value in kept.items() if is_current(value, now)}
    names = subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in kept})
    bearers = {key: names[number_of(key)] for key, _ in kept}
    found: dict[bool, list[embed.Lasting]] = {True: [], False: []}
    for (key, name), value in sorted(kept.items(), key=lambda item: (name_key(bearers[item[0][0]]), item[0])):
        effect = value.get("label") or name.removeprefix(EFFECT).replace("-", " ")
        found["update" in value].append((bearers[key], effect))
    return found


def _close(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, _at: datetime) -> tuple[Post, ...]:
    return close(tx, resolver, campaign, SCHEDULE, "").posts


def _read_number(tx: Connection, campaign: campaigns.Campaign) -> int:
    return int(campaigns.current_update(tx, campaign.id)["number"])


def _lock(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, _at: datetime) -> tuple[Post, ...]:
    enter_lock(tx, resolver, campaign, SCHEDULE, lock=True)
    return ()


CLOSING = Job(
    id="update",
    title="Closing updates",
    what="the closing of the update",
    does="closes its update",
    run=_close,
    reached=_read_number,
    ahead=EarlyRun("Players' orders lock", _lock),
)
