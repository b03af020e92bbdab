"""An evening of Total War: battles on the board, act by act, till a capitol falls and the war is over."""

from __future__ import annotations

from tests.cogs.war.front import changed
from tests.transcripts.evening import Evening
from tests.transcripts.evenings.total_war import E, Z, begin_war, close, order, resolve

AT, SEA = "battle:0,1", "battle:1,1"
"""Where squadrons fight (u12 to u15 against u22 to u24), and where fleets do (u9 to u11 against u19 to u21)."""
FRONT = {
    "11th_Squadron": "0,-1",
    "21st_Squadron": "0,1",
    "1st_Fleet": "1,-1",
    "2nd_Fleet": "1,1",
    "12th_Squadron": "-3,2",
}


async def play(at: Evening) -> None:
    """Play the evening."""
    await begin_war(at, changed(**FRONT))
    await _begin(at)
    await _look(at)
    await _prepare(at)
    await _refuse(at)
    await _attack(at)
    await _answer(at)
    await _retreat(at)
    await _fire(at)
    await _storm(at)
    await _over(at)


async def _place(at: Evening, battle: str, **tiles: str) -> None:
    for unit, tile in tiles.items():
        await at.gm.types(f"/gm-war place unit:{unit} tile:{tile} {battle}")


async def _begin(at: Evening) -> None:
    at.title("Two battles begin")
    await at.ann.types("/battle show")
    await order(at.ann, "Move a force", "11th Squadron", "to:0,1")
    await order(at.ann, "Move a force", "1st Fleet", "to:1,1")
    await resolve(at)
    await at.gm.types("/update show")
    await at.gm.press("Board")
    await at.gm.press("Board of 0,1")
    await at.ann.types("/update show")


async def _look(at: Evening) -> None:
    at.title("The board, as each of them sees it")
    await at.ann.press("Show board", of="Battle on 0,1")
    await at.ann.press("As text")
    await at.rival.types("/battle show")
    await at.rival.types(f"/battle show {AT}")
    await at.stranger.types(f"/battle show {AT}")
    await at.ann.completes("/battle show battle:")
    await at.ann.completes(f"/battle show {AT} unit:")
    await at.ann.types(f"/battle show unit:u12 {AT}")
    await at.ann.press("As text")
    await at.ann.types(f"/battle show unit:u12 to:A3 {AT}")
    await at.ann.types(f"/battle show unit:u9 toward:S {SEA}")
    await at.ann.types("/battle show", at="Battle on 0,1")
    at.title("A unit by taps")
    await at.ann.types(f"/battle show {AT}")
    await at.ann.pick("Amuro Ray (u12 gm) on A1")
    await at.ann.press("A3")
    await at.ann.press("Other tile")
    await at.ann.press("A3")


async def _prepare(at: Evening) -> None:
    at.title("Units close in")
    await at.ann.types(f"/gm-war place unit:u12 tile:E5 {AT}")
    await at.gm.completes(f"/gm-war place {AT} unit:u1")
    await at.gm.completes(f"/gm-war place unit:u12 {AT} tile:E")
    await _place(at, AT, u12="E5", u13="F6", u14="F8", u15="D5", u22="E6", u23="G7", u24="H8")
    await at.gm.types(f"/gm-war place unit:u14 tile:E5 {AT}")
    await at.gm.types(f"/gm-war place unit:u99 tile:A1 {AT}")
    await at.ann.press("Only move to A3")
    await at.ann.types(f"/battle show {AT}")
    await at.ann.press("Next unit")
    await at.ann.press("E4")
    await at.ann.pick("Shoot Char Aznable (u22 zaku)")
    await at.ann.press("More")
    await at.ann.press("Cancel")
    await at.ann.press("Refresh")
    for option in ("unit", "attack", "target", "with", "call", "to"):
        before = "" if option == "unit" else " unit:u12"
        more = " target:u22 attack:shoot" if option in {"with", "call"} else ""
        await at.ann.completes(f"/battle act {AT}{before}{more} {option}:")


async def _refuse(at: Evening) -> None:
    at.title("What cannot be done")
    for act in (
        "unit:u14 to:A1",
        "unit:u12 to:E6",
        "unit:u14 attack:melee target:u22 call:heads",
        "unit:u15 target:u24",
        "unit:u14 attack:melee target:u23",
        "unit:u12 attack:melee target:u22 call:heads with:u13",
        "unit:u12 attack:kick target:u22",
        "unit:u12 toward:N",
        "unit:u12 target:u13",
        "unit:u12 target:u22, u23",
        "unit:u12 target:u22 with:u14",
        "unit:u12 target:u22 with:u13, u14",
        "unit:u15 attack:melee target:u22 call:heads",
        "unit:u12 to:D4 attack:melee target:u22 call:nothing",
        "unit:u12 to:Z9",
        "unit:u13 to:F7",
        "unit:u22 to:A11",
        "unit:u12 target:u22 dice:6 1",
    ):
        await at.ann.types(f"/battle act {act} {AT}")
    await at.rival.types(f"/battle act unit:u22 to:E7 {AT}")
    await at.rival.types(f"/battle next {AT}")
    await at.bo.types(f"/battle act unit:u12 to:E4 {AT}")
    await at.stranger.types(f"/battle act unit:u12 to:E4 {AT}")
    await at.ann.types(f"/gm-war condition side:{E} {AT}")
    at.title("What is missing is asked for")
    await at.ann.types(f"/battle act unit:u12 attack:melee, then move target:u22 call:heads {AT}")
    await at.ann.fill("", "", "E6")
    await at.ann.types(f"/battle act unit:u12 {AT}")
    await at.ann.fill("", "u23")


async def _attack(at: Evening) -> None:
    ann, gm = at.ann, at.gm
    at.title("The Federation's half of turn 1")
    await ann.types(f"/battle act unit:u12 target:u22 attack:shoot with:u13 {AT}")
    await ann.press("More")
    await ann.press("Back")
    await ann.press("Roll", dice=[1, 2])
    await ann.types(f"/battle act unit:u13 target:u22 {AT}")
    await ann.types("/battle act unit:u14 attack:melee target:u23 call:heads", at="Battle on 0,1")
    await ann.press("Roll", dice=[1])
    await ann.types(f"/battle act unit:u15 target:u22 roll:roll now {AT}", dice=[80])
    await gm.types(f"/battle act unit:u15 to:D3 {AT}")
    await gm.press("Undo", of="u15")
    await gm.fill("It stays")
    await ann.types(f"/battle act unit:u14 to:E8 roll:open a card first {AT}")
    await ann.press("End turn")
    await ann.press("End turn anyway")
    await ann.press("End turn")
    await ann.press("Roll")
    await gm.types("/gm close")


async def _answer(at: Evening) -> None:
    ann, rival = at.ann, at.rival
    at.title("Zeon's half of turn 1, and turn 2")
    await rival.types(f"/battle act unit:u22 to:E7 attack:shoot, then move target:u13 roll:roll now {AT}", dice=[6])
    await rival.types(f"/battle act unit:u24 target:u14 {AT}")
    await rival.press("Roll", dice=[1, 2, 3])
    await at.gm.types(f"/battle act unit:u24 target:u14 dice:d8: 1 {AT}")
    await rival.types(f"/battle next {AT}")
    await rival.press("End turn anyway")
    await at.restart()
    await ann.types(f"/battle show {AT}")
    await ann.types(f"/battle act unit:u12 target:u23 {AT}")
    await at.gm.types(f"/battle act unit:u12 attack:melee target:u22 call:heads dice:d2: 3 {AT}")
    await at.gm.types(f"/battle act unit:u12 target:u22 dice:1 6 {AT}")


async def _retreat(at: Evening) -> None:
    ann, rival = at.ann, at.rival
    at.title("Zeon withdraws from 0,1")
    await rival.types(f"/battle show {AT}")
    await rival.press("Withdraw")
    await rival.press("Withdraw")
    await ann.types(f"/battle act unit:u12 to:E4 {AT}")
    await ann.types(f"/battle show {AT}")
    await ann.types(f"/battle retreat to:0,2 {AT}")
    await rival.types(f"/battle show {AT}")
    await rival.completes(f"/battle retreat {AT} to:")
    await rival.types(f"/battle retreat to:3,3 {AT}")
    await rival.types(f"/battle withdraw {AT}")
    await rival.press("Retreat to 0,2")
    await rival.press("Retreat to -1,1")
    await ann.press("Roll", of="u14 gm")
    await ann.press("Cancel the card")
    await rival.types(f"/battle show {AT}")
    await ann.types("/war show what:11th Squadron")
    await ann.types("/war show what:21st Squadron")


async def _fire(at: Evening) -> None:
    ann, rival = at.ann, at.rival
    at.title("Fleets fire at each other on 1,1")
    await _place(at, SEA, u9="A6", u10="C6", u19="E6", u20="F8", u21="D6")
    await ann.completes("/battle act unit:u9 attack:broadside toward:")
    await ann.types("/battle show unit:u9 toward:E")
    await ann.types("/battle act unit:u9 attack:broadside toward:E")
    await ann.press("Roll", dice=[51])
    await ann.types("/battle act unit:u9 toward:E roll:roll now")
    await ann.types("/battle next")
    await ann.press("End turn anyway")
    await rival.types("/battle act unit:u19 toward:W roll:roll now", dice=[30])
    await rival.types(f"/battle withdraw side:{E}")
    await order(ann, "Move a force", "1st Fleet", "to:N")
    await ann.types("/battle withdraw")
    await ann.press("Withdraw")
    await ann.completes("/battle retreat force:")
    await ann.types("/battle retreat to:1,0")


async def _storm(at: Evening) -> None:
    ann = at.ann
    at.title("The capitol of Zeon is stormed")
    await resolve(at)
    await close(at, 1)
    await ann.types("/war map layer:forces")
    await order(ann, "Move a force", "12th Squadron", "to:-3,3")
    await order(at.rival, "Move a force", "22nd Squadron", "to:N")
    await resolve(at)
    await _place(at, "battle:-3,3", u16="E5", u17="F6", u2="E6", u3="G7")
    await ann.types("/battle act unit:u16 target:u2 roll:roll now battle:-3,3", dice=[6])
    await ann.types("/battle act unit:u17 attack:melee target:u3 call:heads battle:-3,3")
    await ann.press("Roll", dice=[1])


async def _over(at: Evening) -> None:
    at.title("The war is over")
    await at.each_types("/update show", at.gm, at.ann)
    await at.gm.types("/gm resolve")
    await at.gm.types("/update show")
    await at.gm.press("Digest")
    await at.rival.types("/war show")
    await at.rival.types("/war map")
    await order(at.rival, "Move a force", "2nd Fleet", "to:N")
    await at.rival.types("/battle show")
    await at.stranger.types(f"/war join faction:{Z} callsign:Late")
    await at.gm.types(f"/gm-war set what:gold to:{E} 7 reason:A gift")
    await at.gm.types("/gm-war rule text:The end")
    await at.ann.types("/ledger")
