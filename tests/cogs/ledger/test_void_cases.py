"""Voids, feature by feature: restored, refused, shown."""

from __future__ import annotations

import json

import pytest
import simcord
from msgspec.structs import replace

from bot.core.errors import NotAllowed, NotOpen
from bot.core.profiles import Profile
from bot.orders.resolution import Progress
from bot.rolls import void
from tests.cogs.battles import battlefield
from tests.cogs.campaign_rolls.test_newtype import generation
from tests.cogs.captives import cells
from tests.cogs.house_rules.homebrew import modifier, put_on, switch_off, table
from tests.cogs.ledger.test_void import PATROL, undo_entry, window
from tests.cogs.roster.saving import add, edit, remove
from tests.cogs.roster.test_import import prepare_import, press_import
from tests.cogs.weather import skywatch
from tests.core.test_forged_ids import elsewhere
from tests.support import resolving
from tests.support.acting import fill_in, roll_command, use_writeup
from tests.support.backend import GM, PLAYER, STRANGER, House
from tests.support.reading import assert_says, newest, offers, press, refused, response, said, text
from tests.support.subjects import kept, named
from tests.support.world import World, entry, nothing_written, rows, send_raw


async def test_a_squad_with_members_is_not_taken_back(house: House) -> None:
    """Its members are named; without them it goes."""
    await add(house, "Kilo", "squad")
    await add(house, "Kai", "pc", squad="Kilo")
    with pytest.raises(NotOpen, match="Kilo has members: Kai"):
        await house.take_back(2)
    await house.take_back(3)
    await house.take_back(2)
    assert not [name for _, name in await house.state() if name == "profile"]


async def test_a_removed_unit_comes_back_with_all_that_was_kept_of_it(house: House) -> None:
    """Fields, effects and rolls."""
    await add(house, "Kilo", "squad", side="White")
    await cells.set_effect(house, "Kilo", "hidden")
    await house.patrol("Zaku", faces=(18,))
    before = named(await house.state())
    await remove(house, "Kilo")
    assert ("kilo", "profile") not in named(await house.state())
    await house.take_back(5)
    assert {key: value for key, value in named(await house.state()).items() if key[1] != "voided"} == before


async def test_a_name_that_was_taken_meanwhile_is_refused(house: House) -> None:
    """The answer says what to do first."""
    await add(house, "Kilo", "squad")
    await edit(house, "Kilo", name="Nova")
    await add(house, "Kilo", "ship")
    with pytest.raises(NotOpen, match=r"Another one is called Kilo now\. Rename it first"):
        await house.take_back(3)
    await edit(house, "Kilo", name="Lima")
    await house.take_back(3)
    assert ("kilo", "profile") in named(await house.state())
    assert await cells.sound(house)


async def test_nobody_comes_back_into_a_squad_that_is_gone(house: House) -> None:
    """The squad's removal is voided first."""
    await add(house, "Wing", "squad")
    await add(house, "Kai", "pc", squad="Wing")
    await remove(house, "Kai")
    await remove(house, "Wing")
    with pytest.raises(NotOpen, match="Kai was in Wing, which was removed later"):
        await house.take_back(4)
    await house.take_back(5)
    await house.take_back(4)
    assert ("kai", "profile") in named(await house.state())


async def test_an_import_is_taken_back_as_a_whole(house: House) -> None:
    """With later changes of those units."""
    await add(house, "Zaku", "squad", side="Red")
    waiting = await prepare_import(house, "name,kind,side\nKilo,squad,White\nLima,squad,White\n")
    await press_import(house, waiting)
    await edit(house, "Kilo", side="Blue")
    done = await house.take_back(3)
    assert [item.number for item, _ in done.pairs] == [4, 3]
    assert {who for who, name in named(await house.state()) if name == "profile"} == {"zaku"}
    assert await cells.sound(house)


async def test_a_newtype_level_is_taken_back(house: House) -> None:
    """The character rolls again without a reason."""
    await add(house, "Lalah", "pc")
    before = named(await house.state())["lalah", "profile"]
    await house.roll(generation("Lalah"), 20, 20, 20)
    assert named(await house.state())["lalah", "profile"] != before
    await house.take_back(3)
    assert named(await house.state())["lalah", "profile"] == before


async def test_house_rules_come_and_go(house: House) -> None:
    """Switched off ones are on again, and the other way round."""
    await put_on(house, "ours", modifier("patrol.newtype", 7))
    plain = house.resolver.library.shipped["campaign"]

    async def book() -> object:
        return await house.database.read(house.resolver.library.book, house.campaign, "campaign")

    ours = await book()
    await switch_off(house, "ours")
    assert await book() is plain
    await house.take_back(3)
    assert await book() == ours
    await house.take_back(2)
    assert await book() is plain


async def test_house_rules_that_no_longer_fit_do_not_come_back(house: House) -> None:
    """The answer names the clashing file."""
    await put_on(house, "loot", table())
    await switch_off(house, "loot")
    await put_on(house, "spoils", table())
    before = len(await house.entries())
    with pytest.raises(NotOpen, match="The house rules wouldn't work together"):
        await house.take_back(3)
    assert len(await house.entries()) == before


async def test_what_others_rolled_in_private_is_not_told(house: House) -> None:
    """The window says only that a private roll goes too."""
    other = replace(GM, user_id=GM.user_id + 99)
    await cells.take(house, "Amuro")
    secret = replace(cells.interrogation("Amuro"), to="me")
    await house.roll(secret, 14, who=other)
    alone = await house.database.read(void.plan, house.resolver, GM, house.campaign, 3)
    assert alone.sentences == ("Someone else's private roll",)
    planned = await house.database.read(void.plan, house.resolver, GM, house.campaign, 2)
    assert planned.sentences[0] == "Someone else's private roll"
    done = await house.take_back(2)
    assert done.pairs[0][1].content()["what"] == "Someone else's private roll"
    assert await cells.sound(house)


@pytest.mark.parametrize("who", [PLAYER, STRANGER])
async def test_only_game_masters_of_an_open_campaign_take_back(house: House, who: object) -> None:
    """Others are refused, and everyone in an archive."""
    assert isinstance(who, type(GM))
    await house.patrol("Zaku", faces=(18,))
    with pytest.raises(NotAllowed, match="Only game masters of Iron Sea"):
        await house.take_back(2, who=who)
    house.campaign = await house.archive()
    with pytest.raises(NotOpen, match="Iron Sea is archived"):
        await house.take_back(2)


async def test_nobody_takes_back_by_a_forged_id(world: World) -> None:
    """Players, strangers and other servers learn no name."""
    await roll_command(world, "patrol", 18, **PATROL)
    boss, orders = await elsewhere(world)
    with nothing_written(world):
        for actor in (world.player, world.stranger):
            assert "Only game masters" in refused(await send_raw(actor, world.orders, "void:1:3"))
            assert "Only game masters" in refused(await send_raw(actor, world.orders, "void:1:3:0:why", modal=True))
        for key, modal in (("void:1:3", False), ("void:1:3:0:why", True)):
            told = refused(await send_raw(boss, orders, key, modal=modal))
            assert "isn't on this server" in told
            assert "Iron Sea" not in told


async def test_write_ups_of_a_roll_that_is_void_are_listed_no_more(world: World) -> None:
    """A claim is voided too."""
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku", roll="now")
    await use_writeup(world.player, world.orders, "claim", "3")
    assert "Zaku" in said(await world.gm.slash(world.orders, "writeups"))
    shown = await world.gm.slash(world.orders, "gm undo", entry=3)
    assert "**#4** Write-up #3 claimed" in window(shown)
    await world.gm.submit_modal(shown, {"reason": "slip"})
    assert "Zaku" not in said(await world.gm.slash(world.orders, "writeups"))


@pytest.mark.slow
async def test_a_published_result_is_struck_through_in_both_channels(world: World) -> None:
    """And has no Publish button."""
    world.dice.script(1, 1)
    for number in (3, 4):
        await world.gm.slash(world.orders, "scout", scouter="Owl", base=f"Fort {number}", roll="now")
    await send_raw(world.gm, world.staff, "publish:1:3:now")
    await undo_entry(world, 3)
    await undo_entry(world, 4)
    first, second = world.staff.history()[:2]
    public = world.results.history()[0]
    for message in (first, second, public):
        assert str(message.embeds[0].title).startswith("~~")
        assert "Void: undone by #" in str(message.embeds[0].author.name)
    assert not offers(second, "publish")
    assert not offers(response(await world.gm.slash(world.orders, "ledger", entry=4)), "publish")
    assert "is already public" in refused(await send_raw(world.gm, world.orders, "publish:1:4:now"))


@pytest.mark.slow
async def test_a_digest_keeps_its_map_when_it_is_void(world: World) -> None:
    """Only the text is struck through."""
    await skywatch.roll(world, *skywatch.FAIR)
    await undo_entry(world, 3)
    digest = world.results.history()[0]
    assert digest.embeds[0].title == "~~Weather of week 1~~"
    assert [item.filename for item in digest.attachments] == ["weather.png"]
    assert digest.embeds[0].image.url == "attachment://weather.png"


@pytest.mark.slow
async def test_a_result_of_several_messages_is_struck_through_in_each(world: World) -> None:
    """All of ten targets."""
    targets = ", ".join(f"{number} {'`' * 50}:neutral" for number in range(10))
    modifiers = ", ".join(f"+{number} {'because of this ' * 20}" for number in range(1, 5))
    world.dice.script(*[20] * 20)
    long = {"target": targets, "modifiers": modifiers, "note": "x" * 500, "to": "results", "roll": "now"}
    told = await world.gm.slash(world.orders, "patrol", patrol="Kilo", **long)
    posts = world.results.history()
    assert posts, said(told)
    before = ["".join(embed.description or "" for embed in message.embeds) for message in posts]
    assert len(posts) > 1
    await undo_entry(world, 3)
    after = world.results.history()[: len(posts)]
    assert ["".join(embed.description or "" for embed in message.embeds) for message in after] == before
    for message in after:
        assert "Void: undone by #4" in str(message.embeds[0].author.name)
        assert all(str(embed.title).startswith("~~") for embed in message.embeds if embed.title)


def in_force(world: World) -> dict[str, object]:
    """Return the state without void marks."""
    return {name: json.loads(value) for name, value in battlefield.state(world, "").items() if name != "voided"}


@pytest.mark.slow
async def test_a_turn_of_a_battle_is_taken_back(world: World) -> None:
    """It's turn 1 again; voiding the start voids all."""
    await battlefield.ford(world, reds="Pikes", blues="Ogres")
    await battlefield.check(world, [2, 2])
    before = in_force(world)
    await world.gm.slash(world.orders, "gm-events turn")
    turn = rows(world, "select max(number) from entry")[0][0]
    assert f"Entry #{turn} undone" in await undo_entry(world, turn)
    assert "Entry #" in text(newest(world.results))
    assert in_force(world) == before
    start = next(number for number in range(3, turn) if entry(world, number).get("deed") == "start")
    answer = await undo_entry(world, start)
    assert [f"Entry #{number} undone" in answer for number in range(start, turn)] == [True] * (turn - start)
    assert await battlefield.sound(world)


async def test_an_ordered_escape_that_is_void_waits_no_more(world: World) -> None:
    """Its player reads it struck through."""
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort")
    await world.gm.slash(world.orders, "roster add", name="Kai", kind="pc", owner=world.player)
    await world.player.slash(world.orders, "escape", captive="Kai")
    assert "order.escape" in kept(world, "Kai")
    await undo_entry(world, 5)
    assert "~~Order given~~" in said(await world.player.slash(world.orders, "ledger", entry=5))
    assert "No escapes to roll" in refused(await world.gm.slash(world.orders, "escape"))
    assert "order.escape" not in kept(world, "Kai")


@pytest.mark.parametrize(("face", "fate"), [(20, "escaped"), pytest.param(17, "killed", marks=pytest.mark.slow)])
async def test_a_roll_that_ended_a_captivity_is_taken_back(house: House, face: int, fate: str) -> None:
    """The captive is back and can be interrogated again."""
    await cells.take(house, "Amuro")
    await house.roll(cells.interrogation("Amuro"), 1)
    await house.close_update()
    before = await cells.read_value(house, "Amuro")
    ask = cells.escape if fate == "escaped" else cells.interrogation
    await house.roll(ask("Amuro"), face)
    ended = (await cells.show(house, "Amuro")).fate
    assert ended is not None
    assert ended["fate"] == fate
    done = await cells.undo(house, "Amuro", "A modifier was missed")
    assert [entry.number for entry, _ in done.pairs] == [5]
    assert await cells.read_value(house, "Amuro") == before
    await house.roll(cells.escape("Amuro"), 2)
    assert await cells.sound(house)


async def test_a_captivity_leaves_an_order_that_lapses(house: House) -> None:
    """The order expires with the next resolution."""
    await cells.save(house.database, Profile("Amuro", "pc"))
    await cells.take(house, "Amuro")
    await cells.order(house, "Amuro")
    done = await house.take_back(3)
    assert [item.number for item, _ in done.pairs] == [3]
    assert {*await cells.read_value(house, "Amuro")} == {"profile", "order.escape"}
    with pytest.raises(NotOpen, match="No escapes to roll"):
        await cells.open_ordered(house)
    step = await house.database.write(resolving.step, house.resolver, GM, house.campaign.id, Progress())
    assert step is not None
    assert step.entry is not None
    assert "Amuro isn't a captive" in step.entry.content()["why"]


@pytest.mark.slow
async def test_a_closed_update_is_open_again(world: World) -> None:
    """Update 1 goes on; closing it again begins update 2."""
    await roll_command(world, "patrol", 18, **PATROL)
    asked = response(await world.gm.slash(world.orders, "gm close"))
    await world.gm.click(asked, custom_id=press(asked, "close"))
    receipt: simcord.ResponseMessage = asked
    assert "Entry #4 undone" in said(await fill_in(world.gm, receipt, {"reason": "Too early"}, label="Undo"))
    told = said(await world.gm.slash(world.orders, "update show"))
    assert_says(told, "Update 1", "stop used")


async def test_a_roll_that_was_undone_and_redone_does_not_stand_in_the_way(house: House) -> None:
    """Restored values still count as changed."""
    await add(house, "Kilo", "squad", side="White")
    await edit(house, "Kilo", side="Red")
    await edit(house, "Kilo", side="White")
    done = await house.take_back(2)
    assert [item.number for item, _ in done.pairs] == [4, 3, 2]
    assert await cells.sound(house)
