"""What is searched for in a ledger, as it was typed, and how it is looked for on behalf of somebody."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.core import entries, search_rows, subjects
from bot.core.campaigns import Campaign, current_update, update_entry
from bot.core.entries import AudienceFilter
from bot.core.permissions import Person, audience_filter
from bot.core.search_rows import Span
from bot.core.search_words import by_maker, forms, term, words
from bot.core.visibility import viewer_of
from bot.errors import BadInput
from bot.ui.text import DOT, plain

MAX_TEXT = 100
"""Characters of the text that is searched for."""


class Wanted(Struct, frozen=True, omit_defaults=True):
    """What an entry is to have, all of it: words, and what it is about; `person` is a user id, `update` a number."""

    text: str | None = None
    family: str | None = None
    person: int | None = None
    unit: str | None = None
    outcome: str | None = None
    region: str | None = None
    week: int | None = None
    update: int | None = None

    def told(self) -> str:
        """Return in words what is searched for."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        shown = given | ({"person": f"<@{self.person}>"} if self.person is not None else {})
        return DOT.join(f"{name} {value if name == 'person' else plain(str(value))}" for name, value in shown.items())


class Search(Struct, frozen=True):
    """What is looked for on behalf of somebody: groups of words, one of each (none where a number suffices), where, and what the person may know.

    `whole` is of those who read everything; None in place of words stands for what no entry has.
    """

    allowed: AudienceFilter
    words: tuple[tuple[str, ...], ...] | None
    span: Span
    whole: bool

    def numbers(self, tx: Connection, campaign: Campaign, span: Span, limit: int) -> list[int]:
        """Return the numbers of entries that fit, newest first or oldest first, within what is searched and a span."""
        if self.words is None:
            return []
        above, below = max(self.span.above, span.above), min(self.span.below, span.below)
        within = Span(above, below, span.oldest)
        if self.words:
            asked = (tx, campaign.id, self.allowed, self.words, within, limit)
            return search_rows.matching(*asked, whole=self.whole)
        return entries.numbers(tx, campaign.id, self.allowed, below=below, above=above, limit=limit, oldest=span.oldest)


def search_for(
    tx: Connection, person: Person, campaign: Campaign, wanted: Wanted, *, everything: bool = False
) -> Search:
    """Return how something is looked for on behalf of a person; where nothing is wanted all fits, if `everything` may."""
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    allowed, leads = audience_filter(tx, person, campaign, mine), person.leads(campaign)
    if wanted == Wanted() and not everything:
        raise BadInput(
            "You didn't say what to search for.", "Fill in at least one option, such as text, unit or update."
        )
    looked_for = dict.fromkeys(_words(wanted))
    maker = None if wanted.person is None else entries.pseudonym_of(tx, campaign.id, wanted.person)
    if maker is not None:
        looked_for[(by_maker(maker),)] = None
    unit = None if wanted.unit is None else _unit(tx, person, campaign, wanted.unit)
    if unit is not None:
        looked_for[(term("unit", unit),)] = None
    nobodys = (wanted.person is not None and maker is None) or (wanted.unit is not None and unit is None)
    return Search(allowed, None if nobodys else (*looked_for,), _span(tx, campaign, wanted.update), leads)


def _unit(tx: Connection, person: Person, campaign: Campaign, name: str) -> int | None:
    """Return the number of whom a name means for a person; None for nobody.

    That is no error: a name of which nothing is kept stands in entries, which may be for others.
    """
    meant = subjects.meant(tx, campaign.id, [name], viewer_of(tx, person, campaign).knows)
    return next((item.id for item in meant.values()), None)


def _words(wanted: Wanted) -> Iterator[tuple[str, ...]]:
    if wanted.text is not None:
        typed = list(words(wanted.text))
        if not typed:
            raise BadInput("That text has no words.", "Search for words or numbers.")
        yield from map(forms, typed)
    for name in ("family", "outcome", "region", "week"):
        if (value := getattr(wanted, name)) is not None:
            yield (term(name, value),)


def _span(tx: Connection, campaign: Campaign, update: int | None) -> Span:
    """Return which entries are of an update: those behind the closing that began it, up to the one that ended it."""
    if update is None:
        return Span()
    now = current_update(tx, campaign.id)["number"]
    if update > now:
        raise BadInput(f"Update {update} hasn't begun: this is number {now}.", "Updates are counted from 1.")
    above = began(tx, campaign, update) if update > 1 else 0
    return Span(above, began(tx, campaign, update + 1) + 1) if update < now else Span(above)


def began(tx: Connection, campaign: Campaign, update: int) -> int:
    """Return the number of the entry that began an update, out of the index where all of the past is read in."""
    if search_rows.backlog(tx, campaign.id):
        return update_entry(tx, campaign.id, update)
    public = AudienceFilter(("results",), None)
    opened = search_rows.matching(tx, campaign.id, public, [(term("opened", update),)], Span(), 1, whole=False)
    return next(iter(opened), 0)
