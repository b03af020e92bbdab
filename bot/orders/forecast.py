"""All that resolving reads of a campaign as of one entry, and orders before the dice: their rolls, costs and missing choices."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, permissions, records, state, subjects, visibility
from bot.orders.kinds import PlayedScene, by_key, order_line, scene_of
from bot.orders.standing import StandingOrder, all_orders, order_of
from bot.rolls.preview import Preview
from bot.rolls.request import CarriedOrder, OrderedTask, PartRequest, RollCommand, RollRequest
from bot.ui.text import join_words, plain
from rules import books
from rules.effects import ORDERED, Moment
from rules.orders import (
    Cancellation,
    Named,
    OrderedBattle,
    OrderKind,
    OrdersForecast,
    Outcome,
    Phase,
    Task,
    TaskPart,
    UpdateKnowledge,
    Who,
)
from rules.procedure import Choice, Procedure
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


def read_snapshot(tx: Connection, campaign: campaigns.Campaign, played: Sequence[RuleSet]) -> OrdersSnapshot:
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


def snapshot_after(snapshot: OrdersSnapshot, made: records.Entry, played: Sequence[RuleSet]) -> OrdersSnapshot | None:
    """Return the snapshot after the next entry; None if it must be read again."""
    orders = {(item.who.key, item.name): item for item in snapshot.orders}
    numbers, values, names = _numbers_in_orders(snapshot.orders), {**snapshot.values}, _read_names(played)
    changed, scenes = list[StandingOrder](), dict[str, dict[str, object]]()
    begins = {scene.kind for book in played if (scene := books.find_pairing(book.id).scene)}
    for change in made.content()["changes"]:
        key, value = (change["subject"], change["name"]), change["after"]
        number = subject_number(key[0])
        scenes.setdefault(key[0], {})[key[1]] = value
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
    after = {book: scene.with_changes(scenes.get(scene.subject, {})) for book, scene in snapshot.scenes.items()}
    return OrdersSnapshot(made.number, every_order, people, values, battles, after)


def _find_battles(
    played: Iterable[RuleSet],
    orders: Sequence[StandingOrder],
    made: Mapping[int, records.Entry],
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
    return {PROFILE, *(name for book in played for name in books.find_pairing(book.id).reads)}


def _numbers_in_orders(orders: Iterable[StandingOrder]) -> set[int]:
    return {who.id for item in orders for who in item.people if who.id is not None}


def _numbers_referred(values: state.State) -> set[int]:
    every = [value for value in values.values() if isinstance(value, dict)]
    return {number for value in every for name in ("at", "squad") if isinstance(number := value.get(name), int)}


def _list_battles(
    item: StandingOrder, made: records.Entry, book: RuleSet, orders: Sequence[StandingOrder]
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
    return next((who for item in orders for who in item.people if who.key == meant), Who(name))


def read_known(
    book: RuleSet, orders: Sequence[StandingOrder], snapshot: OrdersSnapshot, now: Moment
) -> UpdateKnowledge:
    """Return what is known of people in a book's orders, with battles and the scene."""
    people = {who.id: who for item in orders for who in item.people if who.id is not None}
    values = {key: value for key, value in snapshot.values.items() if number_of(key[0]) in people}
    names = {number: Who(person.name, number) for number, person in snapshot.people.items()}
    found = _of_people(book, people, values, names.__getitem__, now)
    sides = {people[number_of(key)].key: side for key, _ in values if (side := _side(snapshot.values, key))}
    mine = {item.entry for item in orders}
    battles = tuple(battle for battle in snapshot.battles if battle.order in mine)
    scene = snapshot.scenes.get(book.id)
    known = scene.orders.know(book, scene.values, now.update) if scene else None
    return replace(found, sides=sides, battles=battles, scene=known)


def find_out_of_play(
    tx: Connection, person: permissions.Person, campaign: campaigns.Campaign, book: RuleSet, numbers: Collection[int]
) -> set[int]:
    """Return which of these subject numbers a book counts out, such as the dead."""
    people = {number: Who("", number) for number in numbers}
    reads = books.find_pairing(book.id).reads
    values = state.get_values_named(tx, campaign.id, {*map(subject_key, numbers)}, reads) if reads else {}
    out = _of_people(book, people, values, partial(Who, ""), permissions.find_now(tx, person, campaign)).out
    return {number for number, who in people.items() if who.key in out}


def _of_people(
    book: RuleSet, people: Mapping[int, Who], values: state.State, named: Named, now: Moment
) -> UpdateKnowledge:
    pairing = books.find_pairing(book.id)
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


class TaskForecast(Struct, frozen=True):
    """A task before its dice: its `preview` or `fault`, choices it `lacks`, what a turn's end waits for (`held`)."""

    phase: Phase
    task: Task
    preview: Preview | None
    fault: str = ""
    in_scene: bool = False
    held: str = ""
    lacks: str = ""

    @property
    def waits_for(self) -> str:
        """What a game master has to say first; empty if ready."""
        return self.lacks or (self.preview and self.preview.asks_reason) or ""


def task_line(item: TaskForecast) -> str:
    """Return a task in a line: phase, people, and what it waits for or its fault."""
    why = item.waits_for if item.preview else item.fault
    roles = item.task.parts[0].roles
    names = dict.fromkeys(who.name for some in roles.values() for who in some)
    return f"{plain(item.phase.label)}, {join_words([plain(name) for name in names])}: {plain(why)}"


def task_digits(task: Task) -> str:
    """Return a task's 16 hexadecimal digits for ids."""
    return hashlib.sha256(task.key.encode()).hexdigest()[:16]


def mark_ready(tasks: Iterable[tuple[Task, bool]]) -> Iterator[bool]:
    """Yield whether each task can be rolled out of turn.

    An order goes through its phases and pieces one by one. What happens in a scene depends on everything before it.
    """
    earlier, begun = set[int](), False
    for task, in_scene in tasks:
        yield earlier.isdisjoint(task.orders) and not (in_scene and begun)
        earlier |= {*task.orders}
        begun = begun or in_scene


def list_by_card(tasks: Sequence[TaskForecast]) -> list[tuple[TaskForecast, Preview]]:
    """Return the ready tasks that people may roll by card (dice, or several outcomes), with previews."""
    free = mark_ready((item.task, item.in_scene) for item in tasks)
    found = [(item, item.preview) for item, is_free in zip(tasks, free, strict=True) if is_free]
    return [
        (item, preview)
        for item, preview in found
        if preview is not None
        and preview.procedure.policy.by_card
        and any(part.stages or len(part.odds) > 1 for part in preview.parts)
    ]


def carry_orders(phase: Phase, task: Task, orders: Iterable[StandingOrder]) -> OrderedTask:
    """Return the orders that a task's roll carries out."""
    taken = {*task.orders}
    mine = [order for order in orders if order.entry in taken]
    return OrderedTask(
        phase=phase.id,
        parts=tuple(part.key for part in task.parts),
        orders=tuple(
            CarriedOrder(
                entry=order.entry,
                subject=order.who.key,
                name=order.name,
                parts=tuple(part.key for part in task.parts if order.entry in part.orders),
                later=order.entry in task.later,
            )
            for order in mine
        ),
    )


def request(book: str, task: Task, viewer: visibility.Viewer, scene: str | None) -> RollRequest:
    """Return a task's roll as a person asks for it."""
    leads = viewer.person.leads(viewer.campaign)
    parts, by = tuple(map(_part, task.parts)), None if leads else viewer.mine
    return RollRequest(book=book, family=task.family, parts=parts, staff=leads, by=by, scene=scene)


def command_of(book: RuleSet, task: Task, campaign: campaigns.Campaign, scene: str | None) -> RollCommand:
    """Return the command that rolls a task."""
    region = task.place if name_key(task.place or "") in book.places else None
    parts = [*map(_part, task.parts)]
    return RollCommand((), (book.id, task.family), parts, region, campaign=campaign.id, scene=scene)


def _part(part: TaskPart) -> PartRequest:
    roles = part.roles
    return PartRequest(
        subjects={role: ", ".join(who.name for who in people) for role, people in roles.items()},
        ids={role: tuple(who.id for who in people) for role, people in roles.items()},
        inputs=dict(part.inputs),
        choices=dict(part.choices),
    )


def forecast_sides(
    scene: PlayedScene, found: Iterable[Outcome], mine: str | None, *, every: bool = False
) -> Sequence[OrdersForecast]:
    """Return what tasks that spend, or `every` one, leave to each side that `mine` sees (None: all sides)."""
    families = {kind.family for kind in _list_paired(scene) if kind.spends or every}
    tasks = [item for item in found if isinstance(item, Task) and item.family in families]
    return scene.orders.reckon(scene.book, scene.values, mine, tasks) if tasks else ()


def _list_paired(scene: PlayedScene) -> list[OrderKind]:
    paired = books.find_pairing(scene.book.id).kinds
    return [kind for kind in scene.book.entries_of(OrderKind).values() if kind.id in paired]


def describe_forecast(scene: PlayedScene, found: OrdersForecast, orders: Sequence[StandingOrder]) -> Iterator[str]:
    """Yield what a side has left, and which orders would be cancelled."""
    yield from _describe_short(scene, found.short, orders)
    if found.short:
        which = "This one" if len(found.short) == 1 else "These"
        yield f"{which} will be cancelled. To avoid that, change or cancel an order in `/order list`."
    yield from filter(None, [plain(found.left)])  # of a side that ends nothing is left


def _describe_short(
    scene: PlayedScene, short: Iterable[Cancellation], orders: Sequence[StandingOrder]
) -> Iterator[str]:
    known, given = by_key([scene.book]), {order.entry: order for order in orders}
    for item in short:
        order = given[item.order]
        line = order_line(known[order.book, order.kind], order)
        yield f"\N{WARNING SIGN} {line} (entry #{order.entry}) {plain(item.why)}."


def describe_all_short(
    scenes: Iterable[PlayedScene],
    found: Sequence[tuple[str, Sequence[Outcome]]],
    orders: Sequence[StandingOrder],
    shown: Collection[int],
) -> Iterator[str]:
    """Yield a line for each order that a scene would cancel, except the entries `shown` already."""
    for scene in scenes:
        mine = (item for book, some in found if book == scene.book.id for item in some)
        for side in forecast_sides(scene, mine, None, every=True):
            yield from _describe_short(scene, [item for item in side.short if item.order not in shown], orders)


def find_held_ends(
    scenes: Iterable[PlayedScene], update: int, found: Sequence[tuple[str, Sequence[Outcome]]]
) -> Mapping[str, str]:
    """Return by task key what the end of a turn or scene waits for; an empty text if nothing."""
    held: dict[str, str] = {}
    for scene in scenes:
        families = {kind.family for kind in _list_paired(scene)}
        mine = [item for book, some in found if book == scene.book.id for item in some if isinstance(item, Task)]
        mine = [task for task in mine if not task.orders or task.family in families]
        ends = [task.key for task in mine if not task.orders]
        held |= dict.fromkeys(ends, scene.orders.holds(scene.book, scene.values, update, mine)) if ends else {}
    return held


class MissingChoice(Struct, frozen=True):
    """A choice that a part (its key) of a task lacks; `about` names the part's subjects."""

    part: str
    about: str
    choice: Choice


def find_missing_choices(procedure: Procedure, task: Task) -> list[MissingChoice]:
    """Return a task's missing choices, sorted by part key, however the parts are ordered."""
    return [
        MissingChoice(part.key, " + ".join(who.name for who in part.roles[procedure.subject]), choice)
        for part in sorted(task.parts, key=lambda part: part.key)
        for choice in procedure.choices
        if choice.asked and choice.id not in part.choices
    ]


def add_choices(procedure: Procedure, task: Task, given: Sequence[str]) -> Task:
    """Return the task with answers to its missing choices; the last one fills all further ones."""
    answers: dict[str, dict[str, str]] = {}
    for item, option in zip_longest(find_missing_choices(procedure, task), given, fillvalue=given[-1] if given else ""):
        if isinstance(item, MissingChoice) and option in item.choice.options:
            answers.setdefault(item.part, {})[item.choice.id] = option
    parts = (replace(part, choices={**part.choices, **answers.get(part.key, {})}) for part in task.parts)
    return replace(task, parts=tuple(parts))


def describe_missing(procedure: Procedure, task: Task) -> str:
    """Return which choices are missing; empty if none."""
    missing = find_missing_choices(procedure, task)
    labels = {item.choice.label: [each.about for each in missing if each.choice == item.choice] for item in missing}
    return " ".join(f"{label} is missing: {join_words(names)}." for label, names in labels.items())
