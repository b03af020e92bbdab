"""Groups follow factions, with what each may read."""

from __future__ import annotations

from dataclasses import dataclass

import simcord

from bot.core.permissions import MAX_GROUPS
from tests.cogs.campaign.grouping import group, make_hidden_channel, newest_entry, reads, undo_entry
from tests.cogs.war.front import E, Front, at_once, begun, example, in_fog, recruit
from tests.support.acting import confirmed, list_groups, save_group
from tests.support.prepared import prepared
from tests.support.reading import assert_lacks, assert_says, newest, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry

COLONY, ROGUES, NAME = "1,-3", "Cid's rogues", "Free Side 3"
DIGEST = "What your faction saw this turn"


@dataclass
class Revolt:
    """A war in fog at once; Cid has the 11th Squadron, `blue` is the Federation's channel."""

    front: Front
    cid: simcord.MemberActor
    blue: simcord.ChannelHandle

    @property
    def world(self) -> World:
        """The server."""
        return self.front.world

    async def order(self, who: simcord.MemberActor, kind: str, doer: str, **options: str) -> int:
        """Give an order, and return its entry."""
        answer = said(await self.front.order(who, kind, doer, **options))
        assert "Order carried out" in answer, answer
        assert "#None" not in answer  # the staff is told of groups besides, by no entry
        world = self.world
        return next(
            number for number in range(newest_entry(world), 0, -1) if entry(world, number).get("family") == kind
        )

    async def told(self, group: str) -> int:
        """Roll for a group, and return the entry."""
        self.world.dice.script(3, sides=6)
        await self.world.gm.slash(self.world.orders, "roll", expression="1d6", to=group)
        return newest_entry(self.world)

    async def inside(self, group: str) -> str:
        """Return a group's members and channel."""
        listed = await list_groups(self.world)
        (line,) = [line for line in listed.splitlines() if line.startswith(f"**{group}**")]
        return line.partition("**: ")[2]

    async def housed(self, group: str, name: str) -> simcord.ChannelHandle:
        """Give a group a channel."""
        channel = make_hidden_channel(self.world, name)
        answer = said(await save_group(self.world, group, channel=channel))
        assert "is saved" in answer, answer
        return channel

    async def founded(self) -> int:
        """Let Cid found a faction, and return the entry."""
        await self.order(self.cid, "rogue", "Cid")
        await self.attacked(self.cid, "11th Squadron")
        assert "R1" in (await self.front.stands()).factions
        return newest_entry(self.world)

    async def attacked(self, who: simcord.MemberActor, force: str) -> None:
        """Let a rogue win the colony."""
        await self.front.order(who, "move", force, to=COLONY)
        await confirmed(self.world, "battle withdraw", side=E)

    def staff_told(self) -> str:
        """Return the staff's notices about groups."""
        posts = [text(message) for message in self.world.staff.history()]
        return "\n".join(post for post in posts if "Groups of factions" in post)


@prepared
async def revolt(world: World) -> Revolt:
    """Begin the war with Cid and his squadron."""
    front = await begun(world, at_once(in_fog(example())))
    cid = await recruit(front, "Cid", "E")
    begins = Revolt(front, cid, make_hidden_channel(world, "blue", cid))
    await save_group(world, E, channel=begins.blue)
    await world.gm.slash(world.orders, "gm-war set", what="rank", to="Cid Captain", reason="As it is")
    await begins.order(front.ann, "assign", "11th Squadron", to="Cid")
    return begins


async def test_who_goes_rogue_reads_nothing_of_the_old_faction(world: World) -> None:
    """The staff reads what is left to do."""
    begins = await revolt(world)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=begins.cid)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Sayla", owner=world.stranger)
    await save_group(world, E, members="Kai, Sayla")
    before = await begins.told(E)
    assert await reads(world, begins.cid, before)
    assert "gold" in await begins.front.sheet(E, begins.cid)
    await begins.order(begins.cid, "rogue", "Cid")
    after = await begins.told(E)
    await begins.order(begins.front.ann, "move", "1st Fleet", to="SW")
    await begins.front.resolve()
    for number in (before, after):
        assert (await reads(world, begins.cid, number), await reads(world, begins.front.ann, number)) == (False, True)
    line = await begins.inside(E)
    assert all(
        (name in line) == stays for name, stays in (("Ann", True), ("Cid", False), ("Kai", False), ("Sayla", True))
    )
    assert "1st Fleet" not in await begins.front.sheet(who=begins.cid)
    assert "100 gold" not in await begins.front.sheet(E, begins.cid)
    assert_says(text(newest(begins.blue)), "1st Fleet moves", "Cid is now a lone rogue")
    assert f"Cid, Kai left {E}. Remove the player from <#{begins.blue.id}>." in begins.staff_told()
    await require_whole(world)


async def test_a_faction_founded_in_play_is_told_what_it_sees(world: World) -> None:
    """From its founding on."""
    begins = await revolt(world)
    await begins.founded()
    assert "Cid" in await begins.inside(ROGUES)
    assert f"{ROGUES} has no channel for its results" in begins.staff_told()
    red = await begins.housed(ROGUES, "red")
    await begins.order(begins.front.ann, "research", E, to="guncannon")
    await begins.front.resolve()
    told, others = text(newest(red)), text(newest(begins.blue))
    assert_says(told, DIGEST, f"New faction: {ROGUES}, led by Cid.")
    assert "guncannon" not in told
    assert "guncannon" in others
    await require_whole(world)


async def test_a_renamed_faction_keeps_its_group(world: World) -> None:
    """Undone, the name returns; the digest is one."""
    begins = await revolt(world)
    await begins.founded()
    red = await begins.housed(ROGUES, "red")
    renamed = await begins.order(begins.cid, "found", ROGUES, to=NAME, **{"with": "#2e7d32"})
    assert "Cid" in await begins.inside(NAME)
    await undo_entry(world, renamed)
    assert "Cid" in await begins.inside(ROGUES)
    await begins.order(begins.cid, "found", ROGUES, to=NAME, **{"with": "#2e7d32"})
    await save_group(world, NAME, name="Rebels")
    await begins.front.resolve()
    (told,) = [text(message) for message in red.history() if DIGEST in text(message)]
    assert_says(told, "New faction: ", f"{ROGUES} is now called {NAME}", f"{NAME} gets")
    await require_whole(world)


async def test_a_dissolved_faction_has_the_last_word_in_its_channel(world: World) -> None:
    """Then its people are in no group."""
    begins = await revolt(world)
    await begins.founded()
    red = await begins.housed(ROGUES, "red")
    before = await begins.told(ROGUES)
    assert await reads(world, begins.cid, before)
    await begins.front.end_turn()
    await begins.order(begins.front.ann, "move", "1st Fleet", to="2,-3")
    await begins.front.end_turn()
    await begins.front.order(begins.front.ann, "move", "1st Fleet", to=COLONY)
    await confirmed(world, "battle withdraw", begins.cid)
    await begins.cid.slash(world.orders, "battle retreat", to="0,-2")
    assert "R1" not in (await begins.front.stands()).factions
    assert not await reads(world, begins.cid, before)
    await begins.front.resolve()
    told = text(newest(red))
    assert_says(told, f"{ROGUES} lost its last stronghold and dissolves", "11th Squadron now belongs to Cid.")
    assert_lacks(told, "is lost", "Turn 3 begins", "New faction: ")
    assert "Cid" not in await begins.inside(ROGUES)
    await require_whole(world)


async def test_a_faction_that_a_game_master_ends_is_told_so(world: World) -> None:
    """A new one with its id has another group."""
    begins = await revolt(world)
    await begins.founded()
    red, dan = await begins.housed(ROGUES, "red"), await recruit(begins.front, "Dan", "E")
    for what, to in (("owner", f"{COLONY} E"), ("force", "11th Squadron to 2,-3"), ("rank", "Dan Captain")):
        await world.gm.slash(world.orders, "gm-war set", what=what, to=to, reason="A treaty")
    assert "R1" not in (await begins.front.stands()).factions
    await begins.order(begins.front.ann, "assign", "12th Squadron", to="Dan")
    await world.gm.slash(world.orders, "gm-war set", what="force", to="12th Squadron to 1,-2", reason="As agreed")
    await begins.order(dan, "rogue", "Dan")
    await begins.attacked(dan, "12th Squadron")
    assert (await begins.front.stands()).factions["R1"].leader == "Dan"
    green = await begins.housed("Dan's rogues", "green")
    await begins.order(dan, "found", "Dan's rogues", to=ROGUES, **{"with": "#2e7d32"})
    assert "Dan" in await begins.inside(f"{ROGUES} 2")
    assert "Dan" not in await begins.inside(ROGUES)
    await begins.order(dan, "found", ROGUES, to=NAME, **{"with": "#2e7d32"})
    assert "Dan" in await begins.inside(NAME)
    await begins.front.resolve()
    old, new = text(newest(red)), text(newest(green))
    assert f"{ROGUES} lost its last stronghold and dissolves" in old
    assert "New faction: Dan's rogues" not in old
    assert "New faction: Dan's rogues" in new
    assert "dissolves" not in new
    await require_whole(world)


async def test_who_is_taken_in_moves_into_the_group(world: World) -> None:
    """The staff reads who needs access."""
    begins = await revolt(world)
    await world.gm.slash(world.orders, "roster edit", name="Cid", new_name="Sid")
    red = await begins.housed("Zeon", "red")
    number = await begins.told("Zeon")
    await begins.order(begins.cid, "rogue", "Cid")
    await begins.order(begins.cid, "petition", "Cid", to="Zeon")
    assert not await reads(world, begins.cid, number)
    await begins.order(begins.front.bo, "answer", "Zeon", to="Cid", **{"with": "yes"})
    assert await reads(world, begins.cid, number)
    assert "Sid" not in await begins.inside(E)
    assert "Sid" in await begins.inside("Zeon")
    assert f"Sid joined Zeon. Give the player access to <#{red.id}>" in begins.staff_told()
    await require_whole(world)


async def test_a_change_of_faction_is_taken_back_with_its_change_of_groups(world: World) -> None:
    """Later members and channels stay."""
    begins = await revolt(world)
    rogue = await begins.order(begins.cid, "rogue", "Cid")
    petition = await begins.order(begins.cid, "petition", "Cid", to="Zeon")
    admitted = await begins.order(begins.front.bo, "answer", "Zeon", to="Cid", **{"with": "yes"})
    await begins.housed("Zeon", "red")
    await recruit(begins.front, "Dan", "Z")
    await undo_entry(world, admitted)
    assert "Cid" not in await begins.inside("Zeon")
    await undo_entry(world, petition)
    await recruit(begins.front, "Eve", "E")
    await undo_entry(world, rogue)
    war = await begins.front.stands()
    assert {name: item.faction for name, item in war.players.items()} == {
        "Ann": "E",
        "Bo": "Z",
        "Cid": "E",
        "Dan": "Z",
        "Eve": "E",
    }
    ours, theirs = await begins.inside(E), await begins.inside("Zeon")
    assert all(name in ours for name in ("Ann", "Cid", "Eve"))
    assert all(name in theirs for name in ("Bo", "Dan"))
    assert "Cid" not in theirs
    assert "<#" in theirs
    assert begins.staff_told().splitlines()[-2].startswith(f"Cid joined {E}. Give the player access to")
    await require_whole(world)


async def test_a_founding_is_taken_back_with_its_group(world: World) -> None:
    """A group with a channel stays empty."""
    begins = await revolt(world)
    founding = await begins.founded()
    await undo_entry(world, founding)
    listed = await list_groups(world)
    assert ROGUES not in listed
    await confirmed(world, "battle withdraw", side=E)
    await begins.housed(ROGUES, "red")
    await undo_entry(world, newest_entry(world) - 1)
    assert "R1" not in (await begins.front.stands()).factions
    assert "Cid" not in await begins.inside(ROGUES)
    await require_whole(world)


async def test_a_wars_beginning_is_taken_back_although_its_groups_were_changed(world: World) -> None:
    """A group with a channel stays empty."""
    begins = await revolt(world)
    first = next(number for number in range(1, newest_entry(world)) if "Earth Federation" in str(entry(world, number)))
    await undo_entry(world, first)
    listed = await list_groups(world)
    assert "Zeon" not in listed
    assert "Ann" not in await begins.inside(E)
    await require_whole(world)


async def test_a_campaign_full_of_groups_has_one_for_a_faction_once_there_is_room(world: World) -> None:
    """With the next change."""
    begins = await revolt(world)
    for place in range(MAX_GROUPS - 2):
        await group(world, "add", name=f"Group {place}")
    await begins.founded()
    listed = await list_groups(world)
    assert ROGUES not in listed
    await group(world, "remove", group="Group 3")
    await begins.front.resolve()
    assert "Cid" in await begins.inside(ROGUES)
    await require_whole(world)


async def test_another_war_begins_with_nobody_in_its_groups(world: World) -> None:
    """Players return when they join."""
    begins = await revolt(world)
    await begins.founded()
    assert "Cid" in await begins.inside(ROGUES)
    shown = response(
        await world.gm.slash(world.orders, "gm-war new", scenario=("war.toml", in_fog(example()).encode()))
    )
    await world.gm.click(shown, label="Start")
    assert "no members" in await begins.inside(E)
    assert "no members" in await begins.inside("Zeon")
    assert "no members" in await begins.inside(ROGUES)
    assert f"<#{begins.blue.id}>" in await begins.inside(E)
    await begins.front.ann.slash(world.orders, "war join", faction="Zeon", callsign="Ann")
    assert "Ann" in await begins.inside("Zeon")
    assert "no members" in await begins.inside(E)
    await require_whole(world)
