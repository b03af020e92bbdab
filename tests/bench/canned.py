"""What a person waits for beside the same bot in the same server answering from constants of the same size.

Each interaction is built before its time begins, and so are the constants: the requests that the bot made when it was
asked in earnest. What is left is what the bot itself spends on an answer, beside what any bot and simcord spend on one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import discord
import simcord
from discord import app_commands, ui
from simcord.backend import serializers
from simcord.types import HttpLogEntry

from bot.client import Adjutant
from rules.dice import DiceTerm, Roll
from tests.bench.acts import napping
from tests.support.reading import control, response
from tests.support.world import World

FACE = 10
"""What every die shows: a patrol that catches nothing, posted once."""

TICK = "tick:target:0"
CANNED = "canned"
COMMAND, COMPONENT = discord.InteractionType.application_command.value, discord.InteractionType.component.value

Answer = Callable[[discord.Interaction[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Deed:
    """An interaction as it goes over the gateway, with what stands beside its data."""

    kind: int
    data: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)
    message: int | None = None


async def measure(folder: Path, rounds: int, warm_up: int) -> dict[str, tuple[float, float]]:
    """Median milliseconds of each act, by the bot and from constants, taken in turns."""
    async with napping(f"sqlite:///{folder / 'canned.db'}") as (world, naps):
        world.dice.roll = _level  # type: ignore[method-assign]
        acts = await _acts(world)
        spent: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in acts}
        for turn in range(warm_up + rounds):
            for name, pair in acts.items():
                for times, prepare in zip(spent[name], pair, strict=True):
                    times.append(await naps.timed(_do(world, prepare(turn))))
    return {name: (median(ours[warm_up:]), median(theirs[warm_up:])) for name, (ours, theirs) in spent.items()}


def _level(term: DiceTerm) -> Roll:
    return Roll(term, (min(FACE, term.sides),) * term.count, "level")


async def _do(world: World, deed: Deed) -> simcord.InteractionResult:
    actor, extra = world.gm, dict(deed.extra)
    return await actor._dispatch_interaction(
        deed.kind, world.orders, dict(deed.data), extra=extra, source_message_id=deed.message
    )


async def _acts(world: World) -> dict[str, tuple[Callable[[int], Deed], Callable[[int], Deed]]]:
    """The acts, each in earnest and canned: what builds the deed of a turn."""
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Card", target="Changing"))
    real: dict[str, Callable[[int], Deed]] = {
        "patrol_now": lambda turn: _slash(world, patrol=f"Patrol {turn}", target="Grey Ghost", roll="now"),
        "card_open": lambda turn: _slash(world, patrol=f"Open {turn}", target="Grey Ghost"),
        "card_change": lambda turn: _tick(world, card, TICK, turn),
    }
    canned = Canned(world.bots[0])
    await canned.install()
    for name, prepare in real.items():
        begun = len(world.env.http_requests)
        await _do(world, prepare(-1))
        canned.learn(name, world.env.http_requests[begun:])
    same = response(await _do(world, _slash(world, CANNED, answer="card_open")))
    return {
        "patrol_now": (real["patrol_now"], lambda _: _slash(world, CANNED, answer="patrol_now")),
        "card_open": (real["card_open"], lambda _: _slash(world, CANNED, answer="card_open")),
        "card_change": (real["card_change"], lambda turn: _tick(world, same, CANNED, turn)),
    }


def _slash(world: World, name: str = "patrol", /, **options: str) -> Deed:
    found = world.env.backend.find_command(name, world.guild.id, type=1)
    assert found is not None
    given = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
    return Deed(COMMAND, {"id": found["id"], "name": name, "type": 1, "options": given})


def _tick(world: World, message: simcord.ResponseMessage, deed: str, turn: int) -> Deed:
    select = control(message, deed)
    values = [option["value"] for option in select["options"][: turn % 2]]
    data = {"custom_id": select["custom_id"], "component_type": select["type"], "id": select["id"], "values": values}
    backend = world.env.backend
    shown = dict(serializers.message_payload(backend, backend.get_message(message.channel_id, message.id)))
    return Deed(COMPONENT, data, {"message": shown}, message.id)


class Constant(ui.LayoutView):
    """A view that was put together before: a layout, or the buttons under embeds."""

    def __init__(self, components: list[dict[str, Any]], *, layout: bool = True) -> None:
        super().__init__(timeout=None)
        self._components = components
        self._layout = layout
        self.stop()

    def has_components_v2(self) -> bool:
        """Return whether it is a layout."""
        return self._layout

    def to_components(self) -> list[dict[str, Any]]:
        """Return what it was made of."""
        return self._components


class Canned:
    """Answers of a bot that are constants: what it sent once, sent again by the plainest ways of discord.py."""

    def __init__(self, bot: Adjutant) -> None:
        self._bot = bot
        self._answers: dict[str, Answer] = {}

    async def install(self) -> None:
        """Let the bot give them: to a command, and to selects whose ids say so."""

        @self._bot.tree.command(name=CANNED, description="A constant")
        async def canned(interaction: discord.Interaction[Any], answer: str) -> None:
            await self._answers[answer](interaction)

        assert isinstance(canned, app_commands.Command)
        await self._bot.tree.sync()
        in_earnest = self._bot.on_interaction

        async def on_interaction(interaction: discord.Interaction[Any]) -> None:
            data: Any = interaction.data
            known = CANNED in data.get("custom_id", "")
            await (self._answers["card_change"] if known else in_earnest)(interaction)

        self._bot.on_interaction = on_interaction  # type: ignore[method-assign]

    def learn(self, name: str, requests: Sequence[HttpLogEntry]) -> None:
        """Make a constant of what the bot has sent: messages to channels first, then the answer."""
        *posts, last = requests
        assert last.path.endswith("/callback"), last
        data: Any = last.json
        view = Constant([_own(item) for item in data["data"]["components"]])
        sent = [_message(post) for post in posts]

        async def answer(interaction: discord.Interaction[Any]) -> None:
            for channel_id, message in sent:
                channel: Any = interaction.client.get_channel(channel_id)
                await channel.send(**message)
            if data["type"] == discord.InteractionResponseType.message_update.value:
                await interaction.response.edit_message(view=view)
            else:
                await interaction.response.send_message(view=view, ephemeral=True)

        self._answers[name] = answer


def _message(post: HttpLogEntry) -> tuple[int, dict[str, Any]]:
    """Return the channel that a message went to, and what discord.py sends it by."""
    content: Any = post.json
    buttons = {"view": Constant(content["components"], layout=False)} if content.get("components") else {}
    embeds = [discord.Embed.from_dict(embed) for embed in content["embeds"]]
    return int(post.path.split("/")[2]), {"embeds": embeds, **buttons}


def _own(component: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a component with ids of the same length that the bot does not know; of the select that is used, one that names it."""
    if isinstance(component, list):
        return [_own(item) for item in component]
    if not isinstance(component, dict):
        return component
    copied = {key: _own(value) for key, value in component.items()}
    if "custom_id" in copied:
        key = copied["custom_id"]
        copied["custom_id"] = f":{CANNED if TICK in key else 'other'}:{key}"[: len(key)]
    return copied
