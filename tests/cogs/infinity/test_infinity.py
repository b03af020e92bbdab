"""`/infinity roll`, `versus` against typed values, and `odds`."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.errors import BadInput
from bot.ui import parsing
from tests.support.reading import assert_says, newest, refused, said, text
from tests.support.world import World, entry, nothing_written, written


async def infinity(world: World, actor: Any, command: str, **options: Any) -> Any:  # noqa: ANN401
    """Use a command of the group in #orders."""
    return await actor.slash(world.orders, f"infinity {command}", **options)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("-6 -3 +3", (-6, -3, 3)),
        ("-6,-3, +3,", (-6, -3, 3)),
        ("\N{MINUS SIGN}6 \N{EN DASH}3", (-6, -3)),
        ("-6-3+3", (-6, -3, 3)),
        ("- 6 + 3", (-6, 3)),
        ("3", (3,)),
        ("-6 3", (-6, 3)),
        ("6-3, 12", (6, -3, 12)),
        ("0", (0,)),
        ("  ", ()),
        (None, ()),
    ],
)
def test_signed_modifiers_are_read(words: str | None, numbers: tuple[int, ...]) -> None:
    """Spaces, commas, true minus signs, or none of them."""
    assert parsing.parse_signed_numbers(words) == numbers


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("1000", "1000"),
        ("0000001", "'0000001'"),
        ("-6 x", "'x'"),
        ("--6", "'--6'"),
        ("-6.5", "'-6.5'"),
        ("+\N{SUPERSCRIPT TWO}", "'+\N{SUPERSCRIPT TWO}'"),
        ("-100", "-100"),
        ("+1 " * 21, "21 modifiers"),
        ("x" * 5000, "isn't a list"),
    ],
)
def test_a_bad_modifier_is_named(words: str, named: str) -> None:
    """The error names the word, or how many are too many."""
    with pytest.raises(BadInput) as refused:
        parsing.parse_signed_numbers(words)
    assert named in refused.value.what
    assert len(refused.value.what) < 200


async def test_a_bad_roll_or_contest_is_refused(world: World) -> None:
    """Privately, and without an entry."""
    with nothing_written(world):
        rolls: list[tuple[dict[str, Any], str]] = [
            ({"mods": "-3 foo"}, "'foo'"),
            ({"die": "21"}, "no face 21"),
            ({"die": "0"}, "no face 0"),
            ({"die": "x"}, "'x' is neither a face nor a die.\nType only faces of d20s, such as 12,"),
            ({"die": "d20:"}, "no faces behind it.\nType only faces of d20s"),
            ({"die": "d6 3"}, "Only d20s"),
            ({"die": "3 4"}, "2 dice, but the burst is 1"),
            ({"die": "3", "burst": 2}, "1 dice, but the burst is 2"),
            ({"attribute": 3, "mods": "-6", "die": "3"}, "You don't roll at a success value of -3."),
            ({"die": "3", "roll": "card"}, "You can't type dice for a card"),
            ({"label": "n" * 61}, "too long"),
            ({"label": "Angus, Knight"}, "2 names"),
            ({"note": "n" * 501}, "501 characters"),
        ]
        for options, words in rolls:
            assert words in refused(await infinity(world, world.gm, "roll", **({"attribute": 12} | options)))
        contests: list[tuple[dict[str, Any], str]] = [
            ({}, "need an opponent"),
            ({"their_mods": "-3"}, "attribute is missing"),
            ({"their_name": "Hac Tao"}, "attribute is missing"),
            ({"their_attribute": 12, "their_mods": "foo"}, "'foo'"),
            ({"their_attribute": 12, "my_mods": "bar"}, "'bar'"),
            ({"their_attribute": 12, "hours": 3}, "Only a challenge has hours"),
            ({"their_attribute": 12, "my_name": "Angus", "their_name": "ANGUS"}, "both sides"),
            ({"their_attribute": 12, "note": "n" * 501}, "501 characters"),
        ]
        for options, words in contests:
            assert words in refused(await infinity(world, world.player, "versus", mine=12, **options))


async def test_a_contest_against_typed_values(world: World) -> None:
    """One public entry has both sides' dice and the reason."""
    world.dice.script(5, 9, 11)
    options = {"mine": 12, "my_mods": "-3", "their_attribute": 13, "their_burst": 2, "their_name": "Hac *Tao*"}
    await infinity(world, world.player, "versus", **options, my_name="Angus", note="Reaction")
    shown = text(newest(world.orders))
    assert "Hac \\*Tao\\* wins: the higher success, 11 against 5, 2 hits" in shown
    assert "Angus against Hac \\*Tao\\*, face to face" in shown
    assert "**Angus, attribute 12, -3: success value 9**\nd20: **5**" in shown
    assert "2d20: **9, 11** \N{RIGHTWARDS ARROW} success, success" in shown
    (part,) = entry(world)["parts"]
    assert part["subjects"] == {"a": "Angus", "b": "Hac *Tao*"}
    assert part["record"] == {
        "winner": "b",
        "reason": "higher_success",
        "winner_hits": 2,
        "a": {"sv": 9, "outcome": "success", "result": 5},
        "b": {"sv": 13, "outcome": "success", "result": 11},
    }


async def test_every_reason_is_told(world: World) -> None:
    """The title says who won and why."""
    no_winner = "No winner: both success values are below 1, no dice rolled"
    cases: list[tuple[int, int, list[int], list[str]]] = [
        (12, 13, [12, 5], ["player wins: the only critical"]),
        (12, 13, [12, 13], ["No winner: criticals on both sides"]),
        (12, 13, [8, 19], ["player wins: the only success"]),
        (12, 13, [13, 19], ["No winner: both failed"]),
        (12, 13, [8, 8], ["No winner: equal successes of 8"]),
        (0, 13, [8], ["Opponent wins: the only success", "automatic failure, no dice rolled"]),
        (0, 0, [], [no_winner]),
    ]
    for mine, theirs, faces, told in cases:
        world.dice.script(*faces)
        await infinity(world, world.player, "versus", mine=mine, their_attribute=theirs)
        shown = text(newest(world.orders))
        assert [words for words in told if words not in shown] == []


async def test_odds_are_private_exact_and_write_nothing(world: World) -> None:
    """Percent and twentieths, or all outcomes of a contest."""
    before = written(world)
    result = await infinity(world, world.stranger, "odds", attribute=12, mods="-3")
    assert result.ephemeral
    shown = said(result)
    assert "**5%** Critical success" in shown
    assert "**40%** Success without a critical" in shown
    assert "**55%** Failure" in shown
    assert "Any success: **45%**" in shown
    contest = said(await infinity(world, world.player, "odds", attribute=9, their_attribute=3, their_mods="-6"))
    assert_says(contest, "**45%** Your side wins", "**0%** The other side wins", "**55%** No winner")
    longest = said(
        await infinity(world, world.player, "odds", attribute=13, burst=10, their_attribute=13, their_burst=10)
    )
    assert "** Your side wins" in longest
    assert "/" not in longest, "percent alone: of 20 dice nobody reads a fraction"
    assert "'x'" in refused(await infinity(world, world.player, "odds", attribute=13, mods="x"))
    assert "attribute is missing" in refused(await infinity(world, world.player, "odds", attribute=13, their_burst=2))
    assert written(world) == before
