"""The buttons under an open challenge."""

from __future__ import annotations

import discord
from discord import ui

from bot.outbox.store import Post
from bot.ui.components import IdTemplate

CHALLENGE = "challenge"
ACT = IdTemplate("challenge:{campaign:int}:{challenge:id}:{action:word}")


def post_buttons(post: Post) -> ui.View | None:
    """Return the buttons under an open challenge: for who is challenged, and for who has made it."""
    if post.kind != CHALLENGE or post.topic is None:
        return None
    view = ui.View(timeout=None)
    for label, action in (("Answer", "answer"), ("Withdraw", "withdraw")):
        style = discord.ButtonStyle.success if action == "answer" else discord.ButtonStyle.secondary
        key = ACT.fill(campaign=post.campaign_id, challenge=post.topic, action=action)
        view.add_item(ui.Button(label=label, style=style, custom_id=key))
    view.stop()
    return view
