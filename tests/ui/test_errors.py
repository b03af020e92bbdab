from __future__ import annotations

import logging
import re
from typing import Any

import pytest

from bot.app import create_bot
from bot.core.config import Settings
from rules.dice import DiceTerm, Roll
from tests.support.acting import more
from tests.support.reading import press, refused, response, said
from tests.support.world import BOOKS, World, create_campaign, nothing_written, rows, running

REFERENCE = re.compile(r"send the bot's host this reference: ([0-9a-f]{8})\.")


class Brokenness(Exception):
    """An unexpected error."""


class BrokenDice:
    """Dice that fail unexpectedly."""

    def roll(self, term: DiceTerm) -> Roll:
        """Fail."""
        raise Brokenness(str(term))


@pytest.fixture(autouse=True)
def _everything_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def lines(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, Any]]:
    """Return log lines of an event."""
    return [vars(record) for record in caplog.records if record.getMessage() == event]


async def with_broken_dice(world: World) -> None:
    """Replace the bot by one with broken dice."""
    settings = Settings(database_url=str(world.bots[0].settings.database_url))
    bot = create_bot(settings, clock=world.clock, dice=BrokenDice(), randomness=world.randomness, books=BOOKS)
    world.bots.append(bot)
    await world.env.restart_bot(bot)


@pytest.mark.parametrize("by_card", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_a_bug_shows_a_reference_that_stands_in_the_log(
    database_url: str, caplog: pytest.LogCaptureFixture, *, by_card: bool
) -> None:
    """With the traceback; nothing was rolled."""
    async with running(database_url, campaign=False) as world:
        await with_broken_dice(world)
        await create_campaign(world)
        options = {"patrol": "Kilo", "target": "Zaku"}
        card = response(await world.gm.slash(world.orders, "patrol", **options))
        with nothing_written(world):
            caplog.clear()
            if by_card:
                result = await world.gm.click(card, custom_id=press(card, "roll"))
            else:
                result = await world.gm.slash(world.orders, "patrol", **options, roll="now")
            told = refused(result)
            found = REFERENCE.search(told)
            assert found is not None, told
            assert "1d20" not in told, "what went wrong inside is not for the person"
            (bug,) = lines(caplog, "interaction.bug")
            assert bug["reference"] == found[1]
            assert bug["exc_info"][0] is Brokenness
            (line,) = lines(caplog, "interaction")
            assert (line["outcome"], line["fault"], line["reference"]) == ("failed", "Brokenness", found[1])
        assert rows(world, "select state from card") == [("open",)]
        assert all(isinstance(getattr(error, "original", error), Brokenness) for error in world.env.errors)
        world.env._errors.clear()


async def test_every_interaction_leaves_one_line_in_the_log(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Who, where, how, how long, reference."""
    caplog.clear()
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    await world.gm.click(card, custom_id=await more(world.gm, card, "cancel"))
    refused(await world.stranger.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    assert "online" in said(await world.manager.slash(world.orders, "ping"))
    found = lines(caplog, "interaction")
    assert [(line["user"], line["outcome"]) for line in found] == [
        *[(world.gm.id, "answered")] * 3,
        (world.stranger.id, "refused"),
        (world.manager.id, "answered"),
    ]
    assert [line.get("fault") for line in found] == [None, None, None, "NotAllowed", None]
    assert [line.get("campaign") for line in found] == [1, 1, 1, 1, None]
    assert len({line["reference"] for line in found}) == len(found)
    assert all(0 <= line["acknowledged_ms"] <= line["answered_ms"] <= line["ms"] for line in found)
    assert all(line["guild"] == world.guild.id and line["ms"] >= 0 for line in found)


async def test_the_line_of_a_roll_names_its_entry_and_nothing_that_was_typed(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """No names or texts."""
    caplog.clear()
    world.dice.script(18)
    told = said(await world.gm.slash(world.orders, "patrol", patrol="Quokka", target="Wombat", roll="now"))
    (line,) = lines(caplog, "interaction")
    assert f"Rolled: entry #{line['entry']}" in told
    assert not any(word in str(line) for word in ("Quokka", "Wombat"))
