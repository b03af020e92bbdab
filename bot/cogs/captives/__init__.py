"""`/captives`, `/capture`, `/interrogate` and `/escape`."""

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import Annotated

from discord import app_commands, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.captives import actions, queries, rolls
from bot.cogs.captives.queries import ESCAPE, INTERROGATION, CaptiveStatus
from bot.core import ledger, library, permissions, profiles, records, subjects, visibility
from bot.core.campaigns import Campaign, current_update, find_update_entry, require_update
from bot.core.errors import BadInput
from bot.kernel import Feature
from bot.orders import panel as orders
from bot.rolls import answers, entries, request
from bot.rolls.card import layout
from bot.rolls.desk import channels, desk_of
from bot.rolls.extension import RollExtension
from bot.rolls.options import CARD_OR_NOW, NOTE, ModifiersCompleter, Names, Region, RollForm, Week
from bot.ui import receipt, reply, text
from bot.ui.parsing import GAME_MASTERS, MAX_CHOICES, Form, describe, fill_form, option
from bot.ui.reply import number as number_of
from bot.ui.reply import person
from bot.ui.text import COLOURS, DOT, Controls, plain, shorten
from rules.books.campaign.captivity import CAPTIVE

ROLL_ESCAPES = reply.IdTemplate("captive:{campaign:int}:escapes:{number:int}")
PICK = reply.IdTemplate("captive:{campaign:int}:show:{_place:int}")
"""Selects under a list; `_place` tells several apart."""

AGAIN = reply.IdTemplate("interrogate:{campaign:int}:{entry:int}")
FREE = frozenset({"free", "kill"})
FAMILY = (rolls.BOOK, ESCAPE)


async def show_list(interaction: Interaction, campaign: Campaign) -> None:
    """List captives to pick from, and former ones."""
    who = person(interaction)
    known = await interaction.client.database.read(queries.list_captives, who, campaign)
    labels = zip(known, subjects.label_subjects(known), strict=True)
    everyone = [replace(item, name=label) for item, label in labels]
    *before, last = _list_pages(everyone, campaign.name)
    for page in before:
        await reply.say(interaction, embeds=page)
    hint = "Interrogate, move, release ..." if who.leads(campaign) else "See a captive ..."
    below = Controls(*receipt.pickers(partial(PICK.fill, campaign=campaign.id), hint, _list_held(everyone)))
    await reply.say(interaction, embeds=last, **({"view": below} if below.children else {}))


def _list_pages(everyone: Sequence[CaptiveStatus], footer: str) -> ledger.Pages:
    captives, gone = ([_line(item) for item in everyone if bool(item.captivity) == held] for held in (True, False))
    lines = captives or ["You don't know of any captives. Game masters add one with /capture."]
    embeds = text.fit_embeds("Captives", lines, colour=COLOURS["neutral"], footer=footer)
    if gone:
        embeds += text.fit_embeds("Former captives", gone, colour=COLOURS["failure"], footer=footer)
    return text.paginate(embeds)


def _line(status: CaptiveStatus) -> str:
    return f"\N{BULLET} **{plain(status.name)}**{DOT}{DOT.join(actions.describe_status(status, 'd'))}"


def _list_held(captives: Sequence[CaptiveStatus]) -> list[tuple[str, str, str]]:
    return [
        (str(item.id), item.name, f"held by {held.by.name} at {held.at.name}")
        for item in captives
        if (held := item.captivity)
    ]


@reply.component(PICK)
async def pick(interaction: Interaction, *, campaign: int, _place: int) -> None:
    """Show the captive picked from a list."""
    here, number = await find_pressed_campaign(interaction, campaign), next(iter(reply.read_picked(interaction)), "")
    asked = person(interaction), here, number_of(number)
    await _show(interaction, here, await interaction.client.database.read(queries.pick, *asked))


async def _show(interaction: Interaction, campaign: Campaign, status: CaptiveStatus) -> None:
    who = person(interaction)
    steps = list(actions.captive_buttons(status, campaign, who))
    steps += [entries.take_back_button(campaign.id, status.newest)] if who.leads(campaign) else []
    below = {"view": Controls(*steps)} if steps else {}
    await reply.say(interaction, embed=actions.status_embed(status, footer=campaign.name), **below)


@reply.component(actions.INTERROGATE)
async def ask_interrogators(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Ask who interrogates a captive."""
    read, who = interaction.client.database.read, person(interaction)
    here = await find_pressed_campaign(interaction, campaign)
    status = await read(queries.require_held, who, here, subject, newest)
    key = actions.INTERROGATE.fill(campaign=campaign, subject=subject, newest=newest)
    form = ui.Modal(title=shorten(f"Interrogate {status.name}", 45), custom_id=key)
    hint = "Names separated by commas; one roll for all"
    await reply.ask(
        interaction, form.add_item(reply.text_field("interrogators", "Who interrogates", placeholder=hint, limit=600))
    )


@reply.modal(actions.INTERROGATE)
async def open_interrogation(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Open a card for an interrogation."""
    typed = str(reply.read_submitted(interaction).get("interrogators") or "")
    asked = (person(interaction), campaign, subject, newest, typed)
    plan = await interaction.client.database.read(rolls.interrogation_of, *asked)
    command = _command(interaction, campaign, plan)
    known = (interaction.client.resolver, person(interaction), command)
    reason, _ = await interaction.client.database.read(rolls.foresee_again, *known)
    await answers.begin(interaction, replace(command, reason=reason), at_once=False)


@reply.component(AGAIN)
async def interrogate_again(interaction: Interaction, *, campaign: int, entry: int) -> None:
    """Roll, or open a card; ask why if unknown."""
    bot, who = interaction.client, person(interaction)
    command = _command(interaction, campaign, await bot.database.read(rolls.interrogation_again, who, campaign, entry))
    reason, asked = await bot.database.read(rolls.foresee_again, bot.resolver, who, command)
    if reason or not asked:
        await answers.begin(interaction, replace(command, reason=reason), at_once=False)
        return
    key = AGAIN.fill(campaign=campaign, entry=entry)
    await reply.ask(
        interaction, reply.reason_form(key, "Why roll again?", "\n".join(asked), placeholder="She was about to talk")
    )


@reply.modal(AGAIN)
async def roll_again(interaction: Interaction, *, campaign: int, entry: int) -> None:
    """Roll the same interrogation with a reason."""
    reason = str(reply.read_submitted(interaction).get("reason") or "")
    plan = await interaction.client.database.read(rolls.interrogation_again, person(interaction), campaign, entry)
    await answers.begin(interaction, replace(_command(interaction, campaign, plan), note=reason), at_once=True)


def _command(interaction: Interaction, campaign: int, plan: rolls.RollPlan) -> request.RollCommand:
    return request.RollCommand(channels(interaction), (rolls.BOOK, INTERROGATION), *plan, campaign=campaign)


def interrogate_again_button(
    person: permissions.Person, campaign: Campaign, entry: records.Entry
) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the button below an interrogation, unless it visibly freed or killed the captive."""
    body = entry.content()
    if body["family"] != INTERROGATION:
        return
    seen = (part for part in body["parts"] if person.leads(campaign) or part["audience"] == "results")
    if not any(item["do"] in FREE for part in seen for item in part["consequences"]):
        yield ui.Button(label="Interrogate again", custom_id=AGAIN.fill(campaign=campaign.id, entry=entry.number))


class InterrogateForm(RollForm):
    """Options of `/interrogate`."""

    family = (rolls.BOOK, INTERROGATION)
    captive: actions.Captives = option("The captive")
    interrogators: Names = option("Interrogators, separated by commas: one roll for all")


@app_commands.command(extras={"family": INTERROGATION})
@fill_form
async def interrogate(interaction: Interaction, form: InterrogateForm) -> None:
    """Roll to interrogate a captive."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    plan = await bot.database.read(rolls.interrogation, who, campaign, form.captive, form.interrogators)
    reason = None
    if form.roll == "card":
        command = _command(interaction, campaign.id, plan)
        reason, _ = await bot.database.read(rolls.foresee_again, bot.resolver, who, command)
    await answers.begin_form(interaction, form, *plan, reason=reason)


@app_commands.command(description=actions.Take.summary, extras=GAME_MASTERS)
@fill_form
async def capture(interaction: Interaction, form: actions.Take) -> None:
    """Capture a character."""
    await form.carry_out(interaction)


@app_commands.command(name="captives")
@describe(captive="One captive, to see more. Players can pick their own characters and captives")
async def show_captives(interaction: Interaction, captive: actions.Captives | None = None) -> None:
    """List current and former captives, or show one."""
    campaign = await desk_of(interaction).campaign(interaction)
    if captive is None:
        await show_list(interaction, campaign)
        return
    status = await interaction.client.database.read(queries.show, person(interaction), campaign, captive)
    await _show(interaction, campaign, status)


class EscapeForm(Form):
    """Options of `/escape`; most only matter to a roll."""

    captive: actions.Escaping | None = option(
        "Who tries, separated by commas. Default for game masters: all with escape orders", default=None
    )
    region: Region | None = option("Only when you roll: a weather region or any place name", default=None)
    week: Week | None = option("Only when you roll: the week whose weather counts", default=None)
    modifiers: Annotated[str, ModifiersCompleter(*FAMILY)] | None = option(
        "Only when you roll: ids or labels, separated by commas", default=None
    )
    note: str | None = NOTE
    roll: str = option("Only when you roll: open a card first, or roll now", default="card", choices=CARD_OR_NOW)


@app_commands.command()
@fill_form
async def escape(interaction: Interaction, form: EscapeForm) -> None:
    """Order your captive character's escape, or roll escapes."""
    await _escape(interaction, await desk_of(interaction).campaign(interaction), form)


async def _escape(interaction: Interaction, campaign: Campaign, form: EscapeForm) -> None:
    who = person(interaction)
    if form.captive is not None and (who.leads(campaign) or ESCAPE in campaign.players_may):
        await _roll(interaction, campaign, form)
        return
    await desk_of(interaction).procedure(campaign, *FAMILY)
    if form.modifiers:
        when = "on the card" if who.leads(campaign) else "when a game master rolls"
        raise BadInput(f"Modifiers are picked {when}.", "Leave them out and say what counts in the note.")
    if form.captive is not None and (form.region or form.week is not None):
        raise BadInput("The region and week are picked when it's rolled.", "Leave them out and use the note.")
    if form.captive is not None:
        asked = (interaction.client.resolver, who, campaign.id, form.captive, form.note)
        await orders.show_given(interaction, *await interaction.client.database.write(rolls.order_escapes, *asked))
    elif not who.leads(campaign):
        raise BadInput("I need at least one captive.", "Name a captive character of yours.")
    elif form.roll == "now":
        await _roll(interaction, campaign, form)
    else:
        await _open_ordered(interaction, campaign.id, form)


@reply.component(actions.BREAK_OUT)
async def break_out(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Do what `/escape` does, for one captive."""
    asked = (person(interaction), campaign, subject, newest)
    here, captive = await interaction.client.database.read(rolls.escape_of, *asked)
    await _escape(interaction, here, EscapeForm(captive=captive))


@reply.component(ROLL_ESCAPES)
async def open_escapes(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Open a card for the update's ordered escapes."""
    await interaction.client.database.read(require_update, campaign, number)
    await _open_ordered(interaction, campaign, EscapeForm())


async def _roll(interaction: Interaction, campaign: Campaign, form: EscapeForm) -> None:
    who, read = person(interaction), interaction.client.database.read
    plan = await read(rolls.escape, who, campaign, form.captive, form.region)
    where = (channels(interaction), FAMILY, *plan, form.week)
    roll = request.RollCommand(*where, form.modifiers, form.note, campaign=campaign.id)
    await answers.begin(interaction, roll, at_once=form.roll == "now")


async def _open_ordered(interaction: Interaction, campaign_id: int, form: EscapeForm) -> None:
    bot, asked = interaction.client, (campaign_id, form.note, form.region, form.week)
    for view in await bot.database.write(rolls.open_ordered, bot.resolver, person(interaction), *asked):
        await reply.say(interaction, view=layout.draw(view, 0))


def status(
    tx: Connection, _library: library.Library, viewer: visibility.Viewer, profile: profiles.Profile
) -> Iterator[str]:
    """Yield captivity lines for the character's card."""
    if viewer.person.leads(viewer.campaign) or viewer.owns(profile):
        now = permissions.find_now(tx, viewer.person, viewer.campaign)
        for found in queries.read_statuses(tx, viewer.campaign.id, [profile.id], now).values():
            lines = actions.describe_status(queries.hide_unknown(tx, viewer, found), "f")
            yield f"**Captivity:**\n{actions.LINES.join(lines)}"


def about_captives(tx: Connection, _library: library.Library, viewer: visibility.Viewer) -> Iterator[receipt.Todo]:
    """Yield what `/update show` has about captives: current ones, this update's changes, and escapes."""
    campaign, leads = viewer.campaign, viewer.person.leads(viewer.campaign)
    known = queries.list_known(tx, viewer)
    trying = {item.id for item in known if item.ordered is not None}
    if leads:
        trying = rolls.find_escaping(tx, campaign.id, permissions.find_now(tx, viewer.person, campaign))
    begun = find_update_entry(tx, campaign.id)
    current = [
        item
        for item in known
        if item.captivity or max(item.fate["entry"] if item.fate else 0, item.cracked or 0) > begun
    ]
    if current:
        shown = (_todo_line(item, trying) for item in current)
        lines = receipt.few(shown, len(current), "/captives")
        own = queries.filter_owned(tx, viewer, current)
        able = [item for item in own if leads or not (item.captivity and item.captivity.in_person)]
        acting = "Interrogate, move, release ..." if leads else "Try to escape ..."
        rows: list[list[receipt.Item]] = []
        if leads and trying:
            key = ROLL_ESCAPES.fill(campaign=campaign.id, number=current_update(tx, campaign.id)["number"])
            rows.append([ui.Button(label="Roll the escapes", custom_id=key)])
        held = _list_held(able)[:MAX_CHOICES]
        rows += [[select] for select in receipt.picker(PICK.fill(campaign=campaign.id, _place=0), acting, held)]
        yield receipt.Todo("Captives", lines, rows)


def _todo_line(status: CaptiveStatus, trying: Container[int]) -> str:
    held, fate = status.captivity, status.fate
    where = f"held by {plain(held.by.name)} at {plain(held.at.name)}" if held else fate["fate"] if fate else "free"
    words = [where, *(["cracked"] if status.cracked else []), *(["escape ordered"] if status.id in trying else [])]
    return f"\N{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"


FEATURE = Feature(
    book="campaign",
    commands=(show_captives, capture, interrogate, escape),
    components=(
        *(pick, ask_interrogators, interrogate_again, open_escapes, break_out),
        *(actions.ask_place, actions.ask_note),
        open_interrogation,
        roll_again,
        actions.move,
        actions.release,
    ),
    entry_kinds=(actions.CAPTIVE_CHANGED, actions.ESCAPE_DECLARED),
    rolls=(
        RollExtension(
            facts=(rolls.captivity_facts,), bars=(rolls.require_living,), messages=(rolls.ask_for_passwords,)
        ),
        RollExtension(book="campaign", families=(ESCAPE,), facts=(rolls.joint_escape_facts, rolls.surprise_facts)),
        RollExtension(book="campaign", families=(INTERROGATION,), next_steps=(interrogate_again_button,)),
    ),
    requirements={CAPTIVE: rolls.require_captive},
    status=status,
    todo=about_captives,
)
