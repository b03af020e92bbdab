"""The options that roll commands share, and their autocompletes."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, Concatenate, ParamSpec, TypedDict, TypeVar

import discord
from discord import app_commands
from discord.app_commands import Choice, Range
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, errors, permissions, profiles
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.visibility import Viewer, list_known_sides, make_viewer, suggest_names
from bot.rolls.desk import RollDesk, desk_of, read_shown, suggest_modifiers
from bot.rolls.request import TO_HERE, TO_LABELS
from bot.ui import parsing
from bot.ui.reply import AnyInteraction, person
from bot.ui.text import shorten
from rules import ruleset, stages
from rules.errors import RulesError
from rules.subjects import CHARACTER_KINDS, name_key

Takes = Callable[[Viewer, profiles.Profile], bool]
Completions = Sequence[tuple[str, str]]
Offer = Callable[[AnyInteraction, str], Awaitable[Completions]]
Complete = Callable[["Completion", str], Awaitable[Completions]]
P = ParamSpec("P")
T = TypeVar("T")
MAX_WEEK = 9999
Week = Range[int, 0, MAX_WEEK]
CARD_OR_NOW: Mapping[str, str] = {"card": "open a card first", "now": "roll now"}
ANYTHING = re.compile("")
HOW = "Open a card to tick modifiers and see the odds, or roll now"
HERE = "Where the result is posted. Default: here"


class Offering(app_commands.Transformer):
    """An option with any text. A completion's shown text, which matches `decorated`, counts as its value."""

    def __init__(self, offer: Offer, decorated: re.Pattern[str] | None = None) -> None:
        self.offer, self._decorated = offer, decorated

    async def autocomplete(self, interaction: AnyInteraction, value: float | str, /) -> list[Choice[int | float | str]]:
        """Return at most 25 completions."""
        return [Choice(name=item.name, value=item.value) for item in offer(await self.offer(interaction, str(value)))]

    async def transform(self, interaction: AnyInteraction, value: str, /) -> str:
        """Return the typed text, or the value of the completion that shows it."""
        if self._decorated is None or not self._decorated.search(value):
            return value
        choices = [choice for typed in (value, "") for choice in _choice_texts(await self.offer(interaction, typed))]
        if any(value == found for _, found in choices):
            return value
        alike = sorted((shown != value, found) for shown, found in choices if name_key(shown) == name_key(value))
        return alike[0][1] if alike else value


class Completed(Offering):
    """An option with completions that depend on the campaign."""

    def __init__(self, complete: Complete, decorated: re.Pattern[str] | None = None) -> None:
        super().__init__(partial(_complete, complete), decorated)


async def _complete(complete: Complete, interaction: AnyInteraction, current: str) -> Completions:
    desk = desk_of(interaction)
    try:
        campaign = await desk.campaign(interaction)
        if not person(interaction).takes_part(campaign):
            return []
        return await complete(Completion(interaction, desk, campaign), current)
    except (errors.UserError, RulesError):
        return []


class Completion(Struct, frozen=True):
    """An option that a person is typing in a campaign."""

    interaction: AnyInteraction
    desk: RollDesk
    campaign: Campaign

    @property
    def person(self) -> Person:
        """The person who types."""
        return person(self.interaction)

    def read_option(self, option: str) -> str:
        """Return what is typed in another option; empty if nothing."""
        return str(getattr(self.interaction.namespace, option, None) or "")

    async def read(
        self, function: Callable[Concatenate[Connection, Person, Campaign, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a read of (connection, person, campaign, arguments) in a transaction."""
        return await self.desk.database.read(function, self.person, self.campaign, *args, **kwargs)

    async def books(self) -> list[ruleset.RuleSet]:
        """Return the books of the campaign."""
        return await self.desk.database.read(self.desk.resolver.library.list_books, self.campaign)


class NameCompleter(Completed):
    """One saved name of some kinds. Kinds in `first` come first."""

    def __init__(self, *kinds: str, first: Collection[str] = (), takes: Takes = Viewer.knows) -> None:
        super().__init__(partial(complete_name, kinds or profiles.UNIT_KINDS + CHARACTER_KINDS, first, takes))


async def complete_name(
    kinds: Collection[str], first: Collection[str], takes: Takes, at: Completion, current: str
) -> Completions:
    """Return saved names of these kinds that the person may use, `first` kinds first."""
    taken = partial(_is_taken, kinds, takes)
    names = await at.read(suggest_names, current, taken, partial(_fits, "", frozenset()), first)
    return [(name, name) for name in names]


class NamesCompleter(Completed):
    """Names separated by commas: completes the last one."""

    def __init__(self, first: Collection[str] = ()) -> None:
        super().__init__(partial(_complete_names, first))


async def _complete_names(first: Collection[str], at: Completion, current: str) -> Completions:
    before, comma, word = current.rpartition(",")
    prefix = f"{before}{comma} " if comma else ""
    keys = [name_key(name) for name in prefix.split(",")]
    present = frozenset((*keys, *(name.rpartition(":")[0] for name in keys)))  # a stance follows a colon
    names = await at.read(suggest_names, word, Viewer.knows, partial(_fits, prefix, present), first)
    return [(prefix + name, prefix + name) for name in names]


async def _complete_sides(at: Completion, current: str) -> Completions:
    sides = complete_last(current, await at.read(_sides))
    return [*dict.fromkeys([*sides, *await _complete_names((), at, current)])]


async def _complete_region(at: Completion, current: str) -> Completions:
    zones = [zone for book in await at.books() for zone in book.zones.values()]
    return filter_labels(current, [region.label for zone in zones for region in zone.regions])


class AnyModifiersCompleter(Completed):
    """Modifiers separated by commas, out of those (by id) that `find` returns."""

    def __init__(self, find: Callable[[Completion], Awaitable[Mapping[str, stages.Tickable]]]) -> None:
        super().__init__(self._complete)
        self._find = find

    async def _complete(self, at: Completion, current: str) -> Completions:
        return suggest_modifiers(current, await self._find(at))

    async def transform(self, interaction: AnyInteraction, value: str, /) -> str:
        """Return the typed text with ids for what completions show."""
        desk = desk_of(interaction)
        try:
            at = Completion(interaction, desk, await desk.campaign(interaction))
            return read_shown(value, await self._find(at))
        except (errors.UserError, RulesError):
            return value  # the command says what is wrong


class ModifiersCompleter(AnyModifiersCompleter):
    """Modifiers of a roll family."""

    def __init__(self, book: str, family: str) -> None:
        super().__init__(partial(find_modifiers, book, family))


async def find_modifiers(book: str, family: str, at: Completion) -> Mapping[str, stages.Tickable]:
    """Return the modifiers of a roll family, by id."""
    rules, procedure = await at.desk.procedure(at.campaign, book, family)
    return stages.family_tickables(procedure, rules)


class _GroupCompleter(Completed):
    """A group, for game masters, after choices (labels by value) for everyone."""

    def __init__(self, choices: Mapping[str, str]) -> None:
        super().__init__(self._complete, ANYTHING)
        self._choices = {label: value for value, label in choices.items()}

    async def transform(self, interaction: AnyInteraction, value: str, /) -> str:
        known = {**self._choices, **{picked: picked for picked in self._choices.values()}}
        return known[value] if value in known else await super().transform(interaction, value)

    async def _complete(self, at: Completion, current: str) -> Completions:
        leads, values = at.person.leads(at.campaign), self._choices.values()
        for_players = {"auto", "here", "results"} if "here" in values else {"auto"}
        offered = [(label, value) for label, value in self._choices.items() if leads or value in for_players]
        if leads:
            known = await at.desk.database.read(permissions.list_groups, at.campaign.id)
            offered += [(group.name, group.audience) for group in known]
        return [item for item in offered if name_key(current) in name_key(item[0])]


async def _offer_campaigns(interaction: AnyInteraction, current: str) -> Completions:
    here = await interaction.client.database.read(campaigns.list_campaigns, interaction.guild_id or 0)
    return filter_labels(current, [item.name for item in here])


Name = Annotated[str, NameCompleter()]
UnitName = Annotated[str, NameCompleter(*profiles.UNIT_KINDS)]
CharacterName = Annotated[str, NameCompleter(*CHARACTER_KINDS)]
Names = Annotated[str, NamesCompleter()]
Sides = Annotated[str, Completed(_complete_sides)]
Region = Annotated[str, Completed(_complete_region)]
To = Annotated[str, _GroupCompleter(TO_LABELS)]
ToOrHere = Annotated[str, _GroupCompleter({**TO_HERE} | {to: label for to, label in TO_LABELS.items() if to != "auto"})]
CampaignName = Annotated[str, Offering(_offer_campaigns)]


def _complete_modifiers(form: type[RollForm]) -> ModifiersCompleter:
    return ModifiersCompleter(*form.family)


MODIFIERS = parsing.option(
    "Ids or labels, separated by commas. id*2 counts twice, +2 reason adjusts",
    default=None,
    completer=_complete_modifiers,
)
NOTE = parsing.option("A note on the result. With roll:now, also your reason for rolling again", default=None)
TO = parsing.option("Where the result is posted", default="auto")


class RollForm(parsing.Form):
    """The options that roll commands end with."""

    family: ClassVar[tuple[str, str]]
    modifiers: str | None = MODIFIERS
    note: str | None = NOTE
    to: To = TO
    roll: str = parsing.option(HOW, default="card", choices=CARD_OR_NOW)


class PlacedRollForm(RollForm):
    """The same for rolls in which the weather counts."""

    region: Region | None = parsing.option("A weather region or any place name, such as Arabia", default=None)
    week: Week | None = parsing.option("The week whose weather counts. Default: this week", default=None)


def offer(choices: Sequence[tuple[str, str]]) -> list[Choice[str]]:
    """Return at most 25 choices, given as (shown, value)."""
    return [Choice(name=shown, value=value) for shown, value in _choice_texts(choices)[: parsing.MAX_CHOICES]]


def _choice_texts(choices: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    short: dict[str, str] = {}
    for shown, value in choices:
        text = shorten(shown, parsing.MAX_CHOICE)
        short.setdefault(value if short.get(text, value) != value else text, value)
    return [*short.items()]


def filter_labels(current: str, labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return (label, label) for labels that contain what is typed, each once."""
    wanted = name_key(current)
    return [(label, label) for label in dict.fromkeys(labels) if wanted in name_key(label)]


def complete_last(current: str, labels: Iterable[str]) -> list[tuple[str, str]]:
    """Complete the last of several names, as (shown, value), with labels that aren't there yet."""
    before, comma, word = current.rpartition(",")
    prefix = f"{before}{comma} " if comma else ""
    present = frozenset(map(name_key, before.split(",")))
    fitting = (prefix + label for label, _ in filter_labels(word, labels) if _fits(prefix, present, label))
    return [(label, label) for label in fitting]


def _is_taken(kinds: Collection[str], takes: Takes, viewer: Viewer, item: profiles.Profile) -> bool:
    return item.kind in kinds and takes(viewer, item)


def _sides(tx: Connection, who: Person, campaign: Campaign) -> list[str]:
    return list_known_sides(tx, make_viewer(tx, who, campaign))


def _fits(prefix: str, present: frozenset[str], name: str) -> bool:
    return name_key(name) not in present and len(prefix + name) <= parsing.MAX_CHOICE


class _Destination(TypedDict):
    to: str
    here: int | None


def route(interaction: AnyInteraction, picked: str) -> _Destination:
    """Return destination fields for a `ToOrHere` option. Where the bot can't post, the results channel is used."""
    if picked == "here":
        mine, in_thread = interaction.app_permissions, isinstance(interaction.channel, discord.Thread)
        writes = mine.send_messages_in_threads if in_thread else mine.send_messages
        can_post = mine.view_channel and writes and mine.embed_links
        return {"to": "auto", "here": interaction.channel_id if can_post else 0}
    return {"to": "auto" if picked == "results" else picked, "here": None}
