"""What can be ordered in a campaign: the kinds of the books that it plays by, and to whom they are open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from bot.core.campaigns import ORDERS, Campaign
from bot.core.permissions import Person
from bot.errors import BadInput, NotAllowed, unknown_name
from rules.orders import OrderKind, Phase
from rules.ruleset import RuleSet
from rules.subjects import name_key


class CalledKind(Struct, frozen=True):
    """A kind of order, and the first phase that takes it; of an order whose book is switched off no more than what both are called."""

    kind: OrderKind
    phase: Phase


class KnownKind(CalledKind, frozen=True):
    """A kind of order with its book, by which the campaign plays; `settled` where its phase is the one in which an order ended."""

    book: RuleSet
    settled: bool = False

    @property
    def resolved_in(self) -> list[str]:
        """The labels of the phases of which one resolves such an order: the first that takes it, and where that passes some on, the next."""
        taking = [phase for phase in self.book.listed(Phase).values() if self.kind.id in phase.takes]
        last = next((place for place, phase in enumerate(taking) if not phase.passes_on), len(taking) - 1)
        return [phase.label for phase in taking[: last + 1]]


def either(words: Sequence[str]) -> str:
    """Return one of several in words: `a, b or c`."""
    *before, last = words
    return f"{', '.join(before)} or {last}" if before else last


def kinds(books: Iterable[RuleSet]) -> Iterator[KnownKind]:
    """Yield what the books let people order, phase by phase."""
    for book in books:
        known = dict(book.listed(OrderKind))
        for phase in book.listed(Phase).values():
            yield from (KnownKind(known.pop(name), phase, book) for name in phase.takes if name in known)


def by_key(books: Iterable[RuleSet]) -> dict[tuple[str, str], KnownKind]:
    """Return what the books let people order, by book and kind (ids), phase by phase."""
    return {(item.book.id, item.kind.id): item for item in kinds(books)}


def permission(kind: OrderKind) -> str:
    """Return the word by which a campaign opens a kind to players."""
    return f"{ORDERS}.{kind.id}"


def is_open_to(person: Person, campaign: Campaign, kind: OrderKind) -> bool:
    """Return whether a person may give orders of a kind: game masters all, players those that are open to them."""
    opened = kind.open or not {ORDERS, permission(kind)}.isdisjoint(campaign.players_may)
    return person.leads(campaign) or (person.plays(campaign) and opened)


def find(known: Iterable[KnownKind], typed: str) -> KnownKind:
    """Return the kind that is typed, by its id or its label.

    Raises:
        BadInput: there is none.

    """
    every = {name_key(word): item for item in known for word in (item.kind.label, item.kind.id)}
    if not every:
        raise BadInput("The books of this campaign have no orders.", "See /campaign show.")
    item = every.get(name_key(typed))
    if item is None:
        labels = [*dict.fromkeys(item.kind.label for item in every.values())]
        what = f"I don't know the order {typed[:60]!r}."
        raise unknown_name(what, typed, [*every, *labels], f"Pick one of: {', '.join(labels)}.")
    return item


def require_open(person: Person, campaign: Campaign, kind: OrderKind) -> None:
    """Refuse an order that is not open to players."""
    if not is_open_to(person, campaign, kind):
        what = f"Players can't give this order in {campaign.name}: {kind.label}."
        raise NotAllowed(what, f"A game master can allow it with /campaign edit players_may: {permission(kind)}.")
