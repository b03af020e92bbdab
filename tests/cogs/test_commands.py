"""What Discord is told of the commands: their names, options and words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.world import World

Json = dict[str, Any]
SOUGHT = ("text", "family", "person", "unit", "outcome", "region", "week", "update")
COMMANDS = {
    "ping": [],
    "help": ["about"],
    "campaign create": ["name", "results", "staff", "game_master", "player", "books", "timezone"],
    "campaign show": ["campaign"],
    "campaign edit": [
        "campaign",
        "name",
        "books",
        "timezone",
        "results",
        "staff",
        "game_master",
        "player",
        "players_may",
        "write_ups",
        "pings",
        "newly_saved",
        "defence",
    ],
    "campaign bind": ["channel", "campaign"],
    "campaign unbind": ["channel", "campaign"],
    "campaign export": ["campaign"],
    "campaign randomness": ["campaign"],
    "campaign archive": ["campaign", "restore"],
    "campaign group add": ["name", "members", "role", "channel", "secret"],
    "campaign group edit": ["group", "name", "members", "leave", "role", "channel", "without", "secret"],
    "campaign group remove": ["group"],
    "campaign group list": [],
    "update show": [],
    "update resolve": [],
    "update board": [],
    "update digest": [],
    "update close": ["name"],
    "update schedule": ["day", "time", "remind", "lock", "catch_up", "off"],
    "order give": ["kind", "who", "to", "with", "note"],
    "order list": ["update"],
    "order pass": ["who"],
    "patrol": ["patrol", "target", "stance", "region", "week", "modifiers", "note", "to", "roll"],
    "scout": ["scouter", "base", "region", "week", "modifiers", "note", "to", "roll"],
    "detect": ["detector", "hidden", "region", "week", "modifiers", "note", "to", "roll"],
    "weather rollover": ["week"],
    "weather show": ["region", "week"],
    "weather history": ["place", "weeks"],
    "weather forecast": [],
    "weather categories": ["zone"],
    "weather edit": ["region", "category"],
    "weather set": ["zone", "category", "reason", "week"],
    "void": ["entry", "reason"],
    "amend": ["entry", "reason"],
    "weather undo": ["reason"],
    "weather schedule": ["day", "time", "remind", "catch_up", "off"],
    "unit add": ["name", "kind", "side", "owner", "region", "fields", "secret"],
    "unit edit": ["name", "new_name", "kind", "side", "owner", "region", "fields", "secret"],
    "unit show": ["name"],
    "unit list": ["kind", "side"],
    "unit remove": ["name"],
    "character add": ["name", "kind", "side", "owner", "squad", "fields", "secret"],
    "character edit": ["name", "new_name", "kind", "side", "owner", "squad", "fields", "secret"],
    "character show": ["name"],
    "character list": ["kind", "side"],
    "character remove": ["name"],
    "captive take": ["captive", "by", "at"],
    "captive move": ["captive", "at"],
    "captive release": ["captive", "note"],
    "captive list": [],
    "captive show": ["captive"],
    "captive undo": ["captive", "reason"],
    "interrogate": ["captive", "interrogators", "modifiers", "note", "to", "roll"],
    "escape": ["captive", "region", "week", "modifiers", "note", "roll"],
    "effect set": ["who", "effect", "until", "note", "hours", "turns", "whose"],
    "effect list": ["who"],
    "effect clear": ["who", "effect"],
    "newtype": ["character", "affiliation", "modifiers", "note", "to", "roll"],
    "complications": [
        "battle",
        "sides",
        "defender",
        "base",
        "region",
        "week",
        "modifiers",
        "note",
        "to",
        "roll",
    ],
    "writeups list": ["state"],
    "writeups claim": ["number"],
    "writeups done": ["number", "link"],
    "writeups result": ["number", "result"],
    "events battle": ["action", "name", "sides"],
    "events unit add": ["units", "side", "battle", "missile", "flying", "caster", "spells"],
    "events unit edit": ["unit", "battle", "side", "foe", "missile", "flying", "caster", "spells"],
    "events unit remove": ["units", "battle"],
    "events unit list": ["battle"],
    "events roll": ["battle", "mode", "side", "faces", "reason"],
    "events active": ["battle"],
    "events use": ["event", "battle", "how", "reason"],
    "events turn": ["battle", "end_battle"],
    "events table": ["number"],
    "fight start": ["who", "light", "weather", "name"],
    "fight show": [],
    "fight join": ["character", "how", "distance"],
    "fight turn": [],
    "fight order": ["names"],
    "fight mode": ["reason"],
    "fight lock": ["reason"],
    "fight end": [],
    "roe act": ["what", "target", "value", "character", "modifiers", "note", "roll", "dice"],
    "roe attack": ["target", "weapon", "second", "fire", "range", "character", "modifiers", "note", "roll", "dice"],
    "roe blast": [
        "item",
        "use",
        "targets",
        "primary",
        "range",
        "damage",
        "character",
        "modifiers",
        "note",
        "roll",
        "dice",
    ],
    "roe check": ["skill", "character", "against", "target", "modifiers", "gm", "note", "to", "roll", "dice"],
    "roe odds": [
        "weapon",
        "skill",
        "character",
        "against",
        "second",
        "fire",
        "range",
        "target",
        "mine",
        "theirs",
        "damage",
        "dr",
        "hp",
        "aimed",
    ],
    "roe take": ["how", "from", "size", "stack", "character", "modifiers", "note", "roll", "dice"],
    "roe capture": ["how", "who", "character", "note", "roll", "dice", "surrenders"],
    "roe wounds": ["character", "how", "amount", "hours", "by", "note"],
    "roe rules": ["what"],
    "roster import": ["file", "replace"],
    "roster export": ["format", "kind"],
    "infinity roll": ["attribute", "mods", "burst", "die", "crits", "label", "note", "to", "roll"],
    "infinity versus": [
        "mine",
        "my_mods",
        "burst",
        "crits",
        "opponent",
        "their_attribute",
        "their_mods",
        "their_burst",
        "their_crits",
        "my_name",
        "their_name",
        "note",
        "hours",
        "to",
    ],
    "infinity odds": [
        "attribute",
        "mods",
        "burst",
        "crits",
        "their_attribute",
        "their_mods",
        "their_burst",
        "their_crits",
    ],
    "infinity challenges": [],
    "roll": ["expression", "note", "to", "roll"],
    "table add": ["name", "file"],
    "table edit": ["name", "file"],
    "table list": [],
    "table show": ["name"],
    "table remove": ["name"],
    "table roll": ["name", "who", "about", "region", "week", "modifiers", "note", "to", "roll"],
    "table export": ["name", "version"],
    "cards": [],
    "war new": ["scenario"],
    "war join": ["faction", "player", "callsign"],
    "war show": ["what"],
    "war map": ["layer", "force", "faction"],
    "war set": ["what", "to", "reason"],
    "war rule": ["text"],
    "battle act": ["unit", "to", "attack", "target", "with", "call", "toward", "roll", "dice", "battle"],
    "battle show": ["unit", "to", "toward", "battle"],
    "battle next": ["battle"],
    "battle withdraw": ["side", "battle"],
    "battle retreat": ["to", "force", "battle"],
    "battle place": ["unit", "tile", "battle"],
    "battle condition": ["side", "battle"],
    "ledger list": ["before", "campaign"],
    "ledger show": ["number", "campaign"],
    "luck": ["person", "unit", "family", "weeks"],
    "privacy show": [],
    "privacy export": [],
    "privacy erase": [],
    "ledger search": [*SOUGHT, "campaign"],
    "ledger update": ["number", "campaign"],
    "ledger export": ["form", *SOUGHT, "campaign"],
    "verify": ["entry", "campaign"],
}


def synced(world: World) -> list[Json]:
    """The commands as they were sent to Discord."""
    requests = [item for item in world.env.http_requests if item.method == "PUT" and item.path.endswith("/commands")]
    found: list[Json] = requests[-1].json  # type: ignore[assignment]
    return found


def leaves(command: Json, above: str = "") -> Iterator[tuple[str, Json]]:
    """Each command that can be used, with its whole name."""
    name = f"{above} {command['name']}".strip()
    below = [option for option in command["options"] if option["type"] in {1, 2}]
    if not below:
        yield name, command
    for option in below:
        yield from leaves(option, name)


def nodes(item: Json) -> Iterator[Json]:
    """A command and all that is in it: subcommands and options."""
    yield item
    for option in item.get("options", []):
        yield from nodes(option)


def size(item: Json) -> int:
    """The characters that Discord counts: names, descriptions and values of choices, all in all."""
    own = len(item["name"]) + len(item["description"])
    choices = sum(len(choice["name"]) + len(str(choice["value"])) for choice in item.get("choices", []))
    return own + choices + sum(size(option) for option in item.get("options", []))


async def test_commands_and_options_are_exactly_these(world: World) -> None:
    """Every command has the options that are promised, required ones first, and there is no other command."""
    found = {name: leaf["options"] for command in synced(world) for name, leaf in leaves(command)}
    assert {name: [option["name"] for option in options] for name, options in found.items()} == COMMANDS
    for options in found.values():
        required = [option["required"] for option in options]
        assert required == sorted(required, reverse=True)


async def test_commands_stay_inside_what_discord_takes(world: World) -> None:
    """Names are unique; descriptions have 1 to 100 characters; 25 options and choices at most, 8,000 characters."""
    commands = synced(world)
    names = [name for command in commands for name, _ in leaves(command)]
    assert len(names) == len(set(names))
    for command in commands:
        assert size(command) <= 8000
        for node in nodes(command):
            assert 1 <= len(node["description"]) <= 100, node["name"]
            assert node["description"] != "…", node["name"]
            assert len(node.get("options", [])) <= 25
            assert len(node.get("choices", [])) <= 25


async def test_only_ping_works_outside_a_server(world: World) -> None:
    """Every command but ping belongs to a server, so Discord offers none of them in direct messages."""
    anywhere = {command["name"] for command in synced(world) if command["dm_permission"]}
    assert anywhere == {"ping"}
    somebody = world.env.create_user("somebody")
    assert somebody.available_commands() == ("ping",)
    assert (await somebody.slash("ping")).ephemeral


async def test_ping_answers_privately(world: World) -> None:
    """Ping is answered to who asked, and to nobody else."""
    result = await world.stranger.slash(world.orders, "ping")
    assert result.response is not None
    assert result.response.ephemeral
    assert "online" in result.response.content
