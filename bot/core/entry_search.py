"""Searches in a ledger, for a viewer."""

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries, errors, permissions, search_index, subjects, visibility

MAX_TEXT = 100


class EntrySearch(Struct, frozen=True, omit_defaults=True):
    """What an entry must have; `person` is a user id, `update` a number, `before` an entry's."""

    text: str | None = None
    family: str | None = None
    person: int | None = None
    unit: str | None = None
    outcome: str | None = None
    region: str | None = None
    week: int | None = None
    update: int | None = None
    before: int | None = None


class Search(Struct, frozen=True):
    """A person's search: of each group in `words`, one word must match.

    Without groups, every entry in the span matches; None matches nothing.
    """

    allowed: entries.AudienceFilter
    words: tuple[tuple[str, ...], ...] | None
    span: entries.Span

    def numbers(self, tx: Connection, campaign: campaigns.Campaign, span: entries.Span, limit: int) -> list[int]:
        """Return at most `limit` matching entry numbers within both spans."""
        if self.words is None:
            return []
        above, below = max(self.span.above, span.above), min(self.span.below, span.below)
        within = entries.Span(above, below, span.oldest, limit)
        if self.words:
            return search_index.find_matching(tx, campaign.id, self.allowed, self.words, within)
        return entries.find_numbers(tx, campaign.id, self.allowed, within)


def make_search(tx: Connection, viewer: visibility.Viewer, wanted: EntrySearch) -> Search:
    """Return a viewer's search."""
    campaign = viewer.campaign
    allowed = permissions.audience_filter(tx, viewer.person, campaign, viewer.mine)
    terms = [*_list_terms(wanted)]
    maker = None if wanted.person is None else campaigns.find_pseudonym(tx, campaign.id, wanted.person)
    terms += [] if maker is None else [(search_index.make_term("by", maker),)]
    unit = None if wanted.unit is None else _find_unit(tx, viewer, wanted.unit)
    terms += [] if unit is None else [(search_index.make_term("unit", unit),)]
    unknown = (wanted.person is not None and maker is None) or (wanted.unit is not None and unit is None)
    words = None if unknown else (*dict.fromkeys(terms),)
    return Search(allowed, words, _find_span(tx, campaign, wanted))


def _find_unit(tx: Connection, viewer: visibility.Viewer, name: str) -> int | None:
    meant = subjects.find_meant(tx, viewer.campaign.id, [name], viewer.knows)
    return next((item.id for item in meant.values()), None)


def _list_terms(wanted: EntrySearch) -> Iterator[tuple[str, ...]]:
    if wanted.text is not None:
        typed = list(search_index.split_words(wanted.text))
        if not typed:
            raise errors.BadInput("That text has no words.", "Search for words or numbers.")
        yield from map(search_index.list_forms, typed)
    for name in ("family", "outcome", "region", "week"):
        if (value := getattr(wanted, name)) is not None:
            yield (search_index.make_term(name, value),)


def _find_span(tx: Connection, campaign: campaigns.Campaign, wanted: EntrySearch) -> entries.Span:
    update, below = wanted.update, wanted.before or entries.Span().below
    if update is None:
        return entries.Span(below=below)
    now = campaigns.current_update(tx, campaign.id)["number"]
    if update > now:
        raise errors.BadInput(f"Update {update} hasn't begun: this is number {now}.", "Updates are counted from 1.")
    above = find_beginning(tx, campaign, update) if update > 1 else 0
    return entries.Span(above, min(below, find_beginning(tx, campaign, update + 1) + 1) if update < now else below)


def find_beginning(tx: Connection, campaign: campaigns.Campaign, update: int) -> int:
    """Return the entry that began an update."""
    if search_index.get_backlog(tx, campaign.id):
        return campaigns.find_update_entry(tx, campaign.id, update)
    public = entries.AudienceFilter(("results",), None)
    wanted = [(search_index.make_term("opened", update),)]
    opened = search_index.find_matching(tx, campaign.id, public, wanted, entries.Span(limit=1))
    return next(iter(opened), 0)
