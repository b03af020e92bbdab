from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import simcord

from tests.support import toy_answers
from tests.support.reading import components, labels, newest, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows, running, send_raw, written


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """Open a bot with the toy book; the player plays Bob."""
    async with running(database_url) as made:
        await toy_answers.start(made)
        await made.gm.slash(made.orders, "gm settings", books="campaign, toy", pings="all")
        for name, options in {"Bob": {"owner": made.player}, "Dee": {}, "Eve": {}}.items():
            await made.gm.slash(made.orders, "roster add", name=name, kind="pc", **options)
        yield made


@pytest.fixture
async def rival(world: World) -> simcord.MemberActor:
    """Add Cid's player."""
    member = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    await world.gm.slash(world.orders, "roster add", name="Cid", kind="pc", owner=member)
    return member


def key(message: Any, label: str) -> str:  # noqa: ANN401
    """Return a button's id."""
    return next(str(item["custom_id"]) for item in components(message) if item.get("label") == label)


async def press(actor: Any, message: Any, label: str) -> Any:  # noqa: ANN401
    """Press a button."""
    return await actor.click(message, custom_id=key(message, label))


async def thrust(world: World, names: str, **options: Any) -> Any:  # noqa: ANN401
    """Ask for Ann's duel; return its message."""
    assert "Duel made" in said(await world.gm.slash(world.orders, "duel", names=names, **options))
    return newest(world.orders)


def states(world: World) -> list[tuple[Any, ...]]:
    """Return state and entry of every waiting roll."""
    return rows(world, "select state, entry_number from pending order by opened_at, id")


def rolls(world: World) -> int:
    """Count the rolls."""
    count: int = rows(world, "select count(*) from entry where kind = 'roll'")[0][0]
    return count


async def test_whoever_plays_somebody_answers_by_one_press(world: World) -> None:
    """All dice fall; the entry names who asked and answered."""
    message = await thrust(world, "Bob")
    assert labels(message) == ["Stand", "Take cover", "Fly", "Roll now", "Withdraw"]
    assert f"<@{world.gm.id}> thrusts at Bob and waits." in text(message)
    assert "Without an answer I roll then: whoever says nothing takes cover." in text(message)
    assert [user.id for user in message.mentions] == [world.player.id]
    assert rolls(world) == 0
    world.dice.script(60, 50, sides=100)
    assert "Rolled: entry #" in said(await press(world.player, message, "Take cover"))
    world.dice.finish()
    assert rolls(world) == 1
    body = entry(world)
    assert body["parts"][0]["marks"] == {"resister.cover": 1}
    people = dict(rows(world, "select pseudonym, user_id from actor"))
    assert people[body["asked"]["by"]] == world.gm.id
    assert [people[who] for who in body["asked"]["answers"]] == [world.player.id]
    over = next(item for item in world.orders.history() if item.id == message.id)
    assert labels(over) == []
    assert f"**Parried**\nBob has answered <@{world.gm.id}>: entry #{states(world)[0][1]}." in text(over)
    assert f"{world.results.id}/{newest(world.results).id}" in text(over)
    await require_whole(world)


async def test_the_way_to_the_result_stays(world: World) -> None:
    """Even after everything is sent again."""
    message = await thrust(world, "Bob")
    world.dice.script(60, 50, sides=100)
    await press(world.player, message, "Stand")
    world.clock.advance(hours=1)
    await world.bots[-1].keep_up()
    over = next(item for item in world.orders.history() if item.id == message.id)
    assert f"[See the result](https://discord.com/channels/{world.guild.id}/{world.results.id}/" in text(over)


async def test_nobody_else_answers(world: World, rival: simcord.MemberActor) -> None:
    """Others, the asker and unknown words are refused."""
    message = await thrust(world, "Bob")
    before = written(world)
    assert "for you to answer" in refused(await press(rival, message, "Stand"))
    assert "This is your own duel" in refused(await press(world.gm, message, "Stand"))
    assert "for you to answer" in refused(await press(world.stranger, message, "Stand"))
    assert "Only game masters" in refused(await press(world.player, message, "Roll now"))
    forged = key(message, "Stand").replace("stand", "swim")
    assert "no longer exists" in refused(await send_raw(world.player, world.orders, forged))
    assert (written(world), states(world)) == (before, [("open", None)])


async def test_at_its_time_it_is_rolled_without_the_answer(world: World) -> None:
    """The next start catches up once."""
    message = await thrust(world, "Bob")
    stand = key(message, "Stand")
    world.clock.advance(hours=toy_answers.HOURS)
    world.dice.script(60, 50, sides=100)
    await toy_answers.start(world)
    await world.env.advance_time(25)
    world.dice.finish()
    await world.env.advance_time(25)
    assert rolls(world) == 1
    assert entry(world)["parts"][0]["marks"] == {"resister.cover": 1}
    assert entry(world)["asked"]["answers"] == [None]
    ((state, number),) = states(world)
    over = next(item for item in world.orders.history() if item.id == message.id)
    assert state == "closed"
    assert labels(over) == []
    told = f"Bob has not answered <@{world.gm.id}>: whoever says nothing takes cover, entry #{number}."
    assert told in text(over)
    assert f"{world.results.id}/{newest(world.results).id}" in text(over)
    assert f"rolled: entry #{number}" in refused(await send_raw(world.player, world.orders, stand))
    await require_whole(world)


@pytest.mark.parametrize("label", ["Stand", "Withdraw"])
@pytest.mark.slow
async def test_a_press_after_its_time_rolls_it_as_its_time_would_have(world: World, label: str) -> None:
    """It's rolled once, without the answer."""
    message = await thrust(world, "Bob")
    world.clock.advance(hours=toy_answers.HOURS)
    world.dice.script(60, 50, sides=100)
    actor = world.player if label == "Stand" else world.gm
    answer = await press(actor, message, label)
    world.dice.finish()
    assert ("without your answer" if label == "Stand" else "Rolled: entry #") in said(answer)
    await world.env.advance_time(25)
    assert states(world)[0][0] == "closed"
    assert rolls(world) == 1


@pytest.mark.slow
async def test_one_that_lapses_comes_to_nothing(world: World) -> None:
    """Nothing is rolled."""
    message = await thrust(world, "Bob", lapses=True)
    assert labels(message) == ["Stand", "Take cover", "Fly", "Withdraw"]
    before = written(world)[0]
    world.clock.advance(hours=toy_answers.HOURS)
    await world.env.advance_time(25)
    over = newest(world.orders)
    assert f"<@{world.gm.id}>, your duel has expired: Bob has not answered in time. Nothing was rolled." in text(over)
    assert states(world) == [("expired", None)]
    assert written(world)[0] == before


@pytest.mark.slow
async def test_when_all_have_said_the_dice_fall(world: World, rival: simcord.MemberActor) -> None:
    """Three answers make one entry, over a restart."""
    message = await thrust(world, "Bob, Cid, Dee")
    assert message.role_mentions == [role for role in message.role_mentions if role.id == world.roles["gm"].id]
    assert "Still to answer" not in text(message)
    told = said(await press(rival, message, "Stand"))
    assert "Still to answer: Bob and Dee." in told
    assert "Still to answer: Bob and Dee." in text(newest(world.orders))
    cover = key(message, "Take cover")
    assert "You have answered this duel already" in refused(await send_raw(rival, world.orders, cover))
    await toy_answers.start(world)
    await press(world.gm2, newest(world.orders), "Take cover")
    assert labels(newest(world.orders)) == ["Stand", "Take cover", "Fly", "Roll now", "Withdraw"]
    assert rolls(world) == 0
    world.dice.script(60, 50, 70, 50, sides=100)
    assert "Rolled: entry #" in said(await press(world.player, newest(world.orders), "Stand"))
    world.dice.finish()
    parts = entry(world)["parts"]
    assert [part["subjects"]["resister"] for part in parts] == ["Bob", "Cid", "Dee"]
    assert [part["marks"] for part in parts] == [{}, {}, {"resister.cover": 1}]
    assert rolls(world) == 1
    await require_whole(world)


@pytest.mark.slow
async def test_an_answer_that_cannot_be_is_refused(world: World) -> None:
    """Privately, and nothing changes."""
    message = await thrust(world, "Bob")
    before = written(world)
    told = await press(world.player, message, "Fly")
    assert "Bob cannot fly" in refused(told)
    assert labels(response(told)) == []
    assert (written(world), states(world)) == (before, [("open", None)])


@pytest.mark.slow
async def test_what_needs_its_answer_is_not_closed(world: World) -> None:
    """A forged button does nothing either."""
    message = await thrust(world, "Bob", lapses=True)
    forged = key(message, "Withdraw").replace("withdraw", "close")
    assert refused(await send_raw(world.gm, world.orders, forged))
    assert states(world) == [("open", None)]


@pytest.mark.slow
async def test_what_is_typed_is_not_pressed(world: World) -> None:
    """A forged choice answers nothing."""
    await world.gm.slash(world.orders, "nerve", names="Bob")
    forged = key(newest(world.orders), "Answer") + ":0:stand"
    assert "no longer exists" in refused(await send_raw(world.player, world.orders, forged))
    assert states(world) == [("open", None)]


@pytest.mark.slow
async def test_it_waits_on_the_desk_of_all_whom_it_concerns(world: World, rival: simcord.MemberActor) -> None:
    """Asker and asked can withdraw or answer."""
    await thrust(world, "Bob")
    theirs = response(await world.player.slash(world.orders, "update show"))
    assert "**Open duels:**" in text(theirs)
    assert "**Ann** to Bob, is rolled <t:" in text(theirs)
    assert "Ann" not in said(await rival.slash(world.orders, "update show"))
    ours = response(await world.gm2.slash(world.orders, "update show"))
    assert next(item["placeholder"] for item in components(ours) if item["type"] == 3) == "Withdraw one"
    select = next(item for item in components(theirs) if item.get("placeholder") == "Answer one")
    picked = select["options"][0]["value"]
    which = response(await world.player.select(theirs, [picked], custom_id=select["custom_id"]))
    assert labels(which) == ["Stand", "Take cover", "Fly"]
    world.dice.script(60, 50, sides=100)
    assert "Rolled: entry #" in said(await press(world.player, which, "Stand"))


@pytest.mark.slow
async def test_what_needs_a_reason_is_not_asked_without_one(world: World) -> None:
    """It's refused when asked, so nothing waits."""
    message = await thrust(world, "Bob")
    world.dice.script(60, 50, sides=100)
    await press(world.gm, message, "Roll now")
    with nothing_written(world):
        assert "Ann has already rolled for Bob this update" in refused(
            await world.gm.slash(world.orders, "duel", names="Bob")
        )
    assert [state for state, _ in states(world)] == ["closed"]


async def test_the_message_gives_nobody_away(world: World) -> None:
    """A secret seat is neither named nor pinged."""
    await world.gm.slash(world.orders, "roster add", name="Fay", kind="npc", secret=True, owner=world.player)
    message = await thrust(world, "Fay, Dee")
    assert "thrusts at someone unknown and Dee" in text(message)
    assert [user.id for user in message.mentions] == []
    world.dice.script(60, 50, 70, sides=100)
    await press(world.player, message, "Stand")
    assert "Fay" not in text(newest(world.orders))
    await press(world.gm, newest(world.orders), "Roll now")
    over = text(newest(world.orders))
    assert "**Parried**\nDee has not answered" in over
    assert "Fay" not in over
