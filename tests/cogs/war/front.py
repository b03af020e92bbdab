"""A war for tests: two commanders and a game master."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import simcord
from sqlalchemy import Connection

from bot.cogs.war.posts import read_links
from bot.cogs.war.wars import BOOK
from bot.core import permissions, profiles
from bot.core.campaigns import open_campaign
from bot.core.library import Library
from bot.core.permissions import Group
from bot.orders.kinds import scene_of
from rules.books.total_war import storage
from rules.books.total_war.scenario_file import EXAMPLE
from rules.books.total_war.war import Rules, War
from tests.support.acting import take_back
from tests.support.prepared import prepared
from tests.support.reading import press, refused, response, said, text
from tests.support.world import World, rows

E, Z = "Earth Federation", "Principality of Zeon"


@dataclass
class Front:
    """A war: Ann leads the Federation, Bo leads Zeon."""

    world: World
    ann: simcord.MemberActor
    bo: simcord.MemberActor

    async def order(self, who: simcord.MemberActor, kind: str, doer: str, **options: str) -> simcord.InteractionResult:
        """Give an order."""
        return await who.slash(self.world.orders, "order give", kind=kind, who=doer, **options)

    async def resolve(self) -> None:
        """Resolve the turn, and check that its posts are linked."""
        shown = response(await self.world.gm.slash(self.world.orders, "gm resolve"))
        done = await self.world.gm.click(shown, label="Resolve all")
        assert "#None" not in text(response(done))

    async def close(self) -> None:
        """Close the update."""
        shown = response(await self.world.gm.slash(self.world.orders, "gm close"))
        await self.world.gm.click(shown, custom_id=press(shown, "close"))

    async def end_turn(self) -> None:
        """Resolve and close."""
        await self.resolve()
        await self.close()

    async def stands(self) -> War:
        """Return the present war."""
        bot = self.world.bots[-1]
        return (await bot.database.read(_read, bot.library))[1]

    async def rules(self) -> Rules:
        """Return its rules."""
        bot = self.world.bots[-1]
        return (await bot.database.read(_read, bot.library))[0]

    async def sheet(self, what: str | None = None, who: simcord.MemberActor | None = None) -> str:
        """Return a sheet's text."""
        options: dict[str, Any] = {"what": what} if what else {}
        return text(response(await (who or self.world.gm).slash(self.world.orders, "war show", **options)))


@prepared
async def begun(world: World, scenario: str | None = None) -> Front:
    """Begin a war; both leaders join."""
    world.typed.append("gm")  # what a model of units is called, and the test's game master too
    await world.gm.slash(world.orders, "gm settings", books="total_war")
    await started(world, scenario)
    bo = world.guild.add_member(world.env.create_user("bo"), roles=[world.roles["player"]])
    front = Front(world, world.player, bo)
    await front.ann.slash(world.orders, "war join", faction=E, callsign="Ann")
    await front.bo.slash(world.orders, "war join", faction="Z", callsign="Bo")
    return front


async def started(world: World, scenario: str | None = None) -> None:
    """Begin a war without players."""
    options = {} if scenario is None else {"scenario": ("war.toml", scenario.encode())}
    shown = response(await world.gm.slash(world.orders, "gm-war new", **options))
    await world.gm.click(shown, label="Start")


def example() -> str:
    """Return the shipped scenario."""
    return EXAMPLE.read_text()


def in_fog(text: str) -> str:
    """Return a scenario in fog, one panel of sight."""
    return text.replace('fog           = "open"', 'fog           = "near"\nsight         = 1')


def at_once(text: str) -> str:
    """Return a scenario with immediate orders."""
    return text.replace('orders        = "sealed"', 'orders        = "at-once"')


def changed(**words: str) -> str:
    """Return the scenario with forces elsewhere; underscores are blanks."""
    text = example()
    for name, at in words.items():
        before, here, after = text.partition(f'name    = "{name.replace("_", " ").strip()}"')
        assert here, name
        text = before + here + re.sub(r'(at +=) "[^"]*"', rf'\1 "{at}"', after, count=1)
    return text


async def recruit(front: Front, name: str, faction: str) -> simcord.MemberActor:
    """Let another player join."""
    world = front.world
    member = world.guild.add_member(world.env.create_user(name.casefold()), roles=[world.roles["player"]])
    await member.slash(world.orders, "war join", faction=faction, callsign=name)
    return member


def _read(tx: Connection, library: Library) -> tuple[Rules, War]:
    campaign = open_campaign(tx, 1, lock=False)
    book = library.book(tx, campaign, BOOK)
    scene = scene_of(tx, campaign.id, book)
    assert scene is not None
    return storage.read(book, scene.values)


async def listed(front: Front, who: simcord.MemberActor) -> str:
    """Return a person's list of orders."""
    return said(await who.slash(front.world.orders, "order list"))


async def plan(front: Front) -> simcord.ResponseMessage:
    """Return the plan."""
    return response(await front.world.gm.slash(front.world.orders, "gm resolve"))


def code(result: simcord.InteractionResult) -> str:
    """Return a refusal without its markup."""
    return refused(result).replace("\\", "")


def rolled(world: World) -> list[int]:
    """Return the entries of what was carried out."""
    return [number for (number,) in rows(world, "select number from entry where kind = 'roll' order by number")]


async def voided(front: Front, number: int) -> None:
    """Undo an entry."""
    await take_back(front.world, "gm undo", entry=number, reason="Played otherwise")


async def given(front: Front, who: simcord.MemberActor, kind: str, doer: str, **options: str) -> str:
    """Give an order and return its answer."""
    answer = said(await front.order(who, kind, doer, **options))
    assert "Order given" in answer, answer
    return answer


async def require_gathered(front: Front) -> None:
    """Check that groups match factions and players."""
    bot = front.world.bots[-1]
    war, links, every, owners = await bot.database.read(_groups, bot.library)
    for faction, side in war.factions.items():
        group = every.pop(links[faction])
        assert {owners[number] for number in group.members} == {
            item.owner for item in war.players.values() if item.faction == faction
        }
        assert group.name.startswith(side.name)
    assert [group for group in every.values() if group.members] == []


def _groups(tx: Connection, library: Library) -> tuple[War, dict[str, int], dict[int, Group], Mapping[int, str | None]]:
    campaign = open_campaign(tx, 1, lock=False)
    scene = scene_of(tx, campaign.id, library.book(tx, campaign, BOOK))
    assert scene is not None
    war = storage.read(scene.book, scene.values)[1]
    owners = {item.id: item.owner for item in profiles.list_profiles(tx, campaign.id)}
    every = {group.id: group for group in permissions.list_all_groups(tx, campaign.id)}
    return war, read_links(tx, campaign.id, scene.subject), every, owners
