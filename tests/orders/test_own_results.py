"""What happened to you: one private page under the digest, and by DM for who wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import simcord

from bot.core.profiles import Profile
from bot.core.schema import post
from bot.orders import kinds
from bot.ui.text import MAX_VIEW_TEXT
from tests.cogs.captives.cells import find_pseudonym, put, save
from tests.cogs.privacy.people import erase, newcomer, show_data
from tests.orders.ordering import order, populate
from tests.orders.test_resolving import resolved
from tests.support.acting import close_update, effect_ended, released, take_back
from tests.support.prepared import prepared
from tests.support.reading import (
    assert_lacks,
    assert_says,
    components,
    labels,
    newest,
    press,
    refused,
    response,
    said,
    text,
)
from tests.support.world import World, nothing_written, rows, send_raw

UPDATE = kinds.OWN.fill(campaign=1, number=1)
ON, STOP = (kinds.DMS.fill(campaign=1, number=1, on=on) for on in (1, 0))


@prepared
async def _scouted(world: World) -> None:
    """Kai scouts in secret and White Base assaults in public, for one player; the digest is posted."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 20, 10, 10)


async def pages(world: World, actor: simcord.MemberActor | None = None, key: str = UPDATE) -> str:
    """All messages of the page."""
    result = await send_raw(actor or world.player, world.results, key)
    return "\n".join(text(message) for message in (response(result), *result.followups))


def letters(actor: simcord.MemberActor) -> list[Any]:
    """The DMs that a person got."""
    return actor.user.dm_channel.history()


def owed(world: World) -> int:
    """How many DMs are still queued."""
    return int(rows(world, "select count(*) from post where kind = 'own' and state = 'queued'")[0][0])


async def test_each_player_reads_their_own_results_under_the_digest(world: World) -> None:
    """Secret results too, with number and link; a rival reads nothing of them."""
    await _scouted(world)
    shown = newest(world.results)
    assert labels(shown) == ["What happened to you", "Details"]
    told = await pages(world)
    assert_says(told, "What happened to you: Update 1", "Your orders", "Kai", "Scout a base", "Assault a base")
    public = rows(world, "select number from entry where kind = 'roll' and audience = 'results'")[0][0]
    secret = rows(world, "select number from entry where kind = 'roll' and audience = 'staff'")[0][0]
    assert f"([#{public}](https://" in told
    assert f"#{secret}" not in told, "the entry isn't for the player, so its number isn't either"
    rival = await pages(world, newcomer(world, "Rival"))
    assert_says(rival, "What happened to you: Update 1", "None of your orders")
    assert_lacks(rival, "Kai", "Fort Anvil", "Scout")


async def test_strangers_and_forged_ids_learn_nothing(world: World) -> None:
    """Another campaign, an update to come, and one of long ago."""
    await _scouted(world)
    with nothing_written(world):
        assert "don't play" in refused(await send_raw(world.stranger, world.results, UPDATE))
        for number in (0, 2, 999_999_999):
            key = kinds.OWN.fill(campaign=1, number=number)
            assert "no update" in refused(await send_raw(world.player, world.results, key))
        assert "isn't on this server" in refused(
            await send_raw(world.player, world.results, kinds.OWN.fill(campaign=2, number=1))
        )
        assert "don't play" in refused(await send_raw(world.stranger, world.results, ON))
    assert rows(world, "select * from digest_reader") == []


async def test_the_page_of_a_past_update_stays_as_it_was(world: World) -> None:
    """The next update's results are on its own page; the button of the first works after a restart."""
    await _scouted(world)
    await close_update(world)
    await world.restart()
    await order(world, "Hide", "Kai", to="Valley")
    await resolved(world)
    before = await pages(world)
    assert_says(before, "Update 1", "Scout a base")
    assert "Hide" not in before
    after = await pages(world, key=kinds.OWN.fill(campaign=1, number=2))
    assert_says(after, "Update 2", "Hide")
    assert "Scout a base" not in after


async def test_captures_and_effects_are_told_as_their_player_may_know_them(world: World) -> None:
    """Set, ended and ending with the update; nothing of what was undone."""
    await populate(world)
    gm, here = world.gm, world.orders
    await gm.slash(here, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    await gm.slash(here, "gm effect", who="Kai", effect="Resisting", until="update")
    await gm.slash(here, "gm effect", who="Amuro", effect="cracked")
    await released(gm, here, captive="Amuro")
    told = (await pages(world)).replace("*", "")
    assert_says(told, "What changed", "Amuro: captured by Zeon at Fort Anvil", "Amuro: cracked", "Amuro: released")
    assert_says(told, "Kai: resisting today, until this update ends")
    assert "no longer resisting" not in told
    rival = await pages(world, newcomer(world, "Rival"))
    assert_lacks(rival, "Amuro", "Kai", "Zeon")
    await close_update(world)
    assert "Kai: no longer resisting" in (await pages(world)).replace("*", "")


async def test_what_happened_to_another_players_character_stays_theirs(world: World) -> None:
    """Who gets a character later reads nothing of before that only its player knew."""
    await populate(world)
    gm, here = world.gm, world.orders
    await gm.slash(here, "gm effect", who="Ramba", effect="Seriously injured")
    await effect_ended(gm, here, "Ramba", "Seriously injured")
    await gm.slash(here, "roster edit", name="Ramba", owner=world.player)
    await gm.slash(here, "gm effect", who="Ramba", effect="Injured")
    await close_update(world)
    told = (await pages(world)).replace("*", "")
    assert_says(told, "Ramba: injured")
    assert "seriously" not in told


async def test_what_had_ended_before_a_player_got_a_character_stays_hidden(world: World) -> None:
    """The page of the update in which it ended, before and after."""
    await populate(world)
    await world.gm.slash(world.orders, "gm effect", who="Ramba", effect="Seriously injured", until="update")
    await close_update(world)
    await world.gm.slash(world.orders, "roster edit", name="Ramba", owner=world.player)
    for number in (1, 2):
        assert "Ramba" not in await pages(world, key=kinds.OWN.fill(campaign=1, number=number))


async def test_what_enemies_know_of_a_character_is_not_told_to_its_player(world: World) -> None:
    """Their card hides these effects too; a game master who plays one reads them."""
    await populate(world)
    for effect in ("Scouted", "Hidden"):
        await world.gm.slash(world.orders, "gm effect", who="Kai", effect=effect, until="update")
    await world.gm.slash(world.orders, "gm effect", who="Kai", effect="Resisting", until="update")
    await close_update(world)
    told = (await pages(world)).casefold()
    assert_says(told, "resisting")
    assert_lacks(told, "scouted", "hidden")
    await world.gm.slash(world.orders, "roster edit", name="Kai", owner=world.gm)
    await world.gm.slash(world.orders, "gm effect", who="Kai", effect="Scouted", until="update")
    assert "scouted" in await pages(world, world.gm, kinds.OWN.fill(campaign=1, number=2))


async def test_what_waits_for_them_has_its_button(world: World) -> None:
    """A captive of theirs, to try an escape."""
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    shown = await send_raw(world.player, world.results, UPDATE)
    assert_says(said(shown), "What waits for you", "Captives", "By DM")
    assert any(":show:" in item.get("custom_id", "") for item in components(response(shown)))
    assert labels(response(shown))[-1] == "Send me DMs"


async def test_only_who_asks_for_dms_gets_them_once_with_each_digest(world: World) -> None:
    """Off by default; the digest's receipt names nobody who gets one."""
    await populate(world)
    shown = response(await send_raw(world.player, world.results, UPDATE))
    turned = response(await world.player.click(shown, custom_id=press(shown, "dm")))
    assert "Your results by DM: on" in text(turned)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    told = await resolved(world, 10, 10)
    assert_lacks(told, str(world.player.id), "DM")
    (letter,) = letters(world.player)
    assert_says(text(letter), "What happened to you: Update 1", "Assault a base", "To stop these DMs")
    assert letters(world.gm) == []
    for _ in range(3):
        world.clock.advance(hours=2)
        await world.env.advance_time(6)
    assert len(letters(world.player)) == 1
    assert owed(world) == 0
    await world.player.click(turned, custom_id=press(turned, "dm"))
    await close_update(world)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 10, 10)
    assert len(letters(world.player)) == 1


async def refuse_dm(world: World, status: int, code: int = 0) -> None:
    """Let Discord refuse a player's DM about an order that is resolved."""
    await send_raw(world.player, world.results, ON)
    channel = world.player.user.dm_channel
    world.env.inject_error("POST", f"/channels/{channel.id}/messages", status=status, code=code, times=None)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 10, 10)


async def test_a_closed_dm_is_tried_once(world: World) -> None:
    """No fault is kept, and no notice goes to the staff."""
    await populate(world)
    await refuse_dm(world, status=403, code=50007)
    assert (owed(world), letters(world.player)) == (0, [])
    assert rows(world, "select fault, message_id from post where kind = 'own'") == [(None, None)]
    assert "not posted yet" not in text(newest(world.staff))


async def test_a_dm_that_failed_or_may_have_arrived_comes_once(world: World) -> None:
    """Discord has a problem at first; later the record of sending is lost in a crash."""
    await populate(world)
    await refuse_dm(world, status=503)
    assert owed(world) == 1
    world.env.backend.faults.clear()
    world.clock.advance(minutes=5)
    await world.env.advance_time(6)
    assert (owed(world), len(letters(world.player))) == (0, 1)
    lost = {"state": "queued", "message_id": None, "unconfirmed": True, "payload": json.dumps([])}
    await world.bots[-1].database.write(
        lambda tx: tx.execute(post.update().where(post.c.kind == "own").values(lost)).rowcount
    )
    await world.restart()
    world.clock.advance(hours=2)
    await world.env.advance_time(6)
    assert (owed(world), len(letters(world.player))) == (0, 1)


async def test_the_dm_of_an_update_that_was_undone_is_not_sent(world: World) -> None:
    """It doesn't stay in the queue either."""
    await populate(world)
    await close_update(world)
    await refuse_dm(world, status=503)
    assert owed(world) == 1
    closed = rows(world, "select number from entry where kind = 'update'")[0][0]
    assert "Update 2 begun" in said(await take_back(world, "gm undo", entry=closed, reason="Too early"))
    world.env.backend.faults.clear()
    world.clock.advance(minutes=5)
    await world.env.advance_time(6)
    assert (owed(world), letters(world.player)) == (0, [])


@pytest.mark.parametrize("how", ["left", "lost the role", "stopped"])
async def test_who_is_no_player_any_more_gets_no_dm(world: World, how: str) -> None:
    """Who plays is looked up when the DM is sent."""
    await populate(world)
    await refuse_dm(world, status=503)
    assert owed(world) == 1
    if how == "left":
        world.env.backend.remove_member(world.guild.id, world.player.id)
    elif how == "lost the role":
        world.env.backend.remove_member_role(world.guild.id, world.player.id, world.roles["player"].id)
    else:
        await send_raw(world.player, world.results, STOP)
    world.env.backend.faults.clear()
    world.clock.advance(minutes=5)
    await world.env.advance_time(6)
    assert (owed(world), letters(world.player)) == (0, [])


async def test_privacy_shows_exports_and_erases_dms(world: World) -> None:
    """The wish for DMs, and who got which."""
    await populate(world)
    await send_raw(world.player, world.results, ON)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 10, 10)
    shown = await show_data(world, world.player)
    assert_says(text(shown), "1 DM with your results", "come by DM")
    sent = response(await world.player.click(shown, label="Export"))
    (kept,) = json.loads(await sent.attachments[0].read())["campaigns"]
    assert kept["results_by_dm"] is True
    assert [item["about"] for item in kept["dms"]] == ["update:1"]
    await erase(world, world.player)
    assert rows(world, "select * from digest_reader") == []
    assert rows(world, "select * from post where channel_id = ?", world.player.id) == []


async def test_a_long_page_fits_messages_and_a_dm(world: World) -> None:
    """Each result is in the page, however many; the DM counts those left out."""
    await populate(world)
    mine = await find_pseudonym(world.bots[0].database, world.player.id)
    names = [f"Pilot {number:02} of the {'very ' * 7}" for number in range(90)]
    await save(world.bots[0].database, *(Profile(name, "pc", owner=mine) for name in names))
    await send_raw(world.player, world.results, ON)
    await put(world.bots[0].database, {(name, "effect.resisting"): {"entry": 1} for name in names})
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 10, 10)
    result = await send_raw(world.player, world.results, UPDATE)
    shown = [response(result), *result.followups]
    assert len(shown) > 1, len(text(shown[0]))
    every = "\n".join(map(text, shown))
    assert all(name in every for name in names)
    assert all(len("".join(item.get("content", "") for item in components(one))) <= MAX_VIEW_TEXT for one in shown)
    (letter,) = letters(world.player)
    assert "more*" in text(letter)
    assert len(letter.embeds[0]) <= 6000
