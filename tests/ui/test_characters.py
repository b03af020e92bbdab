"""Characters that no database or channel should see: what is typed with them is refused, what was kept is shown without."""

from __future__ import annotations

import itertools
import json
from typing import Any

import discord
import pytest
import simcord
from discord import AppCommandOptionType as Kind

from bot.outbox.queue import encode_payload
from bot.ui.text import plain
from tests.cogs.house_rules.homebrew import COIN
from tests.support.reading import newest, press, refused, response, text
from tests.support.world import World, nothing_written, send_raw, written

BAD = ("Ki\0lo", "Ki\ud83dlo", "Ki\x1b[31mlo")
TURNED = "Kilo \u202eorca\u2066\u200f"
WANTED: dict[str, dict[str, Any]] = {
    "events battle": {"name": "Ford", "sides": "Zeon, Feds"},
    "infinity versus": {"their_attribute": 12, "mine": 11},
    "infinity odds": {"their_attribute": 12},
}
REFUSAL = "Your text has a character that can't be shown"


def commands(world: World) -> list[Any]:
    """All commands that take text."""
    every = world.bots[-1].tree.walk_commands()
    leaves = [item for item in every if not isinstance(item, discord.app_commands.Group)]
    return [item for item in leaves if any(option.type is Kind.string for option in item.parameters)]


def filled(world: World, command: Any, typed: str) -> dict[str, Any]:  # noqa: ANN401
    """Options for a command: all that are needed, and all texts that are free, in which this stands."""
    samples: dict[Kind, Any] = {
        Kind.integer: 1,
        Kind.boolean: False,
        Kind.channel: world.results,
        Kind.role: world.roles["gm"],
        Kind.user: world.player,
        Kind.attachment: ("file.toml", COIN.encode()),
    }
    options: dict[str, Any] = {}
    for option in command.parameters:
        if option.type is Kind.string and not option.choices:
            options[option.display_name] = typed
        elif option.required:
            options[option.display_name] = option.choices[0].value if option.choices else samples[option.type]
    if "staff" in options:
        options["staff"] = world.staff
    return options


async def test_every_command_refuses_what_is_no_text(world: World) -> None:
    """Control characters and halves of characters are refused in the same words everywhere; nothing is rolled or written."""
    before, bad = written(world), itertools.cycle(BAD)
    tried = [item for item in commands(world) if "Kilo" in filled(world, item, "Kilo").values()]
    assert len(tried) > 50
    for command in tried:
        options = filled(world, command, next(bad))
        result = await world.gm.slash(world.orders, command.qualified_name, **options)
        assert REFUSAL in refused(result), command.qualified_name
    assert written(world) == before


@pytest.mark.parametrize("typed", BAD, ids=("NUL", "half", "escape"))
async def test_what_is_no_text_is_refused_in_windows_selects_and_names_of_files(world: World, typed: str) -> None:
    """A modal's text, a select's value and the name of a file are read before anything else, as options are."""
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    with nothing_written(world):
        window = await world.gm.click(card, custom_id=press(card, "adjust"))
        for result in (
            await world.gm.submit_modal(window, {"value": "1", "reason": typed}),
            await send_raw(world.gm, world.orders, press(card, "tick:target:0"), typed),
            await world.gm.slash(world.orders, "roster import", file=(f"{typed}.toml", b"")),
        ):
            assert REFUSAL in refused(result)


async def test_nothing_is_completed_of_what_is_no_text(world: World) -> None:
    """A completion of half a character is empty, and no error."""
    await world.gm.slash(world.orders, "unit add", name="Kilo", kind="squad")
    assert await world.gm.autocomplete(world.orders, "unit show", "name", "Ki")
    for typed in BAD:
        assert await world.gm.autocomplete(world.orders, "unit show", "name", typed) == []


async def test_a_text_that_turns_others_around_is_posted_without_that(world: World) -> None:
    """Characters that reverse how a line reads stay out of posts, whether just typed or kept since long ago."""
    world.dice.script(20)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", note=TURNED, roll="now")
    assert "**Note:** Kilo orca" in text(newest(world.results))
    assert not set(TURNED[5:]) & set(text(newest(world.results))) - set(" orca")
    assert plain(TURNED) == "Kilo orca"
    embed = discord.Embed(title=TURNED, description="\\u202e")
    assert json.loads(encode_payload([embed])) == [{**embed.to_dict(), "title": "Kilo orca"}]


async def everything(world: World) -> simcord.MemberActor:
    """Somebody who may do everything, in a campaign that plays by every book."""
    boss = world.guild.add_member(world.env.create_user("boss"), roles=list(world.roles.values()))
    await boss.slash(world.orders, "campaign edit", books="campaign, infinity, battlesystem")
    return boss


@pytest.mark.parametrize(
    ("letter", "every"),
    [("\u0390", 7), *(pytest.param(letter, 1, marks=pytest.mark.slow) for letter in "\u0390\ufdfa")],
)
async def test_names_that_grow_when_they_are_compared_are_kept_or_refused(
    world: World, letter: str, every: int
) -> None:
    """Letters that become several ones make a key longer than the longest name; no command stumbles over that."""
    boss, long = await everything(world), letter * 60
    for command in [*commands(world)][::every]:
        wanted = WANTED.get(command.qualified_name, {})
        needed = filled(world, command, "Kilo") | wanted
        required = {option.display_name for option in command.parameters if option.required} | wanted.keys()
        for option in command.parameters:
            if option.type is Kind.string and not option.choices:
                options = {key: value for key, value in needed.items() if key in required}
                options[option.display_name] = long
                result = await boss.slash(world.orders, command.qualified_name, **options)
                answers = [*([result.response] if result.response else []), *result.followups]
                assert not any("Something went wrong" in text(answer) for answer in answers), options
