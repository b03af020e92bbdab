"""`/help`: what somebody can do here, by task, out of the command tree; and how the first evening goes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from discord import app_commands, ui
from discord.app_commands import Transform
from msgspec import Struct

from bot.client import Interaction
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.errors import BadInput, NoCampaign, NotOpen
from bot.feature import Feature
from bot.rolls.desk import desk_of
from bot.rolls.options import Offering, containing
from bot.ui.colours import COLOURS
from bot.ui.commands import describe
from bot.ui.components import IdTemplate, component, picked
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, AnyInteraction, person, redraw, say
from bot.ui.text import DOT, listing, plain
from rules.errors import nearest

ABOUT = IdTemplate("help:about")
EVENING, EVERYTHING, MORE = "Your first evening", "Everything", "Further commands"

START, RECORD = "What you can do here", "The record"


class Task(Struct, frozen=True):
    """What somebody wants to do: what that is in a few words, and the first words of its commands."""

    what: str
    words: str


TASKS: Mapping[str, Task] = {
    "Rolls": Task("the book's rolls on cards, any dice", "patrol scout detect newtype complications roll cards"),
    "Captives": Task("who is held, interrogations, escapes", "interrogate escape captive"),
    "Who is in the game": Task("units, characters, what befalls them", "unit character roster effect"),
    "Weather": Task("this week's, what may come, what was", "weather"),
    "Battles and scenes": Task("fights in turns, events of battles, what is to be written", "fight events writeups"),
    "RoE": Task("rolls, acts and lines of the book", "roe"),
    "Total War": Task("a war on a map, its factions and its battles", "war battle"),
    "Infinity CodeOne": Task("rolls against an attribute, face to face", "infinity"),
    "House rules": Task("rules and tables of your own", "table"),
    RECORD: Task("every result, taken back, amended, trusted", "ledger luck void amend"),
    "Your data": Task("what is kept of you: seen, taken along, erased", "privacy"),
    "The campaign": Task("settings, updates, pings", "campaign update help ping"),
}
"""What there is to do; commands that are named nowhere stand under further commands."""
FURTHER = "all that is named nowhere else"

TRUST = (
    "**Can a result be trusted?** The eight characters behind the campaign's name, under each result, are the first digits of its entry's hash.",
    "The hash seals the entry and all entries before it: whoever changes, removes or slips in one changes the digits of every later one.",
    "So keep a post, or note its digits. `/ledger show` has those of today: where they differ, the record was changed since.",
    "What is taken back or amended stays in the record, struck through, with who did it and why. A result that was rolled in private first says so.",
)
"""What is told of the record beside its commands."""

STAFF_EVENING = (
    "`/campaign create` starts the game; its answer has the next steps as buttons, and `/campaign show` shows them again.",
    "`/campaign bind` adds the channels that you play in, whole categories too.",
    "`/weather rollover` rolls week 1. A game that is under way begins with `/weather set`.",
    "`/roster import` takes your units and characters out of a file; `/unit add` and `/character add` save one each.",
    "`/patrol`, or any other roll: tick what applies on the card, look at the odds, press Roll.",
    "A slip? Press Undo on its receipt, and `/void` takes any entry back.",
    "`/campaign edit` opens rolls to players: `players_may:scouting`.",
    "`/update close` ends the day or week of the game, `/weather rollover` rolls the next week.",
)
PLAYER_EVENING = (
    "`/campaign show` tells which game this channel plays, and what you may roll.",
    "`/character show` and `/unit show` tell what is saved of yours.",
    "`/roll` rolls any dice, as in `expression:2d6+3`.",
    "Rolls that are open to you make a card that only you see: tick what applies, look at the odds, press Roll. `/cards` finds it again.",
    "`/escape` lets your character try when held captive.",
    "`/ledger list` is the record of all that was rolled in public, `/writeups list` says what is to be written.",
)

CLOSED = "Nothing of it is open to you here."

_FOR = re.compile(r" \((game masters|needs Manage Server)\)\.$")
"""For whom a command is, at the end of its description; for everybody where it says nothing."""

Tree = Mapping[str, app_commands.Command[Any, ..., Any]]


class Asker(Struct, frozen=True):
    """Somebody who asks for help, in a channel of a campaign or of none; `books` are the books that commands and groups play by."""

    person: Person
    campaign: Campaign | None
    books: Mapping[str, str]

    def may(self, command: app_commands.Command[Any, ..., Any]) -> bool:
        """Return whether a command is for this person, as far as its description and the campaign's settings say."""
        mark = _FOR.search(command.description)
        if mark and mark[1] != "game masters":
            return self.person.manages_server
        family = command.extras.get("family")
        if self.campaign is None:
            return True
        if self.books.get(command.qualified_name.split()[0]) in self.off:
            return False
        if self.person.leads(self.campaign):
            return True
        return mark is None and (family is None or family in self.campaign.players_may)

    @property
    def off(self) -> list[str]:
        """The books that the campaign does not play by, and commands would."""
        played = () if self.campaign is None else self.campaign.books
        return sorted(set(self.books.values()).difference(played)) if played else []

    @property
    def staff(self) -> bool:
        """Whether the person leads the campaign, or may start one."""
        return self.person.manages_server or (self.campaign is not None and self.person.leads(self.campaign))

    def __str__(self) -> str:
        if self.campaign is None:
            return "This channel plays no campaign yet."
        name = plain(self.campaign.name)
        if self.person.leads(self.campaign):
            return f"You are a game master of {name}."
        if self.person.plays(self.campaign):
            return f"You are a player of {name}."
        return f"You take no part in {name}. Most of this is for those who do: ask a game master for the player role."


class AboutCompleter(Offering):
    """A task, or the name of a command."""

    async def offered(self, interaction: AnyInteraction, current: str) -> list[tuple[str, str]]:
        """Return those that contain what is typed and that are for the person."""
        who = await _asker(interaction)
        names = [f"/{name}" for name in _open_to(who, _tree(interaction))]
        return containing(current, [EVENING, *TASKS, *names])


@app_commands.command(name="help")
@app_commands.guild_only()
@describe(about="A task, or a command such as /weather set; the tasks when left out")
async def tell(interaction: Interaction, about: Transform[str, AboutCompleter] | None = None) -> None:
    """See what you can do here, by task, and how the first evening goes."""
    await say(interaction, view=await _page(interaction, about))


@component(ABOUT)
async def turn(interaction: Interaction) -> None:
    """Show what was picked in place of what is shown."""
    about = next(iter(picked(interaction)), None)
    if about is None:
        raise NotOpen(*STALE)
    await redraw(interaction, await _page(interaction, about))


async def _page(interaction: Interaction, about: str | None) -> ui.LayoutView:
    who, tree = await _asker(interaction), _tree(interaction)
    topic = about or (EVENING if who.campaign is None and who.staff else START)
    title, lines = _told(topic, who, tree)
    select: ui.Select[ui.LayoutView] = ui.Select(custom_id=ABOUT.fill(), placeholder="What do you want to do?")
    open_to = _by_task(_open_to(who, tree))
    for label in (EVENING, *open_to, EVERYTHING):
        about_it = TASKS[label].what if label in TASKS else None
        select.add_option(label=label, value=label, description=about_it)
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
    """Return all commands by their names, in the order in which the bot has them."""
    every = interaction.client.tree.walk_commands()
    return {item.qualified_name: item for item in every if isinstance(item, app_commands.Command)}


def _told(topic: str, who: Asker, tree: Tree) -> tuple[str, Sequence[str]]:
    """Return title and lines about a topic.

    Raises:
        BadInput: it is neither a task nor a command.

    """
    if topic == EVENING:
        evening = STAFF_EVENING if who.staff else PLAYER_EVENING
        return EVENING, [f"{place}. {line}" for place, line in enumerate(evening, 1)]
    open_to = _open_to(who, tree)
    tasks = _by_task(open_to)
    off = [f"-# Off here: {listing(who.off)}. `/campaign edit` turns books on."] if who.staff and who.off else []
    if topic == START:
        return START, [*(_task_line(task, len(found)) for task, found in tasks.items()), *off]
    if topic == EVERYTHING:
        return EVERYTHING, [*(f"**{task}**\n{_names(found)}" for task, found in tasks.items()), *off]
    if topic in (*TASKS, MORE):
        return topic, [*_listed(open_to, tasks.get(topic, ())), *(TRUST if topic == RECORD else ())]
    name = " ".join(topic.removeprefix("/").casefold().split())
    if name in tree:
        closed = [] if name in open_to else [f"-# {CLOSED}"]
        return f"/{name}", [tree[name].description, *closed, *_options(tree[name])]
    if any(found.startswith(f"{name} ") for found in tree):
        return f"/{name}", _listed(open_to, [found for found in open_to if found.startswith(f"{name} ")])
    close = nearest(name, tree)
    hint = f"Did you mean /{close}?" if close else "Leave it out to see the tasks."
    raise BadInput(f"There is no task or command {topic!r}.", hint)


def _open_to(who: Asker, tree: Tree) -> Tree:
    """Return the commands that are for somebody."""
    return {name: command for name, command in tree.items() if who.may(command)}


def _listed(tree: Tree, names: Sequence[str]) -> Sequence[str]:
    return [f"`/{name}` {_about(tree[name])}" for name in names] or [CLOSED]


def _by_task(tree: Tree) -> Mapping[str, Sequence[str]]:
    """Return names of commands by their tasks, without tasks that have none."""
    of_word = {word: name for name, task in TASKS.items() for word in task.words.split()}
    tasks: dict[str, list[str]] = {task: [] for task in (*TASKS, MORE)}
    for name in tree:
        tasks[of_word.get(name.split()[0], MORE)].append(name)
    return {task: found for task, found in tasks.items() if found}


def _task_line(name: str, count: int) -> str:
    what = TASKS[name].what if name in TASKS else FURTHER
    return f"**{name}**: {what} ({count} {'command' if count == 1 else 'commands'})"


def _names(found: Sequence[str]) -> str:
    return DOT.join(f"`/{name}`" for name in found)


def _about(command: app_commands.Command[Any, ..., Any]) -> str:
    return _FOR.sub(".", command.description)


def _options(command: app_commands.Command[Any, ..., Any]) -> Iterator[str]:
    for option in command.parameters:
        needed = "" if option.required else " (may be left out)"
        yield f"`{option.display_name}`{needed}: {option.description}"


FEATURE = Feature(commands=(tell,), components=(turn,))
