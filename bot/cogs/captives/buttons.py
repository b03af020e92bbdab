"""The button under a declared escape, and the ids of what is pressed about captives."""

from __future__ import annotations

from discord import ui

from bot.outbox.store import Post
from bot.ui.components import IdTemplate

TOPIC = "escape"
ROLL_DECLARED = IdTemplate("escape:{campaign:int}:{entry:int}")
"""The id of the button that rolls declared escapes; the entry is the declaration under which it stands."""


def post_buttons(post: Post) -> ui.View | None:
    """Return the button under a declared escape, for game masters: opens a card with all that are declared."""
    if post.topic != TOPIC:
        return None
    view = ui.View(timeout=None)
    key = ROLL_DECLARED.fill(campaign=post.campaign_id, entry=post.entry_number)
    view.add_item(ui.Button(label="Roll the declared escapes", custom_id=key))
    view.stop()
    return view
