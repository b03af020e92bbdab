"""The short message that replaces a card, form or question once it is answered."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui

from bot.ui.colours import COLOURS


def receipt(
    title: str, lines: Sequence[str], colour: int = COLOURS["success"], buttons: Sequence[ui.Button[ui.LayoutView]] = ()
) -> ui.LayoutView:
    """Return the message that replaces a card, form or question that was answered; `buttons` are the next steps."""
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=colour)
    container.add_item(ui.TextDisplay("\n".join([f"### {title}", *lines])))
    if buttons:
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        for button in buttons:
            row.add_item(button)
        container.add_item(row)
    return ui.LayoutView(timeout=None).add_item(container)
