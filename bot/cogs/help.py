"""`/help`: what a person can do here, by task; `/ping`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from math import isfinite
from typing import Annotated

from discord import app_commands, ui
from msgspec import Struct

from bot.client import Interaction
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NoCampaign, NotOpen
from bot.core.permissions import Person
from bot.kernel import Feature, SlashCommand
from bot.rolls.desk import desk_of
from bot.rolls.options import Completions, Offering, filter_labels
from bot.ui.parsing import WHO, describe
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, AnyInteraction, IdTemplate, component, person, read_picked, redraw, say
from bot.ui.text import COLOURS, DOT, join_words, plain
from rules.errors import nearest

ABOUT = IdTemplate("help:about")
START, EVENING, EVERYTHING, LEDGER = "What you can do here", "Your first evening", "Everything", "Ledger"


class HelpTask(Struct, frozen=True):
    """A task, and its commands' first words."""

    what: str
    words: str


TASKS: Mapping[str, HelpTask] = {
    "Orders and updates": HelpTask("give orders, see what needs you, resolve them", "order update"),
    "Rolls": HelpTask(
        "patrols, scouting, detection and any dice", "patrol scout detect newtype complications roll cards"
    ),
    "Captives": HelpTask("captures, interrogations, escapes", "captive interrogate escape"),
    "Units and characters": HelpTask("who is in the game, and effects on them", "unit character roster effect"),
    "Weather": HelpTask("this week, past weeks and the forecast", "weather"),
    "Write-ups": HelpTask("battles and scenes to write", "writeups"),
    "RoE": HelpTask("fights in turns, and the book's rolls and rules", "fight roe"),
    "BATTLESYSTEM": HelpTask("random events in a battle", "events"),
    "Total War": HelpTask("a war on a map, with battles on boards", "war battle"),
    "Infinity CodeOne": HelpTask("rolls against an attribute, Face to Face Rolls", "infinity"),
    "House rules": HelpTask("your own tables and changes to the books", "table"),
    LEDGER: HelpTask("find, check, undo and amend results", "ledger luck verify void amend"),
    "Campaign": HelpTask("settings, channels, groups and help", "campaign help ping"),
    "Your data": HelpTask("see, export or erase what's stored about you", "privacy"),
}
TRUST = (
    "**Can you trust a result?** The eight characters after the campaign's name under each result start its entry's hash.",
    "Each hash covers its entry and all earlier ones. Change or remove one, and every later hash changes.",
    "So keep a post, or note its characters, and compare them with `/ledger show`. If they differ, the ledger was changed.",
    "Void and amended entries stay in the ledger, struck through, with who did it and why.",
    "A result that was rolled privately first says so. `/verify` checks a roll's dice.",
)

STAFF_EVENING = (
    "`/campaign create` starts the game. Its next steps are buttons; `/campaign show` shows them again.",
    "`/campaign link` links the channels you play in, or whole categories.",
    "New game? `/weather rollover` rolls week 1. Already running? Start with `/weather set`.",
    "`/roster import` loads units and characters from a file. `/unit add` and `/character add` save one each.",
    "`/patrol` or another roll opens a card: tick what applies, check the odds, press Roll.",
    "Made a mistake? Press Undo under the result, or use `/void` for any entry.",
    "`/campaign edit players_may:scouting` lets players make that roll themselves.",
    "`/update close` ends the game's day or week. `/weather rollover` rolls the next week.",
)
PLAYER_EVENING = (
    "`/campaign show` shows which game this channel plays and what you can do.",
    "`/update show` shows what needs you. `/order give` gives an order, if your campaign lets you.",
    "`/character show` and `/unit show` show your characters and units.",
    "`/roll` rolls any dice, such as `expression:2d6+3`.",
    "Other rolls open a card only you see: tick what applies, check the odds, press Roll. `/cards` finds it again.",
    "`/escape` lets your captured character try to escape.",
    "`/ledger list` lists all public results. `/writeups list` shows what's still to write.",
)

CLOSED = "You can't use this here."
ONLY: Mapping[str, str] = {"game masters": "Game masters only", "Manage Server": "Needs Manage Server"}
Tree = Mapping[str, SlashCommand]


class Asker(Struct, frozen=True):
    """A person who asks for help; `books` has book ids by command name."""

    person: Person
    campaign: Campaign | None
    books: Mapping[str, str]

    def may(self, command: SlashCommand) -> bool:
        """Return whether the person can use a command here."""
        only = self.only(command)
        if only == ONLY["Manage Server"]:
            return self.person.manages_server
        if self.campaign is None:
            return True
        if self.books.get(command.qualified_name.split()[0]) in self.off:
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


async def _offer_about(interaction: AnyInteraction, current: str) -> Completions:
    who = await _asker(interaction)
    names = [f"/{name}" for name in _open_to(who, _tree(interaction))]
    return filter_labels(current, [EVENING, *TASKS, *names])


@app_commands.command(name="help")
@app_commands.guild_only()
@describe(about="A task, or a command such as /weather set")
async def show_help(interaction: Interaction, about: Annotated[str, Offering(_offer_about)] | None = None) -> None:
    """See what you can do here and how to start."""
    await say(interaction, view=await _page(interaction, about))


@component(ABOUT)
async def show_picked(interaction: Interaction) -> None:
    """Show the picked topic."""
    about = next(iter(read_picked(interaction)), None)
    if about is None:
        raise NotOpen(*STALE)
    await redraw(interaction, await _page(interaction, about))


async def _page(interaction: Interaction, about: str | None) -> ui.LayoutView:
    who, tree = await _asker(interaction), _tree(interaction)
    topic = about or (EVENING if who.campaign is None and who.staff else START)
    title, lines = _describe(topic, who, tree)
    select: ui.Select[ui.LayoutView] = ui.Select(custom_id=ABOUT.fill(), placeholder="What do you want to do?")
    for label in (EVENING, *_by_task(_open_to(who, tree)), EVERYTHING):
        select.add_option(label=label, value=label, description=TASKS[label].what if label in TASKS else None)
    return receipt(title, [f"-# {who}", *lines], COLOURS["neutral"], selects=[select])


async def _asker(interaction: Interaction) -> Asker:
    features = interaction.client.features
    books = {command.name: item.book for item in features if item.book for command in item.commands}
    try:
        campaign = await desk_of(interaction).campaign(interaction)
    except NoCampaign:
        return Asker(person(interaction), None, books)
    return Asker(person(interaction), campaign, books)


def _tree(interaction: AnyInteraction) -> Tree:
    every = interaction.client.tree.walk_commands()
    return {item.qualified_name: item for item in every if isinstance(item, app_commands.Command)}


def _describe(topic: str, who: Asker, tree: Tree) -> tuple[str, Sequence[str]]:
    if topic == EVENING:
        evening = STAFF_EVENING if who.staff else PLAYER_EVENING
        return EVENING, [f"{place}. {line}" for place, line in enumerate(evening, 1)]
    open_to = _open_to(who, tree)
    tasks = _by_task(open_to)
    off = (
        [f"-# Books that are off: {join_words(who.off)}. `/campaign edit` turns them on."]
        if who.staff and who.off
        else []
    )
    if topic == START:
        return START, [*(f"**{task}** ({len(found)}): {TASKS[task].what}" for task, found in tasks.items()), *off]
    if topic == EVERYTHING:
        return EVERYTHING, [*(line for task, found in tasks.items() for line in _list_names(who, task, found)), *off]
    if topic in TASKS:
        return topic, [*_list_commands(who, tasks.get(topic, {})), *(TRUST if topic == LEDGER else ())]
    name = " ".join(topic.removeprefix("/").casefold().split())
    if name in tree:
        only = who.only(tree[name]) if name in open_to else CLOSED
        return f"/{name}", [tree[name].description, *[f"-# {only}"] * bool(only), *_list_options(tree[name])]
    if any(found.startswith(f"{name} ") for found in tree):
        within = {key: item for key, item in open_to.items() if key.startswith(f"{name} ")}
        return f"/{name}", _list_commands(who, within)
    close = nearest(name, tree)
    hint = f"Did you mean /{close}?" if close else "Leave about empty to see all tasks."
    raise BadInput(f"I don't know a task or command called {topic!r}.", hint)


def _open_to(who: Asker, tree: Tree) -> Tree:
    return {name: command for name, command in tree.items() if who.may(command)}


def _by_task(tree: Tree) -> Mapping[str, Tree]:
    of_word = {word: name for name, task in TASKS.items() for word in task.words.split()}
    tasks: dict[str, dict[str, SlashCommand]] = {task: {} for task in TASKS}
    for name, command in tree.items():
        tasks[of_word[name.split()[0]]][name] = command
    return {task: found for task, found in tasks.items() if found}


def _by_heading(who: Asker, tree: Tree) -> Iterator[tuple[str, Tree]]:
    for heading in ("", *ONLY.values()):
        if found := {name: command for name, command in tree.items() if who.only(command) == heading}:
            yield heading, found


def _list_names(who: Asker, task: str, tree: Tree) -> Iterator[str]:
    yield f"**{task}**"
    for heading, found in _by_heading(who, tree):
        yield f"{heading}: " * bool(heading) + DOT.join(f"`/{name}`" for name in found)


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


@app_commands.command()
async def ping(interaction: Interaction) -> None:
    """Check that Adjutant is online, its version and delay."""
    delay = interaction.client.latency * 1000
    known = isfinite(delay)  # not before Discord has answered the first heartbeat
    answers = f" Response time: {delay:.0f} ms." if known else ""
    await say(interaction, content=f"Adjutant {_find_version('adjutant')} is online.{answers}")


_find_version = cache(version)


FEATURE = Feature(commands=(ping, show_help), components=(show_picked,))
