"""What the components and modals of a roll card do."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.core.errors import NeedsReason
from bot.core.records import insert_names
from bot.rolls import amend
from bot.rolls.answers import finish
from bot.rolls.card import edits, layout, service
from bot.rolls.card.layout import MORE, PAGES, STAFF, Page, card_id, readers_field, table_field
from bot.rolls.card.store import CardChanged, CardKey, CardView, Edit, GroupRemoved
from bot.rolls.desk import RollDesk, desk_of, parse_adjustment
from bot.rolls.pending.panel import show_made
from bot.rolls.pending.service import PendingRoll
from bot.rolls.resolver import RollResult
from bot.ui import components, parsing, reply
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, plain, shorten
from rules.errors import RollError

MAX_FIELDS, MAX_TYPED = 5, 700
T = TypeVar("T")


class _CardPress(Struct, frozen=True):
    """One use of a card: which card and revision, and which part it showed."""

    interaction: reply.AnyInteraction
    key: CardKey
    part: int

    @property
    def desk(self) -> RollDesk:
        return desk_of(self.interaction)

    @property
    def value(self) -> str:
        return next(iter(components.read_picked(self.interaction)), "")

    async def read_view(self) -> CardView:
        view = await self.take(service.read_card)
        edits.require_offered(self.part < len(view.request.parts))
        return view

    async def change(self, edit: Edit) -> CardView:
        return await self._meet(GroupRemoved, service.change, self.key, partial(edits.edit_part, self.part, edit))

    async def edit(self, edit: Edit, page: Page = "card") -> None:
        await self.show(await self.change(edit), page)

    async def show(self, view: CardView, page: Page = "card", notice: str | None = None) -> None:
        destinations = await self.desk.destinations(view.campaign, leads=view.secrets) if page == "more" else {}
        await reply.redraw(self.interaction, layout.draw(view, self.part, notice, page, destinations))

    async def roll(self, key: CardKey) -> object:
        return await self._meet(CardChanged, partial(amend.roll, unchanged=False), key)

    async def take(self, deed: Callable[..., CardView], *given: object) -> CardView:
        who = reply.person(self.interaction)
        return await self.desk.database.write(deed, self.desk.resolver, who, self.key, *given)

    async def _meet(self, refusal: type[CardChanged], deed: Callable[..., T], *given: object) -> T:
        who, write = reply.person(self.interaction), self.desk.database.write
        try:
            return await write(deed, self.desk.resolver, who, *given)
        except refusal as changed:
            changed.view = await write(service.redraw, self.desk.resolver, who, self.key)
            raise


Answer = Callable[..., Awaitable[None]]


async def _press(  # noqa: PLR0913 - what the id says
    answer: Answer,
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
        await reply.refuse(interaction, late, layout.make_cancel_view(CardKey(campaign, card, revision), part))


def _on_card(template: components.IdTemplate) -> Callable[[Answer], components.Component]:
    return lambda answer: components.component(template)(partial(_press, answer))


def _on_form(template: components.IdTemplate) -> Callable[[Answer], components.ModalForm]:
    return lambda answer: components.modal(template)(partial(_press, answer))


@components.component(layout.OPEN)
async def _reopen_picked(interaction: reply.AnyInteraction, campaign: int) -> None:
    card = next(iter(components.read_picked(interaction)), "")
    await _press(_reopen, interaction, campaign=campaign, card=card, revision=0, part=0)


async def _reopen(press: _CardPress) -> None:
    await reply.say(press.interaction, view=layout.draw(await press.read_view(), 0))


@_on_card(layout.PART)
async def _show_part(press: _CardPress) -> None:
    view = await press.read_view()
    edits.require_offered(press.value.isdecimal())
    await replace(press, part=int(press.value)).show(view)


@_on_card(layout.PAGE)
async def _show_page(press: _CardPress, page: str) -> None:
    shown = next((known for known in PAGES if known == page), None)
    edits.require_offered(shown)
    await press.show(await press.read_view(), shown or "card")


@_on_card(layout.TICK)
async def _tick(press: _CardPress, group: str, chunk: int) -> None:
    edit = edits.TickEdit(press.part, group, chunk, frozenset(components.read_picked(press.interaction)))
    view = await press.change(edit)
    await press.show(view, "more" if group == MORE else "card", edit.notice)


@_on_card(layout.CHOICE)
async def _choose(press: _CardPress, choice: str) -> None:
    await press.edit(partial(edits.choose, press.part, choice, press.value))


@_on_card(layout.TO)
async def _send_to(press: _CardPress) -> None:
    view = await press.read_view()
    edits.require_offered(press.value in await press.desk.destinations(view.campaign, leads=view.secrets))
    await press.edit(partial(edits.send_to, press.value), "more")


@_on_card(layout.ADJUST)
async def _ask_adjustment(press: _CardPress) -> None:
    view = await press.read_view()
    title = shorten(f"Adjust: {insert_names(view.preview.parts[press.part].part.key, view.request.people)}", 45)
    form = ui.Modal(title=title, custom_id=card_id(layout.ADJUSTED, view, press.part))
    form.add_item(reply.text_field("value", "Plus or minus", placeholder="+2", limit=5))
    form.add_item(reply.text_field("reason", "Why", placeholder="Sandstorm at dusk", limit=parsing.MAX_TEXT))
    form.add_item(readers_field())
    if len(view.preview.parts[press.part].stages) > 1:
        form.add_item(table_field(view, press.part))
    await reply.ask(press.interaction, form)


@_on_form(layout.ADJUSTED)
async def _adjust(press: _CardPress) -> None:
    fields = reply.read_submitted(press.interaction)
    table = (fields.get("table") or [None])[0]
    private = fields.get("readers") == [STAFF]
    adjustment = parse_adjustment(fields.get("value", ""), fields.get("reason", ""), table, private=private)
    await press.edit(partial(edits.adjust, press.part, adjustment))


@_on_card(layout.NAMES)
async def _ask_names(press: _CardPress) -> None:
    view = await press.read_view()
    form = ui.Modal(title="Which one do you mean?", custom_id=card_id(layout.NAMED, view, press.part))
    for role, names in layout.roles(view, press.part).items():
        form.add_item(reply.text_field(role, role.capitalize(), value=names, limit=MAX_TYPED))
    await reply.ask(press.interaction, form)


@_on_form(layout.NAMED)
async def _rename(press: _CardPress) -> None:
    edit = partial(
        edits.edit_part, press.part, partial(edits.name_roles, press.part, reply.read_submitted(press.interaction))
    )
    await press.show(await press.take(service.recast, edit))


@_on_card(layout.COUNTS)
async def _ask_counts(press: _CardPress) -> None:
    view = await press.read_view()
    form = ui.Modal(title="How many?", custom_id=card_id(layout.COUNTED, view, press.part))
    shown = view.preview.parts[press.part]
    for item in edits.per_unit(view.preview, press.part)[:MAX_FIELDS]:
        counted = str(shown.count_of(item.id))
        form.add_item(reply.text_field(item.id, item.label, value=counted, limit=6, needed=False))
    await reply.ask(press.interaction, form)


@_on_form(layout.COUNTED)
async def _count(press: _CardPress) -> None:
    await press.edit(partial(edits.set_counts, press.part, reply.read_submitted(press.interaction)))


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
    except NeedsReason as needed:
        where = {"campaign": press.key.campaign_id, "card": press.key.card_id, "revision": press.key.revision}
        key, hint = layout.REASON.fill(**where, part=press.part), "The first roll missed a modifier"
        await reply.ask(
            press.interaction, reply.reason_form(key, "Why roll again?", plain(needed.what), placeholder=hint)
        )
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
        await _finish(press, await press.roll(replace(press.key, revision=view.card.revision)))


async def _finish(press: _CardPress, made: object) -> None:
    if isinstance(made, RollResult):
        await finish(press.interaction, made)
    elif isinstance(made, PendingRoll):
        await show_made(press.interaction, made, in_place=True)


@_on_form(layout.REASON)
async def _roll_again(press: _CardPress) -> None:
    reason = parsing.parse_text(reply.read_submitted(press.interaction).get("reason"), "reason")
    if reason is None:
        raise NeedsReason("The reason is empty.", "Press Roll again and say why you're rolling again.")
    view = await press.change(partial(edits.give_reason, reason))
    if view.card.revision != press.key.revision + 1:
        raise CardChanged(view)
    await _finish(press, await press.roll(replace(press.key, revision=view.card.revision)))


COMPONENTS: tuple[components.Component, ...] = (
    *(_reopen_picked, _show_part, _show_page, _tick, _choose, _send_to),
    *(_ask_adjustment, _ask_names, _ask_counts, _reset, _cancel, _roll, _correct, _roll_as_meant),
)
MODALS: tuple[components.ModalForm, ...] = (_adjust, _rename, _count, _roll_again)
