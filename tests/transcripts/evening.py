"""An evening at a simulated server: people type commands, press buttons and fill in windows, and a page writes it down."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import discord
import simcord
from simcord.backend.access import message_accessible
from simcord.backend.models import Message, Overwrite
from simcord.components import walk_components
from simcord.enums import OverwriteType
from simcord.interactions import command_leaves
from simcord.results import ResponseMessage

from rules.dice import DiceTerm, Roll
from tests.support.random_org import random_org
from tests.support.world import CountedRandomness, World, running
from tests.transcripts.page import Page, describe_components

_VIEW = 1 << 10
_SELECTS = (3, 5, 6, 7, 8)
_FIELDS = (*_SELECTS, 4, 19, 21, 22)
_ENTITIES = {5: 6, 6: 8, 7: 9, 8: 7}
"""Which type of option takes the same as a select of members, roles, both, or channels."""


class EveningDice:
    """Dice that fall as a script says, and otherwise in one fixed order that looks like chance."""

    def __init__(self) -> None:
        self.next: list[int] = []
        self.thrown: list[str] = []
        self._count = 0

    def roll(self, term: DiceTerm) -> Roll:
        """Throw dice."""
        faces = tuple(self._throw(term.sides) for _ in range(term.count))
        return Roll(term, faces, "scripted")

    def finish(self) -> None:
        """Claim that all faces of the script have fallen."""
        assert not self.next, f"never thrown: {self.next}"

    def _throw(self, sides: int) -> int:
        if self.next:
            face = self.next.pop(0)
            assert 1 <= face <= sides, f"a d{sides} has no face {face}"
        else:
            self._count += 1
            face = int(hashlib.sha256(f"{self._count}".encode()).hexdigest(), 16) % sides + 1
        self.thrown.append(f"d{sides} {face}")
        return face


class RandomnessBySize(CountedRandomness):
    """Randomness of which each size counts by itself: secrets stay the same whether their loop comes before or after another."""

    def __init__(self) -> None:
        super().__init__()
        self._sizes: Counter[int] = Counter()

    def __call__(self, size: int) -> bytes:
        """Draw the next bytes of this size."""
        self._sizes[size] += 1
        return self._sizes[size].to_bytes(size, "big")


class Evening:
    """A server with a game master, two players, their rival and a stranger, and the page that writes down what they do."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.dice = EveningDice()
        if not world.drawn:
            world.dice._script = self.dice  # type: ignore[assignment] # thrown like a script
        _date_ids_by_the_clock(world)
        self._never_hurry()
        _hide(world, world.staff.id)
        guild, env, plays = world.guild, world.env, [world.roles["player"]]
        actors = {
            "manager": world.manager,
            "gm": world.gm,
            "ann": guild.add_member(env.create_user("ann"), roles=plays),
            "bo": guild.add_member(env.create_user("bo"), roles=plays),
            "rival": guild.add_member(env.create_user("rival"), roles=plays),
            "stranger": world.stranger,
        }
        self.page = Page(world, actors)
        self.people = {name: Person(self, name, actor) for name, actor in actors.items()}
        self.manager, self.gm, self.stranger = (self.people[name] for name in ("manager", "gm", "stranger"))
        self.ann, self.bo, self.rival = (self.people[name] for name in ("ann", "bo", "rival"))

    def title(self, text: str, mark: str = "-") -> None:
        """Write a heading."""
        self.page.write("", "", text, mark * len(text))

    async def create_campaign(self, options: str = "") -> None:
        """Let the manager create the campaign Iron Sea, with more options as they are typed."""
        base = "/campaign create name:Iron Sea results:#results staff:#staff game_master:@Game Master player:@Player timezone:Europe/Berlin players_may:none"
        await self.manager.types(f"{base} {options}".strip())
        await self.manager.types("/campaign link channel:#orders campaign:Iron Sea")

    async def each_types(self, line: str, *people: Person) -> None:
        """Let each of these people type the same command, one after the other."""
        for person in people:
            await person.types(line)

    def add_channel(self, name: str, *readers: Person) -> None:
        """Create a channel that only the staff, the bot and these people can read."""
        channel = self.world.guild.create_text_channel(name)
        _hide(self.world, channel.id, *(reader.actor.id for reader in readers))

    async def wait(self, **span: float) -> None:
        """Let time pass, such as `hours=3`, and give the bot a minute to do what is due."""
        self.page.step("... " + ", ".join(f"{number:g} {unit}" for unit, number in span.items()) + " later")
        self.world.clock.advance(**span)
        await self.world.env.advance_time(61)
        self.finish_step()

    async def restart(self, **away: float) -> None:
        """Stop the bot and start it again, after it was `away` for a while, such as `days=2`."""
        span = ", ".join(f"{number:g} {unit}" for unit, number in away.items())
        self.page.step(f"... the bot restarts{f' after {span}' if span else ''}")
        self.world.clock.advance(**away)
        await self.world.restart()
        self._never_hurry()
        self.finish_step()

    def _never_hurry(self) -> None:
        """Let the bot never ask to wait: on a slow machine it would, and logs would differ."""
        self.world.bots[-1].slow_after = 3600

    def finish_step(self) -> None:
        """Write down the dice that fell and everything that changed."""
        if self.dice.thrown:
            self.page.write(f"  dice: {', '.join(self.dice.thrown)}")
            self.dice.thrown.clear()
        self.page.look()
        self.dice.finish()

    @property
    def entry(self) -> int:
        """The number of the newest entry of the first campaign."""
        return self.page.entries[1]

    def channel(self, name: str) -> simcord.ChannelHandle:
        """Return the newest channel or thread of that name."""
        env = self.world.env
        found = [item for item in env.backend.channels.values() if item.name == name and item.guild_id]
        assert found, f"no channel {name}: {[item.name for item in env.backend.channels.values()]}"
        return simcord.ChannelHandle(env, self.world.guild, found[-1])

    def leaf_of(self, line: str) -> tuple[str, dict[str, Any]]:
        """Return the command that a typed line begins with, and its form as it is registered."""
        catalog = {
            " ".join(path): leaf
            for server in (None, self.world.guild.id)
            for command in self.world.env.backend.commands.get(server, {}).values()
            for path, leaf in command_leaves(command)
        }
        text = line.removeprefix("/") + " "
        names = [name for name in catalog if text.startswith(f"{name} ")]
        assert names, f"no such command: {line}"
        name = max(names, key=len)
        return name, catalog[name]

    def value(self, option: Mapping[str, Any], typed: str, files: Mapping[str, bytes]) -> Any:  # noqa: ANN401 - by type
        """Return what was typed for an option as Discord sends it."""
        name, kind = typed.lstrip("@#"), option["type"]
        if kind in (6, 9) and name in self.people:
            return self.people[name].actor
        roles = self.world.guild.roles
        read: dict[int, Callable[[], Any]] = {
            4: lambda: int(typed),
            5: lambda: typed == "True",
            7: lambda: self.channel(name),
            8: lambda: roles[name],
            9: lambda: roles[name],
            10: lambda: float(typed),
            11: lambda: (typed, files[typed]),
        }
        choices = {choice["name"]: choice["value"] for choice in option.get("choices") or ()}
        return read[kind]() if kind in read else choices.get(typed, typed)


class Person:
    """Somebody on the server, who does things as one does in Discord."""

    def __init__(self, evening: Evening, name: str, actor: simcord.MemberActor) -> None:
        self.evening, self.name, self.actor = evening, name, actor
        self._window: simcord.InteractionResult | None = None

    async def types(
        self, line: str, *, at: str = "orders", files: Mapping[str, bytes] | None = None, dice: Sequence[int] = ()
    ) -> None:
        """Type a command with its options, such as `/patrol patrol:Kilo target:Zaku column`, in a channel."""
        name, options = self._read(line, files or {})
        where = "" if at == "orders" else f" in #{at}"
        self.evening.page.step(f"{self.name}{where}: {line}")
        self.evening.dice.next = list(dice)
        self._finish(await self.actor.slash(self.evening.channel(at), name, **options))

    async def completes(self, line: str, *, at: str = "orders") -> None:
        """Type a command up to its last option and look at what that one offers."""
        name, leaf = self.evening.leaf_of(line)
        *_, last, typed = self._split(line, leaf)
        before = line[: line.rindex(f" {last}:")]
        _, filled = self._read(before, {})
        self.evening.page.step(f"{self.name} types: {line}")
        choices = await self.actor.autocomplete(self.evening.channel(at), name, last, typed, **filled)
        self.evening.page.write("  offers " + ("; ".join(map(_choice, choices)) or "nothing"))
        self.evening.finish_step()

    async def press(self, label: str, *, of: str = "", dice: Sequence[int] = (), nth: int = 0) -> None:
        """Press the button with this label on the newest message that has it, and says what `of` is; the nth of several."""
        message, button = self._find(lambda item: item["type"] == 2 and _label(item) == label, label, of, nth)
        await self._use(message, button, f"presses [{label}]", dice)

    async def opens_groups(self) -> None:
        """List the groups under the campaign's settings."""
        await self.types("/gm settings")
        await self.press("Groups")

    async def ends_turn(self) -> None:
        """Press End turn, and end the turn anyway where something of it is unspent."""
        await self.press("End turn")
        newest = next(self._visible())
        if any(_label(item) == "End turn anyway" for item in walk_components(newest.components) if item["type"] == 2):
            await self.press("End turn anyway")

    async def pick(self, *options: str, of: str = "", dice: Sequence[int] = ()) -> None:
        """Pick options by their labels in the newest select that offers all of them; members, roles and channels by name."""
        message, select = self._find(lambda item: _offers(item, options), " + ".join(options), of, 0)
        await self._use(message, select, f"picks {', '.join(options) or 'nothing'}", dice, options)

    async def fill(self, *values: str, dice: Sequence[int] = (), files: Mapping[str, bytes] | None = None) -> None:
        """Fill in the window that is open, field by field in order, and send it; an empty text leaves a field as it is."""
        window, self._window = self._window, None
        assert window is not None, f"{self.name} has no window open"
        assert window.modal is not None
        fields = [item for item in walk_components(window.modal["components"]) if item["type"] in _FIELDS]
        assert len(values) <= len(fields), fields
        filled: dict[str, Any] = {item["custom_id"]: kept for item in fields if (kept := _prefilled(item))}
        for item, value in zip(fields, values, strict=False):
            if value:
                filled[item["custom_id"]] = self._entered(item, value, files or {})
        shown = "; ".join(f"{value!r}" for value in values)
        self.evening.page.step(
            f"{self.name} sends [{window.modal['title']}] = {window.modal['custom_id']} with {shown}"
        )
        self.evening.dice.next = list(dice)
        self._finish(await self.actor.submit_modal(window, filled))

    async def _use(
        self, message: Message, component: dict[str, Any], what: str, dice: Sequence[int], options: Sequence[str] = ()
    ) -> None:
        evening, custom_id = self.evening, component["custom_id"]
        evening.page.step(f"{self.name} {what} = {custom_id}")
        evening.dice.next = list(dice)
        shown = ResponseMessage(evening.world.env, message)
        if component["type"] == 2:
            self._finish(await self.actor.click(shown, custom_id=custom_id))
            return
        values: list[Any] = [self._picked(component, option) for option in options]
        self._finish(await self.actor.select(shown, values, custom_id=custom_id))

    def _finish(self, result: simcord.InteractionResult) -> None:
        if result.modal is not None:
            self._window = result
            lines = describe_components(result.modal["components"])
            self.evening.page.write(f"  window [{result.modal['title']}]:", *(f"    {line}" for line in lines))
        self.evening.finish_step()

    def _find(self, fits: Any, wanted: str, of: str, nth: int) -> tuple[Message, dict[str, Any]]:  # noqa: ANN401
        for message in self._visible():
            if of and of not in "\n".join(self.evening.page.describe(message)):
                continue
            found = [item for item in walk_components(message.components) if fits(item) and not item.get("disabled")]
            if found:
                return message, found[nth]
        msg = f"{self.name} sees nothing to use for {wanted!r}"
        raise AssertionError(msg)

    def _visible(self) -> Iterator[Message]:
        page = self.evening.page
        for channel_id, message_id in reversed(page.order):
            message = page.backend.messages[channel_id][message_id]
            if message_accessible(page.backend, channel_id, message, self.actor.id):
                yield message

    def _entered(self, item: Mapping[str, Any], value: str, files: Mapping[str, bytes]) -> Any:  # noqa: ANN401 - by kind
        if item["type"] == 4:
            return value
        if item["type"] == 19:
            return value, files[value]
        picked = [self._picked(item, label) for label in value.split(" + ")]
        return picked[0] if item["type"] == 21 else picked

    def _picked(self, select: Mapping[str, Any], label: str) -> Any:  # noqa: ANN401 - text or a handle
        if select["type"] in _ENTITIES:
            return self.evening.value({"type": _ENTITIES[select["type"]]}, label, {})
        values = {item["label"]: item["value"] for item in select["options"]}
        assert label in values, f"{label!r} is not among {[*values]}"
        return values[label]

    def _read(self, line: str, files: Mapping[str, bytes]) -> tuple[str, dict[str, Any]]:
        name, leaf = self.evening.leaf_of(line)
        declared = {option["name"]: option for option in leaf.get("options") or ()}
        parts = self._split(line, leaf)
        typed = dict(zip(parts[::2], parts[1::2], strict=True))
        return name, {key: self.evening.value(declared[key], value, files) for key, value in typed.items()}

    def _split(self, line: str, leaf: Mapping[str, Any]) -> list[str]:
        name, _ = self.evening.leaf_of(line)
        names = "|".join(option["name"] for option in leaf.get("options") or ()) or "(?!)"
        before, *parts = re.split(rf"(?:^|\s)({names}):", line.removeprefix("/").removeprefix(name))
        assert not before.strip(), f"not an option of /{name}: {before}"
        return [part.strip() for part in parts]


@asynccontextmanager
async def playing(database: str, *, drawn: bool = False) -> AsyncIterator[Evening]:
    """An evening on the database with this address, before any campaign.

    Where dice are `drawn`, they follow from seeds, and a small server stands in for random.org.
    """
    async with (
        random_org() as server,
        running(
            database,
            campaign=False,
            drawn=drawn,
            more={"secrets_key": bytes(32), "random_org_url": server.url},
            randomness=RandomnessBySize(),
        ) as world,
    ):
        evening = Evening(world)
        evening.page.look()
        try:
            yield evening
        except BaseException as error:
            error.add_note("\n".join(["The log so far ends:", *evening.page.lines[-40:]]))
            raise


def _date_ids_by_the_clock(world: World) -> None:
    """Let the clock alone date ids of Discord: simcord's own time moves on when the machine is slow."""

    def snowflake() -> int:
        return world.env.backend._allocate_at(discord.utils.time_snowflake(world.clock()) >> 22)

    world.env.backend.snowflake = snowflake  # type: ignore[method-assign]


def _hide(world: World, channel: int, *readers: int) -> None:
    """Let only game masters, those who manage the server, the bot and these members read a channel."""
    assert world.env.bot.user is not None
    backend, kind = world.env.backend, OverwriteType
    backend.set_overwrite(channel, Overwrite(world.guild.default_role.id, kind.ROLE, deny=_VIEW))
    for role in ("gm", "manager"):
        backend.set_overwrite(channel, Overwrite(world.roles[role].id, kind.ROLE, allow=_VIEW))
    for member in (world.env.bot.user.id, *readers):
        backend.set_overwrite(channel, Overwrite(member, kind.MEMBER, allow=_VIEW))


def _label(item: Mapping[str, Any]) -> str:
    emoji = (item.get("emoji") or {}).get("name") or ""
    return f"{emoji} {item.get('label') or ''}".strip()


def _offers(item: Mapping[str, Any], options: Sequence[str]) -> bool:
    if item["type"] not in _SELECTS:
        return False
    return item["type"] != 3 or {option["label"] for option in item["options"]} >= set(options)


def _prefilled(item: Mapping[str, Any]) -> Any:  # noqa: ANN401 - by kind
    """Return what a field has before a person fills it in: a text, or the options that are picked already."""
    picked = [option["value"] for option in item.get("options") or () if option.get("default")]
    return item.get("value") or (picked[0] if picked and item["type"] == 21 else picked)


def _choice(choice: Mapping[str, Any]) -> str:
    name, value = choice["name"], str(choice["value"])
    return name if name == value else f"{name} = {value}"
