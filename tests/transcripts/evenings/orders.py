"""Orders and update day: what players order, how it is arranged and resolved, and what everybody reads afterwards."""

from __future__ import annotations

from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    await _populate(at)
    await _order(at)
    await _arrange(at)
    await _resolve(at)
    await _close(at)


async def _populate(at: Evening) -> None:
    gm = at.gm
    await at.create_campaign()
    await at.manager.types("/gm settings players_may:orders pings:all")
    await gm.types("/roster add name:White Base kind:ship side:EF")
    await gm.types("/roster add name:Fort Anvil kind:base side:Zeon")
    await gm.types("/roster add name:Hunter kind:squad side:EF")
    await gm.types("/roster add name:Zaku kind:squad side:Zeon")
    await gm.types("/roster add kind:player character name:Kai owner:@ann squad:White Base side:EF")
    await gm.types("/roster add kind:player character name:Hayato owner:@bo side:EF")
    await gm.types("/roster add kind:player character name:Amuro owner:@bo side:EF")
    await gm.types("/roster add kind:player character name:Char owner:@rival side:Zeon")
    await gm.types("/capture captive:Amuro by:Zeon at:Fort Anvil")
    await gm.types("/gm schedule day:Saturday time:18:00 remind:60 lock:120")
    await gm.types("/update show")
    await gm.press("Board")
    await gm.press("Post who is missing")
    await gm.press("Nudge")


async def _order(at: Evening) -> None:
    ann, bo, gm = at.ann, at.bo, at.gm
    at.title("Players order")
    await ann.completes("/order give kind:sc")
    await ann.completes("/order give kind:Scout a base who:")
    await ann.types("/order give kind:Scout a base who:Kai to:Fort Anvil note:By night if we can")
    await ann.types("/order give kind:Scout a base who:Hayato to:Fort Anvil")
    await ann.types("/order give kind:Scout a base who:Kai")
    await ann.fill("Hayato", "Fort Anvil")
    await ann.types("/order give kind:Sing who:Kai")
    await at.stranger.types("/order give kind:Hide who:Kai to:Valley")
    await bo.types("/order give kind:Escape who:Amuro")
    await bo.types("/order give kind:Resist interrogation who:Amuro")
    await bo.types("/order give kind:Hide who:Hayato to:Valley")
    await bo.types("/order give kind:Move through a sector who:Hayato to:Valley")
    await at.rival.types("/order give kind:Patrol or blockade a sector who:Char to:Valley")
    await gm.types("/order give kind:Patrol or blockade a sector who:Zaku to:Valley")
    await gm.types("/order give kind:Detect in a sector who:Hunter to:Valley")
    await gm.types("/order give kind:Interrogate a captive who:Char to:Amuro")
    await gm.types("/order give kind:Assault a base who:White Base to:Fort Anvil")
    await gm.types("/order give kind:Rescue a captive who:Kai to:Amuro")
    await at.wait(seconds=10)

    at.title("What each of them sees")
    await at.each_types("/order list", ann, bo, at.rival, at.stranger, gm)
    await ann.pick("Kai: Scout a base")
    await ann.press("Change")
    await ann.fill("Fort Anvil", "By day")
    await bo.pick("Hayato: Hide")
    await bo.press("Cancel order")
    await ann.types("/order list")
    await ann.pick("White Base")
    await ann.types("/order give kind:Pass who:Kai")


async def _arrange(at: Evening) -> None:
    gm = at.gm
    at.title("The game master arranges")
    await gm.press("Lock")
    await at.wait(seconds=10)
    await at.ann.types("/order give kind:Hide who:Kai to:Valley")
    await gm.press("Unlock")
    await at.wait(seconds=10)
    await gm.press("Arrange")
    await gm.pick("Char: Patrol or blockade a sector")
    await gm.press("Priority")
    await gm.fill("7")
    await gm.press("Pause")
    await gm.press("Resume")
    await gm.press("Arrange")
    await gm.pick("Amuro: Resist interrogation")
    await gm.press("Refuse")
    await gm.fill("He sleeps")
    await at.bo.types("/order list")


async def _resolve(at: Evening) -> None:
    gm = at.gm
    at.title("Update day")
    await gm.types("/update show")
    await at.ann.types("/gm resolve")
    await gm.types("/gm resolve")
    await gm.pick("Zaku against Hayato")
    await gm.pick("Hunter looks for hidden units")
    await gm.press("Roll", dice=[20])
    await gm.press("Resolve orders")
    await gm.press("Resolve all", dice=[19, 20, 10, 10, 10, 10])
    await gm.types("/update show")
    await gm.press("Digest")
    await at.ann.press("What happened to you")
    await at.ann.press("Send me DMs")
    await at.ann.press("Stop DMs")
    await at.rival.press("What happened to you")
    await at.stranger.press("What happened to you")
    await gm.press("Did Hayato win? (#37)")
    await gm.fill("Draw (any move stops)")
    await at.ann.types("/order give kind:Scout a base who:Kai to:Fort Anvil note:Once more")
    await gm.types("/gm resolve")
    await gm.press("Resolve all")
    await at.ann.types("/order give kind:Scout a base who:Kai to:Fort Anvil note:Once more")
    await gm.types("/gm resolve")
    await gm.press("Resolve all")
    await gm.press("Answer")
    await gm.fill("A second team goes in", dice=[3])
    await gm.types("/update show")


async def _close(at: Evening) -> None:
    gm = at.gm
    at.title("Closed")
    await gm.types("/gm close name:The long night")
    await gm.press("Close Update 1")
    await at.each_types("/order list update:1", at.ann, at.bo, at.rival)
    await at.ann.types("/update show update:1")
    await gm.types("/update show update:1")
    await at.ann.types("/order give kind:Hide who:Kai to:Valley")
    await gm.types("/gm close")
    await gm.press("Cancel all orders")
    await gm.fill("We begin again")
    await gm.types("/gm schedule off:True")
