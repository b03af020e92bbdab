"""What pages of a site list, and where they say the rest is."""

from __future__ import annotations

import re
from html import unescape

from tests.core.test_twin_worlds import Falling
from tests.support.acting import close_update
from tests.support.world import World
from tests.web.visiting import ROOT, check_html, numbers, visiting


async def test_the_last_update_is_on_the_first_page(world: World) -> None:
    """Its results until the next has some, and from then on a link to them."""
    world.dice._script = Falling()  # type: ignore[assignment]
    roll = {"patrol": "Alpha", "to": "results", "roll": "now"}
    await world.gm.slash(world.orders, "patrol", target="Bravo", **roll)
    await close_update(world)
    async with visiting(world) as visitor:
        before = (await visitor.get(ROOT))[1].decode()
        await world.gm.slash(world.orders, "patrol", target="Foxtrot", **roll)
        after = (await visitor.get(ROOT))[1].decode()
    link = f'<a href="{ROOT}updates/1">'
    assert "Bravo" in before
    assert f"{link}All of Update 1</a>" in before
    assert "Foxtrot" in after
    assert f"{link}What happened in Update 1</a>" in after


async def test_long_names_fill_more_pages_instead_of_large_ones(world: World) -> None:
    """All units and results are found by following the links, with the stylesheet in less than 100 KB each."""
    world.dice._script = Falling()  # type: ignore[assignment]
    names = [f"{number:02}" + "'" * 58 for number in range(80)]
    for name in names:
        await world.gm.slash(world.orders, "roster add", name=name, kind="ship", side="Q" * 60)
    for own, *others in zip(names, names[1:], names[2:], strict=False):
        await world.gm.slash(world.orders, "patrol", patrol=own, target=", ".join(others), to="results", roll="now")
    async with visiting(world) as visitor:

        async def follow(path: str) -> str:
            status, body = await visitor.get(path)
            assert status == 200
            check_html(path, body)
            further = re.search(r'rel="next"[^>]* href="([^"]+)"|href="([^"]+)" rel="next"', body.decode())
            return body.decode() + (await follow(unescape(further[1] or further[2])) if further else "")

        roster, log = await follow(f"{ROOT}roster"), await follow(f"{ROOT}log")
        assert [roster.count(f">{number:02}&#39;") for number in range(80)] == [1] * 80
        listed = [int(number) for number in re.findall(r"</span>#(\d+)</a>", log)]
        assert listed == sorted(numbers(world, "results"), reverse=True)
        update = (await visitor.get(f"{ROOT}updates/1"))[1]
        check_html("update", update)
        assert b"This update has more results" in update
        assert {(await visitor.get(f"{ROOT}roster/{number}"))[0] for number in (3, 999)} == {404}
