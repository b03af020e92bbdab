"""The card of a saved unit or character: what is saved of it, a select for each group of traits, and what these do."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterator
from typing import Final

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.roster import queries, service
from bot.cogs.roster.embed import heading, profile_lines, removal_lines, removed_line
from bot.cogs.roster.queries import ProfileView
from bot.cogs.roster.service import CountForm
from bot.cogs.roster.traits import TraitList, by_group, counted_traits, pages, trait_lists
from bot.core.campaigns import LEVELS, PLACES
from bot.errors import NotOpen
from bot.rolls.buttons import take_back_button
from bot.rolls.pending.linking import send_linked
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, component, modal, picked
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, ask, person, redraw, submitted, text_field
from bot.ui.text import listing, plain, shorten, within

_CARD: Final = "traits:{campaign:int}:{subject:int}:{page:int}:"
PICK = IdTemplate(_CARD + "pick:{key:rest}")
COUNTS, COUNTED = IdTemplate(_CARD + "counts:{chunk:int}"), IdTemplate(_CARD + "counted:{chunk:int}:{shown:word}")
PAGE = IdTemplate(_CARD + "page")
SEEN = IdTemplate(_CARD + "seen:{secret:int}:{newest:int}")
REMOVE = IdTemplate("remove:{campaign:int}:{subject:int}:{newest:int}")
"""The ids of what stands on a card: in which campaign, about whom, on which page, and what it does.

Who sees it from then on is said by `secret`, 0 for players too; `newest` is the ledger's newest entry that was seen.
"""

MAX_FORMS = 4
MAX_TITLE = 45
MAX_LABEL, MAX_BUTTON = 100, 80
ROOM = 3600
NONE = "-"
"""The value of the option that means none of the alternatives; no trait has such an id."""


def draw_removal(view: ProfileView) -> ui.LayoutView:
    """Draw what goes with somebody, with the button that removes it."""
    item, head = view.profile, heading(view.profile, view.owner_id, view.fields)
    key, label = REMOVE.fill(campaign=view.campaign.id, subject=item.id, newest=view.revision), f"Remove {item.name}"
    button: ui.Button[ui.LayoutView] = ui.Button(
        label=shorten(label, MAX_BUTTON), style=discord.ButtonStyle.danger, custom_id=key
    )
    lines = removal_lines(head, item, view.status)
    return receipt(f"Remove {plain(item.name)}?", lines, COLOURS["neutral"], [button])


def draw(view: ProfileView, page: int = 0) -> ui.LayoutView:
    """Draw the card; with selects for whoever may change it."""
    item = view.profile
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    known = heading(item, view.owner_id, view.fields)
    head, *rest = profile_lines(known, view.members, list(by_group(view.traits, item.traits)))
    saved = [f"Saved: entry #{view.entry}"] if view.entry is not None else []
    lines = [f"## {plain(item.name)}", *saved, *within(ROOM, [head, *view.status, *rest])]
    lines += [plain(view.hint)] if view.hint is not None else []
    container.add_item(ui.TextDisplay("\n".join(lines)))
    for told in _who_sees(view, page):
        container.add_item(told)
    if view.editable:
        for row in _rows(view, page):
            container.add_item(row)
    return ui.LayoutView(timeout=None).add_item(container)


def _who_sees(view: ProfileView, page: int) -> Iterator[ui.Item[ui.LayoutView]]:
    """Yield who sees what the card is about, for game masters and whose it is; game masters change it beside that."""
    item, campaign = view.profile, view.campaign
    hidden = ["place"] if item.region is not None and PLACES not in campaign.players_may else []
    if LEVELS not in campaign.players_may:
        hidden += [field.label for name, field in view.fields.items() if field.closed and name in item.fields]
    if item.secret:
        text = "**Hidden from players**" if item.owner is None else "**Hidden from players**, except its owner"
    else:
        text = f"**Players see this**{f', except its {listing(hidden)}' if hidden else ''}"
    if view.leads and campaign.archived_at is None:
        key = {"campaign": campaign.id, "subject": item.id, "page": page, "newest": view.revision}
        label = "Show to players" if item.secret else "Hide from players"
        button: ui.Button[ui.LayoutView] = ui.Button(
            label=label, custom_id=SEEN.fill(**key, secret=int(not item.secret))
        )
        yield ui.Section(ui.TextDisplay(text), accessory=button)
    elif view.leads or view.owns:
        yield ui.TextDisplay(text)


def count_modal(view: ProfileView, page: int, chunk: int) -> ui.Modal:
    """Return the modal that asks for the numbers of traits; its id tells which numbers it showed."""
    asked = counted_traits(view.traits, view.profile.kind, chunk)
    shown = [str(view.profile.traits.get(item.id, 0)) for item in asked]
    key = COUNTED.fill(
        campaign=view.campaign.id, subject=view.profile.id, page=page, chunk=chunk, shown=",".join(shown)
    )
    form = ui.Modal(title=shorten(view.profile.name, MAX_TITLE), custom_id=key)
    for item, count in zip(asked, shown, strict=True):
        form.add_item(text_field(item.id, item.label, value=count, limit=6, needed=False))
    return form


def _rows(view: ProfileView, page: int) -> Iterator[ui.ActionRow[ui.LayoutView]]:
    every = pages(trait_lists(view.traits, view.profile.kind, view.profile.traits), view.profile.kind)
    page = min(page, len(every) - 1)
    for place, one in enumerate(every[page]):
        select = _select(view, page, one)
        select.id = (view.revision % 100_000 * len(every) + page + 1) * 100 + place  # so that no client shows old picks
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        yield row.add_item(select)
    buttons = list(_buttons(view, page, len(every)))
    if buttons:
        last: ui.ActionRow[ui.LayoutView] = ui.ActionRow(*buttons)
        yield last


def _buttons(view: ProfileView, page: int, count: int) -> Iterator[ui.Button[ui.LayoutView]]:
    for chunk in range(MAX_FORMS):
        if counted_traits(view.traits, view.profile.kind, chunk):
            key = COUNTS.fill(campaign=view.campaign.id, subject=view.profile.id, page=page, chunk=chunk)
            yield ui.Button(label=f"Enter numbers{f' {chunk + 1}' if chunk else ''}", custom_id=key)
    if count > 1:
        after = (page + 1) % count
        key = PAGE.fill(campaign=view.campaign.id, subject=view.profile.id, page=after)
        yield ui.Button(label="More traits" if after else "Back", custom_id=key)


def _select(view: ProfileView, page: int, of: TraitList) -> ui.Select[ui.LayoutView]:
    carried, title = view.profile.traits, of.title.replace("-", " ").capitalize()
    options = [
        discord.SelectOption(label=shorten(item.label, MAX_LABEL), value=item.id, default=item.id in carried)
        for item in of.members
    ]
    if of.single:
        nothing = not any(item.id in carried for item in of.members)
        label = shorten(f"{title}: none of these", MAX_LABEL)
        options.insert(0, discord.SelectOption(label=label, value=NONE, default=nothing))
    return ui.Select(
        custom_id=PICK.fill(campaign=view.campaign.id, subject=view.profile.id, page=page, key=of.key),
        placeholder=shorten(f"{title}: {'one of these' if of.single else 'tick what applies'}", MAX_LABEL),
        min_values=int(of.single),
        max_values=1 if of.single else len(options),
        options=options,
    )


@component(PICK)
async def pick(interaction: Interaction, *, campaign: int, subject: int, page: int, key: str) -> None:
    """Let somebody have what was picked in a select, and nothing else of it."""
    bot, chosen = interaction.client, set(picked(interaction)) - {NONE}
    view = await bot.database.write(service.pick, bot.kernel, person(interaction), campaign, subject, key, chosen)
    await redraw(interaction, draw(view, page))


@component(COUNTS)
async def ask_counts(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int) -> None:
    """Ask for the numbers of traits."""
    bot = interaction.client
    view = await bot.database.read(queries.look, bot.kernel, person(interaction), campaign, subject)
    if not counted_traits(view.traits, view.profile.kind, chunk):
        raise NotOpen(*STALE)
    await ask(interaction, count_modal(view, page, chunk))


@modal(COUNTED)
async def count(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int, shown: str) -> None:
    """Take the numbers in."""
    bot, form = interaction.client, CountForm(chunk, shown.split(","), submitted(interaction))
    view = await bot.database.write(service.count, bot.kernel, person(interaction), campaign, subject, form)
    await redraw(interaction, draw(view, page))


@component(PAGE)
async def turn_page(interaction: Interaction, *, campaign: int, subject: int, page: int) -> None:
    """Show more of the traits."""
    bot = interaction.client
    view = await bot.database.read(queries.look, bot.kernel, person(interaction), campaign, subject)
    await redraw(interaction, draw(view, page))


@component(SEEN)
async def choose_who_sees(
    interaction: Interaction, *, campaign: int, subject: int, page: int, secret: int, newest: int
) -> None:
    """Let players see it, or the staff alone."""
    bot, seen = interaction.client, (campaign, subject, newest)
    who = person(interaction)
    view = await bot.database.write(service.show_to_players, bot.kernel, who, *seen, secret=bool(secret))
    await redraw(interaction, draw(view, page))


@component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Remove somebody and say so."""
    bot = interaction.client
    asked = (person(interaction), campaign, subject, newest)
    item, entry, posts = await bot.database.write(service.remove, bot.kernel, *asked)
    buttons = [take_back_button(campaign, entry)]
    view = receipt(f"Removed: entry #{entry}", [removed_line(item)], buttons=buttons)
    await gather(send_linked(bot, posts), redraw(interaction, view))


COMPONENTS: tuple[Component, ...] = (pick, ask_counts, turn_page, choose_who_sees, remove)
MODALS: tuple[ModalForm, ...] = (count,)
