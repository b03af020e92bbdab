"""Battles in fog, in the factions' channels."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import discord
import pytest
import simcord

from bot.cogs.war.posts import FACTION_POST, SEEN_BY, _act_posts
from bot.cogs.war.wars import FOUGHT, topic_of
from bot.outbox import queue
from rules.books.total_war.order_kinds import SEEN
from rules.geometry import Hex
from tests.cogs.campaign.grouping import make_hidden_channel
from tests.cogs.war.battle.field import AT, MOVED, Field
from tests.cogs.war.front import E, Front, Z, at_once, begun, changed, example, in_fog, recruit
from tests.cogs.war.test_fog import RAID, RAIDER, looked, tried
from tests.core.test_twin_worlds import STEPS, Falling, alike, press_all, read_shown, some
from tests.support import template
from tests.support.acting import save_group, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_lacks, assert_says, newest, refused, response, said, text
from tests.support.world import World, entry, rows, running, send_raw

DIGEST = "What your faction saw this turn"


@prepared
async def met(world: World, *, twice: bool = False) -> tuple[Field, simcord.ChannelHandle, simcord.ChannelHandle]:
    """Return a battle in fog, or two, and both groups' channels."""
    scenario = in_fog(example())
    for old, new in MOVED.items():
        scenario = scenario.replace(old, new, 1)
    front = await begun(world, scenario)
    blue, red = make_hidden_channel(world, "blue"), make_hidden_channel(world, "red", front.bo)
    for name, channel in ((E, blue), (Z.removeprefix("Principality of "), red)):
        await save_group(world, name, channel=channel)
    if twice:
        await world.gm.slash(
            world.orders, "gm-war set", what="force", to="+ 9th; squadron; Z; 1,-1; zaku", reason="More"
        )
        await front.order(front.ann, "move", "1st Fleet", to="1,-1")
    await front.order(front.ann, "move", "11th Squadron", to=AT)
    await front.resolve()
    return Field(front), blue, red


def opening(channel: simcord.ChannelHandle) -> discord.Message:
    """Return a channel's post of the battle on 0,1."""
    posts = [message for message in channel.history() if message.embeds]
    (post,) = [message for message in posts if str(message.embeds[0].title).strip("~") == "Battle on 0,1"]
    return post


async def lost(field: Field) -> None:
    """Let Zeon withdraw and retreat, and end the turn."""
    asked = response(await field.do(field.bo, "withdraw"))
    left = await field.bo.click(asked, label="Withdraw")
    gone = await field.do(field.bo, "retreat", to="0,2")
    for answer in (left, gone):  # there are no dice
        assert "Done: entry" in said(answer)
        assert "Die and modifiers" not in said(answer) + "".join(map(text, answer.followups))
    await field.front.resolve()


async def test_each_faction_reads_in_its_thread_what_it_sees_of_an_act(world: World) -> None:
    """With the board's button at a new half; undone, struck through."""
    field, blue, red = await met(world)
    threads = [channel.threads[0] for channel in (blue, red)]
    war = await field.front.stands()
    gm, zaku = (war.forces[name].units[0].id for name in ("11th Squadron", "21st Squadron"))
    await field.placed(**{gm: "E6", zaku: "E8"})
    await field.now(field.ann, gm, (6, 6), attack="Shoot", target=zaku)
    for thread in threads:
        told = text(newest(thread))
        assert_says(told, f"Amuro Ray ({gm} gm) attacks.", f"Char Aznable ({zaku} zaku) of Zeon is destroyed on E8.")
        assert "Entry #" not in told
        assert not newest(thread).components
    await field.do(field.ann, "next")
    for thread, who in zip(threads, (field.ann, field.bo), strict=True):
        assert "Zeon's half of turn 1 begins." in text(newest(thread))
        assert "Battle on 0,1" in text(response(await who.click(newest(thread), label="Show board")))
    number = rows(world, "select max(number) from entry")[0][0]
    await take_back(world, "gm undo", entry=number, reason="A slip")
    for thread in threads:
        assert "~~Zeon's half of turn 1 begins.~~" in text(newest(thread))
    await lost(field)
    for thread in threads:
        assert newest(thread).embeds[0].title == "21st Squadron retreats to 0,2."
        assert "Earth Federation takes 0,1" in text(newest(thread))
    assert "destroyed" not in "".join(text(message) for message in world.results.history())


async def test_a_battle_is_meant_in_the_thread_of_a_faction_too(world: World) -> None:
    """Of two battles."""
    field, blue, _ = await met(world, twice=True)
    assert "Which battle" in refused(await field.do(field.ann, "show"))
    await world.manager.slash(world.orders, "campaign link", channel=blue, campaign="Iron Sea")
    (thread,) = [item for item in blue.threads if item.name == "Battle on 0,1"]
    assert "Battle on 0,1" in text(response(await field.ann.slash(thread, "battle show")))


async def test_a_digest_tells_of_its_own_turn_alone(world: World) -> None:
    """Nothing twice."""
    field, blue, _ = await met(world)
    await lost(field)
    await field.front.close()
    await field.front.order(field.ann, "move", "11th Squadron", to="0,0")
    await field.front.resolve()
    told = text(newest(blue))
    assert_says(told, DIGEST, "11th Squadron moves from 0,1 to 0,0.")
    assert_lacks(told, "won the battle", "Turn 2 begins")


async def test_a_digest_that_is_struck_through_has_all_that_it_told(world: World) -> None:
    """A new one has what still counts."""
    field, blue, _ = await met(world)
    await lost(field)
    made = [number for (number,) in rows(world, "select number from entry where kind = 'roll' order by number")]
    before = text(newest(blue)).splitlines()[2:]
    first = next(number for number in made if "battles" in entry(world, number))
    await take_back(world, "gm undo", entry=made[-1], reason="A slip")
    await field.front.resolve()
    assert text(newest(blue)).splitlines()[2:] == before
    await take_back(world, "gm undo", entry=first, reason="A slip")
    told = text(newest(blue))
    assert_says(told, f"~~{DIGEST}~~", "21st Squadron retreats to 0,2.", "11th Squadron moves from 0,-1 to 0,1.")


async def test_what_a_faction_was_told_is_struck_through_with_what_is_taken_back(world: World) -> None:
    """The text stays readable."""
    field, blue, red = await met(world)
    await lost(field)
    made = [number for (number,) in rows(world, "select number from entry where kind = 'roll' order by number")]
    told = [text(newest(channel)) for channel in (blue, red)]
    await take_back(world, "gm undo", entry=made[-1], reason="A slip")
    for channel, before in zip((blue, red), told, strict=True):
        after = text(newest(channel))
        assert f"~~{DIGEST}~~" in after
        assert re.fullmatch(r"Void: undone by #\d+", newest(channel).embeds[0].author.name or "")
        assert before.splitlines()[1] in after
    first = next(number for number in made if "battles" in entry(world, number))
    await take_back(world, "gm undo", entry=first, reason="A slip")
    for channel in (blue, red):
        post = opening(channel)
        assert "~~Battle on 0,1~~" in text(post)
        assert not post.components


async def test_an_id_in_fog_tells_nothing_of_how_many_units_there_are(world: World) -> None:
    """Random three-digit numbers."""
    field, *_ = await met(world)
    await world.gm.slash(world.orders, "gm-war set", what="unit", to="1st Fleet + 3 gm", reason="More")
    fleet = (await field.front.stands()).forces["1st Fleet"].units
    numbers = [int(unit.id.removeprefix("u")) for unit in fleet]
    assert all(number >= 100 for number in numbers)
    assert numbers != sorted(numbers)
    assert max(numbers) - min(numbers) > len(numbers)


def test_what_an_act_brings_is_told_on_as_many_pages_as_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is lost."""
    lines = [f"Panel {number} is no more." for number in range(600)]
    part = {"inputs": {"at": "0,1"}, "record": {SEEN: {"E": lines}}}
    body = {FOUGHT: 7, SEEN_BY: {"E": 3}, "family": "retreat", "parts": [part]}
    opened = SimpleNamespace(kind=FACTION_POST, topic=topic_of(Hex(0, 1)), channel_id=30, thread_id=31)
    monkeypatch.setattr(queue, "posts_of_entry", lambda *_: [opened])
    given: Any = (None, SimpleNamespace(id=1, name="UC"), SimpleNamespace(content=lambda: body), {3: 30})
    told = [*_act_posts(*given)]
    assert len(told) > 1
    assert {message.channel_id for message in told} == {31}
    assert all(sum(map(len, message.embeds)) <= 6000 for message in told)
    said = "\n".join(f"{embed.title}\n{embed.description}" for message in told for embed in message.embeds)
    assert all(line in said for line in lines)


FOUGHT_BY_TWO, PASSED = "-1,3", "-1,2"
"""The rogue's goal in either world: Zeon's squadron, or next to it."""
SEALED = in_fog(changed(**{"2nd_Fleet": "-3,2", "22nd_Squadron": "-2,3", "21st_Squadron": "-1,3"}))
COMMANDS: tuple[tuple[str, dict[str, str]], ...] = (
    *((f"battle {name}", {}) for name in ("show", "next", "withdraw", "retreat")),
    *((f"battle {name}", {"battle": FOUGHT_BY_TWO}) for name in ("show", "next", "withdraw", "retreat")),
    ("battle act", {"unit": "u22", "target": "u18"}),
    ("battle act", {"unit": "u22", "to": "A2", "battle": FOUGHT_BY_TWO}),
    ("gm-war place", {"unit": "u22", "tile": "A2"}),
    ("gm-war condition", {"side": "Zeon"}),
    ("gm settings", {}),
    ("gm resolve", {}),
    ("gm close", {}),
    ("ledger", {"text": "Battle"}),
    ("ledger", {"text": "22nd Squadron"}),
    ("help", {}),
)
OPTIONS = {
    "battle show": ("battle", "unit", "to", "toward"),
    "battle act": ("battle", "unit", "to", "attack", "target", "with", "call", "toward"),
    "battle withdraw": ("side", "battle"),
    "battle retreat": ("to", "force", "battle"),
    "gm-war place": ("unit", "tile", "battle"),
    "gm-war condition": ("side", "battle"),
    "war show": ("what",),
    "war map": ("force", "faction"),
}
KEYS = (
    *(f"battle:1:{name}:{FOUGHT_BY_TWO}:{begun}" for name in ("show", "again") for begun in range(1, 30)),
    *(f"battle:1:words:{FOUGHT_BY_TWO}:{begun}:{unit}" for unit in ("", "u22") for begun in range(1, 30)),
    *(f"battle:1:next:{FOUGHT_BY_TWO}:{begun}:1:0" for begun in range(1, 30)),
    *(f"battle:1:withdraw:{FOUGHT_BY_TWO}:{begun}:1" for begun in range(1, 30)),
    *(f"battle:1:leave:{FOUGHT_BY_TWO}:{begun}:0" for begun in range(1, 30)),
    *(f"battle:1:retreat:{FOUGHT_BY_TWO}:{begun}:0:-1,2" for begun in range(1, 30)),
    *(f"war:1:reach:{name}" for name in ("22nd Squadron", "21st Squadron", "1st Fleet")),
)
"""Ids to forge."""


async def twins(tmp_path_factory: pytest.TempPathFactory, step: int, *, sealed: bool) -> list[list[str]]:
    """Return what outsiders read with and without the battle."""
    answers = []
    for goal in (FOUGHT_BY_TWO, PASSED):
        with template.migrated_url("sqlite", tmp_path_factory.mktemp("twin")) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment] # any number of dice
                front = await begun(world, SEALED if sealed else at_once(SEALED))
                dan, cid = await recruit(front, "Dan", "Z"), await recruit(front, "Cid", "E")
                await world.gm.slash(
                    world.orders, "gm-war set", what="force", to=RAIDER, reason="More"
                )  # in sight in both: the turn waits for it
                kind, doer, options = RAID
                await front.order(world.gm, kind, doer, **options)
                for who, kind, doer, options in (
                    (front.bo, "assign", "22nd Squadron", {"to": "Dan"}),
                    (front.ann, "assign", "12th Squadron", {"to": "Cid"}),
                    (dan, "rogue", "Dan", {}),
                    (cid, "rogue", "Cid", {}),
                    (dan, "move", "22nd Squadron", {"to": goal}),
                ):
                    answer = said(await front.order(who, kind, doer, **options))
                    assert ("Order given" if sealed else "Order carried out") in answer, answer
                    if sealed and kind != "assign":
                        await front.resolve()
                assert len((await front.stands()).battles) == 1 + (goal == FOUGHT_BY_TWO)
                answers.append([alike(line) async for line in told(front, cid, step)])
    return answers


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "at once"])
@pytest.mark.parametrize("step", STEPS)
async def test_a_battle_out_of_sight_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, times: int, step: int, *, sealed: bool
) -> None:
    """Commands, completions, forged ids and posts."""
    step = max(1, step // times)
    one, other = await twins(tmp_path_factory, step, sealed=sealed)
    assert [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]] == []
    assert len(one) > 1000 // step
    assert any("Battle on 1,-2: " in line for line in one if line.startswith("leader: war show"))


async def told(front: Front, cid: simcord.MemberActor, step: int) -> AsyncIterator[str]:
    """Yield all that outsiders read."""
    world = front.world
    onlooker = world.guild.add_member(world.env.create_user("x"), roles=[world.roles["player"]])
    people = {"leader": front.ann, "rogue": cid, "onlooker": onlooker, "stranger": world.stranger}
    for called, who in people.items():
        async for line in answered(front, who, step):
            yield f"{called}: {line}"
    async for line in tried(front, cid, ("12th Squadron", "Cid"), ("12th Squadron", "22nd Squadron"), step):
        yield f"rogue: {line}"
    async for line in tried(front, front.ann, (), ("1st Fleet", "22nd Squadron", "21st Squadron"), step):
        yield f"leader: {line}"
    for channel in (world.results, world.orders):
        for message in channel.history():
            yield f"post: {text(message)}"
        yield f"threads: {[thread.name for thread in channel.threads]}"


async def answered(front: Front, who: simcord.MemberActor, step: int) -> AsyncIterator[str]:
    """Yield a person's answers and choices."""
    here = front.world.orders
    async for line in looked(front, who, step):
        yield line
    for ((command, options),) in some(step, COMMANDS):
        result = await who.slash(here, command, **options)
        yield f"{command} {options}: {read_shown(result)}"
        async for line in press_all(who, result):
            yield f"{command} > {line}"
    completed = [(command, name) for command, names in OPTIONS.items() for name in names]
    for (command, name), typed in some(step, completed, ({}, {"battle": FOUGHT_BY_TWO})):
        if not typed or (command.startswith("battle") and name != "battle"):
            yield f"{command} {name} {typed}: {await who.autocomplete(here, command, name, '', **typed)}"
    for (key,) in some(step, KEYS):
        yield f"{key}: {read_shown(await send_raw(who, here, key))}"
