"""An evening of the book Infinity: Normal Rolls, Face to Face Rolls, and challenges that others answer."""

from __future__ import annotations

from tests.transcripts.evening import Evening


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign("books:campaign, infinity")
    await _roll_alone(at)
    await _roll_face_to_face(at)
    await _challenge(at)
    await _end_without_an_answer(at)
    await _list(at)
    await _look_back(at)


async def _roll_alone(at: Evening) -> None:
    at.title("Normal Rolls")
    await at.ann.types("/infinity odds attribute:12 mods:-3")
    await at.ann.types("/infinity roll attribute:12 mods:-3 label:Angus note:BS Attack", dice=[8])
    await at.ann.types("/infinity roll attribute:13 mods:-6 -3 -6", dice=[1])
    await at.ann.types("/infinity roll attribute:12 burst:3", dice=[3, 12, 19])
    await at.bo.types("/infinity roll attribute:3 mods:-6 note:Out of range")
    await at.bo.types("/infinity roll attribute:23 crits:cannot have criticals", dice=[20])
    await at.bo.completes("/infinity roll attribute:11 to:")
    await at.bo.types("/infinity roll attribute:11 to:me")
    await at.bo.types("/infinity roll attribute:11 to:results", dice=[11])
    await at.ann.types("/infinity roll attribute:12 mods:-3 burst:2 roll:open a card first")
    await at.ann.press("Roll", dice=[20, 2])
    at.title("By hand, and what is refused")
    await at.gm.types("/infinity roll attribute:12 burst:3 die:9 12, 3 label:Hac Tao to:staff")
    await at.gm.types("/infinity roll attribute:12 die:d6 3")
    await at.gm.types("/infinity roll attribute:12 die:3 4")
    await at.gm.types("/infinity roll attribute:3 mods:-6 die:3")
    await at.ann.types("/infinity roll attribute:12 die:9")
    await at.ann.types("/infinity roll attribute:12 to:staff")
    await at.ann.types("/infinity roll attribute:12 mods:-3 foo")
    await at.ann.types("/infinity roll attribute:12 label:Angus, Knight")
    await at.stranger.types("/infinity roll attribute:12")


async def _roll_face_to_face(at: Evening) -> None:
    at.title("Face to Face Rolls against typed values")
    await at.ann.types("/infinity odds attribute:12 mods:-3 their_attribute:13 their_burst:2")
    angus = "/infinity versus mine:12 my_mods:-3 my_name:Angus their_attribute:13"
    await at.ann.types(f"{angus} their_burst:2 their_name:Hac Tao note:Reaction", dice=[5, 9, 11])
    await at.ann.types(f"{angus} their_name:Hac Tao", dice=[9, 13])
    await at.ann.types("/infinity versus mine:12 their_attribute:13 to:results", dice=[8, 19])
    await at.ann.types("/infinity versus mine:12 their_attribute:13 their_mods:+3 -6", dice=[8, 8])
    await at.ann.types("/infinity versus mine:0 their_attribute:0")
    await at.ann.types("/infinity versus mine:12")
    await at.ann.types("/infinity versus mine:12 their_mods:-3")
    await at.ann.types("/infinity versus mine:12 their_attribute:12 hours:3")
    await at.ann.types("/infinity versus mine:12 their_attribute:12 my_name:Angus their_name:ANGUS")


async def _challenge(at: Evening) -> None:
    at.title("A challenge is made and answered")
    await at.rival.types("/infinity challenges")
    await at.ann.types("/infinity versus mine:13 my_mods:-3 my_name:Angus opponent:rival note:Angus shoots")
    await at.ann.press("Answer")
    await at.bo.press("Answer")
    await at.bo.press("Withdraw")
    await at.rival.press("Answer")
    await at.rival.fill("12", "-3 foo", "2", "", "Hac Tao")
    await at.rival.press("Try again")
    await at.rival.fill("", "-3 +6", dice=[5, 9, 12])
    await at.stranger.types("/ledger")
    at.title("A result for the results channel, after a restart")
    await at.bo.types("/infinity versus mine:11 opponent:rival to:results")
    await at.rival.press("Answer")
    await at.restart()
    await at.rival.fill("12", "", "", "Cannot have criticals", "", dice=[12, 11])
    at.title("Game masters among themselves")
    await at.gm.types("/infinity versus mine:13 opponent:manager my_name:Avatar", at="staff")
    await at.gm.types("/infinity challenges", at="staff")
    await at.gm.types("/infinity versus mine:13 opponent:ann to:staff")


async def _end_without_an_answer(at: Evening) -> None:
    at.title("Withdrawn while the window is open")
    await at.ann.types("/infinity versus mine:13 my_name:Angus opponent:rival")
    await at.rival.press("Answer", of="Angus")
    await at.ann.press("Withdraw", of="Angus")
    await at.rival.fill("12")
    at.title("Withdrawn by a game master")
    await at.ann.types("/infinity versus mine:13 opponent:bo")
    await at.gm.press("Withdraw")
    at.title("Run out")
    await at.ann.types("/infinity versus mine:13 opponent:bo hours:2")
    await at.bo.press("Answer")
    await at.wait(hours=1, minutes=59)
    await at.wait(minutes=1)
    await at.bo.fill("12")
    at.title("Who cannot be challenged")
    await at.ann.types("/infinity versus mine:13 opponent:ann")
    await at.ann.types("/infinity versus mine:13 opponent:stranger")
    await at.ann.types("/infinity versus mine:13 opponent:rival their_attribute:3")
    await at.stranger.types("/infinity versus mine:13 opponent:rival")


async def _list(at: Evening) -> None:
    at.title("Lists of challenges")
    await at.ann.types("/infinity versus mine:13 my_name:Angus opponent:rival")
    await at.ann.types("/infinity versus mine:10 opponent:rival hours:168")
    await at.bo.types("/infinity versus mine:9 my_name:Fusilier opponent:ann note:Ambush")
    await at.ann.types("/infinity challenges")
    await at.ann.pick("1. Angus")
    await at.gm.types("/infinity challenges")
    await at.rival.types("/infinity challenges")
    await at.rival.pick("1. ann")
    await at.rival.fill("14", "", "", "", "Zhanshi", dice=[10, 15])
    await at.ann.types("/infinity challenges")
    await at.bo.press("Withdraw", of="Fusilier")
    await at.ann.pick("1. Fusilier")
    await at.bo.types("/infinity challenges")


async def _look_back(at: Evening) -> None:
    at.title("Looking back")
    await at.stranger.types("/infinity challenges")
    await at.rival.types("/update show")
    await at.rival.types("/ledger")
    await at.bo.types("/ledger entry:17")
    at.title("The book is switched off")
    await at.ann.types("/infinity versus mine:13 opponent:rival")
    await at.gm.types("/gm settings books:-infinity")
    await at.rival.press("Answer", of="A challenge")
