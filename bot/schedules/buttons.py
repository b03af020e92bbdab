"""The buttons under a question about missed occurrences."""

from __future__ import annotations

from discord import ui

from bot.outbox.store import Post
from bot.ui.components import IdTemplate

EVERY = 999_999_999
"""The moment of questions queued by older versions, which did not say what they asked about."""

ANSWER = IdTemplate("schedule:{campaign:int}:{job:word}:{until:int}:{answer:word}")


def question_buttons(campaign_id: int, topic: str) -> ui.View:
    """Return the buttons under a question about occurrences of a job that were missed, for game masters."""
    job, _, until = topic.partition(" ")
    view = ui.View(timeout=None)
    for label, answer in (("Make up for it", "roll"), ("Let it go", "skip")):
        view.add_item(
            ui.Button(
                label=label, custom_id=ANSWER.fill(campaign=campaign_id, job=job, until=until or EVERY, answer=answer)
            )
        )
    view.stop()
    return view


def post_buttons(post: Post) -> ui.View | None:
    """Return the buttons under a question that is posted."""
    return question_buttons(post.campaign_id, post.topic) if post.kind == "question" and post.topic else None
