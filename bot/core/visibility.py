"""Who may know and change saved units and characters, and which values each person may know.

Game masters know all. Players know what isn't secret, their own, and their groups. For them a secret unit reads like one that
doesn't exist. Players know a value if they may read the entry that set it; otherwise the value from before.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, permissions, profiles, state, subjects
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotAllowed, NotOpen
from bot.core.profiles import Profile
from bot.core.records import UNKNOWN, Entry, Json
from bot.core.subjects import Subject
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import EFFECT, ROLLED
from rules.errors import nearest
from rules.subjects import PROFILE, ROLLED_FROM, Fields, name_key, names_of, number_of, subject_number

MAX_SUGGESTED, MAX_NAMED = 25, 10


class Viewer(Struct, frozen=True):
    """A reader of a campaign: person, pseudonym, groups (numbers)."""

    person: permissions.Person
    campaign: Campaign
    mine: str | None
    groups: frozenset[int] = frozenset()

    @property
    def leads(self) -> bool:
        """Whether the person is a game master."""
        return self.person.leads(self.campaign)

    def knows(self, item: Profile | Subject) -> bool:
        """Return whether the person may know a subject."""
        open_to_all = not item.secret or self.owns(item) or item.id in self.groups
        return self.leads or (self.person.plays(self.campaign) and open_to_all)

    def name_of(self, item: Subject, otherwise: str = UNKNOWN) -> str:
        """Return a known subject's name, or `otherwise`."""
        return item.name if not item.secret or self.knows(item) else otherwise

    def owns(self, item: Profile | Subject) -> bool:
        """Return whether the subject is the person's own."""
        return self.mine is not None and item.owner == self.mine

    def may_edit(self, item: Profile) -> bool:
        """Return whether the person may change a profile: game masters all, players their characters if allowed."""
        opened = campaigns.CHARACTERS in self.campaign.players_may and self.person.plays(self.campaign)
        return self.leads or (opened and item.is_character and self.owns(item))


def make_viewer(tx: Connection, person: permissions.Person, campaign: Campaign) -> Viewer:
    """Return a person as a viewer."""
    mine = campaigns.find_pseudonym(tx, campaign.id, person.user_id)
    if person.leads(campaign) or not person.plays(campaign):
        return Viewer(person, campaign, mine)
    return Viewer(person, campaign, mine, permissions.find_memberships(tx, campaign.id, person.roles, mine))


def make_player_viewer(campaign: Campaign, mine: str | None = None) -> Viewer:
    """Return a viewer with the player role and the pseudonym `mine`; without it they own nothing."""
    roles = frozenset(filter(None, [campaign.player_role_id]))
    person = permissions.Person(0, campaign.guild_id, roles, manages_server=False)
    return Viewer(person, campaign, mine)


class Visitor(permissions.Person, frozen=True):
    """Anyone on the web, in no group."""

    def leads(self, campaign: Campaign) -> bool:  # noqa: ARG002
        """Return False."""
        return False

    def plays(self, campaign: Campaign) -> bool:  # noqa: ARG002
        """Return True."""
        return True


class PublicViewer(Viewer, frozen=True, kw_only=True):
    """Knows subjects that aren't secret and that public results name (`shows`)."""

    shows: Callable[[int], bool]

    def knows(self, item: Profile | Subject) -> bool:
        """Return whether the web may name a subject."""
        return not item.secret and self.shows(item.id)

    def name_of(self, item: Subject, otherwise: str = UNKNOWN) -> str:
        """Return a known subject's name, or `otherwise`."""
        return item.name if self.knows(item) else otherwise


def make_public_viewer(campaign: Campaign, shows: Callable[[int], bool]) -> PublicViewer:
    """Return the viewer of pages on the web."""
    visitor = Visitor(-1, campaign.guild_id, frozenset(), manages_server=False)
    return PublicViewer(visitor, replace(campaign, players_may=()), None, shows=shows)


def subjects_for(tx: Connection, viewer: Viewer) -> subjects.Subjects:
    """Return subjects to find or make by typed names, limited to what the viewer may know."""
    return subjects.Subjects(tx, viewer.campaign.id, knows=viewer.knows)


def require_part(viewer: Viewer) -> None:
    """Refuse people who don't take part in the campaign."""
    if not viewer.person.takes_part(viewer.campaign):
        raise NotAllowed(f"You don't play in {viewer.campaign.name}.", "Ask a game master for the player role.")


def require_editor(viewer: Viewer, item: Profile) -> None:
    """Refuse to change what isn't the person's."""
    if viewer.may_edit(item):
        return
    if viewer.owns(item) and item.is_character:
        what = f"Only game masters of {viewer.campaign.name} edit characters."
        raise NotAllowed(what, "Ask a game master, or ask one to let players edit characters.")
    raise NotAllowed(f"You can't edit {item.name}.", "Ask a game master.")


def list_played(tx: Connection, viewer: Viewer) -> list[Profile]:
    """Return profiles the person may act for: game masters all, players their own and known squads of these."""
    every = profiles.list_profiles(tx, viewer.campaign.id)
    if viewer.leads:
        return every
    squads = {item.squad_id for item in every if viewer.owns(item)}
    return [item for item in every if viewer.owns(item) or (item.id in squads and viewer.knows(item))]


def list_others(tx: Connection, viewer: Viewer, items: Iterable[Profile | Subject]) -> list[Profile | Subject]:
    """Return known saved subjects the person can't act for."""
    others = [] if viewer.leads else [item for item in items if not viewer.owns(item) and viewer.knows(item)]
    others = [item for item in others if item.id not in viewer.groups and getattr(item, "saved", True)]
    played = {item.id for item in list_played(tx, viewer)} if others else set()
    return [item for item in others if item.id not in played]


def require_acting(tx: Connection, viewer: Viewer, *items: Profile | Subject) -> None:
    """Refuse to act for someone else's subjects."""
    for item in list_others(tx, viewer, items):
        raise refuse_acting(tx, viewer, item)


def refuse_acting(tx: Connection, viewer: Viewer, item: Profile | Subject) -> NotAllowed:
    """Return a refusal that names both players' subjects."""
    owners = entries.find_users(tx, viewer.campaign.id, {item.owner} if item.owner else ())
    otherwise = "another player plays" if item.owner else "the game masters play"
    who = next((f"<@{user}> plays" for user in owners.values()), otherwise)
    own = [other.name for other in list_played(tx, viewer)][:MAX_NAMED]
    do = f"You can act for: {', '.join(own)}." if own else "A game master can make you the owner of a character."
    return NotAllowed(f"{item.name} isn't yours: {who} them.", do)


def find_known(viewer: Viewer, known: Sequence[Profile], name: str, *, of_characters: bool = False) -> Profile:
    """Find a known profile by name."""
    require_part(viewer)
    alike = [other for other in known if other.is_character or not of_characters]
    item = subjects.choose_named(alike, name) or subjects.choose_named(known, name)
    if item is None:
        close = nearest(name, [other.name for other in alike])
        hint = f"Did you mean {close}?" if close else "See /unit."
        what = "the character" if of_characters else "a unit or character called"
        raise BadInput(f"I don't know {what} {name[:60]!r}.", hint)
    if item not in alike:
        raise BadInput(f"{item.name} is a unit.", "Name a character.")
    return item


def find_editable(
    tx: Connection, person: permissions.Person, campaign: Campaign, number: int
) -> tuple[Viewer, Profile, list[Profile]]:
    """Return the viewer, the profile to edit, and all profiles."""
    viewer = make_viewer(tx, person, campaign)
    saved = profiles.list_profiles(tx, campaign.id)
    item = next((item for item in saved if item.id == number and viewer.knows(item)), None)
    if item is None:
        require_part(viewer)
        raise NotOpen("That was removed.", "See /unit.")
    require_editor(viewer, item)
    return viewer, item, saved


def require_own(tx: Connection, campaign: Campaign, person: permissions.Person, names: Sequence[str]) -> None:
    """Refuse players names of others' characters, without revealing secret ones."""
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


def find_saved(
    tx: Connection, person: permissions.Person, campaign: Campaign, name: str, *, of_characters: bool = False
) -> Profile:
    """Return the known unit or character of this name, or raise BadInput."""
    viewer, saved = make_viewer(tx, person, campaign), profiles.list_profiles(tx, campaign.id)
    return find_known(viewer, [*filter(viewer.knows, saved)], name, of_characters=of_characters)


def list_suggested(tx: Connection, viewer: Viewer, wanted: str = "") -> list[Profile]:
    """Return matching profiles; players get theirs first, since use may reveal secrets."""
    known = [item for item in profiles.list_by_use(tx, viewer.campaign.id, wanted) if viewer.knows(item)]
    if viewer.leads:
        return known
    return sorted(known, key=lambda item: (not viewer.owns(item), name_key(item.name), item.id))


def list_known_sides(tx: Connection, viewer: Viewer) -> list[str]:
    """Return the sides of known profiles by name."""
    known = (item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item))
    return sorted({item.side for item in known if item.side})


def suggest_names(  # noqa: PLR0913, PLR0917 - whose, where, and which
    tx: Connection,
    person: permissions.Person,
    campaign: Campaign,
    wanted: str,
    takes: Callable[[Viewer, Profile], bool],
    fits: Callable[[str], bool],
    first: Collection[str] = (),
) -> list[str]:
    """Return up to 25 fitting names, likely kinds `first`."""
    viewer = make_viewer(tx, person, campaign)
    known = list_suggested(tx, viewer, wanted)
    known.sort(key=lambda item: item.kind not in first)
    several = subjects.find_twins(known)
    names = (subjects.label_subject(item) if item.id in several else item.name for item in known if takes(viewer, item))
    return list(islice(filter(fits, names), MAX_SUGGESTED))


MAX_PRIVATE = 8
"""Private entries followed back in a row; beyond that, the player knows no value."""


def see_saved(tx: Connection, viewer: Viewer, items: Iterable[Profile], fields: Fields) -> list[Profile]:
    """Return known profiles, reduced to what the person may know.

    Unknown squads and private rolls are removed. Others' places and closed `fields` need the campaign's permission.
    """
    if viewer.leads:
        return list(items)
    known = [item for item in items if viewer.knows(item)]
    squad_ids = {item.squad_id for item in known if item.squad_id is not None}
    squads = profiles.read_profiles(tx, viewer.campaign.id, squad_ids)
    secret = {number for number, squad in squads.items() if not viewer.knows(squad)}
    closed = {item.id for item in known if not viewer.owns(item)}
    private = find_private_fields(tx, viewer, known)
    levels = (
        ()
        if campaigns.LEVELS in viewer.campaign.players_may
        else [name for name, item in fields.items() if item.closed]
    )
    for item in (item for item in known if item.id in closed):
        private[item.id] |= {name for name in levels if name + ROLLED_FROM not in item.fields}
    if campaigns.PLACES not in viewer.campaign.players_may:
        known = [replace(item, region=None) if item.id in closed else item for item in known]
    known = [replace(item, squad=None, squad_id=None) if item.squad_id in secret else item for item in known]
    return [item.with_fields(dict.fromkeys(private[item.id])) if private[item.id] else item for item in known]


def find_private_fields(tx: Connection, viewer: Viewer, items: Collection[Profile]) -> dict[int, set[str]]:
    """Return fields from rolls the person can't read, by number."""
    rolled = {item.id: [name for name in item.fields if name.endswith(ROLLED_FROM)] for item in items}
    if not any(rolled.values()):
        return {item.id: set() for item in items}
    seen_by = _ReadEntries(tx, viewer, {})
    hidden = {item.id: [name for name in rolled[item.id] if not seen_by.shows(item.fields[name])] for item in items}
    return {number: {name.removesuffix(ROLLED_FROM) for name in names} for number, names in hidden.items()}


def see_values(tx: Connection, viewer: Viewer, kept: state.State) -> state.State:
    """Return the values that the person may know.

    They know theirs and their captives. Of others they know what entries showed them and what they rolled; a private entry
    leaves the value from before it, up to `MAX_PRIVATE` in a row.
    """
    if not kept or viewer.leads:
        return kept
    numbers = {number for subject, _ in kept if (number := subject_number(subject)) is not None}
    bearers = subjects.get_subjects(tx, viewer.campaign.id, numbers)
    seen_by = _ReadEntries(tx, viewer, {number: bearer.name for number, bearer in bearers.items()})
    holder = Captor(tx, viewer)
    known, others = state.State(), state.State()
    for (subject, name), value in kept.items():
        bearer = bearers.get(subject_number(subject) or 0)
        if bearer is None or viewer.knows(bearer):
            own = bearer is not None and viewer.owns(bearer) and not name.startswith(ROLLED)
            (known if own or (name == CAPTIVE and holder.holds(value)) else others)[subject, name] = value
    seen_by.read(value["entry"] for value in others.values())
    seen = {(subject, name): seen_by.value(subject, name, value) for (subject, name), value in others.items()}
    known |= {key: value for key, value in seen.items() if value is not None}
    return {key: known[key] for key in kept if key in known}


class Captor:
    """A player who plays the captor, its side or the place."""

    def __init__(self, tx: Connection, viewer: Viewer) -> None:
        self._tx, self._viewer = tx, viewer

    def holds(self, captivity: Mapping[str, Json]) -> bool:
        """Return whether the player has this captive."""
        numbers, sides = self._own
        if not numbers.isdisjoint({captivity["by"], captivity["at"]}):
            return True
        captor = subjects.get_subjects(self._tx, self._viewer.campaign.id, [captivity["by"]]).get(captivity["by"])
        return captor is not None and name_key(captor.name) in sides

    @cached_property
    def _own(self) -> tuple[frozenset[int], frozenset[str]]:
        viewer = self._viewer
        played = list_played(self._tx, viewer) if viewer.person.plays(viewer.campaign) else []
        sides = frozenset(name_key(item.side) for item in played if item.side and viewer.owns(item))
        return viewer.groups.union(item.id for item in played), sides


def see_state(tx: Connection, viewer: Viewer, kept: state.State, fields: Fields) -> state.State:
    """Return what a player may know of these values."""
    set_by = {key: value for key, value in kept.items() if isinstance(value, dict) and "entry" in value}
    numbers = [number_of(subject) for subject, name in kept if name == PROFILE]
    seen = see_saved(tx, viewer, profiles.read_profiles(tx, viewer.campaign.id, numbers).values(), fields)
    return see_values(tx, viewer, set_by) | {(item.key, PROFILE): item.value() for item in seen}


def shows_value(tx: Connection, viewer: Viewer, entry: Entry, who: Subject, name: str) -> bool:
    """Return whether an entry shows a subject's value."""
    return _ReadEntries(tx, viewer, {who.id: who.name}).shows_value(entry, who.id, name)


class _ReadEntries:
    """Entries read once each; `names` are current."""

    def __init__(self, tx: Connection, viewer: Viewer, names: Mapping[int, str]) -> None:
        self._tx, self._campaign, self._mine, self._names = tx, viewer.campaign, viewer.mine, names
        self._allowed = permissions.audience_filter(tx, viewer.person, viewer.campaign, viewer.mine)
        self._read: dict[int, Entry | None] = {}

    def read(self, numbers: Iterable[int]) -> None:
        wanted = {number for number in numbers if number not in self._read}
        self._read |= dict.fromkeys(wanted) | entries.get_entries_bare(self._tx, self._campaign.id, wanted)

    def value(self, subject: str, name: str, value: Json) -> Json:
        """Return a value as the person last saw it."""
        for _ in range(MAX_PRIVATE):
            entry = None if value is None else self._entry(value["entry"])
            if entry is None:
                return None
            if self.shows_value(entry, subject_number(subject), name):
                return value
            changes = entry.content()["changes"]
            mine = (item["before"] for item in changes if (item["subject"], item["name"]) == (subject, name))
            value = next(mine, None)
        return None

    def shows(self, number: int) -> bool:
        entry = self._entry(number)
        return entry is not None and self._allowed.shows(entry) and not _has_secret(entry)

    def _entry(self, number: int) -> Entry | None:
        self.read([number])
        return self._read[number]

    def shows_value(self, entry: Entry, subject: int | None, name: str) -> bool:
        """Of a mixed entry, only public parts show values, and no scene's."""
        if entry.kind == "effect" or (name.startswith(ROLLED) and entry.actor == self._mine):
            return True
        if not name.startswith((EFFECT, ROLLED)) and _has_secret(entry):
            return False
        if entry.audience != "mixed":
            return entry.audience in self._allowed.audiences
        if subject is None:
            return False
        called = name_key(entry.names().get(subject, self._names[subject]))
        parts = [part for part in entry.content()["parts"] if part["audience"] == "results"]
        if name.startswith(EFFECT):
            return any(item["to"] and name_key(item["to"]) == called for part in parts for item in part["consequences"])
        there = (other for part in parts for some in part["subjects"].values() for other in names_of(some))
        return any(name_key(other) == called for other in there)


def _has_secret(entry: Entry) -> bool:
    # If something secret counted, others see only the outcome.
    return entry.kind == "roll" and any("hides" in part for part in entry.content()["parts"])
