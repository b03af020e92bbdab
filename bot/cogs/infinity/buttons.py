"""The buttons under an open challenge."""

from __future__ import annotations

import discord
from discord import ui

from bot.cogs.infinity import ids
from bot.cogs.infinity.challenges import KIND
from bot.outbox.store import Post


def post_buttons(post: Post) -> ui.View | None:
    """Return the buttons under an open challenge: for who is challenged, and for who has made it."""
    if post.kind != KIND or post.topic is None:
        return None
    view = ui.View(timeout=None)
    for label, template, style in (
        ("Answer", ids.ANSWER, discord.ButtonStyle.success),
        ("Withdraw", ids.WITHDRAW, discord.ButtonStyle.secondary),
    ):
        key = template.fill(campaign=post.campaign_id, challenge=post.topic)
        view.add_item(ui.Button(label=label, style=style, custom_id=key))
    view.stop()
    return view
