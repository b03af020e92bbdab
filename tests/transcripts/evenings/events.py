"""An evening of the battlesystem book: battles with random events, from the first unit to the last turn."""

from __future__ import annotations

from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign("books:campaign, battlesystem")
    await _fight_after_a_patrol(at)
    await _muster(at)
    await _first_turn(at)
    await _second_turn(at)
    await _players_roll(at)
    await _tokens(at)
    await _several(at)
    await _endings(at)


async def _fight_after_a_patrol(at: Evening) -> None:
    """Begin a battle with the button under a roll, and play a turn by buttons alone."""
    gm = at.gm
    at.title("A patrol is caught, and a battle begins")
    await gm.types("/events table")
    await gm.press("Later")
    await gm.press("Later")
    await gm.press("Earlier")
    await gm.types("/events active")
    await gm.types("/patrol patrol:Kilo target:Zaku column roll:roll now", dice=[18])
    await gm.press("Start the battle")
    await gm.fill("Loum", "Kilo, Zaku column")
    await gm.press("Start the battle")
    await gm.fill("Loum", "Kilo, Zaku column")
    await gm.press("Add units")
    await gm.fill("Jim 1, Jim 2")
    await gm.press("Add units")
    await gm.fill("Red Zaku", "Zaku column")
    await gm.press("Check turn 1", dice=[2, 1, 3, 12])
    await at.ann.types("/events active")
    await gm.press("End turn 1")
    await gm.press("Check turn 2", dice=[4, 4, 4])
    await gm.types("/gm-events battle action:end a battle name:Loum")
    await gm.press("End the battle")


async def _muster(at: Evening) -> None:
    gm = at.gm
    at.title("Black Ford: who fights there")
    for refused in (
        "action:start a battle",
        "action:start a battle name:Black Ford, again sides:Reds, Blues",
        "action:start a battle name:Black Ford sides:Reds",
    ):
        await gm.types(f"/gm-events battle {refused}")
    await at.ann.types("/gm-events battle action:start a battle name:Black Ford sides:Reds, Blues")
    await gm.types("/gm-events battle action:start a battle name:Black Ford sides:Reds, Blues")
    await gm.types("/gm-events roll")
    await gm.completes("/gm-events unit add units:Archers side:")
    await gm.types("/gm-events unit add units:Archers, Slingers side:Reds missile:True")
    await gm.types("/gm-events unit add units:Pikes side:Reds")
    await gm.types("/gm-events unit add units:Pikes side:Blues")
    await gm.types("/gm-events unit add units:Axes side:Greens")
    await gm.types("/gm-events unit add units:Shaman side:Blues spells:3")
    await gm.types("/gm-events unit add units:Shaman side:Blues caster:True spells:3")
    await gm.types("/gm-events unit add units:Ogres, Dragon, Wolves side:Blues")
    await gm.types("/gm-events unit edit unit:Dragon flying:True")
    await gm.types("/gm-events unit edit unit:Dragon flying:True")
    await gm.types("/gm-events unit edit unit:Goblins flying:True")
    await gm.completes("/gm-events unit remove units:Wo")
    await gm.types("/gm-events unit remove units:Wolves")
    await gm.types("/events units")
    await at.each_types("/events units", at.ann, at.stranger)


async def _first_turn(at: Evening) -> None:
    gm = at.gm
    at.title("Black Ford, turn 1: winds, a grudge, a spell")
    await gm.types("/gm-events roll faces:1 2 3 4 5")
    await gm.types("/gm-events roll faces:1 2 1 1 1 1; d100: 6 4 64", dice=[1, 42, 63])
    await gm.types("/events active")
    await at.ann.types("/events active")
    await at.rival.types("/events active battle:Black Ford")


async def _second_turn(at: Evening) -> None:
    gm = at.gm
    await gm.types("/gm-events roll")
    await gm.types("/gm-events roll side:Blues faces:1")
    await gm.press("Roll anyway …", of="already checked for")
    await gm.fill("The ogres came late", dice=[2, 2, 2, 2, 1, 3, 45])
    await gm.types("/gm-events roll side:Reds reason:A die fell off the table", dice=[1, 1, 1, 52, 53, 99])
    await gm.types("/gm-events turn")
    await gm.pick("Ogres")
    at.title("Black Ford, turn 2: nobody checks")
    await gm.types("/gm-events turn")
    await gm.press("End turn 2")


async def _players_roll(at: Evening) -> None:
    at.title("Players roll for themselves")
    for refused in (
        "roll",
        "turn",
        "use event:Ogres",
        "unit add units:Axes side:Reds",
        "unit edit unit:Pikes missile:True",
        "unit remove units:Pikes",
    ):
        await at.ann.types(f"/gm-events {refused}")
    await at.gm.types("/gm settings players_may:random-events")
    await at.ann.types("/gm-events unit add units:Axes side:Reds")
    await at.ann.types("/gm-events roll faces:1 1 1")
    await at.ann.types("/gm-events roll mode:one d100 for each side", dice=[54, 55])
    await at.bo.types("/gm-events roll")
    await at.bo.types("/gm-events roll reason:Once more, please")
    await at.ann.press("End turn 3")
    await at.stranger.types("/events table number:54")
    await at.ann.types("/events table number:54")


async def _tokens(at: Evening) -> None:
    ann, gm = at.ann, at.gm
    at.title("Tokens let a side ignore what befell it")
    # four Reds and three Blues: all but the Slingers and the Ogres have an event
    await ann.types("/gm-events roll", dice=[1, 2, 1, 1, 1, 2, 1, 59, 52, 18, 43, 35])
    await ann.types("/events active")
    await ann.completes("/gm-events use event:")
    await gm.completes("/gm-events use how:cancelled by a game master, with a reason event:")
    cancelled = "how:cancelled by a game master, with a reason"
    await ann.types("/gm-events use event:Archers")
    await ann.types("/gm-events use event:Slingers")
    await ann.types("/gm-events use event:Dragon")
    await ann.types("/gm-events use event:Axes how:with the side's token, event 54")
    await ann.types("/gm-events use event:28.0.0")
    await ann.types("/gm-events use event:Dragon how:its condition was met, events 4 and 45")
    await ann.types(f"/gm-events use event:Dragon {cancelled} reason:Unfair")
    await gm.types(f"/gm-events use event:Slingers {cancelled}")
    await gm.press("Cancel it because ...")
    await gm.fill("It was not their figure")
    await gm.types(f"/gm-events use event:Slingers {cancelled} reason:Twice")
    await gm.types("/gm-events use event:nothing like that")
    await gm.types("/gm-events unit edit unit:Slingers foe:Ogres")
    await gm.types("/gm-events unit edit unit:Pikes foe:Axes")
    await gm.types("/gm-events unit edit unit:Pikes foe:Ogres")
    await ann.types("/gm-events unit remove units:Ogres")
    await gm.types("/gm-events turn")


async def _several(at: Evening) -> None:
    ann, gm = at.ann, at.gm
    at.title("A second battle at once")
    await gm.types("/gm-events battle action:start a battle name:White Hill sides:Elves, Orcs")
    await ann.types("/events active")
    await ann.completes("/events active battle:hi")
    await ann.types("/gm-events unit add units:Bows, Wardens side:Elves battle:White Hill")
    await ann.types("/gm-events unit add units:Trolls side:Orcs battle:White Hill")
    await ann.types("/gm-events roll battle:White Hill side:Elves", dice=[1, 1, 18, 25])
    await ann.types("/gm-events roll battle:White Hill side:Orcs", dice=[1, 56, 2, 29])
    await ann.types("/events active battle:White Hill")
    await ann.types("/events battles")
    await at.restart()
    await ann.types("/gm-events turn battle:White Hill")
    await ann.press("End turn 1", of="#37")
    await gm.types("/gm-events turn battle:White Hill end_battle:True")
    await gm.press("End the battle")
    await gm.press("Undo", of="White Hill")
    await gm.fill("The trolls rallied")
    await gm.types("/gm-events battle action:end a battle name:White Hill")
    await gm.press("End the battle")


async def _endings(at: Evening) -> None:
    ann, gm = at.ann, at.gm
    at.title("Black Ford ends")
    await gm.types("/gm-events roll side:Reds", dice=[1, 1, 1, 1, 4, 12, 50, 51])
    await gm.types("/gm-events roll side:Blues faces:2 2; d100: 7")
    await gm.types("/events active")
    await gm.types("/gm-events turn")
    await gm.pick("Archers")
    await ann.types("/unit")
    await ann.press("Effects")
    await gm.types("/gm settings books:-battlesystem")
    await gm.types("/gm settings books:battlesystem")
    await ann.types("/gm-events battle action:end a battle name:Black Ford")
    await gm.types("/gm-events battle action:end a battle")
    await gm.press("End the battle")
    await gm.types("/gm-events battle action:end a battle")
    await ann.types("/events battles")
    await at.stranger.types("/events battles")
    await at.each_types("/ledger entry:30", gm, ann, at.stranger)
