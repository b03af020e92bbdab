"""The board is edited when its content has changed."""

from __future__ import annotations

from typing import NoReturn

import pytest

from bot.core import campaigns
from bot.core.profiles import Profile
from bot.orders import board as board_module
from bot.orders import giving
from bot.orders.board import staff_of
from bot.orders.giving import AskedOrder
from tests.cogs.captives.cells import save
from tests.cogs.house_rules.test_typed import undo_entry
from tests.orders.ordering import edited, order, populate
from tests.orders.test_board import board, posted, standing
from tests.orders.test_resolving import newest_roll, resolved
from tests.support.acting import confirmed, removed, use_desk
from tests.support.reading import offers, text
from tests.support.world import BOOKS, World, rows


def edits(world: World) -> int:
    """Count the edits in the staff channel."""
    mine = f"/channels/{world.staff.id}/messages/"
    return sum(call.method == "PATCH" and call.path.startswith(mine) for call in world.env.http_requests)


async def test_what_is_taken_back_and_amended_shows_on_the_board(world: World) -> None:
    """Voided rolls and withdrawals too."""
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley")
    given = rows(world, "select max(number) from entry")[0][0]
    await resolved(world)
    number = newest_roll(world)
    assert f"Hide, Valley (#{number})" in await board(world)
    await undo_entry(world, number)
    assert f"#{number}" not in await board(world)
    await undo_entry(world, given)
    assert "Valley" not in await board(world)
    assert "Waiting for 2" in await board(world)


@pytest.mark.slow
async def test_who_is_awaited_follows_the_roster(world: World) -> None:
    """Renamed, given away, dead or removed."""
    await populate(world)
    await posted(world)
    assert "Amuro and Kai" in await board(world)
    await world.gm.slash(world.orders, "roster edit", name="Kai", new_name="Kai Shiden")
    assert "Amuro and Kai Shiden" in await board(world)
    await world.gm.slash(world.orders, "roster edit", name="Amuro", owner=world.player)
    await world.gm.slash(world.orders, "roster edit", name="Ramba", owner=world.player)
    assert "Waiting for 3" in await board(world)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    assert "Amuro" in await board(world), "captives order their escape"
    world.dice.script(1)
    await world.gm.slash(world.orders, "escape", captive="Amuro", roll="now")
    assert "Waiting for 2:** Kai Shiden and Ramba" in await board(world)
    await removed(world, name="Kai Shiden")
    assert "Waiting for 1:** Ramba" in await board(world)


async def test_a_board_is_edited_after_a_crash_that_left_it_behind(world: World) -> None:
    """By the next process."""
    await populate(world)
    message = await posted(world)
    bot = world.bots[0]
    campaign = await bot.database.read(campaigns.require_on_server, world.gm.guild.id, 1)
    staff, asked = staff_of(bot.resolver, campaign), AskedOrder("Hide", "Kai", "Valley")
    await bot.database.write(giving.enter_order, bot.resolver, staff, campaign.id, asked)
    assert "Valley" not in text(standing(world))
    await world.restart()
    assert "Valley" in await board(world)
    assert standing(world).id == message.id


@pytest.mark.slow
async def test_many_entries_make_one_edit_and_none_where_nothing_has_changed(world: World) -> None:
    """Only visible changes count."""
    await populate(world)
    names = [f"Squad {number}" for number in range(15)]
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in names))
    await posted(world)
    await edited(world)
    before = edits(world)
    for name in names:
        await order(world, "Hide", name, world.gm, to="Valley")
    await edited(world)
    assert edits(world) == before + 1
    await world.gm.slash(world.orders, "roster add", name="White Base 2", kind="ship")
    world.dice.script(1)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Lima", roll="now")
    await edited(world)
    assert edits(world) == before + 1
    await resolved(world)
    await edited(world)
    assert edits(world) == before + 2
    assert rows(world, "select count(*) from board where upto = (select max(number) from entry)") == [(1,)]
    assert rows(world, "select count(*) from post where kind = 'board'") == [(1,)]


async def test_the_board_of_an_archived_campaign_stays(world: World) -> None:
    """Others are still edited."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    await posted(world)
    await confirmed(world, "campaign archive", world.manager)
    await world.bots[-1].keep_up()
    assert "**Kai**: Hide, Valley" in text(standing(world))


@pytest.mark.slow
async def test_a_board_that_cannot_be_drawn_keeps_no_other_from_being_edited(world: World) -> None:
    """Such as after a book was dropped."""
    await populate(world)
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    await posted(world)
    other, results, staff = (world.guild.create_text_channel(name) for name in ("other", "r2", "s2"))
    await world.manager.slash(
        other, "campaign create", name="Red Sea", results=results, staff=staff, game_master=world.roles["gm"]
    )
    await world.manager.slash(other, "campaign link", channel=other, campaign="Red Sea")
    await world.gm.slash(other, "roster add", name="Zaku", kind="squad")
    await use_desk(world.gm, other, "Board")
    await edited(world)
    await order(world, "Hide", "Kai", to="Valley")
    await world.restart({name: book for name, book in BOOKS.items() if name != "battlesystem"})
    await world.gm.slash(other, "order give", kind="Hide", who="Zaku", to="Valley")
    before = text(standing(world))
    await edited(world)
    assert text(standing(world)) == before
    assert "**Zaku**: Hide, Valley" in text(next(item for item in staff.history() if offers(item, "nudge")))


async def test_a_board_that_fails_is_logged_once_for_each_entry(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried again with the next entry."""
    await populate(world)
    await posted(world)
    monkeypatch.setattr(board_module, "read_board", _fails)
    for many in (1, 2):
        await order(world, "Hide", "Kai", to=f"Valley {many}")
        for _ in range(3):
            await edited(world)
        assert caplog.text.count("board.bug") == many
    monkeypatch.undo()
    await order(world, "Hide", "Amuro", to="Hill")
    assert "Hill" in await board(world)


def _fails(*_: object) -> NoReturn:
    raise ValueError("cannot be drawn")
