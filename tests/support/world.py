"""A simulated server with a running bot and a campaign, for tests that act as people do."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, cast

import discord
import psycopg
import simcord
import simcord.backend
from psycopg.types.string import TextLoader

from bot.app import FEATURES, create_bot, list_played_books
from bot.client import Adjutant
from bot.core.config import Settings
from bot.core.errors import UserError
from bot.core.records import unpack
from rules.dice import DiceTerm, Roll, ScriptedDice
from rules.errors import RulesError
from rules.ruleset import RuleSet
from tests.support import prepared

BOOKS = list_played_books()
BEFORE = 34
"""The ids given before the first: as many as when the logs of evenings began."""
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        """The time now."""
        return self.now

    def advance(self, **span: float) -> None:
        """Move on by a span, as `timedelta` takes it."""
        self.now += timedelta(**span)


class Faces:
    """Dice whose faces a test writes down; asking for more than was written down fails the roll."""

    def __init__(self) -> None:
        self._script = ScriptedDice([])

    def script(self, *faces: int, sides: int = 20) -> None:
        """Write down the faces that fall next."""
        self._script = ScriptedDice.of(faces, sides)

    def script_dice(self, *dice: tuple[int, int]) -> None:
        """Write down the dice that fall next, of different kinds: sides and face of each."""
        self._script = ScriptedDice(dice)

    def roll(self, term: DiceTerm) -> Roll:
        """Hand out the next faces."""
        return self._script.roll(term)

    def finish(self) -> None:
        """Claim that every face written down was asked for."""
        self._script.finish()


class CountedRandomness:
    """Randomness that is different each time and the same in each test."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, size: int) -> bytes:
        """Draw the next bytes."""
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")

    def skip(self, drawn: int) -> None:
        """Go on as after a number of draws."""
        self.drawn = drawn


@dataclass
class World:
    """A server with a campaign: who is there, where they speak, and the bot's dice and clock.

    `more` are settings of the bot besides its database; `typed` are mentions of people that a test types as names of something else.
    """

    env: simcord.Env
    database: str
    dice: Faces
    clock: Clock
    randomness: CountedRandomness
    drawn: bool
    guild: simcord.GuildHandle
    orders: simcord.ChannelHandle
    results: simcord.ChannelHandle
    staff: simcord.ChannelHandle
    roles: dict[str, simcord.RoleHandle]
    manager: simcord.MemberActor
    gm: simcord.MemberActor
    gm2: simcord.MemberActor
    player: simcord.MemberActor
    stranger: simcord.MemberActor
    more: Mapping[str, Any] = field(default_factory=dict)
    bots: list[Adjutant] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    origin: prepared.Origin | None = None

    def new_bot(self, books: Mapping[str, RuleSet] = BOOKS, **more: Any) -> Adjutant:  # noqa: ANN401 - settings
        """Another process of the same bot on the same database, with other books or settings where these are given."""
        dice = None if self.drawn else self.dice
        self.bots.append(new_bot(self.database, dice, self.clock, self.randomness, books, {**self.more, **more}))
        return self.bots[-1]

    async def restart(self, books: Mapping[str, RuleSet] = BOOKS, **more: Any) -> None:  # noqa: ANN401 - settings
        """Stop the bot and start it again."""
        await self.env.restart_bot(self.new_bot(books, **more))


def new_bot(  # noqa: PLR0913, PLR0917 - all that a test may have otherwise
    database: str,
    dice: Faces | None,
    clock: Clock,
    randomness: Callable[[int], bytes],
    books: Mapping[str, RuleSet] = BOOKS,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Adjutant:
    """The bot on the database with this address, with the test's dice, clock and randomness; without dice they follow from seeds."""
    settings = Settings(**{"database_url": database, "member_limit": None, "server_limit": None, **more})
    return create_bot(settings, clock=clock, dice=dice, randomness=randomness, books=books)


@asynccontextmanager
async def running(  # noqa: PLR0913 - all that a test may have otherwise
    database: str,
    *,
    campaign: bool = True,
    books: Mapping[str, RuleSet] = BOOKS,
    drawn: bool = False,
    more: Mapping[str, Any] = MappingProxyType({}),
    randomness: CountedRandomness | None = None,
    prepare: bool = True,
) -> AsyncIterator[World]:
    """A world around a bot on the database with this address; with a campaign named Iron Sea unless told otherwise.

    Its dice are scripted, unless they are to be `drawn` from seeds. `more` are settings of the bot besides its database.
    On an empty SQLite file it is a copy of the first such world of this process, unless it isn't to be prepared or unusual.
    """
    kept = None
    if prepare and books is BOOKS and not more and randomness is None:
        start = partial(running, campaign=campaign, drawn=drawn)
        kept = prepared.find_snapshot(database, start, ("running", campaign, drawn))
    dice, clock, randomness = Faces(), Clock(), randomness or CountedRandomness()
    # `simcord.run` would bind the test's context, which differs between a fixture's set-up and its end on Python 3.11.
    first = new_bot(database, None if drawn else dice, clock, randomness, books, more)
    env = simcord.Env(first, shard_count=1)
    _date_ids(env.backend, clock)
    if kept:
        handles = await prepared.start(env, first, kept)
    else:
        await env.start()
        handles = _populate(env)
    try:
        world = World(env, database, dice, clock, randomness, drawn, **handles, more=more, bots=[first])
        if kept:
            prepared.note_origin(world, kept)
        elif campaign:
            await create_campaign(world)
        yield world
        dice.finish()
        assert_nobody_named(world)
        assert_no_views(world)
    finally:
        await env.shutdown()
        for bot in world.bots:
            await bot.database.close()
            if bot.outside is not None:
                await bot.outside.random_org.close()
    assert_no_bugs(env)


async def create_campaign(world: World, name: str = "Iron Sea") -> simcord.InteractionResult:
    """Create the campaign as somebody who manages the server does, and link #orders to it."""
    result = await world.manager.slash(
        world.orders,
        "campaign create",
        name=name,
        results=world.results,
        staff=world.staff,
        game_master=world.roles["gm"],
        player=world.roles["player"],
        timezone="Europe/Berlin",
        players_may="none",
    )
    # Its first message is above all that a test looks at: the thread stays. Where dice are drawn, it is what they are checked against.
    for message in () if world.drawn else world.results.history():
        world.env.backend.delete_message(world.results.id, message.id)
    log = world.env.backend.http_requests
    log[:] = [request for request in log if str(world.results.id) not in request.path]
    await world.manager.slash(world.orders, "campaign link", channel=world.orders, campaign=name)
    return result


async def show_every_command(world: World) -> None:
    """Let Discord show the commands of all books on the server, as an outdated list does."""
    books = frozenset(feature.book for feature in FEATURES if feature.book)
    await world.bots[-1].registration._register(world.guild.id, books)


def show_to(world: World, command: str, *actors: simcord.MemberActor) -> None:
    """Let people use a command for which Discord asks for a permission, as a server can under Integrations."""
    every = (item for shown in world.env.backend.commands.values() for item in shown.values())
    number = next(int(item["id"]) for item in every if item["name"] == command)
    world.guild.set_command_permissions(number, dict.fromkeys(actors, True))


def _date_ids(backend: simcord.backend.Backend, clock: Clock) -> None:
    """Date the ids that Discord gives by the bot's clock, and the time that simcord lets pass besides.

    simcord's own clock decides when loops and tokens run out, and must not leap with the bot's. Commands are numbered by
    their names, so that no other id, and nothing that is made from it, changes with the number of commands.
    """

    def snowflake() -> int:
        now = clock() + timedelta(seconds=backend.clock.elapsed)
        return backend._allocate_at(discord.utils.time_snowflake(now) >> 22)

    def register_commands(guild_id: int | None, payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
        known = {name for name, _ in backend.commands.get(guild_id, ())}
        names = (str(item["name"]) for item in payloads if item["name"] not in known)
        numbers = (zlib.crc32(f"{guild_id} {name}".encode()) for name in names)
        dated, backend.snowflake = backend.snowflake, numbers.__next__  # type: ignore[method-assign]
        try:
            return own(guild_id, payloads)
        finally:
            backend.snowflake = dated  # type: ignore[method-assign]

    own = backend.register_commands
    backend.register_commands = register_commands  # type: ignore[method-assign]
    backend.snowflake = snowflake  # type: ignore[method-assign]
    for _ in range(BEFORE):
        snowflake()


def _populate(env: simcord.Env) -> dict[str, Any]:
    guild = env.create_guild("Server")
    roles = {
        "manager": guild.create_role("Manager", permissions=discord.Permissions(manage_guild=True)),
        "gm": guild.create_role("Game Master"),
        "player": guild.create_role("Player"),
    }
    return {
        "guild": guild,
        "roles": roles,
        **{name: guild.create_text_channel(name) for name in ("orders", "results", "staff")},
        **{
            name: guild.add_member(env.create_user(name), roles=[roles[role]] if role else [])
            for name, role in (
                ("manager", "manager"),
                ("gm", "gm"),
                ("gm2", "gm"),
                ("player", "player"),
                ("stranger", None),
            )
        },
    }


def assert_nobody_named(world: World) -> None:
    """Claim that no body or header of an entry has the user id, name or mention of anybody on the server, unless it was typed."""
    members = (world.manager, world.gm, world.gm2, world.player, world.stranger)
    person = re.compile("|".join([*(rf"\b{actor.id}\b" for actor in members), r"<@!?\d", r"\bgm2?\b", r"\bstranger\b"]))
    for number, body, header in rows(world, "select number, body, header from entry"):
        for typed in world.typed:
            body = body.replace(typed, "")  # noqa: PLW2901 - what is left of it
        found = person.search(body) or person.search(header)
        assert found is None, f"entry {number} names {found}: {body}"


def assert_no_views(world: World) -> None:
    """Claim that discord.py keeps no message's components and no window in memory."""
    for kept in (bot._connection._view_store for bot in world.bots):
        assert not kept._views, kept._views
        assert not kept._modals, kept._modals


def assert_no_bugs(env: simcord.Env) -> None:
    """Claim that all that was raised is what people were told about."""
    bugs = [error for error in env.errors if not isinstance(getattr(error, "original", error), UserError | RulesError)]
    assert not bugs, bugs


def rows(world: World, query: str, *values: object) -> list[Any]:
    """What a query finds in the bot's database; `?` stands for a value. JSON and bodies come as the text that is kept."""
    return [
        tuple(unpack(value) if isinstance(value, bytes) else value for value in row)
        for row in _rows(world, query, values)
    ]


def _rows(world: World, query: str, values: Sequence[object]) -> list[Any]:
    engine = world.bots[-1].database.engine
    if engine.dialect.name == "sqlite":
        with closing(sqlite3.connect(str(engine.url.database))) as file:
            return file.execute(query, values).fetchall()
    with engine.connect() as connection, closing(connection.connection.cursor()) as cursor:
        cast("psycopg.Cursor", cursor).adapters.register_loader("json", TextLoader)
        cursor.execute(query.replace("%", "%%").replace("?", "%s"), values)
        return list(cursor.fetchall())


def written(world: World) -> tuple[int, ...]:
    """How many entries, cards, changes of cards and posts there are."""
    counts = ("count(*) from entry", "count(*) from card", "coalesce(sum(revision), 0) from card", "count(*) from post")
    return tuple(rows(world, f"select {count}")[0][0] for count in counts)


@contextmanager
def nothing_written(world: World, about: object = None) -> Iterator[None]:
    """Claim that nothing is written meanwhile; `about` says in a failure what was tried."""
    before = written(world)
    yield
    assert written(world) == before, about


def entry(world: World, number: int | None = None, campaign: int = 1) -> dict[str, Any]:
    """The body of an entry of a campaign; the newest unless numbered."""
    found = rows(world, "select number, body from entry where campaign_id = ? order by number", campaign)
    body: dict[str, Any] = json.loads(dict(found)[number] if number else found[-1][1])
    return body


def entry_texts(world: World, number: int) -> dict[str, str]:
    """The free texts of an entry of the first campaign, by the names that its body gives their keys."""
    kept = dict(rows(world, "select name, text from entry_text where campaign_id = 1 and number = ?", number))
    names: dict[str, str] = entry(world, number)["texts"]
    assert set(names.values()) == set(kept), "the body names each text that is kept, and no other"
    return {name: kept[key] for name, key in names.items()}


async def send_raw(
    actor: simcord.MemberActor,
    channel: simcord.ChannelHandle,
    custom_id: str,
    *values: str,
    modal: bool = False,
    on: simcord.ResponseMessage | None = None,
) -> simcord.InteractionResult:
    """Use a component, or submit an empty modal, that no message of the bot shows: forged, or long scrolled away.

    `on` is the message that the forged component claims to stand on, where the answer is to edit it.
    """
    data: dict[str, Any] = {"custom_id": custom_id}
    if modal:
        return await actor._dispatch_interaction(5, channel, data | {"components": []})
    data |= {"component_type": 3 if values else 2, "values": list(values)}
    message = message_with(actor, channel, custom_id, values) | ({} if on is None else {"id": str(on.id)})
    source = None if on is None else on.id
    return await actor._dispatch_interaction(3, channel, data, extra={"message": message}, source_message_id=source)


def message_with(
    actor: simcord.MemberActor, channel: simcord.ChannelHandle, custom_id: str, values: tuple[str, ...]
) -> dict[str, Any]:
    """A message of the bot, as Discord sends it along, that has this component."""
    component: dict[str, Any] = {"type": 2, "style": 2, "label": "Press", "custom_id": custom_id}
    if values:
        options = [{"label": value or "-", "value": value} for value in values]
        component = {"type": 3, "custom_id": custom_id, "options": options, "max_values": len(values)}
    author = {"id": str(actor._env.bot.application_id), "username": "Adjutant", "discriminator": "0", "avatar": None}
    return {
        "id": "1",
        "channel_id": str(channel.id),
        "author": author | {"bot": True},
        "content": "",
        "timestamp": START.isoformat(),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
        "flags": 0,
        "components": [{"type": 1, "components": [component]}],
    }
