"""A game of the campaign's own: one file brings its numbers, rolls and orders."""

from __future__ import annotations

from pathlib import Path

from tests.transcripts.evening import Evening

SAILS = (Path(__file__).parents[3] / "docs" / "games" / "sails-and-silver.toml").read_bytes()
SHIP = "treasury: 20; hull: 30; guns: 3; crew: Veteran"

REPAIRS = b"""
[[table]]
id = "repairs"
title = "Repairs at sea"
die = 6
pool = { reads = "count", dice = 3, target = 6, push = { below = 1, keep = [6] } }
rows = [
  { max = 0, text = "The leak stays", tone = "failure" },
  { min = 1, text = "The leak is closed", tone = "success" },
]
"""


async def play(at: Evening) -> None:
    """Play the evening."""
    await _begin(at)
    await _roll(at)
    await _order(at)
    await _push(at)
    await _undo(at)


async def _begin(at: Evening) -> None:
    gm = at.gm
    at.title("A game is sent as a file")
    await at.create_campaign()
    await at.manager.completes("/campaign create name:Other books:own")
    await gm.types("/gm rules name:sails file:sails.toml", files={"sails.toml": SAILS})
    await gm.types("/gm settings books:none, house")
    await gm.types("/gm settings")
    await gm.press("Next steps")
    await gm.press("Your rules")
    await gm.types("/gm rules name:sails file:sails.toml", files={"sails.toml": SAILS})
    await gm.press("Switch on")
    await gm.types("/table show")
    await at.manager.types("/gm settings players_may:orders, events")
    await gm.types(f"/roster add name:Vengeance kind:ship owner:@ann fields:{SHIP}")
    await gm.types("/roster add name:Prize kind:ship fields:hull: 12; guns: 1")


async def _roll(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("Its rolls change numbers")
    await gm.completes("/table roll name:")
    await ann.completes("/table roll name:")
    await ann.types("/table roll name:events who:Vengeance roll:roll now", dice=[5])
    await gm.types("/table roll name:volley who:Vengeance about:Prize")
    await gm.press("Details")
    await gm.press("Roll", dice=[6, 5, 1, 2])
    await gm.types("/unit name:Prize")
    await gm.types("/table roll name:raiding who:Vengeance roll:roll now", dice=[4, 4])
    await ann.types("/unit name:Vengeance")


async def _order(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("Its orders are sealed until the update is resolved")
    await ann.completes("/order give kind:")
    await ann.types("/order give kind:Raid commerce who:Vengeance to:Gold Coast")
    await gm.types("/order give kind:Stay in harbour who:Prize")
    await gm.types("/gm resolve")
    await gm.press("Resolve all", dice=[3, 6])
    await ann.types("/unit name:Vengeance")

    at.title("Its upkeep is carried out when the update closes")
    await gm.types("/roster add name:League kind:fleet fields:treasury: 50; ports: 3")
    await gm.types("/gm close")
    await gm.press("Close Update 1", dice=[2, 5])


async def _push(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("Too few dice are pushed by their roller")
    await gm.types("/gm rules name:repairs file:repairs.toml", files={"repairs.toml": REPAIRS})
    await gm.press("Switch on")
    await gm.types("/gm settings players_may:repairs")
    await ann.types("/table roll name:repairs roll:roll now", dice=[2, 3, 5])
    await ann.press("Push", dice=[1, 6, 4])


async def _undo(at: Evening) -> None:
    gm = at.gm
    at.title("What is undone leaves later numbers as they are")
    await gm.types("/gm undo entry:8")
    await gm.fill("The week was quiet")
    await gm.types("/unit name:Vengeance")
    await gm.types("/gm settings books:-house, campaign")
    await gm.types("/table show name:sails")
    await gm.press("Remove")
