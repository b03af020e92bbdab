"""An evening of Total War: a war begins, and is played by sealed orders, settings and rulings."""

from __future__ import annotations

import re

from tests.cogs.war.front import example
from tests.transcripts.evening import Evening, Person

E, Z = "Earth Federation", "Zeon"


async def begin_war(at: Evening, scenario: str) -> None:
    """Begin a war by this scenario, which Revil (Ann) and Noa (Bo) fight for the Federation and Dozle (the rival) for Zeon."""
    at.world.typed.append("gm")  # a model of units, and a person here
    await at.create_campaign("books:total_war")
    await at.gm.types("/gm-war new scenario:war.toml", files={"war.toml": scenario.encode()})
    await at.gm.press("Start")
    await at.ann.types(f"/war join faction:{E} callsign:Revil")
    await at.bo.types(f"/war join faction:{E} callsign:Noa")
    await at.rival.types(f"/war join faction:{Z} callsign:Dozle")


async def order(who: Person, kind: str, doer: str, more: str = "") -> None:
    """Give an order, with more options as they are typed."""
    await who.types(f"/order give kind:{kind} who:{doer} {more}".strip())


async def resolve(at: Evening) -> None:
    """Resolve the orders as the plan shows them."""
    await at.gm.types("/gm resolve")
    await at.gm.press("Resolve all")


async def close(at: Evening, number: int) -> None:
    """Close the update of this number."""
    await at.gm.types("/gm close")
    await at.gm.press(f"Close Update {number}")


async def play(at: Evening) -> None:
    """Play the evening."""
    await _prepare(at)
    await _join(at)
    await _look(at)
    await _order(at)
    await _refuse(at)
    await _first_turn(at)
    await _second_turn(at)
    await _set(at)
    await _rule(at)
    await _look_back(at)


async def _prepare(at: Evening) -> None:
    at.title("A scenario is looked at first")
    at.world.typed.append("gm")
    await at.create_campaign()
    await at.gm.types("/gm settings books:total_war, -campaign")
    await at.ann.types("/war show")
    await at.ann.types("/gm-war new")
    broken = (
        example()
        .replace('capitol = "3,-3"', 'capitol = "9,9"', 1)
        .replace('kind     = "capitol"', 'kind = "castle"', 1)
    )
    await at.gm.types("/gm-war new scenario:broken.toml", files={"broken.toml": broken.encode()})
    await at.gm.types("/gm-war new scenario:large.toml", files={"large.toml": b"#" * 200 * 1024})
    await at.gm.types("/gm-war new")
    await at.gm.press("As text")
    await at.gm.press("Discard")
    free = re.sub(r"(?m)^cost .*$", "", example(), count=2)
    await at.gm.types("/gm-war new scenario:free.toml", files={"free.toml": free.encode()})
    await at.gm.types("/gm-war new scenario:first.toml", files={"first.toml": example().encode()})
    await at.restart()
    await at.gm.press("Start")


async def _join(at: Evening) -> None:
    at.title("Players join")
    await at.ann.completes("/war join faction:")
    await at.stranger.types("/war show")
    await at.stranger.types("/war map")
    await at.stranger.types(f"/war join faction:{E} callsign:Spy")
    await at.ann.types("/war join faction:Zeom callsign:Revil")
    await at.ann.types(f"/war join faction:{E}")
    await at.ann.types(f"/war join faction:{E} callsign:1st Fleet")
    await at.ann.types(f"/war join faction:{E} callsign:Revil")
    await at.ann.types(f"/war join faction:{Z} callsign:Spy")
    await at.rival.types(f"/war join faction:{Z} player:bo callsign:Noa")
    await at.rival.types(f"/war join faction:{Z} callsign:Dozle")
    await at.gm.types(f"/war join faction:{E} player:bo callsign:Noa")
    await at.gm.types(f"/war join faction:{Z} player:stranger callsign:Garma")


async def _look(at: Evening) -> None:
    at.title("What each of them sees")
    await at.each_types("/war show", at.ann, at.stranger)
    await at.ann.completes("/war show what:1")
    for what in (E, Z, "1st Fleet", "Revil", "Amuro Ray", "Char Aznable", "2,-2", "0,0", "u12", "Ramba Ral"):
        await at.ann.types(f"/war show what:{what}")
    for layer in ("control", "supply", "income", "forces", "captured"):
        await at.rival.types(f"/war map layer:{layer}")
    await at.rival.press("As text")
    await at.ann.types("/war map force:1st Fleet")
    await at.ann.press("As text")
    await at.ann.types(f"/war map faction:{Z}")
    await at.gm.types(f"/war map faction:{Z} layer:supply")
    await at.gm.press("As text")


async def _order(at: Evening) -> None:
    ann, rival = at.ann, at.rival
    at.title("Turn 1: orders are given, sealed")
    await at.gm.types("/update show")
    await at.gm.press("Board")
    await ann.completes("/order give kind:")
    await ann.completes("/order give kind:Move a force who:")
    await ann.completes("/order give kind:Move a force who:1st Fleet to:")
    await order(ann, "Move a force", "1st Fleet", "to:SW")
    await ann.press("Reach on the map")
    await order(ann, "Move a force", "1st Fleet", "to:SW SW note:To the gold")
    await order(ann, "Ride along with a fleet", "11th Squadron", "to:1st Fleet with:0,0")
    await order(ann, "Move a force", "12th Squadron", "to:3,0")
    await order(ann, "Move a force", "Solar System", "to:2,-1")
    await ann.completes(f"/order give kind:Build on a panel who:{E} to:")
    await ann.completes(f"/order give kind:Buy units who:{E} to:3,-3 with:")
    await order(ann, "Buy units", E, "to:3,-3 with:gm 2")
    await order(ann, "Buy units", E, "to:2,-1 with:saberfish")
    await order(ann, "Strengthen a garrison", E, "to:1,-3 with:colony_garrison")
    await order(ann, "Research a model", E, "to:guncannon")
    await order(ann, "Promote a player", "Noa", "to:Captain")
    await order(at.bo, "Move a force", "11th Squadron", "to:N")
    await order(rival, "Move a force", "2nd Fleet", "to:NE")
    await order(rival, "Move a force", "21st Squadron", "to:0,1")
    await order(rival, "Research a model", Z, "to:zgok")
    await order(rival, "Buy units", Z, "to:-3,3 with:zaku")
    await rival.press("Change")
    await rival.fill("", "bigro")
    await rival.press("Change")
    await rival.fill("", "zaku 2")
    await rival.press("Cancel order")
    await rival.types("/order list")
    await rival.pick("2nd Fleet: Move a force")
    await rival.types("/order give kind:Pass who:Revil")
    await rival.types("/order give kind:Pass who:Dozle")
    await at.bo.types("/order give kind:Pass who:Noa")
    await at.each_types("/order list", ann, rival, at.gm, at.stranger)


async def _refuse(at: Evening) -> None:
    """Give orders that the rules forbid."""
    at.title("Orders that are not taken")
    for kind, doer, more in (
        ("Move a force", "1st Fleet", "to:SW SW SW SW"),
        ("Move a force", "1st Fleet", "to:SW S"),
        ("Move a force", "1st Fleet", "to:NW E"),
        ("Move a force", "1st Fleet", "to:home"),
        ("Move a force", "1st Fleet", "to:11th Squadron"),
        ("Move a force", "12th Squadron", "to:SE"),
        ("Move a force", "2nd Fleet", "to:N"),
        ("Move a force", "9th Fleet", "to:N"),
        ("Move a force", "Solar System", "to:1,-1"),
        ("Move a force", "Solar System", "to:3,-1"),
        ("Move a force", "Solar System", "to:2nd Fleet"),
        ("Move a force", "1st Fleet", "to:2nd Fleet"),
        ("Move a force", "1st Fleet", "to:2,-2"),
        ("Ride along with a fleet", "12th Squadron", "to:1st Fleet"),
        ("Ride along with a fleet", "11th Squadron", "to:2nd Fleet"),
        ("Build on a panel", E, "to:2,-2 with:mining_station"),
        ("Build on a panel", E, "to:0,0 with:mining_station"),
        ("Build on a panel", E, "to:3,-3 with:castle"),
        ("Strengthen a garrison", E, "to:2,-2"),
        ("Research a model", E, "to:death star"),
        ("Buy units", E, "to:3,-3 with:guncannon"),
        ("Buy units", E, "to:3,-3 with:gm 6"),
        ("Buy units", E, "to:3,-3 with:zaku"),
        ("Promote a player", "Revil", "to:King"),
        ("Give a force to a commander", "1st Fleet", "to:Dozle"),
        ("Let a commander assign new units", E, "to:Noa"),
        ("Assign new units to a force", "11th Squadron", "to:gm with:1"),
        ("Name a rogue faction", E, "to:X with:#000000"),
        ("Name a rogue faction", "Revil", "to:X with:#2e7d32"),
        ("Ask to join a faction", "Revil", f"to:{Z}"),
        ("Answer for a faction", E, "to:end"),
    ):
        await order(at.ann, kind, doer, more)
    await order(at.stranger, "Move a force", "22nd Squadron", "to:N")


async def _first_turn(at: Evening) -> None:
    at.title("Turn 1 is resolved")
    await at.rival.types("/gm resolve")
    await resolve(at)
    await resolve(at)
    await at.gm.types(f"/gm-war condition side:{E}")
    await resolve(at)
    await at.gm.types("/update show")
    await at.rival.types("/war map layer:captured")
    await close(at, 1)
    await at.ann.types("/order list")
    await at.rival.types("/order list update:1")
    await at.ann.types(f"/war show what:{E}")


async def _second_turn(at: Evening) -> None:
    ann = at.ann
    at.title("Turn 2: forces change hands")
    for force in ("1st Fleet", "12th Squadron"):
        await order(ann, "Give a force to a commander", force, "to:Noa")
    await order(ann, "Assign new units to a force", "11th Squadron", "to:gm with:1")
    await order(ann, "Build on a panel", E, "to:0,0 with:mining_station")
    await at.gm.types("/gm-war set what:owner to:0,-3 E reason:As agreed")
    await at.gm.types("/gm-war set what:gold to:E 300 reason:As agreed")
    await order(ann, "Build on a panel", E, "to:0,-3 with:superweapon")
    await order(ann, "Ride along with a fleet", "11th Squadron", "to:1st Fleet")
    await order(at.rival, "Buy units", Z, "to:-3,3 with:zaku 3")
    await order(at.rival, "Buy units", Z, "to:-3,3 with:gattle 12")
    await resolve(at)
    await close(at, 2)
    await at.each_types("/order list update:2", ann, at.rival)
    at.title("Turn 3: another allots the units")
    await ann.types(f"/war show what:{E}")
    await order(ann, "Let a commander assign new units", E, "to:Noa")
    await resolve(at)
    await close(at, 3)
    await at.bo.completes("/order give kind:Assign new units to a force who:")
    await at.bo.completes("/order give kind:Assign new units to a force who:12th Squadron to:")
    await order(at.bo, "Assign new units to a force", "12th Squadron", "to:gm with:1")
    await order(ann, "Let a commander assign new units", E, "to:none")
    await resolve(at)
    await at.bo.types("/order list")
    await close(at, 4)


async def _set(at: Evening) -> None:
    gm = at.gm
    at.title("The game master sets what is so")
    await at.ann.types("/gm-war set what:gold to:E 500 reason:A gift")
    await gm.types("/gm-war set what:gold to:E 5000000 reason:A gift")
    for what, to in (
        ("gold", f"{Z} 500"),
        ("owner", "2,1 E"),
        ("unit", "22nd Squadron + 1 zgok"),
        ("unit", "- u1"),
        ("unit", "u12 kills 4"),
        ("unit", "u13 pilot Amuro Ray"),
        ("force", "+ 13th Squadron; squadron; E; 2,-3; 2 gm"),
        ("force", "22nd Squadron to -2,0"),
        ("force", "- Solar System"),
        ("rank", "Noa Admiral"),
        ("post", "E delegate Noa"),
        ("post", "E leader Noa"),
        ("price", "gm 25"),
        ("switch", "cooldown 2"),
    ):
        await gm.types(f"/gm-war set what:{what} to:{to} reason:As agreed")
    for what in ("gold", "unit", "force", "switch"):
        await gm.completes(f"/gm-war set what:{what} reason:x to:")
    await gm.types("/gm-war set what:switch to:cooldown 9 reason:As agreed")
    await gm.types("/gm-war set what:gold to:nothing reason:As agreed")


async def _rule(at: Evening) -> None:
    gm = at.gm
    at.title("Rulings")
    await at.ann.types("/gm-war rule text:The sun goes out")
    await gm.types("/gm-war rule text:Colonies may be evacuated this turn.")
    await gm.types("/gm-war rule text:The beam meets the 21st Squadron. remove: u22, u23 and -2,1")
    await gm.types("/gm-war rule text:It misses. remove: u99")
    await gm.types("/gm-war rule text:The convoy arrives. source: Z none")
    await gm.types("/gm-war rule text:A colony falls on the capitol. remove: 3,-3")
    await gm.press("Apply ruling")


async def _look_back(at: Evening) -> None:
    at.title("Looking back")
    for person in (at.ann, at.rival, at.stranger):
        await person.types("/war show")
        await person.types("/ledger")
    await at.ann.types(f"/war show what:{E}")
    await at.rival.types("/war map")
    for _ in range(2):
        await at.gm.types("/gm-war new")
    for _ in range(2):
        await at.gm.press("Start")
