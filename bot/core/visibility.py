"""Visibility of saved units and characters: who may know of which, and who may change them.

What is saved is open or secret. Game masters know all of it. Players know what is open, and of what is secret their own and
the groups that they are in. All that is shown, suggested or refused asks a `Viewer`, so that for players a secret unit reads
like one that doesn't exist: no list, error or warning tells the two apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, permissions, profiles, subjects
from bot.core.campaigns import CHARACTERS, Campaign
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import UNKNOWN
from bot.core.subjects import Subject, Subjects, choose_named, find_twins, label_subject
from bot.errors import BadInput, NotAllowed, NotOpen
from rules.book import Book
from rules.errors import nearest
from rules.subjects import name_key

MAX_SUGGESTED = 25
MAX_NAMED = 10


class Viewer(Struct, frozen=True):
    """Somebody who looks at what a campaign has saved; `mine` is a player's pseudonym, `groups` are theirs (numbers)."""

    person: Person
    campaign: Campaign
    mine: str | None
    groups: frozenset[int] = frozenset()

    @property
    def leads(self) -> bool:
        """Whether the person is a game master of the campaign."""
        return self.person.leads(self.campaign)

    def knows(self, item: Profile | Subject) -> bool:
        """Return whether the person may know of it: game masters of all, players of what is not secret, is their own or is a group of theirs."""
        if self.leads:
            return True
        return self.person.plays(self.campaign) and (not item.secret or self.owns(item) or item.id in self.groups)

    def named(self, item: Subject, otherwise: str = UNKNOWN) -> str:
        """Return what a subject is called for the person; `otherwise` where the person may not know of it."""
        return item.name if not item.secret or self.knows(item) else otherwise

    def owns(self, item: Profile | Subject) -> bool:
        """Return whether it is the person's own."""
        return self.mine is not None and item.owner == self.mine

    def may_edit(self, item: Profile) -> bool:
        """Return whether the person may change it: game masters all, players their own characters where that is open to them."""
        if self.leads:
            return True
        opened = CHARACTERS in self.campaign.players_may and self.person.plays(self.campaign)
        return opened and item.is_character and self.owns(item)


def make_viewer(tx: Connection, person: Person, campaign: Campaign) -> Viewer:
    """Return a person as a viewer of what a campaign has saved."""
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    if person.leads(campaign) or not person.plays(campaign):
        return Viewer(person, campaign, mine)
    return Viewer(person, campaign, mine, permissions.find_memberships(tx, campaign.id, person.roles, mine))


def make_player_viewer(campaign: Campaign, mine: str | None = None) -> Viewer:
    """Return somebody who plays, with this pseudonym; without one, somebody who knows what everybody who plays knows."""
    role = campaign.player_role_id
    person = Person(0, campaign.guild_id, frozenset() if role is None else frozenset({role}), manages_server=False)
    return Viewer(person, campaign, mine)


def subjects_for(tx: Connection, viewer: Viewer) -> Subjects:
    """Return the subjects that names mean when the person types them, in a write transaction."""
    return Subjects(tx, viewer.campaign.id, knows=viewer.knows)


def require_part(viewer: Viewer) -> None:
    """Refuse those who take no part in the campaign."""
    if not viewer.person.takes_part(viewer.campaign):
        raise NotAllowed(f"You don't play in {viewer.campaign.name}.", "Ask a game master for the player role.")


def require_editor(viewer: Viewer, item: Profile) -> None:
    """Refuse to change what is not the person's to change."""
    if viewer.may_edit(item):
        return
    if viewer.owns(item) and item.is_character:
        raise NotAllowed(
            f"Only game masters of {viewer.campaign.name} edit characters.",
            "Ask a game master, or ask one to let players edit characters.",
        )
    raise NotAllowed(f"You can't edit {item.name}.", "Ask a game master.")


def list_played(tx: Connection, viewer: Viewer) -> list[Profile]:
    """Return for whom the person may act: game masters for all who are saved, players for their own and the units of these."""
    every = profiles.list_profiles(tx, viewer.campaign.id)
    if viewer.person.leads(viewer.campaign):
        return every
    squads = {item.squad_id for item in every if viewer.owns(item)}
    return [item for item in every if viewer.owns(item) or (item.id in squads and viewer.knows(item))]


def list_others(tx: Connection, viewer: Viewer, items: Iterable[Profile | Subject]) -> list[Profile | Subject]:
    """Return those saved ones of these for whom the person may not act. Whom they don't know is nobody's."""
    leads = viewer.person.leads(viewer.campaign)
    others = [] if leads else [item for item in items if not viewer.owns(item) and viewer.knows(item)]
    others = [item for item in others if item.id not in viewer.groups and getattr(item, "saved", True)]
    played = {item.id for item in list_played(tx, viewer)} if others else set()
    return [item for item in others if item.id not in played]


def require_acting(tx: Connection, viewer: Viewer, *items: Profile | Subject) -> None:
    """Refuse to act for those whom somebody else plays."""
    for item in list_others(tx, viewer, items):
        raise refuse_acting(tx, viewer, item)


def refuse_acting(tx: Connection, viewer: Viewer, item: Profile | Subject) -> NotAllowed:
    """Return the refusal to act for somebody whom the person knows and doesn't play: it says who does, and whom the person plays."""
    owners = entries.find_users(tx, viewer.campaign.id, {item.owner} if item.owner else ())
    who = next(
        (f"<@{user}> plays" for user in owners.values()),
        "another player plays" if item.owner else "the game masters play",
    )
    own = [other.name for other in list_played(tx, viewer)][:MAX_NAMED]
    do = f"You can act for: {', '.join(own)}." if own else "A game master can make you the owner of a character."
    return NotAllowed(f"{item.name} isn't yours: {who} them.", do)


def find_known(viewer: Viewer, known: Sequence[Profile], who: str, name: str) -> Profile:
    """Return the unit or character (`who`) of a name, among those that the person knows."""
    require_part(viewer)
    alike = [other for other in known if other.is_character == (who == "character")]
    item = choose_named(alike, name) or choose_named(known, name)
    if item is None:
        close = nearest(name, [other.name for other in alike])
        hint = f"Did you mean {close}?" if close else f"See /{who} list."
        raise BadInput(f"I don't know the {who} {name[:60]!r}.", hint)
    if item not in alike:
        other = "character" if item.is_character else "unit"
        raise BadInput(f"{item.name} is a {other}.", f"Use /{other} for it.")
    return item


def find_editable(
    tx: Connection, person: Person, campaign: Campaign, number: int
) -> tuple[Viewer, Profile, list[Profile]]:
    """Return the viewer, the unit or character of a number that the person may change, and all that is saved."""
    viewer = make_viewer(tx, person, campaign)
    saved = profiles.list_profiles(tx, campaign.id)
    item = next((item for item in saved if item.id == number and viewer.knows(item)), None)
    if item is None:
        require_part(viewer)
        raise NotOpen("That was removed.", "See /unit list and /character list.")
    require_editor(viewer, item)
    return viewer, item, saved


def require_own(tx: Connection, campaign: Campaign, person: Person, names: Sequence[str]) -> None:
    """Refuse players what is not their own; game masters may use everybody. Reveals nothing of other people's characters."""
    if person.leads(campaign):
        return
    viewer = make_viewer(tx, person, campaign)
    cast = subjects.find_meant(tx, campaign.id, names, viewer.knows)
    for name in names:
        item = cast.get(name_key(name))
        if item is not None and item.saved and person.plays(campaign) and not viewer.owns(item):
            raise refuse_acting(tx, viewer, item)
        if item is None or not viewer.owns(item) or not person.plays(campaign):
            mine = [own.name for own in profiles.list_profiles(tx, campaign.id) if viewer.owns(own)]
            close = nearest(name, mine) if person.plays(campaign) else None
            ask = "Only game masters can do this for others' characters; ask one of them."
            raise NotAllowed(f"You don't have a character called {name}.", f"Did you mean {close}?" if close else ask)


def find_saved(tx: Connection, person: Person, campaign: Campaign, who: str, name: str) -> Profile:
    """Return the saved unit or character (`who`) of a name."""
    viewer = make_viewer(tx, person, campaign)
    known = [item for item in profiles.list_profiles(tx, campaign.id) if viewer.knows(item)]
    return find_known(viewer, known, who, name)


def list_suggested(tx: Connection, viewer: Viewer, wanted: str = "") -> list[Profile]:
    """Return the saved whom the person knows and whose names hold what is wanted, in the order in which they are offered.

    To game masters the one used last comes first. What was used last may be secret, so to players their own come first,
    then the others by name.
    """
    known = [item for item in profiles.list_by_use(tx, viewer.campaign.id, wanted) if viewer.knows(item)]
    if viewer.person.leads(viewer.campaign):
        return known
    return sorted(known, key=lambda item: (not viewer.owns(item), name_key(item.name), item.id))


def list_known_sides(tx: Connection, viewer: Viewer) -> list[str]:
    """Return the sides of all saved ones that the person knows, by name."""
    return sorted(
        {item.side for item in profiles.list_profiles(tx, viewer.campaign.id) if item.side and viewer.knows(item)}
    )


def suggest_names(  # noqa: PLR0913, PLR0917 - whose, where, and which
    tx: Connection,
    person: Person,
    campaign: Campaign,
    wanted: str,
    takes: Callable[[Viewer, Profile], bool],
    fits: Callable[[str], bool],
    first: Collection[str] = (),
) -> list[str]:
    """Return saved names that hold what is wanted, fit, are known to the person and are what the option `takes`: 25 at most, see `suggested`.

    Those of the kinds that are most likely meant come `first`. Where several of one name are known, each comes with its number.
    """
    viewer = make_viewer(tx, person, campaign)
    known = list_suggested(tx, viewer, wanted)
    known.sort(key=lambda item: item.kind not in first)
    several = find_twins(known)
    names = (label_subject(item) if item.id in several else item.name for item in known if takes(viewer, item))
    return list(islice(filter(fits, names), MAX_SUGGESTED))


def warn_unsaved(tx: Connection, viewer: Viewer, *names: str) -> tuple[str, ...]:
    """Return a line for each name that is neither saved nor the side of anybody saved, as far as the person may know."""
    saved = [item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item)]
    known = {name_key(name): name for item in saved for name in (item.name, item.side) if name}
    unsaved_names = {name_key(name): name for name in names if name_key(name) not in known}
    return tuple(
        _with_guess(f"{name} isn't saved, so its traits don't count.", name, known.values())
        for name in unsaved_names.values()
    )


def warn_region(books: Iterable[Book], region: str | None) -> str | None:
    """Return a line about a region that has no weather in any of these books; None when it has, or none is named."""
    places = {name: place for book in books for name, (_, place) in book.places.items()}
    if region is None or not places or name_key(region) in places:
        return None
    return _with_guess(
        f"There's no weather for the region {region}.", region, {place.label for place in places.values()}
    )


def _with_guess(warning: str, name: str, known: Iterable[str]) -> str:
    close = nearest(name, sorted(known))
    return f"{warning} Did you mean {close}?" if close else warning
