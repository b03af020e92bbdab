from __future__ import annotations

import re
from typing import Any, get_args

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.ledger import EntryView
from bot.rolls.embed import _consequence_text, consequences_text, result_pages
from bot.rolls.entry_body import cite_steps, consequence_body, list_calls
from bot.ui.text import COLOURS, code, plain
from rules.tables import Consequence, Tone
from tests.support.backend import opened, scouting
from tests.support.world import BOOKS

LIVE = re.compile(r"(?<!\\)(?:\\\\)*[*_~|`<\[\]]")


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\\*_~|`<>[]()#-+@:/ \n"), max_size=60))
def test_typed_text_is_shown_as_it_was_typed(typed: str) -> None:
    """Without escapes it's what was typed."""
    safe = plain(typed)
    assert not LIVE.search(safe)
    shown = re.sub(r"\\([^0-9A-Za-z\s])", r"\1", safe).replace("\u200b", "")
    assert shown == typed.replace("\n", " ").replace("\u200b", "")


@pytest.mark.parametrize(
    ("typed", "safe"),
    [
        ("**bold**", r"\*\*bold\*\*"),
        ("[a](http://x) [b](http://y)", r"\[a\](http\://x) \[b\](http\://y)"),
        ("<t:0:R> <@1> <#2> </a:3>", r"\<t:0:R> \<@1> \<#2> \</a:3>"),
        ("# Head", r"\# Head"),
        ("> quote", r"\> quote"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("a\\*b", r"a\\\*b"),
        ("@everyone", "@\u200beveryone"),
        ("Discord.gg/abc", r"Discord\.gg/abc"),
        ("a`b [x](https://e.x)", r"a\`b \[x\](https\://e.x)"),
        ("Grey Ghost 2.5-B", "Grey Ghost 2.5-B"),
    ],
)
def test_marks_are_escaped_and_plain_names_left_alone(typed: str, safe: str) -> None:
    """Ordinary names stay."""
    assert plain(typed) == safe


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("to:Zeon", "`to:Zeon`"),
        ("to:`Zeon`", "`` to:`Zeon` ``"),
        ("a``b`c", "`a''b'c`"),
        ("a\n@here", "`a @\u200bhere`"),
    ],
)
def test_no_backtick_ends_a_code(typed: str, shown: str) -> None:
    """Whatever names are in it."""
    assert code(typed) == shown


def test_every_tone_has_a_colour_of_its_own() -> None:
    """All four differ."""
    assert set(COLOURS) == set(get_args(Tone))
    assert len(set(COLOURS.values())) == len(COLOURS)


DEEDS = BOOKS["campaign"].deeds


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("amount", [None, 25])
def test_every_deed_has_a_phrase(deed: str, amount: int | None) -> None:
    """Escaped, also in old entries."""
    told = consequences_text([Consequence(deed, "target", amount)], {"target": "*Kilo*"}, DEEDS)
    assert told == _consequence_text({"do": deed, "to": "*Kilo*", "amount": amount})
    assert told
    assert "None" not in told or DEEDS[deed].most is not None
    assert not re.search(r"[{}]", told)
    if "{to}" in DEEDS[deed].text:
        assert r"\*Kilo\*" in told


def test_an_old_entry_calls_for_what_it_did() -> None:
    """By its consequences."""
    done = [Consequence("attack", "target"), Consequence("kill", "target"), Consequence("write-up")]
    new = [consequence_body(DEEDS[item.do], item, {"target": "Kilo"}) for item in done]
    old = [{key: item[key] for key in ("do", "to", "amount")} for item in new]
    for records in (new, old):
        part = {"consequences": records}
        assert [item["do"] for item in list_calls(part)] == ["attack", "write-up"]
        assert [item["do"] for item in list_calls(part, "battle")] == ["attack"]


def test_no_row_of_any_book_is_told_with_a_missing_amount() -> None:
    """Every phrase with an amount has one."""
    for book in BOOKS.values():
        for table in book.tables.values():
            for done in (done for row in table.rows for done in row.then):
                told = consequences_text([done], {}, book.deeds)
                assert "None" not in told, (table.id, done)


async def find_embeds(database_url: str, request: Any, *faces: int) -> list[discord.Embed]:  # noqa: ANN401 - a request
    """Return a roll's staff embeds."""
    async with opened(database_url) as house:
        entry = (await house.roll(request, *faces)).entry
    return [embed for page in result_pages(EntryView(entry, "Iron Sea"), "staff") for embed in page]


@pytest.mark.parametrize(("face", "tone"), [(1, "danger"), (12, "neutral"), (20, "success")])
async def test_an_embed_has_the_colour_of_its_outcome(database_url: str, face: int, tone: Tone) -> None:
    """Three scoutings, three colours."""
    (embed,) = await find_embeds(database_url, scouting("Fort Anvil", "Jonas"), face)
    assert embed.colour == discord.Colour(COLOURS[tone])


SOURCES: list[Any] = [
    {"source": {"book": "page", "section": "Below 1", "line": 77}, "dice": []},
    {"source": None, "dice": []},
    {"source": {"book": "page", "section": "Criticals", "line": 70}, "dice": []},
    {"source": {"book": "page", "section": "Criticals", "line": 70}, "dice": []},
    {"source": {"book": "Ours", "section": "Drones", "line": 3}, "dice": []},
]


def test_a_source_is_cited_by_the_title_of_its_book() -> None:
    """In order, once each, with the section if it's the only one."""
    body = {"cited": {"page": "A Book"}}
    assert list(cite_steps(body, SOURCES)) == ["A Book", "Ours, Drones, line 3"]
    assert list(cite_steps(body, SOURCES[1:3])) == ["A Book, Criticals, line 70"]
    assert list(cite_steps(body, SOURCES[1:2])) == []
    assert list(cite_steps({}, SOURCES[:1])) == ["page, Below 1, line 77"]
