"""Battles that a person sees: which one they mean, for whom they act there, and how a unit acts as it is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war import wars
from bot.cogs.war.posts import BATTLE_ON, BattleKey, begun_by, threads_of
from bot.cogs.war.wars import BOOK, RunningWar
from bot.core.campaigns import locate_campaign, require_on_server
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput, MissingInput, NotAllowed, NotAsItIs, unknown_name
from bot.rolls.desk import TypedRoll, channels
from bot.rolls.request import PartRequest, RollCommand
from bot.ui.reply import AnyInteraction, person
from rules.books.total_war.battles import (
    find_side,
    find_unit,
    require_war_on,
    retreating_forces,
    side_name,
    unit_labels,
)
from rules.books.total_war.order_kinds import BEGUN, MANEUVER
from rules.books.total_war.sight import has_fog
from rules.books.total_war.war import Battle, Force, Rules, War, apply_settings
from rules.geometry import Hex

SEE = "See the state of the war: /war show."
NONE = "A battle begins when a force moves onto an enemy's panel."
"""Advice where no battle is on."""

THEN_MOVE: Final = ", then move"
ATTACKS: Mapping[str, str] = {"shoot": "Shoot", "melee": "Melee", "broadside": "Broadside"}
ORDERS: Mapping[str, str] = {
    **ATTACKS,
    **{f"{family}{THEN_MOVE}": f"{label}{THEN_MOVE}" for family, label in ATTACKS.items()},
}
"""How a unit may attack, and whether it moves after that, by what is picked."""
TAKES: Mapping[str, Sequence[str]] = {
    "shoot": ("target", "with"),
    "melee": ("target", "call"),
    "broadside": ("toward",),
    MANEUVER: (),
}
"""Which options besides its unit and tile each act takes; it needs the first."""


class BattlePlace(Struct, frozen=True):
    """Where something was typed: channels (ids, nearest first), the battle as typed, and what the thread is called, if it is one.

    Of a button, its campaign (id) and the entry that has `begun` the battle.
    """

    channels: Sequence[int]
    battle: str | None = None
    campaign: int | None = None
    begun: int | None = None
    thread: str | None = None

    @classmethod
    def typed(cls, interaction: AnyInteraction, battle: str | None) -> BattlePlace:
        """Return where a command about a battle is typed."""
        here = interaction.channel
        return cls(channels(interaction), battle, thread=here.name if isinstance(here, discord.Thread) else None)

    @classmethod
    def of(cls, campaign: int, at: str, begun: int) -> BattlePlace:
        """Return where a button was pressed that is about one battle, and none that comes later on its panel."""
        return cls((), at, campaign, begun)


class UnitAct(Struct, frozen=True):
    """An act of a unit as it was typed; those who combine with it are separated by commas. `roll` says whether a card comes first, `dice` are faces rolled by hand."""

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
        """What it is rolled as: as was picked, else as what else was typed has it."""
        if self.attack is None:
            return "broadside" if self.toward else "melee" if self.call else "shoot" if self.target else MANEUVER
        picked = self.attack.partition(",")[0].strip().casefold()
        if picked not in ATTACKS:
            raise BadInput(f"{self.attack[:60]!r} isn't an attack.", f"Pick one: {', '.join(ATTACKS)}.")
        return picked

    def require_fitting(self) -> None:
        """Refuse options that would count for nothing: of another attack, or a move after it that goes nowhere."""
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
        """Whether it moves after it has attacked."""
        return self.attack is not None and self.attack.casefold().endswith(THEN_MOVE)

    @property
    def picked(self) -> str:
        """How it attacks, as it is picked; a maneuver where it doesn't."""
        return f"{self.family}{THEN_MOVE}" if self.attacks_first else self.family

    @property
    def usual(self) -> str:
        """How it is rolled by default: a plain move has no dice and needs no card."""
        return "now" if self.family == MANEUVER else "card"


class SeenBattle(Struct, frozen=True):
    """A battle as a person sees it, with its war and its thread (id)."""

    running: RunningWar
    at: Hex
    thread: int | None

    @property
    def rules(self) -> Rules:
        """The rules with the war's rulings."""
        return apply_settings(self.running.rules, self.running.war)

    @property
    def battle(self) -> Battle:
        """The battle."""
        return self.running.war.battles[self.at]

    @property
    def begun(self) -> int:
        """The number of the entry that has begun it."""
        return begun_by(self.running.values, self.at)

    @property
    def key(self) -> BattleKey:
        """Which battle its buttons are about."""
        return BattleKey(self.running.campaign.id, str(self.at), self.begun)

    @property
    def sides(self) -> list[str]:
        """The sides for which the person acts: those whose forces they command or whose faction they lead; all for a game master."""
        if self.running.leads:
            return [*self.battle.fight.sides]
        mine = own_sides(self.running.war, self.battle, self.running.callsign)
        return [side for side in self.battle.fight.sides if side in mine]

    @property
    def by(self) -> str | None:
        """Who acts, by their callsign; None for a game master.

        Raises:
            NotAllowed: they are not in the war.

        """
        if self.running.leads:
            return None
        if self.running.callsign is None:
            raise NotAllowed("You aren't in this war.", "Join it: /war join.")
        return self.running.callsign

    @property
    def choices(self) -> Any:  # noqa: ANN401 - imported here: at the top, the chain of imports would be too long
        """What the person can do there, as `Choices`."""
        choices = import_module("rules.books.total_war.acts").Choices
        return choices(self.rules, self.running.war, self.at, None if self.running.leads else self.running.callsign)

    def require_game_master(self, action: str) -> None:
        """Refuse to others what only game masters do."""
        require_game_master(self.running.viewer.person, self.running.campaign, action)

    def unit(self, named: str) -> str:
        """Return the unit (id) that is meant."""
        return find_unit(self.labels(), self.battle.fight, named)

    def called_unit(self, named: str) -> str:
        """Return what the unit is called that is meant; raises as `unit`."""
        return self.labels()[self.unit(named)]

    def command(self, family: str, subjects: dict[str, str], inputs: Mapping[str, object] | None = None) -> RollCommand:
        """Return a roll in the battle, whose result is posted in its thread."""
        by = {} if self.by is None else {"by": self.by}
        part = PartRequest(subjects=subjects, inputs={"at": str(self.at), BEGUN: self.begun, **(inputs or {}), **by})
        campaign = self.running.campaign.id
        return RollCommand((), (BOOK, family), [part], here=self.thread, campaign=campaign, scene=self.running.subject)

    def side(self, named: str | int | None) -> str:
        """Return the side that is named, or seen (its place), or the person's only one."""
        sides = self.battle.fight.sides
        if named is None and not self.sides:
            raise NotAllowed(
                f"You have no force in the battle on {self.at}.",
                "Only the sides of a battle and game masters act there.",
            )
        if named is None and len(self.sides) != 1:
            raise BadInput("Which side do you mean?", f"Pick one: {' or '.join(map(self.called, sides))}.")
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
        """Return what the units are called, by their ids."""
        return unit_labels(self.running.war, self.battle)

    def called(self, side: str) -> str:
        """Return what a side is called."""
        return side_name(self.running.war, side)


def own_sides(war: War, battle: Battle, callsign: str | None) -> set[str]:
    """Return the sides of a battle for which a player acts, by callsign."""
    if callsign is None:
        return set()
    commanded = {side for name, side in battle.forces.items() if war.forces[name].commander == callsign}
    return commanded | {name for name, faction in war.factions.items() if faction.leader == callsign}


def battle_of(where: BattlePlace, tx: Connection, library: Library, person: Person) -> SeenBattle:
    """Return the battle that is meant: that of a button, the one named, that of the thread, the only one of the person's, or the only one.

    In the thread of a battle that is over, only one that is named.
    """
    campaign = None if where.campaign is None else require_on_server(tx, person.guild_id, where.campaign)
    seen = wars.require_war(tx, library, person, campaign or locate_campaign(tx, person.guild_id, where.channels))
    require_war_on(seen.war)
    if where.begun is not None:
        _require_same(seen, where)
    if not seen.seen.battles:
        raise NotAsItIs("You can't see any battle.", NONE)
    threads = {at: threads_of(tx, seen.campaign.id, seen.values, at) for at in seen.seen.battles}
    here = [at for at, found in threads.items() if not {*found}.isdisjoint(where.channels)]
    at = _named(seen, where.battle) if where.battle else _only(seen, here, where.thread)
    return SeenBattle(seen, at, next(iter(threads[at]), None))


def _require_same(seen: RunningWar, where: BattlePlace) -> None:
    """Refuse a button of a battle that is over or that the person can't see any more, also where a new one is on at its panel."""
    here = next((at for at in seen.seen.battles if str(at) == where.battle), None)
    if here is None:
        raise NotAsItIs(f"This battle {_over_words(seen)}. Nothing has changed.", SEE)
    if begun_by(seen.values, here) != where.begun:
        raise NotAsItIs(f"This battle is over. A new one is on at {here}.", "See the new one: /battle show.")


def _over_words(seen: RunningWar) -> str:
    return "is over" if not has_fog(seen.rules) or seen.leads else "is over or out of your sight"


def _named(seen: RunningWar, typed: str) -> Hex:
    known = {str(at): at for at in seen.seen.battles}
    wanted = typed.partition(":")[0].replace(" ", "")
    if wanted not in known:
        raise unknown_name(f"You can't see a battle on {typed[:60]!r}.", wanted, known, SEE)
    return known[wanted]


def _only(seen: RunningWar, here: Sequence[Hex], thread: str | None) -> Hex:
    """Return the battle of the channel, else the person's only one, else the only one; none in the thread of a battle that is over."""
    battles = seen.seen.battles
    if not here and thread is not None and thread.startswith(BATTLE_ON):
        others = "; ".join(map(str, battles))
        raise NotAsItIs(f"The battle of this thread {_over_words(seen)}.", f"Pick another one with “battle”: {others}.")
    mine = [at for at in battles if own_sides(seen.war, seen.war.battles[at], seen.callsign)]
    found = next((some for some in (here, mine, [*battles]) if some), [])
    if len(found) != 1:
        raise BadInput(f"Which battle: {' or '.join(map(str, found))}?", "Pick one with “battle”.")
    return found[0]


def own_beaten(seen: SeenBattle) -> list[Force]:
    """Return the forces that have to retreat from a battle and are the person's to command; all for a game master."""
    waiting = retreating_forces(seen.rules, seen.running.war, seen.at)
    return [item for item in waiting if seen.by in {None, item.commander}]


def roll_in(
    where: BattlePlace, made: Callable[[SeenBattle], RollCommand], faces: Mapping[int, Sequence[int]] | None = None
) -> TypedRoll:
    """Return a roll in the battle that is meant, as it is `made` of what the person sees of it."""
    return TypedRoll(where.channels, partial(_command, where, made), where.campaign, faces)


def _command(
    where: BattlePlace, made: Callable[[SeenBattle], RollCommand], tx: Connection, library: Library, person: Person
) -> RollCommand:
    return made(battle_of(where, tx, library, person))


async def see_battle(interaction: AnyInteraction, where: BattlePlace) -> SeenBattle:
    """Return the battle that is meant, as the person sees it."""
    bot = interaction.client
    seen: SeenBattle = await bot.database.read(partial(battle_of, where), bot.library, person(interaction))
    return seen
