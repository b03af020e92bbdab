"""Upkeep: what units and characters roll or gain when an update closes, and when the next one begins."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, profiles, state
from bot.core.errors import UserError
from bot.core.library import Library
from bot.outbox.queue import Post
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, RollOrder
from bot.ui.text import join_words, plain
from rules.book import Book
from rules.errors import RulesError
from rules.procedure import Procedure
from rules.upkeep import UpkeepRule

MOST = 20
"""How many roll in one entry."""
FEW = 5


class DueUpkeep(Struct, frozen=True):
    """An upkeep of a book that hasn't been done in its update, and who has it."""

    book: str
    upkeep: UpkeepRule
    who: Sequence[profiles.Profile]

    @property
    def key(self) -> str:
        """Notes when it was done."""
        return f"{state.UPKEEP}{self.book}.{self.upkeep.id}"

    @property
    def line(self) -> str:
        """What it is, and for how many."""
        named = [plain(item.name) for item in self.who[:FEW]]
        named += [f"{len(self.who) - FEW} more"] if len(self.who) > FEW else []
        return f"{plain(self.upkeep.title)}: {join_words(named)}"


def list_due(
    tx: Connection, library: Library, campaign: campaigns.Campaign, at: Literal["close", "week"], update: int
) -> Iterator[DueUpkeep]:
    """Yield what is due at this point of an update (number)."""
    books = [book for book in library.list_known_books(tx, campaign) if book.upkeep]
    everyone = profiles.list_profiles(tx, campaign.id) if books else []
    for book in books:
        for item in book.upkeep.values():
            due = DueUpkeep(book.id, item, [found for found in everyone if found.kind in item.of])
            done = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, due.key) or {}
            if item.at == at and due.who and done.get("update", 0) < update:
                yield due


def carry_out(
    tx: Connection,
    resolver: Resolver,
    campaign: campaigns.Campaign,
    user_id: int,
    at: Literal["close", "week"],
    update: int,
) -> tuple[list[Post], list[str]]:
    """Roll what is due; return posts, and why some couldn't."""
    posts: list[Post] = []
    refused: list[str] = []
    for due in list_due(tx, resolver.library, campaign, at, update):
        book = resolver.library.book(tx, campaign, due.book)
        roll = book.procedure(due.upkeep.family)
        # A result shows where it was, so the weather at home counts only where players may see places.
        roller, at_home = roll.actor, campaigns.PLACES in campaign.players_may and _counts_weather(roll, book)
        parts = [PartRequest(subjects={roller: item.name}, ids={roller: (item.id,)}) for item in due.who]
        extra = partial(_note_done, due.key, update)
        waiting = [parts[start : start + MOST] for start in range(0, len(parts), MOST)]
        while waiting:
            some = waiting.pop(0)
            request = RollRequest(book=due.book, family=roll.family, parts=tuple(some), at_home=at_home, staff=True)
            try:
                posts += resolver.roll(tx, RollOrder(campaign.id, user_id, request, extra)).posts
            except (UserError, RulesError) as error:  # before the first die: those who can do it do it
                if len(some) > 1:
                    waiting[:0] = [some[: len(some) // 2], some[len(some) // 2 :]]
                else:
                    refused.append(f"{due.upkeep.title} of {some[0].subjects[roller]}: {error}")
    return posts, refused


def _counts_weather(roll: Procedure, book: Book) -> bool:
    modifiers = (item for table in roll.method.tables for item in book.table(table).modifiers)
    facts = (fact.removeprefix("!") for item in modifiers for clause in item.when for fact in clause)
    return any(fact.startswith("weather.") for fact in facts)


def _note_done(key: str, update: int, _tx: Connection, resolved: ResolvedRoll) -> ExtraChanges:
    value = {"entry": resolved.moment.entry, "update": update}
    return ExtraChanges({(state.CAMPAIGN_STATE, key): value})
