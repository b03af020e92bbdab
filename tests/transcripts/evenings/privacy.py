"""Privacy: what a rival and a stranger learn of groups and secrets, and what becomes of somebody's own data."""

from __future__ import annotations

from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    await at.manager.types("/gm settings players_may:scouting, characters, places, orders")
    await _save(at)
    await _tell_groups(at)
    await _ask(at)
    await _erase(at)


async def _save(at: Evening) -> None:
    gm = at.gm
    at.title("Who is in the game")
    await gm.types("/roster add name:White Base kind:ship side:EF")
    await gm.types("/roster add name:Fort Anvil kind:base side:Zeon")
    await gm.types("/roster add name:Shadow kind:squad side:Zeon secret:True")
    await gm.types("/roster add kind:player character name:Kai owner:@ann side:EF squad:White Base")
    await gm.types("/roster add kind:player character name:Sayla owner:@bo side:EF")
    await gm.types("/roster add kind:player character name:Char owner:@rival side:Zeon")


async def _tell_groups(at: Evening) -> None:
    gm = at.gm
    at.title("A result for one side")
    await gm.opens_groups()
    for fields in (("EF", "Kai, Sayla", "", "", "Everyone sees it and its members"), ("Spies", "Kai")):
        await gm.press("Add group")
        await gm.fill(*fields)
    for person in (gm, at.ann, at.rival):
        await person.opens_groups()
    await at.stranger.types("/gm settings")
    await gm.types("/scout scouter:Kai base:Fort Anvil to:EF roll:roll now note:By moonlight", dice=[20])
    await at.each_types(f"/ledger entry:{at.entry}", at.ann, at.bo, at.rival, at.stranger)
    await gm.pick("EF")
    await gm.press("Edit")
    await gm.fill("Federation", "Kai")
    await at.bo.types(f"/ledger entry:{at.entry - 1}")
    await gm.pick("Spies")
    await gm.press("Remove")


async def _ask(at: Evening) -> None:
    at.title("What a rival and a stranger learn")
    for person in (at.rival, at.stranger):
        await person.types("/unit kind:units")
        await person.types("/unit name:Shadow")
        await person.types("/unit name:White Base")
        await person.completes("/patrol patrol:Kilo target:Sha")
        await person.types("/unit name:Kai")
        await person.types("/ledger")
        await person.types("/ledger text:moonlight")
        await person.types("/update show")
        await person.types("/scout scouter:Kai base:Fort Anvil")
    await at.gm.types("/unit name:Shadow")


async def _erase(at: Evening) -> None:
    ann = at.ann
    at.title("Somebody leaves, and takes their data along")
    await ann.types("/order give kind:Scout a base who:Kai to:Fort Anvil note:For my mother")
    await ann.types("/help")
    await ann.press("Your data")
    await ann.press("Export")
    await ann.press("Erase\N{HORIZONTAL ELLIPSIS}")
    await ann.press("Erase for good")
    await ann.types("/help")
    await ann.press("Your data")
    await at.gm.types("/ledger")
    await at.gm.types("/unit name:Kai")
