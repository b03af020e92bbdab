"""Answer roll commands: with a card or a roll, and after the commit with its posts and the roller's receipt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from discord import ui

from bot.core.entry_kinds import View
from bot.errors import BadInput, NeedsReason
from bot.outbox.store import Post
from bot.rolls import amend
from bot.rolls.buttons import ANYWAY, DETAILS, details_button, follower, next_button, publish_button
from bot.rolls.card import ids, layout
from bot.rolls.card.layout import card_id
from bot.rolls.commands import Question, open_roll, roll_now
from bot.rolls.desk import channels, desk_of
from bot.rolls.embed import result_pages
from bot.rolls.options import RollForm
from bot.rolls.pending.linking import apart, link_results
from bot.rolls.receipts import corrections, deliver, group_of, roll_receipt, title_of
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.requests import TypedRoll
from bot.rolls.resolver import Rolled
from bot.ui.answering import committed
from bot.ui.components import with_buttons
from bot.ui.reply import AnyInteraction, person, redraw, refuse, say


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
        await refuse(interaction, needed, with_buttons(ui.Button(label=ANYWAY, custom_id=card_id(ids.ROLL, card, 0))))
    else:
        if isinstance(made, Question):
            await say(interaction, view=layout.question(made.view, made.lines))
        else:
            await finish(interaction, made)


async def finish(
    interaction: AnyInteraction, rolled: Rolled, asides: Sequence[str] = (), steps: Sequence[ui.Button[Any]] = ()
) -> None:
    """Post a roll and show the roller its outcomes; `asides` are lines for the roller alone, `steps` come before other next steps."""
    title = title_of(rolled, person(interaction))
    committed(interaction, title)
    theirs = {None, rolled.entry.content()["book"]}
    rules = [item.after_roll for item in interaction.client.features if item.book in theirs]
    after = [await rule(interaction, rolled) for rule in rules if rule is not None]
    lines = [*asides, *(line for item in after for line in item.lines)]
    buttons = [*steps, *(button for item in after for button in item.steps), *_next_steps(interaction, rolled)]
    posts, messages = apart([*rolled.posts, *(post for item in after for post in item.posts)])
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
    steps: Sequence[ui.Button[Any]],
    sent: Sequence[Post],
) -> None:
    reader, here, group = person(interaction), interaction.channel_id, await group_of(interaction, rolled)
    await redraw(interaction, roll_receipt(rolled, sent, asides, steps, reader=reader, here=here, group=group))


def _next_steps(interaction: AnyInteraction, rolled: Rolled) -> Iterator[ui.Button[Any]]:
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
