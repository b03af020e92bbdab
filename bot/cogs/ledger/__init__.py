"""The ledger as people read it, and publishing."""

from __future__ import annotations

from discord import ui

from bot.cogs.ledger.entries import PUBLICATION
from bot.feature import Feature
from bot.outbox.store import Post
from bot.rolls.desk import publish_button


def post_buttons(post: Post) -> ui.View | None:
    """Return the button under a result that went to the staff: it makes it public."""
    if post.kind != "staff" or post.entry_number is None:
        return None
    return publish_button(post.campaign_id, post.entry_number)


FEATURE = Feature(entry_kinds=(PUBLICATION,), post_buttons=post_buttons)
setup = FEATURE.setup
