"""All that resolving reads of a campaign, as of one entry.

It changes only by entries. In a locked campaign whose newest entry is the snapshot's, nothing is read again: the next snapshot follows from the next entry's changes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, find_now
from bot.core.records import Entry
from bot.orders.kinds import PlayedScene, scene_of
from bot.orders.standing import StandingOrder, all_orders, order_of, people_of
from rules import books
from rules.effects import ORDERED, Moment
from rules.orders import Named, OrderedBattle, UpdateKnowledge, Who
from rules.ruleset import RuleSet
from rules.subjects import NAME, PROFILE, name_key, names_of, number_of, subject_key, subject_number

BATTLE = "battle"  # the consequence that starts a fight between two sides


class OrdersSnapshot(Struct, frozen=True):
    """What is open as of `entry`: orders, people by number, their values, battles, and scenes by book."""

    entry: int
    orders: Sequence[StandingOrder]
    people: Mapping[int, subjects.Subject]
    values: state.State
    battles: Sequence[OrderedBattle]
    scenes: Mapping[str, PlayedScene]


def read_snapshot(tx: Connection, campaign: Campaign, played: Sequence[RuleSet]) -> OrdersSnapshot:
    """Read a campaign's snapshot for the books that it plays."""
    orders = [item for item in all_orders(tx, campaign) if item.until is None]
    numbers = _numbers_in_orders(orders)
    values = state.get_values_named(tx, campaign.id, {*map(subject_key, numbers)}, _read_names(played))
    squads = {subject_key(value["squad"]) for (_, name), value in values.items() if name == PROFILE and value["squad"]}
    values = {**state.get_values_named(tx, campaign.id, squads, {PROFILE}), **values}
    people = subjects.get_subjects(tx, campaign.id, numbers | _numbers_referred(values))
    done = {number for item in orders for number in item.entries}
    made = entries.get_entries_bare(tx, campaign.id, done) if done else {}
    battles = _find_battles(played, orders, made, orders)
    newest = entries.find_link(tx, campaign.id, campaign.uuid).number
    scenes = {book.id: scene for book in played if (scene := scene_of(tx, campaign.id, book))}
    return OrdersSnapshot(newest, orders, people, values, battles, scenes)


def snapshot_after(snapshot: OrdersSnapshot, made: Entry, played: Sequence[RuleSet]) -> OrdersSnapshot | None:
    """Return the snapshot after the next entry; None if it must be read again."""
    orders = {(item.who.key, item.name): item for item in snapshot.orders}
    numbers, values, names = _numbers_in_orders(snapshot.orders), {**snapshot.values}, _read_names(played)
    changed: list[StandingOrder] = []
    begins = {pairing.scene.kind for book in played if (pairing := books.find_pairing(book.id)) and pairing.scene}
    for change in made.content()["changes"]:
        key, value = (change["subject"], change["name"]), change["after"]
        number = subject_number(key[0])
        if key in orders and value is not None:
            orders[key] = order_of(snapshot.people, *key, value)
            changed.append(orders[key])
        elif (
            key[1] in begins or key[1].startswith(ORDERED) or (number in snapshot.people and key[1] in {NAME, PROFILE})
        ):
            return None
        elif number in numbers and key[1] in names:
            values[key] = value
    values, every_order = {key: value for key, value in values.items() if value is not None}, [*orders.values()]
    numbers |= _numbers_referred(values)
    if not numbers <= snapshot.people.keys():
        return None
    people = {number: snapshot.people[number] for number in numbers}
    battles = [*snapshot.battles, *_find_battles(played, changed, {made.number: made}, every_order)]
    battles = sorted(battles, key=attrgetter("order"))
    return OrdersSnapshot(made.number, every_order, people, values, battles, _scenes_after(snapshot.scenes, made))


def _scenes_after(scenes: Mapping[str, PlayedScene], made: Entry) -> Mapping[str, PlayedScene]:
    if not scenes:
        return scenes
    changed: dict[str, dict[str, object]] = {}
    for change in made.content()["changes"]:
        changed.setdefault(change["subject"], {})[change["name"]] = change["after"]
    return {
        book: replace(scene, values=scene.with_changes(changed[scene.subject])) if scene.subject in changed else scene
        for book, scene in scenes.items()
    }


def _find_battles(
    played: Iterable[RuleSet],
    orders: Sequence[StandingOrder],
    made: Mapping[int, Entry],
    every: Sequence[StandingOrder],
) -> list[OrderedBattle]:
    battles = (
        battle
        for book in played
        for item in orders
        for number in item.entries
        if item.book == book.id and number in made
        for battle in _list_battles(item, made[number], book, every)
    )
    return sorted(battles, key=attrgetter("order"))


def _read_names(played: Iterable[RuleSet]) -> set[str]:
    pairings = (books.find_pairing(book.id) for book in played)
    return {PROFILE, *(name for pairing in pairings if pairing for name in pairing.reads)}


def _numbers_in_orders(orders: Iterable[StandingOrder]) -> set[int]:
    return {who.id for item in orders for who in people_of(item) if who.id is not None}


def _numbers_referred(values: state.State) -> set[int]:
    every = [value for value in values.values() if isinstance(value, dict)]
    return {number for value in every for name in ("at", "squad") if isinstance(number := value.get(name), int)}


def _list_battles(
    item: StandingOrder, made: Entry, book: RuleSet, orders: Sequence[StandingOrder]
) -> Iterator[OrderedBattle]:
    body = made.content()
    procedure = book.procedures.get(body.get("family", ""))
    if procedure is None:
        return
    called = made.names()  # names may have changed since
    numbers = {name_key(name): number for number, name in called.items()}
    for part in body["parts"]:
        calls = any(book.deeds[done["do"]].calls == BATTLE for done in part["consequences"] if done["do"] in book.deeds)
        actors, others = (names_of(part["subjects"].get(role, "")) for role in (procedure.actor, procedure.subject))
        if calls and name_key(called.get(item.who.id, item.who.name)) in map(name_key, actors) and any(others):
            attackers, defenders = (
                tuple(_find_called(name, numbers, orders) for name in names) for names in (actors, others)
            )
            base = defenders[0] if procedure.place == procedure.subject else None
            title = f"{procedure.title}: {actors[0]} against {others[0]}"
            yield OrderedBattle(item.entry, title, attackers, defenders, base)


def _find_called(name: str, numbers: Mapping[str, int], orders: Sequence[StandingOrder]) -> Who:
    key = name_key(name)
    meant = Who(name, numbers.get(key)).key
    people = (who for item in orders for who in people_of(item))
    return next((who for who in people if who.key == meant), Who(name))


def read_known(
    book: RuleSet, orders: Sequence[StandingOrder], snapshot: OrdersSnapshot, now: Moment
) -> UpdateKnowledge:
    """Return what is known of people in a book's orders, with battles and the scene."""
    people = {who.id: who for item in orders for who in people_of(item) if who.id is not None}
    values = {key: value for key, value in snapshot.values.items() if number_of(key[0]) in people}
    found = _of_people(book, people, values, partial(_name_person, snapshot.people), now)
    sides = {people[number_of(key)].key: side for key, _ in values if (side := _side(snapshot.values, key))}
    mine = {item.entry for item in orders}
    battles = tuple(battle for battle in snapshot.battles if battle.order in mine)
    scene = snapshot.scenes.get(book.id)
    return replace(found, sides=sides, battles=battles, scene=scene.know(now.update) if scene else None)


def find_out_of_play(
    tx: Connection, person: Person, campaign: Campaign, book: RuleSet, numbers: Collection[int]
) -> set[int]:
    """Return which of these subject numbers a book counts out, such as the dead."""
    people = {number: Who("", number) for number in numbers}
    pairing = books.find_pairing(book.id)
    reads = pairing.reads if pairing else ()
    values = state.get_values_named(tx, campaign.id, {*map(subject_key, numbers)}, reads) if reads else {}
    out = _of_people(book, people, values, partial(Who, ""), find_now(tx, person, campaign)).out
    return {number for number, who in people.items() if who.key in out}


def _of_people(
    book: RuleSet, people: Mapping[int, Who], values: state.State, named: Named, now: Moment
) -> UpdateKnowledge:
    pairing = books.find_pairing(book.id)
    if pairing is None:
        return UpdateKnowledge()
    kept: dict[str, dict[str, object]] = {}
    for (key, name), value in values.items():
        if name in pairing.reads:
            kept.setdefault(people[number_of(key)].key, {})[name] = value
    return pairing.know(kept, now, named)


def _side(values: state.State, key: str) -> str | None:
    own = values.get((key, PROFILE)) or {"side": None, "squad": None}
    squad = values.get((subject_key(own["squad"]), PROFILE)) if own["squad"] else None
    side: str | None = own["side"] or (squad and squad["side"])
    return side


def _name_person(people: Mapping[int, subjects.Subject], number: int) -> Who:
    return Who(people[number].name, number)
