"""`/help`: what a person can do here, by task; `/ping`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from math import isfinite
from typing import Annotated

from discord import app_commands, ui
from msgspec import Struct

from bot.client import Interaction
from bot.core.campaigns import Campaign, list_campaigns
from bot.core.errors import BadInput, NoCampaign, NotOpen
from bot.core.permissions import Person
from bot.kernel import Feature, SlashCommand, list_todos
from bot.orders.kinds import is_open_to, list_kinds
from bot.rolls.card.layout import LISTED
from bot.rolls.card.service import list_open
from bot.rolls.desk import desk_of
from bot.rolls.options import Completions, Offering, filter_labels
from bot.ui import reply
from bot.ui.commands import CAMPAIGN, MOVED, YOUR_DATA
from bot.ui.parsing import MANAGERS, WHO, describe
from bot.ui.receipt import FEW, STAYS, Item, Todo, few, page_buttons, picker, receipt
from bot.ui.reply import person
from bot.ui.text import COLOURS, Layout, join_words, plain, shorten
from rules.book import HOUSE
from rules.errors import nearest

ABOUT, COMMAND = reply.IdTemplate("help:about"), reply.IdTemplate("help:command")
START, EVENING, LEDGER = "What you can do here", "Your first evening", "Ledger"
MAX_NAMED = 4
"""Commands of a task that the first page names; one more if it's the last."""
MAX_LABEL = 60
MAX_LINE = 150
"""Of what waits. Four such lines, and all commands as mentions, fit into a message."""


class HelpTask(Struct, frozen=True):
    """A task, and its commands by full name or first words, in order."""

    what: str
    commands: str


TASKS: Mapping[str, HelpTask] = {
    "Orders and updates": HelpTask(
        "give orders, see what needs you, resolve them",
        "order give, update show, gm resolve, gm close, order, update, gm schedule",
    ),
    "Rolls": HelpTask(
        "patrols, scouting, detection and any dice", "patrol, scout, detect, roll, newtype, complications"
    ),
    "RoE": HelpTask(
        "fights in turns, and the book's rolls and rules",
        "fight start, fight join, fight turn, roe attack, roe act, fight, roe",
    ),
    "BATTLESYSTEM": HelpTask(
        "random events in a battle",
        "gm-events battle, gm-events roll, events active, gm-events use, gm-events turn, events, gm-events",
    ),
    "Total War": HelpTask(
        "a war on a map, with battles on boards",
        "gm-war new, war join, war show, war map, battle act, battle show, war, battle, gm-war",
    ),
    "Infinity CodeOne": HelpTask("rolls against an attribute, Face to Face Rolls", "infinity"),
    "Captives": HelpTask("captures, interrogations, escapes", "captives, escape, interrogate, capture"),
    "Units and characters": HelpTask("who is in the game, and effects on them", "unit, roster, gm effect"),
    "Weather": HelpTask(
        "this week, past weeks and the forecast",
        "forecast, weather rollover, weather set, weather edit",
    ),
    "Write-ups": HelpTask("battles and scenes to write", "writeups"),
    LEDGER: HelpTask("find, check, undo and amend results", "ledger, gm undo, gm amend, verify, luck"),
    "House rules": HelpTask("your own tables and changes to the books", "table roll, table show, table, gm rules"),
    "Campaign": HelpTask("settings, channels, groups and help", "gm settings, campaign, ping, help"),
}
TRUST = (
    "**Can you trust a result?** Details under a result ends with its entry's hash.",
    "Each hash covers its entry and all earlier ones. Change or remove one, and every later hash changes.",
    "So note the hash, and compare it later with `/ledger entry:`. If they differ, the ledger was changed.",
    "Void and amended entries stay in the ledger, struck through, with who did it and why.",
    "A result that was rolled privately first says so. `/verify` checks a roll's dice.",
)

ON_RESULTS = (
    "**On a posted result:** right-click it (on a phone, hold it) and choose Apps.",
    "There are Undo, Amend, Verify dice, Publish and Show in ledger. You needn't know the entry's number.",
)

STAFF_EVENING = (
    "`/campaign create` starts the game. Its next steps are buttons; `/gm settings` shows them again.",
    "`/campaign link` links the channels you play in, or whole categories.",
    "New game? `/weather rollover` rolls week 1. Already running? Start with `/weather set`.",
    "`/roster import` loads units and characters from a file. `/roster add` saves one.",
    "`/patrol` or another roll opens a card: tick what applies, check the odds, press Roll.",
    "Made a mistake? Right-click the result (on a phone, hold it): Apps has Undo. `/gm undo` undoes any entry.",
    "`/gm settings players_may:scouting` lets players make that roll themselves.",
    "`/gm resolve` rolls the players' orders. `/gm close` ends the game's day or week.",
)
PLAYER_EVENING = (
    "`/help` shows what you can do. This campaign, a button there, shows which game this channel plays.",
    "`/update show` shows what needs you. `/order give` gives an order, if your campaign lets you.",
    "`/unit` shows your characters and units.",
    "`/roll` rolls any dice, such as `expression:2d6+3`.",
    "Other rolls open a card only you see: tick what applies, check the odds, press Roll. `/help` finds it again.",
    "`/escape` lets your captured character try to escape.",
    "`/ledger` lists all public results. `/writeups` shows what's still to write.",
)

MANAGER_START = (
    "`/campaign create` starts a campaign on this server. Its next steps are buttons.",
    "`/campaign link` links this channel to a campaign that this server already has.",
)
VISITOR_START = (
    "Go to a channel of your campaign. If this server has one, a button below shows it.",
    "No campaign yet? Ask a server manager to use `/campaign create`, or `/campaign link` for this channel.",
)

BULLET = "\N{BULLET}"
CLOSED = "You can't use this here."
PUBLIC = {"update show", "forecast", "help"}
"""Commands, or their first words, for people who don't play in the campaign."""
ONLY: Mapping[str, str] = {"game masters": "Game masters only", "Manage Server": "Needs Manage Server"}
WHAT = "What do you want to do?"
Tree = Mapping[str, SlashCommand]


class Asker(Struct, frozen=True):
    """A person who asks for help; `books` has book ids by command name, `orders` says whether they can give some."""

    person: Person
    campaign: Campaign | None
    books: Mapping[str, str]
    orders: bool = False

    def may(self, command: SlashCommand) -> bool:
        """Return whether the person can use a command here."""
        only, name = self.only(command), command.qualified_name
        if only == ONLY["Manage Server"]:
            return self.person.manages_server
        if self.campaign is None:
            return True
        if self.books.get(name.split()[0]) in self.off or (name == "order give" and not self.orders):
            return False
        if not self.person.takes_part(self.campaign) and PUBLIC.isdisjoint({name, name.split()[0]}):
            return False
        return not only or self.person.leads(self.campaign)

    def only(self, command: SlashCommand) -> str:
        """Return the help heading of a staff command; empty if everyone may use it."""
        family = command.extras.get("family")
        opened = family is None or (self.campaign is not None and family in self.campaign.players_may)
        return ONLY[who] if (who := command.extras.get(WHO)) else "" if opened else ONLY["game masters"]

    @property
    def off(self) -> list[str]:
        """Books that have commands but aren't played by the campaign; empty without a campaign."""
        played = () if self.campaign is None else self.campaign.books
        return sorted(set(self.books.values()).difference(played)) if played else []

    @property
    def staff(self) -> bool:
        """Whether the person leads or can start a campaign."""
        return self.person.manages_server or (self.campaign is not None and self.person.leads(self.campaign))

    def __str__(self) -> str:
        if self.campaign is None:
            return "This channel isn't linked to a campaign yet."
        name = plain(self.campaign.name)
        if self.person.leads(self.campaign):
            return f"You're a game master of {name}."
        if self.person.plays(self.campaign):
            return f"You're a player of {name}."
        return f"You aren't in {name} yet. Ask a game master for the player role."


async def _offer_about(interaction: reply.AnyInteraction, current: str) -> Completions:
    who = await _asker(interaction)
    names = [f"/{name}" for name in _open_to(who, _tree(interaction))]
    return filter_labels(current, [EVENING, *TASKS, *names])


@app_commands.command(name="help")
@describe(about="A task, or a command such as /weather set")
async def show_help(interaction: Interaction, about: Annotated[str, Offering(_offer_about)] | None = None) -> None:
    """See what you can do here and how to start."""
    await reply.say(interaction, view=await _page(interaction, about))


@reply.component(ABOUT)
async def show_picked(interaction: Interaction) -> None:
    """Show the picked topic."""
    about = next(iter(reply.read_picked(interaction)), None)
    if about is None:
        raise NotOpen(*reply.STALE)
    # also on the first page, which stays when its other buttons are pressed
    await reply.rewrite(interaction, view=await _page(interaction, about))


async def _page(interaction: Interaction, about: str | None) -> ui.LayoutView:
    who, tree = await _asker(interaction), _tree(interaction)
    tasks = sort_by_task(_open_to(who, tree))
    topics = [(label, label, TASKS[label].what if label in TASKS else "") for label in (START, EVENING, *tasks)]
    if about in {None, START}:
        below = await _offer_more(interaction, who)
        todos = await _read_todos(interaction, who)
        return _draw_start(who, tasks, todos, [picker(ABOUT.fill(), WHAT, topics[1:]), below])
    title, lines, listed = _describe(about, who, tree, tasks)
    commands = [(f"/{name}", f"/{name}", command.description) for name, command in listed.items()]
    selects = [*picker(COMMAND.fill(), "See a command's options", commands), *picker(ABOUT.fill(), WHAT, topics)]
    return receipt(title, [f"-# {who}", *lines], COLOURS["neutral"], selects=selects)


async def _offer_more(interaction: Interaction, who: Asker) -> Sequence[Item]:
    here, more, read = who.campaign, [("Your data", YOUR_DATA.fill())], interaction.client.database.read
    if here is None:
        every = sorted(await read(list_campaigns, who.person.guild_id), key=lambda item: item.archived_at is not None)
        more += [(f"About {shorten(item.name, MAX_LABEL)}", _about(item)) for item in every[:FEW]]
    else:
        more += [] if who.person.leads(here) else [("This campaign", _about(here))]
        cards = await read(list_open, who.person, here)
        more += [("Your settings", reply.SETTINGS.fill(campaign=here.id))]
        more += [("Open cards", LISTED.fill(campaign=here.id))] if cards else []
    return page_buttons(*more)


def _about(campaign: Campaign) -> str:
    return CAMPAIGN.fill(campaign=campaign.id, what="show")


async def _read_todos(interaction: Interaction, who: Asker) -> Sequence[Todo]:
    if who.campaign is None:
        return ()
    bot = interaction.client
    try:
        return await bot.database.read(list_todos, bot.library, bot.features, who.person, who.campaign)
    except BadInput:  # house rules that don't fit their book any more
        return [Todo("Can't be listed", ["`/update show` says why."])]


def _draw_start(
    who: Asker, tasks: Mapping[str, Tree], todos: Sequence[Todo], below: Iterable[Iterable[Item]]
) -> ui.LayoutView:
    head = [f"### {START}", f"-# {who}"]
    if who.campaign is None:
        lines: Sequence[str] = MANAGER_START if who.staff else VISITOR_START
    else:
        waiting = few(map(_name_todo, todos), len(todos), "/update show")
        head += ["**What waits for you**", *waiting] if waiting else [_name_nothing(who, who.campaign)]
        named = (f"**{task}**: {_name_commands(found)}" for task, found in tasks.items())
        lines = [*named, "-# Tap a command to use it. Pick a task below to read what each does.", *_name_books_off(who)]
    first = [todo.rows[0][0] for todo in todos[:FEW] if todo.rows and todo.rows[0]]
    buttons: list[Item] = [item for item in first if isinstance(item, ui.Button)]
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"], id=STAYS)
    container.add_item(ui.TextDisplay("\n".join(head)))
    rows: list[list[Item]] = [buttons, *([item] for item in first if item not in buttons)]
    for row in filter(None, rows):
        container.add_item(ui.ActionRow(*row))
    container.add_item(ui.TextDisplay("\n".join(lines)))
    for items in below:
        container.add_item(ui.ActionRow(*items))
    return Layout(container)


def _name_nothing(who: Asker, campaign: Campaign) -> str:
    if campaign.archived_at is not None:
        return f"{plain(campaign.name)} is archived: nothing can be added to it."
    return "Nothing waits for you." if who.person.takes_part(campaign) else "Until then, you can look around."


def _name_todo(todo: Todo) -> str:
    line = todo.lines[0].removeprefix(f"{BULLET} ")
    more = " *and more*" if todo.lines[1:] else ""
    return f"{BULLET} {todo.title}: {line}{more}" if len(line) <= MAX_LINE else f"{BULLET} {todo.title}"


def _name_commands(tree: Tree) -> str:
    more = len(tree) - MAX_NAMED
    named = [f"`/{name}`" for name in tree]
    return " ".join(named) if more <= 1 else f"{' '.join(named[:MAX_NAMED])} and {more} more"


def _name_books_off(who: Asker) -> Iterator[str]:
    if who.staff and who.off:
        yield f"-# Books that are off: {join_words(who.off)}. `/gm settings` turns them on."


async def _asker(interaction: Interaction) -> Asker:
    bot, who = interaction.client, person(interaction)
    books = {command.name: item.book for item in bot.features if item.book for command in item.commands}
    try:
        campaign = await desk_of(interaction).campaign(interaction)
    except NoCampaign:
        return Asker(who, None, books)
    played = await bot.database.read(bot.library.list_known_books, campaign)
    if any(book.id == HOUSE and "weather" in book.procedures for book in played):
        books |= {command.name: HOUSE for item in bot.features if item.also for command in item.commands}
    return Asker(who, campaign, books, any(is_open_to(who, campaign, item.kind) for item in list_kinds(played)))


def _tree(interaction: reply.AnyInteraction) -> Tree:
    every = interaction.client.tree.walk_commands()
    return {item.qualified_name: item for item in every if isinstance(item, app_commands.Command)}


def _describe(topic: str, who: Asker, tree: Tree, tasks: Mapping[str, Tree]) -> tuple[str, Sequence[str], Tree]:
    if topic == EVENING:
        evening = STAFF_EVENING if who.staff else PLAYER_EVENING
        return EVENING, [f"{place}. {line}" for place, line in enumerate(evening, 1)], {}
    if topic in TASKS:
        found = tasks.get(topic, {})
        more = (*ON_RESULTS, *TRUST) if topic == LEDGER else ()
        return topic, [*_list_commands(who, found), *more], found
    name = " ".join(topic.removeprefix("/").casefold().split())
    if name in MOVED:
        name = max((new for new in tree if MOVED[name].startswith(new)), key=len)
    if name in tree:
        beside = next((found for found in tasks.values() if name in found), None)
        only = CLOSED if beside is None else who.only(tree[name])
        lines = [tree[name].description, *[f"-# {only}"] * bool(only), *_list_options(tree[name])]
        return f"/{name}", lines, beside or {}
    if any(found.startswith(f"{name} ") for found in tree):
        within = {key: item for key, item in _open_to(who, tree).items() if key.startswith(f"{name} ")}
        return f"/{name}", _list_commands(who, within), within
    close = nearest(name, tree)
    hint = f"Did you mean /{close}?" if close else "Leave about empty to see all tasks."
    raise BadInput(f"I don't know a task or command called {topic!r}.", hint)


def _open_to(who: Asker, tree: Tree) -> Tree:
    return {name: command for name, command in tree.items() if who.may(command)}


def sort_by_task(tree: Tree) -> Mapping[str, Tree]:
    """Return commands by full name, by task; no empty tasks."""
    tasks: dict[str, dict[str, SlashCommand]] = {}
    for task, about in TASKS.items():
        for place in about.commands.split(", "):
            found = {name: item for name, item in tree.items() if name == place or name.startswith(f"{place} ")}
            if found:
                tasks[task] = tasks.get(task, {}) | found
    return tasks


def _by_heading(who: Asker, tree: Tree) -> Iterator[tuple[str, Tree]]:
    for heading in ("", *ONLY.values()):
        if found := {name: command for name, command in tree.items() if who.only(command) == heading}:
            yield heading, found


def _list_commands(who: Asker, tree: Tree) -> Sequence[str]:
    lines: list[str] = []
    for heading, found in _by_heading(who, tree):
        lines += [f"**{heading}**"] * bool(heading)
        lines += [f"`/{name}` {command.description}" for name, command in found.items()]
    return lines or [CLOSED]


def _list_options(command: SlashCommand) -> Iterator[str]:
    for option in command.parameters:
        needed = "" if option.required else " (optional)"
        yield f"`{option.display_name}`{needed}: {option.description}"


@app_commands.command(extras=MANAGERS)
@app_commands.default_permissions(manage_guild=True)
async def ping(interaction: Interaction) -> None:
    """Check that Adjutant is online, its version and delay."""
    delay = interaction.client.latency * 1000
    known = isfinite(delay)  # not before Discord has answered the first heartbeat
    answers = f" Response time: {delay:.0f} ms." if known else ""
    await reply.say(interaction, content=f"Adjutant {_find_version('adjutant')} is online.{answers}")


_find_version = cache(version)


FEATURE = Feature(commands=(ping, show_help), components=(show_picked, reply.Component(COMMAND, show_picked.handler)))
