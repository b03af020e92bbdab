"""The first evening on a new server: the campaign is set up, tried, closed and taken along."""

from __future__ import annotations

from tests.transcripts.evening import Evening

ROSTER = b"name,kind,side\nWhite Base,ship,EF\nAmuro Ray,pc,EF\nZaku column,squad,Zeon\n"


async def play(at: Evening) -> None:
    """Play the evening."""
    gm, manager = at.gm, at.manager
    await _look_around(at)
    await _set_up(at)

    at.title("The first roll")
    await gm.types("/patrol patrol:White Base target:Zaku column roll:roll now", dice=[19])
    await at.ann.types("/update show")
    await gm.types("/update show")
    await gm.press("Close Update 1")
    await gm.press("Close Update 1")
    await at.ann.types("/update show")

    at.title("Settings")
    await manager.types("/gm settings name:The Iron Sea players_may:patrol, orders, characters timezone:Asia/Tokyo")
    await gm.types("/gm settings players_may:patrl")
    await gm.types("/gm settings results:#staff")
    await gm.completes("/gm settings timezone:Berl")
    await manager.completes("/campaign create name:Other books:campaign, ro")
    await at.ann.types("/gm settings")
    await gm.types("/gm settings pings:all write_ups:threads on newly_saved:hidden until you reveal them")

    at.title("Channels")
    await manager.types("/campaign link channel:#orders unlink:True")
    await gm.types("/update show")
    await manager.press("Link again")
    await manager.press("Unlink")
    await manager.types("/campaign link channel:#results")
    await gm.types("/gm settings campaign:The Iron Sea", at="results")

    at.title("Taken along and closed")
    await gm.types("/gm settings", at="results")
    await gm.press("Export")
    await manager.types("/campaign archive", at="results")
    await manager.press("Archive")
    await gm.types("/roll expression:1d20", at="results")
    await manager.types("/campaign archive campaign:The Iron Sea restore:True", at="results")
    await manager.types("/campaign archive", at="results")
    await manager.press("Archive")
    await manager.press("Restore")

    await _delete_trial(at)

    at.title("Help")
    await manager.types("/help")
    await at.ann.types("/help", at="results")
    await at.ann.press("This campaign")
    await at.ann.press("Your settings")
    for label in ("Bars off", "Bars on"):
        await at.ann.press(label)
    await gm.types("/help", at="results")
    await gm.pick("Rolls")
    await gm.pick("/scout")


async def _delete_trial(at: Evening) -> None:
    manager = at.manager
    at.title("A trial is deleted")
    for name in ("trial", "trial-staff"):
        at.add_channel(name, manager)
    await manager.types("/campaign create")
    await manager.fill("Trial", "#trial", "#trial", "@Manager")
    await manager.press("Try again")
    await manager.fill("Trial", "#trial", "#trial-staff", "@Manager")
    await manager.types("/campaign archive campaign:Trial")
    await manager.press("Delete")
    await manager.press("Export it first")
    await manager.press("Delete Trial")


async def _look_around(at: Evening) -> None:
    at.title("Before there is a campaign")
    await at.manager.types("/ping")
    await at.gm.types("/help")
    await at.gm.pick("Rolls")
    await at.gm.types("/help about:/weather set")
    await at.gm.completes("/help about:wea")
    await at.gm.types("/update show")


async def _set_up(at: Evening) -> None:
    at.title("A campaign is created")
    manager = at.manager
    await manager.types("/campaign create name:Iron Sea timezone:Berlin")
    await manager.types("/campaign create name:Iron Sea timezone:Europe/Berlin")
    await manager.fill("", "#results", "#staff", "@Game Master")
    await manager.press("Link this channel")
    await manager.press("Books")
    await manager.fill("Campaign rolls (campaign) + RoE, 7th edition (roe)")
    await manager.press("Players' role")
    await manager.fill("@Player")
    await manager.press("Which week is it")
    await at.gm.types("/gm settings")
    await at.gm.press("Next steps")
    await at.gm.press("Which week is it")
    await at.gm.fill("37")
    await at.gm.press("Import a roster")
    await at.gm.fill("roster.csv", files={"roster.csv": ROSTER})
    await at.gm.press("Import 3 new, 0 changed")
    await at.stranger.types("/help")
