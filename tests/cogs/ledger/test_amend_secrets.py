"""An amended roll is as private as before, and so is its card."""

from __future__ import annotations

import pytest

from tests.cogs.campaign.grouping import NIGHT, make_group, newest_entry
from tests.cogs.ledger.test_amend import adjust, amend_with, open_card, press_amend
from tests.cogs.ledger.test_void import PATROL, window
from tests.core.test_forged_ids import elsewhere
from tests.support.acting import close_update, fill_in, has_cards, roll_command, tick
from tests.support.reading import (
    assert_lacks,
    assert_says,
    components,
    newest,
    offers,
    press,
    refused,
    response,
    said,
    text,
)
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written, rows, send_raw


@pytest.mark.slow
async def test_a_roll_made_for_oneself_stays_one(world: World) -> None:
    """Another game master can't amend it or see its card."""
    await roll_command(world, "patrol", 18, **PATROL, to="me")
    assert "has no entry #3" in refused(await world.gm2.slash(world.orders, "gm amend", entry=3))
    card = await open_card(world, 3)
    assert not await has_cards(world.gm2, world.orders)
    assert "has no entry #3" in refused(await send_raw(world.gm2, world.orders, press(card, "roll")))
    await adjust(world.gm, card, "-9", "Radar was off")
    await press_amend(world.gm, card)
    assert [world.results.last_message, world.staff.last_message] == [None, None]
    assert rows(world, "select audience from entry where number = 4") == [("person",)]
    assert "no entry #4" in said(await world.player.slash(world.orders, "ledger", entry=4))
    await require_whole(world)


async def test_a_roll_for_the_staff_stays_with_the_staff(world: World) -> None:
    """Its card doesn't ask where to post; forged ids don't help."""
    await roll_command(world, "patrol", 18, **PATROL, to="staff")
    card = await open_card(world, 3)
    assert not offers(card, "to")
    forged = press(card, "roll").rpartition(":")[0] + ":to"
    assert "That button no longer works" in refused(await send_raw(world.gm, world.orders, forged, "results"))
    await adjust(world.gm, card, "+2", "Sandstorm")
    await press_amend(world.gm, card)
    assert world.results.last_message is None
    assert "Now counts: +2 Sandstorm" in text(newest(world.staff))
    assert rows(world, "select audience from entry where number = 4") == [("staff",)]


@pytest.mark.slow
async def test_a_result_that_the_rules_make_public_is(world: World) -> None:
    """A new catch is public, without number, die or reason."""
    await roll_command(world, "patrol", 17, **PATROL)
    await amend_with(world, 3, "+1", "Sandstorm")
    (result,) = world.results.history()
    assert "caught by" in text(result)
    listed = [
        said(await world.player.slash(world.orders, "ledger")),
        said(await world.player.slash(world.orders, "ledger", entry=4)),
    ]
    for public in (text(result), *listed):
        assert_lacks(public, "Nothing is caught", "not caught", "#3", "1d20", "**17**", "A modifier was missed")
    assert_says(text(result), "Amends a private roll", "adjusted by a game master")
    whole, notice = [text(message) for message in world.staff.history()][-2:]
    assert_says(whole, "Amends #3, whose dice are kept.", "1d20: **17** (kept)")
    assert "Nothing is caught \N{RIGHTWARDS ARROW} **Caught" in notice


@pytest.mark.slow
async def test_each_reason_is_told_to_the_staff(world: World) -> None:
    """A second reason is asked for, and the notice has both."""
    await roll_command(world, "patrol", 17, 17, patrol="Kilo", target="Zaku", roll="now")
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom", roll="now")
    card = await open_card(world, 4)
    await fill_in(world.gm, card, {"patrol": "Kilo", "target": "Zaku"}, custom_id=press(card, "names"))
    window_again = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "Amended: entry #5" in said(await world.gm.submit_modal(window_again, {"reason": "They came back"}))
    told = text(newest(world.staff))
    assert_says(told, "**Why:** A modifier was missed", "**Rolled again because:** They came back")


async def test_somebody_secret_comes_into_no_public_result(world: World) -> None:
    """Neither an old secret target nor a new one."""
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    await roll_command(world, "patrol", 18, 18, patrol="Kilo", target="Shadow", roll="now")
    await world.gm.slash(world.orders, "patrol", patrol="Lima", target="Zaku", roll="now", to="results")
    for number, target in ((4, "Zaku"), (5, "Shadow")):
        card = await open_card(world, number)
        shown = await world.gm.click(card, custom_id=press(card, "names"))
        await world.gm.submit_modal(shown, {"patrol": f"Kilo {number}", "target": target})
        world.dice.script()
        await press_amend(world.gm, card)
    assert [part["audience"] for number in (6, 7) for part in entry(world, number)["parts"]] == ["staff", "staff"]
    public = "\n".join(map(text, world.results.history()))
    assert_lacks(public, "Shadow", "Kilo 4")
    assert "The result is for game masters only." in public
    assert "What else" not in public
    await require_whole(world)


async def test_what_hid_die_and_sum_hides_them_still(world: World) -> None:
    """An unticked secret fact still hides the sum."""
    await roll_command(
        world, "patrol", 19, 13, patrol="Kilo", target="Ghost:neutral", modifiers="target.hidden", roll="now"
    )
    card = await open_card(world, 3)
    await tick(world.gm, card, "target")
    await press_amend(world.gm, card)
    public = "\n".join(map(text, world.results.history()))
    assert "1d20" not in public
    assert "Dice and modifiers: game masters only" in public
    assert "1d20: **19** (kept)" in "\n".join(map(text, world.staff.history()))


@pytest.mark.slow
async def test_a_published_roll_stays_public(world: World) -> None:
    """The old post links to the new result; its note stays private."""
    await roll_command(world, "patrol", 18, **PATROL, to="staff", note="An informer told")
    await send_raw(world.gm, world.staff, "publish:1:3:now")
    await amend_with(world, 3, "+2", "Sandstorm")
    await amend_with(world, 5, "+1", "Dusk")
    published, again, notice, last, _ = world.results.history()
    assert published.embeds[0].author.name == "Amended by #5"
    assert published.embeds[0].author.url == again.jump_url
    assert "Now counts: +2 Sandstorm" in text(notice)
    assert "with the staff" not in text(notice)
    for message in (again, last):
        assert "Rolled privately first, the only private roll by this person in update 1" in text(message)
        assert "informer" not in text(message)
    assert "Dusk" in said(await world.player.slash(world.orders, "ledger", entry=6))
    assert "is already public" in refused(await send_raw(world.gm, world.orders, "publish:1:6:now"))
    await require_whole(world)


@pytest.mark.parametrize(
    "to", ["staff", pytest.param("me", marks=pytest.mark.slow), pytest.param(NIGHT, marks=pytest.mark.slow)]
)
async def test_of_a_published_roll_somebody_secret_stays_secret(world: World, to: str) -> None:
    """Only the staff reads of the new secret target."""
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    world.dice.script(1, 1, 1)
    if to == NIGHT:
        await make_group(world)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku, Dom, Gouf", to=to, roll="now")
    number = newest_entry(world)
    await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
    card = await open_card(world, number)
    await fill_in(world.gm, card, {"patrol": "Kilo", "target": "Shadow"}, custom_id=press(card, "names"))
    await press_amend(world.gm, card)
    new = newest_entry(world)
    assert [part["audience"] for part in entry(world, new)["parts"]] == ["staff", "results", "results"]
    published, result, notice = world.results.history()
    assert published.embeds[0].author.url == result.jump_url
    assert "The rest of the result is for game masters only." in text(notice)
    assert "Shadow" not in "\n".join(map(text, world.results.history()))
    assert "Shadow" not in said(await world.player.slash(world.orders, "ledger", entry=new))
    await require_whole(world)


@pytest.mark.slow
async def test_a_public_message_leads_to_no_channel_of_the_staff(world: World) -> None:
    """Public messages link to public ones, the staff's to the staff's."""
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    await roll_command(world, "patrol", 18, patrol="Kilo", target="Zaku", to="staff", roll="now")
    await send_raw(world.gm, world.staff, "publish:1:4:now")
    card = await open_card(world, 4)
    await fill_in(world.gm, card, {"patrol": "Kilo", "target": "Shadow"}, custom_id=press(card, "names"))
    await press_amend(world.gm, card)
    published, notice = world.results.history()
    assert published.embeds[0].author.url == notice.jump_url
    old, new, _ = world.staff.history()
    assert old.embeds[0].author.url == new.jump_url


@pytest.mark.slow
async def test_private_rolls_are_counted_past_an_amended_one(world: World) -> None:
    """An amended roll between two private ones hides neither."""
    await roll_command(world, "patrol", 18, **PATROL, to="me")
    await close_update(world)
    await roll_command(world, "patrol", 1, patrol="Mike", target="Dom", to="me", roll="now")
    await amend_with(world, 3, "1", "Rope")
    await roll_command(world, "patrol", 2, patrol="Lima", target="Dom", to="me", roll="now")
    for number, count in ((7, "1 of 2 private rolls"), (6, "the only private roll")):
        await send_raw(world.gm, world.orders, f"publish:1:{number}:now")
        assert f"{count} by this person" in text(newest(world.results))


async def test_a_game_master_of_another_server_amends_nothing_here(world: World) -> None:
    """Entries and cards belong to their campaign."""
    await roll_command(world, "patrol", 18, **PATROL)
    card = await open_card(world, 3)
    boss, orders = await elsewhere(world)
    with nothing_written(world):
        assert "Far Sea has no entry #3" in refused(await boss.slash(orders, "gm amend", entry=3))
        for key in (press(card, "roll"), press(card, "names"), "amend:1:3"):
            assert "isn't on this server" in refused(await send_raw(boss, orders, key))
        assert "isn't on this server" in refused(await send_raw(boss, orders, "amend:1:3:0:why", modal=True))


async def test_the_button_stands_beside_take_back(world: World) -> None:
    """On receipts and in the ledger, for game masters."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    receipt = response(await roll_command(world, "patrol", 18, **PATROL))
    assert "**#4** Patrol" in window(await world.gm.click(receipt, label="Amend"))
    listed = response(await world.gm.slash(world.orders, "ledger", entry=4))
    assert [item.get("label") for item in components(listed) if item["type"] == 2] == ["Undo", "Amend", "Verify"]
    settings = response(await world.gm.slash(world.orders, "gm effect", who="Fort", effect="Under siege"))
    assert "Amend" not in [item.get("label") for item in components(settings)]
    listed = response(await world.gm.slash(world.orders, "ledger", entry=5))
    assert "Amend" not in [item.get("label") for item in components(listed)]
    listed = response(await world.player.slash(world.orders, "ledger", entry=4))
    assert "Amend" not in [item.get("label") for item in components(listed)]


@pytest.mark.slow
async def test_a_roll_of_an_update_that_is_over_stays_in_it(world: World) -> None:
    """Its effects are for that day, and today is free."""
    await roll_command(world, "patrol", 17, **PATROL)
    await close_update(world)
    await amend_with(world, 3, "+1", "Sandstorm")
    assert kept(world, "Kilo")["effect.stop-used"]["update"] == 1
    assert entry(world, 5)["update"]["number"] == 1
    assert "Rolled: entry #6" in said(await roll_command(world, "patrol", 1, **PATROL))
    await require_whole(world)


@pytest.mark.slow
async def test_what_was_changed_since_is_left_as_it_is(world: World) -> None:
    """A later reveal stays, and the answer says so."""
    await roll_command(world, "scout", 1, scouter="Owl", base="Fort", roll="now")
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="Scouted")
    before = kept(world, "Fort")["effect.scouted"]
    answer = await amend_with(world, 3, "+30", "Clear sky")
    assert "Left as it is, since later entries changed it: Fort." in answer
    assert kept(world, "Fort")["effect.scouted"] == before
    await require_whole(world)
