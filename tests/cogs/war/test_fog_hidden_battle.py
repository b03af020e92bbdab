"""Two wars in fog of which one has a battle that nobody of the Federation sees: all others are answered alike, byte by byte."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import simcord

from tests.cogs.war.front import Front, at_once, begun, changed, in_fog, recruit
from tests.cogs.war.test_fog import RAID, RAIDER, looked, tried
from tests.core.test_twin_worlds import STEPS, Falling, alike, pressed, shown, some
from tests.support import template
from tests.support.reading import said, text
from tests.support.world import running, send_raw

FOUGHT, PASSED = "-1,3", "-1,2"
"""Where a lone rogue's squadron goes in either world: onto one of Zeon's, or beside it."""
SEALED = in_fog(changed(**{"2nd_Fleet": "-3,2", "22nd_Squadron": "-2,3", "21st_Squadron": "-1,3"}))
COMMANDS: tuple[tuple[str, dict[str, str]], ...] = (
    *((f"battle {name}", {}) for name in ("show", "next", "withdraw", "retreat")),
    *((f"battle {name}", {"battle": FOUGHT}) for name in ("show", "next", "withdraw", "retreat")),
    ("battle act", {"unit": "u22", "target": "u18"}),
    ("battle act", {"unit": "u22", "to": "A2", "battle": FOUGHT}),
    ("battle place", {"unit": "u22", "tile": "A2"}),
    ("battle condition", {"side": "Zeon"}),
    ("campaign show", {}),
    ("update resolve", {}),
    ("update close", {}),
    ("ledger search", {"text": "Battle"}),
    ("ledger search", {"text": "22nd Squadron"}),
    ("help", {}),
)
OPTIONS = {
    "battle show": ("battle", "unit", "to", "toward"),
    "battle act": ("battle", "unit", "to", "attack", "target", "with", "call", "toward"),
    "battle withdraw": ("side", "battle"),
    "battle retreat": ("to", "force", "battle"),
    "battle place": ("unit", "tile", "battle"),
    "battle condition": ("side", "battle"),
    "war show": ("what",),
    "war map": ("force", "faction"),
}
KEYS = (
    *(f"battle:1:{name}:{FOUGHT}:{begun}" for name in ("show", "again") for begun in range(1, 30)),
    *(f"battle:1:words:{FOUGHT}:{begun}:{unit}" for unit in ("", "u22") for begun in range(1, 30)),
    *(f"battle:1:next:{FOUGHT}:{begun}:1:0" for begun in range(1, 30)),
    *(f"battle:1:withdraw:{FOUGHT}:{begun}:1" for begun in range(1, 30)),
    *(f"battle:1:leave:{FOUGHT}:{begun}:0" for begun in range(1, 30)),
    *(f"battle:1:retreat:{FOUGHT}:{begun}:0:-1,2" for begun in range(1, 30)),
    *(f"war:1:reach:{name}" for name in ("22nd Squadron", "21st Squadron", "1st Fleet")),
)
"""Ids that somebody may forge."""


async def twins(tmp_path_factory: pytest.TempPathFactory, step: int, *, sealed: bool) -> list[list[str]]:
    """What those who do not see it are told with the battle, and without it."""
    answers = []
    for goal in (FOUGHT, PASSED):
        with template.migrated_url("sqlite", tmp_path_factory.mktemp("twin")) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment] # any number of dice
                front = await begun(world, SEALED if sealed else at_once(SEALED))
                dan, cid = await recruit(front, "Dan", "Z"), await recruit(front, "Cid", "E")
                await world.gm.slash(
                    world.orders, "war set", what="force", to=RAIDER, reason="More"
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
                assert len((await front.stands()).battles) == 1 + (goal == FOUGHT)
                answers.append([alike(line) async for line in told(front, cid, step)])
    return answers


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "at once"])
@pytest.mark.parametrize("step", STEPS)
async def test_a_battle_out_of_sight_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, times: int, step: int, *, sealed: bool
) -> None:
    """To a leader of another faction, a lone rogue, an onlooker and a stranger: commands, completions, forged ids, posts."""
    step = max(1, step // times)
    one, other = await twins(tmp_path_factory, step, sealed=sealed)
    assert [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]] == []
    assert len(one) > 1000 // step
    assert any("Battle on 1,-2: " in line for line in one if line.startswith("leader: war show"))


async def told(front: Front, cid: simcord.MemberActor, step: int) -> AsyncIterator[str]:
    """Yield all that is told to those who see nothing of the battle."""
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
    """Yield what somebody is answered, offered and shown."""
    here = front.world.orders
    async for line in looked(front, who, step):
        yield line
    for ((command, options),) in some(step, COMMANDS):
        result = await who.slash(here, command, **options)
        yield f"{command} {options}: {shown(result)}"
        async for line in pressed(who, result):
            yield f"{command} > {line}"
    completed = [(command, name) for command, names in OPTIONS.items() for name in names]
    for (command, name), typed in some(step, completed, ({}, {"battle": FOUGHT})):
        if not typed or (command.startswith("battle") and name != "battle"):
            yield f"{command} {name} {typed}: {await who.autocomplete(here, command, name, '', **typed)}"
    for (key,) in some(step, KEYS):
        yield f"{key}: {shown(await send_raw(who, here, key))}"
