"""The buttons under the question about what was missed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import discord

from bot.core.campaigns import Campaign, require_on_server
from bot.errors import NotOpen
from bot.outbox.store import Post
from bot.rolls.desk import desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.schedules.embed import ANSWER, answered_embed
from bot.schedules.runner import MissedQuestion, answer_missed, runner_of
from bot.ui.components import Component, component
from bot.ui.reply import STALE, AnyInteraction, person, put

DONE: Mapping[bool, str] = {True: "caught up", False: "skipped"}
"""What became of missed occurrences, by whether they were to be made up for."""


@component(ANSWER)
async def answer_question(interaction: AnyInteraction, *, campaign: int, job: str, until: int, answer: str) -> None:
    """Make up for what was missed, or let it go, as far as it was asked about."""
    desk, runner = desk_of(interaction), runner_of(interaction.client)
    if job not in runner.jobs or answer not in {"roll", "skip"}:
        raise NotOpen(*STALE)
    roll, asked = answer == "roll", runner.jobs[job]
    here = await desk.database.read(require_on_server, interaction.guild_id or 0, campaign)
    question = MissedQuestion(asked, here.id, until)
    answered = await answer_missed(desk.database, runner, person(interaction), question, roll=roll)
    outcomes = {"done by hand already": answered.by_hand, DONE[roll]: answered.done}
    show = partial(
        _show_answered, interaction, here, partial(answered_embed, asked.what, outcomes, fault=answered.fault)
    )
    await deliver(interaction, answered.posts, show, done=f"Missed {asked.what}: {DONE[roll]}")


async def _show_answered(
    interaction: AnyInteraction, campaign: Campaign, embed: Callable[..., discord.Embed], sent: Sequence[Post]
) -> None:
    await put(interaction, embed=embed(where=list(delivery_lines(campaign, sent))))


COMPONENTS: tuple[Component, ...] = (answer_question,)
