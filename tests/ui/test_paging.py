"""The splitter: inside Discord's limits, and nothing dropped."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import discord
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.core.entry_kinds import EntryView, Mark
from bot.core.records import Entry
from bot.rolls.embed import result_pages
from bot.rolls.request import PartRequest, RollRequest, TypedAdjustment
from bot.ui.receipt import strike_pages
from bot.ui.text import MAX_MESSAGE, fit_embeds, paginate, plain
from tests.support.backend import opened
from tests.support.world import BOOKS

TEN = 10
NAME = "*_`~|<@1>[a](b)"
lines_of_any_length = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 9000)), max_size=12)
titles = st.integers(0, 600).map(lambda size: "T" * size)


def require_limits(pages: list[list[discord.Embed]]) -> None:
    """Claim that Discord takes every message."""
    for page in pages:
        assert 1 <= len(page) <= 10
        assert sum(map(len, page)) <= 6000
        for mark in (Mark(10**9), Mark(10**9, amended=True)):
            assert sum(map(len, strike_pages([page], mark)[0])) <= 6000, "it still is a message once it is void"
        for embed in page:
            assert len(embed.title or "") <= 256
            assert len(embed.description or "") <= 4096
            assert len(embed.footer.text or "") <= 2048


def told(pages: list[list[discord.Embed]]) -> str:
    """All descriptions in order."""
    return "\n".join(embed.description or "" for page in pages for embed in page)


@given(titles, lines_of_any_length)
@settings(max_examples=60, deadline=None)
def test_lines_of_any_length_fit_and_none_is_lost(title: str, drawn: list[tuple[str, int]]) -> None:
    """Whatever the lines, every message is within the limits and all of them together say every letter in order."""
    lines = [letter * size for letter, size in drawn]
    pages = paginate(fit_embeds(title, lines, colour=1, footer="Entry #1"))

    require_limits(pages)
    whole = told(pages).replace("\n", "")
    assert whole.endswith("".join(lines))
    assert title in (pages[0][0].title, whole.removesuffix("".join(lines)).strip("*"))
    assert all(embed.footer.text == "Entry #1" for page in pages for embed in page)


@given(st.lists(st.tuples(st.integers(0, 4096), st.integers(0, 256)), max_size=30))
@settings(max_examples=60, deadline=None)
def test_embeds_of_any_size_are_dealt_out_in_order(sizes: list[tuple[int, int]]) -> None:
    """Every embed stands in one message, in order, and a new message is begun only when the last is full."""
    embeds = [discord.Embed(title="t" * title, description="d" * size) for size, title in sizes]
    pages = paginate(embeds)

    require_limits(pages)
    assert [embed for page in pages for embed in page] == embeds
    for page, following in pairwise(pages):
        assert len(page) == 10 or sum(map(len, page)) + len(following[0]) > MAX_MESSAGE


async def fullest(database_url: str) -> Entry:
    """A roll of ten targets through both tables, every modifier counted, the longest names, notes and reasons."""
    targets = [f"{number}{NAME}".ljust(60, "*") for number in range(TEN)]
    adjustments = tuple(TypedAdjustment(value=100, reason=f"{number}".ljust(500, "_")) for number in range(5))
    request = RollRequest(
        book="campaign",
        family="patrol",
        parts=tuple(
            PartRequest(
                subjects={"patrol": "K".ljust(60, "|"), "target": name},
                choices={"stance": "neutral"},
                adjustments=adjustments,
            )
            for name in targets
        ),
        region="R".ljust(60, "`"),
        note="n".ljust(500, "<"),
        reason="r".ljust(500, "~"),
        to="results",
    )
    async with opened(database_url) as house:
        entry = (await house.roll(request, *[20] * 2 * TEN)).entry
    body = entry.content()
    for part in body["parts"]:
        for step in part["steps"]:
            step["modifiers"] = [_counted(item) for item in step["modifiers"]]
    return replace(entry, body=json.dumps(body))


def _counted(item: dict[str, Any]) -> dict[str, Any]:
    table = next(table for table in BOOKS["campaign"].tables.values() if item["id"] in {m.id for m in table.modifiers})
    modifier = next(modifier for modifier in table.modifiers if modifier.id == item["id"])
    origin = {"kind": "effect", "label": "since entry 2147483647"}
    count = 100 if modifier.per else 1
    return {**item, "count": count, "label": modifier.label, "per": modifier.per, "origin": origin, "secret": False}


async def test_the_fullest_roll_there_can_be_is_told_whole(database_url: str) -> None:
    """Ten targets with every modifier of both tables, longest names and texts: within limits, nothing missing but the public's reason."""
    entry = await fullest(database_url)
    body = entry.content()
    for view in ("staff", "public"):
        pages = result_pages(EntryView(entry, "C" * 60), view)
        require_limits(pages)
        whole = told(pages)
        for part in body["parts"]:
            assert plain(part["subjects"]["target"]) in whole
            assert len(part["steps"]) == 2
        for item in (item for step in body["parts"][0]["steps"] for item in step["modifiers"]):
            assert whole.count(f" {item['label']}") >= TEN
        for name in body["texts"]:
            assert (plain(entry.text(name) or "") in whole) == (view == "staff" or name != "reason"), name
        assert whole.count("**Note:**") == TEN
        assert whole.count("**Rolled again because:**") == (TEN if view == "staff" else 0)


async def test_each_message_of_a_long_roll_names_its_entry(database_url: str) -> None:
    """Whichever message somebody comes upon, its footer has the entry's number, and long parts are marked as continued."""
    pages = result_pages(EntryView(await fullest(database_url), "Iron Sea"), "staff")
    embeds = [embed for page in pages for embed in page]
    assert all(embed.footer.text == "#2" for embed in embeds)
    assert sum("(continued)" not in (embed.title or "") for embed in embeds) == TEN
