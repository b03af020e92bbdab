"""What the components and modals of a roll card do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.core.records import insert_names
from bot.errors import NeedsReason
from bot.rolls import amend
from bot.rolls.answers import finish
from bot.rolls.card import edits, layout, service
from bot.rolls.card.edits import require_offered
from bot.rolls.card.layout import MORE, PAGES, STAFF, Page, card_id, readers_field, table_field
from bot.rolls.card.store import CardKey, CardView, Changed, Edit, Redirected
from bot.rolls.desk import RollDesk, desk_of
from bot.rolls.parsing import parse_adjustment
from bot.rolls.pending.panel import show_made
from bot.rolls.pending.service import PendingRoll
from bot.rolls.resolver import Rolled
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, component, modal, read_picked
from bot.ui.receipt import receipt
from bot.ui.reply import (
    AnyInteraction,
    ask,
    person,
    read_submitted,
    reason_form,
    redraw,
    refuse,
    say,
    text_field,
)
from bot.ui.text import plain, shorten
from rules.errors import RollError

MAX_FIELDS, MAX_TYPED = 5, 700
T = TypeVar("T")


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
        return next(iter(read_picked(self.interaction)), "")

    async def look(self) -> CardView:
        """Return the card as it stands."""
        view = await self.take(service.look)
        require_offered(self.part < len(view.request.parts))
        return view

    async def change(self, edit: Edit) -> CardView:
        """Change the card and return it as it stands then."""
        return await self._meet(Redirected, service.change, self.key, partial(edits.edit_part, self.part, edit))

    async def edit(self, edit: Edit, page: Page = "card") -> None:
        """Change the card and show a page of it."""
        await self.show(await self.change(edit), page)

    async def show(self, view: CardView, page: Page = "card", notice: str | None = None) -> None:
        """Show a page of the card."""
        destinations = await self.desk.destinations(view.campaign, leads=view.secrets) if page == "more" else {}
        await redraw(self.interaction, layout.draw(view, self.part, notice, page, destinations))

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


@component(layout.OPEN)
async def reopen(interaction: AnyInteraction, campaign: int) -> None:
    """Show the card that was picked in a message of its own."""
    card = next(iter(read_picked(interaction)), "")
    await _press(_reopen, interaction, campaign=campaign, card=card, revision=0, part=0)


async def _reopen(press: CardPress) -> None:
    await say(press.interaction, view=layout.draw(await press.look(), 0))


@_on_card(layout.PART)
async def show_part(press: CardPress) -> None:
    """Show another part of the roll."""
    view = await press.look()
    require_offered(press.value.isdecimal())
    await replace(press, part=int(press.value)).show(view)


@_on_card(layout.PAGE)
async def show_page(press: CardPress, page: str) -> None:
    """Show another page of the card."""
    shown = next((known for known in PAGES if known == page), None)
    require_offered(shown)
    await press.show(await press.look(), shown or "card")


@_on_card(layout.TICK)
async def tick(press: CardPress, group: str, chunk: int) -> None:
    """Tick what was picked in a group's select, and untick the rest of it."""
    edit = edits.TickEdit(press.part, group, chunk, frozenset(read_picked(press.interaction)))
    view = await press.change(edit)
    await press.show(view, "more" if group == MORE else "card", edit.notice)


@_on_card(layout.CHOICE)
async def choose(press: CardPress, choice: str) -> None:
    """Answer one of the procedure's questions."""
    await press.edit(partial(edits.choose, press.part, choice, press.value))


@_on_card(layout.TO)
async def send_to(press: CardPress) -> None:
    """Choose where the result goes."""
    view = await press.look()
    require_offered(press.value in await press.desk.destinations(view.campaign, leads=view.secrets))
    await press.edit(partial(edits.send_to, press.value), "more")


@_on_card(layout.ADJUST)
async def ask_adjustment(press: CardPress) -> None:
    """Ask for a plus or minus of the game master's own."""
    view = await press.look()
    title = shorten(f"Adjust: {insert_names(view.preview.parts[press.part].part.key, view.request.people)}", 45)
    form = ui.Modal(title=title, custom_id=card_id(layout.ADJUSTED, view, press.part))
    form.add_item(text_field("value", "Plus or minus", placeholder="+2", limit=5))
    form.add_item(text_field("reason", "Why", placeholder="Sandstorm at dusk", limit=parsing.MAX_TEXT))
    form.add_item(readers_field())
    if len(view.preview.parts[press.part].stages) > 1:
        form.add_item(table_field(view, press.part))
    await ask(press.interaction, form)


@_on_form(layout.ADJUSTED)
async def adjust(press: CardPress) -> None:
    """Add the adjustment that was typed."""
    fields = read_submitted(press.interaction)
    table = (fields.get("table") or [None])[0]
    private = fields.get("readers") == [STAFF]
    adjustment = parse_adjustment(fields.get("value", ""), fields.get("reason", ""), table, private=private)
    await press.edit(partial(edits.adjust, press.part, adjustment))


@_on_card(layout.NAMES)
async def ask_names(press: CardPress) -> None:
    """Ask who is meant, where a roll is amended."""
    view = await press.look()
    form = ui.Modal(title="Which one do you mean?", custom_id=card_id(layout.NAMED, view, press.part))
    for role, names in layout.roles(view, press.part).items():
        form.add_item(text_field(role, role.capitalize(), value=names, limit=MAX_TYPED))
    await ask(press.interaction, form)


@_on_form(layout.NAMED)
async def rename(press: CardPress) -> None:
    """Put those who were named into their roles."""
    edit = partial(
        edits.edit_part, press.part, partial(edits.name_roles, press.part, read_submitted(press.interaction))
    )
    await press.show(await press.take(service.recast, edit))


@_on_card(layout.COUNTS)
async def ask_counts(press: CardPress) -> None:
    """Ask how often modifiers count that are per something."""
    view = await press.look()
    form = ui.Modal(title="How many?", custom_id=card_id(layout.COUNTED, view, press.part))
    shown = view.preview.parts[press.part]
    for item in edits.per_unit(view.preview, press.part)[:MAX_FIELDS]:
        counted = str(shown.counted(item.id))
        form.add_item(text_field(item.id, item.label, value=counted, limit=6, needed=False))
    await ask(press.interaction, form)


@_on_form(layout.COUNTED)
async def count(press: CardPress) -> None:
    """Set the counts that were typed."""
    await press.edit(partial(edits.set_counts, press.part, read_submitted(press.interaction)))


@_on_card(layout.RESET)
async def reset(press: CardPress) -> None:
    """Put the card back to how it was opened."""
    await press.show(await press.take(service.reset))


@_on_card(layout.CANCEL)
async def cancel(press: CardPress) -> None:
    """Close the card without a roll."""
    request = await press.desk.database.write(service.cancel, person(press.interaction), press.key)
    text = f"{request.noun.capitalize()}: cancelled. Nothing was {'amended' if request.amends else 'rolled'}."
    await redraw(press.interaction, receipt("Cancelled", [text], COLOURS["failure"]))


@_on_card(layout.ROLL)
async def roll(press: CardPress) -> None:
    """Roll the card, or ask first for the reason that the rules want."""
    try:
        rolled = await press.roll(press.key)
    except NeedsReason as needed:
        await ask(press.interaction, _reason_form(press, needed.what))
    else:
        await _finish(press, rolled)


@_on_card(layout.CORRECT)
async def correct(press: CardPress) -> None:
    """Show the card as it was meant."""
    await press.show(await press.take(service.correct_card))


@_on_card(layout.MEANT)
async def roll_as_meant(press: CardPress) -> None:
    """Roll what was asked about as it was meant; where a reason is needed, show the card, which asks for it."""
    view = await press.take(service.correct_card)
    if view.preview.asks_reason and not view.request.reason:
        await press.show(view)
    else:
        await _finish(press, await press.roll(replace(press.key, revision=view.card.revision)))


async def _finish(press: CardPress, made: object) -> None:
    if isinstance(made, Rolled):
        await finish(press.interaction, made)
    elif isinstance(made, PendingRoll):
        await show_made(press.interaction, made, in_place=True)


@_on_form(layout.REASON)
async def roll_again(press: CardPress) -> None:
    """Roll the card with the reason that was given."""
    reason = parsing.text(read_submitted(press.interaction).get("reason"), "reason")
    if reason is None:
        raise NeedsReason("The reason is empty.", "Press Roll again and say why you're rolling again.")
    view = await press.change(partial(edits.give_reason, reason))
    if view.card.revision != press.key.revision + 1:
        raise Changed(view)
    await _finish(press, await press.roll(replace(press.key, revision=view.card.revision)))


COMPONENTS: tuple[Component, ...] = (
    *(reopen, show_part, show_page, tick, choose, send_to),
    *(ask_adjustment, ask_names, ask_counts, reset, cancel, roll, correct, roll_as_meant),
)
MODALS: tuple[ModalForm, ...] = (adjust, rename, count, roll_again)


def _reason_form(press: CardPress, question: str) -> ui.Modal:
    shown = press.key
    key = layout.REASON.fill(campaign=shown.campaign_id, card=shown.card_id, revision=shown.revision, part=press.part)
    return reason_form(key, "Why roll again?", plain(question), placeholder="The first roll missed a modifier")
