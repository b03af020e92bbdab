"""The windows that undo or amend an entry: they show the consequences and ask why."""

from collections.abc import Iterator

import discord

from bot.core.campaigns import Campaign, require_on_server
from bot.core.records import Entry, read_body
from bot.rolls import amend, entries, void
from bot.rolls.card import layout
from bot.rolls.desk import desk_of
from bot.rolls.pending.messages import send_linked
from bot.ui import answering, reply, text
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction

WHY = reply.IdTemplate("void:{campaign:int}:{number:int}:{upto:int}:why")
TITLE = "Undone"
MAX_WINDOW, MAX_ANSWER = 1500, 3500
MAX_LATER, MAX_SENTENCE, MAX_USED = 5, 200, 10


@reply.component(entries.TAKE_BACK)
async def take_back(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask why an entry is undone."""
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await open_window(interaction, here, number)


async def open_window(interaction: AnyInteraction, campaign: Campaign, number: int, reason: str | None = None) -> None:
    """Show what an undo includes, and ask why. `reason` is what was typed already."""
    desk = desk_of(interaction)
    planned = await desk.database.read(void.plan, desk.resolver, reply.person(interaction), campaign, number)
    key = WHY.fill(campaign=campaign.id, number=number, upto=planned.upto)
    about = "\n".join(text.fit_lines(MAX_WINDOW, list(_describe_plan(planned))))
    form = reply.reason_form(key, f"Undo entry #{number}", about, placeholder="A modifier was missed", given=reason)
    await reply.ask(interaction, form)


@reply.modal(WHY)
async def give_reason(interaction: AnyInteraction, *, campaign: int, number: int, upto: int) -> None:
    """Undo the entries of a window."""
    desk, reason = desk_of(interaction), str(reply.read_submitted(interaction).get("reason") or "")
    order = void.VoidOrder(number, reason, upto)
    done = await desk.database.write(void.undo, desk.resolver, reply.person(interaction), campaign, order)
    answering.note_done(interaction, f"Undone: entry #{number}")
    await _show_undone(interaction, done)
    await send_linked(interaction.client, done.posts)


async def _show_undone(interaction: AnyInteraction, done: void.UndoResult) -> None:
    message, lines = interaction.message, list(_describe_undone(done))
    if message is not None and not message.embeds:
        await reply.redraw(interaction, receipt(TITLE, lines))
        return
    if message is not None:
        number = done.pairs[-1][0].number
        await reply.rewrite(interaction, view=None)
        answering.note_done(interaction, f"Undone: entry #{number}")
    embed = discord.Embed(title=TITLE, description="\n".join(lines), colour=text.COLOURS["success"])
    await reply.say(interaction, embed=embed)


def _describe_undone(done: void.UndoResult) -> Iterator[str]:
    lines = [
        f"Entry #{entry.number} undone (#{by.number}): {read_body(by)['what'].rstrip('.')}." for entry, by in done.pairs
    ]
    lines += [line for _, by in done.pairs for line in by.content().get("also", ())]
    lines += [f"Entry #{number}, which it amended, is valid again." for number in done.again]
    return text.fit_lines(MAX_ANSWER, [*lines, *_describe_used(done.used)])


def _describe_plan(planned: void.VoidPlan) -> Iterator[str]:
    yield from _describe_chain(planned, "Later entries changed what it did, so these are undone too:")
    if "amends" in (body := planned.chain[-1].content()):
        yield f"Entry #{body['amends']}, which it amended, becomes valid again."
    yield from _describe_used(planned.used)
    if any(entry.audience == "person" for entry in planned.chain):
        yield "-# Game masters see your reason and that this roll was private, not its result."
    else:
        yield "-# Anyone who can see this entry sees your reason."


def _describe_chain(planned: void.VoidPlan, heading: str) -> Iterator[str]:
    *later, entry = zip(planned.chain, planned.sentences, strict=True)
    yield _line(*entry)
    if later:
        yield heading
        shown, folded = later[::-1][:MAX_LATER], later[::-1][MAX_LATER:]
        yield from (_line(*pair) for pair in shown)
        yield from [f"*and {len(folded)} more, up to entry #{folded[-1][0].number}*"] if folded else []


def _line(entry: Entry, sentence: str) -> str:
    return f"**#{entry.number}** {text.shorten(sentence, MAX_SENTENCE)}"


def _describe_used(used: tuple[int, ...]) -> Iterator[str]:
    if used:
        more = [f"{len(used) - MAX_USED} more"] if len(used) > MAX_USED else []
        rolls = text.join_words([*(f"#{number}" for number in used[:MAX_USED]), *more])
        yield f"These rolls counted it and stay as they are: {rolls}."


WHY_AMEND = reply.IdTemplate("amend:{campaign:int}:{number:int}:{upto:int}:why")


@reply.component(entries.AMEND)
async def amend_entry(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask why an entry is amended."""
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await open_amend_window(interaction, here, number)


async def open_amend_window(
    interaction: AnyInteraction, campaign: Campaign, number: int, reason: str | None = None
) -> None:
    """Show an entry and what its amendment undoes, and ask why."""
    desk = desk_of(interaction)
    planned = await desk.database.read(amend.plan, desk.resolver, reply.person(interaction), campaign, number)
    key = WHY_AMEND.fill(campaign=campaign.id, number=number, upto=planned.upto)
    lines = [
        *_describe_chain(planned, "Later entries changed what it did, so amending also undoes these:"),
        *_describe_used(planned.used),
        "The card opens again with the same dice. Nothing changes until you press Amend there.",
        "-# Anyone who can see this entry sees your reason.",
    ]
    about = "\n".join(text.fit_lines(MAX_WINDOW, lines))
    form = reply.reason_form(key, f"Amend entry #{number}", about, placeholder="Fog was missed", given=reason)
    await reply.ask(interaction, form)


@reply.modal(WHY_AMEND)
async def amend_with_reason(interaction: AnyInteraction, *, campaign: int, number: int, upto: int) -> None:
    """Open the card of a roll again."""
    desk, reason = desk_of(interaction), str(reply.read_submitted(interaction).get("reason") or "")
    order = void.VoidOrder(number, reason, upto)
    view = await desk.database.write(amend.open_again, desk.resolver, reply.person(interaction), campaign, order)
    await reply.say(interaction, view=layout.draw(view, 0))
