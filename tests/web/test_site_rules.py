"""Rules on a site: as printed, and with house rules where players may roll."""

from __future__ import annotations

import pytest

from tests.cogs.house_rules.homebrew import patrols, send_and_switch_on, table
from tests.cogs.house_rules.test_own_weather import GLASS, roll_week
from tests.support.world import World
from tests.web.visiting import NAME, ROOT, check_html, switch, visiting

CATCH = f"/{NAME}/rules/campaign/campaign.patrol.catch"
FACTS = (
    'facts = [{ trait = "drones", label = "has drones", roles = ["patrol"] },'
    ' { trait = "spy", label = "has a spy", roles = ["patrol"], secret = true }]\n'
)
LINES = (
    'remove-modifiers = ["target.lucky"]\nmodifiers = [\n'
    '  { id = "patrol.drones", value = 2, label = "Our drones", group = "patrol" },\n'
    '  { id = "patrol.spy", value = 5, label = "Our spy", group = "patrol" },\n]\n'
)


async def read(world: World, path: str) -> tuple[int, str]:
    """A page's status and text."""
    async with visiting(world) as visitor:
        status, body = await visitor.get(path)
    return status, body.decode()


@pytest.mark.parametrize("may", ["scouting", "patrol"])
async def test_changed_lines_are_shown_where_players_may_roll(world: World, may: str) -> None:
    """Elsewhere the table is as printed; a secret modifier is nowhere."""
    switch(world, NAME)
    text = patrols(LINES).replace("[[change]]", f"{FACTS}[[change]]", 1)
    await send_and_switch_on(world, text, "drones")
    await world.gm.slash(world.orders, "gm settings", players_may=may)
    status, page = await read(world, CATCH)
    assert status == 200
    assert ("Our drones" in page, "house rule" in page, "Left out by house rules" in page) == (may == "patrol",) * 3
    assert "Our spy" not in page


async def test_faces_that_decide_are_named(world: World) -> None:
    """They count whatever the modifiers, and no row has a total that dice never reach."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, roe")
    async with visiting(world) as visitor:
        pages = {path: body.decode() for path, body in (await visitor.crawl()).items() if "/rules/" in path}
    assert "1 or less, a natural 1<" in pages[f"/{NAME}/rules/campaign/campaign.escape"]
    assert ">a natural 100<" in pages[f"/{NAME}/rules/roe/roe.act"]
    assert not [path for path, page in pages.items() if "000000" in page]


async def test_own_tables_are_shown_once_players_may_roll_on_them(world: World) -> None:
    """Before that, no one reads what may come."""
    switch(world, NAME)
    await world.gm.slash(world.orders, "gm settings", books="house")
    await send_and_switch_on(world, table("loot", "A trap"), "loot")
    address = f"/{NAME}/rules/house/loot"
    assert (await read(world, address))[0] == 404
    assert "A trap" not in (await read(world, f"/{NAME}/rules/"))[1]
    await world.gm.slash(world.orders, "gm settings", players_may="loot")
    status, page = await read(world, address)
    assert (status, "Much" in page, "house rule" in page) == (200, True, True)


async def test_a_weather_of_many_regions_is_a_list(world: World) -> None:
    """Each region is named; a map of 300 would make pages too large for a phone."""
    regions = {
        f"zone-{zone}": [
            (f"z{zone}r{at}", f"{'R' * 50} {zone} {at}", [at % 20, zone * 3 + at // 20]) for at in range(60)
        ]
        for zone in range(5)
    }
    zones = [
        f'[[zones]]\nid = "{zone}"\nlabel = "{zone}"\ntable = "north-weather"\nregions = [\n'
        + ",\n".join(f'{{ id = "{key}", label = "{label}", at = {at} }}' for key, label, at in listed)
        + f'\n]\n\n[[climate]]\nzone = "{zone}"\nrows = [\n'
        + ",\n".join(
            f'{{ outcome = "{sky}", regions = {{ {", ".join(f"{key} = [{sky!r}]" for key, *_ in listed)} }} }}'
            for sky in ("calm", "gale")
        )
        + "\n]\n\n"
        for zone, listed in regions.items()
    ]
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, GLASS[: GLASS.index("[[zones]]")] + "".join(zones), "glass")
    await roll_week(world, *[6, 5] * 5)
    async with visiting(world) as visitor:
        for path in (ROOT, f"{ROOT}weather"):
            status, page = await visitor.get(path)
            assert status == 200
            check_html(path, page)
            assert b"<svg" not in page
        assert page.count(b"R" * 50) == 300
