"""`/roll`: free dice in Discord."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rules.expression import Expression
from tests.support.reading import assert_says, newest, press, refused, response, said, text
from tests.support.world import World, entry, entry_texts, nothing_written, rows

DOTS = "\N{HORIZONTAL ELLIPSIS}"


async def roll(world: World, actor: Any, expression: str, **options: Any) -> Any:  # noqa: ANN401
    """Roll dice in #orders."""
    return await actor.slash(world.orders, "roll", expression=expression, **options)


@pytest.mark.parametrize(
    ("expression", "note", "kept"),
    [
        ("2d6 for *luck*", None, "for *luck*"),
        ("2d6", "At dusk", "At dusk"),
        ("2d6 for luck", "At dusk", "for luck \N{MIDDLE DOT} At dusk"),
    ],
)
async def test_a_label_is_kept_as_a_note(world: World, expression: str, note: str | None, kept: str) -> None:
    """It can be erased, and is shown escaped."""
    world.dice.script(1, 2, sides=6)
    await roll(world, world.player, expression, **({"note": note} if note else {}))
    assert entry_texts(world, 3) == {"note": kept, "name.roller": "player"}
    assert "luck" not in str(entry(world))
    assert f"**Note:** {kept.replace('*', chr(92) + '*')}" in text(newest(world.orders))


async def test_dice_are_rolled_without_a_campaign_and_not_kept(world: World) -> None:
    """The answer says it isn't recorded."""
    lobby = world.guild.create_text_channel("lobby")
    with nothing_written(world):
        world.dice.script(3, 5, sides=6)
        answer = response(await world.stranger.slash(lobby, "roll", expression="2d6+1 for *luck*", roll="card"))
        assert not answer.ephemeral
        shown = text(answer)
        assert "**stranger** rolls **2d6+1**" in shown
        assert "2d6: **3, 5** \N{RIGHTWARDS ARROW} 8; 2d6+1 = 9" in shown
        assert "**Note:** for \\*luck\\*" in shown
        assert "isn't recorded" in shown
        world.dice.script(2, sides=6)
        assert response(await world.player.slash(lobby, "roll", expression="d6", to="me")).ephemeral


async def test_the_same_is_rolled_again_without_a_reason(world: World) -> None:
    """Free dice remember nothing."""
    for _ in range(2):
        world.dice.script(1, sides=6)
        assert "Total 1" in said(await roll(world, world.player, "d6"))
    assert rows(world, "select count(*) from state where subject <> 'campaign'") == [(0,)]


async def test_the_card_shows_mean_and_range(world: World) -> None:
    """Nothing is rolled before the press."""
    card = response(await roll(world, world.player, "2x 2d6!", roll="card"))
    shown = text(card)
    assert_says(shown, "**player** rolls **2x 2d6!**", "2 to 300 each, mean about 8.4\na die explodes 24 times at most")
    world.dice.script(6, 2, 3, 4, 5, sides=6)
    await world.player.click(card, custom_id=press(card, "roll"))
    answer = text(newest(world.orders))
    assert_says(answer, "Totals 11, 9", "**Roll 1: 2d6!**\n3d6: **6, 2, 3** \N{RIGHTWARDS ARROW} (6! + 2) + 3 = 11")


async def test_a_bad_expression_is_marked_at_its_place(world: World) -> None:
    """With a caret; nothing is written."""
    cases: list[tuple[str, str, str]] = [
        ("2d6++-1", "At character 6", "2d6++-1\n     ^"),
        ("charge!", "At character 1", "charge!\n^"),
        ("101d6", "Write 1 to 100 dice, not 101", "101d6\n^"),
        ("60d6+41d6", "The limit is 100 dice", "60d6+41d6\n^"),
        ("2d6 + `d6`", "At character 7", "2d6 +  d6\n      ^"),
        ("1+" * 40 + "x", "At character 81", f"{DOTS}{'1+' * 12}x\n{' ' * 25}^"),
        ("1" + "+1" * 150, "at most 200 characters", f"{DOTS}{'1+' * 18}{DOTS}\n{' ' * 25}^"),
    ]
    for expression, fault, marked in cases:
        with nothing_written(world):
            answer = refused(await roll(world, world.player, expression))
            assert fault in answer
            code = answer.split("```")[1].strip("\n")
            assert code.replace(" \n", "\n").startswith(marked)
            assert "Nothing was rolled" in answer


async def test_what_else_is_refused(world: World) -> None:
    """Privately."""
    with nothing_written(world):
        assert "don't play" in refused(await roll(world, world.stranger, "d6"))
        assert "choose where" in refused(await roll(world, world.player, "d6", to="staff"))
        assert "501 characters" in refused(await roll(world, world.player, "d6", note="n" * 501))
        assert "characters" in refused(await roll(world, world.player, "d6 for the charge", note="n" * 500))


@pytest.mark.parametrize(
    ("expression", "faces", "sides"),
    [
        ("10x 10d6kh3+1000", [6, 5, 4, 3, 2, 1, 6, 5, 4, 3] * 10, 6),
        ("100d1000", [1000] * 100, 1000),
        ("50d2!", [2] * 100, 2),
    ],
)
async def test_the_largest_rolls_fit(world: World, expression: str, faces: list[int], sides: int) -> None:
    """A hundred dice fit a message."""
    world.dice.script(*faces, sides=sides)
    await roll(world, world.player, expression)
    messages = world.orders.history()
    for message in messages:
        assert all(len(embed) <= 6000 and len(embed.description or "") <= 4096 for embed in message.embeds)
    answer = "".join(text(message) for message in messages)
    total = sum(entry(world)["parts"][0]["record"]["totals"])
    drawn = sum(len(dice["faces"]) for step in entry(world)["parts"][0]["steps"] for dice in step["dice"])
    assert drawn == 100
    assert str(total if "x" not in expression else entry(world)["parts"][0]["record"]["totals"][0]) in answer
    assert "lines more" not in answer


class Late(ThreadPoolExecutor):
    """A thread that starts work when `allowed`."""

    def __init__(self) -> None:
        super().__init__(1)
        self.allowed, self.results = threading.Event(), list[Any]()

    def submit(self, function: Any, /, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - as the base has it
        """Let the work wait."""

        def work() -> Any:  # noqa: ANN401 - what the work comes to
            assert self.allowed.wait(60)
            self.results.append(function(*args, **named))
            return self.results[-1]

        return super().submit(work)


async def test_a_slow_mean_does_not_hold_up_the_loop(world: World) -> None:
    """A thread works out the mean."""
    asyncio.get_running_loop().set_default_executor(late := Late())
    rolling = asyncio.ensure_future(roll(world, world.player, "7d8kh3", roll="card"))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not rolling.done()
    late.allowed.set()
    response(await rolling)
    ((inputs, _label),) = late.results
    assert inputs["mean"] == str(Expression.parse("7d8kh3").mean)
