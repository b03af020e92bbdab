from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import discord
import pytest
from discord import Embed, ui
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.core.ledger import EntryView, Mark
from bot.core.records import Entry
from bot.outbox.queue import OutgoingMessage
from bot.rolls.embed import result_pages
from bot.rolls.request import PartRequest, RollRequest, TypedAdjustment
from bot.ui.receipt import receipt, strike_pages
from bot.ui.text import (
    MAX_ALT,
    MAX_MESSAGE,
    MAX_VIEW_TEXT,
    CommandMentions,
    alt_of,
    cut_embeds,
    cut_message,
    cut_text,
    fit_embeds,
    has_words,
    paginate,
    plain,
)
from tests.support.backend import opened
from tests.support.reading import newest, said
from tests.support.world import BOOKS, World

LINES = st.lists(st.text("abc *", max_size=700), min_size=1, max_size=120)


@given(LINES, st.integers(200, 4000))
def test_a_text_is_cut_to_its_room(lines: list[str], room: int) -> None:
    """Every shown line is a beginning."""
    text = "\n".join(lines)
    made = cut_text(text, room)
    assert len(made) <= room
    assert made == text or len(text) > room
    for shown, line in zip(made.split("\n"), lines, strict=False):
        assert line.startswith(shown.removesuffix("\N{HORIZONTAL ELLIPSIS}")) or "more lines" in shown


def test_short_lines_beside_long_ones_stay_whole() -> None:
    """The short one stays readable."""
    made = cut_text("\n".join(["x" * 3000, "y" * 3000, "See /order list"]), 1000).split("\n")
    assert made[-1] == "See /order list"
    assert [line[0] for line in made] == ["x", "y", "S"]


@given(LINES)
def test_a_receipt_fits_into_one_message(lines: list[str]) -> None:
    """Whatever its lines."""
    view = cut_message({"view": receipt("Done", lines)})["view"]
    texts = [item.content for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
    assert sum(map(len, texts)) <= MAX_VIEW_TEXT


@given(st.lists(LINES, min_size=1, max_size=10))
def test_embeds_fit_into_one_message_together(several: list[list[str]]) -> None:
    """Each limit and the total."""
    embeds = [Embed(title="T" * 300, description="\n".join(lines)) for lines in several]
    cut_embeds(embeds)
    assert sum(map(len, embeds)) <= 6000
    assert all(len(embed.description or "") <= 4096 and len(embed.title or "") <= 256 for embed in embeds)


TEN = 10
NAME = "*_`~|<@1>[a](b)"
lines_of_any_length = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 9000)), max_size=12)
titles = st.integers(0, 600).map(lambda size: "T" * size)


def require_limits(pages: list[list[discord.Embed]]) -> None:
    """Check Discord's limits."""
    for page in pages:
        assert 1 <= len(page) <= 10
        assert sum(map(len, page)) <= 6000
        for mark in (Mark(10**9), Mark(10**9, amended=True)):
            assert sum(map(len, strike_pages([page], mark)[0])) <= 6000, "it still is a message once it is void"
        for embed in page:
            assert len(embed.title or "") <= 256
            assert len(embed.description or "") <= 4096
            assert len(embed.footer.text or "") <= 2048


def join_descriptions(pages: list[list[discord.Embed]]) -> str:
    """Return all descriptions."""
    return "\n".join(embed.description or "" for page in pages for embed in page)


@given(titles, lines_of_any_length)
@settings(max_examples=60, deadline=None)
def test_lines_of_any_length_fit_and_none_is_lost(title: str, drawn: list[tuple[str, int]]) -> None:
    """Every letter in order."""
    lines = [letter * size for letter, size in drawn]
    pages = paginate(fit_embeds(title, lines, colour=1, footer="Entry #1"))

    require_limits(pages)
    whole = join_descriptions(pages).replace("\n", "")
    assert whole.endswith("".join(lines))
    assert title in (pages[0][0].title, whole.removesuffix("".join(lines)).strip("*"))
    assert all(embed.footer.text == "Entry #1" for page in pages for embed in page)


@given(st.lists(st.tuples(st.integers(0, 4096), st.integers(0, 256)), max_size=30))
@settings(max_examples=60, deadline=None)
def test_embeds_of_any_size_are_dealt_out_in_order(sizes: list[tuple[int, int]]) -> None:
    """As few messages as possible."""
    embeds = [discord.Embed(title="t" * title, description="d" * size) for size, title in sizes]
    pages = paginate(embeds)

    require_limits(pages)
    assert [embed for page in pages for embed in page] == embeds
    for page, following in pairwise(pages):
        assert len(page) == 10 or sum(map(len, page)) + len(following[0]) > MAX_MESSAGE


async def fullest(database_url: str) -> Entry:
    """Roll ten targets with everything."""
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
            step["modifiers"] = [_count(item) for item in step["modifiers"]]
    return replace(entry, body=json.dumps(body))


def _count(item: dict[str, Any]) -> dict[str, Any]:
    table = next(table for table in BOOKS["campaign"].tables.values() if item["id"] in {m.id for m in table.modifiers})
    modifier = next(modifier for modifier in table.modifiers if modifier.id == item["id"])
    origin = {"kind": "effect", "label": "since entry 2147483647"}
    count = 100 if modifier.per else 1
    return {**item, "count": count, "label": modifier.label, "per": modifier.per, "origin": origin, "secret": False}


async def test_the_fullest_roll_there_can_be_is_told_whole(database_url: str) -> None:
    """Except the public's reason."""
    entry = await fullest(database_url)
    body = entry.content()
    for view in ("staff", "public"):
        pages = result_pages(EntryView(entry, "C" * 60), view)
        require_limits(pages)
        whole = join_descriptions(pages)
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
    """Long parts are marked as continued."""
    pages = result_pages(EntryView(await fullest(database_url), "Iron Sea"), "staff")
    embeds = [embed for page in pages for embed in page]
    assert all(embed.footer.text == "#2" for embed in embeds)
    assert sum("(continued)" not in (embed.title or "") for embed in embeds) == TEN


@pytest.mark.parametrize(
    "lines", [[], [""], ["One."], ["One.", "Two."], ["x" * 5000], ["x" * 990, "y" * 20], ["z" * 30] * 500]
)
def test_an_alt_text_has_room_for_what_it_says(lines: list[str]) -> None:
    """Whole lines, and a count of the rest."""
    text = alt_of(lines)

    assert len(text) <= MAX_ALT
    whole = " ".join(filter(None, lines))
    assert text == whole or text.endswith(" more lines.")
    assert whole.startswith(text.rpartition(" And ")[0])


def test_what_fits_is_all_there() -> None:
    """Separated by blanks."""
    assert alt_of(["Map of a war.", "Zeon: 3 panels."]) == "Map of a war. Zeon: 3 panels."
    assert alt_of(["a" * 900, "b" * 200, "c"]).endswith(" And 2 more lines.")


@pytest.mark.parametrize(
    ("told", "line", "all_of_it"),
    [
        ("1st Fleet moves from 2,-2 to 0,0.", "**1st Fleet** moves to 0,0", True),
        ("2nd Fleet moves from -2,2 to -2,0.", plain("2nd Fleet moves to ") + plain("-2,0"), True),
        ("Noa joins Zeon.", "**Noa** joins Zeon", True),
        ("u12 goes to A3", "u12 moves", False),
        ("Contact", "**Kilo** patrols", False),
        ("moves to 0,0: 1st Fleet", "1st Fleet moves to 0,0", False),
    ],
)
def test_a_line_is_told_where_all_its_words_are_in_their_order(told: str, line: str, *, all_of_it: bool) -> None:
    """Marks don't count."""
    assert has_words(told, line) is all_of_it


IDS = {"order": 1, "roll": 2, "gm": 3}
NAMES = ("order give", "roll", "gm settings", "gm undo", "help")
ROLL = "</roll:2>"


@pytest.fixture
def mentions() -> CommandMentions:
    """Return mentions that know all ids but one."""
    made = CommandMentions()
    made.name_commands(NAMES)
    made.learn(IDS)
    return made


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Use /order give.", "Use </order give:1>."),
        ("*See `/order give`* (/roll)", "*See </order give:1>* (</roll:2>)"),
        ("`/order give kind:Answer for a …`", "</order give:1> `kind:Answer for a …`"),
        ("`` /order give who:Kai ``, /roll", "</order give:1> `` who:Kai ``, </roll:2>"),
        (r"/gm settings players\_may:orders", r"</gm settings:3> players\_may:orders"),
        ("/gm undo, /gm group, /help", "</gm undo:3>, /gm group, /help"),
        ("and/roll /rolls /roll-call /roll/x </roll:9>", "and/roll /rolls /roll-call /roll/x </roll:9>"),
        (
            "```\n/roll\n``` `d6 /roll` [/roll](https://a.b/roll)",
            "```\n/roll\n``` `d6 /roll` [/roll](https://a.b/roll)",
        ),
        (r"https://a.b /roll \`/roll\`", r"https://a.b </roll:2> \`</roll:2>\`"),
    ],
)
def test_known_commands_become_mentions(mentions: CommandMentions, text: str, written: str) -> None:
    """Options, code and links stay."""
    assert mentions.write(text, 100) == written
    assert mentions.write(written, 100) == written
    assert CommandMentions().write(text, 100) == text


def test_a_command_of_one_server_is_a_mention_there_alone(mentions: CommandMentions) -> None:
    """Each server has its own id for it; where it isn't registered, its name stays."""
    for server in (1, 2):
        mentions.learn({"war": 10 * server}, server)
    mentions.name_commands((*NAMES, "war set"))

    texts = [mentions.write("/war set or /roll", 100, server) for server in (1, 2, 3, None)]

    assert texts == [f"{war} or {ROLL}" for war in ("</war set:10>", "</war set:20>", "/war set", "/war set")]


@pytest.mark.parametrize("over", [False, True])
def test_a_text_without_room_for_mentions_keeps_the_names(mentions: CommandMentions, *, over: bool) -> None:
    """At each of Discord's limits."""
    shown, more = ("/roll", 1) if over else (ROLL, 0)
    long = {most: "!" * (most + more - len(ROLL)) for most in (1024, 2000, 4000, 4096, 6000)}
    embed = discord.Embed(title="/roll", description=long[4096] + "/roll").set_footer(text="/roll")
    embed.add_field(name="/roll", value=long[1024] + "/roll")
    sent = mentions.write_message({"embed": embed, "content": long[2000] + "/roll"})
    assert (sent["content"], embed.description) == (long[2000] + shown, long[4096] + shown)
    assert (embed.title, embed.footer.text, embed.fields[0].name) == ("/roll",) * 3
    assert embed.fields[0].value == long[1024] + shown

    whole = [discord.Embed(description=text) for text in ("!" * 3000, long[6000][3000:] + "/roll")]
    assert mentions.write_embeds(whole)[1].description == long[6000][3000:] + shown

    view = ui.LayoutView().add_item(ui.TextDisplay("!" * 3000)).add_item(ui.TextDisplay(long[4000][3000:] + "/roll"))
    mentions.write_message({"view": view})
    assert [item.content for item in view.children if isinstance(item, ui.TextDisplay)][1] == long[4000][3000:] + shown


async def test_answers_and_posts_have_mentions_and_queued_posts_names(world: World) -> None:
    """Posts get current ids."""
    bot = world.bots[-1]
    assert "/luck" in said(await world.player.slash(world.orders, "help", about="Ledger"))
    bot.mentions.learn({"luck": 7})
    assert "</luck:7>" in said(await world.player.slash(world.orders, "help", about="Ledger"))
    words = [OutgoingMessage("told", world.results.id, [discord.Embed(description="See /luck.")])]
    queued = await bot.database.write(bot.outbox.queue, 1, None, words)
    await bot.outbox.send(bot, queued)
    assert "See </luck:7>." in (newest(world.results).embeds[0].description or "")
    assert "See /luck." in (queued[0].payload or "")
