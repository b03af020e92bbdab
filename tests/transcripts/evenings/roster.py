"""An evening over the roster: units and characters saved, changed, imported and removed, and dice for everything else."""

from __future__ import annotations

from tests.transcripts.evening import Evening

HEAD = "name,kind,side,owner,region,squad,callsign,newtype,secret,traits\n"
FLEET = HEAD + (
    "Red Comet,squad,Zeon,,India,,,,,all-spaceborne\n"
    "Musai,ship,Zeon,,Indonesia,,,,no,detector-types*2\n"
    "Dozle,npc,Zeon,,,Red Comet,Hammer,,,officer;merciless\n"
    "Sleeper,npc,Zeon,,,,,,yes,operative\n"
)
BROKEN = {
    "zeon.csv": FLEET.encode(),
    "header.csv": b"name,kind,sied,side,side\nAa,ship,,,\n",
    "quotes.csv": HEAD.encode() + b'"Aa,ship\n',
    "formula.csv": HEAD.encode() + b"=1+1,ship,,,,,,,,\nBb,pc,,<@123456789012345678>,,,,,,\n",
    "book.xlsx": b"PK\x03\x04",
    "broken.toml": b'[[unit]]\nname = "Aa"\n[[unti]]\nkind = 3\n',
    "no.txt": b"\xff\xfe\x00",
}
FAULTY = HEAD + "Gelgoog,shp,Zeon,,,,,,,\nJohnny,pc,Zeon,stranger,,Red Comit,Ridden,99,,urban\n"
TOML = b'[[unit]]\nname = "Musai"\nkind = "ship"\nside = "Zeon"\nregion = "Malaysia"\n\n[[unit]]\nname = "Zanzibar"\nkind = "ship"\n'


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    await save_units(at)
    await save_characters(at)
    await show_and_list(at)
    await import_and_export(at)
    await remove(at)
    await roll(at)


async def save_units(at: Evening) -> None:
    """Save units, and tick what they have."""
    gm = at.gm
    at.title("Units are saved, and ticked what they have")
    await gm.completes("/roster add name:Fort Anvil kind:base region:Ind")
    await gm.completes("/roster add name:Fort Anvil kind:base fields:cal")
    await gm.types("/roster add name:Fort Anvil kind:base side:EF region:India")
    await gm.pick("Urban", "Naval")
    await gm.pick("Perimeter Defense Grid", "Radar tower damaged")
    await gm.press("Enter numbers")
    await gm.fill("3", "many")
    await gm.press("Enter numbers")
    await gm.fill("3", "1")
    await gm.press("More traits")
    await gm.pick("Cellblock enlarged")
    await gm.press("Back")
    await gm.types("/roster add name:White Base kind:ship side:EF owner:@ann region:Madagascar")
    await gm.types("/roster add name:Ghost Wing kind:squad side:Zeon owner:@rival secret:True")
    await gm.press("Show to players")
    await gm.press("Hide from players")
    await gm.types("/roster add name:White Base kind:base")
    await gm.types("/roster add name:Bad, Name kind:squad")
    await at.ann.types("/roster add name:Argama kind:ship")
    await at.stranger.types("/unit kind:units")


async def save_characters(at: Evening) -> None:
    """Save characters, and let their players edit them."""
    gm, ann, bo = at.gm, at.ann, at.bo
    at.title("Characters are saved; their players may edit them")
    await gm.completes("/roster add kind:player character name:Amuro squad:Wh")
    await gm.completes("/roster add kind:player character name:Amuro fields:")
    await gm.types(
        "/roster add name:Amuro kind:player character side:EF owner:@ann squad:White Base fields:callsign: Owl; newtype: 4"
    )
    await gm.pick("Lucky")
    await gm.types("/roster add name:Bright kind:named NPC side:EF squad:White Base fields:rank: 5")
    await gm.types("/roster add name:Bright kind:named NPC side:EF squad:White Base")
    await gm.pick("Officer")
    await gm.types("/roster add kind:player character name:Mia Sato owner:@bo side:EF squad:White Bsae")
    await gm.types("/roster add kind:player character name:Mia Sato owner:@bo side:EF")
    await ann.types("/roster edit name:Amuro fields:callsign: Gray Owl")
    await gm.types("/gm settings players_may:characters")
    await ann.completes("/roster edit name:")
    await ann.types("/roster edit name:Amuro fields:callsign: Gray Owl")
    await ann.types("/roster edit name:Amuro side:Zeon")
    await ann.types("/unit name:Amuro")
    await ann.press("Edit")
    await ann.fill("", "callsign: Owl")
    await bo.types("/roster edit name:Amuro fields:callsign: Mouse")
    await gm.types("/roster edit name:Mia Sato new_name:Mia Satoh squad:White Base fields:newtype: 2")
    await gm.types("/roster edit name:White Base new_name:Pegasus region:India side:none")
    await gm.types("/roster edit name:White Base region:India")
    await gm.types("/unit name:Pegasus")
    await gm.press("Edit")
    await gm.fill("Pegasus II", "EF", "Sri Lanka", "bo")
    await gm.press("Edit")
    await gm.fill("Pegasus", "", "India", "ann")
    await gm.types("/roster edit name:Pegasus region:India")
    for fields in ("callsign:", "newtype: 99", "newtype: high", "none"):
        await gm.types(f"/roster edit name:Bright fields:{fields}")
    await gm.types("/roster edit name:Bright fields:callsign: Captain owner:@bo secret:True kind:player character")
    await gm.types("/roster edit name:Bright fields:callsign: none secret:False")
    await gm.types("/roster add kind:player character name:Ghost:neutral")
    await gm.types("/ledger")
    await gm.types("/ledger entry:12")


async def show_and_list(at: Evening) -> None:
    """Look at what is saved."""
    at.title("What each of them sees of it")
    for person in (at.gm, at.ann, at.rival, at.stranger):
        await person.types("/unit")
    await at.ann.pick("Amuro")
    await at.gm.types("/unit kind:squad side:Zeon")
    await at.gm.types("/unit kind:named NPC side:ef")
    for person in (at.gm, at.rival, at.ann):
        await person.completes("/unit name:")
        await person.types("/unit name:Ghost Wing")
    await at.each_types("/unit name:Amuro", at.gm, at.ann, at.bo)
    await at.ann.pick("Hardy")
    await at.bo.types("/unit name:Pegasus")
    await at.ann.types("/ledger")


async def import_and_export(at: Evening) -> None:
    """Import and export files."""
    gm = at.gm
    at.title("Files: the whole of Zeon at once")
    files = BROKEN | {"faulty.csv": FAULTY.encode(), "zeon.toml": TOML}
    await at.ann.types("/roster import file:zeon.csv", files=files)
    for name in list(BROKEN)[1:]:
        await gm.types(f"/roster import file:{name}", files=files)
    await gm.types("/roster import file:faulty.csv", files=files)
    await gm.types("/roster import file:zeon.csv", files=files)
    await gm.press("Cancel")
    await at.manager.press("Import a roster")
    await gm.types("/gm settings")
    await gm.press("Next steps")
    await gm.press("Import a roster")
    await gm.fill("zeon.csv", files=files)
    await gm.press("Import 4 new, 0 changed")
    await gm.types("/roster import file:zeon.toml", files=files)
    await gm.types("/roster import file:zeon.toml replace:True", files=files)
    await gm.types("/roster edit name:Musai region:Sri Lanka")
    await gm.press("Import 1 new, 1 changed")
    await gm.press("Import 1 new, 1 changed")
    await gm.press("Undo")
    await gm.fill("Not yet")
    await gm.types("/roster import file:zeon.toml replace:True", files=files)
    await gm.press("Import 1 new, 1 changed")
    await gm.types("/roster import file:zeon.toml replace:True", files=files)
    await at.ann.types("/roster edit name:Amuro squad:Red Comet")
    await gm.types("/unit")
    await gm.press("Export all (CSV)")
    await gm.types("/unit kind:characters")
    await gm.press("Export characters (TOML)")


async def remove(at: Evening) -> None:
    """Remove what is saved."""
    gm = at.gm
    at.title("What is gone")
    await gm.types("/unit name:Red Comet")
    await gm.press("Remove")
    for _ in range(2):
        await gm.types("/unit name:Dozle")
        await gm.press("Remove")
    await gm.press("Keep it")
    await gm.press("Remove")
    await gm.press("Remove Dozle")
    await gm.press("Remove Dozle")
    await gm.types("/unit name:Red Comet")
    await gm.press("Remove")
    await gm.press("Remove Red Comet")
    await gm.press("Undo")
    await gm.fill("They are only late")
    await gm.types("/unit name:Musai")
    await gm.press("Remove")
    await gm.types("/roster edit name:Musai side:EF")
    await gm.press("Remove Musai")
    await at.ann.types("/unit name:Pegasus")
    await gm.types("/unit name:Nemo")


async def roll(at: Evening) -> None:
    """Roll any dice."""
    ann = at.ann
    at.title("Dice for all that has no rules")
    await ann.types("/roll expression:2d6+3 to hit note:At long range", dice=[6, 4])
    await ann.types("/roll expression:4d6kh3", dice=[1, 5, 6, 2])
    await ann.types("/roll expression:2d20kl1", dice=[17, 3])
    await ann.types("/roll expression:5d6!", dice=[6, 6, 2, 1, 3, 4, 5])
    await ann.types("/roll expression:8d6 >= 5", dice=[5, 6, 1, 2, 3, 4, 5, 6])
    await ann.types("/roll expression:3x 2d6", dice=[1, 2, 3, 4, 5, 6])
    await ann.types("/roll expression:2d6+")
    await ann.types("/roll expression:9999d6")
    await ann.completes("/roll expression:d100 to:")
    await ann.types("/roll expression:d100 loot to:results", dice=[77])
    await at.gm.types("/roll expression:1d6 secret to:staff", dice=[2])
    await ann.types("/roll expression:1d20 luck to:me")
    await at.gm.types("/roll expression:1d20 luck to:me", dice=[4])
    await ann.types("/roll expression:1d20+5 stealth roll:open a card first")
    await ann.press("Roll", dice=[11])
    await at.bo.types("/ledger")
    await at.stranger.types("/roll expression:1d6")
