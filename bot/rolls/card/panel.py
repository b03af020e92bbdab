"""What the components and modals of a roll card do."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from discord import ui
from msgspec import Struct, structs

from bot.core import errors, permissions, records
from bot.core.transactions import Write
from bot.rolls import amend, answers, resolver
from bot.rolls.card import layout, service
from bot.rolls.card.store import CARD_CHANGED, CardChanged, CardKey, CardSnapshot, CardView, Edit, GroupRemoved
from bot.rolls.desk import RollDesk, desk_of, parse_adjustment, parse_count
from bot.rolls.pending.panel import show_made
from bot.rolls.pending.service import PendingRoll
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest, To, TypedAdjustment
from bot.ui import parsing, reply
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, Controls, plain, shorten
from rules.errors import RollError
from rules.stages import Tickable
from rules.subjects import names_of

MAX_NAMES, MAX_FIELDS, MAX_TYPED = 10, 5, 700
KEPT_ONE = "Only one of those can apply. I kept your last choice."
T = TypeVar("T")


def tick(
    request: RollRequest, index: int, offered: Sequence[Tickable], *, added: Collection[str], removed: Collection[str]
) -> RollRequest:
    """Tick and untick. The last of alternatives stays; a group named after a role follows its name to other parts."""
    for item in offered:
        if item.id in added:
            rivals = (other.id for other in offered if item.one_of and other.one_of == item.one_of)
            request = _mark(request, index, item.group, {**dict.fromkeys(rivals, 0), item.id: 1})
        elif item.id in removed:
            request = _mark(request, index, item.group, {item.id: 0})
    return request


def set_count(request: RollRequest, index: int, counts: Mapping[Tickable, int]) -> RollRequest:
    """Set how often modifiers that are per unit count in a part."""
    for modifier, number in counts.items():
        request = _mark(request, index, modifier.group, {modifier.id: number})
    return request


def rename(request: RollRequest, index: int, names: Mapping[str, str]) -> RollRequest:
    """Put names into a part's roles, and into other parts that had the same name in the role."""
    before = request.parts[index].subjects
    for role, name in names.items():
        for place, part in enumerate(request.parts):
            if name != before[role] and part.subjects.get(role) == before[role]:
                ids = {other: numbers for other, numbers in part.ids.items() if other != role}
                changed = {"subjects": {**part.subjects, role: name}, "ids": ids}
                request = request.with_part(place, structs.replace(part, **changed))
    return request


def _mark(request: RollRequest, index: int, group: str, marks: Mapping[str, int]) -> RollRequest:
    here = request.parts[index].subjects
    for place, part in enumerate(request.parts):
        if place == index or (group in here and part.subjects.get(group) == here[group]):
            request = request.with_part(place, structs.replace(part, marks={**part.marks, **marks}))
    return request


class TickEdit:
    """One use of a group's select. `notice` says what wasn't done."""

    def __init__(self, part: int, group: str, chunk: int, chosen: frozenset[str]) -> None:
        self._part, self._group, self._chunk, self._chosen = part, group, chunk, chosen
        self.notice: str | None = None

    def __call__(self, request: RollRequest, preview: Preview, seen: CardSnapshot) -> RollRequest:
        """Apply what was ticked and unticked."""
        offered = list(preview.parts[self._part].ticks.values())
        on = {item.id for item in offered if preview.parts[self._part].count_tick(item.id)[0]}
        names = {member.id for member in layout.chunk_of(preview, self._part, self._group, self._chunk)}
        if not (names and self._chosen <= names):
            self.notice = CARD_CHANGED
        before = {tick.rpartition("*")[0] for tick in seen.ticks[self._part]} & names
        added, removed = (self._chosen & names) - before, before - self._chosen
        sets = [item.one_of for item in offered if item.one_of and item.id in (on - removed) | added]
        if len(set(sets)) < len(sets):
            self.notice = KEPT_ONE
        return tick(request, self._part, offered, added=added, removed=removed)


def choose(part: int, choice: str, value: str, request: RollRequest, preview: Preview, _: CardSnapshot) -> RollRequest:
    """reply.Handler one of the procedure's questions about a part."""
    _require_offered(any(item.id == choice and value in item.options for item in preview.procedure.choices))
    chosen = request.parts[part]
    return request.with_part(part, structs.replace(chosen, choices={**chosen.choices, choice: value}))


def send_to(to: To, request: RollRequest, _preview: Preview, _seen: CardSnapshot) -> RollRequest:
    """Choose where the result goes. A group's channel that was set before is dropped."""
    _require_offered(not request.amends)
    return structs.replace(request, to=to, here=None if permissions.is_group(request.to) else request.here)


def adjust(
    part: int, adjustment: TypedAdjustment, request: RollRequest, preview: Preview, seen: CardSnapshot
) -> RollRequest:
    """Add an adjustment, once: a window that arrives twice counts once."""
    if request.parts[part].adjustments.count(adjustment) > seen.ticks[part].count(adjustment.text):
        return request
    if adjustment.table not in {None, *(stage.stage.table.id for stage in preview.parts[part].stages)}:
        raise errors.BadInput("That table isn't used any more.", "Press Adjust again and pick another.")
    shown = request.parts[part]
    return request.with_part(part, structs.replace(shown, adjustments=(*shown.adjustments, adjustment)))


def _name_roles(
    part: int, fields: Mapping[str, object], request: RollRequest, preview: Preview, _: CardSnapshot
) -> RollRequest:
    procedure, asked = preview.procedure, request.parts[part]
    alone = {procedure.actor, procedure.subject, procedure.place, *(role for role, _ in procedure.policy.needs)}
    names = {
        role: ", ".join(parsing.names(str(fields[role]), role, 1 if role in alone else MAX_NAMES))
        for role in asked.subjects
        if fields.get(role) and role not in asked.people
    }
    everybody = {**asked.subjects, **names}
    for role, name in names.items():
        others = [item for other, some in everybody.items() if other != role for item in names_of(some)]
        parsing.refuse_both(names_of(name) if name != asked.subjects[role] else (), others)
    return rename(request, part, names)


def _set_counts(
    part: int, fields: Mapping[str, Any], request: RollRequest, preview: Preview, seen: CardSnapshot
) -> RollRequest:
    before = dict(tick.rpartition("*")[::2] for tick in seen.ticks[part])
    counts = {line: parse_count(fields[line.id], line) for line in _per_unit(preview, part) if line.id in fields}
    changed = {line: count for line, count in counts.items() if str(count) != before.get(line.id, "0")}
    return set_count(request, part, changed)


def _give_reason(reason: str, request: RollRequest, _preview: Preview, _seen: CardSnapshot) -> RollRequest:
    return structs.replace(request, reason=reason)


def _edit_part(part: int, edit: Edit, request: RollRequest, preview: Preview, seen: CardSnapshot) -> RollRequest:
    _require_offered(part < len(request.parts))
    return edit(request, preview, seen)


def _per_unit(preview: Preview, part: int) -> list[Tickable]:
    return [item for item in preview.parts[part].ticks.values() if item.per]


def _require_offered(offered: object) -> None:
    if not offered:
        raise errors.NotOpen(*reply.STALE)


class _CardPress(Struct, frozen=True):
    interaction: reply.AnyInteraction
    key: CardKey
    part: int

    @property
    def desk(self) -> RollDesk:
        return desk_of(self.interaction)

    @property
    def value(self) -> str:
        return next(iter(reply.read_picked(self.interaction)), "")

    async def read_view(self) -> CardView:
        view = await self.take(service.read_card)
        _require_offered(self.part < len(view.request.parts))
        return view

    async def change(self, edit: Edit) -> CardView:
        minor = self.desk.database.write_minor
        return await self._meet(minor, GroupRemoved, service.change, self.key, partial(_edit_part, self.part, edit))

    async def edit(self, edit: Edit, page: layout.Page = "card") -> None:
        await self.show(await self.change(edit), page)

    async def show(self, view: CardView, page: layout.Page = "card", notice: str | None = None) -> None:
        destinations = await self.desk.destinations(view.campaign, leads=view.secrets) if page == "more" else {}
        await reply.redraw(self.interaction, layout.draw(view, self.part, notice, page, destinations))

    async def roll(self, key: CardKey) -> object:
        amending = partial(amend.roll, unchanged=False)
        return await self._meet(self.desk.database.write, CardChanged, service.roll_or_amend, key, amending)

    async def take(self, deed: Callable[..., CardView], *given: object) -> CardView:
        who = reply.person(self.interaction)
        return await self.desk.database.write_minor(deed, self.desk.resolver, who, self.key, *given)

    async def _meet(self, write: Write, refusal: type[CardChanged], deed: Callable[..., T], *given: object) -> T:
        who = reply.person(self.interaction)
        try:
            return await write(deed, self.desk.resolver, who, *given)
        except refusal as changed:
            changed.view = await write(service.redraw, self.desk.resolver, who, self.key)
            raise


async def _press(  # noqa: PLR0913 - what the id says
    answer: reply.Handler,
    interaction: reply.AnyInteraction,
    *,
    campaign: int,
    card: str,
    revision: int,
    part: int,
    **more: object,
) -> None:
    try:
        await answer(_CardPress(interaction, CardKey(campaign, card, revision), part), **more)
    except CardChanged as changed:
        await reply.redraw(interaction, layout.draw(changed.view, part, changed.why))
    except RollError as late:  # none of its pages may be shown, so its way out is here
        cancel = layout.CANCEL.fill(campaign=campaign, card=card, revision=revision, part=part)
        await reply.refuse(interaction, late, Controls(ui.Button(label="Cancel the card", custom_id=cancel)))


def _on_card(template: reply.IdTemplate) -> Callable[[reply.Handler], reply.Component]:
    return lambda answer: reply.component(template)(partial(_press, answer))


def _on_form(template: reply.IdTemplate) -> Callable[[reply.Handler], reply.ModalForm]:
    return lambda answer: reply.modal(template)(partial(_press, answer))


@reply.component(layout.OPEN)
async def _reopen_picked(interaction: reply.AnyInteraction, campaign: int) -> None:
    card = next(iter(reply.read_picked(interaction)), "")
    await _press(_reopen, interaction, campaign=campaign, card=card, revision=0, part=0)


async def _reopen(press: _CardPress) -> None:
    await reply.say(press.interaction, view=layout.draw(await press.read_view(), 0))


@_on_card(layout.PART)
async def _show_part(press: _CardPress) -> None:
    view = await press.read_view()
    _require_offered(press.value.isdecimal())
    await structs.replace(press, part=int(press.value)).show(view)


@_on_card(layout.PAGE)
async def _show_page(press: _CardPress, page: str) -> None:
    shown = next((known for known in layout.PAGES if known == page), None)
    _require_offered(shown)
    await press.show(await press.read_view(), shown or "card")


@_on_card(layout.TICK)
async def _tick(press: _CardPress, group: str, chunk: int) -> None:
    edit = TickEdit(press.part, group, chunk, frozenset(reply.read_picked(press.interaction)))
    view = await press.change(edit)
    await press.show(view, "more" if group == layout.MORE else "card", edit.notice)


@_on_card(layout.CHOICE)
async def _choose(press: _CardPress, choice: str) -> None:
    await press.edit(partial(choose, press.part, choice, press.value))


@_on_card(layout.TO)
async def _send_to(press: _CardPress) -> None:
    view = await press.read_view()
    _require_offered(press.value in await press.desk.destinations(view.campaign, leads=view.secrets))
    await press.edit(partial(send_to, press.value), "more")


@_on_card(layout.ADJUST)
async def _ask_adjustment(press: _CardPress) -> None:
    view = await press.read_view()
    title = shorten(f"Adjust: {records.insert_names(view.preview.parts[press.part].part.key, view.request.people)}", 45)
    form = ui.Modal(title=title, custom_id=layout.card_id(layout.ADJUSTED, view, press.part))
    form.add_item(reply.text_field("value", "Plus or minus", placeholder="+2", limit=5))
    form.add_item(reply.text_field("reason", "Why", placeholder="Sandstorm at dusk", limit=parsing.MAX_TEXT))
    form.add_item(layout.readers_field())
    if len(view.preview.parts[press.part].stages) > 1:
        form.add_item(layout.table_field(view, press.part))
    await reply.ask(press.interaction, form)


@_on_form(layout.ADJUSTED)
async def _adjust(press: _CardPress) -> None:
    fields = reply.read_submitted(press.interaction)
    table = (fields.get("table") or [None])[0]
    private = fields.get("readers") == [layout.STAFF]
    adjustment = parse_adjustment(fields.get("value", ""), fields.get("reason", ""), table, private=private)
    await press.edit(partial(adjust, press.part, adjustment))


@_on_card(layout.NAMES)
async def _ask_names(press: _CardPress) -> None:
    view = await press.read_view()
    form = ui.Modal(title="Which one do you mean?", custom_id=layout.card_id(layout.NAMED, view, press.part))
    for role, names in layout.roles(view, press.part).items():
        form.add_item(reply.text_field(role, role.capitalize(), value=names, limit=MAX_TYPED))
    await reply.ask(press.interaction, form)


@_on_form(layout.NAMED)
async def _rename(press: _CardPress) -> None:
    edit = partial(_edit_part, press.part, partial(_name_roles, press.part, reply.read_submitted(press.interaction)))
    await press.show(await press.take(service.recast, edit))


@_on_card(layout.COUNTS)
async def _ask_counts(press: _CardPress) -> None:
    view = await press.read_view()
    form = ui.Modal(title="How many?", custom_id=layout.card_id(layout.COUNTED, view, press.part))
    shown = view.preview.parts[press.part]
    for item in _per_unit(view.preview, press.part)[:MAX_FIELDS]:
        counted = str(shown.count_tick(item.id)[0])
        form.add_item(reply.text_field(item.id, item.label, value=counted, limit=6, needed=False))
    await reply.ask(press.interaction, form)


@_on_form(layout.COUNTED)
async def _count(press: _CardPress) -> None:
    await press.edit(partial(_set_counts, press.part, reply.read_submitted(press.interaction)))


@_on_card(layout.RESET)
async def _reset(press: _CardPress) -> None:
    await press.show(await press.take(service.reset))


@_on_card(layout.CANCEL)
async def _cancel(press: _CardPress) -> None:
    request = await press.desk.database.write(service.cancel, reply.person(press.interaction), press.key)
    text = f"{request.noun.capitalize()}: cancelled. Nothing was {'amended' if request.amends else 'rolled'}."
    await reply.redraw(press.interaction, receipt("Cancelled", [text], COLOURS["failure"]))


@_on_card(layout.ROLL)
async def _roll(press: _CardPress) -> None:
    try:
        rolled = await press.roll(press.key)
    except errors.NeedsReason as needed:
        campaign, card, revision = structs.astuple(press.key)
        key = layout.REASON.fill(campaign=campaign, card=card, revision=revision, part=press.part)
        why, hint = plain(needed.what), "The first roll missed a modifier"
        await reply.ask(press.interaction, reply.reason_form(key, "Why roll again?", why, placeholder=hint))
    else:
        await _finish(press, rolled)


@_on_card(layout.CORRECT)
async def _correct(press: _CardPress) -> None:
    await press.show(await press.take(service.correct_card))


@_on_card(layout.MEANT)
async def _roll_as_meant(press: _CardPress) -> None:
    view = await press.take(service.correct_card)
    if view.preview.asks_reason and not view.request.reason:
        await press.show(view)
    else:
        await _finish(press, await press.roll(structs.replace(press.key, revision=view.card.revision)))


async def _finish(press: _CardPress, made: object) -> None:
    if isinstance(made, resolver.RollResult):
        await answers.finish(press.interaction, made)
    elif isinstance(made, PendingRoll):
        await show_made(press.interaction, made, in_place=True)


@_on_form(layout.REASON)
async def _roll_again(press: _CardPress) -> None:
    reason = parsing.parse_text(reply.read_submitted(press.interaction).get("reason"), "reason")
    if reason is None:
        raise errors.NeedsReason("The reason is empty.", "Press Roll again and say why you're rolling again.")
    view = await press.change(partial(_give_reason, reason))
    if view.card.revision != press.key.revision + 1:
        raise CardChanged(view)
    await _finish(press, await press.roll(structs.replace(press.key, revision=view.card.revision)))


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    *(_reopen_picked, _show_part, _show_page, _tick, _choose, _send_to),
    *(_ask_adjustment, _ask_names, _ask_counts, _reset, _cancel, _roll, _correct, _roll_as_meant),
    _adjust,
    _rename,
    _count,
    _roll_again,
)
