"""Wars, fights and battles on the public site."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cogs.battles import battlefield
from tests.cogs.roe.attacking import act
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, open_ring
from tests.cogs.war import test_fog
from tests.cogs.war.front import Front, begun, given
from tests.core.test_twin_worlds import Falling
from tests.support import template
from tests.support.acting import take_back
from tests.support.world import World, rows, running
from tests.web.test_site_pages import alike
from tests.web.visiting import PNG, ROOT, Visitor, visiting

WARS = f"{ROOT}war/"


async def play_turns(front: Front) -> None:
    """Move both fleets, and end the turn with a digest."""
    await given(front, front.ann, "move", "1st Fleet", to="1,-1")
    await given(front, front.bo, "move", "2nd Fleet", to="-1,1")
    await front.end_turn()


async def find_scenes(visitor: Visitor) -> list[str]:
    """Addresses of scenes, newest first."""
    _, body = await visitor.get(WARS)
    return re.findall(rf'href="({WARS}\d+)"', body.decode())


async def read(visitor: Visitor, path: str) -> str:
    """A page that is there."""
    status, body = await visitor.get(path)
    assert status == 200, path
    return body.decode()


async def test_a_war_is_shown_turn_by_turn(world: World) -> None:
    """Each turn has the map that was posted, what led to it, and links to the others."""
    front = await begun(world)
    await play_turns(front)
    async with visiting(world) as visitor:
        pages = {path: body for path, body in (await visitor.crawl()).items() if path.startswith(WARS)}
        (war,) = await find_scenes(visitor)
        assert pages.keys() == {WARS, war, *(f"{war}/{turn}{end}" for turn in (1, 2) for end in ("", ".png"))}
        assert pages[f"{war}/1.png"] != pages[f"{war}/2.png"]
        assert all(body.startswith(PNG) for path, body in pages.items() if path.endswith(".png"))
        assert pages[war] == pages[f"{war}/2"]
        assert b"1st Fleet moves from" in pages[war]
        assert b"1st Fleet moves from" not in pages[f"{war}/1"]
        assert b"First days, turn 2: owners" in pages[war]
        assert (await visitor.get(f"{war}/3"))[0] == (await visitor.get(f"{war}/3.png"))[0] == 404
        assert (await visitor.get(f"{WARS}1"))[0] == 404
        async with visitor.client.get(f"{war}/2.png") as answer:
            assert (answer.headers["Content-Type"], answer.headers["X-Robots-Tag"]) == ("image/png", "noindex")
            tag = answer.headers["ETag"]
        assert await visitor.get(f"{war}/2.png", **{"If-None-Match": tag}) == (304, b"")


async def test_an_undone_digest_takes_its_map_along(world: World) -> None:
    """The turn before is the newest again."""
    front = await begun(world)
    await front.resolve()
    (digest,) = rows(world, "select max(number) from entry where kind = 'digest' and audience = 'results'")[0]
    await take_back(world, "gm undo", entry=digest, reason="too early")
    async with visiting(world) as visitor:
        (war,) = await find_scenes(visitor)
        assert (await visitor.get(f"{war}/2"))[0] == 404
        assert "turn 1: owners" in await read(visitor, war)


async def test_what_fog_hides_makes_no_difference(tmp_path: Path) -> None:
    """Wars that differ out of sight give the same bytes, pictures too."""
    found = []
    for place, (scenario, orders) in enumerate(
        zip((test_fog.first(), test_fog.second()), test_fog.ORDERS, strict=True)
    ):
        folder = tmp_path / str(place)
        folder.mkdir()
        with template.migrated_url("sqlite", folder) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment]
                front = await begun(world, scenario)
                for kind, doer, options in orders[:2]:
                    await given(front, world.gm, kind, doer, **options)
                await front.end_turn()
                async with visiting(world) as visitor:
                    found.append(await visitor.crawl())
    first, second = found
    assert first.keys() == second.keys()
    assert [page for page in first if alike(first[page]) != alike(second[page])] == []
    assert sum(page.endswith(".png") for page in first) > 1


async def test_a_fight_lists_its_results_and_names_its_fighters(world: World) -> None:
    """The roster has those that its public entries show; a secret fighter is nowhere."""
    ring = await open_ring(world)
    await ring.begin(f"{KAI}, {CHAR}, {SHADOW}")
    await ring.end_turn(ring.player)
    async with visiting(world) as visitor:
        (fight,) = await find_scenes(visitor)
        page, roster = await read(visitor, fight), await read(visitor, f"{ROOT}roster")
        assert page.count('class="number"') > 1
        whole = b"\n".join((await visitor.crawl()).values()).decode()
    assert all(name in roster for name in (KAI, CHAR))
    assert GUARD not in roster
    assert SHADOW not in whole


async def test_only_entries_with_dice_can_be_checked(world: World) -> None:
    """Fighters move without dice, so there is nothing to prove."""
    ring = await open_ring(world)
    await ring.begin(f"{KAI}, {CHAR}")
    await act(ring, "Move")
    async with visiting(world) as visitor:
        (number,) = rows(world, "select max(number) from entry where kind = 'roll'")[0]
        page = (await visitor.get(f"{ROOT}{number}"))[1].decode()
        assert KAI in page
        assert "Check this roll" not in page
        assert {(await visitor.get(f"{ROOT}{number}{end}"))[0] for end in ("/check", ".json", ".proof.txt")} == {404}


async def test_a_battle_lists_its_results_and_names_its_units(world: World) -> None:
    """Another battle of the same name has its own page."""
    await battlefield.ford(world, reds="Lancers", blues="Archers")
    await world.gm.slash(world.orders, "roster add", name="Lancers", kind="squad")
    await world.gm.slash(world.orders, "roster add", name="Unseen", kind="squad")
    await battlefield.battle_over(world)
    await battlefield.begun(world)
    async with visiting(world) as visitor:
        second, first = await find_scenes(visitor)
        assert (await read(visitor, first)).count('class="number"') > (await read(visitor, second)).count(
            'class="number"'
        )
        roster = await read(visitor, f"{ROOT}roster")
    assert "Lancers" in roster
    assert "Unseen" not in roster
