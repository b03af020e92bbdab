"""Resolve an update's orders phase by phase, a few rolls per transaction.

Each step looks again for what is left, so a second press continues where the first stopped, after a crash or next to another person.
The snapshot is reused only while the newest entry is that of the step before.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, records, state
from bot.core.campaigns import Campaign, current_update, open_campaign, require_on_server
from bot.core.errors import NeedsReason, NotAsItIs, NotOpen, UserError
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.visibility import Viewer, make_viewer
from bot.orders import forecast, kinds
from bot.orders.digest import OpenWork, WaitingOrder, find_questions_left, is_due
from bot.orders.entries import OrderWork, cancel_order
from bot.orders.standing import StandingOrder, fingerprint
from bot.outbox.queue import Post
from bot.rolls import consequences, desk, extension
from bot.rolls.preview import Preview, require_procedure
from bot.rolls.request import MAX_PARTS, RollRequest
from bot.rolls.resolver import Resolver, RollOrder
from rules import books, effects, errors, ruleset, subjects
from rules.orders import Cancellation, OrderKind, Outcome, Pairing, Phase, Task, UpdateKnowledge, Wait, find_outcomes

RESOLVING = "resolve orders"
MOST_STEPS = 5  # in one transaction: others' rolls wait for its end


class ResolvingWork(OrderWork, frozen=True, dict=True):
    """What resolving needs, too; what no roll changes is read once."""

    @cached_property
    def books(self) -> Sequence[ruleset.RuleSet]:
        """The campaign's books."""
        return self.resolver.library.list_books(self.tx, self.campaign)

    @cached_property
    def viewer(self) -> Viewer:
        """The person as a viewer."""
        return make_viewer(self.tx, self.person, self.campaign)


class PhaseToDo(Struct, frozen=True):
    """A phase to resolve: its orders, what is known, and their outcomes."""

    book: ruleset.RuleSet
    pairing: Pairing
    phase: Phase
    known: UpdateKnowledge
    orders: Sequence[StandingOrder]
    outcomes: Sequence[Outcome]
    scene: str | None = None


class ResolutionPlan(Struct, frozen=True):
    """What resolving would do now, with the fingerprint `seen` that recognizes it."""

    campaign: Campaign
    update: int
    tasks: Sequence[forecast.TaskForecast]
    lapses: Sequence[tuple[StandingOrder, str]]
    seen: str
    waiting: OpenWork
    held: Sequence[StandingOrder] = ()
    short: Sequence[str] = ()


class Progress(Struct, frozen=True):
    """How far a press of Resolve is: the fingerprint to check first, waiting tasks by key, and the last snapshot."""

    seen: str | None = None
    waiting: Mapping[str, tuple[Task, str]] = field(default_factory=dict)
    last: forecast.OrdersSnapshot | None = None


class ResolutionStep(Struct, frozen=True):
    """One step: its entry and posts, or the task that waits for a person, and why."""

    entry: records.Entry | None = None
    posts: tuple[Post, ...] = ()
    waits: tuple[Task, str] | None = None
    progress: Progress = Progress()


def plan_resolution(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign) -> ResolutionPlan:
    """Return what resolving would do now; later phases may change.

    Raises:
        NotOpen: the campaign is archived, or nothing is left (`NotAsItIs`).
    """
    open_campaign(tx, campaign.id, lock=False)
    require_game_master(person, campaign, RESOLVING)
    work = ResolvingWork(tx, resolver, person, campaign)
    stands = _read_snapshot(work)
    found = list(_to_do(work, stands))
    held = [item for item in stands.orders if item.held and item.is_unresolved]
    if not found:
        asked = find_questions_left(stands.orders, _questions(work))
        hint = (
            "Press Digest in /update show to post the results."
            if is_due(tx, campaign)
            else "Players give orders with /order give."
        )
        hint = f"{len(held)} paused: resume from /order list." if held else hint
        known = kinds.by_key(work.books)
        off = [item for item in stands.orders if item.is_unresolved and (item.book, item.kind) not in known]
        if off:
            which = "1 order needs" if len(off) == 1 else f"{len(off)} orders need"
            hint = f"{which} rules that are switched off. Switch them on, or cancel orders in /order list."
        hint = f"Answer this first. {asked[0].line}." if asked else hint
        raise NotAsItIs("No orders to resolve.", hint)
    tasks, waiting = list(forecast_tasks(work, found)), OpenWork(_waits(found), _questions(work))
    lapses = [
        (order, lapse.why)
        for item in found
        for lapse in item.outcomes
        if isinstance(lapse, Cancellation)
        for order in item.orders
        if order.entry == lapse.order
    ]
    update, came = current_update(tx, campaign.id)["number"], [(each.book.id, each.outcomes) for each in found]
    held_back = forecast.find_held_ends(stands.scenes.values(), update, came)
    tasks = [replace(item, held=held_back.get(item.task.key, "")) for item in tasks]
    faulty = {number for item in tasks if item.preview is None for number in item.task.orders}
    short = [*forecast.describe_all_short(stands.scenes.values(), came, stands.orders, faulty)]
    return ResolutionPlan(campaign, update, tasks, lapses, fingerprint(stands.orders), waiting, held, short)


def _waits(found: Iterable[PhaseToDo]) -> list[WaitingOrder]:
    waiting = {
        order.entry: WaitingOrder(order, wait.why)
        for item in found
        for wait in item.outcomes
        if isinstance(wait, Wait)
        for order in item.orders
        if order.entry in wait.orders
    }
    return list(waiting.values())


def find_waiting(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign
) -> tuple[list[forecast.TaskForecast], OpenWork]:
    """Return tasks that need a reason or choices, and orders and questions that need answers."""
    if campaign.archived_at is not None:
        return [], OpenWork()
    work = ResolvingWork(tx, resolver, person, campaign)
    todo = phases(work)
    tasks, names = list(list_tasks(todo)), dict[int, set[str]]()
    people = {who.id for _, task in tasks for who in task.people if who.id is not None}
    for key, name in state.get_values(work.tx, work.campaign.id, set(map(subjects.subject_key, people))):
        names.setdefault(subjects.number_of(key), set()).add(name)
    likely = [
        (item, task)
        for item, task in tasks
        if forecast.find_missing_choices(procedure := item.book.procedure(task.family), task)
        or consequences.may_need_reason(procedure, (name for who in task.people for name in names.get(who.id or 0, ())))
    ]
    foreseen = [_foreseen(work, *each) for each in likely]
    waiting = [item for item in foreseen if item.preview and item.waits_for]
    return waiting, OpenWork(_waits(todo), _questions(work))


def find_unanswered(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, last: forecast.OrdersSnapshot | None = None
) -> OpenWork:
    """Return the orders, questions and scenes that need a game master's answer now."""
    work = ResolvingWork(tx, resolver, person, campaign)
    stands = _read_snapshot(work, last)
    update = current_update(tx, campaign.id)["number"]
    held = (item.orders.holds(item.book, item.values, update, ()) for item in stands.scenes.values())
    return OpenWork(_waits(_to_do(work, stands)), _questions(work), [*filter(None, held)])


def _questions(work: ResolvingWork) -> list[extension.Question]:
    now = find_now(work.tx, work.person, work.campaign)
    return work.resolver.extension.open_questions(work.tx, work.campaign, now)


def is_done(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, last: forecast.OrdersSnapshot | None = None
) -> bool:
    """Return whether results need a digest, and nothing but paused orders is left to resolve or answer."""
    work = ResolvingWork(tx, resolver, person, campaign)
    stands = _read_snapshot(work, last)
    if not is_due(tx, campaign) or any(_to_do(work, stands)):
        return False
    return not find_questions_left(stands.orders, _questions(work))


def take_steps(  # noqa: PLR0913, PLR0917 - a transaction of one press
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, progress: Progress, most: int = MOST_STEPS
) -> list[ResolutionStep]:
    """Make the next steps; none if only waiting tasks are left."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id)
    require_game_master(person, campaign, RESOLVING)
    work = ResolvingWork(tx, resolver, person, campaign)
    stands = _read_snapshot(work, progress.last)
    if progress.seen is not None and progress.seen != fingerprint(stands.orders):
        raise NotOpen("Orders have changed since you looked.", "Open the plan again with /gm resolve.")
    if resolver.outside and campaign.asks_outside:  # random.org is asked once in a transaction
        most = 1
    steps: list[ResolutionStep] = []
    try:
        while len(steps) < most and (made := next(_list_steps(work, stands, progress.waiting), None)):
            waiting = {**progress.waiting, **({made.waits[0].key: made.waits} if made.waits else {})}
            after = stands if made.entry is None else forecast.snapshot_after(stands, made.entry, work.books)
            progress, stands = Progress(waiting=waiting, last=after), after or _read_snapshot(work)
            steps.append(replace(made, progress=progress))
    except (UserError, errors.RollError):  # of a step that wrote nothing: the next transaction raises it
        if not steps or entries.find_link(tx, campaign.id, campaign.uuid).number != stands.entry:
            raise
    return steps


def _list_steps(
    work: ResolvingWork, stands: forecast.OrdersSnapshot, waiting: Collection[str]
) -> Iterator[ResolutionStep]:
    for item in _to_do(work, stands):
        tasks = [task for task in item.outcomes if isinstance(task, Task)]
        yield from (roll_task(work, item, task) for task in free_tasks(item.phase, tasks, waiting))
        held = {number for task in tasks for number in task.orders}
        lapsing = ((order, why) for order, why in _find_lapsing(item) if order.entry not in held)
        yield from (ResolutionStep(_lapse(work, item, *each)) for each in lapsing)


def free_tasks(phase: Phase, tasks: Iterable[Task], waiting: Collection[str]) -> Iterator[Task]:
    """Yield the tasks that don't depend on a waiting one.

    In ranked phases a task depends on earlier ones with the same people.
    """
    held: set[str] = set()
    for task in tasks:
        people = {who.key for who in task.people}
        if task.key in waiting or not people.isdisjoint(held):
            held |= people if phase.rank != "given" else set()
        else:
            yield task


def _read_snapshot(work: ResolvingWork, last: forecast.OrdersSnapshot | None = None) -> forecast.OrdersSnapshot:
    newest = entries.find_link(work.tx, work.campaign.id, work.campaign.uuid).number
    if last is not None and last.entry == newest:
        return last
    return forecast.read_snapshot(work.tx, work.campaign, work.books)


def _to_do(work: ResolvingWork, stands: forecast.OrdersSnapshot) -> Iterator[PhaseToDo]:
    now = find_now(work.tx, work.person, work.campaign)
    for book in work.books:
        yield from to_do(book, stands, now)


def phases(work: ResolvingWork) -> list[PhaseToDo]:
    """Return the phases with something left, in order."""
    return list(_to_do(work, _read_snapshot(work)))


def to_do(book: ruleset.RuleSet, stands: forecast.OrdersSnapshot, now: effects.Moment) -> Iterator[PhaseToDo]:
    """Yield a book's phases with something left, in order."""
    pairing = books.find_pairing(book.id)
    mine = [item for item in stands.orders if item.book == book.id and not item.held]
    if not (mine or book.id in stands.scenes):
        return
    known, scene = forecast.read_known(book, mine, stands, now), stands.scenes.get(book.id)
    every = book.entries_of(OrderKind)
    phases = pairing.settle(book.entries_of(Phase).values())
    for phase in phases:
        taken = [item for item in mine if item.kind in phase.takes and item.is_open(phase.id)]
        if taken or not phase.takes:
            asked = [item.order(phase.id) for item in mine]
            found = find_outcomes(phase, every, asked, known, pairing, MAX_PARTS)
            if found or any(item.is_unresolved for item in taken if _last_phase(phases, item) == phase.id):
                yield PhaseToDo(book, pairing, phase, known, taken, found, scene.subject if scene else None)


def _last_phase(phases: Iterable[Phase], order: StandingOrder) -> str | None:
    taking = [phase for phase in phases if order.kind in phase.takes]
    return next((phase.id for phase in taking if not phase.passes_on), taking[-1].id if taking else None)


def _find_lapsing(item: PhaseToDo) -> list[tuple[StandingOrder, str]]:
    why = {found.order: found.why for found in item.outcomes if isinstance(found, Cancellation)}
    taken = {number for found in item.outcomes if isinstance(found, Task | Wait) for number in found.orders}
    phases = item.pairing.settle(item.book.entries_of(Phase).values())
    return [
        (order, why.get(order.entry, "it had no effect"))
        for order in item.orders
        if order.entry in why
        or (order.is_unresolved and _last_phase(phases, order) == item.phase.id and order.entry not in taken)
    ]


def roll_task(work: ResolvingWork, item: PhaseToDo, task: Task, reason: str | None = None) -> ResolutionStep:
    """Roll a task, or return what it waits for; cancel orders that can't be carried out."""
    who = work.person
    try:
        request, preview = request_for(work, item, task, reason)
        if missing := forecast.describe_missing(preview.procedure, task):
            return ResolutionStep(waits=(task, missing))
        order = RollOrder(
            work.campaign.id, who.user_id, request, preview=preview, actor=work.viewer.mine, interaction=who.interaction
        )
        rolled = work.resolver.roll(work.tx, order)
    except NeedsReason as needed:
        return ResolutionStep(waits=(task, needed.what))
    except (UserError, errors.RollError) as error:
        if not task.orders:
            raise
        return ResolutionStep(_cancel_refused(work, item, task, str(error)))
    return ResolutionStep(rolled.entry, rolled.posts)


def _cancel_refused(work: ResolvingWork, item: PhaseToDo, task: Task, why: str) -> records.Entry:
    members = [order for order in item.orders if order.entry in task.orders]
    every = item.book.entries_of(OrderKind)
    for order in members if len(members) > 1 else ():
        asked = [order.order(item.phase.id)]
        alone = find_outcomes(item.phase, every, asked, item.known, item.pairing, MAX_PARTS)
        for single in (found for found in alone if isinstance(found, Task)):
            try:
                request_for(work, item, single)
            except NeedsReason:
                continue
            except (UserError, errors.RollError) as error:
                return _lapse(work, item, order, str(error))
    return _lapse(work, item, members[0], why)


def _lapse(work: ResolvingWork, item: PhaseToDo, order: StandingOrder, why: str) -> records.Entry:
    known = next(known for known in kinds.list_kinds([item.book]) if known.kind.id == order.kind)
    return cancel_order(work, replace(known, phase=item.phase), order, why)


def request_for(
    work: ResolvingWork, item: PhaseToDo, task: Task, reason: str | None = None
) -> tuple[RollRequest, Preview]:
    """Return the roll of a task with its preview.

    Raises:
        UserError, RollError: it can't be made.
    """
    command = forecast.command_of(item.book, task, work.campaign, item.scene)
    procedure = item.book.procedure(task.family)
    require_procedure(work.person, work.campaign, procedure)
    request = desk.build_request(work.tx, desk.RollPlace(work.viewer, item.book, procedure), command)
    # Names were looked up when they were typed: unknown ones aren't secret.
    request = replace(request, reason=reason, staff=False, led=True)
    preview = work.resolver.preview(work.tx, work.campaign, request, book=item.book)
    work.resolver.require_able(work.tx, work.viewer, preview)
    preview.check()
    mine = {"task": forecast.carry_orders(item.phase, task, item.orders)}
    return replace(request, **mine), replace(preview, request=replace(preview.request, **mine))


def list_tasks(todo: Iterable[PhaseToDo]) -> Iterator[tuple[PhaseToDo, Task]]:
    """Yield (phase, task) for each task of these phases."""
    return ((item, task) for item in todo for task in item.outcomes if isinstance(task, Task))


def forecast_tasks(work: ResolvingWork, todo: Iterable[PhaseToDo]) -> Iterator[forecast.TaskForecast]:
    """Yield the tasks of phases before their dice."""
    return (_foreseen(work, *found) for found in list_tasks(todo))


def _foreseen(work: ResolvingWork, item: PhaseToDo, task: Task) -> forecast.TaskForecast:
    in_scene = item.scene is not None
    try:
        preview = request_for(work, item, task)[1]
        return forecast.TaskForecast(
            item.phase, task, preview, in_scene=in_scene, lacks=forecast.describe_missing(preview.procedure, task)
        )
    except (UserError, errors.RollError) as error:
        return forecast.TaskForecast(item.phase, task, None, str(error), in_scene)
