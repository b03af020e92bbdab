"""Roll commands: a card or a roll, its receipt, and the next roll of the same kind."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, require_on_server
from bot.core.errors import BadInput, NeedsReason, NotOpen, UserError
from bot.core.ledger import Body, View
from bot.core.permissions import Person, find_readable, may_maker_read, require_leader_again
from bot.core.records import Entry
from bot.outbox.queue import Post
from bot.rolls import amend, consequences, embed, entries, options
from bot.rolls.card import layout
from bot.rolls.card.service import open_card
from bot.rolls.card.store import CardView, Doubt
from bot.rolls.desk import RollPlace, TypedRoll, build_request, channels, desk_of, find_place, find_slips, parse_targets
from bot.rolls.pending.messages import link_results
from bot.rolls.pending.store import KIND
from bot.rolls.preview import identify
from bot.rolls.receipts import corrections, deliver, group_of, roll_receipt, title_of
from bot.rolls.request import DiceByHand, PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.ui import answering, parsing, reply
from bot.ui.text import Controls, shorten
from rules import errors, ruleset, stages
from rules.procedure import Procedure
from rules.subjects import name_key, names_of


class _Doubts(Struct, frozen=True):
    lines: tuple[str, ...]
    typed: RollCommand
    meant: RollCommand | None


class DoubtedRoll(Struct, frozen=True):
    """A roll that isn't made before its roller says what was meant: a card as typed, and the consequences."""

    view: CardView
    lines: Sequence[str]


def open_roll(tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll) -> CardView:
    """Open a card for a command, with its probable slips."""
    place, command = find_place(tx, resolver, person, typed)
    parts = identify(tx, place.viewer, command.parts)
    request = build_request(tx, place, command, parts)
    unticked = replace(command, modifiers=None)  # those unread were refused
    doubtful = _find_doubts(tx, place, unticked, parts)
    if doubtful is None:
        return _open(tx, resolver, place, request)
    meant = doubtful.meant and replace(doubtful.meant, modifiers=command.modifiers)
    return _open(tx, resolver, place, request, Doubt(doubtful.lines, _build_meant(tx, resolver, place, meant)))


def roll_now(
    tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll
) -> RollResult | DoubtedRoll:
    """Roll at once, or ask about a probable slip; where a reason is needed, the note is one."""
    place, command = find_place(tx, resolver, person, typed)
    parts = None
    if command.faces is None:  # typed faces are for the roll as typed, so no slip is asked about
        parts = identify(tx, place.viewer, command.parts)
        doubtful = _find_doubts(tx, place, command, parts)
        if doubtful is not None:
            doubt = Doubt(doubtful.lines, _build_meant(tx, resolver, place, doubtful.meant))
            view = _open(tx, resolver, place, build_request(tx, place, doubtful.typed), doubt)
            return DoubtedRoll(view, doubtful.lines)
    campaign, request = place.viewer.campaign, build_request(tx, place, command, parts)
    preview = resolver.preview(tx, campaign, request, book=place.book)
    resolver.require_able(tx, place.viewer, preview)
    dice = None if command.faces is None else DiceByHand(command.faces)
    known = (person.leads(campaign), preview, place.viewer.mine, person.interaction)
    order = RollOrder(campaign.id, person.user_id, request, None, dice, *known)
    try:
        return _make_roll(tx, resolver, order, dice)
    except NeedsReason as needed:  # raised ahead of the dice, when nothing has been written
        require_leader_again(person, campaign)
        if request.note is None:
            raise NeedsReason(needed.what, "To roll anyway, write your reason as the note.") from needed
    again = replace(request, reason=request.note, note=None)
    return _make_roll(tx, resolver, replace(order, request=again, preview=None), dice)


def _make_roll(tx: Connection, resolver: Resolver, order: RollOrder, dice: DiceByHand | None) -> RollResult:
    rolled = resolver.roll(tx, order)
    if dice is None:
        return rolled
    dice.finish()
    unused = "; ".join(f"d{sides}: {', '.join(map(str, left))}" for sides, left in dice.spare_faces.items())
    return replace(rolled, notes=(*rolled.notes, f"Not needed: {unused}.")) if unused else rolled


def _build_meant(tx: Connection, resolver: Resolver, place: RollPlace, meant: RollCommand | None) -> RollRequest | None:
    with suppress(UserError, errors.RollError):
        if meant:
            likely = build_request(tx, place, meant)
            seen = resolver.preview(tx, place.viewer.campaign, likely, book=place.book)
            resolver.require_able(tx, place.viewer, seen)
            return likely
    return None


def _open(
    tx: Connection, resolver: Resolver, place: RollPlace, request: RollRequest, doubt: Doubt | None = None
) -> CardView:
    viewer = place.viewer
    return open_card(tx, resolver, viewer.person, viewer.campaign, request, doubt, book=place.book, viewer=viewer)


def _find_doubts(
    tx: Connection, place: RollPlace, command: RollCommand, identified: Sequence[PartRequest]
) -> _Doubts | None:
    viewer, book = place.viewer, place.book
    known = stages.family_tickables(place.procedure, book) if command.modifiers else {}
    unread = find_slips(command.modifiers, known)
    named = {
        name: number
        for part in identified
        for role, ids in part.ids.items()
        if role not in part.people
        for name, number in zip(names_of(part.subjects[role]), ids, strict=True)
    }
    renamed = consequences.find_near_names(tx, viewer, named)
    listed = consequences.find_lists(tx, viewer, named)
    listed = {name: some for name, some in listed.items() if not consequences.BETWEEN.search(renamed.get(name, ""))}
    renamed = {name: close for name, close in renamed.items() if name not in listed}
    region, fault = _check_region(book, command.region)
    lines = [f"I don't know the modifier {word!r}, so I left it out. Did you mean {name}?" for word, _, name in unread]
    lines += map(consequences.doubt_line, renamed.items())
    lines += [f"I read {name} as one name. Use commas for several: {', '.join(some)}." for name, some in listed.items()]
    lines += [fault] if fault else []
    if not lines:
        return None
    meant = replace(command, modifiers=_replace_words(command.modifiers, {word: key for word, key, _ in unread}))
    meant = replace(meant, parts=[_respell(part, renamed) for part in command.parts], region=region or command.region)
    typed = replace(command, modifiers=_replace_words(command.modifiers, {word: "" for word, _, _ in unread}))
    return _Doubts(tuple(lines), typed, meant if unread or renamed or region else None)


def _check_region(book: ruleset.RuleSet, typed: str | None) -> tuple[str | None, str | None]:
    region = parsing.region(typed)
    if region is None or not book.zones or name_key(region) in book.places:
        return None, None
    close = errors.nearest(region, {place.label for _, place in book.places.values()})
    hint = f" Did you mean {close}?" if close else " No weather counts."
    return close, f"There's no weather for the region {region}.{hint}"


def _respell(part: PartRequest, renamed: Mapping[str, str]) -> PartRequest:
    subjects = {
        role: ", ".join(renamed.get(name, name) for name in names_of(names)) for role, names in part.subjects.items()
    }
    return replace(part, subjects=subjects)


def _replace_words(typed: str | None, words: Mapping[str, str]) -> str | None:
    if typed is None or not words:
        return typed
    return ",".join(filter(None, (words.get(piece.strip(), piece) for piece in typed.split(","))))


async def begin_form(  # noqa: PLR0913, PLR0917 - what the form lacks
    interaction: reply.AnyInteraction,
    form: options.RollForm,
    parts: Sequence[PartRequest],
    region: str | None = None,
    week: int | None = None,
    reason: str | None = None,
) -> None:
    """Answer a roll command with its card or roll."""
    typed = (region, week, form.modifiers, form.note, form.to)
    command = RollCommand(channels(interaction), form.family, parts, *typed, reason=reason)
    await begin(interaction, command, at_once=form.roll == "now")


async def begin(interaction: reply.AnyInteraction, command: RollCommand | TypedRoll, *, at_once: bool) -> None:
    """Answer with a card, or with the roll unless something has to be asked first."""
    desk, who = desk_of(interaction), reply.person(interaction)
    if command.faces is not None and not at_once:
        raise BadInput("You can't type dice for a card.", "Leave them out, or roll without a card.")
    if not at_once:
        view = await desk.database.write_minor(open_roll, desk.resolver, who, command)
        await reply.say(interaction, view=layout.draw(view, 0))
        return
    try:
        made = await desk.database.write(roll_now, desk.resolver, who, command)
    except NeedsReason as needed:
        if command.faces is not None:  # no card keeps faces that were typed
            raise
        card = await desk.database.write_minor(open_roll, desk.resolver, who, command)
        await reply.refuse(
            interaction,
            needed,
            Controls(ui.Button(label=entries.ANYWAY, custom_id=layout.card_id(layout.ROLL, card, 0))),
        )
    else:
        if isinstance(made, DoubtedRoll):
            await reply.say(interaction, view=layout.question(made.view, made.lines))
        else:
            await finish(interaction, made)


async def finish(
    interaction: reply.AnyInteraction,
    rolled: RollResult,
    asides: Sequence[str] = (),
    steps: Sequence[ui.Button[ui.LayoutView]] = (),
) -> None:
    """Post a roll and show its outcomes. `asides` are for the roller only, `steps` come before other buttons."""
    title = title_of(rolled, reply.person(interaction))
    answering.note_done(interaction, title)
    theirs = {None, rolled.entry.content()["book"]}
    rules = [item.after_roll for item in interaction.client.features if item.book in theirs]
    after = [await rule(interaction, rolled) for rule in rules if rule is not None]
    lines = [*asides, *(line for item in after for line in item.lines)]
    buttons = [*steps, *(button for item in after for button in item.steps), *_next_steps(interaction, rolled)]
    every = [*rolled.posts, *(post for item in after for post in item.posts)]
    posts, messages = ([post for post in every if (post.kind == KIND) is of_kind] for of_kind in (False, True))
    await deliver(interaction, posts, partial(_show_receipt, interaction, rolled, lines, buttons), done=title)
    if "amends" in rolled.entry.content():
        desk = desk_of(interaction)
        await desk.outbox.send(interaction.client, await link_results(interaction.client, posts, messages))
        await desk.outbox.wait_saved(rolled.posts)
        await desk.outbox.send(interaction.client, await desk.database.write(amend.link, desk.resolver, rolled))
    ref = (rolled.campaign.id, rolled.entry.number)
    details = entries.details_button(entries.DETAILS.fill(campaign=ref[0], number=ref[1]))
    if rolled.entry.audience == "person":
        view: View = "staff" if reply.person(interaction).leads(rolled.campaign) else "public"
        for page in embed.result_pages(rolled.view, view):
            await reply.say(
                interaction,
                embeds=page,
                view=Controls(entries.publish_button(*ref), *corrections(rolled), details),
            )
    elif rolled.entry.audience == "maker" and not reply.person(interaction).leads(rolled.campaign):
        for page in embed.result_pages(rolled.view, "public"):
            await reply.say(interaction, embeds=page, view=Controls(details))


async def _show_receipt(
    interaction: reply.AnyInteraction,
    rolled: RollResult,
    asides: Sequence[str],
    steps: Sequence[ui.Button[ui.LayoutView]],
    sent: Sequence[Post],
) -> None:
    reader, here, group = reply.person(interaction), interaction.channel_id, await group_of(interaction, rolled)
    await reply.redraw(interaction, roll_receipt(rolled, sent, asides, steps, reader=reader, here=here, group=group))


def _next_steps(interaction: reply.AnyInteraction, rolled: RollResult) -> Iterator[ui.Button[ui.LayoutView]]:
    if rolled.too_low and may_maker_read(reply.person(interaction), rolled.campaign, rolled.entry):
        yield entries.push_button(rolled.campaign.id, rolled.entry.number)
    resolver, body = desk_of(interaction).resolver, rolled.entry.content()
    for rule in resolver.extension.of_entry(rolled.campaign, rolled.entry).next_steps:
        yield from rule(reply.person(interaction), rolled.campaign, rolled.entry)
    book = resolver.library.shipped.get(body["book"])
    procedure = book.procedures.get(body["family"]) if book else None
    if procedure is not None and entries.follower(body, procedure) is not None:
        yield entries.next_button(rolled.campaign.id, rolled.entry.number, f"Next {procedure.subject}")


@reply.component(entries.PUSH)
async def push(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    """Throw a roll's dice once more."""
    desk = desk_of(interaction)
    made = await desk.database.write(amend.push, desk.resolver, reply.person(interaction), campaign, number)
    await finish(interaction, made)


def split_parts(
    procedure_roles: tuple[str, str], actors: Sequence[str], subjects: Sequence[str | None]
) -> list[PartRequest]:
    """Return a part for each pair of actor and subject (None: without), subject by subject."""
    actor_role, subject_role = procedure_roles
    return [
        PartRequest(subjects={actor_role: actor} | ({subject_role: subject} if subject is not None else {}))
        for subject in subjects
        for actor in actors
    ]


MAX_TARGETS = 10


@reply.component(entries.NEXT)
async def ask_next(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask who the next roll is about."""
    body, procedure, actor = await _find_previous(interaction, campaign, number)
    form = ui.Modal(
        title=shorten(f"{body['title']}: {actor}", 45), custom_id=entries.NEXT.fill(campaign=campaign, number=number)
    )
    about = f"Next {procedure.subject}"
    hint = "One or more, separated by commas"
    await reply.ask(interaction, form.add_item(reply.text_field("next", about, placeholder=hint, limit=600)))


@reply.modal(entries.NEXT)
async def roll_next(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    """Open a card for the next roll, at the same place."""
    body, procedure, actor = await _find_previous(interaction, campaign, number)
    parts = list(_read_parts(procedure, actor, str(reply.read_submitted(interaction).get("next") or "")))
    where = (
        channels(interaction),
        (body["book"], procedure.family),
        parts,
        None if body.get("at_home") else body["region"],
        body["week"],
    )
    await begin(interaction, RollCommand(*where, campaign=campaign), at_once=False)


async def _find_previous(interaction: reply.AnyInteraction, campaign: int, number: int) -> tuple[Body, Procedure, str]:
    desk = desk_of(interaction)
    here, entry = await desk.database.read(_find_roll, reply.person(interaction), campaign, number)
    if entry is not None and entry.kind == "roll":
        body = entry.content()
        _, procedure = await desk.procedure(here, body["book"], body["family"])
        actor = entries.follower(body, procedure)
        if actor is not None:
            return body, procedure, actor
    raise NotOpen(f"You can't continue entry #{number}.", "Start a new roll with its command.")


def _find_roll(tx: Connection, who: Person, campaign_id: int, number: int) -> tuple[Campaign, Entry | None]:
    campaign = require_on_server(tx, who.guild_id, campaign_id)
    return campaign, find_readable(tx, who, campaign, number, made=True)


def _read_parts(procedure: Procedure, actor: str, typed: str) -> Iterator[PartRequest]:
    if procedure.choices:
        pairs = parse_targets(typed, procedure.choices[0], None, MAX_TARGETS)
    else:
        pairs = tuple((name, "") for name in parsing.names(typed, procedure.subject, MAX_TARGETS))
    parsing.refuse_both((actor,), [name for name, _ in pairs])
    for name, answer in pairs:
        answers = {procedure.choices[0].id: answer} if procedure.choices else {}
        yield PartRequest(subjects={procedure.actor: actor, procedure.subject: name}, choices=answers)
