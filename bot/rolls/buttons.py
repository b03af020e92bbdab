"""The buttons under an entry: what publishes it, what takes it back, what tells all of it."""

from __future__ import annotations

from typing import Any

from discord import ui

from bot.ui.components import IdTemplate

PUBLISH = IdTemplate("publish:{campaign:int}:{number:int}")
"""The id of the button that makes a result public."""

TAKE_BACK = IdTemplate("void:{campaign:int}:{number:int}")
"""The id of the button that takes an entry back."""

DETAILS = IdTemplate("entry:{campaign:int}:{number:int}")
"""The id of the button that shows an entry as a whole."""


def details_button(key: str) -> ui.Button[Any]:
    """Return the button that tells the rest of what is shown, by its id."""
    return ui.Button(label="Details", custom_id=key)


def publish_button(campaign_id: int, number: int, label: str = "Publish") -> ui.Button[Any]:
    """Return the button under a result that is not public, for game masters who want it to be."""
    return ui.Button(label=label, custom_id=PUBLISH.fill(campaign=campaign_id, number=number))


def take_back_button(campaign_id: int, number: int, label: str = "Take back") -> ui.Button[Any]:
    """Return the button that takes an entry back, for game masters."""
    return ui.Button(label=label, custom_id=TAKE_BACK.fill(campaign=campaign_id, number=number))


def with_buttons(*buttons: ui.Button[Any]) -> ui.View:
    """Return a view of these buttons, for a message of embeds."""
    view = ui.View(timeout=None)
    for button in buttons:
        view.add_item(button)
    view.stop()
    return view
