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
from tests.support.world import World, nothing_written, send_raw, show_every_command, show_to, written

BAD = ("Ki\0lo", "Ki\ud83dlo", "Ki\x1b[31mlo")
TURNED = "Kilo \u202eorca\u2066\u200f"
WANTED: dict[str, dict[str, Any]] = {
    "gm-events battle": {"name": "Ford", "sides": "Zeon, Feds"},
    "infinity versus": {"their_attribute": 12, "mine": 11},
    "infinity odds": {"their_attribute": 12},
}
REFUSAL = "Your text has a character that can't be shown"


def commands(world: World) -> list[Any]:
    """Return commands that take text."""
    every = world.bots[-1].tree.walk_commands()
    leaves = [item for item in every if not isinstance(item, discord.app_commands.Group)]
    return [item for item in leaves if any(option.type is Kind.string for option in item.parameters)]


def fill_options(world: World, command: Any, typed: str) -> dict[str, Any]:  # noqa: ANN401
    """Fill a command's options with this text."""
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
    """Nothing is rolled or written."""
    await show_every_command(world)
    show_to(world, "campaign", world.gm)
    before, bad = written(world), itertools.cycle(BAD)
    tried = [item for item in commands(world) if "Kilo" in fill_options(world, item, "Kilo").values()]
    assert len(tried) > 50
    for command in tried:
        options = fill_options(world, command, next(bad))
        result = await world.gm.slash(world.orders, command.qualified_name, **options)
        assert REFUSAL in refused(result), command.qualified_name
    assert written(world) == before


@pytest.mark.parametrize("typed", BAD, ids=("NUL", "half", "escape"))
async def test_what_is_no_text_is_refused_in_windows_selects_and_names_of_files(world: World, typed: str) -> None:
    """Checked before anything else."""
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
    """No error."""
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="squad")
    assert await world.gm.autocomplete(world.orders, "unit", "name", "Ki")
    for typed in BAD:
        assert await world.gm.autocomplete(world.orders, "unit", "name", typed) == []


async def test_a_text_that_turns_others_around_is_posted_without_that(world: World) -> None:
    """New and old text."""
    world.dice.script(20)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", note=TURNED, roll="now")
    assert "**Note:** Kilo orca" in text(newest(world.results))
    assert not set(TURNED[5:]) & set(text(newest(world.results))) - set(" orca")
    assert plain(TURNED) == "Kilo orca"
    embed = discord.Embed(title=TURNED, description="\\u202e")
    assert json.loads(encode_payload([embed])) == [{**embed.to_dict(), "title": "Kilo orca"}]


async def everything(world: World) -> simcord.MemberActor:
    """Let a person do everything."""
    boss = world.guild.add_member(world.env.create_user("boss"), roles=list(world.roles.values()))
    await boss.slash(world.orders, "gm settings", books="campaign, infinity, battlesystem")
    return boss


@pytest.mark.parametrize(
    ("letter", "every"),
    [("\u0390", 7), *(pytest.param(letter, 1, marks=pytest.mark.slow) for letter in "\u0390\ufdfa")],
)
async def test_names_that_grow_when_they_are_compared_are_kept_or_refused(
    world: World, letter: str, every: int
) -> None:
    """Longer keys are fine."""
    boss, long = await everything(world), letter * 60
    for command in [*commands(world)][::every]:
        wanted = WANTED.get(command.qualified_name, {})
        needed = fill_options(world, command, "Kilo") | wanted
        required = {option.display_name for option in command.parameters if option.required} | wanted.keys()
        for option in command.parameters:
            if option.type is Kind.string and not option.choices:
                options = {key: value for key, value in needed.items() if key in required}
                options[option.display_name] = long
                await show_every_command(world)  # those before change what is played
                result = await boss.slash(world.orders, command.qualified_name, **options)
                answers = [*([result.response] if result.response else []), *result.followups]
                assert not any("Something went wrong" in text(answer) for answer in answers), options
