"""What the components of a roll card do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from discord import ui

from bot.core.permissions import require_leader_again
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.rolls.card import edits, layout
from bot.rolls.card.layout import TO_LABELS, card_id, chunk_of, ticks
from bot.rolls.card.service import CardView, Changed, Edit, Ticked
from bot.rolls.desk import RollDesk
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, Interaction, ask, number, person, promise, redraw, say, submitted, text_field
from bot.ui.text import plain, shorten
from rules.stages import Tickable

MAX_FIELDS = 5
KEPT_ONE = "Only one of those can be true: I kept the one you ticked last."
LOOK_AGAIN = "The card changed since you saw it. This is how it stands: look again."


@dataclass(frozen=True, slots=True)
class Press:
    """One use of a component: on which card, what it showed, and what the component's id says besides."""

    interaction: Interaction
    campaign: int
    card: str
    revision: int
    part: int
    words: tuple[str, ...]

    @property
    def values(self) -> list[str]:
        """What was picked in a select."""
        data: Any = self.interaction.data or {}
        return list(data.get("values") or [])

    @property
    def value(self) -> str:
        """The one thing that was picked."""
        return self.values[0] if self.values else ""

    def require(self, known: object) -> None:
        """Refuse what the card does not offer: an id or a value that the bot never gave out.

        Raises:
            NotOpen: `known` is false.

        """
        if not known:
            raise NotOpen(*STALE)


class CardPanel:
    """Routes a card's components to its use cases and draws what comes of them."""

    def __init__(self, desk: RollDesk) -> None:
        self._desk = desk
        self._deeds: dict[str, Callable[[Press], Awaitable[None]]] = {
            "open": self._open,
            "part": self._show_part,
            "tick": self._tick,
            "choice": self._choice,
            "to": self._to,
            "adjust": self._ask_adjustment,
            "adjusted": self._adjusted,
            "counts": self._ask_counts,
            "counted": self._counted,
            "reset": self._reset,
            "cancel": self._cancel,
            "roll": self._roll,
            "reason": self._reason,
        }

    async def __call__(self, interaction: Interaction, words: list[str]) -> None:
        """Do what a component or modal with the id `card:<words>` asks for."""
        match words:
            case [campaign, card, revision, part, do, *rest] if do in self._deeds:
                press = Press(interaction, number(campaign), card, number(revision), number(part), tuple(rest))
            case _:
                raise NotOpen(*STALE)
        promise(interaction)
        try:
            await self._deeds[do](press)
        except Changed as changed:
            await redraw(interaction, layout.draw(changed.view, press.part, LOOK_AGAIN))

    async def _open(self, press: Press) -> None:
        """Reopen a card in a message of its own; the card is the value picked."""
        view = await self._desk.cards.look(person(press.interaction), press.campaign, press.value)
        await say(press.interaction, view=layout.draw(view, 0))

    async def _show_part(self, press: Press) -> None:
        view = await self._look(press)
        await redraw(press.interaction, layout.draw(view, number(press.value)))

    async def _tick(self, press: Press) -> None:
        chosen = set(press.values)
        notice = None

        def edit(request: RollRequest, preview: Preview, seen: Ticked) -> RollRequest:
            nonlocal notice
            members = chunk_of(preview, press.part, *press.words)
            if not members:
                notice = LOOK_AGAIN
            offered = list(ticks(preview, press.part).values())
            on = {item.id for item in offered if preview.parts[press.part].counted(item.id)}
            names = {member.id for member in members}
            before = {tick.rpartition("*")[0] for tick in seen[press.part]} & names
            added, removed = (chosen & names) - before, before - chosen
            sets = [item.one_of for item in offered if item.one_of and item.id in (on - removed) | added]
            if len(set(sets)) < len(sets):
                notice = KEPT_ONE
            return edits.tick(request, press.part, offered, added=added, removed=removed)

        view = await self._change(press, edit)
        await redraw(press.interaction, layout.draw(view, press.part, notice))

    async def _choice(self, press: Press) -> None:
        def edit(request: RollRequest, preview: Preview, _: Ticked) -> RollRequest:
            offered = {choice.id: choice.options for choice in preview.procedure.choices}
            press.require(len(press.words) == 1 and press.value in offered.get(press.words[0], ()))
            return edits.choose(request, press.part, press.words[0], press.value)

        await self._edit(press, edit)

    async def _to(self, press: Press) -> None:
        to = next((to for to in TO_LABELS if to == press.value), None)
        press.require(to)
        await self._edit(press, lambda request, _, __: edits.send_to(request, to or "auto"))

    async def _ask_adjustment(self, press: Press) -> None:
        view = await self._look(press)
        modal = ui.Modal(
            title=shorten(f"Adjust: {view.preview.parts[press.part].part.key}", 45),
            custom_id=card_id(view, press.part, "adjusted"),
        )
        modal.add_item(text_field("value", "Plus or minus", placeholder="+2", limit=5))
        modal.add_item(text_field("reason", "Why", placeholder="Sandstorm at dusk", limit=parsing.MAX_TEXT))
        stages = view.preview.parts[press.part].stages
        if len(stages) > 1:
            modal.add_item(_table_field(view, press.part))
        await ask(press.interaction, modal)

    async def _adjusted(self, press: Press) -> None:
        fields = submitted(press.interaction)
        table = (fields.get("table") or [None])[0]
        adjustment = parsing.adjustment(fields.get("value", ""), fields.get("reason", ""), table)

        def edit(request: RollRequest, preview: Preview, _: Ticked) -> RollRequest:
            if table not in {None, *(stage.stage.table.id for stage in preview.parts[press.part].stages)}:
                raise BadInput("That table is not rolled on any more.", "Press Adjust again and pick another.")
            return edits.adjust(request, press.part, adjustment)

        await self._edit(press, edit)

    async def _ask_counts(self, press: Press) -> None:
        view = await self._look(press)
        modal = ui.Modal(title="How many?", custom_id=card_id(view, press.part, "counted"))
        shown = view.preview.parts[press.part]
        for item in _per_unit(view.preview, press.part)[:MAX_FIELDS]:
            counted = str(shown.counted(item.id))
            modal.add_item(text_field(item.id, item.label, value=counted, limit=6, needed=False))
        await ask(press.interaction, modal)

    async def _counted(self, press: Press) -> None:
        fields = submitted(press.interaction)

        def edit(request: RollRequest, preview: Preview, seen: Ticked) -> RollRequest:
            lines = _per_unit(preview, press.part)
            before = dict(tick.rpartition("*")[::2] for tick in seen[press.part])
            counts = {line: parsing.count(fields[line.id], line) for line in lines if line.id in fields}
            changed = {line: count for line, count in counts.items() if str(count) != before.get(line.id, "0")}
            return edits.count(request, press.part, changed)

        await self._edit(press, edit)

    async def _reset(self, press: Press) -> None:
        view = await self._desk.cards.reset(person(press.interaction), press.campaign, press.card)
        await redraw(press.interaction, layout.draw(view, press.part))

    async def _cancel(self, press: Press) -> None:
        asked = await self._desk.cards.cancel(person(press.interaction), press.campaign, press.card)
        told = f"{asked.family.capitalize()}: nothing was rolled."
        gone = receipt("Cancelled", [told], COLOURS["failure"])
        await redraw(press.interaction, gone)

    async def _roll(self, press: Press) -> None:
        who = person(press.interaction)
        view = await self._look(press)
        if view.preview.asks_reason and not view.request.reason:
            require_leader_again(who, view.campaign)
            await ask(press.interaction, _reason_modal(press, view.preview.asks_reason))
            return
        rolled = await self._desk.cards.roll(who, press.campaign, press.card, press.revision)
        await self._desk.finish(press.interaction, rolled)

    async def _reason(self, press: Press) -> None:
        reason = parsing.text(submitted(press.interaction).get("reason"), "reason")
        if reason is None:
            raise NeedsReason("The reason is empty.", "Press Roll again and say why it is rolled once more.")
        view = await self._change(press, lambda request, _, __: edits.give_reason(request, reason))
        if view.card.revision != press.revision + 1:
            raise Changed(view)
        who = person(press.interaction)
        work = self._desk.cards.roll(who, press.campaign, press.card, view.card.revision)
        await self._desk.finish(press.interaction, await work)

    async def _edit(self, press: Press, edit: Edit) -> None:
        view = await self._change(press, edit)
        await redraw(press.interaction, layout.draw(view, press.part))

    async def _look(self, press: Press) -> CardView:
        view = await self._desk.cards.look(person(press.interaction), press.campaign, press.card)
        press.require(press.part < len(view.request.parts))
        return view

    async def _change(self, press: Press, edit: Edit) -> CardView:
        def checked(request: RollRequest, preview: Preview, seen: Ticked) -> RollRequest:
            press.require(press.part < len(request.parts))
            return edit(request, preview, seen)

        who = person(press.interaction)
        work = self._desk.cards.change(who, press.campaign, press.card, press.revision, checked)
        return await work


def _per_unit(preview: Preview, part: int) -> list[Tickable]:
    return [item for item in ticks(preview, part).values() if item.per]


def _table_field(view: CardView, part: int) -> ui.Label[ui.Modal]:
    stages = view.preview.parts[part].stages
    select: ui.Select[ui.Modal] = ui.Select(custom_id="table")
    for place, stage in enumerate(stages):
        select.add_option(label=shorten(stage.stage.table.title, 100), value=stage.stage.table.id, default=place == 0)
    return ui.Label(text="On which table", component=select)


def _reason_modal(press: Press, asked: str) -> ui.Modal:
    words = ("card", press.campaign, press.card, press.revision, press.part, "reason")
    modal = ui.Modal(title="Why roll again?", custom_id=":".join(map(str, words)))
    modal.add_item(ui.TextDisplay(plain(asked)))
    return modal.add_item(
        text_field("reason", "Reason", placeholder="The first roll missed a modifier", limit=parsing.MAX_TEXT)
    )
