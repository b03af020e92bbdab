"""Components and modals, found by their ids: nothing is kept in memory, so they survive a restart."""

import re
from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property, partial
from typing import Any

import discord
from discord import ui
from msgspec import Struct

from bot.core import transactions
from bot.core.errors import NotOpen
from bot.ui.reply import STALE, AnyInteraction, attend, run_guarded

Handler = Callable[..., Awaitable[None]]
"""Answer a component or modal; takes the interaction and the id's values."""

_FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")
_KINDS = {"int": "[0-9]{1,9}", "id": "[0-9a-z]{1,32}", "hex": "[0-9a-f]{16}", "word": "[^:]+", "rest": ".*"}


class IdTemplate:
    """A custom id's form, such as `publish:{campaign:int}:{number:int}`; a `word` has no colon, `rest` may."""

    def __init__(self, text: str) -> None:
        self._fields = [(name, kind or "word") for name, kind in _FIELD.findall(text)]
        self._format = _FIELD.sub(r"{\1}", text)
        self._literals = _FIELD.split(text)[::3]
        self.name = ":".join(word for word in "".join(self._literals).split(":") if word)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The form as a regular expression, compiled on first use: compiling all slows the start."""
        groups = [f"(?P<{name}>{_KINDS[kind]})" for name, kind in self._fields]
        return re.compile("".join(a + b for a, b in zip(map(re.escape, self._literals), [*groups, ""], strict=True)))

    def fill(self, **values: object) -> str:
        """Return the custom id with these values."""
        return self._format.format(**values)

    def match(self, custom_id: str) -> re.Match[str] | None:
        """Match a whole custom id; None if it has another form."""
        return self.pattern.fullmatch(custom_id) if custom_id.startswith(self._literals[0]) else None

    def read(self, match: re.Match[str]) -> dict[str, Any]:
        """Return a custom id's values; `int` fields as numbers."""
        return {name: int(match[name]) if kind == "int" else match[name] for name, kind in self._fields}


class Component(Struct, frozen=True):
    """A custom id template of buttons or selects, and the function that answers them."""

    template: IdTemplate
    handler: Handler


class ModalForm(Struct, frozen=True):
    """A modal's custom id template, and the function that answers it when sent."""

    template: IdTemplate
    handler: Handler


def component(template: IdTemplate) -> Callable[[Handler], Component]:
    """Return a decorator for what answers a template's buttons and selects."""
    return partial(Component, template)


def modal(template: IdTemplate) -> Callable[[Handler], ModalForm]:
    """Return a decorator for what answers a template's modals."""
    return partial(ModalForm, template)


async def run(interaction: AnyInteraction, template: IdTemplate, handler: Handler, match: re.Match[str]) -> None:
    """Answer a component or modal, log it, and report errors."""
    await run_guarded(interaction, template.name, _answer(interaction, template, handler, match))


async def _answer(interaction: AnyInteraction, template: IdTemplate, handler: Handler, match: re.Match[str]) -> None:
    """Answer, if the id's campaign is on this server: a forged id learns nothing."""
    attend(interaction, template.name)
    values = template.read(match)
    number = values.get("campaign")
    if number is not None:
        if not await interaction.client.servers.is_home(interaction.guild_id, number):
            raise NotOpen("That campaign isn't on this server.", "See /campaign show.")
        if (mine := transactions.current_interaction()) is not None:
            mine.campaign = number
    await handler(interaction, **values)


async def route(interaction: AnyInteraction, components: Iterable[Component], forms: Iterable[ModalForm]) -> None:
    """Answer a component or modal by its id. discord.py's `DynamicItem` would rebuild each message's view."""
    data: Any = interaction.data or {}
    custom_id = str(data.get("custom_id", ""))
    is_modal = interaction.type is discord.InteractionType.modal_submit
    for item in forms if is_modal else components:
        if match := item.template.match(custom_id):
            await run(interaction, item.template, item.handler, match)
            return
    await run_guarded(interaction, "unknown", _refuse(interaction))


async def _refuse(interaction: AnyInteraction) -> None:
    attend(interaction, "unknown")
    raise NotOpen(*STALE)


def read_picked(interaction: AnyInteraction) -> list[str]:
    """Return the values picked in a select; empty if none."""
    data: Any = interaction.data or {}
    return list(data.get("values") or [])


def with_buttons(*buttons: ui.Button[Any]) -> ui.View:
    """Return a view of buttons, for a message of embeds."""
    view = ui.View(timeout=None)
    for button in buttons:
        view.add_item(button)
    view.stop()
    return view
