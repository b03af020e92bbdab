"""An evening of Total War: orders carried out at once, a rogue faction that comes and goes, and a war that goes on across a second map."""

from __future__ import annotations

from tests.cogs.war.front import at_once, changed, example
from tests.transcripts.evening import Evening, Person
from tests.transcripts.evenings.total_war import E, Z, begin_war, close, order, resolve

COLONY, ROGUES = "1,-3", "Noa's rogues"
FRONT, _, LAND = changed(**{"11th_Squadron": "0,-1", "21st_Squadron": "0,1"}).split("[[boards]]")
SECOND = f"{FRONT}[[boards]]{LAND}".replace('"first-days"', '"earth"').replace('"First days"', '"Earth"')
"""The war goes on on Earth: its battles are fought on land."""


async def play(at: Evening) -> None:
    """Play the evening."""
    first = at_once(example()).replace('"First days"', '"First days"\nsecond = "earth"')
    await begin_war(at, first)
    await _rebel(at)
    await _found(at)
    await _dissolve(at)
    await _change_sides(at)
    await _ask(at)
    await _go_on(at)
    await _fight_on_land(at)


async def _withdraw(who: Person, more: str = "") -> None:
    await who.types(f"/battle withdraw {more}".strip())
    await who.press("Withdraw")


async def _rebel(at: Evening) -> None:
    at.title("Noa gets a squadron, and goes rogue")
    await at.gm.types("/gm-war set what:rank to:Noa Captain reason:A field promotion")
    await order(at.ann, "Give a force to a commander", "11th Squadron", "to:Noa")
    await order(at.ann, "Buy units", E, "to:3,-3 with:gm")
    await order(at.ann, "Move a force", "1st Fleet", "to:SW")
    await order(at.ann, "Move a force", "1st Fleet", "to:NE")
    await at.bo.completes("/order give kind:Go rogue who:")
    await order(at.bo, "Go rogue", "Noa")
    await at.each_types("/war show", at.bo, at.ann)
    await at.bo.types("/war show what:Noa")


async def _found(at: Evening) -> None:
    bo = at.bo
    at.title("A colony falls, and a faction is founded")
    await order(bo, "Move a force", "11th Squadron", f"to:{COLONY}")
    await _withdraw(at.gm, f"side:{E}")
    await at.ann.opens_groups()
    await bo.completes(f"/order give kind:Name a rogue faction who:{ROGUES} to:Free Side 3 with:")
    await order(bo, "Name a rogue faction", ROGUES, f"to:{Z} with:#2e7d32")
    await order(bo, "Name a rogue faction", ROGUES, "to:Free Side 3 with:#2b6cff")
    await order(bo, "Name a rogue faction", ROGUES, "to:Free Side 3 with:#2e7d32")
    await order(bo, "Promote a player", "Noa", "to:Admiral")
    await at.gm.types("/gm-war set what:gold to:R1 60 reason:A gift")
    await order(bo, "Strengthen a garrison", "Free Side 3", f"to:{COLONY} with:colony_garrison")
    await at.stranger.types("/war show")
    await at.rival.types("/war map")


async def _dissolve(at: Evening) -> None:
    at.title("Its last stronghold falls")
    await resolve(at)
    await close(at, 1)
    await order(at.ann, "Move a force", "1st Fleet", f"to:{COLONY}")
    await _withdraw(at.bo)
    await at.bo.types("/battle retreat to:0,-2")
    await at.rival.types("/war show")


async def _change_sides(at: Evening) -> None:
    at.title("Noa asks to be taken in")
    await order(at.bo, "Ask to join a faction", "Noa", f"to:{E}")
    await at.ann.completes(f"/order give kind:Answer for a faction who:{E} to:")
    await order(at.ann, "Answer for a faction", E, "to:Noa with:no")
    await order(at.bo, "Ask to join a faction", "Noa", f"to:{Z}")
    await resolve(at)
    await close(at, 2)
    await order(at.bo, "Ask to join a faction", "Noa", f"to:{Z}")
    await order(at.rival, "Answer for a faction", Z, "to:Noa with:yes")
    await at.bo.types("/war show what:Noa")


async def _ask(at: Evening) -> None:
    at.title("The capitol of the Federation falls")
    await at.gm.types("/gm-war set what:force to:2nd Fleet to 2,-3 reason:As agreed")
    await order(at.rival, "Move a force", "2nd Fleet", "to:3,-3")


async def _go_on(at: Evening) -> None:
    ann, gm, earth = at.ann, at.gm, {"earth.toml": SECOND.encode()}
    await gm.types("/gm-war new scenario:earth.toml", files=earth)
    await _withdraw(ann)
    at.title("Its leaders let the war go on, on another map")
    await at.each_types("/update show", gm, ann)
    await ann.types("/war show")
    await ann.completes(f"/order give kind:Answer for a faction who:{E} to:")
    await order(ann, "Answer for a faction", E, "to:on")
    await order(at.rival, "Answer for a faction", Z, "to:on")
    await at.stranger.types("/war show")
    await resolve(at)
    await gm.types("/gm-war new scenario:earth.toml", files=earth)
    await gm.press("Start")
    await ann.types("/war show")
    await at.bo.types("/war show what:Noa")


async def _fight_on_land(at: Evening) -> None:
    ann, gm = at.ann, at.gm
    at.title("A battle on land")
    await close(at, 3)
    await order(ann, "Move a force", "11th Squadron", "to:0,1")
    await resolve(at)
    await ann.types("/battle show")
    await ann.press("As text")
    for unit, tile in (("u12", "D5"), ("u13", "C5"), ("u15", "F5"), ("u22", "E8"), ("u23", "A6")):
        await gm.types(f"/gm-war place unit:{unit} tile:{tile}")
    await ann.types("/battle show unit:u12 to:D7")
    await ann.types("/battle act unit:u13 to:C6")
    await ann.types("/battle act unit:u15 to:F8")
    await ann.types("/battle act unit:u12 to:D7 target:u22 roll:roll now", dice=[3, 5])
    await gm.types(f"/gm-war condition side:{E}")
    for number, panel in enumerate(("0,0", "1,0", "1,1", "0,2", "-1,2", "-1,1")):
        await gm.types(f"/gm-war set what:force to:+ W{number}; squadron; Z; {panel}; zaku reason:A wall")
    await at.rival.types("/battle show")
    await at.rival.types("/battle retreat to:-3,2")
    await gm.types("/battle retreat to:1,1")
    await gm.completes("/battle retreat to:-3,")
    await at.rival.types("/battle retreat")
    await gm.types("/gm resolve")
    await gm.press("Resolve all")
