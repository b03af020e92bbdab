"""Updates end what belongs to them."""

from __future__ import annotations

from discord import ui

from bot.cogs.update.service import ClosedUpdate, Update, UpdateView, desk, draw_begun, draw_closed, update_lines
from bot.core.campaigns import Campaign
from bot.ui.receipt import tally
from tests.support.acting import close_update, roll_command
from tests.support.reading import assert_says, refused, said
from tests.support.world import START, World

HERE = Campaign(1, "u", 1, "I", ("campaign",), "UTC", 1, 2, 3, None, (), START, None)


async def test_closing_an_update_tells_what_ended(world: World) -> None:
    """Before and after, stops used up too."""
    await roll_command(
        world, "patrol", 20, patrol="Kilo", target="Zaku column", modifiers="target.ambushed-today", roll="now"
    )
    shown = said(await world.gm.slash(world.orders, "update show"))
    closed = said(await close_update(world, name="Week *2*"))

    for told in (shown, closed):
        assert_says(told, "Kilo: stop used", "Zaku column: move stopped")
    assert "Week \\*2\\* has begun (number 2)" in closed
    assert "kilo" not in said(await world.gm.slash(world.orders, "update show")).casefold()


async def test_an_update_has_number_name_and_beginning(world: World) -> None:
    """The next has its given name, or a number."""
    first = said(await world.gm.slash(world.orders, "update show"))
    assert "Update 1\nSince <t:" in first
    assert "umber" not in first, "its name tells it"
    await close_update(world, name="Week 2")
    world.clock.advance(days=7)
    shown = said(await world.gm.slash(world.orders, "update show"))
    assert_says(shown, "Week 2", "Number 2, since <t:1772366400:f>")
    await close_update(world)
    assert "Update 3" in said(await world.gm.slash(world.orders, "update show"))


async def test_only_a_game_master_closes_an_update(world: World) -> None:
    """A player is refused privately."""
    assert "Only game masters" in refused(await world.player.slash(world.orders, "gm close"))
    assert "Update 1\n" in said(await world.gm.slash(world.orders, "update show"))


async def test_an_update_with_too_long_a_name_is_not_begun(world: World) -> None:
    """61 characters are too many."""
    assert "at most 60" in refused(await world.gm.slash(world.orders, "gm close", name="x" * 61))
    assert "Update 1\n" in said(await world.gm.slash(world.orders, "update show"))


async def test_what_lasts_beyond_the_update_is_shown_to_game_masters(world: World) -> None:
    """A scouted base stays listed."""
    await roll_command(world, "scout", 17, scouter="Owl", base="Fort Anvil", roll="now")
    for _ in range(2):
        told = said(await world.gm.slash(world.orders, "update show"))
        assert_says(told, "**Continues:**", "Fort Anvil: scouted")
        assert "Fort Anvil" not in said(await world.player.slash(world.orders, "update show"))
        await close_update(world)


async def test_however_much_ends_all_texts_stay_within_discords_limit() -> None:
    """Two hundred long effects and rolls."""
    effects = tuple((f"{'*_' * 28}{number}", "move-stopped") for number in range(200))
    update = Update(number=1, name="Update 1", since=START.isoformat())
    rolled = tuple(f"{'*' * 180}{number}" for number in range(200))
    closed = ClosedUpdate(update, update, effects, 1, rolled=rolled)
    for embed in (draw_begun(closed), draw_closed(closed)):
        assert len(embed.description or "") <= 4096
        assert "lines more" in (embed.description or "")
    for long, more in ((180, 197), (890, 199), (5000, 200)):
        lines = tuple("*" * long for _ in range(200))
        pages = desk(UpdateView(update, effects, effects, rolled=lines, rolls=200), HERE, leads=True)
        assert all(page.content_length() <= 4000 for page in pages)
        assert f"*and {more} more: `/ledger`*" in "".join(map(shown, pages))
    view = UpdateView(update, effects, effects, rolled=rolled, rolls=200)
    undone = [tally(None, "write-up{s} that nobody has claimed", ["*" * 99] * 9)] * 5
    question = "\n".join(update_lines(view, undone))
    assert len(question) <= 3900
    assert question.count("lines more") == 2
    assert question.count("nobody has claimed") == 5
    pages = desk(view, HERE, leads=True)
    assert "".join(map(shown, pages)).count("lines more") == 2
    assert "*and 197 more: `/ledger`*" in "".join(map(shown, pages))
    assert all(page.content_length() <= 4000 for page in pages)


def shown(page: ui.LayoutView) -> str:
    """Return a message's text."""
    return "\n".join(item.content for item in page.walk_children() if isinstance(item, ui.TextDisplay))
