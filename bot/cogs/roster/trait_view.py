"""The card of a unit or character, and its traits."""

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Final

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.actions import Action, Answer, Outcome, Work
from bot.cogs.roster import embed, validation
from bot.core import campaigns, permissions, profiles, records, visibility
from bot.core.errors import BadInput, NotOpen
from bot.core.profiles import Profile, name_kind
from bot.rolls.entries import EFFECTS
from bot.ui import reply
from bot.ui.parsing import MAX_NAME
from bot.ui.receipt import page_buttons, receipt
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, Layout, fit_lines, join_words, plain, shorten
from rules.book import Trait
from rules.subjects import PROFILE, find_bearer

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


def _list_counted_traits(traits: Mapping[str, Trait], kind: str, chunk: int) -> Sequence[Trait]:
    every = [item for item in traits.values() if find_bearer(kind) in item.on and item.counted]
    return every[chunk * MAX_FIELDS : (chunk + 1) * MAX_FIELDS]


def _group_traits(traits: Mapping[str, Trait], carried: Mapping[str, int]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    known = [(item.group, item.label, carried[item.id]) for item in traits.values() if item.id in carried]
    known += [("no longer in the books", trait, count) for trait, count in carried.items() if trait not in traits]
    for group, label, count in known:
        groups.setdefault(group, []).append(f"{label} \N{MULTIPLICATION SIGN} {count}" if count > 1 else label)
    return groups


def after_pick(
    carried: Mapping[str, int], traits: Mapping[str, Trait], of: TraitList, chosen: Collection[str]
) -> dict[str, int]:
    """Return carried traits (count by id) after a pick; alternatives of the pick go."""
    sets = {item.one_of for item in of.members if item.id in chosen and item.one_of}
    rivals = {item.id for item in traits.values() if item.one_of in sets}
    kept = {trait: count for trait, count in carried.items() if trait not in rivals | {item.id for item in of.members}}
    return kept | {item.id: 1 for item in of.members if item.id in chosen}


_CARD: Final = "traits:{campaign:int}:{subject:int}:{page:int}:"
PICK = IdTemplate(_CARD + "pick:{key:rest}")
COUNTS, COUNTED = IdTemplate(_CARD + "counts:{chunk:int}"), IdTemplate(_CARD + "counted:{chunk:int}:{shown:word}")
PAGE = IdTemplate(_CARD + "page")
EDIT, EDITED = IdTemplate(_CARD + "edit"), IdTemplate(_CARD + "edited:{newest:int}")
SEEN = IdTemplate(_CARD + "seen:{secret:int}:{newest:int}")
ASK_REMOVAL = IdTemplate("remove:{campaign:int}:{subject:int}:ask")
REMOVE = IdTemplate("remove:{campaign:int}:{subject:int}:{newest:int}")
"""`secret` is 0 to show it to players; `newest` is the newest entry that was seen."""

MAX_FORMS = 4
MAX_TITLE = 45
MAX_FIELDS_TEXT = 2000
EDITABLE = frozenset({"name", "side", "region", "squad", "owner", validation.FIELDS})
MAX_LABEL, MAX_BUTTON = 100, 80
ROOM = 3600
NONE = "-"  # no trait has this id


def draw_removal(view: embed.ProfileView) -> ui.LayoutView:
    """Draw what a removal takes, with the button."""
    item, head = view.profile, embed.profile_heading(view.profile, view.owner_id, view.fields)
    key, label = REMOVE.fill(campaign=view.campaign.id, subject=item.id, newest=view.revision), f"Remove {item.name}"
    button: ui.Button[ui.LayoutView] = ui.Button(
        label=shorten(label, MAX_BUTTON), style=discord.ButtonStyle.danger, custom_id=key
    )
    count = len(item.traits)
    taken = [f"the {name_kind(item.kind)}", *[f"{count} trait{'' if count == 1 else 's'}"] * bool(count), "its effects"]
    stays = "Its rolls stay in the ledger. You can undo this."
    lines = [f"-# {head}", f"This removes {join_words(taken)}.", *view.status, stays]
    keep = PAGE.fill(campaign=view.campaign.id, subject=item.id, page=0)
    buttons = [button, *page_buttons(("Keep it", keep))]
    return receipt(f"Remove {plain(item.name)}?", lines, COLOURS["neutral"], buttons)


def draw(view: embed.ProfileView, page: int = 0) -> ui.LayoutView:
    """Draw the card, with selects for editors."""
    profile = view.profile
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    about = [f"-# {embed.profile_heading(profile, view.owner_id, view.fields)}", *view.status]
    about += [f"**Members:** {embed.some_names(view.members, embed.MAX_MEMBERS)}"] if view.members else []
    traits = _group_traits(view.traits, profile.traits).items()
    about += [f"**{plain(group.capitalize())}:** {', '.join(map(plain, labels))}" for group, labels in traits]
    about += [] if traits else ["No traits yet."]
    saved = [f"Saved: entry #{view.entry}"] if view.entry is not None else []
    lines = [f"## {plain(profile.name)}", *saved, *fit_lines(ROOM, about)]
    lines += [plain(view.hint)] if view.hint is not None else []
    container.add_item(ui.TextDisplay("\n".join(lines)))
    for item in (*_who_sees(view, page), *(_list_rows(view, page) if view.editable else ())):
        container.add_item(item)
    if view.editable and page == 0:
        container.add_item(ui.ActionRow(*_list_changes(view)))
    return Layout(container)


def _who_sees(view: embed.ProfileView, page: int) -> Iterator[ui.Item[ui.LayoutView]]:
    item, campaign = view.profile, view.campaign
    hidden = ["place"] if item.region is not None and campaigns.PLACES not in campaign.players_may else []
    if campaigns.LEVELS not in campaign.players_may:
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


def _list_changes(view: embed.ProfileView) -> list[ui.Button[ui.LayoutView]]:
    key = {"campaign": view.campaign.id, "subject": view.profile.id}
    staff = [("Effects", EFFECTS.fill(**key)), ("Remove", ASK_REMOVAL.fill(**key))] if view.leads else []
    return page_buttons(("Edit", EDIT.fill(**key, page=0)), *staff)


def edit_modal(view: embed.ProfileView, page: int) -> ui.Modal:
    """Return the window of `/roster edit`; players change less."""
    item = view.profile
    key = EDITED.fill(campaign=view.campaign.id, subject=item.id, page=page, newest=view.revision)
    form = ui.Modal(title=shorten(item.name, MAX_TITLE), custom_id=key)
    where = "squad" if item.is_character else "region"
    for name in ("name", "side", where) if view.leads else (where,):
        value = getattr(item, name)
        form.add_item(reply.text_field(name, name.capitalize(), value=value, limit=MAX_NAME, needed=name == "name"))
    if view.leads:
        now = [discord.Object(view.owner_id)] if view.owner_id else []
        owner: ui.UserSelect[ui.Modal] = ui.UserSelect(custom_id="owner", default_values=now, required=False)
        form.add_item(ui.Label(text="Player", component=owner))
    hint = "callsign: Owl; newtype: 7. none clears one"
    return form.add_item(
        reply.text_field(
            validation.FIELDS, "Values from the books to change", placeholder=hint, limit=MAX_FIELDS_TEXT, needed=False
        )
    )


def count_modal(view: embed.ProfileView, page: int, chunk: int) -> ui.Modal:
    """Return the window that asks for trait numbers, or refuse if there are none."""
    asked = _list_counted_traits(view.traits, view.profile.kind, chunk)
    if not asked:
        raise NotOpen(*reply.STALE)
    shown = [str(view.profile.traits.get(item.id, 0)) for item in asked]
    key = COUNTED.fill(
        campaign=view.campaign.id, subject=view.profile.id, page=page, chunk=chunk, shown=",".join(shown)
    )
    form = ui.Modal(title=shorten(view.profile.name, MAX_TITLE), custom_id=key)
    for item, count in zip(asked, shown, strict=True):
        form.add_item(reply.text_field(item.id, item.label, value=count, limit=6, needed=False))
    return form


def _list_rows(view: embed.ProfileView, page: int) -> Iterator[ui.ActionRow[ui.LayoutView]]:
    lists = trait_lists(view.traits, kind := view.profile.kind, view.profile.traits)
    ranked = sorted(lists, key=lambda one: not (kind in BASES and one.title in BUILT))  # a base's buildings first
    later = range(MAX_FIRST, len(ranked), MAX_LATER)
    every = [ranked[:MAX_FIRST], *(ranked[start : start + MAX_LATER] for start in later)]
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


def _list_buttons(view: embed.ProfileView, page: int, count: int) -> Iterator[ui.Button[ui.LayoutView]]:
    for chunk in range(MAX_FORMS):
        if _list_counted_traits(view.traits, view.profile.kind, chunk):
            key = COUNTS.fill(campaign=view.campaign.id, subject=view.profile.id, page=page, chunk=chunk)
            yield ui.Button(label=f"Enter numbers{f' {chunk + 1}' if chunk else ''}", custom_id=key)
    if count > 1:
        after = (page + 1) % count
        key = PAGE.fill(campaign=view.campaign.id, subject=view.profile.id, page=after)
        yield ui.Button(label="More traits" if after else "Back", custom_id=key)


def _select(view: embed.ProfileView, page: int, of: TraitList) -> ui.Select[ui.LayoutView]:
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


class ProfileAction(Action):
    """A change of a unit or character; the answer is its card, on the `page` where it was pressed."""

    kind = "unit"

    def answer(self, work: Work, entry: records.Entry, outcome: Outcome) -> Answer:
        """Return the card; the profile is now the one used last."""
        every = profiles.list_profiles(work.tx, work.campaign.id)
        after = next(item for item in every if item.id == outcome.subjects[0].id)
        profiles.note_use(work.tx, work.campaign.id, [after.key], entry.number)
        number = entry.number if permissions.may_maker_read(work.person, work.campaign, entry) else None
        return self.show(work, after, every, number)

    def show(self, work: Work, item: Profile, every: Sequence[Profile], entry: int | None = None) -> Answer:
        """Return a profile's card."""
        view = embed.view_profile(work.tx, work.resolver, work.viewer, item, every, entry)
        return Answer(view=draw(view, getattr(self, "page", 0)))


class SetTraits(ProfileAction):
    """Set traits of a profile (number)."""

    number: int
    page: int

    verb = "traits"

    def apply(self, work: Work) -> Outcome | Answer:
        """Refuse traits that don't fit; say nothing if they stay."""
        _, before, every = visibility.find_editable(work.tx, work.person, work.campaign, self.number)
        known = validation.list_traits(work.tx, work.library, work.campaign)
        after = replace(before, traits=self.pick(before, known))
        if after.traits == before.traits:
            return self.show(work, before, every)
        labels = {
            trait: known[trait].label if trait in known else trait
            for trait in dict.fromkeys((*before.traits, *after.traits))
            if before.traits.get(trait) != after.traits.get(trait)
        }
        body = {
            "name": before.name,
            "kind": before.kind,
            "before": {label: before.traits.get(trait, 0) for trait, label in labels.items()},
            "after": {label: after.traits.get(trait, 0) for trait, label in labels.items()},
        }
        change = records.Change(before.key, PROFILE, before.value(), after.value())
        return Outcome(body, [change], embed.with_squads([before]))

    def pick(self, item: Profile, known: Mapping[str, Trait]) -> dict[str, int]:
        """Return its new traits (count by id)."""
        raise NotImplementedError


class PickTraits(SetTraits):
    """Set which traits of a list (`key`) it has."""

    key: str
    chosen: Collection[str]

    def pick(self, item: Profile, known: Mapping[str, Trait]) -> dict[str, int]:
        """Refuse a list that isn't there any more."""
        lists = trait_lists(known, item.kind, {*item.traits, *self.chosen})
        wanted = next((one for one in lists if one.key == self.key), None)
        names = {member.id for member in wanted.members} if wanted else set()
        if wanted is None or not names.issuperset(self.chosen) or (wanted.single and len(self.chosen) > 1):
            raise NotOpen("The books have changed since you opened that.", "Open it again with /unit.")
        return after_pick(item.traits, known, wanted, self.chosen)


class CountTraits(SetTraits):
    """Set numbers of traits as `typed` in window `chunk`; those left as `shown` stay, and 0 removes a trait."""

    chunk: int
    shown: Sequence[str]
    typed: Mapping[str, str]

    def pick(self, item: Profile, known: Mapping[str, Trait]) -> dict[str, int]:
        """Refuse what isn't a number, and too large ones."""
        asked = zip(_list_counted_traits(known, item.kind, self.chunk), self.shown, strict=False)
        typed = {one.id: (_read_count(self.typed[one.id], one), was) for one, was in asked if one.id in self.typed}
        counts = {trait: number for trait, (number, was) in typed.items() if str(number) != was}
        after = {trait: count for trait, count in {**item.traits, **counts}.items() if count}
        changed = {trait: after[trait] for trait in counts if trait in after}
        validation.require_sound(replace(item, squad=None, traits=changed), known, {}, {})
        return after


def _read_count(typed: str, item: Trait) -> int:
    cleaned = typed.strip() or "0"
    if not re.fullmatch(r"[0-9]{1,6}", cleaned):
        raise BadInput(f"{typed!r} isn't a number.", f"Type how many {item.label!r} it has, or 0.")
    return int(cleaned)
