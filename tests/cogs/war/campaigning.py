"""Whole random, repeatable wars through the bot, by four players and a game master."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import simcord

from rules.books.total_war import aftermath
from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import END, ON
from rules.books.total_war.fight import Clash, Fire, MoveUnit, Next, Shoot, Withdraw
from rules.books.total_war.fight import Order as BoardOrder
from rules.books.total_war.war import Force, War
from rules.geometry import Hex, hex_distance
from rules.orders import OrderKind
from tests.answers.random_play import Chance, next_deed
from tests.cogs.ledger.deeds import AnyDice
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.battle.field import Field
from tests.cogs.war.front import Front, at_once, begun, in_fog, recruit, require_gathered, started
from tests.cogs.war.interrupting import FIGHTS, interrupted
from tests.cogs.war.secrecy import Secrecy
from tests.rules.total_war.wars import RULES
from tests.support.acting import use_desk
from tests.support.reading import components, response, text
from tests.support.world import BOOKS, World


def toward(war: War, name: str, offered: Sequence[str], *, lasts: bool = False) -> str | None:
    """Return the offered panel nearest to a force's goal; in a war that `lasts` never a winning one."""
    force = war.forces.get(name)
    goal = None if force is None else _goal(war, force, lasts=lasts)
    return None if goal is None else min(offered, key=lambda at: hex_distance(Hex.parse(at), goal))


def rogues(war: War) -> set[str]:
    """Return the rogue factions."""
    return {name for name, side in war.factions.items() if side.rogue}


def spared(war: War, name: str) -> set[str]:
    """Return the panels that would win the war."""
    force = war.forces.get(name)
    ends = RULES.scenario.victory.ends
    return {str(side.seat) for whose, side in war.factions.items() if force and ends.get(whose) == force.faction}


def fallen(war: War) -> set[str]:
    """Return the factions that lost their capitol."""
    return {name for name, side in war.factions.items() if side.seat and war.panels[side.seat].owner != name}


def awaited(war: War) -> set[str]:
    """Return the factions whose leaders must decide about the end."""
    return set() if war.asked is None else {war.asked, RULES.scenario.victory.asks[war.asked]} - war.answers.keys()


def _goal(war: War, force: Force, *, lasts: bool) -> Hex | None:
    held = {at for at, panel in war.panels.items() if RULES.kind(panel).stronghold and panel.owner != force.faction}
    if war.is_lone(force.faction):
        return _nearest(force, held)
    seats = {at for at, panel in war.panels.items() if RULES.kind(panel).seat and panel.owner != force.faction}
    rogue = {at for at in held if war.panels[at].owner in rogues(war)}
    if lasts:
        seats = {at for at in seats if str(at) not in spared(war, force.name)}
    if lasts and force.kind == "fleet":
        return _nearest(force, seats or rogue)
    return _nearest(force, rogue or seats)


def _nearest(force: Force, places: Iterable[Hex]) -> Hex | None:
    return min(places, key=lambda at: (hex_distance(force.at, at), at), default=None)


LEADERS, PLAYERS = {"Ann": "E", "Bo": "Z"}, {"Cid": "E", "Dan": "Z"}
"""By faction."""
TWO = {*LEADERS.values()}
"""The factions of the start."""
MOVE, ROGUE, FOUND = "Move a force", "Go rogue", "Name a rogue faction"
PETITION, ANSWER = "Ask to join a faction", "Answer for a faction"
"""Orders that decide something."""
TAKES = {
    kind.label: (*["to"] * (kind.to is not None), *["with"] * (kind.beside is not None))
    for kind in BOOKS["total_war"].entries_of(OrderKind).values()
}
"""Their other options, by label."""
OFTEN = 0.6
"""The chance that a force moves."""
WAYS: Mapping[str, Callable[[str], str]] = {"shipped": str, "fog": in_fog, "at-once": at_once}
"""The scenario as it is, in fog, or at once."""
REFUSALS = ("takes this order", "that this one would undo")
"""Acceptable refusals of an order."""
RESOLVE = "Resolve all"
PATIENCE, RESTARTS = 0.05, 0.03
"""The chances to withdraw, and to restart."""
SELDOM = {ROGUE: 0.05, PETITION: 0.2}
"""The chance of a far-reaching act; with ambition the first is certain."""


class Campaigning:
    """A war of four players with its accounts.

    One that `lasts` avoids its end, is followed by another if won, and restarts once in each phase.
    """

    def __init__(self, front: Front, draw: random.Random, ambition: float = 0, *, lasts: bool = False) -> None:
        self.front, self.draw, self.chance, self.ambition = front, draw, Chance(draw.random()), ambition
        self.world, self.lasts = front.world, lasts
        self.members = {"Ann": front.ann, "Bo": front.bo}
        self.done = Counter[str]()
        self.accounts, self.before = Accounts(self.world), War({}, {}, {})
        self.interrupted = set[str]()
        self.scenario: str | None = None
        self.secrecy: Secrecy | None = None

    async def gather(self) -> None:
        """Let the others join with a squadron each."""
        rules = await self.front.rules()
        if rules.scenario.has_fog:
            self.secrecy = Secrecy(self.front, rules, self.members)
            self.accounts.watch = self.secrecy.note
            await self.secrecy.open(TWO)
        self.world.dice._script = AnyDice(self.draw)  # type: ignore[assignment] # faces that nobody wrote down
        for name, faction in PLAYERS.items():
            self.members[name] = await recruit(self.front, name, faction)
        await self.equip()

    async def again(self) -> None:
        """Begin another war with the same players."""
        self.accounts.close()
        await started(self.world, self.scenario)
        for name, faction in (LEADERS | PLAYERS).items():
            await self.members[name].slash(self.world.orders, "war join", faction=faction, callsign=name)
        await self.equip()

    async def equip(self) -> None:
        """Give followers a rank and a squadron."""
        for name in PLAYERS:
            await self.set("rank", f"{name} Captain")
        for name, player in (("12th Squadron", "Cid"), ("22nd Squadron", "Dan")):
            await self._handed(name, player)
        self.accounts.open(await self.front.stands())

    async def turn(self) -> None:
        """Play a turn and check it."""
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
            await self.maybe_restart(FIGHTS)
            self._note(war)
        if war.winner is None and war.turn == before.turn:
            await self.resolve()
        await require_sound(self.front, self.accounts)
        await require_gathered(self.front)
        self.accounts.require_each_once()
        self._note(await self.front.stands())
        await self.front.close()
        if self.secrecy is not None:
            self.accounts.follow()
            await self.secrecy.require_kept(await self.front.stands())
        self.done["turns"] += 1

    async def order(self, name: str) -> None:
        """Give a completed order."""
        kind = MOVE if self.draw.random() < OFTEN else ""
        who = self.draw.choice(await self._offered(name, "who", **({"kind": kind} if kind else {})) or [""])
        kind = kind or self.draw.choice(await self._offered(name, "kind", who=who) if who else [""])
        war = await self.front.stands()
        if kind not in TAKES or not (self._is_bold(war, kind) or self.draw.random() < SELDOM.get(kind, 1)):
            return
        given = {"kind": kind, "who": who}
        for option in TAKES[kind] if who else ():
            found = await self._offered(name, option, **given)
            if found:
                given[option] = self._chosen(war, kind, who, found)
        if kind == FOUND:
            given["to"] = f"Free {self.draw.randrange(1000)}"
        if not who or ("to" in TAKES[kind] and "to" not in given):  # nobody can do that
            return
        taken = await self._given(self.members[name], given)
        self.done["ordered" if taken else "refused"] += 1
        self.done[kind] += taken
        self.done[name] += taken

    async def _given(self, member: simcord.MemberActor, given: Mapping[str, str]) -> bool:
        before = self.accounts.newest()
        answer = response(await member.slash(self.world.orders, "order give", **given))
        taken = "Order given" in text(answer) or "Order carried out" in text(answer)
        assert taken or any(why in text(answer) for why in REFUSALS), (given, text(answer))
        assert answer.ephemeral
        self._heard(member, answer)
        assert taken == (self.accounts.newest() > before)
        return taken

    def _is_bold(self, war: War, kind: str) -> bool:
        return bool(self.ambition) and kind == ROGUE and all(item.faction in TWO for item in war.players.values())

    def _chosen(self, war: War, kind: str, who: str, found: list[str]) -> str:
        bold = kind == MOVE and self.ambition and self.draw.random() < self.ambition
        if self.lasts:
            found = [one for one in found if one not in {END, *spared(war, who)}] or found
        return (toward(war, who, found, lasts=self.lasts) if bold else None) or self.draw.choice(found)

    def _note(self, war: War) -> None:
        before, self.before = self.before, war
        self.done["founded"] += len(rogues(war) - rogues(before))
        self.done["dissolved"] += len(rogues(before) - rogues(war))
        self.done["fallen"] += len(fallen(war) - fallen(before))
        self.done["won"] += war.winner is not None

    async def lead(self) -> None:
        """Appoint missing leaders; let a lasting war go on."""
        war = await self.front.stands()
        for name, side in war.factions.items():
            able = [player for player, item in war.players.items() if item.faction == name]
            if side.leader is None and able:
                await self.set("post", f"{name} leader {self.draw.choice(able)}")
            elif side.leader and self.lasts and name in awaited(war):
                await self._given(self._member(side.leader), {"kind": ANSWER, "who": side.name, "to": ON})
                self.done["answered"] += 1

    async def set(self, what: str, to: str) -> None:
        """Set something as a game master."""
        answer = await self.world.gm.slash(self.world.orders, "gm-war set", what=what, to=to, reason="As it is")
        assert Refused.title not in text(response(answer)), text(response(answer))

    async def resolve(self) -> None:
        """Resolve, with restarts after the plan or in between."""
        if self.lasts:
            self.interrupted |= await interrupted(self.world, self.interrupted)
        plan = await self.world.gm.slash(self.world.orders, "gm resolve")
        shown = (plan.followups or [response(plan)])[-1]
        await self.maybe_restart()
        if any(item.get("label") == RESOLVE for item in components(shown)):
            made = response(await self.world.gm.click(shown, label=RESOLVE))
            assert "resolved" in text(made), text(made)
            return
        assert self.lasts, text(shown)
        assert "No orders to resolve" in text(shown), text(shown)
        if "Press Digest" in text(shown):  # all was done when the bot was gone, and nothing told
            await use_desk(self.world.gm, self.world.orders, "Digest")

    async def act(self, war: War) -> None:
        """Let the waiting side act, retreat or withdraw."""
        deed = next_deed(self.chance, RULES, war, [], _never)
        if isinstance(deed, aftermath.Retreat):
            force = war.forces[deed.who]
            at = str(next(at for at, battle in war.battles.items() if deed.who in battle.forces))
            to = {} if deed.to is None else {"to": str(deed.to)}
            await self._battle(self._member(force.commander), "retreat", force=deed.who, battle=at, **to)
            return
        assert isinstance(deed, aftermath.FightAction)
        order = deed.order
        if self.draw.random() < PATIENCE:
            order = Withdraw(self.draw.choice(war.battles[deed.at].fight.sides))
        await self._fought(war, deed.at, order)

    async def _fought(self, war: War, at: Hex, order: BoardOrder) -> None:
        fight = war.battles[at].fight
        side = fight.units[order.unit].side if isinstance(order, MoveUnit | Shoot | Clash | Fire) else fight.active
        names = [name for name, of in war.battles[at].forces.items() if of == side]
        member = self._member(war.forces[names[0]].commander if names else None)
        where = {"battle": str(at)}
        match order:
            case MoveUnit():
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
        before = self.accounts.newest()
        answer = response(await Field.sure(member, await member.slash(self.world.orders, f"battle {deed}", **options)))
        assert self.accounts.newest() > before, (deed, options, text(answer))
        self._heard(member, answer)
        self.done[options.get("attack", deed)] += 1

    async def maybe_restart(self, phase: str | None = None) -> None:
        """Restart now and then, at once in a phase without one yet."""
        due = self.lasts and phase is not None and phase not in self.interrupted
        if due or self.draw.random() < RESTARTS:
            self.done["restart"] += 1
            self.interrupted |= {phase} if phase else set()
            await self.world.restart()

    async def _handed(self, force: str, player: str) -> None:
        leader = self.front.ann if player == "Cid" else self.front.bo
        answer = response(await self.front.order(leader, "assign", force, to=player))
        assert "Order given" in text(answer) or "Order carried out" in text(answer), text(answer)

    async def _offered(self, name: str, option: str, **given: str) -> list[str]:
        found = await self.members[name].autocomplete(self.world.orders, "order give", option, "", **given)
        self._heard(self.members[name], str(found))
        return [str(item["value"]) for item in found]

    def _heard(self, member: simcord.MemberActor, answer: simcord.ResponseMessage | str) -> None:
        for name, of in self.members.items():
            if self.secrecy is not None and of is member:
                self.accounts.follow()
                self.secrecy.require_unheard(
                    name, answer if isinstance(answer, str) else f"{text(answer)} {answer.components}"
                )

    def _member(self, player: str | None) -> simcord.MemberActor:
        return self.members.get(player or "", self.world.gm)


def _never(*_of: object) -> bool:
    return False


async def play(  # noqa: PLR0913 - what is played, and how
    world: World, seed: int, turns: int, scenario: str | None = None, ambition: float = 0, *, lasts: bool = False
) -> Campaigning:
    """Play a war, checking each turn."""
    draw = random.Random(seed)  # noqa: S311 - chance that repeats
    war = Campaigning(await begun(world, scenario), draw, ambition, lasts=lasts)
    war.scenario = scenario
    await war.gather()
    for _ in range(turns):
        if (await war.front.stands()).winner is None:
            await war.turn()
        elif lasts:
            await war.again()
            await war.turn()
    world.dice.script()
    return war
