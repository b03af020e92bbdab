"""Which battle a person means, for which side, and how its units act."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war import wars
from bot.core.campaigns import locate_campaign, require_on_server
from bot.core.errors import BadInput, MissingInput, NotAllowed, NotAsItIs, unknown_name
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.rolls.desk import TypedRoll, channels
from bot.rolls.request import PartRequest, RollCommand
from bot.ui.receipt import pickers
from bot.ui.reply import AnyInteraction, person
from rules.books.total_war import storage
from rules.books.total_war.battles import (
    find_side,
    find_unit,
    list_retreating,
    require_war_on,
    side_name,
    unit_labels,
    unit_sort_key,
)
from rules.books.total_war.order_kinds import BEGUN, MANEUVER
from rules.books.total_war.war import Force, Rules, War, WarBattle
from rules.geometry import Hex

SEE = "See the state of the war: /war show."
NONE = "A battle begins when a force moves onto an enemy's panel."
THEN_MOVE: Final = ", then move"
ATTACKS: Mapping[str, str] = {"shoot": "Shoot", "melee": "Melee", "broadside": "Broadside"}
WAYS: Mapping[str, str] = {"shoot": "shot", "melee": "melee", "broadside": "fire"}
"""The attack for the rules, by what is picked."""
ORDERS: Mapping[str, str] = {
    **ATTACKS,
    **{f"{family}{THEN_MOVE}": f"{label}{THEN_MOVE}" for family, label in ATTACKS.items()},
}
"""Attack and whether it moves after that, by what is picked."""
TAKES: Mapping[str, Sequence[str]] = {
    "shoot": ("target", "with"),
    "melee": ("target", "call"),
    "broadside": ("toward",),
    MANEUVER: (),
}
"""The options of each act besides unit and tile; the first is needed."""


class BattlePlace(Struct, frozen=True):
    """Where a battle was named: channels nearest first and thread, or a button's campaign and entry.

    `seen` is the battle's newest entry when the button was drawn, if that matters.
    """

    channels: Sequence[int]
    battle: str | None = None
    campaign: int | None = None
    begun: int | None = None
    thread: str | None = None
    seen: int | None = None

    @classmethod
    def read(cls, interaction: AnyInteraction, battle: str | None) -> BattlePlace:
        """Return where a command was typed, and the battle typed in it."""
        here = interaction.channel
        return cls(channels(interaction), battle, thread=here.name if isinstance(here, discord.Thread) else None)


class UnitActRequest(Struct, frozen=True):
    """A typed act of a unit; `roll` says whether a card comes first."""

    unit: str
    to: str | None = None
    attack: str | None = None
    target: str | None = None
    others: str | None = None
    call: str | None = None
    toward: str | None = None
    roll: str | None = None
    dice: str | None = None

    @property
    def family(self) -> str:
        """The kind of roll, as picked or implied by the options."""
        if self.attack is None:
            return "broadside" if self.toward else "melee" if self.call else "shoot" if self.target else MANEUVER
        picked = self.attack.partition(",")[0].strip().casefold()
        if picked not in ATTACKS:
            raise BadInput(f"{self.attack[:60]!r} isn't an attack.", f"Pick one: {', '.join(ATTACKS)}.")
        return picked

    def require_fitting(self) -> None:
        """Refuse options that the act ignores."""
        family = self.family
        given = {"target": self.target, "with": self.others, "call": self.call, "toward": self.toward}
        for name in (name for name, value in given.items() if value and name not in TAKES[family]):
            whose = " and ".join(label for attack, label in ATTACKS.items() if name in TAKES[attack])
            raise BadInput(
                f"{ATTACKS.get(family, 'A move')} doesn't use “{name}”.",
                f"Leave it out, or pick an attack that uses it: {whose}.",
            )
        if self.attacks_first and self.to is None:
            raise MissingInput(
                f"{ATTACKS[family]}, then move: where to?", "Name the tile in “to”, or pick only the attack."
            )

    @property
    def attacks_first(self) -> bool:
        """Whether the unit attacks before it moves."""
        return self.attack is not None and self.attack.casefold().endswith(THEN_MOVE)


class SeenBattle(Struct, frozen=True):
    """A battle as a person sees it: its war, panel, and thread (None without one)."""

    running: wars.RunningWar
    at: Hex
    thread: int | None

    @property
    def rules(self) -> Rules:
        """The rules with the war's rulings."""
        return self.running.rules.apply_settings(self.running.war)

    @property
    def battle(self) -> WarBattle:
        """The battle on this panel, as it is now."""
        return self.running.war.battles[self.at]

    @property
    def first_entry(self) -> int:
        """The entry that began the battle."""
        return wars.find_first_entry(self.running.values, self.at)

    @property
    def newest(self) -> int:
        """The entry that last changed the battle."""
        return int(self.running.values[f"{storage.BATTLE}{self.at}"]["entry"])

    @property
    def key(self) -> wars.BattleKey:
        """The battle in ids of buttons."""
        return wars.BattleKey(self.running.campaign.id, str(self.at), self.first_entry)

    @property
    def sides(self) -> list[str]:
        """The sides the person acts for; all for a game master."""
        if self.running.leads:
            return [*self.battle.fight.sides]
        mine = own_sides(self.running.war, self.battle, self.running.callsign)
        return [side for side in self.battle.fight.sides if side in mine]

    @property
    def by(self) -> str | None:
        """The person's callsign; None for a game master.

        Raises:
            NotAllowed: they aren't in the war.
        """
        if self.running.leads:
            return None
        if self.running.callsign is None:
            raise NotAllowed("You aren't in this war.", "Join it: /war join.")
        return self.running.callsign

    @property
    def choices(self) -> Any:  # noqa: ANN401 - imported here: at the top, the chain of imports would be too long
        """What the person can do there (`Choices`)."""
        choices = import_module("rules.books.total_war.acts").Choices
        return choices(self.rules, self.running.war, self.at, None if self.running.leads else self.running.callsign)

    def require_game_master(self, action: str) -> None:
        """Refuse players what is a game master's."""
        require_game_master(self.running.viewer.person, self.running.campaign, action)

    def unit(self, named: str) -> str:
        """Find the named unit's id."""
        return find_unit(self.labels(), self.battle.fight, named)

    def unit_label(self, named: str) -> str:
        """Find the named unit's label."""
        return self.labels()[self.unit(named)]

    def command(self, family: str, subjects: dict[str, str], inputs: Mapping[str, object] | None = None) -> RollCommand:
        """Return a roll that is posted in the battle's thread."""
        by = {} if self.by is None else {"by": self.by}
        part = PartRequest(
            subjects=subjects, inputs={"at": str(self.at), BEGUN: self.first_entry, **(inputs or {}), **by}
        )
        campaign = self.running.campaign.id
        return RollCommand(
            (), (wars.BOOK, family), [part], here=self.thread, campaign=campaign, scene=self.running.subject
        )

    def side(self, named: str | int | None) -> str:
        """Find a side by name or place from 0, else the person's only one; refuse others' sides."""
        sides = self.battle.fight.sides
        if named is None and not self.sides:
            raise NotAllowed(
                f"You have no force in the battle on {self.at}.",
                "Only the sides of a battle and game masters act there.",
            )
        if named is None and len(self.sides) != 1:
            raise BadInput("Which side do you mean?", f"Pick one: {' or '.join(map(self.side_label, sides))}.")
        if named is None:
            return self.sides[0]
        if isinstance(named, int):
            side = next(iter(sides[named : named + 1]), None)
        else:
            side = find_side(self.running.war, self.battle, named)
        if side is None or side not in self.sides:
            raise NotAllowed("That's up to the other side.", "You can act only for your own side.")
        return side

    def labels(self) -> dict[str, str]:
        """The units' labels by id."""
        return unit_labels(self.running.war, self.battle)

    def side_label(self, side: str) -> str:
        """Return a side's name."""
        return side_name(self.running.war, side)


UnitSelect = ui.Select[ui.LayoutView]
_WAY_LABELS = {way: ATTACKS[family] for family, way in WAYS.items()}


def own_sides(war: War, battle: WarBattle, callsign: str | None) -> set[str]:
    """Return ids of sides whose force or faction this player commands."""
    if callsign is None:
        return set()
    commanded = {side for name, side in battle.forces.items() if war.forces[name].commander == callsign}
    return commanded | {name for name, faction in war.factions.items() if faction.leader == callsign}


class BattleChanged(NotAsItIs):
    """A button's battle has changed since it was drawn."""


def battle_of(where: BattlePlace, tx: Connection, library: Library, person: Person) -> SeenBattle:
    """Find the battle that is meant.

    That is the button's or named one, else the thread's, the person's only one, or the only one. In the thread of a finished battle only a named one counts.
    """
    campaign = None if where.campaign is None else require_on_server(tx, person.guild_id, where.campaign)
    seen = wars.require_war(tx, library, person, campaign or locate_campaign(tx, person.guild_id, where.channels))
    require_war_on(seen.war)
    if where.begun is not None:
        _require_same(seen, where)
    if not seen.seen.battles:
        raise NotAsItIs("You can't see any battle.", NONE)
    threads = {at: wars.threads_of(tx, seen.campaign.id, seen.values, at) for at in seen.seen.battles}
    here = [at for at, found in threads.items() if not {*found}.isdisjoint(where.channels)]
    at = _find_named(seen, where.battle) if where.battle else _only(seen, here, where.thread)
    found = SeenBattle(seen, at, next(iter(threads[at]), None))
    if where.seen not in {None, found.newest}:
        raise BattleChanged("The battle has changed since you looked.", "Look again: /battle show.")
    return found


def _require_same(seen: wars.RunningWar, where: BattlePlace) -> None:
    here = next((at for at in seen.seen.battles if str(at) == where.battle), None)
    if here is None:
        raise NotAsItIs(f"This battle {_over_words(seen)}. Nothing has changed.", SEE)
    if wars.find_first_entry(seen.values, here) != where.begun:
        raise NotAsItIs(f"This battle is over. A new one is on at {here}.", "See the new one: /battle show.")


def _over_words(seen: wars.RunningWar) -> str:
    return "is over" if not seen.rules.scenario.has_fog or seen.leads else "is over or out of your sight"


def _find_named(seen: wars.RunningWar, typed: str) -> Hex:
    known = {str(at): at for at in seen.seen.battles}
    wanted = typed.partition(":")[0].replace(" ", "")
    if wanted not in known:
        raise unknown_name(f"You can't see a battle on {typed[:60]!r}.", wanted, known, SEE)
    return known[wanted]


def _only(seen: wars.RunningWar, here: Sequence[Hex], thread: str | None) -> Hex:
    battles = seen.seen.battles
    if not here and thread is not None and thread.startswith(wars.BATTLE_ON):
        others = "; ".join(map(str, battles))
        raise NotAsItIs(f"The battle of this thread {_over_words(seen)}.", f"Pick another one with “battle”: {others}.")
    mine = [at for at in battles if own_sides(seen.war, seen.war.battles[at], seen.callsign)]
    found = next((some for some in (here, mine, [*battles]) if some), [])
    if len(found) != 1:
        raise BadInput(f"Which battle: {' or '.join(map(str, found))}?", "Pick one with “battle”.")
    return found[0]


def own_beaten(seen: SeenBattle) -> list[Force]:
    """Return forces that have to retreat: the person's own, or all for a game master."""
    waiting = list_retreating(seen.rules, seen.running.war, seen.at)
    return [item for item in waiting if seen.by in {None, item.commander}]


def roll_in(
    where: BattlePlace, made: Callable[[SeenBattle], RollCommand], faces: Mapping[int, Sequence[int]] | None = None
) -> TypedRoll:
    """Return a roll in the battle, made from what the person sees."""
    return TypedRoll(where.channels, partial(_command, where, made), where.campaign, faces)


def _command(
    where: BattlePlace, made: Callable[[SeenBattle], RollCommand], tx: Connection, library: Library, person: Person
) -> RollCommand:
    return made(battle_of(where, tx, library, person))


def describe_ability(seen: SeenBattle, unit: str) -> str:
    """Say what a unit can still do this half."""
    choices = seen.choices
    tiles = len(choices.tiles(unit))
    words = [f"Move ({tiles} {'tile' if tiles == 1 else 'tiles'})"] if tiles else []
    return ", ".join([*words, *(_WAY_LABELS[way] for way in choices.attacks(unit))])


def offer_units(seen: SeenBattle) -> Iterator[UnitSelect]:
    """Yield selects of units that can still act, if it's the person's half."""
    fight, names = seen.battle.fight, seen.labels()
    if fight.outcome.over or fight.active not in seen.sides:
        return
    able = sorted(seen.choices.able(), key=unit_sort_key)
    rows = [(name, f"{names[name]} on {fight.units[name].at}", describe_ability(seen, name)) for name in able]
    yield from pickers(partial(seen.key.fill, wars.PICK_UNIT, newest=seen.newest), "Pick a unit …", rows)


async def see_battle(interaction: AnyInteraction, where: BattlePlace) -> SeenBattle:
    """Find the battle for an interaction."""
    bot = interaction.client
    seen: SeenBattle = await bot.database.read(partial(battle_of, where), bot.library, person(interaction))
    return seen
