"""An evening of the campaign book: patrols, scouts, detection, newtypes, complications, and the cards they are rolled on."""

from __future__ import annotations

from tests.transcripts.evening import Evening
from tests.transcripts.evenings.saved import save

ROSTER = """
    Kilo,squad,EF,ann,India,,,,,
    Pegasus,ship,EF,bo,,,,,,
    Zaku column,squad,Zeon,rival,,,,,,
    Fort Anvil,base,Zeon,,Arabia,,,,,damaged-hq-bunker; perimeter-grid
    Amuro,pc,EF,ann,,Kilo,,4,,
    Sayla,pc,EF,bo,,,,,,
    Challia,pc,Zeon,rival,,,,,yes,
"""


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    at.title("Those who take part")
    await save(at, ROSTER)
    await patrol_by_card(at)
    await read_a_result(at)
    await patrol_several(at)
    await ask_what_is_meant(at)
    await roll_again(at)
    await amend(at)
    await roll_as_a_player(at)
    await tell_a_group(at)
    await keep_cards(at)
    await scout(at)
    await detect(at)
    await roll_newtypes(at)
    await roll_complications(at)
    await count_luck(at)


async def patrol_by_card(at: Evening) -> None:
    """Use everything that a card has."""
    gm = at.gm
    at.title("A patrol by card")
    await gm.completes("/patrol patrol:Ki")
    await gm.completes("/patrol patrol:Kilo target:Zaku column, Pe")
    await gm.completes("/patrol patrol:Kilo target:Zaku column modifiers:ship")
    await gm.completes("/patrol patrol:Kilo target:Zaku column region:ind")
    await gm.completes("/patrol patrol:Kilo target:Zaku column to:")
    await gm.types("/patrol patrol:Kilo target:Zaku column region:India note:At first light")
    await gm.pick("+1 Target is a squad", "−1 Target with a newtype", "−1 Balloon services bought")
    await gm.pick("Stance of the target: neutral")
    await gm.press("More")
    await gm.press("Counts")
    await gm.fill("many")
    await gm.press("Counts")
    await gm.fill("3")
    await gm.press("More")
    await gm.press("Reset")
    await gm.press("More")
    await gm.pick("Result goes to you alone")
    await gm.pick("Result goes where the rules send it")
    await gm.pick("partly on land")
    await gm.press("Back")
    await gm.press("Adjust")
    await gm.fill("lots", "Lights off")
    await gm.press("Adjust")
    await gm.fill("+2", "Lights off")
    await gm.press("Adjust")
    await gm.fill("+1", "A traitor among them", "Game masters only")
    await gm.press("Details")
    await gm.press("Roll", dice=[11])


async def read_a_result(at: Evening) -> None:
    """Look at a roll as each of them can, before and after it is public."""
    at.title("Who may read what came of it")
    await at.each_types("/ledger entry:4", at.gm, at.ann, at.rival, at.stranger)
    await at.gm.press("Publish")
    await at.gm.press("Publish", of="Publish entry")
    await at.each_types("/ledger entry:4", at.ann, at.rival, at.stranger)
    await at.rival.types("/ledger")


async def patrol_several(at: Evening) -> None:
    """Roll against several targets on one card, then against the next one."""
    gm = at.gm
    at.title("Several targets on one card, and the next one")
    await gm.types(
        "/patrol patrol:Kilo target:Dom team:hostile, Grey Ghost:neutral, Blue Gale, Old Friend stance:friendly"
    )
    await gm.pick("2. Grey Ghost")
    await gm.pick("+3 Target is a ship")
    await gm.press("Roll all 4", dice=[2, 17, 15, 20, 5])
    await gm.press("Next target")
    await gm.fill("Smugglers:unfriendly, Kilo")
    await gm.press("Next target")
    await gm.fill("Smugglers:unfriendly")
    await gm.press("Roll")
    await gm.fill("The stop was a false alarm", dice=[20, 11])
    await gm.press("Publish")
    await gm.press("Publish", of="Publish entry")
    await at.ann.types("/ledger")
    await gm.types("/patrol patrol:Kilo target:Kilo")
    await gm.types("/patrol patrol:Kilo target:A, B, C, D, E, F, G, H, I, J, K")
    await gm.types("/patrol patrol:Kilo target:Zaku column:angry")
    await gm.types("/patrol patrol:Kilo target:Scout car week:1")
    await gm.types("/patrol patrol:Kilo target:Scout car region:India week:99")
    for modifiers in ("+2", "newtype", "target.lucky, target.lucky", "service.balloon*200", "moonlight"):
        await gm.types(f"/patrol patrol:Delta target:Scout car modifiers:{modifiers}")
    await gm.types(
        "/patrol patrol:Delta target:Scout car:neutral region:Atlantis modifiers:+2 Moonlight, service.balloon*2"
    )
    await gm.press("Adjust")
    await gm.fill("-3", "Old friends", "", "Patrol table 2: what the patrol does")
    await gm.press("Roll", dice=[20, 2])
    await gm.types("/patrol patrol:Echo target:Lost car to:me roll:roll now", dice=[4])


async def ask_what_is_meant(at: Evening) -> None:
    """Ask what was probably a slip."""
    gm = at.gm
    at.title("Check this first")
    await gm.types("/patrol patrol:Pegasos target:Zaku colum region:Indai modifiers:patrol shp roll:roll now")
    await gm.press("Use suggestion", dice=[4])
    await gm.types("/patrol patrol:Pegasos target:Red Gale roll:roll now")
    await gm.press("Open the card")
    await gm.press("Use suggestion", of="Did you mean Pegasus?")
    await gm.press("More")
    await gm.press("Cancel")
    await gm.types("/patrol patrol:Pegasus target:Red Gale modifiers:target.lucki roll:roll now")
    await gm.press("Roll as typed", dice=[3])


async def roll_again(at: Evening) -> None:
    """Roll twice in one update, which needs a reason."""
    gm = at.gm
    at.title("The same patrol again: the rules ask why")
    await gm.types("/patrol patrol:Kilo target:Zaku column roll:roll now")
    await gm.press("Roll anyway …")
    await gm.fill("They turned around", dice=[7])
    await gm.types("/patrol patrol:Kilo target:Zaku column")
    await gm.types("/patrol patrol:Kilo target:Zaku column roll:roll now note:And once more", dice=[2])
    await gm.types("/patrol patrol:Kilo target:Zaku colum roll:roll now")
    await gm.press("Use suggestion")
    await gm.press("Roll")
    await gm.fill("Last try", dice=[3])


async def amend(at: Evening) -> None:
    """Change what a roll was about, with the dice that fell; take one back."""
    gm = at.gm
    at.title("What was missed: amend, and take back")
    await gm.types("/patrol patrol:Foxtrot target:Gelgoog roll:roll now to:results", dice=[17])
    await gm.press("Amend")
    await gm.fill("It was Pegasus who patrolled")
    await gm.press("Names")
    await gm.fill("Pegasus", "Gelgoog team, Dom team")
    await gm.press("Names")
    await gm.fill("Pegasus", "Gelgoog team")
    await gm.pick("+3 Patrol is a ship", "+1 Patrol with a detector unit")
    await gm.press("Amend")
    await at.ann.types("/ledger")
    await gm.press("Undo")
    await gm.fill("Pegasus was in dock")
    await gm.types("/patrol patrol:Foxtrot target:Guntank roll:roll now", dice=[5])
    await gm.press("Amend")
    await gm.fill("It was tired")
    await gm.press("Adjust")
    await gm.fill("-1", "Tired")
    await gm.press("Amend", of="Amend entry")


async def roll_as_a_player(at: Evening) -> None:
    """Let players roll."""
    gm, ann = at.gm, at.ann
    at.title("Players may roll, once they are let")
    await gm.types("/gm close")
    await gm.press("Close Update 1")
    await ann.types("/patrol patrol:Kilo target:Raiders")
    await gm.types("/gm settings players_may:patrol, scouting, detection, newtype")
    await ann.completes("/patrol patrol:")
    await at.rival.completes("/patrol patrol:")
    await ann.types("/patrol patrol:Kilo target:Raiders")
    await ann.pick("+1 Target is a squad")
    await ann.press("More")
    await ann.press("Back")
    await ann.press("Roll", dice=[9])
    await ann.types("/patrol patrol:Zaku column target:Raiders roll:roll now")
    await ann.types("/patrol patrol:Lima target:Raiders roll:roll now", dice=[2])
    await ann.types("/complications battle:Jaburo sides:EF")
    await ann.types("/patrol patrol:Kilo target:Raiders modifiers:+2 Ours")
    await ann.types("/patrol patrol:Kilo target:Raiders to:staff")
    await at.stranger.types("/patrol patrol:Kilo target:Raiders")


async def tell_a_group(at: Evening) -> None:
    """Send results to a group alone, and remove it while a card waits."""
    gm = at.gm
    at.title("For the Blue Team alone")
    await gm.opens_groups()
    await gm.press("Add group")
    await gm.fill("Blue Team", "Kilo")
    await gm.types("/patrol patrol:Hotel target:Spy to:Blue Team roll:roll now", dice=[8])
    await at.ann.types("/ledger")
    await at.bo.types("/ledger")
    await gm.types("/patrol patrol:Hotel target:Other spy")
    await gm.press("More")
    await gm.pick("Result goes to Blue Team")
    await gm.opens_groups()
    await gm.pick("Blue Team")
    await gm.press("Remove")
    await gm.press("Roll", of="**Other spy**")
    await gm.press("Roll", of="would now go to the game masters", dice=[9])
    await at.ann.types("/ledger")


async def keep_cards(at: Evening) -> None:
    """Leave cards open, find them again, and discard them."""
    gm, ann = at.gm, at.ann
    at.title("Cards that stay open")
    await gm.types("/patrol patrol:Pegasus target:First")
    await gm.types("/patrol patrol:Pegasus target:Second")
    await ann.types("/patrol patrol:Kilo target:Third")
    await ann.types("/help")
    await ann.press("Open cards")
    await at.restart()
    await gm.types("/help")
    await gm.press("Open cards")
    await gm.pick("patrol: Kilo, Third")
    await gm.pick("+2 Target all A-1 tanks")
    await ann.press("Roll")
    await ann.press("Roll", dice=[20])
    await gm.types("/update show")
    await gm.press("Discard all 3 of yours")
    await gm.press("Roll", of="Second")


async def scout(at: Evening) -> None:
    """Scout a base."""
    gm = at.gm
    at.title("Scouts at Fort Anvil")
    await gm.completes("/scout scouter:Amuro base:")
    await gm.types("/scout scouter:Amuro, Sayla, Ryu, Hayato, Kai base:Fort Anvil")
    await gm.pick("3. Ryu")
    await gm.press("Details")
    await gm.press("Roll all 5", dice=[1, 6, 10, 14, 20])
    await at.bo.types("/scout scouter:Sayla base:Fort Anvil note:Again roll:roll now", dice=[12])
    await at.rival.types("/unit name:Fort Anvil")
    await gm.types("/unit name:Fort Anvil")
    await at.bo.types("/ledger")


async def detect(at: Evening) -> None:
    """Look for those who hide."""
    gm = at.gm
    at.title("Who hides, and who looks")
    await gm.types("/detect detector:Pegasus, Kilo hidden:Ghost, Shade")
    await gm.press("Roll all 4", dice=[1, 3, 5, 20])
    await gm.types("/detect detector:Pegasus")
    await gm.types("/detect detector:Pegasus roll:roll now note:Into the dark")
    await gm.types("/detect detector:Kilo, Zaku column hidden:Kilo")
    await at.bo.types("/detect detector:Pegasus hidden:Zaku column roll:roll now", dice=[9])
    await gm.types("/gm effect")


async def roll_newtypes(at: Evening) -> None:
    """Roll levels, which are kept."""
    gm = at.gm
    at.title("Newtypes")
    await gm.types("/newtype character:Nemo")
    await gm.types("/newtype character:Sayla")
    await gm.pick("Affiliation: EF enlisted")
    await gm.press("Roll", dice=[18])
    await gm.types("/newtype character:Challia affiliation:NT Korps pilot roll:roll now", dice=[20])
    await gm.types("/newtype character:Sayla affiliation:civilian roll:roll now")
    await at.bo.types("/unit name:Sayla")
    await at.ann.types("/unit name:Sayla")
    await at.rival.types("/unit name:Challia")


async def roll_complications(at: Evening) -> None:
    """Roll for each side of a battle."""
    gm = at.gm
    at.title("Complications")
    await gm.types("/weather set zone:South and Southeast Asia category:6 reason:The monsoon week:1")
    await gm.completes("/complications battle:Jaburo sides:Zeon, E")
    await gm.types("/complications battle:Jaburo sides:Zeon, EF defender:Zeon base:Fort Anvil region:India")
    await gm.pick("2. EF")
    await gm.press("Roll all 2", dice=[4, 19])
    await gm.types("/complications battle:Jaburo sides:EF, ef")
    await gm.types("/complications battle:Jaburo sides:EF, Zeon defender:EF")
    await gm.types("/complications battle:Jaburo sides:EF, Zeon base:Fort Anvil")
    await gm.types("/complications battle:Jaburo sides:EF, Zeon defender:Zoen base:Fort Anvil")


async def count_luck(at: Evening) -> None:
    """Look at how the dice have fallen."""
    at.title("Whose dice are kind")
    await at.gm.completes("/luck family:")
    await at.gm.types("/luck")
    await at.ann.types("/luck")
    await at.ann.types("/luck person:@ann family:Patrol")
    await at.gm.types("/luck unit:Kilo weeks:1")
    await at.gm.types("/luck unit:Nemo")
    await at.gm.types("/luck unit:Pegasos")
    await at.gm.press("Pegasus")
    await at.stranger.types("/luck")
