"""Give, withdraw and pass orders; they stay sealed until resolved."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, profiles, state, subjects, visibility
from bot.core.campaigns import Campaign, current_update, open_campaign, require_on_server
from bot.core.errors import BadInput, MissingInput, NotAsItIs, NotOpen
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.records import Change, Entry, encode_canonical
from bot.core.visibility import Viewer, make_viewer, require_part
from bot.orders import kinds
from bot.orders.entries import (
    OrderBody,
    OrderDoer,
    OrderWork,
    PassBody,
    cancel_order,
    find_commanded,
    find_order_doer,
    require_reason,
    require_unlocked,
)
from bot.orders.forecast import preview_order
from bot.orders.ids import OrderKey
from bot.orders.standing import StandingOrder, all_orders, find_passed, list_standing, visible_to
from bot.rolls.consequences import name_doubts
from bot.rolls.extension import NeededValue
from bot.rolls.preview import Preview
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from rules.orders import PASSED, OrderKind, Who
from rules.subjects import name_key, subject_key

NO_MORE = "That order was already changed, cancelled or resolved."


def _find_changed(
    viewer: Viewer, instead: int | None, stand: Sequence[StandingOrder], same: StandingOrder | None
) -> StandingOrder | None:
    if instead is None:
        return same
    before = next((item for item in stand if item.entry == instead), None)
    if before is None:
        raise NotOpen(NO_MORE, "See /order list.")
    others = {item.entry for item in visible_to(viewer, stand) if item.entry != instead}
    if same is not None and same.entry in others:
        raise NotAsItIs(f"That order was already given: entry #{same.entry}.", "Cancel this one with /order list.")
    return before


def _list_replaced(
    before: StandingOrder | None, same: StandingOrder | None, order: StandingOrder, gone: Iterable[StandingOrder]
) -> Iterator[Change]:
    yield from (Change(order.who.key, item.name, item.value(), None) for item in gone)
    if before is not None and before.name != order.name:
        yield Change(order.who.key, before.name, before.value(), None)
    yield Change(order.who.key, order.name, same and same.value(), order.value())
    if same is not None and not same.stands:
        kept = same.with_follower(order.entry)
        yield Change(order.who.key, kept.name, None, kept.value())


def _require_fit(viewer: Viewer, kind: OrderKind, alike: Sequence[StandingOrder], before: StandingOrder | None) -> None:
    if before is not None and before.partly and before.is_unresolved and visible_to(viewer, [before]):
        raise NotAsItIs("That order is already partly resolved.", "See /order list.")
    others = [item for item in alike if item.stands and item is not before]
    if kind.several and len(others) >= kind.several:
        what = f"{others[0].who.name} can have {kind.several} of these orders at most: {kind.label}."
        raise NotAsItIs(what, "Change or cancel one with /order list.")


ORDER_KIND = "order"
REFUSED, REFUSING = "refused by a game master", "refuse orders"
MAX_BESIDE = 10


class AskedOrder(Struct, frozen=True):
    """An order as typed; `instead` is the entry that it replaces."""

    kind: str
    who: str
    to: str | None = None
    beside: str | None = None
    note: str | None = None
    instead: int | None = None


class GivenOrder(Struct, frozen=True):
    """A given order that replaces (`before`) or `follows` an entry, its forecast (`ahead`), and name `doubts`."""

    campaign: Campaign
    entry: Entry
    known: kinds.PlayedKind
    order: StandingOrder
    previews: Sequence[Preview] = ()
    before: int | None = None
    follows: int | None = None
    ahead: Sequence[str] = ()
    doubts: Sequence[str] = ()
    lapses: bool = False
    addition: kinds.OrderAddition = kinds.OrderAddition()


class SeenOrder(Struct, frozen=True):
    """An open order as a person sees it; `own` if they gave it."""

    campaign: Campaign
    known: kinds.LabelledKind
    order: StandingOrder
    own: bool
    note: str | None = None


def enter_order(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, asked: AskedOrder) -> GivenOrder:
    """Enter an order. It replaces the entry `instead`, or one of the same kind and words."""
    (name,), text = parsing.names(asked.who, "name", 1), parsing.parse_text(asked.note, "note")
    campaign = open_campaign(tx, campaign_id)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    require_unlocked(tx, resolver.library, person, campaign)
    known = kinds.find_kind(kinds.list_kinds(resolver.library.list_books(tx, campaign)), asked.kind)
    kinds.require_open(person, campaign, known.kind)
    people = subjects.Subjects(tx, campaign.id, viewer.knows)
    ordered = find_order_doer(tx, viewer, known, name, people)
    to, beside = _target(tx, viewer, known, asked.to), tuple(_others(tx, viewer, known, asked.beside))
    words = _words(known, to, beside)
    own = [item for item in all_orders(tx, campaign) if item.who.id == ordered.who.id]
    stand = [item for item in own if item.stands]
    alike = [item for item in own if item.kind == known.kind.id]
    same = next((item for item in alike if item.words == words), None)
    before = _find_changed(viewer, asked.instead, [item for item in alike if item.stands], same)
    _require_fit(viewer, known.kind, alike, before)
    earlier = before if before in stand else None
    kept = earlier if earlier and earlier.entry == asked.instead else None
    order = StandingOrder(
        entry=next_number(tx, campaign),
        book=known.book.id,
        kind=known.kind.id,
        who=ordered.who,
        giver=kept.giver if kept else resolver.ledger.actor(tx, viewer.campaign, viewer.person.user_id),
        update=current_update(tx, campaign.id)["number"],
        to=to,
        beside=beside,
        rank=earlier.rank if earlier else 0,
        held=earlier is not None and earlier.held,
        words=words,
        by=kept.by if kept else ordered.by,
    )
    _require_target(tx, viewer, known, order)
    _require_able(tx, resolver, viewer, known, order)
    found = _check_possible(tx, resolver, viewer, known, order)
    ordered.require_giver(viewer, known)
    gone = _find_excluded(viewer, known, stand)
    _require_not_anothers(tx, viewer, [*(item for item in stand if item in (earlier, same)), *gone])
    changes = [*people.changes, *_list_replaced(before, same, order, gone), *_revoke_passes(tx, viewer, ordered)]
    known = kinds.settle_phase(known, order, kinds.scene_of(tx, campaign.id, known.book))
    body = _body("give", known, order, earlier if earlier in visible_to(viewer, stand) else None)
    texts = {"note": text} if text else {}
    draft = EntryDraft(ORDER_KIND, "maker", body, tuple(changes), texts, subjects=_list_named(order))
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    follows = same.entry if same is not None and not same.stands and visible_to(viewer, [same]) else None
    about = (campaign, entry, known, order, found, body["before"], follows)
    return GivenOrder(*about, doubts=_doubts(tx, viewer, known, order))


def withdraw(tx: Connection, resolver: Resolver, person: Person, key: OrderKey) -> tuple[SeenOrder, Entry]:
    """Withdraw an open order. Return it, and the entry."""
    seen = find_standing(tx, resolver, person, key, lock=True)
    campaign, known, order = seen.campaign, seen.known, seen.order
    require_unlocked(tx, resolver.library, person, campaign)
    body = _body("withdraw", known, order, None)
    change = Change(order.who.key, order.name, order.value(), None)
    draft = EntryDraft(ORDER_KIND, "maker", {**body, "before": key.number}, (change,), subjects=_list_named(order))
    return seen, resolver.ledger.enter(tx, campaign, person.user_id, draft)


def find_standing(
    tx: Connection, resolver: Resolver, person: Person, key: OrderKey, *, lock: bool = False
) -> SeenOrder:
    """Return an open order that the person may see. NotOpen if there is none."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    viewer = make_viewer(tx, person, campaign)
    mine = [item for item in visible_to(viewer, list_standing(tx, campaign)) if item.who.id == key.subject]
    order = next((item for item in mine if item.entry == key.number), None)
    if order is None:
        raise NotOpen(NO_MORE, "See /order list.")
    found = kinds.with_kinds(tx, campaign, resolver.library.list_books(tx, campaign), [order])
    given = entries.get_entry(tx, campaign.id, order.entry)
    note = given.text("note") if given else None
    ((_, known),) = found
    return SeenOrder(campaign, known, order, own=order.giver == viewer.mine, note=note)


def refuse(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, reason: str) -> tuple[SeenOrder, Entry]:
    """Cancel an order as a game master, with a reason. Return order and entry."""
    text, seen = require_reason(reason), find_for_game_master(tx, resolver, person, key, REFUSING, lock=True)
    work = OrderWork(tx, resolver, person, seen.campaign)
    return seen, cancel_order(work, seen.known, seen.order, REFUSED, text)


def find_for_game_master(  # noqa: PLR0913 - who does what about which
    tx: Connection, resolver: Resolver, person: Person, key: OrderKey, action: str, *, lock: bool = False
) -> SeenOrder:
    """Return an open order, for game masters only; the refusal names the `action`."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    require_game_master(person, campaign, action)
    return find_standing(tx, resolver, person, key, lock=lock)


def pass_on(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, who: str
) -> tuple[Campaign, Entry, subjects.Subject]:
    """Enter that someone without orders passes for this update. Return campaign, entry, subject."""
    (name,) = parsing.names(who, "name", 1)
    campaign = open_campaign(tx, campaign_id)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    require_unlocked(tx, resolver.library, person, campaign)
    subject, now = find_commanded(tx, viewer, name), find_now(tx, person, campaign)
    mine = [item for item in visible_to(viewer, list_standing(tx, campaign)) if item.who.id == subject.id]
    if mine:
        raise NotAsItIs(f"{subject.name} already has orders: entry #{mine[0].entry}.", "Cancel them in /order list.")
    before = find_passed(tx, campaign, now).get(subject.id)
    if before is not None:
        raise NotAsItIs(f"{subject.name} has already passed.", "Changed your mind? Use /order give.")
    after = {"entry": next_number(tx, campaign), "update": now.update}
    old = state.get_value(tx, campaign.id, subject.key, PASSED)
    body = PassBody(deed="pass", who=subject.name)
    draft = EntryDraft(ORDER_KIND, "maker", body, (Change(subject.key, PASSED, old, after),), subjects=(subject,))
    return campaign, resolver.ledger.enter(tx, campaign, person.user_id, draft), subject


def _target(tx: Connection, viewer: Viewer, known: kinds.PlayedKind, typed: str | None) -> Who | None:
    role = known.kind.to
    if role is None:
        if typed:
            raise BadInput(f"{known.kind.label} has no target.", "Leave out the option “to”.")
        return None
    if not typed:
        raise MissingInput(f"{known.kind.label}: which {role}?", f"Name the {role} with the option “to”.")
    if known.kind.words:
        return Who(parsing.parse_text(typed, role) or "")
    (who,) = _list_people(tx, viewer, parsing.names(typed, role, 1))
    return who


def _others(tx: Connection, viewer: Viewer, known: kinds.PlayedKind, typed: str | None) -> Iterable[Who]:
    role = known.kind.beside
    if typed and role is None:
        what = f"Only one can do this: {known.kind.label}."
        raise BadInput(what, "Leave out “with”, and give each one an order.")
    if typed and known.kind.words:
        return [Who(parsing.parse_text(typed, role or "name") or "")]
    return _list_people(tx, viewer, parsing.names(typed, role or "name", MAX_BESIDE)) if typed else ()


def _words(known: kinds.PlayedKind, to: Who | None, beside: Sequence[Who]) -> str:
    if not known.kind.several:
        return ""
    typed = [name_key(who.name) for who in (to, *beside) if who is not None]
    return sha256(encode_canonical(typed).encode()).hexdigest()[:8]


def _list_people(tx: Connection, viewer: Viewer, names: Sequence[str]) -> Iterator[Who]:
    meant = subjects.find_meant(tx, viewer.campaign.id, names, viewer.knows)
    for name in names:
        item = meant.get(name_key(name))
        yield Who(name) if item is None else Who(item.name, item.id)


def _doubts(tx: Connection, viewer: Viewer, known: kinds.PlayedKind, order: StandingOrder) -> list[str]:
    others = () if known.kind.words else [who for who in (order.to, *order.beside) if who is not None]
    return name_doubts(tx, viewer, {who.name: who.id for who in others})


def _require_target(tx: Connection, viewer: Viewer, known: kinds.PlayedKind, order: StandingOrder) -> None:
    others = [who for who in (order.to, *order.beside) if who is not None]
    if Who(order.who.name, order.who.id).key in {who.key for who in others}:
        raise BadInput(f"{order.who.name} can't be the target as well.", "Pick another target.")
    number = order.to.id if order.to else None
    saved = profiles.list_profiles(tx, viewer.campaign.id) if number is not None else ()
    item = next((item for item in saved if item.id == number), None)
    if item is not None and item.kind not in profiles.FITTING[known.kind.takes]:
        what = f"{item.name} is saved as {item.kind}, not as {known.kind.to}."
        raise BadInput(what, f"Name the {known.kind.to} with the option “to”.")


def _require_able(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: kinds.PlayedKind, order: StandingOrder
) -> None:
    kind, doer = known.kind, Who(order.who.name, order.who.id)
    about = order.beside if kind.beside else (order.to,)
    needs = [(doer, kind.needs), *((who, kind.about) for who in about if who is not None)]
    names = {name for _, name in needs if name} | {*kind.barred}
    keys = {subject_key(who.id) for who, _ in needs if who.id is not None}
    seen = (
        visibility.see_values(tx, viewer, state.get_values_named(tx, viewer.campaign.id, keys, names)) if names else {}
    )
    for who, name in needs:
        if name is not None:
            value = None if who.id is None else seen.get((subject_key(who.id), name))
            resolver.extension.requirements[name](tx, NeededValue(viewer.campaign, kind.family, {}, who.name, value))
    barring = next((name for name in kind.barred if (order.who.key, name) in seen), None)
    if barring is not None:
        others = (item.kind.label for item in kinds.list_kinds([known.book]) if barring not in item.kind.barred)
        raise NotAsItIs(
            f"{doer.name} is a {barring} and can't do this: {kind.label}.", f"They can: {'; '.join(others)}."
        )


def _find_excluded(viewer: Viewer, known: kinds.PlayedKind, stand: Sequence[StandingOrder]) -> list[StandingOrder]:
    rivals = {
        item.id
        for item in known.book.entries_of(type(known.kind)).values()
        if item.one_of is not None and item.one_of == known.kind.one_of and item.id != known.kind.id
    }
    excluded = [item for item in stand if item.kind in rivals]
    for item in visible_to(viewer, excluded):
        other = known.book.entries_of(type(known.kind))[item.kind]
        what = f"{item.who.name} already has an order that rules this out: {other.label} (entry #{item.entry})."
        raise NotAsItIs(what, "Cancel it first with /order list.")
    return excluded


def _require_not_anothers(tx: Connection, viewer: Viewer, lost: Sequence[StandingOrder]) -> None:
    others = {item.giver for item in lost} - {viewer.mine}
    if not others or viewer.person.leads(viewer.campaign):
        return
    if any(item.owner in others for item in profiles.list_profiles(tx, viewer.campaign.id)):
        who = lost[0].who.name
        raise NotAsItIs(f"This would replace another player's order for {who}.", "Ask a game master.")


def _check_possible(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: kinds.PlayedKind, order: StandingOrder
) -> Sequence[Preview]:
    found = preview_order(tx, resolver, viewer, known, order)
    for preview in found:
        resolver.require_able(tx, viewer, preview)
        preview.check()
    return found


def _revoke_passes(tx: Connection, viewer: Viewer, ordered: OrderDoer) -> Iterator[Change]:
    own = profiles.list_profiles(tx, viewer.campaign.id) if ordered.by else ()
    givers = (item for item in own if viewer.owns(item) and name_key(item.name) == name_key(ordered.by or ""))
    for key in dict.fromkeys([ordered.who.key, *(subject_key(item.id) for item in givers)]):
        before = state.get_value(tx, viewer.campaign.id, key, PASSED)
        if before is not None:
            yield Change(key, PASSED, before, None)


def _body(deed: str, known: kinds.LabelledKind, order: StandingOrder, before: StandingOrder | None) -> OrderBody:
    return {
        "deed": "give" if deed == "give" else "withdraw",
        "label": known.kind.label,
        "phase": known.phase.label,
        "who": order.who.name,
        "to": order.to.name if order.to else None,
        "beside": [who.name for who in order.beside],
        "before": before.entry if before else None,
    }


def _list_named(order: StandingOrder) -> list[subjects.Subject]:
    others = [
        subjects.Subject(who.id, who.name)
        for who in (order.to, *order.beside)
        if who is not None and who.id is not None
    ]
    return [order.who, *others]
