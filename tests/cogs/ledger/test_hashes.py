"""The number of an entry: in every public post about it. Its hash: behind Details."""

from __future__ import annotations

import re

from tests.cogs.house_rules.homebrew import COIN, send_and_switch_on
from tests.cogs.weather.skywatch import FAIR, put, roll
from tests.support.acting import roll_command
from tests.support.reading import labels, said, text
from tests.support.world import World, rows, send_raw

NAMED = re.compile(r"^#(\d+)\b", re.MULTILINE)


async def fill(world: World) -> None:
    """Enter many kinds of entries, public and not."""
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="squad")
    await send_and_switch_on(world, COIN, "coin")
    await roll_command(world, "scout", 20, scouter="Jonas", base="Fort Anvil", roll="now")
    await send_raw(world.gm, world.staff, "publish:1:5:now")
    await roll_command(world, "patrol", 2, patrol="Kilo", target="Zaku", roll="now")
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Kilo", at="Fort Anvil")
    await world.gm.slash(world.orders, "gm effect", who="Kilo", effect="Attacked today")
    await roll(world, *FAIR)
    await put(world, "Australia", "6")
    await world.gm.slash(world.orders, "gm close")
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00")
    world.clock.advance(days=7)
    await world.env.advance_time(25)


async def test_details_show_the_hash_of_an_entry_and_each_post_its_number(world: World) -> None:
    """Details show the hash; each public post names its entry once."""
    await fill(world)
    hashes = dict(rows(world, "select number, hash from entry where campaign_id = 1"))
    assert len(hashes) > 12
    for number, entry_hash in hashes.items():
        shown = said(await world.gm.slash(world.orders, "ledger", entry=number))
        assert f"Hash {entry_hash}" in shown
        assert str(number) in NAMED.findall(shown)
    posts = [text(message) for message in world.results.history()]
    assert len({found[1] for post in posts if (found := NAMED.search(post))}) == len(posts) > 3
    result = next(message for message in world.results.history() if "Details" in labels(message))
    assert "-# Hash " in said(await world.player.click(result, label="Details"))
