"""Messages of waiting rolls: buttons, open and closed embeds, links to results."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import discord
from discord import ButtonStyle
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.records import UNKNOWN, read_body
from bot.outbox import queue as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import Buttons, Post, embeds_of
from bot.rolls.pending import store
from bot.rolls.pending.store import KIND, NOBODY, AnswerRules, Pending, PendingState, Seat
from bot.rolls.resolver import Resolver, RollResult
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, DOT, join_words, plain
from rules.tables import Tone

_PENDING: Final = "challenge:{campaign:int}:{pending:id}:"
_PICKED: Final = "challenge:{campaign:int}:-:"
ANSWER, ANSWER_PICKED = IdTemplate(_PENDING + "answer"), IdTemplate(_PICKED + "answer")
CHOOSE = IdTemplate(_PENDING + "answer:{seat:int}:{choice:rest}")
"""An answer, or without a choice its window. `seat` counts from 1; 0 is the presser's own."""

WITHDRAW, WITHDRAW_PICKED = IdTemplate(_PENDING + "withdraw"), IdTemplate(_PICKED + "withdraw")
CLOSE = IdTemplate(_PENDING + "close")
RETRY = IdTemplate(_PENDING + "retry")
SEATED = IdTemplate(_PENDING + "answered:{seat:int}")


async def send_linked(client: Any, items: Sequence[Post]) -> None:  # noqa: ANN401 - `bot.client.Adjutant`, which is above this module
    """Send posts, results first, so that the others link to them."""
    sent = await client.outbox.send(client, [item for item in items if item.kind != KIND])
    await client.outbox.send(client, await link_results(client, sent, [item for item in items if item.kind == KIND]))


async def link_results(client: Any, sent: Sequence[Post], messages: Sequence[Post]) -> Sequence[Post]:  # noqa: ANN401 - as above
    """Link waiting rolls' messages to sent results; the caller sends the messages."""
    if not messages:
        return ()
    await client.outbox.wait_saved(sent)
    linked: Sequence[Post] = await client.database.write(_link, client.outbox, messages)
    return linked


def _link(tx: Connection, outbox: Outbox, messages: Sequence[Post]) -> list[Post]:
    # The link is saved with the post, so later attempts send it too.
    linked = []
    for message in messages:
        campaign = campaigns.get_campaign(tx, message.campaign_id, lock=True)
        pending = store.get(tx, message.campaign_id, message.topic or "")
        post = posts.find_about(tx, message.campaign_id, KIND, message.topic or "")
        if campaign is None or pending is None or post is None:
            continue
        sent = posts.posts_of_entry(tx, campaign.id, pending.entry_number or 0)
        shown = (item for item in sent if item.kind == "results" or item.channel_id == post.channel_id)
        link = next(filter(None, (item.link(campaign.guild_id) for item in shown)), None)
        if link is None:
            linked.append(message)
            continue
        (embed,) = embeds_of(message)
        embed.description = f"{embed.description}\n[See the result]({link})"
        linked.append(outbox.revise(tx, post, [embed]))
    return linked


OVER: Mapping[PendingState, tuple[str, Tone, str]] = {
    "answered": ("answered", "success", "is answered: entry #{}."),
    "closed": ("closed", "success", "is rolled: entry #{}."),
    "withdrawn": ("withdrawn", "failure", "was withdrawn. Nothing was rolled."),
    "expired": ("not answered in time", "failure", "has expired. Nothing was rolled."),
}


def over_title(pending: Pending) -> str:
    """Return in a few words how a roll ended, such as `Challenge answered`."""
    return f"{pending.words.noun.capitalize()} {OVER[pending.state][0]}"


def open_embed(pending: Pending, campaign: str) -> discord.Embed:
    """Return the question: who is asked what, until when. It shows no answers."""
    text = "\n".join(_describe_question(pending))
    title = f"{'An' if pending.words.noun[0] in 'aeiou' else 'A'} {pending.words.noun}"
    return discord.Embed(title=title, description=text, colour=COLOURS["neutral"]).set_footer(text=campaign)


def make_closed_embed(
    pending: Pending, campaign: campaigns.Campaign, post: Post, rolled: RollResult | None, *, closer: int | None = None
) -> discord.Embed:
    """Return how a waiting roll ended, for its post's readers. `closer` (user id) rolled it early."""
    shown_there = {item.channel_id for item in rolled.posts if item.kind == "group"} if rolled else set()
    all_of_it = post.channel_id in {campaign.staff_channel_id, *shown_there}
    parts = read_body(rolled.entry)["parts"] if rolled else []
    outcomes = [part["outcome"] for part in parts if all_of_it or part["audience"] == "results"]
    lines = [f"**{plain('; '.join(item['text'] for item in outcomes if item))}**"] if any(outcomes) else []
    lines += [_describe_result(pending)]
    lines += [f"<@{closer}> rolled it early."] if closer else []
    title, colour = over_title(pending), COLOURS[OVER[pending.state][1]]
    return discord.Embed(title=title, description="\n".join(lines), colour=colour).set_footer(text=campaign.name)


def describe_pending(place: int, pending: Pending, post: Post | None, guild_id: int) -> str:
    """Return a line for a list of waiting rolls."""
    link = post.link(guild_id) if post else None
    where = f"{DOT}[the message]({link})" if link else ""
    words = pending.words
    asker = f"<@{pending.asker_id}>{f' (**{plain(words.name)}**)' * words.named}"
    return f"{place}. {asker} {words.asks[0]} {name_asked(pending, pending.open_places)}{DOT}{describe_end(pending)}{where}"


def describe_end(pending: Pending) -> str:
    """Return when a roll's time ends and what happens then."""
    what = "is rolled" if pending.words.otherwise else "expires"
    return f"{what} {discord.utils.format_dt(pending.expires_at, 'R')}"


def name_asked(pending: Pending, places: Collection[int] | None = None) -> str:
    """Return who is asked, as mentions or names: in all shown seats or these places."""
    shown = pending.public_places if places is None else places
    return join_words([_name_seat(pending.seats[place]) for place in shown])


def _name_seat(seat: Seat) -> str:
    name = UNKNOWN if seat.secret else plain(seat.name)
    return " or ".join(f"<@{user}>" for user in seat.users) or name or "the game masters"


def post_buttons(how: AnswerRules, pending: Pending) -> Buttons:
    """Return the buttons of a waiting roll: answers, roll now if it can be, withdraw."""
    key = {"campaign": pending.campaign_id, "pending": pending.id}
    green, grey = ButtonStyle.success.value, ButtonStyle.secondary.value
    pressed = [(label, CHOOSE.fill(**key, seat=0, choice=word), green) for word, label in how.choices.items()]
    closing = [("Roll now", CLOSE.fill(**key), grey)] if pending.words.otherwise else []
    answering = pressed or [("Answer", ANSWER.fill(**key), green)]
    return [*answering, *closing, ("Withdraw", WITHDRAW.fill(**key), grey)]


def _describe_question(pending: Pending) -> Iterator[str]:
    words, several = pending.words, len(pending.public_places) > 1
    until = discord.utils.format_dt(pending.expires_at, "f")
    left = discord.utils.format_dt(pending.expires_at, "R")
    yield f"<@{pending.asker_id}> {words.asks[0]} {name_asked(pending)} {words.asks[1]}."
    all_in = "all answers are in" if several else "the answer is in"
    yield f"Answer by {until} ({left}). Dice are rolled when {all_in}."
    if words.otherwise:
        yield f"Without an answer I roll then: {words.otherwise}."
    if several and len(pending.open_places) < len(pending.public_places):
        yield f"Still to answer: {name_asked(pending, pending.open_places)}."
    if pending.request.note:
        yield f"**Note:** {plain(pending.request.note)}"


def _describe_result(pending: Pending) -> str:
    ours, noun, number = f"<@{pending.asker_id}>", pending.words.noun, f"entry #{pending.entry_number}"
    left = pending.open_places
    late = f"{name_asked(pending, left)} {'has' if len(left) == 1 else 'have'} not answered"
    have = "has" if len(pending.public_places) == 1 else "have"
    if pending.state == "answered" and not pending.public_places:
        return f"No player can answer {ours} any more: {number}."
    return {
        "withdrawn": f"The {noun} of {ours} to {name_asked(pending)} was withdrawn. Nothing was rolled.",
        "expired": f"{ours}, your {noun} has expired: {late} in time. Nothing was rolled.",
        "closed": f"{late} {ours}: {pending.words.otherwise}, {number}.",
    }.get(pending.state, f"{name_asked(pending)} {have} answered {ours}: {number}.")


def forget(
    tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, user_id: int, entries: Collection[int]
) -> Iterator[Post]:
    """Remove a person from waiting rolls, and yield posts: their own are deleted, game masters answer for them.

    Their answers stay without a name. Rolls that are over go too, also if their `entries` (numbers) name the person.
    """
    for item in store.list_all(tx, campaign.id):
        mine, post = item.concerns(user_id), posts.find_about(tx, campaign.id, KIND, item.id)
        how = resolver.extension.find_answering(item.request)
        if item.state == "open" and mine and item.asker_id != user_id:
            left = _without_person(item, user_id)
            store.save(tx, left)
            if post is not None and how is not None:
                buttons = post_buttons(how, left)
                yield resolver.outbox.revise(tx, post, [open_embed(left, campaign.name)], buttons=buttons)
        elif mine or item.entry_number in entries:
            store.drop(tx, item)
            if post is not None:
                what = f"This {item.words.noun} is closed: a member in it had their data erased."
                embed = discord.Embed(description=what, colour=COLOURS["neutral"])
                yield resolver.outbox.revise(tx, post, [embed.set_footer(text=campaign.name)])


def _without_person(item: Pending, user_id: int) -> Pending:
    answered = {seat.role for seat in item.seats if seat.by == user_id}
    parts = tuple(
        replace(part, people={role: UNKNOWN if role in answered else name for role, name in part.people.items()})
        for part in item.request.parts
    )
    request = replace(item.request, parts=parts)
    return replace(item, request=request, seats=tuple(_vacate(seat, user_id) for seat in item.seats))


def _vacate(seat: Seat, user_id: int) -> Seat:
    users = tuple(number for number in seat.users if number != user_id)
    by, draft = (NOBODY, None) if seat.by == user_id else (seat.by, seat.draft)
    return replace(seat, users=users, by=by, draft=None if users != seat.users else draft)
