"""Who a battle's messages mention: who has to act next, and no one else."""

from __future__ import annotations

import simcord

from tests.cogs.war.battle.field import Field
from tests.cogs.war.test_fog_battles import met, opening
from tests.support.reading import newest, response, threads
from tests.support.world import World, send_raw


def mention(who: simcord.MemberActor) -> str:
    """A mention of a person."""
    return f"<@{who.id}>"


def mentions(channel: simcord.ChannelHandle) -> list[str]:
    """What each message mentions."""
    return [message.content for message in channel.history() if message.content.startswith("<")]


async def test_a_battle_calls_whose_half_begins(field: Field) -> None:
    """The attackers at its opening, then each side; no one for their own act, and an ordinary act calls no one."""
    assert mentions(field.world.results) == [mention(field.ann)]
    thread = threads(field.world.results)[0]
    await field.now(field.ann, "u12", to="A2")
    assert mentions(thread) == []
    await field.do(field.ann, "next")
    assert newest(thread).content == mention(field.bo)
    await field.do(field.world.gm, "next")
    assert newest(thread).content == mention(field.ann)
    assert mentions(field.world.staff) == []


async def test_a_battle_calls_who_has_to_retreat(field: Field) -> None:
    """Once, and not who withdrew themselves."""
    await field.do(field.world.gm, "condition", side="E")
    thread = threads(field.world.results)[0]
    assert mentions(thread) == [mention(field.bo)]
    await field.do(field.bo, "retreat", to="0,2")
    assert mentions(thread) == [mention(field.bo)]


async def test_who_withdraws_is_not_called_to_retreat(field: Field) -> None:
    """They read it in the answer."""
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    assert mentions(threads(field.world.results)[0]) == []


async def test_who_turned_mentions_off_or_is_hidden_is_not_called(field: Field) -> None:
    """A half begins without a mention."""
    thread = threads(field.world.results)[0]
    await send_raw(field.bo, field.world.orders, "settings:1:mentions:0")
    await field.do(field.ann, "next")
    await field.world.gm.slash(field.world.orders, "roster edit", name="Ann", secret=True)
    await field.do(field.bo, "next")
    assert mentions(thread) == []


async def test_in_fog_a_faction_reads_a_mention_of_its_own_players_only(world: World) -> None:
    """In its own channel and threads; the public reads none."""
    field, blue, red = await met(world)
    assert opening(blue).content == mention(field.ann)
    assert opening(red).content == ""
    await field.do(field.ann, "next")
    assert [newest(channel.threads[0]).content for channel in (blue, red)] == ["", mention(field.bo)]
    await field.do(world.gm, "condition", side="E")
    assert [newest(channel.threads[0]).content for channel in (blue, red)] == ["", mention(field.bo)]
    assert mentions(world.results) == []
    assert not any(mentions(thread) for thread in threads(world.results))
