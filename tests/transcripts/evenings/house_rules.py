"""House rules: tables and changes of a book, typed or sent as a file, switched on, used, edited and taken away."""

from __future__ import annotations

from tests.transcripts.evening import Evening

LOOT = "1-3 Nothing of use\n4-5 Spare parts\n6 A whole mobile suit"
HEAD = b'[[table]]\nid = "salvage"\ntitle = "Salvage"\ndie = 6\nsource = { book = "Ours", section = "Tables" }\n'
SALVAGE = HEAD + (
    b'rows = [\n  { max = 3, outcome = "low", text = "Little", line = 1 },\n'
    b'  { min = 4, outcome = "high", text = "Much", line = 2 },\n]\n'
)
RICHER = SALVAGE.replace(b"max = 3", b"max = 2").replace(b"min = 4", b"min = 3")
BROKEN = SALVAGE.replace(b"min = 4", b"min = 5")
DRONES = b"""\
[overlay]
id = "drones"
extends = "campaign"
source = { book = "Ours", section = "Patrols" }
facts = [
  { trait = "drones", label = "has drones", roles = ["patrol"] },
]


[[change]]
table = "campaign.patrol.catch"
remove-modifiers = ["target.lucky"]
modifiers = [
  { id = "patrol.drones", value = 2, label = "Patrol has drones", group = "patrol", line = 1 },
]
"""

RUMOURS = "\n".join(f"{face} Rumour {face}: {'a sentry heard it from another. ' * 4}or so" for face in range(1, 41))


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    await _type(at)
    await _send(at)
    await _change_a_book(at)
    await _remove(at)


async def _type(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("A table is typed")
    await ann.types("/gm rules name:loot")
    await gm.types("/gm rules name:loot")
    await gm.fill("6", "Nothing of use\n5 Spare parts")
    await gm.press("Edit as text")
    await gm.fill("6", "1-3 Nothing of use\n5 Spare parts")
    await gm.press("Add a result")
    await gm.fill("6+", "A whole mobile suit")
    await gm.pick("5: Spare parts")
    await gm.fill("4-5")
    await gm.press("Switch on")
    await gm.types("/table show")
    await gm.types("/table show name:loot")
    await gm.press("Edit as text")
    await gm.fill("6", LOOT.replace("Spare", "Good spare"))
    await gm.press("Add a modifier")
    await gm.fill("Tools", "+2")
    await gm.pick("+2 Tools")
    await gm.fill("Tools", "+1", "Storms")
    await gm.press("Switch on")
    await gm.types("/table roll name:loot roll:roll now", dice=[6])
    await ann.types("/table roll name:loot")
    await at.manager.types("/gm settings players_may:loot")
    await ann.completes("/table roll name:lo")
    await ann.types("/table roll name:loot who:Kai")
    await ann.press("Roll", dice=[4])
    await ann.types("/table show")


async def _send(at: Evening) -> None:
    gm = at.gm
    await gm.types("/gm rules name:rumours")
    await gm.fill("", RUMOURS[:3900])
    await gm.press("More")
    await gm.press("Discard")
    at.title("A file is sent, with faults, and mended")
    await gm.types("/gm rules name:salvage file:salvage.toml", files={"salvage.toml": BROKEN})
    await gm.types("/gm rules name:salvage file:salvage.toml", files={"salvage.toml": SALVAGE})
    await gm.press("Discard")
    await gm.types("/gm rules name:salvage file:salvage.toml", files={"salvage.toml": SALVAGE})
    await gm.press("Switch on")
    await gm.types("/table roll name:salvage who:White Base about:Wreck roll:roll now", dice=[3])
    await gm.types("/gm rules name:salvage file:salvage.toml", files={"salvage.toml": RICHER})
    await gm.press("Switch on")
    await gm.types("/table roll name:salvage who:White Base about:Wreck roll:roll now note:Again", dice=[3])
    await gm.types("/table show name:salvage")
    await gm.press("Export")
    await gm.fill("1")


async def _change_a_book(at: Evening) -> None:
    gm = at.gm
    at.title("A change of the book")
    await gm.types("/gm rules name:drones file:drones.toml", files={"drones.toml": DRONES})
    await gm.press("Switch on")
    await gm.types("/patrol patrol:Kilo target:Ghost modifiers:drones")
    await gm.press("Roll", dice=[16])
    await gm.types("/table show name:drones")


async def _remove(at: Evening) -> None:
    gm = at.gm
    at.title("Taken away")
    await gm.press("Remove")
    await gm.types("/table show")
    await at.ann.types("/ledger")
    await gm.types("/gm undo entry:3 reason:Not that table")
