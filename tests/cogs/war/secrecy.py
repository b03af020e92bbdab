"""Check that players in fog learn only what they have seen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator
from functools import cache

import simcord

from bot.cogs.war.wars import LAYERS
from rules.books.total_war.war import Rules, War, WarBattle
from rules.geometry import Hex, hex_distance
from tests.cogs.campaign.grouping import make_hidden_channel
from tests.cogs.war.front import Front
from tests.core.test_twin_worlds import read_shown
from tests.support.acting import save_group
from tests.support.reading import said, text

LOOKED = ("war show", "battle show", "order list", "update show", "ledger")
"""Commands without options that show the war."""
COMPLETED = (("war show", "what"), ("war map", "force"), ("battle show", "battle"), ("order give", "who"))
"""Commands and options with completions."""
UNIT = re.compile(r"\bu[0-9]+\b")


class Secrecy:
    """What each player and faction has seen, entry by entry."""

    def __init__(self, front: Front, rules: Rules, members: dict[str, simcord.MemberActor]) -> None:
        self.front, self.rules, self.members = front, rules, members
        self.every: set[str] = set()
        self.known: dict[str, set[str]] = defaultdict(set)
        self.channels: dict[str, simcord.ChannelHandle] = {}
        self.answers = 0

    async def open(self, factions: Collection[str]) -> None:
        """Give each faction's group a channel."""
        world = self.front.world
        for name in factions:
            self.channels[name] = channel = make_hidden_channel(
                world, f"front-{name.casefold()}", *self.members.values()
            )
            await save_group(world, self.rules.scenario.factions[name].name, channel=channel)

    def note(self, war: War) -> None:
        """Remember what each side sees now."""
        self.every |= named(war)
        for faction in war.factions:
            self.known[f"faction:{faction}"] |= self._seen(war, faction)
        for name, player in war.players.items():
            known = self.known[f"faction:{player.faction}"] if player.faction else self._seen(war, name)
            self.known[name] |= known

    def require_unheard(self, who: str, words: str) -> None:
        """Check that words name nothing unseen."""
        self.answers += 1
        found = mentioned(words, self.every) - self.known[who]
        assert not found, (who, found, words)

    async def require_kept(self, war: War) -> None:
        """Check a player's view, one per turn, and all posts."""
        name = [*self.members][war.turn % len(self.members)]
        async for words in self._looked(name, war):
            self.require_unheard(name, words)
        for faction, channel in self.channels.items():
            for place in (channel, *channel.threads):
                self.require_unheard(f"faction:{faction}", read(place))
        for public in (self.front.world.results, self.front.world.orders):
            self.require_unheard("everybody", read(public))

    def _seen(self, war: War, faction: str) -> set[str]:
        own = {at for at, panel in war.panels.items() if panel.owner == faction}
        own |= {force.at for force in war.forces.values() if force.faction == faction}
        fights = {at for at, battle in war.battles.items() if faction in _fighting(war, battle)}
        return named(war, fights.union(*(disc(at, self.rules.scenario.sight) for at in own)))

    async def _looked(self, name: str, war: War) -> AsyncIterator[str]:
        member, here = self.members[name], self.front.world.orders
        for command in LOOKED:
            yield read_shown(await member.slash(here, command))
        layer = [*LAYERS][war.turn % len(LAYERS)]
        result = await member.slash(here, "war map", layer=str(layer))
        files = result.response.attachments if result.response else ()
        yield "\n".join([read_shown(result), *(str(file.description) for file in files)])
        for faction, side in war.factions.items():
            sheet = said(await member.slash(here, "war show", what=faction))
            assert faction == war.players[name].faction or f"{side.gold} gold" not in sheet, (name, sheet)
            yield sheet
        for command, option in COMPLETED:
            yield str(await member.autocomplete(here, command, option, ""))


def named(war: War, places: Collection[Hex] | None = None) -> set[str]:
    """Return names of forces and units, optionally only on some panels."""
    forces = [force for force in war.forces.values() if places is None or force.at in places]
    held = [panel for at, panel in war.panels.items() if places is None or at in places]
    units = {unit.id for one in forces for unit in one.units}
    return units | {force.name for force in forces} | {unit.id for panel in held for unit in panel.garrison}


@cache
def disc(at: Hex, most: int) -> frozenset[Hex]:
    """Return the hexes within a distance, off the map too."""
    ways = range(-most, most + 1)
    around = (Hex(at.q + q, at.r + r) for q in ways for r in ways)
    return frozenset(one for one in around if hex_distance(at, one) <= most)


def _fighting(war: War, battle: WarBattle) -> set[str]:
    return {battle.attacker, battle.defender, *(war.forces[name].faction for name in battle.forces)}


def mentioned(words: str, names: Collection[str]) -> set[str]:
    """Return the names in a text, longest first."""
    forces = sorted((name for name in names if not UNIT.fullmatch(name)), key=len, reverse=True)
    pattern = "|".join(re.escape(name) for name in forces)
    return {*re.findall(rf"(?<!\w)(?:{pattern})(?!\w)", words)} | {*UNIT.findall(words)} & {*names}


def read(channel: simcord.ChannelHandle) -> str:
    """Return a channel's text with its pictures' words."""
    return "\n".join(line for message in channel.history() for line in _lines(message))


def _lines(message: object) -> Iterator[str]:
    yield text(message)
    yield from (str(file.description) for file in message.attachments)  # type: ignore[attr-defined] # a message
