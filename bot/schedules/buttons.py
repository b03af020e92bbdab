"""The buttons under a question about missed occurrences."""

from __future__ import annotations

from functools import partial

from discord import ui

from bot.outbox.store import Post
from bot.ui.components import IdTemplate, with_buttons

EVERY = 999_999_999
"""The moment of questions queued by older versions, which did not say what they asked about."""

ANSWER = IdTemplate("schedule:{campaign:int}:{job:word}:{until:int}:{answer:word}")


def question_buttons(campaign_id: int, topic: str) -> ui.View:
    """Return the buttons under a question about occurrences of a job that were missed, for game masters."""
    job, _, until = topic.partition(" ")
    key = partial(ANSWER.fill, campaign=campaign_id, job=job, until=until or EVERY)
    answers = (("Catch up", "roll"), ("Skip", "skip"))
    return with_buttons(*(ui.Button(label=label, custom_id=key(answer=answer)) for label, answer in answers))


def post_buttons(post: Post) -> ui.View | None:
    """Return the buttons under a question that is posted."""
    return question_buttons(post.campaign_id, post.topic) if post.kind == "question" and post.topic else None
