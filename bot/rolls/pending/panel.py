"""Rolls that wait, in Discord: made, listed, answered by a press or in a window, closed, withdrawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

import discord
from discord import ui

from bot.core.permissions import Person
from bot.errors import BadInput
from bot.outbox.store import Post
from bot.rolls.desk import desk_of
from bot.rolls.pending import ending, messages, service
from bot.rolls.pending.messages import link_results, name_asked, over_title, pending_line
from bot.rolls.pending.service import PendingRef, PendingRoll, RanOut
from bot.rolls.pending.store import Answering, SeatAnswer
from bot.rolls.receipts import deliver, delivery_lines, group_of, roll_receipt
from bot.rolls.resolver import Rolled
from bot.ui.colours import COLOURS
from bot.ui.components import Component, ModalForm, component, modal, read_picked, with_buttons
from bot.ui.receipt import picker, receipt
from bot.ui.reply import AnyInteraction, ask, own_name, person, put, read_submitted, redraw, refuse, say
from bot.ui.text import fit_lines, listing, local, plain, shorten
from rules.errors import RollError
from rules.tables import Tone

Deed = Callable[..., PendingRoll]
"""A transaction that lets a roll wait, or ends what waits; takes the resolver and the person first."""

MAX_OPTIONS = 25
ROOM_FOR_LINES = 3500


async def make(interaction: AnyInteraction, deed: Callable[..., PendingRoll | Rolled], *asked: object) -> None:
    """Ask somebody for an answer, by a deed that takes what is asked; send that, and tell where it stands."""
    desk = desk_of(interaction)
    made: PendingRoll | Rolled = await desk.database.write(deed, desk.resolver, person(interaction), *asked)
    if isinstance(made, Rolled):  # there was nobody to ask
        await deliver(interaction, made.posts, partial(_show_rolled, interaction, made), done="Rolled")
        return
    await show_made(interaction, made)


async def show_made(interaction: AnyInteraction, made: PendingRoll, *, in_place: bool = False) -> None:
    """Send what asks others, and show where it is and until when it can be answered; `in_place` of the card that was pressed."""
    done = f"{made.pending.words.noun.capitalize()} made"
    show = partial(_show_made, interaction, made, done, in_place=in_place)
    await deliver(interaction, made.told(), show, done=done)


async def list_waiting(interaction: AnyInteraction, noun: str, hint: str) -> None:
    """Answer with what waits by or for somebody, and what they can do about it; without any, that there is no such `noun`, and a hint."""
    desk, reader = desk_of(interaction), person(interaction)
    found = await desk.database.read(service.find_waiting, reader, await desk.campaign(interaction))
    lines = [
        pending_line(place, item.pending, item.post, item.campaign.guild_id) for place, item in enumerate(found, 1)
    ]
    title, shown = heading(found) if found else f"No open {noun}s", list(fit_lines(ROOM_FOR_LINES, lines)) or [hint]
    await say(interaction, view=receipt(title, shown, COLOURS["neutral"], selects=selects(found, reader)))


def heading(found: Sequence[PendingRoll]) -> str:
    """Return what these rolls that wait are called together."""
    nouns = {item.pending.words.noun for item in found}
    return f"Open {nouns.pop() if len(nouns) == 1 else 'request'}s"


def selects(found: Sequence[PendingRoll], reader: Person) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield what can be answered, and what can be withdrawn, 25 of each, the oldest first, by their places in the list."""
    places = {item.pending.id: place for place, item in enumerate(found, 1)}
    mine = [item for item in found if item.mine]
    own = [item for item in found if item.pending.asker_id == reader.user_id or reader.leads(item.campaign)]
    for label, template, items in (
        ("Answer", messages.ANSWER_PICKED, mine),
        ("Withdraw", messages.WITHDRAW_PICKED, own),
    ):
        which = "one" if len(items) <= MAX_OPTIONS else f"one of the {MAX_OPTIONS} oldest"
        rolls = [item.pending for item in items[:MAX_OPTIONS]]
        shown = [
            (
                roll.id,
                f"{places[roll.id]}. {roll.words.name}",
                f"made {local(roll.opened_at, found[0].campaign.timezone)}",
            )
            for roll in rolls
        ]
        yield from picker(template.fill(campaign=found[0].campaign.id) if found else "", f"{label} {which}", shown)


async def take(  # noqa: PLR0913 - what the ids of all these components have
    interaction: AnyInteraction,
    *,
    campaign: int,
    pending: str = "",
    seat: int = 0,
    choice: str = "",
    again: bool = False,
) -> None:
    """Take an answer that was pressed, open the window for one (`again` with what was typed before), or ask first which it is."""
    found = await _look(interaction, ref := _ref(interaction, campaign, pending, seat))
    how = service.find_answering(desk_of(interaction).resolver, found.pending)
    seats = found.pending.seats
    mine, typed = found.mine, [place for place in found.mine if seats[place].draft]
    if again and typed:  # what was typed for one seat is to be corrected there, by the answer that it was typed for
        mine, choice = tuple(typed[:1]), choice or next(iter(how.open), "")
    if len(mine) > 1 or (how.choices and not choice):
        await say(interaction, view=_choices(found, how, choice))
    elif (choice and choice not in how.open) or how.window is None:
        await _answer(interaction, ref, found, SeatAnswer(own_name(interaction), choice))
    else:
        key = messages.SEATED.fill(campaign=campaign, pending=found.pending.id, seat=mine[0] + 1)
        against = f"{seats[mine[0]].name or ''} against {found.pending.words.name}".strip()
        form = ui.Modal(title=shorten(against[:1].upper() + against[1:], 45), custom_id=key)
        for field in how.window((again and seats[mine[0]].draft) or {}, own_name(interaction)):
            form.add_item(field)
        await ask(interaction, form)


async def take_typed(interaction: AnyInteraction, *, campaign: int, pending: str, seat: int) -> None:
    """Take an answer that was typed; one that cannot be used is kept, to be mended."""
    ref = _ref(interaction, campaign, pending, seat)
    found, fields = await _look(interaction, ref), read_submitted(interaction)
    typed = {key: (value if isinstance(value, str) else "".join(value or ())).strip() for key, value in fields.items()}
    await _answer(interaction, ref, found, SeatAnswer(own_name(interaction), fields=typed))


async def _answer(interaction: AnyInteraction, ref: PendingRef, found: PendingRoll, given: SeatAnswer) -> None:
    desk, key = desk_of(interaction), {"campaign": ref.campaign_id, "pending": ref.pending_id}
    try:
        made = await desk.database.write(service.answer, desk.resolver, person(interaction), ref, given)
    except (BadInput, RollError) as error:
        if given.choice:
            raise
        await desk.database.write(service.keep_draft, ref, found.mine[0], dict(given.fields))
        await refuse(
            interaction, error, with_buttons(ui.Button(label="Try again", custom_id=messages.RETRY.fill(**key)))
        )
        return
    await _show(interaction, made)


async def _end(deed: Deed, interaction: AnyInteraction, *, campaign: int, pending: str = "") -> None:
    desk, ref = desk_of(interaction), _ref(interaction, campaign, pending)
    await _show(interaction, await desk.database.write(deed, desk.resolver, person(interaction), ref))


COMPONENTS: tuple[Component, ...] = (
    *(component(template)(take) for template in (messages.ANSWER, messages.ANSWER_PICKED, messages.CHOOSE)),
    component(messages.RETRY)(partial(take, again=True)),
    *(
        component(template)(partial(_end, ending.withdraw))
        for template in (messages.WITHDRAW, messages.WITHDRAW_PICKED)
    ),
    component(messages.CLOSE)(partial(_end, service.close)),
)
MODALS: tuple[ModalForm, ...] = (modal(messages.SEATED)(take_typed),)


async def _look(interaction: AnyInteraction, ref: PendingRef) -> PendingRoll:
    """Return what somebody may answer now; what they answer after its time is ended, and its message says so."""
    client = interaction.client
    try:
        return await desk_of(interaction).database.read(service.look, client.resolver, person(interaction), ref)
    except RanOut:
        await client.outbox.send(client, await ending.end_one(client, ref))
        raise


def _ref(interaction: AnyInteraction, campaign: int, pending: str, seat: int = 0) -> PendingRef:
    """Return which roll is used: that of the component, or the one picked from a list, and in which message."""
    message = interaction.message
    shared = None if message is None or message.flags.ephemeral else message.id
    return PendingRef(campaign, pending or next(iter(read_picked(interaction)), ""), shared, seat)


async def _show(interaction: AnyInteraction, made: PendingRoll) -> None:
    """Show how what waited stands now, and let its message say so."""
    pending, posts = made.pending, made.rolled.posts if made.rolled else made.told()
    title = "Answer received" if pending.state == "open" else over_title(pending)
    await deliver(interaction, posts, partial(_show_sent, interaction, made, title), done=title)


async def _show_sent(interaction: AnyInteraction, made: PendingRoll, title: str, sent: Sequence[Post]) -> None:
    pending = made.pending
    if made.rolled:
        await _show_rolled(interaction, made.rolled, sent)
        client = interaction.client
        await client.outbox.send(client, await link_results(client, sent, made.told()))
        return
    waits = pending.state == "open"
    line = f"Still to answer: {name_asked(pending, pending.awaited)}. Dice are rolled after that."
    shown = receipt(title, [line if waits else "Nothing was rolled."], COLOURS["success" if waits else "failure"])
    await redraw(interaction, shown)


async def _show_rolled(interaction: AnyInteraction, rolled: Rolled, sent: Sequence[Post]) -> None:
    here, group = interaction.channel_id, await group_of(interaction, rolled)
    await put(interaction, view=roll_receipt(rolled, sent, reader=person(interaction), here=here, group=group))


async def _show_made(
    interaction: AnyInteraction, made: PendingRoll, title: str, sent: Sequence[Post], *, in_place: bool
) -> None:
    """Tell until when it can be answered, and where its message stands or why it does not yet."""
    until, more = discord.utils.format_dt(made.pending.expires_at, "f"), made.pending.words.listed
    links = filter(None, (post.link(made.campaign.guild_id) for post in sent))
    lines = [f"{name_asked(made.pending)} can answer until {until}. Dice are rolled after that."]
    lines += [f"[See it]({link}). `{more}` lists all open ones." for link in links]
    lines += delivery_lines(made.campaign, [post for post in sent if post.message_id is None])
    tone: Tone = "danger" if any(post.fault for post in sent) else "success"
    view = receipt(title, lines, COLOURS[tone])
    await (redraw(interaction, view) if in_place else put(interaction, view=view))


def _choices(found: PendingRoll, how: Answering, choice: str) -> ui.LayoutView:
    """Return the answers that somebody can press, for each of their seats; those of one choice where that is made."""
    key, seats = {"campaign": found.campaign.id, "pending": found.pending.id}, found.pending.seats
    offered = {word: label for word, label in (how.choices or {"": "Answer"}).items() if choice in {"", word}}
    buttons: list[ui.Button[ui.LayoutView]] = []
    for place, (word, label) in product(found.mine, offered.items()):
        told = shorten(f"{label}: {seats[place].name}" if len(seats) > 1 else label, 80)
        buttons.append(ui.Button(label=told, custom_id=messages.CHOOSE.fill(**key, seat=place + 1, choice=word)))
    unseen = [plain(seats[place].name) for place in found.mine if seats[place].unseen]
    lines = ["Answer for which character?"]
    lines += [f"Nothing is waiting for {listing(unseen)}."] if unseen else []
    title = f"Against {plain(found.pending.words.name)}"
    return receipt(title, lines, COLOURS["neutral"], buttons[:MAX_OPTIONS])
