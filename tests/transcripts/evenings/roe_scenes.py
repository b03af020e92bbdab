"""An evening of the book RoE: short scenes of vehicles, pets, holds, hiding, zones, and what comes after a fight."""

from __future__ import annotations

from tests.transcripts.evening import Evening
from tests.transcripts.evenings.roe import NOW, end_turns, save_fighters

SQUAD = (
    "Ace,npc,30,,Rifle = M_s_Rifle + Silencer\n",
    "Bea,npc,30,,S_a_SMG\n",
    'Cal,npc,30,,"Left = S_s_Pistol + Laser damage 1, Right = S_s_HPistol"\n',
    "Dee,npc,30,,M_w_Whip\n",
    "Eve,npc,30,Magika Mage,M_m_Magika\n",
    "Fay,npc,30,,S_s_Blade\n",
    "Gus,npc,30,,M_s_Shotgun\n",
    "Hal,npc,30,Old Mind,M_b_Club\n",
    "Dummy,npc,400,Advanced Prosthetics,\n",
)


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign("books:campaign, roe")
    await save_fighters(at)
    await _practise(at)
    await _drive(at)
    await _wrestle(at)
    await _hide(at)
    await _lay_zones(at)
    await _loot(at)
    await _capture(at)
    await _heal(at)


async def _begin(at: Evening, who: str, name: str) -> None:
    await at.gm.types(f"/fight start who:{who} name:{name}")
    await at.gm.press("Dice")


async def _end(at: Evening) -> None:
    await at.gm.types("/fight end")
    await at.gm.press("End fight")


async def _practise(at: Evening) -> None:
    at.title("The range: each way to attack")
    squad = b"name,kind,hp,option,weapons\n" + b"".join(line.encode() for line in SQUAD)
    await at.gm.types("/roster import file:squad.csv", files={"squad.csv": squad})
    await at.gm.press(f"Import {len(SQUAD)} new, 0 changed")
    await _begin(at, "Ace, Bea, Cal, Dee, Eve, Fay, Gus, Hal, Dummy", "The range")
    await at.gm.types(f"/roe attack target:Dummy fire:sneak {NOW}")
    await at.gm.types(f"/roe attack target:Dummy fire:auto {NOW}")
    await at.gm.completes("/roe attack fire:")
    for way, dice in (
        ("range:60", (9, 5, 7)),
        ("fire:suppress", (60, 20, 20, 60, 20, 60, 5)),
        ("weapon:Left second:Right", (60, 20, 20, 60, 60, 20, 4, 20)),
        ("", (80, 20, 60, 60, 9)),
        ("", (80, 20, 60, 20, 5, 5)),
        ("fire:throw", (80, 20, 4)),
        ("", (1, 1)),
        ("", (1,)),
    ):
        await at.gm.types(f"/roe attack target:Dummy {way} {NOW}".replace("  ", " "), dice=dice)
        await end_turns(at.gm)
    await at.gm.types("/fight turn")
    await at.gm.types("/gm effect")
    await _end(at)


async def _drive(at: Evening) -> None:
    at.title("The yard: vehicles and pets")
    for name, fields in (
        ("Behemoth", "vehicle: tank"),
        ("Wagon", "vehicle: car; hp: 10"),
        ("Rex", "pet level: 2; pet type: organic"),
    ):
        await at.gm.types(f"/roster add name:{name} kind:squad fields:{fields}")
    await at.gm.types("/roster add name:Ghost kind:squad secret:True fields:vehicle: apc")
    await at.gm.types("/roster edit name:Kai fields:pets: Rex")
    await _begin(at, "Char, Kai, Guard", "The yard")
    await at.rival.completes("/roe act what:Mount target:")
    await at.rival.completes("/roe act what:Mount value:")
    await at.rival.types("/roe act what:Ram target:Kai")
    await at.rival.types("/roe act what:Mount target:Kai")
    await at.rival.types("/roe act what:Mount target:Wagon")
    await at.rival.types("/roe act what:Kneel")
    await end_turns(at.rival)
    await at.ann.types("/roe odds weapon:Rifle against:Behemoth")
    await at.ann.types("/roe attack target:Behemoth weapon:Rifle")
    await at.ann.press("Roll", dice=[80])
    await at.ann.types(f"/roe attack target:Guard character:Rex range:9 {NOW}")
    await at.ann.types(f"/roe attack target:Guard character:Rex {NOW}", dice=[60, 59, 7])
    await end_turns(at.ann)
    await at.gm.types("/roe act what:Mount target:Behemoth value:gunner")
    await at.gm.press("Show turn")
    await end_turns(at.gm)
    await at.rival.types("/roe act what:Ram target:Kai")
    await at.rival.press("Roll", dice=[51, 40, 19])
    await end_turns(at.rival)
    await at.ann.types(f"/roe attack target:Wagon {NOW}", dice=[90, 2, 12])
    await at.ann.types("/roe act what:Mount target:Wagon")
    await end_turns(at.ann)
    await at.gm.types(f"/roe act what:Hack a hatch target:Behemoth {NOW}", dice=[69])
    await at.gm.types("/roe act what:Dismount")
    await _end(at)


async def _wrestle(at: Evening) -> None:
    at.title("The hold: grappling")
    await at.gm.types("/roe wounds character:Kai how:treat amount:99")
    await at.gm.types("/roe wounds character:Char how:treat amount:99")
    await _begin(at, "Kai, Char, Guard", "The hold")
    await at.ann.types("/roe act what:Drag held target target:Char")
    await at.ann.types("/roe act what:Grab target:Char")
    await at.ann.press("Roll", dice=[60, 20])
    await end_turns(at.ann)
    await at.rival.types("/fight turn")
    await at.rival.types("/roe act what:Move")
    await at.rival.types("/roe act what:Move a metre while held")
    await at.rival.types(f"/roe act what:Break free by dodging {NOW}", dice=[50, 60])
    await end_turns(at.rival)
    await at.gm.types(f"/roe act what:Disarm target:Kai value:Rifle {NOW}", dice=[60, 20])
    await end_turns(at.gm)
    await at.ann.types("/fight turn")
    await at.ann.completes("/roe act what:Throw held target into someone target:")
    await at.ann.types(f"/roe act what:Throw held target into someone target:Guard {NOW}", dice=[60, 20, 60, 20, 3])
    await end_turns(at.ann)
    await at.rival.types("/roe act what:Pick up target:Kai value:Rifle")
    await end_turns(at.rival)
    await at.gm.types("/roe act what:Kick away target:Kai value:Rifle")
    await at.gm.types("/roe act what:Fall value:3")
    await at.gm.types("/fight turn")
    await at.gm.pick("Fall")
    await at.gm.fill("12")
    await at.gm.press("Roll", dice=[74])
    await _end(at)


async def _hide(at: Evening) -> None:
    at.title("The alley: a secret fighter, and one who hides")
    await _begin(at, "Kai, Shadow, Char, Haas", "The alley")
    await at.rival.types("/fight show")
    await at.gm.types("/fight show")
    await at.ann.types("/roe act what:Draw or swap value:Rifle")
    await at.ann.types("/roe act what:Hide")
    await at.ann.press("Roll all 2", dice=[60, 20, 90])
    await end_turns(at.ann)
    await at.rival.types("/fight show")
    await at.ann.types("/fight show")
    at.title("A turn that nobody else sees")
    await at.gm.types("/update show")
    await at.gm.types("/fight turn")
    await at.gm.types(f"/roe attack target:Haas {NOW}", dice=[60, 20, 5])
    await at.gm.types("/fight turn")
    await at.gm.ends_turn()
    await at.bo.types("/roe wounds")
    at.title("A search")
    await at.rival.types("/roe act what:Aim target:Kai")
    await at.rival.types("/roe act what:Search for someone hidden target:Kai")
    await at.rival.press("Roll", dice=[70, 30])
    await at.rival.types("/fight show")
    await end_turns(at.rival)
    await at.bo.types("/fight turn")
    await end_turns(at.bo)
    await at.ann.types("/fight turn")
    await at.ann.pick("Set up for a sneak attack")
    await at.ann.ends_turn()
    await at.gm.types("/fight join character:Guard how:called by com")
    await at.ann.types("/fight turn")
    await at.ann.ends_turn()
    await end_turns(at.rival, at.bo)
    await at.gm.types("/fight turn")
    await at.ann.types("/roe attack target:Haas fire:sneak")
    await at.ann.press("Roll")
    await at.bo.types("/fight show")
    await at.each_types("/ledger", at.ann, at.rival, at.bo)
    await at.rival.types("/ledger entry:48")
    await at.gm.types("/fight join character:Guard how:called by com")
    await _end(at)


async def _lay_zones(at: Evening) -> None:
    at.title("The tunnel: zones, and a grenade in the hand")
    for name in ("Kai", "Char", "Haas", "Guard"):
        await at.gm.types(f"/roe wounds character:{name} how:treat amount:99")
    await _begin(at, "Kai, Char, Haas", "The tunnel")
    await at.ann.types("/roe blast item:Gas use:zone damage:in-gas")
    await at.ann.types("/roe blast item:Acid use:zone targets:Char damage:d10+1 3 turns")
    await end_turns(at.ann)
    await at.rival.types("/roe blast item:Acid use:leave")
    await at.rival.types("/roe blast item:Frag use:cook damage:2d10+5")
    await end_turns(at.rival)
    await at.bo.types("/roe blast item:Acid use:enter")
    await at.bo.types(f"/roe blast item:Charge use:immediate targets:Char damage:d10 {NOW}", dice=[60, 20, 4])
    await end_turns(at.bo, at.ann)
    await at.gm.types("/gm effect who:Char effect:Stunned")
    await at.rival.types("/roe blast item:Frag use:throw targets:Kai")
    await at.rival.types("/fight show")
    await at.rival.types(f"/roe blast item:Frag use:explode {NOW}", dice=[50, 20, 2, 1])
    await end_turns(at.rival)
    await _end(at)


async def _loot(at: Evening) -> None:
    at.title("The loser is looted")
    await at.gm.types("/roster edit name:Char fields:hp: 10; dr: 0")
    await _begin(at, "Kai, Char", "The street")
    await at.ann.types(f"/roe take how:body from:Char size:27 {NOW}")
    await at.ann.types(f"/roe attack target:Char weapon:Rifle {NOW}", dice=[80, 20, 20, 25])
    await at.rival.types("/fight turn")
    await at.ann.completes("/roe take how:body from:")
    await at.ann.types("/roe take how:body from:Char size:27")
    await at.ann.press("Roll", dice=[60, 40, 9])
    await at.ann.types(f"/roe take how:body from:Char size:5 {NOW}")
    await at.rival.types(f"/roe take how:body from:Kai size:5 {NOW}")
    await at.ann.types(f"/roe take how:surgery from:Char size:2 {NOW}", dice=[70, 99, 71])
    await _end(at)
    at.title("A pocket is picked")
    await at.bo.types(f"/roe take how:pocket from:Kai stack:pet {NOW}")
    await at.bo.types(f"/roe take how:pocket from:Kai, Guard size:5 {NOW}", dice=[19, 10, 4, 80, 20])
    await at.ann.types("/ledger")
    await at.bo.types("/ledger")
    await at.bo.types(f"/roe take how:pocket from:Kai size:5 {NOW}", dice=[5, 50])
    at.title("Other ways to take")
    await at.bo.types(f"/roe take how:frisk from:Kai {NOW}")
    await at.gm.types("/unit name:Haas")
    await at.gm.press("More traits")
    await at.gm.pick("Of the police (Col-Sec, CPD)")
    await at.bo.types(f"/roe take how:frisk from:Kai {NOW}", dice=[30, 41])
    await at.bo.types(f"/roe take how:install from:Guard size:1 {NOW}", dice=[70, 20, 1])
    await at.bo.types(f"/roe take how:vehicle from:Behemoth {NOW}", dice=[60, 40])


async def _capture(at: Evening) -> None:
    at.title("A captive")
    await at.bo.types(f"/roe capture how:detain who:Kai {NOW}")
    await at.ann.types("/roe capture how:detain who:Char")
    await at.ann.press("Roll")
    await at.ann.types(f"/roe take how:captor from:Char {NOW}")
    await at.ann.types(f"/roe capture how:cuff who:Char {NOW}")
    await at.rival.types(f"/roe capture how:pick {NOW}", dice=[64])
    await at.rival.types(f"/roe capture how:pick {NOW}")
    await at.rival.types("/roe capture how:escape")
    await at.wait(hours=4)
    await at.rival.types("/roe capture how:escape")
    await at.bo.press("I'm present: roll")
    await at.ann.press("I'm present: roll", dice=[80, 12, 99])
    await at.rival.types("/roe wounds")
    await at.wait(minutes=30)
    await at.rival.types("/roe capture how:escape")
    await at.rival.press("Withdraw")
    await at.rival.types(f"/roe capture how:release who:Char {NOW}")
    await at.ann.types(f"/roe capture how:release who:Char {NOW}")
    at.title("A question to surrender")
    await at.ann.types("/roe capture how:cuff who:Char surrenders:True")
    await at.rival.press("Surrender")
    await at.gm.types(f"/roe capture how:detain who:Guard character:Kai surrenders:True {NOW}")
    await at.bo.types("/captives")


async def _heal(at: Evening) -> None:
    at.title("Wounds and the hospital")
    await at.ann.types("/roe wounds character:Char")
    await at.ann.types("/roe wounds character:Shadow")
    await at.rival.types("/roe wounds how:treat amount:5")
    await at.gm.types("/roe wounds character:Char how:treat")
    await at.gm.types("/roe wounds character:Char how:treat amount:4 note:Field dressing")
    await at.gm.types("/gm effect who:Haas effect:Wounded")
    await at.gm.types("/roe wounds character:Haas how:treat hours:1.5")
    await at.bo.types("/roe wounds")
    await at.rival.types("/roe wounds how:hospital amount:5")
    await at.gm.types("/gm effect who:Char effect:Mortal Wound")
    await at.rival.types("/roe wounds how:hospital amount:0")
    await at.rival.types("/roe wounds")
    await at.rival.types("/roe wounds how:hospital amount:7")
    await at.stranger.types("/roe wounds character:Char")
