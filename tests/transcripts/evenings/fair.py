"""Fair dice: every roll is fixed before it is made, proved a day later, and mixed with numbers from outside."""

from __future__ import annotations

from tests.support.random_org import KEY
from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    gm, ann = at.gm, at.ann
    await at.create_campaign()
    at.title("Rolled today")
    await gm.types("/roll expression:2d6+1 for the charge roll:roll now")
    await gm.types("/patrol patrol:Kilo target:Zaku column roll:roll now")
    await gm.press("Publish")
    await gm.press("Publish", of="Publish entry")
    await ann.types("/verify entry:3")
    await at.stranger.types("/verify entry:3")
    await gm.types("/ledger entry:4")
    await gm.press("Verify")

    at.title("Proved tomorrow")
    await at.restart()
    await at.wait(days=1)
    await ann.types("/verify entry:3")
    await gm.types("/verify entry:4")
    await ann.types("/verify entry:1")
    await gm.types("/luck")
    await ann.types("/luck")

    at.title("Numbers from outside")
    await ann.types("/gm settings")
    await gm.types("/gm settings")
    await gm.press("random.org")
    await gm.press("Add key")
    await gm.fill("11111111-2222-3333-4444-555555555555")
    await gm.press("Add key")
    await gm.fill(KEY)
    await gm.types("/roll expression:1d20+1d6 roll:roll now")
    await gm.types("/gm settings")
    await gm.press("random.org")
    await gm.press("Remove key")
    await at.wait(days=1)
    await ann.types("/verify entry:8")

    at.title("A public site")
    await gm.types("/gm settings")
    await gm.press("Public site")
    await gm.press("Turn on")
    await gm.fill("The Sea", "Search engines may list it")
    await gm.press("Turn on")
    await gm.fill("iron-sea", "Search engines may list it")
    await gm.press("Turn off")
    await gm.press("Undo")
    await gm.fill("They're ready")
