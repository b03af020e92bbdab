"""Corrections: results are published, taken back and amended, and found again in the ledger."""

from __future__ import annotations

from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    await at.manager.types("/gm settings players_may:scouting, patrol")
    await at.gm.types("/roster add name:Fort Anvil kind:base side:Zeon")
    await at.gm.types("/roster add kind:player character name:Kai owner:@ann side:EF")
    await _publish(at)
    await _take_back(at)
    await _amend(at)
    await _search(at)


async def _publish(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("A private result is published")
    await gm.types("/scout scouter:Kai base:Fort Anvil roll:roll now", dice=[20])
    await ann.types("/ledger")
    await ann.types("/ledger entry:6")
    await gm.types("/ledger entry:6")
    await gm.press("Publish later …")
    await gm.fill("yesterday")
    await gm.press("Publish later …")
    await gm.fill("today 18:00")
    await gm.types("/ledger entry:6")
    await gm.press("Cancel the date")
    await gm.press("Publish", of="Base scouted")
    await gm.press("Publish", of="Publish entry")
    await ann.types("/ledger entry:6")
    await at.stranger.types("/ledger entry:6")
    await gm.types("/patrol patrol:Kilo target:Zaku column roll:roll now to:staff", dice=[19])
    await gm.types(f"/ledger entry:{at.entry}")
    await gm.press("Publish later …")
    await gm.fill("today 20:00")
    await at.wait(hours=8)


async def _take_back(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("A result is taken back")
    await ann.types("/gm undo entry:6 reason:I do not like it")
    await gm.types("/gm undo entry:6")
    await gm.fill("The wrong base")
    await gm.types("/gm undo entry:6 reason:Once more")
    await ann.types("/ledger entry:6")
    await gm.types("/patrol patrol:Lima target:Gouf roll:roll now", dice=[3])
    await gm.press("Undo")
    await gm.fill("A slip")
    await gm.types("/gm undo entry:999 reason:Nothing")


async def _amend(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("A roll is amended")
    await gm.types("/patrol patrol:Mike target:Dom roll:roll now to:results", dice=[17])
    rolled = at.entry
    await ann.types(f"/gm amend entry:{rolled}")
    await gm.press("Amend")
    await gm.fill("The patrol has a newtype")
    await gm.pick("+1 Patrol with a newtype")
    await gm.press("Amend")
    await ann.types(f"/ledger entry:{at.entry}")
    await ann.types(f"/ledger entry:{rolled}")
    await gm.types(f"/gm amend entry:{at.entry} reason:No newtype after all")
    await gm.fill()
    await gm.press("More")
    await gm.press("Cancel")


async def _search(at: Evening) -> None:
    gm, ann = at.gm, at.ann
    at.title("Found again")
    await gm.types("/ledger")
    await gm.press("Older")
    await gm.pick("Entry #6")
    await gm.types("/ledger person:@gm")
    await gm.press("Older")
    await gm.press("Newer")
    await ann.types("/ledger text:kilo")
    await ann.pick("Entry #10")
    await gm.types("/ledger unit:Kilo")
    await gm.types("/ledger text:nothing like that")
    await gm.completes("/ledger family:pat")
    await gm.types("/ledger")
    await gm.press("Export")
    await ann.types("/ledger family:patrol")
    await ann.press("Export")
    await ann.press("As jsonl")
    await gm.types("/update show update:1")
    await ann.types("/update show update:1")
    await gm.types("/gm close")
    await gm.press("Close Update 1")
    await gm.types("/update show update:2")
    await gm.press("Earlier")
