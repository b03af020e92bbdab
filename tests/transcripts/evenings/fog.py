"""An evening of Total War in fog: what each faction sees, and is told in its own channel."""

from __future__ import annotations

from tests.cogs.war.front import changed, in_fog
from tests.transcripts.evening import Evening
from tests.transcripts.evenings.total_war import E, Z, begin_war, close, order, resolve

FRONT = {"11th_Squadron": "0,-1", "21st_Squadron": "0,1"}
"""Two squadrons that see each other only once one moves."""


async def play(at: Evening) -> None:
    """Play the evening."""
    await begin_war(at, in_fog(changed(**FRONT)))
    await _open_channels(at)
    await _look(at)
    await _order(at)
    await _fight(at)
    await _end_turn(at)
    await _read_back(at)
    await _lapse(at)


async def _open_channels(at: Evening) -> None:
    at.title("Each faction has a channel")
    at.add_channel("blue", at.ann, at.bo)
    at.add_channel("red", at.rival)
    await at.gm.opens_groups()
    for name, channel in ((E, "blue"), (Z, "red")):
        await at.gm.pick(name)
        await at.gm.press("Edit")
        await at.gm.fill("", "", "", f"#{channel}")
    for person in (at.ann, at.rival):
        await person.opens_groups()
    await at.stranger.types("/gm settings")


async def _look(at: Evening) -> None:
    at.title("No player sees everything")
    await at.each_types("/war show", at.ann, at.rival, at.stranger, at.gm)
    await at.each_types("/war map", at.ann, at.rival, at.stranger)
    await at.ann.press("As text")
    await at.gm.types(f"/war map faction:{Z}")
    for what in (Z, "2nd Fleet", "Dozle", "-3,3", "u19", "Char Aznable"):
        await at.ann.types(f"/war show what:{what}")
    await at.ann.completes("/war show what:2")
    await at.ann.completes("/war map force:2")
    await at.ann.types("/war map force:2nd Fleet")


async def _order(at: Evening) -> None:
    at.title("Orders into the unknown")
    await order(at.ann, "Move a force", "11th Squadron", "to:0,1")
    await order(at.ann, "Move a force", "1st Fleet", "to:SW SW SW")
    await order(at.ann, "Buy units", E, "to:3,-3 with:gm")
    await order(at.rival, "Move a force", "2nd Fleet", "to:NE")
    await order(at.rival, "Move a force", "22nd Squadron", "to:-2,0")
    await order(at.rival, "Move a force", "1st Fleet", "to:N")
    await order(at.rival, "Buy units", Z, "to:-3,3 with:zaku")
    await resolve(at)
    await at.each_types("/order list", at.ann, at.rival)


async def _fight(at: Evening) -> None:
    ann, gm, rival = at.ann, at.gm, at.rival
    at.title("A battle that its sides alone see")
    await rival.press("Show board", of="Battle on 0,1")
    await rival.press("As text")
    await at.each_types("/battle show battle:0,1", at.bo, at.stranger)
    await ann.completes("/battle show battle:0,1 unit:")
    for unit, tile in (("u108", "E6"), ("u503", "E8")):
        await gm.types(f"/gm-war place unit:{unit} tile:{tile} battle:0,1")
    await ann.types(
        "/battle act unit:u108 target:u503 attack:shoot, then move to:E5 battle:0,1 roll:roll now", dice=[1, 1]
    )
    await ann.types("/battle next battle:0,1")
    await ann.press("End turn anyway")
    await rival.types("/battle act unit:u503 target:u108 battle:0,1")
    await rival.press("Roll", dice=[2, 6])
    await rival.types("/battle withdraw battle:-1,1")
    await rival.press("Withdraw")
    await rival.types("/battle retreat to:-2,2 battle:-1,1")
    await ann.types("/battle withdraw battle:0,1")
    await ann.press("Withdraw")
    await ann.types("/battle show battle:0,1")
    await ann.press("Retreat to 0,0")


async def _end_turn(at: Evening) -> None:
    at.title("The turn ends, and each faction reads what it has seen")
    await resolve(at)
    await close(at, 1)
    for person in (at.ann, at.rival):
        await person.types("/order list update:1")
        await person.types("/war map")
    await at.stranger.types("/war show")


async def _read_back(at: Evening) -> None:
    at.title("The same result, asked for by each of them")
    await at.each_types("/ledger entry:19", at.gm, at.ann, at.rival, at.stranger)
    await at.each_types("/ledger", at.ann, at.rival)
    await at.gm.press("Publish", of="gets 1 zaku")
    await at.gm.press("Publish", of="Publish entry")
    await at.ann.types("/ledger entry:16")


async def _lapse(at: Evening) -> None:
    at.title("What is out of sight stops an order")
    await at.gm.types("/gm-war set what:force to:12th Squadron to 2,1 reason:From Luna II")
    await at.gm.types("/gm-war set what:unit to:0,3 + 1 zaku reason:Guards")
    await order(at.rival, "Move a force", "21st Squadron", "to:0,3")
    await order(at.ann, "Move a force", "12th Squadron", "to:0,3")
    await order(at.ann, "Ride along with a fleet", "11th Squadron", "to:1st Fleet")
    await at.gm.types("/gm-war set what:force to:- 1st Fleet reason:Lost at sea")
    await resolve(at)
    for person in (at.ann, at.rival):
        await person.types("/order list")
        await person.types("/war show")
