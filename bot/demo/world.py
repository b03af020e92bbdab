"""The simulated server: people, channels, a campaign, and things to try."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import discord
import simcord
from msgspec import Struct, field

from bot.client import Adjutant
from bot.core.migrate import upgrade
from bot.ui import registration
from bot.ui.text import COLOURS

GAME_MASTER, PLAYER, RIVAL = "Mara the GM", "Jonas", "Priya"
HOW_TO_TYPE = "Click the message box below, type `/` and pick a command. Fill in its options and press Enter."


BEGINNING = (
    "Nothing is played here yet. Start your own game:",
    f"\N{BULLET} `/campaign create name:My game` as {GAME_MASTER}. Send the window as it is.",
    "\N{BULLET} Then press the buttons of its next steps. New channels get pages; the terminal lists them.",
)
GENERAL = "general"


class Command(Struct, frozen=True):
    """A slash command with typed options."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([f"/{self.name}", *(f"{option}:{value}" for option, value in self.options.items())])


class Suggestion(Struct, frozen=True):
    """Something to try: who, which commands, and the result."""

    who: str
    commands: Sequence[Command]
    then: str
    where: str = "orders"

    def lines(self) -> Iterator[str]:
        """Yield two lines: who types what, and the result."""
        there = "" if self.where == "orders" else f" in #{self.where}"
        yield f"As {self.who}{there}:  {'  then  '.join(map(str, self.commands))}"
        yield self.then


SUGGESTIONS: Sequence[Suggestion] = (
    Suggestion(
        GAME_MASTER,
        [Command("patrol", {"patrol": "Blockade Kilo", "target": "Grey Ghost:neutral, Zaku column"})],
        "Tick what applies, watch the odds, press Roll. The result is posted in #results or #staff.",
    ),
    Suggestion(
        PLAYER,
        [Command("scout", {"scouter": "Jonas", "base": "Fort Anvil"})],
        "Players can scout here. The result goes to the game masters.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("weather rollover"), Command("forecast", {"view": "past"})],
        "See the odds of week 13, press the button, and look at the map in #results and at past weeks.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("interrogate", {"captive": "Kai Brandt", "interrogators": "Colonel Haas"})],
        "The captive cracks, or doesn't.",
    ),
    Suggestion(
        PLAYER,
        [Command("escape", {"captive": "Kai Brandt"})],
        "His character is a captive. He orders an escape, which only the game masters see.",
    ),
    Suggestion(
        PLAYER,
        [Command("order give", {"kind": "Scout a base", "who": "Rook", "to": "Fort Teak"}), Command("order list")],
        "Sealed: only he and the game masters see it. The board in #staff shows whose orders are missing.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("gm resolve")],
        "All orders with their odds. Press Resolve all, and read the digest in #results.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("ledger"), Command("ledger", {"entry": "20"})],
        "The log of the game. Press Publish under entry 20 to show it to everyone.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("gm-events roll"), Command("events active"), Command("gm-events turn")],
        "Roll for both sides of the battle of Goblin Gorge, see active effects, and end the turn.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("infinity versus", {"mine": "13", "my_mods": "-3", "opponent": RIVAL}),
            Command("roll", {"expression": "4d6kh3"}),
        ],
        "As Priya (pick her at the top), press Answer. /roll answers in the same channel.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("roe odds", {"weapon": "Rifle", "against": "Vesna", "fire": "auto"}),
            Command("roe attack", {"target": "Vesna", "fire": "auto"}),
            Command("fight turn"),
            Command("roe rules", {"what": "Spliced Genes"}),
        ],
        "It's the turn of his character Rook against Vesna: a burst of three shots, with odds.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("gm rules", {"name": "Salvage"})],
        "Type 1-5 It blows up, 6-19 Nothing, 20 Jackpot, a line each; switch it on, then /table roll name:Salvage.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("war map"),
            Command("war show", {"what": "11th Squadron"}),
            Command("order give", {"kind": "Move a force", "who": "1st Fleet", "to": "1,-1"}),
        ],
        "He leads the Earth Federation in a separate war. His orders are sealed until the turn is resolved.",
        "front",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("gm resolve")],
        "Resolve all moves every force, opens a battle and posts the map.",
        "front",
    ),
    Suggestion(PLAYER, [Command("help")], "See everything else."),
)


NAME, EMPTY, SITE = "Iron Sea", "Empty Harbour", "iron-sea"
WEEKS, TOLD = 12, 5
ANYWAY = "End turn anyway"
_SQUADS: Mapping[str, str] = {"Night Owls": "EF", "White Wolves": "EF", "Red Lances": "EF"}
_SECTOR = "Strait of Malacca"
UNITS: tuple[tuple[str, str, dict[str, int]], ...] = (
    ("Ashvale", "Crossbows, Longbows", {"missile": True}),
    ("Ashvale", "Pikes, Militia, Knights", {}),
    ("Mirecrown", "Wyverns", {"flying": True}),
    ("Mirecrown", "Hexers", {"caster": True, "spells": 3}),
    ("Mirecrown", "Goblins, Wolf riders, Ogres", {}),
)
WAR = "The Long War"
LEADERS: Mapping[str, str] = {"Noa": "Earth Federation", "Dozle": "Zeon"}
"""The war's leaders: the player, then the rival."""
BOOKS = "campaign, infinity, battlesystem, roe"
FIGHTERS: Mapping[str, str] = {
    "Vesna": "hp: 70; size: medium; option: Spliced Genes; stealth: 10; dr: 4; weapons: SMG = S_a_SMG, Sword = M_s_Sword",
    "Rook": "hp: 60; size: large; option: Violent Upbringing; accuracy: 10; dodge: 5; dr: 6; weapons: "
    "Rifle = M_a_Rifle + Scope accuracy 5, Club = L_b_Club",
}
"""The fighters: the rival's defender, then the player's."""


class World(Struct, frozen=True):
    """The demo's server, channels, roles and people."""

    env: simcord.Env
    setup: simcord.ChannelHandle
    orders: simcord.ChannelHandle
    results: simcord.ChannelHandle
    staff: simcord.ChannelHandle
    arena: simcord.ChannelHandle
    front: simcord.ChannelHandle
    headquarters: simcord.ChannelHandle
    roles: dict[str, simcord.RoleHandle]
    game_master: simcord.MemberActor
    players: tuple[simcord.MemberActor, ...]
    empty: simcord.GuildHandle
    newcomers: tuple[simcord.MemberActor, ...]
    """The manager of the empty server, then its members."""


async def forget_commands(bot: Adjutant) -> None:
    """Have commands registered again, since this Discord is new."""
    await upgrade(bot.database)
    await bot.database.write(registration.forget_commands)


def build(env: simcord.Env) -> World:
    """Create the server, with the same ids each time."""
    guild = env.create_guild(NAME)
    roles = {
        "game_master": guild.create_role("Game Master", permissions=discord.Permissions(manage_guild=True)),
        "player": guild.create_role("Player"),
    }
    visible = discord.PermissionOverwrite(view_channel=True)
    staff_only: dict[Any, discord.PermissionOverwrite] = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        roles["game_master"]: visible,
    }
    if guild.me is not None:
        staff_only[guild.me] = visible
    env.backend.bot_user.name = "Adjutant"
    setup = guild.create_text_channel("setup")
    orders = guild.create_text_channel("orders")
    results = guild.create_text_channel("results")
    staff = guild.create_text_channel("staff", overwrites=staff_only)
    mara, *others = (env.create_user(name) for name in (GAME_MASTER, PLAYER, RIVAL))
    game_master = guild.add_member(mara, roles=[roles["game_master"]])
    players = tuple(guild.add_member(user, roles=[roles["player"]]) for user in others)
    arena = guild.create_text_channel("arena")
    front = guild.create_text_channel("front")
    headquarters = guild.create_text_channel("headquarters", overwrites=staff_only)
    empty = env.create_guild(EMPTY)
    empty.create_text_channel(GENERAL)
    manager = empty.create_role("Manager", permissions=discord.Permissions(manage_guild=True))
    newcomers = (empty.add_member(mara, roles=[manager]), *map(empty.add_member, others))
    clock: Any = env.backend.clock
    clock.now = partial(datetime.now, UTC)  # the ids of all before this are the same each time
    rooms = (setup, orders, results, staff, arena, front, headquarters)
    return World(env, *rooms, roles, game_master, players, empty, newcomers)


async def welcome(
    world: World, bot: Adjutant, name: str = NAME, suggestions: Sequence[Suggestion] = SUGGESTIONS
) -> None:
    """Let the bot see that it's on the servers, with the commands played there, and say how to type them."""
    await bot.compare_servers()
    await bot.register_books()
    await _greet(bot, world.orders, name, _describe_server(world, suggestions))
    await _greet(bot, world.empty.channels[GENERAL], EMPTY, BEGINNING)


async def _greet(bot: Adjutant, where: simcord.ChannelHandle, server: str, lines: Iterable[str]) -> None:
    channel = bot.get_channel(where.id)
    if isinstance(channel, discord.TextChannel):
        text = "\n".join(lines)
        await channel.send(
            embed=discord.Embed(title=f"Welcome to {server}", description=text, colour=COLOURS["success"])
        )


def _describe_server(world: World, suggestions: Sequence[Suggestion]) -> Iterator[str]:
    yield HOW_TO_TYPE
    yield f"You are {GAME_MASTER}. Switch person at the top. Try:"
    for suggestion in suggestions[:TOLD]:
        yield f"\N{BULLET} {' then '.join(f'`{command}`' for command in suggestion.commands)}" + (
            "" if suggestion.who == GAME_MASTER else f" as {suggestion.who}"
        )
    yield f"Results are posted here, in <#{world.results.id}> or in <#{world.staff.id}>. The terminal lists their pages."
    yield "More: `/help`"


async def seed(world: World) -> None:
    """Play a campaign's start, unless the data has one."""
    mara, jonas = world.game_master, world.players[0]
    settings = await mara.slash(world.setup, "gm settings")
    if settings.response is not None and settings.response.embeds[0].title == NAME:
        return
    channels = {"results": world.results, "staff": world.staff}
    await mara.slash(world.setup, "campaign create", name=NAME, **channels, **world.roles, timezone="Europe/Berlin")
    for channel in (world.orders, world.setup, world.arena):
        await mara.slash(world.setup, "campaign link", channel=channel)
    await mara.slash(world.setup, "gm settings", players_may="scouting, orders", books=BOOKS)
    await open_site(world, SITE)
    for week in range(1, WEEKS + 1):
        preview = find_answer(await mara.slash(world.setup, "weather rollover"))
        if preview is not None:
            await mara.click(preview, label=f"Roll week {week}")
    ticks = "patrol.fleet, target.ship, patrol.newtype, patrol.inside-information"
    await mara.slash(world.setup, "patrol", patrol="Blockade Lima", target="Iron convoy", modifiers=ticks, roll="now")
    await jonas.slash(world.setup, "scout", scouter="Jonas", base="Fort Basalt", roll="now")
    await mara.slash(world.setup, "roster add", name="Fort Teak", kind="base", side="Zeon", region="Sri Lanka")
    await mara.slash(
        world.setup, "roster add", name="Kai Brandt", kind="pc", side="EF", owner=jonas, fields="callsign: Lynx"
    )
    await mara.slash(world.setup, "roster add", name="Colonel Haas", kind="npc", side="Zeon")
    await mara.slash(world.setup, "capture", captive="Kai Brandt", by="Colonel Haas", at="Fort Teak")
    await mara.slash(world.setup, "gm-events battle", action="start", name="Goblin Gorge", sides="Ashvale, Mirecrown")
    for side, units, tags in UNITS:
        await mara.slash(world.setup, "gm-events unit add", units=units, side=side, **tags)
    await _fight(world)
    await _orders(world)
    await _war(world)


def find_answer(result: simcord.InteractionResult) -> simcord.ResponseMessage | discord.Message | None:
    """Return the answer, None without one."""
    # On a busy machine the bot first says that it's thinking, and the answer follows.
    return result.response or next(iter(result.followups[-1:]), None)


async def open_site(world: World, name: str) -> None:
    """Turn the campaign's site on."""
    mara = world.game_master
    settings = find_answer(await mara.slash(world.setup, "gm settings"))
    panel = find_answer(await mara.click(settings, label="Public site")) if settings is not None else None
    if panel is not None:
        await mara.submit_modal(await mara.click(panel, label="Turn on"), {"name": name, "search": ["unlisted"]})


async def _war(world: World) -> None:
    mara, room = world.game_master, world.headquarters
    channels = {"results": world.front, "staff": room}
    await mara.slash(room, "campaign create", name=WAR, **channels, **world.roles, books="total_war")
    preview = find_answer(await mara.slash(room, "gm-war new"))
    if preview is not None:
        await mara.click(preview, label="Start")
    for player, (callsign, faction) in zip(world.players, LEADERS.items(), strict=True):
        await player.slash(world.front, "war join", faction=faction, callsign=callsign)
    await mara.slash(
        room, "gm-war set", what="force", to="21st Squadron to 0,-1", reason="So that the demo begins with a battle"
    )
    await world.players[0].slash(world.front, "order give", kind="Move a force", who="11th Squadron", to="0,-1")
    await world.players[1].slash(world.front, "order give", kind="Move a force", who="2nd Fleet", to="-2,0")


async def _orders(world: World) -> None:
    mara, priya = world.game_master, world.players[1]
    for name, side in _SQUADS.items():
        await mara.slash(world.setup, "roster add", name=name, kind="squad", side=side, region="Sri Lanka")
    scouts, wolves, lances = _SQUADS
    for who, kind, doer, target in (
        (mara, "Scout a base", scouts, "Fort Teak"),
        (mara, "Assault a base", wolves, "Fort Teak"),
        (mara, "Patrol or blockade a sector", lances, _SECTOR),
        (priya, "Move through a sector", "Vesna", _SECTOR),
    ):
        await who.slash(world.setup, "order give", kind=kind, who=doer, to=target)
    desk = await mara.slash(world.setup, "update show")
    (*_, last) = filter(None, (desk.response, *desk.followups))
    await mara.click(last, label="Board")


async def _fight(world: World) -> None:
    mara, (jonas, priya) = world.game_master, world.players
    for (name, fields), owner, side in zip(FIGHTERS.items(), (priya, jonas), ("Zeon", "EF"), strict=True):
        await mara.slash(world.setup, "roster add", name=name, kind="pc", owner=owner, side=side, fields=fields)
    await mara.slash(world.arena, "fight start", who=", ".join(FIGHTERS), light="night", weather=-5)
    await priya.click(world.arena.history()[-1], label="Dice")
    attacker, target = FIGHTERS
    await priya.slash(world.arena, "roe attack", target=target, fire="suppress", character=attacker, roll="now")
    await _end_turn(world, priya)
    await jonas.slash(world.arena, "roe act", what="Draw or swap", value="Rifle", character=target)
    for player in (jonas, priya):  # by the second round nothing is owed to a critical of the first
        await _end_turn(world, player)


async def _end_turn(world: World, player: simcord.MemberActor) -> None:
    post = next(post for post in world.arena.history() if "End turn" in _labels(post))
    asked = find_answer(await player.click(post, label="End turn"))
    if asked is not None and ANYWAY in str(asked.components):
        await player.click(asked, label=ANYWAY)


def _labels(message: discord.Message) -> set[str | None]:
    return {getattr(item, "label", None) for row in message.components for item in getattr(row, "children", ())}
