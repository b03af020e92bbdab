"""The card of a unit or character, and its traits."""

import re
from asyncio import gather
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Final

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roster import embed, service
from bot.cogs.roster.embed import ProfileView, profile_heading, profile_lines, removal_lines, view_profile
from bot.cogs.roster.service import save_change
from bot.cogs.roster.validation import list_traits, require_sound
from bot.core.campaigns import LEVELS, PLACES, open_campaign
from bot.core.errors import BadInput, NotOpen
from bot.core.permissions import Person
from bot.core.profiles import Profile, find_bearer
from bot.core.records import Change
from bot.core.visibility import Viewer, find_editable
from bot.kernel import Kernel
from bot.rolls.entries import take_back_button
from bot.rolls.pending.messages import send_linked
from bot.ui import reply
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, fit_lines, join_words, plain, shorten
from rules.book import Trait
from rules.subjects import PROFILE

MAX_OPTIONS = 24  # Discord takes one more, which means none
MAX_FIRST, MAX_LATER = 4, 14
"""Lists on the first page, which fits a phone's screen, and on later ones: each takes two of 40 components."""

MAX_FIELDS = 5
BUILT = frozenset({"base type", "buildings"})
CELLBLOCKS = frozenset({"enlarged-cellblock", "no-cellblock", "damaged-cellblock"})
"""Buildings that ships can have too."""

BASES, SHIPS = frozenset({"base", "outpost"}), frozenset({"ship", "fleet"})


class TraitList(Struct, frozen=True):
    """Traits in one select; with `single`, they are alternatives of which one can be picked."""

    key: str
    title: str
    members: tuple[Trait, ...]
    single: bool


def fits(item: Trait, kind: str) -> bool:
    """Return whether a trait suits a kind."""
    at_home = item.group not in BUILT or kind in BASES or (kind in SHIPS and item.id in CELLBLOCKS)
    return find_bearer(kind) in item.on and at_home


def trait_lists(traits: Mapping[str, Trait], kind: str, carried: Container[str] = ()) -> list[TraitList]:
    """List traits without numbers that fit or are carried, split for selects."""
    groups: dict[tuple[str, bool], list[Trait]] = {}
    for item in traits.values():
        if (fits(item, kind) or (item.id in carried and find_bearer(kind) in item.on)) and not item.counted:
            groups.setdefault((item.one_of or item.group, bool(item.one_of)), []).append(item)
    return [
        TraitList(
            f"{'=' if single else ''}{name[:40]}/{start}", name, tuple(members[start : start + MAX_OPTIONS]), single
        )
        for (name, single), members in groups.items()
        for start in range(0, len(members), MAX_OPTIONS)
    ]


def pages(lists: Sequence[TraitList], kind: str) -> list[Sequence[TraitList]]:
    """Split lists into pages; a base's buildings come first."""
    ranked = sorted(lists, key=lambda one: not (kind in BASES and one.title in BUILT))
    later = ranked[MAX_FIRST:]
    behind = (later[start : start + MAX_LATER] for start in range(0, len(later), MAX_LATER))
    return [ranked[:MAX_FIRST], *behind]


def _list_counted_traits(traits: Mapping[str, Trait], kind: str, chunk: int) -> Sequence[Trait]:
    every = [item for item in traits.values() if find_bearer(kind) in item.on and item.counted]
    return every[chunk * MAX_FIELDS : (chunk + 1) * MAX_FIELDS]


def _group_traits(traits: Mapping[str, Trait], carried: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    known = [(item.group, item.label, carried[item.id]) for item in traits.values() if item.id in carried]
    known += [("no longer in the books", trait, count) for trait, count in carried.items() if trait not in traits]
    for group, label, count in known:
        groups.setdefault(group, []).append(f"{label} \N{MULTIPLICATION SIGN} {count}" if count > 1 else label)
    yield from groups.items()


def after_pick(
    carried: Mapping[str, int], traits: Mapping[str, Trait], of: TraitList, chosen: Collection[str]
) -> dict[str, int]:
    """Return carried traits (count by id) after a pick; alternatives of the pick go."""
    sets = {item.one_of for item in of.members if item.id in chosen and item.one_of}
    rivals = {item.id for item in traits.values() if item.one_of in sets}
    kept = {trait: count for trait, count in carried.items() if trait not in rivals | {item.id for item in of.members}}
    return kept | {item.id: 1 for item in of.members if item.id in chosen}


def pick_traits(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, number: int, key: str, chosen: Collection[str]
) -> ProfileView:
    """Set which traits of a list (`key`) a profile has, and return its new card."""
    card = _open_card(tx, kernel, person, campaign_id, number)
    lists = trait_lists(card.traits, card.profile.kind, {*card.profile.traits, *chosen})
    wanted = next((item for item in lists if item.key == key), None)
    names = {member.id for member in wanted.members} if wanted else set()
    if wanted is None or not names.issuperset(chosen) or (wanted.single and len(chosen) > 1):
        raise NotOpen("The books have changed since you opened that.", "Open it again with its show command.")
    return _set_traits(tx, kernel, card, after_pick(card.profile.traits, card.traits, wanted, chosen))


class CountForm(Struct, frozen=True):
    """A sent window with trait numbers: as shown before and as typed, of page `chunk`."""

    chunk: int
    shown: Sequence[str]
    typed: Mapping[str, str]


def count_traits(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, number: int, form: CountForm
) -> ProfileView:
    """Set typed trait numbers, where 0 removes a trait; those left as shown stay."""
    card = _open_card(tx, kernel, person, campaign_id, number)
    asked = zip(_list_counted_traits(card.traits, card.profile.kind, form.chunk), form.shown, strict=False)
    typed = {item.id: (_read_count(form.typed[item.id], item), was) for item, was in asked if item.id in form.typed}
    counts = {trait: number for trait, (number, was) in typed.items() if str(number) != was}
    after = {trait: count for trait, count in {**card.profile.traits, **counts}.items() if count}
    changed = {trait: after[trait] for trait in counts if trait in after}
    require_sound(replace(card.profile, squad=None, traits=changed), card.traits, {}, {})
    return _set_traits(tx, kernel, card, after)


class _Card(Struct, frozen=True):
    """A card whose traits change."""

    viewer: Viewer
    profile: Profile
    every: Sequence[Profile]
    traits: Mapping[str, Trait]


def _open_card(tx: Connection, kernel: Kernel, person: Person, campaign_id: int, number: int) -> _Card:
    campaign = open_campaign(tx, campaign_id)
    return _Card(*find_editable(tx, person, campaign, number), list_traits(tx, kernel.library, campaign))


def _set_traits(tx: Connection, kernel: Kernel, card: _Card, traits: Mapping[str, int]) -> ProfileView:
    before, after = card.profile, replace(card.profile, traits=traits)
    if after.traits == before.traits:
        return view_profile(tx, kernel, card.viewer, before, card.every)
    labels = {
        trait: card.traits[trait].label if trait in card.traits else trait
        for trait in dict.fromkeys((*before.traits, *traits))
        if before.traits.get(trait) != traits.get(trait)
    }
    body = {
        "deed": "traits",
        "name": before.name,
        "kind": before.kind,
        "before": {label: before.traits.get(trait, 0) for trait, label in labels.items()},
        "after": {label: traits.get(trait, 0) for trait, label in labels.items()},
    }
    change = Change(before.key, PROFILE, before.value(), after.value())
    return save_change(tx, kernel, card.viewer, body, before, [change])


def _read_count(typed: str, item: Trait) -> int:
    cleaned = typed.strip() or "0"
    if not re.fullmatch(r"[0-9]{1,6}", cleaned):
        raise BadInput(f"{typed!r} isn't a number.", f"Type how many {item.label!r} it has, or 0.")
    return int(cleaned)


_CARD: Final = "traits:{campaign:int}:{subject:int}:{page:int}:"
PICK = reply.IdTemplate(_CARD + "pick:{key:rest}")
COUNTS, COUNTED = (
    reply.IdTemplate(_CARD + "counts:{chunk:int}"),
    reply.IdTemplate(_CARD + "counted:{chunk:int}:{shown:word}"),
)
PAGE = reply.IdTemplate(_CARD + "page")
SEEN = reply.IdTemplate(_CARD + "seen:{secret:int}:{newest:int}")
REMOVE = reply.IdTemplate("remove:{campaign:int}:{subject:int}:{newest:int}")
"""`secret` is 0 to show it to players; `newest` is the newest entry that was seen."""

MAX_FORMS = 4
MAX_TITLE = 45
MAX_LABEL, MAX_BUTTON = 100, 80
ROOM = 3600
NONE = "-"  # no trait has this id


def draw_removal(view: ProfileView) -> ui.LayoutView:
    """Draw what a removal takes, with the button."""
    item, head = view.profile, profile_heading(view.profile, view.owner_id, view.fields)
    key, label = REMOVE.fill(campaign=view.campaign.id, subject=item.id, newest=view.revision), f"Remove {item.name}"
    button: ui.Button[ui.LayoutView] = ui.Button(
        label=shorten(label, MAX_BUTTON), style=discord.ButtonStyle.danger, custom_id=key
    )
    lines = removal_lines(head, item, view.status)
    return receipt(f"Remove {plain(item.name)}?", lines, COLOURS["neutral"], [button])


def draw(view: ProfileView, page: int = 0) -> ui.LayoutView:
    """Draw the card, with selects for editors."""
    profile = view.profile
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    known = profile_heading(profile, view.owner_id, view.fields)
    head, *rest = profile_lines(known, view.members, list(_group_traits(view.traits, profile.traits)))
    saved = [f"Saved: entry #{view.entry}"] if view.entry is not None else []
    lines = [f"## {plain(profile.name)}", *saved, *fit_lines(ROOM, [head, *view.status, *rest])]
    lines += [plain(view.hint)] if view.hint is not None else []
    container.add_item(ui.TextDisplay("\n".join(lines)))
    for item in (*_who_sees(view, page), *(_list_rows(view, page) if view.editable else ())):
        container.add_item(item)
    return ui.LayoutView(timeout=None).add_item(container)


def _who_sees(view: ProfileView, page: int) -> Iterator[ui.Item[ui.LayoutView]]:
    item, campaign = view.profile, view.campaign
    hidden = ["place"] if item.region is not None and PLACES not in campaign.players_may else []
    if LEVELS not in campaign.players_may:
        hidden += [field.label for name, field in view.fields.items() if field.closed and name in item.fields]
    if item.secret:
        text = "**Hidden from players**" if item.owner is None else "**Hidden from players**, except its owner"
    else:
        text = f"**Players see this**{f', except its {join_words(hidden)}' if hidden else ''}"
    if view.leads and campaign.archived_at is None:
        key = {"campaign": campaign.id, "subject": item.id, "page": page, "newest": view.revision}
        label = "Show to players" if item.secret else "Hide from players"
        button: ui.Button[ui.LayoutView] = ui.Button(
            label=label, custom_id=SEEN.fill(**key, secret=int(not item.secret))
        )
        yield ui.Section(ui.TextDisplay(text), accessory=button)
    elif view.leads or view.owns:
        yield ui.TextDisplay(text)


def _count_modal(view: ProfileView, page: int, chunk: int) -> ui.Modal:
    asked = _list_counted_traits(view.traits, view.profile.kind, chunk)
    shown = [str(view.profile.traits.get(item.id, 0)) for item in asked]
    key = COUNTED.fill(
        campaign=view.campaign.id, subject=view.profile.id, page=page, chunk=chunk, shown=",".join(shown)
    )
    form = ui.Modal(title=shorten(view.profile.name, MAX_TITLE), custom_id=key)
    for item, count in zip(asked, shown, strict=True):
        form.add_item(reply.text_field(item.id, item.label, value=count, limit=6, needed=False))
    return form


def _list_rows(view: ProfileView, page: int) -> Iterator[ui.ActionRow[ui.LayoutView]]:
    every = pages(trait_lists(view.traits, view.profile.kind, view.profile.traits), view.profile.kind)
    page = min(page, len(every) - 1)
    for place, one in enumerate(every[page]):
        select = _select(view, page, one)
        select.id = (view.revision % 100_000 * len(every) + page + 1) * 100 + place  # so that no client shows old picks
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        yield row.add_item(select)
    buttons = list(_list_buttons(view, page, len(every)))
    if buttons:
        last: ui.ActionRow[ui.LayoutView] = ui.ActionRow(*buttons)
        yield last


def _list_buttons(view: ProfileView, page: int, count: int) -> Iterator[ui.Button[ui.LayoutView]]:
    for chunk in range(MAX_FORMS):
        if _list_counted_traits(view.traits, view.profile.kind, chunk):
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


@reply.component(PICK)
async def pick(interaction: Interaction, *, campaign: int, subject: int, page: int, key: str) -> None:
    """Set which traits of a select it has."""
    bot, chosen = interaction.client, set(reply.read_picked(interaction)) - {NONE}
    view = await bot.database.write(pick_traits, bot.kernel, reply.person(interaction), campaign, subject, key, chosen)
    await reply.redraw(interaction, draw(view, page))


@reply.component(COUNTS)
async def ask_counts(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int) -> None:
    """Ask for trait numbers."""
    bot = interaction.client
    view = await bot.database.read(embed.find_profile, bot.kernel, reply.person(interaction), campaign, subject)
    if not _list_counted_traits(view.traits, view.profile.kind, chunk):
        raise NotOpen(*reply.STALE)
    await reply.ask(interaction, _count_modal(view, page, chunk))


@reply.modal(COUNTED)
async def count(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int, shown: str) -> None:
    """Set the typed trait numbers."""
    bot, form = interaction.client, CountForm(chunk, shown.split(","), reply.read_submitted(interaction))
    view = await bot.database.write(count_traits, bot.kernel, reply.person(interaction), campaign, subject, form)
    await reply.redraw(interaction, draw(view, page))


@reply.component(PAGE)
async def turn_page(interaction: Interaction, *, campaign: int, subject: int, page: int) -> None:
    """Show another page of the card's traits."""
    bot = interaction.client
    view = await bot.database.read(embed.find_profile, bot.kernel, reply.person(interaction), campaign, subject)
    await reply.redraw(interaction, draw(view, page))


@reply.component(SEEN)
async def choose_who_sees(
    interaction: Interaction, *, campaign: int, subject: int, page: int, secret: int, newest: int
) -> None:
    """Show the profile to players, or hide it."""
    bot, seen = interaction.client, (campaign, subject, newest)
    who = reply.person(interaction)
    view = await bot.database.write(service.show_to_players, bot.kernel, who, *seen, secret=bool(secret))
    await reply.redraw(interaction, draw(view, page))


@reply.component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Remove the profile, and answer with a receipt."""
    bot = interaction.client
    asked = (reply.person(interaction), campaign, subject, newest)
    item, entry, posts = await bot.database.write(service.remove, bot.kernel, *asked)
    buttons = [take_back_button(campaign, entry)]
    gone = f"{plain(item.name)} and its effects are removed. If you save it again, its earlier rolls still count."
    view = receipt(f"Removed: entry #{entry}", [gone], buttons=buttons)
    await gather(send_linked(bot, posts), reply.redraw(interaction, view))


COMPONENTS: tuple[reply.Component, ...] = (pick, ask_counts, turn_page, choose_who_sees, remove)
MODALS: tuple[reply.ModalForm, ...] = (count,)
