"""Saved units and characters as somebody may see them: one of them, and lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roster.validation import known_traits
from bot.core import entries, knowledge, profiles
from bot.core.campaigns import Campaign, open_campaign
from bot.core.library import Library
from bot.core.name_warnings import strange_region
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.visibility import Viewer, editable, find_known, require_part, viewer_of
from bot.kernel import Kernel
from rules.book import Trait
from rules.fields import Fields
from rules.subjects import name_key


class ProfileView(Struct, frozen=True):
    """A saved unit or character as somebody may see it.

    `traits` and `fields` are those of the campaign's books, `members` the names of who belongs to it, `revision` the number of the
    ledger's newest entry, `entry` the one that has just changed it, `status` what features tell of it, `hint` what may be
    a slip. `leads` and `owns` say who looks: a game master, or whose it is.
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


def show(tx: Connection, kernel: Kernel, person: Person, campaign: Campaign, who: str, name: str) -> ProfileView:
    """Return one saved "unit" or "character" (`who`)."""
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    every = profiles.everyone(tx, campaign.id)
    known = knowledge.profiles(tx, viewer, every, kernel.library.fields(tx, campaign))
    return view_profile(tx, kernel, viewer, find_known(viewer, known, who, name), every)


def look(tx: Connection, kernel: Kernel, person: Person, campaign_id: int, number: int) -> ProfileView:
    """Return a saved unit or character by its number, for whoever may change it."""
    campaign = open_campaign(tx, campaign_id, lock=False)
    return view_profile(tx, kernel, *editable(tx, person, campaign, number))


def list_profiles(
    tx: Connection, library: Library, person: Person, campaign: Campaign, kinds: Collection[str], side: str | None
) -> tuple[list[tuple[Profile, int | None]], Fields]:
    """Return the saved units or characters of these kinds that the person knows of, by name, with their owners' user ids.

    With them come the fields of the campaign's books.
    """
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    of_side = None if side is None else name_key(side)
    saved = (item for item in profiles.everyone(tx, campaign.id) if item.kind in kinds)
    saved = (item for item in saved if of_side in {None, name_key(item.side or "")})
    known = knowledge.profiles(tx, viewer, saved, fields := library.fields(tx, campaign))
    owners = entries.people(tx, campaign.id, {item.owner for item in known if item.owner})
    return [(item, owners.get(item.owner or "")) for item in known], fields


def view_profile(
    tx: Connection, kernel: Kernel, viewer: Viewer, item: Profile, every: Sequence[Profile]
) -> ProfileView:
    """Return a saved unit or character as somebody may see it; `every` is all that is saved."""
    campaign = viewer.campaign
    owners = entries.people(tx, campaign.id, {item.owner} if item.owner else ())
    members = [other.name for other in every if viewer.knows(other) and other.squad_id == item.id]
    fields = kernel.library.fields(tx, campaign)
    (seen,) = knowledge.profiles(tx, viewer, [item], fields)
    may_edit = viewer.may_edit(item) and campaign.archived_at is None
    books = kernel.library.played(tx, campaign)
    hooks = [feature.status for feature in kernel.features if feature.status is not None]
    return ProfileView(
        campaign,
        seen,
        known_traits(tx, kernel.library, campaign),
        owners.get(item.owner or ""),
        tuple(members),
        may_edit,
        entries.newest(tx, campaign.id, campaign.uuid).number,
        status=tuple(text for hook in hooks for text in hook(tx, kernel.library, viewer, item)),
        hint=strange_region(books, item.region) if may_edit else None,
        leads=viewer.person.leads(campaign),
        owns=viewer.owns(item),
        fields=fields,
    )
