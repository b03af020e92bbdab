"""House rules for tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import simcord

from bot.actions import Done
from bot.cogs.house_rules import service
from bot.cogs.house_rules.sent_files import SHORT, RulesPreview
from bot.cogs.house_rules.service import ShownFile, SwitchOn, Upload
from tests.support.backend import GM, House
from tests.support.reading import press, response, said
from tests.support.world import World

Actor = simcord.MemberActor | None
Channel = simcord.ChannelHandle | None
PAGE = Path(__file__).parents[3] / "docs" / "homebrew.md"
COIN, PIRATES, SALVAGE, DRONES = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
"""The four whole files of the page on house rules."""

OVERLAY = '[overlay]\nid = "ours"\nextends = "campaign"\nsource = { book = "Ours", section = "Patrols" }\n'
HEAD = '[[table]]\nid = "{id}"\ntitle = "{title}"\ndie = {die}\nsource = {{ book = "Ours", section = "Tables" }}\n'
ROWS = (
    'rows = [\n  { max = 3, outcome = "low", text = "Little", line = 1 },\n'
    '  { min = 4, outcome = "high", text = "Much", line = 2 },\n]\n'
)


def table(name: str = "loot", title: str | None = None, die: str = "6", rest: str = ROWS) -> str:
    """A table: Little up to 3, Much from 4."""
    return HEAD.format(id=name, title=title or name.capitalize(), die=die) + rest


def patrols(lines: str, head: str = OVERLAY) -> str:
    """An overlay of the first patrol table."""
    return f'{head}[[change]]\ntable = "campaign.patrol.catch"\n{lines}\n'


def modifier(name: str, value: int, label: str = "A rule of ours") -> str:
    """An overlay with one modifier, new or replaced."""
    return patrols(
        f'modifiers = [\n  {{ id = "{name}", value = {value}, label = "{label}", group = "patrol", line = 1 }},\n]'
    )


async def send_file(
    world: World, text: str | bytes, name: str = "loot", *, who: Actor = None, where: Channel = None
) -> simcord.InteractionResult:
    """The answer to a sent file."""
    data = text.encode() if isinstance(text, str) else text
    return await (who or world.gm).slash(where or world.orders, "gm rules", name=name, file=("rules.toml", data))


async def prepare_file(house: House, name: str, text: str) -> ShownFile:
    """Send a file; return its button."""
    upload = Upload(name, "x.toml", text.encode(), house.clock())
    preview = await service.prepare(house.kernel, GM, house.campaign, upload)
    return ShownFile(house.campaign.id, preview.file.fingerprint[:SHORT], preview.file.version, name)


async def put_on(house: House, name: str, text: str) -> None:
    """Send a file and switch it on."""
    shown = await prepare_file(house, name, text)
    await switch_on(house, shown)


async def switch_on(house: House, shown: ShownFile) -> Done:
    """Press the button under a preview."""
    planned = await service.plan_switch_on(house.kernel, GM, shown)
    assert isinstance(planned, SwitchOn)
    return await house.act(planned)


async def switch_off(house: House, name: str) -> None:
    """Switch a file off."""
    shown = await service.show(house.kernel, GM, house.campaign, name)
    assert isinstance(shown, RulesPreview)
    planned = await service.plan_switch_off(house.kernel, GM, house.campaign, name, shown.file.version)
    await house.act(planned)


async def send_and_switch_on(world: World, text: str, name: str = "loot", *, where: Channel = None) -> str:
    """The answer after switching on."""
    shown = response(await send_file(world, text, name, where=where))
    return said(await world.gm.click(shown, custom_id=press(shown, "on:")))


async def roll_table(world: World, name: str, *faces: int, sides: int = 6, **options: Any) -> str:  # noqa: ANN401
    """The answer to a roll on a table."""
    world.dice.script(*faces, sides=sides)
    return said(await world.gm.slash(world.orders, "table roll", name=name, roll="now", **options))


async def show_entry(world: World, number: int, who: Actor = None) -> str:
    """A ledger entry as a person sees it."""
    return said(await (who or world.gm).slash(world.orders, "ledger", entry=number))
