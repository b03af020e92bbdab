"""An evening of captives: taken, interrogated, let go and escaped, with what is to be written, and what lasts of it."""

from __future__ import annotations

from tests.transcripts.evening import Evening
from tests.transcripts.evenings.saved import save

ROSTER = """
    Fort Anvil,base,Zeon,,Arabia,,,,,urban
    Musai,ship,Zeon,rival,,,,,,
    Pegasus,ship,EF,bo,,,,,,
    Mia Sato,pc,EF,ann,,,Owl,2,,lucky
    Kai Shiden,pc,EF,bo,,,,,,
    Slegger,npc,EF,,,,,,,officer
    Hayato,pc,EF,bo,,,,,,
    Emma,pc,EF,ann,,,,,,
    Ramba Ral,pc,Zeon,rival,,,,,,interrogation
    Cozun,npc,Zeon,,,,,,,merciless
"""


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    await at.gm.types("/gm settings write_ups:threads on pings:players and game masters")
    await save(at, ROSTER)
    await take(at)
    await look(at)
    await interrogate(at)
    await order_a_day(at)
    await resist(at)
    await write_up(at)
    await decide_battles(at)
    await set_effects(at)
    await release(at)


async def take(at: Evening) -> None:
    """Take captives."""
    gm = at.gm
    at.title("Two are taken")
    await gm.completes("/capture captive:M")
    await gm.completes("/capture captive:Mia Sato by:")
    await gm.completes("/capture captive:Mia Sato by:Zeon at:")
    await gm.types("/capture captive:Mia Sato by:Zeon at:Fort Anvil")
    await gm.types("/capture captive:Mia Sato by:Zeon at:Musai")
    await gm.types("/capture captive:Kai Shiden by:Ramba Ral at:Fort Anvil")
    await gm.types("/capture captive:Slegger by:Zeon at:Slegger")
    await gm.types("/capture captive:Pegasus by:Zeon at:Musai")
    await at.ann.types("/capture captive:Ramba Ral by:EF at:Pegasus")


async def look(at: Evening) -> None:
    """Look at captives."""
    at.title("Who knows where they are")
    await at.each_types("/captives captive:Mia Sato", at.gm, at.ann, at.bo, at.rival, at.stranger)
    await at.ann.completes("/captives captive:")
    await at.rival.completes("/captives captive:")
    await at.ann.types("/captives")
    await at.gm.types("/captives")
    await at.gm.pick("Kai Shiden")
    await at.gm.press("Move")
    await at.gm.fill("", "Atlantis")
    await at.gm.press("Move")
    await at.gm.fill("Musai")
    await at.gm.press("Undo", of="Kai Shiden")
    await at.gm.fill("He is still there")
    await at.gm.types("/captives captive:Kai Shiden")
    await at.gm.press("Move")
    await at.gm.fill("Musai")
    await at.gm.types("/captives captive:Mia Sto")
    await at.gm.press("Release", of="held by Ramba Ral at Fort Anvil")


async def interrogate(at: Evening) -> None:
    """Interrogate captives."""
    gm = at.gm
    at.title("They are asked questions")
    await gm.completes("/interrogate captive:")
    await gm.completes("/interrogate captive:Mia Sato interrogators:Ramba Ral, Co")
    await gm.types("/interrogate captive:Mia Sato interrogators:Ramba Ral")
    await gm.press("Roll", dice=[16])
    await gm.press("Publish")
    await gm.press("Publish", of="Publish entry")
    await gm.press("Interrogate again")
    await gm.fill("She was about to talk", dice=[15])
    await gm.press("Interrogate again")
    await gm.press("More")
    await gm.press("Cancel")
    await gm.types("/captives captive:Kai Shiden")
    await gm.press("Interrogate")
    await gm.fill("Ramba Ral, Kai Shiden")
    await gm.press("Interrogate")
    await gm.fill("Ramba Ral")
    await gm.press("Roll", dice=[13])
    await gm.press("Interrogate again")
    await gm.fill("He gives up", dice=[19])
    await gm.types("/interrogate captive:Slegger interrogators:Cozun roll:roll now")
    await gm.types("/capture captive:Slegger by:Zeon at:Musai")
    await gm.types("/interrogate captive:Slegger interrogators:Cozun roll:roll now", dice=[12])
    await gm.types("/interrogate captive:Slegger interrogators:Cozun roll:roll now")
    await gm.types("/capture captive:Slegger by:Zeon at:Musai")
    await at.ann.types("/interrogate captive:Mia Sato interrogators:Ramba Ral")
    await at.ann.types("/update show")
    await at.ann.pick("Mia Sato")
    await at.rival.types("/ledger")


async def order_a_day(at: Evening) -> None:
    """Order escapes, and roll them."""
    gm, ann, bo = at.gm, at.ann, at.bo
    at.title("A day in the cells: orders, then the escapes")
    await ann.types("/captives captive:Mia Sato")
    await ann.press("Escape")
    await bo.types("/escape captive:Kai Shiden note:While they eat")
    await bo.types("/escape captive:Mia Sato")
    await bo.types("/escape captive:Kai Shiden modifiers:lucky")
    await gm.types("/captives")
    await gm.types("/update show")
    await gm.types("/gm effect who:Fort Anvil effect:Surprise attack to free a captive")
    await gm.press("Roll the escapes")
    await gm.press("Roll", of="**Mia Sato** tries", dice=[16])
    await gm.press("Roll", of="**Kai Shiden** tries", dice=[3])
    await ann.types("/update show")
    await bo.types("/captives captive:Kai Shiden")
    await gm.types("/captives captive:Kai Shiden")
    await gm.press("Escape")
    await gm.press("Roll")
    await gm.fill("A guard looks away", dice=[4])
    await gm.types("/escape")
    await ann.types("/escape")
    await at.rival.types("/ledger")


async def resist(at: Evening) -> None:
    """Resist on the next day, and die of it."""
    gm, bo = at.gm, at.bo
    at.title("The next day: he resists")
    await gm.types("/gm close")
    await gm.press("Close Update 1")
    await bo.types("/escape captive:Kai Shiden")
    await bo.types("/order give kind:Resist interrogation who:Kai Shiden")
    await bo.types("/captives captive:Kai Shiden")
    await bo.press("Cancel the escape")
    await bo.types("/order give kind:Rescue a captive who:Hayato to:Kai Shiden")
    await gm.types("/gm settings players_may:orders.rescue, orders.surprise-attack")
    await bo.types("/order give kind:Rescue a captive who:Hayato to:Kai Shiden")
    await at.ann.types("/order give kind:Attack by surprise to free captives who:Emma to:Musai with:Kai Shiden")
    await gm.press("Roll week 1")
    await gm.types("/gm resolve")
    await gm.press("Resolve all")
    await gm.types("/escape captive:Kai Shiden")
    await gm.press("More")
    await gm.press("Cancel")
    await gm.types("/interrogate captive:Kai Shiden interrogators:Ramba Ral")
    await gm.press("Roll", dice=[18])
    await gm.types(
        "/interrogate captive:Kai Shiden interrogators:Ramba Ral roll:roll now note:He is out of his mind", dice=[14]
    )
    await gm.types("/captives captive:Kai Shiden")
    await bo.types("/captives captive:Kai Shiden")
    await bo.types("/update show")


async def write_up(at: Evening) -> None:
    """Write what rolls have called for."""
    gm, ann, bo = at.gm, at.ann, at.bo
    at.title("What is to be written")
    await gm.types("/scout scouter:A, B, C, D, E, F, G, H, I base:Fort Anvil to:results roll:roll now", dice=[6] * 9)
    await ann.types("/writeups")
    await ann.press("Older")
    await ann.press("Newest")
    await ann.pick("#36.9 open")
    await ann.press("Claim")
    await bo.types("/writeups")
    await bo.pick("#36.9 claimed")
    await ann.press("Give back")
    await ann.press("Done")
    await ann.fill("not a link")
    await ann.press("Done")
    await ann.fill("https://example.org/how-it-went")
    await bo.types("/update show")
    await bo.press("Claim #36.8")
    await bo.completes("/writeups number:")
    await bo.types("/writeups number:36.1")
    await bo.press("Claim")
    await bo.types("/writeups number:21")
    await bo.press("Claim")
    await gm.types("/writeups number:21")
    await gm.press("Take over")
    await bo.press("Done")
    await bo.fill("")
    await gm.press("Done")
    await gm.fill("")
    await gm.press("Add a link")
    await gm.fill("https://example.org/the-battle")
    await gm.types("/writeups state:Done")
    for number in ("the last", "36", "99"):
        await bo.types(f"/writeups number:{number}")
    await at.rival.types("/writeups state:All write-ups")
    await at.stranger.types("/writeups")


async def decide_battles(at: Evening) -> None:
    """Enter how battles ended, and settle what is owed."""
    gm = at.gm
    at.title("Battles are decided, debts are settled")
    await gm.types("/patrol patrol:Pegasus target:Musai roll:roll now", dice=[20])
    await gm.press("Claim write-up")
    await gm.press("Battle result")
    await gm.fill("Draw (any move stops)")
    await gm.types("/update show")
    await gm.types("/patrol patrol:Fort Anvil target:Smugglers:neutral roll:roll now", dice=[20, 12])
    await gm.types("/patrol patrol:Patrol boat target:Dopp wing roll:roll now", dice=[20])
    await gm.types("/update show")
    await gm.press("Paid #49: Smugglers")
    await gm.press("Did Dopp wing win? (#50)")
    await gm.fill("Dopp wing won (any move goes on)")
    await gm.types("/writeups number:50")
    await gm.press("Battle result")
    await gm.fill("Dopp wing lost (any move stops)")
    await at.bo.types("/writeups number:50")
    await at.bo.press("Claim")
    await gm.types("/writeups state:Claimed")
    await gm.pick("#50 claimed")
    await gm.press("Take over")
    await gm.types("/patrol patrol:Watch target:Acguy roll:roll now to:results", dice=[20])
    await gm.types("/gm effect who:Acguy effect:Ambushed today")
    await gm.types("/patrol patrol:Guard target:Gouf roll:roll now to:results", dice=[20])
    await gm.press("Undo")
    await gm.fill("There was no Gouf")
    await at.bo.types("/writeups number:50")
    await gm.types("/writeups number:50")
    await gm.press("Done")
    await gm.fill("https://example.org/dopps")


async def set_effects(at: Evening) -> None:
    """Set effects by hand."""
    gm = at.gm
    at.title("Effects")
    await gm.completes("/gm effect who:Fo")
    await gm.completes("/gm effect who:Fort Anvil effect:sie")
    await gm.types("/gm effect who:Fort Anvil effect:Under siege note:Since the landing")
    await gm.types("/gm effect who:Pegasus effect:Hidden until:the end of this update")
    await gm.types("/gm effect who:Musai effect:Hidden hours:6")
    await gm.types("/gm effect who:Musai effect:Hidden turns:2")
    await gm.types("/gm effect who:Musai effect:Scuoted")
    await gm.types("/gm effect who:Fort Anvil effect:Under siege")
    await gm.types("/gm effect who:Hayato effect:Cracked")
    await gm.types("/complications battle:Loum sides:Zeon, EF")
    await gm.press("Roll all 2", dice=[3, 4])
    await at.ann.types("/gm effect who:Pegasus effect:Hidden")
    for person in (at.bo, at.rival):
        await person.types("/unit")
        await person.press("Effects")
    await gm.types("/gm effect")
    await gm.types("/gm effect who:Fort Anvil")
    await gm.types("/gm effect who:Fort Anvl")
    await gm.press("Fort Anvil")
    await gm.types("/unit name:Fort Anvil")
    await gm.press("Effects")
    await gm.press("Set an effect")
    await gm.fill("Attacked today", "Until it's cleared", "By night")
    await gm.types("/gm effect who:Fort Anvil")
    await gm.pick("Fort Anvil: Under siege")
    await at.wait(hours=7)
    await gm.types("/gm effect")
    await gm.press("Undo", of="under siege (ended)")
    await gm.fill("The siege goes on")


async def release(at: Evening) -> None:
    """Let captives go."""
    gm = at.gm
    at.title("Let go")
    await gm.types("/capture captive:Ramba Ral by:EF at:Pegasus")
    await at.rival.types("/captives captive:Ramba Ral")
    await gm.press("Release")
    await gm.fill("Exchanged for Kai")
    await gm.types("/capture captive:Cozun by:EF at:Pegasus")
    await gm.types("/captives captive:Cozun")
    await gm.press("Release")
    await gm.fill("On his word")
    await gm.press("Release", of="Cozun")
    await gm.types("/captives")
    await at.rival.types("/captives captive:Ramba Ral")
    await gm.completes("/gm undo entry:ramba")
    await gm.types(f"/gm undo entry:{at.entry - 2} reason:They did not come")
    await gm.fill("")
