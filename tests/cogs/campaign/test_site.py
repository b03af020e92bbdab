"""The public site: on with a name, and off again."""

from __future__ import annotations

import simcord

from bot.core import sites
from tests.support.acting import fill_in, take_back
from tests.support.reading import assert_says, labels, refused, response, said, text
from tests.support.world import World, entry, nothing_written, rows, send_raw

ROW = "select site, site_on, site_indexed from campaign"


async def open_site(world: World, name: str = "iron-sea", search: str = "unlisted") -> simcord.InteractionResult:
    """Type a name in the window; return the answer."""
    panel = response(await send_raw(world.gm, world.orders, "campaign:1:site"))
    kept, on, _ = rows(world, ROW)[0]
    fields = {"search": [search]} if kept else {"name": name, "search": [search]}
    result: simcord.InteractionResult = await fill_in(world.gm, panel, fields, label="Change" if on else "Turn on")
    return result


async def test_a_site_goes_on_changes_and_goes_off(world: World) -> None:
    """Each is an entry for the staff; Undo turns it back."""
    assert_says(said(await send_raw(world.gm, world.orders, "campaign:1:site")), "public site is off", "PUBLIC_URL")
    answer = response(await open_site(world, " Iron-Sea "))
    assert_says(text(answer), "public site is on", "/iron-sea/", "Search engines leave it out")
    assert rows(world, ROW) == [("iron-sea", 1, 0)]
    assert entry(world)["after"] == {"name": "iron-sea", "search": "unlisted"}
    assert rows(world, "select audience from entry order by number desc limit 1") == [("staff",)]
    await open_site(world, "iron-sea", "listed")
    assert rows(world, ROW) == [("iron-sea", 1, 1)]
    panel = response(await send_raw(world.gm, world.orders, "campaign:1:site"))
    await world.gm.click(panel, label="Turn off")
    off = panel
    assert rows(world, ROW) == [("iron-sea", 0, 0)]
    with nothing_written(world):
        refused(await send_raw(world.gm, world.orders, "site:1:off"))
    (number,) = rows(world, "select max(number) from entry")[0]
    assert "Undo" in labels(off)
    await take_back(world, "gm undo", entry=number, reason="too early")
    assert rows(world, ROW) == [("iron-sea", 1, 1)]


async def test_a_name_stays_with_its_campaign(world: World) -> None:
    """Also while the site is off, and by an older window: links in Discord never lead to another game."""
    panel = response(await send_raw(world.gm, world.orders, "campaign:1:site"))
    older = await world.gm.click(panel, label="Turn on")
    await open_site(world)
    with nothing_written(world):
        late = await world.gm.submit_modal(older, {"name": "salt", "search": ["unlisted"]})
        assert "The name stays iron-sea" in refused(late)
    await send_raw(world.gm, world.orders, "site:1:off")
    assert await world.bots[-1].database.read(sites.find_owner, "iron-sea") == 1
    await open_site(world)
    assert rows(world, ROW) == [("iron-sea", 1, 0)]


async def test_the_site_of_an_archived_campaign_can_only_go_off(world: World) -> None:
    """Its pages stay until then; nothing turns them on again before the campaign is restored."""
    await open_site(world)
    asked = response(await world.manager.slash(world.orders, "campaign archive"))
    await world.manager.click(asked, label="Archive")
    assert "Its public site stays on" in text(asked)
    settings = response(await world.gm.slash(world.orders, "gm settings"))
    panel = response(await world.gm.click(settings, label="Public site"))
    assert labels(panel) == ["Turn off"]
    with nothing_written(world):
        assert "game masters" in refused(await send_raw(world.player, world.orders, "site:1:off"))
    await world.gm.click(panel, label="Turn off")
    assert rows(world, ROW) == [("iron-sea", 0, 0)]
    assert labels(panel) == []
    assert "Public site" not in labels(response(await world.gm.slash(world.orders, "gm settings")))


async def test_the_answer_has_the_link_of_the_host(world: World) -> None:
    """Under the address that the host has set."""
    await open_site(world)
    await world.restart(public_url="https://games.example/sea")
    answer = said(await send_raw(world.gm, world.orders, "campaign:1:site"))
    assert_says(answer, "https://games.example/sea/iron-sea/", "is on")
    assert "PUBLIC_URL" not in answer


async def test_names_are_refused_in_words(world: World) -> None:
    """Letters, digits and dashes; a name of another campaign is taken, also for an undo."""
    for wrong in ("ab", "-ab", "a_b", "ünder", "a/../b"):
        with nothing_written(world):
            assert_says(refused(await open_site(world, wrong)), "can't be part of an address")
    await open_site(world, "iron-sea")
    (first,) = rows(world, "select max(number) from entry")[0]
    await open_site(world, search="listed")
    assert "was changed since" in refused(await take_back(world, "gm undo", entry=first, reason="no"))
    with nothing_written(world):
        assert "game masters" in refused(await send_raw(world.player, world.orders, "site:1:off"))
        assert "game masters" in refused(await send_raw(world.player, world.orders, "campaign:1:site"))
