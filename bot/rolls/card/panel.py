"""What the components and modals of a roll card do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.core.people import named
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.rolls import amend
from bot.rolls.answers import finish
from bot.rolls.card import edits, ids, layout, service
from bot.rolls.card.fields import STAFF, readers_field, table_field
from bot.rolls.card.layout import MORE, PAGES, Page, card_id, chunk_of
from bot.rolls.card.view import CARD_CHANGED, CardKey, CardView, Changed, Edit, Redirected, Snapshot
from bot.rolls.desk import RollDesk, desk_of
from bot.rolls.parsing import parse_adjustment, parse_count
from bot.rolls.pending.panel import tell_made
from bot.rolls.pending.service import PendingRoll
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest, To, TypedAdjustment
from bot.rolls.resolver import Rolled
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, component, modal, picked
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, AnyInteraction, ask, person, reason_form, redraw, refuse, say, submitted, text_field
from bot.ui.text import plain, shorten
from rules.errors import RollError
from rules.stages import Tickable
from rules.subjects import names_of

MAX_FIELDS, MAX_NAMES, MAX_TYPED = 5, 10, 700
T = TypeVar("T")
KEPT_ONE = "Only one of those can apply. I kept your last choice."


class CardPress(Struct, frozen=True):
    """One use of a card's component or modal: on which card, at which revision, and which part it showed."""

    interaction: AnyInteraction
    key: CardKey
    part: int

    @property
    def desk(self) -> RollDesk:
        """The bot's desk."""
        return desk_of(self.interaction)

    @property
    def value(self) -> str:
        """The one thing that was picked."""
        return next(iter(picked(self.interaction)), "")

    async def look(self) -> CardView:
        """Return the card as it stands."""
        view = await self.take(service.look)
        _require_offered(self.part < len(view.request.parts))
        return view

    async def change(self, edit: Edit) -> CardView:
        """Change the card and return it as it stands then."""
        return await self._meet(Redirected, service.change, self.key, partial(_edit_part, self.part, edit))

    async def edit(self, edit: Edit, page: Page = "card") -> None:
        """Change the card and show a page of it."""
        await self.show(await self.change(edit), page)

    async def show(self, view: CardView, page: Page = "card", notice: str | None = None) -> None:
        """Show a page of the card."""
        whither = await self.desk.whither(view.campaign, leads=view.secrets) if page == "more" else {}
        await redraw(self.interaction, layout.draw(view, self.part, notice, page, whither))

    async def roll(self, key: CardKey) -> object:
        """Roll the card as it was in the revision of a key."""
        return await self._meet(Changed, partial(amend.roll, unchanged=False), key)

    async def take(self, deed: Callable[..., CardView], *given: object) -> CardView:
        """Do something to the card and return it as it stands then."""
        who = person(self.interaction)
        return await self.desk.database.write(deed, self.desk.resolver, who, self.key, *given)

    async def _meet(self, refusal: type[Changed], deed: Callable[..., T], *given: object) -> T:
        """Do something to the card; where that is refused so, its current state counts as shown."""
        who, write = person(self.interaction), self.desk.database.write
        try:
            return await write(deed, self.desk.resolver, who, *given)
        except refusal as changed:
            changed.view = await write(service.redraw, self.desk.resolver, who, self.key)
            raise


Answer = Callable[..., Awaitable[None]]
"""Answer a press; takes it and the other values of the id, by name."""


async def _press(  # noqa: PLR0913 - what the id says
    answer: Answer, interaction: AnyInteraction, *, campaign: int, card: str, revision: int, part: int, **more: object
) -> None:
    try:
        await answer(CardPress(interaction, CardKey(campaign, card, revision), part), **more)
    except Changed as changed:
        await redraw(interaction, layout.draw(changed.view, part, changed.why))
    except RollError as late:  # no page of it may be shown either: its way out stands here
        await refuse(interaction, late, layout.way_out(CardKey(campaign, card, revision), part))


def _on_card(template: IdTemplate) -> Callable[[Answer], Component]:
    """Let a function answer the presses of a card's component."""
    return lambda answer: component(template)(partial(_press, answer))


def _on_form(template: IdTemplate) -> Callable[[Answer], ModalForm]:
    return lambda answer: modal(template)(partial(_press, answer))


@component(ids.OPEN)
async def reopen(interaction: AnyInteraction, campaign: int) -> None:
    """Show the card that was picked in a message of its own."""
    card = next(iter(picked(interaction)), "")
    await _press(_reopen, interaction, campaign=campaign, card=card, revision=0, part=0)


async def _reopen(press: CardPress) -> None:
    await say(press.interaction, view=layout.draw(await press.look(), 0))


@_on_card(ids.PART)
async def show_part(press: CardPress) -> None:
    """Show another part of the roll."""
    view = await press.look()
    _require_offered(press.value.isdecimal())
    await replace(press, part=int(press.value)).show(view)


@_on_card(ids.PAGE)
async def show_page(press: CardPress, page: str) -> None:
    """Show another page of the card."""
    shown = next((known for known in PAGES if known == page), None)
    _require_offered(shown)
    await press.show(await press.look(), shown or "card")


@_on_card(ids.TICK)
async def tick(press: CardPress, group: str, chunk: int) -> None:
    """Tick what was picked in a group's select, and untick the rest of it."""
    edit = TickEdit(press.part, group, chunk, frozenset(picked(press.interaction)))
    view = await press.change(edit)
    await press.show(view, "more" if group == MORE else "card", edit.notice)


class TickEdit:
    """The edit that one use of a group's select asks for; `notice` says what was not done as asked."""

    def __init__(self, part: int, group: str, chunk: int, chosen: frozenset[str]) -> None:
        self._part, self._group, self._chunk, self._chosen = part, group, chunk, chosen
        self.notice: str | None = None

    def __call__(self, request: RollRequest, preview: Preview, seen: Snapshot) -> RollRequest:
        """Return the request with what was ticked and unticked since the person saw the card."""
        members = chunk_of(preview, self._part, self._group, self._chunk)
        offered = list(preview.parts[self._part].ticks.values())
        on = {item.id for item in offered if preview.parts[self._part].counted(item.id)}
        names = {member.id for member in members}
        if not (names and self._chosen <= names):
            self.notice = CARD_CHANGED
        before = {tick.rpartition("*")[0] for tick in seen.ticks[self._part]} & names
        added, removed = (self._chosen & names) - before, before - self._chosen
        sets = [item.one_of for item in offered if item.one_of and item.id in (on - removed) | added]
        if len(set(sets)) < len(sets):
            self.notice = KEPT_ONE
        return edits.tick(request, self._part, offered, added=added, removed=removed)


@_on_card(ids.CHOICE)
async def choose(press: CardPress, choice: str) -> None:
    """Answer one of the procedure's questions."""
    await press.edit(partial(_choose, press.part, choice, press.value))


def _choose(part: int, choice: str, value: str, request: RollRequest, preview: Preview, _: Snapshot) -> RollRequest:
    offered = {item.id: item.options for item in preview.procedure.choices}
    _require_offered(value in offered.get(choice, ()))
    return edits.choose(request, part, choice, value)


@_on_card(ids.TO)
async def send_to(press: CardPress) -> None:
    """Choose where the result goes."""
    view = await press.look()
    _require_offered(press.value in await press.desk.whither(view.campaign, leads=view.secrets))
    await press.edit(partial(_send_to, press.value), "more")


def _send_to(to: To, request: RollRequest, _preview: Preview, _seen: Snapshot) -> RollRequest:
    _require_offered(not request.amends)
    return edits.send_to(request, to)


@_on_card(ids.ADJUST)
async def ask_adjustment(press: CardPress) -> None:
    """Ask for a plus or minus of the game master's own."""
    view = await press.look()
    title = shorten(f"Adjust: {named(view.preview.parts[press.part].part.key, view.request.people)}", 45)
    form = ui.Modal(title=title, custom_id=card_id(ids.ADJUSTED, view, press.part))
    form.add_item(text_field("value", "Plus or minus", placeholder="+2", limit=5))
    form.add_item(text_field("reason", "Why", placeholder="Sandstorm at dusk", limit=parsing.MAX_TEXT))
    form.add_item(readers_field())
    if len(view.preview.parts[press.part].stages) > 1:
        form.add_item(table_field(view, press.part))
    await ask(press.interaction, form)


@_on_form(ids.ADJUSTED)
async def adjust(press: CardPress) -> None:
    """Add the adjustment that was typed."""
    fields = submitted(press.interaction)
    table = (fields.get("table") or [None])[0]
    private = fields.get("readers") == [STAFF]
    adjustment = parse_adjustment(fields.get("value", ""), fields.get("reason", ""), table, private=private)
    await press.edit(partial(_adjust, press.part, adjustment))


def _adjust(
    part: int, adjustment: TypedAdjustment, request: RollRequest, preview: Preview, seen: Snapshot
) -> RollRequest:
    """Add an adjustment, unless the same was added since the card was seen: a window that arrives twice counts once."""
    if request.parts[part].adjustments.count(adjustment) > seen.ticks[part].count(adjustment.told):
        return request
    if adjustment.table not in {None, *(stage.stage.table.id for stage in preview.parts[part].stages)}:
        raise BadInput("That table isn't used any more.", "Press Adjust again and pick another.")
    return edits.adjust(request, part, adjustment)


@_on_card(ids.NAMES)
async def ask_names(press: CardPress) -> None:
    """Ask who is meant, where a roll is amended."""
    view = await press.look()
    form = ui.Modal(title="Which one do you mean?", custom_id=card_id(ids.NAMED, view, press.part))
    for role, names in layout.roles(view, press.part).items():
        form.add_item(text_field(role, role.capitalize(), value=names, limit=MAX_TYPED))
    await ask(press.interaction, form)


@_on_form(ids.NAMED)
async def rename(press: CardPress) -> None:
    """Put those who were named into their roles."""
    edit = partial(_edit_part, press.part, partial(_rename, press.part, submitted(press.interaction)))
    await press.show(await press.take(service.recast, edit))


def _rename(part: int, fields: Mapping[str, Any], request: RollRequest, preview: Preview, _: Snapshot) -> RollRequest:
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
    return edits.rename(request, part, names)


@_on_card(ids.COUNTS)
async def ask_counts(press: CardPress) -> None:
    """Ask how often modifiers count that are per something."""
    view = await press.look()
    form = ui.Modal(title="How many?", custom_id=card_id(ids.COUNTED, view, press.part))
    shown = view.preview.parts[press.part]
    for item in _per_unit(view.preview, press.part)[:MAX_FIELDS]:
        counted = str(shown.counted(item.id))
        form.add_item(text_field(item.id, item.label, value=counted, limit=6, needed=False))
    await ask(press.interaction, form)


@_on_form(ids.COUNTED)
async def count(press: CardPress) -> None:
    """Set the counts that were typed."""
    await press.edit(partial(_count, press.part, submitted(press.interaction)))


def _count(part: int, fields: Mapping[str, Any], request: RollRequest, preview: Preview, seen: Snapshot) -> RollRequest:
    """Set the counts that differ from what the person saw: others may have changed meanwhile."""
    lines = _per_unit(preview, part)
    before = dict(tick.rpartition("*")[::2] for tick in seen.ticks[part])
    counts = {line: parse_count(fields[line.id], line) for line in lines if line.id in fields}
    changed = {line: count for line, count in counts.items() if str(count) != before.get(line.id, "0")}
    return edits.count(request, part, changed)


@_on_card(ids.RESET)
async def reset(press: CardPress) -> None:
    """Put the card back to how it was opened."""
    await press.show(await press.take(service.reset))


@_on_card(ids.CANCEL)
async def cancel(press: CardPress) -> None:
    """Close the card without a roll."""
    request = await press.desk.database.write(service.cancel, person(press.interaction), press.key)
    text = f"{request.noun.capitalize()}: cancelled. Nothing was {'amended' if request.amends else 'rolled'}."
    await redraw(press.interaction, receipt("Cancelled", [text], COLOURS["failure"]))


@_on_card(ids.ROLL)
async def roll(press: CardPress) -> None:
    """Roll the card, or ask first for the reason that the rules want."""
    try:
        rolled = await press.roll(press.key)
    except NeedsReason as needed:
        await ask(press.interaction, _reason_form(press, needed.what))
    else:
        await _finish(press, rolled)


@_on_card(ids.CORRECT)
async def correct(press: CardPress) -> None:
    """Show the card as it was meant."""
    await press.show(await press.take(service.as_meant))


@_on_card(ids.MEANT)
async def roll_as_meant(press: CardPress) -> None:
    """Roll what was asked about as it was meant; where a reason is needed, show the card, which asks for it."""
    view = await press.take(service.as_meant)
    if view.preview.asks_reason and not view.request.reason:
        await press.show(view)
    else:
        await _finish(press, await press.roll(replace(press.key, revision=view.card.revision)))


async def _finish(press: CardPress, made: object) -> None:
    """Show what was rolled, or that it waits for others."""
    if isinstance(made, Rolled):
        await finish(press.interaction, made)
    elif isinstance(made, PendingRoll):
        await tell_made(press.interaction, made, in_place=True)


@_on_form(ids.REASON)
async def roll_again(press: CardPress) -> None:
    """Roll the card with the reason that was given."""
    reason = parsing.text(submitted(press.interaction).get("reason"), "reason")
    if reason is None:
        raise NeedsReason("The reason is empty.", "Press Roll again and say why you're rolling again.")
    view = await press.change(partial(_give_reason, reason))
    if view.card.revision != press.key.revision + 1:
        raise Changed(view)
    await _finish(press, await press.roll(replace(press.key, revision=view.card.revision)))


def _give_reason(reason: str, request: RollRequest, _preview: Preview, _seen: Snapshot) -> RollRequest:
    return edits.give_reason(request, reason)


COMPONENTS: tuple[Component, ...] = (
    *(reopen, show_part, show_page, tick, choose, send_to),
    *(ask_adjustment, ask_names, ask_counts, reset, cancel, roll, correct, roll_as_meant),
)
MODALS: tuple[ModalForm, ...] = (adjust, rename, count, roll_again)


def _require_offered(offered: object) -> None:
    """Refuse what the card does not offer: an id or a value that the bot never gave out."""
    if not offered:
        raise NotOpen(*STALE)


def _edit_part(part: int, edit: Edit, request: RollRequest, preview: Preview, seen: Snapshot) -> RollRequest:
    _require_offered(part < len(request.parts))
    return edit(request, preview, seen)


def _per_unit(preview: Preview, part: int) -> list[Tickable]:
    return [item for item in preview.parts[part].ticks.values() if item.per]


def _reason_form(press: CardPress, question: str) -> ui.Modal:
    shown = press.key
    key = ids.REASON.fill(campaign=shown.campaign_id, card=shown.card_id, revision=shown.revision, part=press.part)
    return reason_form(key, "Why roll again?", plain(question), placeholder="The first roll missed a modifier")
