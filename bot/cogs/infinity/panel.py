"""Challenges in Discord: made, listed, answered in a window, withdrawn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.infinity import challenges, ids, store
from bot.cogs.infinity.answer_form import AnswerDraft, answer_form
from bot.cogs.infinity.challenge_embed import OVER, challenge_line, challenger, closed_embed
from bot.cogs.infinity.challenges import AnsweredChallenge, ChallengeCommand, ChallengeRef, PostedChallenge, RanOut
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.outbox.queue import reworded
from bot.outbox.store import Post
from bot.rolls.answers import deliver, delivery_lines, roll_receipt
from bot.rolls.desk import desk_of
from bot.ui.answering import committed
from bot.ui.colours import COLOURS
from bot.ui.components import Component, ModalForm, component, modal, picked
from bot.ui.receipt import receipt
from bot.ui.reply import ask, own_name, person, put, redraw, refuse, say, submitted
from bot.ui.text import message_link, plain, shorten, within
from rules.errors import RollError

MAX_OPTIONS = 25
ROOM_FOR_LINES = 3500


async def challenge_member(interaction: Interaction, command: ChallengeCommand) -> None:
    """Challenge a member, and tell where that stands."""
    client, who = interaction.client, person(interaction)
    made = await client.database.write(challenges.make, client.resolver, who, command)
    await deliver(interaction, made.posts, partial(_show_made, interaction, made), done="Challenge made")


async def list_challenges(interaction: Interaction) -> None:
    """Answer with the challenges that wait by or against somebody, and what they can do about them."""
    client, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    waiting = await client.database.read(challenges.waiting, who, campaign)
    await say(interaction, view=_listed(waiting, who))


async def ask_answer(interaction: Interaction, *, campaign: int, challenge: str = "", again: bool = False) -> None:
    """Open the window for an answer; `again` with what was typed before and could not be used."""
    client, ref = interaction.client, _ref(interaction, campaign, challenge)
    async with _closing_late(interaction, ref):
        waiting = await client.database.read(challenges.look, client.resolver, person(interaction), ref)
    draft = AnswerDraft(**waiting.draft) if again and waiting.draft else AnswerDraft()
    await ask(interaction, answer_form(waiting, draft, own_name(interaction)))


@modal(ids.ANSWERED)
async def answer(interaction: Interaction, *, campaign: int, challenge: str) -> None:
    """Take the answer in and roll; one that cannot be used is kept, to be mended."""
    client, who, ref = interaction.client, person(interaction), _ref(interaction, campaign, challenge)
    async with _closing_late(interaction, ref):
        await client.database.read(challenges.look, client.resolver, who, ref)
        draft = AnswerDraft.typed(submitted(interaction), own_name(interaction))
        try:
            contestant = draft.contestant(own_name(interaction))
            answered = await client.database.write(challenges.answer, client.resolver, who, ref, contestant)
        except (BadInput, RollError) as error:
            await client.database.write(store.save_draft, campaign, challenge, draft.value())
            await refuse(interaction, error, _retry_button(campaign, challenge))
            return
    done = f"Rolled: entry #{answered.rolled.entry.number}"
    await deliver(interaction, answered.rolled.posts, partial(_show_answered, interaction, answered), done=done)


async def _show_answered(interaction: Interaction, answered: AnsweredChallenge, sent: Sequence[Post]) -> None:
    """Show the roll, and let the challenge's message say how it ended, with the way to the result where that is public."""
    client = interaction.client
    await put(interaction, view=roll_receipt(answered.rolled, sent, reader=person(interaction)))
    await client.outbox.send(client, _linked(answered, sent))


async def withdraw(interaction: Interaction, *, campaign: int, challenge: str = "") -> None:
    """Take a challenge back."""
    client, ref = interaction.client, _ref(interaction, campaign, challenge)
    closed = await client.database.write(challenges.withdraw, client.resolver, person(interaction), ref)
    handed = client.outbox.hand(client, closed.posts)
    title, tone = OVER[closed.challenge.state]
    view = receipt(title, ["Nothing was rolled."], COLOURS[tone])
    committed(interaction, title)
    await (say(interaction, view=view) if ref.message_id else redraw(interaction, view))
    await client.outbox.send(client, handed)


COMPONENTS: tuple[Component, ...] = (
    *(component(template)(ask_answer) for template in (ids.ANSWER, ids.ANSWER_PICKED)),
    component(ids.RETRY)(partial(ask_answer, again=True)),
    *(component(template)(withdraw) for template in (ids.WITHDRAW, ids.WITHDRAW_PICKED)),
)
MODALS: tuple[ModalForm, ...] = (answer,)


@asynccontextmanager
async def _closing_late(interaction: Interaction, ref: ChallengeRef) -> AsyncIterator[None]:
    """Close a challenge that is answered after its time, and let its message say so.

    Raises:
        RanOut: it was.

    """
    try:
        yield
    except RanOut:
        client = interaction.client
        closed = await client.database.write(challenges.run_out, client.outbox, ref.campaign_id, ref.challenge_id)
        await client.outbox.send(client, closed.posts)
        raise


def _ref(interaction: Interaction, campaign: int, challenge: str) -> ChallengeRef:
    """Return which challenge is used: that of the component, or the one picked from a list, and in which message."""
    message = interaction.message
    shared = None if message is None or message.flags.ephemeral else message.id
    return ChallengeRef(campaign, challenge or next(iter(picked(interaction)), ""), shared)


def _linked(answered: AnsweredChallenge, sent: Sequence[Post]) -> Sequence[Post]:
    """Return the post that tells of the answer, with the way to the result where that is public."""
    closed = answered.closed
    public = next((post for post in sent if post.kind == "results" and post.message_id is not None), None)
    link = _link(closed, public)
    if closed.post is None or link is None:
        return closed.posts
    embed = closed_embed(closed.challenge, closed.campaign.name, answered.rolled.entry, link)
    return [reworded(closed.post, [embed])]


async def _show_made(interaction: Interaction, made: PostedChallenge, sent: Sequence[Post]) -> None:
    await put(interaction, view=_made(made, sent))


def _made(made: PostedChallenge, sent: Sequence[Post]) -> ui.LayoutView:
    """Return until when it can be answered, and where its message stands or why it does not yet."""
    until = discord.utils.format_dt(made.challenge.expires_at, "f")
    lines = [f"<@{made.challenge.opponent_id}> can answer until {until}. No die is rolled before."]
    lines += [
        f"[See it]({_link(made, post)}). `/infinity challenges` lists all that wait."
        for post in sent
        if post.message_id
    ]
    waiting = [post for post in sent if post.message_id is None and post.fault is None]
    lines += delivery_lines(made.campaign, waiting)
    faults = [plain(post.fault) for post in sent if post.fault]
    lines += [
        f"\N{WARNING SIGN} Not posted yet: {fault}. I keep trying and post it as soon as I may." for fault in faults
    ]
    return receipt("Challenge made", lines, COLOURS["danger" if faults else "success"])


def _link(posted: PostedChallenge, post: Post | None) -> str | None:
    if post is None or post.message_id is None:
        return None
    return message_link(posted.campaign.guild_id, post.channel_id, post.message_id)


def _listed(waiting: Sequence[PostedChallenge], reader: Person) -> ui.LayoutView:
    lines = [challenge_line(item.challenge, _link(item, item.post)) for item in waiting]
    shown = list(within(ROOM_FOR_LINES, lines)) or ["Challenge somebody with `/infinity versus`."]
    title = "Open challenges" if waiting else "No open challenges"
    return receipt(title, shown, COLOURS["neutral"], selects=selects(waiting, reader))


def selects(waiting: Sequence[PostedChallenge], reader: Person) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield what can be answered, and what can be withdrawn, 25 of each, the oldest first."""
    against = [item for item in waiting if item.challenge.opponent_id == reader.user_id]
    own = [item for item in waiting if item.challenge.challenger_id == reader.user_id or reader.leads(item.campaign)]
    for label, template, items in (("Answer", ids.ANSWER_PICKED, against), ("Withdraw", ids.WITHDRAW_PICKED, own)):
        if items:
            which = "one" if len(items) <= MAX_OPTIONS else f"one of the {MAX_OPTIONS} oldest"
            key = template.fill(campaign=items[0].campaign.id)
            select: ui.Select[ui.LayoutView] = ui.Select(custom_id=key, placeholder=f"{label} {which}")
            for item in items[:MAX_OPTIONS]:
                opened = f"made {item.challenge.opened_at:%d %b %H:%M} UTC"
                name = shorten(challenger(item.challenge), 100)
                select.add_option(label=name, value=item.challenge.id, description=opened)
            yield select


def _retry_button(campaign: int, challenge: str) -> ui.View:
    """Return the button that opens the window again, with what was typed."""
    view = ui.View(timeout=None)
    return view.add_item(ui.Button(label="Try again", custom_id=ids.RETRY.fill(campaign=campaign, challenge=challenge)))
