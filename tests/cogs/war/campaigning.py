"""Whole wars through the bot, by chance that repeats: four players order what is offered to them, a game master resolves, battles are fought act by act.

`python -m tests.cogs.war.campaigning SEEDS` plays as many wars, of thirty turns unless told otherwise; `--as fog` and
`--as at-once` play them in fog, and with orders that are not sealed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import simcord

from bot.cli.total_war.random_play import Chance, next_deed
from rules.books.total_war import deeds
from rules.books.total_war.orders import Clash, Fire, Next, Shoot, Withdraw
from rules.books.total_war.orders import Move as Step
from rules.books.total_war.orders import Order as BoardOrder
from rules.books.total_war.war import War
from rules.geometry.hexes import Hex
from tests.cogs.ledger.deeds import AnyDice
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.aims import rogues, toward
from tests.cogs.war.front import Front, at_once, begun, example, in_fog, recruit
from tests.cogs.war.gathered import require_gathered
from tests.rules.total_war.test_whole_games import RULES
from tests.support.reading import response, text
from tests.support.template import migrated_url
from tests.support.world import World, running

PLAYERS = {"Cid": "E", "Dan": "Z"}
"""Who joins besides the leaders, and in which faction."""
OFTEN = ("Move a force",) * 5
WAYS: Mapping[str, Callable[[str], str]] = {"shipped": str, "fog": in_fog, "at-once": at_once}
"""How a scenario is played: as it is, in fog, or with orders that are carried out as they are given."""
PATIENCE = 0.05
"""How likely a side withdraws instead of acting."""
LOYALTY = 0.9
"""How likely somebody thinks better of going rogue; where people have ambitions, the first one does not."""


class Campaigning:
    """A war of four players: what each has done how often, the accounts of all that was gained and lost, and how likely a move goes toward a goal."""

    def __init__(self, front: Front, draw: random.Random, ambition: float = 0) -> None:
        self.front, self.draw, self.chance, self.ambition = front, draw, Chance(draw.random()), ambition
        self.world = front.world
        self.members = {"Ann": front.ann, "Bo": front.bo}
        self.done = Counter[str]()
        self.accounts, self.rogues = Accounts(self.world), set[str]()

    async def gather(self) -> None:
        """Let the others join, with a squadron each."""
        self.world.dice._script = AnyDice(self.draw)  # type: ignore[assignment] # faces that nobody wrote down
        for name, faction in PLAYERS.items():
            self.members[name] = await recruit(self.front, name, faction)
            await self.set("rank", f"{name} Captain")
        for name, player in (("12th Squadron", "Cid"), ("22nd Squadron", "Dan")):
            await self._handed(name, player)
        self.accounts.open(await self.front.stands())

    async def turn(self) -> None:
        """Let a turn go by: orders, their resolution, battles to their end; then all is as it should be."""
        await self.lead()
        for name in self.members:
            for _ in range(self.draw.randint(2, 6)):
                await self.order(name)
                await self.maybe_restart()
        before = await self.front.stands()
        if not before.battles and before.winner is None:  # orders at once have effects already
            await self.resolve()
        while (war := await self.front.stands()).battles and war.winner is None:
            await self.act(war)
            await self.maybe_restart()
            self._note(war)
        if war.winner is None and war.turn == before.turn:
            await self.resolve()
        await require_sound(self.front, self.accounts)
        await require_gathered(self.front)
        self._note(war)
        if war.winner is None:
            await self.front.close()

    async def order(self, name: str) -> None:
        """Give an order out of what is completed."""
        kind = self.draw.choice([*OFTEN, *await self._offered(name, "kind")])
        who = self.draw.choice(await self._offered(name, "who", kind=kind) or [""])
        war = await self.front.stands()
        if not who or (kind == "Go rogue" and not self._leaves(war)):
            return
        given = {"kind": kind, "who": who}
        for option in ("to", "with"):
            found = await self._offered(name, option, **given)
            if found:
                given[option] = self._chosen(war, kind, who, found)
        if kind == "Name a rogue faction":
            given["to"] = f"Free {self.draw.randrange(1000)}"
        before = await self._newest()
        answer = response(await self.members[name].slash(self.world.orders, "order give", **given))
        taken = "Order given" in text(answer) or "Order carried out" in text(answer)
        assert taken or "(E" in text(answer) or "takes this order" in text(answer), (given, text(answer))
        assert answer.ephemeral
        assert taken == (await self._newest() > before)
        self.done["ordered" if taken else "refused"] += 1
        self.done[kind] += taken

    def _leaves(self, war: War) -> bool:
        """Whether somebody goes rogue."""
        first = all(item.faction in {"E", "Z"} for item in war.players.values())
        return bool(self.ambition and first) or self.draw.random() >= LOYALTY

    def _chosen(self, war: War, kind: str, who: str, found: list[str]) -> str:
        """Which of what is offered is ordered: a panel on the way to a goal, or any."""
        bold = kind == "Move a force" and self.ambition and self.draw.random() < self.ambition
        return (toward(war, who, found) if bold else None) or self.draw.choice(found)

    def _note(self, war: War) -> None:
        """Count rogue factions that are new or gone, and a war that is won."""
        now = rogues(war)
        self.done["founded"] += len(now - self.rogues)
        self.done["dissolved"] += len(self.rogues - now)
        self.done["won"] += war.winner is not None
        self.rogues = now

    async def lead(self) -> None:
        """Appoint a leader where a faction has none, as a game master."""
        war = await self.front.stands()
        for name, side in war.factions.items():
            able = [player for player, item in war.players.items() if item.faction == name]
            if side.leader is None and able:
                await self.set("post", f"{name} leader {self.draw.choice(able)}")

    async def set(self, what: str, to: str) -> None:
        """Set something as a game master."""
        answer = await self.world.gm.slash(self.world.orders, "war set", what=what, to=to, reason="As it is")
        assert "(E" not in text(response(answer)), text(response(answer))

    async def resolve(self) -> None:
        """Resolve what is to be resolved, now and then by a bot that was started anew after the plan was shown."""
        plan = await self.world.gm.slash(self.world.orders, "update resolve")
        shown = (plan.followups or [response(plan)])[-1]
        await self.maybe_restart()
        made = response(await self.world.gm.click(shown, label="Resolve all"))
        assert "Orders resolved" in text(made), text(made)

    async def act(self, war: War) -> None:
        """Let whoever is awaited in the first battle act, retreat or withdraw."""
        deed = next_deed(self.chance, RULES, war, [], _never)
        if isinstance(deed, deeds.Retreat):
            force = war.forces[deed.who]
            at = str(next(at for at, battle in war.battles.items() if deed.who in battle.forces))
            to = {} if deed.to is None else {"to": str(deed.to)}
            await self._battle(self._member(force.commander), "retreat", force=deed.who, battle=at, **to)
            return
        assert isinstance(deed, deeds.Fight)
        order = deed.order
        if self.draw.random() < PATIENCE:
            order = Withdraw(self.draw.choice(war.battles[deed.at].fight.sides))
        await self._fought(war, deed.at, order)

    async def _fought(self, war: War, at: Hex, order: BoardOrder) -> None:
        """Use the command that an order on a board is."""
        fight = war.battles[at].fight
        side = fight.units[order.unit].side if isinstance(order, Step | Shoot | Clash | Fire) else fight.active
        names = [name for name, of in war.battles[at].forces.items() if of == side]
        member = self._member(war.forces[names[0]].commander if names else None)
        where = {"battle": str(at)}
        match order:
            case Step():
                await self._battle(member, "act", unit=order.unit, to=str(order.to), **where)
            case Clash():
                options = {"attack": "melee", "target": order.target, "call": order.call or "heads", "roll": "now"}
                await self._battle(member, "act", unit=order.unit, **options, **where)
            case Shoot():
                others = {"with": ", ".join(order.others)} if order.others else {}
                options = {"attack": "shoot", "target": str(order.target), "roll": "now", **others}
                await self._battle(member, "act", unit=order.unit, **options, **where)
            case Fire():
                await self._battle(member, "act", unit=order.unit, toward=order.way, roll="now", **where)
            case Next():
                await self._battle(self.world.gm, "next", **where)
            case Withdraw():
                label = war.factions[order.side].name if order.side in war.factions else order.side
                asked = await self.world.gm.slash(self.world.orders, "battle withdraw", side=label, **where)
                await self.world.gm.click(response(asked), label="Withdraw")
                self.done["withdraw"] += 1

    async def _battle(self, member: simcord.MemberActor, deed: str, **options: str) -> None:
        before = await self._newest()
        answer = response(await member.slash(self.world.orders, f"battle {deed}", **options))
        assert await self._newest() > before, (deed, options, text(answer))
        self.done[options.get("attack", deed)] += 1

    async def maybe_restart(self) -> None:
        """Start the bot anew, now and then."""
        if self.draw.random() < 0.03:
            self.done["restart"] += 1
            await self.world.restart()

    async def _handed(self, force: str, player: str) -> None:
        leader = self.front.ann if player == "Cid" else self.front.bo
        answer = response(await self.front.order(leader, "assign", force, to=player))
        assert "Order given" in text(answer) or "Order carried out" in text(answer), text(answer)

    async def _offered(self, name: str, option: str, **given: str) -> list[str]:
        found = await self.members[name].autocomplete(self.world.orders, "order give", option, "", **given)
        return [str(item["value"]) for item in found]

    async def _newest(self) -> int:
        return self.accounts.newest()

    def _member(self, player: str | None) -> simcord.MemberActor:
        return self.members.get(player or "", self.world.gm)


def _never(*_of: object) -> bool:
    return False


async def play(world: World, seed: int, turns: int, scenario: str | None = None, ambition: float = 0) -> Counter[str]:
    """Play a war by the shipped scenario or another text, and claim after every turn that it is sound; gives what was done how often."""
    war = Campaigning(await begun(world, scenario), random.Random(seed), ambition)  # noqa: S311 - chance that repeats
    await war.gather()
    for _ in range(turns):
        if (await war.front.stands()).winner is None:
            await war.turn()
            war.done["turns"] += 1
    war.accounts.require_each_once()
    world.dice.script()
    return war.done


async def main(seeds: int, turns: int, ambition: float, scenario: str) -> None:
    """Play as many wars by a scenario, and print what was done in them."""
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder, migrated_url("sqlite", Path(folder)) as url:
            async with running(url) as world:
                counts = await play(world, seed, turns, scenario, ambition)
                sys.stdout.write(f"{seed}: {dict(counts)}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.cogs.war.campaigning", description=__doc__)
    parser.add_argument("seeds", type=int)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--ambition", type=float, default=0.5, help="how likely a move goes toward a goal")
    parser.add_argument("--as", choices=WAYS, default="shipped", dest="way", help="how the shipped scenario is played")
    asked = parser.parse_args()
    asyncio.run(main(asked.seeds, asked.turns, asked.ambition, WAYS[asked.way](example())))
