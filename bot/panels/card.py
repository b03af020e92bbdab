"""What the components of a roll card do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from discord import ui

from bot import typed
from bot.embeds.result import COLOURS
from bot.embeds.text import shorten
from bot.errors import NeedsReason
from bot.panels import card_view
from bot.panels.card_view import card_id, chunk_of, ticks
from bot.panels.reply import Interaction, ask, in_time, person, redraw, say, submitted
from bot.panels.rolling import RollDesk
from bot.request import RollRequest
from bot.resolver import Preview
from bot.services import edits
from bot.services.cards import CardView, Changed, Edit, Ticked
from rules.engine import Tickable

MAX_FIELDS = 5
KEPT_ONE = "Only one of those can be true: I kept the one you ticked last."
LOOK_AGAIN = "The card changed since you saw it. Look again, then press Roll."


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
        campaign, card, revision, part, do, *rest = words
        press = Press(interaction, int(campaign), card, int(revision), int(part), tuple(rest))
        await self._deeds[do](press)

    async def _open(self, press: Press) -> None:
        """Reopen a card in a message of its own; the card is the value picked."""
        (card,) = press.values
        view = await self._desk.cards.look(person(press.interaction), press.campaign, card)
        await say(press.interaction, view=card_view.draw(view, 0))

    async def _show_part(self, press: Press) -> None:
        view = await self._desk.cards.look(person(press.interaction), press.campaign, press.card)
        await redraw(press.interaction, card_view.draw(view, int(press.values[0])))

    async def _tick(self, press: Press) -> None:
        group, chunk = press.words
        chosen = set(press.values)
        kept_one = False

        def edit(request: RollRequest, preview: Preview, seen: Ticked) -> RollRequest:
            nonlocal kept_one
            members = chunk_of(preview, press.part, group, int(chunk))
            before = {tick.rpartition("*")[0] for tick in seen[press.part]} & {member.id for member in members}
            picked = [member.one_of for member in members if member.id in chosen and member.one_of]
            kept_one = len(set(picked)) < len(picked)
            return edits.tick(request, press.part, members, added=chosen - before, removed=before - chosen)

        view = await self._change(press, edit)
        await redraw(press.interaction, card_view.draw(view, press.part, KEPT_ONE if kept_one else None))

    async def _choice(self, press: Press) -> None:
        await self._edit(
            press, lambda request, _, __: edits.choose(request, press.part, press.words[0], press.values[0])
        )

    async def _to(self, press: Press) -> None:
        to = next(to for to in card_view.TO_LABELS if to == press.values[0])
        await self._edit(press, lambda request, _, __: edits.send_to(request, to))  # type: ignore[arg-type]

    async def _ask_adjustment(self, press: Press) -> None:
        view = await self._desk.cards.look(person(press.interaction), press.campaign, press.card)
        modal = ui.Modal(title="Adjust the roll", custom_id=card_id(view, press.part, "adjusted"))
        modal.add_item(_field("value", "Plus or minus", placeholder="+2", limit=5))
        modal.add_item(_field("reason", "Why", placeholder="Sandstorm at dusk", limit=typed.MAX_TEXT))
        stages = view.preview.parts[press.part].stages
        if len(stages) > 1:
            modal.add_item(_table_field(view, press.part))
        await ask(press.interaction, modal)

    async def _adjusted(self, press: Press) -> None:
        fields = submitted(press.interaction)
        table = (fields.get("table") or [None])[0]
        adjustment = typed.adjustment(fields["value"], fields["reason"], table)
        await self._edit(press, lambda request, _, __: edits.adjust(request, press.part, adjustment))

    async def _ask_counts(self, press: Press) -> None:
        view = await self._desk.cards.look(person(press.interaction), press.campaign, press.card)
        modal = ui.Modal(title="How many?", custom_id=card_id(view, press.part, "counted"))
        shown = view.preview.parts[press.part]
        for item in _per_unit(view.preview, press.part)[:MAX_FIELDS]:
            counted = str(shown.counted(item.id))
            modal.add_item(_field(item.id, item.label, value=counted, limit=6, needed=False))
        await ask(press.interaction, modal)

    async def _counted(self, press: Press) -> None:
        fields = submitted(press.interaction)

        def edit(request: RollRequest, preview: Preview, _: Ticked) -> RollRequest:
            lines = _per_unit(preview, press.part)
            counts = {line: typed.count(fields[line.id], line) for line in lines if line.id in fields}
            return edits.count(request, press.part, counts)

        await self._edit(press, edit)

    async def _reset(self, press: Press) -> None:
        view = await in_time(
            press.interaction, self._desk.cards.reset(person(press.interaction), press.campaign, press.card)
        )
        await redraw(press.interaction, card_view.draw(view, press.part))

    async def _cancel(self, press: Press) -> None:
        view = await in_time(
            press.interaction, self._desk.cards.cancel(person(press.interaction), press.campaign, press.card)
        )
        gone = card_view.receipt(
            "Cancelled", [f"{view.preview.procedure.title}: nothing was rolled."], COLOURS["failure"]
        )
        await redraw(press.interaction, gone)

    async def _roll(self, press: Press) -> None:
        who = person(press.interaction)
        work = self._desk.cards.roll(who, press.campaign, press.card, press.revision)
        try:
            rolled = await in_time(press.interaction, work)
        except Changed as changed:
            await redraw(press.interaction, card_view.draw(changed.view, press.part, LOOK_AGAIN))
        except NeedsReason as needed:
            if press.interaction.response.is_done():
                raise
            await ask(press.interaction, _reason_modal(press, needed))
        else:
            await self._desk.finish(press.interaction, rolled)

    async def _reason(self, press: Press) -> None:
        reason = typed.text(submitted(press.interaction)["reason"], "reason")
        if reason is None:
            raise NeedsReason("The reason is empty.", "Press Roll again and say why it is rolled once more.")
        view = await self._change(press, lambda request, _, __: edits.give_reason(request, reason))
        who = person(press.interaction)
        work = self._desk.cards.roll(who, press.campaign, press.card, view.card.revision)
        await self._desk.finish(press.interaction, await in_time(press.interaction, work))

    async def _edit(self, press: Press, edit: Edit) -> None:
        view = await self._change(press, edit)
        await redraw(press.interaction, card_view.draw(view, press.part))

    async def _change(self, press: Press, edit: Edit) -> CardView:
        who = person(press.interaction)
        work = self._desk.cards.change(who, press.campaign, press.card, press.revision, edit)
        return await in_time(press.interaction, work)


def _per_unit(preview: Preview, part: int) -> list[Tickable]:
    return [item for item in ticks(preview, part).values() if item.per]


def _field(  # noqa: PLR0913 - what a text field has
    key: str, label: str, *, placeholder: str | None = None, value: str | None = None, limit: int, needed: bool = True
) -> ui.Label[ui.Modal]:
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=key, placeholder=placeholder, default=value, max_length=limit, required=needed
    )
    return ui.Label(text=shorten(label, 45), component=box)


def _table_field(view: CardView, part: int) -> ui.Label[ui.Modal]:
    stages = view.preview.parts[part].stages
    select: ui.Select[ui.Modal] = ui.Select(custom_id="table")
    for place, stage in enumerate(stages):
        select.add_option(label=shorten(stage.stage.table.title, 100), value=stage.stage.table.id, default=place == 0)
    return ui.Label(text="On which table", component=select)


def _reason_modal(press: Press, needed: NeedsReason) -> ui.Modal:
    words = ("card", press.campaign, press.card, press.revision, press.part, "reason")
    modal = ui.Modal(title="Why roll again?", custom_id=":".join(map(str, words)))
    modal.add_item(ui.TextDisplay(needed.what))
    return modal.add_item(
        _field("reason", "Reason", placeholder="The first roll missed a modifier", limit=typed.MAX_TEXT)
    )
