"""Links from Discord to the public site."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import discord
import pytest

from tests.support.acting import take_back
from tests.support.reading import newest, response, said
from tests.support.world import World, rows, running
from tests.web.test_site_checks import roll
from tests.web.visiting import MESSAGE, NAME, ROOT, next_day, numbers, switch, visiting

URL = "https://games.example"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A world with seeded dice, whose host serves sites."""
    more = {"public_url": URL}
    async with running(f"sqlite:///{tmp_path / 'adjutant.db'}", drawn=True, more=more) as world:
        yield world


def links(*messages: discord.Message) -> list[str | None]:
    """The addresses of embeds."""
    return [embed.url for message in messages for embed in message.embeds]


def find_struck(world: World) -> list[str | None]:
    """The addresses of results that are struck through."""
    embeds = [embed for message in world.results.history() for embed in message.embeds]
    return [embed.url for embed in embeds if (embed.title or "").startswith("~~")]


async def test_public_results_lead_to_their_pages(world: World) -> None:
    """Also once undone or published; private ones don't, and nothing does while the site is off."""
    before = await roll(world)
    assert links(*world.results.history()[-1:]) == [None]
    switch(world, NAME)
    number, private = await roll(world, "Dom"), await roll(world, "Gouf", "staff")
    assert links(newest(world.results)) == [f"{URL}/{NAME}/{number}"]
    assert links(*world.staff.history()) == [None]
    await take_back(world, "gm undo", entry=number, reason="wrong target")
    assert find_struck(world) == [f"{URL}/{NAME}/{number}"]
    asked = response(await world.gm.click(world.staff.history()[0], label="Publish"))
    await world.gm.click(asked, label="Publish")
    assert f"{URL}/{NAME}/{private}" in links(*world.results.history())
    assert links(*world.staff.history()) == [None]
    found = {url for url in links(*world.results.history()) if url}
    assert found == {f"{URL}/{NAME}/{entry}" for entry in (number, number + 2, private)}, "the undo, too"
    async with visiting(world) as visitor:
        for url in (*found, f"{URL}/{NAME}/{before}"):
            assert (await visitor.get(urlsplit(url).path))[0] == 200
    switch(world, None)
    await roll(world, "Gelgoog")
    assert links(newest(world.results)) == [None]
    assert not [payload for (payload,) in rows(world, "select payload from post") if payload and URL in payload]


async def test_a_link_that_discord_refuses_stops_no_result(world: World) -> None:
    """The second attempt has none; an address without a dot, which Discord never takes, isn't tried."""
    switch(world, NAME)
    path = f"/channels/{world.results.id}/messages"
    world.env.inject_error("POST", path, status=400)
    number = await roll(world)
    world.clock.advance(seconds=20)
    await world.env.advance_time(20)
    refused, taken = (request.json for request in world.env.backend.http_requests[-40:] if is_post(request, path))
    assert f"{URL}/{NAME}/{number}" in json.dumps(refused)
    assert URL not in json.dumps(taken)
    assert links(newest(world.results)) == [None]
    await world.restart(public_url="http://localhost:8080")
    await roll(world, "Dom")
    assert links(newest(world.results)) == [None]


def is_post(request: Any, path: str) -> bool:  # noqa: ANN401 - simcord's
    """Whether a request sends a message."""
    return (request.method, request.path) == ("POST", path)


async def test_a_results_page_leads_to_its_message(world: World) -> None:
    """Before and after it is undone. What players never got in Discord has no such link, even if the staff did."""
    switch(world, NAME)
    number, private = await roll(world), await roll(world, "Gouf", "staff")
    message = newest(world.results)
    await take_back(world, "gm undo", entry=number, reason="wrong target")
    asked = response(await world.gm.click(world.staff.history()[0], label="Publish"))
    await world.gm.click(asked, label="Publish")
    async with visiting(world) as visitor:
        found = {
            entry: MESSAGE.findall((await visitor.get(f"{ROOT}{entry}"))[1].decode()) for entry in (number, private)
        }
    channel, published = world.results.id, newest(world.results)
    assert found[number] == [f"https://discord.com/channels/{world.guild.id}/{channel}/{message.id}"]
    assert found[private] == [f"https://discord.com/channels/{world.guild.id}/{channel}/{published.id}"]


async def test_verify_answers_with_the_page_that_checks_it(world: World) -> None:
    """One sentence, the link and the file; of private entries it says all itself."""
    switch(world, NAME)
    number, private = await roll(world), await roll(world, "Dom", "staff")
    await next_day(world)
    answer = response(await world.player.slash(world.orders, "verify", entry=number))
    assert answer.content.splitlines() == [
        f"**Entry #{number}: This is valid, and the dice proof thread confirms it.**",
        f"[Check it in your browser](<{URL}/{NAME}/{number}/check>)",
    ]
    assert len(answer.attachments) == 1
    assert URL not in (secret := said(await world.gm.slash(world.orders, "verify", entry=private)))
    assert "docs/verify.html" in secret
    switch(world, None)
    assert URL not in said(await world.player.slash(world.orders, "verify", entry=number))
    assert private in numbers(world, "staff")
