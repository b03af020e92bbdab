"""The first digits of an entry's hash: in every public post about it, and in the ledger to compare."""

from __future__ import annotations

import re

from tests.cogs.house_rules.homebrew import COIN, switched_on
from tests.cogs.weather.skywatch import FAIR, put, roll
from tests.support.acting import roll_command
from tests.support.reading import said, text
from tests.support.world import World, rows, send_raw

NAMED = re.compile(r"^Entry #(\d+) \N{MIDDLE DOT} .*$", re.MULTILINE)


async def fill(world: World) -> None:
    """Entries of many kinds, public and not."""
    await world.gm.slash(world.orders, "unit add", name="Kilo", kind="squad")
    await switched_on(world, COIN, "coin")
    await roll_command(world, "scout", 20, scouter="Jonas", base="Fort Anvil", roll="now")
    await send_raw(world.gm, world.staff, "publish:1:5:now")
    await roll_command(world, "patrol", 2, patrol="Kilo", target="Zaku", roll="now")
    await world.gm.slash(world.orders, "captive take", captive="Amuro", by="Kilo", at="Fort Anvil")
    await world.gm.slash(world.orders, "effect set", who="Kilo", effect="Attacked today")
    await roll(world, *FAIR)
    await put(world, "Australia", "6")
    await world.gm.slash(world.orders, "update close")
    await world.gm.slash(world.orders, "update schedule", day="Saturday", time="18:00")
    world.clock.advance(days=7)
    await world.env.advance_time(25)


async def test_posts_and_the_ledger_show_the_same_digits_of_an_entrys_hash(world: World) -> None:
    """Whoever kept a post can tell from its eight digits that the entry is still what it was."""
    await fill(world)
    hashes = dict(rows(world, "select number, hash from entry where campaign_id = 1"))
    assert len(hashes) > 12
    for number, entry_hash in hashes.items():
        shown = said(await world.gm.slash(world.orders, "ledger show", number=number))
        footers = [found[0] for found in NAMED.finditer(shown) if int(found[1]) == number]
        assert footers, shown
        assert all(entry_hash[:8] in footer for footer in footers), footers
    posts = [text(message) for message in world.results.history()]
    named = [(int(found[1]), found[0]) for post in posts for found in NAMED.finditer(post)]
    assert len(posts) == len({post for post in posts if NAMED.search(post)}) > 3
    assert all(hashes[number][:8] in footer for number, footer in named), named
