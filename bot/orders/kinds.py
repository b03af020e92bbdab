"""The kinds of orders, the scenes that carry them out, orders in words, and the ids of their buttons."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, Self

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, errors, ledger, records, state
from bot.core.campaigns import ORDERS, Campaign, open_campaign, require_on_server, require_update
from bot.core.permissions import Person, require_game_master
from bot.orders.standing import StandingOrder
from bot.ui.reply import IdTemplate
from bot.ui.text import join_words, plain
from rules import books, subjects
from rules.orders import OrderKind, Phase, SceneOrders
from rules.ruleset import RuleSet


class PlayedScene(Struct, frozen=True):
    """A book's scene (its subject), its orders, and its values by name."""

    book: RuleSet
    orders: SceneOrders
    subject: str
    values: Mapping[str, records.Json]

    def with_changes(self, changes: Mapping[str, object]) -> Self:
        """Return the scene after these changes of its values; None removes one."""
        values = {name: value for name, value in {**self.values, **changes}.items() if value is not None}
        return replace(self, values=values) if changes else self

    @property
    def is_sealed(self) -> bool:
        """Whether the scene's orders wait until the update is resolved."""
        return self.orders.sealed(self.book, self.values)


def are_sealed(tx: Connection, campaign_id: int, book: RuleSet) -> bool:
    """Return whether a book's orders wait for the update: True without a running scene."""
    scene = scene_of(tx, campaign_id, book)
    return scene is None or scene.is_sealed


def hangs_on_scene(book: RuleSet) -> bool:
    """Return whether a book's orders need a running scene, such as a war."""
    return books.find_pairing(book.id).scene is not None


def scene_of(tx: Connection, campaign_id: int, book: RuleSet) -> PlayedScene | None:
    """Return a book's newest running scene, if any."""
    orders = books.find_pairing(book.id).scene
    if orders is None:
        return None
    begun = state.find_values_of_name(tx, campaign_id, orders.kind)
    running = [subject for subject, header in begun.items() if not header["over"] and header.get("book") == book.id]
    if not running:
        return None
    _, newest = max((begun[subject]["entry"], subject) for subject in running)
    kept = state.get_values(tx, campaign_id, {newest})
    return PlayedScene(book, orders, newest, {name: value for (_, name), value in kept.items()})


class LabelledKind(Struct, frozen=True):
    """A kind of order and its phase; only their labels if its book is off."""

    kind: OrderKind
    phase: Phase


class PlayedKind(LabelledKind, frozen=True):
    """A kind of a played book; `settled` if its phase is certain."""

    book: RuleSet
    settled: bool = False


def list_kinds(played: Iterable[RuleSet]) -> Iterator[PlayedKind]:
    """Yield the books' kinds, phase by phase."""
    for book in played:
        known = dict(book.entries_of(OrderKind))
        for phase in books.find_pairing(book.id).settle(book.entries_of(Phase).values()):
            yield from (PlayedKind(known.pop(name), phase, book) for name in phase.takes if name in known)


def by_key(books: Iterable[RuleSet]) -> dict[tuple[str, str], PlayedKind]:
    """Return the books' kinds by book and kind ids."""
    return {(item.book.id, item.kind.id): item for item in list_kinds(books)}


def _order_permission(kind: OrderKind) -> str:
    return f"{ORDERS}.{kind.id}"


def is_open_to(person: Person, campaign: Campaign, kind: OrderKind) -> bool:
    """Return whether a person may give orders of a kind."""
    opened = kind.open or not {ORDERS, _order_permission(kind)}.isdisjoint(campaign.players_may)
    return person.leads(campaign) or (person.plays(campaign) and opened)


def find_kind(known: Iterable[PlayedKind], typed: str) -> PlayedKind:
    """Find a kind by its id or label.

    Raises:
        BadInput: no kind fits.
    """
    every = {subjects.name_key(word): item for item in known for word in (item.kind.label, item.kind.id)}
    if not every:
        raise errors.BadInput("The books of this campaign have no orders.", "See /help.")
    item = every.get(subjects.name_key(typed))
    if item is None:
        labels = [*dict.fromkeys(item.kind.label for item in every.values())]
        what = f"I don't know the order {typed[:60]!r}."
        raise errors.unknown_name(what, typed, [*every, *labels], f"Pick one of: {', '.join(labels)}.")
    return item


def require_open(person: Person, campaign: Campaign, kind: OrderKind) -> None:
    """Refuse a kind that isn't open to players."""
    if not is_open_to(person, campaign, kind):
        what = f"Players can't give this order in {campaign.name}: {kind.label}."
        raise errors.NotAllowed(
            what, f"A game master can allow it with /gm settings players_may: {_order_permission(kind)}."
        )


def with_kinds(
    tx: Connection, campaign: Campaign, books: Iterable[RuleSet], orders: Sequence[StandingOrder]
) -> list[tuple[StandingOrder, LabelledKind]]:
    """Return orders with their kinds, phase by phase; switched-off books come last."""
    played = [*books]
    known = by_key(played)
    off = [item for item in orders if (item.book, item.kind) not in known]
    needed = {item.entry for item in off} | {item.lapsed for item in orders if item.lapsed is not None}
    made = entries.get_entries(tx, campaign.id, needed) if needed else {}
    ordered = {item.book for item in orders}
    scenes = {book.id: scene_of(tx, campaign.id, book) for book in played if book.id in ordered}
    on = [
        (item, _as_resolved(known[item.book, item.kind], item, made, scenes[item.book]))
        for item in orders
        if (item.book, item.kind) in known
    ]
    return [
        *sorted(
            on, key=partial(_place, [*known], [(book.id, name) for book in played for name in book.entries_of(Phase)])
        ),
        *((item, _read_labels(item, made[item.entry].content())) for item in off if item.entry in made),
    ]  # the entry that gave an order has the labels of a book that is off


def settle_phase(known: PlayedKind, order: StandingOrder, scene: PlayedScene | None) -> PlayedKind:
    """Return the kind with the one phase that will resolve the order; unchanged if that isn't certain."""
    if scene is None or not known.phase.passes_on:
        return known
    found = scene.orders.phase(scene.book, scene.values, order.order(known.phase.id))
    return known if found is None else replace(known, phase=known.book.entries_of(Phase)[found], settled=True)


def _as_resolved(
    known: PlayedKind, order: StandingOrder, made: Mapping[int, records.Entry], scene: PlayedScene | None
) -> PlayedKind:
    if not known.phase.passes_on:
        return known
    lapsed = None if order.lapsed is None else made[order.lapsed].content()["phase"]
    every = known.book.entries_of(Phase).items()
    came = (phase for name, phase in every if order.in_phase(name) or phase.label == lapsed)
    found = next(came, None)
    return settle_phase(known, order, scene) if found is None else replace(known, phase=found, settled=True)


def _place(
    every: Sequence[tuple[str, str]], phases: Sequence[tuple[str, str]], item: tuple[StandingOrder, PlayedKind]
) -> tuple[int, bool, int]:
    order, known = item
    open_ = known.phase.passes_on and not known.settled
    return phases.index((order.book, known.phase.id)), not open_, every.index((order.book, order.kind))


def _read_labels(order: StandingOrder, body: ledger.Body) -> LabelledKind:
    kind = OrderKind(id=order.kind, label=body["label"], line=0, by="")
    return LabelledKind(kind, Phase(id="", label=body["phase"], line=0, takes=()))


EMPTY = "\n"  # begins a line that has an empty line before it
_CODE = re.compile(r" \(E_[A-Z_]+\)")
NAMED = 3  # the names in a line of a long list


def order_line(known: LabelledKind, order: StandingOrder, named: int | None = None) -> str:
    """Return an order in one line, with `named` names at most."""
    about = [plain(who.name) for who in order.others]
    left = len(about[named:]) if named else 0
    about = [*about[:named], f"{left} more"] if left else about
    return f"**{plain(order.who.name)}**: {plain(known.kind.label)}" + (f", {join_words(about)}" if about else "")


def phase_line(known: LabelledKind) -> str:
    """Return in which phase, or one of which, an order resolves."""
    if not isinstance(known, PlayedKind) or known.settled or not known.phase.passes_on:
        return known.phase.label
    taking = [phase for phase in known.book.entries_of(Phase).values() if known.kind.id in phase.takes]
    end = next((place for place, phase in enumerate(taking) if not phase.passes_on), len(taking) - 1)
    *before, last = (phase.label for phase in taking[: end + 1])
    return f"{', '.join(before)} or {last}" if before else last


def note_line(note: str) -> str:
    """Return the giver's note as an escaped line."""
    return f"**Note:** {plain(note)}"


def cancel_reason(body: Mapping[str, records.Json]) -> str:
    """Return why an order was cancelled, without the code that old entries have."""
    return _CODE.sub("", body["why"])


def read_cancel_reason(made: records.Entry) -> str:
    """Return the reason in a cancelling entry."""
    reason = made.text("reason")
    return cancel_reason(records.read_body(made)) + (f": {reason}" if reason else "")


def describe_lock(since: datetime) -> str:
    """Return since when orders are locked, and an empty line."""
    return f"Players' orders have been locked since {discord.utils.format_dt(since, 't')}.\n"


def describe_arrangement(order: StandingOrder) -> str:
    """Return an open order's pause and priority, to append; empty if it has neither."""
    if not order.is_unresolved:
        return ""
    notes = [*(["paused"] if order.held else []), *([f"priority {order.rank}"] if order.rank else [])]
    return f", *{', '.join(notes)}*" if notes else ""


def group_by_phase(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield lines under a heading for each phase."""
    before: str | None = None
    for phase, line in lines:
        if phase != before:
            yield f"{'' if before is None else EMPTY}**{plain(phase)}**"
            before = phase
        yield line


class OrderAddition(Struct, frozen=True):
    """Lines and buttons in the answer to an order; `knows_all` if nothing is hidden from its giver."""

    lines: Sequence[str] = ()
    buttons: Sequence[ui.Button[ui.LayoutView]] = ()
    knows_all: bool = False


class Illustration(Struct, frozen=True):
    """A public picture with its title and facts; the feature draws it from `drawn_from`."""

    title: str
    lines: Sequence[str]
    picture: str
    drawn_from: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with what it shows."""
        shown = records.encode_canonical([self.title, list(self.lines), self.drawn_from])
        return sha256(shown.encode()).hexdigest()[:16]


class OrderKey(Struct, frozen=True):
    """An order in ids: campaign, subject and entry."""

    campaign: int
    subject: int
    number: int


class UpdateKey(Struct, frozen=True):
    """An update in ids: campaign and update number."""

    campaign: int
    number: int


class TaskKey(UpdateKey, frozen=True):
    """A task in ids, by 16 hexadecimal digits."""

    digits: str


def open_update(tx: Connection, person: Person, key: UpdateKey, action: str, *, lock: bool = True) -> Campaign:
    """Return the campaign, for a game master. Refuse if the update isn't current."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    require_game_master(person, campaign, action)
    require_update(tx, key.campaign, key.number)
    return campaign


NUDGE = IdTemplate("board:{campaign:int}:nudge:{number:int}")
TELL = IdTemplate("board:{campaign:int}:tell:{number:int}")
LOCK = IdTemplate("board:{campaign:int}:lock:{number:int}:{on:int}")
BOARD = IdTemplate("board:{campaign:int}:post:{number:int}")
ARRANGE = IdTemplate("board:{campaign:int}:arrange:{number:int}")
REASON = IdTemplate("board:{campaign:int}:reason:{number:int}:{task:hex}")
TASK = IdTemplate("board:{campaign:int}:task:{number:int}")
CHANGE = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:change")
WITHDRAW = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:withdraw")
REFUSE = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:refuse")
HOLD = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:hold:{on:int}")
RANK = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:rank")
MISSING = IdTemplate("order:{campaign:int}:give:{kind:word}")
PICK = IdTemplate("order:{campaign:int}:pick:{_place:int}")
PASS = IdTemplate("order:{campaign:int}:pass")
PLAN = IdTemplate("update:{campaign:int}:plan:{number:int}")
OWN = IdTemplate("digest:{campaign:int}:{number:int}:own")
DMS = IdTemplate("digest:{campaign:int}:{number:int}:dm:{on:int}")
DIGEST = IdTemplate("update:{campaign:int}:digest:{number:int}")
