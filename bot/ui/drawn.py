"""Components as Discord takes them, for messages drawn often: discord.py's objects cost more than their content."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import discord
from discord import ComponentType, ui

from bot.ui.text import COLOURS

Part = Mapping[str, object]
SEPARATOR: Part = {"type": ComponentType.separator.value, "divider": True, "spacing": 1}


class Drawn(ui.LayoutView):
    """A container of texts and parts."""

    def __init__(self, parts: Sequence[ui.TextDisplay[Any] | Part]) -> None:
        self._parts = parts
        super().__init__(timeout=None)

    def walk_children(self) -> Generator[ui.Item[Any], None, None]:
        """Yield the texts."""
        yield from (part for part in self._parts if isinstance(part, ui.TextDisplay))

    def to_components(self) -> list[dict[str, Any]]:
        """Return the container."""
        text, kind = ComponentType.text_display.value, ComponentType.container.value
        parts = [
            {"type": text, "content": part.content} if isinstance(part, ui.TextDisplay) else part
            for part in self._parts
        ]
        return [{"type": kind, "accent_color": COLOURS["neutral"], "spoiler": False, "components": parts}]

    def has_components_v2(self) -> bool:
        """Return that it's in Components V2."""
        return True

    def is_finished(self) -> bool:
        """Return that nothing is to be kept."""
        return True


def draw_row(*parts: Part) -> Part:
    """Return a row of buttons, or of one select."""
    return {"type": ComponentType.action_row.value, "components": [*parts]}


def draw_button(label: str, custom_id: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> Part:
    """Return a button."""
    kind = ComponentType.button.value
    return {"type": kind, "style": style.value, "disabled": False, "label": label, "custom_id": custom_id}


def draw_option(label: str, value: str, description: str = "", *, default: bool = False) -> Part:
    """Return an option of a select."""
    option = {"label": label, "value": value, "default": default}
    return {**option, "description": description} if description else option


def draw_select(
    custom_id: str, options: Sequence[Part], placeholder: str | None = None, *, picks: tuple[int, int] = (1, 1)
) -> dict[str, object]:
    """Return a select; `picks` are the fewest and the most."""
    least, most = picks
    select = {"type": ComponentType.string_select.value, "custom_id": custom_id, "min_values": least}
    select |= {"max_values": most, "disabled": False, "required": True, "options": options}
    return {**select, "placeholder": placeholder} if placeholder else select
