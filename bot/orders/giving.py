"""Orders as players give them; they stay sealed until resolved."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, ledger, profiles, state, subjects, visibility
from bot.core.errors import BadInput, MissingInput, NotAsItIs, NotOpen
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.records import Change, Entry, encode_canonical
from bot.core.visibility import Viewer, make_viewer, require_part
from bot.orders import entries, forecast, kinds
from bot.orders.standing import StandingOrder, all_orders, visible_to
from bot.rolls import embed, request
from bot.rolls.consequences import name_doubts
from bot.rolls.extension import NeededValue
from bot.rolls.preview import Preview
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.text import chance_line, plain
from rules import books
from rules.orders import PASSED, OrderKind, Task, UpdateKnowledge, Who, find_outcomes
from rules.subjects import name_key, subject_key


def _find_changed(
    viewer: Viewer, instead: int | None, alike: Sequence[StandingOrder], same: StandingOrder | None
) -> StandingOrder | None:
    if instead is None:
        return same
    stand = [item for item in alike if item.stands]
    before = next((item for item in stand if item.entry == instead), None)
    if before is None:
        raise NotOpen(*entries.GONE)
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
    """A given order that replaces (`before`) or `follows` an entry, its forecast (`ahead`, odds with `bars`), and name `doubts`."""

    campaign: campaigns.Campaign
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
    bars: bool = True


def enter_order(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, asked: AskedOrder) -> GivenOrder:
    """Enter an order. It replaces the entry `instead`, or one of the same kind and words."""
    (name,), text = parsing.names(asked.who, "name", 1), parsing.parse_text(asked.note, "note")
    campaign = campaigns.open_campaign(tx, campaign_id)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    entries.require_unlocked(tx, resolver.library, person, campaign)
    known = kinds.find_kind(kinds.list_kinds(resolver.library.list_books(tx, campaign)), asked.kind)
    kinds.require_open(person, campaign, known.kind)
    people = subjects.Subjects(tx, campaign.id, viewer.knows)
    ordered = entries.find_order_doer(tx, viewer, known, name, people)
    to, beside = _target(tx, viewer, known, asked.to), tuple(_others(tx, viewer, known, asked.beside))
    words = _words(to, beside) if known.kind.several else ""
    own = [item for item in all_orders(tx, campaign) if item.who.id == ordered.who.id]
    stand, alike = [item for item in own if item.stands], [item for item in own if item.kind == known.kind.id]
    same = next((item for item in alike if item.words == words), None)
    before = _find_changed(viewer, asked.instead, alike, same)
    _require_fit(viewer, known.kind, alike, before)
    earlier = before if before and before.stands else None
    kept = earlier if earlier and earlier.entry == asked.instead else None
    order = StandingOrder(
        entry=ledger.next_number(tx, campaign),
        book=known.book.id,
        kind=known.kind.id,
        who=ordered.who,
        giver=kept.giver if kept else resolver.ledger.actor(tx, viewer.campaign, viewer.person.user_id),
        update=campaigns.current_update(tx, campaign.id)["number"],
        to=to,
        beside=beside,
        rank=earlier.rank if earlier else 0,
        held=earlier is not None and earlier.held,
        words=words,
        by=kept.by if kept else ordered.by,
    )
    _require_target(tx, viewer, known, order)
    _require_able(tx, resolver, viewer, known, order)
    found = _preview_alone(tx, resolver, viewer, known, order)
    ordered.require_giver(viewer, known)
    gone = _find_excluded(viewer, known, stand)
    _require_not_anothers(tx, viewer, [*(item for item in stand if item in (earlier, same)), *gone])
    changes = (*people.changes, *_list_replaced(before, same, order, gone), *_revoke_passes(tx, viewer, ordered))
    known = kinds.settle_phase(known, order, kinds.scene_of(tx, campaign.id, known.book))
    replaces = earlier.entry if earlier and visible_to(viewer, [earlier]) else None
    body, texts = entries.order_body("give", known, order, before=replaces), {"note": text} if text else {}
    draft = ledger.EntryDraft(entries.ORDER_ENTRY.name, "maker", body, changes, texts, subjects=order.mentions)
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    follows = same.entry if same is not None and not same.stands and visible_to(viewer, [same]) else None
    doubts = name_doubts(tx, viewer, {} if known.kind.words else {who.name: who.id for who in order.others})
    bars = campaigns.read_preferences(tx, campaign.id, person.user_id).bars
    return GivenOrder(campaign, entry, known, order, found, replaces, follows, doubts=doubts, bars=bars)


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


def _words(to: Who | None, beside: Sequence[Who]) -> str:
    typed = [name_key(who.name) for who in (to, *beside) if who is not None]
    return sha256(encode_canonical(typed).encode()).hexdigest()[:8]


def _list_people(tx: Connection, viewer: Viewer, names: Sequence[str]) -> Iterator[Who]:
    meant = subjects.find_meant(tx, viewer.campaign.id, names, viewer.knows)
    for name in names:
        item = meant.get(name_key(name))
        yield Who(name) if item is None else Who(item.name, item.id)


def _require_target(tx: Connection, viewer: Viewer, known: kinds.PlayedKind, order: StandingOrder) -> None:
    doer, *others = (who.key for who in order.people)
    if doer in others:
        raise BadInput(f"{order.who.name} can't be the target as well.", "Pick another target.")
    number = order.to.id if order.to else None
    saved = profiles.list_profiles(tx, viewer.campaign.id) if number is not None else ()
    item = next((item for item in saved if item.id == number), None)
    if item is not None and item.kind not in profiles.FITTING[known.kind.takes]:
        what = f"{item.name} is saved as {item.kind}, and this order takes a {known.kind.takes}."
        raise BadInput(what, f"Name the {known.kind.takes} with the option “to”.")


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


def _preview_alone(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: kinds.PlayedKind, order: StandingOrder
) -> list[Preview]:
    pairing, every = books.find_pairing(order.book), known.book.entries_of(OrderKind)
    # Others' orders stay sealed, so odds are those of the order alone.
    mine = [order.order(known.phase.id)]
    found = find_outcomes(known.phase, every, mine, UpdateKnowledge(), pairing, request.MAX_PARTS)
    scene = kinds.scene_of(tx, viewer.campaign.id, known.book)
    at = scene.subject if scene else None
    tasks = (item for item in found if isinstance(item, Task))
    asked = (
        forecast.request(order.book, item.with_asker(order.by) if order.by else item, viewer, at) for item in tasks
    )
    previews = [resolver.preview(tx, viewer.campaign, item, viewer, book=known.book) for item in asked]
    for preview in previews:
        resolver.require_able(tx, viewer, preview)
        preview.check()
    return previews


def _revoke_passes(tx: Connection, viewer: Viewer, ordered: entries.OrderDoer) -> Iterator[Change]:
    own = profiles.list_profiles(tx, viewer.campaign.id) if ordered.by else ()
    givers = (item for item in own if viewer.owns(item) and name_key(item.name) == name_key(ordered.by or ""))
    for key in dict.fromkeys([ordered.who.key, *(subject_key(item.id) for item in givers)]):
        before = state.get_value(tx, viewer.campaign.id, key, PASSED)
        if before is not None:
            yield Change(key, PASSED, before, None)


Add = Callable[[Connection, Library, Viewer, StandingOrder], kinds.OrderAddition | None]
"""Returns what a feature shows with an order."""

SEALED = "-# Sealed: only you and the game masters see it until the update is resolved."
MAX_CHANCES = 8
UNLESS_LAPSED = ", unless it's cancelled"


def with_addition(
    tx: Connection, library: Library, person: Person, given: GivenOrder, additions: Mapping[str | None, Add]
) -> GivenOrder:
    """Return an order with what its book's feature adds."""
    add = additions.get(given.order.book)
    if add is None:
        return given
    viewer = make_viewer(tx, person, given.campaign)
    return replace(given, addition=add(tx, library, viewer, given.order) or kinds.OrderAddition())


def describe_given(given: Sequence[GivenOrder]) -> Iterator[str]:
    """Yield what was ordered, when it resolves, and its forecast."""
    one, *others = given
    ahead = [] if others else one.ahead
    yield from ahead if one.lapses else ()
    yield from (
        map(_describe_numbered, given)
        if others
        else [kinds.order_line(one.known, one.order) + kinds.describe_arrangement(one.order)]
    )
    yield f"**Phase:** {plain(kinds.phase_line(one.known))}"
    if one.follows:
        yield f"This is a new order. The result of entry #{one.follows} stays."
    slips = dict.fromkeys(line for item in given for line in item.doubts)
    yield from (f"\N{WARNING SIGN} {plain(line)} Press Change to fix it." for line in slips)
    note = one.entry.text("note")
    if note:
        yield kinds.note_line(note)
    limits = "" if one.addition.knows_all else ", from what you know"
    heading = f"**Forecast{UNLESS_LAPSED if one.lapses else limits}:**"
    for preview in () if others else one.previews:
        yield from _describe_preview(preview, heading, bars=one.bars)
    yield from () if one.lapses else ahead
    yield from one.addition.lines
    yield SEALED


def _describe_numbered(given: GivenOrder) -> str:
    before = f", replaces #{given.before}" if given.before else ""
    return f"\N{BULLET} {kinds.order_line(given.known, given.order)} (entry #{given.entry.number}{before}){kinds.describe_arrangement(given.order)}"


def _describe_preview(preview: Preview, heading: str, *, bars: bool) -> Iterator[str]:
    rolled = [part for part in preview.parts if part.stages]
    for part in preview.parts[: len(preview.parts) if not rolled else 0]:
        for chance in part.odds:
            laid = embed.consequences_text(chance.conclusion.consequences, part.part.subjects, part.book.deeds)
            if laid:  # other outcomes depend on what others do: said now, they would be promises
                deeds = [part.book.deeds[item.do] for item in chance.conclusion.consequences]
                lasting = all(deed.effect and deed.end.until == "update" for deed in deeds)
                yield f"{laid}, until the update ends." if lasting else f"{laid}."
    lines = [plain(line) for part in preview.parts for line in part.lines]
    yield from (heading, *lines) if lines else ()
    for part in rolled:
        yield heading
        likely = sorted(part.odds, key=attrgetter("chance"), reverse=True)[:MAX_CHANCES]
        yield from (chance_line(item.chance, plain(item.conclusion.text), bars=bars) for item in likely)
