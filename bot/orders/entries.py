"""Entries about orders: given, cancelled, passed, and locked until lifted or the update closes."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, profiles, state, subjects
from bot.core.campaigns import Campaign, current_update, open_campaign
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen, unknown_name
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryView, Pages, View, next_number
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.records import Change, Entry, Json, read_body
from bot.core.visibility import Viewer, list_played, refuse_acting
from bot.orders.kinds import (
    LabelledKind,
    PlayedKind,
    UpdateKey,
    are_sealed,
    cancel_reason,
    open_update,
    phase_line,
    scene_of,
    with_kinds,
)
from bot.orders.standing import StandingOrder, all_orders, list_standing
from bot.rolls.resolver import Resolver
from bot.ui import parsing, receipt
from bot.ui.text import join_words, plain
from rules import books, errors, ruleset
from rules.orders import LOCK, OrderTaker

GONE = ("That order was already changed, cancelled or resolved.", "See /order list.")
TITLES = {
    "give": "Order given",
    "withdraw": "Order cancelled",
    "pass": "Passed",
    "lapse": "Order cancelled",
    "rest": "Rest of an order cancelled",
}
LAPSED = {"lapse": "cancelled", "rest": "the rest cancelled"}


def sentence(body: Body, _view: View = "staff") -> str:
    """Return an order's entry in one line."""
    if body["deed"] == "pass":
        return f"{plain(body['who'])} passes in this update"
    about = [plain(name) for name in (body["to"], *body["beside"]) if name]
    line = f"{plain(body['label'])}: {plain(body['who'])}" + (f" ({join_words(about)})" if about else "")
    if body["deed"] in LAPSED:
        return f"{line}, {LAPSED[body['deed']]}: {plain(cancel_reason(body))}"
    return f"{line}, cancelled" if body["deed"] == "withdraw" else line


def _pages(shown: EntryView, view: View) -> Pages:
    body, note, reason = read_body(shown.entry), shown.entry.text("note"), shown.entry.text("reason")
    lines = [sentence(body, view)]
    if body["deed"] != "pass":
        lines.append(f"Phase: {plain(body['phase'])}")
    if body.get("before"):
        lines.append(f"{'Replaces' if body['deed'] == 'give' else 'Given as'} entry #{body['before']}")
    lines += [f"**{label}:** {plain(text)}" for label, text in (("Note", note), ("Reason", reason)) if text]
    return receipt.plain_pages(shown, TITLES[body["deed"]], lines)


ORDER_ENTRY = EntryKind("order", "maker", sentence, _pages)


def order_body(deed: str, known: LabelledKind, order: StandingOrder, **more: Json) -> dict[str, Json]:
    """Return the body of an entry about an order; `before` is the entry that gave what it replaces or cancels."""
    to, beside = order.to and order.to.name, [who.name for who in order.beside]
    about = {"deed": deed, "label": known.kind.label, "phase": known.phase.label}
    return {**about, "who": order.who.name, "to": to, "beside": beside, **more}


class OrderWork(Struct, frozen=True):
    """What a transaction on orders needs."""

    tx: Connection
    resolver: Resolver
    person: Person
    campaign: Campaign


def require_reason(typed: str) -> str:
    """Return the typed reason, trimmed. BadInput if it is empty."""
    reason = parsing.parse_text(typed, "reason")
    if reason is None:
        raise BadInput("This needs a reason.", "Write one. The player sees it.")
    return reason


def cancel_order(
    work: OrderWork, known: LabelledKind, order: StandingOrder, why: str, reason: str | None = None
) -> Entry:
    """Enter that an order, or what is left of it, is cancelled."""
    had = order.in_phase(known.phase.id)
    body = order_body("rest" if had else "lapse", known, order, before=order.entry, why=why)
    if reason:  # by hand it is cancelled in no phase
        body["phase"] = phase_line(known)
    after = (
        replace(order, done={**order.done, known.phase.id: had[-1]}, rolled=())
        if had
        else replace(order, lapsed=next_number(work.tx, work.campaign))
    )
    change = Change(order.who.key, order.name, order.value(), after.value())
    texts = {"reason": reason} if reason else {}
    draft = EntryDraft(ORDER_ENTRY.name, "maker", body, (change,), texts, subjects=(order.who,))
    return work.resolver.ledger.enter(work.tx, work.campaign, work.person.user_id, draft)


def cancel_with_scene(work: OrderWork, book: ruleset.RuleSet, why: str) -> list[Entry]:
    """Cancel the open orders of a book whose scene is over."""
    return [cancel_order(work, known, item, why) for item, known in open_orders(work.tx, work.campaign, book)]


def open_orders(tx: Connection, campaign: Campaign, book: ruleset.RuleSet) -> list[tuple[StandingOrder, LabelledKind]]:
    """Return a book's unresolved orders with their kinds."""
    orders = [item for item in all_orders(tx, campaign) if item.book == book.id and item.is_unresolved]
    return with_kinds(tx, campaign, [book], orders)


def cancel_all(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, typed: str) -> list[Entry]:
    """Cancel all open orders of an update, one entry each."""
    reason = require_reason(typed)
    left = orders_to_cancel(tx, resolver, person, key, lock=True)
    work = OrderWork(tx, resolver, person, open_campaign(tx, key.campaign))
    return [cancel_order(work, known, item, "the update closes", reason) for item, known in left]


def orders_to_cancel(
    tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, *, lock: bool = False
) -> list[tuple[StandingOrder, LabelledKind]]:
    """Return an update's open orders and kinds, for a game master. NotAsItIs without any."""
    campaign = open_update(tx, person, key, "cancel orders", lock=lock)
    left = with_kinds(tx, campaign, resolver.library.list_books(tx, campaign), list_standing(tx, campaign))
    if not left:
        raise NotAsItIs("No open orders to cancel.", "See /order list.")
    return left


def find_lock_start(tx: Connection, campaign: Campaign) -> datetime | None:
    """Return since when players' orders are locked; None if they aren't."""
    kept: Mapping[str, Json] | None = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, LOCK)
    return None if kept is None else datetime.fromisoformat(kept["at"])


def require_unlocked(tx: Connection, library: Library, person: Person, campaign: Campaign) -> None:
    """Refuse players while orders are locked or being resolved."""
    if person.leads(campaign):
        return
    since, name = find_lock_start(tx, campaign), current_update(tx, campaign.id)["name"]
    if since is not None:
        what = f"Orders for {name} have been locked since {discord.utils.format_dt(since, 't')}."
        raise NotOpen(what, "Ask a game master, or wait for the next update.")
    if _half_resolved(tx, library, campaign):
        raise NotOpen(f"Orders for {name} are being resolved.", "Wait until they're done, or ask a game master.")


def _half_resolved(tx: Connection, library: Library, campaign: Campaign) -> bool:
    orders = all_orders(tx, campaign)
    given = min((item.entry for item in orders if item.is_unresolved and not item.held), default=None)
    sealed = {book.id for book in library.list_books(tx, campaign) if are_sealed(tx, campaign.id, book)}
    later = {number for item in orders if item.book in sealed for number in item.entries if given and number > given}
    # What players rolled themselves settles their orders too, but resolves no others.
    return any("orders" in entry.content() for entry in entries.get_entries_bare(tx, campaign.id, later).values())


def enter_lock(tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int, *, lock: bool) -> None:
    """Enter the lock or its end, unless nothing changes."""
    before = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, LOCK)
    if lock == (before is not None):
        return
    at, update = resolver.ledger.now().isoformat(), current_update(tx, campaign.id)
    after = {"entry": next_number(tx, campaign), "update": update["number"], "at": at} if lock else None
    body = {"deed": "lock" if lock else "unlock", "update": update["name"]}
    draft = EntryDraft(LOCK, "staff", body, (Change(state.CAMPAIGN_STATE, LOCK, before, after),))
    resolver.ledger.enter(tx, campaign, user_id, draft)


def set_lock(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, *, lock: bool) -> None:
    """Lock or unlock the seen update's orders."""
    enter_lock(tx, resolver, open_update(tx, person, key, "lock orders"), person.user_id, lock=lock)


def _sentence(body: Body, _view: View = "staff") -> str:
    return f"Players' orders {body['deed']}ed"


def _lock_pages(shown: EntryView, _view: View) -> Pages:
    return receipt.plain_pages(shown, "Orders", [_sentence(shown.entry.content())])


LOCK_ENTRY = EntryKind(LOCK, "staff", _sentence, _lock_pages)


_ASK = "Ask a game master."
_NUMBERED = re.compile(r"\s+#[0-9]+$")  # the number behind a name that several have


class OrderDoer(Struct, frozen=True):
    """Who carries out an order; in a scene also the `doer` there, and the giver's name there (`by`)."""

    who: subjects.Subject
    doer: OrderTaker | None = None
    by: str | None = None

    def require_giver(self, viewer: Viewer, known: PlayedKind) -> None:
        """Refuse an order that the player may not give."""
        able = self.doer is not None and known.kind.id in self.doer.orders
        if self.doer is not None and able and not is_given_by(viewer, self.doer, known.kind.id):
            raise NotAllowed(f"You can't give {self.doer.name} this order: {known.kind.label}.", _ASK)


def find_order_doer(
    tx: Connection, viewer: Viewer, known: PlayedKind, typed: str, people: subjects.Subjects
) -> OrderDoer:
    """Find who is to carry out an order, by typed name; refuse others' doers."""
    pairing = books.find_pairing(known.book.id)
    if pairing.scene is None or known.kind.id not in pairing.kinds:
        return OrderDoer(find_commanded(tx, viewer, typed))
    scene = scene_of(tx, viewer.campaign.id, known.book)
    if scene is None:
        what = f"{viewer.campaign.name} has no {pairing.scene.kind} yet."
        raise NotAsItIs(what, f"A game master starts one with /{pairing.scene.kind} new.")
    typed, every = _NUMBERED.sub("", typed), [*scene.orders.doers(known.book, scene.values, viewpoint_of(viewer))]
    leads = viewer.person.leads(viewer.campaign)
    named = [item for item in every if item.is_called(typed) and (leads or viewer.mine in item.givers)]
    able = (item for item in named if known.kind.id in item.orders)  # a force and a player may share a name
    doer = next(iter((*able, *named)), None)
    if doer is None:
        raise _not_theirs(viewer, known, typed, every)
    who = people.pick_unsaved([doer.name])[0] if doer.apart else people.of(doer.name)
    by = None if leads or viewer.mine is None else scene.orders.called(scene.book, scene.values, viewer.mine)
    return OrderDoer(who, doer, by)


def _not_theirs(viewer: Viewer, known: PlayedKind, typed: str, every: Sequence[OrderTaker]) -> BadInput:
    mine = [item.name for item in every if is_given_by(viewer, item, known.kind.id)]
    mine = mine or [item.name for item in every if is_given_by(viewer, item)]
    hint = f"You can order: {', '.join(mine)}." if mine else _ASK
    others = next((item.name for item in every if item.is_called(typed)), None)
    if others is not None:
        return BadInput(f"You can't give orders for {others}.", hint)
    what = f"You don't know of a {known.kind.by} called {typed!r}."
    return unknown_name(what, typed, mine, hint)


def scene_doers(tx: Connection, viewer: Viewer, book: ruleset.RuleSet, kind: str | None = None) -> list[OrderTaker]:
    """Return those in a book's scene that the person commands: for a kind of order, or any."""
    scene = scene_of(tx, viewer.campaign.id, book)
    every = scene.orders.doers(book, scene.values, viewpoint_of(viewer)) if scene else ()
    return [item for item in every if is_given_by(viewer, item, kind)]


def viewpoint_of(viewer: Viewer) -> str | None:
    """Return the pseudonym by which a scene is seen: empty for onlookers, None for game masters."""
    return None if viewer.person.leads(viewer.campaign) else viewer.mine or ""


def is_given_by(viewer: Viewer, doer: OrderTaker, kind: str | None = None) -> bool:
    """Return whether the person may give a doer in a scene a kind of order, or any."""
    able = [some for order, some in doer.orders.items() if kind in {None, order}]
    return any(viewer.person.leads(viewer.campaign) or viewer.mine in some for some in able)


def find_commanded(tx: Connection, viewer: Viewer, typed: str) -> subjects.Subject:
    """Find the typed character or unit. Refuse a name that the person doesn't command."""
    theirs = list_played(tx, viewer)
    item = subjects.choose_named(theirs, typed)
    if item is not None:
        return subjects.get_subjects(tx, viewer.campaign.id, [item.id])[item.id]
    names = [subjects.label_subject(item) for item in theirs]
    if viewer.person.leads(viewer.campaign):
        what = f"I can't find {typed!r}."
        raise unknown_name(what, typed, names, "Save it first with /roster add.")
    known = [other for other in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(other)]
    other = subjects.choose_named(known, typed)
    if other is not None:
        raise refuse_acting(tx, viewer, other)
    if not names:
        raise NotAllowed(
            f"You can't give orders for {typed}.", "Ask a game master to save your character, with you as owner."
        )
    close = errors.nearest(typed, [item.name for item in theirs])
    meant = f"Did you mean {close}? " if close else ""
    raise NotAllowed(f"You can't give orders for {typed}.", f"{meant}You can give orders for: {', '.join(names)}.")


def takes_part(member: discord.Member, campaign: Campaign) -> bool:
    """Return whether a member has a role of the campaign."""
    roles = frozenset(role.id for role in member.roles)
    return Person(member.id, member.guild.id, roles, manages_server=False).takes_part(campaign)
