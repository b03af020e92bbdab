"""An evening of the campaign book: patrols, scouts, detection, captives."""

from __future__ import annotations

from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    at.title("A patrol by card")
    await at.gm.completes("/patrol patrol:Ki")
    await at.gm.types("/patrol patrol:Kilo target:Zaku column")
    await at.gm.pick("−1 Target with a newtype")
    await at.gm.press("Adjust")
    await at.gm.fill("+2", "Lights off")
    await at.gm.press("Details")
    await at.gm.press("Roll", dice=[15])
    await at.ann.types("/ledger list")
    await at.stranger.types("/ledger list")
