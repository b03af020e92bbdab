"""An evening of the book RoE: one fight in turns, from the choice of the defender to the last who flees."""

from __future__ import annotations

from tests.transcripts.evening import Evening, Person

NOW = "roll:roll now"
FRAG = "item:Frag damage:2d10+5"


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign("books:campaign, roe")
    await save_fighters(at)
    await _look_up(at)
    await _roll_skills(at)
    await _begin(at)
    await _act_by_card(at)
    await _shoot(at)
    await _vote(at)
    await _dodge(at)
    await _call(at)
    await _throw_grenades(at)
    await _flee(at)
    await _end(at)


async def save_fighters(at: Evening) -> None:
    """Save who fights: Kai is ann's, Haas bo's, Char the rival's, the Guard nobody's, and Shadow secret."""
    at.title("Who fights")
    await at.gm.types("/gm settings pings:players and game masters")
    arms = "weapons: Rifle = M_s_Rifle + Scope accuracy 5, SMG = S_a_SMG"
    for name, more in (
        ("Kai", f"owner:ann fields:hp: 30; strength: 4; hacking: 7; option: Simply Speedy; {arms}"),
        ("Char", "owner:rival fields:hp: 40; dr: 2; dodge: 5; weapons: Gun = M_a_Rifle, Axe = H_s_Axe"),
        ("Guard", "fields:hp: 25; perception: 10; weapons: Rifle = M_s_Rifle"),
        ("Haas", "owner:bo fields:hp: 20; weapons: Bazooka = H_s_Launcher, Pistol = S_s_Pistol"),
        ("Shadow", "secret:True fields:hp: 20; weapons: M_s_Rifle"),
    ):
        await at.gm.types(f"/roster add kind:player character name:{name} {more}")


async def end_turns(*people: Person) -> None:
    """Let these end the turn of now, one after the other."""
    for person in people:
        await person.ends_turn()


async def _look_up(at: Evening) -> None:
    at.title("What the book says")
    await at.ann.completes("/roe rules what:small")
    for what in (
        "Simply Speedy",
        "M_a_Rifle",
        "Grab",
        "Prone (effect)",
        "Tank",
        "Skill roll (table)",
        "Metres that a sprint adds",
    ):
        await at.ann.types(f"/roe rules what:{what}")
    await at.ann.types("/roe rules what:_s_")
    await at.ann.pick("M_s_Rifle (weapon token)")
    await at.ann.types("/roe rules what:Old Minds")
    await at.stranger.types("/roe rules what:Old Mind")
    at.title("What is to be expected")
    await at.ann.completes("/roe odds weapon:rif")
    await at.ann.types("/roe odds against:Char fire:auto weapon:SMG")
    await at.ann.types("/roe odds against:Guard aimed:True")
    await at.ann.types("/roe odds skill:Hacking target:60")
    await at.gm.types("/roe odds weapon:S_b_Fist second:S_s_Blade theirs:12 dr:5 hp:12")
    await at.ann.types("/roe odds against:Shadow")
    await at.ann.types("/roe odds character:Char")


async def _roll_skills(at: Evening) -> None:
    at.title("Skill rolls before the fight")
    await at.ann.completes("/roe check skill:ha")
    await at.ann.types("/roe check skill:Medical")
    await at.ann.press("Roll", dice=[48])
    await at.ann.types(f"/roe check skill:Hacking {NOW}", dice=[43])
    await at.ann.types(f"/roe check skill:Cooking note:for the crew target:60 {NOW}", dice=[100])
    await at.bo.types(f"/roe check skill:Stealth against:Char, Guard {NOW}", dice=[50, 45, 41])
    await at.gm.types(
        f"/roe check skill:Lockpicking character:Kai against:The safe gm:-5 modifiers:+20 Kit {NOW}", dice=[1, 50]
    )
    await at.gm.types("/roe check skill:Dodge character:Guard to:staff dice:77")
    await at.ann.types(f"/roe check skill:Dodge character:Char {NOW}")
    await at.ann.types(f"/roe check skill:Dodge against:Shadow {NOW}")
    await at.ann.types(f"/roe check skill:Strength gm:5 {NOW}")


async def _begin(at: Evening) -> None:
    at.title("A fight begins")
    await at.rival.completes("/fight start who:Kai, ")
    await at.rival.types("/fight start who:Kai, Guard")
    await at.bo.types("/fight show")
    await at.rival.types("/fight start who:Kai, Char, Guard light:by night weather:-5 name:The bridge")
    await at.rival.press("Dice")
    await at.ann.types("/update show")
    await at.ann.press("Dice", of="the fight begins")
    await at.bo.types("/fight show")
    await at.stranger.types("/fight show")
    await at.gm.types("/fight start who:Guard, Char")


async def _act_by_card(at: Evening) -> None:
    at.title("Round 1: by the card of the turn")
    await at.rival.ends_turn()
    await at.rival.types("/fight turn")
    await at.bo.types("/fight turn")
    await at.ann.types("/fight turn")
    await at.ann.pick("Grab")
    await at.ann.pick("Char")
    await at.ann.press("More")
    await at.ann.press("Cancel")
    await at.ann.types("/fight turn")
    await at.ann.press("Loot or capture")
    await at.ann.pick("Steal from a pocket, unseen")
    await at.ann.pick("Char")
    await at.ann.press("More")
    await at.ann.press("Cancel")
    await at.ann.types("/fight turn")
    await at.ann.pick("Load special ammunition")
    await at.ann.types("/fight turn")
    await at.ann.types("/roe act what:Kneel")
    await at.ann.pick("Rifle: AP")
    await at.ann.press("Unavailable")
    await at.ann.pick("Take cover")
    await at.ann.types("/roe act what:Move")
    await at.ann.completes("/roe act what:up")
    await at.ann.completes("/roe act what:Aim target:")
    await at.ann.types("/roe act what:Kneal")
    await at.ann.press("Show turn")
    await at.ann.pick("Draw or swap: Rifle")


async def _shoot(at: Evening) -> None:
    at.title("The first shot")
    await at.ann.completes("/roe attack weapon:")
    await at.ann.types("/fight turn")
    await at.ann.pick("Char")
    await at.ann.pick("10 m")
    await at.ann.pick("Rifle")
    await at.ann.press("Details")
    await at.ann.press("Roll", dice=[80, 20, 12])
    await at.ann.types(f"/roe attack target:Char {NOW}")
    await at.bo.types("/fight join character:Haas how:drawn by gunfire")
    await at.bo.types("/fight join character:Haas how:drawn by gunfire distance:20")
    await end_turns(at.ann)
    await at.bo.types("/fight show")
    await at.bo.types("/fight turn")
    await at.bo.pick("Draw or swap: Bazooka")
    await end_turns(at.bo)
    await at.rival.types(
        f"/roe attack target:Kai, Haas fire:auto weapon:Gun {NOW}", dice=[60, 40, 20, 40, 70, 30, 9, 10, 90, 10, 90]
    )
    await at.gm.types("/gm effect who:Guard effect:Bleeding")
    await end_turns(at.rival)
    await at.gm.types("/fight turn")
    await at.gm.types(f"/roe attack target:Kai range:40 {NOW}", dice=[20, 80])
    await end_turns(at.gm)


async def _vote(at: Evening) -> None:
    at.title("Votes")
    await at.rival.types("/fight show")
    await at.rival.press("Go free-form")
    await at.gm.types("/fight show")
    await at.gm.press("Lock")
    await at.gm.fill("")
    await at.ann.press("Agree")
    await at.bo.press("Refuse")
    await at.ann.types("/fight show")
    await at.ann.press("Lock")
    await at.rival.types("/update show")
    await at.rival.press("Agree")
    await at.rival.press("Agree", of="Proposed by")
    await at.stranger.press("Agree")
    await at.bo.press("Agree")
    await at.gm.press("Agree")
    await at.ann.types("/fight show")
    await at.bo.types("/fight end")
    await at.bo.types("/fight show")
    await at.bo.press("Go free-form")
    await at.gm.types("/fight show")
    await at.gm.press("Go free-form")
    await at.gm.fill("It is late")
    await at.bo.types("/fight show")
    await at.gm.types("/fight show")
    await at.gm.press("Use dice")
    await at.gm.fill("Dice again")
    await at.gm.types("/fight show")
    await at.gm.press("Lock")
    await at.gm.fill("")
    await at.ann.types("/fight show")
    await at.gm.types("/fight show")
    await at.gm.press("Turn order")
    await at.gm.fill("Kai, Haas, Gard, Char")
    await at.gm.types("/fight show")
    await at.gm.press("Turn order")
    await at.gm.fill("Kai, Haas, Guard, Char")


async def _dodge(at: Evening) -> None:
    at.title("Round 2: attacks wait for the defender")
    await at.gm.types("/gm settings defence:by the defender")
    await at.ann.types(f"/roe attack target:Char {NOW}")
    await at.ann.ends_turn()
    await at.ann.types("/fight turn")
    await at.gm.types("/fight show")
    await at.gm.press("Go free-form")
    await at.gm.fill("Enough")
    await at.ann.press("Dodge")
    await at.rival.types("/update show")
    await at.rival.press("Dodge", dice=[60, 61, 16])
    await end_turns(at.ann)
    await at.bo.types(f"/roe attack target:Guard weapon:Pistol {NOW}")
    await at.bo.types("/roe act what:Draw or swap value:Bazooka")
    await end_turns(at.bo)
    await at.gm.types(f"/roe attack target:Haas {NOW}")
    await at.gm.press("Withdraw")
    await at.gm.types(f"/roe attack target:Kai {NOW}")
    await at.wait(hours=13)  # after midnight the dice of the day are revealed; not in one step with the attack
    await at.wait(hours=11)
    await end_turns(at.gm)
    await at.rival.types("/roe act what:Reload value:Gun")
    await end_turns(at.rival)


async def _call(at: Evening) -> None:
    at.title("Round 3: a call for aid")
    await at.gm.types("/roster add kind:player character name:Mia owner:bo fields:hp: 20; weapons: Knife = S_s_Blade")
    await at.ann.types("/roe act what:Call for aid target:Char")
    await at.ann.types("/roe act what:Call for aid target:Mia value:Trading")
    await at.ann.types("/roe act what:Call for aid target:Mia value:near base")
    await at.ann.types("/roe act what:Kneel")
    await at.rival.press("No")
    await at.stranger.press("No")
    await at.gm.press("Interrupt")
    await at.gm.fill("Bazooka")
    await at.gm.press("Try again")
    await at.gm.fill("Rifle", "15")
    await at.restart()
    await at.bo.press("No", dice=[60, 40])
    await at.rival.press("Come: Mia")
    await at.bo.types("/update show")
    await at.bo.press("Come: Mia")
    await end_turns(at.ann)
    at.title("A launcher")
    await at.bo.completes("/roe blast item:")
    await at.bo.types("/roe blast item:Bazooka use:launch primary:Guard targets:Char")
    await at.bo.press("Roll all 2")
    await at.rival.press("Dodge", dice=[60, 20, 3, 80])
    await end_turns(at.bo, at.gm)
    at.title("Two who dodge, and one who does not answer")
    await at.rival.types(f"/roe attack target:Kai, Haas weapon:Axe range:1 {NOW}")
    await at.rival.types(f"/roe attack target:Kai, Haas fire:auto weapon:Gun {NOW}")
    await at.ann.press("Dodge")
    await at.ann.press("Dodge")
    await at.bo.press("Roll now")
    await at.gm.press("Roll now", dice=[20, 40, 20, 40, 20, 40, 80, 80, 80])
    await end_turns(at.rival)


async def _throw_grenades(at: Evening) -> None:
    at.title("Round 4: a grenade is thrown, and thrown back")
    await at.ann.types(f"/roe blast {FRAG} use:throw targets:Char range:30")
    await at.ann.types("/roe blast item:Frag use:throw targets:Char damage:bang")
    await at.ann.types(f"/roe blast {FRAG} use:throw targets:Char, Guard range:10")
    await end_turns(at.ann)
    await at.rival.types("/fight show")
    await end_turns(at.bo, at.bo, at.gm)
    await at.rival.types("/roe blast item:Frag use:throw-back targets:Kai range:9")
    await at.rival.types("/roe blast item:Frag use:throw-back targets:Kai, Haas")
    await end_turns(at.rival)
    at.title("Round 5: it explodes")
    await at.ann.ends_turn()
    await at.rival.press("Explode: Frag")
    await at.ann.press("Explode: Frag")
    await at.ann.fill("Kai, Haas, Guard")
    await at.ann.press("Roll all 3")
    await at.bo.press("Dodge", dice=[50, 60, 20, 3, 2, 80])
    await at.ann.types("/roe blast item:Frag use:explode")
    await end_turns(at.ann)


async def _flee(at: Evening) -> None:
    at.title("A flight")
    await end_turns(at.bo, at.bo)
    await at.rival.types("/roe act what:Flee")
    await at.ann.press("Interrupt")
    await at.ann.fill("SMG", "15")
    await at.ann.press("Try again")
    await at.ann.fill("Rifle", "15")
    await at.bo.press("No")
    await at.bo.press("No: Haas")
    await at.bo.press("Interrupt")
    await at.bo.fill("", "1")
    await at.bo.press("Try again")
    await at.bo.fill("Unarmed", "1", dice=[60, 40, 30])


async def _end(at: Evening) -> None:
    at.title("The end")
    await at.ann.types("/fight show")
    await at.ann.types("/fight join character:Kai")
    await at.gm.types("/fight end")
    await at.gm.press("End fight")
    await at.ann.types("/fight show")
    await at.rival.types("/ledger")
    await at.rival.types("/ledger entry:19")
    await at.stranger.types("/fight show")
