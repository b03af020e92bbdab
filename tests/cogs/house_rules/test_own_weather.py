"""Weather in a game of one's own: zones, tables and climate of its file, rolled like any other."""

from __future__ import annotations

import re

from tests.architecture.source import ROOT
from tests.cogs.campaign.test_commands_by_server import shown
from tests.cogs.house_rules.homebrew import roll_table, send_and_switch_on, send_file, table
from tests.support.acting import use_file
from tests.support.reading import assert_says, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry

PAGE = (ROOT / "docs" / "homebrew.md").read_text("utf-8")
(GLASS,) = re.findall(r"```\n(\[game\]\ntitle +=.{,4}Sea of Glass.*?)```", PAGE, re.DOTALL)
FISHING = (
    table("fishing").replace(
        "[[table]]", 'facts = [{ trait = "gale", label = "Gale", roles = ["weather"] }]\n[[table]]'
    )
    + 'modifiers = [{ id = "weather.gale", value = -2, label = "Gale", group = "weather" }]\n'
)


async def sail(world: World) -> str:
    """Play the game of the page; return what switching it on says."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    told = await send_and_switch_on(world, GLASS, "glass")
    await send_and_switch_on(world, FISHING, "fishing")
    return told


async def roll_week(world: World, *faces: int) -> str:
    """Roll the next week; return the question and the answer."""
    card = response(await world.gm.slash(world.orders, "weather rollover"))
    question = text(card)
    world.dice.script(*faces, sides=6)
    return question + said(await world.gm.click(card, custom_id=press(card, "roll:")))


async def test_its_weather_is_rolled_and_counts(world: World) -> None:
    """With exact odds, week after week, without Flood Watches, and as a fact where a roll takes place."""
    assert "Its weather begins with `/weather rollover`" in re.sub(r"</([^:]+):\d+>", r"`/\1`", await sail(world))
    told = await roll_week(world, 6, 5)
    assert_says(told, "**Calm** 72.22% \N{MIDDLE DOT} **Gale** 27.78%", "Week 1 is rolled", "The North: Gale")
    assert_says(text(world.results.last_message), "The North **Gale**", "\N{WARNING SIGN} Gale: Open Sea")
    for where, total in (("Open Sea", "**4** \N{MINUS SIGN} 2 = **2**"), ("The Fjords", "**4** + 0 = **4**")):
        assert total in await roll_table(world, "fishing", 4, sides=6, region=where)
    assert "Calm" in await roll_week(world, 1, 1)
    for view in ("week", "past", "odds", "categories"):
        told = said(await world.player.slash(world.orders, "forecast", view=view))
        assert "Calm" in told
        assert "Flood" not in told
    assert entry(world, 9)["weather"]["dry"] is True
    await require_whole(world)


async def test_its_commands_come_and_go_with_the_file(world: World) -> None:
    """Those of weather, and no other of the book that usually brings them."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    assert not {"weather", "forecast"} & shown(world, world.guild.id)
    await send_and_switch_on(world, GLASS, "glass")
    assert shown(world, world.guild.id) >= {"weather", "forecast"}
    assert "patrol" not in shown(world, world.guild.id)
    assert "/weather rollover" in re.sub(r"</([^:]+):\d+>", r"/\1", said(await world.gm.slash(world.orders, "help")))
    await use_file(world.gm, world.orders, "remove", "glass")
    assert not {"weather", "forecast"} & shown(world, world.guild.id)


async def test_last_week_counts_for_the_next(world: World) -> None:
    """As a fact with the zone's and the row's id; anything else on the table is refused."""
    fact = '{ trait = "north-gale", label = "Gale last week", roles = ["last-week"] }'
    modifier = 'modifiers = [{ id = "last-week.north-gale", value = 1, label = "Gale last week", group = "carry" }]\n'
    row = 'text = "Gale" }]\n'
    carried = GLASS.replace("[{ trait", f"[{fact}, {{ trait", 1).replace(row, row + modifier)
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    for wrong, told in (
        (carried.replace('id = "last-week.north-gale"', 'id = "weather.gale"'), "only last week counts"),
        (carried.replace(row, f'{row}audience = "staff"\n'), "the weather is for everyone"),
    ):
        assert told in refused(await send_file(world, wrong, "glass"))
    await send_and_switch_on(world, carried, "glass")
    await roll_week(world, 6, 5)
    assert_says(await roll_week(world, 1, 1), "Gale last week", "58.33%", "Week 2 is rolled")
    moved = carried.replace("at = [1, 0] }", 'at = [2, 0] }, { id = "isles", label = "Isles", at = [3, 0] }')
    moved = moved.replace('open-sea = ["', 'isles = ["calm"], open-sea = ["')
    told = text(response(await send_file(world, moved, "glass")))
    assert_says(told, "the weather of The North changed", "Isles added", "Open Sea: another name, note or place")


async def test_two_weathers_are_refused(world: World) -> None:
    """A game's beside the printed one's: only one could be rolled."""
    await world.gm.slash(world.orders, "gm settings", books="house")
    assert "has weather: leave zones out, or turn that book off" in refused(await send_file(world, GLASS, "glass"))
