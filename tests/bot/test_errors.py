"""What a person and the log are told when the fault is the bot's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.app import create_bot
from bot.config import Settings
from rules.dice import DiceTerm, Roll
from tests.bot.reading import press, refused, response, said
from tests.bot.world import BOOKS, World, create_campaign, rows, running, written

REFERENCE = re.compile(r"this reference: ([0-9a-f]{8})\.")


class Brokenness(Exception):
    """Something that nobody thought of."""


class BrokenDice:
    """Dice that fail as nobody thought of."""

    def roll(self, term: DiceTerm) -> Roll:
        """Fail."""
        raise Brokenness(str(term))


async def with_broken_dice(world: World) -> None:
    """Put a bot with broken dice in place of the running one."""
    settings = Settings(_env_file=None, database_url=str(world.bots[0].settings.database_url))
    bot = create_bot(settings, clock=world.clock, dice=BrokenDice(), randomness=world.randomness, books=BOOKS)
    world.bots.append(bot)
    await world.env.restart_bot(bot)


@pytest.mark.parametrize("by_card", [False, True])
async def test_a_bug_shows_a_reference_that_stands_in_the_log(tmp_path: Path, *, by_card: bool) -> None:
    """The person gets a short reference privately, the log the same with the traceback; nothing was rolled."""
    async with running(tmp_path / "adjutant.db", campaign=False) as world:
        await with_broken_dice(world)
        await create_campaign(world)
        options = {"patrol": "Kilo", "target": "Zaku"}
        card = response(await world.gm.slash(world.orders, "patrol", **options))
        before = written(world)
        with capture_logs() as logs:
            if by_card:
                result = await world.gm.click(card, custom_id=press(card, "roll"))
            else:
                result = await world.gm.slash(world.orders, "patrol", **options, roll="now")
        told = refused(result)
        found = REFERENCE.search(told)
        assert found is not None, told
        assert "1d20" not in told, "what went wrong inside is not for the person"
        (bug,) = [line for line in logs if line["event"] == "interaction.bug"]
        assert bug["reference"] == found[1]
        assert isinstance(bug["exc_info"], Brokenness)
        assert [line["outcome"] for line in logs if line["event"] == "interaction"] == ["Brokenness"]
        assert written(world) == before
        assert rows(world, "select state from card") == [("open",)]
        assert all(isinstance(getattr(error, "original", error), Brokenness) for error in world.env.errors)
        world.env._errors.clear()


async def test_every_interaction_leaves_one_line_in_the_log(world: World) -> None:
    """Commands and components, well or refused, are each told in one line with who, where and how it went."""
    with capture_logs() as logs:
        card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
        await world.gm.click(card, custom_id=press(card, "cancel"))
        refused(await world.stranger.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
        assert "at your service" in said(await world.stranger.slash(world.orders, "ping"))
    lines = [line for line in logs if line["event"] == "interaction"]
    assert [(line["user"], line["outcome"]) for line in lines] == [
        (world.gm.id, "ok"),
        (world.gm.id, "ok"),
        (world.stranger.id, "NotAllowed"),
        (world.stranger.id, "ok"),
    ]
    assert all(line["guild"] == world.guild.id and line["ms"] >= 0 for line in lines)
