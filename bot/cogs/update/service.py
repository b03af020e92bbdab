"""Updates: looked at, closed by hand or by schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import cast

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.update.embed import (
    ClosedUpdate,
    Lasting,
    SeenUpdate,
    Update,
    UpdateToClose,
    UpdateView,
    begun_embed,
    closed_embed,
)
from bot.core import erasing, state, subjects
from bot.core.campaigns import (
    UPDATE,
    Campaign,
    current_update,
    make_moment,
    open_campaign,
    require_on_server,
    require_open,
    require_update,
)
from bot.core.ledger import EntryDraft
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.state import CAMPAIGN_STATE, WEATHER
from bot.core.visibility import Viewer, make_viewer
from bot.errors import BadInput
from bot.kernel import Feature
from bot.orders import locking
from bot.orders.played_scene import scene_of
from bot.orders.standing import close_orders as orders_over
from bot.orders.standing import list_standing
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls import entries
from bot.rolls.consequences import close_rolls
from bot.rolls.resolver import Resolver
from bot.schedules.store import SCHEDULE, Ahead, Job
from bot.ui.todo import Todo, count_first
from rules.effects import EFFECT
from rules.ends import Moment, holds
from rules.subjects import name_key, number_of, strip_unseen


def lasting_effects(tx: Connection, campaign: Campaign, moment: Moment) -> Iterator[tuple[str, str, bool]]:
    """Yield the effects that hold at a moment: bearer, effect, and whether it ends with the update."""
    kept = state.find_in_force(tx, campaign.id, EFFECT, moment.update)
    kept = {key: value for key, value in kept.items() if holds(value, moment)}
    names = subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in kept})
    bearers = {key: names[number_of(key)] for key, _ in kept}
    for (key, name), value in sorted(kept.items(), key=lambda item: (name_key(bearers[item[0][0]]), item[0])):
        yield bearers[key], value.get("label") or name.removeprefix(EFFECT).replace("-", " "), "update" in value


MAX_NAME = 60
TO_CLOSE = "close an update"


def view_update(
    tx: Connection, library: Library, features: Sequence[Feature], person: Person, campaign: Campaign
) -> UpdateView:
    """Return the current update and what waits in it, as far as the person may know; game masters see what ends with it and what lasts."""
    view, viewer = _view(tx, person, campaign), make_viewer(tx, person, campaign)
    if not person.takes_part(campaign):
        return view
    todos = () if campaign.archived_at is not None else _todos(tx, library, features, viewer)
    rolled, rolls = count_first(entries.list_elsewhere(tx, campaign))
    return replace(view, rolled=rolled, rolls=rolls, todos=todos)


def to_close(
    tx: Connection,
    library: Library,
    features: Sequence[Feature],
    person: Person,
    campaign: Campaign,
    name: str | None = None,
) -> UpdateToClose:
    """Return the current update with what ends with it and what is still to be done, and what the next is to be called, as typed."""
    require_open(campaign)
    require_game_master(person, campaign, TO_CLOSE)
    view, title = _view(tx, person, campaign), _title(name)
    todos = _todos(tx, library, features, make_viewer(tx, person, campaign))
    undone = tuple(filter(None, (todo.undone for todo in todos)))
    instead = tuple(item for todo in todos for item in todo.instead)
    return UpdateToClose(campaign, view, title, undone, orders=bool(list_standing(tx, campaign)), instead=instead)


def seen_to_close(
    tx: Connection, library: Library, features: Sequence[Feature], person: Person, campaign_id: int, seen: SeenUpdate
) -> UpdateToClose:
    """Return the same for the update that somebody saw."""
    campaign = require_on_server(tx, person.guild_id, campaign_id)
    asked = to_close(tx, library, features, person, campaign, seen.next_name)
    require_update(tx, campaign_id, seen.number)
    return asked


def close_by_hand(
    tx: Connection, resolver: Resolver, features: Sequence[Feature], person: Person, campaign_id: int, seen: SeenUpdate
) -> ClosedUpdate:
    """Close the current update, if it is the one that was seen, and begin the next, under a name as typed or its number."""
    require_on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, TO_CLOSE)
    require_update(tx, campaign_id, seen.number)
    closed = close(tx, resolver, campaign, person.user_id, _title(seen.next_name))
    todos = _todos(tx, resolver.library, features, make_viewer(tx, person, campaign))
    return replace(closed, offered=tuple(item for item in todos if item.offered))


def close(tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int, title: str) -> ClosedUpdate:
    """Close the current update of a locked campaign on behalf of `user_id`; without a title the next has its number.

    Its posts, the caller's to send, tell it in the results channel, and what ended with it in the staff's.
    """
    before = _current(tx, campaign)
    number, ledger = before["number"] + 1, resolver.ledger
    begun = ledger.now()
    now = make_moment(before["number"], begun)
    ended = _lasting(tx, campaign, now)[True]
    rolled = entries.list_decided_first(tx, campaign)
    after = Update(number=number, name=title or f"Update {number}", since=begun.isoformat())
    forgotten = close_rolls(tx, campaign.id, resolver.library.shipped.values(), now)
    changes = (Change(CAMPAIGN_STATE, UPDATE, before, after), *forgotten, *orders_over(tx, campaign))
    draft = EntryDraft("update", "results", {"closed": before, "opened": after}, changes)
    entry = ledger.enter(tx, campaign, user_id, draft)
    erasing.clear_tombstones(tx, campaign.id, partial(_takes_part, tx, resolver.library, campaign))
    counts = _counts(tx, campaign)
    held = len(list_standing(tx, campaign))
    closed = ClosedUpdate(before, after, ended, entry.number, counts, rolled, held=held)
    messages = [OutgoingMessage("results", campaign.results_channel_id, [begun_embed(closed)])]
    if ended or closed.held:
        messages.append(OutgoingMessage("whole", campaign.staff_channel_id, [closed_embed(closed)]))
    return replace(closed, posts=tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def _view(tx: Connection, person: Person, campaign: Campaign) -> UpdateView:
    update, counts = _current(tx, campaign), _counts(tx, campaign)
    if not person.leads(campaign):
        return UpdateView(update, counts=counts)
    now = make_moment(update["number"], person.at)
    lasting = _lasting(tx, campaign, now)
    return UpdateView(update, lasting[True], lasting[False], counts)


def _todos(tx: Connection, library: Library, features: Sequence[Feature], viewer: Viewer) -> tuple[Todo, ...]:
    hooks = [feature.todo for feature in features if feature.todo is not None]
    return tuple(item for hook in hooks for item in hook(tx, library, viewer))


def _counts(tx: Connection, campaign: Campaign) -> tuple[str, ...]:
    weeks = state.get_value(tx, campaign.id, CAMPAIGN_STATE, WEATHER)
    return () if weeks is None else (f"week {weeks['last']}",)


def _takes_part(tx: Connection, library: Library, campaign: Campaign, player: str) -> bool:
    """Return whether a player (pseudonym) takes part in a scene that hasn't ended, as the commanders of a war do."""
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


def _current(tx: Connection, campaign: Campaign) -> Update:
    return cast("Update", current_update(tx, campaign.id))


def _lasting(tx: Connection, campaign: Campaign, now: Moment) -> dict[bool, tuple[Lasting, ...]]:
    """Return what holds, by whether it ends with the update."""
    every = [*lasting_effects(tx, campaign, now)]
    return {ends: tuple((who, what) for who, what, bound in every if bound == ends) for ends in (True, False)}


def _close(tx: Connection, resolver: Resolver, campaign: Campaign, _at: datetime) -> tuple[Post, ...]:
    """Close the update: told in the results channel, and what ended with it in the staff channel."""
    return close(tx, resolver, campaign, SCHEDULE, "").posts


def _reached(tx: Connection, campaign: Campaign) -> int:
    return int(current_update(tx, campaign.id)["number"])


def _lock(tx: Connection, resolver: Resolver, campaign: Campaign, _at: datetime) -> tuple[Post, ...]:
    """Lock players' orders ahead of the closing, unless they are."""
    locking.enter_lock(tx, resolver, campaign, SCHEDULE, lock=True)
    return ()


CLOSING = Job(
    id="update",
    title="Closing updates",
    what="the closing of the update",
    does="closes its update",
    run=_close,
    reached=_reached,
    ahead=Ahead("Players' orders lock", _lock),
)
