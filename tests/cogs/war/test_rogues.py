"""Rogues: leaving, founding, losing and returning."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import simcord

from rules.geometry import Hex
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.battle.field import Field
from tests.cogs.war.front import E, Front, begun, code, given, recruit
from tests.support.acting import confirmed
from tests.support.reading import text
from tests.support.world import World

COLONY = "1,-3"
NAME, COLOUR = "Free Side 3", "#2e7d32"


@dataclass
class Mutiny:
    """A war in which Cid means to go rogue with the 11th Squadron."""

    front: Front
    cid: simcord.MemberActor
    accounts: Accounts

    @property
    def world(self) -> World:
        """The server."""
        return self.front.world

    async def resolve(self) -> None:
        """Restart and resolve."""
        await self.world.restart()
        await self.front.resolve()

    async def turn(self) -> None:
        """Resolve the rest, and check after a restart."""
        turn = (await self.front.stands()).turn
        await self.resolve()
        assert (await self.front.stands()).turn == turn + 1
        await require_sound(self.front, self.accounts)
        await self.front.close()

    async def withdraw(self, who: simcord.MemberActor) -> None:
        """Give up the only battle."""
        await confirmed(self.world, "battle withdraw", who)

    async def owned(self, by: str) -> set[str]:
        """Return a faction's panels."""
        war = await self.front.stands()
        return {str(at) for at, panel in war.panels.items() if panel.owner == by}


async def mutiny(world: World) -> Mutiny:
    """Begin the war with Cid and his squadron."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    await world.gm.slash(world.orders, "gm-war set", what="rank", to="Cid Captain", reason="As it is")
    begins = Mutiny(front, cid, Accounts(world))
    begins.accounts.open(await front.stands())
    await given(front, front.ann, "assign", "11th Squadron", to="Cid")
    await begins.turn()
    return begins


async def founded(begins: Mutiny) -> None:
    """Let Cid go rogue and win the colony, with a restart."""
    front = begins.front
    await given(front, begins.cid, "rogue", "Cid")
    await given(front, begins.cid, "move", "11th Squadron", to=COLONY)
    await begins.resolve()
    war = await front.stands()
    battle = war.battles[Hex(1, -3)]
    assert (battle.attacker, battle.defender, len(battle.garrison)) == ("Cid", "E", 4)
    field, grunt = Field(front), min(battle.garrison)
    await field.placed(u12="E5", **{grunt: "E6"})
    shot = await field.now(begins.cid, "u12", (6, 1), (6, 5), target=grunt)
    assert f"{grunt} gm is destroyed" in text(shot)
    await begins.world.restart()
    await begins.withdraw(front.ann)


@pytest.mark.slow
async def test_a_rogue_faction_is_founded_and_dissolved(world: World) -> None:
    """Its land and gold go with its last stronghold (R1 to R11)."""
    begins = await mutiny(world)
    front = begins.front
    await founded(begins)
    side = (await front.stands()).factions["R1"]
    assert (side.rogue, side.leader, side.gold) == (True, "Cid", 100)
    assert await begins.owned("R1") == {COLONY, "2,-3", "1,-2", "0,-2", "0,-3"}
    await begins.turn()
    await world.gm.slash(world.orders, "gm-war set", what="gold", to="R1 60", reason="A gift")
    await given(front, begins.cid, "found", "Cid's rogues", to=NAME, **{"with": COLOUR})
    await given(front, begins.cid, "garrison", "Cid's rogues", to=COLONY, **{"with": "colony_garrison"})
    assert "A rogue faction can promote only while it owns a captured capitol." in code(
        await front.order(begins.cid, "promote", "Cid", to="Admiral")
    )
    await given(front, front.ann, "move", "1st Fleet", to="2,-3")
    await begins.turn()
    war = await front.stands()
    assert (war.factions["R1"].name, war.factions["R1"].colour) == (NAME, COLOUR)
    assert len(war.panels[Hex(1, -3)].garrison) == 1
    assert await begins.owned("R1") == {COLONY, "1,-2", "0,-2", "0,-3"}
    await given(front, front.ann, "move", "1st Fleet", to=COLONY)
    await begins.resolve()
    await begins.withdraw(begins.cid)
    await begins.cid.slash(world.orders, "battle retreat", to="0,-2")
    war = await front.stands()
    assert "R1" not in war.factions
    assert await begins.owned("R1") == set()
    assert (war.players["Cid"].faction, war.forces["11th Squadron"].faction) == (None, "Cid")
    told = "\n".join(text(message) for thread in world.results.threads for message in thread.history())
    assert f"{NAME} lost its last stronghold and dissolves" in told
    await begins.turn()
    assert "**Lone rogues:** Cid" in await front.sheet()
    await taken_in(begins)


async def taken_in(begins: Mutiny) -> None:
    """Let the Federation take Cid in again."""
    front = begins.front
    await begins.world.gm.slash(begins.world.orders, "gm-war set", what="rank", to="Cid Captain", reason="As it was")
    assert "Cid (a lone rogue) can't get promotion." in code(
        await front.order(begins.world.gm, "promote", "Cid", to="Admiral")
    )
    assert "11th Squadron (a lone rogue's) can't get new units." in code(
        await front.order(begins.world.gm, "allot", "11th Squadron", to="gm", **{"with": "1"})
    )
    await given(front, begins.cid, "petition", "Cid", to=E)
    await begins.turn()
    await given(front, front.ann, "answer", E, to="Cid", **{"with": "yes"})
    await begins.turn()
    war = await front.stands()
    assert (war.players["Cid"].faction, war.forces["11th Squadron"].faction) == ("E", "E")
    begins.accounts.require_each_once()
