"""A fight as one person may see it, read from the state, and the answers it waits for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from itertools import combinations
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, permissions, profiles, scenes, state, subjects, transactions
from bot.core.campaigns import Campaign, locate_campaign, require_on_server, require_open
from bot.core.errors import NotAsItIs, unknown_name
from bot.core.library import Library
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.visibility import Viewer, find_known, make_player_viewer, make_viewer, require_part
from bot.rolls.pending import store
from bot.rolls.request import RollRequest
from bot.ui.text import to_local
from rules.books.roe.catalog import ACTOR
from rules.books.roe.fights import (
    BY,
    COMING,
    FIGHT,
    HIDDEN,
    SEATED,
    SHIELDED,
    TURN_NOTES,
    WANTED,
    Fight,
    FightHeader,
    narrow_to_known,
)
from rules.books.roe.wounds import WOUNDED
from rules.effects import Moment, has_run_out
from rules.scenes import MEMBER, Names, Participant, Scene, Slot, sort_roster
from rules.subjects import PROFILE, subject_key

BOOK = "roe"
ATTACK, BLAST, EXPLODE, THROW_BACK = "turn.attack", "turn.blast", "turn.explode", "turn.throw-back"
"""The acts that attack, set off explosives, let a grenade explode, and throw one back."""
PET = "pet"
"""The field of who has pets, and the mark of those in a fight."""
MOST = 25

_LOOKED_FOR = (PROFILE, HIDDEN, SEATED, SHIELDED, WOUNDED)


def _fight(values: Mapping[str, Any], _beside: Sequence[Mapping[str, Any]], names: Names) -> Fight:
    header = FightHeader.of(values[FIGHT])
    return Scene(header, sort_roster(header, [Participant.of(item, names) for item in values.values() if "id" in item]))


FIGHTS: scenes.Kind[Fight] = scenes.Kind(
    header=FightHeader,
    read=_fight,
    doing="running",
    begin="Begin one with /fight start.",
    look="See /fight show.",
    members="See /fight show for the fighters.",
    several="Use the command in that fight's channel.",
)


class FightView(Struct, frozen=True, dict=True):
    """A fight now, who looks at it, and the saved fighters by number.

    Three things hide a fighter: players don't know a secret one; a hidden one is seen by their player and by fighters who found
    them (in `hidden`); and one who `vanished` this turn is still seen, unchanged, by all others until the turn ends. `kept` are
    other values about fighters.
    """

    viewer: Viewer
    fight: Fight
    people: Mapping[int, Profile]
    hidden: Mapping[int, frozenset[int]] = field(default_factory=dict)
    vanished: Participant | None = None
    kept: state.State = field(default_factory=dict)

    @property
    def campaign(self) -> Campaign:
        """The fight's campaign."""
        return self.viewer.campaign

    @property
    def leads(self) -> bool:
        """Whether the viewer is a game master."""
        return self.viewer.leads

    @cached_property
    def visible_fight(self) -> Fight:
        """The fight without fighters the viewer may not know; they have no turn in it."""
        return self.fight if self.leads else self._as_seen(narrow_to_known(self.fight, self.visible_fighters))

    @property
    def on_turn(self) -> Participant | None:
        """The fighter whose turn the viewer sees."""
        return self.visible_fight.combatant(self.visible_fight.now) if isinstance(self.visible_fight.now, int) else None

    @property
    def public_fight(self) -> Fight:
        """The fight as every player sees it."""
        return narrow_to_known(self.fight, self.public)

    @property
    def visible_fighters(self) -> frozenset[int]:
        """The fighters (numbers) that the viewer may know."""
        return frozenset(filter(self._knows, self.people))

    @property
    def public(self) -> frozenset[int]:
        """The fighters (numbers) that every player may know."""
        vanished = {self.vanished.id} if self.vanished else set()
        return frozenset(number for number in self.visible | vanished if not self.people[number].secret)

    @property
    def visible(self) -> frozenset[int]:
        """The fighters (numbers) who are neither secret nor hidden, not even since this turn."""
        return frozenset(number for number, item in self.people.items() if not (item.secret or number in self.hidden))

    @property
    def voters(self) -> list[int]:
        """The fighters (numbers) who vote: those every player knows."""
        return [item.id for item in self.fight.roster if item.id in self.public]

    @property
    def votes(self) -> list[int]:
        """The voters of the viewer; game masters vote for unplayed fighters."""
        mine, leads = self.viewer.owns, self.leads
        return [number for number in self.voters if mine(item := self.people[number]) or (leads and item.owner is None)]

    @property
    def can_decide(self) -> bool:
        """Whether the viewer may settle a vote in which all who are left agreed."""
        votes = self.fight.header.votes
        return votes is not None and {*self.voters} <= {*votes.yes} and (self.leads or bool(self.votes))

    def acts_for(self, number: int) -> bool:
        """Whether the viewer may act for a fighter."""
        item = self.people.get(number)
        return self.leads or (item is not None and self.viewer.person.plays(self.campaign) and self.viewer.owns(item))

    def add_fighters(self, *fighters: Profile) -> FightView:
        """Add people who come in."""
        return replace(self, people={**self.people, **{item.id: item for item in fighters}})

    def _knows(self, number: int) -> bool:
        here = self.vanished is not None and self.vanished.id == number
        return (here or self._sees(number)) and self.viewer.knows(self.people[number])

    def _sees(self, number: int) -> bool:
        seeing = {number, *self.hidden.get(number, ())} & self.people.keys()
        return number not in self.hidden or any(self.viewer.owns(self.people[each]) for each in seeing)

    def _as_seen(self, fight: Fight) -> Fight:
        before = self.vanished
        if before is None or self._sees(before.id):
            return fight
        return Scene(fight.header, tuple(before if item.id == before.id else item for item in fight.roster))


class RoeAsker(Struct, frozen=True):
    """Who asks, in which channels (ids, nearest first), and the books."""

    library: Library
    person: permissions.Person
    channels: Sequence[int]


def open_campaign_with_fights(tx: Connection, asker: RoeAsker, campaign_id: int) -> Viewer:
    """Lock an open campaign that plays RoE, and make the person its viewer."""
    viewer = view_campaign(tx, asker, require_on_server(tx, asker.person.guild_id, campaign_id, lock=True))
    require_open(viewer.campaign)
    return viewer


def view_campaign(tx: Connection, asker: RoeAsker, campaign: Campaign) -> Viewer:
    """Make a person a viewer of the campaign's fights; refuse those who don't take part."""
    viewer = make_viewer(tx, asker.person, campaign)
    require_part(viewer)
    asker.library.require(campaign, BOOK)
    return viewer


def view_here(tx: Connection, asker: RoeAsker) -> Viewer:
    """View the campaign of the channel."""
    return view_campaign(tx, asker, locate_campaign(tx, asker.person.guild_id, asker.channels))


def view_meant(tx: Connection, asker: RoeAsker, campaign_id: int, which: scenes.Which = None) -> FightView:
    """View the fight of a campaign that `which` names, by default the channel's."""
    campaign = require_on_server(tx, asker.person.guild_id, campaign_id)
    return find_fight(tx, view_campaign(tx, asker, campaign), which, asker.channels)


def view_as_maker(tx: Connection, campaign: Campaign, entry: Entry, *, leads: bool = False) -> Viewer:
    """View as an entry's maker, with a player's knowledge or (`leads`) a game master's."""
    (user_id,) = entries.find_users(tx, campaign.id, [entry.actor]).values()
    roles = frozenset({campaign.game_master_role_id}) if leads else make_player_viewer(campaign).person.roles
    return make_viewer(tx, permissions.Person(user_id, campaign.guild_id, roles, manages_server=False), campaign)


def find_characters(tx: Connection, viewer: Viewer, names: Sequence[str]) -> list[Profile]:
    """Find saved characters the viewer knows; BadInput for others."""
    known = list_known(tx, viewer)
    return [find_known(viewer, known, name, of_characters=True) for name in names]


def list_known(tx: Connection, viewer: Viewer) -> list[Profile]:
    """List all saved subjects that the viewer knows."""
    return [item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item)]


def list_free(tx: Connection, viewer: Viewer, known: Iterable[Profile]) -> list[Profile]:
    """List those of the `known` subjects that are characters and in no scene."""
    marks = {f"{MEMBER}{item.id}": item for item in known if item.is_character}
    taken = {name for _, name in state.find_values_named(tx, viewer.campaign.id, [*marks])}
    return [item for mark, item in marks.items() if mark not in taken]


def mark_pet(item: Profile) -> dict[str, int]:
    """Return the mark of a fighter with a pet, which acts each turn (line 544)."""
    return {PET: 1} if item.fields.get(PET) else {}


def view_fight(tx: Connection, viewer: Viewer, fight: Fight) -> FightView:
    """View a fight; its state is read once in a transaction."""
    key = (FightView, viewer.campaign.id, fight.header.subject)
    return replace(transactions.compute_once(tx, key, partial(_read_view, tx, viewer, fight)), viewer=viewer)


def _read_view(tx: Connection, viewer: Viewer, fight: Fight) -> FightView:
    keys = {subject_key(item.id): item for item in fight.roster}
    kept = state.get_values_named(tx, viewer.campaign.id, keys, _LOOKED_FOR)
    found = [(keys[subject], name, value) for (subject, name), value in kept.items()]
    people = {item.id: Profile.of(item.id, item.name, value) for item, name, value in found if name == PROFILE}
    scene = fight.header.subject
    hides = {item.id: value for item, name, value in found if name == HIDDEN and value.get("scene") == scene}
    since = {number: value["entry"] for number, value in hides.items()}
    now = (item for item in fight.roster if item.id == fight.now and since.get(item.id, 0) > fight.header.since)
    vanished = next((_fighter_before(tx, viewer.campaign, item, since[item.id]) for item in now), None)
    hidden = {number: frozenset(value.get(BY, ())) for number, value in hides.items()}
    return FightView(viewer, fight, people, hidden, vanished, kept)


def find_fight_of(tx: Connection, viewer: Viewer, number: int, kept: state.State | None = None) -> FightView | None:
    """View the fight a character (number) is in, or None; `kept` saves reading values."""
    found = scenes.find_scene_of(tx, viewer.campaign.id, FIGHTS, number, kept)
    return None if found is None else view_fight(tx, viewer, found)


def _fighter_before(tx: Connection, campaign: Campaign, item: Participant, number: int) -> Participant:
    made = entries.get_entries_bare(tx, campaign.id, [number]).get(number)
    changes = made.content()["changes"] if made else ()
    values = (change["before"] for change in changes if change["name"] == item.key and change["before"])
    return next((Participant.of(value, {item.id: item.name}) for value in values), item)


def find_fight(tx: Connection, viewer: Viewer, which: scenes.Which, channels: Sequence[int] = ()) -> FightView:
    """View the fight that `which` names, by default the channel's."""
    return view_fight(tx, viewer, scenes.find_scene(tx, viewer.campaign.id, FIGHTS, which, channels))


def find_fighter(view: FightView, name: str) -> Participant:
    """Find a fighter the viewer may know; BadInput for others."""
    shown = view.visible_fight
    found = subjects.choose_named(shown.roster, name)
    if found is None:
        what, known = f"{shown.name} has no fighter called {name[:60]!r}.", [item.name for item in shown.roster]
        raise unknown_name(what, name, known, FIGHTS.members)
    return found


def require_fit(tx: Connection, viewer: Viewer, fighters: Iterable[Profile], now: Moment) -> None:
    """Refuse Wounded characters that the viewer owns, unless they lead (line 168)."""
    own = {item.key: item for item in fighters if viewer.owns(item)}
    if viewer.leads or not own:
        return
    for (key, _), value in state.get_values_named(tx, viewer.campaign.id, own.keys(), {WOUNDED}).items():
        if not has_run_out(value, now):
            at = value.get("at")
            until = f"Until {to_local(datetime.fromisoformat(at), viewer.campaign.timezone)}. " if at else ""
            what = f"{own[key].name} is Wounded and can't fight."
            raise NotAsItIs(what, f"{until}See /roe wounds, or ask a game master.")


def find_downed(view: FightView, now: Moment) -> frozenset[int]:
    """Find the fighters (numbers) who are Wounded."""
    wounds = ((item.id, view.kept.get((subject_key(item.id), WOUNDED))) for item in view.fight.roster)
    return frozenset(number for number, value in wounds if value and not has_run_out(value, now))


def is_one_side_left(tx: Connection, view: FightView, down: Collection[int]) -> bool:
    """Whether one side is up, others are down, and no help comes.

    Secret fighters and groups don't count: the fight would go on for no visible reason.
    """
    known = [item for item in view.people.values() if not item.secret]
    if not any(item.id in down for item in known) or _is_help_coming(tx, view.campaign.id, view.fight):
        return False
    joined = [{*group.members} for group in permissions.list_groups(tx, view.campaign.id) if not group.secret]
    left = [item for item in known if item.id not in down]
    return _are_allied(left, joined) and not _are_allied(known, joined)


def _are_allied(fighters: list[Profile], joined: list[set[int]]) -> bool:
    return all(
        (one.owner is not None and one.owner == other.owner) or any({one.id, other.id} <= group for group in joined)
        for one, other in combinations(fighters, 2)
    )


def _is_help_coming(tx: Connection, campaign_id: int, fight: Fight) -> bool:
    marks = [mark for item in fight.roster for mark in item.marks if mark.startswith((COMING, WANTED))]
    called = {int(mark.rpartition(".")[2]) for mark in marks}
    return any(not item.secret for item in profiles.read_profiles(tx, campaign_id, called).values())


def describe_unanswered(tx: Connection, campaign_id: int, number: Slot | None) -> str | None:
    """Say which of a fighter's acts waits for answers, or None."""
    for item in store.list_open(tx, campaign_id):
        request = item.request
        in_turn = request.book == BOOK and request.family.startswith(TURN_NOTES)
        if in_turn and request.parts[0].ids.get(ACTOR) == (number,):
            return f"{item.words.name}'s {item.words.noun} is waiting for answers."
    return None


class UnaskedQuestion(Exception):
    """Others must answer before the roll; `ask` is the transaction that asks them."""

    def __init__(self, ask: Callable[..., Any], *asked: object) -> None:
        super().__init__()
        self.ask, self.asked = ask, asked


def select_fighting(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    """Select the `asked` fighters (numbers) still in the actor's fight; None if the actor's turn is over."""
    (number,) = request.parts[0].ids[ACTOR]
    fight = scenes.find_scene_of(tx, campaign.id, FIGHTS, number or 0)
    return None if fight is None or fight.now != number else [item for item in asked if fight.combatant(item)]


def require_nothing_waits(tx: Connection, view: FightView, number: Slot | None) -> None:
    """Refuse with NotAsItIs while a fighter's act waits for answers."""
    what = describe_unanswered(tx, view.campaign.id, number)
    if what is not None:
        raise NotAsItIs(what, "Withdraw it, or ask a game master to press Roll now: /update show.")
