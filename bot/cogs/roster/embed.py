"""Units and characters in words, and entries about them."""

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import cast

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roster.validation import list_traits
from bot.core import entries, profiles, visibility
from bot.core.campaigns import Campaign, open_campaign
from bot.core.errors import NotOpen
from bot.core.ledger import Body, EntryKind, EntryView, Pages, View
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile, name_kind
from bot.core.subjects import Numbered, Subject, label_subjects
from bot.core.typos import warn_region
from bot.kernel import Feature
from bot.rolls.resolver import Resolver
from bot.ui.receipt import plain_pages
from bot.ui.text import COLOURS, DOT, fit_lines, plain, shorten
from rules.book import Trait
from rules.subjects import PROFILE, Fields, name_key, subject_number

ROOM = 3900  # characters; an embed has 4,096
ROOM_OF_TWO = 2850  # all embeds of a message have 6,000
NO_MATCH = "Nothing matches that. Game masters save units and characters with /roster add."
MAX_SENTENCE, MAX_MEMBERS, MAX_NAMES = 180, 602, 1200
LABELS: Mapping[str, str] = {"newtype": "newtype level"}
"""Labels of fields for entries made before these had them."""


class ProfileView(Struct, frozen=True):
    """A unit or character as a person sees it.

    `traits` and `fields` are the books', `status` is from features. `revision` is the campaign's newest entry, and
    `entry` the one that just changed this profile.
    """

    campaign: Campaign
    profile: Profile
    traits: Mapping[str, Trait]
    owner_id: int | None
    members: tuple[str, ...]
    editable: bool
    revision: int
    entry: int | None = None
    status: tuple[str, ...] = ()
    hint: str | None = None
    leads: bool = False
    owns: bool = False
    fields: Fields = {}


def show_profile(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, who: str | int) -> ProfileView:
    """Return a unit or character by name or number."""
    viewer = visibility.make_viewer(tx, person, campaign)
    visibility.require_part(viewer)
    every = profiles.list_profiles(tx, campaign.id)
    known = visibility.see_saved(tx, viewer, every, resolver.library.fields(tx, campaign))
    if isinstance(who, str):
        return view_profile(tx, resolver, viewer, visibility.find_known(viewer, known, who), every)
    item = next((item for item in known if item.id == who), None)
    if item is None:
        raise NotOpen("That was removed.", "See /unit.")
    return view_profile(tx, resolver, viewer, item, every)


def find_profile(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int) -> ProfileView:
    """Return a unit or character by number, for a person who may edit it."""
    campaign = open_campaign(tx, campaign_id, lock=False)
    return view_profile(tx, resolver, *visibility.find_editable(tx, person, campaign, number))


def list_profiles(
    tx: Connection, library: Library, person: Person, campaign: Campaign, kinds: Collection[str], side: str | None
) -> tuple[list[tuple[Profile, int | None]], Fields]:
    """Return known profiles, units first, each with the owner's user id (or None), and the books' fields."""
    viewer = visibility.make_viewer(tx, person, campaign)
    visibility.require_part(viewer)
    of_side = None if side is None else name_key(side)
    saved = (item for item in profiles.list_profiles(tx, campaign.id) if item.kind in kinds)
    saved = (item for item in saved if of_side in {None, name_key(item.side or "")})
    known = visibility.see_saved(tx, viewer, saved, fields := library.fields(tx, campaign))
    owners = entries.find_users(tx, campaign.id, {item.owner for item in known if item.owner})
    known.sort(key=lambda item: item.is_character)
    return [(item, owners.get(item.owner or "")) for item in known], fields


def view_profile(
    tx: Connection,
    resolver: Resolver,
    viewer: visibility.Viewer,
    item: Profile,
    every: Sequence[Profile],
    entry: int | None = None,
) -> ProfileView:
    """Return a profile as the viewer sees it; `every` (all saved ones) has its members, `entry` changed it."""
    campaign, library = viewer.campaign, resolver.library
    owners = entries.find_users(tx, campaign.id, {item.owner} if item.owner else ())
    members = [other.name for other in every if viewer.knows(other) and other.squad_id == item.id]
    fields = library.fields(tx, campaign)
    (seen,) = visibility.see_saved(tx, viewer, [item], fields)
    may_edit = viewer.may_edit(item) and campaign.archived_at is None
    hooks = [feature.status for feature in list_features(resolver) if feature.status is not None]
    return ProfileView(
        campaign,
        seen,
        list_traits(tx, library, campaign),
        owners.get(item.owner or ""),
        tuple(members),
        may_edit,
        entries.find_link(tx, campaign.id, campaign.uuid).number,
        entry,
        tuple(text for hook in hooks for text in hook(tx, library, viewer, item)),
        warn_region(library.list_books(tx, campaign), item.region) if may_edit else None,
        viewer.person.leads(campaign),
        viewer.owns(item),
        fields,
    )


def list_features(resolver: Resolver) -> Sequence[Feature]:
    """Return all features, of which rolls know only the hooks."""
    return cast("Sequence[Feature]", resolver.extension.features)


def with_squads(about: Sequence[Profile]) -> list[Numbered]:
    """Return profiles and, after them, the squads that they belong to."""
    squads = [
        Subject(item.squad_id, item.squad) for item in about if item.squad_id is not None and item.squad is not None
    ]
    return [*about, *squads]


def profile_heading(item: Profile, owner_id: int | None, fields: Fields) -> str:
    """Return short facts in a line."""
    words = [
        name_kind(item.kind),
        plain(item.side) if item.side else "no side",
        plain(item.region) if item.region else "",
        f"in {plain(item.squad)}" if item.squad else "",
        *(plain(kept.describe(item.fields[name])) for name, kept in fields.items() if name in item.fields),
        f"played by <@{owner_id}>" if owner_id else "",
        "**secret**" if item.secret else "",
    ]
    return DOT.join(filter(None, words))


def list_embeds(saved: Sequence[tuple[Profile, int | None]], fields: Fields) -> list[discord.Embed]:
    """List units, then characters, with their owners."""
    if not saved:
        return [discord.Embed(title="Units and characters (0)", description=NO_MATCH, colour=COLOURS["neutral"])]
    lines: dict[str, list[str]] = {}
    for name, (item, owner_id) in zip(label_subjects(item for item, _ in saved), saved, strict=True):
        line = f"\N{BULLET} **{plain(name)}**{DOT}{profile_heading(item, owner_id, fields)}"
        lines.setdefault("Characters" if item.is_character else "Units", []).append(line)
    embeds = [
        discord.Embed(
            title=f"{what} ({len(some)})",
            description="\n".join(fit_lines(ROOM if len(lines) == 1 else ROOM_OF_TWO, some)),
            colour=COLOURS["neutral"],
        )
        for what, some in lines.items()
    ]
    embeds[-1].set_footer(text="Filter with kind: and side:.")
    return embeds


def some_names(names: Sequence[str], room: int) -> str:
    """Return as many names as fit `room` characters, then how many more there are."""
    ends = accumulate(len(plain(name)) + 2 for name in names)
    shown = [plain(name) for name, end in zip(names, ends, strict=True) if end <= room]
    more = [f"and {len(names) - len(shown)} more"] if len(shown) < len(names) else []
    return ", ".join([*shown, *more])


def entry_lines(body: Body) -> list[str]:
    """Describe an entry in full."""
    match body["deed"]:
        case "add":
            return _describe_addition(body)
        case "edit":
            return _describe_edit(body)
        case "traits":
            counts = ((label, body["before"][label], count) for label, count in body["after"].items())
            return [f"{_subject(body)} changed", *(_trait(*count) for count in counts)]
        case "import":
            return _describe_import(body)
    return [f"{_subject(body)} removed"]


def _describe_import(body: Body) -> list[str]:
    names: dict[str, list[str]] = {"New": [], "Changed": []}
    for change in body["changes"]:
        if change["name"] == PROFILE:
            number = str(subject_number(change["subject"]))
            name = change["after"].get("name") or body["names"][number]  # of format 1, a profile has its name in it
            names["New" if change["before"] is None else "Changed"].append(str(name))
    head = f"Units and characters imported: {body['new']} new, {body['changed']} changed"
    return [head, *(f"{label}: {some_names(some, MAX_NAMES)}" for label, some in names.items() if some)]


def _subject(body: Body) -> str:
    kind = name_kind(body["kind"])
    return f"{kind[0].upper()}{kind[1:]} {plain(body['name'])}"


def _describe_addition(body: Body) -> list[str]:
    saved = next(change["after"] for change in body["changes"] if change["name"] == PROFILE)
    fields = {field: value for field, value in saved.items() if field not in {"name", "kind", "traits", "owner"}}
    fields["squad"] = body.get("names", {}).get(
        str(saved["squad"]), saved["squad"]
    )  # of format 1, it is a name already
    return [
        f"{_subject(body)} saved",
        *(
            f"{_field(body, field)}: {_value(value)}"
            for field, value in fields.items()
            if value is not None and value is not False
        ),
    ]


def _describe_edit(body: Body) -> list[str]:
    before, after = body["before"], body["after"]
    lines = [f"{_subject(body)} changed"]
    for field, value in after.items():
        if field == "owner":
            lines.append("owner: another player" if value else "owner: none")
        else:
            lines.append(f"{_field(body, field)}: {_value(before[field])} \N{RIGHTWARDS ARROW} {_value(value)}")
    return lines


def _trait(label: str, before: int, after: int) -> str:
    if {before, after} == {0, 1}:
        return f"{'with' if after else 'no longer'}: {plain(label)}"
    return f"{plain(label)}: {before} \N{RIGHTWARDS ARROW} {after}"


def _field(body: Body, field: str) -> str:
    return plain(body.get("labels", LABELS).get(field, field))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        value = ", ".join(value)
    return "none" if value is None else plain(str(value))


def _sentence(body: Body, _view: View) -> str:
    return shorten("; ".join(entry_lines(body)), MAX_SENTENCE)


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Units and characters", entry_lines(shown.entry.content()))


PROFILE_CHANGED = EntryKind(profiles.UNIT_ENTRY, "staff", _sentence, _pages)
