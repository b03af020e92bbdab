"""Roll commands: read, made or opened as a card, answered with posts and receipt; and the next roll of the same kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, require_on_server
from bot.core.entry_kinds import Body, View
from bot.core.permissions import Person, find_readable, require_leader_again
from bot.core.records import Entry
from bot.errors import BadInput, NeedsReason, NotOpen, UserError
from bot.outbox.store import Post
from bot.rolls import amend
from bot.rolls.buttons import ANYWAY, DETAILS, NEXT, details_button, follower, next_button, publish_button
from bot.rolls.card import layout
from bot.rolls.card.layout import card_id
from bot.rolls.card.service import open_card
from bot.rolls.card.store import CardView, Doubt
from bot.rolls.cast import identify
from bot.rolls.desk import RollPlace, TypedRoll, channels, desk_of, place_of, request_at
from bot.rolls.dice import DiceByHand
from bot.rolls.doubts import Doubts, find_doubts
from bot.rolls.embed import result_pages
from bot.rolls.options import RollForm
from bot.rolls.parsing import parse_targets
from bot.rolls.pending.messages import link_results, split_results
from bot.rolls.receipts import corrections, deliver, group_of, roll_receipt, title_of
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from bot.ui.answering import note_done
from bot.ui.components import component, modal, with_buttons
from bot.ui.reply import AnyInteraction, ask, person, read_submitted, redraw, refuse, say, text_field
from bot.ui.text import shorten
from rules.errors import RollError
from rules.procedure import Procedure


def open_roll(tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll) -> CardView:
    """Open a card for a command."""
    place, command = place_of(tx, resolver, person, typed)
    parts = identify(tx, place.viewer, command.parts)
    request = request_at(tx, place, command, parts)
    rules, unticked = (place.book, place.procedure), replace(command, modifiers=None)  # those unread were refused
    doubtful = find_doubts(tx, place.viewer, rules, unticked, parts)
    if doubtful is None:
        return _open(tx, resolver, place, request)
    meant = doubtful.meant and replace(doubtful.meant, modifiers=command.modifiers)
    return _open(tx, resolver, place, request, _likely(tx, resolver, place, meant), doubtful.lines)


class DoubtedRoll(Struct, frozen=True):
    """A roll that is not made before its roller says what was meant: a card as typed, and what is doubtful about it."""

    view: CardView
    lines: Sequence[str]


def roll_now(
    tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll
) -> Rolled | DoubtedRoll:
    """Roll a command at once, or ask about what is probably a slip; where a reason is needed, the note counts as one."""
    place, command = place_of(tx, resolver, person, typed)
    parts = None
    if command.faces is None:  # faces that were typed are for the roll as it stands: beside them nothing is asked
        parts = identify(tx, place.viewer, command.parts)
        doubtful = find_doubts(tx, place.viewer, (place.book, place.procedure), command, parts)
        if doubtful is not None:
            return _asked(tx, resolver, place, doubtful)
    request = request_at(tx, place, command, parts)
    preview = resolver.preview(tx, place.campaign, request, book=place.book)
    resolver.require_able(tx, place.viewer, preview)
    leads = person.leads(place.campaign)
    dice = None if command.faces is None else DiceByHand(command.faces)
    known = (leads, preview, place.viewer.mine, person.interaction)
    order = RollOrder(place.campaign.id, person.user_id, request, None, dice, *known)
    try:
        return _made(tx, resolver, order, dice)
    except NeedsReason as needed:  # raised ahead of the dice, when nothing has been written
        require_leader_again(person, place.campaign)
        if request.note is None:
            raise NeedsReason(needed.what, "To roll anyway, write your reason as the note.") from needed
    again = request.model_copy(update={"reason": request.note, "note": None})
    return _made(tx, resolver, replace(order, request=again, preview=None), dice)


def _made(tx: Connection, resolver: Resolver, order: RollOrder, dice: DiceByHand | None) -> Rolled:
    """Make a roll; of typed faces tell those for which there was no use, where other dice were drawn."""
    rolled = resolver.roll(tx, order)
    if dice is None:
        return rolled
    dice.finish()
    unused = "; ".join(f"d{sides}: {', '.join(map(str, left))}" for sides, left in dice.unused.items())
    return replace(rolled, told=(*rolled.told, f"Not needed: {unused}.")) if unused else rolled


def _asked(tx: Connection, resolver: Resolver, place: RollPlace, doubtful: Doubts) -> DoubtedRoll:
    meant = _likely(tx, resolver, place, doubtful.meant)
    view = _open(tx, resolver, place, request_at(tx, place, doubtful.typed), meant, doubtful.lines)
    return DoubtedRoll(view, doubtful.lines)


def _likely(tx: Connection, resolver: Resolver, place: RollPlace, meant: RollCommand | None) -> RollRequest | None:
    """Return the request that was probably meant; None where there is none, or it can't be rolled."""
    with suppress(UserError, RollError):
        if meant:
            likely = request_at(tx, place, meant)
            resolver.require_able(tx, place.viewer, resolver.preview(tx, place.campaign, likely, book=place.book))
            return likely
    return None


def _open(  # noqa: PLR0913, PLR0917 - who asks for what, and how it was meant
    tx: Connection,
    resolver: Resolver,
    place: RollPlace,
    request: RollRequest,
    meant: RollRequest | None = None,
    doubtful: Sequence[str] = (),
) -> CardView:
    """Open a card, unless the person may know that somebody on it cannot take part."""
    doubt = Doubt(tuple(doubtful), meant) if doubtful else None
    return open_card(tx, resolver, place.person, place.campaign, request, doubt, book=place.book, viewer=place.viewer)


async def begin_form(
    interaction: AnyInteraction,
    form: RollForm,
    parts: Sequence[PartRequest],
    region: str | None = None,
    week: int | None = None,
) -> None:
    """Answer a roll command with its card or roll."""
    typed = (region, week, form.modifiers, form.note, form.to)
    command = RollCommand(channels(interaction), form.family, parts, *typed)
    await begin(interaction, command, at_once=form.roll == "now")


async def begin(interaction: AnyInteraction, command: RollCommand | TypedRoll, *, at_once: bool) -> None:
    """Answer a roll command: with a card, or with the roll itself, unless that has to be asked about first."""
    desk, who = desk_of(interaction), person(interaction)
    if command.faces is not None and not at_once:
        raise BadInput("You can't type dice for a card.", "Leave them out, or roll without a card.")
    if not at_once:
        view = await desk.database.write(open_roll, desk.resolver, who, command)
        await say(interaction, view=layout.draw(view, 0))
        return
    try:
        made = await desk.database.write(roll_now, desk.resolver, who, command)
    except NeedsReason as needed:
        if command.faces is not None:  # no card keeps faces that were typed
            raise
        card = await desk.database.write(open_roll, desk.resolver, who, command)
        await refuse(
            interaction, needed, with_buttons(ui.Button(label=ANYWAY, custom_id=card_id(layout.ROLL, card, 0)))
        )
    else:
        if isinstance(made, DoubtedRoll):
            await say(interaction, view=layout.question(made.view, made.lines))
        else:
            await finish(interaction, made)


async def finish(
    interaction: AnyInteraction,
    rolled: Rolled,
    asides: Sequence[str] = (),
    steps: Sequence[ui.Button[ui.LayoutView]] = (),
) -> None:
    """Post a roll and show the roller its outcomes; `asides` are lines for the roller alone, `steps` come before other next steps."""
    title = title_of(rolled, person(interaction))
    note_done(interaction, title)
    theirs = {None, rolled.entry.content()["book"]}
    rules = [item.after_roll for item in interaction.client.features if item.book in theirs]
    after = [await rule(interaction, rolled) for rule in rules if rule is not None]
    lines = [*asides, *(line for item in after for line in item.lines)]
    buttons = [*steps, *(button for item in after for button in item.steps), *_next_steps(interaction, rolled)]
    posts, messages = split_results([*rolled.posts, *(post for item in after for post in item.posts)])
    await deliver(interaction, posts, partial(_show_receipt, interaction, rolled, lines, buttons), done=title)
    if "amends" in rolled.entry.content():
        desk = desk_of(interaction)
        await desk.outbox.send(interaction.client, await link_results(interaction.client, posts, messages))
        await desk.outbox.written(rolled.posts)
        await desk.outbox.send(interaction.client, await desk.database.write(amend.link, desk.resolver, rolled))
    ref = (rolled.campaign.id, rolled.entry.number)
    details = details_button(DETAILS.fill(campaign=ref[0], number=ref[1]))
    if rolled.entry.audience == "person":
        view: View = "staff" if person(interaction).leads(rolled.campaign) else "public"
        for page in result_pages(rolled.shown, view):
            await say(interaction, embeds=page, view=with_buttons(publish_button(*ref), *corrections(rolled), details))
    elif rolled.entry.audience == "maker" and not person(interaction).leads(rolled.campaign):
        for page in result_pages(rolled.shown, "public"):
            await say(interaction, embeds=page, view=with_buttons(details))


async def _show_receipt(
    interaction: AnyInteraction,
    rolled: Rolled,
    asides: Sequence[str],
    steps: Sequence[ui.Button[ui.LayoutView]],
    sent: Sequence[Post],
) -> None:
    reader, here, group = person(interaction), interaction.channel_id, await group_of(interaction, rolled)
    await redraw(interaction, roll_receipt(rolled, sent, asides, steps, reader=reader, here=here, group=group))


def _next_steps(interaction: AnyInteraction, rolled: Rolled) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons of what comes next: what features bring, then the same roll for somebody else."""
    resolver, body = desk_of(interaction).resolver, rolled.entry.content()
    for rule in resolver.extension.of_entry(rolled.campaign, rolled.entry).next_steps:
        yield from rule(person(interaction), rolled.campaign, rolled.entry)
    book = resolver.library.shipped.get(body["book"])
    procedure = book.procedures.get(body["family"]) if book else None
    if procedure is not None and follower(body, procedure) is not None:
        yield next_button(rolled.campaign.id, rolled.entry.number, procedure.subject)


def split_parts(
    procedure_roles: tuple[str, str], actors: Sequence[str], subjects: Sequence[str | None]
) -> list[PartRequest]:
    """Return one part for each pair of actor and subject, subject by subject; a subject of None stands for nobody."""
    actor_role, subject_role = procedure_roles
    return [
        PartRequest(subjects={actor_role: actor} | ({subject_role: subject} if subject is not None else {}))
        for subject in subjects
        for actor in actors
    ]


MAX_TARGETS = 10


@component(NEXT)
async def ask_next(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask for whom the next roll is made."""
    body, procedure, actor = await _before(interaction, campaign, number)
    form = ui.Modal(
        title=shorten(f"{body['title']}: {actor}", 45), custom_id=NEXT.fill(campaign=campaign, number=number)
    )
    about = f"Next {procedure.subject}"
    hint = "One or more, separated by commas"
    await ask(interaction, form.add_item(text_field("next", about, placeholder=hint, limit=600)))


@modal(NEXT)
async def roll_next(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Open a card for the next roll, at the same place."""
    body, procedure, actor = await _before(interaction, campaign, number)
    parts = list(_parts(procedure, actor, str(read_submitted(interaction).get("next") or "")))
    where = (
        channels(interaction),
        (body["book"], procedure.family),
        parts,
        None if body.get("at_home") else body["region"],
        body["week"],
    )
    await begin(interaction, RollCommand(*where, campaign=campaign), at_once=False)


async def _before(interaction: AnyInteraction, campaign: int, number: int) -> tuple[Body, Procedure, str]:
    """Return the body of a roll that the person may know of, its procedure, and who rolled."""
    desk = desk_of(interaction)
    here, entry = await desk.database.read(_find, person(interaction), campaign, number)
    _, procedure = await desk.procedure(here, entry.content()["book"], entry.content()["family"])
    actor = follower(entry.content(), procedure)
    if actor is None:
        raise _no_roll(number)
    return entry.content(), procedure, actor


def _find(tx: Connection, who: Person, campaign_id: int, number: int) -> tuple[Campaign, Entry]:
    campaign = require_on_server(tx, who.guild_id, campaign_id)
    entry = find_readable(tx, who, campaign, number, made=True)
    if entry is None or entry.kind != "roll":
        raise _no_roll(number)
    return campaign, entry


def _no_roll(number: int) -> NotOpen:
    return NotOpen(f"You can't continue entry #{number}.", "Start a new roll with its command.")


def _parts(procedure: Procedure, actor: str, typed: str) -> Iterator[PartRequest]:
    """Yield one part for each name that is typed, with its answer to the procedure's question, where it has one."""
    if procedure.choices:
        pairs = parse_targets(typed, procedure.choices[0], None, MAX_TARGETS)
    else:
        pairs = tuple((name, "") for name in parsing.names(typed, procedure.subject, MAX_TARGETS))
    parsing.refuse_both((actor,), [name for name, _ in pairs])
    for name, answer in pairs:
        answers = {procedure.choices[0].id: answer} if procedure.choices else {}
        yield PartRequest(subjects={procedure.actor: actor, procedure.subject: name}, choices=answers)
