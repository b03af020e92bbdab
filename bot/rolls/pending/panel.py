"""Waiting rolls in Discord: ask, list, answer, close, withdraw."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

import discord
from discord import ui

from bot.core import errors, permissions
from bot.outbox.queue import Post
from bot.rolls.desk import desk_of
from bot.rolls.pending import messages, service
from bot.rolls.pending.service import PendingRef, PendingRoll, RanOut
from bot.rolls.pending.store import AnswerRules, SeatAnswer
from bot.rolls.receipts import deliver, delivery_lines, group_of, roll_receipt
from bot.rolls.resolver import RollResult
from bot.ui import reply, text
from bot.ui.receipt import picker, receipt
from bot.ui.reply import AnyInteraction
from bot.ui.text import Controls
from rules.errors import RollError
from rules.tables import Tone

Deed = Callable[..., PendingRoll]
MAX_OPTIONS = 25
ROOM_FOR_LINES = 3500


async def make(interaction: AnyInteraction, deed: Callable[..., PendingRoll | RollResult], *asked: object) -> None:
    """Ask others by `deed`, or show its roll if no one needs to answer."""
    desk = desk_of(interaction)
    made: PendingRoll | RollResult = await desk.database.write(deed, desk.resolver, reply.person(interaction), *asked)
    if isinstance(made, RollResult):  # there was no one to ask
        await deliver(interaction, made.posts, partial(_show_rolled, interaction, made), done="Rolled")
        return
    await show_made(interaction, made)


async def show_made(interaction: AnyInteraction, made: PendingRoll, *, in_place: bool = False) -> None:
    """Send a waiting roll's question, and show where it is and until when."""
    done = f"{made.pending.words.noun.capitalize()} made"
    show = partial(_show_made, interaction, made, done, in_place=in_place)
    await deliver(interaction, made.own_posts(), show, done=done)


async def list_waiting(interaction: AnyInteraction, noun: str, hint: str) -> None:
    """List rolls that wait by or for a person; without any, show `hint`."""
    desk, reader = desk_of(interaction), reply.person(interaction)
    found = await desk.database.read(service.find_waiting, reader, await desk.campaign(interaction))
    lines = [
        messages.describe_pending(place, item.pending, item.post, item.campaign.guild_id)
        for place, item in enumerate(found, 1)
    ]
    title = name_kind(found) if found else f"No open {noun}s"
    shown = list(text.fit_lines(ROOM_FOR_LINES, lines)) or [hint]
    await reply.say(interaction, view=receipt(title, shown, text.COLOURS["neutral"], selects=selects(found, reader)))


def name_kind(found: Sequence[PendingRoll]) -> str:
    """Return a title for these waiting rolls, such as `Open challenges`."""
    nouns = {item.pending.words.noun for item in found}
    return f"Open {nouns.pop() if len(nouns) == 1 else 'request'}s"


def selects(found: Sequence[PendingRoll], reader: permissions.Person) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield selects to answer or withdraw a roll, for the 25 oldest that the reader can."""
    places = {item.pending.id: place for place, item in enumerate(found, 1)}
    mine = [item for item in found if item.mine]
    own = [item for item in found if item.pending.asker_id == reader.user_id or reader.leads(item.campaign)]
    for label, template, items in (
        ("Answer", messages.ANSWER_PICKED, mine),
        ("Withdraw", messages.WITHDRAW_PICKED, own),
    ):
        which = "one" if len(items) <= MAX_OPTIONS else f"one of the {MAX_OPTIONS} oldest"
        shown = []
        for roll in (item.pending for item in items[:MAX_OPTIONS]):
            opened = text.to_local(roll.opened_at, found[0].campaign.timezone)
            shown.append((roll.id, f"{places[roll.id]}. {roll.words.name}", f"made {opened}"))
        yield from picker(template.fill(campaign=found[0].campaign.id) if found else "", f"{label} {which}", shown)


async def _take(  # noqa: PLR0913 - what the ids of all these components have
    interaction: AnyInteraction,
    *,
    campaign: int,
    pending: str = "",
    seat: int = 0,
    choice: str = "",
    again: bool = False,
) -> None:
    found = await _read_pending(interaction, ref := _find_ref(interaction, campaign, pending, seat))
    how = service.find_answering(desk_of(interaction).resolver, found.pending)
    seats = found.pending.seats
    mine, typed = found.mine, [place for place in found.mine if seats[place].draft]
    if again and typed:  # what was typed for one seat is to be corrected there, by the answer that it was typed for
        mine, choice = tuple(typed[:1]), choice or next(iter(how.open), "")
    if len(mine) > 1 or (how.choices and not choice):
        await reply.say(interaction, view=_draw_choices(found, how, choice))
    elif (choice and choice not in how.open) or how.window is None:
        await _answer(interaction, ref, found, SeatAnswer(reply.own_name(interaction), choice))
    else:
        key = messages.SEATED.fill(campaign=campaign, pending=found.pending.id, seat=mine[0] + 1)
        against = f"{seats[mine[0]].name or ''} against {found.pending.words.name}".strip()
        form = ui.Modal(title=text.shorten(against[:1].upper() + against[1:], 45), custom_id=key)
        for field in how.window((again and seats[mine[0]].draft) or {}, reply.own_name(interaction)):
            form.add_item(field)
        await reply.ask(interaction, form)


async def _take_typed(interaction: AnyInteraction, *, campaign: int, pending: str, seat: int) -> None:
    ref = _find_ref(interaction, campaign, pending, seat)
    found, fields = await _read_pending(interaction, ref), reply.read_submitted(interaction)
    typed = {key: (value if isinstance(value, str) else "".join(value or ())).strip() for key, value in fields.items()}
    await _answer(interaction, ref, found, SeatAnswer(reply.own_name(interaction), fields=typed))


async def _answer(interaction: AnyInteraction, ref: PendingRef, found: PendingRoll, given: SeatAnswer) -> None:
    desk, key = desk_of(interaction), {"campaign": ref.campaign_id, "pending": ref.pending_id}
    try:
        made = await desk.database.write(service.answer, desk.resolver, reply.person(interaction), ref, given)
    except (errors.BadInput, RollError) as error:
        if given.choice:
            raise
        await desk.database.write(service.keep_draft, ref, found.mine[0], dict(given.fields))
        await reply.refuse(
            interaction, error, Controls(ui.Button(label="Try again", custom_id=messages.RETRY.fill(**key)))
        )
        return
    await _show(interaction, made)


async def _end(deed: Deed, interaction: AnyInteraction, *, campaign: int, pending: str = "") -> None:
    desk, ref = desk_of(interaction), _find_ref(interaction, campaign, pending)
    await _show(interaction, await desk.database.write(deed, desk.resolver, reply.person(interaction), ref))


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    *(reply.component(template)(_take) for template in (messages.ANSWER, messages.ANSWER_PICKED, messages.CHOOSE)),
    reply.component(messages.RETRY)(partial(_take, again=True)),
    *(
        reply.component(template)(partial(_end, service.withdraw))
        for template in (messages.WITHDRAW, messages.WITHDRAW_PICKED)
    ),
    reply.component(messages.CLOSE)(partial(_end, service.close)),
    reply.modal(messages.SEATED)(_take_typed),
)


async def _read_pending(interaction: AnyInteraction, ref: PendingRef) -> PendingRoll:
    client = interaction.client
    try:
        who = reply.person(interaction)
        return await desk_of(interaction).database.read(service.read_pending, client.resolver, who, ref)
    except RanOut:
        await client.outbox.send(client, await service.end_one(client, ref))
        raise


def _find_ref(interaction: AnyInteraction, campaign: int, pending: str, seat: int = 0) -> PendingRef:
    message = interaction.message
    shared = None if message is None or message.flags.ephemeral else message.id
    return PendingRef(campaign, pending or next(iter(reply.read_picked(interaction)), ""), shared, seat)


async def _show(interaction: AnyInteraction, made: PendingRoll) -> None:
    pending, posts = made.pending, made.rolled.posts if made.rolled else made.own_posts()
    title = "Answer received" if pending.state == "open" else messages.over_title(pending)
    await deliver(interaction, posts, partial(_show_sent, interaction, made, title), done=title)


async def _show_sent(interaction: AnyInteraction, made: PendingRoll, title: str, sent: Sequence[Post]) -> None:
    pending = made.pending
    if made.rolled:
        await _show_rolled(interaction, made.rolled, sent)
        client = interaction.client
        await client.outbox.send(client, await messages.link_results(client, sent, made.own_posts()))
        return
    waits = pending.state == "open"
    line = f"Still to answer: {messages.name_asked(pending, pending.open_places)}. Dice are rolled after that."
    shown = receipt(title, [line if waits else "Nothing was rolled."], text.COLOURS["success" if waits else "failure"])
    await reply.redraw(interaction, shown)


async def _show_rolled(interaction: AnyInteraction, rolled: RollResult, sent: Sequence[Post]) -> None:
    here, group = interaction.channel_id, await group_of(interaction, rolled)
    view = roll_receipt(rolled, sent, reader=reply.person(interaction), here=here, group=group)
    await reply.put_answer(interaction, view=view)


async def _show_made(
    interaction: AnyInteraction, made: PendingRoll, title: str, sent: Sequence[Post], *, in_place: bool
) -> None:
    until, more = discord.utils.format_dt(made.pending.expires_at, "f"), made.pending.words.listed
    links = filter(None, (post.link(made.campaign.guild_id) for post in sent))
    lines = [f"{messages.name_asked(made.pending)} can answer until {until}. Dice are rolled after that."]
    lines += [f"[See it]({link}). `{more}` lists all open ones." for link in links]
    lines += delivery_lines(made.campaign, [post for post in sent if post.message_id is None])
    tone: Tone = "danger" if any(post.fault for post in sent) else "success"
    view = receipt(title, lines, text.COLOURS[tone])
    await (reply.redraw(interaction, view) if in_place else reply.put_answer(interaction, view=view))


def _draw_choices(found: PendingRoll, how: AnswerRules, choice: str) -> ui.LayoutView:
    key, seats = {"campaign": found.campaign.id, "pending": found.pending.id}, found.pending.seats
    offered = {word: label for word, label in (how.choices or {"": "Answer"}).items() if choice in {"", word}}
    buttons: list[ui.Button[ui.LayoutView]] = []
    for place, (word, label) in product(found.mine, offered.items()):
        caption = text.shorten(f"{label}: {seats[place].name}" if len(seats) > 1 else label, 80)
        buttons.append(ui.Button(label=caption, custom_id=messages.CHOOSE.fill(**key, seat=place + 1, choice=word)))
    unseen = [text.plain(seats[place].name) for place in found.mine if seats[place].unseen]
    lines = ["Answer for which character?"]
    lines += [f"Nothing is waiting for {text.join_words(unseen)}."] if unseen else []
    title = f"Against {text.plain(found.pending.words.name)}"
    return receipt(title, lines, text.COLOURS["neutral"], buttons[:MAX_OPTIONS])
