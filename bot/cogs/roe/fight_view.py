"""A fight as somebody looks at it: read from the state, as far as they may know of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from itertools import combinations
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, permissions, profiles, scenes, state, transactions
from bot.core.campaigns import Campaign, locate_campaign, require_on_server, require_open
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.scenes import Kind, Which
from bot.core.state import State
from bot.core.subjects import choose_named
from bot.core.visibility import Viewer, find_known, make_player_viewer, make_viewer, require_part
from bot.errors import NotAsItIs, unknown_name
from bot.ui.text import local
from rules.books.roe.fights import BY, COMING, FIGHT, HIDDEN, SEATED, SHIELDED, WANTED, Fight, FightHeader, known_to
from rules.books.roe.wounds import WOUNDED
from rules.ends import Moment, has_run_out
from rules.scenes import Names, Participant, Scene, sort_roster
from rules.subjects import PROFILE, subject_key, subject_number

BOOK = "roe"
PET = "pet"
"""The field of who has pets, and the mark of those in a fight."""
MOST = 25
"""How many can stand in one fight."""

_LOOKED_FOR = (PROFILE, HIDDEN, SEATED, SHIELDED, WOUNDED)


def _fight(values: Mapping[str, Any], _beside: Sequence[Mapping[str, Any]], names: Names) -> Fight:
    header = FightHeader.of(values[FIGHT])
    return Scene(header, sort_roster(header, [Participant.of(item, names) for item in values.values() if "id" in item]))


FIGHTS: Kind[Fight] = Kind(
    header=FightHeader,
    read=_fight,
    doing="running",
    begin="Begin one with /fight start.",
    look="See /fight show.",
    members="See /fight show for the fighters.",
    several="Use the command in that fight's channel.",
)


class FightView(Struct, frozen=True, dict=True):
    """A fight as it is now, who looks at it, and what is saved of the fighters, by number.

    `hidden` are those who hide (numbers), each with the fighters by whom they were seen. Of the one who has `vanished` in the
    turn of now all others still know until it ends, and see that one as before. `kept` is what else is asked for of fighters,
    as it is kept.
    """

    viewer: Viewer
    fight: Fight
    people: Mapping[int, Profile]
    hidden: Mapping[int, frozenset[int]] = field(default_factory=dict)
    vanished: Participant | None = None
    kept: State = field(default_factory=dict)

    @property
    def campaign(self) -> Campaign:
        """The campaign in which it is fought."""
        return self.viewer.campaign

    @property
    def leads(self) -> bool:
        """Whether a game master looks at it."""
        return self.viewer.leads

    @cached_property
    def shown(self) -> Fight:
        """The fight as far as the viewer may know of it: who is unknown to them isn't in it, and has no turn."""
        return self.fight if self.leads else self._as_seen(known_to(self.fight, self.known))

    @property
    def known(self) -> frozenset[int]:
        """The fighters (numbers) of whom the viewer may know."""
        return frozenset(filter(self._knows, self.people))

    @property
    def open(self) -> frozenset[int]:
        """The fighters (numbers) of whom everybody who plays may know."""
        vanished = {self.vanished.id} if self.vanished else set()
        return frozenset(number for number in self.seen | vanished if not self.people[number].secret)

    @property
    def seen(self) -> frozenset[int]:
        """The fighters (numbers) whom all see: neither secret nor hidden, even since this turn."""
        return frozenset(number for number, item in self.people.items() if not (item.secret or number in self.hidden))

    @property
    def voters(self) -> list[int]:
        """The fighters (numbers) whose players are asked to agree: those of whom everybody may know."""
        return [item.id for item in self.fight.roster if item.id in self.open]

    @property
    def votes(self) -> list[int]:
        """The fighters (numbers) for whom the viewer says yes or no: their own, and for game masters those whom nobody plays."""
        mine, leads = self.viewer.owns, self.leads
        return [number for number in self.voters if mine(item := self.people[number]) or (leads and item.owner is None)]

    @property
    def decides(self) -> bool:
        """Whether the viewer can let hold what is proposed, since all who are left have agreed: others were to, and are gone."""
        votes = self.fight.header.votes
        return votes is not None and {*self.voters} <= {*votes.yes} and (self.leads or bool(self.votes))

    @property
    def fights(self) -> bool:
        """Whether the viewer acts for a fighter of whom everybody may know."""
        return any(self.acts_for(number) for number in self.open)

    def acts_for(self, number: int) -> bool:
        """Return whether the viewer may act for a fighter: game masters for all, players for their own."""
        item = self.people.get(number)
        return self.leads or (item is not None and self.viewer.person.plays(self.campaign) and self.viewer.owns(item))

    def with_(self, *fighters: Profile) -> FightView:
        """Return it with further people who come in."""
        return replace(self, people={**self.people, **{item.id: item for item in fighters}})

    def _knows(self, number: int) -> bool:
        """Return whether the viewer may know of a fighter: of who hides, whoever sees that one."""
        here = self.vanished is not None and self.vanished.id == number
        return (here or self._sees(number)) and self.viewer.knows(self.people[number])

    def _sees(self, number: int) -> bool:
        """Return whether the viewer sees a fighter: who hides is seen by whoever plays that one, or one who has found out."""
        seeing = {number, *self.hidden.get(number, ())} & self.people.keys()
        return number not in self.hidden or any(self.viewer.owns(self.people[each]) for each in seeing)

    def _as_seen(self, fight: Fight) -> Fight:
        """Return a fight in which whoever has vanished is as before, to those who have not found out."""
        before = self.vanished
        if before is None or self._sees(before.id):
            return fight
        return Scene(fight.header, tuple(before if item.id == before.id else item for item in fight.roster))


def open_campaign_with_fights(tx: Connection, library: Library, person: Person, campaign_id: int) -> Viewer:
    """Return somebody who takes part in a campaign, whose row is locked, and can fight there, as its viewer."""
    viewer = view_campaign(tx, library, person, require_on_server(tx, person.guild_id, campaign_id, lock=True))
    require_open(viewer.campaign)
    return viewer


def view_campaign(tx: Connection, library: Library, person: Person, campaign: Campaign) -> Viewer:
    """Return somebody who takes part in a campaign as a viewer of its fights."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    library.require(campaign, BOOK)
    return viewer


def view_here(tx: Connection, library: Library, person: Person, channels: Sequence[int]) -> Viewer:
    """Return somebody as a viewer of fights in the campaign of a channel (ids, nearest first)."""
    return view_campaign(tx, library, person, locate_campaign(tx, person.guild_id, channels))


def view_meant(
    tx: Connection, library: Library, person: Person, campaign_id: int, which: Which, channels: Sequence[int] = ()
) -> FightView:
    """Return the fight that is meant for somebody who takes part in its campaign."""
    campaign = require_on_server(tx, person.guild_id, campaign_id)
    return find_fight(tx, view_campaign(tx, library, person, campaign), which, channels)


def view_as_maker(tx: Connection, campaign: Campaign, entry: Entry) -> Viewer:
    """Return whoever has made an entry as a viewer, with no more than players may know."""
    (user_id,) = entries.find_users(tx, campaign.id, [entry.actor]).values()
    roles = make_player_viewer(campaign).person.roles
    return make_viewer(tx, Person(user_id, campaign.guild_id, roles, manages_server=False), campaign)


def find_characters(tx: Connection, viewer: Viewer, names: Sequence[str]) -> list[Profile]:
    """Return the saved characters of these names, among those whom the viewer knows; refuses others with BadInput."""
    known = list_known(tx, viewer)
    return [find_known(viewer, known, "character", name) for name in names]


def list_known(tx: Connection, viewer: Viewer) -> list[Profile]:
    """Return all who are saved, as far as the viewer knows of them."""
    return [item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item)]


def mark_pet(item: Profile) -> dict[str, int]:
    """Return the mark of whoever comes into a fight with a pet, which has an Action and a movement in each turn (line 544)."""
    return {PET: 1} if item.fields.get(PET) else {}


def view_fight(tx: Connection, viewer: Viewer, fight: Fight) -> FightView:
    """Return a fight, as the state has it, as somebody looks at it."""
    key = (FightView, viewer.campaign.id, fight.header.subject)
    return replace(transactions.compute_once(tx, key, partial(_read_view, tx, viewer, fight)), viewer=viewer)


def _read_view(tx: Connection, viewer: Viewer, fight: Fight) -> FightView:
    keys = {subject_key(item.id): item for item in fight.roster}
    kept = state.get_values_named(tx, viewer.campaign.id, keys, _LOOKED_FOR)
    people = {
        keys[subject].id: Profile.of(keys[subject].id, keys[subject].name, value)
        for (subject, name), value in kept.items()
        if name == PROFILE
    }
    hides = _who_hides(fight, kept)
    since = {number: value["entry"] for number, value in hides.items()}
    now = (item for item in fight.roster if item.id == fight.now and since.get(item.id, 0) > fight.header.since)
    vanished = next((_fighter_before(tx, viewer.campaign, item, since[item.id]) for item in now), None)
    hidden = {number: frozenset(value.get(BY, ())) for number, value in hides.items()}
    return FightView(viewer, fight, people, hidden, vanished, kept)


def find_fight_of(tx: Connection, viewer: Viewer, number: int, kept: State | None = None) -> FightView | None:
    """Return the fight that somebody (number) is in, as the viewer may look at it; `kept` as `scenes.around` has it."""
    found = scenes.find_scene_of(tx, viewer.campaign.id, FIGHTS, number, kept)
    return None if found is None else view_fight(tx, viewer, found)


def _who_hides(fight: Fight, kept: State) -> dict[int, Mapping[str, Any]]:
    found = {subject_number(subject) or 0: value for (subject, name), value in kept.items() if name == HIDDEN}
    return {number: value for number, value in found.items() if value.get("scene") == fight.header.subject}


def _fighter_before(tx: Connection, campaign: Campaign, item: Participant, number: int) -> Participant:
    """Return a fighter as it was before an entry (number), by which it has vanished."""
    made = entries.get_entries_bare(tx, campaign.id, [number]).get(number)
    changes = made.content()["changes"] if made else ()
    values = (change["before"] for change in changes if change["name"] == item.key and change["before"])
    return next((Participant.of(value, {item.id: item.name}) for value in values), item)


def find_fight(tx: Connection, viewer: Viewer, which: Which, channels: Sequence[int] = ()) -> FightView:
    """Return the fight that is meant, as somebody looks at it: that of the channels where it was not said."""
    return view_fight(tx, viewer, scenes.find_scene(tx, viewer.campaign.id, FIGHTS, which, channels))


def find_fighter(seen: FightView, name: str) -> Participant:
    """Return the fighter of a name, among those whom the viewer may know; refuses others with BadInput."""
    shown = seen.shown
    found = choose_named(shown.roster, name)
    if found is None:
        what, known = f"{shown.name} has no fighter called {name[:60]!r}.", [item.name for item in shown.roster]
        raise unknown_name(what, name, known, FIGHTS.members)
    return found


def require_fit(tx: Connection, viewer: Viewer, fighters: Iterable[Profile], now: Moment) -> None:
    """Refuse players to bring characters of their own into a fight who are Wounded still (line 168)."""
    own = {item.key: item for item in fighters if viewer.owns(item)}
    if viewer.leads or not own:
        return
    for (key, _), value in state.get_values_named(tx, viewer.campaign.id, own.keys(), {WOUNDED}).items():
        if not has_run_out(value, now):
            at = value.get("at")
            until = f"Until {local(datetime.fromisoformat(at), viewer.campaign.timezone)}. " if at else ""
            what = f"{own[key].name} is Wounded and can't fight."
            raise NotAsItIs(what, f"{until}See /roe wounds, or ask a game master.")


def find_downed(seen: FightView, now: Moment) -> frozenset[int]:
    """Return the fighters (numbers) who are Wounded."""
    wounds = ((item.id, seen.kept.get((subject_key(item.id), WOUNDED))) for item in seen.fight.roster)
    return frozenset(number for number, value in wounds if value and not has_run_out(value, now))


def is_one_side_left(tx: Connection, seen: FightView, down: Collection[int]) -> bool:
    """Return whether all who still stand are of one side, others are down, and no help is on its way.

    Secret fighters and groups don't count, as everybody would see by them that the fight goes on.
    """
    known = [item for item in seen.people.values() if not item.secret]
    if not any(item.id in down for item in known) or _is_help_coming(tx, seen.campaign.id, seen.fight):
        return False
    joined = [{*group.members} for group in permissions.list_groups(tx, seen.campaign.id) if not group.secret]
    left = [item for item in known if item.id not in down]
    return _are_allied(left, joined) and not _are_allied(known, joined)


def _are_allied(fighters: list[Profile], joined: list[set[int]]) -> bool:
    """Return whether each two of these are played by the same player, or are in one group."""
    return all(
        (one.owner is not None and one.owner == other.owner) or any({one.id, other.id} <= group for group in joined)
        for one, other in combinations(fighters, 2)
    )


def _is_help_coming(tx: Connection, campaign_id: int, fight: Fight) -> bool:
    marks = [mark for item in fight.roster for mark in item.marks if mark.startswith((COMING, WANTED))]
    called = {int(mark.rpartition(".")[2]) for mark in marks}
    return any(not item.secret for item in profiles.read_profiles(tx, campaign_id, called).values())
