"""The windows in which an entry is undone or amended: they say what goes along, and ask why."""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.core.campaigns import Campaign, require_on_server
from bot.core.records import Entry, read_body
from bot.rolls import amend, void
from bot.rolls.buttons import AMEND, TAKE_BACK
from bot.rolls.card import layout
from bot.rolls.desk import desk_of
from bot.rolls.pending.messages import send_linked
from bot.rolls.void import TakenBack, VoidOrder, VoidPlan
from bot.ui.answering import note_done
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component, modal
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, ask, person, read_submitted, reason_form, redraw, say, spend
from bot.ui.text import fit_lines, listing, shorten

WHY = IdTemplate("void:{campaign:int}:{number:int}:{upto:int}:why")
"""The id of the window; `upto` is the newest entry that it names as going too."""

TITLE = "Undone"
MAX_WINDOW, MAX_ANSWER = 1500, 3500
MAX_LATER, MAX_SENTENCE, MAX_USED = 5, 200, 10
"""How many later entries the window names, of how many characters each, and how many rolls that counted them."""


@component(TAKE_BACK)
async def take_back(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask why an entry is to be taken back."""
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await open_window(interaction, here, number)


async def open_window(interaction: AnyInteraction, campaign: Campaign, number: int, reason: str | None = None) -> None:
    """Show what is taken back with an entry, and ask why; `reason` is what was typed already."""
    desk = desk_of(interaction)
    planned = await desk.database.read(void.plan, desk.resolver, person(interaction), campaign, number)
    key = WHY.fill(campaign=campaign.id, number=number, upto=planned.upto)
    about = "\n".join(fit_lines(MAX_WINDOW, list(_describe_plan(planned))))
    form = reason_form(key, f"Undo entry #{number}", about, placeholder="A modifier was missed", given=reason)
    await ask(interaction, form)


@modal(WHY)
async def give_reason(interaction: AnyInteraction, *, campaign: int, number: int, upto: int) -> None:
    """Take the entries of a window back."""
    desk, reason = desk_of(interaction), str(read_submitted(interaction).get("reason") or "")
    order = VoidOrder(number, reason, upto)
    done = await desk.database.write(void.take_back, desk.resolver, person(interaction), campaign, order)
    note_done(interaction, f"Undone: entry #{number}")
    await tell(interaction, done)
    await send_linked(interaction.client, done.posts)


async def tell(interaction: AnyInteraction, done: TakenBack) -> None:
    """Tell what was taken back, in place of the receipt or below the message whose button was used, which has none any more."""
    message, lines = interaction.message, list(_describe_undone(done))
    if message is not None and not message.embeds:
        await redraw(interaction, receipt(TITLE, lines))
        return
    if message is not None:
        number = done.pairs[-1][0].number
        await spend(interaction)
        note_done(interaction, f"Undone: entry #{number}")
    embed = discord.Embed(title=TITLE, description="\n".join(lines), colour=COLOURS["success"])
    await say(interaction, embed=embed)


def _describe_undone(done: TakenBack) -> Iterator[str]:
    lines = [
        f"Entry #{entry.number} undone (#{by.number}): {read_body(by)['what'].rstrip('.')}." for entry, by in done.pairs
    ]
    lines += [line for _, by in done.pairs for line in by.content().get("also", ())]
    lines += [f"Entry #{number}, which it amended, is valid again." for number in done.again]
    return fit_lines(MAX_ANSWER, [*lines, *describe_used(done.used)])


def _describe_plan(planned: VoidPlan) -> Iterator[str]:
    yield from describe_chain(planned, "Later entries changed what it did, so these are undone too:")
    if "amends" in (body := planned.chain[-1].content()):
        yield f"Entry #{body['amends']}, which it amended, becomes valid again."
    yield from describe_used(planned.used)
    if any(entry.audience == "person" for entry in planned.chain):
        yield "-# Game masters see your reason and that this roll was private, not its result."
    else:
        yield "-# Anyone who can see this entry sees your reason."


def describe_chain(planned: VoidPlan, heading: str) -> Iterator[str]:
    """Yield an entry and, under a heading, the first of those that are taken back with it."""
    *later, entry = zip(planned.chain, planned.sentences, strict=True)
    yield _line(*entry)
    if later:
        yield heading
        shown, folded = later[::-1][:MAX_LATER], later[::-1][MAX_LATER:]
        yield from (_line(*pair) for pair in shown)
        yield from [f"*and {len(folded)} more, up to entry #{folded[-1][0].number}*"] if folded else []


def _line(entry: Entry, sentence: str) -> str:
    return f"**#{entry.number}** {shorten(sentence, MAX_SENTENCE)}"


def describe_used(used: tuple[int, ...]) -> Iterator[str]:
    """Yield which rolls stay that counted what is taken back."""
    if used:
        more = [f"{len(used) - MAX_USED} more"] if len(used) > MAX_USED else []
        rolls = listing([*(f"#{number}" for number in used[:MAX_USED]), *more])
        yield f"These rolls counted it and stay as they are: {rolls}."


WHY_AMEND = IdTemplate("amend:{campaign:int}:{number:int}:{upto:int}:why")
"""The id of the window; `upto` is the newest entry that it names as taken back too."""


@component(AMEND)
async def amend_entry(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask why an entry is to be amended."""
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await open_amend_window(interaction, here, number)


async def open_amend_window(
    interaction: AnyInteraction, campaign: Campaign, number: int, reason: str | None = None
) -> None:
    """Show what an entry was and what is taken back to amend it, and ask why; `reason` is what was typed already."""
    desk = desk_of(interaction)
    planned = await desk.database.read(amend.plan, desk.resolver, person(interaction), campaign, number)
    key = WHY_AMEND.fill(campaign=campaign.id, number=number, upto=planned.upto)
    about = "\n".join(fit_lines(MAX_WINDOW, list(_plan_amendment(planned))))
    await ask(
        interaction, reason_form(key, f"Amend entry #{number}", about, placeholder="Fog was missed", given=reason)
    )


@modal(WHY_AMEND)
async def amend_with_reason(interaction: AnyInteraction, *, campaign: int, number: int, upto: int) -> None:
    """Open the card of a roll again."""
    desk, reason = desk_of(interaction), str(read_submitted(interaction).get("reason") or "")
    order = VoidOrder(number, reason, upto)
    view = await desk.database.write(amend.open_again, desk.resolver, person(interaction), campaign, order)
    await say(interaction, view=layout.draw(view, 0))


def _plan_amendment(planned: VoidPlan) -> Iterator[str]:
    yield from describe_chain(planned, "Later entries changed what it did, so amending also undoes these:")
    yield from describe_used(planned.used)
    yield "The card opens again with the same dice. Nothing changes until you press Amend there."
    yield "-# Anyone who can see this entry sees your reason."
