"""`/roe rules`: any line of the book, found by its name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import reference_words
from bot.cogs.roe.fight_view import BOOK
from bot.core.campaigns import Campaign, require_on_server
from bot.core.errors import unknown_name
from bot.core.library import Library, hide_secrets
from bot.core.permissions import Person
from bot.core.visibility import make_viewer, require_part
from bot.rolls.desk import desk_of
from bot.rolls.options import Completion, Completions
from bot.ui.parsing import MAX_CHOICE, MAX_CHOICES
from bot.ui.receipt import picker, receipt
from bot.ui.reply import Component, IdTemplate, component, person, read_picked, say
from bot.ui.text import COLOURS, DOT, fit_embeds, paginate, plain, shorten
from rules import kinds, subjects
from rules.ruleset import RuleSet


class Topic(Struct, frozen=True):
    """One thing to look up; `describe` yields its lines."""

    name: str
    what: str
    line: int | None
    describe: Callable[[], Iterable[str]]

    @property
    def label(self) -> str:
        """Name and kind, since names repeat."""
        return shorten(f"{self.name} ({self.what})", MAX_CHOICE)


def list_topics(book: RuleSet) -> Iterator[Topic]:
    """Yield all that a book lists: catalog entries, then numbers, effects, scores and so on."""
    numbers = book.catalog.get(kinds.PrintedNumber.kind, {})
    for listed in (*(listed for listed in book.catalog.values() if listed is not numbers), numbers):
        for entry in listed.values():
            yield Topic(
                entry.label,
                reference_words.name_kind(entry),
                entry.line,
                partial(reference_words.describe_entry, book, entry),
            )
    for effect in book.effects.values():
        line = reference_words.find_printed_line(book, effect.trait)
        yield Topic(effect.label, "effect", line, partial(reference_words.describe_effect, book, effect))
    for score in book.scores.values():
        yield Topic(score.label, "score", score.line, partial(reference_words.describe_score, score))
    for field in book.fields.values():
        yield Topic(field.label, "saved field", field.line, partial(reference_words.describe_field, field))
    for act in book.acts.values():
        yield Topic(act.title, "action", act.line, partial(reference_words.describe_act, book, act))
    for contest in book.contests.values():
        yield Topic(contest.title, "contest", contest.line, partial(reference_words.describe_contest, book, contest))
    for strikes in book.strikes.values():
        yield Topic(
            strikes.title, "several tries", strikes.line, partial(reference_words.describe_strikes, book, strikes)
        )
    for table in book.tables.values():
        yield Topic(table.title, "table", table.rows[0].line, partial(reference_words.describe_table, table))


def _find_topics(known: Iterable[Topic], typed: str) -> tuple[list[Topic], list[str]]:
    wanted, everything = subjects.name_key(typed), [*known]
    exact = [topic for topic in everything if subjects.name_key(topic.label) == wanted]
    if meant := exact or [topic for topic in everything if subjects.name_key(topic.name) == wanted]:
        return meant, []
    matching = [topic for topic in everything if all(word in subjects.name_key(topic.label) for word in wanted.split())]
    if len({topic.name for topic in matching}) > 1:
        return [], [*dict.fromkeys([*_suggest_labels(matching, typed), *(topic.label for topic in matching)])]
    if matching:
        return matching, []
    names = dict.fromkeys(topic.name for topic in everything)
    raise unknown_name(f"The book has nothing called {typed!r}.", typed, names, "Pick from the list while you type.")


def _suggest_labels(known: Iterable[Topic], typed: str) -> list[str]:
    wanted = subjects.name_key(typed)
    labels = [topic.label for topic in known if wanted in subjects.name_key(topic.label)]
    return sorted(labels, key=lambda label: not subjects.name_key(label).startswith(wanted))


LINE = IdTemplate("roe-rules:{campaign:int}")


async def complete_topic(at: Completion, current: str) -> Completions:
    """Offer what the campaign's book lists."""
    book = await at.desk.database.read(_open_book, at.desk.resolver.library, at.person, at.campaign)
    return [(label, label) for label in _suggest_labels(list_topics(book), current)]


async def look_up(interaction: Interaction, typed: str) -> None:
    """Answer with what the book says, or ask which topic is meant."""
    await _answer(interaction, await desk_of(interaction).campaign(interaction), typed)


@component(LINE)
async def _look_up_picked(interaction: Interaction, *, campaign: int) -> None:
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await _answer(interaction, here, next(iter(read_picked(interaction)), ""))


COMPONENTS: tuple[Component, ...] = (_look_up_picked,)


async def _answer(interaction: Interaction, campaign: Campaign, typed: str) -> None:
    desk = desk_of(interaction)
    book = await desk.database.read(_open_book, desk.resolver.library, person(interaction), campaign)
    meant, labels = _find_topics(list_topics(book), typed)
    if labels:
        await say(interaction, view=_ask_which(campaign, typed, labels))
    for page in paginate(embed for topic in meant for embed in _make_pages(topic, book, campaign.name)):
        await say(interaction, embeds=page)


def _ask_which(campaign: Campaign, typed: str, labels: Sequence[str]) -> ui.LayoutView:
    more = len(labels) - MAX_CHOICES
    lines = [f"{plain(shorten(typed, 60))} matches {len(labels)} names in the book. Which one do you mean?"]
    lines += [f"-# {more} more don't fit in the list. Add another word of the name."] if more > 0 else []
    shown = [(label, label, "") for label in labels[:MAX_CHOICES]]
    select = picker(LINE.fill(campaign=campaign.id), "Pick one \N{HORIZONTAL ELLIPSIS}", shown)
    return receipt("Several matches", lines, COLOURS["neutral"], selects=select)


def _open_book(tx: Connection, library: Library, who: Person, campaign: Campaign) -> RuleSet:
    require_part(make_viewer(tx, who, campaign))
    book = library.book(tx, campaign, BOOK)
    return book if who.leads(campaign) else hide_secrets(book)


def _make_pages(topic: Topic, book: RuleSet, campaign: str) -> Sequence[discord.Embed]:
    line = [] if topic.line is None else [f"line {topic.line}"]
    house = [f"House rules: {', '.join(book.versions)}"] if book.versions else []
    source = DOT.join([f"{book.title}{', ' if line else ''}{''.join(line)}", campaign, *house])
    lines = (f"-# {topic.what}", *map(plain, topic.describe()))
    return fit_embeds(plain(topic.name), lines, colour=COLOURS["neutral"], footer=source)
